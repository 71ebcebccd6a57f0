"""The queue that a qdisc without classes is: how much it holds, and what it drops."""

import math

from qoslib import units
from qoslib.config.conditioners import token_bucket
from qoslib.config.source import ConfigurationError
from qoslib.config.sourced import Sourced, made, number
from qoslib.config.tc.amounts import rate_bps, time_s
from qoslib.config.tc.command import Command
from qoslib.config.tc.flow_queues import FLOW_KINDS, flow_queues
from qoslib.config.tc.options import Options, by_default
from qoslib.config.tc.provenance import DeviceNotes, Part, Unmodelled
from qoslib.config.values import Value
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Codel,
    DualPi2,
    Ewma,
    HeadDrop,
    PacketLimit,
    Pie,
    Red,
    Shaper,
)

__all__ = [
    "count_frames",
    "delay",
    "no_slower",
    "own_limit",
    "packets",
    "queue_fields",
    "queue_length",
    "red_exponent",
    "shaper_of",
]

#: Up to this weight iproute2 looks for one that fits a burst.
MOST_WEIGHTS = 32
MOST_BURST_PACKETS = 10**6
#: Of alpha and beta of PIE, as tc has them, in 1 Hz.
PIE_SCALE = 16


def queue_fields(
    notes: DeviceNotes, qdisc: Command | None, ceil_bps: float = 0.0
) -> dict[str, object]:
    """The queue of a class, whose own ceiling may shape it already: limit, dropper and shaper."""
    if qdisc is None:
        return {"limit": packets(queue_length(notes))}
    try:
        return _fields(notes.part(qdisc), ceil_bps)
    except Unmodelled as reason:
        notes.without_model(reason)
        return {"limit": PacketLimit(1)}


def _fields(part: Part, ceil_bps: float) -> dict[str, object]:
    """What the queue of a qdisc holds, how it drops, and a shaper behind it."""
    qdisc, kind = part.command, part.command.kind
    if kind in FLOW_KINDS:
        codel = {"dropper": _codel(part)} if kind == "fq_codel" else {}
        return {"limit": _length(part), "flows": flow_queues(part), **codel}
    if kind in ("tbf", "netem"):
        return _shaped(part, ceil_bps)
    if kind == "codel":
        return {"limit": _length(part), "dropper": _codel(part)}
    if kind == "pie":
        return {"limit": _length(part), "dropper": _pie(part)}
    if kind == "dualpi2":
        return {"limit": _length(part), "dropper": _dual_pi2(part)}
    if kind == "red":
        return _red(part)
    if kind == "pfifo":
        return {"limit": _length(part)}
    if kind == "pfifo_head_drop":
        return {"limit": _length(part), "dropper": HeadDrop()}
    if kind == "bfifo":
        return {"limit": _bytes(part.options.get("limit") or _of_bfifo(part.notes))}
    lost = f"No port describes {kind} below a class: the order among its own classes is lost."
    raise Unmodelled(qdisc, lost)


def packets(length: Value) -> Sourced[PacketLimit]:
    """A limit in packets; of 0 of them there is no queue."""
    return Sourced(PacketLimit(int(length.value)), {"packets": length})


def _bytes(size: Value) -> Sourced[ByteLimit]:
    return Sourced(ByteLimit(int(size.value)), {"limit_bytes": size})


def _shaped(part: Part, ceil_bps: float) -> dict[str, object]:
    """A tbf or netem, and what stands below it."""
    if delay(part):
        part.lose(
            "The delay of a single class is left out: base_delay_s applies to the whole port."
        )
    shaper = shaper_of(part, ceil_bps)
    inner = part.notes.device.only_child_of(part.command)
    if inner is None:
        return {"limit": own_limit(part), "shaper": shaper}
    most_bps = shaper.part.rate_bps if shaper else ceil_bps
    below = _fields(part.notes.part(inner), most_bps)
    return below | {"shaper": shaper} if shaper else below


def no_slower(notes: DeviceNotes, qdisc: Command, rate_bps: float, most_bps: float) -> None:
    """A shaper below another one: a slower one decides, and has no place."""
    if rate_bps < most_bps:
        raise Unmodelled(qdisc, "No port describes a shaper below a faster one.")
    notes.lose(qdisc, "Of two shapers only the outer one is here, which is no faster.")


def shaper_of(part: Part, most_bps: float = 0.0) -> Sourced[Shaper] | None:
    """The shaper of a tbf or netem; None without a rate, or below one that is no faster."""
    netem, options, line = part.command.kind == "netem", part.options, part.command.line
    if netem and "rate" not in options:
        return None
    if netem:
        words = options["rate"].value
        rate, burst = Value(rate_bps(words[0], line), "bit/s", line), by_default("netem_burst")
    else:
        words = ()
        rate, burst = _bucket(part)
    if most_bps:
        no_slower(part.notes, part.command, rate.value, most_bps)
        return None
    if len(words) > 1:
        part.lose("What netem adds to a packet at its rate is left out.")
    return token_bucket(rate, burst)


