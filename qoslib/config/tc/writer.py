"""Write a port as a script of tc commands: with a scheduler of tc, or as the htb most like it."""

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from qoslib.config.differences import Written, facts_of, lost_in_text
from qoslib.config.guarantees import root_of
from qoslib.config.tc.amounts import rate_bps
from qoslib.config.tc.cake import cake_words
from qoslib.config.tc.emit import Emitter, queue_words
from qoslib.config.tc.options import words_of
from qoslib.config.tc.reader import read_tc
from qoslib.platforms.trees import HTB_BURST_BYTES, HTB_QUANTA_BYTES, htb
from qoslib.port import (
    CakeTins,
    DeficitRoundRobin,
    Fifo,
    HierarchicalTokenBucket,
    ModifiedDrr,
    Node,
    Port,
    PriorityLevels,
    Queue,
    SchedulerTree,
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
    WeightedRoundRobin,
)

__all__ = ["write_tc"]

#: Most bands of prio, priorities of htb, weight of qfq and levels of classes of htb.
BANDS, PRIORITIES, WEIGHT, LEVELS = 16, 8, 1023, 8
#: The least rate of a class of htb: a byte per second.
LEAST_BPS = rate_bps("8bit", 0)
#: Field of a queue -> the word of its class of htb.
_COMMANDS = {
    "guaranteed_bps": "rate", "guaranteed_burst_bytes": "burst", "priority": "prio",
    "quantum_bytes": "quantum", "shaper": "ceil",
}  # fmt: skip
#: Quantum of the class with the least weight [B].
QUANTUM_BYTES = 1514
#: A class without a guarantee gets this share of the line: htb has none without a rate.
LEAST_SHARE = 0.001
#: Where a shaper of the whole port stands above the scheduler.
SHAPER = "ffe:"


def write_tc(port: Port, interface: str) -> Written:
    """Write a port as tc commands to paste.

    Priorities with guarantees, as of Junos and of IOS XE, become htb, and MDRR becomes drr;
    turns of packets become weights of qfq.

    >>> from qoslib.port import PacketLimit
    >>> print(write_tc(Port("eth0", 1e9, (Queue("pfifo", PacketLimit(64)),)), "eth0").text, end="")
    tc qdisc del dev eth0 root 2>/dev/null || true
    tc qdisc add dev eth0 root handle 1: pfifo limit 64
    """
    plan = _plan(port)
    if isinstance(plan.scheduler, StrictPriority) and len(plan.queues) > BANDS:
        return Written("", lost=(f"prio has at most {BANDS} bands, so nothing is written.",))
    if isinstance(plan.scheduler, CakeTins) and not cake_words(plan, None):
        return Written("", lost=("cake has no tins like these, so nothing is written.",))
    script = Emitter(plan, interface)
    lost = _scheduler(script, plan)
    facts: dict[str, float | str] = {"line_rate_bps": port.rate_bps}
    if not script.counts:
        facts |= facts_of(port, "overhead_bytes")
    facts |= facts_of(port, "base_delay_s", "transmit_ring_packets")
    text = "\n".join(script.lines) + "\n"
    words = _COMMANDS if isinstance(plan.scheduler, HierarchicalTokenBucket) else {}
    lost += lost_in_text(port, text, facts, read_tc, words)
    moved = any("order" not in each and "children" not in each for each in lost)
    if moved and " match ip dsfield " in text:
        lost.append("The filters of DSCPs are for IPv4: IPv6 waits in the default class.")
    return Written(text, tuple(facts.items()), tuple(lost))


def _plan(port: Port) -> Port:
    """The port with a scheduler that tc has."""
    scheduler = port.scheduler
    if isinstance(scheduler, HierarchicalTokenBucket | CakeTins):
        return port
    if isinstance(scheduler, PriorityLevels | SchedulerTree):
        return _as_htb(port)
    if len(port.queues) == 1:
        return port.replace(scheduler=Fifo())
    if isinstance(scheduler, WeightedRoundRobin):
        return port.replace(scheduler=StartTimeFairQueueing())
    drr = isinstance(scheduler, ModifiedDrr)
    return port.replace(scheduler=DeficitRoundRobin()) if drr else port


