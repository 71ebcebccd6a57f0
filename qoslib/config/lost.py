"""What a written configuration does not say: a port beside the one that is read back."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from qoslib.port import Classifier, HierarchicalTokenBucket, Node, Port, SchedulerTree

__all__ = ["differences"]


def differences(port: Port, back: Port) -> tuple[str, ...]:
    """Where two ports differ, a sentence each; none where they are equal.

    Parameters
    ----------
    port : Port
        That was written.
    back : Port
        That was read from what was written.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> port = Port("a", 1e9, (Queue("all", PacketLimit(64)),), base_delay_s=1e-3)
    >>> differences(port, port.replace(base_delay_s=0.0))
    ('The base_delay_s of the port is 0.001; the text says 0.0.',)
    """
    said = []
    own = ("queues", "classifier", "scheduler")
    for field, before, after in _changed(port, back):
        if field not in own:
            said.append(_other(field, "the port", before, after))
    said += _of_queues(port, back)
    said += _of_nodes(port, back)
    if port.classifier != back.classifier:
        said.append(_of_classifier(port.classifier, back.classifier))
    return tuple(said)


def _changed(one: Any, other: Any) -> list[tuple[str, Any, Any]]:
    pairs = [
        (field.name, getattr(one, field.name), getattr(other, field.name))
        for field in dataclasses.fields(one)
    ]
    return [(name, before, after) for name, before, after in pairs if before != after]


def _of_queues(port: Port, back: Port) -> list[str]:
    found: dict[tuple[str, str, str], tuple[Any, Any, list[str]]] = {}
    for queue, other in zip(port.queues, back.queues, strict=False):
        for field, before, after in _changed(queue, other):
            key = field, repr(before), repr(after)
            found.setdefault(key, (before, after, []))[2].append(queue.name)
    said = [
        _other(field, _named("queue", names), before, after)
        for (field, _, _), (before, after, names) in found.items()
    ]
    more = [queue.name for queue in back.queues[len(port.queues) :]]
    if more:
        said.append(f"The text has {_named('queue', more)} besides.")
    less = [queue.name for queue in port.queues[len(back.queues) :]]
    if less:
        said.append(f"The text does not have {_named('queue', less)}.")
    return said


def _other(field: str, owner: str, before: Any, after: Any) -> str:
    """One value that is another one in the text, or that only one of the two has."""
    if after is None:
        return f"The {field} of {owner} is lost: {before!r}."
    if before is None:
        return f"The text gives {owner} a {field}: {after!r}."
    return f"The {field} of {owner} is {before!r}; the text says {after!r}."


def _named(kind: str, names: list[str]) -> str:
    listed = ", ".join(map(repr, names))
    return f"{kind} {listed}" if len(names) == 1 else f"{kind}s {listed}"


def _of_nodes(port: Port, back: Port) -> list[str]:
    one, other = port.scheduler, back.scheduler
    if type(one) is not type(other):
        kinds = type(one).__name__, type(other).__name__
        return [f"The scheduler is {kinds[0]}; the text means {kinds[1]}."]
    if not isinstance(one, SchedulerTree | HierarchicalTokenBucket):
        return [] if one == other else [f"The scheduler is {one!r}; the text means {other!r}."]
    assert isinstance(other, SchedulerTree | HierarchicalTokenBucket)
    said = [
        _other(field, "the scheduler", before, after)
        for field, before, after in _changed(one, other)
        if field != "nodes"
    ]
    for node, its in zip(_walked(one.nodes), _walked(other.nodes), strict=False):
        said += [
            _other(field, f"node {node.name!r}", before, after)
            for field, before, after in _changed(node, its)
        ]
    if len(one.nodes) != len(other.nodes):
        said.append(f"The tree has {len(one.nodes)} nodes; that of the text {len(other.nodes)}.")
    return said


def _walked(nodes: Sequence[Node]) -> list[Node]:
    """Nodes from the root on, each before those below it: the order in a record says nothing."""
    by_name = {node.name: node for node in nodes}
    below = {child for node in nodes for child in node.children}
    found, ahead = [], [node for node in nodes if node.name not in below]
    while ahead:
        node = ahead.pop(0)
        found.append(node)
        ahead = [*(by_name[child] for child in node.children if child in by_name), *ahead]
    return found


def _of_classifier(one: Classifier, other: Classifier) -> str:
    marks = [*dict(one.rules), *dict(other.rules)]
    lost = [mark for mark in dict.fromkeys(marks) if one.queue(mark) != other.queue(mark)]
    if not lost:
        return "The rules of the classifier have another order, or a rule more, to the same effect."
    listed = ", ".join(map(repr, lost))
    return f"The classifier sends these marks elsewhere: {listed}."
