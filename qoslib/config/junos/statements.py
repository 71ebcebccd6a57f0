"""The text of a Junos configuration, in braces, as `set` lines or both, as paths of words."""

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from qoslib.config.lines import Line
from qoslib.config.source import ConfigurationError, check_time

__all__ = ["statements"]

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
_VERBS = r"(?:set|delete|deactivate|activate|edit|top|up|exit)\b"
_VERB = re.compile(rf"^[ \t]*(?:\S+[#>%][ \t]+)?({_VERBS})", re.MULTILINE)
_CHANGE = re.compile(r"(?:set|delete|deactivate|activate)[ \t][^;{]*$")
_SET = re.compile(_VERB.pattern + r"\s*(.*)")
#: Marks in front of a statement; what is inactive or deleted has no effect.
_TAGS = {"inactive:": True, "delete:": True, "replace:": False, "protect:": False, "active:": False}
#: Below so many braces no device goes; so many statements has no list.
_DEEPEST, _LONGEST_LIST = 60, 1000
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
#: Around the output of a command: the role of a routing engine, and where the editor is.
_BANNER = re.compile(
    r"(?:\{(?:master|backup|primary|secondary|linecard)[:\w]*\})?[ \t]*"
    r"(?:\[edit([^\]\n]*)\])?[ \t]*"
)
_PROMPT = re.compile(r"[\w.-]+@[\w.:-]+(?P<mode>[>#%])[ \t]*(?P<command>.*)")
#: What makes a session one of typed statements, where the editor's own moves count.
_TYPED = re.compile(
    r"^[\w.-]+@[\w.:-]+[>#%][ \t]*(?:set|delete|deactivate|activate)\b", re.MULTILINE
)
#: Moves of the editor, which say where it is themselves.
_MOVE = re.compile(r"^[ \t]*(?:edit|top|up|exit)\b", re.MULTILINE)
_SHOW = re.compile(r"show(?:[ \t]+(?P<what>[^|]*))?(?:\|.*)?")
#: Output in another form than braces; of this only statements that are typed count.
_OTHERWISE = re.compile(r"\|.*\b(?:compare\b|display +(?:set|xml|json)\b)")
_MORE = re.compile(r"-{2,}\((?:more|end)[^)]*\)-{2,}[ \t]*")
#: How lines below a banner begin that are no statement: of a comparison, of a message, a banner.
_NO_STATEMENT = "+-!'[{}"
#: Below a banner, so many lines on, stands what is of it.
_FAR = 3
#: What stands with its whole path, whatever the banner says.
_LEVELS_AT_TOP = "class-of-service", "firewall"
#: Other levels at the top of a configuration.
_OTHERS_AT_TOP = {
    *("access", "access-profile", "accounting-options", "applications", "apply-groups"),
    *("bridge-domains", "chassis", "dynamic-profiles", "event-options"),
    *("ethernet-switching-options", "forwarding-options", "groups", "interfaces"),
    *("logical-systems", "multi-chassis"),
    *("policy-options", "protocols", "routing-instances", "routing-options", "security"),
    *("services", "snmp", "switch-options", "system", "vlans"),
    *("version", "virtual-chassis"),
}  # fmt: skip
#: Below a level of this many words no statement stands.
_DEEPEST_LEVEL = 12


def statements(text: str, pieces: bool = True) -> list[Line]:
    """All statements of a text, with one of the words of each list.

    With `pieces` a text may leave out the levels at its top, such as `firewall` above a policer.

    >>> lines = statements("class-of-service { tri-color; forwarding-classes {"
    ...                    " class voice queue-num 5; } }")
    >>> [each.words[-2:] for each in lines]
    [('class-of-service', 'tri-color'), ('queue-num', '5')]
    >>> statements("set class-of-service tri-color")[0].number
    1
    """
    plain = _LABEL.sub("", _TEMPLATE.sub(_in_one_line, without_prompts(text)))
    inside, typed = _parted(_LONG.sub(_in_one_line, plain))
    # Lines without a brace, beside those that set something, are no configuration.
    braces = deque(_braces(inside, pieces) if "{" in inside or not typed.strip() else ())
    return [each for each in _typed(typed, braces, pieces) if each.words]


def without_prompts(text: str) -> str:
    """A text without what a terminal has around the output of its commands.

    What ``show configuration class-of-service schedulers`` prints stands below that level, and
    what ``show`` prints below that of the banner above it. So does what stands below a banner
    without a prompt, as manuals have it.

    >>> print(without_prompts("me@r1> show configuration class-of-service schedulers\\ndata { }"))
    class-of-service { schedulers {
    data { } } }
    >>> print(without_prompts("[edit class-of-service schedulers]\\ndata { }"))
    class-of-service { schedulers {
    data { } } }
    """
    sets, typed = re.compile(_VERBS), re.compile(_VERBS if _TYPED.search(text) else "(?!)")
    plain = _Plain()
    level: tuple[str, ...] = ()
    otherwise, moved = False, bool(_TYPED.search(text) or _MOVE.search(text))
    written = text.split("\n")
    for number, line in enumerate(written, 1):
        check_time(number)
        line = _MORE.sub("", line)
        banner = _BANNER.fullmatch(line) if line[:1] in "{[" else None
        prompt = _PROMPT.fullmatch(line)
        if banner and line.strip():
            line = ""
            if banner[1] is not None:
                level = tuple(banner[1].split())
                line = plain.banner(level, _next_words(written, number))
        elif prompt:
            plain.close()
            command = prompt["command"].strip()
            otherwise = bool(_OTHERWISE.search(command))
            if not typed.match(command):
                line = plain.opened(
                    () if otherwise else _level_shown(command, level, prompt["mode"])
                )
        elif otherwise and not sets.match(line):
            line = ""
        elif _CHANGE.match(line):
            plain.close()
            line = line if moved else _whole(line, level)
        plain.lines.append(line)
    plain.close()
    return "\n".join(plain.lines)


