"""TCP against the size of a buffer: what arrives, what is lost, and why, over time."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from qoslib import tcp, units
from qoslib.lessons.buffer_size.published import CALLED, LIKE, TcpTest, keys, marks
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["Band", "SizeSweep", "figure"]

#: Titles of the panels, with units.
PANELS = ("TCP [Gb/s of data]", "lost [TCP packets]", "windows, queue [MB]")
X_TITLES = ("buffer [MB]", "buffer [MB]", "time [s]")
#: What is drawn over time, and the class whose look it has.
OVER_TIME = {"windows": "CS3", "queue": "CS4"}
PALE_BLUE = "rgba(86, 180, 233, 0.25)"


class SizeSweep(NamedTuple):
    """Buffers as configured [B], what TCP carried [bit/s], and how many packets it lost."""

    buffer_bytes: Sequence[float]
    carried_bps: Sequence[float]
    lost_packets: Sequence[float]


class Band(NamedTuple):
    """A prediction: buffers [B], the least and the most that TCP carries [bit/s]."""

    buffer_bytes: Sequence[float]
    low_bps: Sequence[float]
    high_bps: Sequence[float]


def figure(
    scenario: Scenario,
    size_bytes: float,
    swept: SizeSweep,
    now: Result,
    simulated: Result | None = None,
    published: Sequence[TcpTest] = (),
    band: Band | None = None,
    rules: Mapping[str, float | None] | None = None,
    platform: str = "",
) -> Figure:
    """Throughput and lost packets against the buffer; windows and queue over time at one of them.

    Parameters
    ----------
    scenario : Scenario
        The test at the buffer to mark.
    size_bytes : float
        That buffer, as configured [B].
    swept : SizeSweep
        What the fluid model says.
    now, simulated : Result
        What the fluid and, if it was run, the packet model say of the scenario.
    published : sequence of TcpTest
    band : Band, optional
        Drawn pale, of a router of which nothing was published.
    rules : mapping of str to float
        Label to a buffer to mark by a dashed line [B].
    platform : str
        Whose colour the line has.
    """
    traces = _band(band)
    for panel in (0, 1):
        traces += _rules(rules or {}, panel, _top(swept, published, panel))
        traces.append(_line(swept, panel, platform))
        for kind, result in (("packets", simulated), ("now", now)):
            traces.append(_point(kind, size_bytes, result, panel, platform))
        quantity = ("carried_bps", "dropped_packets")[panel]
        x = _configured_mb
        traces += marks(published, x, quantity, panel, f"measured-{panel}")
    traces += _over_time(scenario, now, "fluid") + _over_time(scenario, simulated, "packets")
    traces += [style.key(kind) for kind in ("packets", "now")] + keys(published)
    return Figure(
        data=traces,
        layout=_layout(swept, published),
        summary=_summary(size_bytes, now, simulated, published, rules or {}),
        table=_table(swept, published),
    )


def _configured_mb(test):
    return units.convert(test.buffer_bytes, "B", "MB")


def _drawn(sweep, panel):
    if panel == 0:
        return units.convert(np.asarray(sweep.carried_bps, dtype=float), "bit/s", "Gbit/s")
    return np.asarray(sweep.lost_packets, dtype=float)


def _mb(sizes):
    return units.convert(np.asarray(sizes, dtype=float), "B", "MB")


def _line(swept, panel, platform):
    look, name = style.look(LIKE[platform]), style.KINDS["fluid"]
    x, y = _mb(swept.buffer_bytes), _drawn(swept, panel)
    trace = style.line("fluid", name, x, y, panel, as_look=look, uid=f"fluid-{panel}")
    return trace | {"mode": "lines"}


def _point(kind, size, result, panel, platform):
    x, y = [], []
    if result is not None:
        rate, lost = tcp.totals(result)
        x, y = _mb([size]), [_gbps(rate) if panel == 0 else lost]
    return style.points(kind, [LIKE[platform]] * len(x), x, y, panel, uid=f"{kind}-{panel}")


def _rules(rules, panel, top):
    """Upright dashed lines; each says at its top which rule it is."""
    made = []
    for place, (name, size) in enumerate(rules.items()):
        x = None if size is None else float(units.convert(size, "B", "MB"))
        side, uid = "right" if place else "left", f"rule{place}-{panel}"
        made.append(style.upright(name, x, top, panel, side, uid))
    return made


def _band(band):
    """The most first: the least then fills up to it."""
    empty = Band([], [], [])
    x = _mb((band or empty).buffer_bytes)
    traces: list[dict] = []
    for end in ("high", "low"):
        y = _gbps(np.array(getattr(band or empty, f"{end}_bps"), dtype=float))
        look, name = style.look(LIKE["mlx"]), f"{CALLED['mlx']}, predicted"
        trace = style.line("bound", name, x, y, 0, as_look=look, uid=f"band-{end}")
        trace |= {"mode": "lines", "line": {"width": 0}, "showlegend": False, "hoverinfo": "skip"}
        traces.append(trace)
    fill = {"fill": "tonexty", "fillcolor": PALE_BLUE, "showlegend": band is not None}
    return [traces[0], traces[1] | fill]


def _over_time(scenario, result, kind):
    traces = []
    for name, like in OVER_TIME.items():
        x, y = np.zeros((2, 0))
        if result is not None:
            found = tcp.over_time(scenario, result)
            x = found.time_s
            y = _mb(found.windows_bytes if name == "windows" else found.queue_bytes)
        look, uid = style.look(like), f"{kind}-{name}"
        trace = style.line(kind, name, x, y, 2, as_look=look, uid=uid)
        traces.append(trace | {"mode": "lines", "showlegend": kind == "fluid"})
    return traces


def _top(swept, published, panel):
    highest = [float(_drawn(swept, panel).max(initial=0))]
    for test in published:
        value = test.carried_bps if panel == 0 else test.dropped_packets
        size = units.convert(value.value, "bit/s", "Gbit/s") if panel == 0 else value.value
        highest.append(size)
    return 1.05 * max(*highest, 1e-3)


def _layout(swept, published):
    layout = style.layout(PANELS)
    for panel, title in enumerate(X_TITLES):
        number = "" if panel == 0 else str(panel + 1)
        layout[f"xaxis{number}"]["title"]["text"] = title
        layout[f"yaxis{number}"]["rangemode"] = "tozero"
    sizes = _mb(swept.buffer_bytes)
    span = [float(np.log10(sizes[0] / 1.3)), float(np.log10(sizes[-1] * 1.6))]
    for axis, panel in (("", 0), ("2", 1)):
        layout[f"xaxis{axis}"] |= {"type": "log", "range": span, "tickvals": _ticks(*span)}
        layout[f"yaxis{axis}"]["range"] = [0, 1.12 * _top(swept, published, panel)]
    return layout


def _ticks(low, high):
    """Powers of ten, and three times these."""
    decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    return [each for decade in decades for each in (10.0**decade, 3 * 10.0**decade)]


def _table(swept, published):
    at = _mb(swept.buffer_bytes).round(2)
    columns = {
        f"fluid model {title}": pd.Series(_drawn(swept, panel), index=at)
        for panel, title in enumerate(("[Gb/s]", "lost"))
    }
    for name in dict.fromkeys(test.platform for test in published):
        mine = [test for test in published if test.platform == name]
        at = [round(_configured_mb(test), 2) for test in mine]
        rates = [units.convert(test.carried_bps.value, "bit/s", "Gbit/s") for test in mine]
        columns[f"{CALLED[name]} published [Gb/s]"] = pd.Series(rates, index=at)
        drops = [test.dropped_packets.value for test in mine]
        columns[f"{CALLED[name]} published lost"] = pd.Series(drops, index=at)
    return pd.DataFrame(columns).sort_index().rename_axis("buffer [MB]").round(2)


def _summary(size, now, simulated, published, rules):
    rate, lost = tcp.totals(now)
    said = [
        f"With a buffer of {units.convert(size, 'B', 'MB'):.3g} MB the fluid model carries"
        f" {_gbps(rate):.3g} Gb/s of TCP data and loses {lost:,.0f} of its packets in"
        f" {now.duration_s:.3g} s."
    ]
    if simulated is not None:
        rate, lost = tcp.totals(simulated)
        said.append(f"Packet by packet: {_gbps(rate):.3g} Gb/s and {lost:,.0f} packets.")
    for test in published:
        if np.isclose(test.buffer_bytes, size, rtol=1e-3):
            rate, lost = test.carried_bps.value, test.dropped_packets.value
            said.append(
                f"Published of the {CALLED[test.platform]}: {_gbps(rate):.3g} Gb/s, {lost:,.0f}."
            )
    known = {name: each for name, each in rules.items() if each is not None}
    marked = [f"{name} {units.convert(each, 'B', 'MB'):.3g} MB" for name, each in known.items()]
    return " ".join([*said, f"Dashed: {', '.join(marked)}."] if marked else said)


def _gbps(rate_bps):
    return units.convert(rate_bps, "bit/s", "Gbit/s")
