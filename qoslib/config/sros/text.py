"""What a text of Nokia SR OS says of policies, SAPs and ports."""

import re
from dataclasses import dataclass, field

from qoslib import units
from qoslib.config.interfaces import speed_bps
from qoslib.config.lines import Line, nearest
from qoslib.config.provenance import Provenance
from qoslib.config.source import check_time
from qoslib.config.sros.commands import INWARD, POLICIES, Policy, read_policy
from qoslib.config.sros.lines import is_braced, lines_of_sros
from qoslib.config.values import Value
from qoslib.config.words import NotUnderstood, Words

__all__ = ["HIDDEN", "OF_SUBSCRIBERS", "UNATTACHED", "UNKNOWN_IN_POLICY", "Place", "Text"]

#: Kinds of policies that are left out, by how their names begin or end.
_OTHER_KIND = re.compile(
    r"-(?:policy|profile|templates|list|ingress|map|mapping|table|auto-id)$|^(?:hs|mc)-|^no$"
)
_KIND = "Policies of this kind are left out."
#: A 7250 IXR, which has kinds of policies of its own.
_IXR = re.compile(
    r"^# TiMOS-.* IXR|^[ \t]*(?:port-qos-policy|vlan-qos-policy|network-ingress)[ \t]+\S",
    re.MULTILINE,
)
_OF_IXR = "This is of a 7250 IXR, and that platform is not modelled: nothing is promised of its"
_OF_IXR += " ports. Of its policies only the first lines are listed."
#: What ends a command that changes no queue; a text may stand behind the first of them.
_NO_EFFECT = "description", "shutdown"
#: How a connector is broken out: into so many ports of this rate [Gbit/s].
_BREAKOUT = re.compile(r"c\d+-(\d+)g")
#: The name of a port; that of a bundle may be a word behind `lag-`.
_NUMBERED = re.compile(r"\d|^lag-")
_MD = re.compile(r"policy-name \S|\brate (?:pir|cir) ")
#: A word that is so near to a known one is meant to be it.
_NEAR = 0.65
HIDDEN = "Its effect on queues is left out: nothing is promised where it acts."
_TWO = "Another policy puts this mark into another class: where a packet comes in decides."
#: What is said of a policy that no SAP has.
UNATTACHED = "No SAP in this text names this policy: it has no effect here."
OF_SUBSCRIBERS = (
    "Each subscriber of an sla-profile has queues of its own, which are left out: nothing is"
    " promised of them, nor of what they leave to others on their port."
)
UNKNOWN_IN_POLICY = (
    "This command of a policy is not understood: it may change what the policy's queues get."
)
_INWARD_KINDS = "sap-ingress", "network"
#: What hides what the queues of a port get, and what does not.
_HIDING = {
    "agg-rate", "agg-rate-limit", "egress-port-qos-policy", "egress-scheduler-override",
    "egress-scheduler-policy", "overrides", "policer-control-policy", "port-scheduler-policy",
    "queue-group", "queue-override", "scheduler-override", "sub-sla-mgmt", "vlan-qos-policy",
}  # fmt: skip
_ELSEWHERE = {"queue-policy", "pool", "slope-policy", "sla-profile", "egress-remark-policy"}
_BEFORE_NAMES = "sap-egress", "policy-name"
#: What a port or a SAP says, in the order in which it is looked for.
_ATTACHED = "scheduler-policy", "qos", "queue-policy", "egress-rate", "speed"


@dataclass
class Place:
    """A port: its speed and rate, the policies of each SAP on it, and whether something hides them.

    The network side of a port is one as well.
    """

    line: int
    given: dict[str, Value] = field(default_factory=dict)
    hidden: bool = False
    saps: dict[str, dict[str, Value]] = field(default_factory=dict)


def _is_elsewhere(words: tuple[str, ...]) -> bool:
    """Whether a command outside of a SAP is about pools, slopes, or queues of subscribers."""
    if "sla-profile" in words:
        return words[-2] == "sla-profile" or not {"qos", "egress", "ingress"}.isdisjoint(words)
    if words[0] == "subscriber-mgmt" and "qos" in words:
        return True
    if "pool" in words:
        return words[0] in ("port", "card", "lag")
    return not _ELSEWHERE.isdisjoint(words)


