"""Names in Cisco's configurations: what a platform has by itself, what may be meant by another."""

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from functools import lru_cache

from qoslib.config.lines import SLIP, nearest
from qoslib.config.mqc.policies import PLAIN, Named, Policies, Policy, PolicyClass, Priority
from qoslib.config.values import Value

__all__ = [
    "BUILT_IN",
    "DEFAULT",
    "OWN_FCOE",
    "OWN_GROUP",
    "OWN_POLICIES",
    "OWN_REST",
    "SYSTEM",
    "is_own",
    "is_slip",
    "near",
    "no_own_queue",
    "not_defined",
    "not_in_text",
    "own_policy",
]

#: Class maps and policies that a Catalyst 9000 writes by itself.
BUILT_IN = re.compile(r"system-cpp-|(?:non-client-nrt-class|port_child_policy)$")
#: Policies that NX-OS has by itself.
OWN_POLICIES = re.compile(r"(fcoe-)?default-")
#: The type of those that are about queues.
_QUEUING = "queuing"
#: Policy -> the row of ``defaults.toml``, how the names of its classes begin, and the last group.
_BY_GROUP = {
    "default-8q-out-policy": ("nxos.default_8q_out_policy", "c-out-8q-q", 7),
    "default-out-policy": ("nxos.default_out_policy", "c-out-q", 3),
}
#: Policy -> its row, and the per cents of its classes.
_BY_NAME = {
    "fcoe-default-out-policy": (
        "nxos.fcoe_default_out_policy",
        {"class-fcoe": 50.0, "class-default": 50.0},
    ),
}
#: Classes that NX-OS has by itself, of queues and of the whole switch: with four queues they are
#: c-out-q1 to c-out-q3 and c-out-q-default, with eight c-out-8q-q1 to c-out-8q-q7 (four: Cisco,
#: NX-OS data model, Queuing, "c-out-q1 to c-out-q-default"; eight: `show queuing` of a Nexus 9000).
#: On the way in, where queues have pause buffers, they are c-in-q1 to c-in-q7 and c-in-q-default.
_OWN_CLASSES = re.compile(
    r"(?!c-out-q[04-9]|c-in-q[089]|c-(?:in|out)-8q-q[089])(?:\w+-)*(?:in|out)-(?:\w+-)*(?:p?q\d|q-default)|c-(?:\w+-)*nq[\w-]*"
    r"|class-(?:fcoe|all-flood|ip-multicast)"
)
#: How the names of those of queues look.
_QUEUE_NAME = re.compile(r"(?:\w+-)*(?:in|out)-(?:\w+-)*(?:p?q\d+|q-default)")
#: What a policy of queues takes where it uses these (Cisco, Nexus 9000 Series NX-OS Quality of
#: Service Configuration Guide, "Configuring Queuing and Scheduling": the system defines these
#: class maps, and nobody can create others).
_ALLOWED = (
    "the classes of queues that the switch has by itself, on a Nexus 9000 c-out-q1 to c-out-q3 and"
    " c-out-q-default, or c-out-8q-q1 to c-out-8q-q7 and c-out-8q-q-default; on the way in"
    " c-in-q1 to c-in-q7 and c-in-q-default"
)
#: Those of a Nexus 9000 with four queues and with eight, for what a misspelt one may mean.
_OWN_NAMES = (
    *(f"c-out-q{number}" for number in range(1, 4)), "c-out-q-default",
    *(f"c-out-8q-q{number}" for number in range(1, 8)), "c-out-8q-q-default",
    *(f"c-nq{number}" for number in range(1, 4)), "c-nq-default",
    *(f"c-8q-nq{number}" for number in range(1, 8)), "c-8q-nq-default",
)  # fmt: skip
#: So near is a misspelt one: short ones of these differ by one letter from one another.
_NEAR_OWN = 0.9
#: The class of all that is in no other.
DEFAULT = "class-default"
#: The block of what NX-OS applies to the whole switch.
SYSTEM = "system qos"
#: Classes that NX-OS has by itself, and the group that is in each.
OWN_GROUP = re.compile(r"c-out(?:-\w+)?-q(\d)")
OWN_REST = "-q-default"
#: The group of the class of Fibre Channel (Cisco, Nexus 5000 CLI Software Configuration Guide,
#: OL-16597-01, Default System Classes).
OWN_FCOE = {"class-fcoe": ("qos-group 1",)}
#: So many names that are nearly another are looked at, and how near these may be.
_MOST_NEAR, _NEARLY = 8, 0.6


def is_own(name: str, nxos: bool) -> bool:
    """Whether a platform has a class by itself, which no text defines.

    >>> is_own("c-out-8q-q3", nxos=True), is_own("c-out-8q-q3", nxos=False)
    (True, False)
    """
    known = name == DEFAULT or BUILT_IN.match(name)
    return bool(known or (nxos and _OWN_CLASSES.fullmatch(name)))


