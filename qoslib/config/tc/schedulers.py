"""Schedulers without a tree: prio, drr, qfq, a single queue, and what stands below one class."""

from qoslib.config.records import ConfiguredClass
from qoslib.config.source import ConfigurationError
from qoslib.config.tc.classes import bands_of, by_priority, classifier_of, describe, sort
from qoslib.config.tc.command import Command
from qoslib.config.tc.device import bands
from qoslib.config.tc.hierarchy import Inner, burst_of, htb_tree, rate_of
from qoslib.config.tc.options import by_default
from qoslib.config.tc.provenance import Notes, Unmodelled
from qoslib.config.tc.queues import Held, frames, held, no_slower
from qoslib.port import (
    DeficitRoundRobin,
    Fifo,
    PacketLimit,
    Queue,
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
    TailDrop,
)

__all__ = ["inner_of", "single"]

#: Kinds with classes of their own.
CLASSFUL = ("htb", "prio", "pfifo_fast", "drr", "qfq")


def inner_of(notes: Notes, qdisc: Command) -> Inner:
    """What a qdisc is: a queue, or a scheduler with its queues."""
    if (same := notes.device.classes.get(qdisc.handle)) is not None:
        where = f"{qdisc.handle}0 is the qdisc itself"
        raise Unmodelled(same, f"{where}: give the class a number, as in {qdisc.handle}10.")
    if qdisc.kind == "htb":
        own = [
            each for each in notes.device.classes.values() if each.handle.startswith(qdisc.handle)
        ]
        below = notes.device.child_of(own[0].handle) if len(own) == 1 else None
        if below is not None and below.kind in CLASSFUL:
            return _shaped(notes, own[0], below)
        return htb_tree(notes, qdisc)
    if qdisc.kind in ("prio", "pfifo_fast"):
        return _prio(notes, qdisc)
    if qdisc.kind in ("drr", "qfq"):
        return _round(notes, qdisc)
    own = [each for each in notes.device.classes.values() if each.handle.startswith(qdisc.handle)]
    if own:
        return _named(notes, qdisc, own)
    name = notes.name(qdisc.handle, qdisc.kind)
    return single(notes, name, held(notes, qdisc, f"queues[{name!r}]"), qdisc)


def _named(notes: Notes, qdisc: Command, own: list[Command]) -> Inner:
    """The classes of a scheduler that no port describes: their names, filters and places alone."""
    above = {each.parent for each in own}
    names = {each.handle: notes.name(each.handle) for each in own if each.handle not in above}
    leaf = held(notes, qdisc, "")
    found = sort(notes, qdisc.handle, names)
    classifier = classifier_of(found.rules, found.default or "")
    nodes = {each.handle: notes.name(each.handle) for each in own if each.handle in above}
    entries = [
        (names[each.handle], each.handle, each, nodes.get(each.parent, ""))
        for each in own
        if each.handle in names
    ]
    describe(notes, classifier, found, entries)
    queues = tuple(Queue(name, leaf.limit, leaf.dropper) for name in names.values())
    return Inner(queues, StrictPriority(), classifier)


def single(notes: Notes, name: str, found: Held, qdisc: Command) -> Inner:
    """The only queue of a port."""
    said = (notes.statement(qdisc),)
    notes.classes.append(ConfiguredClass(name, name, ("the rest",), qdisc.line, statements=said))
    queue = Queue(name, found.limit, found.dropper, shaper=found.shaper)
    return Inner((queue,), Fifo())


def _shaped(notes: Notes, command: Command, below: Command) -> Inner:
    """One class of HTB with classes of another kind below it: a shaper on the whole port."""
    options = notes.options(command)
    rate, burst = rate_of(command, options), burst_of(options, "burst", rate_of(command, options))
    frames(notes, command, options)
    shaper = Shaper(notes.at("shaper.rate_bps", rate), int(notes.at("shaper.burst_bytes", burst)))
    inner = inner_of(notes, below)
    if inner.shaper is not None:
        no_slower(notes, below, inner.shaper.rate_bps, shaper.rate_bps)
    return inner._replace(shaper=shaper)


def _leaf(notes: Notes, classid: str, name: str) -> Held:
    return held(notes, notes.device.child_of(classid), f"queues[{name!r}]")