class Text:
    """All that a text says of policies, SAPs and ports."""

    def __init__(self, text: str) -> None:
        self.notes = Provenance()
        self.unit = "B" if is_braced(text) or _MD.search(text) else "kB"
        self.policies: dict[tuple[str, str], Policy] = {}
        self.places: dict[str, Place] = {}
        self.breakouts: dict[str, Value] = {}
        self.used: set[str] = set()
        self.of_subscribers: set[str] = set()
        self.left: set[tuple[str, str]] = set()
        self.ixr = bool(_IXR.search(text))
        for line in lines_of_sros(text):
            check_time(line.number)
            self.notes.read(line, self._read)
        for place in self.places.values():
            place.hidden |= self.ixr and bool(place.saps)
        self.policies.setdefault(("sap-egress", "1"), Policy("sap-egress", "1", 0))
        self.marks = self._marks()

    def _read(self, line: Line) -> str | None:
        """What is lost by a line; nothing where it is understood, or about other things."""
        words = line.words
        if words[0] in POLICIES and words[0] != "network":
            words = ("qos", *words)
        if words[0] == "qos":
            return self._policy(line._replace(words=words)) if len(words) > 2 else ""
        self.used.update(words)
        if "capture-sap" in words[:-1]:
            # Its subscribers have queues of their own on this port.
            port = words[words.index("capture-sap") + 1].partition(":")[0]
            self.places.setdefault(port, Place(line.number)).hidden = True
        if "sap" in words[:-1] or (words[0] == "port" and len(words) > 1):
            return self._attached(line, words[words.index("sap") if "sap" in words else 0 :])
        elsewhere = _is_elsewhere(words)
        if "interface" in words and words[-2] in ("qos", "network-policy"):
            if ("network-ingress", words[-1]) in self.left:
                return _KIND
            self.notes.understood(line.number, line.text)
        elif "qos" in words[:-1] and not elsewhere:
            raise NotUnderstood
        if _HIDING.isdisjoint(words) and not elsewhere:
            return ""
        if "ingress" in words:
            return INWARD
        if not {"sla-profile", "egress", "qos"} <= {*words[:-1]}:
            return HIDDEN
        named = [each for each in words[words.index("qos") + 1 :] if each not in _BEFORE_NAMES]
        self.of_subscribers.update(named[:1])
        return OF_SUBSCRIBERS

    def _policy(self, line: Line) -> str | None:
        words, (kind, name) = Words(line, 3), line.words[1:3]
        for above, text in zip(line.opened, line.parents, strict=False):
            self.notes.understood(above, text)
        if kind not in POLICIES:
            if _OTHER_KIND.search(kind):
                return self._left_out(kind, name, line.words[3:])
            raise NotUnderstood
        policy = self.policies.setdefault((kind, name), Policy(kind, name, line.number, self.unit))
        try:
            part, lost = read_policy(policy, words)
        except NotUnderstood:
            if kind in _INWARD_KINDS:
                raise
            self.notes.unknown(line.number, line.text, UNKNOWN_IN_POLICY)
            return None
        statement = self.notes.understood(line.number, line.text)
        if part:
            part.statements.append(statement)
        return lost

    def _left_out(self, kind: str, name: str, said: tuple[str, ...]) -> str:
        """What is lost by a line of a policy of a kind that is left out."""
        if _NO_EFFECT[0] in said[:-1] or _NO_EFFECT[1] in said[-1:]:
            return ""
        known, first = (kind, name) in self.left, not self.left
        self.left.add((kind, name))
        if not self.ixr:
            return _KIND
        return "" if known else _OF_IXR if first else _KIND

    def _attached(self, line: Line, words: tuple[str, ...]) -> str:
        """A command of a SAP or a port, whose name has a number; else a keyword is in its place."""
        if words[0] == "port" and not _NUMBERED.search(words[1]):
            raise NotUnderstood
        name, rest = words[1], [each for each in words[2:] if each not in ("create", "policy-name")]
        broken = _BREAKOUT.fullmatch(rest[-1]) if rest[:-1] == ["connector", "breakout"] else None
        if broken:
            self.breakouts[name] = Value(units.gbps(float(broken[1])), "bit/s", line.number)
            self.notes.understood(line.number, line.text)
            return ""
        place = self.places.setdefault(name.partition(":")[0], Place(line.number))
        if words[0] == "sap":
            place.saps.setdefault(name, {"line": Value(name, line=line.number)})
        key = next((each for each in _ATTACHED if each in rest), "")
        value = rest[rest.index(key) + 1 :] if key else []
        if "ingress" in rest:
            if key == "qos" and value:
                self.notes.understood(line.number, line.text)
            return INWARD if value and key != "qos" else ""
        hiding = next((each for each in rest if each in _HIDING), "")
        # An override without a setting changes nothing.
        if hiding and not (hiding.endswith("override") and rest[-4:].count(hiding)):
            place.hidden = True
            return HIDDEN
        value = value[1:] if value[:1] == ["sap-egress"] else value
        said = "".join(rest[1:2])
        if not key and not hiding and nearest(said, (*_ATTACHED, *_HIDING), _NEAR):
            raise NotUnderstood
        if not value:
            return "" if _ELSEWHERE.isdisjoint(rest) else "Slopes of a pool are left out."
        if key == "egress-rate":
            taken = Words(line._replace(words=words), words.index(key) + 1)
            place.given[key] = taken.said(taken.rate_bps("the rate", "kbit/s"), "bit/s")
        elif key == "speed":
            if rate_bps := speed_bps(value[0], "sros"):
                place.given[key] = Value(rate_bps, "bit/s", line.number)
        elif len(value) > 1:
            place.hidden = True
            raise NotUnderstood
        else:
            of = place.saps.setdefault("network" if key == "queue-policy" else name, {})
            of["qos" if key == "queue-policy" else key] = Value(value[0], "", line.number)
        self.notes.understood(line.number, line.text)
        return ""

    def policy(self, kind: str, named: Value | None) -> Policy | None:
        """The policy of a name, or of an id that stands for it."""
        name = named.value if named else None
        of_kind = (each for each in self.policies.values() if each.kind == kind)
        found = self.policies.get((kind, name)) if name else None
        return found or next((each for each in of_kind if name in each.names), None)

    def note_unattached(self) -> None:
        """Note the policies of SAPs that no line outside of them names."""
        for policy in self.policies.values():
            of_sap = policy.kind == "sap-egress" and policy.line
            if of_sap and self.used.isdisjoint({policy.name, *policy.names}):
                text = f"{policy.kind} {policy.name}"
                self.notes.not_modelled(policy.line, text, UNATTACHED)

    def _marks(self) -> dict[str, Value]:
        """The class of each mark, where all policies on the way in agree."""
        found: dict[str, Value] = {}
        for policy in self.policies.values():
            for mark, of in policy.marks.items() if policy.kind != "sap-egress" else ():
                if found.setdefault(mark, of).value not in (of.value, ""):
                    self.notes.not_modelled(of.line, mark, _TWO)
                    found[mark] = Value("")
        return {mark: of for mark, of in found.items() if of.value}
