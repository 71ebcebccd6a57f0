"""The explorer of TCP and a buffer: its size, as configured and in effect, path and senders."""

from functools import lru_cache

import numpy as np

from qoslib import compare, tcp, units
from qoslib.explore.controls import choice, slider, stacked
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.redraw import memoize_lines
from qoslib.lessons import ghost
from qoslib.lessons.tcp_buffers import transfer
from qoslib.lessons.tcp_buffers.figures import Band, figure
from qoslib.lessons.tcp_buffers.published import tcp_tests
from qoslib.lessons.tcp_buffers.transfer import CONGESTION, RECOVERIES
from qoslib.platforms import catalyst6506, mlx
from qoslib.platforms.hosts import HOSTS
from qoslib.scenario import Scenario

__all__ = ["SHARES", "START", "described", "explorer", "settings", "sizes"]

#: Platform -> the published test to begin with.
START = {"mx80": "buffer_36MB", "catalyst6506": "hold_queue_4096", "mlx": "queue_32MB"}
#: Buffers of the lines as shares of the largest that the slider goes to; those of the published
#: tables are among them where that is 120 MB.
SHARES = np.array([0.5, 1, 2, 6, 12, 18, 24, 36, 60, 90, 120]) / 120
MOST_FLOWS = 8
AS_CONFIGURED = "as configured"
#: Platform -> the small effective buffer that its base set takes it to have, and up to which
#: configured one; both fitted [B].
_SMALL = {
    "mx80": (float(HOSTS.mx80_effective_bytes), float(HOSTS.mx80_effective_up_to_bytes)),
    "catalyst6506": (
        float(HOSTS.hold_queue_effective_bytes),
        float(min(catalyst6506.SIZES) * catalyst6506.FACTS.packet_bytes),
    ),
}
#: Controls that are always in sight; the others are below *More*.
FIRST = ("buffer", "rtt", "flows", "congestion")


def explorer(where: str | Scenario = "mx80", assumptions: str = "as_configured") -> Explorer:
    """Sliders for buffer, path and senders: what TCP carries and loses, and why, over time.

    Lines are the fluid model and follow at once; dots and thin lines the packet model, when
    the controls rest. A test lasts for as long as the published one, 600 round trips at most.

    Parameters
    ----------
    where : str or Scenario
        ``mx80``, ``catalyst6506`` or ``mlx``; or a port of your own with one queue, its hosts, and
        the streams beside them.
    assumptions : str
        Name of a platform's set.
    """
    test, name = transfer.begun(where, assumptions, START), transfer.published_of(where)
    start, most = settings(test), transfer.most_bytes(test)
    effects = _effects(name)
    controls = {
        "buffer": _sized("Buffer, as configured [MB]", start["buffer"], most),
        "rtt": slider("Round trip [ms]", start["rtt"], 5, 200, 1),
        "flows": slider("Flows", start["flows"], 1, MOST_FLOWS, 1),
        "window": _sized("Window of a flow [MB]", start["window"], most),
        "congestion": choice("Congestion control", list(CONGESTION), start["congestion"]),
        "recovery": choice("Recovery", list(RECOVERIES), start["recovery"]),
        "effect": choice("Buffer in effect", list(effects), AS_CONFIGURED),
    }

    def now(values):
        return _with(test, values, effects, units.megabytes(values["buffer"]))

    def sweep(values):
        at = sizes(most, values["flows"])
        tests = [_with(test, values, effects, size) for size in at]
        return transfer.swept(at, tests)

    lines = memoize_lines(sweep, "buffer")

    def draw(values, dots):
        here = transfer.solved(now(values))
        # What a host and a buffer do besides is what readers are to find out: it fades nothing.
        faded = any(values[name] != start[name] for name in ("rtt", "flows", "window"))
        drawn = figure(
            now(values),
            units.megabytes(values["buffer"]),
            lines(values),
            here,
            dots,
            _published() if name else (),
            _band() if name else None,
            rules(now(values)),
            name,
            faded,
        )
        if name == "mx80":
            ends = [0, 0.25 * drawn.layout["yaxis"]["range"][1]]
            drawn.add_traces([ghost("06.a", 0, faded=faded), ghost("06.b", 0, y=ends, faded=faded)])
        drawn.remark = compare.remark(here, dots)
        return drawn

    def simulate(values, progress):
        return transfer.simulated(now(values), progress)

    arguments = f"{where!r}, {assumptions!r}" if name else "saved"
    call = Call("tcp_buffers", arguments, lambda values: [now(values)])
    return Explorer(controls, draw, simulate, call, stacked(controls, FIRST))


