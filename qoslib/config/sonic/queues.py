"""A queue of SONiC: its scheduler, its share of the memory, and its WRED profile."""

from typing import Any

from qoslib import units
from qoslib.config.defaults import default
from qoslib.config.records import Origin
from qoslib.config.sonic.entries import MOST, Reading
from qoslib.config.sonic.tables import shown
from qoslib.config.source import ConfigurationError
from qoslib.port import ByteLimit, ByteRedProfile, Instantaneous, Queue, Red, Shaper, TailDrop

__all__ = ["queue_of", "shaper_of"]

_SCHEDULERS = ("DWRR", "WRR", "STRICT")


def shaper_of(reading: Reading, port: str, where: str) -> Shaper | None:
    """What `pir` and `pbs` of the scheduler of a whole port say."""
    named = reading.of_port(port, "scheduler")
    return _shaper(reading, reading.of("SCHEDULER", named), where) if named else None


def _shaper(reading: Reading, scheduler: str, where: str) -> Shaper | None:
    pir = reading.field("SCHEDULER", scheduler, "pir")
    if pir is None or not reading.number(pir, "pir", 0) or _counts_packets(reading, scheduler):
        return None
    rate_bps = units.bits(reading.number(pir, "pir", 0, units.octets(MOST)))
    reading.origins.append(Origin(f"{where}.rate_bps", pir.line))
    pbs = reading.field("SCHEDULER", scheduler, "pbs")
    burst_bytes = int(reading.number(pbs, "pbs", 0)) if pbs else 0
    if burst_bytes:
        reading.origins.append(Origin(f"{where}.burst_bytes", pbs.line if pbs else 0))
    else:
        burst_bytes = int(default("sonic.pbs").value or 1)
        reading.origins.append(Origin(f"{where}.burst_bytes", default="sonic.pbs"))
    return Shaper(rate_bps, burst_bytes)


def _counts_packets(reading: Reading, scheduler: str) -> bool:
    """Whether its rates are in packets, which no shaper here counts."""
    meter = reading.field("SCHEDULER", scheduler, "meter_type")
    if meter is None or meter.value != "packets":
        return False
    lost = "Rates in packets per second are not modelled: nothing is promised on ports with them."
    reading.lose("SCHEDULER", scheduler, lost)
    reading.in_packets = True
    return True


def queue_of(reading: Reading, port: str, number: int) -> Queue:
    """A queue of a port; where a fact is missing with a stand-in for its limit."""
    name = f"queue {number}"
    where = f"queues[{name!r}]"
    queue = Queue(name, ByteLimit(1), weight=default("sonic.weight").value or 1.0)
    named = reading.entry("QUEUE", number, "scheduler")
    reading.strict[name] = False
    if named is None:
        reading.origins.append(Origin(f"{where}.weight", default="sonic.weight"))
    else:
        queue = _scheduled(reading, reading.of("SCHEDULER", named), queue, where)
    queue = queue.replace(**_memory(reading, port, number, where))
    return queue.replace(**_wred(reading, number, where))


def _scheduled(reading: Reading, scheduler: str, queue: Queue, where: str) -> Queue:
    kind = reading.field("SCHEDULER", scheduler, "type")
    if kind is not None and kind.value not in _SCHEDULERS:
        problem = f"the type of a scheduler is {shown(kind.value)}"
        raise ConfigurationError(f"{problem}; allowed: {', '.join(_SCHEDULERS)}", kind.line)
    reading.strict[queue.name] = kind is not None and kind.value == "STRICT"
    if (kind is None or kind.value == "WRR") and "SCHEDULER" in reading.tables:
        sentence = "Turns are of packets; here a weight is a share of the bytes."
        reading.lose("SCHEDULER", scheduler, sentence)
    weight = reading.field("SCHEDULER", scheduler, "weight")
    if weight is not None:
        queue = queue.replace(weight=reading.number(weight, "the weight", 1, 10_000))
        reading.origins.append(Origin(f"{where}.weight", weight.line))
    else:
        reading.origins.append(Origin(f"{where}.weight", default="sonic.weight"))
    cir = reading.field("SCHEDULER", scheduler, "cir")
    if cir is not None and not _counts_packets(reading, scheduler):
        rate_bps = units.bits(reading.number(cir, "cir", 0, units.octets(MOST)))
        reading.origins.append(Origin(f"{where}.guaranteed_bps", cir.line))
        queue = queue.replace(guaranteed_bps=rate_bps)
    return queue.replace(shaper=_shaper(reading, scheduler, f"{where}.shaper"))


