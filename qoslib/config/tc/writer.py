"""Write a port as a script of tc commands."""

from qoslib.config.differences import differences
from qoslib.config.facts import Facts
from qoslib.config.tc.amounts import rate_bps, rate_word
from qoslib.config.tc.emit_filters import say_filters
from qoslib.config.tc.emit_queues import queue_words, say_queue
from qoslib.config.tc.lines import Lines
from qoslib.config.tc.reader import read_tc
from qoslib.config.tc.to_htb import as_htb, emission_order
from qoslib.config.write_record import Written
from qoslib.platforms.trees import HTB_BURST_BYTES
from qoslib.port import (
    DeficitRoundRobin,
    Fifo,
    HierarchicalTokenBucket,
    ModifiedDrr,
    Node,
    Port,
    PriorityLevels,
    Queue,
    SchedulerTree,
    StartTimeFairQueueing,
    StrictPriority,
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
#: Where a shaper of the whole port stands above the scheduler.
SHAPER = "ffe:"


def write_tc(port: Port, interface: str) -> Written:
    """Write a port as tc commands to paste.

    Priorities with guarantees, as of Junos and of IOS XE, become htb, and MDRR becomes drr.

    >>> from qoslib.port import PacketLimit
    >>> print(write_tc(Port("eth0", 1e9, (Queue("pfifo", PacketLimit(64)),)), "eth0").text, end="")
    tc qdisc del dev eth0 root 2>/dev/null || true
    tc qdisc add dev eth0 root handle 1: pfifo limit 64
    """
    plan = _plan(port)
    if isinstance(plan.scheduler, StrictPriority) and len(plan.queues) > BANDS:
        return Written("", lost=(f"prio has at most {BANDS} bands, so nothing is written.",))
    lines = Lines(plan, interface)
    shaper = plan.shaper
    if isinstance(plan.scheduler, Fifo):
        shaper = shaper or plan.queues[0].shaper
    if shaper is not None:
        lines.bucket("root", SHAPER, shaper)
    top = "root" if shaper is None else f"parent {SHAPER}1"
    lost = []
    if isinstance(plan.scheduler, Fifo):
        _fifo(lines, plan, top)
    elif isinstance(plan.scheduler, StrictPriority):
        _prio(lines, plan, top)
    elif isinstance(plan.scheduler, HierarchicalTokenBucket):
        lost = _htb(lines, plan, plan.scheduler.nodes, top)
    else:
        _round(lines, plan, top)
    facts: dict[str, float | str] = {"line_rate_bps": port.rate_bps}
    if port.overhead_bytes and not lines.counts:
        facts["overhead_bytes"] = port.overhead_bytes
    for name in ("base_delay_s", "transmit_ring_packets"):
        facts |= {name: getattr(port, name)} if getattr(port, name) else {}
    text = "\n".join(lines.made) + "\n"
    back = read_tc(text, Facts(facts)).ports[0].port
    assert back is not None
    words = _COMMANDS if isinstance(plan.scheduler, HierarchicalTokenBucket) else {}
    lost += differences(port, back, words)
    moved = any("order" not in each and "children" not in each for each in lost)
    if moved and " match ip dsfield " in text:
        lost.append("The filters of DSCPs are for IPv4: IPv6 waits in the default class.")
    return Written(text, tuple(facts.items()), tuple(lost))


def _plan(port: Port) -> Port:
    """The port with a scheduler that tc has."""
    scheduler = port.scheduler
    if isinstance(scheduler, HierarchicalTokenBucket):
        return port
    if isinstance(scheduler, PriorityLevels | SchedulerTree):
        return as_htb(port)
    if len(port.queues) == 1:
        return port.replace(scheduler=Fifo())
    return (
        port.replace(scheduler=DeficitRoundRobin()) if isinstance(scheduler, ModifiedDrr) else port
    )


def _fifo(lines: Lines, port: Port, top: str) -> None:
    (queue,) = port.queues
    if port.shaper is None:
        queue = queue.replace(shaper=None)
    kind = "tbf" if queue.shaper else queue_words(queue, port.rate_bps).split()[0]
    if queue.name != kind:
        lines.name("1:", queue.name)
    say_queue(lines, queue, top, "1:", port.rate_bps)


def _prio(lines: Lines, port: Port, top: str) -> None:
    queues = sorted(port.queues, key=lambda queue: queue.priority)
    ids = {queue.name: f"1:{band:x}" for band, queue in enumerate(queues, 1)}
    for name, classid in ids.items():
        lines.name(classid, name)
    default = port.classifier.default
    if not default:
        lines.name("the rest", "")
    band = list(ids).index(default) if default else len(ids) - 1
    words = f"prio bands {len(ids)} priomap {' '.join([str(band)] * 16)}"
    lines.add(f"qdisc add dev {lines.device} {top} handle 1: {words}")
    for queue in queues:
        _leaf(lines, port, queue, ids)
    say_filters(lines, port, ids)


def _leaf(
    lines: Lines, port: Port, queue: Queue, ids: dict[str, str], *, shaped: bool = False
) -> None:
    """The qdisc below a class, with the class's own number as its handle."""
    classid = ids[queue.name]
    handle = f"{classid.removeprefix('1:')}0:"
    say_queue(lines, queue, f"parent {classid}", handle, port.rate_bps, shaped=shaped)


def _round(lines: Lines, port: Port, top: str) -> None:
    fair = isinstance(port.scheduler, StartTimeFairQueueing)
    kind = "qfq" if fair else "drr"
    lines.add(f"qdisc add dev {lines.device} {top} handle 1: {kind}")
    ids = lines.ids(port.queue_names)
    for queue in port.queues:
        classid = ids[queue.name]
        lines.name(classid, queue.name)
        weight = min(max(round(queue.weight), 1), WEIGHT)
        share = f"weight {weight}" if fair else f"quantum {queue.quantum_bytes or 1}"
        lines.add(f"class add dev {lines.device} parent 1: classid {classid} {kind} {share}")
        _leaf(lines, port, queue, ids)
    say_filters(lines, port, ids, catch_all=True)


def _htb(lines: Lines, port: Port, nodes: tuple[Node, ...], top: str) -> list[str]:
    """The classes of htb, parents first; what the kernel would refuse."""
    parents = {child: node.name for node in nodes for child in node.children}
    classes: dict[str, Queue | Node] = {node.name: node for node in nodes}
    classes |= {queue.name: queue for queue in port.queues}
    root = next(node for node in nodes if node.name not in parents)
    # A root that neither lends nor limits is what htb itself is to classes without a parent.
    several = len(root.children) > 1 or isinstance(classes[root.children[0]], Queue)
    free = not root.guaranteed_bps and root.shaper is None and several
    if free:
        del classes[root.name]
        lines.name("1:", root.name)
    ids = lines.ids(classes)
    default = ids.get(port.classifier.default, "").removeprefix("1:")
    words = f"htb default {default}" if default else "htb"
    lines.add(f"qdisc add dev {lines.device} {top} handle 1: {words}")
    for name in emission_order(port.queues, nodes):
        if name not in classes:
            continue
        each = classes[name]
        lines.name(ids[name], name)
        above = ids.get(parents.get(name, ""), "1:")
        lines.add(
            f"class add dev {lines.device} parent {above} classid {ids[name]} htb "
            + _rates(each, port.rate_bps)
            + lines.overhead()
        )
        if isinstance(each, Queue):
            _leaf(lines, port, each, ids, shaped=True)
    say_filters(lines, port, ids)
    if max(_depth(name, parents) for name in classes) - free >= LEVELS:
        return [f"htb has at most {LEVELS} levels of classes, so the kernel refuses these."]
    return []


def _depth(name: str, parents: dict[str, str]) -> int:
    depth = 0
    while name in parents:
        name, depth = parents[name], depth + 1
    return depth


def _rates(each: Queue | Node, line_bps: float) -> str:
    """The words of a class of htb; without a ceiling it has that of the line."""
    rate = rate_word(max(each.guaranteed_bps, LEAST_BPS))
    ceil = rate_word(each.shaper.rate_bps if each.shaper else line_bps)
    burst = each.guaranteed_burst_bytes or HTB_BURST_BYTES
    cburst = each.shaper.burst_bytes if each.shaper else HTB_BURST_BYTES
    words = f"rate {rate} ceil {ceil} burst {burst} cburst {cburst}"
    if isinstance(each, Node):
        return words
    return f"{words} prio {min(each.priority, PRIORITIES - 1)} quantum {each.quantum_bytes}"