def _scheduler(script: Emitter, port: Port) -> list[str]:
    """Write what a port has in front of its line; what the kernel would refuse."""
    if isinstance(port.scheduler, CakeTins):
        script.add("qdisc", f"root handle 1: {cake_words(port, script.overhead())}")
        return []
    fifo = isinstance(port.scheduler, Fifo)
    shaper = port.shaper or (port.queues[0].shaper if fifo else None)
    top = "root"
    if shaper is not None:
        script.bucket(top, SHAPER, shaper)
        top = f"parent {SHAPER}1"
    if isinstance(port.scheduler, HierarchicalTokenBucket):
        return _htb(script, port, port.scheduler.nodes, top)
    write = _fifo if fifo else _prio if isinstance(port.scheduler, StrictPriority) else _round
    write(script, port, top)
    return []


def _fifo(script: Emitter, port: Port, top: str) -> None:
    (queue,) = port.queues
    if port.shaper is None:
        queue = queue.replace(shaper=None)
    kind = "tbf" if queue.shaper else queue_words(queue, port.rate_bps).split()[0]
    if queue.name != kind:
        script.name("1:", queue.name)
    script.queue(queue, top, "1:")


def _prio(script: Emitter, port: Port, top: str) -> None:
    queues = sorted(port.queues, key=lambda queue: queue.priority)
    ids = {queue.name: f"1:{band:x}" for band, queue in enumerate(queues, 1)}
    for name, classid in ids.items():
        script.name(classid, name)
    default = port.classifier.default
    if not default:
        script.name("the rest", "")
    band = list(ids).index(default) if default else len(ids) - 1
    words = words_of("qdisc", "prio", bands=len(ids), priomap=[band] * 16)
    script.add("qdisc", f"{top} handle 1: {words}")
    for queue in queues:
        script.leaf(queue, ids[queue.name])
    script.filters(ids)


def _round(script: Emitter, port: Port, top: str) -> None:
    fair = isinstance(port.scheduler, StartTimeFairQueueing)
    kind = "qfq" if fair else "drr"
    script.add("qdisc", f"{top} handle 1: {kind}")
    ids = script.ids(port.queue_names)
    for queue in port.queues:
        classid = ids[queue.name]
        script.name(classid, queue.name)
        weight = min(max(round(queue.weight), 1), WEIGHT)
        share = {"weight": weight} if fair else {"quantum": queue.quantum_bytes or 1}
        script.add("class", f"parent 1: classid {classid} {words_of('class', kind, **share)}")
        script.leaf(queue, classid)
    script.filters(ids, catch_all=True)


def _htb(script: Emitter, port: Port, nodes: tuple[Node, ...], top: str) -> list[str]:
    """The classes of htb, parents first; what the kernel would refuse."""
    parents = {child: node.name for node in nodes for child in node.children}
    classes: dict[str, Queue | Node] = {node.name: node for node in nodes}
    classes |= {queue.name: queue for queue in port.queues}
    root = root_of(nodes)
    # A root that neither lends nor limits is what htb itself is to classes without a parent.
    several = len(root.children) > 1 or isinstance(classes[root.children[0]], Queue)
    free = not root.guaranteed_bps and root.shaper is None and several
    if free:
        del classes[root.name]
        script.name("1:", root.name)
    ids = script.ids(classes)
    default = ids.get(port.classifier.default, "").removeprefix("1:")
    if not default:
        script.name("the rest", "")
    script.add("qdisc", f"{top} handle 1: {words_of('qdisc', 'htb', default=default or None)}")
    for name in _emission_order(port.queues, nodes):
        if name not in classes:
            continue
        each, above = classes[name], ids.get(parents.get(name, ""), "1:")
        script.name(ids[name], name)
        script.add("class", f"parent {above} classid {ids[name]} {_rates(script, each)}")
        if isinstance(each, Queue):
            script.leaf(each, ids[name], shaped=True)
    script.filters(ids)
    if max(_depth(name, parents) for name in classes) - free >= LEVELS:
        return [f"htb has at most {LEVELS} levels of classes, so the kernel refuses these."]
    return []


