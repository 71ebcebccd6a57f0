"""How many packets are lost when a queue is full for the first time."""

from qoslib import units

__all__ = ["overshoot_packets", "overshoot_with_backlog_packets"]


def overshoot_packets(
    sender_bps: float,
    line_bps: float,
    round_trip_s: float,
    buffer_bytes: float,
    packet_bytes: float,
    background_bps: float = 0.0,
) -> float:
    """Packets lost until the first news of it arrives, where nothing waits at the sender.

    ``N = (A + u - C) (R + 8 B / C) / (8 L)``: for a round trip the sender goes on.

    Parameters
    ----------
    sender_bps : float
        What the sender puts out meanwhile, A [bit/s].
    line_bps : float
        Line rate, C [bit/s].
    round_trip_s : float
        Round-trip time without any queue, R [s].
    buffer_bytes : float
        Buffer, B [B].
    packet_bytes : float
        Packet, L [B].
    background_bps : float
        Traffic that does not answer to loss, u [bit/s].

    Returns
    -------
    float
        Of all traffic, 0 where the line keeps up; the background has its share of them.

    Examples
    --------
    >>> round(overshoot_packets(8.3e9, 10e9, 0.050, 12e6, 9000, 2e9))
    248
    """
    excess_bps = max(sender_bps + background_bps - line_bps, 0.0)
    news_s = round_trip_s + units.serialisation_s(buffer_bytes, line_bps)
    return float(units.rate_pps(excess_bps, packet_bytes) * news_s)


def overshoot_with_backlog_packets(
    sender_bps: float,
    line_bps: float,
    windows_bytes: float,
    packet_bytes: float,
    background_bps: float = 0.0,
) -> float:
    """Packets lost where the whole window already waits at a sender hardly faster than the line.

    ``N = (A + u - C) / (8 L) * 8 sum(W) / A``: until the window has been sent. It does not depend
    on the buffer.

    Parameters
    ----------
    sender_bps, line_bps, packet_bytes, background_bps : float
        As in `overshoot_packets`.
    windows_bytes : float
        Sum of the largest windows [B].

    Examples
    --------
    >>> round(overshoot_with_backlog_packets(8.3e9, 10e9, 96e6, 9000, 2e9))
    386
    """
    excess_bps = max(sender_bps + background_bps - line_bps, 0.0)
    sending_s = units.serialisation_s(windows_bytes, sender_bps)
    return float(units.rate_pps(excess_bps, packet_bytes) * sending_s)
