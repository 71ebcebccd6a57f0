"""A device as a port: its chain of shapers and delays, its scheduler and its classes."""

from typing import NamedTuple, TypeVar

from qoslib import units
from qoslib.config.facts import Facts
from qoslib.config.reading import ConfiguredClass, ConfiguredPort, MissingFact
from qoslib.config.tc.classes import Sorted, bands_of, by_priority, policer, sort
from qoslib.config.tc.device import ONE_CHILD, Device, bands
from qoslib.config.tc.marks import selected
from qoslib.config.tc.notes import Notes, Unmodelled
from qoslib.config.tc.options import Given, Options, by_default
from qoslib.config.tc.queues import Held, bucket, bucket_limit, delay, frames, held
from qoslib.config.tc.words import INGRESS, Command
from qoslib.config.text import ConfigurationError
from qoslib.platforms.trees import HTB_QUANTA_BYTES, htb
from qoslib.port import (
    ByteLimit,
    Classifier,
    DeficitRoundRobin,
    Fifo,
    HierarchicalTokenBucket,
    Node,
    PacketLimit,
    Port,
    Queue,
    Scheduler,
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
    TailDrop,
)

__all__ = ["inward", "outward"]

#: What iproute2 takes as the ticks of a clock per second where timers are precise.
HZ = 10**9
#: Priorities of HTB: a larger one counts as the last.
HTB_PRIORITIES = 8
#: Kinds with classes of their own.
CLASSFUL = ("htb", "prio", "pfifo_fast", "drr", "qfq")


Class = TypeVar("Class", Queue, Node)


class Inner(NamedTuple):
    """What stands behind the shapers and delays of a port."""

    queues: tuple[Queue, ...]
    scheduler: Scheduler
    classifier: Classifier = Classifier()
    shaper: Shaper | None = None


def outward(device: Device, interface: str, facts: Facts) -> tuple[ConfiguredPort, Notes]:
    """The port of the packets that leave a device.

    Parameters
    ----------
    device : Device
        With a root.
    interface : str
    facts : Facts

    Returns
    -------
    port : ConfiguredPort
    notes : Notes

    Raises
    ------
    ConfigurationError
        If the queues cannot be.
    """
    notes = Notes(device, interface, facts)
    root = device.root
    assert root is not None
    policy = f"{root.kind} {root.handle}"
    try:
        shaper, delay_s, qdisc, alone = _chain(notes, root)
        inner = alone or _inner(notes, qdisc)
    except Unmodelled as reason:
        notes.lose(reason.command, reason.lost)
        empty = ConfiguredPort(interface, "out", None, policy=policy, line=root.line)
        return empty, notes
    if inner.shaper is not None:
        if shaper is not None:
            notes.lose(qdisc, "a second shaper: here only the outer one holds")
        else:
            shaper = inner.shaper
    if delay_s:
        notes.at("base_delay_s", Given(delay_s, root.line))
    return _finished(notes, "out", inner, policy, root.line, shaper, delay_s), notes


def _finished(
    notes: Notes,
    direction: str,
    inner: Inner,
    policy: str,
    line: int,
    shaper: Shaper | None = None,
    delay_s: float = 0.0,
) -> ConfiguredPort:
    """With the facts of the reader; without a line rate there is no port."""
    overhead_bytes = _overhead(notes)
    ring = notes.fact("transmit_ring_packets")
    base_delay_s = delay_s + (notes.fact("base_delay_s") or 0.0)
    missing: tuple[MissingFact, ...] = ()
    port = None
    if notes.knows_line_rate and notes.line_rate.value:
        port = Port(
            notes.device.names.get("0:") or notes.interface,
            notes.fact("line_rate_bps") or 0.0,
            inner.queues,
            inner.scheduler,
            overhead_bytes,
            inner.classifier,
            transmit_ring_packets=int(ring or 0),
            shaper=shaper,
            base_delay_s=base_delay_s,
        )
    else:
        question = f"what is the line rate of {notes.interface}?"
        missing = (notes.facts.missing(notes.interface, "line_rate_bps", question, line),)
    classes = tuple(notes.classes)
    return ConfiguredPort(
        notes.interface,
        "in" if direction == "in" else "out",
        port,
        classes,
        tuple(notes.origins),
        missing,
        policy,
        line,
    )


