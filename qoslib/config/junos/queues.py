"""The queues of one scheduler map: rates, weights, limits, droppers, each with its origin."""

from typing import Any

from qoslib import units
from qoslib.config.junos.buffers import limit_of_queue
from qoslib.config.junos.droppers import dropper_of
from qoslib.config.junos.profiles import Limit
from qoslib.config.junos.provenance import Definitions, Notes, Site, row_of, value_of
from qoslib.config.junos.references import NoPortError
from qoslib.config.junos.schedulers import Scheduler
from qoslib.port import ByteLimit, Policer, Queue, Shaper

__all__ = ["queues_of", "rate_limit", "shaper_of"]

#: Queue number -> what a queue without a scheduler of its own has of rate and buffer, and the row
#: of defaults that says so.
_UNSAID = {"": {0: 0.95, 3: 0.05}, "srx": {0: 0.95, 7: 0.05}}
#: Shares are sums of decimals: more digits are rounding.
_DIGITS = 12


def shaper_of(
    limit: Limit, whole_bps: float, where: str, notes: Notes, platform: str = ""
) -> Shaper:
    """A shaping rate with its burst, or the default burst."""
    rate = limit.rate.of_bps(whole_bps)
    notes.says(f"{where}.rate_bps", limit.rate.line)
    if limit.burst_bytes is not None:
        notes.says(f"{where}.burst_bytes", limit.line)
        return Shaper(rate, limit.burst_bytes)
    return Shaper(rate, _burst_bytes(rate, f"{where}.burst_bytes", notes, platform))


def _burst_bytes(rate_bps: float, where: str, notes: Notes, platform: str) -> int:
    row = row_of(platform, "shaping_burst")
    notes.says(where, default=row)
    least = int(value_of("junos.least_burst"))
    return max(int(units.octets(rate_bps * value_of(row))), least)


def rate_limit(rate_bps: float) -> Policer:
    """The policer of `transmit-rate ... rate-limit`, with its default burst.

    >>> rate_limit(1e7)
    Policer(rate_bps=10000000.0, burst_bytes=12500)
    """
    burst = int(units.octets(rate_bps * value_of("junos.rate_limit_burst")))
    return Policer(rate_bps, max(burst, int(value_of("junos.least_burst"))))


def _transmit_shares(
    site: Site, platform: str, strict: tuple[str, ...]
) -> dict[str, tuple[float, str]]:
    """Share of each queue, and the row of its default where none is configured.

    Queues of these `strict` priorities have none.
    """
    shares: dict[str, tuple[float, str]] = {}
    rest: dict[str, float] = {}
    for entry in site.entries:
        transmit = entry.scheduler.transmit if entry.scheduler else None
        if entry.scheduler and entry.scheduler.priority in strict:
            shares[entry.of] = 0.0, "acx7000.strict"
        elif transmit is None:
            row = row_of(platform, "transmit_rate")
            shares[entry.of] = _UNSAID.get(platform, _UNSAID[""]).get(entry.number, 0.0), row
        elif transmit.kind == "remainder":
            rest[entry.of] = transmit.value
        else:
            shares[entry.of] = transmit.of_bps(site.whole_bps) / site.whole_bps, ""
            if transmit.kind == "share":
                shares[entry.of] = transmit.value, ""
    return shares | _rest(shares, rest)


def _buffer_shares(site: Site, platform: str) -> dict[str, tuple[float, str]]:
    """Share of the buffer of each queue that has no time, and the row of its default."""
    shares: dict[str, tuple[float, str]] = {}
    rest: dict[str, float] = {}
    for entry in site.entries:
        size = entry.scheduler.buffer if entry.scheduler else None
        if size is None:
            row = row_of(platform, "buffer_size")
            shares[entry.of] = _UNSAID.get(platform, _UNSAID[""]).get(entry.number, 0.0), row
        elif size.kind == "remainder":
            rest[entry.of] = size.value
        elif size.kind != "temporal":
            shares[entry.of] = size.value, ""
    return shares | _rest(shares, rest)


