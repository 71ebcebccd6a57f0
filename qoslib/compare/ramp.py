"""The largest load that loses nothing: a ramp, searched by halving."""

from collections.abc import Callable

from qoslib.platforms import Ramp
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["largest_without_loss"]

#: A fluid loses less than this by rounding [ratio].
ROUNDING = 1e-9


def largest_without_loss(ramp: Ramp, run: Callable[[tuple[Stream, ...]], Result]) -> Result:
    """The result at the largest load of a ramp at which the watched streams lose nothing.

    Loads are tried by halving: a larger load is taken to lose if a smaller one does. If the
    lowest loses already, its result; if not even the highest does, that of the highest.

    Parameters
    ----------
    ramp : Ramp
    run : callable
        A model's result for streams.
    """
    steps = int((ramp.high_bps - ramp.low_bps) / ramp.step_bps)

    def at(step):
        return run(ramp.streams_at(ramp.low_bps + step * ramp.step_bps))

    best, low, high = at(0), 0, steps + 1
    if _loses(ramp, best):
        return best
    while high - low > 1:
        middle = (low + high) // 2
        result = at(middle)
        if _loses(ramp, result):
            high = middle
        else:
            best, low = result, middle
    return best


def _loses(ramp, result):
    watched = [(result[n].dropped_pps, result[n].offered_pps) for n in ramp.watched]
    return any(dropped > ROUNDING * offered for dropped, offered in watched)
