"""Where the fluid model and the packet model differ by more than a tenth, and why."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from qoslib import units
from qoslib.compare.rows import Row, grouped
from qoslib.record import checked
from qoslib.results import Result
from qoslib.tables import format_quantity, number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["APART", "model_differences", "remark"]

#: Two models differ that are further apart than this share of the larger value: 10 %.
APART = 0.1
#: A difference of fewer packets than this share of those offered shows in no figure.
LEAST = 1e-3
#: How many differences are named one by one.
NAMED = 3

#: What the fluid model of constant streams can be asked, said where it stands alone.
VALID = (
    "Fluid model alone: it is valid for averages over many packets. It has no individual packets,"
    " so below full load it gives no waiting and no loss."
)
_WHY = {
    "delay, less": "The fluid model has no individual packets, so none can arrive together and"
    " wait for each other.",
    "delay, more": "In the fluid model an overloaded queue is always full, but packets sometimes"
    " find it shorter.",
    "rate": "The fluid model knows only long-run averages. What a run loses also depends on bursts,"
    " on whose packets find the queue full, and on a queue that is still filling.",
    "tcp": "Bursts and the moment of each loss decide which windows fall, and the fluid model has"
    " neither.",
}


def remark(fluid: Result, packets: Result | None) -> str:
    """What to say with a view of one or both models.

    Parameters
    ----------
    fluid : Result
        Of the fluid model, one value per stream.
    packets : Result or None
        Of the packet model for the same scenario; None if it has not run.

    Returns
    -------
    str
        Without packets, where the fluid model is valid. With packets, the streams whose carried
        rate, loss or mean delay differ by more than a tenth of the larger value, and why; empty
        if there are none.

    Raises
    ------
    ValueError
        If they are no results.

    Examples
    --------
    >>> from qoslib import fluid, packets
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Poisson, Stream
    >>> port = Port("line", 1e6, (Queue("all", PacketLimit(100)),))
    >>> load = [Stream("data", 0.9e6, 1000, Poisson())]
    >>> both = fluid.solve(port, load), packets.simulate(port, load, 20.0)
    >>> print(remark(*both).partition(":")[0])
    The models differ by more than 10 %
    """
    checked(Result, fluid, "fluid")
    checked(Result | None, packets, "packets")
    if packets is None:
        return " ".join(fluid.notes) or ("" if fluid.tcp else VALID)
    found = list(_differences(fluid, packets))
    if not found:
        return ""
    named = "; ".join(text for text, _ in found[:NAMED])
    more = f"; and {len(found) - NAMED} more" if len(found) > NAMED else ""
    reasons = [_WHY[key] for key in dict.fromkeys(key for _, key in found) if _left(key, fluid)]
    why = " ".join([*fluid.notes, *reasons])
    return f"The models differ by more than 10 %: {named}{more}. {why}"


def _left(key: str, fluid: Result) -> bool:
    """Whether a reason is still to be said: the notes of a model are of rates, and of TCP."""
    return not fluid.notes or key.startswith("delay")


def _differences(fluid: Result, packets: Result) -> Iterator[tuple[str, str]]:
    """Each difference in words, and the key of its reason."""
    flows = fluid.tcp.flows if fluid.tcp else ()
    for at, name in enumerate(fluid.streams):
        one, other = _figures(fluid, at), _figures(packets, at)
        if not other["offered"] > 0:
            continue
        least = {"carried": LEAST * other["offered"], "lost": LEAST, "delay": 0.0}
        for quantity, floor in least.items():
            a, b = one[quantity], other[quantity]
            if np.isfinite([a, b]).all() and abs(a - b) > max(APART * max(a, b), floor):
                shown = f"{_SHOWN[quantity](a)} (fluid), {_SHOWN[quantity](b)} (packets)"
                said = f"{_CALLED[quantity]} of {name} {shown}"
                yield said, _reason(quantity, a < b, name in flows)


def _figures(result: Result, at: int) -> dict[str, float]:
    offered, dropped = float(result.offered_pps[at]), float(result.dropped_pps[at])
    return {
        "offered": offered,
        "carried": float(result.sent_bps[at]),
        "lost": dropped / offered if offered > 0 else 0.0,
        "delay": float(result.delay_mean_s[at]),
    }


def _reason(quantity: str, less: bool, is_tcp: bool) -> str:
    if is_tcp:
        return "tcp"
    return "rate" if quantity != "delay" else f"delay, {'less' if less else 'more'}"


def _plain(value: float) -> str:
    """Three digits without an exponent.

    >>> _plain(6038.7)
    '6040'
    """
    return number(float(f"{value:.3g}"))


_CALLED = {"carried": "carried rate", "lost": "loss", "delay": "delay"}
_SHOWN: dict[str, Callable[[float], str]] = {
    "carried": lambda bps: f"{_plain(units.convert(bps, 'bit/s', 'Mbit/s'))} Mb/s",
    "lost": lambda share: f"{units.convert(share, '1', '%'):.3g} %",
    "delay": lambda delay_s: format_quantity("delay_s", float(f"{delay_s:.3g}")),
}


def model_differences(rows: Iterable[Row]) -> "pd.DataFrame":
    """The values of a scoreboard for which the fluid and a packet model differ by over a tenth.

    Parameters
    ----------
    rows : iterable of Row

    Returns
    -------
    DataFrame
        One line per value: what each model gives, by how much the fluid model differs, and the
        key of the known misfit of either that explains it; `explained` gives the reasons in full.

    Raises
    ------
    ValueError
        If they are no rows.

    Examples
    --------
    >>> from qoslib.compare import stored
    >>> found = model_differences(stored())
    >>> sorted(set(found["platform"]))
    ['catalyst6506', 'gsr12000', 'isr4331', 'mx80']
    """
    import pandas as pd

    modelled = (row for row in checked(tuple[Row, ...], rows, "rows") if row.modelled is not None)
    lines = [
        line
        for both in grouped(modelled, lambda row: (*row.name, row.assumptions)).values()
        if both[0].model == "fluid" != both[-1].model
        for line in _line(both[0], both[-1])
    ]
    names = ["platform", "experiment", "stream", "quantity", "assumptions"]
    return pd.DataFrame(lines, columns=[*names, "unit", "fluid", "packets", "differs", "why"])


def _line(fluid: Row, packets: Row) -> Iterator[tuple[object, ...]]:
    """The line of two rows of a value, if they differ."""
    one, other = (row.modelled or 0.0 for row in (fluid, packets))
    if abs(one - other) <= APART * max(abs(one), abs(other)):
        return
    names = (fluid.platform, fluid.experiment, fluid.stream or "all", fluid.quantity)
    differs = f"{units.convert(one / other - 1, '1', '%'):+.0f} %" if other else "–"
    why = fluid.misfit or packets.misfit or "each is within the tolerance of the published value"
    values = [float(f"{value:.4g}") for value in (one, other)]
    yield (*names, fluid.assumptions, units.symbol(fluid.unit), *values, differs, why)
