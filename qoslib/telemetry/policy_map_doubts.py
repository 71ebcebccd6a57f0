"""What the counters of one policy lack, or where they contradict one another."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

__all__ = ["Counted", "doubts"]

#: Two sums may differ by so much of them: a router reads its counters one after the other.
APART = 0.01
#: The shortest and the longest packet of IP [B].
PACKETS_BYTES = 20, 65_535
_LAST = "class-default"
#: What every class shows whose queue is shown -> what to call it.
_OF_QUEUE = {
    "queue_dropped_packets": "drops of its queue",
    "output_packets": "packets sent",
}


class Counted(NamedTuple):
    """A class by its path from the policy on the interface, its name, and its counters."""

    path: tuple[str, ...]
    name: str
    counts: Mapping[str, float]


def doubts(classes: Sequence[Counted], parents: Collection[tuple[str, ...]] = ()) -> Iterator[str]:
    """Sentences on what is not as a router writes it.

    >>> voice = Counted(("VOICE",), "VOICE", {"class_packets": 100, "output_packets": 120})
    >>> for each in doubts([voice, Counted(("class-default",), "class-default", {})]):
    ...     print(each)
    No counters of class-default: the text seems to be cut off there.
    VOICE: 120 packets sent and dropped, of 100 offered: these counters contradict one another.
    """
    below: dict[tuple[str, ...], list[Counted]] = {path: [] for path in ((), *parents)}
    for each in classes:
        below.setdefault(each.path[:-1], []).append(each)
    yield from _missing(classes, below)
    for each in classes:
        offered = each.counts.get("class_packets")
        left = sum(each.counts.get(quantity, 0.0) for quantity in _OF_QUEUE)
        if offered is not None and left > offered * (1 + APART):
            yield (
                f"{each.name or 'All'}: {left:,.0f} packets sent and dropped, of {offered:,.0f}"
                " offered: these counters contradict one another."
            )
        yield from _impossible(each)
        yield from _sum(each, below.get(each.path, ()))


def _missing(
    classes: Sequence[Counted], below: Mapping[tuple[str, ...], Sequence[Counted]]
) -> Iterator[str]:
    for each in classes:
        if not each.counts:
            yield f"No counters of {each.name}: the text seems to be cut off there."
    for above, own in below.items():
        if _LAST not in [each.path[-1] for each in own]:
            where = f" below {'/'.join(above)}" if above else ""
            after = f" after {own[-1].name}" if own else ""
            missing = f"No {_LAST}{where}, which every policy has"
            yield f"{missing}: the text seems to be cut off{after}."
    if not classes:
        return
    last = classes[-1]
    others = [each for each in classes[:-1] if "queue_limit" in each.counts]
    if "queue_limit" in last.counts and others:
        absent = [
            words
            for quantity, words in _OF_QUEUE.items()
            if quantity not in last.counts and all(quantity in each.counts for each in others)
        ]
        if absent:
            listed = " and no ".join(absent)
            yield f"{last.name}, the last class, has no {listed}: the text seems to be cut off."


def _impossible(of: Counted) -> Iterator[str]:
    """Packets of a size that none has, and more packets in a queue than fit."""
    name, (low, high) = of.name or "All", PACKETS_BYTES
    for prefix in ("class", "output"):
        packets, octets = (of.counts.get(f"{prefix}_{each}", 0.0) for each in ("packets", "bytes"))
        # Some platforms count packets alone, and leave the bytes at 0.
        if packets and octets and not low <= octets / packets <= high:
            yield (
                f"{name}: {octets:,.0f} bytes in {packets:,.0f} packets are"
                f" {octets / packets:,.3g} B a packet; a packet has {low} B to {high:,} B."
            )
    depth, limit = of.counts.get("queue_depth", 0.0), of.counts.get("queue_limit")
    if limit is not None and depth > limit:
        yield (
            f"{name}: its queue has a depth of {depth:,.0f} and a limit of {limit:,.0f}: these"
            " counters contradict one another."
        )


def _sum(of: Counted, classes: Sequence[Counted]) -> Iterator[str]:
    """Where a class with a child policy has other packets than the classes of that have."""
    own = of.counts.get("class_packets")
    parts = [each.counts["class_packets"] for each in classes if "class_packets" in each.counts]
    whole = _LAST in [each.path[-1] for each in classes] and len(parts) == len(classes)
    if own is not None and whole and abs(sum(parts) - own) > APART * max(sum(parts), own):
        yield (
            f"{'/'.join(of.path)} has {own:,.0f} packets, its classes {sum(parts):,.0f} together:"
            " these counters contradict one another, or a class is missing."
        )
