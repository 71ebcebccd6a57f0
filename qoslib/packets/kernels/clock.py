"""Time in whole picoseconds, with the remainders of divisions carried.

A regular interval is a whole number of picoseconds and a fraction in units of 2**-62 ps, rounded
up: the sum of any number of them, fractions carried, is exact to the picosecond.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from qoslib import units
from qoslib.packets.kernels.compiling import kernel

PS_PER_S = 10**12
#: One picosecond in units of the fraction.
FULL = 1 << 62
#: Later than any event.
NEVER = (1 << 63) - 1
#: Runs and intervals end before this [ps], 13 days: sums of seven still fit.
HORIZON_PS = 1 << 60


class _OffTheClock(ValueError):
    """A time that the clock cannot hold, of something that is not named yet."""


@contextmanager
def numbers_of(what: str) -> Iterator[None]:
    """Name what it is whose times do not fit the clock, or whose numbers do not fit 64 bits."""
    try:
        yield
    except _OffTheClock as error:
        raise ValueError(f"{what}: {error}") from None
    except OverflowError:
        raise ValueError(f"{what}: a number is too large; allowed: what fits 64 bits") from None


def split(interval_ps: Fraction) -> tuple[int, int]:
    """Whole picoseconds and fraction of an interval, in units of 2**-62 ps."""
    if not 0 <= interval_ps < HORIZON_PS:
        days = float(interval_ps) / PS_PER_S / 86400
        raise _OffTheClock(f"an interval is {days:g} days; allowed: at most 13 days")
    scaled = math.ceil(interval_ps * FULL)
    return scaled >> 62, scaled & (FULL - 1)


def picoseconds(time_s: float) -> int:
    """The nearest whole picosecond of a time [s]."""
    ps = round(Fraction(time_s) * PS_PER_S) if math.isfinite(time_s) else -1
    if not 0 <= ps < HORIZON_PS:
        raise _OffTheClock(f"a time is {time_s!r} s; allowed: 0 to {HORIZON_PS / PS_PER_S:.0f} s")
    return ps


def interval_ps(size_bytes: float | Fraction, rate_bps: float) -> Fraction:
    """Exact time of so many bytes at a rate [ps]."""
    return units.bits(Fraction(size_bytes)) * PS_PER_S / Fraction(rate_bps)


@kernel
def add(whole, fraction, more_whole, more_fraction):
    """The sum of two times with their fractions, carried."""
    fraction += more_fraction
    if fraction >= FULL:
        return whole + more_whole + 1, fraction - FULL
    return whole + more_whole, fraction


@kernel
def add_from(now_ps, whole, fraction, more_whole, more_fraction):
    """The same from now on at the earliest, as where what was busy till then takes on more."""
    if whole < now_ps:
        whole, fraction = now_ps, 0
    return add(whole, fraction, more_whole, more_fraction)
