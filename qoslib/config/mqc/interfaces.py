"""The lines of an interface that say what its ports are like."""

from functools import partial

from qoslib.config.lines import Line
from qoslib.config.mqc.policies import Interface, Named, plain
from qoslib.config.provenance import Provenance
from qoslib.config.words import NotUnderstood, Words, begun

__all__ = ["DCBX", "INTERFACE", "SEVERAL", "TYPES", "interface_line", "is_service"]

#: Types of class maps and policies that are about queues.
TYPES = {"qos", "queuing", "queueing", "lan-queuing", "network-qos", "quality-of-service"}

#: What is lost of the negotiation of classes with a host.
DCBX = "Announcements of classes and pauses to hosts (DCBX) are left out."
#: Command of an interface -> what is lost; empty where the port says it.
INTERFACE = {
    "service-policy": "",
    "bandwidth": "",
    "speed": "",
    "hold-queue": "",
    "tx-ring-limit": "",
    "bundle": "",
    "max-reserved-bandwidth": "How much may be reserved is left out: the policy is taken as it is.",
    "fair-queue": "Flows wait in one queue here, first in first out.",
    "random-detect": "Random early detection without a policy is left out.",
    "rate-limit": "Committed access rate, the policer before `police`, is left out.",
    "traffic-shape": "Traffic shaping without a policy is left out.",
    "priority-group": "Priority queueing by list is left out.",
    "custom-queue-list": "Custom queueing is left out.",
    **dict.fromkeys(
        ("cbr", "vbr-nrt", "vbr-rt", "ubr", "ubr+", "abr", "vc-hold-queue"),
        "The rate and the queue of this circuit are left out.",
    ),
    "frame-relay": "Frame Relay's circuits are left out.",
    "srr-queue": "The queues of this switch are left out.",
    "wrr-queue": "The queues of this switch are left out.",
    "rcv-queue": "The queues of this switch are left out.",
    "priority-queue": "The queues of this switch are left out.",
    "queue-set": "The queues of this switch are left out.",
    "priority-flow-control": "Pause by priority is left out: a full queue drops.",
    "link-level-flow-control": "Pause of the whole line is left out: a full queue drops.",
    "fex": "The memory of fabric extenders is left out.",
    "untagged": "What packets without a mark get is left out.",
    "buffer-boost": "The memory of this switch is left out.",
    "flow-control": "Pause of the whole line is left out: a full queue drops.",
    "flowcontrol": "Pause of the whole line is left out: a full queue drops.",
}
_NETWORK = (
    "What the whole switch does with its classes is not modelled on this platform: a full queue"
    " drops, and frames have the size of their stream."
)
_BY_ROUTE = "Which group or mark a route gives (QPPB) is left out: give streams its name."
#: Commands of several words -> what is lost.
SEVERAL = {
    ("ipv4", "bgp", "policy", "propagation"): _BY_ROUTE,
    ("ipv6", "bgp", "policy", "propagation"): _BY_ROUTE,
    ("bgp-policy",): _BY_ROUTE,
    ("mls", "qos"): "What the switch trusts is left out: streams keep their mark.",
    ("auto", "qos"): "What AutoQoS makes is read where it is written out.",
    ("ip", "rsvp"): "Reservations by RSVP are left out.",
    ("qos", "trust"): "What the switch trusts is left out: streams keep their mark.",
    ("ip", "nbar"): "Which packets are of an application is left out: give streams its name.",
    ("ip", "tcp", "header-compression"): "Headers stay as long as they are.",
    ("qos", "pre-classify"): "Packets in a tunnel are classified by the mark of their stream.",
    ("trust", "device"): "What the switch trusts is left out: streams keep their mark.",
    ("lldp", "tlv-select", "dcbxp"): DCBX,
    ("ip", "rtp"): "`ip rtp priority` and header compression are left out.",
}


def is_service(line: Line) -> str:
    """The number of an Ethernet service instance that a line begins; else empty."""
    words = line.words
    begins = tuple(word.lower() for word in words[:2]) == ("service", "instance")
    return words[2] if begins and len(words) > 2 and words[2].isdecimal() else ""


def interface_line(
    of: Interface, line: Line, notes: Provenance, parents: tuple[str, ...] = ()
) -> None:
    """Give an interface what a line says, and keep the line where it is about queues."""
    if notes.read(line, partial(_lost, of)):
        notes.understood(line.number, line.text, *parents)


