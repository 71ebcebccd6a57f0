"""What is written down while a device becomes a port: where numbers come from, what is lost."""

from difflib import get_close_matches
from typing import Any

from qoslib.config.facts import Facts
from qoslib.config.records import ConfiguredClass, Origin, Remark, Statement
from qoslib.config.tc.command import Command
from qoslib.config.tc.device import Device
from qoslib.config.tc.options import OPTIONS, Given, Options, left_out, options_of

__all__ = ["Notes", "Unmodelled"]

#: A kind whose name is so near to a known one is a slip of the pen.
_NEAR = 0.85
#: Kind -> what a port without it lacks.
LOST = {
    "cake": "its shaper, its tins and the fairness among flows and hosts",
    "hfsc": "its service curves, which give delay and rate apart from each other",
    "cbq": "its estimator of idle time and its borrowing",
    "mq": "one queue for each transmit ring of the device",
    "mqprio": "traffic classes on groups of transmit rings",
    "taprio": "gates that open by a schedule",
    "etf": "packets that leave at the time they ask for",
    "cbs": "the credit of IEEE 802.1Qav",
    "ets": "strict bands before bands that share by quanta",
    "pie": "dropping by the estimated delay",
    "fq_pie": "dropping by the estimated delay, in a queue for each flow",
    "sfb": "fair dropping by bins",
    "choke": "dropping in pairs",
    "gred": "RED by virtual queues",
    "hhf": "heavy hitters in a queue of their own",
    "multiq": "one band for each transmit ring",
    "dsmark": "new DSCPs for packets that leave",
    "plug": "packets that wait until they are released",
    **dict.fromkeys(("teql", "teql0", "teql1"), "a link made of several"),
    "blackhole": "all packets, which it drops",
    "noop": "all packets, which it drops",
    "skbprio": "dropping the lowest priority first",
    "dualpi2": "its two coupled queues",
    "atm": "queues for virtual circuits",
    "bpf": "what a program of its own decides",
}


class Unmodelled(Exception):
    """A device that no port describes.

    Attributes
    ----------
    command : Command
        Which stands in the way.
    lost : str
        One sentence.
    known : bool
        Whether tc has it.
    """

    def __init__(self, command: Command, lost: str, *, known: bool = True) -> None:
        super().__init__(lost)
        self.command, self.lost, self.known = command, lost, known


class Notes:
    """Notes on one device.

    Parameters
    ----------
    device : Device
    interface : str
        What the reader calls it.
    facts : Facts
    """

    def __init__(self, device: Device, interface: str, facts: Facts) -> None:
        self.device, self.interface, self.facts = device, interface, facts
        self.origins: list[Origin] = []
        self.remarks: list[Remark] = []
        self.classes: list[ConfiguredClass] = []
        self.overheads: list[Given] = []
        self._said: set[Remark] = set()
        #: Commands that no port describes; a device that has one promises nothing.
        self.undescribed: list[Command] = []
        #: Qdiscs whose filters were read.
        self.read_filters: set[str] = set()
        name = facts.name(interface, "line_rate_bps")
        value = facts.number(interface, "line_rate_bps")
        #: A port without a line rate is asked for it, and a rate in per cent has any until then.
        self.line_rate = Given(value or float(10**9), fact=name)
        self.knows_line_rate = value is not None

    def at(self, where: str, given: Given) -> Any:
        """Note where a number of the port comes from."""
        self.origins.append(Origin(where, given.line, given.default, given.fact))
        return given.value

    def fact(self, kind: str) -> float | None:
        """A fact of the reader, noted as that of the port; None if it was not given."""
        value = self.facts.number(self.interface, kind)
        if value is not None:
            name = "rate_bps" if kind == "line_rate_bps" else kind
            self.at(name, Given(value, fact=self.facts.name(self.interface, kind)))
        return value

    def lose(self, command: Command, lost: str) -> None:
        """Note what a command says and the port does not, once."""
        remark = Remark("not modelled", command.line, command.text, lost)
        if remark not in self._said:
            self._said.add(remark)
            self.remarks.append(remark)

    def _unknown(self, command: Command, lost: str) -> None:
        self.remarks.append(Remark("unknown", command.line, command.text, lost))

    def without_model(self, reason: Unmodelled) -> None:
        """Note a queue that keeps its name and its place, and of which nothing can be promised."""
        lost = f"{reason.lost} Nothing is promised on this device."
        if reason.known:
            self.lose(reason.command, lost)
        else:
            self._unknown(reason.command, lost)
        self.undescribed.append(reason.command)

    def options(self, command: Command) -> Options:
        """The options of a command; unknown words are noted, an unknown kind ends the reading."""
        if (command.thing, command.kind) not in OPTIONS:
            what = LOST.get(command.kind, "how it queues")
            lost = f"No port describes {command.kind[:40]}, so this is lost: {what}."
            kinds = [*LOST, *(kind for thing, kind in OPTIONS if thing == command.thing)]
            near = get_close_matches(command.kind, kinds, 1, _NEAR)
            if command.kind not in LOST:
                lost = f"{command.kind[:40]!r} is no known {command.thing}"
                lost += f", did you mean {near[0]!r}?" if near else "."
            raise Unmodelled(command, lost, known=command.kind in LOST)
        found, unknown = options_of(command, self.line_rate)
        if unknown:
            self._unknown(command, left_out(unknown[0]))
        return found

    def name(self, handle: str, otherwise: str = "") -> str:
        """What a comment calls a class or qdisc; else its number."""
        return self.device.names.get(handle) or otherwise or handle

    def statement(self, command: Command) -> Statement:
        """A command as a report shows it."""
        return Statement(command.line, command.text)
