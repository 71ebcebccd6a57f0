"""Policers, shapers and WRED of a class, with the bursts and thresholds that a platform gives."""

from dataclasses import replace
from functools import partial

from qoslib import units
from qoslib.config.code_points import DSCP, marks_matching
from qoslib.config.conditioners import FRAME_BYTES, Row, burst_of, thresholds, token_bucket
from qoslib.config.mqc.matches import ALL
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import Early, Priority, Shape
from qoslib.config.source import ConfigurationError
from qoslib.config.sourced import Sourced, by_mark, made, number
from qoslib.config.values import Value
from qoslib.port import (
    ByteLimit,
    Ewma,
    Instantaneous,
    PacketLimit,
    Policer,
    Red,
    Shaper,
)
from qoslib.port.thresholds import Thresholds

__all__ = ["DISCARDING", "dropper", "priority_policer", "shaper"]

#: What `drop` does to the packets of a class, whatever their rate is.
DISCARDING = Policer(units.kbps(8.0), FRAME_BYTES, conform="drop")


def shaper(shape: Shape, share_bps: float, platform: PlatformDefaults) -> Sourced[Shaper]:
    """The shaper of a class."""
    rate_bps = shape.rate.of_whole(share_bps)
    committed = shape.burst or platform.value("shape_burst")
    burst, excess = burst_of(committed, rate_bps).value, 0
    if shape.excess and shape.excess.value:
        excess = burst_of(shape.excess, rate_bps).value
    if shape.peak:
        excess = excess or burst
        rate_bps *= 1 + excess / burst
    size = committed._replace(value=burst + excess, unit="B")
    return token_bucket(shape.rate._replace(value=rate_bps), size, FRAME_BYTES)


def priority_policer(
    priority: Priority, share_bps: float, platform: PlatformDefaults
) -> Sourced[Policer]:
    """The policer that `priority` brings along, which drops in congestion."""
    assert priority.rate is not None
    rate = priority.rate.rate_in(share_bps)
    burst = burst_of(priority.burst or platform.value("priority_burst"), rate.value)
    return made(Policer, rate_bps=rate, burst_bytes=burst, when="congested")


def dropper(
    early: Early,
    marks: tuple[str, ...],
    limit: PacketLimit | ByteLimit,
    platform: PlatformDefaults,
    rate_bps: float,
) -> Sourced[Red]:
    """The dropper of a class: a profile for each mark that may come, where it is another."""
    if platform.packet_bytes:
        in_bytes = partial(_in_bytes, packet_bytes=platform.packet_bytes)
        early = replace(early, rows={mark: in_bytes(row) for mark, row in early.rows.items()})
    profile_of = partial(_profile_of, early, limit, platform, _unit(early, limit), rate_bps)
    base = profile_of("CS0" if early.by == "dscp" else "IP 0")
    every = {mark: profile_of(mark) for mark in _domain(early, marks)}
    own = {mark: profile for mark, profile in every.items() if profile.part != base.part}
    averaging: Sourced[Ewma] | Instantaneous = Instantaneous()
    if not early.instantaneous:
        exponent = early.weight or platform.value("wred_weight")
        averaging = made(Ewma, exponent=number(int(exponent.value), exponent))
    return made(Red, profile=base, profiles=by_mark(own), averaging=averaging, ecn=early.ecn)


def _profile_of(
    early: Early,
    limit: PacketLimit | ByteLimit,
    platform: PlatformDefaults,
    unit: str,
    rate_bps: float,
    mark: str,
) -> Sourced[Thresholds]:
    """The profile of a mark: a row of the table, or the platform's own."""
    row = early.rows.get(mark) or early.rows.get("")
    if row:
        return thresholds(row, rate_bps)
    length = limit.packets if isinstance(limit, PacketLimit) else limit.limit_bytes
    least, most = platform.thresholds(mark, early.by, length)
    if unit == "1":
        least, most = least / length, most / length
    elif unit == "s":
        least, most = (units.bits(each) / rate_bps for each in (least, most))
    source = platform.value("wred_thresholds")
    low, high = (source._replace(value=each, unit=unit) for each in (least, most))
    return thresholds((low, high, source.value), rate_bps)


def _in_bytes(row: Row, packet_bytes: int) -> Row:
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
