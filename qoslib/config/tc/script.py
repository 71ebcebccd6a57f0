"""A shell script with tc commands in it, read and never run."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import pairwise
from typing import NamedTuple

from qoslib.config.records import Remark, refusal
from qoslib.config.source import ConfigurationError, TakesTooLongError, check_time
from qoslib.config.tc.arithmetic import ARITHMETIC, changed, worked_out
from qoslib.config.tc.command import THINGS, VERBS, Command, command, meant
from qoslib.config.tc.wrappers import HEADER, QUIET, Function, called, functions, plain, unwrapped

__all__ = ["Script", "read_script"]

#: Longest value of a variable; a value made of others cannot grow without end.
LONGEST = 1000
#: Longest line that is read as a command.
LONGEST_LINE = 10_000
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))", re.ASCII)
_REDIRECTION = re.compile(r"(?<!\S)\d?(?:&>>?|>>?|<)\s*(?:&\d|&-|[^\s;|&()<>]+)")
_NAMED = re.compile(r'#\s*([0-9a-f]*:[0-9a-f]*|fwmark \d+|the rest) is ("(?:[^"\\]|\\.)*")\s*')
#: What a terminal has in front of a command, where it cannot be a comment.
_PROMPT = re.compile(r"^[ \t]*(?:\[?[\w.-]+@[\w.-]+[: ][^\s#$]*[#$]|\$)[ \t]+(?=\S)")
_MARKS = re.compile(
    r"(?:-j|--jump)\s+((?:MARK|CLASSIFY|DSCP|TOS|CONNMARK)\b(?:\s+--[\w-]+(?:\s+[\w:/]+)?)?)"
)
_TC = re.compile(r"(?<![\w.-])tc\s")
_FUNCTION = re.compile(HEADER, re.MULTILINE | re.ASCII)
_OPENS = {"if": "a condition", "case": "a condition", "{": "a function", "select": "a loop"}
_OPENS |= dict.fromkeys(("for", "while", "until"), "a loop")
_CLOSES = {"fi", "esac", "}", "done"}
_BETWEEN = {";", "&&", "||", "|", "&", ";;", "then", "do", "else", "elif", "in", "!"}
#: Where `tc` is, asked of the shell.
_WHERE = re.compile(
    r"(?P<mark>`)?(?(mark)|\$\()[ \t]*(?:which|command[ \t]+-v|type[ \t]+-[pP])[ \t]+"
    r"(?:/[\w/]*/)?tc(?![\w.-])[^`()]*(?(mark)`|\))"
)
#: Arithmetic is one word, so its spaces and signs are put away while a line is taken apart.
_AWAY = {ord(sign): 0xE000 + ord(sign) for sign in " \t()<>&|;#"}
_BACK = {away: sign for sign, away in _AWAY.items()}


_OWN_ACTION = "An action of its own has an effect only in filters that name it: it is left out."
#: Other objects of tc, and what is lost by leaving them out.
_OTHERS = {"actions": _OWN_ACTION, "action": _OWN_ACTION, "chain": "Chains are left out."}
_OTHERS |= dict.fromkeys(("monitor", "exec", "help"), "It changes no queue.")
_NO_COMMAND = "It is no command of tc that is known here, and left out."


class Script(NamedTuple):
    """What was read of a script.

    Attributes
    ----------
    commands : list of (Command, dict of str to str)
        In their order, each with the names that comments above it give: ``# 1:10 is "voice"``.
    remarks : list of Remark
        Lines of tc that could not be read.
    unread : dict of str to int
        Device, empty for any, and the first line that would have changed its queues.
    functions : dict of str to Function
        Those that only pass their arguments.
    """

    commands: list[tuple[Command, dict[str, str]]]
    remarks: list[Remark]
    unread: dict[str, int]
    functions: Mapping[str, Function]


def read_script(text: str) -> Script:
    """Read the tc commands of a script.

    Plain variables are expanded, and arithmetic of them is worked out; what else a shell does is a
    remark.

    >>> script = read_script("DEV=eth0\\ntc qdisc add dev $DEV root handle 1: htb")
    >>> script.commands[0][0].device
    'eth0'
    """
    own, text = functions(text, _parts)
    found, values, names = Script([], [], {}, own), dict[str, str](), dict[str, str]()
    with_tc = _with_tc(text)
    inside: list[tuple[str, int]] = []
    for number, line in _logical_lines(text):
        check_time(number)
        comment = _NAMED.fullmatch(line.strip())
        if comment:
            _name(comment, number, names)
            continue
        tokens = _tokens(line)
        if tokens is None:
            if begin := _TC.search(line):
                lost = "The quotation does not end on this line, so it is not read."
                text = _short(line[begin.start() :])
                found.remarks.append(Remark("unknown", number, text, lost))
                _unread(text.split()[1:], number, found)
            continue
        if _MARKS.search(line) and any("tables" in token for token in tokens):
            _mark(line, number, found)
            continue
        parts = list(_commands(tokens, number, inside))
        for words, blocks, certain in parts:
            said = len(found.remarks)
            _one(words, certain, number, values, names, blocks, found)
            if words[0] in with_tc and len(found.remarks) == said:
                lost = f"It calls what begins in line {with_tc[words[0]]}. {_PASTE_THEM}"
                found.remarks.append(Remark("unknown", number, words[0], lost))
    return found


def _with_tc(text: str) -> dict[str, int]:
    """Functions of a script that hold commands of tc, and the line where each begins."""
    found: dict[str, int] = {}
    line, last = 1, 0
    for function in _FUNCTION.finditer(text):
        begin = function.end()
        line, last = line + text.count("\n", last, begin), begin
        check_time(line)
        end = text.find("\n}", begin)
        if _TC.search(text, begin, end if end >= 0 else len(text)):
            found[function["a"] or function["b"]] = line
    return found


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines, those that end in a backslash with what follows."""
    begun, first = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        first = first or number
        whole = begun + (line if begun else _PROMPT.sub("", line))
        if whole.endswith("\\") and len(whole) < LONGEST_LINE:
            begun = whole[:-1] + " "
            continue
        yield first, whole
        begun, first = "", 0
    if begun:
        yield first, begun


