"""Closed forms of TCP: the saw-tooth, windows at a given loss, buffers."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

from qoslib import units
from qoslib.record import NotNegative, Positive, Within, checked

__all__ = [
    "SawTooth",
    "aimd_window_packets",
    "bandwidth_delay_bytes",
    "cubic_window_packets",
    "desynchronised_buffer_bytes",
    "loss_free_buffer_bytes",
    "mathis_bps",
    "policer_burst_bytes",
    "saw_tooth",
    "window_limited_bps",
]

#: A share of what there is, neither none nor all of it.
Part = Annotated[float, Within(0, 1, open_low=True, open_high=True)]
#: Of CUBIC (RFC 9438, sections 4.6 and 5): window left after a loss, and scaling [packets/s^3].
CUBIC_DECREASE, CUBIC_SCALE = 0.7, 0.4
#: Reno's windows go from 2/3 to 4/3 of the product around a mean of 1: halves of a square of 1/3.
SHARE = 18


@dataclass(frozen=True)
class SawTooth:
    """One tooth.

    Attributes
    ----------
    utilisation : float
        What is carried of what the line could carry [ratio].
    period_s : float
        From one loss to the next [s].
    lost_share : float
        Lost packets of all, one for each flow in each tooth [ratio].
    """

    utilisation: float
    period_s: float
    lost_share: float


def saw_tooth(
    rate_pps: float,
    round_trip_s: float,
    buffer_packets: float,
    flows: int = 1,
    decrease: float = 0.5,
) -> SawTooth:
    """Flows that all lose at once, each window growing by a packet in a round trip.

    With D = Cp R the packets that the path holds, the windows rise together to ``Wm = D + B`` and
    fall to ``w0 = b Wm``. Below D the line idles:

    - ``t1 = (D - w0) R / n`` with the queue empty, in which ``(D**2 - w0**2) / 2n`` packets pass,
    - ``t2 = (Wm**2 - D**2) / (2 n Cp)`` with a queue, in which ``Cp t2`` packets pass;

    ``U = (passed in t1 and t2) / (Cp (t1 + t2))``, which is 1 from ``B = D (1/b - 1)`` on.

    Parameters
    ----------
    rate_pps : float
        Rate left for the flows, Cp [packets/s].
    round_trip_s : float
        Round-trip time without any queue, R [s].
    buffer_packets : float
        Room in the buffer, B [packets].
    flows : int
        How many, n.
    decrease : float
        What is left of a window after a loss, b [ratio]: 0.5 of Reno (RFC 5681), 0.7 of CUBIC.

    Returns
    -------
    SawTooth
        What is carried, how long a tooth lasts, and what it loses.

    Raises
    ------
    ValueError
        If a number is not above 0, the buffer is below 0, or `decrease` not between 0 and 1.

    Examples
    --------
    Reno with a buffer of one bandwidth-delay product, of a tenth, and none:

    >>> [round(saw_tooth(1e4, 0.1, b).utilisation, 3) for b in (1000, 100, 0)]
    [1.0, 0.818, 0.75]
    """
    _check(rate_pps=rate_pps, round_trip_s=round_trip_s, flows=flows)
    _check(NotNegative, buffer_packets=buffer_packets)
    _check(Part, decrease=decrease)
    held = rate_pps * round_trip_s
    most = held + buffer_packets
    least = decrease * most
    idle_from = min(least, held)
    rising_s = (held - idle_from) * round_trip_s / flows
    rising_packets = (held**2 - idle_from**2) / (2 * flows)
    queued_packets = (most**2 - max(held, least) ** 2) / (2 * flows)
    period_s = rising_s + queued_packets / rate_pps
    passed = rising_packets + queued_packets
    return SawTooth(passed / (rate_pps * period_s), period_s, flows / (passed + flows))


def _check(hint: Any = Positive, **given: float) -> None:
    for name, value in given.items():
        checked(hint, value, name)


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

    Returns
    -------
    float
        Window [packets].

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
    _check(Part, lost_share=lost_share, decrease=decrease)
    _check(increase=increase)
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

    Returns
    -------
    float
        Window [packets].

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
    _check(Part, lost_share=lost_share, decrease=decrease)
    _check(round_trip_s=round_trip_s, scale=scale)
    factor: float = (scale * (3 + decrease) / (4 * (1 - decrease))) ** 0.25
    cubic: float = factor * (round_trip_s / lost_share) ** 0.75
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

    Returns
    -------
    float
        Rate of the payload [bit/s].

    Raises
    ------
    ValueError
        If a number is not above 0, or the share not below 1.

    References
    ----------
    Mathis, Semke, Mahdavi and Ott 1997, doi:10.1145/263932.264023, equation 3.

    Examples
    --------
    >>> round(units.convert(mathis_bps(8948, 0.050, 1e-6), "bit/s", "Mbit/s"))
    1753
    """
    _check(segment_bytes=segment_bytes, round_trip_s=round_trip_s)
    return float(units.bits(segment_bytes) / round_trip_s * aimd_window_packets(lost_share))


