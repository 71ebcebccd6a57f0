"""What was read from a configuration: ports, where each number comes from, and what is left out."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

from qoslib import units
from qoslib.config.no_drop import no_drop
from qoslib.config.source import ConfigurationError
from qoslib.port import Port
from qoslib.record import Count, NotNegative, Record, record

__all__ = [
    "FAIR_QUEUE",
    "IN_TURN",
    "NO_DROP",
    "Configuration",
    "ConfiguredClass",
    "ConfiguredPolicy",
    "ConfiguredPort",
    "MissingFact",
    "Origin",
    "Remark",
    "Setting",
    "Statement",
    "refusal",
]


#: What a sub-interface is, behind its name; and one whose card is not there yet, in front of it.
_MODES = {"point-to-point", "multipoint", "l2transport", "preconfigure"}


@record
class Origin(Record):
    """Where one number of a port comes from: a line, a default, a fact of the reader, or several.

    Parameters
    ----------
    where : str
        The place in the port, like ``"queues['VOICE'].policer.burst_bytes"``.
    line : int
        Of the configuration, from 1; 0 where no line says it.
    default : str
        The row of ``defaults.toml``; empty where it is no default.
    fact : str
        The name of the reader's fact; empty where it is none.
    """

    where: str
    line: Count = 0
    default: str = ""
    fact: str = ""


class _Command:
    """What a command is to rules: its words."""

    text: str
    parents: tuple[str, ...] = ()

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words, in small letters."""
        return tuple(self.text.lower().split())

    @property
    def verb(self) -> str:
        """The first of them; empty of no command."""
        return self.words[0] if self.words else ""

    @property
    def name(self) -> str:
        """Its last word as it is written: what a header names."""
        words = self.text.split()
        return words[-1] if words else ""

    @property
    def whole(self) -> str:
        """It behind those above it, without what begins and ends one of Junos."""
        return " ".join([*self.parents, self.text]).removeprefix("set ").rstrip(";")


@record
class Statement(_Command, Record):
    """A command as it stands in the text, for findings and for the margin of a report.

    Parameters
    ----------
    line : int
        From 1.
    text : str
        The command, without its indentation.
    parents : tuple of str
        The commands that it stands below, the outermost first.
    """

    line: Count
    text: str
    parents: tuple[str, ...] = ()


#: The command of a queue that shares in round robin, beside queues that are strict by default.
IN_TURN = "no priority"
#: The setting of a class whose flows do not wait for each other.
FAIR_QUEUE = "fair-queue"
#: The setting of a class whose senders pause before its queue is full.
NO_DROP = "no-drop"


@record
class Setting(Record):
    """What one command gives a class, in the unit in which it is written.

    Parameters
    ----------
    command : str
        Without its values, in small letters: ``"bandwidth"``, ``"bandwidth remaining"``,
        ``"priority"``, ``"shape"``, ``"police"``, ``"transmit-rate"``, ``"buffer-size"``, ...
    value : float or None
        None of a command that has no number here.
    unit : str
        A name of `units.UNITS`, ``"ratio"``, ``"packets"``, or empty.
    line : int
        From 1.
    sort : str
        A word of the command that changes what it does: ``"peak"``, ``"temporal"``, a priority.
    burst_bytes : float or None
        The burst that stands behind a rate [B].
    """

    command: str
    value: float | None = None
    unit: str = ""
    line: Count = 0
    sort: str = ""
    burst_bytes: NotNegative | None = None

    @property
    def rate_bps(self) -> float | None:
        """Its value, where that is a rate [bit/s]."""
        if self.value is None or not self.unit.endswith("bit/s"):
            return None
        return float(units.convert(self.value, self.unit, "bit/s"))


