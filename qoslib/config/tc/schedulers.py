"""Qdiscs with classes: htb, prio, drr and qfq, and a single queue."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from qoslib import units
from qoslib.config.conditioners import token_bucket
from qoslib.config.records import ConfiguredClass
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.sourced import Sourced, by_name, made, number
from qoslib.config.tc.cake import tins
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
    count_frames,
    no_slower,
    packets,
    queue_fields,
    queue_length,
)
from qoslib.config.tc.transmit_queues import classes_of_traffic, transmit_queue
from qoslib.config.values import Value
from qoslib.platforms.trees import HTB_QUANTA_BYTES
from qoslib.port import (
    CakeTins,
    Classifier,
    DeficitRoundRobin,
    Fifo,
    HierarchicalTokenBucket,
    Node,
    Queue,
    Scheduler,
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
)

__all__ = ["NO_DEFAULT", "Inner", "inner_of", "single"]

#: What iproute2 takes as the ticks of a clock per second where timers are precise.
HZ = 10**9
#: Priorities of HTB: a larger one counts as the last.
HTB_PRIORITIES = 8
#: Most weight of a class of qfq.
MOST_WEIGHT = 1023
#: Where HTB keeps what no filter takes, if no class is its default.
DIRECT = "unclassified"
#: Behind a class that is the default and that no packets wait in.
NO_DEFAULT = ", the default, "
#: Kinds with classes of their own.
CLASSFUL = ("htb", "prio", "pfifo_fast", "drr", "qfq")


class Inner(NamedTuple):
    """What stands behind the shapers and delays of a port."""

    queues: list[Sourced[Queue]]
    scheduler: Scheduler | Sourced[Scheduler]
    classifier: Classifier = Classifier()
    shaper: Sourced[Shaper] | None = None
    #: Of a shaper without a burst, which is the line of the port.
    rate: Value | None = None


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
    if qdisc.kind == "cake":
        queues, classifier, rate = tins(notes.part(qdisc))
        return Inner(queues, CakeTins(), classifier, rate=rate)
    if qdisc.kind == "mqprio":
        queues, classifier = classes_of_traffic(notes, qdisc)
        return Inner(queues, DeficitRoundRobin(), classifier)
    if qdisc.kind == "mq":
        name = notes.name(qdisc.handle, qdisc.kind)
        return single(notes, name, transmit_queue(notes, qdisc), qdisc)
    if own:
        return _named(notes, qdisc, own)
    name = notes.name(qdisc.handle, qdisc.kind)
    return single(notes, name, queue_fields(notes, qdisc), qdisc)


def single(notes: DeviceNotes, name: str, fields: dict[str, object], qdisc: Command) -> Inner:
    """The only queue of a port."""
    said = (notes.statement(qdisc),)
    notes.classes.append(ConfiguredClass(name, name, ("the rest",), qdisc.line, statements=said))
    return Inner([made(Queue, name=name, **fields)], Fifo())


def _named(notes: DeviceNotes, qdisc: Command, own: dict[str, Command]) -> Inner:
    """The classes of a scheduler that no port describes: their names, filters and places alone."""
    above = {each.parent for each in own.values()}
    names = {classid: notes.name(classid) for classid in own if classid not in above}
    fields = queue_fields(notes, qdisc) | {"shaper": None}
    found = classify(notes, qdisc.handle, names)
    nodes = {classid: notes.name(classid) for classid in own if classid in above}
    classifier = classifier_of(found.rules, found.default or "")
    describe(notes, classifier, found, names, own, nodes)
    queues = [made(Queue, name=name, **fields) for name in names.values()]
    return Inner(queues, StrictPriority(), classifier)


def _shaped(notes: DeviceNotes, command: Command, below: Command) -> Inner:
    """One class of HTB with classes of another kind below it: a shaper on the whole port."""
    part = notes.part(command)
    rate = _rate_of(part)
    burst = _burst_of(part.options, "burst", rate)
    count_frames(part)
    shaper = token_bucket(rate, burst)
    inner = inner_of(notes, below)
    if inner.shaper is not None:
        no_slower(notes, below, inner.shaper.part.rate_bps, shaper.part.rate_bps)
    return inner._replace(shaper=shaper)


def _prio(notes: DeviceNotes, qdisc: Command) -> Inner:
    part, count = notes.part(qdisc), bands(qdisc)
    names = {
        classid: notes.name(classid)
        for classid in (f"{qdisc.handle}{band:x}" for band in range(1, count + 1))
    }
    leaves = [_band(part, classid) for classid in names]
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
    given = part.options.given("bands")
    queues = [
        _queue(name, found, leaf | {"priority": given._replace(value=level)})
        for level, (name, leaf) in enumerate(zip(names.values(), leaves, strict=True))
    ]
    describe(notes, classifier, found, names, {}, {})
    return Inner(queues, StrictPriority(), classifier)


def _band(qdisc: Part, classid: str) -> dict[str, object]:
    """The queue of a band; those of pfifo_fast are as long as the device's own."""
    notes = qdisc.notes
    if qdisc.command.kind != "pfifo_fast":
        return queue_fields(notes, notes.device.child_of(classid))
    return {"limit": packets(queue_length(notes, "pfifo_fast_limit"))}


