"""The text of a terminal, with its prompts, as a configuration."""

import re
from collections.abc import Iterator

from qoslib.config.source import check_time

__all__ = ["without_prompts"]

_SETS = r"(?:set|delete|deactivate|activate|edit|top|up|exit)\b"
#: The role of a routing engine, and where the editor of the configuration is.
_BANNER = re.compile(
    r"(?:\{(?:master|backup|primary|secondary|linecard)[:\w]*\})?[ \t]*"
    r"(?:\[edit([^\]\n]*)\])?[ \t]*"
)
_PROMPT = re.compile(r"[\w.-]+@[\w.:-]+(?P<mode>[>#%])[ \t]*(?P<command>.*)")
#: What makes a session one of typed statements, where the editor's own moves count.
_TYPED = re.compile(
    r"^[\w.-]+@[\w.:-]+[>#%][ \t]*(?:set|delete|deactivate|activate)\b", re.MULTILINE
)
_SHOW = re.compile(r"show(?:[ \t]+(?P<what>[^|]*))?(?:\|.*)?")
#: Output in another form than braces; of this only statements that are typed count.
_OTHERWISE = re.compile(r"\|.*\b(?:compare\b|display +(?:set|xml|json)\b)")
_MORE = re.compile(r"-{2,}\((?:more|end)[^)]*\)-{2,}[ \t]*")
#: Below a level of this many words no statement stands.
_DEEPEST = 12


def without_prompts(text: str) -> str:
    """A text without what a terminal has around the output of its commands.

    What ``show configuration class-of-service schedulers`` prints stands below that level, and
    what ``show`` prints below that of the banner above it.

    >>> print(without_prompts("me@r1> show configuration class-of-service schedulers\\ndata { }"))
    class-of-service { schedulers {
    data { } } }
    """
    sets, typed = re.compile(_SETS), re.compile(_SETS if _TYPED.search(text) else "(?!)")
    lines: list[str] = []
    level: tuple[str, ...] = ()
    opened, otherwise = 0, False
    for number, line in enumerate(text.split("\n"), 1):
        check_time(number)
        line = _MORE.sub("", line)
        banner = _BANNER.fullmatch(line) if line[:1] in "{[" else None
        prompt = _PROMPT.fullmatch(line)
        if banner and line.strip():
            if banner[1] is not None:
                level = tuple(banner[1].split())
            line = ""
        elif prompt:
            if opened:
                lines[-1] += " }" * opened
                opened = 0
            command = prompt["command"].strip()
            otherwise = bool(_OTHERWISE.search(command))
            if not typed.match(command):
                words = () if otherwise else _below(command, level, prompt["mode"])
                opened = len(words)
                line = "".join(f"{word} {{ " for word in words).rstrip()
        elif otherwise and not sets.match(line):
            line = ""
        lines.append(line)
    lines[-1] += " }" * opened
    return "\n".join(lines)


def _below(command: str, level: tuple[str, ...], mode: str) -> tuple[str, ...]:
    """The level of what a command prints in braces."""
    found = _SHOW.fullmatch(command)
    if found is None:
        return ()
    words = tuple(_named(found["what"] or ""))
    if words[:1] == ("configuration",):
        words = words[1:]
    elif mode == ">":
        # Of the device, not of its configuration.
        return ()
    elif words and not level and words[0] not in ("class-of-service", "firewall", "interfaces"):
        return ()
    else:
        words = level + words
    # A group is read as if it stood at the top, where nothing here inherits it.
    return words if len(words) <= _DEEPEST and words[:1] != ("groups",) else ()


def _named(words: str) -> Iterator[str]:
    return (word for word in words.split() if not set(word) & set('{};[]"#'))
