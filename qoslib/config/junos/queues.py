"""The queues of one scheduler map: rates, weights, limits, droppers, each with its origin."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from qoslib import units
from qoslib.config.defaults import default, defaults
from qoslib.config.facts import Facts
from qoslib.config.junos.classes import Rule
from qoslib.config.junos.schedulers import Limit, Points, Scheduler
from qoslib.config.junos.statements import Said, shown
from qoslib.config.junos.words import LOSS_PRIORITIES, MARK_OF_LOSS, PRIORITIES
from qoslib.config.reading import MissingFact, Origin
from qoslib.config.text import ConfigurationError
from qoslib.port import (
    ByteLimit,
    Dropper,
    DropProfile,
    HeadDrop,
    Policer,
    Queue,
    Shaper,
    TimeLimit,
)

__all__ = ["Definitions", "Entry", "Notes", "Site", "queues_of", "rate_limit", "shaper_of"]

#: Queue number -> what a queue without a scheduler of its own has of rate and buffer, and the row
#: of defaults that says so.
_UNSAID = {"": {0: 0.95, 3: 0.05}, "srx": {0: 0.95, 7: 0.05}}
#: Shares are sums of decimals: more digits are rounding.
_DIGITS = 12
_STRICT = ("low-latency", "strict-high")
#: A drop profile of packets for which none is configured: they are dropped when the queue is full.
_FULL = ((1.0, 1.0),)


class Entry(NamedTuple):
    """A queue to be: its class, its number, its scheduler if it has one, and its line."""

    of: str
    number: int
    scheduler: Scheduler | None
    line: int


class Site(NamedTuple):
    """Where a map of schedulers hangs, and what its shares are of.

    `whole_bps` is what transmit rates are shares of, `ceiling_bps` the most the queues get
    together, `buffer_bps` the rate that a delay buffer is counted at.
    """

    prefix: str
    node: str
    entries: tuple[Entry, ...]
    whole_bps: float
    ceiling_bps: float
    buffer_bps: float
    tree: bool


@dataclass
class Definitions:
    """What the configuration defines by name, and the facts."""

    facts: Facts
    drop_profiles: dict[str, Points]
    rules: list[Rule]
    numbers: dict[str, int]


@dataclass
class Notes:
    """What is noted while a port is made."""

    interface: str
    words: tuple[str, ...] = PRIORITIES[1:]
    line_bps: float = 1.0
    origins: list[Origin] = field(default_factory=list)
    missing: list[MissingFact] = field(default_factory=list)
    lost: list[tuple[Said, str]] = field(default_factory=list)

    def says(self, where: str, line: int = 0, default: str = "", fact: str = "") -> None:
        """Note where the number at a place of the port comes from."""
        self.origins.append(Origin(where, line, default, fact))

    def lose(self, said: Said | None, sentence: str) -> None:
        """Note what the port does not say of a statement."""
        if said is not None:
            self.lost.append((said, sentence))

    def ask(self, facts: Facts, kind: str, question: str, line: int) -> None:
        """Note a fact that is missing, once."""
        fact = facts.missing(self.interface, kind, question, line)
        if fact.name not in [each.name for each in self.missing]:
            self.missing.append(fact)


def _row(platform: str, name: str) -> str:
    """The platform's own row of a default, or else that of Junos."""
    own = f"{platform}.{name}"
    return own if own in defaults() else f"junos.{name}"


def _value(row: str) -> float:
    value = default(row).value
    return 0.0 if value is None else value


def shaper_of(
    limit: Limit, whole_bps: float, where: str, notes: Notes, platform: str = ""
) -> Shaper:
    """A shaping rate with its burst, or the default burst.

    Parameters
    ----------
    limit : Limit
    whole_bps : float
        What a share is of [bit/s].
    where : str
        Its place in the port.
    notes : Notes
    platform : str

    Returns
    -------
    Shaper
    """
    rate = limit.rate.of_bps(whole_bps)
    notes.says(f"{where}.rate_bps", limit.rate.line)
    if limit.burst_bytes is not None:
        notes.says(f"{where}.burst_bytes", limit.line)
        return Shaper(rate, limit.burst_bytes)
    return Shaper(rate, _burst_bytes(rate, f"{where}.burst_bytes", notes, platform))


