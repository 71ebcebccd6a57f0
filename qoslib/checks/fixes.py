"""What a fix gives to classes, and how it is written: a family of dialects has a writer each.

A rule says what is to change; a writer says it in the words of its family, or gives an empty text.
"""

from collections.abc import Callable, Sequence
from math import floor
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.config.records import ConfiguredClass, Setting
from qoslib.tolerances import ROUNDING

if TYPE_CHECKING:
    from qoslib.checks.checked_port import CheckedPort, Group, Member

__all__ = [
    "LEAST_SHARE",
    "NO_ROOM",
    "WINDOW_PACKETS",
    "Fixes",
    "Rates",
    "Rounded",
    "Row",
    "reserved_bps",
]

#: The default class should keep at least this share.
LEAST_SHARE = 0.05
NO_ROOM = " The other guarantees and fixes leave no room for more."
#: TCP's initial window (RFC 6928): a shorter queue drops packets of every connection that begins.
WINDOW_PACKETS = 10
#: Classes and what they are to be guaranteed [bit/s].
Rates = Sequence[tuple["Member", float]]
#: A mark, its two thresholds, and their unit.
Row = tuple[str, float, float, str]
#: Up or down to whole kb/s or per cent.
Rounded = Callable[[float], int]


def reserved_bps(member: "Member") -> float:
    """What a class has before others share [bit/s]; 0 of priority without a limit."""
    limit_bps = member.limit_bps
    if member.strict:
        return limit_bps or 0.0
    rate_bps = member.queue.guaranteed_bps
    if not rate_bps:
        # Classic IOS makes weights of what it says.
        rate_bps = member.queue.weight if member.of.setting("bandwidth") else 0.0
    return rate_bps if limit_bps is None else min(rate_bps, limit_bps)


