"""The largest of equally spaced loads that loses nothing, by any model."""

from collections.abc import Callable, Sequence

from qoslib.results import Result
from qoslib.tolerances import LOSSLESS

__all__ = ["loss_free_search"]


def loss_free_search(
    run: Callable[[float], Result],
    low_bps: float,
    high_bps: float,
    step_bps: float,
    watched: Sequence[str],
) -> Result:
    """The result at the largest load at which the watched streams lose nothing.

    Loads are tried by halving: a larger load is taken to lose if a smaller one does. If the
    lowest loses already, its result; if not even the highest does, that of the highest.
    `packets.throughput` is the search of RFC 2544 itself, with trials as long as it asks for.

    References
    ----------
    RFC 2544, section 26.1.

    >>> from qoslib import PacketLimit, Port, Queue, Stream, fluid
    >>> port = Port("access", 10e6, (Queue("all", PacketLimit(10)),))
    >>> found = loss_free_search(
    ...     lambda bps: fluid.solve(port, [Stream("a", bps)]), 1e6, 20e6, 1e6, ["a"]
    ... )
    >>> found["a"].offered_bps / 1e6
    10.0
    """
    at_low = best = run(low_bps)
    if _loses(at_low, watched):
        return at_low
    passed, lost = 0, int((high_bps - low_bps) / step_bps) + 1
    while lost - passed > 1:
        middle = (passed + lost) // 2
        result = run(low_bps + middle * step_bps)
        if _loses(result, watched):
            lost = middle
        else:
            best, passed = result, middle
    return best


def _loses(result: Result, watched: Sequence[str]) -> bool:
    streams = [result[name] for name in watched]
    return any(each.dropped_pps > LOSSLESS * each.offered_pps for each in streams)
