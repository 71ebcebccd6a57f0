"""What a queue, its limit and its dropper are in words of Junos."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from qoslib import units
from qoslib.config.junos.amounts import as_percent
from qoslib.config.junos.queues import rate_limit
from qoslib.config.junos.words import LOSS_PRIORITIES, MARK_OF_LOSS, STRICT
from qoslib.port import ByteLimit, DropProfile, PacketLimit, Port, Queue, TimeLimit

__all__ = ["Spoken", "limits_said", "losses_of", "number", "queue_said"]

_DIGITS = 13
#: Bytes of a packet where a limit counts packets.
_PACKET_BYTES = 1500
#: A drop profile of packets for which none is configured.
_FULL = ((1.0, 1.0),)


@dataclass
class Spoken:
    """The lines and facts of a port, as they come together.

    `sites` has the scheduler of each queue, and the rate that its buffer is counted at where that
    is not the port's; `ends` the last line of each filter; `lost` what a device may do otherwise.
    """

    interface: str
    port: Port
    lines: list[str] = field(default_factory=list)
    facts: dict[str, float | str] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    sites: dict[str, tuple[str, float | None]] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        """One more `set` line, once."""
        if f"set {line}" not in self.lines:
            self.lines.append(f"set {line}")

    def word(self, name: str, kind: str) -> str:
        """A name as one word, and no other thing's of this kind."""
        if (name, kind) not in self.names:
            plain = "-".join(name.split()).strip('#"{}[];*<>') or kind
            taken = {word for (_, other), word in self.names.items() if other == kind}
            number = 2
            made = plain
            while made in taken:
                made, number = f"{plain}-{number}", number + 1
            self.names[name, kind] = made
        return self.names[name, kind]

    def of(self, queue: str, prefix: str = "") -> str:
        """The forwarding class of a queue; queues of several units share theirs."""
        return self.word(queue.removeprefix(prefix), "class")


def number(value: float) -> str:
    """A number without an exponent, as short as it can be.

    >>> number(2e9), number(1.5)
    ('2000000000', '1.5')
    """
    return shortest(value, lambda read: read == value)


def shortest(value: float, holds: Callable[[float], bool]) -> str:
    """The fewest digits after the point with which a reader has what is wanted."""
    for digits in range(_DIGITS):
        text = f"{value:.{digits}f}"
        if holds(float(text)):
            return text
    return f"{value:.{_DIGITS}f}"


def queue_said(
    spoken: Spoken,
    queue: Queue,
    scheduler: str,
    word: str,
    rates_bps: tuple[float, float],
    tree: bool,
    alone: bool,
) -> bool:
    """The lines of a scheduler, without its limit."""
    whole_bps, ceiling_bps = rates_bps
    policer = queue.policer
    limited = policer is not None and policer == rate_limit(policer.rate_bps)
    where = f"class-of-service schedulers {scheduler}"
    spoken.add(f"{where} priority {word}")
    if word in STRICT:
        if limited and policer is not None:
            spoken.add(f"{where} transmit-rate {number(policer.rate_bps)} rate-limit")
    else:
        said, share, limited = _transmit(queue, whole_bps, ceiling_bps, tree)
        spoken.add(f"{where} transmit-rate {said}{' rate-limit' if limited else ''}")
        if tree and (share != queue.weight or alone) and queue.weight <= 1:
            spoken.add(f"{where} excess-rate percent {as_percent(queue.weight)}")
    if isinstance(queue.dropper, DropProfile):
        _drop_profile(spoken, queue.dropper, scheduler)
    return limited


def _transmit(
    queue: Queue, whole_bps: float, ceiling_bps: float, tree: bool
) -> tuple[str, float, bool]:
    """A transmit rate as a percentage if one gives the queue's numbers, else as a rate.

    With the share that a reader takes it for, and whether `rate-limit` says the policer.
    """
    rate_bps, policer = queue.guaranteed_bps, queue.policer
    plain = policer is not None and policer == rate_limit(policer.rate_bps)
    for share in (queue.weight, rate_bps / whole_bps):
        met = policer is not None and share * ceiling_bps == policer.rate_bps
        fits = share <= 1 and share * whole_bps == rate_bps and (tree or share == queue.weight)
        if fits and (met or not plain):
            return f"percent {as_percent(share)}", share, plain and met
    if not rate_bps:
        return "percent 0", 0.0, False
    met = policer is not None and rate_bps == policer.rate_bps
    return number(rate_bps), rate_bps / whole_bps, plain and met


