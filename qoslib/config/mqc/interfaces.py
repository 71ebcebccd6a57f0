"""The lines of an interface that say what its ports are like."""

from qoslib.config.lines import Line
from qoslib.config.mqc.lines import NotUnderstood, Refused, Words
from qoslib.config.mqc.policies import Interface, Named, plain
from qoslib.config.values import Value

__all__ = ["INTERFACE", "TYPES", "interface_line", "is_service"]

#: Types of class maps and policies that are about queues.
TYPES = {"qos", "queuing", "queueing", "lan-queuing", "network-qos", "quality-of-service"}

#: Command of an interface -> what is lost; empty where the port says it.
INTERFACE = {
    "service-policy": "",
    "bandwidth": "",
    "speed": "",
    "hold-queue": "",
    "tx-ring-limit": "",
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
_SEVERAL = {
    ("mls", "qos"): "What the switch trusts is left out: streams keep their mark.",
    ("auto", "qos"): "What AutoQoS makes is read where it is written out.",
    ("ip", "rsvp"): "Reservations by RSVP are left out.",
    ("qos", "trust"): "What the switch trusts is left out: streams keep their mark.",
    ("ip", "nbar"): "Which packets are of an application is left out: give streams its name.",
    ("ip", "tcp", "header-compression"): "Headers stay as long as they are.",
    ("qos", "pre-classify"): "Packets in a tunnel are classified by the mark of their stream.",
    ("trust", "device"): "What the switch trusts is left out: streams keep their mark.",
    ("ip", "rtp"): "`ip rtp priority` and header compression are left out.",
}


def is_service(line: Line) -> str:
    """The number of an Ethernet service instance that a line begins; else empty."""
    words = line.words
    begins = tuple(word.lower() for word in words[:2]) == ("service", "instance")
    return words[2] if begins and len(words) > 2 and words[2].isdecimal() else ""


def interface_line(of: Interface, line: Line) -> tuple[str, str]:
    """Give an interface what a line says."""
    verb = line.verb
    if verb == "no" and line.words[1:2] == ("service-policy",):
        _withdraw(of, line)
        return "", "stated"
    if verb == "no" and INTERFACE.get(line.words[1].lower() if line.words[1:] else ""):
        return "", "stated"
    second = tuple(word.lower() for word in line.words[:2])
    if second == ("service-policy", "type"):
        return _typed(of, line)
    if verb in ("interface", "service", "system"):
        return "", "stated"
    words = tuple(word.lower() for word in line.words)
    for start, lost in _SEVERAL.items():
        if words[: len(start)] == start:
            return lost, "not modelled"
    if verb not in INTERFACE and verb != "clock":
        return "", ""
    if INTERFACE.get(verb):
        return INTERFACE[verb], "not modelled"
    try:
        return "", _READ[verb](of, Words(line))
    except NotUnderstood:
        return "", "unknown"
    except Refused as problem:
        return str(problem).removeprefix(f"line {line.number}: "), "refused"


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


def _service_policy(of: Interface, words: Words) -> str:
    way = {"input": "in", "output": "out"}.get(words.skip("input", "output"))
    if way is None:
        raise NotUnderstood
    _attach(of, way, Named(words.take("the policy's name"), words.line.number))
    return "stated"


def _attach(of: Interface, way: str, named: Named) -> None:
    before = of.policies.get(way)
    if before and (before.kind, before.name) != (named.kind, named.name):
        of.earlier.setdefault(way, []).append(before)
    of.policies[way] = named


def _typed(of: Interface, line: Line) -> tuple[str, str]:
    """A policy of a type (NX-OS)."""
    words = Words(line, 2)
    kind = words.take("the type").lower()
    if kind not in TYPES:
        return "", ""
    kind = plain(kind)
    way = {"input": "in", "output": "out"}.get(words.skip("input", "output"), "")
    if bool(way) == (kind == "network-qos") or not words.ahead:
        return "", "unknown"
    if kind == "network-qos":
        return _NETWORK, "not modelled"
    _attach(of, way, Named(words.take("the policy's name"), line.number, kind))
    return "", "stated"


def _bandwidth(of: Interface, words: Words) -> str:
    if words.skip("receive", "inherit"):
        return ""
    words.skip("qos-reference")
    words.skip("output")
    if not words.has_number():
        raise NotUnderstood
    of.bandwidth = Value(words.rate_bps("the bandwidth", "kbit/s"), "bit/s", words.line.number)
    return "stated"


def _speed(of: Interface, words: Words) -> str:
    if not words.has_number():
        if words.ahead[:1] == "-" or not words.ahead:
            raise NotUnderstood
        return "stated"
    of.speed = Value(words.rate_bps("the speed", "Mbit/s"), "bit/s", words.line.number)
    return "stated"


def _hold(of: Interface, words: Words) -> str:
    packets = words.count("the queue", 0, 240_000)
    way = {"in": "in", "out": "out"}.get(words.skip("in", "out"))
    if way is None:
        raise NotUnderstood
    if packets:
        of.hold[way] = Value(packets, "packets", words.line.number)
        return "stated"
    return "stated"


def _ring(of: Interface, words: Words) -> str:
    of.ring = Value(words.count("the ring", 0, 32_767), "packets", words.line.number)
    return "stated"


def _clock(of: Interface, words: Words) -> str:
    if not words.skip("rate") or not words.has_number():
        return ""
    of.speed = Value(words.rate_bps("the clock rate"), "bit/s", words.line.number)
    return "stated"


_READ = {
    "service-policy": _service_policy,
    "bandwidth": _bandwidth,
    "clock": _clock,
    "speed": _speed,
    "hold-queue": _hold,
    "tx-ring-limit": _ring,
}
