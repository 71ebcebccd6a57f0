"""What each class of a port sends, loses and waits: models and published values in one figure."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.compare import Point, published_points
from qoslib.packets import filling
from qoslib.platforms import Experiment
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.units import Floats

__all__ = ["PANELS", "classes"]

#: Quantity -> title of its panel and of its column, with the unit.
PANELS = {
    "sent": "sent [Gb/s on the line]",
    "dropped": "dropped [Gb/s on the line]",
    "delay": "delay [ms]",
}
#: What a published table calls a quantity, where that is another word.
_PUBLISHED = {"delay": "latency"}
#: Ends of the delay axis as powers of ten of a millisecond: from a hundredth to a second.
_DECADES = (-2, 3)


def classes(
    experiment: Experiment,
    results: Result | Sequence[Result],
    platform: str = "",
    faded: bool = False,
) -> Figure:
    """Sent, dropped and delay of each class, with the published values drawn over them.

    Pale bars are the offered load. The paragraph follows the first of the results, and names the
    delays of the others.

    Parameters
    ----------
    experiment : Experiment
        The port and its streams.
    results : Result or sequence of Result
        What one or more models say of them.
    platform : str
        Name of the platform whose published values are drawn; empty for none.
    faded : bool
        Whether the published values are of other settings than the results.

    Returns
    -------
    Figure
        Three panels over the classes: sent, dropped, delay.

    Raises
    ------
    ValueError
        If there is no result, or the experiment is not of one port.

    Examples
    --------
    >>> from qoslib import fluid
    >>> from qoslib.platforms import platform
    >>> base = platform("m120").experiments()["base"]
    >>> figure = classes(base, fluid.solve(base.port, base.streams), "m120")
    >>> "CS1" in figure.summary
    True
    """
    checked(Experiment, experiment, "experiment")
    given = (results,) if isinstance(results, Result) else results
    said: tuple[Result, ...] = checked(tuple[Result, ...], given, "results")
    if not said:
        fail("results", (), "at least one Result")
    points = published_points(platform, experiment) if checked(str, platform, "platform") else []
    names = [stream.name for stream in experiment.streams]
    offered = _drawn(experiment, said[0], "offered")
    traces = [style.bars(names, offered, panel, uid=f"offered-{panel}") for panel in (0, 1)]
    for panel, quantity in enumerate(PANELS):
        for result in said:
            y = _drawn(experiment, result, quantity)
            uid = f"{result.model}-{quantity}"
            traces.append(style.points(result.model, names, names, y, panel, uid=uid))
        traces.append(_measured(experiment, names, points, quantity, panel, faded))
    traces += style.keys(*dict.fromkeys(r.model for r in said), "measured")
    table, layout = _table(experiment, said, points), _layout(offered)
    style.beside(traces, layout, len(names))
    return Figure(
        data=traces,
        layout=layout,
        summary=_summary(table, said, _largest(points), faded),
        table=table,
    )


def _on_line_gbps(experiment: Experiment, packets_per_s: Floats) -> Floats:
    """Packet rates, one a stream, as what they take of the line."""
    frames = np.array([stream.mean_frame_bytes for stream in experiment.streams])
    on_line = frames + experiment.only_port.overhead_bytes
    return units.convert(units.rate_bps(packets_per_s, on_line), "bit/s", "Gbit/s")


def _drawn(experiment: Experiment, result: Result, quantity: str) -> Floats:
    if quantity == "delay":
        return units.convert(result.delay_mean_s, "s", "ms")
    return _on_line_gbps(experiment, getattr(result, f"{quantity}_pps"))


def _published(
    experiment: Experiment, names: Sequence[str], points: Sequence[Point], quantity: str
) -> Floats:
    """Published values and their half widths in the units drawn, NaN where there are none."""
    both = np.full((2, len(names)), np.nan)
    for point in points:
        if point.quantity == _PUBLISHED.get(quantity, quantity):
            both[:, names.index(point.stream)] = point.value, point.half_width
    if quantity == "delay":
        return units.convert(both, "s", "ms")
    return _on_line_gbps(experiment, both)


def _measured(
    experiment: Experiment,
    names: Sequence[str],
    points: Sequence[Point],
    quantity: str,
    panel: int,
    faded: bool,
) -> style.Json:
    value, half_width = _published(experiment, names, points, quantity)
    uid = f"measured-{quantity}"
    shown = {"half_width": half_width, "faded": faded}
    trace = style.points("measured", names, names, value, panel, uid=uid, **shown)
    if quantity == "delay":
        # "Up to 84 ms" leaves the least delay open: its bar goes down to the end of the axis.
        open_below = [name in _largest(points) for name in names]
        down = np.where(open_below, value - 10.0 ** _DECADES[0], half_width)
        trace["error_y"] |= {"symmetric": False, "arrayminus": down}
    return trace


def _largest(points: Sequence[Point]) -> set[str]:
    """The streams whose published delay is the largest of all packets, not their mean."""
    return {point.stream for point in points if point.largest}


def _layout(offered: Floats) -> style.Json:
    top = style.nice(1.02 * max(1.0, float(np.max(offered))))
    rates = {"range": [-0.02 * top, 1.02 * top], "rangemode": "nonnegative"}
    y_axes = [rates, rates, style.decades(*_DECADES)]
    return style.layout(tuple(PANELS.values()), y_axes=y_axes, autotickangles=[0, 90])


def _table(experiment: Experiment, results: Sequence[Result], points: Sequence[Point]) -> Columns:
    names = [stream.name for stream in experiment.streams]
    columns = {"offered [Gb/s]": _drawn(experiment, results[0], "offered")}
    for quantity in PANELS:
        title = "delay [ms]" if quantity == "delay" else f"{quantity} [Gb/s]"
        for result in results:
            columns[f"{title} {result.model}"] = _drawn(experiment, result, quantity)
        columns[f"{title} published"] = _published(experiment, names, points, quantity)[0]
    return Columns(columns, names, "class").significant()


def _summary(table: Columns, results: Sequence[Result], largest: set[str], faded: bool) -> str:
    models = [result.model for result in results]
    sentences = [
        _sentence(str(name), row, name in largest, faded, *models) for name, row in table.rows()
    ]
    busy = [sentence for sentence in sentences if sentence]
    rest = (
        f"All {'other ' if busy else ''}classes lose nothing and wait for less than a millisecond."
    )
    names = ", ".join(name for result in results for name in filling(result))
    still = [f"In the packet model the queue of {names} is still filling."] if names else []
    return " ".join([*busy, rest, *still])


def _sentence(
    name: str, row: dict[str, float], largest: bool, faded: bool, model: str, *others: str
) -> str:
    offered, delay = row["offered [Gb/s]"], row[f"delay [ms] {model}"]
    dropped = row[f"dropped [Gb/s] {model}"]
    if dropped == 0 and not delay >= 1:
        return "" if offered else f"{name} is offered nothing."
    start = f"{name} is offered {offered:g} Gb/s and loses {_percent(dropped, offered)}"
    if np.isnan(delay):
        return f"{start}: it sends nothing, so it has no delay."
    seen = {kind: row[f"delay [ms] {kind}"] for kind in (*others, "published")}
    called = style.KINDS | {"published": f"published{style.OTHERWISE if faded else ''}"}
    others_ms = [
        f"{called.get(k, k)}: {'up to ' if largest and k == 'published' else ''}{ms:g} ms"
        for k, ms in seen.items()
        if not np.isnan(ms)
    ]
    other = f" ({'; '.join(others_ms)})" if others_ms else ""
    return f"{start}; its packets wait for {delay:g} ms{other}."


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole else 0:.3g} %"