@record
class ConfiguredClass(Record):
    """A class of a port: who is in it, and where it waits.

    Parameters
    ----------
    name : str
        As configured.
    queue : str
        Its queue in the port; empty for a class that only meters or marks.
    marks : tuple of str
        What puts packets into it: ``"EF"``, ``"AF41"``, ``"CS6"``, ``"PCP 5"``, ``"the rest"``, or
        the name of a list or an application that only the reader can resolve.
    line : int
        Where the class stands, from 1; 0 of a class that the platform makes by itself.
    node : str
        The node above the queue; empty below the port itself.
    statements : tuple of Statement
        Its own commands, in their order.
    settings : tuple of Setting
        What those of them that are in force give it.
    """

    name: str
    queue: str = ""
    marks: tuple[str, ...] = ()
    line: Count = 0
    node: str = ""
    statements: tuple[Statement, ...] = ()
    settings: tuple[Setting, ...] = ()

    @cached_property
    def verbs(self) -> dict[str, int]:
        """The first word of each of its commands in small letters, and the last line of it."""
        return {each.verb: each.line for each in self.statements}

    def setting(self, command: str) -> Setting | None:
        """The setting of a command; None where none is in force.

        Parameters
        ----------
        command : str
            As `Setting.command`.

        Returns
        -------
        Setting or None
        """
        return next((each for each in self.settings if each.command == command), None)


@record
class ConfiguredPolicy(Record):
    """A policy as it is defined, whether or not an interface has it.

    Parameters
    ----------
    header : str
        The command that begins it.
    line : int
        From 1.
    classes : tuple of ConfiguredClass
        In their order, without their queues.
    """

    header: str
    line: Count = 0
    classes: tuple[ConfiguredClass, ...] = ()


@record
class Remark(_Command, Record):
    """A line that the port does not say, and what is lost by leaving it out.

    Parameters
    ----------
    kind : str
        ``"not modelled"``: understood, and without an effect in the models; ``"unknown"``: not
        understood, though it stands where quality of service is configured; ``"refused"``: a
        device would not take it, so it has no effect there either.
    line : int
        From 1.
    text : str
        The command.
    lost : str
        One sentence on what is lost.
    """

    kind: Literal["not modelled", "unknown", "refused"]
    line: Count
    text: str
    lost: str


def refusal(error: ConfigurationError, line: int, text: str) -> Remark:
    """A line that a device refuses, for the reason of an error.

    >>> refusal(ConfigurationError("there is no 1:7 to change", 3), 3, "tc class change").lost
    'There is no 1:7 to change.'
    """
    why = str(error).removeprefix(f"line {error.line}: ").rstrip(".")
    ended = why if why.endswith("?") else f"{why}."
    return Remark("refused", line, text, ended[:1].upper() + ended[1:])


def _interface_of(words: Sequence[str]) -> str:
    """The name of an interface in its header, without a space and without its mode.

    In a text whose lines are whole (IOS XR) a command of the interface stands behind its name.

    >>> _interface_of(["preconfigure", "GigabitEthernet0/0/0/5", "description", "to", "core"])
    'GigabitEthernet0/0/0/5'
    """
    name = [word for word in words if word.lower() not in _MODES]
    after = (at for at in range(1, len(name)) if name[at - 1][-1].isdigit())
    name = name[: next((at for at in after if name[at][0].isalpha()), None)]
    joined = len(name) > 1 and name[0].isalpha() and name[1][:1].isdigit()
    return " ".join(["".join(name[:2]), *name[2:]] if joined else name)


@record
class MissingFact(Record):
    """A fact that no configuration holds and nobody may guess.

    Parameters
    ----------
    name : str
        What to call it in `facts`, like ``"GigabitEthernet0/0/1.line_rate_bps"``.
    question : str
        One sentence that a person can answer.
    unit : str
        A name of `units.UNITS`, or empty for a text.
    line : int
        Which line needs it; 0 for the port as a whole.
    """

    name: str
    question: str
    unit: str = ""
    line: Count = 0


