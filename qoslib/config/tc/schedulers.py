"""Qdiscs with classes: htb, prio, drr and qfq, and a single queue."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from qoslib import units
from qoslib.config.records import ConfiguredClass
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.tc.classes import (
    Classification,
    bands_of,
    by_priority,
    classifier_of,
    classify,
    describe,
)
from qoslib.config.tc.command import Command
from qoslib.config.tc.device import bands
from qoslib.config.tc.options import Options, by_default
from qoslib.config.tc.provenance import DeviceNotes, Part, Unmodelled
from qoslib.config.tc.queues import (
    QueueParts,
    count_frames,
    no_slower,
    queue_length,
    queue_parts,
    shaper_of,
)
from qoslib.config.values import Value
from qoslib.platforms.trees import HTB_QUANTA_BYTES, htb
from qoslib.port import (
    Classifier,
    DeficitRoundRobin,
    Fifo,
    HierarchicalTokenBucket,
    Node,
    PacketLimit,
    Queue,
    Scheduler,
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
)

__all__ = ["Inner", "inner_of", "single"]

#: What iproute2 takes as the ticks of a clock per second where timers are precise.
HZ = 10**9
#: Priorities of HTB: a larger one counts as the last.
HTB_PRIORITIES = 8
#: Most weight of a class of qfq.
MOST_WEIGHT = 1023
#: Kinds with classes of their own.
CLASSFUL = ("htb", "prio", "pfifo_fast", "drr", "qfq")
Class = TypeVar("Class", Queue, Node)


class Inner(NamedTuple):
    """What stands behind the shapers and delays of a port."""

    queues: tuple[Queue, ...]
    scheduler: Scheduler
    classifier: Classifier = Classifier()
    shaper: Shaper | None = None


def inner_of(notes: DeviceNotes, qdisc: Command) -> Inner:
    """What a qdisc is: a queue, or a scheduler with its queues."""
    if (same := notes.device.classes.get(qdisc.handle)) is not None:
        where = f"{qdisc.handle}0 is the qdisc itself"
        raise Unmodelled(same, f"{where}: give the class a number, as in {qdisc.handle}10.")
    own = notes.device.classes_of(qdisc.handle)
    if qdisc.kind == "htb":
        only = next(iter(own)) if len(own) == 1 else ""
        below = notes.device.child_of(only) if only else None
        if below is not None and below.kind in CLASSFUL:
            return _shaped(notes, own[only], below)
        return _htb(notes, qdisc, own)
    if qdisc.kind in ("prio", "pfifo_fast"):
        return _prio(notes, qdisc)
    if qdisc.kind in ("drr", "qfq"):
        return _round(notes, qdisc, own)
    if own:
        return _named(notes, qdisc, own)
    name = notes.name(qdisc.handle, qdisc.kind)
    return single(notes, name, queue_parts(notes, qdisc, f"queues[{name!r}]"), qdisc)


def single(notes: DeviceNotes, name: str, parts: QueueParts, qdisc: Command) -> Inner:
    """The only queue of a port."""
    said = (notes.statement(qdisc),)
    notes.classes.append(ConfiguredClass(name, name, ("the rest",), qdisc.line, statements=said))
    queue = Queue(name, parts.limit, parts.dropper, shaper=parts.shaper)
    return Inner((queue,), Fifo())


def _named(notes: DeviceNotes, qdisc: Command, own: dict[str, Command]) -> Inner:
    """The classes of a scheduler that no port describes: their names, filters and places alone."""
    above = {each.parent for each in own.values()}
    names = {classid: notes.name(classid) for classid in own if classid not in above}
    leaf = queue_parts(notes, qdisc, "")
    found = classify(notes, qdisc.handle, names)
    nodes = {classid: notes.name(classid) for classid in own if classid in above}
    classifier = classifier_of(found.rules, found.default or "")
    describe(notes, classifier, found, names, own, nodes)
    queues = tuple(Queue(name, leaf.limit, leaf.dropper) for name in names.values())
    return Inner(queues, StrictPriority(), classifier)


def _shaped(notes: DeviceNotes, command: Command, below: Command) -> Inner:
    """One class of HTB with classes of another kind below it: a shaper on the whole port."""
    part = notes.part(command)
    rate = _rate_of(part)
    burst = _burst_of(part.options, "burst", rate)
    count_frames(part)
    shaper = shaper_of(part, rate, burst)
    inner = inner_of(notes, below)
    if inner.shaper is not None:
        no_slower(notes, below, inner.shaper.rate_bps, shaper.rate_bps)
    return inner._replace(shaper=shaper)


def _prio(notes: DeviceNotes, qdisc: Command) -> Inner:
    part, count = notes.part(qdisc), bands(qdisc)
    names = {
        classid: notes.name(classid)
        for classid in (f"{qdisc.handle}{band:x}" for band in range(1, count + 1))
    }
    leaves = [_band(part, classid, name) for classid, name in names.items()]
    whole = bands_of(qdisc, part.options, count)
    found = classify(notes, qdisc.handle, names, list(names)[whole[0]])
    mapped, rest = by_priority(whole, list(names.values()))
    if notes.device.names.get("the rest") == "":
        mapped, rest = [], ""
    if found.default is None:
        taken = {mark for mark, _ in found.rules}
        mapped = [(mark, band) for mark, band in mapped if mark not in taken]
        found = found._replace(rules=(*found.rules, *mapped))
    classifier = classifier_of(found.rules, found.default or rest)
    number = part.options.get("bands") or part.options.default("bands")
    queues = []
    for level, (name, leaf) in enumerate(zip(names.values(), leaves, strict=True)):
        notes.record_origin(f"queues[{name!r}].priority", number._replace(value=level))
        queues.append(_queue(name, leaf, found).replace(priority=level))
    describe(notes, classifier, found, names, {}, {})
    return Inner(tuple(queues), StrictPriority(), classifier)


def _band(qdisc: Part, classid: str, name: str) -> QueueParts:
    """The queue of a band; those of pfifo_fast are as long as the device's own."""
    notes, where = qdisc.notes, f"queues[{name!r}]"
    if qdisc.command.kind != "pfifo_fast":
        return queue_parts(notes, notes.device.child_of(classid), where)
    known = notes.device.queue_length is not None
    length = queue_length(notes) if known else by_default("pfifo_fast_limit")
    notes.record_origin(f"{where}.limit.packets", length)
    return QueueParts(PacketLimit(int(length.value)))