def _depth(name: str, parents: dict[str, str]) -> int:
    depth = 0
    while name in parents:
        name, depth = parents[name], depth + 1
    return depth


def _rates(script: Emitter, each: Queue | Node) -> str:
    """A class of htb; without a ceiling it has that of the line."""
    return words_of(
        "class",
        "htb",
        rate=max(each.guaranteed_bps, LEAST_BPS),
        ceil=each.shaper.rate_bps if each.shaper else script.port.rate_bps,
        burst=each.guaranteed_burst_bytes or HTB_BURST_BYTES,
        cburst=each.shaper.burst_bytes if each.shaper else HTB_BURST_BYTES,
        prio=min(each.priority, PRIORITIES - 1) if isinstance(each, Queue) else None,
        quantum=each.quantum_bytes if isinstance(each, Queue) else None,
        overhead=script.overhead(),
    )


def _as_htb(port: Port) -> Port:
    """A port with priorities and guarantees as one with htb, which has their like."""
    least = min([queue.weight for queue in port.queues if queue.weight], default=1.0)
    queues = tuple(_htb_leaf(port, queue, least) for queue in port.queues)
    nodes = [_htb_node(port, node) for node in getattr(port.scheduler, "nodes", ())]
    if not nodes:
        name = next(n for n in ("1:1", "all", "all of it") if n not in port.queue_names)
        nodes = [htb(Node(name, port.queue_names), port.rate_bps)]
    return port.replace(queues=queues, scheduler=HierarchicalTokenBucket(tuple(nodes)))


def _htb_leaf(port: Port, queue: Queue, least_weight: float) -> Queue:
    """A queue as a class of htb: one with twice the share sends twice the quantum."""
    ceil = queue.shaper or Shaper(port.rate_bps, HTB_BURST_BYTES)
    least, most = HTB_QUANTA_BYTES
    return htb(
        queue.replace(weight=1.0, excess_priority=None),
        _guaranteed_bps(port, queue),
        ceil.rate_bps,
        prio=queue.priority,
        quantum_bytes=int(min(max(QUANTUM_BYTES * queue.weight / least_weight, least), most)),
        cburst_bytes=ceil.burst_bytes,
    )


def _guaranteed_bps(port: Port, queue: Queue) -> float:
    """Its rate: of a strict queue what its policer lets pass, or all."""
    if queue.priority < getattr(port.scheduler, "strict_levels", 0):
        return queue.policer.rate_bps if queue.policer else port.rate_bps
    return queue.guaranteed_bps or port.rate_bps * LEAST_SHARE


def _htb_node(port: Port, node: Node) -> Node:
    ceil = node.shaper or Shaper(port.rate_bps, HTB_BURST_BYTES)
    own_bps = node.guaranteed_bps or min(ceil.rate_bps, port.rate_bps)
    return htb(node.replace(weight=1.0), own_bps, ceil.rate_bps, cburst_bytes=ceil.burst_bytes)


def _emission_order(queues: Sequence[Queue], nodes: Sequence[Node]) -> list[str]:
    """Names of queues and nodes, parents first, as far as it goes in the order that they have.

    >>> from qoslib.port import PacketLimit
    >>> queues = [Queue(name, PacketLimit(9)) for name in ("a", "b")]
    >>> _emission_order(queues, [Node("below", ("b",)), Node("top", ("a", "below"))])
    ['top', 'a', 'below', 'b']
    """
    names = [*(node.name for node in nodes), *(queue.name for queue in queues)]
    needed = [(node.name, child) for node in nodes for child in node.children]
    as_queues = list(pairwise(queue.name for queue in queues))
    as_nodes = list(pairwise(node.name for node in nodes))
    as_children = [pair for node in nodes for pair in pairwise(node.children)]
    for wishes in (
        [*as_queues, *as_children, *as_nodes],
        [*as_queues, *as_children],
        [*as_queues],
        [],
    ):
        graph: dict[str, list[str]] = {name: [] for name in names}
        for first, then in (*needed, *wishes):
            graph[then].append(first)
        try:
            return list(TopologicalSorter(graph).static_order())
        except CycleError:
            continue
    return names