def _overhead(notes: Notes) -> float:
    given = notes.facts.number(notes.interface, "overhead_bytes")
    said = {each.value for each in notes.overheads}
    if given is not None:
        return float(notes.fact("overhead_bytes") or 0.0)
    counted = [each for each in notes.overheads if each.value]
    if not counted:
        return 0.0
    if len(said) > 1:
        root = notes.device.root
        assert root is not None
        notes.lose(root, "classes that count frames with different overheads: here all have one")
    return float(notes.at("overhead_bytes", counted[0]))


def _chain(notes: Notes, root: Command) -> tuple[Shaper | None, float, Command, Inner | None]:
    """Shapers and delays from the root on, what stands below, and a queue if they end in one."""
    qdisc, shaper, delay_s = root, None, 0.0
    while qdisc.kind in ONE_CHILD:
        options = notes.options(qdisc)
        if qdisc.kind == "netem":
            delay_s += delay(notes, qdisc, options)
        elif shaper is not None:
            return shaper, delay_s, qdisc, None
        else:
            shaper = bucket(notes, qdisc, options, "shaper")
        below = notes.device.only_child_of(qdisc)
        if below is None:
            return shaper, delay_s, qdisc, _alone(notes, root, qdisc, options)
        qdisc = below
    return shaper, delay_s, qdisc, None


def _alone(notes: Notes, root: Command, qdisc: Command, options: Options) -> Inner:
    """The queue that a tbf or a netem without a qdisc below it is."""
    name = notes.name(qdisc.handle, qdisc.kind)
    where = f"queues[{name!r}].limit"
    if qdisc.kind == "tbf":
        size = notes.at(f"{where}.limit_bytes", bucket_limit(qdisc, options))
        found = Held(ByteLimit(size), TailDrop())
    else:
        packets = options.get("limit") or by_default("netem_limit")
        found = Held(PacketLimit(int(notes.at(f"{where}.packets", packets))), TailDrop())
        notes.lose(
            qdisc, "the limit of netem counts packets that are delayed as well as those waiting"
        )
    return _single(notes, name, found, qdisc)


def _single(notes: Notes, name: str, found: Held, qdisc: Command) -> Inner:
    said = (notes.statement(qdisc),)
    notes.classes.append(ConfiguredClass(name, name, ("the rest",), qdisc.line, statements=said))
    queue = Queue(name, found.limit, found.dropper, shaper=found.shaper)
    return Inner((queue,), Fifo())


def _inner(notes: Notes, qdisc: Command) -> Inner:
    if qdisc.kind == "htb":
        return _htb(notes, qdisc)
    if qdisc.kind in ("prio", "pfifo_fast"):
        return _prio(notes, qdisc)
    if qdisc.kind in ("drr", "qfq"):
        return _round(notes, qdisc)
    name = notes.name(qdisc.handle, qdisc.kind)
    return _single(notes, name, held(notes, qdisc, f"queues[{name!r}]"), qdisc)


def _leaf(notes: Notes, classid: str, name: str, *, shaped: bool = False) -> Held:
    child = notes.device.child_of(classid)
    return held(notes, child, f"queues[{name!r}]", shaped=shaped)


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
    found = sort(notes, qdisc.handle, dict(zip(ids, names, strict=True)))
    mapped, rest = by_priority(bands_of(notes, qdisc, options, count), names)
    if notes.device.names.get("the rest") == "":
        mapped, rest = [], ""
    rules = found.rules if found.default is not None else (*found.rules, *mapped)
    classifier = Classifier(tuple(rules), found.default or rest)
    queues = []
    for level, (name, leaf) in enumerate(zip(names, limits, strict=True)):
        notes.at(f"queues[{name!r}].priority", number._replace(value=level))
        queue = Queue(name, leaf.limit, leaf.dropper, found.policers.get(name), leaf.shaper)
        queues.append(queue.replace(priority=level))
        _class(notes, name, ids[level], None, classifier, found)
    return Inner(tuple(queues), StrictPriority(), classifier)