def _queue(name: str, found: Classification, fields: dict[str, object]) -> Sourced[Queue]:
    return made(Queue, name=name, policer=found.policers.get(name), **fields)


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
        part = notes.part(command)
        leaf = queue_fields(notes, notes.device.child_of(classid))
        queues.append(_queue(names[classid], found, leaf | _turn(part)))
    describe(notes, classifier, found, names, own, {})
    if qdisc.kind == "drr":
        return Inner(queues, DeficitRoundRobin(), classifier)
    lost = "qfq groups classes and rounds their time stamps; here each has its exact tag."
    notes.lose(qdisc, lost)
    return Inner(queues, StartTimeFairQueueing(), classifier)


def _same_kind(command: Command, qdisc: Command) -> None:
    if command.kind != qdisc.kind:
        problem = f"a class of {command.kind[:40]} below {qdisc.kind}"
        raise ConfigurationError(problem, command.line)


def _turn(part: Part) -> dict[str, object]:
    """What a queue sends in its turn: a quantum of drr or a weight of qfq."""
    command, options = part.command, part.options
    if command.kind == "drr":
        if command.shown and "quantum" not in options:
            part.lose("tc -j leaves out the quantum: the default is taken.")
        quantum = options.given("quantum")
        return {"quantum_bytes": number(int(quantum.value), quantum)}
    weight = options.given("weight")
    if not 1 <= weight.value <= MOST_WEIGHT:
        raise ConfigurationError(f"a weight of qfq is 1 to {MOST_WEIGHT}", command.line)
    return {"weight": number(float(weight.value), weight)}


def _htb(notes: DeviceNotes, qdisc: Command, own: dict[str, Command]) -> Inner:
    """The tree of an htb."""
    htb_options = notes.options(qdisc)
    children = _children(qdisc, own)
    names = {classid: notes.name(classid) for classid in (qdisc.handle, *own)}
    leaves = {classid: names[classid] for classid in own if classid not in children}
    found = classify(notes, qdisc.handle, leaves)
    default = found.default
    if default is None:
        default = _default(notes, qdisc, htb_options, own, leaves)
    direct = not default and notes.device.names.get("the rest") != ""
    classifier = classifier_of(found.rules, DIRECT if direct else default)
    queues, nodes = [], []
    tops = children[qdisc.handle]
    if len(tops) > 1 or tops[0] in leaves or direct:
        below = (*(names[each] for each in tops), *[DIRECT] * direct)
        nodes.append(made(Node, name=names[qdisc.handle], children=below))
    for classid, command in own.items():
        check_time()
        part, name = notes.part(command), names[classid]
        if classid in children:
            below = tuple(names[each] for each in children[classid])
            nodes.append(made(Node, name=name, children=below, **_rates(part)))
        else:
            queues.append(_queue(name, found, _leaf(part, htb_options.get("r2q"))))
    describe(notes, classifier, found, leaves, own, {each: names[each] for each in own})
    if direct:
        queues = _beside_direct(notes, qdisc, htb_options, queues)
    scheduler = made(HierarchicalTokenBucket, nodes=by_name(_numbered(nodes, names)))
    return Inner(queues, scheduler, classifier)


