"""From a policy on an interface to a port, or to the question that has to be asked first."""

import math
from collections.abc import Iterator

from qoslib import units
from qoslib.config.facts import Facts, rate_question
from qoslib.config.interfaces import type_rate_bps
from qoslib.config.mqc.buffers import POOL, divide, follow_free
from qoslib.config.mqc.class_nodes import (
    ClassNode,
    classes_of,
    has_queues,
    leaves,
    rules_of,
    tree_of,
)
from qoslib.config.mqc.commands import verbs_giving
from qoslib.config.mqc.conditioners import shaper
from qoslib.config.mqc.names import OWN_POLICIES, not_defined, not_in_text, own_policy
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import PLAIN, Interface, Named, Policies, Policy, whole_of
from qoslib.config.mqc.port_builder import PortBuilder, Way
from qoslib.config.mqc.together import choice, port_shape, with_default, with_instances, with_system
from qoslib.config.mqc.turns import Turns
from qoslib.config.provenance import Provenance
from qoslib.config.records import ConfiguredClass, ConfiguredPort
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.sourced import (
    Sourced,
    by_name,
    in_packets,
    made,
    number,
    with_port,
)
from qoslib.config.values import Value, of_default, of_fact
from qoslib.port import Classifier, MemoryPool, Node, Queue, SchedulerTree, Shaper

__all__ = ["ON_INPUT", "ports_of"]

_WAYS: tuple[Way, ...] = ("out", "in")
#: Cisco, NCS 540 QoS Configuration Guide 25.x, QoS on Link Bundles.
_OF_BUNDLE = "It acts on each member of the bundle separately: the rates here are for one."
#: Cisco switches have queues on physical ports alone (Catalyst 3550 Software Configuration Guide,
#: 78-11194-03, Configuring QoS, Configuration Guidelines); on an EtherChannel they mark and police.
_OF_CHANNEL = "A Catalyst 9000 has queues on the members of a port channel alone: no promise here."
_MEMORY = "How large is the memory that the queues of {} share?"
_OTHER_PORTS = "Its queues share a memory with those of other ports: here it has all of it."
_OF_GROUP = (
    "Line {} gives policy-map {} to each tunnel or circuit of a group: what is the line rate below"
    " them?"
)
_GROUPS = "traffic-class ", "qos-group ", "discard-class "
#: The fastest port of an older Catalyst whose queues have a length of their own [bit/s].
_SLOW_BPS = units.mbps(100)
_OWN = "This policy is the platform's own: what it does is not modelled."
_CATALYST = "The queues of this switch have numbers: not modelled on this platform, no promise."
#: Of ports up to this rate the buffers are known [bit/s].
_KNOWN_BUFFERS_BPS = units.gbps(5.0)
_BUFFERS = (
    "How many bytes of buffers do the queues of {0} share? Without a policy it is 640 times"
    " Hardmax of queue 0 (show platform hardware fed switch active qos queue config interface {0})."
)
_NO_QUEUES = "A policy of type qos has no queues: those that the switch has by itself are left out."
#: Cisco, ASR 9000 QoS Configuration Guide: some of its line cards queue what comes in.
ON_INPUT = "Queueing on input is not modelled: nothing is promised of what comes in here."
#: Direction -> what becomes of a queue of the interface that no port has.
_UNUSED = {
    "out": "The queue of the interface is left out; those of its policy are taken.",
    "in": "What waits on the way in is left out.",
}


def ports_of(found: Policies, platform: PlatformDefaults, facts: Facts) -> Iterator[ConfiguredPort]:
    """The ports of all interfaces that have a policy, queues in turn or one of a stated length.

    Where a text has no interface, each policy that is in no other, nor in front of the router's own
    processor, is taken for a port.
    """
    children = {part.child.name for part in found.parts if part.child}
    no_ports = children | _of_processor(found)
    attached = with_instances(found.interfaces.values())
    if platform.built_in:
        attached = with_default(found, attached)
    interfaces = with_system(attached, found.bare.values()) or [
        Interface(
            policy.name, policy.line, {_way_of(found, policy): Named(policy.name, policy.line)}
        )
        for policy in found.policies.values()
        if policy.name not in no_ports and policy.kind != "network-qos" and _queues(found, policy)
    ]
    interfaces += _of_groups(found, {each.name for each in interfaces})
    for interface in interfaces:
        check_time(interface.line)
        _say_unused(found, interface)
        for way in _WAYS:
            if way in interface.policies:
                yield _PortReader(found, platform, facts, interface, way).configured()
        if "out" in interface.hold and "out" not in interface.policies:
            yield _PortReader(found, platform, facts, interface, "out").held()
        if interface.turns:
            yield _PortReader(found, platform, facts, interface, "out").turned(interface.turns)


