"""The queues of one scheduler map: rates, weights, limits, droppers, each with its origin."""

from typing import Any, Literal

from qoslib import units
from qoslib.config.defaults import default
from qoslib.config.junos.amounts import REMAINDER, of_bps
from qoslib.config.junos.definitions import Definitions, Draft, Entry, Site, row_of
from qoslib.config.junos.references import NoPortError, NotDefinedError, leave_out
from qoslib.config.junos.schedulers import Points, Scheduler
from qoslib.config.junos.words import LOSS_PRIORITIES, MARK_OF_LOSS, STRICT
from qoslib.config.values import Value
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

__all__ = ["queues_of", "rate_limit", "shaper_of"]

#: Platform -> what a queue without a scheduler of its own has of rate and buffer, by its number.
_UNSAID = {"": {0: 0.95, 3: 0.05}, "srx": {0: 0.95, 7: 0.05}}
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
    "How many bytes of buffer has the port in all? (Or give delay_buffer_s, for how long that is at"
    " the line rate.)"
)


def shaper_of(
    rate: Value, burst: Value | None, whole_bps: float, where: str, draft: Draft
) -> Shaper:
    """A shaping rate with its burst, or the default burst."""
    rate_bps = of_bps(rate, whole_bps)
    burst = burst or _default_burst(rate_bps, draft)
    draft.notes.record_origin(f"{where}.rate_bps", rate)
    draft.notes.record_origin(f"{where}.burst_bytes", burst)
    return Shaper(rate_bps, burst.value)


def _default_burst(rate_bps: float, draft: Draft) -> Value:
    burst = draft.default("shaping_burst")
    return burst._replace(value=_burst_bytes(rate_bps, burst.value))


def _burst_bytes(rate_bps: float, time_s: float) -> int:
    return max(int(units.octets(rate_bps * time_s)), int(_of_junos("least_burst")))


def _of_junos(name: str) -> float:
    return default(f"junos.{name}").value or 0.0


def rate_limit(rate_bps: float) -> Policer:
    """The policer of `transmit-rate ... rate-limit`, with its default burst.

    >>> rate_limit(1e7)
    Policer(rate_bps=10000000.0, burst_bytes=12500)
    """
    return Policer(rate_bps, _burst_bytes(rate_bps, _of_junos("rate_limit_burst")))


def queues_of(site: Site, known: Definitions, draft: Draft) -> list[Queue]:
    """The queues of a site; with a missing fact a stand-in, which no port is made of."""
    shares = _transmit_shares(site, draft)
    said = {e.of: e.scheduler.buffer if e.scheduler else None for e in site.entries}
    buffers = _shares(site, said, "buffer_size", draft)
    queues = []
    for entry in site.entries:
        of, share = entry.scheduler or Scheduler(entry.line), shares[entry.of]
        where = f"queues[{site.prefix + entry.of!r}]"
        draft.notes.record_origin(f"{where}.priority", of.priority)
        level = draft.words.index(of.priority.value)
        queue = Queue(site.prefix + entry.of, ByteLimit(1), priority=level)
        if of.priority.value in draft.strict:
            queue = queue.replace(**_strict(of, site, where, draft))
        else:
            queue = queue.replace(**_sharing(of, share, site, where, draft))
        queue = queue.replace(
            **_held_back(of, share.value, site, where, draft),
            dropper=_dropper(of, entry, site, known, draft),
        )
        part = buffers.get(entry.of, Value(0.0))
        queues.append(queue.replace(limit=_limit(of, part, share.value, site, where, draft)))
    return queues


def _transmit_shares(site: Site, draft: Draft) -> dict[str, Value]:
    """Share of each queue; strict ones of an ACX7000 have none."""
    said: dict[str, Value | None] = {}
    for entry in site.entries:
        of = entry.scheduler
        said[entry.of] = of.transmit if of else None
        if of and draft.acx7000 and of.priority.value in draft.strict:
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


