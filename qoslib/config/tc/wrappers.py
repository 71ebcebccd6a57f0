"""What a script has in front of `tc`: programs that run it, and functions that pass arguments."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

__all__ = ["HEADER", "QUIET", "Function", "called", "functions", "plain", "unwrapped"]

#: Programs that run what stands behind them.
_RUNS = {"sudo", "doas", "exec", "command", "nohup", "time", "nice", "ionice", "timeout", "env"}
_RUNS |= {"export", "local", "readonly", "declare", "stdbuf", "busybox", "eval", "setsid", "chrt"}
_RUNS |= {"taskset", "builtin", "chroot"}
#: Those that run it in another place, whose name stands last: its devices are others.
_PLACES = {"ip", "docker", "podman", "lxc", "lxc-attach", "kubectl", "ssh", "nsenter"}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL | re.ASCII)
#: What only says something, or tests it.
QUIET = {"echo", "printf", "logger", "log", "return", "set", ":", "true", "exit", "shift", "test"}
QUIET |= {"[", "[[", "which", "type", "man", "grep"}
#: How a function begins: its name is `a` or `b`.
HEADER = (
    r"^[ \t]*(?:function[ \t]+(?P<a>[A-Za-z_][\w-]{0,60})[ \t]*(?:\([ \t]*\))?"
    r"|(?P<b>[A-Za-z_][\w-]{0,60})[ \t]*\([ \t]*\))"
    r"\s{0,20}\{(?=[\s])"
)
_FUNCTION = re.compile(
    HEADER + r"(?P<body>(?:[^{}]|(?<=\$)\{[\w@*]{1,40}\}|\{(?=\s)[^{}]{0,500}+\}){0,2000}?)\}",
    re.MULTILINE | re.ASCII,
)
_ARGUMENT = re.compile(r"\$(?:\{([1-9@*])\}|([1-9@*]))")
_CONTROL = {"if", "for", "while", "until", "case", "select", "|", "&", "then", "do"}
#: So many words may a call of a function make.
_MOST_WORDS = 500


class Function(NamedTuple):
    """A function that passes its arguments to one command: its line, text and words."""

    line: int
    text: str
    words: tuple[str, ...]


def plain(word: str) -> str:
    """The name of a program without its folder, or of the variable that holds it.

    >>> plain("/sbin/tc"), plain("${TC}")
    ('tc', 'tc')
    """
    return word.rsplit("/", 1)[-1].strip("${}").lower()


def unwrapped(words: list[str]) -> tuple[list[str], str] | None:
    """A command from `tc` on, and the place in which it is run.

    >>> unwrapped("sudo ip netns exec red tc qdisc show".split())
    (['tc', 'qdisc', 'show'], 'red')
    >>> unwrapped("mine tc qdisc show".split())
    """
    at = next((i for i, word in enumerate(words) if plain(word) == "tc"), None)
    if at is None:
        return None
    before = [word for word in words[:at] if not _ASSIGNMENT.fullmatch(word)]
    if not before:
        return words[at:], ""
    first = plain(before[0])
    if first not in _RUNS | _PLACES or (first == "ip" and before[2:3] != ["exec"]):
        return None
    places = [word for word in before if plain(word) in _PLACES]
    if not places or "vrf" in before:
        return words[at:], ""
    named = [word for word in before if not word.startswith("-")]
    return words[at:], named[-1]


def functions(
    text: str, commands: Callable[[str], list[list[str]] | None]
) -> tuple[Mapping[str, Function], str]:
    """The functions of a script that only pass their arguments, and the script without them.

    >>> found, rest = functions('run() { echo "$@"; sudo "$@"; }', lambda body: [
    ...     part.replace('"', "").split() for part in body.split(";")])
    >>> found["run"].words, rest.strip()
    (('sudo', '$@'), '')
    """
    found: dict[str, Function] = {}

    def taken(match: re.Match[str]) -> str:
        parts = commands(match["body"])
        own = [part for part in parts or [] if part and plain(part[0]) not in QUIET]
        # What follows `||` is run where the command has failed.
        if ["||"] in own:
            own = own[: own.index(["||"])]
        own = [part for part in own if part[0] not in (";", "&&")]
        if len(own) != 1 or own[0][0] in _CONTROL or not _passes(own[0]):
            return match[0]
        name = match["a"] or match["b"]
        line = text.count("\n", 0, match.start("body")) + 1
        found[name] = Function(line, f"{name} ()", tuple(own[0]))
        return "\n" * match[0].count("\n")

    return found, _FUNCTION.sub(taken, text)


def _passes(words: list[str]) -> bool:
    return any(_ARGUMENT.search(word) for word in words)


def called(words: list[str], known: Mapping[str, Function]) -> list[str]:
    """A command with the functions that it calls replaced by what they run.

    >>> called(["q", "add", "root"], {"q": Function(1, "", ("tc", "qdisc", "$@", "dev", "eth0"))})
    ['tc', 'qdisc', 'add', 'root', 'dev', 'eth0']
    """
    used = set[str]()
    while words and words[0] in known and words[0] not in used:
        name, *given = words
        used.add(name)
        words = _filled(known[name].words, given)
    return words


def _filled(template: tuple[str, ...], given: list[str]) -> list[str]:
    made: list[str] = []
    for word in template:
        whole = _ARGUMENT.fullmatch(word)
        if whole and (whole[1] or whole[2]) in "@*":
            made += given
        else:
            made.append(_ARGUMENT.sub(lambda found: _argument(found, given), word))
    return made[:_MOST_WORDS]


def _argument(found: re.Match[str], given: list[str]) -> str:
    which = found[1] or found[2]
    if which in "@*":
        return " ".join(given)
    return given[int(which) - 1] if int(which) <= len(given) else ""
