"""The text of a Junos configuration, in braces, as `set` lines or both, as paths of words."""

import re
from collections import deque
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

from qoslib.config.junos.sessions import without_prompts
from qoslib.config.source import ConfigurationError, check_time

__all__ = ["Said", "is_nearly_a_level", "shown", "statements"]

#: Strings and comments, which may go over several lines.
_LONG = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|(?<![^\s{};\[\]])#[^\n]*', re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{};\[\]]|(?:[^\s{};\[\]"])+|"')
#: What a template has between the statements: Jinja's blocks and comments, FreeMarker's.
_TEMPLATE = re.compile(r"\{[%#].*?[%#]\}|^[ \t]*</?#[^\n]*$", re.DOTALL | re.MULTILINE)
#: The name of a device above what it shows, alone on its line.
_LABEL = re.compile(
    r"^(?!(?:inactive|delete|replace|protect|active):)[\w.-]+:[ \t]*$", re.MULTILINE
)
_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]')
_VERB = re.compile(
    r"^[ \t]*(?:\S+[#>%][ \t]+)?(set|delete|deactivate|activate|edit|top|up|exit)\b", re.MULTILINE
)
_SET = re.compile(_VERB.pattern + r"\s*(.*)")
#: Marks in front of a statement; what is inactive or deleted has no effect.
_TAGS = {"inactive:": True, "delete:": True, "replace:": False, "protect:": False, "active:": False}
#: Below so many braces no device goes.
_DEEPEST = 60
#: Where quality of service is configured.
_TOPS = {"class-of-service", "firewall", "groups", "apply-groups", "apply-groups-except"}
_TOPS |= {"dynamic-profiles", "logical-systems"}
#: A word at the top that is so near to this level is a slip of the pen for it.
_LEVEL, _NEAR = "class-of-service", 0.85
#: Of the interfaces and the chassis, statements with one of these words.
_OF_INTERFACES = {
    *("speed", "link-speed", "link-mode", "policer", "filter", "802.3ad", "gigether-options"),
    *("layer2-policer", "apply-groups", "apply-groups-except", "per-unit-scheduler"),
    *("hierarchical-scheduler", "shared-scheduler", "interface-set", "interface"),
    *("three-color-policer", "output-traffic-control-profile", "number-of-sub-ports"),
}
#: Of the variables of a subscriber's profile, those that begin so: its rates.
_VARIABLES, _OF_COS = "predefined-variable-defaults", "cos-"
_OF_CHASSIS = {"q-pic-large-buffer", "traffic-manager", "max-queues", "max-queues-per-interface"}
#: Statements that stand in a text without the level above them.
_FRAGMENTS = {
    "class-of-service": (
        *("schedulers", "scheduler-maps", "forwarding-classes", "classifiers", "drop-profiles"),
        *("traffic-control-profiles", "rewrite-rules", "code-point-aliases"),
    ),
    "firewall": ("policer", "three-color-policer"),
}
#: Level -> how its statements begin, of which a `set` line may say several.
_SEVERAL = {
    ("schedulers", "*"): {
        *("transmit-rate", "buffer-size", "priority", "shaping-rate", "drop-profile-map"),
        *("excess-rate", "excess-priority", "explicit-congestion-notification"),
    },
    ("drop-profiles", "*", "interpolate"): {"fill-level", "drop-probability"},
    ("if-exceeding",): {"bandwidth-limit", "bandwidth-percent", "burst-size-limit"},
}


class Said(NamedTuple):
    """A statement, with one of the words of its list.

    Attributes
    ----------
    words : tuple of str
        From the top of the configuration.
    line : int
        From 1.
    text : str
        As it stands there.
    parents : tuple of str
        What it stands below, in braces.
    active : bool
        Whether it has an effect.
    opened : tuple of int
        The lines of the parents.
    """

    words: tuple[str, ...]
    line: int
    text: str
    parents: tuple[str, ...] = ()
    active: bool = True
    opened: tuple[int, ...] = ()


def shown(word: str) -> str:
    """A word as an error names it: at most 40 characters.

    >>> shown("10x")
    "'10x'"
    """
    return repr(word if len(word) <= 40 else word[:40] + "...")


