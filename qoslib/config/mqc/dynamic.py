"""Limits of NX-OS that follow what is free of a memory: `queue-limit dynamic`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qoslib.config.values import Value, of_default

if TYPE_CHECKING:
    from qoslib.config.mqc.class_nodes import ClassNode

__all__ = ["DYNAMIC", "POOL", "dynamic", "follow_free"]

#: The unit of such a limit: how many times what is free a queue may hold.
DYNAMIC = "times what is free"
#: The memory that queues with such limits take from.
POOL = "memory"
_ONCE = 7


def dynamic(index: int, line: int) -> Value:
    """The limit of an index from 0 to 10: 2 to the power of 7 less than it.

    >>> dynamic(9, line=4).value
    4.0
    """
    return Value(2.0 ** (index - _ONCE), DYNAMIC, line, default="nxos.dynamic_limit")


def follow_free(queues: "Sequence[ClassNode]") -> bool:
    """Whether a queue follows what is free of the memory; then those without a limit do as well."""
    if not any(node.of.limit and node.of.limit.unit == DYNAMIC for node in queues):
        return False
    usual = of_default("nxos.dynamic_default")._replace(unit=DYNAMIC)
    for node in queues:
        node.of = replace(node.of, limit=node.of.limit or usual)
    return True