def _name(comment: re.Match[str], line: int, names: dict[str, str]) -> None:
    try:
        names[comment[1]] = json.loads(comment[2])
    except ValueError:
        raise ConfigurationError(f"the name of {comment[1]} is no text in quotes", line) from None


def _tokens(line: str) -> list[str] | None:
    if len(line) > LONGEST_LINE:
        return []
    line = ARITHMETIC.sub(lambda found: found[0].translate(_AWAY), _WHERE.sub("tc", line))
    lexer = shlex.shlex(_REDIRECTION.sub(" ", line), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return [token.translate(_BACK) for token in lexer]
    except ValueError:
        return None


def _parts(text: str) -> list[list[str]] | None:
    """The commands of the body of a function, and what stands between them."""
    parts: list[list[str]] = [[]]
    for _, line in _logical_lines(text):
        tokens = _tokens(line)
        if tokens is None:
            return None
        for token in [*tokens, ";"]:
            parts += [[token], []] if token in _BETWEEN else []
            if token not in _BETWEEN:
                parts[-1].append(token)
    return [part for part in parts if part]


def _short(line: str) -> str:
    return " ".join(line.split())[:200]


def _mark(line: str, number: int, found: Script) -> None:
    """What a packet filter marks for tc: its target alone, without addresses."""
    target = _MARKS.search(line)
    assert target is not None
    lost = "Which packets get this mark is not read: give it to your streams."
    text = "iptables ... -j " + _short(target[1])
    found.remarks.append(Remark("not modelled", number, text, lost))


def _commands(
    tokens: list[str], number: int, inside: list[tuple[str, int]]
) -> Iterator[tuple[list[str], list[tuple[str, int]], bool]]:
    """The commands of a line, the blocks around each, and whether it is run for certain."""
    words: list[str] = []
    certain, behind = True, ";"
    for index, token in enumerate([*tokens, ";"]):
        if token in _BETWEEN:
            if words:
                yield words, list(inside), certain and not inside
            ran = certain and _is_tc(words)
            certain = ran if token == "&&" else token not in ("||", "|")
            words, behind = [], token
        elif not words and token in _OPENS:
            inside.append((_OPENS[token], number))
        elif not words and token in _CLOSES:
            del inside[-1:]
        elif token in ("()", "(", ")") and behind in _BETWEEN and len(words) < 2:
            opens = "{" in tokens[index:] or token == "()"
            words = []
            if opens and "{" not in tokens[index:]:
                behind = ";"
        else:
            words.append(token)


def _is_tc(words: list[str]) -> bool:
    return _behind_tc(words) is not None


def _own(words: list[str]) -> list[str]:
    """The words from tc on: what stands in front of it is not about queues."""
    at = next((i for i, word in enumerate(words) if plain(word) == "tc"), 0)
    return words[at:]


def _behind_tc(words: list[str]) -> tuple[list[str], str] | None:
    """What stands behind `tc` and its options, and where it is run; None if it is no tc command."""
    if len(words) > 1 and words[0] in THINGS and (words[1] in VERBS or ":" in "".join(words[2:3])):
        return words, ""
    found = unwrapped(words)
    if found is None:
        return None
    rest, place = found[0][1:], found[1]
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-n", "-netns", "-b", "-batch"):
            place = rest[0] if rest and option in ("-n", "-netns") else place
            del rest[:1]
    return rest, place


def _foreign(words: list[str]) -> list[str]:
    """The words of tc behind something unknown that may run it; empty if there are none."""
    for at, (thing, verb) in enumerate(pairwise(words)):
        behind = at and plain(words[at - 1]) == "tc" and meant(thing, THINGS)
        changes = VERBS.get(verb, "show") != "show"
        if changes and (behind or (at and thing in THINGS and "dev" in words)):
            return [] if plain(words[0]) in QUIET else words[at:]
    return []


def _expand(word: str, values: dict[str, str], line: int) -> tuple[str, str]:
    """A word with its variables' values, and the first variable that has none."""
    unknown = ""

    def number(found: re.Match[str]) -> str:
        nonlocal unknown
        made, missing = worked_out(found, values)
        _forget(changed(found[0]), values)
        unknown = unknown or missing
        return found[0] if made is None else str(made)

    def value(found: re.Match[str]) -> str:
        nonlocal unknown
        name = found[1] or found[2]
        if name not in values:
            unknown = unknown or name
        return values.get(name, found[0])

    whole = _VARIABLE.sub(value, ARITHMETIC.sub(number, word))
    if len(whole) > LONGEST:
        raise ConfigurationError("a variable grows without end", line)
    return whole, unknown or ("" if not re.search(r"\$[({]|`|\$$", whole) else "$(...)")


_PASTE_THEM = "Nothing of a shell is run: paste the commands that it gives."
_PASTE = f"{{}}. {_PASTE_THEM}"


def _no_value(unknown: str) -> str:
    what = "What another command gives" if unknown == "$(...)" else f"${unknown}"
    return f"{what} has no value here"


def _one(
    words: list[str],
    certain: bool,
    number: int,
    values: dict[str, str],
    names: dict[str, str],
    inside: list[tuple[str, int]],
    found: Script,
) -> None:
    """One command of the shell: an assignment, tc, or nothing of ours."""
    own = [word for word in words if word not in ("export", "local", "readonly", "declare")]
    if own and all(_ASSIGNMENT.fullmatch(word) for word in own):
        _assign(own, certain, number, values)
        return
    if words[0] in ("((", "let", "read", "unset"):
        _forget(words if words[0] in ("read", "unset") else changed(" ".join(words)), values)
        return
    text = _short(" ".join(_own(words)))
    expanded, unknown = list[str](), ""
    words = called(words, found.functions)
    for index, word in enumerate(words):
        whole, missing = _expand(word, values, number)
        if missing and not (index and words[index - 1] == "dev") and plain(word) != "tc":
            unknown = unknown or missing
        expanded += whole.split() if "$" in word and not missing else [whole]
    if length := _queue_length(expanded):
        if unknown:
            lost = _PASTE.format(_no_value(unknown))
            found.remarks.append(Remark("unknown", number, text, lost))
            return
        found.commands.append((Command(number, text, "link", "change", *length), {}))
        return
    expanded = called(expanded, found.functions)
    if not expanded:
        # A variable with nothing in it, where a command would stand.
        return
    behind = _behind_tc(expanded)
    if behind is None:
        if rest := _foreign(expanded):
            lost = f"What {expanded[0][:40]!r} does with this is not known: it is not read."
            found.remarks.append(Remark("unknown", number, text, lost))
            _unread(rest, number, found)
        return
    rest, place = behind
    if not rest:
        return
    reason = ""
    if not meant(rest[0], THINGS):
        if rest[0] in _OTHERS:
            found.remarks.append(Remark("not modelled", number, text, _OTHERS[rest[0]]))
            return
        near = get_close_matches(rest[0], THINGS, 1)
        if not near:
            found.remarks.append(Remark("unknown", number, text, _NO_COMMAND))
            return
        reason = f"{rest[0][:40]!r} is no command of tc, did you mean {near[0]!r}?"
        found.remarks.append(Remark("unknown", number, text, reason))
        _unread([near[0], *rest[1:]], number, found)
        return
    if len(rest) > 1 and VERBS.get(meant(rest[1], tuple(VERBS))) == "show":
        return
    if inside:
        reason = f"It stands in {inside[-1][0]} that begins in line {inside[-1][1]}"
    elif not certain:
        reason = "Whether it is run depends on another command"
    elif unknown:
        reason = _no_value(unknown)
    if not reason:
        try:
            made = command(rest, number, text)
        except TakesTooLongError:
            raise
        except ConfigurationError as error:
            found.remarks.append(refusal(error, number, text))
            return
        made = made._replace(place=place) if made is not None else None
        if made is not None and made.verb != "show":
            found.commands.append((made, dict(names)))
            names.clear()
        elif made is None:
            reason = "It is no command of tc that is known here"
    if reason:
        found.remarks.append(Remark("unknown", number, text, _PASTE.format(reason)))
        _unread(rest, number, found)


def _assign(words: list[str], certain: bool, line: int, values: dict[str, str]) -> None:
    for word in words:
        found = _ASSIGNMENT.fullmatch(word)
        assert found is not None
        whole, unknown = _expand(found[2], values, line)
        values.pop(found[1], None)
        if certain and not unknown:
            values[found[1]] = whole


def _forget(names: Iterable[str], values: dict[str, str]) -> None:
    """Variables that have another value from here on."""
    for name in names:
        values.pop(name, None)


def _queue_length(words: list[str]) -> tuple[str, str, str, str, tuple[str, ...]] | None:
    """Device and packets of `ip link set dev X txqueuelen N` and of `ifconfig X txqueuelen N`."""
    known = words[:3] == ["ip", "link", "set"] or words[:1] == ["ifconfig"]
    for key in ("txqueuelen", "qlen"):
        if known and key in words[:-1]:
            behind = [word for word in words[3 if words[0] == "ip" else 1 :] if word != "dev"]
            length = words[words.index(key) + 1]
            return behind[0], "", "", "txqueuelen", ("packets", length)
    return None


def _unread(rest: list[str], line: int, found: Script) -> None:
    """Note that the queues of a device are not what was read of them."""
    changes = len(rest) > 1 and VERBS.get(meant(rest[1], tuple(VERBS))) not in ("delete", "show")
    if changes and meant(rest[0], THINGS) in ("qdisc", "class"):
        at = rest.index("dev") + 1 if "dev" in rest[:-1] else 0
        found.unread.setdefault(rest[at] if at else "", line)
