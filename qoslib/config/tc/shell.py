"""A shell script taken apart, and never run: simple commands, blocks around them, functions.

`shlex` of the standard library finds the words; lines that go on, prompts, redirections, blocks and
functions are found here.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from qoslib.config.lines import Line
from qoslib.config.source import check_time
from qoslib.config.tc.variables import ARITHMETIC

__all__ = ["QUIET", "Function", "called", "functions", "plain", "simple_commands"]

#: Longest line that is read as a command.
LONGEST_LINE = 10_000
#: So many words may a call of a function make.
MOST_WORDS = 500
#: What only says something, or tests it.
QUIET = {"echo", "printf", "logger", "log", "return", "set", ":", "true", "exit", "shift", "test"}
QUIET |= {"[", "[[", "which", "type", "man", "grep"}
_REDIRECTION = re.compile(r"(?<!\S)\d?(?:&>>?|>>?|<)\s*(?:&\d|&-|[^\s;|&()<>]+)")
#: What a terminal has in front of a command, where it cannot be a comment.
_PROMPT = re.compile(r"^[ \t]*(?:\[?[\w.-]+@[\w.-]+[: ][^\s#$]*[#$]|\$)[ \t]+(?=\S)")
#: Where `tc` is, asked of the shell.
_WHERE = re.compile(
    r"(?P<mark>`)?(?(mark)|\$\()[ \t]*(?:which|command[ \t]+-v|type[ \t]+-[pP])[ \t]+"
    r"(?:/[\w/]*/)?tc(?![\w.-])[^`()]*(?(mark)`|\))"
)
#: Arithmetic is one word, so its spaces and signs are put away while a line is taken apart.
_AWAY = {ord(sign): 0xE000 + ord(sign) for sign in " \t()<>&|;#"}
_BACK = {away: sign for sign, away in _AWAY.items()}
_OPENS = {"if", "case", "{", "select", "for", "while", "until"}
_CLOSES = {"fi", "esac", "}", "done"}
#: What stands behind these may not be run.
_CHOOSES = ("&&", "||", "|")
_BETWEEN = {";", "&&", "||", "|", "&", ";;", "then", "do", "else", "elif", "in", "!"}
_ARGUMENT = re.compile(r"\$(?:\{([1-9@*])\}|([1-9@*]))")


class Function(NamedTuple):
    """A function of a script: where it begins, its commands, and the one that it passes all to.

    The last has no words where it does more than pass its arguments, or chooses.
    """

    line: int
    text: str
    body: list[Line]
    words: tuple[str, ...] = ()


def simple_commands(text: str, succeeds: Callable[[Sequence[str]], bool]) -> list[Line]:
    """Each command of a script, below the words that open blocks around it, and ``&&`` or ``||``.

    A comment has the one word ``#``; a line whose quotation does not end has none. What stands
    behind ``&&`` is run if what stands before it is taken to succeed.

    >>> text = "if up; then\\n  tc -V || echo\\nfi\\nq () { sudo $@; }"
    >>> for line in simple_commands(text, lambda words: True):
    ...     print(line.number, line.words, line.active, line.parents, line.opened)
    1 ('up',) False ('if',) (1,)
    2 ('tc', '-V') False ('if',) (1,)
    2 ('echo',) False ('if', '||') (1, 2)
    4 ('sudo', '$@') False ('q ()',) (4,)
    """
    lines: list[Line] = []
    blocks: list[tuple[tuple[str, ...], int]] = []
    for number, line in _logical_lines(text):
        check_time(number)
        tokens = ["#"] if line.lstrip().startswith("#") else _tokens(line)
        whole = Line(number, line.strip(), ())
        if tokens == ["#"]:
            lines.append(whole._replace(words=("#",)))
        elif tokens is None:
            lines.append(_within(whole, blocks))
        else:
            lines += _commands(tokens, whole, blocks, succeeds)
    return lines


def _within(line: Line, blocks: list[tuple[tuple[str, ...], int]]) -> Line:
    """A line with what it stands below."""
    below = [(name, number) for names, number in blocks for name in names]
    return line._replace(
        depth=len(below),
        parents=tuple(name for name, _ in below),
        active=not below,
        opened=tuple(number for _, number in below),
    )


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


def _tokens(line: str) -> list[str] | None:
    """The words of a line; None where a quotation does not end."""
    if len(line) > LONGEST_LINE:
        return []
    line = ARITHMETIC.sub(lambda found: found[0].translate(_AWAY), _WHERE.sub("tc", line))
    lexer = shlex.shlex(_REDIRECTION.sub(" ", line), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return [token.translate(_BACK) for token in lexer]
    except ValueError:
        return None


def _commands(
    tokens: list[str],
    line: Line,
    blocks: list[tuple[tuple[str, ...], int]],
    succeeds: Callable[[Sequence[str]], bool],
) -> Iterator[Line]:
    """The commands of a line; blocks stay as they are at its end."""
    words: list[str] = []
    choice, name = tuple[str, ...](), ""
    for token in [*tokens, ";"]:
        if token in _BETWEEN and not (words and token == "!"):
            if words:
                yield _within(line._replace(words=tuple(words)), [*blocks, (choice, line.number)])
            certain = token == "&&" and not choice and succeeds(words)
            choice = (token,) if token in _CHOOSES and not certain else ()
            words, name = [], ""
        elif token == "{" and (name or words[:1] == ["function"]):
            blocks.append(((f"{name or words[1]} ()",), line.number))
            words, name = [], ""
        elif not words and token in _OPENS:
            blocks.append(((*choice, token), line.number))
        elif not words and token in _CLOSES:
            del blocks[-1:]
        elif token in ("()", "(", ")") and len(words) < 2:
            words, name = [], words[0] if words else name
        else:
            words.append(token)


def plain(word: str) -> str:
    """The name of a program without its folder, or of the variable that holds it.

    >>> plain("/sbin/tc"), plain("${TC}")
    ('tc', 'tc')
    """
    return word.rsplit("/", 1)[-1].strip("${}").lower()


def functions(lines: Iterable[Line]) -> dict[str, Function]:
    """The functions of a script.

    >>> text = 'run() { echo "$@"; sudo "$@" || exit 1; }'
    >>> functions(simple_commands(text, lambda words: True))["run"].words
    ('sudo', '$@')
    """
    known: dict[str, Function] = {}
    for line in lines:
        for name, begin in zip(line.parents, line.opened, strict=True):
            if name.endswith(" ()"):
                own = name.removesuffix(" ()")
                if own not in known or known[own].line != begin:
                    known[own] = Function(begin, name, [])
                known[own].body.append(line)
    return {name: each._replace(words=_passes(each)) for name, each in known.items()}


def _passes(function: Function) -> tuple[str, ...]:
    """The one command that takes the arguments of a function."""
    at = function.body[0].parents.index(function.text)
    # What follows `||` is run where the command has failed.
    own = [line for line in function.body if "||" not in line.parents[at:]]
    if any(set(line.parents[at + 1 :]) - {"&&"} for line in own):
        return ()
    own = [line for line in own if not line.words or plain(line.words[0]) not in QUIET]
    passes = len(own) == 1 and any(_ARGUMENT.search(word) for word in own[0].words)
    return own[0].words if passes else ()


def called(words: list[str], known: Mapping[str, tuple[str, ...]]) -> list[str]:
    """A command with the functions that it calls replaced by what they run.

    >>> called(["q", "add", "root"], {"q": ("tc", "qdisc", "$@", "dev", "eth0")})
    ['tc', 'qdisc', 'add', 'root', 'dev', 'eth0']
    """
    used = set[str]()
    while words and words[0] in known and words[0] not in used:
        name, *arguments = words
        used.add(name)
        words = _filled(known[name], arguments)
    return words


def _filled(template: tuple[str, ...], arguments: list[str]) -> list[str]:
    """The words of a function with its arguments in their places."""

    def argument(found: re.Match[str]) -> str:
        which = found[1] or found[2]
        if which in "@*":
            return " ".join(arguments)
        return arguments[int(which) - 1] if int(which) <= len(arguments) else ""

    words: list[str] = []
    for word in template:
        whole = _ARGUMENT.fullmatch(word)
        if whole and (whole[1] or whole[2]) in "@*":
            words += arguments
        else:
            words.append(_ARGUMENT.sub(argument, word))
    return words[:MOST_WORDS]