def _strict(of: Scheduler, site: Site, where: str, draft: Draft) -> dict[str, Any]:
    """What a queue gets that is served before any guarantee."""
    row = "acx7000.strict" if draft.acx7000 else "junos.strict_high"
    draft.notes.record_origin(f"{where}.guaranteed_bps", Value(0.0, default=row))
    if of.excess or of.excess_priority:
        excess = [line for line in of.lines if line.words and line.words[0].startswith("excess")]
        leave_out(draft.notes, excess, "A queue of this priority has no share of the excess.")
    return {"guaranteed_bps": 0.0 if site.tree else site.whole_bps, "weight": 1.0}


def _sharing(of: Scheduler, share: Value, site: Site, where: str, draft: Draft) -> dict[str, Any]:
    """The guarantee, the weight and the place in the excess of a queue."""
    notes = draft.notes
    notes.record_origin(f"{where}.guaranteed_bps", share)
    exact = of.transmit and of.transmit.unit == "bit/s"
    rate_bps = of.transmit.value if of.transmit and exact else share.value * site.whole_bps
    more: dict[str, Any] = {"guaranteed_bps": rate_bps if site.promised else 0.0}
    weight = of.excess
    if weight is None:
        weight = share._replace(default=row_of(draft.platform, "excess_rate"))
        excess = [entry.scheduler.excess for entry in site.entries if entry.scheduler]
        if draft.platform == "mpc" and not any(excess):
            weight = weight._replace(value=1.0)
    notes.record_origin(f"{where}.weight", weight)
    more["weight"] = weight.value
    beyond = of.excess_priority
    if beyond and beyond.value == "none":
        line = of.first("excess-priority")
        leave_out(notes, [line], "What a queue without a place in the excess gets is left out.")
    elif beyond:
        notes.record_origin(f"{where}.excess_priority", beyond)
        more["excess_priority"] = draft.words.index(beyond.value)
    elif not site.promised:
        # Beyond a guarantee all priorities share alike.
        more["excess_priority"] = len(draft.words) - 1
    return more


def _held_back(of: Scheduler, share: float, site: Site, where: str, draft: Draft) -> dict[str, Any]:
    """What holds the queue back: its shaper, and the policer of `rate-limit`."""
    notes, shaper, policer = draft.notes, None, None
    if of.shaping:
        shaping = of.shaping, of.shaping_burst
        shaper = shaper_of(*shaping, site.ceiling_bps, f"{where}.shaper", draft)
    transmit = of.transmit
    if transmit is None or not (of.transmit_exact or of.transmit_limited):
        return {"shaper": shaper}
    exact_bps = of_bps(transmit, site.ceiling_bps)
    if transmit.unit == REMAINDER:
        exact_bps = share * site.whole_bps
    if not exact_bps:
        problem = "a transmit rate of 0 that may not be exceeded lets nothing through"
        raise NoPortError(problem, transmit.line)
    if of.transmit_exact and (shaper is None or exact_bps < shaper.rate_bps):
        burst = _default_burst(exact_bps, draft)
        notes.record_origin(f"{where}.shaper.rate_bps", of.transmit_exact)
        notes.record_origin(f"{where}.shaper.burst_bytes", burst)
        shaper = Shaper(exact_bps, burst.value)
    if of.transmit_limited:
        policer = rate_limit(exact_bps)
        burst = Value(policer.burst_bytes, "B", default="junos.rate_limit_burst")
        notes.record_origin(f"{where}.policer.rate_bps", transmit)
        notes.record_origin(f"{where}.policer.burst_bytes", burst)
    return {"shaper": shaper, "policer": policer}


