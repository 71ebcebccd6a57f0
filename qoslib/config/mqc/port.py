"""From a policy on an interface to a port, or to the question that has to be asked first."""

import math
from collections.abc import Iterator
from typing import Any

from qoslib.config.facts import Facts
from qoslib.config.interfaces import type_rate_bps
from qoslib.config.mqc.class_nodes import (
    classes_of,
    has_queues,
    leaves,
    not_defined,
    not_in_text,
    rules_of,
    tree_of,
)
from qoslib.config.mqc.names import OWN_POLICIES
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import Interface, Named, Policies, Policy, key_of
from qoslib.config.mqc.port_builder import PortBuilder, Way
from qoslib.config.records import ConfiguredPort, Origin, Remark
from qoslib.config.source import ConfigurationError, check_time
from qoslib.port import Classifier, Node, PacketLimit, Port, Queue, SchedulerTree

__all__ = ["ports_of"]

_WAYS: tuple[Way, ...] = ("out", "in")
_GROUPS = "traffic-class ", "qos-group ", "discard-class "


def ports_of(found: Policies, platform: PlatformDefaults, facts: Facts) -> Iterator[ConfiguredPort]:
    """The ports of all interfaces that have a policy or a queue of a stated length.

    Where a text has no interface, each policy that is in no other, nor in front of the router's own
    processor, is taken for a port.
    """
    no_ports = _children(found) | _of_processor(found)
    interfaces = list(found.interfaces.values()) or [
        Interface(
            policy.name, policy.line, {_way_of(found, policy): Named(policy.name, policy.line)}
        )
        for policy in found.policies.values()
        if policy.name not in no_ports and policy.kind != "network-qos" and _queues(found, policy)
    ]
    for interface in interfaces:
        check_time(interface.line)
        _say_unused(found, interface)
        for way in _WAYS:
            if way in interface.policies:
                yield _configured(found, platform, facts, interface, way)
        if "out" in interface.hold and "out" not in interface.policies:
            yield _held(found, facts, interface, platform.types)


def _of_processor(found: Policies) -> set[str]:
    """Policies of the router's own processor, with a remark on each; one with queues is refused."""
    names = set()
    for name, line in found.of_control_plane.items():
        policy = found.policies.get(name)
        if policy is None or not has_queues(found, policy, meters=False):
            found.leave(line, "What the router's own processor is sent is no part of a port.")
            names.add(name)
        else:
            # Cisco, IOS XE 17, Control Plane Policing, MQC Restrictions.
            problem = f"policy-map {name} has queues; allowed in control-plane: police and set"
            found.refuse(line.number, line.text, problem)
    return names


def _say_unused(found: Policies, interface: Interface) -> None:
    """Remark on a queue of the interface that no port has."""
    for way, held in interface.hold.items():
        if (way == "out") == (way in interface.policies):
            lost = "The queue of the interface is left out; those of its policy are taken."
            lost = lost if way == "out" else "What waits on the way in is left out."
            text = f"hold-queue {held.value:g} {way}"
            found.remarks.append(Remark("not modelled", held.line, text, lost))


def _queues(found: Policies, policy: Policy) -> bool:
    """Whether a policy is about queues, and not the `inspect` of a firewall."""
    if has_queues(found, policy):
        return True
    after = [each.line for each in found.policies.values() if each.line > policy.line]
    end = min(after, default=math.inf)
    return not any(
        each.kind == "unknown" and policy.line < each.line < end for each in found.remarks
    )


def _way_of(found: Policies, policy: Policy) -> Way:
    """The way of a policy that no interface has: one that only marks and polices is for input.

    Groups that are set on the way in are matched on the way out.
    """
    chosen = (found.selections.get(name) for name in policy.classes)
    matches = (each for made in chosen if made for each in made.matches)
    grouped = any(mark.startswith(_GROUPS) for each in matches for mark in each.marks)
    queues = policy.kind == "queuing" or has_queues(found, policy, meters=False)
    return "out" if queues or grouped else "in"


def _children(found: Policies) -> set[str]:
    parts = (part for policy in found.policies.values() for part in policy.classes.values())
    return {part.child.name for part in parts if part.child}


