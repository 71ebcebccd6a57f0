"""What a written configuration does not say: a port compared with the one that is read back."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from qoslib.config.describe import in_words, named_type, pair
from qoslib.config.facts import Facts
from qoslib.config.records import Configuration
from qoslib.config.source import ConfigurationError
from qoslib.port import (
    ByteLimit,
    Classifier,
    HierarchicalTokenBucket,
    Node,
    PacketLimit,
    Port,
    Queue,
    SchedulerTree,
    Shaper,
    TimeLimit,
)
from qoslib.port.thresholds import Thresholds
from qoslib.record import Record, record
from qoslib.tolerances import ROUNDING

__all__ = ["Written", "differences", "facts_of", "lost_in_text"]

#: Field of a port, or of a part of it, -> what people call it.
_FIELDS = {
    "alpha": "share of the free memory",
    "averaging": "averaging",
    "base_delay_s": "base delay",
    "burst_bytes": "burst",
    "ce_threshold_s": "delay above which ECN marks",
    "conform": "action on what conforms",
    "congestion_packets": "queue length that counts as congestion",
    "drop_at": "end that loses a packet",
    "ecn": "ECN",
    "exceed": "action on what exceeds",
    "excess": "second bucket",
    "excess_priority": "priority beyond the guaranteed rate",
    "exponent": "exponent of the weight",
    "fifo_levels": "number of levels in order of arrival",
    "guaranteed_bps": "guaranteed rate",
    "guaranteed_burst_bytes": "burst of the guaranteed rate",
    "interval_s": "interval",
    "limit_bytes": "limit in bytes",
    "limits": "limits by mark",
    "low_latency": "low-latency queue",
    "marking": "thresholds of ECN marks",
    "maximum_probability": "largest drop probability",
    "overhead_bytes": "overhead per packet",
    "pause": "PAUSE",
    "points": "probabilities of the drop profile",
    "pool": "memory pool",
    "pools": "memory pools",
    "priority": "priority level",
    "profile": "thresholds",
    "profiles": "profiles by mark",
    "quantum_bytes": "quantum",
    "rate_bps": "rate",
    "reserved_bytes": "reserved memory",
    "shape": "form",
    "strict_levels": "number of strict levels",
    "target_s": "target",
    "time_s": "time",
    "transmit_ring_packets": "transmit ring",
    "uncongested": "bucket without congestion",
    "update_s": "interval",
    "violate": "action on what violates",
    "when": "condition",
}
_PLURAL = {"children", "colours", "limits", "marking", "points", "pools", "profile", "profiles"}
#: What is said as a whole; of other mechanisms each part that differs.
_WHOLE = PacketLimit | ByteLimit | TimeLimit | Shaper | Thresholds


@record
class Written(Record):
    """A port as a configuration.

    Parameters
    ----------
    text : str
        The configuration.
    facts : tuple of (str, float or str)
        What the text has no place for, as `read` takes it: ``read(text, facts=dict(facts))``.
    lost : tuple of str
        What neither says, a sentence each. Where it is empty, reading gives the port back.
    """

    text: str
    facts: tuple[tuple[str, float | str], ...] = ()
    lost: tuple[str, ...] = ()


def facts_of(port: Port, *names: str) -> dict[str, float | str]:
    """The fields of a port that a dialect has no words for, where they say something.

    >>> port = Port("a", 1e9, (Queue("all", PacketLimit(64)),), overhead_bytes=4.0)
    >>> facts_of(port, "overhead_bytes", "base_delay_s")
    {'overhead_bytes': 4.0}
    """
    return {name: getattr(port, name) for name in names if getattr(port, name)}


def lost_in_text(
    port: Port,
    text: str,
    facts: Mapping[str, float | str],
    read: Callable[[str, Facts], Configuration],
    commands: Mapping[str, str],
) -> tuple[str, ...]:
    """What a text that a port was written as does not say: it is read back and compared."""
    try:
        ports = [back.port for back in read(text, Facts(facts)).ports]
    except ConfigurationError as error:
        return (f"The text cannot be read back: {error}.",)
    back = next(iter(ports), None)
    if back is None:
        return ("The text cannot be read back: it describes no port.",)
    return differences(port, back, commands)


def differences(
    port: Port, back: Port, commands: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Where two ports differ, a sentence each; none where they are equal.

    >>> from qoslib.port import PacketLimit, Policer, Queue
    >>> port = Port("a", 1e9, (Queue("all", PacketLimit(64)),), base_delay_s=1e-3)
    >>> differences(port, port.replace(base_delay_s=0.0))
    ('The base delay of the port is 1 ms; the text says 0 ms.',)
    >>> policed = port.queues[0].replace(policer=Policer(2e6, 50_000))
    >>> differences(port.replace(queues=(policed,)), port, {"policer": "police"})
    ("The policer (`police`) of queue 'all' is lost: 2 Mb/s with a burst of 50,000 B.",)
    """
    words = commands or {}
    said: list[str] = []
    own = ("queues", "classifier", "scheduler")
    for field, before, after in _changed(port, back):
        if field not in own:
            said += _other(field, "the port", before, after, {})
    said += _of_queues(port, back, words)
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


