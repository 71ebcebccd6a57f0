"""The text of SR OS, indented, in whole lines or in braces: commands with all words above them."""

import re

from qoslib.config.junos.statements import statements
from qoslib.config.lines import Line
from qoslib.config.words import lines_of

__all__ = ["is_braced", "lines_of_sros", "unclosed"]

_BRACED = re.compile(r"\{[ \t]*$|\{ [^{}\n]*\}[ \t]*$", re.MULTILINE)
#: Where a statement in braces ends, for a reader that asks for a semicolon there.
_END = re.compile(r"(?<=[^\s{};])[ \t]*(?=\}|$)", re.MULTILINE)
_WORD = re.compile(r'"([^"]*)"?|\S+')
#: Prompts, comments, what a saved file prints as it is run, and directives of templates.
_SILENT = re.compile(
    r"^\*?[A-D]:[^\s#$]{1,99}[#$][ \t]*|^[!*]*(?:\(\w+\))?\[.*\][ \t]*$|^[ \t]*(?:#|echo |[<@]).*$",
    re.MULTILINE,
)
#: So many words count; what begins a block with a name behind it, where nothing is indented.
_MOST, _NAMED = 300, {"epipe", "fc", "ies", "interface", "port", "queue", "sap", "tier", "vprn"}


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
    text = _SILENT.sub("", text)
    if is_braced(text):
        found = statements(_END.sub(";", text), pieces=False)
        tops = "configure", "/configure"
        bare = (each._replace(words=each.words[each.words[0] in tops :]) for each in found)
        return [each for each in bare if each.words]
    lines = lines_of(text)
    loose, above, read = not any(each.depth for each in lines), list[Line](), list[Line]()
    for line in lines:
        words = tuple(each[0] if each[1] is None else each[1] for each in _WORD.finditer(line.text))
        if words[0] in ("exit", "back"):
            # Where lines are indented, that says already what stands below what.
            above = [] if words[1:] == ("all",) else above[: -1 if loose else None]
            continue
        if words[0] in ("configure", "/configure"):
            above, words = [], words[1:]
        while above and not loose and above[-1].depth >= line.depth:
            above.pop()
        whole = line._replace(words=((above[-1].words if above else ()) + words)[:_MOST])
        read += [whole] if words else []
        if not loose or _opens(words, above):
            above.append(whole)
    return [each for each in read if each.words]


def unclosed(text: str) -> Line | None:
    """The last command of a text whose blocks are closed by `exit`, if some of them are not.

    >>> unclosed("qos\\n    sap-egress 20 create\\n    exit").text
    'sap-egress 20 create'
    >>> unclosed("qos\\n    sap-egress 20 create\\n    exit\\nexit")
    """
    lines = [] if is_braced(text) else lines_of(_SILENT.sub("", text))
    said = [line for line in lines if line.words[0] != "exit"]
    closed = len(said) == len(lines) or lines[-1].top
    return said[-1] if said and not closed else None


def _opens(words: tuple[str, ...], above: list[Line]) -> bool:
    """Whether others may stand below a command, where nothing is indented."""
    below_class = bool(above) and "fc" in above[-1].words[-3:]
    named = len(words) == 2 and words[0] in _NAMED and not below_class
    return named or words[-1:] == ("create",) or (len(words) == 1 and words[0] != "shutdown")