def _class(
    notes: Notes,
    name: str,
    classid: str,
    command: Command | None,
    classifier: Classifier,
    found: Sorted,
    node: str = "",
) -> None:
    """A class as the reader sees it."""
    marks = [mark for mark, queue in classifier.rules if queue == name]
    marks += ["the rest"] if name == classifier.default else []
    said = [command, notes.device.child_of(classid), *found.filters.get(name, [])]
    statements = tuple(notes.statement(each) for each in said if each is not None)
    line = command.line if command else 0
    notes.classes.append(
        ConfiguredClass(name, name, tuple(dict.fromkeys(marks)), line, node, statements)
    )


def _round(notes: Notes, qdisc: Command) -> Inner:
    notes.options(qdisc)
    own = [each for each in notes.device.classes.values() if each.handle.startswith(qdisc.handle)]
    if not own:
        raise ConfigurationError(f"{qdisc.kind} has no classes", qdisc.line)
    names = {each.handle: notes.name(each.handle) for each in own}
    found = sort(notes, qdisc.handle, names)
    classifier = Classifier(found.rules, found.default or "")
    if found.default is None:
        notes.lose(
            qdisc, "packets that no filter takes are dropped: here such a stream is an error"
        )
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
                notes.lose(command, "the quantum, which tc -j leaves out: the default stands here")
            quantum = options.get("quantum") or by_default("drr_quantum")
            size = int(notes.at(f"queues[{name!r}].quantum_bytes", quantum))
            queues.append(queue.replace(quantum_bytes=size))
        else:
            weight = options.get("weight") or by_default("qfq_weight")
            value = float(notes.at(f"queues[{name!r}].weight", weight))
            if not 1 <= value <= 1023:
                raise ConfigurationError("a weight of qfq is 1 to 1023", command.line)
            queues.append(queue.replace(weight=value))
        _class(notes, name, command.handle, command, classifier, found)
    if qdisc.kind == "drr":
        return Inner(tuple(queues), DeficitRoundRobin(), classifier)
    notes.lose(qdisc, "groups of classes and rounded time stamps: here each has its exact tag")
    return Inner(tuple(queues), StartTimeFairQueueing(), classifier)


def _htb(notes: Notes, qdisc: Command) -> Inner:
    options = notes.options(qdisc)
    own = {k: each for k, each in notes.device.classes.items() if k.startswith(qdisc.handle)}
    if not own:
        raise Unmodelled(qdisc, "htb without classes sends at once: nothing is shaped")
    children: dict[str, list[str]] = {}
    for classid, each in own.items():
        parent = each.parent
        if parent != qdisc.handle and parent not in own:
            raise ConfigurationError(f"the parent {parent or 'of this'} is missing", each.line)
        if each.kind != "htb":
            raise ConfigurationError(f"a class of {each.kind[:40]} below htb", each.line)
        children.setdefault(parent, []).append(classid)
    _no_cycle(qdisc.handle, children, own)
    tops = children[qdisc.handle]
    if len(own) == 1 and (below := notes.device.child_of(tops[0])) and below.kind in CLASSFUL:
        return _shaped(notes, own[tops[0]], below)
    names = {each: notes.name(each) for each in (qdisc.handle, *own)}
    leaves = {each: names[each] for each in own if each not in children}
    found = sort(notes, qdisc.handle, leaves)
    _other_filters(notes, qdisc)
    default = _default(notes, qdisc, options, leaves) if found.default is None else found.default
    classifier = Classifier(found.rules, default)
    queues, nodes = [], []
    if len(tops) > 1 or tops[0] in leaves:
        nodes.append(Node(names[qdisc.handle], tuple(names[each] for each in tops)))
    for classid, command in own.items():
        name = names[classid]
        if classid in children:
            node = Node(name, tuple(names[each] for each in children[classid]))
            nodes.append(_htb_class(notes, node, command, options, f"scheduler.nodes[{name!r}]"))
            continue
        leaf = _leaf(notes, classid, name, shaped=True)
        queue = Queue(name, leaf.limit, leaf.dropper, found.policers.get(name))
        queues.append(_htb_class(notes, queue, command, options, f"queues[{name!r}]"))
        node_name = "" if command.parent == qdisc.handle else names[command.parent]
        _class(notes, name, classid, command, classifier, found, node_name)
    return Inner(tuple(queues), HierarchicalTokenBucket(_numbered(nodes, names)), classifier)


