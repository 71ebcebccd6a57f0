"""The saw-tooth of additive increase and multiplicative decrease at a line with a buffer."""

import math
from dataclasses import dataclass

__all__ = ["SawTooth", "saw_tooth"]


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
    _check(rate_pps, round_trip_s, buffer_packets, flows, decrease)
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


def _check(rate_pps, round_trip_s, buffer_packets, flows, decrease):
    for name, value in dict(
        rate_pps=rate_pps, round_trip_s=round_trip_s, flows=flows, decrease=decrease
    ).items():
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"{name} is {value!r}; allowed: above 0, finite")
    if not 0 <= buffer_packets < math.inf:
        raise ValueError(f"buffer_packets is {buffer_packets!r}; allowed: 0 or more, finite")
    if decrease >= 1:
        raise ValueError(f"decrease is {decrease!r}; allowed: between 0 and 1")