def _memory(reading: Reading, port: str, number: int, where: str) -> dict[str, Any]:
    """Its limit, and its part of a pool."""
    named = reading.entry("BUFFER_QUEUE", number, "profile")
    facts = reading.facts
    if named is None or not reading.has("BUFFER_PROFILE", named):
        size_bytes = facts.number(port, "buffer_bytes")
        if size_bytes is None or size_bytes < 1:
            question = "How many bytes of buffer may a queue of this port take?"
            missing = facts.missing(port, "buffer_bytes", question, reading.line("QUEUE", port))
            reading.missing += [missing] if missing not in reading.missing else []
            return {}
        fact = facts.name(port, "buffer_bytes")
        reading.origins.append(Origin(f"{where}.limit.limit_bytes", fact=fact))
        return {"limit": ByteLimit(int(size_bytes))}
    profile = reading.of("BUFFER_PROFILE", named)
    found: dict[str, Any] = {}
    pool = reading.field("BUFFER_PROFILE", profile, "pool")
    if pool is None:
        raise ConfigurationError(f"the profile {shown(profile)} names no pool", named.line)
    name = reading.of("BUFFER_POOL", pool)
    size = reading.field("BUFFER_PROFILE", profile, "size")
    reserved = int(reading.number(size, "the size", 0)) if size else 0
    total = reading.pools().get(name)
    static = reading.field("BUFFER_PROFILE", profile, "static_th")
    if static is not None:
        reading.origins.append(Origin(f"{where}.limit.limit_bytes", static.line))
        found["limit"] = ByteLimit(int(reading.number(static, "static_th", 1)))
    if total is None:
        if static is None:
            size_bytes = facts.number(port, "buffer_bytes")
            if not size_bytes:
                question = f"How many bytes has the pool {name} of this device?"
                missing = facts.missing(port, "buffer_bytes", question, pool.line)
                reading.missing += [missing] if missing not in reading.missing else []
                return {}
            fact = facts.name(port, "buffer_bytes")
            reading.origins.append(Origin(f"{where}.limit.limit_bytes", fact=fact))
            found["limit"] = ByteLimit(int(size_bytes))
        return found
    if static is None:
        reading.origins.append(Origin(f"{where}.limit.limit_bytes", pool.line))
        found["limit"] = ByteLimit(total)
    found |= {"pool": name, "reserved_bytes": reserved}
    if size:
        reading.origins.append(Origin(f"{where}.reserved_bytes", size.line))
    threshold = reading.field("BUFFER_PROFILE", profile, "dynamic_th")
    if threshold is not None:
        found["alpha"] = 2.0 ** reading.number(threshold, "dynamic_th", -8, 8)
        reading.origins.append(Origin(f"{where}.alpha", threshold.line))
    return found


def _wred(reading: Reading, number: int, where: str) -> dict[str, Any]:
    """Its dropper, and the thresholds from which packets are marked."""
    named = reading.entry("QUEUE", number, "wred_profile")
    if named is None:
        return {}
    profile = reading.of("WRED_PROFILE", named)
    low, high, chance = (
        reading.field("WRED_PROFILE", profile, f"green_{name}")
        for name in ("min_threshold", "max_threshold", "drop_probability")
    )
    if low is None or high is None:
        reading.lose("WRED_PROFILE", profile, "It has no thresholds for green packets.")
        return {}
    least, most = (reading.number(each, "the threshold", 0) for each in (low, high))
    if least > most or not most:
        raise ConfigurationError("the minimum threshold is above the maximum", low.line)
    hundred = 100
    share = reading.number(chance, "the probability", 0, hundred) / hundred if chance else 1.0
    thresholds = ByteRedProfile(least, most, share)
    ecn = reading.field("WRED_PROFILE", profile, "ecn")
    marks = ecn is not None and ecn.value in (
        "ecn_all",
        "ecn_green",
        "ecn_green_yellow",
        "ecn_green_red",
    )
    enabled = reading.field("WRED_PROFILE", profile, "wred_green_enable")
    drops = enabled is not None and enabled.value.lower() == "true"
    place = "dropper.profile" if drops else "marking"
    reading.origins += [
        Origin(f"{where}.{place}.minimum_bytes", low.line),
        Origin(f"{where}.{place}.maximum_bytes", high.line),
    ]
    if chance:
        reading.origins.append(Origin(f"{where}.{place}.maximum_probability", chance.line))
    if not drops:
        return {"dropper": TailDrop(), "marking": thresholds if marks else None}
    reading.origins.append(Origin(f"{where}.dropper.averaging", default="sonic.averaging"))
    return {"dropper": Red(thresholds, averaging=Instantaneous(), ecn=marks)}