class _Plain:
    """Lines without what a terminal has around them, and the level that is open below them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.open = 0
        self.bannered = False

    def opened(self, words: tuple[str, ...]) -> str:
        """Open a level: its braces, in one line."""
        self.open = len(words)
        return "".join(f"{word} {{ " for word in words).rstrip()

    def close(self) -> None:
        """Close the level that is open."""
        if self.open:
            self.lines[-1] += " }" * self.open
        self.open, self.bannered = 0, False

    def banner(self, level: tuple[str, ...], below: str) -> str:
        """What stands for a banner: the braces of its level where a statement of it follows."""
        if self.bannered:
            self.close()
        if not (_is_below(below, level) and _is_readable(level)):
            return ""
        self.close()
        self.bannered = True
        return self.opened(level)


def _level_shown(command: str, level: tuple[str, ...], mode: str) -> tuple[str, ...]:
    """The level of what a command prints in braces."""
    show = _SHOW.fullmatch(command)
    if show is None:
        return ()
    words = tuple(word for word in (show["what"] or "").split() if not set(word) & set('{};[]"#'))
    if words[:1] == ("configuration",):
        words = words[1:]
    elif mode == ">":
        # Of the device, not of its configuration.
        return ()
    elif words and not level and words[0] not in ("class-of-service", "firewall", "interfaces"):
        return ()
    else:
        words = level + words
    return words if _is_readable(words) else ()


def _is_readable(words: tuple[str, ...]) -> bool:
    """Whether what stands below a level is read there, or as if it stood at the top.

    So is a group, where nothing here inherits it.
    """
    return len(words) <= _DEEPEST_LEVEL and words[:1] != ("groups",)


def _next_words(written: list[str], at: int) -> str:
    """The next line that says something, from an index on; a banner has a line or two behind it."""
    return next((line for line in written[at : at + _FAR] if line.strip()), "")


def _is_below(line: str, level: tuple[str, ...]) -> bool:
    """Whether a line below a banner is a statement of its level: no command, and not the whole."""
    words = line.split()
    if not words or not level or _PROMPT.fullmatch(line) or _VERB.match(line):
        return False
    if not _is_path(level):
        return False
    return words[0][0] not in _NO_STATEMENT and words[0] not in (level[0], *_LEVELS_AT_TOP)


def _whole(change: str, level: tuple[str, ...]) -> str:
    """A change with its whole path, which it may leave out below a banner.

    >>> _whole("set data priority low", ("class-of-service", "schedulers"))
    'set class-of-service schedulers data priority low'
    >>> _whole("set firewall policer slow then discard", ("class-of-service",))
    'set firewall policer slow then discard'
    """
    verb, *words = change.split()
    at_top = {*level[:1], *_LEVELS_AT_TOP, *_OTHERS_AT_TOP}
    if level == _LEVELS_AT_TOP[:1]:
        at_top.remove("interfaces")
    readable = bool(level) and _is_readable(level) and _is_path(level)
    return " ".join([verb, *level, *words]) if readable and words[0] not in at_top else change


def _is_path(level: tuple[str, ...]) -> bool:
    """Whether the level of a banner is one, and not a piece of something else."""
    return not any(set(word) & set('{};[]"#') for word in level)


def _in_one_line(match: re.Match[str]) -> str:
    found = match.group()
    breaks = "\n" * found.count("\n")
    if found[0] == '"':
        return '""' + breaks if breaks else found
    return breaks or " "


def _level_above(text: str) -> tuple[str, ...]:
    """The level that a text without any belongs below."""
    for level, tops in _FRAGMENTS.items():
        # A policer of an interface is no piece of the firewall.
        others = ("class-of-service", "interfaces") if level == "firewall" else ()
        if not any(re.search(rf"\b{each}\b", text) for each in (level, *others)):
            start = "|".join(map(re.escape, tops))
            if re.search(rf"^[ \t]*(?:set[ \t]+)?(?:{start})[ \t]+\S", text, re.MULTILINE):
                return (level,)
    return ()


def _paths(tokens: list[str], line: int) -> tuple[list[tuple[str, ...]], bool]:
    """The paths of one statement, one for each word of its list; whether it is active."""
    tags = 0
    while tags < len(tokens) and tokens[tags] in _TAGS:
        tags += 1
    paths: list[tuple[str, ...]] = [()]
    inside: list[str] | None = None
    for token in tokens[tags:]:
        if token == "[":
            if inside is not None:
                raise ConfigurationError("a list within a list", line)
            inside = []
        elif token == "]":
            paths = _listed(paths, inside, line)
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
    return paths, not any(_TAGS[tag] for tag in tokens[:tags])


def _listed(
    paths: list[tuple[str, ...]], words: list[str] | None, line: int
) -> list[tuple[str, ...]]:
    """Each path with each word of a list."""
    if words is None:
        raise ConfigurationError("a list is closed that was not opened", line)
    if len(paths) * len(words) > _LONGEST_LIST:
        raise ConfigurationError(f"a list of more than {_LONGEST_LIST:,} words", line)
    return [(*path, word) for path in paths for word in words]


class _Level(NamedTuple):
    """A statement with a brace: what stands below it begins with its words."""

    words: tuple[str, ...]
    parents: tuple[str, ...]
    active: bool
    opened: tuple[int, ...]


def _braces(text: str, pieces: bool) -> Iterator[Line]:
    levels = [_Level(_level_above(text) if pieces else (), (), True, ())]
    tokens: list[str] = []
    started = 0
    for number, line in enumerate(text.split("\n"), 1):
        check_time(number)
        for token in _TOKEN.findall(line):
            if token == ";":
                yield from _ended(levels[-1], tokens, started)
                tokens = []
            elif token == "{":
                levels.append(_opened(levels, tokens, started, number))
                tokens = []
            elif token == "}":
                _close(levels, tokens, started, number)
            else:
                started = started if tokens else number
                tokens.append(token)
    if len(levels) > 1:
        raise ConfigurationError("a brace is not closed", _unclosed(text, started))
    if tokens:
        raise ConfigurationError("a semicolon is missing", started)


def _ended(above: _Level, tokens: list[str], line: int) -> Iterator[Line]:
    """The statements of tokens with a semicolon behind them."""
    paths, active = _paths(tokens, line)
    text, depth = " ".join(tokens), len(above.parents)
    for path in paths if text else ():
        words, active_here = above.words + path, active and above.active
        yield Line(line, text, words, depth, above.parents, active_here, above.opened)


def _opened(levels: list[_Level], tokens: list[str], line: int, brace_line: int) -> _Level:
    """The level of tokens with a brace behind them."""
    above = levels[-1]
    paths, active = _paths(tokens, line)
    if len(levels) > _DEEPEST:
        raise ConfigurationError(f"braces more than {_DEEPEST} deep", brace_line)
    if len(paths) != 1:
        raise ConfigurationError("a list in front of a brace", brace_line)
    parents = (*above.parents, " ".join(tokens))
    return _Level(above.words + paths[0], parents, active and above.active, (*above.opened, line))


def _close(levels: list[_Level], tokens: list[str], line: int, brace_line: int) -> None:
    if tokens:
        raise ConfigurationError("a semicolon is missing", line)
    if len(levels) == 1:
        raise ConfigurationError("a brace is closed that was not opened", brace_line)
    levels.pop()


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


def _typed(text: str, braces: deque[Line], pieces: bool) -> list[Line]:
    """What is said in braces and by lines, one after the other, without what is deleted."""
    levels = [_level_above(text) if pieces else ()]
    lines: list[Line] = []
    moves: list[Line] = []
    for number, line in enumerate(text.split("\n"), 1):
        check_time(number)
        match = _SET.fullmatch(line.rstrip())
        if match is None:
            continue
        while braces and braces[0].number < number:
            lines.append(braces.popleft())
        verb, tokens = match[1], _TOKEN.findall(match[2])
        if verb == "set":
            level = () if tokens[:1] == [*levels[-1][:1]] else levels[-1]
            for statement in _each([*level, *tokens]):
                paths, active = _paths(statement, number)
                lines += (Line(number, line.strip(), path, active=active) for path in paths)
            continue
        for path in _paths(tokens, number)[0][:1]:
            path = levels[-1] + path
            if verb in ("edit", "top", "up", "exit"):
                _move(levels, verb, path)
            else:
                moves.append(Line(number, line.strip(), path, active=False))
                lines = _changed(lines, verb, path)
    return [*lines, *braces, *moves]


def _move(levels: list[tuple[str, ...]], verb: str, path: tuple[str, ...]) -> None:
    """Where the editor is behind one of its moves."""
    if verb == "edit":
        levels.append(path)
    elif verb == "top":
        del levels[1:]
    elif len(levels) > 1:
        levels.pop()


def _changed(lines: list[Line], verb: str, path: tuple[str, ...]) -> list[Line]:
    """The statements of which those below a path are deleted, or (in)active from now on."""
    here = [each.words[: len(path)] == path for each in lines]
    if verb == "delete":
        return [each for each, hit in zip(lines, here, strict=True) if not hit]
    active = verb == "activate"
    return [
        each._replace(active=active) if hit else each for each, hit in zip(lines, here, strict=True)
    ]
