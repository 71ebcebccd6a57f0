"""The queue that a qdisc without classes is: how much it holds, and what it drops."""

import math
from typing import NamedTuple

from qoslib import units
from qoslib.config.source import ConfigurationError
from qoslib.config.tc.amounts import rate_bps, time_s
from qoslib.config.tc.command import Command
from qoslib.config.tc.options import Given, Options, by_default
from qoslib.config.tc.provenance import Notes, Unmodelled
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
    "Held",
    "bucket",
    "bucket_limit",
    "delay",
    "frames",
    "held",
    "netem_rate_bps",
    "netem_shaper",
    "no_slower",
    "red_exponent",
]

#: Kinds that hold packets for one queue.
FLOWS_LOST = {
    "fq_codel": "All flows share one queue and one CoDel here, so sparse flows wait for others.",
    "sfq": "All flows share one queue here, and a full one drops what arrives.",
    "fq": "All flows share one queue here, and none is paced.",
}
#: What else netem does.
NETEM_LOST = {
    "loss": "loss at random",
    "drop": "loss at random",
    "corrupt": "bit errors",
    "duplicate": "packets sent twice",
    "reorder": "packets that overtake",
    "slot": "packets held for slots",
    "distribution": "how the delay varies",
}
#: Up to this weight iproute2 looks for one that fits a burst.
MOST_WEIGHTS = 32


class Held(NamedTuple):
    """What a queue holds, how it drops, and a shaper behind it."""

    limit: PacketLimit | ByteLimit
    dropper: Dropper
    shaper: Shaper | None = None


def held(notes: Notes, qdisc: Command | None, where: str, *, ceil_bps: float = 0.0) -> Held:
    """The queue of a class."""
    if qdisc is None:
        return Held(
            PacketLimit(notes.at(f"{where}.limit.packets", queue_length(notes))), TailDrop()
        )
    try:
        return _held(notes, qdisc, where, ceil_bps)
    except Unmodelled as reason:
        notes.without_model(reason)
        return Held(PacketLimit(1), TailDrop())


def _held(notes: Notes, qdisc: Command, where: str, ceil_bps: float) -> Held:
    options = notes.options(qdisc)
    kind = qdisc.kind
    if kind == "tbf":
        inner = notes.device.only_child_of(qdisc)
        if ceil_bps:
            rate_bps = bucket(notes, qdisc, options, "", silent=True).rate_bps
            no_slower(notes, qdisc, rate_bps, ceil_bps)
            shaper = None
        else:
            shaper = bucket(notes, qdisc, options, f"{where}.shaper")
        if inner is not None:
            below = _held(notes, inner, where, ceil_bps or (shaper.rate_bps if shaper else 0.0))
            return Held(below.limit, below.dropper, shaper)
        size = bucket_limit(qdisc, options)
        limit = ByteLimit(notes.at(f"{where}.limit.limit_bytes", size))
        return Held(limit, TailDrop(), shaper)
    if kind == "netem":
        if delay(notes, qdisc, options):
            lost = "The delay of one class alone is left out: base_delay_s is of the whole port."
            notes.lose(qdisc, lost)
        shaper = None
        if "rate" in options and ceil_bps:
            no_slower(notes, qdisc, netem_rate_bps(qdisc, options), ceil_bps)
        elif "rate" in options:
            shaper = netem_shaper(notes, qdisc, options, f"{where}.shaper")
        inner = notes.device.only_child_of(qdisc)
        if inner is not None:
            below = _held(notes, inner, where, ceil_bps or (shaper.rate_bps if shaper else 0.0))
            return Held(below.limit, below.dropper, shaper or below.shaper)
        return Held(_packets(notes, options, where, "netem_limit"), TailDrop(), shaper)
    if kind in ("codel", "fq_codel"):
        return Held(
            _packets(notes, options, where, f"{kind}_limit"), _codel(notes, qdisc, options, where)
        )
    if kind == "red":
        return _red(notes, qdisc, options, where)
    if kind in ("sfq", "fq"):
        notes.lose(qdisc, FLOWS_LOST[kind])
        return Held(_packets(notes, options, where, f"{kind}_limit"), TailDrop())
    if kind == "bfifo":
        size = options.get("limit") or by_default("bfifo_limit")
        return Held(ByteLimit(int(notes.at(f"{where}.limit.limit_bytes", size))), TailDrop())
    if kind in ("pfifo", "pfifo_head_drop"):
        dropper = HeadDrop() if kind == "pfifo_head_drop" else TailDrop()
        return Held(_packets(notes, options, where, ""), dropper)
    raise Unmodelled(
        qdisc, f"No port describes {kind} below a class: the order among its own classes is lost."
    )


