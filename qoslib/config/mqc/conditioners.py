"""Policers, shapers and WRED of a class, with the bursts and thresholds that a platform gives."""

from dataclasses import replace
from functools import partial

from qoslib import units
from qoslib.config.code_points import DSCP, marks_matching
from qoslib.config.mqc.matches import ALL
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import Early, Metered, Priority, Shape
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Ewma,
    ExcessBurst,
    Instantaneous,
    PacketLimit,
    PeakRate,
    Policer,
    Red,
    RedProfile,
    Shaper,
    ShareRedProfile,
    TimeRedProfile,
)

__all__ = ["DISCARDING", "dropper", "policer", "priority_policer", "shaper"]

Profile = RedProfile | ByteRedProfile | TimeRedProfile | ShareRedProfile
#: Path in a policer or a dropper -> the line, or the default, that says it.
Sources = dict[str, Value]
#: A shaper of the models never lets a frame go that its bucket cannot hold [B].
_FRAME_BYTES = 1518

#: What `drop` does to the packets of a class, whatever their rate is.
DISCARDING = Policer(units.kbps(8.0), _FRAME_BYTES, conform="drop")


def _burst_bytes(burst: Value, rate_bps: float) -> int:
    """A burst, or what a rate carries in the time of one."""
    size = burst.value if burst.unit == "B" else units.octets(burst.value * rate_bps)
    if size < 1 and not burst.default:
        raise ConfigurationError("the burst is below a byte", burst.line)
    return max(int(size), 1)


def shaper(shape: Shape, share_bps: float, platform: PlatformDefaults) -> tuple[Shaper, Sources]:
    """The shaper of a class."""
    rate_bps = shape.rate.of_whole(share_bps)
    committed = shape.burst or platform.value("shape_burst")
    burst, excess = _burst_bytes(committed, rate_bps), 0
    if shape.excess and shape.excess.value:
        excess = _burst_bytes(shape.excess, rate_bps)
    if shape.peak:
        excess = excess or burst
        rate_bps *= 1 + excess / burst
    sources = {"rate_bps": shape.rate, "burst_bytes": committed}
    return Shaper(rate_bps, max(burst + excess, _FRAME_BYTES)), sources


def priority_policer(
    priority: Priority, share_bps: float, platform: PlatformDefaults
) -> tuple[Policer, Sources]:
    """The policer that `priority` brings along, which drops in congestion."""
    assert priority.rate is not None
    rate_bps = priority.rate.of_whole(share_bps)
    burst = priority.burst or platform.value("priority_burst")
    limit = Policer(rate_bps, _burst_bytes(burst, rate_bps), when="congested")
    return limit, {"rate_bps": priority.rate, "burst_bytes": burst}


def policer(
    police: Metered, share_bps: float, platform: PlatformDefaults
) -> tuple[Policer, Sources]:
    """The policer of `police`."""
    assert police.rate is not None
    default = platform.value("police_burst")
    rate_bps = police.rate.of_whole(share_bps)
    burst = police.burst or default
    burst_bytes = _burst_bytes(burst, rate_bps)
    sources = {"rate_bps": police.rate, "burst_bytes": burst}
    excess: ExcessBurst | PeakRate | None = None
    if police.peak:
        peak_bps, more = police.peak.of_whole(share_bps), police.excess or default
        if peak_bps < rate_bps:
            raise ConfigurationError("the peak rate is below the committed rate", police.line)
        excess = PeakRate(peak_bps, _burst_bytes(more, peak_bps))
        sources |= {"excess.rate_bps": police.peak, "excess.burst_bytes": more}
    elif "violate" in police.actions:
        given = police.excess if police.excess and police.excess.value else None
        excess = ExcessBurst(_burst_bytes(given, rate_bps) if given else burst_bytes)
        sources["excess.burst_bytes"] = given or default
    actions = {"conform": "pass", "exceed": "drop", "violate": "drop"} | police.actions
    if excess is None:
        actions["violate"] = "drop"
    limit = Policer(rate_bps, burst_bytes, excess=excess, **actions)  # type: ignore[arg-type]
    return limit, sources


