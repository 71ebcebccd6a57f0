"""A port as `set` lines of Junos, and what they cannot say."""

import re
from collections.abc import Collection, Iterator

from qoslib.config.differences import Written, facts_of, lost_in_text
from qoslib.config.guarantees import root_of
from qoslib.config.interfaces import fast_enough, speed_word
from qoslib.config.junos.amounts import as_percent
from qoslib.config.junos.emit import Map, Writer, number, write_limits, write_scheduler
from qoslib.config.junos.emit_marks import write_marks, write_policer
from qoslib.config.junos.reader import read_junos
from qoslib.config.junos.to_mx_tree import as_on_mx
from qoslib.config.junos.words import ALL_PRIORITIES, PRIORITIES, priorities
from qoslib.port import Node, Port, SchedulerTree, StrictPriority

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
    writer = Writer(interface, as_on_mx(port, interface))
    _line_rate(writer)
    _attach(writer)
    write_limits(writer)
    write_marks(writer)
    writer.facts |= facts_of(port, "overhead_bytes", "base_delay_s", "transmit_ring_packets")
    text = "\n".join([*writer.lines, *writer.ends.values(), ""])
    lost = lost_in_text(port, text, writer.facts, read_junos, _COMMANDS)
    moved = any(not each.startswith("The name of ") for each in lost)
    elsewhere = tuple(_elsewhere(text)) if moved else ()
    return Written(text, tuple(writer.facts.items()), (*lost, *writer.lost, *elsewhere))


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


def _line_rate(writer: Writer) -> None:
    """What says the line rate: the type of the interface, its speed, or a fact."""
    name, rate_bps = writer.interface, writer.port.rate_bps
    speed = speed_word(name, rate_bps, "junos")
    if speed:
        writer.add(f"interfaces {name} speed {speed}")
    elif speed is None:
        writer.facts["line_rate_bps"] = rate_bps


def _attach(writer: Writer) -> None:
    """The maps of the port, or of each node that has queues."""
    port, interface = writer.port, writer.interface
    scheduler = port.scheduler
    where = f"class-of-service interfaces {interface}"
    if not isinstance(scheduler, SchedulerTree):
        writer.shape(where, port.shaper)
        whole_bps = port.shaper.rate_bps if port.shaper else port.rate_bps
        writer.add(f"{where} scheduler-map {_MAP}")
        _write_map(writer, Map(_MAP, _flat_words(port), whole_bps, whole_bps, False, True))
        return
    nodes = {node.name: node for node in scheduler.nodes}
    root = root_of(scheduler.nodes)
    writer.shape(where, root.shaper)
    whole_bps = root.shaper.rate_bps if root.shaper else port.rate_bps
    words = _tree_words(port, scheduler)
    if scheduler.strict_levels > 1 and all(queue.priority for queue in port.queues):
        # No `low-latency` says that it is one.
        writer.facts["platform"] = "acx7000"
    if not any(child in nodes for child in root.children):
        writer.add(f"{where} scheduler-map {_MAP}")
        _write_map(writer, Map(_MAP, words, whole_bps, whole_bps, True, True), root.children)
        return
    if any(_UNIT.fullmatch(name) for name in nodes):
        writer.add(f"interfaces {interface} hierarchical-scheduler")
    for node in _in_order(root, nodes):
        profile = _write_profile(writer, node)
        if any(child in nodes for child in node.children):
            _write_set(writer, node, profile)
        else:
            _write_node(writer, node, profile, whole_bps, words)


def _in_order(root: Node, nodes: dict[str, Node]) -> Iterator[Node]:
    """The nodes below the root, those of a set behind it."""
    for name in root.children:
        if name in nodes:
            yield nodes[name]
            yield from _in_order(nodes[name], nodes)


def _write_profile(writer: Writer, node: Node) -> str:
    """The traffic-control profile of a node; its name."""
    profile = writer.word(node.name, "profile")
    where = f"class-of-service traffic-control-profiles {profile}"
    writer.shape(where, node.shaper)
    if node.guaranteed_bps:
        burst = node.guaranteed_burst_bytes
        said = f" burst-size {burst}" if burst else ""
        writer.add(f"{where} guaranteed-rate {number(node.guaranteed_bps)}{said}")
    if node.weight != (node.guaranteed_bps or 1.0):
        writer.add(f"{where} excess-rate percent {as_percent(min(node.weight, 1.0))}")
    return profile


def _write_set(writer: Writer, node: Node, profile: str) -> None:
    """An interface set: a node above units."""
    name = writer.word(node.name, "set")
    units = (_UNIT.fullmatch(child) for child in node.children)
    for unit in filter(None, units):
        of = f"interface {writer.interface} unit {unit[1]}"
        writer.add(f"interfaces interface-set {name} {of}")
    where = f"class-of-service interfaces interface-set {name}"
    writer.add(f"{where} output-traffic-control-profile {profile}")


def _write_node(
    writer: Writer, node: Node, profile: str, most_bps: float, words: tuple[str, ...]
) -> None:
    """A unit or a set of classes, with its queues."""
    place, unit = f"class-of-service interfaces {writer.interface}", _UNIT.fullmatch(node.name)
    if unit:
        place += f" unit {unit[1]}"
    else:
        of = writer.word(node.name, "set")
        place += f" forwarding-class-set {of}"
        for queue in writer.port.queue_names:
            if queue in node.children:
                name = writer.class_of(queue)
                writer.add(f"class-of-service forwarding-class-sets {of} class {name}")
    writer.add(f"{place} output-traffic-control-profile {profile}")
    writer.add(f"class-of-service traffic-control-profiles {profile} scheduler-map {profile}")
    ceiling_bps = min(node.shaper.rate_bps, most_bps) if node.shaper else most_bps
    whole_bps, prefix = node.guaranteed_bps or ceiling_bps, f"{node.name} " if unit else ""
    of_node = Map(profile, words, whole_bps, ceiling_bps, True, profile == _MAP, prefix)
    # Where nothing is promised, a transmit rate says a weight.
    _write_map(writer, of_node, node.children, by_weight=not node.guaranteed_bps)


def _write_map(
    writer: Writer, of: Map, names: Collection[str] | None = None, *, by_weight: bool = False
) -> None:
    """A scheduler map, and the scheduler of each queue of it."""
    for queue in writer.port.queues:
        if names is not None and queue.name not in names:
            continue
        if by_weight and queue.weight and not queue.guaranteed_bps:
            queue = queue.replace(guaranteed_bps=round(queue.weight * of.whole_bps, 3))
        limited = write_scheduler(writer, of, queue)
        if queue.policer is not None and not limited:
            unit = _UNIT.match(of.prefix)
            name = writer.class_of(queue.name, of.prefix)
            write_policer(writer, queue, name, int(unit[1]) if unit else 0)


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