def _lost(of: Interface, line: Line) -> str | None:
    """What is lost of a line; None of one that is about other things."""
    words = tuple(word.lower() for word in line.words)
    second = "".join(words[1:2])
    if of.turns and line.number in of.turns.lost:
        return of.turns.lost[line.number]
    if line.verb == "no" and second == "service-policy":
        _withdraw(of, line)
        return ""
    if line.verb == "no":
        return "" if INTERFACE.get(second) else None
    if words[:2] == ("service-policy", "type"):
        return _typed(of, Words(line, 2))
    if line.verb in ("interface", "service", "system"):
        return ""
    of.hidden |= line.verb == "traffic-shape" or words[:2] == ("rate-limit", "output")
    lost = begun(words, SEVERAL) or INTERFACE.get(line.verb, "")
    if lost or line.verb not in _READ:
        return lost or None
    return "" if _READ[line.verb](of, Words(line)) else None


def _withdraw(of: Interface, line: Line) -> None:
    """Take a policy off: in the direction that the line names, or wherever it is."""
    words, name = {word.lower() for word in line.words}, line.words[-1]
    ways = [way for way in ("in", "out") if f"{way}put" in words] or ["in", "out"]
    for way in ways:
        earlier = of.earlier.get(way, [])
        earlier[:] = [each for each in earlier if each.name != name]
    for way in [way for way in ways if way in of.policies and of.policies[way].name == name]:
        del of.policies[way]
        if of.earlier.get(way):
            of.policies[way] = of.earlier[way].pop()


def _way(words: Words, *named: str) -> str:
    """The direction that a word names; empty where none does."""
    return words.skip(*named).removesuffix("put")


def _service_policy(of: Interface, words: Words) -> bool:
    way = _way(words, "input", "output")
    if not way:
        raise NotUnderstood
    name, instance = words.take("the policy's name"), ""
    if words.skip("shared-policy-instance"):
        instance = words.take("the instance")
    return _attach(of, way, Named(name, words.line.number, instance=instance))


def _attach(of: Interface, way: str, named: Named) -> bool:
    before = of.policies.get(way)
    if before and (before.kind, before.name) != (named.kind, named.name):
        of.earlier.setdefault(way, []).append(before)
    of.policies[way] = named
    return True


def _typed(of: Interface, words: Words) -> str | None:
    """A policy of a type (NX-OS)."""
    kind = words.take("the type").lower()
    if kind not in TYPES:
        return None
    kind = plain(kind)
    way = _way(words, "input", "output")
    if bool(way) == (kind == "network-qos") or not words.ahead:
        raise NotUnderstood
    if kind == "network-qos":
        return _NETWORK
    _attach(of, way, Named(words.take("the policy's name"), words.line.number, kind))
    return ""


def _bandwidth(of: Interface, words: Words) -> bool:
    if words.skip("receive", "inherit"):
        return False
    words.skip("qos-reference")
    words.skip("output")
    if not words.has_number():
        raise NotUnderstood
    of.bandwidth = words.said(words.rate_bps("the bandwidth", "kbit/s"), "bit/s")
    return True


def _speed(of: Interface, words: Words) -> bool:
    if words.has_number():
        of.speed = words.said(words.rate_bps("the speed", "Mbit/s"), "bit/s")
    elif words.ahead[:1] == "-" or not words.ahead:
        raise NotUnderstood
    return True


def _hold(of: Interface, words: Words) -> bool:
    packets = words.count("the queue", 0, 240_000)
    way = _way(words, "in", "out")
    if not way:
        raise NotUnderstood
    if packets:
        of.hold[way] = words.said(packets, "packets")
    return True


def _ring(of: Interface, words: Words) -> bool:
    of.ring = words.said(words.count("the ring", 0, 32_767), "packets")
    return True


def _bundle(of: Interface, words: Words) -> bool:
    """Which bundle an interface is a member of (IOS XR)."""
    if not words.skip("id"):
        return False
    of.bundle = f"bundle-ether{words.count('the bundle', 1, 65_535)}"
    return True


def _clock(of: Interface, words: Words) -> bool:
    if not words.skip("rate") or not words.has_number():
        return False
    of.speed = words.said(words.rate_bps("the clock rate"), "bit/s")
    return True


#: Command -> what it does to an interface; it gives whether that is about queues.
_READ = {
    "service-policy": _service_policy,
    "bandwidth": _bandwidth,
    "clock": _clock,
    "speed": _speed,
    "hold-queue": _hold,
    "tx-ring-limit": _ring,
    "bundle": _bundle,
}