def _numbered(nodes: list[Node], names: dict[str, str]) -> tuple[Node, ...]:
    """Nodes by their numbers: the order in which a text makes classes is parents first."""
    minors = {name: int(classid.partition(":")[2] or "0", 16) for classid, name in names.items()}
    return tuple(sorted(nodes, key=lambda node: minors[node.name]))


def _no_cycle(top: str, children: dict[str, list[str]], own: dict[str, Command]) -> None:
    reached, ahead = set[str](), list(children.get(top, []))
    while ahead:
        classid = ahead.pop()
        reached.add(classid)
        ahead += children.get(classid, [])
    for classid, command in own.items():
        if classid not in reached:
            raise ConfigurationError(f"{classid} stands below itself", command.line)


def _shaped(notes: Notes, command: Command, below: Command) -> Inner:
    """One class of HTB with classes of another kind below it: a shaper on the whole port."""
    options = notes.options(command)
    rate, burst = _rate(command, options), _burst(options, "burst", _rate(command, options))
    frames(notes, command, options)
    shaper = Shaper(notes.at("shaper.rate_bps", rate), int(notes.at("shaper.burst_bytes", burst)))
    inner = _inner(notes, below)
    if inner.shaper is not None:
        notes.lose(below, "a second shaper: here only the outer one holds")
    return inner._replace(shaper=shaper)


def _other_filters(notes: Notes, qdisc: Command) -> None:
    for _, command in notes.device.filters:
        if command.parent.startswith(qdisc.handle) and command.parent != qdisc.handle:
            notes.lose(command, f"filters of the class {command.parent} are not read")
        elif command.parent == "egress":
            notes.lose(command, "filters in front of the qdisc are not read")


def _default(notes: Notes, qdisc: Command, options: Options, leaves: dict[str, str]) -> str:
    """The queue of packets that no filter takes; empty where they leave unshaped."""
    given = options.get("default")
    classid = f"{qdisc.handle}{given.value:x}" if given and given.value else ""
    if classid in leaves:
        return leaves[classid]
    why = f"the default {classid} holds no packets" if classid else "there is no default class"
    notes.lose(
        qdisc,
        f"{why}: packets that no filter takes leave at once, and here such a stream is an error",
    )
    return ""


def _rate(command: Command, options: Options) -> Given:
    if "rate" not in options or not options["rate"].value:
        raise ConfigurationError("a class of htb needs a rate above 0", command.line)
    return options["rate"]


def _burst(options: Options, name: str, rate: Given) -> Given:
    given = options.get(name)
    if given is not None and given.value:
        return given
    mtu = options.get("mtu")
    size = units.octets(rate.value) // HZ + (mtu.value if mtu else by_default("htb_burst").value)
    return by_default("htb_burst", int(size))._replace(line=mtu.line if mtu else 0)


