"""The queues of one scheduler map: rates, weights, limits, droppers, each with its origin."""

from dataclasses import dataclass
from typing import Any, Literal

from qoslib import units
from qoslib.config.conditioners import burst_of, token_bucket
from qoslib.config.junos.amounts import REMAINDER, of_bps
from qoslib.config.junos.definitions import Draft, Entry, Site, row_of
from qoslib.config.junos.references import NoPortError, NotDefinedError, leave_out
from qoslib.config.junos.schedulers import Points, Profile, Scheduler
from qoslib.config.junos.words import LOSS_PRIORITIES, MARK_OF_LOSS, STRICT
from qoslib.config.sourced import Sourced, in_bytes, made, number
from qoslib.config.values import Value, of_default
from qoslib.port import ByteLimit, DropProfile, HeadDrop, Policer, Queue, Shaper, TimeLimit

__all__ = ["queues_of", "rate_limit", "shaper_of", "transmit_shares"]

Limit = ByteLimit | Sourced[ByteLimit] | Sourced[TimeLimit]
#: Platform -> what a queue without a scheduler of its own has of rate and buffer, by its number.
_UNSAID = {"": {0: 0.95, 3: 0.05}, "srx": {0: 0.95, 7: 0.05}}
_EXCESS = ("excess-rate",), ("excess-priority",)
#: Shares are sums of decimals: more digits are rounding.
_DIGITS = 12
#: A drop profile of packets for which none is configured: they are dropped when the queue is full.
_FULL = Points(((1.0, 1.0),), False, 0)
_ONE_SHAPE = "The profiles of one queue are all lines, or all steps, as that of low is."
_AT_TAIL = (
    "Packets are dropped as they arrive, not at the head, where a queue has profiles by loss"
    " priority or marks packets."
)
_SERVED = (
    "The queue holds the delay buffer at the rate at which it is served; the memory that its"
    " percentage keeps for it is left out."
)
_HOW_LONG = "For how many seconds do the port's buffers hold traffic at the line rate?"
_HOW_LARGE = (
    "How many bytes of buffer does the port have in total? (Or give delay_buffer_s, the time that"
    " they hold at the line rate.)"
)


def shaper_of(of: Profile | Scheduler, whole_bps: float, draft: Draft) -> Sourced[Shaper] | None:
    """What a shaping rate makes, if there is one, with its burst, or the default burst."""
    if of.shaping is None:
        return None
    rate = of.shaping._replace(value=of_bps(of.shaping, whole_bps))
    if of.shaping_burst:
        return token_bucket(rate, of.shaping_burst)
    return token_bucket(rate, draft.default("shaping_burst"), _least_burst())


def _least_burst() -> int:
    """No default burst is smaller [B]."""
    return int(of_default("junos.least_burst").value)


def rate_limit(rate: Value) -> Sourced[Policer]:
    """The policer of `transmit-rate ... rate-limit`, with its default burst.

    >>> rate_limit(Value(1e7)).part
    Policer(rate_bps=10000000.0, burst_bytes=12500)
    """
    burst = of_default("junos.rate_limit_burst")
    burst = burst_of(burst, rate.value, _least_burst())
    return made(Policer, rate_bps=rate, burst_bytes=burst)


def queues_of(site: Site, draft: Draft) -> list[Sourced[Queue]]:
    """The queues of a site; with a missing fact a stand-in, which no port is made of."""
    shares = transmit_shares(site, draft)
    said = {e.of: e.scheduler.buffer if e.scheduler else None for e in site.entries}
    buffers = _shares(site, said, "buffer_size", draft)
    queues = []
    for entry in site.entries:
        part = buffers.get(entry.of, Value(0.0))
        queues.append(_QueueDraft(entry, site, shares[entry.of], part, draft).queue())
    return queues


def transmit_shares(site: Site, draft: Draft) -> dict[str, Value]:
    """Share of each queue; strict ones of an ACX7000 have none."""
    said: dict[str, Value | None] = {}
    for entry in site.entries:
        of = entry.scheduler
        said[entry.of] = of.transmit if of else None
        if of and draft.known.acx7000 and of.priority.value in draft.strict:
            said[entry.of] = Value(0.0, "1", default="acx7000.strict")
    return _shares(site, said, "transmit_rate", draft)