def _queue(name: str, leaf: QueueParts, found: Classification) -> Queue:
    return Queue(name, leaf.limit, leaf.dropper, found.policers.get(name), leaf.shaper)


def _round(notes: DeviceNotes, qdisc: Command, own: dict[str, Command]) -> Inner:
    notes.options(qdisc)
    if not own:
        raise Unmodelled(qdisc, f"{qdisc.kind} without classes sends nothing.")
    names = {classid: notes.name(classid) for classid in own}
    found = classify(notes, qdisc.handle, names)
    classifier = classifier_of(found.rules, found.default or "")
    if found.default is None:
        shown = next(iter(own.values())).shown
        if not found.rules and not shown and not notes.device.sorted_elsewhere:
            lost = f"No filter leads to a class: {qdisc.kind} drops every packet, unless an"
            raise Unmodelled(qdisc, f"{lost} application gives it its class (SO_PRIORITY).")
        notes.lose(qdisc, "Unclassified packets are dropped; here such a stream is an error.")
    queues = []
    for classid, command in own.items():
        _same_kind(command, qdisc)
        part = notes.part(command, f"queues[{names[classid]!r}]")
        leaf = queue_parts(notes, notes.device.child_of(classid), part.where)
        queues.append(_turn(part, _queue(names[classid], leaf, found)))
    describe(notes, classifier, found, names, own, {})
    if qdisc.kind == "drr":
        return Inner(tuple(queues), DeficitRoundRobin(), classifier)
    lost = "qfq groups classes and rounds their time stamps; here each has its exact tag."
    notes.lose(qdisc, lost)
    return Inner(tuple(queues), StartTimeFairQueueing(), classifier)


def _same_kind(command: Command, qdisc: Command) -> None:
    if command.kind != qdisc.kind:
        problem = f"a class of {command.kind[:40]} below {qdisc.kind}"
        raise ConfigurationError(problem, command.line)


def _turn(part: Part, queue: Queue) -> Queue:
    """A queue with what it sends in its turn: a quantum of drr or a weight of qfq."""
    command, options = part.command, part.options
    if command.kind == "drr":
        if command.shown and "quantum" not in options:
            part.lose("tc -j leaves out the quantum: the default is taken.")
        quantum = options.get("quantum") or options.default("quantum")
        return queue.replace(quantum_bytes=int(part.number("quantum_bytes", quantum)))
    weight = float(part.number("weight", options.get("weight") or options.default("weight")))
    if not 1 <= weight <= MOST_WEIGHT:
        raise ConfigurationError(f"a weight of qfq is 1 to {MOST_WEIGHT}", command.line)
    return queue.replace(weight=weight)


def _htb(notes: DeviceNotes, qdisc: Command, own: dict[str, Command]) -> Inner:
    """The tree of an htb."""
    htb_options = notes.options(qdisc)
    children = _children(qdisc, own)
    names = {classid: notes.name(classid) for classid in (qdisc.handle, *own)}
    leaves = {classid: names[classid] for classid in own if classid not in children}
    found = classify(notes, qdisc.handle, leaves)
    default = found.default
    if default is None:
        default = _default(notes, qdisc, htb_options, leaves)
    classifier = classifier_of(found.rules, default)
    queues, nodes = [], []
    tops = children[qdisc.handle]
    if len(tops) > 1 or tops[0] in leaves:
        nodes.append(Node(names[qdisc.handle], tuple(names[each] for each in tops)))
    for classid, command in own.items():
        check_time()
        if classid in children:
            below = tuple(names[each] for each in children[classid])
            nodes.append(_node(notes, command, Node(names[classid], below)))
        else:
            queues.append(_leaf(notes, command, names[classid], found, htb_options))
    describe(notes, classifier, found, leaves, own, {each: names[each] for each in own})
    return Inner(tuple(queues), HierarchicalTokenBucket(_numbered(nodes, names)), classifier)


