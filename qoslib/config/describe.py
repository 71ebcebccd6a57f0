"""Values of a port in the words of the field, for sentences about them."""

from collections.abc import Callable
from typing import Any

from qoslib import units
from qoslib.config.amounts import rate_text, size_text, time_text
from qoslib.port import (
    AsymmetricEwma,
    ByteLimit,
    ByteRedProfile,
    CakeTins,
    Cobalt,
    Codel,
    DeficitRoundRobin,
    DropProfile,
    DualPi2,
    Ewma,
    ExcessBurst,
    ExcessRate,
    Fifo,
    FlowQueues,
    HeadDrop,
    HierarchicalTokenBucket,
    Instantaneous,
    MemoryPool,
    ModifiedDrr,
    PacketLimit,
    Pause,
    PeakRate,
    Pie,
    Policer,
    PriorityLevels,
    PriorityPause,
    Red,
    RedProfile,
    Sampled,
    SchedulerTree,
    Shaper,
    ShareRedProfile,
    StartTimeFairQueueing,
    StrictPriority,
    TailDrop,
    TimeLimit,
    TimeRedProfile,
    TruncatingEwma,
    WeightedRoundRobin,
)
from qoslib.record import Record

__all__ = ["in_words", "named_type", "pair"]

#: At most so many digits tell two numbers apart.
_DIGITS = 17
#: End of a field's name -> a number of it as a text, and as one with more digits.
_UNITS: dict[str, tuple[Callable[[float], str], str]] = {
    "_bps": (rate_text, "b/s"),
    "_bytes": (size_text, "B"),
    "_s": (time_text, "s"),
    "_packets": (lambda value: f"{value:,g} packets", "packets"),
    "_probability": (lambda value: _percent(value), ""),
}
_TYPES: dict[type, str] = {
    CakeTins: "the tins of CAKE",
    Cobalt: "COBALT",
    Codel: "CoDel",
    DualPi2: "DualPI2",
    DeficitRoundRobin: "deficit round robin",
    Fifo: "first in, first out",
    HeadDrop: "head drop (the oldest packet goes)",
    HierarchicalTokenBucket: "a hierarchical token bucket (HTB)",
    Instantaneous: "the queue as it is",
    ModifiedDrr: "modified deficit round robin (MDRR)",
    Pause: "PAUSE of the whole line (IEEE 802.3x)",
    Pie: "PIE",
    PriorityLevels: "priorities with guaranteed rates, as in Junos",
    PriorityPause: "PAUSE of one priority (IEEE 802.1Qbb)",
    SchedulerTree: "a tree with guaranteed rates and weights",
    StartTimeFairQueueing: "weighted fair queueing",
    StrictPriority: "strict priority",
    TailDrop: "tail drop",
    WeightedRoundRobin: "weighted round robin by packets (WRR)",
}
_AT = {"guaranteed": "guaranteed rate", "line": "line rate", "served": "served rate"}
_WORDS: dict[str, dict[str, str]] = {
    "when": {"always": "none (it always acts)", "congested": "congestion of the port"},
    "uncongested": {"drains": "one that what passes drains", "keeps": "one that stays full"},
    "drop_at": {"head": "the head", "tail": "the tail"},
}


def named_type(value: Record) -> str:
    """What a mechanism is called.

    >>> named_type(StrictPriority())
    'strict priority'
    """
    return _TYPES.get(type(value), type(value).__name__)


def pair(field: str, one: Any, other: Any) -> tuple[str, str]:
    """Two values of a field, with as many digits as tell them apart.

    >>> pair("rate_bps", 2e6, 3e6), pair("rate_bps", 1_000_000, 1_000_001)
    (('2 Mb/s', '3 Mb/s'), ('1000000 b/s', '1000001 b/s'))
    """
    said = in_words(field, one), in_words(field, other)
    if said[0] != said[1] or isinstance(one, Record | str | tuple):
        return said
    unit = next((f" {unit}" for end, (_, unit) in _UNITS.items() if field.endswith(end)), "")
    for digits in range(4, _DIGITS + 1):
        said = f"{one:.{digits}g}{unit}", f"{other:.{digits}g}{unit}"
        if said[0] != said[1]:
            break
    return said


