"""How delays are spread, with the published least, average and largest marked."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.compare import published
from qoslib.platforms import Experiment
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.plots.marks import MarkedClass, by_mark
from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.units import Floats

__all__ = ["delay_histogram"]

BINS = 48
#: Scoreboard's quantity -> its name when the pointer is on a mark, and in the table.
MARKS = {"latency_minimum": "least", "latency_average": "average", "latency_maximum": "largest"}
#: Heights of the marks over the highest bin.
_PUBLISHED, _MODELLED, _TOP = 1.22, 1.08, 1.36


def delay_histogram(
    experiment: Experiment, result: Result, platform: str = "", classes: Sequence[str] = ()
) -> Figure:
    """Share of a class's packets over their delay, one panel a class.

    Parameters
    ----------
    experiment : Experiment
    result : Result
        Of a packet model.
    platform : str
        Name of the platform whose published values are marked; empty for none.
    classes : sequence of str
        Labels of the classes to draw; all if none is named.

    Returns
    -------
    Figure
        A panel for each class.

    Raises
    ------
    ValueError
        If there is no such class, there are more than four, or the result has no histogram.

    Examples
    --------
    >>> from qoslib import packets
    >>> from qoslib.platforms import platform
    >>> base = platform("m120").experiments()["base"]
    >>> result = packets.simulate(base.port, base.streams, 0.02)
    >>> print(delay_histogram(base, result, classes=["BE"]).summary)
    BE takes 85.4 to 4,070 µs, 3,458 on average.
    """
    checked(Experiment, experiment, "experiment")
    checked(Result, result, "result")
    checked(str, platform, "platform")
    wanted = by_mark(experiment.streams, checked(tuple[str, ...], classes, "classes"))
    if len(wanted) > style.MOST_PANELS:
        fail("the number of classes", len(wanted), f"up to {style.MOST_PANELS}: name them")
    traces: list[style.Json] = []
    found: dict[str, list[float]] = {}
    for panel, each in enumerate(wanted):
        names = [experiment.streams[at].name for at in each.at]
        seen = _published_us(platform, experiment.name, names)
        x, y = _spread(result, each.at, seen)
        modelled = _modelled_us(result, each.at)
        traces += [_bars(each, x, y, panel), _marked("packets", each, modelled, max(y), panel)]
        traces.append(_marked("measured", each, seen, max(y), panel))
        found[f"{each.label} modelled"], found[f"{each.label} published"] = modelled, seen
    layout = style.layout(
        [f"{each.label} [% of packets]" for each in wanted], "delay [µs]", nticks=3, tickangle=0
    )
    for panel in range(len(wanted)):
        number = panel + 1 if panel else ""
        layout[f"yaxis{number}"]["range"] = [0, _TOP * max(traces[3 * panel]["y"])]
    layout["bargap"] = 0
    traces += style.keys("packets", "measured")
    table = Columns(found, [f"{word} [µs]" for word in MARKS.values()], "delay")
    return Figure(data=traces, layout=layout, summary=_summary(table), table=table.round(1))


def _published_us(platform: str, experiment: str, names: Sequence[str]) -> list[float]:
    """Least, average and largest of these streams as published [µs]; NaN where nothing is."""
    found: dict[str, list[float]] = {quantity: [] for quantity in MARKS}
    for value in published(platform).results if platform else ():
        mine = value.experiment == experiment and value.stream in names and value.status == "ok"
        if mine and value.quantity in found:
            found[value.quantity].append(units.convert(value.value, value.unit, "us"))
    low, mean, high = (np.array(each or [np.nan]) for each in found.values())
    return [float(low.min()), float(mean.mean()), float(high.max())]


def _modelled_us(result: Result, at: Sequence[int]) -> list[float]:
    at = list(at)
    mean = np.average(result.delay_mean_s[at], weights=result.sent_pps[at])
    ends = np.min(result.delay_min_s[at]), mean, np.max(result.delay_max_s[at])
    return [units.convert(float(each), "s", "us") for each in ends]


def _spread(result: Result, at: Sequence[int], seen: Sequence[float]) -> tuple[Floats, Floats]:
    """Middle of each bin [µs] and the share of packets in it [%]."""
    if result.histogram is None:
        raise ValueError(
            f"this {result.model!r} result has no histogram; allowed: a packet model's"
        )
    upto = np.append(0, np.cumsum(result.histogram.counts[list(at)].sum(axis=0)))
    low_us, _, high_us = _modelled_us(result, at)
    room = 0.03 * (high_us - low_us) + 0.5
    low_us, high_us = np.nanmin([low_us, seen[0]]) - room, np.nanmax([high_us, seen[2]]) + room
    edges_us = np.linspace(max(low_us, 0), high_us, BINS + 1)
    # Interpolating what is below each edge keeps the narrow log-spaced bins from beating.
    below = np.interp(units.convert(edges_us, "us", "s"), result.histogram.edges_s, upto)
    share = units.convert(np.diff(below) / max(upto[-1], 1), "1", "%")
    return (edges_us[:-1] + edges_us[1:]) / 2, share


def _bars(each: MarkedClass, x: Floats, y: Floats, panel: int) -> style.Json:
    marker = {"color": each.look.colour, "line": {"width": 0}}
    look = {"marker": marker, "opacity": 0.55, "width": float(x[1] - x[0]), "showlegend": False}
    bars = style.bars([], y, panel, uid=f"spread-{each.label}", name=each.label)
    return bars | look | {"x": x}


def _marked(
    kind: str, each: MarkedClass, at_us: Sequence[float], peak: float, panel: int
) -> style.Json:
    height = peak * (_PUBLISHED if kind == "measured" else _MODELLED)
    uid = f"{kind}-{each.label}"
    marks = style.points(kind, [each.like] * 3, [], [height] * 3, panel, uid=uid)
    # The panel says which class it is, so a mark looks as its entry in the key.
    marks["marker"] = style.key(kind)["marker"] | {"size": 12 if kind == "measured" else 8}
    marks["x"] = at_us
    return marks | {"text": list(MARKS.values())}


def _summary(table: Columns) -> str:
    sentences = []
    for name in dict.fromkeys(str(column).rsplit(" ", 1)[0] for column in table.columns):
        low, mean, high = table[f"{name} modelled"]
        shown = (f"{each:,.{0 if each >= 100 else 1}f}" for each in (low, high, mean))
        sentences.append("{} takes {} to {} µs, {} on average".format(name, *shown))
    return f"{'; '.join(sentences)}."
