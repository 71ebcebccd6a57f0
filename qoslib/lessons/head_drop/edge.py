"""An experiment whose offered loads fill the line to the last packet: its explorer and figure."""

from collections.abc import Sequence

import numpy as np

from qoslib import fluid, sweep, units
from qoslib.compare import published_points
from qoslib.explore.controls import slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.front import Sweep
from qoslib.front.workers import silent
from qoslib.packets.phases import random_phases
from qoslib.platforms import platform as platform_named
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.record import checked, fail
from qoslib.results import Result

__all__ = ["edge_figure", "knife_edge"]

#: Where the packet model is run [%]: a run takes longer than a slider may.
SIMULATED = (-0.1, -0.06, -0.03, -0.01, 0.0, 0.05)
SEED = 1
#: How far the sweep goes either way [%].
REACH = 0.1


def knife_edge(platform: str = "m120", experiment: str = "scenario1") -> Explorer:
    """One slider that moves all offered rates together by up to 0.1 % either way.

    Drawn are the streams that send nothing when the rates are exactly as published: as lines by the
    fluid model, and as dots, at a few rates, by the packet model. Their published delays stand
    where the router's counters of another test would put the rates; nobody knows the true ones.

    Parameters
    ----------
    platform, experiment : str
        Names of a platform and of one of its published experiments.
    """
    module = platform_named(platform)
    if checked(str, experiment, "experiment") not in module.experiments():
        fail("experiment", experiment, ", ".join(module.experiments()))
    known = module.experiments()[experiment]
    sent = fluid.solve(known.port, known.streams).sent_pps
    names = [s.name for s, pps in zip(known.streams, sent, strict=True) if pps == 0]
    # The middle is 1 exactly; a rate that is one rounding error lower would not be the edge.
    steps = np.arange(-40, 41)
    ratio = 1 + steps / 40 * units.convert(REACH, "%", "1")
    offered = np.array([stream.rate_bps for stream in known.streams])
    swept = fluid.solve(known.port, known.streams, ratio[:, None] * offered)
    seen = [
        (point.stream, point.value)
        for point in published_points(platform, known)
        if point.quantity == "latency"
    ]
    likely = _generator(module, experiment, known)
    marks = [(name, value, likely) for name, value in seen if name in names]
    simulated = _runs(known)
    moved = slider("All offered loads, ± [%]", 0.0, -REACH, REACH, 0.0025, digits=4)

    def draw(values, _):
        now = 1 + units.convert(values["change"], "%", "1")
        return edge_figure(ratio, swept, now, names, marks, simulated)

    def scenarios(values):
        now = 1 + units.convert(values["change"], "%", "1")
        streams = tuple(each.replace(rate_bps=each.rate_bps * now) for each in known.streams)
        return [known.scenario.replace(streams=streams)]

    call = Call("head_drop", f"{platform!r}, {experiment!r}", scenarios, function="knife_edge")
    return Explorer({"change": moved}, draw, call=call)


def _runs(known):
    """Some ratios, and what the packet model says at them."""
    ratio = 1 + units.convert(np.array(SIMULATED), "%", "1")
    streams = random_phases(known.streams, SEED)
    scenarios = [
        known.scenario.replace(
            streams=[each.replace(rate_bps=part * each.rate_bps) for each in streams], seed=SEED
        )
        for part in ratio
    ]
    return ratio, sweep(scenarios, bins=1, progress=silent)


def _generator(module, experiment, known):
    """What the generator sent over what is published, in the platform's own words."""
    measured = module.experiments("generator")[experiment]
    return measured.streams[0].rate_bps / known.streams[0].rate_bps


#: Quantity of each panel, its title, and the unit to convert it to, if any.
_PANELS = (("sent_pps", "sent [packets/s]", ""), ("delay_mean_s", "delay [ms]", "ms"))


def edge_figure(
    ratio: np.ndarray,
    result: Result,
    now: float,
    names: Sequence[str],
    published,
    simulated: tuple[np.ndarray, Sweep] | None = None,
) -> Figure:
    """What starving streams send and wait as all offered rates move by a little together.

    Parameters
    ----------
    ratio : ndarray
        Offered rates over the published ones, ascending.
    result : Result
        Arrays of shape (loads, streams).
    now : float
        The ratio to mark.
    names : sequence of str
        The streams to draw.
    published : sequence of (str, float, float)
        Stream, published delay [s], and a ratio to draw it at.
    simulated : (ndarray, Sweep), optional
        Some ratios, and what a packet model says at them.
    """
    x, here = _percent(ratio), int(np.argmin(np.abs(ratio - now)))
    traces, columns = [], {}
    for panel, (quantity, title, _) in enumerate(_PANELS):
        lines = _values(result, names, panel)
        for name, y in lines.items():
            traces.append(style.line("fluid", name, x, y, panel, uid=f"{quantity}-{name}"))
            columns[f"{name} {title}"] = y
        if simulated:
            dots_x = _percent(simulated[0])
            for name, y in _values(simulated[1], names, panel).items():
                uid = f"packets-{quantity}-{name}"
                traces.append(style.points("packets", [name], dots_x, y, panel, uid=uid))
        marks = [x[here]] * len(names), [y[here] for y in lines.values()]
        traces.append(style.points("now", names, *marks, panel, uid=f"now-{quantity}"))
    seen = list(zip(*published, strict=True)) or [(), (), ()]
    y = units.convert(np.asarray(seen[1], dtype=float), "s", "ms")
    traces.append(style.points("measured", seen[0], _percent(seen[2]), y, 1, uid="measured"))
    traces += style.keys(*(["packets"] if simulated else []), "now", "measured")
    table = Columns(columns, np.round(x, 4), "offered [%]").round(1)
    y_axes = [{}, {"type": "log", "range": [0, 3], "dtick": 1}]
    titles = [title for _, title, _ in _PANELS]
    layout = style.layout(titles, "offered above or below published [%]", y_axes)
    summary = " ".join([*_sentences(table, here, names), *_sending(names, simulated)])
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _percent(ratio):
    """Above or below the published rates [%]."""
    return units.convert(np.asarray(ratio, dtype=float) - 1, "1", "%")


def _values(result, names, panel):
    """What a panel shows of each stream."""
    quantity, _, unit = _PANELS[panel]
    found = {name: getattr(result, quantity)[:, result.streams.index(name)] for name in names}
    return {name: units.convert(y, "s", unit) if unit else y for name, y in found.items()}


def _sentences(table, here, names):
    yield f"With all offered rates {table.index[here]:+.3f} % from the published ones:"
    for name in names:
        sent, delay = (table[f"{name} {title}"][here] for _, title, _ in _PANELS)
        waits = f"{sent:.0f} packets/s, which wait for {delay:.3g} ms."
        yield f"{name} sends {'nothing and has no delay.' if np.isnan(delay) else waits}"


def _sending(names, simulated):
    """From where to where the packet model sends something."""
    if simulated:
        sent = _values(simulated[1], names, 0).values()
        some = _percent(simulated[0])[np.all([each.astype(bool) for each in sent], axis=0)]
        if len(some):
            yield f"Packet by packet they send something from {some[0]:+.3f} to {some[-1]:+.3f} %."
