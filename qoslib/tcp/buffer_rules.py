"""How large a buffer has to be: one bandwidth-delay product, less for many flows, or a window's."""

import math

from qoslib import units

__all__ = [
    "bandwidth_delay_bytes",
    "desynchronised_buffer_bytes",
    "loss_free_buffer_bytes",
    "window_limited_bps",
]


def _above_zero(**given: float) -> None:
    for name, value in given.items():
        if not value > 0:
            raise ValueError(f"{name} is {value!r}; allowed: above 0")


def bandwidth_delay_bytes(rate_bps: float, round_trip_s: float) -> float:
    """Bandwidth-delay product [B]: ``C R / 8``, what a rate keeps under way in a round trip.

    Parameters
    ----------
    rate_bps : float
        Rate that is left for the flows [bit/s].
    round_trip_s : float
        Round-trip time without any queue [s].

    Raises
    ------
    ValueError
        If one of them is not above 0.

    References
    ----------
    Villamizar and Song 1994, doi:10.1145/205511.205520: a buffer of this size keeps a line busy
    under a single flow that halves its window.

    Examples
    --------
    >>> bandwidth_delay_bytes(8e9, 0.050)
    50000000.0
    """
    _above_zero(rate_bps=rate_bps, round_trip_s=round_trip_s)
    return float(units.octets(rate_bps * round_trip_s))


def desynchronised_buffer_bytes(rate_bps: float, round_trip_s: float, flows: int) -> float:
    """Buffer that keeps a line busy under many flows which do not halve together [B].

    ``B = C R / (8 sqrt(n))``. Only the fluctuation of the sum has to fit: with a few flows, or
    with flows that lose together at one full queue, it is too small.

    Parameters
    ----------
    rate_bps, round_trip_s : float
        As in `bandwidth_delay_bytes`.
    flows : int
        Number of long-lived flows, n.

    Raises
    ------
    ValueError
        If one of them is not above 0.

    References
    ----------
    Appenzeller, Keslassy and McKeown 2004, doi:10.1145/1015467.1015499: shown for hundreds of
    flows and more.

    Examples
    --------
    >>> desynchronised_buffer_bytes(8e9, 0.050, 10_000)
    500000.0
    """
    _above_zero(flows=flows)
    return bandwidth_delay_bytes(rate_bps, round_trip_s) / math.sqrt(flows)


def loss_free_buffer_bytes(
    windows_bytes: float, rate_bps: float, round_trip_s: float, background_bps: float = 0.0
) -> float:
    """Buffer in which flows stand at their largest window without a loss [B], 0 where none needs.

    ``B* = (sum W - (C - u) R / 8) / (1 - u / C)``: what the path does not hold waits in the queue,
    and between every two of its packets stand those of the background.

    Parameters
    ----------
    windows_bytes : float
        Sum of the largest windows, W, counted as the queue counts [B].
    rate_bps : float
        Line rate, C [bit/s].
    round_trip_s : float
        Round-trip time without any queue, R [s].
    background_bps : float
        Traffic that does not answer to loss, u [bit/s]; below the line rate.

    Raises
    ------
    ValueError
        If a number is not above 0, or the background not from 0 to below the line rate.

    Examples
    --------
    Two windows of 48 MB, 50 ms, and 2 of 10 Gb/s taken by others:

    >>> round(loss_free_buffer_bytes(96e6, 10e9, 0.050, 2e9))
    57500000
    """
    _above_zero(windows_bytes=windows_bytes, rate_bps=rate_bps)
    if not 0 <= background_bps < rate_bps:
        allowed = f"from 0 to below the line rate, {rate_bps:g}"
        raise ValueError(f"background_bps is {background_bps!r}; allowed: {allowed}")
    left_bps = rate_bps - background_bps
    waiting_bytes = windows_bytes - bandwidth_delay_bytes(left_bps, round_trip_s)
    return max(waiting_bytes, 0.0) * rate_bps / left_bps


def window_limited_bps(window_bytes: float, round_trip_s: float) -> float:
    """Most that a window carries [bit/s]: ``8 W / R`` (RFC 7323, section 1.1).

    Parameters
    ----------
    window_bytes : float
        Window, W [B].
    round_trip_s : float
        Round-trip time, waiting included, R [s].

    Examples
    --------
    Without window scaling, over 50 ms:

    >>> round(window_limited_bps(65_535, 0.050))
    10485600
    """
    _above_zero(window_bytes=window_bytes, round_trip_s=round_trip_s)
    return float(units.bits(window_bytes) / round_trip_s)
