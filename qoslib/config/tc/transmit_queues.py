"""mq and mqprio: the queues of a device's hardware, served in turn."""

import re
from collections.abc import Sequence

from qoslib.config.source import ConfigurationError
from qoslib.config.sourced import Sourced, made, number
from qoslib.config.tc.classes import (
    Classification,
    bands_of,
    by_priority,
    classifier_of,
    describe,
)
from qoslib.config.tc.command import Command
from qoslib.config.tc.options import by_default
from qoslib.config.tc.provenance import DeviceNotes, Part, Unmodelled
from qoslib.config.tc.queues import packets, queue_fields, queue_length
from qoslib.port import Classifier, Codel, FlowQueues, PacketLimit, Queue, TailDrop

__all__ = ["classes_of_traffic", "transmit_queue"]

#: A class of traffic of mqprio: how many queues, and the first of them.
_RANGE = re.compile(r"(\d{1,4})@(\d{1,4})")
MOST_CLASSES = 16
#: As many queues for flows as there may be.
MOST_QUEUES = 65_536


def transmit_queue(notes: DeviceNotes, qdisc: Command) -> dict[str, object]:
    """The queue that stands for all transmit queues of a device with mq."""
    notes.options(qdisc)
    own = [each for each in notes.device.qdiscs.values() if _is_below(each, qdisc)]
    if not own:
        lost = "How many transmit queues the device has is not in this text, and what each holds."
        raise Unmodelled(qdisc, f"{lost} `tc qdisc show` has both.")
    return _together(notes, qdisc, own)


def _is_below(each: Command, qdisc: Command) -> bool:
    return each is not qdisc and each.parent.partition(":")[0] + ":" == qdisc.handle


def _together(
    notes: DeviceNotes, qdisc: Command, own: Sequence[Command | None]
) -> dict[str, object]:
    """Several queues that flows are hashed to, as one with a queue for each of them."""
    first, count = own[0], len(own)
    if len({(each.kind, each.words) if each else None for each in own}) > 1:
        raise Unmodelled(qdisc, "No port describes transmit queues that are unlike each other.")
    fields = _of_one(notes, first)
    if count == 1:
        return fields
    limit, dropper = fields["limit"], fields.get("dropper")
    kind = dropper.part if isinstance(dropper, Sourced) else TailDrop()
    if not isinstance(limit, Sourced) or not isinstance(kind, TailDrop | Codel):
        raise Unmodelled(first or qdisc, "No port describes several transmit queues like this one.")
    if not isinstance(limit.part, PacketLimit):
        raise Unmodelled(first or qdisc, "No port describes several transmit queues of bytes.")
    (source,) = limit.sources.values()
    whole = Sourced(PacketLimit(limit.part.packets * count), {"packets": source})
    flows = fields.get("flows")
    if isinstance(flows, Sourced):
        notes.lose(qdisc, "Flows share the line alike here, in whatever transmit queues they are.")
        several = number(min(flows.part.queues * count, MOST_QUEUES), flows.sources.get("queues"))
        return fields | {"limit": whole, "flows": flows.with_fields(queues=several)}
    turns = made(
        FlowQueues,
        queues=number(count, by_default("transmit_queues", count)),
        sparse_first=False,
        overflow="arriving",
        drop_at="tail",
        flow_limit=limit,
    )
    return fields | {"limit": whole, "flows": turns}


def _of_one(notes: DeviceNotes, qdisc: Command | None) -> dict[str, object]:
    """One transmit queue; the bands of pfifo_fast are one here."""
    if qdisc is None or qdisc.kind != "pfifo_fast":
        return queue_fields(notes, qdisc)
    notes.lose(qdisc, "The three bands of a transmit queue are one here.")
    return {"limit": packets(queue_length(notes, "pfifo_fast_limit"))}


def classes_of_traffic(
    notes: DeviceNotes, qdisc: Command
) -> tuple[list[Sourced[Queue]], Classifier]:
    """The queues of mqprio without the help of hardware, each of one class of traffic."""
    part = notes.part(qdisc)
    if str(part.options.get("hw", by_default("mqprio_hw")).value) != "0":
        lost = "With `hw 1`, the default, the device decides in what order it serves its queues."
        raise Unmodelled(qdisc, lost)
    ranges = _ranges(part)
    names = {f"{qdisc.handle}tc{at}": f"TC {at}" for at in range(len(ranges))}
    whole = bands_of(qdisc, part.options, len(ranges), "map")
    rules, rest = by_priority(whole, list(names.values()))
    queues = []
    for name, (count, offset) in zip(names.values(), ranges, strict=True):
        ids = (f"{qdisc.handle}{at:x}" for at in range(offset + 1, offset + count + 1))
        fields = _together(notes, qdisc, [notes.device.child_of(each) for each in ids])
        quantum = by_default("flow_quantum")
        turn = number(int(quantum.value) * count, quantum)
        queues.append(made(Queue, name=name, quantum_bytes=turn, **fields))
    classifier = classifier_of(rules, rest)
    describe(notes, classifier, Classification(tuple(rules), None, {}, {}), names, {}, {})
    return queues, classifier


def _ranges(part: Part) -> list[tuple[int, int]]:
    """The number and the first of the transmit queues of each class of traffic."""
    words = [str(each) for each in part.options["queues"].value] if "queues" in part.options else []
    found = [_RANGE.fullmatch(each) for each in words]
    line = part.command.line
    if not words or len(words) > MOST_CLASSES or None in found:
        problem = "mqprio needs queues for 1 to 16 classes, like queues 1@0 2@1"
        raise ConfigurationError(problem, line)
    ranges = [(int(each[1]), int(each[2])) for each in found if each]
    if not all(count for count, _ in ranges):
        raise ConfigurationError("a class of mqprio has no queues", line)
    return ranges
