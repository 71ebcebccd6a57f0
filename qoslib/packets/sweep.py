"""Many loads, one run each, for dots in a figure."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from qoslib.packets.side_by_side import side_by_side
from qoslib.packets.simulate import simulate
from qoslib.port import Chain, Forwarder, Port
from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["sweep"]

#: What all runs of a sweep have in common; everything else is stacked or left out.
_COMMON = ("model", "streams", "queues", "duration_s", "seed")


def sweep(
    network: Port | Forwarder | Chain,
    streams: Sequence[Stream],
    offered_bps: np.ndarray,
    duration_s: float,
    **options,
) -> Result:
    """Run `simulate` once for each set of offered rates, on all cores.

    Parameters
    ----------
    network : Port, Forwarder or Chain
    streams : sequence of Stream
        How their packets are made; their rates come from `offered_bps`.
    offered_bps : ndarray, shape (loads, streams)
        Rates of the frames' own bits [bit/s].
    duration_s : float
        Simulated time of each run [s].
    **options
        As for `simulate`.

    Returns
    -------
    Result
        Rates and latencies of shape (loads, streams), without counts and histories.

    Raises
    ------
    ValueError
        If there is no load or not a rate for each stream, or as `simulate` does.
    KeyboardInterrupt
        If it is stopped: some of the loads are no answer.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> swept = sweep(port, [Stream("a")], np.array([[80e6], [125e6]]), 1.0)
    >>> (swept.dropped_pps > 0).tolist()
    [[False], [True]]
    """
    streams = checked(tuple[Stream, ...], streams, "streams")
    try:
        offered_bps = np.asarray(offered_bps, dtype=float)
    except (TypeError, ValueError, OverflowError):
        fail("offered_bps", offered_bps, f"numbers of the shape (loads, {len(streams)})")
    if np.ndim(offered_bps) != 2 or not len(offered_bps) or len(offered_bps[0]) != len(streams):
        fail("offered_bps", np.shape(offered_bps), f"the shape (loads, {len(streams)})")

    def one(rates_bps, tell):
        now = [s.replace(rate_bps=float(r)) for s, r in zip(streams, rates_bps, strict=True)]
        return simulate(network, now, duration_s, progress=tell, **options)

    return _stacked(side_by_side(one, offered_bps, _silent))


def _silent(done, total):
    pass


def _stacked(results):
    names = [each.name for each in fields(Result) if each.type is np.ndarray]
    made: dict[str, Any] = {name: np.stack([getattr(r, name) for r in results]) for name in names}
    return Result(**made, **{name: getattr(results[0], name) for name in _COMMON})
