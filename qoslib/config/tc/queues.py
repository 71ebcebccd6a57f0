"""The queue that a qdisc without classes is: how much it holds, and what it drops."""

import math
from typing import NamedTuple

from qoslib import units
from qoslib.config.source import ConfigurationError
from qoslib.config.tc.amounts import rate_bps, time_s
from qoslib.config.tc.command import Command
from qoslib.config.tc.options import Options, by_default
from qoslib.config.tc.provenance import DeviceNotes, Part, Unmodelled
from qoslib.config.values import Value
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Codel,
    Dropper,
    Ewma,
    HeadDrop,
    PacketLimit,
    Red,
    Shaper,
    TailDrop,
)

__all__ = [
    "QueueParts",
    "bucket",
    "count_frames",
    "delay",
    "netem_bucket",
    "netem_rate",
    "no_slower",
    "own_limit",
    "queue_length",
    "queue_parts",
    "red_exponent",
    "shaper_of",
]

#: Kinds that hold packets of flows apart, and what is lost in one queue.
FLOWS_LOST = {
    "fq_codel": "All flows share one queue and one CoDel here, so sparse flows wait for others.",
    "sfq": "All flows share one queue here, and a full one drops what arrives.",
    "fq": "All flows share one queue here, and none is paced.",
}
#: Up to this weight iproute2 looks for one that fits a burst.
MOST_WEIGHTS = 32
MOST_BURST_PACKETS = 10**6


class QueueParts(NamedTuple):
    """What a queue holds, how it drops, and a shaper behind it."""

    limit: PacketLimit | ByteLimit
    dropper: Dropper = TailDrop()
    shaper: Shaper | None = None


def queue_parts(
    notes: DeviceNotes, qdisc: Command | None, where: str, *, ceil_bps: float = 0.0
) -> QueueParts:
    """The queue of a class, whose own ceiling may shape it already."""
    if qdisc is None:
        length = queue_length(notes)
        notes.record_origin(f"{where}.limit.packets", length)
        return QueueParts(PacketLimit(length.value))
    try:
        return _parts(notes, qdisc, where, ceil_bps)
    except Unmodelled as reason:
        notes.without_model(reason)
        return QueueParts(PacketLimit(1))


def _parts(notes: DeviceNotes, qdisc: Command, where: str, ceil_bps: float) -> QueueParts:
    part, kind = notes.part(qdisc, where), qdisc.kind
    if kind in FLOWS_LOST:
        part.lose(FLOWS_LOST[kind])
    if kind in ("tbf", "netem"):
        return _shaped(part, ceil_bps)
    if kind in ("codel", "fq_codel"):
        return QueueParts(_packets(part), _codel(part))
    if kind == "red":
        return _red(part)
    if kind in ("sfq", "fq", "pfifo"):
        return QueueParts(_packets(part))
    if kind == "pfifo_head_drop":
        return QueueParts(_packets(part), HeadDrop())
    if kind == "bfifo":
        size = part.options.get("limit") or part.options.default("limit")
        return QueueParts(ByteLimit(int(part.number("limit.limit_bytes", size))))
    lost = f"No port describes {kind} below a class: the order among its own classes is lost."
    raise Unmodelled(qdisc, lost)


def _shaped(part: Part, ceil_bps: float) -> QueueParts:
    """A tbf or netem, and what stands below it."""
    notes, qdisc = part.notes, part.command
    shaper = None
    if qdisc.kind == "tbf":
        rate, burst = bucket(part)
        if ceil_bps:
            no_slower(notes, qdisc, rate.value, ceil_bps)
        else:
            shaper = shaper_of(part, rate, burst)
    else:
        if delay(part):
            part.lose(
                "The delay of one class alone is left out: base_delay_s is of the whole port."
            )
        if "rate" in part.options and ceil_bps:
            no_slower(notes, qdisc, netem_rate(part).value, ceil_bps)
        elif "rate" in part.options:
            shaper = shaper_of(part, *netem_bucket(part))
    inner = notes.device.only_child_of(qdisc)
    if inner is None:
        return QueueParts(own_limit(part), shaper=shaper)
    below = _parts(notes, inner, part.where, ceil_bps or (shaper.rate_bps if shaper else 0.0))
    alone = shaper is None and qdisc.kind == "netem"
    return below._replace(shaper=below.shaper if alone else shaper)


