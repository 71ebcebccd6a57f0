"""A policed priority class and the rest: loss by load, by phase, and by the policer's bucket."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from qoslib import packets, units
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.plots.over_time import Line, over_time
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["Counted", "bucket_over_time", "counted", "figure", "phase_scatter"]

#: Titles of the panels, with units.
PANELS = ("arrived [thousand packets]", "lost [% of offered]", "lost [packets/s]")
X_TITLES = ("EF offered [Mb/s of data]", "EF offered [Mb/s of data]", "time [s]")
#: Streams by the class whose look they have in every figure: the most urgent one, and the rest.
LIKE = {"EF": "CS4", "default": "BE"}


class Counted(NamedTuple):
    """Packets offered and lost by each stream."""

    offered: Sequence[float]
    lost: Sequence[float]


def counted(result: Result) -> Counted:
    """What a run counts of each stream."""
    both = result.offered_pps, result.dropped_pps
    return Counted(*((pps * result.duration_s).tolist() for pps in both))


def figure(
    loads_bps: np.ndarray,
    swept: Sequence[Result],
    load_bps: float,
    now: Result,
    simulated: Result | None = None,
    published: tuple[float, Counted] | None = None,
    faded: bool = False,
) -> Figure:
    """Packets that arrive and that are lost against the load of EF, and the losses over time.

    Parameters
    ----------
    loads_bps : ndarray
        Payload that EF offers [bit/s].
    swept : sequence of Result
        What the fluid model says of each of the loads; two streams, EF and the default class.
    load_bps : float
        The load to mark [bit/s].
    now, simulated : Result
        What the fluid and, if it was run, the packet model say at it; the latter with a history.
    published : (float, Counted), optional
        What was counted at which load [bit/s].
    faded : bool
        Whether that was counted with other settings.
    """
    x = units.convert(np.asarray(loads_bps), "bit/s", "Mbit/s")
    lines = _panels([counted(each) for each in swept])
    marks = {
        "now": (load_bps, counted(now)),
        "packets": (load_bps, counted(simulated)) if simulated else None,
        "measured": published,
    }
    traces = []
    for panel in (0, 1):
        for place, name in enumerate(LIKE):
            traces.append(_line("fluid", name, x, lines[panel][:, place], panel))
        traces += [_marks(kind, seen, panel, faded) for kind, seen in marks.items()]
    time_s, lost_pps = _lost_over_time(simulated)
    for name, lost in zip(LIKE, lost_pps, strict=True):
        traces.append(_line("packets", name, time_s, lost, 2))
    traces += style.keys("packets", "now", "measured")
    names = [f"{name} {title}" for title in PANELS[:2] for name in LIKE]
    columns = dict(zip(names, np.hstack(lines).T, strict=True))
    table = Columns(columns, x.round(1), X_TITLES[0]).round(2)
    ranges = ([0, 1.08 * max(1.0, float(lines[0].max()))], [-2, 104], None)
    y_axes = [{"rangemode": "tozero"} | ({"range": each} if each else {}) for each in ranges]
    layout = style.layout(PANELS, X_TITLES, y_axes)
    summary = _summary(marks, faded)
    return Figure(
        data=traces, layout=layout, summary=summary, table=table.part(slice(None, None, 5))
    )


def _panels(counts: Sequence[Counted]):
    """Thousands of packets that arrive, and per cents lost, each of shape (loads, streams)."""
    offered, lost = (np.array([c[part] for c in counts], dtype=float) for part in (0, 1))
    share = np.divide(lost, offered, out=np.zeros_like(lost), where=offered > 0)
    return units.convert(offered - lost, "packets", "kpackets"), units.convert(share, "1", "%")


def _line(kind, name, x, y, panel):
    look, uid = style.look(LIKE[name]), f"{kind}-{name}-{panel}"
    return style.curve(kind, name, x, y, panel, as_look=look, uid=uid)


def _marks(kind, seen, panel, faded):
    x: list[float] = []
    y: list[float] = []
    if seen is not None:
        x = [units.convert(seen[0], "bit/s", "Mbit/s")] * len(LIKE)
        y = _panels([seen[1]])[panel][0].tolist()
    more = {"uid": f"{kind}-{panel}", "faded": faded and kind == "measured"}
    return style.points(kind, list(LIKE.values()), x, y, panel, **more) | {"text": list(LIKE)}


def _lost_over_time(simulated):
    """Middles of the bins [s], and packets that each stream loses per second."""
    if simulated is None:
        return [], [[]] * len(LIKE)
    history = simulated.history
    width_s = np.diff(history.time_s)
    return history.time_s[:-1] + width_s / 2, history.dropped_packets / width_s


def _summary(marks, faded):
    names = {"now": "Fluid model", "packets": "Packet model", "measured": "Published"}
    names["measured"] += style.OTHERWISE if faded else ""
    load = units.convert(marks["now"][0], "bit/s", "Mbit/s")
    sentences = [f"EF is offered {load:.3g} Mb/s of data."]
    for kind, seen in marks.items():
        if seen is not None:
            at = f" for {units.convert(seen[0], 'bit/s', 'Mbit/s'):.3g} Mb/s"
            ef, rest = _panels([seen[1]])[1][0]
            lost = f"EF loses {ef:.3g} %, the default class {rest:.3g} %"
            sentences.append(f"{names[kind]}{at if kind == 'measured' else ''}: {lost}.")
    return " ".join(sentences)


#: Titles of the panels, with units.
OF_BUCKET = ("tokens in the bucket [kB]", "dropped by the policer [packets/s]")


def bucket_over_time(scenario: Scenario, results: Mapping[str, Result], queue: str) -> Figure:
    """What a queue's policer has in tokens, and what the queue's streams lose, over time.

    Parameters
    ----------
    scenario : Scenario
        The port and the streams of each of the results.
    results : mapping of str to Result
        Label of a run to its record, with a history; all of the same length.
    queue : str
        Whose policer; its burst is drawn as a bound.

    Raises
    ------
    ValueError
        If the queue has no policer, or a record no history.
    """
    policer = {each.name: each.policer for each in scenario.only_port.queues}.get(queue)
    if policer is None:
        raise ValueError(f"queue is {queue!r}; allowed: one with a policer")
    burst_kb, lines, sentences = units.convert(policer.burst_bytes, "B", "kB"), [], []
    for place, (label, result) in enumerate(results.items()):
        found = packets.over_time(scenario, result, queue)
        time_ms = units.convert(found.end_s, "s", "ms")
        tokens_kb = burst_kb * found.tokens_ratio
        look = style.variant("CS4", place)
        lines.append(Line(label, look, time_ms, (tokens_kb, found.dropped_pps)))
        empty = np.flatnonzero(tokens_kb < 0.01 * tokens_kb.max())
        sentences.append(
            f"The bucket ({label}) is empty from {time_ms[empty[0]]:.3g} ms on."
            if len(empty)
            else f"The bucket ({label}) never holds less than {tokens_kb.min():.3g} kB."
        )
    drawn = over_time(lines, OF_BUCKET, "time [ms]", " ".join(sentences))
    ends_ms = lines[0].x[[0, -1]]
    return drawn.add_traces([style.bound("burst", ends_ms, [burst_kb] * 2, 0, uid="burst")])


OF_PHASES = ("lost [% of the second stream]", "runs that lose less [%]")


def phase_scatter(
    runs: Sequence[Result],
    fluid: Result,
    published: Sequence[float],
    half_width: Sequence[float] = (0.0, 0.0),
) -> Figure:
    """Losses of two streams in many runs as a cloud, and those of the first one as shares.

    Parameters
    ----------
    runs : sequence of Result
        Of a packet model, alike but for phases and seeds.
    fluid : Result
        What the fluid model says.
    published : sequence of float
        Lost share of each of the two [ratio].
    half_width : sequence of float
        Of their rounding [ratio].
    """
    first, second = fluid.streams
    lost = units.convert(np.array([run.drop_ratio for run in runs]), "1", "%")
    solved = units.convert(fluid.drop_ratio, "1", "%")
    seen, half = (units.convert(np.asarray(each), "1", "%") for each in (published, half_width))
    order = np.sort(lost[:, 0])
    below = units.convert((np.arange(len(order)) + 1) / len(order), "1", "%")
    cloud, curve = (lost[:, 0].tolist(), lost[:, 1], 0), (order.tolist(), below, 1)
    errors = style.points("measured", [second], [], [], 0, half_width=[half[1]])["error_y"]
    errors_x = errors | {"array": [float(half[0])]}
    point = _pair("measured", seen) | {"error_x": errors_x, "error_y": errors}
    traces = [
        style.points("packets", [second], *cloud, uid="packets-0"),
        _pair("fluid", solved),
        point,
        style.points("packets", [second], *curve, uid="packets-1"),
        _upright("fluid", solved[0]),
        _upright("measured", seen[0]),
        *style.keys("packets", "fluid", "measured"),
    ]
    y_axes = [{"title": {"text": f"lost [% of {second}]", "standoff": 4}}, {"range": [0, 112]}]
    layout = style.layout(OF_PHASES, f"lost [% of {first}]", y_axes)
    shares = [5, 25, 50, 75, 95]
    columns = {
        f"{name} lost [%]": np.percentile(each, shares)
        for name, each in zip(fluid.streams, lost.T, strict=True)
    }
    table = Columns(columns, shares, "runs that lose less [%]").round(1)
    less = np.mean(lost[:, 0] < seen[0])
    summary = (
        f"In {len(runs)} runs {first} loses from {order[0]:.2g} to {order[-1]:.2g} %; in"
        f" {less:.0%} of them less than the published {seen[0]:.2g} %. The fluid model gives"
        f" {solved[0]:.3g} % to both."
    )
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _pair(kind, lost):
    """What both streams lose, as one point: of no class, so it looks as its entry in the key."""
    marker = style.key(kind)["marker"]
    drawn = style.points(kind, [], [lost[0]], [lost[1]], 0, uid=f"{kind}-0")
    return drawn | {"marker": marker}


def _upright(kind, x):
    """A line up the right panel, named at its end; dashed if published."""
    name = style.KINDS[kind]
    drawn = style.upright(name, x, 100, 1, "center", f"{kind}-1")
    solid = {"line": drawn["line"] | {"dash": "solid"}} if kind == "fluid" else {}
    return drawn | solid | {"name": name}