def own_policy(name: str, groups: Collection[str]) -> Policy | None:
    """A policy of NX-OS, None of a name that is not known.

    Parameters
    ----------
    name : str
    groups : collection of str
        Those that the text puts packets into, as ``"qos-group 3"``: of classes of other groups,
        which no packet is in, the policy has none here.

    >>> [*own_policy("default-8q-out-policy", ["qos-group 3"]).classes]
    ['c-out-8q-q3', 'c-out-8q-q-default']
    """
    if name in _BY_GROUP:
        row, stem, last = _BY_GROUP[name]
        every = [_first(f"{stem}{last}", row)]
        every += [_shared(f"{stem}{group}", 0.0, row) for group in range(last - 1, 0, -1)]
        parts = [part for part in every if _group(part) in groups]
        parts.append(_shared(f"{stem}-default", 100.0, row))
    elif name in _BY_NAME:
        row, shares = _BY_NAME[name]
        parts = [
            PolicyClass(of, 0, bandwidth=Value(share / 100, "1", default=row), kind=_QUEUING)
            for of, share in shares.items()
        ]
    else:
        return None
    return Policy(name, 0, {part.name: part for part in parts}, _QUEUING)


def _group(part: PolicyClass) -> str:
    found = OWN_GROUP.fullmatch(part.name)
    return f"qos-group {found[1]}" if found else ""


def _first(name: str, row: str) -> PolicyClass:
    return PolicyClass(name, 0, priority=Priority(0, default=row), kind=_QUEUING)


def _shared(name: str, percent: float, row: str) -> PolicyClass:
    return PolicyClass(name, 0, remaining=Value(percent, "%", default=row), kind=_QUEUING)


@lru_cache(4096)
def near(name: str, defined: tuple[str, ...], least: float = 0.75) -> tuple[str, ...]:
    """The names that a name which nothing defines is nearly, the nearest first.

    >>> near("Voice", ("VOICE", "DATA")), near("VIDEO", ("VOICE", "DATA"))
    (('VOICE',), ())
    """
    # Names of another case are other names, though a person may not see it.
    spelt = {each.lower(): each for each in defined}
    found = get_close_matches(name.lower(), spelt, _MOST_NEAR, least)
    return tuple(spelt[each] for each in found)


def not_in_text(found: Policies, named: Named) -> None:
    """Remark on a policy that a piece of a configuration uses and does not hold."""
    lost = "The text does not hold this policy-map: queues and limits there are not checked."
    found.notes.not_modelled(named.line, f"service-policy {named.name}", lost)


def is_slip(found: Policies, policy: Policy, part: PolicyClass) -> bool:
    """Whether the name of a class that no class map has is meant to be another's.

    It is where a class map that the policy does not have yet has nearly this name, or where the
    header of its class map is not understood. Else the class map stands in another text.
    """
    names = tuple(each.name for each in found.selections.values())
    if any(name not in policy.classes for name in near(part.name, names)):
        return True
    # It is so long that other names begin as it does.
    if near(part.name, (DEFAULT,), SLIP) or _near_own(part):
        return True
    unread = (each.text.split() for each in found.notes.remarks if each.kind == "unknown")
    return any(part.name in words and nearest(words[0].lower(), ("class-map",)) for words in unread)


def _near_own(part: PolicyClass) -> tuple[str, ...]:
    """The classes of NX-OS that the name of a class of queues, or of the switch, is nearly."""
    return near(part.name, _OWN_NAMES, _NEAR_OWN) if part.kind != PLAIN else ()


def no_own_queue(policy: Policy, part: PolicyClass) -> str:
    """What is wrong with a class that no class map has, beside queues that NX-OS has by itself."""
    by_itself = any(_QUEUE_NAME.fullmatch(name) for name in policy.classes)
    if part.kind != _QUEUING or is_own(part.name, nxos=True) or not by_itself:
        return ""
    meant = _meant(part.name, [*_near_own(part)])
    return f"class-map {part.name} is not defined{meant}; allowed: {_ALLOWED}"


def not_defined(found: Policies, kind: str, name: str) -> str:
    """What is wrong with a name that nothing defines: what may be meant, and others of its sort."""
    own = {each for part in found.parts if part.name == name for each in _near_own(part)}
    classes = [*found.selections, DEFAULT, *sorted(own)]
    defined = {"policy-map": [*found.policies], "class-map": classes}
    others = [
        f"{of} {other} (line {at}){_meant(other, defined[of])}"
        for of, other, at in _used(found)
        if other != name and other not in defined[of]
    ]
    headers = [each for each in found.notes.remarks if each.kind == "unknown"]
    unread = next((each for each in headers if {kind, name} <= set(each.text.split())), None)
    if unread is not None:
        problem = f"{kind} {name} is not understood in line {unread.line}"
        return f"{problem}; allowed: {kind} and one NAME"
    problem = f"{kind} {name} is not defined{_meant(name, defined[kind])}"
    for each in headers:
        words = each.text.split()
        if words[-1] == name and nearest(words[0].lower(), (kind,)):
            problem += f"; line {each.line} begins with {words[0]!r}, did you mean {kind!r}?"
    more = f"; not defined either: {'; '.join(dict.fromkeys(others[:10]))}" if others else ""
    return problem + more


def _used(found: Policies) -> Iterator[tuple[str, str, int]]:
    """Kind, name and line of each class map and each policy that something uses."""
    for part in found.parts:
        built_in = OWN_GROUP.match(part.name) or part.name.endswith(OWN_REST)
        built_in = built_in or is_own(part.name, nxos=part.kind != PLAIN)
        if found.selections and not built_in:
            yield "class-map", part.name, part.line
        if part.child:
            yield "policy-map", part.child.name, part.child.line
    for interface in found.interfaces.values():
        for named in interface.policies.values():
            yield "policy-map", named.name, named.line


def _meant(name: str, defined: list[str]) -> str:
    nearly = near(name, tuple(defined), _NEARLY)
    return f", did you mean {nearly[0]}?" if nearly else ""