def policer_burst_bytes(
    rate_bps: float, round_trip_s: float, packet_bytes: float, flows: int = 1
) -> float:
    """Burst that lets Reno flows use a policer's whole rate [B].

    ``b = D**2 / (18 n)`` packets, with D the bandwidth-delay product in packets. Nothing waits in a
    policer, so the windows rise from 2/3 to 4/3 of D at one packet a round trip and flow. What
    they leave below D, ``(D/3)**2 / 2n`` packets, has to be in the bucket when they are above.

    Parameters
    ----------
    rate_bps : float
        Committed rate, as the policer counts [bit/s].
    round_trip_s : float
        Round-trip time [s].
    packet_bytes : float
        Packet, as the policer counts [B].
    flows : int
        Flows that lose together, n.

    Returns
    -------
    float
        At least one packet.

    Raises
    ------
    ValueError
        If a number is not above 0, or a packet below 1 B.

    Notes
    -----
    It grows with the square of the rate: a rule of thumb of a few round trips at the rate is
    enough for slow lines only, and on fast ones a shaper, with a queue of one product, is the
    cheaper answer. The sum is worked out here and held against a slow one; for TCP at a policer
    without a queue see van Haalen and Malhotra 2007, doi:10.1109/LANMAN.2007.4295978.

    Examples
    --------
    >>> round(policer_burst_bytes(100e6, 0.020, 1500))
    2314815
    """
    _check(Annotated[float, Within(1)], packet_bytes=packet_bytes)
    _check(flows=flows)
    packets = bandwidth_delay_bytes(rate_bps, round_trip_s) / packet_bytes
    return max(packets**2 / (SHARE * flows), 1.0) * packet_bytes


def bandwidth_delay_bytes(rate_bps: float, round_trip_s: float) -> float:
    """Bandwidth-delay product [B]: ``C R / 8``, what a rate keeps under way in a round trip.

    Parameters
    ----------
    rate_bps : float
        Rate that is left for the flows [bit/s].
    round_trip_s : float
        Round-trip time without any queue [s].

    Returns
    -------
    float
        Product [B].

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
    _check(rate_bps=rate_bps, round_trip_s=round_trip_s)
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

    Returns
    -------
    float
        Buffer [B].

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
    _check(flows=flows)
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
        Sum of the largest windows, W, counted as the queue counts [B]; it may be infinite.
    rate_bps : float
        Line rate, C [bit/s].
    round_trip_s : float
        Round-trip time without any queue, R [s].
    background_bps : float
        Traffic that does not answer to loss, u [bit/s]; below the line rate.

    Returns
    -------
    float
        Buffer [B].

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
    _check(rate_bps=rate_bps, round_trip_s=round_trip_s)
    _check(Annotated[float, Within(0, rate_bps, open_high=True)], background_bps=background_bps)
    if windows_bytes == math.inf:
        return math.inf
    _check(windows_bytes=windows_bytes)
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

    Returns
    -------
    float
        Rate [bit/s].

    Raises
    ------
    ValueError
        If one of them is not above 0.

    Examples
    --------
    Without window scaling, over 50 ms:

    >>> round(window_limited_bps(65_535, 0.050))
    10485600
    """
    _check(window_bytes=window_bytes, round_trip_s=round_trip_s)
    return float(units.bits(window_bytes) / round_trip_s)
