"""Forwarding classes, and classifiers: which marks lead to them, with which loss priority."""

from collections.abc import Sequence
from typing import NamedTuple

from qoslib.config.code_points import marks_matching
from qoslib.config.junos.amounts import count
from qoslib.config.junos.paths import below, named
from qoslib.config.junos.policers import Term
from qoslib.config.junos.references import NotDefinedError
from qoslib.config.junos.statements import Said, shown
from qoslib.config.junos.words import (
    DEFAULT_CLASSES,
    KINDS,
    LOSS_PRIORITIES,
    SWITCH_CLASSES,
    code_points,
    default_rules,
)
from qoslib.config.source import ConfigurationError

__all__ = ["NO_DEVICE", "Rule", "forwarding_classes", "rules", "rules_of_filters", "without_number"]

#: Classifiers that each device has -> the default, or empty where the rules are not here.
_BUILT_IN = {
    **dict.fromkeys(("dscp-default", "dscp-ipv6-default", "exp-default"), "default"),
    **dict.fromkeys(("ieee8021p-default", "ipprec-compatibility"), "default"),
    **dict.fromkeys(("ipprec-default", "dscp-ipv6-compatibility", "ieee8021p-untrust"), ""),
    **dict.fromkeys(("ieee8021ad-default", "dscp-compatibility"), ""),
}
_MOST_QUEUES = 15
#: Classes whose queue no line numbers have numbers from here on.
NO_DEVICE = 100


class Rule(NamedTuple):
    """A mark, the class it leads to, its loss priority, and the statement that says so."""

    mark: str
    of: str
    loss: str
    said: Said


def forwarding_classes(said: Sequence[Said]) -> dict[str, tuple[int, int]]:
    """Forwarding class -> the number of its queue, and its line.

    >>> words = ("forwarding-classes", "class", "voice", "queue-num", "1")
    >>> forwarding_classes([Said(words, 4, "")])["voice"]
    (1, 4)
    """
    found = {}
    for each in below(said, "forwarding-classes"):
        match each.words:
            case ("class", name, "queue-num", number, *_):
                found[name] = count(number, each.line, "the queue", _MOST_QUEUES), each.line
            case ("queue", number, name, *_):
                found[name] = count(number, each.line, "the queue", _MOST_QUEUES), each.line
    partial = not found
    for name, standard in (DEFAULT_CLASSES | SWITCH_CLASSES).items():
        found.setdefault(name, (standard, 0))
    for each in below(said, "scheduler-maps") if partial else ():
        if each.words[1:2] == ("forwarding-class",) and len(each.words) > 2:
            found.setdefault(each.words[2], (NO_DEVICE + len(found), 0))
    return found


def without_number(
    said: Sequence[Said], classes: dict[str, tuple[int, int]]
) -> list[tuple[Said, str]]:
    """What is left out where the text does not say the number of a class's queue."""
    sentence = "The text does not hold this forwarding class: without the number of its queue, the"
    return [
        (each, f"{sentence} class has no default rate or buffer.")
        for each in below(said, "scheduler-maps")
        if len(each.words) > 2 and classes.get(each.words[2], (0, 0))[0] >= NO_DEVICE
    ]