def _htb_class(notes: Notes, of: Class, command: Command, glob: Options, where: str) -> Class:
    """A queue or node with the rates of its class."""
    options = notes.options(command)
    rate = _rate(command, options)
    ceil = options.get("ceil")
    ceil = ceil if ceil and ceil.value else by_default("htb_ceil", rate.value)
    frames(notes, command, options)
    burst, cburst = _burst(options, "burst", rate), _burst(options, "cburst", ceil)
    rates = (
        notes.at(f"{where}.guaranteed_bps", rate),
        notes.at(f"{where}.shaper.rate_bps", ceil),
    )
    bursts = {
        "burst_bytes": int(notes.at(f"{where}.guaranteed_burst_bytes", burst)),
        "cburst_bytes": int(notes.at(f"{where}.shaper.burst_bytes", cburst)),
    }
    if isinstance(of, Node):
        return htb(of, *rates, **bursts)
    prio = options.get("prio") or by_default("htb_prio", 0)
    level = min(prio.value, HTB_PRIORITIES - 1)
    notes.at(f"{where}.priority", prio)
    quantum = options.get("quantum")
    if quantum is None or not quantum.value:
        if command.shown and not command.detailed:
            notes.lose(command, "its quantum, which tc -d shows: the default stands here")
        r2q = glob.get("r2q")
        share = max(r2q.value, 1) if r2q else 10
        least, most = HTB_QUANTA_BYTES
        size = int(min(max(units.octets(rate.value) // share, least), most))
        quantum = by_default("htb_quantum", size)._replace(line=r2q.line if r2q else 0)
    size = notes.at(f"{where}.quantum_bytes", quantum)
    return htb(of, *rates, prio=level, quantum_bytes=size, **bursts)


def inward(device: Device, interface: str, facts: Facts) -> tuple[ConfiguredPort, Notes]:
    """The port of the packets that come in: policers, and no queue.

    Parameters
    ----------
    device : Device
        With a qdisc of packets that come in.
    interface : str
    facts : Facts

    Returns
    -------
    port : ConfiguredPort
    notes : Notes
    """
    notes = Notes(device, interface, facts)
    qdisc = device.ingress
    assert qdisc is not None
    queues, rules = [], list[tuple[str, str]]()
    default = ""
    own = [each for each in device.filters if each[1].parent == INGRESS]
    for number, (_, command) in enumerate(sorted(own, key=lambda each: each[0]), 1):
        if default:
            notes.lose(command, "an earlier filter takes every packet, so this one sees none")
            continue
        chosen = selected(command)
        for lost in chosen.lost:
            notes.lose(command, lost)
        if chosen.police is None:
            continue
        marks = tuple(notes.name(mark) for mark in chosen.marks)
        name = f"policer {number}"
        meter = policer(notes, command, chosen.police, f"queues[{name!r}].policer")
        if meter is None:
            continue
        limit = by_default("ingress_limit")
        packets = int(notes.at(f"queues[{name!r}].limit.packets", limit))
        queues.append(Queue(name, PacketLimit(packets), policer=meter))
        rules += [(mark, name) for mark in marks]
        default = default if marks else name
        said = (notes.statement(command),)
        notes.classes.append(
            ConfiguredClass(name, name, marks or ("the rest",), command.line, statements=said)
        )
    if queues and not default:
        packets = int(notes.at("queues['not policed'].limit.packets", by_default("ingress_limit")))
        queues.append(Queue("not policed", PacketLimit(packets)))
        default = "not policed"
        notes.classes.append(ConfiguredClass("not policed", "not policed", ("the rest",)))
    if not queues:
        return ConfiguredPort(interface, "in", None, policy=qdisc.kind, line=qdisc.line), notes
    scheduler: Scheduler = StrictPriority() if len(queues) > 1 else Fifo()
    inner = Inner(tuple(queues), scheduler, Classifier(tuple(rules), default))
    return _finished(notes, "in", inner, qdisc.kind, qdisc.line), notes
