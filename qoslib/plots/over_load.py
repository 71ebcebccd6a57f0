"""Delay or loss along a sweep of the load: one line a model or a port, dots where packets ran."""

from collections.abc import Mapping, Sequence

import numpy as np

from qoslib import units
from qoslib.front import Sweep
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure, checked_results
from qoslib.record import NotNegative, Positive, checked, fail
from qoslib.results import Result
from qoslib.units import Floats

__all__ = ["over_load"]

#: Quantity -> title of its axis, the unit it is in and the one that is drawn, and its weight.
QUANTITIES = {
    "delay_mean_s": ("mean delay [ms]", "s", "ms", "sent_pps"),
    "drop_ratio": ("dropped [% of offered]", "1", "%", "offered_pps"),
}


def over_load(
    quantity: str,
    streams: Sequence[str],
    results: Mapping[str, Result | Sweep],
    published: Mapping[float, float] | None = None,
    configured_bps: float | None = None,
    overhead_bytes: float = 0.0,
) -> Figure:
    """Mean delay or loss of some streams together against what they are offered together.

    Parameters
    ----------
    quantity : str
        ``delay_mean_s`` or ``drop_ratio``.
    streams : sequence of str
        Their names.
    results : mapping of str to Sweep or Result
        Label to arrays of shape (loads, streams); lines for the fluid model, dots for packets.
    published : mapping of float to float, optional
        Offered load [bit/s] to the published value [s, or ratio].
    configured_bps : float, optional
        What the streams are configured to get [bit/s], drawn as a bound.
    overhead_bytes : float
        What the loads count on top of each frame, for example the gaps on the line [B].

    Returns
    -------
    Figure
        One panel.

    Raises
    ------
    ValueError
        If there is no such quantity or stream.

    Examples
    --------
    >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream, sweep
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> office = Scenario("office", port, (Stream("data"),))
    >>> swept = sweep(office, {"streams['data'].rate_bps": [50e6, 100e6, 200e6]}, "fluid")
    >>> over_load("drop_ratio", ["data"], {"fluid": swept}).table["fluid"].tolist()
    [0.0, 0.0, 50.0]
    """
    if checked(str, quantity, "quantity") not in QUANTITIES:
        fail("quantity", quantity, ", ".join(QUANTITIES))
    names: tuple[str, ...] = checked(tuple[str, ...], streams, "streams")
    if not names:
        fail("streams", (), "at least one name")
    extra_bytes = checked(NotNegative, overhead_bytes, "overhead_bytes")
    title, base, unit, _ = QUANTITIES[quantity]
    like = names[0] if len(names) == 1 else "BE"
    traces, columns = [], {}
    for place, (label, result) in enumerate(checked_results(results, Result, Sweep).items()):
        offered_bps, y = _together(result, names, quantity, extra_bytes)
        x, y = units.convert(offered_bps, "bit/s", "Mbit/s"), units.convert(y, base, unit)
        traces.append(_line(result.model, label, x, y, like, place))
        columns[label] = np.round(x, 3), y
    if configured_bps is not None:
        at = [units.convert(checked(Positive, configured_bps, "configured_bps"), "bit/s", "Mbit/s")]
        top = max(np.nanmax(y) for _, y in columns.values())
        traces.append(style.bound("configured", at * 2, [0, top], 0, uid="bound"))
    traces.append(_measured(published, base, unit, like))
    traces.append(style.key("measured"))
    table = Columns.aligned(columns, "offered [Mb/s]").round(3)
    on_line = " on the line" if extra_bytes else ""
    layout = style.layout([title], f"offered [Mb/s{on_line}]", [{"rangemode": "tozero"}])
    layout["xaxis"]["rangemode"] = "tozero"
    summary = _summary(table, title, "the streams" if len(names) > 1 else names[0])
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _line(model: str, label: str, x: Floats, y: Floats, like: str, place: int) -> style.Json:
    """One model or port; between the loads that were run a packet model has no answer."""
    look = style.variant(like, place)
    trace = style.line(model, label, x, y, 0, as_look=look, uid=f"line-{place}")
    if model != "packets":
        return trace | {"mode": "lines+markers"}
    trace["marker"] |= {"size": 8, "maxdisplayed": 0}
    return trace | {"mode": "markers"}


def _measured(
    published: Mapping[float, float] | None, base: str, unit: str, like: str
) -> style.Json:
    """Published values at their loads."""
    if not isinstance(published, Mapping | None):
        fail("published", published, "a mapping of offered loads to values")
    seen = {
        checked(NotNegative, load, "published load"): checked(NotNegative, value, "published value")
        for load, value in (published or {}).items()
    }
    x = [float(units.convert(each, "bit/s", "Mbit/s")) for each in seen]
    y = [units.convert(each, base, unit) for each in seen.values()]
    return style.points("measured", [like] * len(seen), x, y, 0, uid="measured")


def _together(
    result: Result | Sweep, names: Sequence[str], quantity: str, extra_bytes: float
) -> tuple[Floats, Floats]:
    """What the streams are offered [bit/s], and the mean over their packets; NaN without any."""
    for name in names:
        if name not in result.streams:
            fail("stream", name, ", ".join(result.streams))
    at = [result.streams.index(name) for name in names]
    extra_bps = units.rate_bps(result.offered_pps[..., at], extra_bytes)
    weights = getattr(result, QUANTITIES[quantity][3])[..., at]
    values = np.where(weights > 0, getattr(result, quantity)[..., at], 0.0)
    total = weights.sum(axis=-1)
    nothing = np.full(total.shape, np.nan)
    mean = np.divide((weights * values).sum(axis=-1), total, out=nothing, where=total > 0)
    return (result.offered_bps[..., at] + extra_bps).sum(axis=-1), mean


def _summary(table: Columns, title: str, who: str) -> str:
    first, last = table.index[[0, -1]]
    known = [(label, y[~np.isnan(y)]) for label, y in table.columns.items()]
    ends = [f"{label} {y[0]:.3g} to {y[-1]:.3g}" for label, y in known]
    return (
        f"{title.capitalize()} for an offered load of {who} of {first:,.4g} to {last:,.4g} Mb/s:"
        f" {'; '.join(ends)}."
    )
