"""The text of a terminal, with its prompts, as a configuration."""

import re
from collections.abc import Iterator

from qoslib.config.text import check_time

__all__ = ["without_prompts"]

_SETS = r"(?:set|delete|deactivate|activate|edit|top|up|exit)\b"
#: The role of a routing engine, and where the editor of the configuration is.
_BANNER = re.compile(
    r"(?:\{(?:master|backup|primary|secondary|linecard)[:\w]*\})?[ \t]*"
    r"(?:\[edit([^\]\n]*)\])?[ \t]*"
)
_PROMPT = re.compile(r"[\w.-]+@[\w.:-]+[>#%][ \t]*(?P<command>.*)")
#: What makes a session one of typed statements, where the editor's own moves count.
_TYPED = re.compile(
    r"^[\w.-]+@[\w.:-]+[>#%][ \t]*(?:set|delete|deactivate|activate)\b", re.MULTILINE
)
_SHOW = re.compile(r"show(?:[ \t]+(?P<what>[^|]*))?(?P<pipe>\|.*)?")
_MORE = re.compile(r"-{2,}\((?:more|end)[^)]*\)-{2,}[ \t]*")
#: Below a level of this many words no statement stands.
_DEEPEST = 12


def without_prompts(text: str) -> str:
    """A text without what a terminal has around the output of its commands.

    What ``show configuration class-of-service schedulers`` prints stands below that level, and
    what ``show`` prints below that of the banner above it.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        With as many lines.

    Examples
    --------
    >>> print(without_prompts("me@r1> show configuration class-of-service schedulers\\ndata { }"))
    class-of-service { schedulers {
    data { } } }
    """
    typed = re.compile(_SETS if _TYPED.search(text) else "(?!)")
    lines: list[str] = []
    level: tuple[str, ...] = ()
    opened = 0
    for number, line in enumerate(text.split("\n"), 1):
        check_time(number)
        line = _MORE.sub("", line)
        banner = _BANNER.fullmatch(line) if line[:1] in "{[" else None
        prompt = _PROMPT.fullmatch(line)
        if banner and line.strip():
            if banner[1] is not None:
                level = tuple(banner[1].split())
            line = ""
        elif prompt and not typed.match(prompt["command"]):
            if opened:
                lines[-1] += " }" * opened
                opened = 0
            words = _below(prompt["command"].strip(), level)
            opened = len(words)
            line = "".join(f"{word} {{ " for word in words).rstrip()
        lines.append(line)
    lines[-1] += " }" * opened
    return "\n".join(lines)


def _below(command: str, level: tuple[str, ...]) -> tuple[str, ...]:
    """The level of what a command prints in braces."""
    found = _SHOW.fullmatch(command)
    if found is None or re.search(r"display +(?:set|xml|json)", found["pipe"] or ""):
        return ()
    words = tuple(_named(found["what"] or ""))
    if words[:1] == ("configuration",):
        words = words[1:]
    elif words and not level and words[0] not in ("class-of-service", "firewall", "interfaces"):
        return ()
    else:
        words = level + words
    # A group is read as if it stood at the top, where nothing here inherits it.
    return words if len(words) <= _DEEPEST and words[:1] != ("groups",) else ()


def _named(words: str) -> Iterator[str]:
    return (word for word in words.split() if not set(word) & set('{};[]"#'))
