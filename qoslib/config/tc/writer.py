"""Write a port as a script of tc commands."""

from qoslib.config.tc.amounts import rate_bps, rate_word
from qoslib.config.tc.filters import Filters
from qoslib.config.tc.lines import Lines, unsaid
from qoslib.config.tc.plans import as_htb, emission_order
from qoslib.config.tc.sayings import say_queue
from qoslib.config.write import Written
from qoslib.platforms.trees import HTB_BURST_BYTES, htb
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
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
)

__all__ = ["write_tc"]

#: Most bands of prio, priorities of htb, weight of qfq and levels of classes of htb.
BANDS, PRIORITIES, WEIGHT, LEVELS = 16, 8, 1023, 8
#: The least rate of a class of htb: a byte per second.
LEAST_BPS = rate_bps("8bit", 0)


def write_tc(port: Port, interface: str) -> Written:
    """Write a port as tc commands to paste.

    Parameters
    ----------
    port : Port
    interface : str
        The device; where Linux cannot call one so, it is ``eth0``.

    Returns
    -------
    Written
        The line rate, the delay and the transmit ring are facts. A classifier's marks without a
        DSCP become fwmarks that something else has to set.

    Examples
    --------
    >>> from qoslib.port import PacketLimit
    >>> print(write_tc(Port("eth0", 1e9, (Queue("pfifo", PacketLimit(64)),)), "eth0").text, end="")
    tc qdisc del dev eth0 root 2>/dev/null || true
    tc qdisc add dev eth0 root handle 1: pfifo limit 64
    """
    scheduler = port.scheduler
    wanted = port
    if len(port.queues) == 1 and not isinstance(scheduler, HierarchicalTokenBucket | SchedulerTree):
        wanted = port.replace(scheduler=Fifo())
    elif isinstance(scheduler, PriorityLevels | SchedulerTree):
        wanted = as_htb(port)
    elif isinstance(scheduler, ModifiedDrr):
        wanted = port.replace(scheduler=DeficitRoundRobin())
    lines = Lines(wanted, interface)
    if isinstance(wanted.scheduler, StrictPriority) and len(wanted.queues) > BANDS:
        return Written("", lost=(f"prio has at most {BANDS} bands: nothing is written",))
    if isinstance(wanted.scheduler, Fifo):
        said = _fifo(lines, wanted)
    elif isinstance(wanted.scheduler, StrictPriority):
        said = _prio(lines, wanted)
    elif isinstance(wanted.scheduler, HierarchicalTokenBucket):
        said = _htb(lines, wanted)
    else:
        said = _round(lines, wanted)
    counts = lines.overhead_word or not port.overhead_bytes
    facts: dict[str, float | str] = {"line_rate_bps": port.rate_bps}
    facts |= {} if counts else {"overhead_bytes": port.overhead_bytes}
    for name in ("base_delay_s", "transmit_ring_packets"):
        facts |= {name: getattr(port, name)} if getattr(port, name) else {}
    lost = (*unsaid(port, said), *lines.lost)
    return Written("\n".join(lines.made) + "\n", tuple(facts.items()), tuple(dict.fromkeys(lost)))


def _top(lines: Lines, port: Port) -> tuple[str, str, Shaper | None]:
    """Parent and handle of the scheduler, below a shaper of the whole port if there is one."""
    if port.shaper is None:
        return "root", "1:", None
    shaper = lines.bucket("root", "ffe:", port.shaper)
    return "parent ffe:1", "1:", shaper


def _said(port: Port, queues: list[Queue], filters: Filters, shaper: Shaper | None) -> Port:
    """What the text says of a port: what it has no words for is as in a new one."""
    return Port(
        port.name,
        port.rate_bps,
        tuple(queues),
        port.scheduler,
        port.overhead_bytes,
        filters.said,
        transmit_ring_packets=port.transmit_ring_packets,
        shaper=shaper,
        base_delay_s=port.base_delay_s,
    )


def _fifo(lines: Lines, port: Port) -> Port:
    (queue,) = port.queues
    parent, handle, shaper = _top(lines, port)
    if shaper is None and queue.shaper is not None:
        shaper = lines.bucket("root", "ffe:", queue.shaper)
        parent, queue = "parent ffe:1", queue.replace(shaper=None)
    kept = say_queue(lines, queue, parent, handle, port.rate_bps)
    lines.name_kind(handle, queue.name)
    return _said(port, [kept], Filters(), shaper)


def _prio(lines: Lines, port: Port) -> Port:
    ordered = sorted(port.queues, key=lambda queue: queue.priority)
    parent, handle, shaper = _top(lines, port)
    ids = {queue.name: f"1:{band:x}" for band, queue in enumerate(ordered, 1)}
    for name, classid in ids.items():
        lines.name(classid, name)
    names = [queue.name for queue in ordered]
    default = port.classifier.default
    if not default:
        lines.name("the rest", "")
    band = names.index(default) if default else len(names) - 1
    priomap = " ".join([str(band)] * 16)
    lines.add(
        f"qdisc add dev {lines.device} {parent} handle {handle} prio bands {len(names)} priomap {priomap}"
    )
    queues = []
    for level, queue in enumerate(ordered):
        minor = ids[queue.name].removeprefix("1:")
        kept = say_queue(lines, queue, f"parent {ids[queue.name]}", f"{minor}0:", port.rate_bps)
        queues.append(kept.replace(priority=level))
    filters = Filters.write(lines, port, ids)
    return _said(port, [_metered(queue, filters) for queue in queues], filters, shaper)