class Fixes:
    """The fixes of a port, each an empty text where a family has no words for it.

    Attributes
    ----------
    raised : dict of str to float
        What fixes give to classes [bit/s], so that others leave it in place.
    ratios : dict of str to float
        What a fix makes of the weights of classes.
    """

    #: Whether guarantees and limits can be written.
    gives_rates = False

    def __init__(self, checked: "CheckedPort") -> None:
        self.checked = checked
        self.raised: dict[str, float] = {}
        self.ratios: dict[str, float] = {}

    @property
    def strict_alone(self) -> bool:
        """Whether limits of classes that are served first take nothing from what is guaranteed."""
        return False

    def raised_bps(self, group: "Group", name: str, wanted_bps: float) -> float:
        """As much of a rate as leaves the default class its minimum, or 5 %, beside all fixes."""
        allowed_bps = max(min(wanted_bps, self._room_bps(group, name)), 0.0)
        if allowed_bps or name in {member.name for member in group.members}:
            self.raised[name] = allowed_bps
        return allowed_bps

    def leaves_rest(self, group: "Group") -> bool:
        """Whether the default class keeps its minimum, or 5 %, beside all fixes so far."""
        first = group.members[0]
        needed_bps = self.raised.get(first.name, self.taken_bps(first))
        return self._room_bps(group, first.name) >= needed_bps * (1 - ROUNDING)

    def taken_bps(self, member: "Member") -> float:
        """What no other class may be given [bit/s]."""
        origin = self.checked.origin(member, "guaranteed_bps")
        if self.checked.manners.limits_refused and origin and origin.line:
            return member.queue.guaranteed_bps
        return reserved_bps(member)

    def _room_bps(self, group: "Group", name: str) -> float:
        """What is left for a class, beside the others' rates and what the default class needs."""
        most_bps, members = group
        has = {member.name: self.taken_bps(member) for member in members}
        has = {key: max(rate, self.raised.get(key, 0.0)) for key, rate in has.items()}
        has |= {key: rate for key, rate in self.raised.items() if key not in has}
        room_bps = most_bps - sum(rate for key, rate in has.items() if key != name)
        rest = next((member for member in members if member.takes_rest), None)
        if rest is None or rest.name == name:
            return room_bps
        least_bps = LEAST_SHARE * most_bps
        # What it has below a class without a limit says nothing of what it needs beside the limit.
        if not any(member.strict and member.limit_bps is None for member in members):
            least_bps = min(rest.promise.minimum_bps, least_bps)
        needed_bps = max(least_bps - has[rest.name], 0.0)
        if rest.strict:
            return room_bps - needed_bps
        weights = self._weights(members, {*has, name}, name)
        return room_bps - needed_bps * sum(weights.values()) / weights[rest.name]

    def _weights(self, members: Sequence["Member"], names: set[str], name: str) -> dict[str, float]:
        """By which weights what nobody is promised is shared, with all fixes."""
        own = {member.name: member for member in members}
        weights = {key: 1.0 for key, member in own.items() if not member.strict} | {name: 1.0}
        weights |= {key: 1.0 for key in self.raised if key not in own or key in weights}
        if self.checked.manners.excess_has_ratios:
            weights |= {k: member.queue.weight for k, member in own.items() if not member.strict}
            weights |= self.ratios
        return weights

    def rounded_bps(self, wanted_bps: float, most_bps: float, rounded: Rounded) -> float:
        """A rate in whole kb/s or per cent, as guarantees are written here [bit/s]."""
        percent = rounded(round(units.convert(wanted_bps / most_bps, "1", "%"), 6))
        return units.convert(percent, "%", "1") * most_bps

    def port_rate(self, rate_bps: float) -> str:
        """A shaper on all that leaves the port."""
        return ""

    def guarantee(
        self, group: "Group", member: "Member", wanted_bps: float, least_bps: float = 0.0
    ) -> str | None:
        """A guarantee that fits beside all others; None where none does."""
        return None

    def guarantees(self, group: "Group", rates_bps: Rates) -> str:
        """Guarantees of several classes, whatever others have; what is lowered stands first."""
        return ""

    def limit(
        self, group: "Group", member: "Member", limit_bps: float, rounded: Rounded = floor
    ) -> str:
        """The limit of a class that is served first."""
        return ""

    def first(self, group: "Group", member: "Member", limit_bps: float) -> str:
        """Serve a class first, up to a rate."""
        return ""

    def queue(self, group: "Group", member: "Member", wanted_bps: float) -> str:
        """A queue of its own for a class: with a guarantee, or first for calls."""
        return ""

    def ratios_of(self, shares: Sequence[tuple[ConfiguredClass, int]]) -> str:
        """By which ratios classes share what nobody is promised."""
        return ""

    def rate(self, of: ConfiguredClass, setting: Setting, rate_bps: float) -> str:
        """Another rate in a command of a class, without a burst."""
        return ""

    def burst(self, member: "Member", burst_bytes: float) -> str:
        """Another burst of a class's policer."""
        return ""

    def shaper_burst(self, member: "Member", rate_bps: float, burst_bytes: int) -> str:
        """A shaper with a burst."""
        return ""

    def queue_time(self, member: "Member", time_s: float) -> str:
        """A limit with which a full queue of a class lasts so long at its served rate."""
        size_bytes = units.octets(time_s * member.promise.served_bps)
        packets = floor(size_bytes / member.frame_bytes)
        if packets < WINDOW_PACKETS:
            return ""
        return self._queue_limit(member, time_s, size_bytes, packets)

    def _queue_limit(self, member: "Member", time_s: float, size_bytes: float, packets: int) -> str:
        return ""

    def early(
        self, member: "Member", rows: Sequence[Row], packets: float = 0.0, size_bytes: float = 0.0
    ) -> str:
        """Other thresholds of early detection in a class, and another limit of its queue."""
        return ""

    def removal(self, member: "Member", command: str) -> str:
        """A class without one of its commands."""
        return ""

    def without_marks(self, of: ConfiguredClass, marks: set[str]) -> str:
        """A class without some of its marks; without all of them no class at all."""
        return ""

    def own_class(
        self,
        group: "Group",
        beside: ConfiguredClass,
        name: str,
        marks: Sequence[str],
        rate_bps: float,
        without: set[str] | None = None,
    ) -> str:
        """A class with a guarantee for marks, which another class beside it loses."""
        return ""

    def control_class(self, group: "Group", rest: ConfiguredClass) -> str:
        """A class for routing protocols, which wait in the default class."""
        return ""

    def marked_calls(self) -> str:
        """A policy that marks calls where they come in."""
        return ""

    def to_output(self) -> str:
        """The policy of what comes in for what leaves."""
        return ""
