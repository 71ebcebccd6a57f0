"""The tree of a policy: its classes and their children, with names and marks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from qoslib.config.mqc.commands import gives
from qoslib.config.mqc.matches import ALL, resolve
from qoslib.config.mqc.names import (
    DEFAULT,
    OWN_FCOE,
    OWN_GROUP,
    OWN_REST,
    is_own,
    is_slip,
    not_defined,
    not_in_text,
)
from qoslib.config.mqc.policies import Named, Policies, Policy, PolicyClass, key_of
from qoslib.config.mqc.settings import settings_of
from qoslib.config.records import ConfiguredClass
from qoslib.config.source import ConfigurationError, check_time
from qoslib.config.words import Refused

__all__ = [
    "ClassNode",
    "classes_of",
    "has_queues",
    "leaves",
    "rules_of",
    "tree_of",
]

#: Policies within policies, no deeper; and classes in all.
_DEEPEST, _MOST = 8, 4096


@dataclass
class ClassNode:
    """A class where it stands in a tree: what it is called there, and who comes to it.

    `host` is the node in whose queue its packets wait, where it has no queue of its own.
    """

    of: PolicyClass
    path: tuple[str, ...]
    marks: tuple[str, ...]
    children: "list[ClassNode]" = field(default_factory=list)
    name: str = ""
    host: "ClassNode | None" = None

    @property
    def queue(self) -> str:
        """The name of the queue in which its packets wait."""
        return self.host.name if self.host else self.name

    @property
    def label(self) -> str:
        """The name of the node above its children."""
        return f"class {'/'.join(self.path)}"


def tree_of(
    found: Policies, policy: Policy, built_in: bool = False, shared_default: bool = False
) -> list[ClassNode]:
    """The classes of a policy as a tree, `class-default` last."""
    tree = _Tree(found, built_in, shared_default).below(policy, (), (policy.name,))
    often = Counter(node.of.name for node in leaves(tree))
    for node in leaves(tree):
        alone = often[node.of.name] == 1
        node.name = node.of.name if alone else "/".join(node.path)
    return tree


class _Tree:
    """A tree of classes as it grows: how many it has, and what its text and platform have."""

    def __init__(self, found: Policies, built_in: bool, shared_default: bool) -> None:
        self.found, self.built_in, self.shared_default = found, built_in, shared_default
        self.count = 0
        # The ports of a text share what its classes match.
        if found.grouped is None:
            found.grouped = _grouped(found, found.marks)
        self.grouped = found.grouped

    def below(
        self, policy: Policy, path: tuple[str, ...], above: tuple[str, ...]
    ) -> list[ClassNode]:
        """The classes of a policy that stands below others."""
        rest = [part for name, part in policy.classes.items() if self._is_rest(name)]
        parts = [part for name, part in policy.classes.items() if not self._is_rest(name)]
        nodes = []
        for part in [*parts, *(rest or [PolicyClass(DEFAULT, 0)])]:
            self._count(part)
            try:
                node = ClassNode(part, (*path, part.name), self._marks_of(policy, part))
            except Refused as error:
                _without(self.found, part, error)
                continue
            if part.child:
                self._grow(node, part.child, policy.kind, above)
            nodes.append(node)
        if any(set(ALL) < set(node.marks) for node in nodes):
            # All unmatched packets came in a group, so that none is left for the last class.
            for node in nodes:
                node.marks = () if node.marks == ALL else node.marks
        if self.shared_default:
            _join(nodes)
        return nodes

    def _count(self, part: PolicyClass) -> None:
        check_time()
        self.count += 1
        if self.count > _MOST:
            raise ConfigurationError(f"more than {_MOST} classes in one tree", part.line)

    def _grow(self, node: ClassNode, named: Named, kind: str, above: tuple[str, ...]) -> None:
        """Give a class the classes of its child policy."""
        found, problem = self.found, ""
        child = found.policy(named.name, kind)
        if child is None and not found.interfaces:
            not_in_text(found, named)
            return
        if child is None:
            problem = not_defined(found, "policy-map", named.name)
        elif child.name in above:
            problem = f"policy-map {child.name} is within itself"
        elif len(above) >= _DEEPEST:
            deep = f"{len(above) + 1} policies deep"
            problem = f"policy-map {child.name} is {deep}; allowed: {_DEEPEST}"
        if child is None or problem:
            found.notes.refused(named.line, f"service-policy {named.name}", problem)
            return
        node.children = self.below(child, node.path, (*above, child.name))
        if not has_queues(found, child):
            # It only marks: its classes wait in the queue of this one.
            node.of, node.children = replace(node.of, child=None), []

    def _is_rest(self, name: str) -> bool:
        return name == DEFAULT or (self.built_in and name.endswith(OWN_REST))

    def _marks_of(self, policy: Policy, part: PolicyClass) -> tuple[str, ...]:
        """What puts packets into a class; none where only its name can."""
        found = self.found
        if self._is_rest(part.name):
            return ALL
        if part.name in found.selections:
            own = resolve(_selected(found, part), found.selections, found.marks)
            return _followed(own, self.grouped)
        group = OWN_GROUP.fullmatch(part.name) if self.built_in else None
        if group:
            return _followed((f"qos-group {group[1]}",), self.grouped)
        if self.built_in and part.name in OWN_FCOE:
            return _followed(OWN_FCOE[part.name], self.grouped)
        if not is_own(part.name, self.built_in) and is_slip(found, policy, part):
            raise Refused(not_defined(found, "class-map", part.name), part.line)
        return ()


def has_queues(
    found: Policies, policy: Policy, meters: bool = True, deepest: int = _DEEPEST
) -> bool:
    """Whether a class of a policy, or of one below it, says anything of its queue, or polices."""
    kinds = ("a queue", "a change", "a meter") if meters else ("a queue", "a change")
    for part in policy.classes.values():
        if gives(part, *kinds):
            return True
        if part.child and deepest:
            child = found.policy(part.child.name, policy.kind)
            if child is None or has_queues(found, child, meters, deepest - 1):
                return True
    return False


def _selected(found: Policies, part: PolicyClass) -> str:
    """Where the class map of a class is kept."""
    return key_of(found.selections, part.name, part.kind)


def _join(nodes: list[ClassNode]) -> None:
    """Let classes without a command of queues wait in the queue of the last one.

    A queue has one policer for all of its packets, so a class that is policed keeps its own here;
    and one with a limit or thresholds alone has a queue where a device takes these. Rule
    `class-without-queue` says so.
    """
    *others, rest = nodes
    if rest.of.police or rest.of.child or rest.of.drop:
        return
    for node in others:
        if not gives(node.of, "a queue", "a change", "a meter", "a child"):
            node.host = rest


def _without(found: Policies, part: PolicyClass, problem: Refused) -> None:
    """Leave a class out whose class-map a device does not have, with all that stands in it."""
    found.notes.refused(part.line, f"class {part.name}", problem)
    for each in part.statements:
        lost = f"It belongs to class {part.name}, which is refused."
        found.notes.not_modelled(each.line, each.text, lost)


def _grouped(found: Policies, known: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Group -> the marks of the classes that are put into it."""
    grouped: dict[str, tuple[str, ...]] = dict.fromkeys(_groups_of_rest(found), ALL)
    for part in found.parts:
        if not part.groups or part.name not in found.selections:
            continue
        try:
            marks = resolve(_selected(found, part), found.selections, known)
        except Refused:
            # The class itself is left out where it stands in a tree.
            continue
        for group in part.groups:
            already = grouped.get(group, ())
            grouped[group] = already + tuple(m for m in marks if m not in already and marks != ALL)
    return grouped


