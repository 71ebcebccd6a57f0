"""Forwarding classes, and classifiers: which marks lead to them, with which loss priority."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qoslib.config.code_points import marks_matching
from qoslib.config.junos.amounts import allowed_word, count
from qoslib.config.junos.paths import below, named
from qoslib.config.junos.policers import Term
from qoslib.config.junos.references import NotDefinedError, leave_out
from qoslib.config.junos.words import (
    DEFAULT_CLASSES,
    KINDS,
    LOSS_PRIORITIES,
    MULTICAST_CLASSES,
    SWITCH_CLASSES,
    code_points,
    default_rules,
)
from qoslib.config.lines import Line, shown
from qoslib.config.provenance import Provenance
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value

__all__ = [
    "NO_DEVICE",
    "NO_NUMBER",
    "OF_SWITCH",
    "Rule",
    "by_queue",
    "forwarding_classes",
    "rules",
    "rules_of_filters",
]

#: The classifier of precedences that interfaces have without a line.
_COMPATIBLE = "ipprec-compatibility"
#: Classifiers that each device has -> the default, or empty where the rules are not here.
_BUILT_IN = {
    **dict.fromkeys(("dscp-default", "dscp-ipv6-default", "exp-default"), "default"),
    **dict.fromkeys(("ieee8021p-default", "ipprec-default", _COMPATIBLE), "default"),
    **dict.fromkeys(("dscp-ipv6-compatibility", "ieee8021p-untrust"), ""),
    **dict.fromkeys(("ieee8021ad-default", "dscp-compatibility"), ""),
}
_MOST_QUEUES = 15
#: Classes whose queue no line numbers have numbers from here on.
NO_DEVICE = 100
#: What is lost of such a class.
NO_NUMBER = (
    "The text does not hold this forwarding class: without the number of its queue, the class has"
    " no default rate or buffer."
)
#: The same of a class that a device has without a line.
OF_SWITCH = (
    "Some EX switches have this class: which of their queues it has is not known here, so it has no"
    " default rate or buffer."
)
#: Forwarding class -> the number of its queue.
Classes = Mapping[str, Value]


class Rule(NamedTuple):
    """A mark, the class it leads to, its loss priority, and the statement that says so."""

    mark: str
    of: str
    loss: str
    line: Line


def forwarding_classes(lines: Sequence[Line], notes: Provenance) -> dict[str, Value]:
    """Forwarding class -> the number of its queue.

    >>> words = ("forwarding-classes", "class", "voice", "queue-num", "1")
    >>> forwarding_classes([Line(4, "", words)], Provenance())["voice"].value
    1
    """
    classes = {}
    for line in below(lines, "forwarding-classes"):
        match line.words:
            case ("class", name, "queue-num", word, *_) | ("queue", word, name, *_):
                number = count(word, line.number, "the queue", _MOST_QUEUES)
                classes[name] = Value(number, line=line.number)
    partial = not classes
    for name, standard in (DEFAULT_CLASSES | SWITCH_CLASSES).items():
        classes.setdefault(name, Value(standard))
    for line in below(lines, "scheduler-maps"):
        name = line.words[2] if line.words[1:2] == ("forwarding-class",) else ""
        built_in = name in MULTICAST_CLASSES
        if name and (partial or built_in):
            classes.setdefault(name, Value(NO_DEVICE + len(classes)))
            if classes[name].value >= NO_DEVICE:
                leave_out(notes, [line], OF_SWITCH if built_in else NO_NUMBER)
    return classes


def by_queue(classes: Classes) -> dict[int, str]:
    """Number of a queue -> its class: one that the text has, before one by default."""
    names: dict[int, str] = {}
    for name, number in sorted(classes.items(), key=lambda one: not one[1].line):
        names.setdefault(number.value, name)
    return names


class _Classifiers:
    """The classifiers of a text by kind and name: their statements, and the rules made of them."""

    def __init__(self, lines: Sequence[Line], classes: Classes, notes: Provenance) -> None:
        self.classes = classes
        self.aliases = _aliases(lines)
        partial = not below(lines, "forwarding-classes")
        self.lines: dict[tuple[str, str], list[Line]] = {}
        for kind, own in named(below(lines, "classifiers")).items():
            if kind in KINDS:
                absent = [line for line in own if partial and _class_of(line) not in classes]
                leave_out(notes, absent, "The text does not hold this forwarding class.")
                for name, inner in named([line for line in own if line not in absent]).items():
                    self.lines[kind, name] = inner
        self.made = {key: self.rules(*key) for key in self.lines}

    def rules(self, kind: str, name: str, depth: int = 0) -> list[Rule]:
        """The rules of one, in front of those that it imports and does not replace."""
        own: list[Rule] = []
        imported: list[Rule] = []
        for line in self.lines[kind, name]:
            match line.words:
                case ("forwarding-class", of, "loss-priority", loss, "code-points", word):
                    own += self._of_code(kind, of, loss, word, line)
                case ("import", "default"):
                    imported = self.default(kind, line)
                case ("import", other):
                    if (kind, other) not in self.lines or depth > _MOST_QUEUES:
                        problem = f"the classifier {shown(other)} is not defined, or imports itself"
                        raise ConfigurationError(problem, line.number)
                    imported = self.rules(kind, other, depth + 1)
        marks = {rule.mark for rule in own}
        return own + [rule for rule in imported if rule.mark not in marks]

    def _of_code(self, kind: str, of: str, loss: str, word: str, line: Line) -> Iterator[Rule]:
        """The rules of one code point."""
        if of not in self.classes:
            raise NotDefinedError("class", of, line.number)
        allowed_word(loss, line.number, "the loss priority", LOSS_PRIORITIES)
        for code in code_points(kind, word, line.number, self.aliases.get(kind, {})):
            for mark in marks_matching(code, KINDS[kind]):
                yield Rule(mark, of, loss, line)

    def default(self, kind: str, line: Line, compatible: bool = False) -> list[Rule]:
        """The default classifier of a kind, as far as its queues have classes."""
        names = by_queue(self.classes)
        silent = line._replace(text="")
        return [
            Rule(mark, names[number], loss, silent)
            for code, (number, loss) in default_rules(kind, compatible).items()
            if number in names
            for mark in marks_matching(code, KINDS[kind])
        ]

    def used(self, kind: str, name: str, lines: list[Line], notes: Provenance) -> list[Rule]:
        """The rules of one that interfaces use in these statements."""
        compatible = name == _COMPATIBLE
        if (kind, name) not in self.lines and name in _BUILT_IN:
            name = _BUILT_IN[name]
            if not name:
                leave_out(notes, lines, "The rules of this built-in classifier are left out.")
                return []
        if name == "default":
            return self.default(kind, lines[0], compatible)
        if (kind, name) not in self.lines:
            leave_out(notes, lines, "The text does not hold this classifier.")
            return []
        return self.made[kind, name]


def rules(lines: Sequence[Line], classes: Classes, notes: Provenance) -> list[Rule]:
    """The rules of all classifiers that interfaces use, or of all there are if none is used."""
    classifiers = _Classifiers(lines, classes, notes)
    used = _used(lines)
    every = [
        classifiers.used(kind, name, each, notes)
        for (kind, name), each in used.items()
        if kind in KINDS
    ]
    by_mark: dict[str, Rule] = {}
    for rule in chain.from_iterable(every if used else classifiers.made.values()):
        first = by_mark.setdefault(rule.mark, rule)
        if first.of != rule.of and rule.line.text:
            sentence = f"Another classifier, which comes first, puts {rule.mark} into"
            leave_out(notes, [rule.line], f"{sentence} {first.of}: this rule is left out.")
    return list(by_mark.values())


def _aliases(lines: Sequence[Line]) -> dict[str, dict[str, int]]:
    """Kind of classifier -> the text's own names of code points."""
    aliases: dict[str, dict[str, int]] = {}
    for line in below(lines, "code-point-aliases"):
        if len(line.words) == 3 and line.words[0] in KINDS:
            kind, name, bits = line.words
            (code,) = code_points(kind, bits, line.number, {})
            aliases.setdefault(kind, {})[name] = code
    return aliases