def in_words(field: str, value: Any) -> str:
    """A value of a field as people say it.

    >>> in_words("limit", ByteLimit(64_000)), in_words("ecn", True)
    ('64,000 B', 'on')
    >>> in_words("dropper", Red(RedProfile(20, 40, 0.1), ecn=True))
    'RED from 20 to 40 packets, at most 10 %, with ECN'
    """
    if isinstance(value, Record):
        return _RECORDS[type(value)](value) if type(value) in _RECORDS else named_type(value)
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return _WORDS[field][value] if field in _WORDS else repr(value)
    if isinstance(value, tuple):
        return _listed(field, value)
    for end, (text, _) in _UNITS.items():
        if field.endswith(end):
            return text(value)
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def _listed(field: str, values: tuple[Any, ...]) -> str:
    if values and isinstance(values[0], tuple) and isinstance(values[0][0], float):
        return _points(values)
    parts = (
        f"{each[0]!r}: {in_words(field, each[1])}"
        if isinstance(each, tuple) and len(each) == 2
        else in_words(field, each)
        for each in values
    )
    return ", ".join(parts) or "none"


def _percent(share: float) -> str:
    return f"{units.convert(share, '1', '%'):.3g} %"


def _points(points: tuple[tuple[float, float], ...]) -> str:
    return ", ".join(f"{_percent(chance)} from {_percent(fill)} full" for fill, chance in points)


def _with_marks(said: str, profiles: tuple[tuple[str, Any], ...], ecn: bool) -> str:
    listed = ", ".join(mark for mark, _ in profiles)
    said += f", and others for {listed}" if listed else ""
    return said + (", with ECN" if ecn else "")


def _bucket(of: Policer | Shaper | PeakRate | ExcessRate) -> str:
    return f"{rate_text(of.rate_bps)} with a burst of {size_text(of.burst_bytes)}"


def _policer(of: Policer) -> str:
    return _bucket(of) + (" while the port is congested" if of.when == "congested" else "")


def _packets(of: PacketLimit) -> str:
    size = f", {size_text(of.limit_bytes)} at most" if of.limit_bytes else ""
    opens = _resumes(of.resume_packets, "packets") + _resumes(of.resume_bytes, "B")
    return f"{of.packets:,} packets{size}{opens}"


def _resumes(length: int | None, unit: str) -> str:
    return "" if length is None else f", open again at {length:,} {unit}"


def _sampled(of: Sampled) -> str:
    return f"samples every {time_text(of.period_s)}, full from {of.high_packets} packets"


def _profile(low: str, high: str, chance: float) -> str:
    return f"from {low} to {high}, at most {_percent(chance)}"


_RECORDS: dict[type, Callable[[Any], str]] = {
    AsymmetricEwma: lambda of: f"a moving average of weight 2^-{of.exponent} while it rises",
    ByteLimit: lambda of: size_text(of.limit_bytes) + _resumes(of.resume_bytes, "B"),
    ByteRedProfile: lambda of: _profile(
        f"{of.minimum_bytes:,.0f}", size_text(of.maximum_bytes), of.maximum_probability
    ),
    Codel: lambda of: (
        f"CoDel with a target of {time_text(of.target_s)} and an interval of"
        f" {time_text(of.interval_s)}" + (", with ECN" if of.ecn else "")
    ),
    DropProfile: lambda of: _with_marks(
        f"drop profile at the {of.drop_at}, {of.shape}: {_points(of.points)}", of.profiles, of.ecn
    ),
    Ewma: lambda of: f"a moving average of weight 2^-{of.exponent}",
    ExcessBurst: lambda of: f"a burst of {size_text(of.burst_bytes)}",
    ExcessRate: lambda of: f"{_bucket(of)} beyond the first",
    FlowQueues: lambda of: (
        f"{of.queues:,} queues by flow, {size_text(of.quantum_bytes)} a round"
        + (", new flows first" if of.sparse_first else "")
    ),
    MemoryPool: lambda of: f"{of.name!r} of {size_text(of.limit_bytes)}",
    PacketLimit: _packets,
    PeakRate: lambda of: f"a peak of {_bucket(of)}",
    Pie: lambda of: (
        f"PIE with a target of {time_text(of.target_s)}" + (", with ECN" if of.ecn else "")
    ),
    Policer: _policer,
    Red: lambda of: _with_marks(f"RED {in_words('', of.profile)}", of.profiles, of.ecn),
    RedProfile: lambda of: _profile(
        f"{of.minimum_packets:g}", f"{of.maximum_packets:g} packets", of.maximum_probability
    ),
    Sampled: _sampled,
    Shaper: _bucket,
    ShareRedProfile: lambda of: _profile(
        _percent(of.minimum_share), _percent(of.maximum_share), of.maximum_probability
    ),
    TimeLimit: lambda of: f"{time_text(of.time_s)} at the {_AT[of.at]}",
    TimeRedProfile: lambda of: _profile(
        time_text(of.minimum_s), time_text(of.maximum_s), of.maximum_probability
    ),
    TruncatingEwma: lambda of: f"a moving average of weight 2^-{of.exponent} in whole numbers",
}