def _bucket(part: Part) -> tuple[Value, Value]:
    """Rate and burst of the token bucket of a tbf."""
    for name in ("rate", "burst"):
        if not part.options.said(name):
            raise ConfigurationError(f"tbf needs a {name} above 0", part.command.line)
    count_frames(part)
    return part.options["rate"], part.options["burst"]


def count_frames(part: Part) -> None:
    """Note what a shaper counts of each frame."""
    part.notes.overheads.append(part.options.get("overhead") or Value(0))
    part.lose(*part.options.lost())


def own_limit(part: Part) -> Sourced[PacketLimit] | Sourced[ByteLimit]:
    """What a tbf or netem without a qdisc below it holds.

    A tbf says it as its `limit`, or by the `latency` in which it sends it at its rate.
    """
    options = part.options
    if part.command.kind == "netem":
        return packets(options.given("limit"))
    if not (given := options.said("limit") or options.said("latency")):
        raise ConfigurationError("tbf needs a limit or a latency", part.command.line)
    if given.unit == "s":
        waits = units.octets(options["rate"].value) * given.value
        size = math.floor(round(waits, 6)) + options["burst"].value
        given = Value(size, "B", given.line)
    return _bytes(given)


def queue_length(notes: DeviceNotes, otherwise: str = "txqueuelen") -> Value:
    """The length of the device's own queue, which a queue without a limit takes."""
    command = notes.device.queue_length
    if command is None:
        ifb = notes.device.is_ifb or notes.interface.startswith("ifb")
        row = by_default("ifb_txqueuelen" if ifb else otherwise)
        return row._replace(value=int(row.value))
    return notes.options(command)["packets"]


def _of_bfifo(notes: DeviceNotes) -> Value:
    """The limit of a bfifo that says none: so many full frames as the device's own queue holds."""
    usual, size, length = by_default("txqueuelen"), by_default("bfifo_limit"), queue_length(notes)
    if length.default == usual.default:
        return size
    return length._replace(value=length.value * size.value / usual.value, unit="B")


def _length(part: Part) -> Sourced[PacketLimit]:
    """The limit of a queue in packets; of plain ones 0 is no default."""
    options = part.options
    if not options.kind["limit"].default:
        return packets(options.get("limit") or queue_length(part.notes))
    return packets(options.said("limit") or options.default("limit"))


def delay(part: Part) -> float:
    """The delay of a netem [s]; all else that it does is lost. A tbf has none."""
    if part.command.kind != "netem":
        return 0.0
    part.lose(*part.options.lost())
    line = part.command.line
    words = (part.options.get("delay") or part.options.get("latency") or Value(())).value
    if len(words) > 1 and time_s(words[1], line, "ns"):
        part.lose("Every packet has the same delay here; jitter is left out.")
    return time_s(words[0], line, "ns") if words else 0.0


def _codel(part: Part) -> Sourced[Codel]:
    options = part.options
    target, interval = (options.said(of) or options.default(of) for of in ("target", "interval"))
    ecn = "noecn" not in options if part.command.kind == "fq_codel" else "ecn" in options
    threshold = options.get("ce_threshold")
    return made(Codel, target_s=target, interval_s=interval, ecn=ecn, ce_threshold_s=threshold)


def _pie(part: Part) -> Sourced[Pie]:
    """PIE, whose alpha and beta tc counts in sixteenths (Linux, net/sched/sch_pie.c)."""
    options = part.options
    part.lose(*options.lost())
    alpha, beta = (options.given(name) for name in ("alpha", "beta"))
    return made(
        Pie,
        target_s=options.said("target") or options.default("target"),
        update_s=options.said("tupdate") or options.default("tupdate"),
        alpha_hz=number(alpha.value / PIE_SCALE, alpha),
        beta_hz=number(beta.value / PIE_SCALE, beta),
        ecn="ecn" in options and "noecn" not in options,
    )


def _dual_pi2(part: Part) -> Sourced[DualPi2]:
    options = part.options
    if {"max_rtt", "typical_rtt"} & options.keys():
        lost = "max_rtt sets target, tupdate, alpha and beta: give these, as tc prints them."
        raise Unmodelled(part.command, lost)
    part.lose(*options.lost())
    coupling, protection = (options.given(of) for of in ("coupling_factor", "classic_protection"))
    return made(
        DualPi2,
        target_s=options.said("target") or options.default("target"),
        update_s=options.said("tupdate") or options.default("tupdate"),
        alpha_hz=options.given("alpha"),
        beta_hz=options.given("beta"),
        coupling=number(float(coupling.value), coupling),
        step_s=options.given("step_thresh"),
        classic_share=number(units.convert(protection.value, "%", "1"), protection),
    )


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


def _red(part: Part) -> dict[str, object]:
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
    probability, ecn = options.given("probability"), "ecn" in options
    profile = made(
        ByteRedProfile, minimum_bytes=low, maximum_bytes=high, maximum_probability=probability
    )
    dropper = made(Red, profile=profile, averaging=made(Ewma, exponent=exponent), ecn=ecn)
    return {"limit": _bytes(limit), "dropper": dropper}


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
