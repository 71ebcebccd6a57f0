"""What marked classes send and wait, and how the queues of their port fill meanwhile."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.compare import Point, published_points
from qoslib.platforms import Experiment
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.plots.marks import by_mark
from qoslib.results import Result

__all__ = ["figure"]

#: Titles of the panels, with units.
PANELS = ("sent [Mb/s]", "mean delay [µs]", "waiting [packets]")
#: Ends of the logarithmic axes, as powers of ten of a Mb/s and of a microsecond.
_SENT, _DELAY = (0.8, 3.8), (1, 4.9)
#: Looks of queues by their place.
_LOOKS = ("NC", "CS4", "BE", "CS1")


def figure(
    experiment: Experiment,
    fluid: Result,
    packets: Result | None = None,
    platform: str = "",
    until_s: float | None = None,
    faded: bool = False,
) -> Figure:
    """Both models of each class, with the published values, and the queues over time.

    Parameters
    ----------
    experiment : Experiment
        Streams of one mark are drawn as one class.
    fluid : Result
    packets : Result, optional
        With a history; without it only the fluid model is drawn, in the same traces.
    platform : str
        Name of the platform whose published values are drawn; empty for none.
    until_s : float, optional
        How long the queues are drawn [s]; to the end of the history if not given.
    faded : bool
        Whether the published values are of other settings.
    """
    classes = by_mark(experiment.streams)
    labels, likes = [c.label for c in classes], [c.like for c in classes]
    points = published_points(platform, experiment) if platform else []
    offered = _rates(experiment, classes, fluid.offered_pps)
    traces = [style.bars(labels, offered)]
    columns = {"offered [Mb/s]": offered}
    for panel, quantity in enumerate(("sent", "delay")):
        for model, result in (("fluid", fluid), ("packets", packets)):
            y = _drawn(experiment, classes, result, quantity)
            uid = f"{model}-{quantity}"
            traces.append(style.points(model, likes, labels, y, panel, uid=uid))
            columns[f"{PANELS[panel]} {model}"] = y
        y = _published(experiment, classes, points, quantity)
        uid = f"measured-{quantity}"
        traces.append(style.points("measured", likes, labels, y, panel, uid=uid, faded=faded))
        columns[f"{PANELS[panel]} published"] = y
    traces += _queues(experiment.port, packets, until_s)
    traces += style.keys("fluid", "packets", "measured")
    table = Columns(columns, labels, "class").significant()
    layout = _layout(packets)
    style.beside(traces, layout, len(labels))
    summary = _summary(table, packets) + _without_delay(classes, fluid)
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _rates(experiment, classes, pps):
    """Packet rates of streams as rates of frames of classes [Mb/s]."""
    frames = np.array([stream.mean_frame_bytes for stream in experiment.streams])
    rates = units.convert(units.rate_bps(pps, frames), "bit/s", "Mbit/s")
    return np.array([rates[list(each.at)].sum() for each in classes])


def _drawn(experiment, classes, result, quantity):
    if result is None:
        return np.full(len(classes), np.nan)
    if quantity == "sent":
        return _rates(experiment, classes, result.sent_pps)
    delay_us = units.convert(result.delay_mean_s, "s", "us")
    return np.array([_mean(delay_us[list(c.at)], result.sent_pps[list(c.at)]) for c in classes])


def _mean(values, weights):
    return np.average(values, weights=weights) if weights.all() else np.nan


def _published(experiment, classes, points: Sequence[Point], quantity):
    """Published values of the classes in the units drawn, NaN where a stream has none."""
    called = "latency" if quantity == "delay" else quantity
    known = {p.stream: p.value for p in points if p.quantity == called}
    values = np.array([known.get(s.name, np.nan) for s in experiment.streams])
    if quantity == "sent":
        return _rates(experiment, classes, values)
    return np.array([units.convert(values[list(c.at)].mean(), "s", "us") for c in classes])


def _queues(port, packets, until_s):
    """One line a queue; without a result a line without points."""
    time_s, held = np.zeros(1), np.zeros((len(port.queues), 0))
    if packets is not None:
        time_s, held = packets.history.time_s, packets.history.queue_packets.astype(float)
    last = None if until_s is None else np.searchsorted(time_s, until_s)
    middle_ms = units.convert((time_s[:-1] + time_s[1:])[:last] / 2, "s", "ms")
    for at, name in enumerate(port.queue_names):
        look = style.look(_LOOKS[at % len(_LOOKS)])
        more = {"uid": f"waiting-{name}", "showlegend": True}
        yield style.line("packets", name, middle_ms, held[at, :last], 2, as_look=look) | more


def _layout(packets):
    most = 1.0 if packets is None else float(packets.history.queue_packets.max())
    waiting = {"rangemode": "tozero", "range": [0, style.nice(1.02 * most)]}
    ends = ({"range": list(each)} for each in (_SENT, _DELAY))
    y_axes = [{"type": "log", "dtick": 1, "tickformat": "~s"} | each for each in ends]
    layout = style.layout(PANELS, ("", "", "time [ms]"), [*y_axes, waiting])
    for axis in ("xaxis", "xaxis2"):
        layout[axis]["tickangle"] = 90
    return layout | {"height": 380, "margin": layout["margin"] | {"t": 65, "b": 70}}


def _summary(table, packets):
    model = "fluid" if packets is None else "packets"
    sentences = "; ".join(_sentence(name, row, model) for name, row in table.rows())
    if packets is None:
        return f"In the fluid model: {sentences}."
    most = packets.history.queue_packets.max(axis=1)
    fullest = int(np.argmax(most))
    return f"{sentences}. {packets.queues[fullest]} holds up to {most[fullest]:,} packets."


def _without_delay(classes, fluid):
    """Why the fluid model has no delay of some classes; empty where it has one of each."""
    names = [c.label for c in classes if fluid.streams[c.at[0]] in fluid.without_delay]
    if not names:
        return ""
    return (
        f" The fluid model has no delay for {_listed(names)}: in this model WRED drops packets of"
        f" their queues{_lost(classes, fluid)}, so these rise and fall all the time, and this model"
        " knows only steady queues."
    )


def _lost(classes, fluid):
    """In brackets, which of the classes without a delay lose packets: others share their queue."""
    lost = []
    for each in classes:
        streams = [fluid.streams[at] for at in each.at]
        dropped = fluid.dropped_pps[list(each.at)].sum() / fluid.offered_pps[list(each.at)].sum()
        if streams[0] in fluid.without_delay and dropped > 0:
            percent = units.convert(dropped, "1", "%")
            lost.append(f"{percent:.{1 if percent < 1 else 2}g} % of {each.label}")
    return f" ({_listed(lost)})" if lost else ""


def _listed(names):
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _sentence(name, row, model):
    offered, sent = row["offered [Mb/s]"], row[f"{PANELS[0]} {model}"]
    delay = row[f"{PANELS[1]} {model}"]
    lost = "" if offered - sent < 0.02 * offered else f" of {offered:,.4g}"
    digits = 0 if delay >= 100 else 1
    waits = "" if np.isnan(delay) else f" with a delay of {delay:,.{digits}f} µs"
    return f"{name} sends {sent:,.4g}{lost} Mb/s{waits}"
