"""Exact time in Python's own numbers."""

import math
from fractions import Fraction
from functools import lru_cache

NEVER = math.inf
PS = 10**12
FINE = 2**62
#: Later than any run.
HORIZON = 2**60


@lru_cache
def whole_ps(time_s):
    """The nearest picosecond."""
    return round(Fraction(time_s) * PS)


def fine(time_ps):
    """A time [ps] in units of 2**-62 ps, rounded up."""
    return math.ceil(time_ps * FINE)


@lru_cache
def cost(size_bytes, rate_bps):
    """Time of so many bytes at a rate, fine."""
    return fine(8 * PS * Fraction(size_bytes) / Fraction(rate_bps))


def floor_ps(time_fine):
    """The picosecond in which a fine time lies."""
    return time_fine // FINE
