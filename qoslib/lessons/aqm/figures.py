"""Droppers at one bottleneck: their rules, and what becomes of two kinds of load."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from qoslib import units
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.port import Codel, RedProfile
from qoslib.results import Result
from qoslib.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["both_loads", "codel_over_time", "figure", "ramps"]

#: A dropper has one look in every figure of the lesson; a ramp is named by its thresholds.
LOOKS = {
    "tail drop": style.LOOKS["BE"],
    "RED": style.LOOKS["CS4"],
    "RED 1/2": style.LOOKS["CS4"],
    "RED 64/128": style.LOOKS["CS1"],
    "RED 2000/2001": style.LOOKS["CS2"],
    "CoDel": style.LOOKS["CS3"],
    "PIE": style.LOOKS["NC"],
}
USED, DELAY, TIME = "link used [%]", "mean delay [ms]", "time [s]"
CONSTANT, RESPONSIVE = "constant stream", "TCP"


def ramps(profiles: Mapping[str, RedProfile]) -> Figure:
    """Probability of an early drop by queue length, of several RED profiles.

    Parameters
    ----------
    profiles : mapping of str to RedProfile
        At most five.
    """
    x = np.unique(np.concatenate([np.geomspace(0.5, 4000, 200), *map(_corners, profiles.values())]))
    traces = [
        style.curve("fluid", name, x, _percent(profile, x), 0, as_look=_look(name, place), uid=name)
        for place, (name, profile) in enumerate(profiles.items())
    ]
    layout = style.layout(["probability of a drop [%]"], "queue [packets]")
    ticks = [1, 2, 10, 64, 128, 1000, 2000]
    layout["xaxis"] |= {"type": "log", "range": np.log10([0.5, 4000]).tolist(), "tickvals": ticks}
    layout["yaxis"]["range"] = [-3, 106]
    summary = " ".join(
        f"{name}: no packet is dropped below {profile.minimum_packets:g} packets, and all are from"
        f" {profile.maximum_packets:g}."
        for name, profile in profiles.items()
    )
    lengths = np.unique(np.concatenate([ticks, *map(_corners, profiles.values())]).round())
    rows = {f"{name} [%]": _percent(each, lengths) for name, each in profiles.items()}
    table = Columns(rows, lengths.astype(int), "queue [packets]")
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _look(name, place=0):
    """The look of a dropper, whatever is said of it after a comma; of others the next."""
    return LOOKS.get(name.partition(",")[0], style.look(name, place))


def _corners(profile):
    return np.array(
        [profile.minimum_packets, profile.maximum_packets - 1e-9, profile.maximum_packets]
    )


def _percent(profile, queue):
    """Nothing below the minimum, a straight line, and everything from the maximum [%]."""
    low, high = profile.minimum_packets, profile.maximum_packets
    rising = np.clip((queue - low) / (high - low), 0, 1) * profile.maximum_probability
    return units.convert(np.where(queue >= high, 1.0, rising), "1", "%")


def codel_over_time(scenario: Scenario, result: Result, codel: Codel) -> Figure:
    """CoDel against a stream that does not respond: its control law, and the delay meanwhile.

    Parameters
    ----------
    scenario : Scenario
        The port and its constant stream.
    result : Result
        Its record, with a history.
    codel : Codel
        Drops number n and n + 1 are ``interval / sqrt(n)`` apart (RFC 8289, section 5.3), so that
        after a time t in the dropping state ``t / (2 interval**2)`` packets are dropped a second.
    """
    port, history = scenario.only_port, result.history
    assert history is not None
    time_s = history.time_s[1:]
    law_pps = time_s / (2 * codel.interval_s**2)
    excess_pps = float((result.offered_pps - result.sent_pps).sum())
    delay_ms = _delay_ms(port, scenario.streams[0].mean_frame_bytes, history.queue_packets[0])
    look, grey = LOOKS["CoDel"], style.Look(style.INK, "circle")
    law = style.curve("fluid", "CoDel's law", time_s, law_pps, 0, as_look=look, uid="law")
    ends, level = time_s[[0, -1]], [excess_pps] * 2
    needed = style.line("bound", "needed (left)", ends, level, 0, as_look=grey, uid="needed")
    seen = style.curve("packets", "packet model", time_s, delay_ms, 1, as_look=look, uid="delay")
    target = [units.convert(codel.target_s, "s", "ms")] * 2
    goal = style.line("bound", "target (right)", ends, target, 1, as_look=grey, uid="target")
    shown = {"showlegend": True}
    layout = style.layout(
        ["drops [packets/s]", "queue delay [ms]"], TIME, [{"rangemode": "tozero"}]
    )
    until_s = 2 * codel.interval_s**2 * excess_pps
    summary = (
        f"{excess_pps:,.0f} packets per second are too many. By its law CoDel drops as many after"
        f" {until_s:.0f} s. Until then the queue stays at {delay_ms.max():.0f} ms."
    )
    columns = {"law [packets/s]": law_pps.round(), "queue delay [ms]": delay_ms.round(1)}
    table = Columns(columns, time_s.round(1), TIME)
    return Figure(
        data=[law, needed, seen | shown, goal | shown],
        layout=layout,
        summary=summary,
        table=table.part(slice(None, None, max(1, len(table) // 12))),
    )


def _delay_ms(port, frame_bytes, queue_packets):
    each_s = units.serialisation_s(frame_bytes, port.rate_bps, port.overhead_bytes)
    return units.convert(np.asarray(queue_packets) * each_s, "s", "ms")


def both_loads(blasted: "Columns | pd.DataFrame", tcp: "Columns | pd.DataFrame") -> Figure:
    """Link used and mean delay of each dropper: pale under a constant stream, full with TCP.

    Parameters
    ----------
    blasted, tcp : DataFrame or Columns
        As `outcomes` makes them, of the same droppers.
    """
    blasted, tcp = Columns.of(blasted), Columns.of(tcp)
    layout = _rows(tcp.index, style.layout((USED, DELAY)))
    loads = {CONSTANT: blasted, RESPONSIVE: tcp}
    columns = {
        f"{column}, {load}": table[column]
        for column in (USED, DELAY)
        for load, table in loads.items()
    }
    traces = [*_moves(blasted, tcp), *_keys()]
    return Figure(
        data=traces, layout=layout, summary=_told(blasted, tcp), table=Columns(columns, tcp.index)
    )


def _rows(names, layout):
    """Two panels with a row for each dropper, named on the left."""
    rows: style.Json = {"type": "category", "categoryarray": list(reversed(names))}
    rows |= {"categoryorder": "array", "range": [-0.6, len(names) - 0.4], "title": {"text": ""}}
    for axis, title in (("", USED), ("2", DELAY)):
        layout[f"yaxis{axis}"] |= rows | {"showticklabels": not axis}
        layout[f"xaxis{axis}"]["title"] = {"text": title, "standoff": 6}
    layout["xaxis"]["range"] = [-2, 104]
    layout["xaxis2"] |= style.decades(-1, 2.35)
    layout["margin"]["l"] = 90
    return layout


def _moves(blasted, tcp):
    """From the constant stream to TCP, a line for each dropper in each panel."""
    for place, name in enumerate(tcp.index):
        look = _look(name, place)
        for panel, column in enumerate((USED, DELAY)):
            x = [float(table[column][place]) for table in (blasted, tcp)]
            trace = style.line("tcp", name, x, [], panel, as_look=look, uid=f"{name}-{panel}")
            marker = {"color": look.colour, "symbol": look.symbol}
            trace |= {"y": [name, name], "mode": "lines+markers", "showlegend": False}
            trace["marker"] = marker | {"size": [9, 13], "opacity": [0.4, 1]}
            yield trace | {"text": [CONSTANT, RESPONSIVE], "hoverinfo": "text+x+y"}


def _keys():
    """What pale and full symbols stand for."""
    for name, size, opacity in ((CONSTANT, 9, 0.4), (RESPONSIVE, 13, 1)):
        entry = style.key("tcp")
        entry["marker"] |= {"size": size, "opacity": opacity}
        yield entry | {"name": name, "uid": f"key-{name}"}


def _told(blasted, tcp):
    return " ".join(
        f"{name}: {with_tcp[USED]:.0f} % of the link and {with_tcp[DELAY]:.3g} ms with TCP,"
        f" {alone[USED]:.0f} % and {alone[DELAY]:.3g} ms under the constant stream."
        for (name, with_tcp), (_, alone) in zip(tcp.rows(), blasted.rows(), strict=True)
    )


def figure(
    scenario: Scenario, blasted: Columns, tcp: Columns, flows: Result, chosen: str
) -> Figure:
    """All droppers as in `both_loads`, and the rate of each flow with one of them.

    Parameters
    ----------
    scenario : Scenario
        The TCP flows and the port.
    blasted, tcp : Columns
        As `outcomes` makes them, of the same droppers.
    flows : Result
        The record of the TCP flows with the chosen dropper.
    chosen : str
        Its name in the tables.
    """
    look = _look(chosen, list(tcp.index).index(chosen))
    assert flows.tcp is not None
    rates = np.sort(units.convert(flows.tcp.goodput_bps, "bit/s", "Mbit/s"))
    rank, ends = np.arange(1, len(rates) + 1), [0.5, len(rates) + 0.5]
    each = style.line("tcp", chosen, rank, rates, 2, as_look=look, uid="flows")
    each["marker"].pop("maxdisplayed")
    equal = units.convert(scenario.only_port.rate_bps, "bit/s", "Mbit/s") / len(rates)
    grey = style.Look(style.INK, "circle")
    share = style.line("bound", "equal share", ends, [equal] * 2, 2, as_look=grey, uid="equal")
    traces = [*_moves(blasted, tcp), *_keys(), each | {"mode": "markers", "showlegend": False}]
    titles = ("", "", "rate of a flow [Mb/s]")
    layout = style.layout(
        titles, ("", "", "flow, slowest first"), [{}, {}, {"rangemode": "tozero"}]
    )
    here, then = dict(tcp.rows())[chosen], dict(blasted.rows())[chosen]
    summary = (
        f"{chosen} with {len(rates)} TCP flows: {here[USED]:.0f} % of the link used, mean delay"
        f" {here[DELAY]:.3g} ms, {here['dropped [%]']:.3g} % dropped, flows between"
        f" {rates[0]:.2f} and {rates[-1]:.2f} Mb/s (fairness {here['fairness']:.2f}). Under the"
        f" constant stream: {then[USED]:.0f} % and {then[DELAY]:.3g} ms."
    )
    return Figure(
        data=[*traces, share | {"showlegend": True}],
        layout=_rows(tcp.index, layout),
        summary=summary,
        table=tcp,
    )
