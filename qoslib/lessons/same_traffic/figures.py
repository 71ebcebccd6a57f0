"""The same traffic at several ports, side by side on one scale: what is lost, and each delay."""

from collections.abc import Mapping

import numpy as np

from qoslib import units
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.results import Result

__all__ = ["figure", "place_of"]

#: Titles of the panels, with units.
PANELS = ("lost [% of offered]", "mean delay [ms]", "delay of 99 % [ms]")
COLUMNS = ("lost [%]", "mean [ms]", "99 % [ms]")
#: Ends of the logarithmic axes, as powers of ten of a millisecond.
_DELAY = (-3.6, 3)
#: Looks of streams by their place, the same as of the classes they are like in other lessons.
_LOOKS = ("CS4", "NC", "CS3", "BE", "CS1", "CS2")
#: A class that loses this much starves [%].
STARVED = 50.0


def figure(fluid: Mapping[str, Result], packets: Mapping[str, Result]) -> Figure:
    """What each stream loses and waits at each port, in both models.

    Parameters
    ----------
    fluid : mapping of str to Result
        Port to what the fluid model says, the same streams everywhere.
    packets : mapping of str to Result
        The same by the packet model, with histograms; empty where it is not known yet.
    """
    streams = next(iter(fluid.values())).streams
    numbers = {"fluid": _numbers(fluid, streams), "packets": _numbers(packets, streams, fluid)}
    traces = [
        _trace(kind, place, name, numbers[kind][panel][place], panel, list(fluid))
        for panel in range(len(PANELS))
        for kind in numbers
        for place, name in enumerate(streams)
        if kind == "packets" or panel < 2
    ]
    traces += [key | {"legendgroup": "models"} for key in style.keys(*numbers)]
    table = _table(numbers["packets" if packets else "fluid"], list(fluid), streams)
    return Figure(
        data=traces, layout=_layout(list(fluid)), summary=_summary(table, streams), table=table
    )


def _numbers(results, streams, ports=None):
    """Lost, mean and 99 % of each stream at each port: an array of (panel, stream, port)."""
    made = np.full((len(PANELS), len(streams), len(ports or results)), np.nan)
    for at, result in enumerate(results.values()):
        made[0, :, at] = units.convert(result.drop_ratio, "1", "%")
        made[1, :, at] = units.convert(result.delay_mean_s, "s", "ms")
        made[2, :, at] = units.convert(result.delay_p99_s, "s", "ms")
    return made


def place_of(stream: int, port: int) -> float:
    """Where a stream's symbol stands on the axis of ports."""
    return port + 0.19 * (stream - 1.5)


def _trace(kind, place, name, y, panel, ports):
    like = _LOOKS[place % len(_LOOKS)]
    x = [place_of(place, port) for port in range(len(y))]
    trace = style.points(kind, [like] * len(y), x, y, panel, uid=f"{kind}-{panel}-{place}")
    value, unit = PANELS[panel].rstrip("]").split(" [")
    said = f"%{{text}}<br>{value}: %{{y:,.4~r}} {unit}<extra>{style.KINDS[kind]}</extra>"
    trace |= {"text": [f"{name} at {port}" for port in ports], "hovertemplate": said}
    # The key of a class hides its symbols of both models.
    trace |= {"legendgroup": name}
    if kind == "fluid":
        trace |= {"name": name, "showlegend": panel == 0}
    elif panel == 2:
        # No symbol of the fluid model lies below these, so they carry the look themselves.
        look = style.look(like)
        trace["marker"] = trace["marker"] | {"color": look.colour, "symbol": look.symbol, "size": 9}
    return trace


def _layout(ports):
    places = list(range(len(ports)))
    ends = [-0.5, len(ports) - 0.5]
    ticks = {"tickvals": places, "ticktext": ports, "range": ends, "tickangle": -30}
    y_axes = [{"range": [-3, 103]}, *[style.decades(*_DELAY)] * 2]
    layout = style.layout(PANELS, y_axes=y_axes, **ticks)
    return layout | {"height": 360, "margin": layout["margin"] | {"b": 70, "t": 60}}


def _table(numbers, ports, streams):
    cells = {
        (port, column): numbers[panel, :, at].tolist()
        for at, port in enumerate(ports)
        for panel, column in enumerate(COLUMNS)
    }
    return Columns(cells, streams, "stream").significant()


def _summary(table, streams):
    return " ".join(
        _sentence(port, table[port, COLUMNS[0]], table[port, COLUMNS[1]], streams)
        for port in dict.fromkeys(port for port, _ in table.columns)
    )


def _sentence(port, lost, delay, streams):
    each = list(zip(streams, lost, strict=True))
    losers = [f"{name} {share:.3g} %" for name, share in each if share >= 0.05]
    words = [f"{', '.join(losers)} lost" if losers else "nothing is lost"]
    words += [f"{name} starves" for name, share in each if share >= STARVED]
    if not np.isnan(delay).all():
        longest = int(np.nanargmax(delay))
        words.append(f"the longest delay is that of {streams[longest]}, {delay[longest]:.3g} ms")
    return f"{port}: {'; '.join(words)}."
