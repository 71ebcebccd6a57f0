"""Student's t: how many standard errors an interval of a mean goes each way."""

import math
from functools import cache

__all__ = ["standard_errors"]

#: Halvings of an angle below a right one, after which no bit of it changes.
_HALVINGS = 60


@cache
def standard_errors(count: int, share: float) -> float:
    """Half the width of an interval of a mean, in standard errors.

    Parameters
    ----------
    count : int
        Values that the mean is of, 2 or more.
    share : float
        How often such intervals hold the true mean: 0.95, say.

    Returns
    -------
    float

    Notes
    -----
    With ``n = count - 1`` degrees of freedom and ``a = atan(t / sqrt(n))``, the share between -t
    and t is, for even n, ``sin a (1 + 1/2 cos^2 a + 1·3/(2·4) cos^4 a + ... )`` up to the power
    n - 2, and for odd n ``2/pi (a + sin a (cos a + 2/3 cos^3 a + ...))``. It grows with the angle,
    which is halved in on.

    References
    ----------
    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.

    Examples
    --------
    >>> round(standard_errors(2, 0.95), 3), round(standard_errors(31, 0.95), 3)
    (12.706, 2.042)
    """
    degrees = count - 1
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < share else (low, middle)
    return math.sqrt(degrees) * math.tan(high)


def _within(angle: float, degrees: int) -> float:
    """The share of values between minus and plus the t of an angle."""
    odd = degrees % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for power in range(1 + odd, degrees, 2):
        total += term
        term *= math.cos(angle) ** 2 * power / (power + 1)
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total
