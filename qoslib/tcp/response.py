"""Response functions: the mean window that a congestion control keeps at a given loss."""

import math

from qoslib import units

__all__ = ["aimd_window_packets", "cubic_window_packets", "mathis_bps"]

#: Of CUBIC (RFC 9438, sections 4.6 and 5): window left after a loss, and scaling [packets/s^3].
CUBIC_DECREASE, CUBIC_SCALE = 0.7, 0.4


def _share(**given: float) -> None:
    for name, value in given.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value!r}; allowed: between 0 and 1")


def aimd_window_packets(lost_share: float, increase: float = 1.0, decrease: float = 0.5) -> float:
    """Mean window of additive increase and multiplicative decrease [packets].

    ``W = sqrt(a (1 + b) / (2 (1 - b) p))``.

    Parameters
    ----------
    lost_share : float
        Loss events a packet, p [ratio].
    increase : float
        What a round trip adds, a [packets].
    decrease : float
        What is left after a loss, b [ratio]: 0.5 of Reno (RFC 5681).

    Raises
    ------
    ValueError
        If a share is not between 0 and 1.

    References
    ----------
    RFC 9438, section 4.3.

    Examples
    --------
    >>> round(aimd_window_packets(1e-4))
    122
    """
    _share(lost_share=lost_share, decrease=decrease)
    return math.sqrt(increase * (1 + decrease) / (2 * (1 - decrease) * lost_share))


def cubic_window_packets(
    lost_share: float,
    round_trip_s: float,
    scale: float = CUBIC_SCALE,
    decrease: float = CUBIC_DECREASE,
) -> float:
    """Mean window of CUBIC [packets], that of Reno where it would be less.

    ``W = (c (3 + b) / (4 (1 - b)))**(1/4) (R / p)**(3/4)``. In the Reno-friendly region it keeps
    Reno's window.

    Parameters
    ----------
    lost_share : float
        Loss events a packet, p [ratio].
    round_trip_s : float
        Round-trip time, R [s].
    scale : float
        Of the cubic function, c [packets/s^3].
    decrease : float
        What is left after a loss, b [ratio].

    Raises
    ------
    ValueError
        If a share is not between 0 and 1.

    References
    ----------
    RFC 9438, section 5.1, equation 6 with tables 1 and 2, and section 4.3.

    Examples
    --------
    >>> round(cubic_window_packets(1e-5, 0.1))
    1054
    """
    _share(lost_share=lost_share, decrease=decrease)
    factor = (scale * (3 + decrease) / (4 * (1 - decrease))) ** 0.25
    cubic = factor * (round_trip_s / lost_share) ** 0.75
    return max(cubic, aimd_window_packets(lost_share))


def mathis_bps(segment_bytes: float, round_trip_s: float, lost_share: float) -> float:
    """Rate of a Reno flow at a given loss [bit/s]: ``8 MSS / R sqrt(3 / 2p)``.

    Every segment is acknowledged, losses are single, no window limit and no timeout.

    Parameters
    ----------
    segment_bytes : float
        Payload of a segment, MSS [B].
    round_trip_s : float
        Mean round-trip time, R [s].
    lost_share : float
        Loss events a packet, p [ratio].

    References
    ----------
    Mathis, Semke, Mahdavi and Ott 1997, doi:10.1145/263932.264023, equation 3.

    Examples
    --------
    >>> round(units.convert(mathis_bps(8948, 0.050, 1e-6), "bit/s", "Mbit/s"))
    1753
    """
    return float(units.bits(segment_bytes) / round_trip_s * aimd_window_packets(lost_share))
