"""The values of a point: from runs on the kernel, and from the models on the same scenario."""

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from livelab.experiment import Point
from livelab.run import Run
from qoslib import Scenario, run, units
from qoslib.traffic import Cbr, Stream

__all__ = ["UNITS", "Key", "measured", "modelled", "quantities"]

#: Stream and quantity.
Key: TypeAlias = tuple[str, str]

#: Quantity -> its unit in tables, and its statistic.
UNITS = {
    "latency": ("ms", "average"),
    "sent": ("Mbit/s", "average"),
    "drop_ratio": ("%", "average"),
    "dropped_packets": ("packets", "total"),
    "throughput": ("Mbit/s", "average"),
}
#: Against which phase a packet model's regular streams begin decides little; so many are averaged.
PHASES = 5
#: Streams begin so many of their gaps after each other in the phases that are averaged.
STEP = 0.618


class _Value(NamedTuple):
    latency_s: float
    sent_bps: float
    drop_ratio: float
    dropped_packets: float


def quantities(point: Point) -> tuple[str, ...]:
    """What is compared of a point.

    Parameters
    ----------
    point : Point

    Returns
    -------
    tuple of str
        Names of `UNITS`.
    """
    if point.shown:
        return point.shown
    if point.scenario.hosts:
        return ("throughput", "dropped_packets")
    return ("dropped_packets", "drop_ratio") if point.counts else ("latency", "sent", "drop_ratio")


def measured(point: Point, one: Run) -> dict[Key, float]:
    """The values of one run.

    Parameters
    ----------
    point : Point
    one : Run

    Returns
    -------
    dict of (str, str) to float
        By stream and quantity, in the units of `UNITS`.
    """
    if point.scenario.hosts:
        goodput_bps = sum(flow.goodput_bps for flow in one.flows.values())
        return _of_tcp(goodput_bps, sum(one.samples[-1].dropped_packets.values()))
    found: dict[Key, float] = {}
    for stream in point.scenario.streams:
        seen = one.seen[stream.name]
        offered = seen.total_packets if point.counts else seen.offered_packets
        lost = offered - (seen.arrived_packets if point.counts else seen.sent_packets)
        delay_s = float(seen.delays_s.mean()) if len(seen.delays_s) else float("nan")
        sent_bps = units.rate_bps(seen.served_pps, stream.mean_frame_bytes)
        value = _Value(delay_s, sent_bps, lost / offered if offered else 0.0, lost)
        found |= _shown(point, stream, value)
    return found


def modelled(point: Point, model: str) -> dict[Key, float]:
    """What a model says of a point.

    A packet leaves the kernel's queue when its tokens are there, and a virtual cable takes no
    time; a model's line takes the time of the packet. So this time is subtracted from a delay.

    Parameters
    ----------
    point : Point
    model : {'fluid', 'packets'}

    Returns
    -------
    dict of (str, str) to float
        As of `measured`.

    Examples
    --------
    >>> from livelab.experiments.head_tail import HEAD_TAIL
    >>> head = HEAD_TAIL.points[-2]
    >>> head.name, round(modelled(head, "fluid")["all", "latency"], 1)
    ('head_200', 41.7)
    """
    if point.scenario.hosts:
        return _modelled_tcp(point.scenario, model)
    scenario, line = point.scenario, point.scenario.only_port
    phases = PHASES if model == "packets" else 1
    results = [run(_in_phase(scenario, phase), model) for phase in range(phases)]
    found: dict[Key, float] = {}
    for stream in scenario.streams:
        frame_bytes = stream.mean_frame_bytes + line.overhead_bytes
        own_s = units.serialisation_s(frame_bytes, line.rate_bps)
        said = [result[stream.name] for result in results]
        drops = float(np.mean([each.drop_ratio for each in said]))
        stop_s = scenario.duration_s if stream.stop_s is None else stream.stop_s
        packets = units.rate_pps(stream.mean_rate_bps, stream.mean_frame_bytes)
        value = _Value(
            max(float(np.mean([each.delay_mean_s for each in said])) - own_s, 0.0),
            float(np.mean([each.sent_bps for each in said])),
            drops,
            drops * packets * (stop_s - stream.start_s),
        )
        found |= _shown(point, stream, value)
    return found


def _of_tcp(goodput_bps: float, dropped_packets: float) -> dict[Key, float]:
    """The values of all connections together, and what the port drops of everything."""
    rate = units.convert(goodput_bps, "bit/s", "Mbit/s")
    return {("TCP", "throughput"): rate, ("all", "dropped_packets"): dropped_packets}


def _modelled_tcp(scenario: Scenario, model: str) -> dict[Key, float]:
    """What a model says of TCP; NaN where it has no such congestion control or no packets."""
    names = [flow.name for host in scenario.hosts for flow in host.flows]
    goodputs_bps, drops = list[float](), list[float]()
    for seed in range(PHASES if model == "packets" else 1):
        try:
            result = run(scenario.replace(seed=seed), model)
        except ValueError:
            return _of_tcp(math.nan, math.nan)
        goodputs_bps.append(sum(float(result[name].goodput_bps) for name in names))
        if model == "packets":
            whole = run(scenario.replace(seed=seed, warmup_s=0.0), model)
            drops.append(sum(float(whole[name].dropped_packets) for name in whole.streams))
    return _of_tcp(float(np.mean(goodputs_bps)), float(np.mean(drops)) if drops else math.nan)


def _in_phase(scenario: Scenario, phase: int) -> Scenario:
    """The scenario with another seed, and its regular streams shifted within their gaps."""

    def shifted(at: int, stream: Stream) -> Stream:
        if not isinstance(stream.arrivals, Cbr):
            return stream
        gap_s = 1 / units.rate_pps(stream.mean_rate_bps, stream.mean_frame_bytes)
        share = (phase * (1 + at) * STEP) % 1.0
        return stream.replace(arrivals=Cbr(share * gap_s))

    streams = tuple(shifted(*each) for each in enumerate(scenario.streams))
    return scenario.replace(streams=streams, seed=scenario.seed + phase)


def _shown(point: Point, stream: Stream, value: _Value) -> Mapping[Key, float]:
    shown = {
        "latency": units.convert(value.latency_s, "s", "ms"),
        "sent": units.convert(value.sent_bps, "bit/s", "Mbit/s"),
        "drop_ratio": units.convert(value.drop_ratio, "1", "%"),
        "dropped_packets": value.dropped_packets,
    }
    return {(stream.name, name): shown[name] for name in quantities(point)}