def _sized(name, value, most):
    """A slider of a size [MB]."""
    top = units.convert(most, "B", "MB")
    return slider(name, value, top / 240, top, top / 240, 1 if top > 10 else 3)


def settings(test: Scenario) -> dict:
    """What the controls of a test begin at."""
    flows = [flow for host in test.hosts for flow in host.flows]
    first = flows[0]
    most = transfer.most_bytes(test)
    return {
        "buffer": round(units.convert(transfer.held_bytes(test), "B", "MB"), 3),
        "rtt": units.convert(first.round_trip_s, "s", "ms"),
        "flows": len(test.hosts[0].flows),
        "window": units.convert(min(first.window_bytes or most, most), "B", "MB"),
        "congestion": _called(CONGESTION, first.congestion),
        "recovery": _called(RECOVERIES, first.recovery),
    }


def _called(known, chosen):
    for name, each in known.items():
        if type(each) is type(chosen):
            return name
    raise ValueError(f"{type(chosen).__name__} is of the packet model only; allowed: {list(known)}")


def sizes(most_bytes: float, flows: int) -> list[float]:
    """Buffers of the lines [B]: half as many for more than two flows, which take longer."""
    shares = SHARES if flows <= 2 else SHARES[::2]
    return (most_bytes * shares).tolist()


def described(test: Scenario, values: dict) -> Scenario:
    """The test as the controls stand, its first host moved; what was not moved stays as it is."""
    start, host = settings(test), test.hosts[0]
    first, moved = host.flows[0], {name: v for name, v in values.items() if v != start.get(name)}
    # A page returns 45 as 44.99999999999999, and a step more or less shows in CUBIC's answer.
    trip_s = units.convert(round(values["rtt"], 6), "ms", "s")
    every = {
        "rtt": {"round_trip_s": trip_s},
        "window": {"window_bytes": max(round(units.megabytes(values["window"])), first.mss_bytes)},
        "congestion": {"congestion": CONGESTION[values["congestion"]]},
        "recovery": {"recovery": RECOVERIES[values["recovery"]]},
    }
    changes = {k: v for name, change in every.items() if name in moved for k, v in change.items()}
    if host.queue and host.queue.delay_s > trip_s:
        host = host.replace(queue=host.queue.replace(delay_s=trip_s))
    if "flows" in moved:
        host = host.replace(flows=transfer.flows_like(host.flows, round(values["flows"])))
    flows = tuple(flow.replace(**changes) for flow in host.flows)
    made = test.replace(hosts=(host.replace(flows=flows), *test.hosts[1:]))
    return transfer.with_buffer(made, units.megabytes(values["buffer"]))


def _with(test, values, effects, size):
    """The test with a buffer as configured, at what that is in effect."""
    effective = effects[values["effect"]](size)
    return described(test, values | {"buffer": units.convert(effective, "B", "MB")})


def _effects(platform):
    """What a configured buffer may be in effect."""
    known = {AS_CONFIGURED: lambda size: size}
    if platform in _SMALL:
        small, up_to = _SMALL[platform]
        shown = [f"{units.convert(each, 'B', 'MB'):g} MB" for each in (small, up_to)]
        name = f"{shown[0]} up to {shown[1]} (fitted)"
        known[name] = lambda size: small if size <= up_to else size
    return known | {"10 %": lambda size: 0.1 * size, "1 %": lambda size: 0.01 * size}


def rules(test: Scenario) -> dict[str, float | None]:
    """One product, and the buffer in which the windows fit, where one is needed [B]."""
    flows = test.hosts[0].flows
    left, trip_s = test.available_bps, flows[0].round_trip_s
    found: dict[str, float | None] = {"BDP": tcp.bandwidth_delay_bytes(left, trip_s)}
    windows = sum(flow.window_bytes or np.inf for flow in flows)
    background_bps = test.only_port.rate_bps - left
    fits = tcp.loss_free_buffer_bytes(windows, test.only_port.rate_bps, trip_s, background_bps)
    return found | {"B*": fits if 0 < fits < np.inf else None}


def _published():
    """Every published test without pacing."""
    tests = [test for name in ("mx80", "catalyst6506") for test in tcp_tests(name)]
    return tuple(test for test in tests if test.paced_bps is None)


@lru_cache(maxsize=1)
def _band():
    """What the two sets of assumptions predict of the MLX, by the size of its queue."""
    rates = [
        transfer.swept(
            [], [each.scenario for each in mlx.PLATFORM.experiments(name).values()]
        ).carried_bps
        for name in mlx.PLATFORM.assumptions
    ]
    at = [units.megabytes(size) for size in mlx.SIZES]
    return Band(at, np.min(rates, axis=0), np.max(rates, axis=0))