def _prio(notes: Notes, qdisc: Command) -> Inner:
    options = notes.options(qdisc)
    number = options.get("bands") or by_default("prio_bands")
    count = bands(qdisc)
    ids = [f"{qdisc.handle}{band:x}" for band in range(1, count + 1)]
    names = [notes.name(each) for each in ids]
    limits = []
    for each, name in zip(ids, names, strict=True):
        if qdisc.kind == "pfifo_fast":
            given = notes.device.queue_length
            length = notes.options(given)["packets"] if given else by_default("pfifo_fast_limit")
            size = PacketLimit(int(notes.at(f"queues[{name!r}].limit.packets", length)))
            limits.append(Held(size, TailDrop()))
        else:
            limits.append(_leaf(notes, each, name))
    whole = bands_of(notes, qdisc, options, count)
    found = sort(notes, qdisc.handle, dict(zip(ids, names, strict=True)), ids[whole[0]])
    mapped, rest = by_priority(whole, names)
    if notes.device.names.get("the rest") == "":
        mapped, rest = [], ""
    taken = {mark for mark, _ in found.rules}
    mapped = [(mark, band) for mark, band in mapped if mark not in taken]
    rules = found.rules if found.default is not None else (*found.rules, *mapped)
    classifier = classifier_of(rules, found.default or rest)
    queues = []
    for level, (name, leaf) in enumerate(zip(names, limits, strict=True)):
        notes.at(f"queues[{name!r}].priority", number._replace(value=level))
        queue = Queue(name, leaf.limit, leaf.dropper, found.policers.get(name), leaf.shaper)
        queues.append(queue.replace(priority=level))
    entries = [(name, each, None, "") for name, each in zip(names, ids, strict=True)]
    describe(notes, classifier, found, entries)
    return Inner(tuple(queues), StrictPriority(), classifier)


def _round(notes: Notes, qdisc: Command) -> Inner:
    notes.options(qdisc)
    own = [each for each in notes.device.classes.values() if each.handle.startswith(qdisc.handle)]
    if not own:
        raise Unmodelled(qdisc, f"{qdisc.kind} without classes sends nothing.")
    names = {each.handle: notes.name(each.handle) for each in own}
    found = sort(notes, qdisc.handle, names)
    classifier = classifier_of(found.rules, found.default or "")
    if found.default is None:
        if not found.rules and not own[0].shown and not notes.device.sorted_elsewhere:
            lost = f"No filter leads to a class: {qdisc.kind} drops every packet, unless an"
            raise Unmodelled(qdisc, f"{lost} application gives it its class (SO_PRIORITY).")
        notes.lose(qdisc, "Unclassified packets are dropped; here such a stream is an error.")
    queues = []
    for command in own:
        if command.kind != qdisc.kind:
            raise ConfigurationError(
                f"a class of {command.kind[:40]} below {qdisc.kind}", command.line
            )
        name, options = names[command.handle], notes.options(command)
        each = _leaf(notes, command.handle, name)
        queue = Queue(name, each.limit, each.dropper, found.policers.get(name), each.shaper)
        if qdisc.kind == "drr":
            if command.shown and "quantum" not in options:
                notes.lose(command, "tc -j leaves out the quantum: the default is taken.")
            quantum = options.get("quantum") or by_default("drr_quantum")
            size = int(notes.at(f"queues[{name!r}].quantum_bytes", quantum))
            queues.append(queue.replace(quantum_bytes=size))
        else:
            weight = options.get("weight") or by_default("qfq_weight")
            value = float(notes.at(f"queues[{name!r}].weight", weight))
            if not 1 <= value <= 1023:
                raise ConfigurationError("a weight of qfq is 1 to 1023", command.line)
            queues.append(queue.replace(weight=value))
    entries = [(names[each.handle], each.handle, each, "") for each in own]
    describe(notes, classifier, found, entries)
    if qdisc.kind == "drr":
        return Inner(tuple(queues), DeficitRoundRobin(), classifier)
    notes.lose(
        qdisc, "qfq groups classes and rounds their time stamps; here each has its exact tag."
    )
    return Inner(tuple(queues), StartTimeFairQueueing(), classifier)