def no_slower(notes: DeviceNotes, qdisc: Command, rate_bps: float, most_bps: float) -> None:
    """A shaper below another one: a slower one decides, and has no place."""
    if rate_bps < most_bps:
        raise Unmodelled(qdisc, "No port describes a shaper below a faster one.")
    notes.lose(qdisc, "Of two shapers only the outer one is here, which is no faster.")


def netem_rate(part: Part) -> Value:
    """The rate of a netem."""
    line = part.command.line
    return Value(rate_bps(part.options["rate"].value[0], line), "bit/s", line)


def netem_bucket(part: Part) -> tuple[Value, Value]:
    """The rate of a netem, and its bucket of one frame."""
    if len(part.options["rate"].value) > 1:
        part.lose("What netem adds to a packet at its rate is left out.")
    return netem_rate(part), by_default("netem_burst")


def bucket(part: Part) -> tuple[Value, Value]:
    """Rate and burst of the token bucket of a tbf."""
    for name in ("rate", "burst"):
        if not part.options.said(name):
            raise ConfigurationError(f"tbf needs a {name} above 0", part.command.line)
    count_frames(part)
    return part.options["rate"], part.options["burst"]


def shaper_of(part: Part, rate: Value, burst: Value) -> Shaper:
    """A shaper, noted with where its numbers come from."""
    rate_bps = part.number("shaper.rate_bps", rate)
    return Shaper(rate_bps, int(part.number("shaper.burst_bytes", burst)))


def count_frames(part: Part) -> None:
    """Note what a shaper counts of each frame."""
    part.notes.overheads.append(part.options.get("overhead") or Value(0))
    part.lose(*part.options.lost())


def own_limit(part: Part) -> PacketLimit | ByteLimit:
    """What a tbf or netem without a qdisc below it holds.

    A tbf says it as its `limit`, or by the `latency` in which it sends it at its rate.
    """
    options = part.options
    if part.command.kind == "netem":
        limit = options.get("limit") or options.default("limit")
        return PacketLimit(int(part.number("limit.packets", limit)))
    if not (given := options.said("limit") or options.said("latency")):
        raise ConfigurationError("tbf needs a limit or a latency", part.command.line)
    if given.unit == "s":
        waits = units.octets(options["rate"].value) * given.value
        size = math.floor(round(waits, 6)) + options["burst"].value
        given = Value(size, "B", given.line)
    return ByteLimit(part.number("limit.limit_bytes", given))


def queue_length(notes: DeviceNotes) -> Value:
    """The length of the device's own queue, which a queue without a limit takes."""
    command = notes.device.queue_length
    if command is None:
        row = by_default("txqueuelen")
        return row._replace(value=int(row.value))
    return notes.options(command)["packets"]


def _packets(part: Part) -> PacketLimit:
    """The limit of a queue in packets; of plain ones 0 is no default."""
    options, plain = part.options, not part.options.kind["limit"].default
    if plain:
        limit = options.get("limit") or queue_length(part.notes)
    else:
        limit = options.said("limit") or options.default("limit")
    return PacketLimit(int(part.number("limit.packets", limit)))


def delay(part: Part) -> float:
    """The delay of a netem [s]; all else that it does is lost."""
    part.lose(*part.options.lost())
    line = part.command.line
    words = (part.options.get("delay") or part.options.get("latency") or Value(())).value
    if len(words) > 1 and time_s(words[1], line, "ns"):
        part.lose("Every packet has the same delay here; jitter is left out.")
    return time_s(words[0], line, "ns") if words else 0.0