def _rest(
    shares: dict[str, tuple[float, str]], rest: dict[str, float]
) -> dict[str, tuple[float, str]]:
    """What is left for `remainder`: a percentage of it, or an equal part where none is given."""
    left = max(1.0 - sum(share for share, _ in shares.values()), 0.0)
    equal = sum(1 for part in rest.values() if not part)
    row = "junos.remainder" if equal > 1 else ""
    return {
        of: (round(left * (part or 1 / equal), _DIGITS), "" if part else row)
        for of, part in rest.items()
    }


def queues_of(site: Site, known: Definitions, notes: Notes) -> list[Queue]:
    """The queues of a site; with a missing fact a stand-in, which no port is made of."""
    platform = known.facts.text(notes.interface, "platform")
    shares = _transmit_shares(site, platform, notes.strict if notes.acx7000 else ())
    buffers = _buffer_shares(site, platform)
    words = notes.words
    equal = platform == "mpc" and not any(e.scheduler and e.scheduler.excess for e in site.entries)
    made = []
    for entry in site.entries:
        of = entry.scheduler or Scheduler("", entry.line)
        name = site.prefix + entry.of
        where = f"queues[{name!r}]"
        share, row = shares[entry.of]
        line = of.transmit.line if of.transmit else 0
        notes.says(
            f"{where}.priority", of.priority_line, "" if of.priority_line else "junos.priority"
        )
        queue = Queue(name, ByteLimit(1), priority=words.index(of.priority))
        if of.priority in notes.strict:
            row = "acx7000.strict" if notes.acx7000 else "junos.strict_high"
            notes.says(f"{where}.guaranteed_bps", default=row)
            rate_bps = 0.0 if site.tree else site.whole_bps
            for each in of.said if of.excess or of.excess_priority else ():
                if each.words[0].startswith("excess"):
                    notes.lose(each, "A queue of this priority has no share of the excess.")
            queue = queue.replace(guaranteed_bps=rate_bps, weight=1.0)
        else:
            notes.says(f"{where}.guaranteed_bps", line, row)
            exactly = of.transmit if of.transmit and of.transmit.kind == "rate" else None
            rate_bps = exactly.value if exactly else share * site.whole_bps
            rate_bps = rate_bps if site.promised else 0.0
            queue = queue.replace(guaranteed_bps=rate_bps, weight=share)
            if of.excess is not None:
                notes.says(f"{where}.weight", of.excess.line)
                queue = queue.replace(weight=of.excess.value)
            else:
                notes.says(f"{where}.weight", line, row_of(platform, "excess_rate"))
                queue = queue.replace(weight=1.0) if equal else queue
            if of.excess_priority is not None:
                notes.says(f"{where}.excess_priority", of.excess_line)
                queue = queue.replace(excess_priority=words.index(of.excess_priority))
            elif of.excess_line:
                said = next(each for each in of.said if each.words[0] == "excess-priority")
                notes.lose(said, "What a queue without a place in the excess gets is left out.")
            elif not site.promised:
                # Beyond a guarantee all priorities share alike.
                queue = queue.replace(excess_priority=len(words) - 1)
        queue = queue.replace(
            **_limits(of, site, share, where, notes, platform),
            dropper=dropper_of(of, entry, known, site.prefix, notes),
        )
        limit = limit_of_queue(
            of, buffers.get(entry.of, (0.0, "")), share, site, known.facts, where, notes
        )
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
        raise NoPortError(problem, transmit.line)
    if of.exact_line and (shaper is None or exact_bps < shaper.rate_bps):
        notes.says(f"{where}.shaper.rate_bps", of.exact_line)
        burst = _burst_bytes(exact_bps, f"{where}.shaper.burst_bytes", notes, platform)
        shaper = Shaper(exact_bps, burst)
    if of.limited_line:
        notes.says(f"{where}.policer.rate_bps", transmit.line)
        notes.says(f"{where}.policer.burst_bytes", default="junos.rate_limit_burst")
        policer = rate_limit(exact_bps)
    return {"shaper": shaper, "policer": policer}