def _of_queues(port: Port, back: Port, words: Mapping[str, str]) -> list[str]:
    found: dict[tuple[str, str, str], tuple[Any, Any, list[str]]] = {}
    pairs = _paired(port.queues, back.queues)
    for queue, other in pairs:
        for field, before, after in _changed(queue, other):
            key = field, repr(before), repr(after)
            found.setdefault(key, (before, after, []))[2].append(queue.name)
    said = [
        sentence
        for (field, _, _), (before, after, names) in found.items()
        for sentence in _other(field, _named("queue", names), before, after, words)
    ]
    queues, others = ({id(queue) for queue in side} for side in zip(*pairs, strict=True))
    more = [queue.name for queue in back.queues if id(queue) not in others]
    if more:
        said.append(f"The text has {_named('queue', more)} as well.")
    less = [queue.name for queue in port.queues if id(queue) not in queues]
    if less:
        said.append(f"The text does not have {_named('queue', less)}.")
    order = [queue for queue in back.queues if id(queue) in others]
    if any(other is not queue for (_, other), queue in zip(pairs, order, strict=True)):
        listed = ", ".join(repr(queue.name) for queue in order)
        said.append(f"The queues have another order in the text: {listed}.")
    return said


def _paired(queues: Sequence[Queue], others: Sequence[Queue]) -> list[tuple[Queue, Queue]]:
    """Queues and those of the text: of one name, and the others as they stand."""
    by_name = {other.name: other for other in others}
    names = {queue.name for queue in queues}
    left = iter([other for other in others if other.name not in names])
    found = ((queue, by_name.get(queue.name) or next(left, None)) for queue in queues)
    return [(queue, other) for queue, other in found if other is not None]


def _other(
    field: str, owner: str, before: Any, after: Any, words: Mapping[str, str]
) -> Iterator[str]:
    """One value that is another one in the text, or that only one of the two has."""
    called = _FIELDS.get(field, field.replace("_", " "))
    if field in words:
        called += f" (`{words[field]}`)"
    if after is None:
        yield f"The {called} of {owner} is lost: {in_words(field, before)}."
    elif before is None:
        yield f"The text gives {owner} a {called}: {in_words(field, after)}."
    elif _is_opened(field, before, after):
        for inner, one, other in _changed(before, after):
            yield from _other(inner, f"the {called} of {owner}", one, other, {})
    elif isinstance(before, float) and isclose(before, after, rel_tol=ROUNDING):
        yield f"The {called} of {owner} differs in its last digits, by rounding."
    else:
        one, other = pair(field, before, after)
        verb = "are" if field in _PLURAL else "is"
        yield f"The {called} of {owner} {verb} {one}; the text says {other}."


def _is_opened(field: str, one: Any, other: Any) -> bool:
    """Whether the parts of two mechanisms are said, each for itself."""
    if type(one) is not type(other) or not isinstance(one, Record):
        return False
    return not isinstance(one, _WHOLE) or in_words(field, one) == in_words(field, other)


def _named(kind: str, names: list[str]) -> str:
    listed = ", ".join(map(repr, names))
    return f"{kind} {listed}" if len(names) == 1 else f"{kind}s {listed}"


def _of_nodes(port: Port, back: Port) -> list[str]:
    one, other = port.scheduler, back.scheduler
    if type(one) is not type(other):
        kinds = named_type(one), named_type(other)
        return [f"The scheduler is {kinds[0]}; the text means {kinds[1]}."]
    said = [
        sentence
        for field, before, after in _changed(one, other)
        if field != "nodes"
        for sentence in _other(field, "the scheduler", before, after, {})
    ]
    trees = SchedulerTree | HierarchicalTokenBucket
    if not isinstance(one, trees) or not isinstance(other, trees):
        return said
    for node, its in zip(_walked(one.nodes), _walked(other.nodes), strict=False):
        for field, before, after in _changed(node, its):
            said += _other(field, f"node {node.name!r}", before, after, {})
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