def _of_groups(found: Policies, known: set[str]) -> list[Interface]:
    """Policies that groups of tunnels or circuits have, each as a port of its own."""
    return [
        Interface(name, line.number, {"out": Named(name, line.number)})
        for name, line in found.of_groups.items()
        if name not in known and name in found.policies and has_queues(found, found.policies[name])
    ]


def _of_processor(found: Policies) -> set[str]:
    """Policies of the router's own processor, with a remark on each; one with queues is refused."""
    names = set()
    for name, line in found.of_control_plane.items():
        policy = found.policies.get(name)
        if policy is None or not has_queues(found, policy, meters=False):
            lost = "What the router's own processor is sent is no part of a port."
            found.notes.not_modelled(line.number, line.text, lost)
            names.add(name)
        else:
            # Cisco, IOS XE 17, Control Plane Policing, MQC Restrictions.
            problem = f"policy-map {name} has queues; allowed in control-plane: police and set"
            found.notes.refused(line.number, line.text, problem)
    return names


def _say_unused(found: Policies, interface: Interface) -> None:
    """Remark on a queue of the interface that no port has."""
    for way, held in interface.hold.items():
        if (way == "out") == (way in interface.policies):
            text = f"hold-queue {held.value:g} {way}"
            found.notes.not_modelled(held.line, text, _UNUSED[way])


def _queues(found: Policies, policy: Policy) -> bool:
    """Whether a policy is about queues, and not the `inspect` of a firewall."""
    if has_queues(found, policy):
        return True
    after = [each.line for each in found.policies.values() if each.line > policy.line]
    end = min(after, default=math.inf)
    return not any(
        each.kind == "unknown" and policy.line < each.line < end for each in found.notes.remarks
    )


def _way_of(found: Policies, policy: Policy) -> Way:
    """The way of a policy that no interface has: one that only marks and polices is for input.

    Groups that are set on the way in are matched on the way out.
    """
    chosen = (found.selections.get(name) for name in policy.classes)
    matches = (each for selection in chosen if selection for each in selection.matches)
    grouped = any(mark.startswith(_GROUPS) for each in matches for mark in each.marks)
    queues = policy.kind == "queuing" or has_queues(found, policy, meters=False)
    return "out" if queues or grouped else "in"


