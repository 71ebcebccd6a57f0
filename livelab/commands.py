"""A port as the tc commands of the lab's router, or the reason why the kernel would differ."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from livelab.lab import DEVICE
from livelab.policing import Refused, policer_of
from qoslib import units
from qoslib.config.tc import write_tc
from qoslib.platforms.trees import htb
from qoslib.port import (
    Fifo,
    HierarchicalTokenBucket,
    Node,
    Policer,
    Port,
    PriorityLevels,
    Queue,
    StrictPriority,
    TimeLimit,
)
from qoslib.traffic import Stream

__all__ = ["Commands", "Refused", "commands", "kernel_port"]

#: Where the policer is, once it has been loaded.
PINNED = "/run/bpf/policer"
#: Bytes of Ethernet header that the kernel counts of each frame; the line's others are `overhead`.
HEADER_BYTES = 14
#: The largest frame of Ethernet as the kernel counts it [B].
MOST_FRAME_BYTES = 1514
#: A burst is one frame at 10 Mb/s; at more it lasts as long as the kernel may be away [s].
BURST_S, LEAST_BURST_BYTES = 1.2e-3, 2000
#: What a class has that is promised nothing: HTB has none without a rate [ratio].
LEAST_SHARE = 0.001
#: Sums of shares of the line may be off by this [ratio].
ROUNDING = 1e-9


class Commands(NamedTuple):
    """What makes a device a port.

    Attributes
    ----------
    lines : tuple of str
        The tc commands, in their order.
    classes : dict of str to str
        Queue to its class, as counters name it.
    policer : dict of str to int
        What the program in front of the queues has to know; empty where there is none.
    policed : str
        Its queue.
    """

    lines: tuple[str, ...]
    classes: dict[str, str]
    policer: Mapping[str, int] = {}
    policed: str = ""


def commands(
    port: Port,
    streams: Sequence[Stream] = (),
    device: str = DEVICE,
    burst_s: float = BURST_S,
) -> Commands:
    """The tc commands that make a device the port, to be run or to be typed.

    Parameters
    ----------
    port : Port
        Its frames are counted as the kernel does, without the frame check sequence; so the
        overhead of an Ethernet line is 24 B.
    streams : sequence of Stream
        What is offered: a guarantee that no stream uses takes nothing from the others.
    device : str
    burst_s : float
        As of `kernel_port`.

    Returns
    -------
    Commands

    Raises
    ------
    Refused
        If the kernel would do something else.

    Examples
    --------
    >>> from qoslib.port import HeadDrop, PacketLimit
    >>> queue = Queue("all", PacketLimit(100), HeadDrop())
    >>> port = Port("router", 10e6, (queue,), overhead_bytes=24)
    >>> print(*commands(port).lines, sep="\\n")
    tc qdisc add dev out0 root handle 1: htb default 2
    tc class add dev out0 parent 1: classid 1:1 htb rate 10mbit ceil 10mbit burst 2000 cburst 2000
        overhead 24
    tc class add dev out0 parent 1:1 classid 1:2 htb rate 10mbit ceil 10mbit burst 2000 cburst 2000
        prio 0 quantum 1514 overhead 24
    tc qdisc add dev out0 parent 1:2 handle 20: pfifo_head_drop limit 100
    """
    if any(queue.policer for queue in port.queues):
        return _with_policer(port, streams, device, burst_s)
    made = kernel_port(port, streams, burst_s)
    written = write_tc(made.replace(name=device), device)
    facts = dict(written.facts)
    lost = [*written.lost, *(f"a veth has no {name}" for name in sorted(facts.keys() - _KEPT))]
    if lost:
        raise Refused(f"port {port.name!r} is not run: " + " ".join(lost))
    names = {name: classid for classid, name in _NAMED.findall(written.text)}
    classes = {name: names.get(json.dumps(name), name) for name in made.queue_names}
    lines = [line for line in written.text.splitlines() if line.startswith("tc ")]
    return Commands(tuple(line for line in lines if " del " not in line), classes)


#: Facts of the line that the class in front is.
_KEPT = {"line_rate_bps"}
#: A comment that names a class: the names in it are JSON.
_NAMED = re.compile(r'^# (1:\w+) is (".*")$', re.MULTILINE)


def _with_policer(port: Port, streams: Sequence[Stream], device: str, burst_s: float) -> Commands:
    """The port without its policer, and a BPF program in front of it that polices."""
    largest = max((stream.mean_frame_bytes for stream in streams), default=MOST_FRAME_BYTES)
    order, policed = policer_of(port, largest)
    bare = port.replace(queues=tuple(queue.replace(policer=None) for queue in port.queues))
    made = commands(bare, streams, device, burst_s)
    added = (
        f"tc qdisc add dev {device} clsact",
        f"tc filter add dev {device} egress bpf da object-pinned {PINNED}",
    )
    return made._replace(lines=(*made.lines, *added), policer=order, policed=policed)


def kernel_port(port: Port, streams: Sequence[Stream] = (), burst_s: float = BURST_S) -> Port:
    """The port as HTB: the line is its class in front, and every class has a burst that holds.

    Parameters
    ----------
    port : Port
        With `Fifo`, `StrictPriority`, `PriorityLevels` or `HierarchicalTokenBucket`.
    streams : sequence of Stream
        As of `commands`.
    burst_s : float
        How long a burst lasts, which is one frame at least [s]. A virtual cable takes no time for
        a burst, so 0 is closest to a line.

    Returns
    -------
    Port
        What the kernel has, for any model to run.

    Raises
    ------
    Refused
        If HTB has nothing like it.

    Examples
    --------
    >>> from qoslib.port import PacketLimit
    >>> voice, data = (Queue(name, PacketLimit(64), priority=i) for i, name in enumerate("vd"))
    >>> kernel_port(Port("access", 1e7, (voice, data), StrictPriority())).queues[0].guaranteed_bps
    10000.0
    """
    for queue in port.queues:
        _refuse_queue(queue)
    if isinstance(port.scheduler, HierarchicalTokenBucket):
        _refuse_guarantees(port, streams)
        return port
    if not isinstance(port.scheduler, Fifo | StrictPriority | PriorityLevels):
        kind = type(port.scheduler).__name__
        raise Refused(f"{kind} is not run: HTB's classes borrow by priority, then by quantum.")
    if port.shaper is not None:
        raise Refused("A shaper of the whole port is not run: make it the line rate.")
    burst = max(LEAST_BURST_BYTES, round(units.octets(port.rate_bps * burst_s)))
    strict = isinstance(port.scheduler, StrictPriority)
    queues = []
    for queue in port.queues:
        rate_bps = queue.guaranteed_bps or port.rate_bps * LEAST_SHARE
        rate_bps = port.rate_bps * LEAST_SHARE if strict else rate_bps
        rate_bps = port.rate_bps if len(port.queues) == 1 else round(rate_bps)
        ceil = queue.shaper.rate_bps if queue.shaper else port.rate_bps
        queues.append(
            htb(
                queue.replace(weight=1.0),
                rate_bps,
                ceil,
                prio=queue.priority,
                quantum_bytes=MOST_FRAME_BYTES,
                burst_bytes=burst,
                cburst_bytes=queue.shaper.burst_bytes if queue.shaper else burst,
            )
        )
    root = htb(
        Node("1:1", tuple(queue.name for queue in queues)),
        port.rate_bps,
        burst_bytes=burst,
        cburst_bytes=burst,
    )
    classifier = port.classifier
    if len(queues) == 1:
        classifier = classifier.replace(rules=(), default=queues[0].name)
    made = port.replace(
        queues=tuple(queues), scheduler=HierarchicalTokenBucket((root,)), classifier=classifier
    )
    _refuse_guarantees(made, streams)
    return made


def _refuse_queue(queue: Queue) -> None:
    if isinstance(queue.limit, TimeLimit):
        raise Refused(
            f"Queue {queue.name!r} has a limit in time, and the kernel's are in packets or bytes:"
            " state the packets that leave in this time at the rate served."
        )
    if isinstance(queue.policer, Policer):
        raise Refused(
            f"Queue {queue.name!r} has a policer, which is a program in front of the port: give"
            " `commands` the port itself, or use a class with rate and ceil, and call it a shaper."
        )


def _refuse_guarantees(port: Port, streams: Sequence[Stream]) -> None:
    """Children that use more guarantees than their parent has send more than it may."""
    assert isinstance(port.scheduler, HierarchicalTokenBucket)
    used = {queue.name: queue.guaranteed_bps for queue in port.queues}
    if streams:
        offered = dict.fromkeys(used, 0.0)
        for stream in streams:
            name = port.queue_names[port.queue_of(stream)]
            on_line = 1 + port.overhead_bytes / stream.mean_frame_bytes
            offered[name] += stream.mean_rate_bps * on_line
        used = {name: min(promised, offered[name]) for name, promised in used.items()}
    nodes = {node.name: node for node in port.scheduler.nodes}

    def below_bps(name: str) -> float:
        return sum(map(below_bps, nodes[name].children)) if name in nodes else used[name]

    for node in nodes.values():
        below = below_bps(node.name)
        if node.guaranteed_bps and below > node.guaranteed_bps * (1 + ROUNDING):
            raise Refused(
                f"The guarantees used below {node.name!r} are {below:.6g} bit/s, more than its"
                f" {node.guaranteed_bps:.6g}: HTB limits only what is borrowed, so these classes"
                " would send more than the line carries."
            )
