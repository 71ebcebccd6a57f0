"""Rules on lines that are not understood, or that a device refuses: words that nobody knows."""

import re
from collections.abc import Iterator, Sequence

from qoslib.checks.manners import manners_of
from qoslib.checks.rule import Found, rule
from qoslib.config.interfaces import meant_interface
from qoslib.config.junos.grammar import WORDS
from qoslib.config.lines import nearest
from qoslib.config.mqc.commands import COMMANDS
from qoslib.config.mqc.interfaces import INTERFACE
from qoslib.config.records import Configuration, Remark
from qoslib.config.source import check_time
from qoslib.config.sqm import OPTIONS

__all__ = ["listed"]

_HEADERS = "class-map", "policy-map", "interface"
_KNOWN = [*COMMANDS, *INTERFACE, *_HEADERS, "class", "match", "description"]
#: How a command that is written in another way goes.
_FORMS = {
    "bandwidth": "`bandwidth KBPS`, `bandwidth percent P` or `bandwidth remaining ...`",
    "class": "`class NAME`",
    "class-map": "`class-map [match-any | match-all] NAME`",
    "policy-map": "`policy-map NAME`",
    "priority": "`priority [level L] [KBPS | percent P] [BURST]`",
    "queue-limit": "`queue-limit N packets`, `bytes` or `ms`",
    "service-policy": "`service-policy output NAME`, or `input`, on an interface",
    "shape": "`shape average RATE`, in bit/s or with k, m, g",
    "speed": "`speed MBPS` or `speed auto`",
}
#: What may stand behind a command.
_SECOND = {"service-policy": ("input", "output")}
#: How names of interfaces of Junos begin, without their hyphen.
_WITHOUT_HYPHEN = ("fe", "ge", "xe", "et")
#: More lines are counted.
_MOST_LINES = 10
#: What becomes of a refused line where a device takes a commit as a whole or not at all (Cisco, IOS
#: XR System Management Command Reference, commit: without best-effort nothing of one that fails).
_NO_COMMIT = "A commit that holds it changes nothing on the device."
_RUNNING = "If a device shows this line as part of what is running, its platform takes it."


def listed(lines: Sequence[int]) -> str:
    return ", ".join(map(str, lines[:_MOST_LINES])) + (", ..." if len(lines) > _MOST_LINES else "")


@rule(
    "line-refused",
    "error",
    "docs/checking.md: a line that the device refuses has no effect",
    whole=True,
    in_place=True,
)
def line_refused(configuration: Configuration) -> Iterator[Found]:
    """A device would not take this line; the rest of the configuration is read without it."""
    whole = manners_of(configuration.dialect).commits_whole
    effect = _NO_COMMIT if whole else "It has no effect on the device."
    refused: dict[str, list[Remark]] = {}
    for remark in configuration.remarks:
        if remark.kind == "refused":
            refused.setdefault(remark.lost, []).append(remark)
    for lost, (first, *others) in refused.items():
        lines = ", ".join(str(each.line) for each in others)
        more = [f"Likewise line{'s' if len(others) > 1 else ''} {lines}."] if others else []
        why = " ".join([*more, *([_RUNNING] if whole else [])])
        meant = _MEANT.search(lost)
        wrong = nearest(meant[1], first.text.split()) if meant and not others else ""
        fix = _corrected(configuration, first, wrong, meant[1]) if meant and wrong else ""
        yield Found(first.line, f"{lost} {effect}", why, fix)


#: What a line is likely meant to have in place of a name or a word that is not there.
_MEANT = re.compile(r"(?<!'), did you mean '?([\w.:/-]+)'?\?")


def _corrected(configuration: Configuration, remark: Remark, wrong: str, meant: str) -> str:
    """The line of a remark with the word that is meant, where a line is one command."""
    if not wrong or manners_of(configuration.dialect).family not in ("cisco", "eos"):
        return ""
    return " ".join(meant if word == wrong else word for word in remark.text.split())


#: How a full path of SR OS begins, whatever command it leads to.
_PATH = "configure", "/configure"


@rule(
    "unknown-command",
    "warning",
    "docs/checking.md: a command that is not understood has no effect here",
    whole=True,
    in_place=True,
)
def unknown_command(configuration: Configuration) -> Iterator[Found]:
    """A command where quality of service is configured, or a type of interface, is not known."""
    family = manners_of(configuration.dialect).family
    if family == "tc":
        # A script has commands of its shell as well.
        return
    families = {"cisco": _KNOWN, "eos": _KNOWN, "junos": WORDS, "sqm": OPTIONS}
    known: Sequence[str] = families.get(family, ())
    forms = _FORMS if family != "eos" else {}
    unread: dict[str, list[Remark]] = {}
    for remark in configuration.remarks:
        if remark.kind == "unknown" and remark.words:
            word, *behind = remark.text.split()
            if configuration.dialect == "sros" and word in _PATH and behind:
                word = behind[0]
                known = (*known, word)
            unread.setdefault(word[:40], []).append(remark)
    for word, remarks in unread.items():
        check_time(remarks[0].line)
        lines = [*dict.fromkeys(remark.line for remark in remarks)]
        more = f"It is in {len(lines)} lines: {listed(lines)}." if len(lines) > 1 else ""
        says, wrong, meant = _says_unknown(word, remarks[0], known, forms)
        fix = "" if more else _corrected(configuration, remarks[0], wrong, meant)
        yield Found(lines[0], f"{says}: it has no effect in the models.", more, fix)
    for line, name, meant in _meant_interfaces(configuration, family):
        says = f"{name!r} is no known name of an interface (did you mean {meant!r}?)"
        fix = "" if family == "junos" else f"interface {meant}"
        yield Found(line, f"{says}: the device may refuse it.", fix=fix)


def _says_unknown(
    word: str, first: Remark, known: Sequence[str], forms: dict[str, str]
) -> tuple[str, str, str]:
    """That a word is not known, or this form of it; the wrong word, and what may be meant."""
    verb = word.lower()
    if verb not in known:
        near = nearest(verb, known)
        mean = f" (did you mean {near!r}?)" if near else ""
        return f"{word!r} is not a known command{mean}", word if near else "", near
    form, second = forms.get(verb, ""), (*first.text.split()[1:2], "")[0]
    near = nearest(second, _SECOND.get(verb, ()))
    wrong = second if near and near != second.lower() else ""
    if wrong:
        form += f"; did you mean {near!r} for {second[:40]!r}?"
    return f"This form of {word!r} is not known{form and f' (it is {form})'}", wrong, near


def _meant_interfaces(configuration: Configuration, family: str) -> Iterator[tuple[int, str, str]]:
    """Line and name of each interface that is nearly one, and what may be meant."""
    if family == "junos":
        for port in configuration.ports:
            kind, rest = port.interface[:2], port.interface[2:]
            if kind in _WITHOUT_HYPHEN and rest[:1].isdigit():
                yield port.line, port.interface, f"{kind}-{rest}"
    for said in configuration.by_verb.get("interface", ()) if family in ("cisco", "eos") else ():
        check_time(said.line)
        names = [word for word in said.text.split()[1:] if word != "range"]
        whole = len(names) == 1 or any(letter.isdigit() for letter in "".join(names[:1]))
        name = "".join(names[: 1 if whole else 2])
        if name and (meant := meant_interface(name)):
            yield said.line, name, meant
