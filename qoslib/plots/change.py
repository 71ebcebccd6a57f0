"""What each class of a port gets before and after a change of its configuration."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qoslib import units
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure

if TYPE_CHECKING:
    from qoslib.findings import ClassRun

__all__ = ["change"]

#: Titles of the panels, with units.
PANELS = ("sent [Mb/s of frames]", "lost [% of offered]", "delay [ms]")
#: Statistic of the delay -> its symbol; the mean has that of the class.
DELAYS = {"mean": "", "p99": "line-ew-open", "maximum": "x-thin-open"}
#: What a figure holds before and after, and how strong each is drawn.
STRENGTHS = {"before": style.FADED, "after": 1.0}
#: Losses that differ by less are told as one [%].
NOTEWORTHY = 0.05
#: The lowest and the highest delay in sight, as powers of ten [ms].
LEAST, MOST = -2, 4


def change(
    names: Sequence[str],
    before: "Mapping[str, ClassRun]",
    after: "Mapping[str, ClassRun]",
    minimum_bps: Sequence[float] = (),
) -> Figure:
    """What each class is offered and gets, loses and waits, before a change (pale) and after it.

    Parameters
    ----------
    names : sequence of str
        The classes, in their order.
    before, after : mapping of str to ClassRun
        What each class gets in the packet model; a class that is not there sends nothing.
    minimum_bps : sequence of float
        What each class is promised after the change [bit/s].

    Returns
    -------
    Figure

    Examples
    --------
    >>> from qoslib.findings import ClassRun
    >>> delays = {"delay_mean_s": 0.004, "delay_max_s": 0.005}
    >>> before = {"all": ClassRun("all", 1, "packets", 0.33, 1e6, 1.5e6, **delays)}
    >>> after = {"all": ClassRun("all", 1, "packets", 0.0, 1.5e6, 1.5e6, **delays)}
    >>> print(change(["all"], before, after).summary)
    all loses 0 %, waits 4 ms on average and 5 ms at most, it lost 33 % before.
    """
    found = {"before": _numbers(before, names), "after": _numbers(after, names)}
    offered = found["after"]["offered"]
    least = [units.convert(rate, "bit/s", "Mbit/s") for rate in minimum_bps]
    alone = {"offsetgroup": "minimum", "alignmentgroup": "minimum"}
    traces = [style.bars(names, offered, width=0.7)]
    traces.append(_ticks("minimum", names, least, 0, "line-ew-open", 26, "minimum") | alone)
    for which, numbers in found.items():
        traces += _of_one(which, names, numbers)
    traces += _keys()
    known = [value for values in found.values() for value in [*values["sent"], *values["offered"]]]
    top = style.nice(1.05 * max([*np.nan_to_num(known), *least, 1e-3]))
    table = _table(names, found)
    layout = _layout(len(names), top)
    return Figure(data=traces, layout=layout, summary=_summary(table), table=table)


def _of_one(
    which: str, names: Sequence[str], numbers: Mapping[str, np.ndarray]
) -> list[style.Json]:
    """What is drawn of before, or of after."""
    panels = enumerate(("sent", "lost", "mean"))
    traces = [_marks(which, names, numbers[what], panel) for panel, what in panels]
    beside = {"offsetgroup": which, "alignmentgroup": "marks", "opacity": STRENGTHS[which]}
    for what in ("p99", "maximum"):
        drawn = _ticks(what, names, numbers[what], 2, DELAYS[what], 12, f"{which}-{what}")
        traces.append(drawn | beside)
    return traces


def _layout(classes: int, top: float) -> style.Json:
    y_axes: list[style.Json] = [
        {"rangemode": "tozero", "range": [-0.02 * top, top]},
        {"range": [-3, 103]},
        style.decades(LEAST, MOST),
    ]
    layout = style.layout(PANELS, y_axes=y_axes)
    layout["margin"] = {**layout["margin"], "b": 75}
    layout |= {"scattermode": "group", "scattergap": max(0.1, 1 - 0.17 * max(classes, 1))}
    # Long names end at their mark; the other way the last of them would leave the page.
    for axis in ("xaxis", "xaxis2", "xaxis3"):
        layout[axis] = {**layout[axis], "tickangle": -30}
    return layout


def _keys() -> Iterator[style.Json]:
    """The entries of the legend."""
    delays = [(f"{what} of the delay", symbol, 1.0) for what, symbol in DELAYS.items() if symbol]
    both = [(which, "circle", strength) for which, strength in STRENGTHS.items()]
    bars = ("minimum, or p99 of the delay", "line-ew-open", 1.0)
    for name, symbol, opacity in (*both, bars, delays[-1]):
        marker = {"color": style.INK, "symbol": symbol, "size": 10, "line": {"width": 2}}
        entry = {"x": [None], "y": [None], "mode": "markers", "type": "scatter", "name": name}
        yield entry | {"marker": marker, "opacity": opacity, "uid": f"key-{name}"}


def _numbers(runs: "Mapping[str, ClassRun]", names: Sequence[str]) -> dict[str, np.ndarray]:
    """What the panels show of each class; NaN where nothing is known."""
    made = {}
    for what, field, base, unit in (
        ("offered", "offered_bps", "bit/s", "Mbit/s"),
        ("sent", "sent_bps", "bit/s", "Mbit/s"),
        ("lost", "drop_ratio", "1", "%"),
        ("mean", "delay_mean_s", "s", "ms"),
        ("p99", "delay_p99_s", "s", "ms"),
        ("maximum", "delay_max_s", "s", "ms"),
    ):
        values = [getattr(runs.get(name), field, None) for name in names]
        made[what] = np.asarray(units.convert(np.array(values, dtype=float), base, unit))
    return made


def _marks(
    which: str, names: Sequence[str], values: Sequence[float] | np.ndarray, panel: int
) -> dict[str, Any]:
    """The symbols of the classes in a panel, beside those of before or after."""
    drawn = style.points("now", names, names, values, panel, uid=f"{which}-{panel}")
    drawn["marker"] |= {"size": 11, "line": {"width": 0}}
    beside = {"name": which, "legendgroup": which, "meta": which}
    beside |= {"offsetgroup": which, "alignmentgroup": "marks"}
    return drawn | beside | {"opacity": STRENGTHS[which]}


def _ticks(
    name: str,
    names: Sequence[str],
    values: Sequence[float] | np.ndarray,
    panel: int,
    symbol: str,
    size: int,
    uid: str,
) -> dict[str, Any]:
    """Thin marks of one kind, the same for all classes."""
    drawn = style.points("now", names, names[: len(values)], values, panel, uid=uid)
    marker = {"color": style.INK, "symbol": symbol, "size": size, "line": {"width": 2}}
    return drawn | {"marker": marker, "name": name, "legendgroup": name, "meta": name}


def _table(names: Sequence[str], found: dict[str, dict[str, np.ndarray]]) -> Columns:
    columns = {"offered [Mb/s]": found["after"]["offered"]}
    for what, unit in (
        ("sent", "Mb/s"),
        ("lost", "%"),
        ("mean", "ms"),
        ("p99", "ms"),
        ("maximum", "ms"),
    ):
        for which, numbers in found.items():
            label = what if what in ("sent", "lost") else f"delay {what}"
            columns[f"{label} {which} [{unit}]"] = numbers[what]
    return Columns(columns, names, "class").significant(4)


def _summary(table: Columns) -> str:
    """A sentence a class: what it loses and waits, and how that was before."""
    sentences = []
    for name, row in table.rows():
        if np.isnan(row["sent after [Mb/s]"]):
            sentences.append(f"{name} is offered nothing")
            continue
        if np.isnan(row["lost after [%]"]):
            said = [f"{name} sends {row['sent after [Mb/s]']:.3g} Mb/s of TCP"]
        else:
            said = [f"{name} loses {row['lost after [%]']:.3g} %"]
        if not np.isnan(row["delay mean after [ms]"]):
            mean, most = row["delay mean after [ms]"], row["delay maximum after [ms]"]
            said.append(f"waits {mean:.3g} ms on average and {most:.3g} ms at most")
        was = row["lost before [%]"], row["delay mean before [ms]"]
        if not np.isnan(was[0]) and abs(was[0] - row["lost after [%]"]) > NOTEWORTHY:
            said.append(f"it lost {was[0]:.3g} % before")
        sentences.append(", ".join(said))
    return f"{'; '.join(sentences)}." if sentences else "There is no class."
