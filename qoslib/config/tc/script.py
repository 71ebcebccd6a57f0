"""The tc commands of a shell script, which is read and never run.

Each simple command of the shell goes one way: a change of variables is taken; functions that it
calls and variables are put in; what runs `tc` is taken off; what stands behind it is a command of
tc, or a remark says why it is none.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise

from qoslib.config.lines import Line
from qoslib.config.provenance import Provenance
from qoslib.config.source import ConfigurationError, TakesTooLongError, check_time
from qoslib.config.tc.command import THINGS, VERBS, Command, command, meant
from qoslib.config.tc.shell import (
    QUIET,
    Function,
    called,
    functions,
    plain,
    simple_commands,
)
from qoslib.config.tc.variables import ASSIGNMENT, Variables

__all__ = ["Script", "read_script"]

#: Programs that run what stands behind them.
_RUNS = {"sudo", "doas", "exec", "command", "nohup", "time", "nice", "ionice", "timeout", "env"}
_RUNS |= {"export", "local", "readonly", "declare", "stdbuf", "busybox", "eval", "setsid", "chrt"}
_RUNS |= {"taskset", "builtin", "chroot"}
#: Those that run it in another place, whose name stands last: its devices are others.
_PLACES = {"ip", "docker", "podman", "lxc", "lxc-attach", "kubectl", "ssh", "nsenter"}
_NAMED = re.compile(r'#\s*([0-9a-f]*:[0-9a-f]*|fwmark \d+|the rest) is ("(?:[^"\\]|\\.)*")\s*')
#: A packet filter that marks packets for tc: its target alone, without addresses.
_MARKS = re.compile(
    r"(?:-j|--jump)\s+((?:MARK|CLASSIFY|DSCP|TOS|CONNMARK)\b(?:\s+--[\w-]+(?:\s+[\w:/]+)?)?)"
)
#: The same of nftables.
_NFT_MARKS = re.compile(r"\b((?:meta|ct) (?:mark|priority) set [\w:$]+)")
_RETURN = re.compile(r"(?:-j|--jump)\s+RETURN\b")
_TARGET = re.compile(r"(?:-j|--jump|-g|--goto)\s+(\S+)")
_CHAIN = re.compile(r"(?:-[AI]|--append|--insert)\s+(\S+)")
_TC = re.compile(r"(?<![\w.-])tc\s")
_NOT_READ = "The rule that sets this mark is not read: give the mark to your streams."
_OWN_ACTION = "An action of its own has an effect only in filters that name it: it is left out."
#: Other objects of tc, and what is lost by leaving them out.
_OTHERS = {"actions": _OWN_ACTION, "action": _OWN_ACTION, "chain": "Chains are left out."}
_OTHERS |= dict.fromkeys(("monitor", "exec", "help"), "It changes no queue.")
_BLOCKS = {"if": "a condition", "case": "a condition"}
_BLOCKS |= dict.fromkeys(("for", "while", "until", "select"), "a loop")
_PASTE = "Nothing of a shell is run: paste the commands that it gives."


def read_script(text: str) -> "Script":
    """Read the tc commands of a script.

    Plain variables are expanded, and arithmetic of them is worked out; what else a shell does is a
    remark.

    >>> script = read_script("DEV=eth0\\ntc qdisc add dev $DEV root handle 1: htb")
    >>> script.commands[0][0].device
    'eth0'
    """
    lines = simple_commands(text, _is_tc)
    known = functions(lines)
    script = Script({name: each.words for name, each in known.items() if each.words})
    for each in known.values():
        if each.words:
            script.understood(each.line, each.text)
    wrappers = {each.text for each in script.statements}
    holders = _holding(known, lambda each: _holds(each, _TC))
    markers = _holding(known, lambda each: _holds(each, _MARKS))
    calls = list[tuple[int, str]]()
    for line in lines:
        check_time(line.number)
        if wrappers.intersection(line.parents):
            continue
        said = len(script.remarks)
        script.take(line)
        name = line.words[0] if line.words and len(script.remarks) == said else ""
        if name in holders:
            lost = f"It calls what begins in line {holders[name]}. {_PASTE}"
            script.unknown(line.number, name, lost)
        elif name in markers:
            lost = f"It marks packets, by what begins in line {markers[name]}: which, is not read."
            script.not_modelled(line.number, name, lost)
        elif name in known:
            calls.append((line.number, name))
    script.list_jumps()
    left = script.list_returns()
    leavers = _holding(known, lambda each: any(line.number in left for line in each.body))
    for number, name in calls:
        if name in leavers:
            lost = f"Packets leave a chain of marks, by what begins in line {leavers[name]}: which,"
            script.not_modelled(number, name, f"{lost} is not read.")
    return script


class Script(Provenance):
    """What was read of a script: functions that only pass their arguments are its statements."""

    def __init__(self, wrappers: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__()
        self.wrappers = wrappers
        #: In their order, each with the names that comments above it give: ``# 1:10 is "voice"``.
        self.commands: list[tuple[Command, dict[str, str]]] = []
        #: Device, empty for any, and the first line that would have changed its queues.
        self.unread: dict[str, int] = {}
        self.variables = Variables()
        self.names: dict[str, str] = {}
        #: Chains of a packet filter that mark, lines that leave one, and those that lead to one.
        self.marking: set[str] = set()
        self.returns: list[tuple[int, str]] = []
        self.jumps: list[tuple[int, str, str]] = []

    def take(self, line: Line) -> None:
        """Read one simple command, comment or line that cannot be taken apart."""
        if line.words == ("#",):
            self._name(line)
        elif not line.words:
            self._endless(line)
        elif not self._filters(line) and not self.variables.take(line):
            self._run(line)

    def _name(self, line: Line) -> None:
        """A comment that names a class or a mark."""
        if comment := _NAMED.fullmatch(line.text):
            try:
                self.names[comment[1]] = json.loads(comment[2])
            except ValueError:
                problem = f"the name of {comment[1]} is no text in quotes"
                raise ConfigurationError(problem, line.number) from None

    def _endless(self, line: Line) -> None:
        """A line whose quotation does not end."""
        if begin := _TC.search(line.text):
            text = _short(line.text[begin.start() :])
            lost = "The quotation does not end on this line, so it is not read."
            self._not_read(line, text, text.split()[1:], lost)

    def _filters(self, line: Line) -> bool:
        """Take a rule of a packet filter that marks packets for tc, or leaves a chain."""
        written = called(list(line.words), self.wrappers)
        words = [self.variables.expand(word, line.number)[0] for word in written]
        rule = " ".join(words)
        if nft := _NFT_MARKS.search(rule):
            self.not_modelled(line.number, f"nft ... {_short(nft[1])}", _NOT_READ)
            return True
        if not any("tables" in word for word in words):
            return False
        chain = _CHAIN.search(rule)
        if mark := _MARKS.search(rule):
            self.marking |= {chain[1]} if chain else set()
            self.not_modelled(line.number, f"iptables ... -j {_short(mark[1])}", _NOT_READ)
        elif chain and _RETURN.search(rule):
            self.returns.append((line.number, chain[1]))
        elif chain and (target := _TARGET.search(rule)):
            self.jumps.append((line.number, target[1], chain[1]))
        return mark is not None

    def list_jumps(self) -> None:
        """List the lines that lead to a chain of marks, by others too: they choose its packets."""
        marked: list[tuple[int, str]] = []
        while more := [each for each in self.jumps if each[1] in self.marking]:
            check_time()
            marked += [(line, to) for line, to, _ in more]
            self.marking |= {by for *_, by in more}
            self.jumps = [each for each in self.jumps if each[:2] not in marked]
        lost = "Which packets it leads to a chain of marks is not read: give marks to your streams."
        for line, to in sorted(marked):
            self.not_modelled(line, f"iptables ... -j {_short(to)}", lost)

    def list_returns(self) -> set[int]:
        """List the lines that leave a chain of marks: the lines behind them mark fewer packets."""
        lost = "Which packets get no mark behind it is not read: give marks to your streams."
        found = {line for line, chain in self.returns if chain in self.marking}
        for line in sorted(found):
            self.not_modelled(line, "iptables ... -j RETURN", lost)
        return found

    def _run(self, line: Line) -> None:
        """A command with its functions and variables put in."""
        at = next((i for i, word in enumerate(line.words) if plain(word) == "tc"), 0)
        text = _short(" ".join(line.words[at:]))
        words, unknown = self._expanded(line)
        if link := _link(words):
            if unknown:
                self.unknown(line.number, text, f"{_no_value(unknown)}. {_PASTE}")
            else:
                self.commands.append((Command(line.number, text, "link", "change", *link), {}))
            return
        words = called(words, self.wrappers)
        behind = _behind_tc(words)
        if behind is not None:
            self._tc(line, text, *behind, unknown)
        elif foreign := _foreign(words):
            lost = f"What {words[0][:40]!r} does with this is not known: it is not read."
            self._not_read(line, text, foreign, lost)

    def _expanded(self, line: Line) -> tuple[list[str], str]:
        """The words with their values, and the first variable without one that counts."""
        expanded, unknown = list[str](), ""
        words = called(list(line.words), self.wrappers)
        for before, word in zip(["", *words], words, strict=False):
            whole, missing = self.variables.expand(word, line.number)
            if missing and before != "dev" and plain(word) != "tc":
                unknown = unknown or missing
            expanded += whole.split() if "$" in word and not missing else [whole]
        return expanded, unknown

    def _tc(self, line: Line, text: str, words: list[str], place: str, unknown: str) -> None:
        """What stands behind tc: a command, or a remark that says why it is none."""
        if words and not meant(words[0], THINGS):
            self._other_thing(line, text, words)
        if not words or not meant(words[0], THINGS) or _verb(words) == "show":
            return
        reason = _not_run(line) or (_no_value(unknown) if unknown else "")
        if reason:
            self._not_read(line, text, words, f"{reason}. {_PASTE}")
            return
        try:
            made = command(words, line.number, text)
        except TakesTooLongError:
            raise
        except ConfigurationError as error:
            self.refused(line.number, text, error)
            return
        if made is None:
            lost = f"It is no command of tc that is known here. {_PASTE}"
            self._not_read(line, text, words, lost)
        elif made.verb != "show":
            self.commands.append((made._replace(place=place), dict(self.names)))
            self.names.clear()

    def _other_thing(self, line: Line, text: str, words: list[str]) -> None:
        """What is no qdisc, class or filter."""
        word, *rest = words
        near = get_close_matches(word, THINGS, 1)
        if word in _OTHERS:
            self.not_modelled(line.number, text, _OTHERS[word])
        elif near:
            lost = f"{word[:40]!r} is no command of tc, did you mean {near[0]!r}?"
            self._not_read(line, text, [near[0], *rest], lost)
        else:
            lost = "It is no command of tc that is known here, and left out."
            self.unknown(line.number, text, lost)

    def _not_read(self, line: Line, text: str, words: list[str], lost: str) -> None:
        """Note a command that is not read: the queues of its device may be others."""
        self.unknown(line.number, text, lost)
        changes = len(words) > 1 and _verb(words) not in ("delete", "show")
        if changes and meant(words[0], THINGS) in ("qdisc", "class"):
            at = words.index("dev") + 1 if "dev" in words[:-1] else 0
            self.unread.setdefault(words[at] if at else "", line.number)


def _verb(words: list[str]) -> str:
    """What a command does; empty where its verb is none of tc."""
    return VERBS.get(meant(words[1], tuple(VERBS)), "") if len(words) > 1 else ""


def _short(text: str) -> str:
    return " ".join(text.split())[:200]


def _no_value(unknown: str) -> str:
    what = "What another command gives" if unknown == "$(...)" else f"${unknown}"
    return f"{what} has no value here"


def _not_run(line: Line) -> str:
    """Why nobody can say whether a command is run; empty if it is."""
    blocks = [at for at, name in enumerate(line.parents) if name not in ("&&", "||", "|")]
    if blocks:
        block = _BLOCKS.get(line.parents[blocks[-1]], "a function")
        return f"It is inside {block} that begins in line {line.opened[blocks[-1]]}"
    return "Whether it is run depends on another command" if line.parents else ""


def _holding(known: Mapping[str, Function], holds: Callable[[Function], bool]) -> dict[str, int]:
    """Functions whose calls do something that is not read, themselves or by others; their lines."""
    own = {name: each for name, each in known.items() if not each.words}
    found = {name for name, each in own.items() if holds(each)}
    calls = {
        name: {line.words[0] for line in each.body if line.words} for name, each in own.items()
    }
    while more := {name for name in own if name not in found and calls[name] & found}:
        check_time()
        found |= more
    return {name: each.line for name, each in own.items() if name in found}


def _holds(function: Function, what: re.Pattern[str]) -> bool:
    """Whether a command of a function does something, by its words; tc may be in a variable."""
    for line in function.body:
        words = " ".join("tc" if plain(word) == "tc" else word for word in line.words)
        if what.search(words or line.text):
            return True
    return False


def _is_tc(words: Sequence[str]) -> bool:
    return _behind_tc(words) is not None


def _behind_tc(words: Sequence[str]) -> tuple[list[str], str] | None:
    """What stands behind `tc` and its options, and where it is run; None if it is no tc command.

    >>> _behind_tc("sudo ip netns exec red tc -s qdisc show".split())
    (['qdisc', 'show'], 'red')
    >>> _behind_tc("mine tc qdisc show".split())
    """
    if len(words) > 1 and words[0] in THINGS and (words[1] in VERBS or ":" in "".join(words[2:3])):
        return list(words), ""
    at = next((i for i, word in enumerate(words) if plain(word) == "tc"), None)
    place = _place([word for word in words[:at] if not ASSIGNMENT.fullmatch(word)])
    if at is None or place is None:
        return None
    rest = list(words[at + 1 :])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-n", "-netns", "-b", "-batch"):
            place = rest[0] if rest and option in ("-n", "-netns") else place
            del rest[:1]
    return rest, place


def _place(before: list[str]) -> str | None:
    """Where the programs in front of tc run it; empty of here, None where they may not run it."""
    if not before:
        return ""
    first = plain(before[0])
    if first not in _RUNS | _PLACES or (first == "ip" and before[2:3] != ["exec"]):
        return None
    if "vrf" in before or not any(plain(word) in _PLACES for word in before):
        return ""
    return [word for word in before if not word.startswith("-")][-1]


def _foreign(words: list[str]) -> list[str]:
    """The words of tc behind something unknown that may run it; empty if there are none."""
    for at, (thing, verb) in enumerate(pairwise(words)):
        behind = at and plain(words[at - 1]) == "tc" and meant(thing, THINGS)
        changes = VERBS.get(verb, "show") != "show"
        if changes and (behind or (at and thing in THINGS and "dev" in words)):
            return [] if plain(words[0]) in QUIET else words[at:]
    return []


def _link(words: list[str]) -> tuple[str, str, str, str, tuple[str, ...]] | None:
    """Device, kind and options of what sets the length of its own queue, or makes it an ifb.

    >>> _link("sudo ip link set dev eth0 txqueuelen 100".split())
    ('eth0', '', '', 'txqueuelen', ('packets', '100'))
    >>> _link("ip link add name down type ifb".split())
    ('down', '', '', 'ifb', ())
    """
    while words and plain(words[0]) in _RUNS:
        words = words[1:]
    known = [plain(word) for word in words[:3]]
    first = 1 if known[:1] == ["ifconfig"] else 3
    behind = [word for word in words[first:] if word not in ("dev", "name")]
    if known == ["ip", "link", "add"] and behind[-2:] == ["type", "ifb"] and len(behind) > 2:
        return behind[0], "", "", "ifb", ()
    for key in ("txqueuelen", "qlen"):
        if (known == ["ip", "link", "set"] or known[:1] == ["ifconfig"]) and key in behind[1:-1]:
            return behind[0], "", "", "txqueuelen", ("packets", behind[behind.index(key) + 1])
    return None