def _configured(
    found: Policies, platform: PlatformDefaults, facts: Facts, interface: Interface, way: Way
) -> ConfiguredPort:
    """The port of one direction."""
    named = _chosen(found, platform, interface, way)
    if named is None:
        together = " and ".join(each.name for each in _all_of(interface, way))
        last = interface.policies[way]
        return ConfiguredPort(interface.name, way, None, policy=together, line=last.line)
    policy = found.policies.get(key_of(found.policies, named.name, named.kind))
    empty = ConfiguredPort(interface.name, way, None, policy=named.name, line=named.line)
    if policy is None and platform.built_in and OWN_POLICIES.match(named.name):
        lost = "This policy is the platform's own: what it does is not modelled."
        command = f"service-policy {named.name}"
        found.remarks.append(Remark("not modelled", named.line, command, lost))
        return empty
    if policy is None:
        if found.policies:
            problem = not_defined(found, "policy-map", named.name)
            found.refuse(named.line, f"service-policy {way}put {named.name}", problem)
            return empty
        found.remarks.append(not_in_text(named))
        return empty
    shared = platform.shared_default and way == "out"
    nodes = tree_of(found, policy, platform.built_in, shared)
    root = f"policy-map {policy.name}"
    empty = empty.replace(classes=tuple(classes_of(nodes, root)))
    if not platform.modelled:
        lost = "A Catalyst switch's queues and buffers: not modelled on this platform, no promise."
        command = f"service-policy {way}put {named.name}"
        found.remarks.append(Remark("not modelled", named.line, command, lost))
        return empty
    line = _line_rate(found, facts, interface, platform.types)
    if line is None and way == "in" and not has_queues(found, policy):
        # It only marks, at any rate.
        return empty
    if line is None:
        return empty.replace(missing=(_question(facts, interface),))
    rate_bps, origin = line
    share_bps = interface.bandwidth.value if interface.bandwidth else rate_bps
    memory = None
    if platform.limit is None and way == "out":
        name = facts.name(interface.name, "buffer_bytes")
        if not name and any(node.of.limit is None for node in leaves(nodes)):
            question = f"How much may a queue of {interface.name} hold?"
            asked = facts.missing(interface.name, "buffer_bytes", question, named.line)
            return empty.replace(missing=(asked,))
        memory = (facts.number(interface.name, "buffer_bytes") or 1.0, name) if name else None
    builder = PortBuilder(platform, way, memory, interface.hold.get("in"))
    try:
        names = builder.level(nodes, share_bps, rate_bps)
        for number, text, refused in builder.refused:
            found.refuse(number, text, refused)
        if builder.unsure:
            found.remarks.extend([*builder.remarks, *builder.unsure])
            return empty
        tree = (*reversed([*builder.nodes, Node(root, names)]),)
        more, origins = _rest(facts, interface, way)
        port = Port(
            interface.name,
            rate_bps,
            tuple(builder.queues),
            SchedulerTree(tree, platform.levels),
            classifier=Classifier(*rules_of(nodes)),
            **more,
        )
    except ConfigurationError:
        raise
    except ValueError as error:
        problem = f"policy-map {policy.name} cannot be: {error}"
        found.refuse(named.line, f"service-policy {way}put {named.name}", problem)
        return empty
    found.remarks.extend(builder.remarks)
    return empty.replace(port=port, origins=(origin, *origins, *builder.origins.values()))


def _all_of(interface: Interface, way: Way) -> list[Named]:
    """The policies of a direction, in their order."""
    return [*interface.earlier.get(way, []), interface.policies[way]]


def _chosen(
    found: Policies, platform: PlatformDefaults, interface: Interface, way: Way
) -> Named | None:
    """The policy that makes the port, with a remark on each other; None where all act together."""
    named = interface.policies[way]
    every = _all_of(interface, way)
    if len(every) == 1:
        return named
    kinds = {each.kind: each for each in every}
    chosen: Named | None = None
    if platform.several:
        lost = "Several policies act together: not modelled on this platform, no promise."
        left = every
    elif len(kinds) > 1:
        chosen = kinds["queuing" if way == "out" else "qos"]
        left = [each for each in every if each.kind != chosen.kind]
        lost = "What marks and polices beside the queues is left out."
        lost = lost if way == "out" else "Queues on the way in are left out."
    else:
        return named
    for each in left:
        kind = f"type {each.kind} " if len(kinds) > 1 else ""
        command = f"service-policy {kind}{way}put {each.name}"
        found.remarks.append(Remark("not modelled", each.line, command, lost))
    return chosen


def _held(found: Policies, facts: Facts, interface: Interface, types: bool) -> ConfiguredPort:
    """The port of an interface without a policy: one queue of a stated length."""
    hold = interface.hold["out"]
    made = ConfiguredPort(interface.name, "out", None, line=hold.line)
    line = _line_rate(found, facts, interface, types)
    if line is None:
        return made.replace(missing=(_question(facts, interface),))
    more, origins = _rest(facts, interface, "out")
    queue = Queue("output", PacketLimit(int(hold.value)))
    held = Origin("queues['output'].limit.packets", hold.line)
    port = Port(interface.name, line[0], (queue,), **more)
    return made.replace(port=port, origins=(line[1], *origins, held))


def _question(facts: Facts, interface: Interface) -> Any:
    question = f"What is the line rate of {interface.name}?"
    if any(each.name == interface.name for each in interface.policies.values()):
        name = interface.name
        question = f"No interface has policy-map {name}; for which line rate shall it be checked?"
    return facts.missing(interface.name, "line_rate_bps", question, interface.line)


def _line_rate(
    found: Policies, facts: Facts, interface: Interface, types: bool
) -> tuple[float, Origin] | None:
    """The line rate: a fact, else `speed` of the interface or of its whole, else its type."""
    name = interface.name
    given = facts.number(name, "line_rate_bps")
    if given:
        return given, Origin("rate_bps", fact=facts.name(name, "line_rate_bps"))
    whole = found.interfaces.get(name.split(" ")[0].split(".")[0])
    for each in (interface, whole):
        if each and each.speed:
            return each.speed.value, Origin("rate_bps", each.speed.line)
    rate_bps = type_rate_bps(name, "cisco") if types else None
    return None if rate_bps is None else (rate_bps, Origin("rate_bps", interface.line))


def _rest(facts: Facts, interface: Interface, way: Way) -> tuple[dict[str, Any], list[Origin]]:
    """What a port has besides: facts of the reader, and the transmit ring."""
    more: dict[str, Any] = {}
    origins = []
    for kind in ("overhead_bytes", "base_delay_s", "transmit_ring_packets"):
        value = facts.number(interface.name, kind)
        if value is not None:
            more[kind] = int(value) if kind.endswith("packets") else value
            origins.append(Origin(kind, fact=facts.name(interface.name, kind)))
    ring = interface.ring
    if ring and way == "out" and "transmit_ring_packets" not in more:
        more["transmit_ring_packets"] = int(ring.value)
        origins.append(Origin("transmit_ring_packets", ring.line))
    return more, origins