def _codel(part: Part) -> Codel:
    options = part.options
    times = {
        f"{name}_s": part.number(f"dropper.{name}_s", options.said(name) or options.default(name))
        for name in ("target", "interval")
    }
    threshold = options.get("ce_threshold")
    if threshold is not None:
        part.number("dropper.ce_threshold_s", threshold)
    ecn = "noecn" not in options if part.command.kind == "fq_codel" else "ecn" in options
    return Codel(**times, ecn=ecn, ce_threshold_s=threshold.value if threshold else None)


def red_exponent(minimum_bytes: int, burst_packets: int, average_bytes: int) -> int:
    """The weight of RED's average as iproute2 chooses it: W of 2^-W; 0 where none fits.

    References
    ----------
    iproute2, tc/tc_red.c, tc_red_eval_ewma.

    >>> red_exponent(30_000, 55, 1000)
    5
    """
    wanted = burst_packets + 1 - minimum_bytes / average_bytes
    if wanted < 1:
        return 0
    for exponent in range(1, MOST_WEIGHTS):
        share = 0.5**exponent
        if wanted <= (1 - (1 - share) ** burst_packets) / share:
            return exponent
    return 0


def _red(part: Part) -> QueueParts:
    options, qdisc = part.options, part.command
    limit, low, high = _red_sizes(options, qdisc.line)
    exponent = _red_weight(qdisc, options, low.value, high.value)
    if qdisc.shown and "probability" not in options:
        raise Unmodelled(qdisc, "Only tc -d shows the weight and the probability of RED.")
    part.lose(*options.lost())
    if "ecn" in options and "harddrop" not in options:
        part.lose("Above the maximum packets are dropped here, as by harddrop, not marked.")
    rate = options.get("bandwidth")
    if rate is not None and rate.value != part.notes.line_rate.value:
        part.lose("While idle the average falls at the line rate here, not at bandwidth.")
    probability = options.get("probability") or options.default("probability")
    profile = ByteRedProfile(
        part.number("dropper.profile.minimum_bytes", low),
        part.number("dropper.profile.maximum_bytes", high),
        part.number("dropper.profile.maximum_probability", probability),
    )
    averaging = Ewma(part.number("dropper.averaging.exponent", exponent))
    size = ByteLimit(part.number("limit.limit_bytes", limit))
    return QueueParts(size, Red(profile, averaging=averaging, ecn="ecn" in options))


def _red_sizes(options: Options, line: int) -> tuple[Value, Value, Value]:
    """Limit, minimum and maximum of RED; of the last two iproute2 makes one of the other."""
    limit, low, high = (options.said(name) for name in ("limit", "min", "max"))
    if limit is None:
        raise ConfigurationError("red needs a limit above 0", line)
    if high is None:
        high = by_default("red_max", low.value * 3 if low else limit.value // 4)
    if low is None:
        low = by_default("red_min", high.value // 3)
    if low.value > high.value:
        raise ConfigurationError(f"min {low.value} of red is above its max {high.value}", line)
    if not high.value:
        raise ConfigurationError("max of red is 0", line)
    return limit, low, high


def _red_weight(qdisc: Command, options: Options, low: int, high: int) -> Value:
    if "ewma" in options:
        return options["ewma"]
    if qdisc.shown:
        return Value(1)
    average, burst = options.said("avpkt"), options.get("burst")
    if average is None:
        raise ConfigurationError("red needs an avpkt above 0", qdisc.line)
    packets = (burst.value if burst else 0) or (2 * low + high) // (3 * average.value)
    if packets > MOST_BURST_PACKETS:
        raise ConfigurationError("the burst of red is too large", qdisc.line)
    exponent = red_exponent(low, packets, average.value)
    if not exponent:
        fits = 1 + low // average.value
        problem = f"a burst of {packets} packets gives RED no weight; try {fits}"
        raise ConfigurationError(problem, qdisc.line)
    return Value(exponent, "", burst.line if burst else average.line, "tc.red_weight")
