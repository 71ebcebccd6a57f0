"""The explorer of a paced sender: its rate, as configured and as sent, background and buffer."""

from typing import Literal

import numpy as np

from qoslib import compare, units
from qoslib.explore.controls import choice, slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.redraw import memoize_lines
from qoslib.flows import FqPacing, HtbPacing, actual_rate_bps
from qoslib.lessons import ghost
from qoslib.lessons.pacing.figures import figure
from qoslib.lessons.tcp_buffers import transfer
from qoslib.lessons.tcp_buffers.published import tcp_tests
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["RATES", "START", "actual_bps", "described", "explorer", "settings"]

Table = Literal["legacy", "nominal"]

#: Platform -> the published test to begin with; of the MLX none was paced.
START = {"mx80": "pace_6G_bg_2G", "catalyst6506": "pace_6G", "mlx": "queue_16MB"}
#: Rates of the lines, as shares of the line: the published ones are among them at 10 Gb/s. The
#: old tables know only a few rates, so that many configured ones are a single test.
RATES, FINE = np.arange(10, 101, 5) / 100, np.arange(10, 101) / 100
#: What a test without pacing begins with, as a share of the line.
UNPACED = 0.6
TABLES: dict[str, Table] = {"legacy (tc before 2025)": "legacy", "nominal (exact)": "nominal"}


def explorer(where: str | Scenario = "mx80", assumptions: str = "as_configured") -> Explorer:
    """Sliders for paced rate, background and buffer: what TCP carries and loses, and really sends.

    Lines are the fluid model and follow at once; dots the packet model, when the controls rest.

    Parameters
    ----------
    where : str or Scenario
        ``mx80``, ``catalyst6506`` or ``mlx``; or a port of your own with one queue, its hosts, and
        the streams beside them.
    assumptions : str
        Name of a platform's set.
    """
    test, name = transfer.begun(where, assumptions, START), transfer.published_of(where)
    start, line = settings(test), units.convert(test.only_port.rate_bps, "bit/s", "Gbit/s")
    most = max(2 * start["buffer"], units.convert(transfer.most_bytes(test), "B", "MB"))
    controls = {
        "paced": _rated("Paced rate [Gb/s]", start["paced"], 0.1, line),
        "background": _rated("Background [Gb/s]", start["background"], 0, line),
        "buffer": slider("Buffer [MB]", start["buffer"], most / 600, most, most / 600, 1),
        "table": choice("Rate table", list(TABLES), start["table"]),
    }
    stairs = _stairs(test)

    def sweep(values):
        legacy = TABLES[values["table"]] == "legacy"
        rates_bps = _rates_bps(test, FINE if legacy else RATES)
        tests = [_sent(test, values, rate) for rate in rates_bps]
        return transfer.swept(rates_bps, tests)

    lines = memoize_lines(sweep, "paced")

    def draw(values, dots):
        now, paced_bps = described(test, values), units.gbps(round(values["paced"], 6))
        table = TABLES[values["table"]]
        here = transfer.solved(now)
        seen, faded = _published(name, values, start)
        drawn = figure(
            paced_bps,
            lines(values),
            here,
            stairs,
            (table, actual_bps(test, paced_bps, table)),
            now.available_bps,
            dots,
            seen,
            name,
            faded,
        )
        if name == "mx80":
            drawn.add_traces([ghost("07.b", 2)])
        drawn.remark = compare.remark(here, dots)
        return drawn

    def simulate(values, progress):
        return transfer.simulated(described(test, values), progress)

    arguments = f"{where!r}, {assumptions!r}" if name else "saved"
    call = Call("pacing", arguments, lambda values: [described(test, values)])
    return Explorer(controls, draw, simulate, call)


def _rated(name, value, low, line):
    """A slider of a rate, from a share of the line up to all of it [Gb/s]."""
    return slider(name, value, low * line, line, line / 100, 2 if line >= 1 else 4)


def _stairs(test):
    """What comes out at each rate, by either table [bit/s]."""
    rates_bps = _rates_bps(test, FINE)
    sent = {each: [actual_bps(test, rate, each) for rate in rates_bps] for each in TABLES.values()}
    return {"configured": rates_bps, **sent}


def _rates_bps(test, shares):
    return (shares * test.only_port.rate_bps).tolist()


def settings(test: Scenario) -> dict:
    """What the controls of a test begin at."""
    host, line = test.hosts[0], test.only_port.rate_bps
    paced = host.pacing.rate_bps if host.pacing else UNPACED * line
    if isinstance(host.pacing, FqPacing):
        paced *= len(host.flows)
    legacy = isinstance(host.pacing, HtbPacing) and host.pacing.table == "legacy"
    return {
        "paced": units.convert(paced, "bit/s", "Gbit/s"),
        "background": units.convert(line - test.available_bps, "bit/s", "Gbit/s"),
        "buffer": round(units.convert(transfer.held_bytes(test), "B", "MB"), 3),
        "table": list(TABLES)[0 if legacy else 1],
    }


def described(test: Scenario, values: dict) -> Scenario:
    """The test as the controls stand; its first host is paced as a whole."""
    made = transfer.with_buffer(test, units.megabytes(values["buffer"]))
    paced = HtbPacing(units.gbps(round(values["paced"], 6)), TABLES[values["table"]])
    host = made.hosts[0].replace(pacing=paced)
    streams = _background(made, units.gbps(round(values["background"], 6)))
    return made.replace(hosts=(host, *made.hosts[1:]), streams=streams)


def _background(test, rate_bps):
    """The streams with this rate in total, in their proportions; one where there was none."""
    if not test.streams:
        frame = test.hosts[0].flows[0].frame_bytes
        return (Stream("background", rate_bps, frame),)
    before = sum(stream.rate_bps for stream in test.streams)
    equal = rate_bps / len(test.streams)
    return tuple(
        stream.replace(rate_bps=rate_bps * stream.rate_bps / before if before else equal)
        for stream in test.streams
    )


def _sent(test, values, rate_bps):
    """The test at another rate, paced exactly as it comes out: equal ones are then equal."""
    table = TABLES[values["table"]]
    made = described(test, values | {"paced": units.convert(rate_bps, "bit/s", "Gbit/s")})
    exact = HtbPacing(actual_bps(test, float(rate_bps), table))
    host = made.hosts[0].replace(pacing=exact)
    return made.replace(hosts=(host, *made.hosts[1:]))


def actual_bps(test: Scenario, rate_bps: float, table: Table) -> float:
    """What the first host sends when it is paced at a rate; no more than its line [bit/s]."""
    host = test.hosts[0]
    sent = actual_rate_bps(HtbPacing(rate_bps, table), host.flows[0].mss_bytes, host.burst_packets)
    return min(sent or rate_bps, host.access_bps)


def _published(platform, values, start):
    """A platform's paced tests with this background, and whether they have other settings.

    Those with the background that it begins with where no test has this one.
    """
    every = tcp_tests(platform) if platform in ("mx80", "catalyst6506") else ()
    for of, faded in ((values, values["buffer"] != start["buffer"]), (start, True)):
        beside_bps = units.gbps(of["background"])
        tests = [
            test for test in every if test.paced_bps and np.isclose(test.background_bps, beside_bps)
        ]
        if tests:
            return tuple(tests), faded
    return (), False
