"""Class maps and policies: what each line of their blocks defines."""

from collections.abc import Callable, Mapping
from typing import Any

from qoslib.config.lines import Line
from qoslib.config.mqc.commands import COMMANDS, apply, gives_rate, name_of, withdraw
from qoslib.config.mqc.left_out import OF_NETWORK
from qoslib.config.mqc.matches import match
from qoslib.config.mqc.police import ACTIONS
from qoslib.config.mqc.policies import (
    NETWORK,
    Match,
    Policies,
    Policy,
    PolicyClass,
    Selection,
    key_of,
    plain,
)
from qoslib.config.records import Statement
from qoslib.config.words import NotUnderstood, Words

__all__ = ["Definitions"]


class Definitions:
    """All class maps and policies of a text, and the one that is being read."""

    def __init__(self) -> None:
        self.found = Policies()
        self.notes = self.found.notes
        self.close()

    def close(self) -> None:
        """Leave the block."""
        self.header = ""
        self.selection: Selection | None = None
        self.policy: Policy | None = None
        self.part: PolicyClass | None = None

    def _understood(self, line: Line, *parents: str) -> None:
        text = "description" if line.verb == "description" else line.text
        self.notes.understood(line.number, text, *parents)

    def _lost(self, line: Line, lost: str) -> None:
        self.notes.not_modelled(line.number, line.text, lost)

    def _unknown(self, line: Line) -> None:
        self.notes.unknown(line.number, line.text)

    def _say(self, line: Line, lost: list[str]) -> None:
        """Keep a line of a block, with what is lost of it."""
        if not lost:
            self._understood(line, self.header)
        for each in lost:
            self._lost(line, each)

    def _take_back(self, line: Line, gone: Callable[[Statement], bool]) -> None:
        """Forget what a line that begins with `no` takes back, and list it."""
        kept: list[Statement] = []
        for each in self.notes.statements:
            if gone(each):
                lost = f"Line {line.number} takes it back."
                self.notes.not_modelled(each.line, f"no longer {each.text}", lost)
            else:
                kept.append(each)
        self.notes.statements[:] = kept
        self._understood(line)

    def _without_block(self, line: Line) -> None:
        """Forget a class map or a policy that is taken back."""
        kind, name = (*line.words[1:2], "")[0].lower(), line.words[-1]
        known: dict[str, dict[str, Any]] = {
            "class-map": self.found.selections,
            "policy-map": self.found.policies,
        }
        typed = plain(line.words[3]) if line.words[2:3] == ("type",) and line.words[4:] else ""
        at = key_of(known.get(kind, {}), name, typed)
        if kind in known and known[kind].pop(at, None):
            headers = {
                each.text
                for each in self.notes.statements
                if each.text.startswith(f"{kind} ") and each.name == name
            }
            self._take_back(line, lambda each: bool(headers & {each.text, *each.parents}))

    def _define(self, line: Line, name: str, kind: str, every: bool | None) -> None:
        if line.verb == "class-map":
            selections = self.found.selections
            self.selection = selections.setdefault(
                _key(selections, name, kind), Selection(name, line.number, kind=kind)
            )
            self.selection.every = self.selection.every if every is None else every
        else:
            policies = self.found.policies
            self.policy = policies.setdefault(
                _key(policies, name, kind), Policy(name, line.number, kind=kind)
            )

    def _in_class_map(self, line: Line) -> None:
        assert self.selection is not None
        negated = line.verb == "no" and "".join(line.words[1:2]).lower() == "match"
        if line.verb == "exit":
            self.close()
        elif line.verb == "description":
            self._understood(line, self.header)
        elif negated or line.verb == "match":
            self._match(line, self.selection, negated)
        else:
            self.selection.matches.append(Match(line.number))
            self._unknown(line)

    def _match(self, line: Line, selection: Selection, negated: bool) -> None:
        try:
            found, lost = match(Words(line, 2 if negated else 1))
        except NotUnderstood:
            if not negated:
                selection.matches.append(Match(line.number))
            self._unknown(line)
            return
        if negated:
            selection.matches = [each for each in selection.matches if each != found]
            self._understood(line, self.header)
        else:
            selection.matches.append(found)
            self._say(line, lost)

    def _in_policy_map(self, line: Line) -> None:
        assert self.policy is not None
        if line.verb == "exit":
            if self.part is None:
                self.close()
            self.part = None
        elif line.verb == "class":
            self._class(line, self.policy)
        elif line.verb == "no" and line.words[1:2] == ("class",):
            self._without_class(line, self.policy)
        elif self.part is not None:
            self._command(line, self.part)
        elif line.verb == "description":
            self._understood(line, self.header)
        else:
            self._unknown(line)

    def _class(self, line: Line, policy: Policy) -> None:
        names, kind = list(line.words[1:]), policy.kind
        if len(names) > 2 and names[0].lower() == "type":
            kind, names = plain(names[1]), names[2:]
        if len(names) != 1:
            self.part = PolicyClass("", line.number)
            self._unknown(line)
            return
        new = PolicyClass(names[0], line.number, kind=kind)
        self.part = policy.classes.setdefault(names[0], new)
        self._understood(line, self.header)

    def _without_class(self, line: Line, policy: Policy) -> None:
        self.part, name = None, line.words[-1]
        policy.classes.pop(name, None)
        own, header = self.header, f"class {name}"
        self._take_back(
            line, lambda each: own in each.parents and header in (each.text, *each.parents)
        )

    def _command(self, line: Line, part: PolicyClass) -> None:
        lost: list[str] = []
        try:
            if line.verb == "no":
                withdraw(part, line.words[1:])
                gone = line.text[3:]
                part.statements[:] = [s for s in part.statements if not s.text.startswith(gone)]
            else:
                lost = apply(part, Words(line))
                if part.kind == NETWORK and line.verb != "description":
                    lost = lost or [OF_NETWORK]
        except NotUnderstood:
            self._unknown(line)
            return
        for each in lost:
            self._lost(line, each)
        statement = Statement(line.number, line.text, (self.header, f"class {part.name}"))
        if not lost:
            self.notes.statements.append(statement)
        if not lost or gives_rate(part, line.number) or line.verb in ACTIONS:
            # What is lost of a rate leaves the rate, and a fix keeps the actions of a policer.
            name = name_of(line.words)
            if name in COMMANDS and COMMANDS[name].single:
                part.statements[:] = [s for s in part.statements if name_of(s.words) != name]
            part.statements.append(statement)


def _key(known: Mapping[str, Policy | Selection], name: str, kind: str) -> str:
    """Where a block of this name and type is kept, or is to be kept."""
    had = known.get(name)
    return name if had is None or had.kind == kind else f"{kind} {name}"
