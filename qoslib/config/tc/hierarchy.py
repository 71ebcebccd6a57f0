"""The tree of htb: its classes as queues and nodes."""

from typing import NamedTuple, TypeVar

from qoslib import units
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.tc.classes import classifier_of, describe, sort
from qoslib.config.tc.command import Command
from qoslib.config.tc.options import Given, Options, by_default
from qoslib.config.tc.provenance import Notes, Unmodelled
from qoslib.config.tc.queues import frames, held
from qoslib.platforms.trees import HTB_QUANTA_BYTES, htb
from qoslib.port import Classifier, HierarchicalTokenBucket, Node, Queue, Scheduler, Shaper

__all__ = ["Inner", "burst_of", "htb_tree", "rate_of"]

#: What iproute2 takes as the ticks of a clock per second where timers are precise.
HZ = 10**9
#: Priorities of HTB: a larger one counts as the last.
HTB_PRIORITIES = 8
Class = TypeVar("Class", Queue, Node)


class Inner(NamedTuple):
    """What stands behind the shapers and delays of a port."""

    queues: tuple[Queue, ...]
    scheduler: Scheduler
    classifier: Classifier = Classifier()
    shaper: Shaper | None = None


def htb_tree(notes: Notes, qdisc: Command) -> Inner:
    """The tree of an htb."""
    options = notes.options(qdisc)
    own = {k: each for k, each in notes.device.classes.items() if k.startswith(qdisc.handle)}
    if not own:
        raise Unmodelled(qdisc, "htb without classes shapes nothing, and no queue is here.")
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
    names = {each: notes.name(each) for each in (qdisc.handle, *own)}
    leaves = {each: names[each] for each in own if each not in children}
    found = sort(notes, qdisc.handle, leaves)
    default = _default(notes, qdisc, options, leaves) if found.default is None else found.default
    classifier = classifier_of(found.rules, default)
    queues, nodes = [], []
    entries: list[tuple[str, str, Command | None, str]] = []
    if len(tops) > 1 or tops[0] in leaves:
        nodes.append(Node(names[qdisc.handle], tuple(names[each] for each in tops)))
    for classid, command in own.items():
        check_time()
        name = names[classid]
        if classid in children:
            node = Node(name, tuple(names[each] for each in children[classid]))
            nodes.append(_htb_class(notes, node, command, options, f"scheduler.nodes[{name!r}]"))
            continue
        ceil_bps = _ceil_of(notes.options(command), rate_of(command, notes.options(command)))
        below = notes.device.child_of(classid)
        leaf = held(notes, below, f"queues[{name!r}]", ceil_bps=ceil_bps.value)
        queue = Queue(name, leaf.limit, leaf.dropper, found.policers.get(name))
        queues.append(_htb_class(notes, queue, command, options, f"queues[{name!r}]"))
        node_name = "" if command.parent == qdisc.handle else names[command.parent]
        entries.append((name, classid, command, node_name))
    describe(notes, classifier, found, entries)
    return Inner(tuple(queues), HierarchicalTokenBucket(_numbered(nodes, names)), classifier)


def _numbered(nodes: list[Node], names: dict[str, str]) -> tuple[Node, ...]:
    """Nodes by their numbers: the order in which a text makes classes is parents first."""
    minors = {name: int(classid.partition(":")[2] or "0", 16) for classid, name in names.items()}
    return tuple(sorted(nodes, key=lambda node: minors[node.name]))


def _no_cycle(top: str, children: dict[str, list[str]], own: dict[str, Command]) -> None:
    reached, ahead = set[str](), list(children.get(top, []))
    while ahead:
        check_time()
        classid = ahead.pop()
        if classid not in reached:
            reached.add(classid)
            ahead += children.get(classid, [])
    for classid, command in own.items():
        if classid not in reached:
            raise ConfigurationError(f"{classid} stands below itself", command.line)


def _default(notes: Notes, qdisc: Command, options: Options, leaves: dict[str, str]) -> str:
    """The queue of packets that no filter takes; empty where they leave unshaped."""
    given = options.get("default")
    classid = f"{qdisc.handle}{given.value:x}" if given and given.value else ""
    if classid in leaves:
        return leaves[classid]
    why = f"No packets wait in {classid}, the default" if classid else "There is no default class"
    notes.lose(
        qdisc,
        f"{why}: unclassified packets leave at once; here such a stream is an error.",
    )
    return ""


def rate_of(command: Command, options: Options) -> Given:
    """The rate of a class of htb."""
    if "rate" not in options or not options["rate"].value:
        raise ConfigurationError("a class of htb needs a rate above 0", command.line)
    return options["rate"]


def burst_of(options: Options, name: str, rate: Given) -> Given:
    """The burst of a rate: as given, or what iproute2 makes of the rate."""
    given = options.get(name)
    if given is not None and given.value:
        return given
    mtu = options.get("mtu")
    size = units.octets(rate.value) // HZ + (mtu.value if mtu else by_default("htb_burst").value)
    return by_default("htb_burst", int(size))._replace(line=mtu.line if mtu else 0)


def _ceil_of(options: Options, rate: Given) -> Given:
    ceil = options.get("ceil")
    return ceil if ceil and ceil.value else by_default("htb_ceil", rate.value)


def _htb_class(notes: Notes, of: Class, command: Command, glob: Options, where: str) -> Class:
    """A queue or node with the rates of its class."""
    options = notes.options(command)
    rate = rate_of(command, options)
    ceil = _ceil_of(options, rate)
    frames(notes, command, options)
    burst, cburst = burst_of(options, "burst", rate), burst_of(options, "cburst", ceil)
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
            notes.lose(command, "Only tc -d shows the quantum: the default is taken.")
        r2q = glob.get("r2q")
        share = max(r2q.value, 1) if r2q else 10
        least, most = HTB_QUANTA_BYTES
        size = int(min(max(units.octets(rate.value) // share, least), most))
        quantum = by_default("htb_quantum", size)._replace(line=r2q.line if r2q else 0)
    size = notes.at(f"{where}.quantum_bytes", quantum)
    return htb(of, *rates, prio=level, quantum_bytes=size, **bursts)
