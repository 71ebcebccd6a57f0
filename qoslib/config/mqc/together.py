"""Policies that act together: of one interface, and one of several sub-interfaces."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from qoslib.config.mqc.class_nodes import has_queues
from qoslib.config.mqc.names import DEFAULT, SYSTEM
from qoslib.config.mqc.policies import Interface, Named, Policies, PolicyClass, Shape, whole_of

__all__ = ["Choice", "choice", "port_shape", "with_default", "with_instances", "with_system"]

#: Names that NX-OS has with 8 queues alone.
_OF_EIGHT = re.compile(r"(?:c|default)-(?:\w+-)*8q-")
#: An interface of NX-OS that may send by the system's policy.
_PHYSICAL = re.compile(r"eth(?:ernet)?[\d/,-]+$", re.IGNORECASE)

#: Direction -> what is left out of an interface with policies of several types.
_OTHER_TYPES = {
    "out": "A policy that marks and polices next to one with queues is left out.",
    "in": "Queues on the way in are left out.",
}
_TAKEN = "No line attaches a queuing policy: the switch's default is assumed, {}."
_INPUT = "How several policies on the way in act together is not known: no promise."
_UNKNOWN = "The policy next to it, {other}, is not in the text: no promise."
_MARKS = "It only marks: the queues are those of {other}, and streams keep their mark."
_POLICES = "It polices in front of the queues of {other}: not modelled, no promise."
_QUEUES = "{other} has queues as well, and a device takes only one such policy: no promise."


class Choice(NamedTuple):
    """The policy that makes a port, None where nothing is promised; and what is lost of others."""

    named: Named | None
    left: Sequence[tuple[Named, str]] = ()


def choice(found: Policies, every: Sequence[Named], way: str, together: bool) -> Choice:
    """Choose among the policies of one direction; `together` says whether all of them act.

    On NX-OS one of each type may stand there. On IOS XR one policy may mark and another one have
    the queues: what the first one sets of traffic classes is there before the second one looks
    (Cisco, NCS 4000 QoS Configuration Guide, Dual Policy; ASR 9000 QoS Configuration Guide,
    Configuring Modular QoS Service Packet Classification, 24.x).
    """
    kinds = {each.kind: each for each in every}
    if len(every) == 1 or not (together or len(kinds) > 1):
        return Choice(every[-1])
    if not together:
        chosen = kinds["queuing" if way == "out" else "qos"]
        others = [each for each in every if each.kind != chosen.kind]
        return Choice(chosen, [(each, _OTHER_TYPES[way]) for each in others])
    if way == "in":
        return Choice(None, [(each, _INPUT) for each in every])
    return _of_output(found, every)


def _of_output(found: Policies, every: Sequence[Named]) -> Choice:
    """The policy of several that has the queues, if the others only mark."""
    policies = {each: found.policy(each.name, each.kind) for each in every}
    absent = [each for each, policy in policies.items() if policy is None]
    if absent:
        return Choice(absent[0], _lost(every, absent[0], _UNKNOWN))
    known = [(each, policy) for each, policy in policies.items() if policy]
    acting = [each for each, policy in known if has_queues(found, policy)]
    queueing = [each for each, policy in known if has_queues(found, policy, meters=False)]
    if len(queueing) > 1:
        return Choice(
            None, [(each, _QUEUES.format(other=_beside(queueing, each))) for each in queueing]
        )
    chosen = (queueing or acting or every)[-1]
    if len(acting) > 1:
        metering = [each for each in acting if each is not chosen]
        return Choice(None, _lost([chosen, *metering], chosen, _POLICES))
    return Choice(chosen, _lost(every, chosen, _MARKS))


def _beside(others: Sequence[Named], named: Named) -> str:
    return " and ".join(each.name for each in others if each is not named)


def _lost(every: Sequence[Named], other: Named, words: str) -> list[tuple[Named, str]]:
    return [(each, words.format(other=other.name)) for each in every if each is not other]


def with_instances(interfaces: Iterable[Interface]) -> list[Interface]:
    """Interfaces, where sub-interfaces that have one instance of a policy are one (IOS XR).

    They have one set of queues, shapers and policers, and belong to one interface (Cisco, IOS XR
    7.3.1 for NCS 5500, Shared-Policy Instances).

    >>> spi = Named("SPI", 3, instance="A")
    >>> of = [Interface(f"TenGigE0/0/0/1.{i}", i, {"out": spi}) for i in (1, 2)]
    >>> [each.name for each in with_instances(of)]
    ['TenGigE0/0/0/1 instance A']
    """
    found: dict[str, Interface] = {}
    for each in interfaces:
        own = {way: named for way, named in each.policies.items() if not named.instance}
        if own or each.hold or not each.policies:
            found[each.name] = replace(each, policies=own)
        for way, named in each.policies.items():
            if named.instance:
                name = f"{each.name.split('.')[0]} instance {named.instance}"
                one = found.setdefault(name, replace(each, name=name, policies={}, hold={}))
                one.policies.setdefault(way, named)
    return list(found.values())


def port_shape(found: Policies, name: str) -> Shape | None:
    """The shaper of a whole interface, which its sub-interfaces with policies pass as well.

    It is a policy of `class-default` alone that only shapes. From IOS XR 6.6.25 on it is in force
    for all that leaves by the port (Cisco, NCS 540 QoS Configuration Guide 7.5, Configuring
    Hierarchical Modular QoS). It is taken so on IOS XE as well, where it promises less.
    """
    whole = whole_of(name)
    above = found.interfaces.get(whole)
    named = above.policies.get("out") if above and whole != name else None
    policy = found.policy(named.name, named.kind) if named else None
    part = policy.classes.get(DEFAULT) if policy and len(policy.classes) == 1 else None
    if part is None or part.shape is None:
        return None
    alone = replace(PolicyClass(part.name, part.line), shape=part.shape, kind=part.kind)
    return part.shape if replace(part, statements=[]) == alone else None


def with_default(found: Policies, interfaces: list[Interface]) -> list[Interface]:
    """Interfaces, where the system has its own policy of queues if the text attaches none (NX-OS).

    It is known where names tell that the switch has 8 queues, and matters where packets are put
    into groups.
    """
    whole = next((each for each in interfaces if each.name == SYSTEM), None)
    groups = any(part.groups for part in found.parts)
    if whole is None or not groups or any("out" in each.policies for each in interfaces):
        return interfaces
    names = [part.name for part in found.parts] + [each.name for each in found.notes.remarks]
    if not any(_OF_EIGHT.match(name) for name in names):
        return interfaces
    own = Named("default-8q-out-policy", whole.line, "queuing")
    found.notes.not_modelled(whole.line, SYSTEM, _TAKEN.format(own.name))
    whole = replace(whole, policies={**whole.policies, "out": own})
    return [whole if each.name == SYSTEM else each for each in interfaces]


def with_system(interfaces: Sequence[Interface], bare: Iterable[Interface]) -> list[Interface]:
    """Interfaces, where those with a speed and no queues of their own have those of the system.

    A policy of the system applies to all interfaces without one of its type (Cisco, Nexus 5000
    NX-OS QoS Configuration Guide, OL-20921-01, System Classes). The system stands for interfaces
    whose speed the text does not say.

    >>> from qoslib.config.values import Value
    >>> system = Interface("system qos", 3, {"out": Named("FABRIC", 4, "queuing")})
    >>> fast = Interface("Ethernet1/1", 5, speed=Value(1e10, "bit/s", 6))
    >>> [each.name for each in with_system([system], [fast])]
    ['Ethernet1/1']
    """
    whole = next((each for each in interfaces if each.name == SYSTEM), None)
    out = whole.policies.get("out") if whole else None
    if whole is None or out is None:
        return list(interfaces)
    taking = [
        each
        for each in (*interfaces, *bare)
        if _PHYSICAL.match(each.name) and "out" not in each.policies
    ]
    fast = [each for each in taking if each.speed]
    found = {each.name: each for each in interfaces}
    for each in fast:
        found[each.name] = replace(each, policies={**each.policies, "out": out})
    if fast and len(fast) == len(taking):
        own = {way: named for way, named in whole.policies.items() if way != "out"}
        found[SYSTEM] = replace(whole, policies=own)
    acting = (each for each in found.values() if each.policies or each.hold)
    return sorted(acting, key=lambda each: each.line)
