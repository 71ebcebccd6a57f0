"""A port as `set` lines of Junos, and what they cannot say."""

import re
from collections.abc import Iterator

from qoslib.config.differences import differences
from qoslib.config.facts import Facts
from qoslib.config.interfaces import fast_enough, speed_word
from qoslib.config.junos.amounts import as_percent
from qoslib.config.junos.emit import Spoken, limits_said, number, queue_said
from qoslib.config.junos.emit_marks import marks_said, policer_said
from qoslib.config.junos.reader import read_junos
from qoslib.config.junos.to_mx_tree import as_on_mx
from qoslib.config.junos.words import ALL_PRIORITIES, PRIORITIES, priorities
from qoslib.config.source import ConfigurationError
from qoslib.config.write_record import Written
from qoslib.port import Node, Port, Queue, SchedulerTree, Shaper, StrictPriority

__all__ = ["write_junos"]

_INTERFACE = re.compile(r"[a-z]{2,6}-?\d{1,3}(/\d{1,3}){0,2}(:\d)?")
_UNIT = re.compile(r"unit (\d{1,5})")
#: Field of a queue -> the statement of its scheduler.
_COMMANDS = {
    "excess_priority": "excess-priority", "guaranteed_bps": "transmit-rate", "limit": "buffer-size",
    "priority": "priority", "shaper": "shaping-rate",
}  # fmt: skip
#: The scheduler map of a port without nodes.
_MAP = "qos"


def write_junos(port: Port, interface: str) -> Written:
    """Write a port as a configuration of Junos, in `set` lines."""
    if not _INTERFACE.fullmatch(interface):
        interface = fast_enough(port.rate_bps, "junos")
    spoken = Spoken(interface, as_on_mx(port, interface))
    _line_rate(spoken)
    _sites(spoken)
    limits_said(spoken)
    marks_said(spoken)
    for name in ("overhead_bytes", "base_delay_s", "transmit_ring_packets"):
        if getattr(port, name):
            spoken.facts[name] = getattr(port, name)
    text = "\n".join([*spoken.lines, *spoken.ends.values(), ""])
    lost = _lost(port, text, spoken.facts)
    moved = any(not each.startswith("The name of ") for each in lost)
    elsewhere = tuple(_elsewhere(text)) if moved else ()
    return Written(text, tuple(spoken.facts.items()), (*lost, *spoken.lost, *elsewhere))


def _elsewhere(text: str) -> Iterator[str]:
    """What a device does otherwise with the text of a port that was made for another platform."""
    if " classifiers " in text:
        yield (
            "Junos classifies packets where they come in: the classifiers belong on those"
            " interfaces as well."
        )
    if " classifiers dscp " in text:
        yield "The classifier `dscp` is for IPv4; IPv6 needs the same as `dscp-ipv6`."
    if " family inet filter " in text:
        yield "The filter is for IPv4 (`family inet`): IPv6 passes by it and its policers."


def _lost(port: Port, text: str, facts: dict[str, float | str]) -> tuple[str, ...]:
    try:
        (back,) = read_junos(text, Facts(facts)).ports
    except ConfigurationError as error:
        return (f"The text cannot be read back: {error}.",)
    assert back.port is not None, back.missing
    return differences(port, back.port, _COMMANDS)


def _line_rate(spoken: Spoken) -> None:
    """What says the line rate: the type of the interface, its speed, or a fact."""
    name, rate_bps = spoken.interface, spoken.port.rate_bps
    speed = speed_word(name, rate_bps, "junos")
    if speed:
        spoken.add(f"interfaces {name} speed {speed}")
    elif speed is None:
        spoken.facts["line_rate_bps"] = rate_bps


def _sites(spoken: Spoken) -> None:
    """The maps of the port, or of each node that has queues."""
    port, interface = spoken.port, spoken.interface
    scheduler = port.scheduler
    where = f"class-of-service interfaces {interface}"
    if not isinstance(scheduler, SchedulerTree):
        _rate(spoken, f"{where} shaping-rate", port.shaper)
        whole = port.shaper.rate_bps if port.shaper else port.rate_bps
        spoken.add(f"{where} scheduler-map {_MAP}")
        _queues(spoken, port.queues, _MAP, "", whole, whole, _flat_words(port), False)
        return
    below = {child for node in scheduler.nodes for child in node.children}
    root = next(node for node in scheduler.nodes if node.name not in below)
    nodes = {node.name: node for node in scheduler.nodes}
    _rate(spoken, f"{where} shaping-rate", root.shaper)
    whole = root.shaper.rate_bps if root.shaper else port.rate_bps
    words = _tree_words(port, scheduler)
    if scheduler.strict_levels > 1 and all(queue.priority for queue in port.queues):
        # No `low-latency` says that it is one.
        spoken.facts["platform"] = "acx7000"
    if not any(child in nodes for child in root.children):
        spoken.add(f"{where} scheduler-map {_MAP}")
        ordered = [queue for queue in port.queues if queue.name in root.children]
        _queues(spoken, ordered, _MAP, "", whole, whole, words, True)
        return
    if any(_UNIT.fullmatch(name) for name in nodes):
        spoken.add(f"interfaces {interface} hierarchical-scheduler")
    for node in _in_order(root, nodes):
        _node(spoken, node, nodes, whole, words)


def _in_order(root: Node, nodes: dict[str, Node]) -> list[Node]:
    """The nodes below the root, those of a set behind it."""
    found = []
    for name in root.children:
        if name in nodes:
            found += [nodes[name], *_in_order(nodes[name], nodes)]
    return found