def _drop_profile(spoken: Spoken, dropper: DropProfile, scheduler: str) -> None:
    where = f"class-of-service schedulers {scheduler}"
    by_loss = losses_of(dropper)
    used = {"any": dropper.points} if not dropper.profiles else {"low": dropper.points, **by_loss}
    for loss, points in used.items():
        if points == _FULL and loss not in ("any", "low"):
            continue
        profile = f"{scheduler}-{loss}"
        own = f"class-of-service drop-profiles {profile}"
        lines = dropper.shape == "interpolated"
        for level, chance in points:
            at, of = as_percent(level), as_percent(chance)
            if lines:
                spoken.lines.append(f"set {own} interpolate fill-level {at}")
                spoken.lines.append(f"set {own} interpolate drop-probability {of}")
            else:
                spoken.add(f"{own} fill-level {at} drop-probability {of}")
        spoken.add(f"{where} drop-profile-map loss-priority {loss} protocol any"
                   f" drop-profile {profile}")  # fmt: skip
    if dropper.ecn:
        spoken.add(f"{where} explicit-congestion-notification")


def losses_of(dropper: DropProfile) -> dict[str, tuple[tuple[float, float], ...]]:
    """Loss priority -> the points that it has where these are not those of low."""
    given = dict(dropper.profiles)
    return {loss: given.get(MARK_OF_LOSS[loss], dropper.points) for loss in LOSS_PRIORITIES[1:]}


def limits_said(spoken: Spoken) -> None:
    """The buffer size of each queue, and the facts that it needs."""
    port = spoken.port
    times = [queue.limit for queue in port.queues if isinstance(queue.limit, TimeLimit)]
    served = Counter(limit.time_s for limit in times if limit.at == "served")
    if served:
        spoken.facts["platform"] = "m120"
        unsaid = [time_s for time_s in served if units.us(float(_temporal(time_s))) != time_s]
        spoken.facts["delay_buffer_s"] = (unsaid or [served.most_common(1)[0][0]])[0]
    elif any(limit.at == "guaranteed" for limit in times):
        spoken.facts["platform"] = "srx"
    sizes = {queue.name: _size_bytes(queue) for queue in port.queues}
    total = _total_bytes(spoken, sizes)
    if total and not served:
        spoken.facts["buffer_bytes"] = total
    for queue in port.queues:
        scheduler, rate_bps = spoken.sites[queue.name]
        where = f"class-of-service schedulers {scheduler} buffer-size"
        size_bytes = sizes[queue.name]
        if isinstance(queue.limit, TimeLimit):
            if queue.limit.time_s != spoken.facts.get("delay_buffer_s"):
                spoken.add(f"{where} temporal {_temporal(queue.limit.time_s)}")
        elif served:
            time_s = units.bits(size_bytes) / port.rate_bps
            spoken.add(f"{where} temporal {_temporal(time_s)}")
        else:
            whole = total * (rate_bps / port.rate_bps if rate_bps else 1)
            spoken.add(f"{where} percent {_share_of(size_bytes, whole)}")


def _share_of(size_bytes: int, whole_bytes: float) -> str:
    """A size as a percentage of the whole, of so few digits that it is the size again."""
    hundred = 100
    return shortest(
        size_bytes / whole_bytes * hundred,
        lambda value: round(value / hundred * whole_bytes) == size_bytes,
    )


def _size_bytes(queue: Queue) -> int:
    limit = queue.limit
    if isinstance(limit, ByteLimit):
        return limit.limit_bytes
    return limit.packets * _PACKET_BYTES if isinstance(limit, PacketLimit) else 0


def _total_bytes(spoken: Spoken, sizes: dict[str, int]) -> float:
    """A buffer of which each queue has no more than the whole."""
    needed: dict[float | None, float] = {}
    for name, size_bytes in sizes.items():
        _, rate_bps = spoken.sites[name]
        scale = spoken.port.rate_bps / rate_bps if rate_bps else 1.0
        needed[rate_bps] = needed.get(rate_bps, 0.0) + size_bytes * scale
    return max(needed.values())


def _temporal(time_s: float) -> str:
    return shortest(units.convert(time_s, "s", "us"), lambda value: units.us(value) == time_s)
