"""One figure of an experiment: measured with its spread, published, fluid and packets."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from livelab.comparison import Line, as_published
from livelab.experiment import Experiment, Point
from livelab.record import written
from livelab.values import UNITS
from qoslib.plots import Figure, style

__all__ = ["draw"]

#: What the first panel shows, the first of these that an experiment has.
SHOWN = ("latency", "throughput", "sent", "dropped_packets")
TITLES = {"latency": "mean delay", "dropped_packets": "dropped", "drop_ratio": "dropped"}
TITLES |= {"throughput": "TCP goodput", "sent": "sent"}


def draw(experiment: Experiment, lines: Sequence[Line]) -> Figure:
    """Draw what was compared.

    Parameters
    ----------
    experiment : Experiment
    lines : sequence of Line
        From `comparison.compared`.

    Returns
    -------
    Figure
        A panel a quantity; the measured values have bars from least to most.

    Examples
    --------
    >>> from livelab.experiments import EXPERIMENTS
    >>> line = Line("head", "CS1", "latency", None, (87.7, 87.5, 87.9), 87.9, 88.7)
    >>> draw(EXPERIMENTS["six_classes"], [line]).table["measured"].tolist()
    [87.7]
    """
    names = list(dict.fromkeys(line.quantity for line in lines))
    panels = [name for name in (*SHOWN, "drop_ratio") if name in names]
    panels = [name for name in panels if name != "sent" or "latency" not in names]
    points = {point.name: point for point in experiment.points}
    traces: list[style.Json] = []
    for place, quantity in enumerate(panels):
        chosen = [line for line in lines if line.quantity == quantity]
        if experiment.axis:
            traces += _over(points, chosen, place)
            continue
        for kind in ("fluid", "packets", "measured", "published"):
            traces.append(_trace(kind, chosen, place))
    titles = [f"{TITLES[name]} [{UNITS[name][0]}]" for name in panels]
    layout = style.layout(titles, experiment.axis, [{"rangemode": "tozero"} for _ in panels])
    if experiment.axis:
        # A line a series, which leaves the corner to the figure's buttons.
        layout["legend"] |= {"entrywidth": 0.3, "entrywidthmode": "fraction"}
    table = pd.DataFrame(
        {
            "published": [as_published(line) for line in lines],
            "measured": [line.spread[0] if line.spread else float("nan") for line in lines],
            "least": [line.spread[1] if line.spread else float("nan") for line in lines],
            "most": [line.spread[2] if line.spread else float("nan") for line in lines],
            "fluid": [line.fluid for line in lines],
            "packets": [line.packets for line in lines],
        },
        index=pd.MultiIndex.from_tuples([line[:3] for line in lines]),
    ).round(3)
    return Figure(data=traces, layout=layout, summary=experiment.explanation, table=table)


#: How each kind of value is drawn: colour, symbol and size.
_LOOKS = {
    "fluid": (style.SKY, "line-ew-open", 22),
    "packets": (style.ORANGE, "diamond", 6),
    "measured": (style.INK, "circle-open", 13),
    "published": (style.RED, "x-thin-open", 9),
}
_NAMES = {"measured": "measured here, least to most", "published": "published, on the router"}


#: What is read on any mark of a value: where it is, what was measured, and what models say.
_HOVER = "<extra></extra>%{customdata[0]}<br>%{customdata[1]}<br>%{customdata[2]}"


def _said(line: Line) -> list[str]:
    """What is read of a value: its place, what was measured, the models, and what was published."""
    unit = UNITS[line.quantity][0]
    measured = written(line.spread, line.quantity) if line.spread else "inconclusive"
    models = {kind: _value(kind, line) for kind in ("fluid", "packets")}
    given = (f"{kind} {said:,.4g} {unit}" for kind, said in models.items() if said is not None)
    return [
        f"{line.point.replace('_', ' ')}, {line.stream}: {TITLES[line.quantity]}",
        f"measured here: {measured}",
        f"models: {', '.join(given)}",
        f"published: {as_published(line) or 'nothing'}",
    ]


def _trace(kind: str, lines: Sequence[Line], place: int) -> style.Json:
    colour, symbol, size = _LOOKS[kind]
    known = [line for line in lines if _value(kind, line) is not None]
    edge = {"width": 0 if kind == "packets" else 2, "color": colour}
    trace: style.Json = {
        "type": "scatter",
        "mode": "markers",
        "name": _NAMES.get(kind, kind),
        "legendgroup": kind,
        "showlegend": place == 0,
        "uid": f"{kind}-{place}",
        "x": _labels(known, lines),
        # Marks lie on one another: each says what all of them say, whichever is the nearest.
        "customdata": [_said(line) for line in known],
        "hovertemplate": _HOVER + "<br>%{customdata[3]}" * any(line.published for line in lines),
        "y": [_value(kind, line) or 0.0 for line in known],
        "marker": {"color": colour, "symbol": symbol, "size": size, "line": edge},
        "xaxis": f"x{place + 1 if place else ''}",
        "yaxis": f"y{place + 1 if place else ''}",
    }
    if kind == "measured":
        trace["zorder"] = 1
        spreads = [line.spread for line in known if line.spread]
        above = [most - median for median, _, most in spreads]
        below = [median - least for median, least, _ in spreads]
        trace["error_y"] = {"type": "data", "symmetric": False, "array": above}
        trace["error_y"] |= {"arrayminus": below, "color": colour}
    return trace


def _over(points: Mapping[str, Point], lines: Sequence[Line], place: int) -> list[style.Json]:
    """A colour a series; the models as lines over the axis, what was measured as open marks."""
    several = len({line.stream for line in lines}) > 1
    series: dict[str, list[Line]] = {}
    for line in lines:
        point = points[line.point]
        series.setdefault(line.stream if several else point.series, []).append(line)
    traces = []
    for number, (name, mine) in enumerate(series.items()):
        colour = (style.BLUE, style.ORANGE, style.GREEN, style.PINK)[number % 4]
        # Of series that lie on one another the first is seen around the others.
        wide = 5 if number == 0 and len(series) > 1 else 2
        where = {line.point: points[line.point].at for line in mine}
        for kind, dash in (("fluid", "solid"), ("packets", "dot"), ("measured", "")):
            trace = _trace(kind, mine, place)
            known = [line for line in mine if _value(kind, line) is not None]
            trace |= {"x": [where[line.point] for line in known], "name": f"{name}, {kind}"}
            trace |= {"legendgroup": f"{name} {kind}", "uid": f"{name}-{kind}-{place}"}
            if dash:
                trace |= {"mode": "lines", "line": {"color": colour, "dash": dash, "width": wide}}
            trace["marker"] = trace["marker"] | {"color": colour}
            if kind == "measured":
                trace["marker"] |= {"size": 9 + 2 * wide}
            if "error_y" in trace:
                trace["error_y"] = trace["error_y"] | {"color": colour}
            traces.append(trace)
    return traces


def _value(kind: str, line: Line) -> float | None:
    if kind == "measured":
        return line.spread[0] if line.spread else None
    if kind == "published":
        return line.published.value if line.published else None
    value = float(getattr(line, kind))
    return None if math.isnan(value) else value


def _labels(known: Sequence[Line], lines: Sequence[Line]) -> list[str] | list[list[str]]:
    """The points, the streams, or where there are several of both, streams below points."""
    points, streams = ({each[at] for each in lines} for at in (0, 1))
    named = [line.point.replace("_", " ") for line in known]
    if len(streams) == 1:
        return named
    return (
        [named, [line.stream for line in known]] if len(points) > 1 else [x.stream for x in known]
    )