def statements(text: str) -> list[Said]:
    """All statements of a text that may be about quality of service.

    >>> [said.words[-2:] for said in statements("class-of-service { tri-color; forwarding-classes {"
    ...                                         " class voice queue-num 5; } }")]
    [('class-of-service', 'tri-color'), ('queue-num', '5')]
    >>> statements("set class-of-service tri-color")[0].line
    1
    """
    plain = _LABEL.sub("", _TEMPLATE.sub(_in_one_line, without_prompts(text)))
    inside, typed = _parted(_LONG.sub(_in_one_line, plain))
    # Lines without a brace, beside those that set something, are no configuration.
    braces = deque(_braces(inside) if "{" in inside or not typed.strip() else ())
    kept: list[Said] = []
    known: set[tuple[str, ...]] = set()
    for said in _lines(typed, braces):
        check_time(said.line)
        words = said.words
        if not words:
            continue
        if words[0] == "interfaces":
            for name in (words[:2], words[:4] if words[2:3] == ("unit",) else words[:2]):
                if name not in known:
                    known.add(name)
                    kept.append(Said(name, said.line, ""))
        if _about(words) or is_nearly_a_level(words[0]):
            kept.append(said)
    return kept


def _in_one_line(match: re.Match[str]) -> str:
    found = match.group()
    breaks = "\n" * found.count("\n")
    if found[0] == '"':
        return '""' + breaks if breaks else found
    return breaks or " "


def _level_above(text: str) -> tuple[str, ...]:
    for level, tops in _FRAGMENTS.items():
        # A policer of an interface is no piece of the firewall.
        others = ("class-of-service", "interfaces") if level == "firewall" else ()
        if not any(re.search(rf"\b{each}\b", text) for each in (level, *others)):
            start = "|".join(map(re.escape, tops))
            if re.search(rf"^[ \t]*(?:set[ \t]+)?(?:{start})[ \t]+\S", text, re.MULTILINE):
                return (level,)
    return ()


def _about(words: tuple[str, ...]) -> bool:
    if words[0] == "groups" and len(words) > 2:
        return _about(words[2:]) and words[2] != "groups"
    if words[0] in ("dynamic-profiles", "logical-systems"):
        below = words[2] if len(words) > 2 else ""
        of_cos = len(words) > 3 and words[3].startswith(_OF_COS)
        return below in ("class-of-service", "firewall") or (below == _VARIABLES and of_cos)
    if words[0] == "interfaces":
        return not _OF_INTERFACES.isdisjoint(words[2:])
    if words[0] == "chassis":
        return not _OF_CHASSIS.isdisjoint(words)
    return words[0] in _TOPS


@lru_cache(maxsize=1024)
def is_nearly_a_level(word: str) -> bool:
    """Whether a word at the top is a slip of the pen for `class-of-service`.

    >>> is_nearly_a_level("class-of-servce"), is_nearly_a_level("system")
    (True, False)
    """
    return word != _LEVEL and bool(get_close_matches(word, [_LEVEL], 1, _NEAR))


def _words(tokens: list[str], line: int) -> tuple[list[tuple[str, ...]], bool]:
    """The paths of one statement, one for each word of its list; whether it is active."""
    active = True
    while tokens and tokens[0] in _TAGS:
        active = active and not _TAGS[tokens.pop(0)]
    paths: list[tuple[str, ...]] = [()]
    inside: list[str] | None = None
    for token in tokens:
        if token == "[":
            if inside is not None:
                raise ConfigurationError("a list within a list", line)
            inside = []
        elif token == "]":
            if inside is None:
                raise ConfigurationError("a list is closed that was not opened", line)
            if len(paths) * len(inside) > 1000:
                raise ConfigurationError("a list of more than 1,000 words", line)
            paths = [(*path, word) for path in paths for word in inside]
            inside = None
        elif token == '"':
            raise ConfigurationError("a quotation mark is not closed", line)
        else:
            word = token[1:-1] if token[0] == '"' else token
            if inside is None:
                paths = [(*path, word) for path in paths]
            else:
                inside.append(word)
    if inside is not None:
        raise ConfigurationError("a list is not closed", line)
    return paths, active


class _Level(NamedTuple):
    words: tuple[str, ...]
    parents: tuple[str, ...]
    active: bool
    opened: tuple[int, ...]