def _used(lines: Sequence[Line]) -> dict[tuple[str, str], list[Line]]:
    """Kind and name of each classifier that interfaces use, in the order of the text."""
    used: dict[tuple[str, str], list[Line]] = {}
    for line in below(lines, "interfaces"):
        if line.words[-3:-2] == ("classifiers",):
            used.setdefault((line.words[-2], line.words[-1]), []).append(line)
    return used


def rules_of_filters(
    filters: Mapping[str, tuple[Term, ...]], classes: Classes, notes: Provenance
) -> list[Rule]:
    """Rules of filters, whose mark is the name of the filter and that of the term."""
    found = []
    for name, terms in filters.items():
        for term in terms:
            loss = term.loss if term.loss in LOSS_PRIORITIES else LOSS_PRIORITIES[0]
            if term.to in classes:
                found.append(Rule(f"{name} {term.name}", term.to, loss, term.lines[0]))
            elif term.to:
                sentence = "The text does not hold the forwarding class of this term."
                leave_out(notes, [line for line in term.lines if term.to in line.words], sentence)
    return found


def _class_of(line: Line) -> str:
    """The class of a rule; one that exists where a statement is no rule."""
    words = line.words
    return words[2] if words[1:2] == ("forwarding-class",) and len(words) > 2 else "best-effort"