def dropper(
    early: Early,
    marks: tuple[str, ...],
    limit: PacketLimit | ByteLimit,
    platform: PlatformDefaults,
    rate_bps: float,
) -> tuple[Red, Sources]:
    """The dropper of a class: a profile for each mark that may come, where it is another."""
    if platform.packet_bytes:
        in_bytes = partial(_in_bytes, packet_bytes=platform.packet_bytes)
        early = replace(early, rows={mark: in_bytes(row) for mark, row in early.rows.items()})
    profile_of = partial(_profile_of, early, limit, platform, _unit(early, limit), rate_bps)
    base, source = profile_of("CS0" if early.by == "dscp" else "IP 0")
    sources: Sources = {"dropper.profile": source}
    profiles = []
    for mark in _domain(early, marks):
        profile, source = profile_of(mark)
        if profile != base:
            profiles.append((mark, profile))
            sources[f"dropper.profiles[{mark!r}]"] = source
    averaging: Ewma | Instantaneous = Instantaneous()
    if not early.instantaneous:
        averaging = Ewma(int(early.weight.value)) if early.weight else Ewma()
        exponent = early.weight or platform.value("wred_weight")
        sources["dropper.averaging.exponent"] = exponent
    return Red(base, tuple(profiles), averaging, early.ecn), sources


def _profile_of(
    early: Early,
    limit: PacketLimit | ByteLimit,
    platform: PlatformDefaults,
    unit: str,
    rate_bps: float,
    mark: str,
) -> tuple[Profile, Value]:
    """The profile of a mark: a row of the table, or the platform's own."""
    row = early.rows.get(mark) or early.rows.get("")
    if row:
        low, high, share = row
        return _profile(unit, low.value, high.value, share, rate_bps), low
    length = limit.packets if isinstance(limit, PacketLimit) else limit.limit_bytes
    least, most = platform.thresholds(mark, early.by, length)
    if unit == "1":
        least, most = least / length, most / length
    elif unit == "s":
        least, most = (units.bits(each) / rate_bps for each in (least, most))
    source = platform.value("wred_thresholds")
    return _profile(unit, least, most, source.value, rate_bps), source


def _in_bytes(row: tuple[Value, Value, float], packet_bytes: int) -> tuple[Value, Value, float]:
    """A row in bytes, where a packet is taken to be so large (IOS XR)."""
    low, high, share = row
    if low.unit != "packets":
        return row
    low, high = (Value(each.value * packet_bytes, "B", each.line) for each in (low, high))
    return low, high, share


def _unit(early: Early, limit: PacketLimit | ByteLimit) -> str:
    """The unit of all thresholds: that of the rows, which fits the limit, else of the limit."""
    of_limit = "packets" if isinstance(limit, PacketLimit) else "B"
    used = {low.unit for low, _, _ in early.rows.values()} or {of_limit}
    if len(used) > 1:
        raise ConfigurationError("the thresholds have several units; allowed: one", early.line)
    (unit,) = used
    if unit != "1" and (unit == "packets") != (of_limit == "packets"):
        problem = "thresholds and queue-limit have different units; allowed: packets for both"
        raise ConfigurationError(f"{problem}, or none", early.line)
    return unit


def _domain(early: Early, marks: tuple[str, ...]) -> list[str]:
    """The marks of packets that may come, in a fixed order."""
    if early.by == "dscp":
        every = [*DSCP, *sorted(mark for mark in early.rows if mark not in DSCP)]
    else:
        every = [mark for p in range(8) for mark in marks_matching(p, "IP")]
    known = [mark for mark in every if mark in marks]
    return every if marks in ((), ALL) or not known else known


def _profile(unit: str, low: float, high: float, share: float, rate_bps: float) -> Profile:
    if unit == "packets":
        return RedProfile(low, max(high, 1), share)
    if unit == "B":
        return ByteRedProfile(low, max(high, 1), share)
    if unit == "s":
        return TimeRedProfile(low, high, rate_bps, share)
    return ShareRedProfile(low, high, share)