def _braces(text: str) -> Iterator[Said]:
    levels = [_Level(_level_above(text), (), True, ())]
    tokens: list[str] = []
    started = 0
    for number, line in enumerate(text.split("\n"), 1):
        check_time(number)
        for token in _TOKEN.findall(line):
            above = levels[-1]
            if token == ";" or token == "{":
                paths, active = _words(list(tokens), started)
                own = " ".join(tokens)
                tokens = []
                active = active and above.active
                if token == ";":
                    for words in paths if own else ():
                        yield Said(
                            above.words + words, started, own, above.parents, active, above.opened
                        )
                    continue
                if len(levels) > _DEEPEST:
                    raise ConfigurationError(f"braces more than {_DEEPEST} deep", number)
                if len(paths) != 1:
                    raise ConfigurationError("a list in front of a brace", number)
                words = above.words + paths[0]
                opened = (*above.opened, started)
                levels.append(_Level(words, (*above.parents, own), active, opened))
            elif token == "}":
                if tokens:
                    raise ConfigurationError("a semicolon is missing", started)
                if len(levels) == 1:
                    raise ConfigurationError("a brace is closed that was not opened", number)
                levels.pop()
            else:
                started = started if tokens else number
                tokens.append(token)
    if len(levels) > 1:
        raise ConfigurationError("a brace is not closed", _unclosed(text, started))
    if tokens:
        raise ConfigurationError("a semicolon is missing", started)


def _unclosed(text: str, last: int) -> int:
    """The line of the brace that is never closed, by indentation; else of the last statement."""
    ahead: list[tuple[int, int]] = []
    indents = set()
    for number, line in enumerate(text.split("\n"), 1):
        check_time(number)
        indent = len(line) - len(line.lstrip())
        for place, token in enumerate(_TOKEN.findall(line)):
            if token == "{":
                ahead.append((indent, number))
                indents.add(indent)
            elif token == "}" and ahead:
                # A line that closes what stands further out has passed by a brace.
                if place == 0 and ahead[-1][0] > indent and len(indents) > 1:
                    return ahead[-1][1]
                ahead.pop()
    return ahead[-1][1] if len(indents) > 1 or len(ahead) == 1 else last


def _each(tokens: list[str]) -> Iterator[list[str]]:
    """The statements of a `set` line, which may say several of one level."""
    for level, starts in _SEVERAL.items():
        for at in range(len(tokens) - len(level)):
            end = at + len(level)
            if all(p in ("*", token) for p, token in zip(level, tokens[at:end], strict=True)):
                cuts = [i for i in range(end, len(tokens)) if tokens[i] in starts]
                if cuts[:1] == [end]:
                    for cut, after in zip(cuts, [*cuts[1:], None], strict=True):
                        yield [*tokens[:end], *tokens[cut:after]]
                    return
    yield tokens


def _parted(text: str) -> tuple[str, str]:
    """The part in braces, and the lines between its levels that set or delete something."""
    if not _VERB.search(text):
        return text, ""
    depth, inside, between = 0, list[str](), list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        check_time(number)
        braces = [each for each in _BRACE.findall(line) if each in "{}"]
        whole = braces.count("{") == braces.count("}")
        typed = depth == 0 and whole and _SET.fullmatch(line.rstrip())
        inside.append("" if typed else line)
        between.append(line if typed else "")
        depth += braces.count("{") - braces.count("}")
    return "\n".join(inside), "\n".join(between)


def _lines(text: str, braces: deque[Said]) -> list[Said]:
    """What is said in braces and by lines, one after the other, without what is deleted."""
    above = _level_above(text)
    levels = [above]
    said: list[Said] = []
    moves: list[Said] = []
    for number, line in enumerate(text.split("\n"), 1):
        check_time(number)
        match = _SET.fullmatch(line.rstrip())
        if match is None:
            continue
        while braces and braces[0].line < number:
            said.append(braces.popleft())
        verb, rest = match.groups()
        tokens = _TOKEN.findall(rest)
        if verb == "set":
            for statement in _each([*levels[-1], *tokens]):
                paths, active = _words(statement, number)
                said += (Said(path, number, line.strip(), (), active) for path in paths)
            continue
        paths, active = _words(tokens, number)
        paths = [levels[-1] + path for path in paths]
        if verb == "edit":
            levels.append(paths[0])
        elif verb == "top":
            levels = [above]
        elif verb in ("up", "exit"):
            levels = levels[:-1] or [above]
        else:
            gone = paths[0]
            moves.append(Said(gone, number, line.strip(), (), False))
            hit = [each.words[: len(gone)] == gone for each in said]
            if verb == "delete":
                said = [each for each, yes in zip(said, hit, strict=True) if not yes]
            else:
                on = verb == "activate"
                said = [
                    each._replace(active=on) if yes else each
                    for each, yes in zip(said, hit, strict=True)
                ]
    return [*said, *braces, *(each for each in moves if each.words)]