def _beside_direct(
    notes: DeviceNotes, qdisc: Command, options: Options, queues: list[Sourced[Queue]]
) -> list[Sourced[Queue]]:
    """Queues with the direct queue, which is emptied before all classes.

    Linux, net/sched/sch_htb.c, htb_enqueue and htb_dequeue. Here it is a class that is always
    within its rate, that of the line, and has a priority of its own before the others.
    """
    after = [
        each.with_fields(priority=number(each.part.priority + 1, each.sources["priority"]))
        for each in queues
    ]
    direct = made(
        Queue,
        name=DIRECT,
        limit=packets(options.said("direct_qlen") or queue_length(notes)),
        guaranteed_bps=notes.line_rate,
        guaranteed_burst_bytes=number(int(by_default("htb_burst").value), None),
        quantum_bytes=by_default("htb_quantum", HTB_QUANTA_BYTES[1]),
    )
    notes.classes.append(ConfiguredClass(DIRECT, DIRECT, ("the rest",), qdisc.line))
    return [*after, direct]


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
            raise ConfigurationError(f"{classid} is below itself", command.line)
    return children


def _numbered(nodes: Iterable[Sourced[Node]], names: dict[str, str]) -> list[Sourced[Node]]:
    """Nodes by their numbers: the order in which a text makes classes is parents first."""
    minors = {name: int(classid.partition(":")[2] or "0", 16) for classid, name in names.items()}
    return sorted(nodes, key=lambda node: minors[node.part.name])


def _default(
    notes: DeviceNotes,
    qdisc: Command,
    options: Options,
    own: Mapping[str, Command],
    leaves: Mapping[str, str],
) -> str:
    """The queue of packets that no filter takes; empty where it is the direct one."""
    given = options.said("default")
    classid = f"{qdisc.handle}{given.value:x}" if given else ""
    if classid in leaves:
        return leaves[classid]
    if given and given.value:
        why = "has classes below it" if classid in own else "is not in this text"
        lost = f"{classid}{NO_DEFAULT}{why}: {DIRECT} packets go before all classes, unshaped."
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


def _leaf(part: Part, r2q: Value | None) -> dict[str, object]:
    """A class of htb that packets wait in."""
    notes, command, options = part.notes, part.command, part.options
    below = notes.device.child_of(command.handle)
    fields = queue_fields(notes, below, _ceil_of(part).value) | _rates(part)
    priority = options.get("prio") or by_default("htb_prio", 0)
    return fields | {
        "priority": number(min(priority.value, HTB_PRIORITIES - 1), priority),
        "quantum_bytes": options.said("quantum") or _quantum(part, r2q),
    }


def _rates(part: Part) -> dict[str, object]:
    """What a queue or node has of its class of htb."""
    rate, ceil = _rate_of(part), _ceil_of(part)
    count_frames(part)
    burst = _burst_of(part.options, "burst", rate)
    return {
        "guaranteed_bps": rate,
        "guaranteed_burst_bytes": number(int(burst.value), burst),
        "shaper": token_bucket(ceil, _burst_of(part.options, "cburst", ceil)),
    }


def _quantum(part: Part, r2q: Value | None) -> Value:
    """The quantum of a class of htb that says none."""
    if part.command.shown and not part.command.detailed:
        part.lose("Only tc -d shows the quantum: the default is taken.")
    least, most = HTB_QUANTA_BYTES
    share = max(r2q.value, 1) if r2q else 10
    size = int(min(max(units.octets(_rate_of(part).value) // share, least), most))
    return by_default("htb_quantum", size)._replace(line=r2q.line if r2q else 0)