class _PortReader:
    """One direction of an interface as a port."""

    def __init__(
        self,
        found: Policies,
        platform: PlatformDefaults,
        facts: Facts,
        interface: Interface,
        way: Way,
    ) -> None:
        self.found, self.platform, self.facts = found, platform, facts
        self.interface, self.way = interface, way
        self.notes = Provenance()

    def configured(self) -> ConfiguredPort:
        """The port of a policy."""
        interface, way = self.interface, self.way
        named = self._chosen()
        if named is None:
            together = " and ".join(each.name for each in self._all())
            last = interface.policies[way]
            return ConfiguredPort(interface.name, way, None, policy=together, line=last.line)
        empty = ConfiguredPort(interface.name, way, None, policy=named.name, line=named.line)
        policy = self.found.policy(named.name, named.kind) or self._own(named)
        if policy is None:
            self._say_absent(named)
            return empty
        if self.platform.name == "nxos" and way == "out" and policy.kind == PLAIN:
            self.found.notes.not_modelled(named.line, self._command(named), _NO_QUEUES)
            return empty
        if self._bundled and way == "out":
            self.found.notes.not_modelled(named.line, self._command(named), _OF_BUNDLE)
        shared = self.platform.shared_default and way == "out"
        nodes = tree_of(self.found, policy, self.platform.built_in, shared)
        empty = empty.replace(classes=tuple(classes_of(nodes, f"policy-map {policy.name}")))
        if not self.platform.modelled:
            self.found.notes.not_modelled(named.line, self._command(named), _CATALYST)
            return empty
        if self.platform.name == "ios-xr" and way == "in" and self._says_queues_in(nodes):
            return empty
        channel = self.platform.buffers and interface.name.lower().startswith("port-channel")
        if channel and way == "out" and has_queues(self.found, policy, meters=False):
            self.found.notes.not_modelled(named.line, self._command(named), _OF_CHANNEL)
            return empty
        if interface.hidden and way == "out":
            return empty
        line = self._line_rate()
        if line is None and way == "in" and not has_queues(self.found, policy):
            # It only marks, at any rate.
            return empty
        memory = self._memory(nodes, named, line) if line else None
        if line is None:
            self._ask_rate()
        if line is None or self.notes.missing:
            return empty.replace(missing=tuple(self.notes.missing))
        return self._with_port(empty, named, nodes, line, memory)

    def _says_queues_in(self, nodes: list[ClassNode]) -> bool:
        """Whether classes of a policy for input have commands of queues, each with a remark."""
        queueing = verbs_giving("a queue", "a change")
        found = [said for each in nodes for said in each.of.statements if said.verb in queueing]
        for said in found:
            self.found.notes.not_modelled(said.line, said.text, ON_INPUT)
        below = [self._says_queues_in(each.children) for each in nodes]
        return bool(found) or any(below)

    def held(self) -> ConfiguredPort:
        """The port of an interface without a policy: one queue of a stated length."""
        hold, line = self.interface.hold["out"], self._line_rate()
        every = ConfiguredClass("class-default", "output", ("the rest",), hold.line)
        empty = ConfiguredPort(self.interface.name, "out", None, (every,), line=hold.line)
        if self.interface.hidden:
            return empty
        if line is None:
            self._ask_rate()
            return empty.replace(missing=tuple(self.notes.missing))
        queue = made(Queue, name="output", limit=in_packets(hold.value, hold))
        return self._made(empty, line, by_name([queue]))

    def turned(self, turns: Turns) -> ConfiguredPort:
        """The port of an interface with four queues by number."""
        name, line, at = self.interface.name, self._line_rate(), turns.weights[0].line
        empty = ConfiguredPort(name, "out", None, turns.classes(), line=at)
        if line is None:
            self._ask_rate()
            return empty.replace(missing=tuple(self.notes.missing))
        length = "wrr_queue_limit" if line.value <= _SLOW_BPS else "wrr_gigabit_limit"
        held = of_fact(self.facts, name, "buffer_bytes") or of_default(f"ios.{length}")
        return self._made(empty, line, turns.queues(held), **turns.fields())

    def _command(self, named: Named, kind: str = "") -> str:
        """The line of a policy: what attaches it, or its header where nothing does."""
        if self._alone and not self._of_group:
            return f"policy-map {named.name}"
        return f"service-policy {kind}{self.way}put {named.name}"

    def _all(self) -> list[Named]:
        """The policies of the direction, in their order."""
        return [*self.interface.earlier.get(self.way, []), self.interface.policies[self.way]]

    def _chosen(self) -> Named | None:
        """The policy that makes the port, with a remark on each other; None where all act."""
        every = self._all()
        named, left = choice(self.found, every, self.way, self.platform.several)
        typed = len({each.kind for each in every}) > 1
        for each, lost in left:
            command = self._command(each, f"type {each.kind} " if typed else "")
            self.found.notes.not_modelled(each.line, command, lost)
        return named

    def _own(self, named: Named) -> Policy | None:
        """A policy of queues that the platform has by itself."""
        if not self.platform.built_in or self.way == "in":
            return None
        return own_policy(named.name, {group for part in self.found.parts for group in part.groups})

    def _say_absent(self, named: Named) -> None:
        """Say what is wrong with a policy that the text does not define."""
        if self.platform.built_in and OWN_POLICIES.match(named.name):
            command = f"service-policy {named.name}"
            self.found.notes.not_modelled(named.line, command, _OWN)
        elif self.found.policies:
            problem = not_defined(self.found, "policy-map", named.name)
            self.found.notes.refused(named.line, self._command(named), problem)
        else:
            not_in_text(self.found, named)

    def _ask_rate(self) -> None:
        name, line = self.interface.name, self.interface.line
        link = f"one member of {name}" if self._bundled else name
        question = rate_question(link, f"policy-map {name}" if self._alone else "")
        if self._of_group:
            question = _OF_GROUP.format(line, name)
        self.notes.ask(self.facts, name, "line_rate_bps", question, line)

    def _memory(self, nodes: list[ClassNode], named: Named, line: Value) -> Value | None:
        """What a queue may hold, or all queues of a Catalyst, where only the reader knows it."""
        shared, name = self.platform.buffers, self.interface.name
        if self.platform.port_queues and self.way == "out":
            row = self.platform.port_queues[line.value > units.gbps(1.0)]
            return of_fact(self.facts, name, "buffer_bytes") or self.platform.value(row)
        if (self.platform.limits and not shared) or self.way == "in":
            return None
        fact = of_fact(self.facts, name, "buffer_bytes")
        if fact is None and shared and line.value <= _KNOWN_BUFFERS_BPS:
            return self.platform.value("catalyst_buffers")
        if fact is None and shared:
            self.notes.ask(self.facts, name, "buffer_bytes", _BUFFERS.format(name), named.line)
        elif fact is None and follow_free(list(leaves(nodes))):
            self.notes.ask(self.facts, name, "buffer_bytes", _MEMORY.format(name), named.line)
        elif fact is None and any(node.of.limit is None for node in leaves(nodes)):
            question = f"How much may a queue of {name} hold?"
            self.notes.ask(self.facts, name, "buffer_bytes", question, named.line)
        return fact

    def _with_port(
        self,
        empty: ConfiguredPort,
        named: Named,
        nodes: list[ClassNode],
        line: Value,
        memory: Value | None,
    ) -> ConfiguredPort:
        """The port of a policy whose rate is known."""
        notes = self.found.notes
        builder = PortBuilder(self.platform, self.way, memory, self.interface.hold.get("in"))
        try:
            if self.platform.buffers and memory:
                lost = divide(nodes, memory, self.found.softmax, self.platform.most_queues)
                notes.not_modelled(named.line, self._command(named), lost)
            if follow_free(list(leaves(nodes))):
                notes.not_modelled(named.line, self._command(named), _OTHER_PORTS)
            port = self._built(empty, builder, nodes, line, named)
        except ConfigurationError:
            raise
        except ValueError as error:
            problem = f"policy-map {named.name} cannot be: {error}"
            notes.refused(named.line, self._command(named), problem)
            return empty
        notes.add(builder.notes)
        return port

    def _built(
        self,
        empty: ConfiguredPort,
        builder: PortBuilder,
        nodes: list[ClassNode],
        line: Value,
        named: Named,
    ) -> ConfiguredPort:
        """With the port of a tree of classes; without where it is not sure what a device does."""
        given, above = self.interface.bandwidth, self._above(line)
        most_bps = min(above.part.rate_bps, line.value) if above else line.value
        children = builder.build(nodes, given.value if given else most_bps, most_bps)
        self.found.notes.add(builder.refused)
        if builder.unsure:
            return empty
        root = made(Node, name=f"policy-map {named.name}", children=children)
        tree = by_name([root, *reversed(builder.nodes)])
        levels = self.platform.levels
        first = [queue.part.priority for queue in builder.queues if queue.part.priority < levels]
        shared = self.platform.one_queue_a_level and len(set(first)) < len(first)
        scheduler = made(
            SchedulerTree, nodes=tree, strict_levels=levels, fifo_levels=levels if shared else 0
        )
        classifier = Classifier(*rules_of(nodes))
        more = {"scheduler": scheduler, "classifier": classifier, "shaper": above}
        if builder.memory and any(queue.part.pool for queue in builder.queues):
            more["pools"] = (MemoryPool(POOL, int(builder.memory.value)),)
        return self._made(empty, line, by_name(builder.queues), **more)

    def _above(self, line: Value) -> Sourced[Shaper] | None:
        """The shaper of the whole interface that a sub-interface passes."""
        if not (self.platform.several or self.platform.name == "ios-xe") or self.way == "in":
            return None
        shape = port_shape(self.found, self.interface.name)
        try:
            return shaper(shape, line.value, self.platform) if shape else None
        except ConfigurationError:
            # It is refused where it stands.
            return None

    def _line_rate(self) -> Value | None:
        """The line rate: a fact, else `speed` of the interface or of its whole, else its type."""
        interface, name = self.interface, self.interface.name
        fact = of_fact(self.facts, name, "line_rate_bps")
        if fact and fact.value:
            return fact
        whole = self.found.interfaces.get(whole_of(name))
        for each in (interface, whole):
            if each and each.speed:
                return each.speed
        if not self.platform.types:
            return None
        # A bundle whose members are alike has their rate: a policy acts on each of them.
        rates = [_by_type(each) for each in self.found.members_of(name) or [interface]]
        alike = len({each.value if each else None for each in rates}) == 1
        return rates[0] if alike else None

    @property
    def _alone(self) -> bool:
        """Whether it is a policy that no interface has."""
        return any(each.name == self.interface.name for each in self.interface.policies.values())

    @property
    def _of_group(self) -> bool:
        """Whether it is a policy that a group of tunnels or circuits has."""
        line = self.found.of_groups.get(self.interface.name)
        return line is not None and line.number == self.interface.line

    @property
    def _bundled(self) -> bool:
        return self.platform.several and self.interface.name.lower().startswith("bundle-ether")

    def _made(
        self, empty: ConfiguredPort, line: Value, queues: Sourced[tuple[Queue, ...]], **more: object
    ) -> ConfiguredPort:
        """With a port, which has a transmit ring on the way out."""
        ring = self.interface.ring if self.way == "out" else None
        if ring:
            more["transmit_ring_packets"] = number(int(ring.value), ring)
        return with_port(empty, self.facts, rate_bps=line, queues=queues, **more)


def _by_type(interface: Interface) -> Value | None:
    """The rate of an interface: its speed, or that of the type in its name."""
    rate_bps = type_rate_bps(interface.name, "cisco")
    if interface.speed or rate_bps is None:
        return interface.speed
    return Value(rate_bps, "bit/s", interface.line)