def _burst_bytes(rate_bps: float, where: str, notes: Notes, platform: str) -> int:
    row = _row(platform, "shaping_burst")
    notes.says(where, default=row)
    least = int(_value("junos.least_burst"))
    return max(int(units.octets(rate_bps * _value(row))), least)


def rate_limit(rate_bps: float) -> Policer:
    """The policer of `transmit-rate ... rate-limit`, with its default burst.

    Parameters
    ----------
    rate_bps : float
        [bit/s]

    Returns
    -------
    Policer

    Examples
    --------
    >>> rate_limit(1e7)
    Policer(rate_bps=10000000.0, burst_bytes=12500)
    """
    burst = int(units.octets(rate_bps * _value("junos.rate_limit_burst")))
    return Policer(rate_bps, max(burst, int(_value("junos.least_burst"))))


def _transmit_shares(site: Site, notes: Notes, platform: str) -> dict[str, tuple[float, str]]:
    """Share of each queue, and the row of its default where none is configured."""
    shares: dict[str, tuple[float, str]] = {}
    rest: list[Entry] = []
    for entry in site.entries:
        transmit = entry.scheduler.transmit if entry.scheduler else None
        if transmit is None:
            row = _row(platform, "transmit_rate")
            shares[entry.of] = _UNSAID.get(platform, _UNSAID[""]).get(entry.number, 0.0), row
        elif transmit.kind == "remainder":
            rest.append(entry)
        elif transmit.kind == "share":
            shares[entry.of] = transmit.value, ""
        else:
            shares[entry.of] = transmit.value / site.whole_bps, ""
    left = max(1.0 - sum(share for share, _ in shares.values()), 0.0)
    plain = [entry for entry in rest if entry.scheduler and not entry.scheduler.transmit.value]  # type: ignore[union-attr]
    for entry in rest:
        part = entry.scheduler.transmit.value  # type: ignore[union-attr]
        part = part or 1 / len(plain)
        row = "junos.remainder" if len(plain) > 1 else ""
        shares[entry.of] = round(left * part, _DIGITS), row
    return shares


def _buffer_shares(site: Site, platform: str) -> dict[str, tuple[float, str]]:
    shares: dict[str, tuple[float, str]] = {}
    rest: list[Entry] = []
    for entry in site.entries:
        size = entry.scheduler.buffer if entry.scheduler else None
        if size is None:
            row = _row(platform, "buffer_size")
            shares[entry.of] = _UNSAID.get(platform, _UNSAID[""]).get(entry.number, 0.0), row
        elif size.kind == "remainder":
            rest.append(entry)
        elif size.kind != "temporal":
            shares[entry.of] = size.value, ""
    left = max(1.0 - sum(share for share, _ in shares.values()), 0.0)
    for entry in rest:
        own = entry.scheduler.buffer.value  # type: ignore[union-attr]
        row = "junos.remainder" if len(rest) > 1 and not own else ""
        shares[entry.of] = round(left * (own or 1 / len(rest)), _DIGITS), row
    return shares