def no_slower(notes: Notes, qdisc: Command, rate_bps: float, most_bps: float) -> None:
    """A shaper below another one: a slower one decides, and has no place."""
    if rate_bps < most_bps:
        raise Unmodelled(qdisc, "No port describes a shaper below a faster one.")
    notes.lose(qdisc, "Of two shapers only the outer one is here, which is no faster.")


def netem_rate_bps(qdisc: Command, options: Options) -> float:
    """The rate of a netem [bit/s]."""
    return rate_bps(options["rate"].value[0], qdisc.line)


def netem_shaper(notes: Notes, qdisc: Command, options: Options, where: str) -> Shaper:
    """The rate of a netem as a shaper whose bucket is one frame."""
    if len(options["rate"].value) > 1:
        notes.lose(qdisc, "What netem adds to a packet at its rate is left out.")
    rate = Given(netem_rate_bps(qdisc, options), qdisc.line)
    burst = by_default("netem_burst")
    made = notes.at(f"{where}.rate_bps", rate), int(notes.at(f"{where}.burst_bytes", burst))
    return Shaper(*made)


def queue_length(notes: Notes) -> Given:
    """The length of the device's own queue, which a queue without a limit takes."""
    command = notes.device.queue_length
    if command is None:
        row = by_default("txqueuelen")
        return row._replace(value=int(row.value))
    return notes.options(command)["packets"]


def _packets(notes: Notes, options: Options, where: str, row: str) -> PacketLimit:
    given = options.get("limit")
    if given is None or (not given.value and row):
        given = by_default(row) if row else queue_length(notes)
    return PacketLimit(int(notes.at(f"{where}.limit.packets", given)))


def _codel(notes: Notes, qdisc: Command, options: Options, where: str) -> Codel:
    if qdisc.kind == "fq_codel":
        notes.lose(qdisc, FLOWS_LOST["fq_codel"])
    times = {}
    for name in ("target", "interval"):
        given = options.get(name)
        given = given if given is not None and given.value else by_default(f"codel_{name}")
        times[f"{name}_s"] = notes.at(f"{where}.dropper.{name}_s", given)
    threshold = options.get("ce_threshold")
    if threshold is not None:
        notes.at(f"{where}.dropper.ce_threshold_s", threshold)
    ecn = "noecn" not in options if qdisc.kind == "fq_codel" else "ecn" in options
    return Codel(**times, ecn=ecn, ce_threshold_s=threshold.value if threshold else None)


def bucket(
    notes: Notes, qdisc: Command, options: Options, where: str, *, silent: bool = False
) -> Shaper:
    """The token bucket of a tbf."""
    for name in ("rate", "burst"):
        if name not in options or not options[name].value:
            raise ConfigurationError(f"tbf needs a {name} above 0", qdisc.line)
    if "peakrate" in options:
        notes.lose(qdisc, "Without peakrate a burst leaves at the line rate here.")
    frames(notes, qdisc, options)
    if silent:
        return Shaper(options["rate"].value, options["burst"].value)
    rate_bps = notes.at(f"{where}.rate_bps", options["rate"])
    return Shaper(rate_bps, notes.at(f"{where}.burst_bytes", options["burst"]))


def frames(notes: Notes, command: Command, options: Options) -> None:
    """Note what a shaper counts of each frame."""
    notes.overheads.append(options.get("overhead") or Given(0))
    if "mpu" in options and options["mpu"].value:
        notes.lose(command, "A short frame counts with its own size here, not with mpu.")
    if "linklayer" in options and options["linklayer"].value not in ("ethernet", "unaware"):
        notes.lose(command, "Frames are not cut into cells here.")