def _node(
    spoken: Spoken, node: Node, nodes: dict[str, Node], most_bps: float, words: tuple[str, ...]
) -> None:
    interface = spoken.interface
    where = f"class-of-service interfaces {interface}"
    profile = spoken.word(node.name, "profile")
    tcp = f"class-of-service traffic-control-profiles {profile}"
    _rate(spoken, f"{tcp} shaping-rate", node.shaper)
    if node.guaranteed_bps:
        burst = node.guaranteed_burst_bytes
        said = f" burst-size {burst}" if burst else ""
        spoken.add(f"{tcp} guaranteed-rate {number(node.guaranteed_bps)}{said}")
    if node.weight != (node.guaranteed_bps or 1.0):
        spoken.add(f"{tcp} excess-rate percent {as_percent(min(node.weight, 1.0))}")
    if any(child in nodes for child in node.children):
        name = spoken.word(node.name, "set")
        for child in node.children:
            unit = _UNIT.fullmatch(child)
            if unit:
                spoken.add(f"interfaces interface-set {name} interface {interface} unit {unit[1]}")
        spoken.add(
            f"class-of-service interfaces interface-set {name} output-traffic-control-profile"
            f" {profile}"
        )
        return
    queues = [queue for queue in spoken.port.queues if queue.name in node.children]
    unit = _UNIT.fullmatch(node.name)
    if unit:
        place = f"{where} unit {unit[1]}"
    else:
        of = spoken.word(node.name, "set")
        place = f"{where} forwarding-class-set {of}"
        for queue in queues:
            spoken.add(f"class-of-service forwarding-class-sets {of} class {spoken.of(queue.name)}")
    spoken.add(f"{place} output-traffic-control-profile {profile}")
    spoken.add(f"{tcp} scheduler-map {profile}")
    ceiling = min(node.shaper.rate_bps, most_bps) if node.shaper else most_bps
    whole = node.guaranteed_bps or ceiling
    prefix = f"{node.name} " if unit else ""
    if not node.guaranteed_bps:
        # Nothing is promised here, so a transmit rate says a weight.
        queues = [_by_weight(queue, whole) for queue in queues]
    _queues(spoken, queues, profile, prefix, whole, ceiling, words, True)


def _by_weight(queue: Queue, whole_bps: float) -> Queue:
    if queue.guaranteed_bps or not queue.weight:
        return queue
    return queue.replace(guaranteed_bps=round(queue.weight * whole_bps, 3))


def _queues(
    spoken: Spoken,
    queues: "tuple[Queue, ...] | list[Queue]",
    name: str,
    prefix: str,
    whole_bps: float,
    ceiling_bps: float,
    words: tuple[str, ...],
    tree: bool,
) -> None:
    """A scheduler map, and the scheduler of each queue of it."""
    for queue in queues:
        of = spoken.of(queue.name, prefix)
        scheduler = spoken.word(queue.name, "scheduler")
        spoken.sites[queue.name] = scheduler, whole_bps if tree else None
        spoken.add(f"class-of-service scheduler-maps {name} forwarding-class {of}"
                   f" scheduler {scheduler}")  # fmt: skip
        word = words[min(queue.priority, len(words) - 1)]
        if word in ALL_PRIORITIES and word not in PRIORITIES:
            said = f"Not every platform has the priority {word} of queue {queue.name!r}."
            spoken.lost.append(said)
        rates_bps = whole_bps, ceiling_bps
        limited = queue_said(spoken, queue, scheduler, word, rates_bps, tree, name == _MAP)
        if queue.excess_priority is not None and tree:
            beyond = words[min(queue.excess_priority, len(words) - 1)]
            if beyond in PRIORITIES[2:]:
                spoken.add(f"class-of-service schedulers {scheduler} excess-priority {beyond}")
        _rate(spoken, f"class-of-service schedulers {scheduler} shaping-rate", queue.shaper)
        if queue.policer is not None and not limited:
            unit = _UNIT.match(prefix)
            policer_said(spoken, queue, of, int(unit[1]) if unit else 0)


def _rate(spoken: Spoken, where: str, shaper: Shaper | None) -> None:
    if shaper is not None:
        burst = f" burst-size {shaper.burst_bytes}"
        spoken.add(f"{where} {number(shaper.rate_bps)}{burst}")


def _tree_words(port: Port, scheduler: SchedulerTree) -> tuple[str, ...]:
    """The words of the levels, as many as are strict in front, and so many as the port has."""
    start = 0 if scheduler.strict_levels > 1 else 2 - scheduler.strict_levels
    more = max(queue.priority for queue in port.queues) >= len(PRIORITIES) - start
    more = more or scheduler.strict_levels >= len(PRIORITIES)
    return (ALL_PRIORITIES if more else PRIORITIES)[start:]


def _flat_words(port: Port) -> tuple[str, ...]:
    """The words of the levels: a first level that has the whole rate is strict-high."""
    levels = sorted({queue.priority for queue in port.queues})
    if isinstance(port.scheduler, StrictPriority):
        return priorities(False, levels[-1] >= len(PRIORITIES) - 1)
    most = port.shaper.rate_bps if port.shaper else port.rate_bps
    whole = all(
        queue.guaranteed_bps == most and queue.weight == 1
        for queue in port.queues
        if queue.priority == 0
    )
    if not whole:
        return (ALL_PRIORITIES if levels[-1] >= len(PRIORITIES) - 2 else PRIORITIES)[2:]
    return priorities(False, levels[-1] >= len(PRIORITIES) - 1)