@record
class ConfiguredPort(Record):
    """A port as configured on one interface, in one direction.

    Parameters
    ----------
    interface : str
        As it stands in the text.
    direction : str
        ``"out"`` or ``"in"``.
    port : Port or None
        None while a fact is missing, or where remarks say that what decides is not modelled.
    classes : tuple of ConfiguredClass
        In the order in which the platform looks at them.
    origins : tuple of Origin
        One for each number that the port does not have from its own defaults.
    missing : tuple of MissingFact
        What has to be known before there is a port.
    policy : str
        The name of the policy, the scheduler map or the root qdisc.
    line : int
        Where it is attached.
    """

    interface: str
    direction: Literal["out", "in"]
    port: Port | None
    classes: tuple[ConfiguredClass, ...] = ()
    origins: tuple[Origin, ...] = ()
    missing: tuple[MissingFact, ...] = ()
    policy: str = ""
    line: Count = 0

    @property
    def unpromised(self) -> bool:
        """Whether nothing is promised on the way out, whatever facts are given."""
        return self.port is None and not self.missing and self.direction == "out"

    def origin(self, where: str) -> Origin | None:
        """Where the number at a place of the port comes from; None if nothing was said of it.

        Parameters
        ----------
        where : str
            Like ``"queues['VOICE'].policer.burst_bytes"``.

        Returns
        -------
        Origin or None
        """
        return next((each for each in self.origins_of(where) if each.where == where), None)

    def origins_of(self, where: str) -> list[Origin]:
        """Where all numbers come from whose places begin so.

        Parameters
        ----------
        where : str
            Like ``"queues['VOICE'].limit"``.

        Returns
        -------
        list of Origin
        """
        known = self._by_owner.get(where.partition("].")[0], ())
        return [each for each in known if each.where.startswith(where)]

    @cached_property
    def _by_owner(self) -> dict[str, list[Origin]]:
        """Origins by the queue, the node or the field of the port that they are of."""
        found: dict[str, list[Origin]] = {}
        for each in self.origins:
            found.setdefault(each.where.partition("].")[0], []).append(each)
        return found


@record
class Configuration(Record):
    """All that was read from one text.

    Parameters
    ----------
    dialect : str
        A name of `DIALECTS`.
    ports : tuple of ConfiguredPort
        In the order of the interfaces.
    remarks : tuple of Remark
        Every line on quality of service that the ports do not say.
    statements : tuple of Statement
        Every line on quality of service that was understood.
    lines : int
        Lines of the text.
    policies : tuple of ConfiguredPolicy
        Every policy that the text defines, where its dialect has policies with names.
    elsewhere : int
        Lines about other things than quality of service: no comments, and no blank ones. With
        `understood` and `listed` they are all lines that say something.
    platform : str
        ``"catalyst"`` of a Catalyst 9000, whose queues are not those of its dialect; else empty.
    """

    dialect: str
    ports: tuple[ConfiguredPort, ...] = ()
    remarks: tuple[Remark, ...] = ()
    statements: tuple[Statement, ...] = ()
    lines: Count = 0
    elsewhere: Count = 0
    policies: tuple[ConfiguredPolicy, ...] = ()
    platform: str = ""

    @property
    def spoken(self) -> set[int]:
        """The lines that were understood or have a remark."""
        return {each.line for each in self.statements} | {each.line for each in self.remarks}

    @property
    def listed(self) -> int:
        """How many lines have a remark."""
        return len({each.line for each in self.remarks})

    @property
    def understood(self) -> int:
        """How many lines were understood and have no remark."""
        return len({each.line for each in self.statements} - {each.line for each in self.remarks})

    @cached_property
    def by_verb(self) -> dict[str, list[Statement]]:
        """Statements by their first word in small letters: rules of a port ask for few of them."""
        found: dict[str, list[Statement]] = {}
        for each in self.statements:
            found.setdefault(each.text.partition(" ")[0].lower(), []).append(each)
        return found

    @cached_property
    def every(self) -> tuple[Statement | Remark, ...]:
        """What was understood, and then what has a remark."""
        return (*self.statements, *self.remarks)

    @cached_property
    def no_drop(self) -> frozenset[str]:
        """Marks and names of classes that pause their senders and drop nothing."""
        commands = sorted(self.every, key=lambda each: (each.line, each.text))
        return no_drop(each.text.split() for each in commands)

    @cached_property
    def class_lines(self) -> dict[int, Statement]:
        """Statements that begin a class, by their lines."""
        return {each.line: each for each in self.by_verb.get("class", ())}

    @cached_property
    def headers(self) -> dict[int, str]:
        """Line and name of each interface that has a line of its own."""
        said = self.by_verb.get("interface", ())
        return {each.line: _interface_of(each.text.split()[1:]) for each in said}

    @cached_property
    def bare(self) -> frozenset[str]:
        """Interfaces of the text that are no ports."""
        return frozenset(self.headers.values()) - {port.interface for port in self.ports}

    @property
    def missing(self) -> tuple[MissingFact, ...]:
        """What the ports still need, each once."""
        return tuple(dict.fromkeys(each for port in self.ports for each in port.missing))

    def __iter__(self) -> Iterator[ConfiguredPort]:
        return iter(self.ports)
