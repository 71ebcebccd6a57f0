"""The qdisc that a queue is, and what that says of the queue."""

from qoslib import units
from qoslib.config.tc.amounts import rate_word, time_s, time_word
from qoslib.config.tc.lines import LARGEST, Lines
from qoslib.config.tc.queues import red_exponent
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Codel,
    Dropper,
    Ewma,
    HeadDrop,
    PacketLimit,
    Queue,
    Red,
    TailDrop,
    TimeLimit,
)

__all__ = ["say_queue"]

#: Sizes of a packet to try, until a burst gives the weight that RED is to have [B].
PACKETS_BYTES = (1000, 1500, 500, 250, 100, 64, 4000, 9000)
MOST_BURST_PACKETS = 20_000


def say_queue(
    lines: Lines, queue: Queue, parent: str, handle: str, line_bps: float, *, shaped: bool = False
) -> Queue:
    """Write the qdisc of a queue.

    Parameters
    ----------
    lines : Lines
    queue : Queue
    parent, handle : str
        Like ``"parent 1:10"`` and ``"10:"``.
    line_bps : float
        Line rate [bit/s].
    shaped : bool
        Whether its class is its shaper.

    Returns
    -------
    Queue
        As the text has it: name, limit, dropper and shaper.
    """
    limit = _size(queue, line_bps)
    shaper = None
    if queue.shaper is not None and not shaped:
        minor = handle.removesuffix(":")
        shaper = lines.bucket(parent, handle, queue.shaper)
        parent, handle = f"parent {handle}1", f"{minor}1:"
    words, dropper = _words(lines, queue, limit, line_bps)
    if words.startswith("codel") and not isinstance(limit, PacketLimit):
        limit = PacketLimit(1000)
    lines.add(f"qdisc add dev {lines.device} {parent} handle {handle} {words}")
    return Queue(queue.name, limit, dropper, shaper=shaper)


def _size(queue: Queue, line_bps: float) -> PacketLimit | ByteLimit:
    """The limit in whole packets or bytes."""
    limit = queue.limit
    if isinstance(limit, PacketLimit):
        return PacketLimit(min(limit.packets, LARGEST))
    if isinstance(limit, TimeLimit):
        rate_bps = queue.guaranteed_bps if limit.at == "guaranteed" else line_bps
        return ByteLimit(min(max(round(units.octets(rate_bps * limit.time_s)), 1), LARGEST))
    return ByteLimit(min(limit.limit_bytes, LARGEST))


def _words(
    lines: Lines, queue: Queue, limit: PacketLimit | ByteLimit, line_bps: float
) -> tuple[str, Dropper]:
    """Kind and options, and the dropper that they are."""
    dropper = queue.dropper
    if isinstance(dropper, Codel):
        return _codel(dropper, limit)
    if isinstance(dropper, Red) and isinstance(limit, ByteLimit):
        found = _red(dropper, limit, line_bps)
        if found:
            return found
    if isinstance(limit, ByteLimit):
        return f"bfifo limit {limit.limit_bytes}", TailDrop()
    if isinstance(dropper, HeadDrop):
        return f"pfifo_head_drop limit {limit.packets}", dropper
    return f"pfifo limit {limit.packets}", TailDrop()


def _codel(dropper: Codel, limit: PacketLimit | ByteLimit) -> tuple[str, Dropper]:
    packets = limit.packets if isinstance(limit, PacketLimit) else 1000
    target, interval = (
        "1us" if word == "0ms" else word
        for word in (time_word(dropper.target_s), time_word(dropper.interval_s))
    )
    words = f"codel limit {packets} target {target} interval {interval}"
    threshold = None
    if dropper.ce_threshold_s is not None:
        word = time_word(dropper.ce_threshold_s)
        words, threshold = f"{words} ce_threshold {word}", time_s(word, 0)
    words += " ecn" if dropper.ecn else " noecn"
    return words, Codel(time_s(target, 0), time_s(interval, 0), dropper.ecn, threshold)


def _red(dropper: Red, limit: ByteLimit, line_bps: float) -> tuple[str, Dropper] | None:
    """RED in bytes, with a burst that gives its average the weight it has; None where none does."""
    profile = dropper.profile
    if not isinstance(profile, ByteRedProfile) or not isinstance(dropper.averaging, Ewma):
        return None
    low, high = round(profile.minimum_bytes), round(profile.maximum_bytes)
    if not low or low > high or high > LARGEST:
        return None
    found = _burst(low, dropper.averaging.exponent)
    if found is None:
        return None
    burst, packet = found
    probability = f"{profile.maximum_probability:.12f}".rstrip("0").rstrip(".")
    words = f"red limit {limit.limit_bytes} min {low} max {high} avpkt {packet} burst {burst}"
    words += f" probability {probability} bandwidth {rate_word(line_bps)}"
    words += " ecn harddrop" if dropper.ecn else ""
    kept = ByteRedProfile(low, high, float(probability))
    return words, Red(kept, averaging=dropper.averaging, ecn=dropper.ecn)


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
