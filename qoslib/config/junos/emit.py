"""What a queue, its limit and its dropper are in words of Junos."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from qoslib import units
from qoslib.config.junos.amounts import as_percent
from qoslib.config.junos.queues import rate_limit
from qoslib.config.junos.words import LOSS_PRIORITIES, MARK_OF_LOSS, PRIORITIES, STRICT
from qoslib.config.values import Value
from qoslib.port import ByteLimit, DropProfile, PacketLimit, Policer, Port, Queue, Shaper, TimeLimit

__all__ = ["SPLITS", "Map", "Writer", "losses_of", "number", "write_limits", "write_scheduler"]

_DIGITS = 13
#: What no word has within it.
SPLITS = re.compile(r'["{}[\];]')
#: Bytes of a packet where a limit counts packets.
_PACKET_BYTES = 1500
#: A drop profile of packets for which none is configured.
_FULL = ((1.0, 1.0),)


@dataclass
class Writer:
    """The lines and facts of a port, as they come together.

    `schedulers` has the scheduler of each queue, and the rate that its buffer is counted at where
    that is not the port's; `ends` the last line of each filter; `lost` what a device may do
    otherwise.
    """

    interface: str
    port: Port
    lines: list[str] = field(default_factory=list)
    facts: dict[str, float | str] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    schedulers: dict[str, tuple[str, float | None]] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        """One more `set` line, once."""
        if f"set {line}" not in self.lines:
            self.lines.append(f"set {line}")

    def word(self, name: str, kind: str) -> str:
        """A name as one word, and no other thing's of this kind."""
        if (name, kind) not in self.names:
            plain = SPLITS.sub("", "-".join(name.split())).strip("#*<>") or kind
            taken = {word for (_, other), word in self.names.items() if other == kind}
            number = 2
            made = plain
            while made in taken:
                made, number = f"{plain}-{number}", number + 1
            self.names[name, kind] = made
        return self.names[name, kind]

    def class_of(self, queue: str, prefix: str = "") -> str:
        """The forwarding class of a queue; queues of several units share theirs."""
        return self.word(queue.removeprefix(prefix), "class")

    def shape(self, where: str, shaper: Shaper | None) -> None:
        """A shaping rate, if there is one."""
        if shaper is not None:
            rate = number(shaper.rate_bps)
            self.add(f"{where} shaping-rate {rate} burst-size {shaper.burst_bytes}")


class Map(NamedTuple):
    """A scheduler map: what its shares are of, and the words of its levels.

    Its queues are named with a `prefix` of their unit. Of a `tree` it is the only map if it is
    `alone`.
    """

    name: str
    words: Sequence[str]
    whole_bps: float
    ceiling_bps: float
    tree: bool
    alone: bool
    prefix: str = ""

    def word(self, level: int) -> str:
        """The word of a level."""
        return self.words[min(level, len(self.words) - 1)]


def number(value: float) -> str:
    """A number without an exponent, as short as it can be.

    >>> number(2e9), number(1.5)
    ('2000000000', '1.5')
    """
    return _shortest(value, lambda read: read == value)


def _shortest(value: float, holds: Callable[[float], bool]) -> str:
    """The fewest digits after the point with which a reader has what is wanted."""
    texts = (f"{value:.{digits}f}" for digits in range(_DIGITS))
    return next((text for text in texts if holds(float(text))), f"{value:.{_DIGITS}f}")


def write_scheduler(writer: Writer, of: Map, queue: Queue) -> bool:
    """A queue of a map and its scheduler, without its limit; whether it says the policer."""
    scheduler = writer.word(queue.name, "scheduler")
    writer.schedulers[queue.name] = scheduler, of.whole_bps if of.tree else None
    name, word = writer.class_of(queue.name, of.prefix), of.word(queue.priority)
    where = f"class-of-service schedulers {scheduler}"
    writer.add(
        f"class-of-service scheduler-maps {of.name} forwarding-class {name} scheduler {scheduler}"
    )
    if word not in PRIORITIES:
        writer.lost.append(f"Not every platform has the priority {word} of queue {queue.name!r}.")
    writer.add(f"{where} priority {word}")
    if word in STRICT:
        limited = _is_rate_limit(queue.policer)
        if limited and queue.policer:
            writer.add(f"{where} transmit-rate {number(queue.policer.rate_bps)} rate-limit")
    else:
        said, share, limited = _transmit(queue, of)
        writer.add(f"{where} transmit-rate {said}{' rate-limit' if limited else ''}")
        if of.tree and (share != queue.weight or of.alone) and queue.weight <= 1:
            writer.add(f"{where} excess-rate percent {as_percent(queue.weight)}")
    if isinstance(queue.dropper, DropProfile):
        _drop_profiles(writer, queue.dropper, scheduler)
    if queue.excess_priority is not None and of.tree:
        beyond = of.word(queue.excess_priority)
        if beyond in PRIORITIES[2:]:
            writer.add(f"{where} excess-priority {beyond}")
    writer.shape(where, queue.shaper)
    return limited