def _children(qdisc: Command, own: dict[str, Command]) -> dict[str, list[str]]:
    """The classes below the qdisc and below each class of htb, none of which is below itself."""
    if not own:
        raise Unmodelled(qdisc, "htb without classes shapes nothing, and no queue is here.")
    children: dict[str, list[str]] = {}
    for classid, command in own.items():
        parent = command.parent
        if parent != qdisc.handle and parent not in own:
            raise ConfigurationError(f"the parent {parent or 'of this'} is missing", command.line)
        _same_kind(command, qdisc)
        children.setdefault(parent, []).append(classid)
    reached, ahead = set[str](), list(children.get(qdisc.handle, []))
    while ahead:
        check_time()
        classid = ahead.pop()
        if classid not in reached:
            reached.add(classid)
            ahead += children.get(classid, [])
    for classid, command in own.items():
        if classid not in reached:
            raise ConfigurationError(f"{classid} stands below itself", command.line)
    return children


def _numbered(nodes: Iterable[Node], names: dict[str, str]) -> tuple[Node, ...]:
    """Nodes by their numbers: the order in which a text makes classes is parents first."""
    minors = {name: int(classid.partition(":")[2] or "0", 16) for classid, name in names.items()}
    return tuple(sorted(nodes, key=lambda node: minors[node.name]))


def _default(notes: DeviceNotes, qdisc: Command, options: Options, leaves: dict[str, str]) -> str:
    """The queue of packets that no filter takes; empty where they leave unshaped."""
    given = options.said("default")
    classid = f"{qdisc.handle}{given.value:x}" if given else ""
    if classid in leaves:
        return leaves[classid]
    why = f"No packets wait in {classid}, the default" if classid else "There is no default class"
    lost = f"{why}: unclassified packets leave at once; here such a stream is an error."
    notes.lose(qdisc, lost)
    return ""


def _rate_of(part: Part) -> Value:
    """The rate of a class of htb."""
    if (rate := part.options.said("rate")) is None:
        raise ConfigurationError("a class of htb needs a rate above 0", part.command.line)
    return rate


def _burst_of(options: Options, name: str, rate: Value) -> Value:
    """The burst of a rate: as given, or what iproute2 makes of the rate."""
    if given := options.said(name):
        return given
    mtu = options.get("mtu") or by_default("htb_burst")
    size = units.octets(rate.value) // HZ + mtu.value
    return by_default("htb_burst", int(size))._replace(line=mtu.line)


def _ceil_of(part: Part) -> Value:
    return part.options.said("ceil") or by_default("htb_ceil", _rate_of(part).value)


def _node(notes: DeviceNotes, command: Command, node: Node) -> Node:
    return _rates(notes.part(command, f"scheduler.nodes[{node.name!r}]"), node)


def _leaf(
    notes: DeviceNotes, command: Command, name: str, found: Classification, htb_options: Options
) -> Queue:
    """A class of htb that packets wait in."""
    part = notes.part(command, f"queues[{name!r}]")
    below = notes.device.child_of(command.handle)
    leaf = queue_parts(notes, below, part.where, ceil_bps=_ceil_of(part).value)
    queue = _rates(part, _queue(name, leaf._replace(shaper=None), found))
    priority = part.options.get("prio") or by_default("htb_prio", 0)
    part.number("priority", priority)
    quantum = part.options.said("quantum") or _quantum(part, htb_options.get("r2q"))
    return queue.replace(
        priority=min(priority.value, HTB_PRIORITIES - 1),
        quantum_bytes=part.number("quantum_bytes", quantum),
    )


def _rates(part: Part, of: Class) -> Class:
    """A queue or node with the rates of its class of htb."""
    rate, ceil = _rate_of(part), _ceil_of(part)
    count_frames(part)
    return htb(
        of,
        part.number("guaranteed_bps", rate),
        part.number("shaper.rate_bps", ceil),
        burst_bytes=int(
            part.number("guaranteed_burst_bytes", _burst_of(part.options, "burst", rate))
        ),
        cburst_bytes=int(
            part.number("shaper.burst_bytes", _burst_of(part.options, "cburst", ceil))
        ),
    )


def _quantum(part: Part, r2q: Value | None) -> Value:
    """The quantum of a class of htb that says none."""
    if part.command.shown and not part.command.detailed:
        part.lose("Only tc -d shows the quantum: the default is taken.")
    least, most = HTB_QUANTA_BYTES
    share = max(r2q.value, 1) if r2q else 10
    size = int(min(max(units.octets(_rate_of(part).value) // share, least), most))
    return by_default("htb_quantum", size)._replace(line=r2q.line if r2q else 0)