def bucket_limit(qdisc: Command, options: Options) -> Given:
    """What a tbf without a qdisc below it holds: `limit`, or what `latency` of its rate is [B]."""
    if "limit" in options and options["limit"].value:
        return options["limit"]
    if "latency" not in options or not options["latency"].value:
        raise ConfigurationError("tbf needs a limit or a latency", qdisc.line)
    latency = options["latency"]
    waits = units.octets(options["rate"].value) * latency.value
    return Given(math.floor(round(waits, 6)) + options["burst"].value, latency.line)


def delay(notes: Notes, qdisc: Command, options: Options) -> float:
    """The delay of a netem [s]; all else that it does is lost."""
    for name, what in NETEM_LOST.items():
        if name in options:
            notes.lose(qdisc, f"Left out: {what}.")
    words = (options.get("delay") or options.get("latency") or Given(())).value
    if len(words) > 1 and time_s(words[1], qdisc.line, "ns"):
        notes.lose(qdisc, "Every packet has the same delay here; jitter is left out.")
    return time_s(words[0], qdisc.line, "ns") if words else 0.0


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


def _red(notes: Notes, qdisc: Command, options: Options, where: str) -> Held:
    line = qdisc.line
    if "limit" not in options or not options["limit"].value:
        raise ConfigurationError("red needs a limit above 0", line)
    limit = options["limit"]
    low, high = options.get("min"), options.get("max")
    if high is None or not high.value:
        quarter = low.value * 3 if low and low.value else limit.value // 4
        high = by_default("red_max", quarter)
    if low is None or not low.value:
        low = by_default("red_min", high.value // 3)
    if low.value > high.value:
        raise ConfigurationError(f"min {low.value} of red is above its max {high.value}", line)
    if not high.value:
        raise ConfigurationError("max of red is 0", line)
    probability = options.get("probability") or by_default("red_probability")
    exponent = _weight(qdisc, options, low.value, high.value)
    if qdisc.shown and "probability" not in options:
        raise Unmodelled(qdisc, "Only tc -d shows the weight and the probability of RED.")
    if "adaptive" in options:
        notes.lose(qdisc, "The probability stays as it is here, in place of adaptive.")
    if "nodrop" in options:
        notes.lose(qdisc, "A packet that cannot be marked is dropped here, in spite of nodrop.")
    if "ecn" in options and "harddrop" not in options:
        notes.lose(qdisc, "Above the maximum packets are dropped here, as by harddrop, not marked.")
    rate = options.get("bandwidth")
    if rate is not None and rate.value != notes.line_rate.value:
        notes.lose(qdisc, "While idle the average falls at the line rate here, not at bandwidth.")
    profile = ByteRedProfile(
        notes.at(f"{where}.dropper.profile.minimum_bytes", low),
        notes.at(f"{where}.dropper.profile.maximum_bytes", high),
        notes.at(f"{where}.dropper.profile.maximum_probability", probability),
    )
    averaging = Ewma(notes.at(f"{where}.dropper.averaging.exponent", exponent))
    size = ByteLimit(notes.at(f"{where}.limit.limit_bytes", limit))
    return Held(size, Red(profile, averaging=averaging, ecn="ecn" in options))


def _weight(qdisc: Command, options: Options, low: int, high: int) -> Given:
    if "ewma" in options:
        return options["ewma"]
    if qdisc.shown:
        return Given(1)
    average = options.get("avpkt")
    if average is None or not average.value:
        raise ConfigurationError("red needs an avpkt above 0", qdisc.line)
    burst = options.get("burst")
    packets = burst.value if burst else 0
    packets = packets or (2 * low + high) // (3 * average.value)
    if packets > 10**6:
        raise ConfigurationError("the burst of red is too large", qdisc.line)
    exponent = red_exponent(low, packets, average.value)
    if not exponent:
        problem = (
            f"a burst of {packets} packets gives RED no weight; try {1 + low // average.value}"
        )
        raise ConfigurationError(problem, qdisc.line)
    return Given(exponent, burst.line if burst else average.line, "tc.red_weight")
