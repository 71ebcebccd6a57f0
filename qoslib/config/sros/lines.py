"""The text of SR OS, indented, in whole lines or in braces: commands with all words above them."""

import re
from dataclasses import dataclass

from qoslib.config.junos.statements import statements
from qoslib.config.lines import Line
from qoslib.config.words import lines_of

__all__ = ["is_braced", "lines_of_sros", "unclosed", "without_prompts"]

_BRACED = re.compile(r"\{[ \t]*$|\{ [^{}\n]*\}[ \t}]*$", re.MULTILINE)
#: Where a statement in braces ends, for a reader that asks for a semicolon there.
_END = re.compile(r"(?<=[^\s{};])[ \t]*(?=\}|$)", re.MULTILINE)
_WORD = re.compile(r'"([^"]*)"?|\S+')
_PROMPT = r"^\*?[A-D]:[^\s#$]{1,99}[#$]"
#: What stands behind a prompt: a space, where an indented text was pasted; else all space.
_PASTED = re.compile(_PROMPT + r" [ \t]{4}", re.MULTILINE)
_ONE, _ALL = (re.compile(_PROMPT + gap, re.MULTILINE) for gap in (" ?", r"[ \t]*"))
#: Prompts of MD-CLI, comments, what a saved file prints as it is run, and directives of templates.
_SILENT = re.compile(r"^[!*]*(?:\(\w+\))?\[.*\][ \t]*$|^[ \t]*(?:#|echo |[<@]).*$", re.MULTILINE)
#: What ends a block, what stands at the top, and both sides of a SAP.
_CLOSING, _TOPS = ("exit", "back"), ("configure", "/configure")
_SIDES = ("ingress",), ("egress",)
#: So many words count; what begins a block with a name behind it, where nothing is indented.
_MOST, _NAMED = 300, {"epipe", "fc", "ies", "interface", "port", "queue", "sap", "tier", "vprn"}


def without_prompts(text: str) -> str:
    """A text as it was typed or pasted, without the prompts in front of its lines.

    >>> without_prompts("*A:PE1>config# qos\\n*A:PE1>config#     sap-egress 20 create")
    'qos\\n    sap-egress 20 create'
    """
    return (_ONE if _PASTED.search(text) else _ALL).sub("", text)


def is_braced(text: str) -> bool:
    """Whether a text is of MD-CLI, with braces."""
    return bool(_BRACED.search(text))


def lines_of_sros(text: str) -> list[Line]:
    """The commands of a text, each with the words from `configure` on, but without that.

    >>> [each.words for each in lines_of_sros("qos\\n    sap-egress 20 create\\n    exit\\nexit")]
    [('qos',), ('qos', 'sap-egress', '20', 'create')]
    >>> lines_of_sros("/configure qos network-queue a fc be { queue 1 }")[0].words[2:]
    ('a', 'fc', 'be', 'queue', '1')
    """
    text = _SILENT.sub("", without_prompts(text))
    if is_braced(text):
        found = statements(_END.sub(";", text), pieces=False)
        bare = (each._replace(words=each.words[each.words[0] in _TOPS :]) for each in found)
        return [each for each in bare if each.words]
    lines = lines_of(text)
    if any(each.depth for each in lines):
        return _indented(lines)
    above, read = list[Line](), list[Line]()
    for line in lines:
        words = _words(line)
        if words[0] in _CLOSING:
            above = [] if words[1:] == ("all",) else above[:-1]
            continue
        if words[0] in _TOPS:
            above, words = [], words[1:]
        whole = _below(line, words, above[-1] if above else None)
        read += [whole] if words else []
        if _opens(words, above):
            above.append(whole)
    return [each for each in read if each.words]


@dataclass
class _Above:
    """A command that others may stand below: its block is open until `exit` or a lesser depth.

    `waits` says that it begins a block of which no line has been deeper yet: only `exit` ends it.
    """

    line: Line
    waits: bool = False
    deeper: bool = False


def _indented(lines: list[Line]) -> list[Line]:
    """The commands of a text with indented lines, some of which may stand too far to the left."""
    waiting, above, read = _waiting(lines), list[_Above](), list[Line]()
    for line in lines:
        words = _words(line)
        if words[0] in _CLOSING:
            above = [] if words[1:] == ("all",) else _closed(above, line.depth)
            continue
        if words[0] in _TOPS:
            above, words = [], words[1:]
        while above and above[-1].line.depth >= line.depth and not above[-1].waits:
            above.pop()
        if above and above[-1].line.depth < line.depth:
            above[-1].waits, above[-1].deeper = False, True
        whole = _below(line, words, above[-1].line if above else None)
        read += [whole] if words else []
        above.append(_Above(whole, line.number in waiting))
    return [each for each in read if each.words]


def _waiting(lines: list[Line]) -> set[int]:
    """The lines that begin a block, as their words say, which an `exit` at their depth ends."""
    found, opened = set[int](), list[Line]()
    for line, after in zip(lines, [*lines[1:], lines[-1]], strict=True):
        words = _words(line)
        if words[0] in _CLOSING:
            last = opened.pop() if opened else line
            if last.depth == line.depth and _begins(_words(last)):
                found.add(last.number)
            opened = [] if words[1:] == ("all",) else opened
            continue
        beside = opened and opened[-1].depth == line.depth and _begins(_words(opened[-1]))
        alone = _words(after)[0] in _CLOSING and after.depth == line.depth and not beside
        if _begins(words) or after.depth > line.depth or alone:
            opened.append(line)
    return found


def _begins(words: tuple[str, ...]) -> bool:
    """Whether a command begins a block by its words."""
    return words[-1:] == ("create",) or words in _SIDES


def _closed(above: list[_Above], depth: int) -> list[_Above]:
    """What is left open behind an `exit` at a depth."""
    left = list(above)
    while left and left[-1].line.depth > depth and not left[-1].waits:
        left.pop()
    while left and not left[-1].waits and not left[-1].deeper:
        aligned = left.pop().line.depth == depth
        if aligned and not (left and left[-1].waits):
            return left
    return left[:-1]


def _words(line: Line) -> tuple[str, ...]:
    return tuple(each[0] if each[1] is None else each[1] for each in _WORD.finditer(line.text))


def _below(line: Line, words: tuple[str, ...], above: Line | None) -> Line:
    """A command with all words above it."""
    return line._replace(words=((above.words if above else ()) + words)[:_MOST])


def unclosed(text: str) -> Line | None:
    """The last command of a text whose blocks are closed by `exit`, if some of them are not.

    >>> unclosed("qos\\n    sap-egress 20 create\\n    exit").text
    'sap-egress 20 create'
    >>> unclosed("qos\\n    sap-egress 20 create\\n    exit\\nexit")
    """
    lines = [] if is_braced(text) else lines_of(_SILENT.sub("", without_prompts(text)))
    said = [line for line in lines if line.words[0] != "exit"]
    closed = len(said) == len(lines) or lines[-1].top
    return said[-1] if said and not closed else None


def _opens(words: tuple[str, ...], above: list[Line]) -> bool:
    """Whether others may stand below a command, where nothing is indented."""
    below_class = bool(above) and "fc" in above[-1].words[-3:]
    named = len(words) == 2 and words[0] in _NAMED and not below_class
    return named or words[-1:] == ("create",) or (len(words) == 1 and words[0] != "shutdown")
