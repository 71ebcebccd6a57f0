"""What is noted while a device becomes a port: what is lost, and its classes."""

from difflib import get_close_matches
from typing import Literal, NamedTuple

from qoslib.config.facts import Facts
from qoslib.config.provenance import Provenance
from qoslib.config.records import ConfiguredClass, ConfiguredPort, Statement
from qoslib.config.tc.command import Command
from qoslib.config.tc.device import Device
from qoslib.config.tc.options import KINDS, UNMODELLED, Options, left_out, options_of
from qoslib.config.values import Value, of_fact

__all__ = ["DeviceNotes", "Part", "Unmodelled"]

#: A kind whose name is so near to a known one is a slip of the pen.
_NEAR = 0.85


class Unmodelled(Exception):
    """A device that no port describes, for a command that stands in the way, if tc has it."""

    def __init__(self, command: Command, lost: str, *, known: bool = True) -> None:
        super().__init__(lost)
        self.command, self.lost, self.known = command, lost, known


class Part(NamedTuple):
    """A part of a port: the command that describes it, and its options."""

    notes: "DeviceNotes"
    command: Command
    options: Options

    def lose(self, *lost: str) -> None:
        """Note what the command says and the port does not."""
        for each in lost:
            self.notes.lose(self.command, each)


class DeviceNotes(Provenance):
    """Notes on one device, which the reader calls an interface."""

    def __init__(self, device: Device, interface: str, facts: Facts) -> None:
        super().__init__()
        self.device, self.interface, self.facts = device, interface, facts
        self.classes: list[ConfiguredClass] = []
        #: What shapers count on top of each frame.
        self.overheads: list[Value] = []
        #: Commands that no port describes; a device that has one promises nothing.
        self.undescribed: list[Command] = []
        #: Qdiscs whose filters were read.
        self.read_filters: set[str] = set()
        #: The reader's line rate; a port without one is asked for it.
        self.known_rate = of_fact(facts, interface, "line_rate_bps")
        rate = self.known_rate or Value(0.0)
        #: Of what a rate in per cent is a share, also until a rate is known.
        self.line_rate = rate._replace(value=rate.value or float(10**9))

    def lose(self, command: Command, lost: str) -> None:
        """Note what a command says and the port does not, once."""
        self.not_modelled(command.line, command.text, lost)

    def without_model(self, reason: Unmodelled) -> None:
        """Note a queue that keeps its name and its place, and of which nothing can be promised."""
        note = self.not_modelled if reason.known else self.unknown
        lost = f"{reason.lost} Nothing is promised on this device."
        note(reason.command.line, reason.command.text, lost)
        self.undescribed.append(reason.command)

    def no_port(self, top: Command, way: Literal["out", "in"]) -> ConfiguredPort:
        """The device in one direction, as long as nothing more is known."""
        policy = f"{top.kind} {top.handle}"
        return ConfiguredPort(self.interface, way, None, policy=policy, line=top.line)

    def part(self, command: Command) -> Part:
        """A part of the port, by the command that describes it."""
        return Part(self, command, self.options(command))

    def options(self, command: Command) -> Options:
        """The options of a command; unknown words are noted, an unknown kind ends the reading."""
        if (command.thing, command.kind) not in KINDS:
            raise _without_model(command)
        options, unknown = options_of(command, self.line_rate)
        if unknown:
            self.unknown(command.line, command.text, left_out(unknown[0]))
        return options

    def name(self, handle: str, otherwise: str = "") -> str:
        """What a comment calls a class or qdisc; else its number."""
        return self.device.names.get(handle) or otherwise or handle

    def statement(self, command: Command) -> Statement:
        """A command as a report shows it."""
        return Statement(command.line, command.text)


def _without_model(command: Command) -> Unmodelled:
    """Why no port describes a kind, or that there is none of its name."""
    kind = command.kind
    if kind in UNMODELLED:
        lost = f"No port describes {kind[:40]}, so this is lost: {UNMODELLED[kind]}."
        return Unmodelled(command, lost)
    kinds = [*UNMODELLED, *(known for thing, known in KINDS if thing == command.thing)]
    near = get_close_matches(kind, kinds, 1, _NEAR)
    mean = f", did you mean {near[0]!r}?" if near else "."
    return Unmodelled(command, f"{kind[:40]!r} is no known {command.thing}{mean}", known=False)
