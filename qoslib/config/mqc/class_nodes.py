"""The tree of a policy: its classes and their children, with names and marks."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from qoslib.config.mqc.lines import Refused
from qoslib.config.mqc.matches import ALL, near, resolve
from qoslib.config.mqc.names import is_own
from qoslib.config.mqc.policies import Named, Policies, Policy, PolicyClass, key_of
from qoslib.config.records import ConfiguredClass, Remark
from qoslib.config.settings import of_class
from qoslib.config.source import ConfigurationError, check_time

__all__ = [
    "DEFAULT",
    "ClassNode",
    "classes_of",
    "has_queues",
    "leaves",
    "not_defined",
    "not_in_text",
    "rules_of",
    "tree_of",
]

DEFAULT = "class-default"
#: It is so long that other names begin as it does: how near a slip is.
_NEAR_DEFAULT = 0.85
#: Classes that NX-OS has by itself, and the group that is in each.
_BUILT_IN = re.compile(r"c-out(?:-\w+)?-q(\d)")
_BUILT_IN_REST = "-q-default"
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
    # The ports of a text share what its classes match.
    known = found.marks
    grouped = found.grouped = _grouped(found, known) if found.grouped is None else found.grouped
    count = 0

    def below(policy: Policy, path: tuple[str, ...], above: tuple[str, ...]) -> list[ClassNode]:
        nonlocal count
        parts = [part for name, part in policy.classes.items() if not is_rest(name)]
        rest = [part for name, part in policy.classes.items() if is_rest(name)]
        parts += rest or [PolicyClass(DEFAULT, 0)]
        nodes = []
        for part in parts:
            count += 1
            check_time()
            if count > _MOST:
                raise ConfigurationError(f"more than {_MOST} classes in one tree", part.line)
            try:
                node = ClassNode(part, (*path, part.name), marks_of(policy, part))
            except Refused as error:
                _without(found, part, error)
                continue
            if part.child:
                child = found.policies.get(key_of(found.policies, part.child.name, policy.kind))
                command = f"service-policy {part.child.name}"
                if child is None and not found.interfaces:
                    found.remarks.append(not_in_text(part.child))
                    nodes.append(node)
                    continue
                problem = ""
                if child is None:
                    problem = not_defined(found, "policy-map", part.child.name)
                elif child.name in above:
                    problem = f"policy-map {child.name} is within itself"
                elif len(above) >= _DEEPEST:
                    depth = len(above) + 1
                    problem = (
                        f"policy-map {child.name} is {depth} policies deep; allowed: {_DEEPEST}"
                    )
                if child is None or problem:
                    found.refuse(part.child.line, command, problem)
                else:
                    node.children = below(child, node.path, (*above, child.name))
                    if not has_queues(found, child):
                        # It only marks: its classes wait in the queue of this one.
                        node.of, node.children = replace(part, child=None), []
            nodes.append(node)
        if any(set(ALL) < set(node.marks) for node in nodes):
            # All unmatched packets came in a group, so that none is left for the last class.
            for node in nodes:
                node.marks = () if node.marks == ALL else node.marks
        if shared_default:
            _join(nodes)
        return nodes

    def is_rest(name: str) -> bool:
        return name == DEFAULT or (built_in and name.endswith(_BUILT_IN_REST))

    def marks_of(policy: Policy, part: PolicyClass) -> tuple[str, ...]:
        if is_rest(part.name):
            return ALL
        if part.name in found.selections:
            own = resolve(_selected(found, part), found.selections, known)
            return _followed(own, grouped)
        group = _BUILT_IN.fullmatch(part.name) if built_in else None
        if group:
            return _followed((f"qos-group {group[1]}",), grouped)
        if not is_own(part.name, built_in) and _is_slip(found, policy, part):
            raise Refused(not_defined(found, "class-map", part.name), part.line)
        return ()

    made = below(policy, (), (policy.name,))
    often = Counter(node.of.name for node in leaves(made))
    for node in leaves(made):
        alone = often[node.of.name] == 1
        node.name = node.of.name if alone else "/".join(node.path)
    return made


def has_queues(
    found: Policies, policy: Policy, meters: bool = True, deepest: int = _DEEPEST
) -> bool:
    """Whether a class of a policy, or of one below it, says anything of its queue, or polices."""
    for part in policy.classes.values():
        said = part.priority, part.bandwidth, part.remaining, part.shape, part.limit, part.early
        if part.limits or part.fair or any(said) or (meters and (part.police or part.drop)):
            return True
        if part.child and deepest:
            child = found.policies.get(key_of(found.policies, part.child.name, policy.kind))
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
    for node in others:
        part = node.of
        said = part.priority, part.bandwidth, part.remaining, part.shape, part.child, part.police
        queues = part.limit, part.early
        alone = part.fair or part.drop or part.limits
        alone = alone or any(each is not None for each in (*said, *queues))
        if not (alone or rest.of.police or rest.of.child or rest.of.drop):
            node.host = rest


def _without(found: Policies, part: PolicyClass, problem: Refused) -> None:
    """Leave a class out whose class-map a device does not have, with all that stands in it."""
    found.refuse(part.line, f"class {part.name}", problem)
    for each in part.statements:
        lost = f"It stands in class {part.name}, which is refused."
        found.remarks.append(Remark("not modelled", each.line, each.text, lost))


def not_in_text(named: Named) -> Remark:
    """What is said of a policy that a piece of a configuration uses and does not hold."""
    lost = "The text does not hold this policy-map: queues and limits there are not checked."
    return Remark("not modelled", named.line, f"service-policy {named.name}", lost)


def _is_slip(found: Policies, policy: Policy, part: PolicyClass) -> bool:
    """Whether the name of a class that no class map has is meant to be another's.

    It is where a class map that the policy does not have yet has nearly this name, or where the
    header of its class map is not understood. Else the class map stands in another text.
    """
    names = tuple(each.name for each in found.selections.values())
    if any(name not in policy.classes for name in near(part.name, names)):
        return True
    if near(part.name, (DEFAULT,), _NEAR_DEFAULT):
        return True
    unread = (each.text.split() for each in found.remarks if each.kind == "unknown")
    return any(
        part.name in words and get_close_matches(words[0].lower(), ("class-map",), 1)
        for words in unread
    )


def not_defined(found: Policies, kind: str, name: str) -> str:
    """What is wrong with a name that nothing defines: what may be meant, and others of its sort."""
    defined = {"policy-map": [*found.policies], "class-map": [*found.selections, DEFAULT]}
    others = [
        f"{of} {other} (line {at}){_meant(other, defined[of])}"
        for of, other, at in _used(found)
        if other != name and other not in defined[of]
    ]
    headers = [each for each in found.remarks if each.kind == "unknown"]
    unread = next((each for each in headers if {kind, name} <= set(each.text.split())), None)
    if unread is not None:
        problem = f"{kind} {name} is not understood in line {unread.line}"
        return f"{problem}; allowed: {kind} and one NAME"
    problem = f"{kind} {name} is not defined{_meant(name, defined[kind])}"
    for each in headers:
        words = each.text.split()
        if words[-1] == name and get_close_matches(words[0].lower(), (kind,), 1):
            problem += f"; line {each.line} begins with {words[0]!r}, did you mean {kind!r}?"
    more = f"; not defined either: {'; '.join(dict.fromkeys(others[:10]))}" if others else ""
    return problem + more


def _used(found: Policies) -> Iterator[tuple[str, str, int]]:
    """Kind, name and line of each class map and each policy that something uses."""
    for part in (part for policy in found.policies.values() for part in policy.classes.values()):
        built_in = _BUILT_IN.match(part.name) or part.name.endswith(_BUILT_IN_REST)
        if found.selections and not built_in:
            yield "class-map", part.name, part.line
        if part.child:
            yield "policy-map", part.child.name, part.child.line
    for interface in found.interfaces.values():
        for named in interface.policies.values():
            yield "policy-map", named.name, named.line


def _meant(name: str, defined: list[str]) -> str:
    # Names of another case are other names, though a person may not see it.
    spelt = {each.lower(): each for each in defined}
    near = get_close_matches(name.lower(), spelt, 1)
    return f", did you mean {spelt[near[0]]}?" if near else ""


def _grouped(found: Policies, known: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Group -> the marks of the classes that are put into it."""
    grouped: dict[str, tuple[str, ...]] = dict.fromkeys(_groups_of_rest(found), ALL)
    for policy in found.policies.values():
        for part in policy.classes.values():
            if part.groups and part.name in found.selections:
                try:
                    marks = resolve(_selected(found, part), found.selections, known)
                except Refused:
                    # The class itself is left out where it stands in a tree.
                    continue
                for group in part.groups:
                    already = grouped.get(group, ())
                    new = tuple(m for m in marks if m not in already and marks != ALL)
                    grouped[group] = already + new
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
            of_class(part),
        )
        yield from classes_of(node.children, node.label)