def _groups_of_rest(found: Policies) -> Iterator[str]:
    """Groups into which every policy that sets groups of their kind puts its `class-default`."""
    kinds: dict[str, set[str]] = {}
    for policy in found.policies.values():
        rest = policy.classes.get(DEFAULT)
        of_rest = {group.split()[0]: group for group in (rest.groups if rest else ())}
        for part in policy.classes.values():
            for group in part.groups:
                kind = group.split()[0]
                kinds.setdefault(kind, set()).add(of_rest.get(kind, ""))
    for groups in kinds.values():
        if len(groups) == 1:
            yield from filter(None, groups)


def _followed(marks: tuple[str, ...], grouped: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Marks, and behind each group those that are put into it."""
    return tuple(dict.fromkeys(m for mark in marks for m in (mark, *grouped.get(mark, ()))))


def leaves(nodes: list[ClassNode]) -> Iterator[ClassNode]:
    """The nodes without children, in their order."""
    for node in nodes:
        if node.children:
            yield from leaves(node.children)
        else:
            yield node


def rules_of(nodes: list[ClassNode]) -> tuple[tuple[tuple[str, str], ...], str]:
    """The rules of a classifier, and its default: marks first, and then the queues' own names."""
    rules: dict[str, str] = {}
    rest = _claim(nodes, None, rules)
    for node in leaves(nodes):
        if node.host is None:
            rules.setdefault(node.name, node.name)
    # What waits with the rest needs no rule.
    guests = {mark for node in leaves(nodes) if node.host for mark in node.marks}
    kept = ((m, q) for m, q in rules.items() if q != rest or m not in guests)
    return tuple(kept), rest


def _claim(nodes: list[ClassNode], within: list[str] | None, rules: dict[str, str]) -> str:
    """Give marks to the queues of a level, and say where the rest goes; `within` None is all."""
    rest = grouped = ""
    left = None if within is None else list(within)
    for node in nodes:
        everything = node.marks == ALL
        if everything and rest:
            continue
        if everything:
            mine = left
        else:
            marks = (m for m in node.marks if m not in ALL)
            mine = [m for m in marks if m not in rules and (left is None or m in left)]
            mine = [] if rest else mine
        if left is not None and mine is not None:
            left = [m for m in left if m not in mine]
        if node.children:
            found = _claim(node.children, mine, rules)
            rest = rest or (found if everything else "")
            continue
        for mark in mine or ():
            rules[mark] = node.queue
        rest = rest or (node.queue if everything else "")
        grouped = node.queue if set(ALL) < set(node.marks) else grouped
    return grouped or rest


def classes_of(nodes: list[ClassNode], above: str) -> Iterator[ConfiguredClass]:
    """What a reader is told of the classes, a class with children before them."""
    for node in nodes:
        part = node.of
        yield ConfiguredClass(
            "/".join(node.path) if node.name != part.name else part.name,
            "" if node.children else node.queue,
            node.marks or (node.name or part.name,),
            part.line,
            above,
            tuple(part.statements),
            settings_of(part),
        )
        yield from classes_of(node.children, node.label)