def _is_rate_limit(policer: Policer | None) -> bool:
    """Whether `rate-limit` says a policer."""
    return policer is not None and policer == rate_limit(Value(policer.rate_bps)).part


def _transmit(queue: Queue, of: Map) -> tuple[str, float, bool]:
    """A transmit rate as a percentage if one gives the queue's numbers, else as a rate.

    With the share that a reader takes it for, and whether `rate-limit` says the policer.
    """
    rate_bps, policer = queue.guaranteed_bps, queue.policer
    plain = _is_rate_limit(policer)
    for share in (queue.weight, rate_bps / of.whole_bps):
        met = policer is not None and share * of.ceiling_bps == policer.rate_bps
        given = share <= 1 and share * of.whole_bps == rate_bps
        if given and (of.tree or share == queue.weight) and (met or not plain):
            return f"percent {as_percent(share)}", share, plain and met
    if not rate_bps:
        return "percent 0", 0.0, False
    met = policer is not None and rate_bps == policer.rate_bps
    return number(rate_bps), rate_bps / of.whole_bps, plain and met


def _drop_profiles(writer: Writer, dropper: DropProfile, scheduler: str) -> None:
    """The drop profile of each loss priority that has one of its own."""
    where = f"class-of-service schedulers {scheduler}"
    used = {"low": dropper.points, **losses_of(dropper)}
    for loss, points in (used if dropper.profiles else {"any": dropper.points}).items():
        if points == _FULL and loss not in ("any", "low"):
            continue
        profile = f"{scheduler}-{loss}"
        own = f"class-of-service drop-profiles {profile}"
        for level, chance in points:
            at, of = as_percent(level), as_percent(chance)
            if dropper.shape == "interpolated":
                writer.lines.append(f"set {own} interpolate fill-level {at}")
                writer.lines.append(f"set {own} interpolate drop-probability {of}")
            else:
                writer.add(f"{own} fill-level {at} drop-probability {of}")
        map_of = f"{where} drop-profile-map loss-priority {loss} protocol any"
        writer.add(f"{map_of} drop-profile {profile}")
    if dropper.ecn:
        writer.add(f"{where} explicit-congestion-notification")


def losses_of(dropper: DropProfile) -> dict[str, tuple[tuple[float, float], ...]]:
    """Loss priority -> the points that it has where these are not those of low."""
    given = dict(dropper.profiles)
    return {loss: given.get(MARK_OF_LOSS[loss], dropper.points) for loss in LOSS_PRIORITIES[1:]}


def write_limits(writer: Writer) -> None:
    """The buffer size of each queue, and the facts that it needs."""
    port, facts = writer.port, writer.facts
    times = [queue.limit for queue in port.queues if isinstance(queue.limit, TimeLimit)]
    served = Counter(limit.time_s for limit in times if limit.at == "served")
    if served:
        unsaid = [time_s for time_s in served if units.us(float(_temporal(time_s))) != time_s]
        facts["platform"] = "m120"
        facts["delay_buffer_s"] = (unsaid or [served.most_common(1)[0][0]])[0]
    elif any(limit.at == "guaranteed" for limit in times):
        facts["platform"] = "srx"
    sizes = {queue.name: _size_bytes(queue) for queue in port.queues}
    total = _total_bytes(writer, sizes)
    if total and not served:
        facts["buffer_bytes"] = total
    for queue in port.queues:
        scheduler, rate_bps = writer.schedulers[queue.name]
        size_bytes = sizes[queue.name]
        if isinstance(queue.limit, TimeLimit):
            time_s = queue.limit.time_s
            said = f"temporal {_temporal(time_s)}" if time_s != facts.get("delay_buffer_s") else ""
        elif served:
            said = f"temporal {_temporal(units.bits(size_bytes) / port.rate_bps)}"
        else:
            whole = total * (rate_bps / port.rate_bps if rate_bps else 1)
            said = f"percent {_share_of(size_bytes, whole)}"
        if said:
            writer.add(f"class-of-service schedulers {scheduler} buffer-size {said}")


def _share_of(size_bytes: int, whole_bytes: float) -> str:
    """A size as a percentage of the whole, of so few digits that it is the size again."""
    hundred = 100
    return _shortest(
        size_bytes / whole_bytes * hundred,
        lambda value: round(value / hundred * whole_bytes) == size_bytes,
    )


def _size_bytes(queue: Queue) -> int:
    limit = queue.limit
    if isinstance(limit, ByteLimit):
        return limit.limit_bytes
    return limit.packets * _PACKET_BYTES if isinstance(limit, PacketLimit) else 0


def _total_bytes(writer: Writer, sizes: dict[str, int]) -> float:
    """A buffer of which each queue has no more than the whole."""
    needed: dict[float | None, float] = {}
    for name, size_bytes in sizes.items():
        _, rate_bps = writer.schedulers[name]
        scale = writer.port.rate_bps / rate_bps if rate_bps else 1.0
        needed[rate_bps] = needed.get(rate_bps, 0.0) + size_bytes * scale
    return max(needed.values())


def _temporal(time_s: float) -> str:
    return _shortest(units.convert(time_s, "s", "us"), lambda value: units.us(value) == time_s)
