"""What a policer needs for TCP: a bucket that lasts for a whole saw-tooth."""

from qoslib.tcp.buffer_rules import bandwidth_delay_bytes

__all__ = ["policer_burst_bytes"]

#: Reno's windows go from 2/3 to 4/3 of the product around a mean of 1: halves of a square of 1/3.
SHARE = 18


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
        If a number is not above 0.

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
    if not flows > 0:
        raise ValueError(f"flows is {flows!r}; allowed: above 0")
    if not packet_bytes > 0:
        raise ValueError(f"packet_bytes is {packet_bytes!r}; allowed: above 0")
    packets = bandwidth_delay_bytes(rate_bps, round_trip_s) / packet_bytes
    return max(packets**2 / (SHARE * flows), 1.0) * packet_bytes