def _dropper(of: Scheduler, entry: Entry, site: Site, known: Definitions, draft: Draft) -> Dropper:
    """The dropper of a queue, with points of their own for marks of other loss priorities."""
    notes, where = draft.notes, f"queues[{site.prefix + entry.of!r}].dropper"
    if not of.profiles:
        if of.ecn:
            line = of.first("explicit-congestion-notification")
            leave_out(notes, [line], "Without a drop profile there is nothing to mark early.")
        notes.record_origin(where, Value("", default="junos.full_queue"))
        return HeadDrop()
    by_loss = _points(of, known)
    base = by_loss.get("low")
    shape = (base or next(iter(by_loss.values()))).interpolated
    lines = {loss: line for loss, (_, line) in of.profiles.items()}
    unlike = [loss for loss, points in by_loss.items() if points.interpolated != shape]
    leave_out(notes, [lines[loss] for loss in unlike if loss in lines], _ONE_SHAPE)
    first = next(iter(lines.values()))
    rules = [rule for rule in known.rules if known.number(rule.of) == entry.number]
    marks = [(site.prefix + rule.mark, rule.loss) for rule in rules]
    marks += [(MARK_OF_LOSS[loss], loss) for loss in LOSS_PRIORITIES[1:]]
    own = (base or _FULL).points
    theirs = [(mark, by_loss.get(loss, _FULL).points) for mark, loss in reversed(marks)]
    # The first rule of a mark counts.
    profiles = {mark: points for mark, points in theirs if points != own}
    notes.record_origin(f"{where}.points", Value("", line=base.line if base else first.number))
    at_tail = bool(of.ecn or profiles)
    leave_out(notes, [first] if at_tail else [], _AT_TAIL)
    return DropProfile(
        own,
        "interpolated" if shape else "segmented",
        "tail" if at_tail else "head",
        bool(of.ecn),
        tuple(profiles.items()),
    )


def _points(of: Scheduler, known: Definitions) -> dict[str, Points]:
    """Loss priority -> its drop profile."""
    by_loss: dict[str, Points] = {}
    for loss, (name, line) in of.profiles.items():
        if name not in known.drop_profiles:
            raise NotDefinedError("drop profile", name, line.number)
        for each in LOSS_PRIORITIES if loss == "any" else (loss,):
            if loss != "any" or each not in of.profiles:
                by_loss[each] = known.drop_profiles[name]
    return by_loss


def _limit(
    of: Scheduler, part: Value, share: float, site: Site, where: str, draft: Draft
) -> ByteLimit | TimeLimit:
    """The limit of a queue: a time, or its part of the buffer."""
    if of.buffer and of.buffer.unit == "s":
        return _time_limit(of, of.buffer, share, site, where, draft)
    notes, delay = draft.notes, draft.fact("delay_buffer_s")
    if draft.platform == "m120":
        if delay is None:
            notes.ask(draft.facts, draft.interface, "delay_buffer_s", _HOW_LONG, part.line)
            return ByteLimit(1)
        served = delay._replace(line=part.line, default="m120.mad")
        notes.record_origin(f"{where}.limit.time_s", served)
        if of.buffer and of.buffer.value != share:
            leave_out(notes, [of.first("buffer-size")], _SERVED)
        return TimeLimit(delay.value or 1.0, at="served")
    total = draft.fact("buffer_bytes")
    if total is not None:
        scale = site.buffer_bps / draft.line_bps if site.tree else 1
        total = total._replace(value=total.value * scale)
    elif delay is not None:
        total = delay._replace(value=units.octets(delay.value * site.buffer_bps))
    else:
        notes.ask(draft.facts, draft.interface, "buffer_bytes", _HOW_LARGE, part.line or of.line)
        return ByteLimit(1)
    size = Value(part.value * total.value, "B", part.line, part.default, total.fact)
    return _byte_limit(size, where, draft)


def _time_limit(
    of: Scheduler, time: Value, share: float, site: Site, where: str, draft: Draft
) -> ByteLimit | TimeLimit:
    """A time at the rate that a platform counts it at, or the bytes that it is on a shaped port."""
    row = row_of(draft.platform, "temporal")
    at: Literal["served", "guaranteed", "line"] | None = None
    if row.startswith("m120"):
        at = "served"
    elif row.startswith("srx") and share and site.promised and of.priority.value not in STRICT:
        at = "guaranteed"
    elif site.buffer_bps == draft.line_bps:
        at = "line"
    time = time._replace(default=row)
    if at is None:
        size_bytes = units.octets(time.value * site.buffer_bps)
        return _byte_limit(time._replace(value=size_bytes, unit="B"), where, draft)
    draft.notes.record_origin(f"{where}.limit.time_s", time)
    return TimeLimit(time.value, at)


def _byte_limit(size: Value, where: str, draft: Draft) -> ByteLimit:
    """A limit, and no less than the least that a queue has."""
    least = draft.default("least_buffer")
    if size.value < int(least.value):
        size = size._replace(default=least.default)
    draft.notes.record_origin(f"{where}.limit.limit_bytes", size)
    return ByteLimit(max(round(size.value), int(least.value)))
