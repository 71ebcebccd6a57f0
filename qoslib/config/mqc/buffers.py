"""What queues hold of a memory: shares and what they borrow, or as it is free (NX-OS)."""

from collections.abc import Sequence
from dataclasses import replace

from qoslib import units
from qoslib.config.amounts import size_text
from qoslib.config.mqc.class_nodes import ClassNode, leaves
from qoslib.config.mqc.queue_commands import DYNAMIC
from qoslib.config.values import Value, of_default

__all__ = ["POOL", "divide", "follow_free"]

#: The memory that queues take from as it is free.
POOL = "memory"
#: No queue is shorter than a frame [B].
_FRAME_BYTES = 1518


def follow_free(queues: Sequence[ClassNode]) -> bool:
    """Whether a queue follows what is free of the memory; then those without a limit do as well."""
    if not any(node.of.limit and node.of.limit.unit == DYNAMIC for node in queues):
        return False
    usual = of_default("nxos.dynamic_default")._replace(unit=DYNAMIC)
    for node in queues:
        node.of = replace(node.of, limit=node.of.limit or usual)
    return True


def divide(nodes: list[ClassNode], total: Value, multiplier: Value | None, most: int) -> str:
    """Give the classes of a Catalyst 9000 their limits, and say what is not sure of them.

    `total` is what `queue-buffers ratio` divides [B], `multiplier` what `qos
    queue-softmax-multiplier` says [%], and `most` how many queues a port has.
    """
    queues = [node for node in leaves(nodes) if node.host is None]
    if len(queues) > most:
        raise ValueError(f"its classes have {len(queues)} queues; allowed: {most}")
    own_bytes = every_bytes = 0
    for node, share in zip(queues, _shares(queues), strict=True):
        owned = int(share * total.value) if node.of.priority else 0
        size = max(owned + int(share * total.value * _times(node, multiplier)), _FRAME_BYTES)
        own_bytes, every_bytes = own_bytes + owned, every_bytes + size
        _limit(node, total._replace(value=size, unit="B"))
    words = f"Of the {size_text(every_bytes)} that its queues may hold, "
    words += f"{size_text(own_bytes)} is" if own_bytes else "nothing is"
    return f"{words} guaranteed: the rest is borrowed from other ports, and may be less."


def _shares(queues: list[ClassNode]) -> list[float]:
    """The share of each queue: its ratio, or an equal part of what the ratios leave."""
    given = [node.of.buffers.value if node.of.buffers else None for node in queues]
    taken = sum(filter(None, given))
    if taken > 100:
        raise ValueError(f"its queue-buffers ratios add up to {taken:g}; allowed: up to 100")
    rest = (100 - taken) / max(given.count(None), 1)
    return [float(units.convert(rest if each is None else each, "%", "1")) for each in given]


def _times(node: ClassNode, multiplier: Value | None) -> float:
    """How many times its share a queue may borrow."""
    times = float(of_default("ios-xe.catalyst_borrowed").value)
    if multiplier is None or (node.of.priority and node.of.priority.level == 1):
        return times
    return times * float(units.convert(multiplier.value, "%", "1"))


def _limit(node: ClassNode, size: Value) -> None:
    """Give a class its limit, and shares of it to its marks."""
    limit = node.of.limit or size
    limits = {
        mark: each._replace(value=each.value * limit.value, unit=limit.unit)
        for mark, each in node.of.limits.items()
        if each.unit == "1"
    }
    node.of = replace(node.of, limit=limit, limits=node.of.limits | limits)
