"""The qdisc that a queue is."""

from qoslib import units
from qoslib.config.tc.amounts import rate_word, time_word
from qoslib.config.tc.lines import LARGEST, Lines
from qoslib.config.tc.queues import red_exponent
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Codel,
    Ewma,
    HeadDrop,
    PacketLimit,
    Queue,
    Red,
    TimeLimit,
)

__all__ = ["queue_words", "say_queue"]

#: Sizes of a packet to try, until a burst gives the weight that RED is to have [B].
PACKETS_BYTES = (1000, 1500, 500, 250, 100, 64, 4000, 9000)
MOST_BURST_PACKETS = 20_000
#: What CoDel holds where its limit is not in packets.
CODEL_PACKETS = 1000


def say_queue(
    lines: Lines, queue: Queue, parent: str, handle: str, line_bps: float, *, shaped: bool = False
) -> None:
    """Write the qdisc of a queue."""
    if queue.shaper is not None and not shaped:
        lines.bucket(parent, handle, queue.shaper)
        parent, handle = f"parent {handle}1", f"{handle.removesuffix(':')}1:"
    words = queue_words(queue, line_bps)
    lines.add(f"qdisc add dev {lines.device} {parent} handle {handle} {words}")


def queue_words(queue: Queue, line_bps: float) -> str:
    """Kind and options of the qdisc of a queue; what has no word becomes the plainest that fits.

    >>> queue_words(Queue("bulk", PacketLimit(64), HeadDrop()), 1e9)
    'pfifo_head_drop limit 64'
    """
    limit, dropper = _size(queue, line_bps), queue.dropper
    if isinstance(dropper, Codel):
        return _codel(dropper, limit)
    if isinstance(limit, ByteLimit):
        red = _red(dropper, limit, line_bps) if isinstance(dropper, Red) else ""
        return red or f"bfifo limit {limit.limit_bytes}"
    kind = "pfifo_head_drop" if isinstance(dropper, HeadDrop) else "pfifo"
    return f"{kind} limit {limit.packets}"


def _size(queue: Queue, line_bps: float) -> PacketLimit | ByteLimit:
    """The limit in packets or bytes; a time at the rate that is known beforehand."""
    limit = queue.limit
    if isinstance(limit, PacketLimit):
        return PacketLimit(min(limit.packets, LARGEST))
    if isinstance(limit, TimeLimit):
        rate_bps = queue.guaranteed_bps if limit.at == "guaranteed" else line_bps
        return ByteLimit(min(max(round(units.octets(rate_bps * limit.time_s)), 1), LARGEST))
    return ByteLimit(min(limit.limit_bytes, LARGEST))


def _codel(dropper: Codel, limit: PacketLimit | ByteLimit) -> str:
    packets = limit.packets if isinstance(limit, PacketLimit) else CODEL_PACKETS
    words = f"codel limit {packets}"
    for name, given_s in (("target", dropper.target_s), ("interval", dropper.interval_s)):
        word = time_word(given_s)
        # 0 would be the default.
        words += f" {name} {'1us' if word == '0ms' else word}"
    if dropper.ce_threshold_s is not None:
        words += f" ce_threshold {time_word(dropper.ce_threshold_s)}"
    return words + (" ecn" if dropper.ecn else " noecn")


def _red(dropper: Red, limit: ByteLimit, line_bps: float) -> str:
    """RED in bytes, with a burst that gives its average its weight; empty where none does."""
    profile = dropper.profile
    if not isinstance(profile, ByteRedProfile) or not isinstance(dropper.averaging, Ewma):
        return ""
    low, high = round(profile.minimum_bytes), round(profile.maximum_bytes)
    found = _burst(low, dropper.averaging.exponent) if 0 < low <= high <= LARGEST else None
    if found is None:
        return ""
    burst, packet = found
    probability = f"{profile.maximum_probability:.12f}".rstrip("0").rstrip(".")
    words = f"red limit {limit.limit_bytes} min {low} max {high} avpkt {packet} burst {burst}"
    words += f" probability {probability} bandwidth {rate_word(line_bps)}"
    return words + (" ecn harddrop" if dropper.ecn else "")


def _burst(low: int, exponent: int) -> tuple[int, int] | None:
    """A burst and a size of packets for which iproute2 chooses this weight."""
    for packet in PACKETS_BYTES:
        first, last = max(low // packet, 1), MOST_BURST_PACKETS
        if first > last:
            continue
        while first < last:
            middle = (first + last) // 2
            chosen = red_exponent(low, middle, packet) or (0 if middle * packet < low else 99)
            first, last = (middle + 1, last) if chosen < exponent else (first, middle)
        if red_exponent(low, first, packet) == exponent:
            return first, packet
    return None
