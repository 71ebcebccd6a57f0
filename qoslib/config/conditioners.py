"""Shapers, policers and thresholds, as every dialect has them: of what a text or a default says."""

from dataclasses import dataclass, field

from qoslib import units
from qoslib.config.source import ConfigurationError
from qoslib.config.sourced import Sourced, made, number
from qoslib.config.values import Value
from qoslib.port import (
    ByteRedProfile,
    ExcessBurst,
    PeakRate,
    Policer,
    RedProfile,
    Shaper,
    ShareRedProfile,
    TimeRedProfile,
)
from qoslib.port.thresholds import Thresholds

__all__ = ["FRAME_BYTES", "Metered", "Row", "burst_of", "policer_of", "thresholds", "token_bucket"]

#: A shaper of the models never lets a frame go that its bucket cannot hold [B].
FRAME_BYTES = 1518
_UNSAID = Value(0.0, "B")
#: Two thresholds of a unit, and what the probability rises to.
Row = tuple[Value, Value, float]


@dataclass
class Metered:
    """A policer: its rates and bursts, which may be shares and times, and what each colour gets."""

    line: int
    rate: Value | None = None
    burst: Value | None = None
    peak: Value | None = None
    excess: Value | None = None
    actions: dict[str, str] = field(default_factory=dict)


def burst_of(size: Value, rate_bps: float, least: int = 1) -> Value:
    """A burst in whole bytes, at least so many; it may be the time in which a rate fills it.

    >>> burst_of(Value(0.2, "s", default="ios-xe.priority_burst"), 1e6).value
    25000
    """
    size_bytes = units.octets(size.value * rate_bps) if size.unit == "s" else size.value
    if size_bytes < 1 and size.line and not size.default:
        raise ConfigurationError("the burst is below a byte", size.line)
    return size._replace(value=max(int(size_bytes), least), unit="B")


def token_bucket(rate: Value, burst: Value, least: int = 1) -> Sourced[Shaper]:
    """A shaper; its burst may be a time.

    >>> token_bucket(Value(1e6, "bit/s", line=3), Value(0.2, "s")).part
    Shaper(rate_bps=1000000.0, burst_bytes=25000)
    """
    return made(Shaper, rate_bps=rate, burst_bytes=burst_of(burst, rate.value, least))


def policer_of(police: Metered, whole_bps: float, usual: Value = _UNSAID) -> Sourced[Policer]:
    """A policer, of a port or a class of a rate; without a burst it has the usual one.

    No device's own burst stops every full frame.

    >>> policer_of(Metered(3, Value(0.1, "1", line=3), Value(2e4, "B", line=3)), 1e9).part
    Policer(rate_bps=100000000.0, burst_bytes=20000)
    """
    assert police.rate is not None
    rate = police.rate.rate_in(whole_bps)
    excess: Sourced[ExcessBurst] | Sourced[PeakRate] | None = None
    burst = burst_of(police.burst or usual, rate.value, 1 if police.burst else FRAME_BYTES)
    if police.peak:
        peak = police.peak.rate_in(whole_bps)
        if peak.value < rate.value:
            raise ConfigurationError("the peak rate is below the committed rate", police.line)
        more = burst_of(police.excess or usual, peak.value, 1 if police.excess else FRAME_BYTES)
        excess = made(PeakRate, rate_bps=peak, burst_bytes=more)
    elif "violate" in police.actions:
        given = police.excess if police.excess and police.excess.value else None
        more = burst_of(given, rate.value) if given else usual._replace(value=burst.value)
        excess = made(ExcessBurst, burst_bytes=more)
    actions = {"conform": "pass", "exceed": "drop", "violate": "drop"} | police.actions
    if excess is None:
        actions["violate"] = "drop"
    return made(Policer, rate_bps=rate, burst_bytes=burst, excess=excess, **actions)


def thresholds(row: Row, rate_bps: float) -> Sourced[Thresholds]:
    """Thresholds in the unit in which they are given; times are at a rate.

    >>> thresholds((Value(20, "packets", line=3), Value(40, "packets"), 0.1), 1e6).part
    RedProfile(minimum_packets=20.0, maximum_packets=40.0, maximum_probability=0.1)
    """
    low, high, share = row
    if low.unit == "s":
        return number(TimeRedProfile(low.value, high.value, rate_bps, share), low)
    if low.unit == "1":
        return number(ShareRedProfile(low.value, high.value, share), low)
    counted = RedProfile if low.unit == "packets" else ByteRedProfile
    return number(counted(low.value, max(high.value, 1), share), low)