def _aliases(said: Sequence[Said]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for each in below(said, "code-point-aliases"):
        if len(each.words) == 3 and each.words[0] in KINDS:
            kind, name, bits = each.words
            (code,) = code_points(kind, bits, each.line, {})
            found.setdefault(kind, {})[name] = code
    return found


def _used(said: Sequence[Said]) -> list[tuple[str, str, Said]]:
    """Kind and name of each classifier that an interface uses, in the order of the text."""
    found: dict[tuple[str, str], Said] = {}
    for each in below(said, "interfaces"):
        words = each.words
        if "classifiers" in words[:-2] and words[-3] == "classifiers":
            found.setdefault((words[-2], words[-1]), each)
    return [(kind, name, each) for (kind, name), each in found.items()]


def rules(
    said: Sequence[Said], classes: dict[str, tuple[int, int]]
) -> tuple[list[Rule], list[tuple[Said, str]]]:
    """The rules of all classifiers that interfaces use, or of all there are if none is used."""
    aliases = _aliases(said)
    lost: list[tuple[Said, str]] = []
    partial = not below(said, "forwarding-classes")
    defined: dict[tuple[str, str], list[Rule]] = {}
    for kind, own in named(below(said, "classifiers")).items():
        if kind in KINDS:
            absent = [each for each in own if partial and _class_of(each) not in classes]
            lost += [(each, "The text does not hold this forwarding class.") for each in absent]
            own = [each for each in own if each not in absent] if absent else own
            for name, lines in named(own).items():
                defined[kind, name] = _rules(kind, name, lines, classes, aliases.get(kind, {}), own)
    used = _used(said)
    order = list(defined)
    if used:
        order = []
        for kind, name, each in used:
            if kind not in KINDS:
                continue
            if (kind, name) not in defined and name in _BUILT_IN:
                name = _BUILT_IN[name]
                if not name:
                    lost.append((each, "The rules of this classifier of the device are left out."))
                    continue
            if name == "default":
                defined[kind, name] = _default(kind, classes, each)
            elif (kind, name) not in defined:
                lost.append((each, "The text does not hold this classifier."))
                continue
            order.append((kind, name))
    found: dict[str, Rule] = {}
    for key in order:
        for rule in defined[key]:
            first = found.setdefault(rule.mark, rule)
            if first.of != rule.of and rule.said.text:
                sentence = f"Another classifier, which stands first, puts {rule.mark} into"
                lost.append((rule.said, f"{sentence} {first.of}: this rule is left out."))
    return list(found.values()), lost


def rules_of_filters(
    filters: dict[str, tuple[Term, ...]], classes: dict[str, tuple[int, int]]
) -> tuple[list[Rule], list[tuple[Said, str]]]:
    """Rules of filters, whose mark is the name of the filter and that of the term."""
    found, lost = [], []
    for name, terms in filters.items():
        for term in terms:
            loss = term.loss if term.loss in LOSS_PRIORITIES else LOSS_PRIORITIES[0]
            if term.to in classes:
                found.append(Rule(f"{name} {term.name}", term.to, loss, term.said[0]))
            elif term.to:
                sentence = "The text does not hold the forwarding class of this term."
                lost += [(each, sentence) for each in term.said if term.to in each.words]
    return found, lost


def _class_of(said: Said) -> str:
    """The class of a rule; one that exists where a statement is no rule."""
    words = said.words
    return words[2] if words[1:2] == ("forwarding-class",) and len(words) > 2 else "best-effort"


def _rules(
    kind: str,
    name: str,
    lines: Sequence[Said],
    classes: dict[str, tuple[int, int]],
    aliases: dict[str, int],
    all_of_kind: Sequence[Said],
    depth: int = 0,
) -> list[Rule]:
    own: list[Rule] = []
    imported: list[Rule] = []
    for each in lines:
        match each.words:
            case ("forwarding-class", of, "loss-priority", loss, "code-points", word):
                if of not in classes:
                    raise NotDefinedError("class", of, each.line)
                if loss not in LOSS_PRIORITIES:
                    allowed = ", ".join(LOSS_PRIORITIES)
                    problem = f"the loss priority is {shown(loss)}; allowed: {allowed}"
                    raise ConfigurationError(problem, each.line)
                for code in code_points(kind, word, each.line, aliases):
                    marks = marks_matching(code, KINDS[kind])
                    own += [Rule(mark, of, loss, each) for mark in marks]
            case ("import", "default"):
                imported = _default(kind, classes, each)
            case ("import", other):
                more = named(all_of_kind).get(other)
                if more is None or depth > _MOST_QUEUES:
                    problem = f"the classifier {shown(other)} is not defined, or imports itself"
                    raise ConfigurationError(problem, each.line)
                imported = _rules(kind, other, more, classes, aliases, all_of_kind, depth + 1)
    named_here = {rule.mark for rule in own}
    return own + [rule for rule in imported if rule.mark not in named_here]


def _default(kind: str, classes: dict[str, tuple[int, int]], said: Said) -> list[Rule]:
    """The default classifier of a kind, as far as its queues have classes."""
    of_queue: dict[int, str] = {}
    for name, (number, _) in sorted(classes.items(), key=lambda one: not one[1][1]):
        of_queue.setdefault(number, name)
    silent = said._replace(text="")
    return [
        Rule(mark, of_queue[number], loss, silent)
        for code, (number, loss) in default_rules(kind).items()
        if number in of_queue
        for mark in marks_matching(code, KINDS[kind])
    ]
