"""Ports with a tree of schedulers as ports without one, where one of these does the same."""

from collections.abc import Mapping

from qoslib.config.guarantees import capacity_bps, limited_bps, nodes_of
from qoslib.port import Fifo, Port, PriorityLevels, Queue, SchedulerTree
from qoslib.port.nodes import outline

__all__ = ["one_level", "one_queue"]


def one_queue(port: Port) -> Port:
    """A tree above one queue with no more than one shaper does what a port with it does.

    >>> from qoslib.port import Node, PacketLimit, Shaper
    >>> site = Node("site", ("all",), shaper=Shaper(50e6, 25_000))
    >>> port = Port("access", 1e8, (Queue("all", PacketLimit(64)),), SchedulerTree((site,)))
    >>> one_queue(port).scheduler, one_queue(port).shaper.rate_bps
    (Fifo(), 50000000.0)
    """
    if not isinstance(port.scheduler, SchedulerTree) or len(port.queues) > 1:
        return port
    (queue,) = port.queues
    every = port.shaper, queue.shaper, *(node.shaper for node in nodes_of(port))
    shapers = [shaper for shaper in every if shaper is not None]
    if len(shapers) > 1:
        return port
    alone = queue.replace(shaper=None, guaranteed_bps=0.0, weight=1.0, priority=0)
    shaper = shapers[0] if shapers else None
    return port.replace(queues=(alone,), scheduler=Fifo(), shaper=shaper)


def one_level(port: Port, strict_bps: Mapping[str, float]) -> Port:
    """A tree of one level with no more than one shaper above it, as priorities with rates.

    A queue with strict priority is one that comes first and is guaranteed the whole line.

    >>> from qoslib.port import Node, PacketLimit, Shaper
    >>> voice = Queue("voice", PacketLimit(64))
    >>> data = Queue("data", PacketLimit(64), priority=1, guaranteed_bps=20e6)
    >>> site = Node("site", ("voice", "data"), shaper=Shaper(50e6, 25_000))
    >>> port = Port("access", 1e8, (voice, data), SchedulerTree((site,), strict_levels=1))
    >>> one_level(port, {"voice": 5e6}).scheduler
    PriorityLevels()
    >>> one_level(port, {"voice": 40e6}) == port
    True
    """
    tree = port.scheduler
    if not isinstance(tree, SchedulerTree) or len(port.queues) < 2:
        return port
    nodes, parents = tree.nodes, outline(port.queues, tree.nodes).parents
    every = port.shaper, *(node.shaper for node in nodes)
    shapers = [shaper for shaper in every if shaper is not None]
    rest = [queue for queue in port.queues if queue.priority >= tree.strict_levels]
    strict = [queue for queue in port.queues if queue.priority < tree.strict_levels]
    first_bps = sum(_most(strict_bps.get(queue.name, 0.0), queue) for queue in strict)
    if (
        len(set(parents[: len(port.queues)])) > 1
        or len(shapers) > 1
        or any(node.guaranteed_bps for node in nodes)
        or any(queue.excess_priority not in (None, queue.priority) for queue in rest)
        or not all(queue.weight for queue in rest)
        or first_bps + sum(queue.guaranteed_bps for queue in rest) > capacity_bps(port)
    ):
        return port
    # What is guaranteed the whole line has no use for a weight; one far from the others is refused.
    weight = max((queue.weight for queue in rest), default=1.0)
    queues = tuple(
        queue.replace(guaranteed_bps=port.rate_bps, weight=weight)
        if queue in strict
        else queue.replace(excess_priority=None)
        for queue in port.queues
    )
    shaper = shapers[0] if shapers else None
    return port.replace(queues=queues, scheduler=PriorityLevels(), shaper=shaper)


def _most(sent_bps: float, queue: Queue) -> float:
    limit = limited_bps(queue)
    return sent_bps if limit is None else min(sent_bps, limit)