def queues_of(site: Site, known: Definitions, notes: Notes) -> list[Queue]:
    """The queues of a site; with a missing fact a stand-in, which no port is made of.

    Parameters
    ----------
    site : Site
    known : Definitions
    notes : Notes
        Takes the origins, and what is missing or left out.

    Returns
    -------
    list of Queue

    Raises
    ------
    ConfigurationError
        If a drop profile does not exist.
    """
    platform = known.facts.text(notes.interface, "platform")
    shares = _transmit_shares(site, notes, platform)
    buffers = _buffer_shares(site, platform)
    words = notes.words
    equal = platform == "mpc" and not any(e.scheduler and e.scheduler.excess for e in site.entries)
    made = []
    for entry in site.entries:
        of = entry.scheduler or Scheduler("", entry.line)
        name = site.prefix + entry.of
        where = f"queues[{name!r}]"
        share, row = shares[entry.of]
        line = (of.transmit.line if of.transmit else 0) if not row else 0
        notes.says(
            f"{where}.priority", of.priority_line, "" if of.priority_line else "junos.priority"
        )
        queue = Queue(name, ByteLimit(1), priority=words.index(of.priority))
        if of.priority in _STRICT:
            notes.says(f"{where}.guaranteed_bps", default="junos.strict_high")
            rate_bps = 0.0 if site.tree else site.whole_bps
            for each in of.said if of.excess or of.excess_priority else ():
                if each.words[0].startswith("excess"):
                    notes.lose(each, "A queue of this priority has no share of the excess.")
            queue = queue.replace(guaranteed_bps=rate_bps, weight=1.0)
        else:
            notes.says(f"{where}.guaranteed_bps", line, row)
            exactly = of.transmit if of.transmit and of.transmit.kind == "rate" else None
            rate_bps = exactly.value if exactly else share * site.whole_bps
            queue = queue.replace(guaranteed_bps=rate_bps, weight=share)
            if of.excess is not None:
                notes.says(f"{where}.weight", of.excess.line)
                queue = queue.replace(weight=of.excess.value)
            else:
                notes.says(f"{where}.weight", default=_row(platform, "excess_rate"))
                queue = queue.replace(weight=1.0) if equal else queue
            if of.excess_priority is not None:
                notes.says(f"{where}.excess_priority", of.excess_line)
                queue = queue.replace(excess_priority=words.index(of.excess_priority))
        queue = queue.replace(
            **_limits(of, site, share, where, notes, platform),
            dropper=_dropper(of, entry, known, site.prefix, notes),
        )
        limit = _limit(of, buffers.get(entry.of, (0.0, "")), share, site, known.facts, where, notes)
        made.append(queue.replace(limit=limit))
    return made


def _limits(
    of: Scheduler, site: Site, share: float, where: str, notes: Notes, platform: str
) -> dict[str, Any]:
    """What holds the queue back: its shaper, and the policer of `rate-limit`."""
    shaper = policer = None
    if of.shaping is not None:
        shaper = shaper_of(of.shaping, site.ceiling_bps, f"{where}.shaper", notes, platform)
    transmit = of.transmit
    if transmit is None or not (of.exact_line or of.limited_line):
        return {"shaper": shaper}
    if transmit.kind == "remainder":
        exact_bps = share * site.whole_bps
    else:
        exact_bps = transmit.of_bps(site.ceiling_bps)
    if not exact_bps:
        problem = "a transmit rate of 0 that may not be exceeded lets nothing through"
        raise ConfigurationError(f"{problem}; allowed: above 0", transmit.line)
    if of.exact_line and (shaper is None or exact_bps < shaper.rate_bps):
        notes.says(f"{where}.shaper.rate_bps", of.exact_line)
        burst = _burst_bytes(exact_bps, f"{where}.shaper.burst_bytes", notes, platform)
        shaper = Shaper(exact_bps, burst)
    if of.limited_line:
        notes.says(f"{where}.policer.rate_bps", transmit.line)
        notes.says(f"{where}.policer.burst_bytes", default="junos.rate_limit_burst")
        policer = rate_limit(exact_bps)
    return {"shaper": shaper, "policer": policer}


