"""The lines of interfaces, which are read once all policies and groups are known."""

from qoslib.config.lines import Line
from qoslib.config.mqc.interfaces import interface_line
from qoslib.config.mqc.left_out import OF_SERVICE_GROUP
from qoslib.config.mqc.names import SYSTEM
from qoslib.config.mqc.policies import Interface, Named, Policies, whole_of
from qoslib.config.mqc.turns import turns_of
from qoslib.config.provenance import Provenance
from qoslib.config.source import check_time

__all__ = ["Held"]


class Held:
    """Lines of interfaces and of groups of services, by their names."""

    def __init__(self, found: Policies) -> None:
        self.found = found
        self.lines: dict[str, list[Line]] = {}
        self.groups: dict[str, list[Line]] = {}

    def read(self) -> None:
        """Read the interfaces: of one without quality of service nothing is said."""
        members: list[tuple[Interface, Provenance]] = []
        for name, lines in self.lines.items():
            check_time(lines[0].number)
            notes = Provenance()
            interface = Interface(name, lines[0].number, turns=turns_of(lines))
            for line in lines:
                parents = () if line is lines[0] else (lines[0].text,)
                interface_line(interface, line, notes, parents)
                if line.verb == "group" and line.words[1] in self.groups:
                    self._join(interface, line, notes)
            queues = any(each.verb not in ("bandwidth", "speed") for each in notes.remarks)
            if interface.policies or interface.hold or interface.turns or queues:
                self.found.interfaces[name] = interface
                self.found.notes.add(notes)
            elif SYSTEM in self.lines:
                self.found.bare[name] = interface
                self.found.notes.add(notes)
            elif interface.bundle:
                members.append((interface, notes))
        self._bundled(members)

    def _join(self, interface: Interface, line: Line, notes: Provenance) -> None:
        """Promise nothing of an interface that shares the policy of a group with others."""
        interface.hidden = True
        notes.not_modelled(line.number, line.text, OF_SERVICE_GROUP)
        for each in self.groups[line.words[1]]:
            if each.words[1:2] == ("output",) and each.words[2:]:
                interface.policies.setdefault("out", Named(each.words[2], each.number))

    def _bundled(self, members: list[tuple[Interface, Provenance]]) -> None:
        """Keep the members of bundles that have policies."""
        attached = {whole_of(name).lower() for name in self.found.interfaces}
        for interface, notes in members:
            if interface.bundle in attached:
                self.found.members.setdefault(interface.bundle, []).append(interface)
                self.found.notes.add(notes)
