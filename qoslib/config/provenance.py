"""What is noted while a text is read: what was understood, what is lost, what to ask."""

from collections.abc import Callable

from qoslib.config.facts import Facts
from qoslib.config.lines import Line
from qoslib.config.records import MissingFact, Remark, Statement
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value, of_fact
from qoslib.config.words import NotUnderstood, Refused

__all__ = ["Provenance"]

_UNKNOWN = "This command is not understood; it has no effect here."


class Provenance:
    """Notes on a text, or on one port of it: a note is kept once.

    Attributes
    ----------
    statements : list of Statement
        Lines that were understood.
    remarks : list of Remark
        Lines that the ports do not say.
    missing : list of MissingFact
        What has to be asked.
    """

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.remarks: list[Remark] = []
        self.missing: list[MissingFact] = []
        self._noted: set[Remark] = set()

    def understood(self, line: int, text: str, *parents: str) -> Statement:
        """Keep a line that was understood."""
        statement = Statement(line, text, parents)
        self.statements.append(statement)
        return statement

    def not_modelled(self, line: int, text: str, lost: str) -> None:
        """Keep a line that the ports do not say, and what is lost."""
        self._note(Remark("not modelled", line, text, lost))

    def unknown(self, line: int, text: str, lost: str = _UNKNOWN) -> None:
        """Keep a line that is not understood."""
        self._note(Remark("unknown", line, text, lost))

    def refused(self, line: int, text: str, problem: Exception | str) -> None:
        """Keep a line that a device would not take, and why.

        >>> notes = Provenance()
        >>> notes.refused(3, "priority 0", ConfigurationError("the rate is 0", 3))
        >>> notes.remarks[0].lost
        'The rate is 0.'
        """
        lost = str(problem)
        if isinstance(problem, ConfigurationError):
            lost = lost.removeprefix(f"line {problem.line}: ")
        lost = lost.removesuffix(".")
        end = "" if lost.endswith("?") else "."
        self._note(Remark("refused", line, text, f"{lost[:1].upper()}{lost[1:]}{end}"))

    def ask(self, facts: Facts, interface: str, kind: str, question: str, line: int = 0) -> None:
        """Note a fact that is missing, once."""
        fact = facts.missing(interface, kind, question, line)
        if fact.name not in [each.name for each in self.missing]:
            self.missing.append(fact)

    def known(
        self,
        facts: Facts,
        interface: str,
        kind: str,
        question: str,
        line: int,
        said: Value | None = None,
    ) -> Value | None:
        """What the reader said, else what a line says; it is asked for where neither does."""
        fact = of_fact(facts, interface, kind)
        found = fact if fact and fact.value else said
        if found is None:
            self.ask(facts, interface, kind, question, line)
        return found

    def read(self, line: Line, lost_by: Callable[[Line], str | None]) -> bool:
        """Read a line, and note what is lost by it, or why it is not read; whether nothing is lost.

        None is lost by a line about other things, of which nothing is noted.
        """
        try:
            lost = lost_by(line)
        except NotUnderstood:
            self.unknown(line.number, line.text)
        except Refused as problem:
            self.refused(line.number, line.text, problem)
        else:
            if lost:
                self.not_modelled(line.number, line.text, lost)
            return lost == ""
        return False

    def add(self, part: "Provenance") -> None:
        """Take over what was noted of a part of the text."""
        self.statements += part.statements
        for remark in part.remarks:
            self._note(remark)

    def _note(self, remark: Remark) -> None:
        if remark not in self._noted:
            self._noted.add(remark)
            self.remarks.append(remark)