def _dropper(of: Scheduler, entry: Entry, known: Definitions, prefix: str, notes: Notes) -> Dropper:
    where = f"queues[{prefix + entry.of!r}]"
    ecn = bool(of.ecn_line)
    if not of.profiles:
        if ecn:
            said = next(each for each in of.said if each.words[0].startswith("explicit"))
            notes.lose(said, "Without a drop profile there is nothing to mark early.")
        notes.says(f"{where}.dropper", default="junos.full_queue")
        return HeadDrop()
    points: dict[str, Points] = {}
    for loss, (name, said) in of.profiles.items():
        if name not in known.drop_profiles:
            raise ConfigurationError(f"the drop profile {shown(name)} is not defined", said.line)
        for each in LOSS_PRIORITIES if loss == "any" else (loss,):
            if loss != "any" or each not in of.profiles:
                points[each] = known.drop_profiles[name]
    base = points.get("low")
    shape = next(iter(points.values())).interpolated if base is None else base.interpolated
    own = base.points if base else _FULL
    for loss, (_, said) in of.profiles.items():
        other = points["low" if loss == "any" and "low" in points else next(iter(points))]
        other = points.get(loss, other)
        if other.interpolated != shape:
            what = "The profiles of one queue are all lines, or all steps, as that of low is."
            notes.lose(said, what)
    marks = [(prefix + rule.mark, rule.loss) for rule in known.rules if _leads(rule, entry, known)]
    marks += [(MARK_OF_LOSS[loss], loss) for loss in LOSS_PRIORITIES[1:]]
    profiles = []
    for mark, loss in marks:
        theirs = points[loss].points if loss in points else _FULL
        if theirs != own:
            profiles.append((mark, theirs))
    first = next(iter(of.profiles.values()))[1]
    notes.says(f"{where}.dropper.points", base.line if base else first.line)
    at_tail = bool(ecn or profiles)
    if at_tail:
        sentence = "Packets are dropped as they arrive, not at the head, where a queue has"
        notes.lose(first, f"{sentence} profiles by loss priority or marks packets.")
    return DropProfile(
        own,
        "interpolated" if shape else "segmented",
        "tail" if at_tail else "head",
        ecn,
        tuple(dict(reversed(profiles)).items()),
    )


def _leads(rule: Rule, entry: Entry, known: Definitions) -> bool:
    return known.numbers.get(rule.of) == entry.number


def _limit(
    of: Scheduler,
    part: tuple[float, str],
    share: float,
    site: Site,
    facts: Facts,
    where: str,
    notes: Notes,
) -> ByteLimit | TimeLimit:
    platform = facts.text(notes.interface, "platform")
    size = of.buffer
    if size is not None and size.kind == "temporal":
        row = _row(platform, "temporal")
        at: Literal["served", "guaranteed", "line"] | None = None
        if row.startswith("m120"):
            at = "served"
        elif row.startswith("srx") and share and of.priority not in _STRICT:
            at = "guaranteed"
        elif site.buffer_bps == notes.line_bps:
            at = "line"
        if at is not None:
            notes.says(f"{where}.limit.time_s", size.line, row)
            return TimeLimit(size.value, at)
        made_of = Origin(f"{where}.limit.limit_bytes", size.line, row)
        return _bytes(units.octets(size.value * site.buffer_bps), made_of, notes)
    share_of_all, row = part
    line = size.line if size and not row else 0
    name = facts.name(notes.interface, "delay_buffer_s")
    delay_s = facts.number(notes.interface, "delay_buffer_s")
    if platform == "m120":
        if delay_s is None:
            question = "For how many seconds do the port's buffers hold traffic at the line rate?"
            notes.ask(facts, "delay_buffer_s", question, line)
            return ByteLimit(1)
        notes.says(f"{where}.limit.time_s", line, "m120.mad", name)
        if size is not None and size.value != share:
            said = next(each for each in of.said if each.words[:1] == ("buffer-size",))
            notes.lose(
                said,
                "The queue holds the delay buffer at the rate at which it is served;"
                " the memory that its percentage keeps for it is left out.",
            )
        return TimeLimit(delay_s or 1.0, at="served")
    total = facts.number(notes.interface, "buffer_bytes")
    if total is not None:
        name = facts.name(notes.interface, "buffer_bytes")
        total *= site.buffer_bps / notes.line_bps if site.tree else 1
    elif delay_s is not None:
        total = units.octets(delay_s * site.buffer_bps)
    else:
        question = (
            "How many bytes of buffer has the port in all? (Or give delay_buffer_s, for how"
            " long that is at the line rate.)"
        )
        notes.ask(facts, "buffer_bytes", question, line or of.line)
        return ByteLimit(1)
    made_of = Origin(f"{where}.limit.limit_bytes", line, row, name)
    return _bytes(share_of_all * total, made_of, notes)


def _bytes(size_bytes: float, made_of: Origin, notes: Notes) -> ByteLimit:
    """A limit, and no less than the least that a queue has."""
    least = int(_value("junos.least_buffer"))
    if size_bytes < least:
        made_of = made_of.replace(default="junos.least_buffer")
    notes.origins.append(made_of)
    return ByteLimit(max(round(size_bytes), least))