def _shares(
    site: Site, said: dict[str, Value | None], unsaid: str, draft: Draft
) -> dict[str, Value]:
    """Share of each queue but those with a time; a row of defaults has that of the unsaid."""
    shares: dict[str, Value] = {}
    rest: dict[str, Value] = {}
    by_number = _UNSAID.get(draft.platform, _UNSAID[""])
    for entry in site.entries:
        value = said[entry.of]
        if value is None:
            row = row_of(draft.platform, unsaid)
            shares[entry.of] = Value(by_number.get(entry.number, 0.0), "1", default=row)
        elif value.unit == REMAINDER:
            rest[entry.of] = value
        elif value.unit == "bit/s":
            shares[entry.of] = value._replace(value=value.value / site.whole_bps, unit="1")
        elif value.unit == "1":
            shares[entry.of] = value
    left = max(1.0 - sum(share.value for share in shares.values()), 0.0)
    equal = sum(1 for part in rest.values() if not part.value)
    row = "junos.remainder" if equal > 1 else ""
    for of, part in rest.items():
        value = round(left * (part.value or 1 / equal), _DIGITS)
        shares[of] = Value(value, "1", part.line, "" if part.value else row)
    return shares


@dataclass
class _QueueDraft:
    """A queue while it is made: its entry in a map, its share of the rate and of the buffer."""

    entry: Entry
    site: Site
    share: Value
    part: Value
    draft: Draft

    def __post_init__(self) -> None:
        self.of = self.entry.scheduler or Scheduler(self.entry.line)
        self.name = self.site.prefix + self.entry.of
        self.notes = self.draft.notes

    def _leave(self, command: str, lost: str) -> None:
        leave_out(self.notes, [self.of.first(command)], lost)

    def _place(self, priority: Value) -> Sourced[int]:
        """The place of a priority, from 0."""
        return number(self.draft.words.index(priority.value), priority)

    def queue(self) -> Sourced[Queue]:
        """The queue, whose numbers have their sources."""
        priority = self.of.priority
        strict = priority.value in self.draft.strict
        return made(
            Queue,
            name=self.name,
            priority=self._place(priority),
            **(self._strict() if strict else self._sharing()),
            **self._held_back(),
            dropper=self._dropper(),
            limit=self._limit(),
        )

    def _strict(self) -> dict[str, object]:
        """What a queue gets that is served before any guarantee."""
        row = "acx7000.strict" if self.draft.known.acx7000 else "junos.strict_high"
        lines = [line for line in self.of.lines if line.words[:1] in _EXCESS]
        leave_out(self.notes, lines, "A queue of this priority has no share of the excess.")
        rate_bps = 0.0 if self.site.tree else self.site.whole_bps
        return {"guaranteed_bps": Value(rate_bps, default=row), "weight": 1.0}

    def _sharing(self) -> dict[str, object]:
        """The guarantee, the weight and the place in the excess of a queue."""
        of, site, draft = self.of, self.site, self.draft
        rate_bps = self.share.value * site.whole_bps
        if of.transmit and of.transmit.unit == "bit/s":
            rate_bps = of.transmit.value
        weight = of.excess or self.share._replace(default=row_of(draft.platform, "excess_rate"))
        excess = [entry.scheduler.excess for entry in site.entries if entry.scheduler]
        if draft.platform == "mpc" and not any(excess):
            weight = weight._replace(value=1.0)
        more: dict[str, object] = {}
        if of.excess_priority and of.excess_priority.value == "none":
            lost = "What a queue without a place in the excess gets is left out."
            self._leave("excess-priority", lost)
        elif of.excess_priority:
            more["excess_priority"] = self._place(of.excess_priority)
        elif not site.promised:
            # Beyond a guarantee all priorities share alike.
            more["excess_priority"] = len(draft.words) - 1
        promised = number(rate_bps if site.promised else 0.0, self.share)
        return {"guaranteed_bps": promised, "weight": weight, **more}

    def _held_back(self) -> dict[str, object]:
        """What holds the queue back: its shaper, and the policer of `rate-limit`."""
        of, site, transmit, policer = self.of, self.site, self.of.transmit, None
        shaper = shaper_of(of, site.ceiling_bps, self.draft)
        if transmit is None or not (of.transmit_exact or of.transmit_limited):
            return {"shaper": shaper}
        exact_bps = of_bps(transmit, site.ceiling_bps)
        if transmit.unit == REMAINDER:
            exact_bps = self.share.value * site.whole_bps
        if not exact_bps:
            problem = "a transmit rate of 0 that may not be exceeded lets nothing through"
            raise NoPortError(problem, transmit.line)
        if of.transmit_exact and (shaper is None or exact_bps < shaper.part.rate_bps):
            exact = Value(exact_bps, "bit/s", of.transmit_exact.line)
            shaper = shaper_of(Scheduler(of.line, shaping=exact), exact_bps, self.draft)
        if of.transmit_limited:
            policer = rate_limit(transmit._replace(value=exact_bps))
        return {"shaper": shaper, "policer": policer}

    def _dropper(self) -> Sourced[HeadDrop] | Sourced[DropProfile]:
        """The dropper of a queue, with points of their own for marks of other loss priorities."""
        of = self.of
        if not of.profiles:
            if of.ecn:
                lost = "Without a drop profile there is nothing to mark early."
                self._leave("explicit-congestion-notification", lost)
            return number(HeadDrop(), Value("", default="junos.full_queue"))
        by_loss = self._points()
        base = by_loss.get("low")
        shape = (base or next(iter(by_loss.values()))).interpolated
        lines = {loss: line for loss, (_, line) in of.profiles.items()}
        unlike = [loss for loss, points in by_loss.items() if points.interpolated != shape]
        leave_out(self.notes, [lines[loss] for loss in unlike if loss in lines], _ONE_SHAPE)
        first, own = next(iter(lines.values())), (base or _FULL).points
        profiles = self._profiles(by_loss, own)
        at_tail = bool(of.ecn or profiles)
        leave_out(self.notes, [first] if at_tail else [], _AT_TAIL)
        return made(
            DropProfile,
            points=Value(own, line=base.line if base else first.number),
            shape="interpolated" if shape else "segmented",
            drop_at="tail" if at_tail else "head",
            ecn=bool(of.ecn),
            profiles=tuple(profiles.items()),
        )

    def _points(self) -> dict[str, Points]:
        """Loss priority -> its drop profile."""
        by_loss: dict[str, Points] = {}
        known = self.draft.known.drop_profiles
        for loss, (name, line) in self.of.profiles.items():
            if name not in known:
                raise NotDefinedError("drop profile", name, line.number)
            for each in LOSS_PRIORITIES if loss == "any" else (loss,):
                if loss != "any" or each not in self.of.profiles:
                    by_loss[each] = known[name]
        return by_loss

    def _profiles(self, by_loss: dict[str, Points], own: Any) -> dict[str, Any]:
        """Mark -> points, where these are other ones than its `own`; the first rule counts."""
        rules = self.draft.known.rules_of(self.entry)
        marks = [(self.site.prefix + rule.mark, rule.loss) for rule in rules]
        marks += [(MARK_OF_LOSS[loss], loss) for loss in LOSS_PRIORITIES[1:]]
        theirs = [(mark, by_loss.get(loss, _FULL).points) for mark, loss in reversed(marks)]
        return {mark: points for mark, points in theirs if points != own}

    def _limit(self) -> Limit:
        """The limit of a queue: a time, or its part of the buffer."""
        buffer, part, draft = self.of.buffer, self.part, self.draft
        if buffer and buffer.unit == "s":
            return self._time_limit(buffer)
        delay, total = draft.fact("delay_buffer_s"), draft.fact("buffer_bytes")
        if draft.platform == "m120":
            if delay is None:
                draft.ask("delay_buffer_s", _HOW_LONG, part.line)
                return ByteLimit(1)
            if buffer and buffer.value != self.share.value:
                self._leave("buffer-size", _SERVED)
            time = Value(delay.value or 1.0, "s", part.line, "m120.mad", delay.fact)
            return made(TimeLimit, time_s=time, at="served")
        if total is not None:
            scale = self.site.buffer_bps / draft.line_bps if self.site.tree else 1
            total = total._replace(value=total.value * scale)
        elif delay is not None:
            total = delay._replace(value=units.octets(delay.value * self.site.buffer_bps))
        else:
            draft.ask("buffer_bytes", _HOW_LARGE, part.line or self.of.line)
            return ByteLimit(1)
        return self._byte_limit(part._replace(value=part.value * total.value, fact=total.fact))

    def _time_limit(self, time: Value) -> Limit:
        """A time at the rate that a platform counts it at, or its bytes on a shaped port."""
        row, site = row_of(self.draft.platform, "temporal"), self.site
        shares = self.share.value and self.of.priority.value not in STRICT
        at: Literal["served", "guaranteed", "line"] | None = None
        if row.startswith("m120"):
            at = "served"
        elif row.startswith("srx") and shares and site.promised:
            at = "guaranteed"
        elif site.buffer_bps == self.draft.line_bps:
            at = "line"
        time = time._replace(default=row)
        if at is None:
            return self._byte_limit(time._replace(value=units.octets(time.value * site.buffer_bps)))
        return made(TimeLimit, time_s=time, at=at)

    def _byte_limit(self, size: Value) -> Sourced[ByteLimit]:
        """A limit, and no less than the least that a queue has."""
        least = self.draft.default("least_buffer")
        if size.value < int(least.value):
            size = size._replace(default=least.default)
        return in_bytes(max(round(size.value), int(least.value)), size)