def _metered(queue: Queue, filters: Filters) -> Queue:
    return queue.replace(policer=filters.policers.get(queue.name))


def _round(lines: Lines, port: Port) -> Port:
    parent, handle, shaper = _top(lines, port)
    fair = isinstance(port.scheduler, StartTimeFairQueueing)
    kind = "qfq" if fair else "drr"
    lines.add(f"qdisc add dev {lines.device} {parent} handle {handle} {kind}")
    ids = lines.ids([queue.name for queue in port.queues])
    queues = []
    for queue in port.queues:
        classid = ids[queue.name]
        lines.name(classid, queue.name)
        weight = min(max(round(queue.weight), 1), WEIGHT)
        share = f"weight {weight}" if fair else f"quantum {queue.quantum_bytes}"
        lines.add(f"class add dev {lines.device} parent 1: classid {classid} {kind} {share}")
        minor = classid.removeprefix("1:")
        kept = say_queue(lines, queue, f"parent {classid}", f"{minor}0:", port.rate_bps)
        own = {"weight": float(weight)} if fair else {"quantum_bytes": queue.quantum_bytes}
        queues.append(kept.replace(**own))
    filters = Filters.write(lines, port, ids, catch_all=True)
    return _said(port, [_metered(queue, filters) for queue in queues], filters, shaper)


def _htb(lines: Lines, port: Port) -> Port:
    parent, handle, shaper = _top(lines, port)
    scheduler = port.scheduler
    assert isinstance(scheduler, HierarchicalTokenBucket)
    order = emission_order(port.queues, scheduler.nodes)
    parents = {child: node.name for node in scheduler.nodes for child in node.children}
    root = next(node for node in scheduler.nodes if node.name not in parents)
    by_name: dict[str, Queue | Node] = {
        each.name: each for each in (*port.queues, *scheduler.nodes)
    }
    several = len(root.children) > 1 or isinstance(by_name[root.children[0]], Queue)
    free = not root.guaranteed_bps and root.shaper is None and several
    ids = lines.ids([name for name in order if not (free and name == root.name)])
    if free:
        ids[root.name] = "1:"
        lines.name("1:", root.name)
    default = ids.get(port.classifier.default, "").removeprefix("1:")
    word = f" default {default}" if default else ""
    lines.add(f"qdisc add dev {lines.device} {parent} handle {handle} htb{word}")
    made: dict[str, Queue | Node] = {}
    for name in order:
        each = by_name[name]
        above = ids[parents[name]] if name in parents else "1:"
        if free and name == root.name:
            made[name] = Node(name, root.children)
            continue
        lines.name(ids[name], name)
        if isinstance(each, Node):
            made[name] = _rates(lines, port, each, Node(name, each.children), above, ids[name])
            continue
        new = Queue(name, each.limit)
        new = _rates(lines, port, each, new, above, ids[name])
        minor = ids[name].removeprefix("1:")
        kept = say_queue(
            lines, each, f"parent {ids[name]}", f"{minor}0:", port.rate_bps, shaped=True
        )
        made[name] = new.replace(limit=kept.limit, dropper=kept.dropper)
    if max(_depth(name, parents) for name in order) > LEVELS - free - 1:
        lines.lost.append(f"htb has at most {LEVELS} levels of classes: the kernel refuses these")
    place = {name: number for number, name in enumerate(order)}
    nodes = tuple(
        each.replace(children=tuple(sorted(each.children, key=lambda name: place[name])))
        for each in made.values()
        if isinstance(each, Node)
    )
    filters = Filters.write(lines, port, ids)
    queues = [_metered(each, filters) for each in made.values() if isinstance(each, Queue)]
    tree = port.replace(scheduler=HierarchicalTokenBucket(nodes), queues=tuple(queues))
    return _said(tree, queues, filters, shaper)


def _depth(name: str, parents: dict[str, str]) -> int:
    depth = 0
    while name in parents:
        name, depth = parents[name], depth + 1
    return depth


def _rates(lines: Lines, port: Port, each, new, above: str, classid: str):  # type: ignore[no-untyped-def]
    """A class of htb with the rates of a queue or node."""
    rate = rate_word(max(each.guaranteed_bps, LEAST_BPS))
    ceil = rate_word(each.shaper.rate_bps if each.shaper else port.rate_bps)
    burst = each.guaranteed_burst_bytes or HTB_BURST_BYTES
    cburst = each.shaper.burst_bytes if each.shaper else HTB_BURST_BYTES
    words = f"rate {rate} ceil {ceil} burst {burst} cburst {cburst}"
    more = {}
    if isinstance(each, Queue):
        level = min(each.priority, PRIORITIES - 1)
        words += f" prio {level} quantum {each.quantum_bytes}"
        more = {"prio": level, "quantum_bytes": each.quantum_bytes}
    words += lines.overhead()
    lines.add(f"class add dev {lines.device} parent {above} classid {classid} htb {words}")
    rates = rate_bps(rate, 0), rate_bps(ceil, 0)
    return htb(new, *rates, burst_bytes=burst, cburst_bytes=cburst, **more)
