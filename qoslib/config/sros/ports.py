"""Ports of Nokia SR OS: the queues of each SAP, the nodes above them, and their numbers."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from qoslib import units
from qoslib.config.conditioners import FRAME_BYTES, token_bucket
from qoslib.config.facts import Facts, rate_question
from qoslib.config.lines import nearest
from qoslib.config.provenance import Provenance
from qoslib.config.records import ConfiguredClass, ConfiguredPort
from qoslib.config.source import check_time
from qoslib.config.sourced import (
    Sourced,
    by_mark,
    by_name,
    in_bytes,
    made,
    number,
    with_port,
)
from qoslib.config.sros.commands import CLASSES, Given, Policy
from qoslib.config.sros.text import HIDDEN, Place, Text
from qoslib.config.values import Value, of_default, of_fact
from qoslib.port import (
    Classifier,
    Ewma,
    Node,
    PriorityLevels,
    Queue,
    Red,
    SchedulerTree,
    Shaper,
    ShareRedProfile,
)

__all__ = ["PortBuilder"]

_NO_LOW = "No mark is known to be out of profile: the setting for such packets is left out."
_ALONE = "There is no top scheduler with a rate below that of the port: levels and weights have no"
_ALONE += " effect."
_NOT_WITHIN = "A scheduler above gives nothing within the CIR, because of its cir-level or its own"
_NOT_WITHIN += " CIR: this CIR only decides which packets are in profile."
_LEVELS = "Levels below schedulers of the same level cannot be compared here: nothing is promised."


@dataclass
class _Leaf:
    """A queue of a port: what it is given, its marks, and the way down to it.

    `steps` are nodes from the port on, what is below each on the way, its level and its cir-level.
    """

    name: str
    of: Given
    sap: str
    marks: dict[str, Value]
    expedited: bool
    steps: list[tuple[str, str, float, float]] = field(default_factory=list)
    committed: Value | None = None

    def value(self, key: str) -> Value | None:
        return self.of.values.get(key)


class PortBuilder:
    """What makes the port of a place: its queues, the nodes above them, and their numbers."""

    def __init__(self, text: Text, name: str, place: Place, facts: Facts) -> None:
        self.text, self.name, self.place, self.facts = text, name, place, facts
        self.notes, self.sure, self.root = text.notes, not place.hidden, f"port {name}"
        rate = place.given.get("egress-rate")
        self.nodes = {self.root: Given(place.line, values={"pir": rate} if rate else {})}
        self.leaves: list[_Leaf] = []
        self.memory = of_fact(facts, name, "buffer_bytes")
        speed = place.given.get("speed") or text.breakouts.get(name.rpartition("/")[0])
        self.line = of_fact(facts, name, "line_rate_bps") or speed
        rates = [each.value for each in (self.line, rate) if each]
        self.whole_bps = float(min(rates, default=0.0))

    def port(self) -> ConfiguredPort | None:
        """The port as far as it is told, or what is missing for it; None of one without queues."""
        check_time()
        saps, asked = self.place.saps, Provenance()
        if self.sure and all(each.keys() <= {"line"} for each in saps.values()):
            return None
        names = dict.fromkeys(of.get("qos", Value("1")).value for of in saps.values())
        policies = " and ".join(names)
        port = ConfiguredPort(self.name, "out", None, policy=policies, line=self.place.line)
        for sap, of in saps.items():
            self._leaves_of(sap, of)
        questions = {"line_rate_bps": rate_question(self.name)} if not self.line else {}
        if not self.memory and any(map(_shares, self.leaves)):
            questions["buffer_bytes"] = f"How much memory do the queues of {self.name} share?"
        for fact, question in questions.items() if self.sure else ():
            asked.ask(self.facts, self.name, fact, question, port.line)
        port = port.replace(classes=tuple(map(_class, self.leaves)), missing=tuple(asked.missing))
        try:
            return self._made(port) if self.line and self.sure and not asked.missing else port
        except ValueError as error:
            self.notes.not_modelled(port.line, f"port {self.name}", f"{error}. {HIDDEN}")
            return port

    def _known(self, kind: str, named: Value | None) -> Policy | None:
        """A policy that a line names; without it, or with policers, nothing is sure."""
        found = self.text.policy(kind, named)
        self.sure &= named is None or (found is not None and not found.metered)
        if found is None and named:
            lost = self._absent(kind, named.value)
            self.notes.not_modelled(named.line, f"{kind} {named.value}", lost)
        return found

    def _absent(self, kind: str, name: str) -> str:
        """What is said of a policy that is not in the text, which has others of its kind."""
        names = [each.name for each in self.text.policies.values() if each.kind == kind]
        if not any(each.line for each in self.text.policies.values() if each.kind == kind):
            return "This is not in the text: nothing is promised here."
        near = nearest(name, names)
        meant = f"; did you mean {near}?" if near else "."
        of = kind.removesuffix("-policy")
        return f"The text does not hold this {of} policy: nothing is promised here{meant}"

    def _leaves_of(self, sap: str, of: dict[str, Value]) -> None:
        """The queues of a SAP that classes lead to."""
        kind = "network-queue" if sap == "network" else "sap-egress"
        policy = self._known(kind, of.get("qos", Value("1")))
        self._known("scheduler-policy", of.get("scheduler-policy"))
        if policy is None:
            return
        policy.parts.setdefault("1", Given(policy.line))
        to: dict[str, list[str]] = {}
        for name in CLASSES:
            queue = policy.queue_of.get(name, Value("1"))
            if queue.value not in policy.parts:
                problem = f"this policy has no queue {queue.value}"
                self.notes.refused(queue.line, f"queue {queue.value}", problem)
            to.setdefault(queue.value if queue.value in policy.parts else "1", []).append(name)
        marks = self.text.marks | policy.marks
        for name, part in policy.parts.items():
            if name in to:
                own = {mark: its for mark, its in marks.items() if its.value in to[name]}
                own |= {each: Value(each) for each in to[name]}
                own = {self._named(sap, mark): its for mark, its in own.items()}
                expedited = part.type == "expedite" or set(to[name]) <= set(CLASSES[4:])
                expedited &= part.type != "best-effort"
                leaf = _Leaf(self._named(sap, f"queue {name}"), part, sap, own, expedited)
                self.leaves.append(leaf)
            elif part.type != "multipoint" and part.line:
                lost = "No forwarding class uses this queue: it is left out."
                self.notes.not_modelled(part.line, part.text, lost)

    def _named(self, sap: str, name: str) -> str:
        """A name behind that of its SAP, where the port has several."""
        return f"{sap} {name}" if len(self.place.saps) > 1 else name

    def _made(self, empty: ConfiguredPort) -> ConfiguredPort:
        """With its port; without where the levels of its tree cannot be compared."""
        for leaf in self.leaves:
            self._arrange(leaf)
        keys = self._keys()
        if keys is None:
            self.notes.not_modelled(self.place.line, f"port {self.name}", _LEVELS)
            return empty
        beyond, within = ([*sorted(set(each), reverse=True)] for each in zip(*keys, strict=True))
        queues = [
            self._queue(leaf, beyond.index(one), within.index(two))
            for leaf, (one, two) in zip(self.leaves, keys, strict=True)
        ]
        rules = [(mark, each.name) for each in self.leaves for mark in (*each.marks, each.name)]
        every = self.text.policies.values()
        inward = {of.default_class for of in every if of.kind == "sap-ingress"}
        rest = Value(inward.pop() if len(inward) == 1 else "be")
        default = next(each.name for each in self.leaves if rest in each.marks.values())
        assert self.line is not None
        shared: dict[str, object]
        if self._flat:
            shared = {"scheduler": PriorityLevels(), "shaper": self._shaper(self.nodes[self.root])}
        else:
            shared = {"scheduler": made(SchedulerTree, nodes=by_name(self._tree()))}
        return with_port(
            empty, self.facts, rate_bps=number(float(self.line.value), self.line),
            queues=by_name(queues), classifier=Classifier(tuple(rules), default), **shared,
        )  # fmt: skip

    @property
    def _flat(self) -> bool:
        """Whether the port has no schedulers: its queues take turns within their CIRs as well."""
        return all(len(leaf.steps) == 1 for leaf in self.leaves)

    def _rate_bps(self, of: Given, key: str = "pir") -> float:
        """A rate, at most that of the port."""
        rate = of.values.get(key, Value("max"))
        return min(rate.of_whole(self.whole_bps) if rate.unit else self.whole_bps, self.whole_bps)

    def _arrange(self, leaf: _Leaf) -> None:
        """The way down to a queue: by its schedulers, or by its type where it has none."""
        kind, way, names = "scheduler-policy", [leaf.of], [leaf.name]
        policy = self.text.policy(kind, self.place.saps[leaf.sap].get(kind))
        known = policy.parts if policy else {}
        while (above := way[0].values.get("scheduler-name")) and above.value in known:
            name = self._named(leaf.sap, above.value)
            if name in names:
                break
            names, way = [name, *names], [known[above.value], *way]
        top = way[0].values.get("pir", Value("max"))
        endless = not top.unit or top.of_whole(self.whole_bps) > self.whole_bps
        if leaf.value("scheduler-name") and (above or endless):
            self.notes.not_modelled(way[0].line, way[0].text, _ALONE)
            way, names = way[-1:], names[-1:]
        first = 1.0 + (leaf.expedited and not way[1:])
        self.nodes |= zip(names, way, strict=True)
        leaf.steps = [(self.root, names[0], first, first)]
        for node, child, of in zip(names, names[1:], way[1:], strict=False):
            level = of.number("level", 1) - (not of.number("weight", 1)) / 2
            leaf.steps.append((node, child, level, of.number("cir-level", 0)))
        cir = leaf.value("cir")
        gives = [of.values.get("cir", Value(0)).value for of in way[1:]]
        if cir and cir.value and all(gives) and all(step[3] for step in leaf.steps):
            rate_bps = min(self._rate_bps(leaf.of, "cir"), self._rate_bps(leaf.of))
            leaf.committed = cir._replace(value=rate_bps, unit="bit/s")
        elif cir and cir.value:
            self.notes.not_modelled(cir.line, leaf.of.said(cir), _NOT_WITHIN)

    def _keys(self) -> list[tuple[tuple[float, ...], tuple[float, ...]]] | None:
        """The levels on the way to each queue, until all below has one, beyond and within the CIR.

        None where nodes of one level with several below each compete for a rate: then a queue's
        turn depends on which node has its turn, which no order of queues says.
        """
        below: dict[str, dict[str, tuple[float, float]]] = {}
        inner: dict[str, set[tuple[tuple[float, float], ...]]] = {}
        for leaf in self.leaves:
            for at, (node, child, *level) in enumerate(leaf.steps, 1):
                below.setdefault(node, {})[child] = level[0], level[1]
                inner.setdefault(child, set()).add(tuple(each[2:] for each in leaf.steps[at:]))
        for node, children in below.items():
            beyond, within = (Counter(each) for each in zip(*children.values(), strict=True))
            within[0.0] = 1
            mixed = any(
                len(inner[its]) > 1 < max(beyond[level], within[level_within])
                for its, (level, level_within) in children.items()
            )
            asked_bps = sum(self._rate_bps(self.nodes[its]) for its in children)
            if mixed and asked_bps > self._rate_bps(self.nodes[node]):
                return None
        keys = []
        for leaf in self.leaves:
            depth = next(n for n, step in enumerate(leaf.steps, 1) if len(inner[step[1]]) == 1)
            steps = leaf.steps[:depth]
            committed = tuple(step[3] for step in steps if leaf.committed)
            keys.append((tuple(step[2] for step in steps), committed))
        return keys

    def _tree(self) -> Iterator[Sourced[Node]]:
        """The nodes that have queues below them; the port is one unless it has a single child."""
        below: dict[str, dict[str, None]] = {}
        for leaf in self.leaves:
            for node, child, *_ in leaf.steps:
                below.setdefault(node, {})[child] = None
        if len(below[self.root]) == 1 < len(below) and not self.nodes[self.root].values:
            del below[self.root]
        for name, children in below.items():
            of = self.nodes[name]
            cir, weight = of.values.get("cir"), of.values.get("weight")
            inner = cir if cir and cir.unit and "scheduler-name" in of.values else None
            yield made(
                Node, name=name, children=tuple(children), shaper=self._shaper(of),
                weight=number(of.number("weight", 1) or 1.0, weight),
                guaranteed_bps=number(self._rate_bps(of, "cir") if inner else 0.0, inner),
            )  # fmt: skip

    def _shaper(self, of: Given) -> Sourced[Shaper] | None:
        """What holds a queue or a node back below the rate of the line."""
        rate_bps, pir, burst = self._rate_bps(of), of.values.get("pir"), of.values.get("burst")
        if not self.line or rate_bps >= self.line.value or pir is None:
            return None
        rate = pir._replace(value=rate_bps)
        if burst and burst.unit:
            return token_bucket(rate, burst)
        return token_bucket(rate, of_default("sros.burst"), FRAME_BYTES)

    def _queue(self, leaf: _Leaf, rank: int, within: int) -> Sourced[Queue]:
        size, source = self._size(leaf)
        low = [mark for mark, its in leaf.marks.items() if its.unit == "out"]
        share = leaf.value("reduction") or of_default("sros.high_prio_only")
        if share.line and not low:
            self.notes.not_modelled(share.line, leaf.of.said(share), _NO_LOW)
        limit = in_bytes(size * (1 - share.value), share)
        early = {"dropper": self._early(leaf, low)} if leaf.value("policy") else {}
        committed, below = leaf.committed, bool(leaf.steps[1:])
        return made(
            Queue, name=leaf.name, limit=in_bytes(size, source), shaper=self._shaper(leaf.of),
            priority=within if committed and not self._flat else rank,
            excess_priority=rank if committed and within != rank and not self._flat else None,
            guaranteed_bps=number(committed.value if committed else 0.0, committed),
            weight=number(leaf.of.number("weight", 1) if below else 1.0, leaf.value("weight")),
            limits=by_mark(dict.fromkeys(low, limit) if share.value else {}),
            **{name: each for name, each in early.items() if each},
        )  # fmt: skip

    def _size(self, leaf: _Leaf) -> tuple[float, Value]:
        """How much a queue holds [B], and what says it."""
        size, time, least = leaf.value("mbs"), of_default("sros.mbs"), of_default("sros.least_mbs")
        if _shares(leaf) and self.memory:
            size = size or of_default("sros.network_mbs")
            return size.value * self.memory.value, size
        if size and size.unit:
            return size.value, size
        by_rate = float(units.octets(self._rate_bps(leaf.of) * time.value))
        return (by_rate, time) if by_rate > least.value else (least.value, least)

    def _early(self, leaf: _Leaf, low: list[str]) -> Sourced[Red] | None:
        """Early drops by the slopes of high and low priority that are on."""
        policy, named = self.text.policy("slope-policy", leaf.value("policy")), leaf.value("policy")
        if policy is None and named:
            lost = "This slope policy is not in the text: nothing is dropped early here."
            self.notes.not_modelled(named.line, leaf.of.said(named), lost)
        slopes = {name: each for name, each in policy.parts.items() if each.on} if policy else {}
        if not slopes or policy is None:
            return None
        if "low-slope" in slopes and not low:
            self.notes.not_modelled(slopes["low-slope"].line, "low-slope", _NO_LOW)
        factor = policy.parts.get("", leaf.of).values.get("factor") or of_default("sros.factor")
        return made(
            Red, profile=_profile(slopes, "high-slope"),
            profiles=by_mark({mark: _profile(slopes, "low-slope") for mark in low}),
            averaging=made(Ewma, exponent=number(int(factor.value), factor)),
        )  # fmt: skip


def _class(leaf: _Leaf) -> ConfiguredClass:
    said = tuple(leaf.of.statements)
    return ConfiguredClass(leaf.name, leaf.name, tuple(leaf.marks), leaf.of.line, "", said)


def _shares(leaf: _Leaf) -> bool:
    """Whether the limit of a queue is a part of the memory of its port."""
    mbs = leaf.value("mbs")
    return mbs.unit == "1" if mbs else leaf.sap == "network"


def _profile(slopes: dict[str, Given], name: str) -> Sourced[ShareRedProfile]:
    """The thresholds of a slope as parts of the limit; one that is shut drops nothing early."""
    if name not in slopes:
        return made(ShareRedProfile, minimum_share=1.0, maximum_share=1.0)
    words, said = ("start-avg", "max-avg", "max-prob"), slopes[name].values
    start, most, share = (said.get(word) or of_default(f"sros.{name}-{word}") for word in words)
    return made(
        ShareRedProfile, minimum_share=number(float(start.value), start),
        maximum_share=number(float(most.value), most),
        maximum_probability=number(float(share.value), share),
    )  # fmt: skip
