"""WRED: the profile of each mark, from the rows of a class and the platform's own table."""

from dataclasses import replace

from qoslib import units
from qoslib.config.code_points import DSCP, marks_matching
from qoslib.config.mqc.matches import ALL
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import Early
from qoslib.config.source import ConfigurationError
from qoslib.config.values import Value
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Ewma,
    Instantaneous,
    PacketLimit,
    Red,
    RedProfile,
    ShareRedProfile,
    TimeRedProfile,
)

__all__ = ["dropper"]

Profile = RedProfile | ByteRedProfile | TimeRedProfile | ShareRedProfile
Origins = list[tuple[str, Value | str | None]]


def _in_bytes(row: tuple[Value, Value, float], packet_bytes: int) -> tuple[Value, Value, float]:
    """A row in bytes, where a packet is taken to be so large (IOS XR)."""
    low, high, share = row
    if low.unit != "packets":
        return row
    low, high = (Value(each.value * packet_bytes, "B", each.line) for each in (low, high))
    return low, high, share


def dropper(
    early: Early,
    marks: tuple[str, ...],
    limit: PacketLimit | ByteLimit,
    platform: PlatformDefaults,
    rate_bps: float,
) -> tuple[Red, Origins]:
    """The dropper of a class: a profile for each mark that may come, where it is another."""
    if platform.packet_bytes:
        rows = {mark: _in_bytes(row, platform.packet_bytes) for mark, row in early.rows.items()}
        early = replace(early, rows=rows)
    used = {low.unit for low, _, _ in early.rows.values()}
    length = limit.packets if isinstance(limit, PacketLimit) else limit.limit_bytes
    unit = used.pop() if used else "packets" if isinstance(limit, PacketLimit) else "B"
    if used:
        raise ConfigurationError("the thresholds have several units; allowed: one", early.line)
    if (unit == "packets") != isinstance(limit, PacketLimit) and unit != "1":
        problem = (
            "thresholds and queue-limit have different units; allowed: packets for both, or none"
        )
        raise ConfigurationError(problem, early.line)

    def of(mark: str) -> tuple[Profile, Value | str]:
        row = early.rows.get(mark) or early.rows.get("")
        if row:
            low, high, share = row
            return _profile(unit, low.value, high.value, share, rate_bps), low
        least, most = platform.thresholds(mark, early.by, length)
        if unit == "1":
            least, most = least / length, most / length
        elif unit == "s":
            least, most = (units.bits(each) / rate_bps for each in (least, most))
        return _profile(unit, least, most, 0.1, rate_bps), platform.thresholds_default

    base, origin = of("CS0" if early.by == "dscp" else "IP 0")
    origins: Origins = [("dropper.profile", origin)]
    profiles = []
    for mark in _domain(early, marks):
        profile, origin = of(mark)
        if profile != base:
            profiles.append((mark, profile))
            origins.append((f"dropper.profiles[{mark!r}]", origin))
    averaging: Ewma | Instantaneous = Instantaneous()
    if not early.instantaneous:
        averaging = Ewma(int(early.weight.value)) if early.weight else Ewma()
        origins.append(("dropper.averaging.exponent", early.weight or platform.row("wred_weight")))
    return Red(base, tuple(profiles), averaging, early.ecn), origins


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
