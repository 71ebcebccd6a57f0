"""Exercises of lesson 03: a line shared by deficit round robin."""

import numpy as np

from qoslib import fluid, measurements, packets, units
from qoslib.fluid.drr import round_s
from qoslib.lessons.exercise import edge, read
from qoslib.platforms import gsr12000
from qoslib.port import DeficitRoundRobin, ModifiedDrr
from qoslib.tolerances import LOSSLESS

__all__ = ["EXERCISES"]

#: Packets of a run of the reader's own port, and the most its first stream may wait [ms].
OWN_PACKETS, OWN_MS = 50_000, 2.0


def one_round():
    """Time of a round with the quanta of engine 2, in ms."""
    port, frame = gsr12000.engine2(), float(gsr12000.FACTS.frame_bytes)
    line = port.rate_bps * frame / (frame + port.overhead_bytes)
    left = line - sum(s.rate_bps for s in gsr12000.streams() if s.mark == "prec5")
    expected, whole, engine3 = (
        units.convert(round_s(*each), "s", "ms")
        for each in ((port, left), (port, line), (gsr12000.engine3(), left))
    )
    return expected, {"whole": whole, "engine3": engine3, "octets": units.octets(expected)}


def quantum(answer, load):
    """The least quantum of queue 3 that carries so many Mb/s by shares alone, in bytes."""
    lost, less = (_lbe_lost_percent(round(answer * part), load) for part in (1.0, 0.97))
    return edge(lost <= 0.01, less <= 0.01, lost=lost)


def _lbe_lost_percent(quantum_bytes, load):
    port = gsr12000.engine3()
    queues = tuple(
        q.replace(quantum_bytes=max(quantum_bytes, 1)) if q.name == "queue3" else q
        for q in port.queues
    )
    result = fluid.solve(port.replace(queues=queues), gsr12000.streams("test_b", units.mbps(load)))
    return units.convert(result["1A/prec0"].drop_ratio, "1", "%")


def ring(answer, most):
    """The longest transmit ring that keeps Premium below so many us on average, in packets."""
    now, longer = (_premium_us(int(answer) + more) for more in (0, 1))
    return edge(now <= most, longer <= most, now=now)


def _premium_us(ring_packets):
    port = gsr12000.engine3().replace(transmit_ring_packets=ring_packets)
    streams = gsr12000.streams("test_b")
    result = packets.simulate(port, streams, units.ms(50), warmup_s=units.ms(5))
    mean = np.mean([result[f"{p}/prec5"].delay_mean_s for p in gsr12000.PORTS])
    return units.convert(float(mean), "s", "us")


def ninety_minutes(slow):
    """Packets of 90 minutes that a policer so many ppm slow loses, if its bucket is small."""
    long = gsr12000.PLATFORM.experiments()["conclusion_90min"]
    premium = sum(s.rate_bps / units.bits(s.mean_frame_bytes) for s in long.streams)
    offered = premium * float(gsr12000.FACTS.whole_long_s)
    seen = measurements.load("gsr12000_statements").query("experiment == 'conclusion_90min'")
    ratio = seen.set_index("quantity")["consistent_value"].astype(float)["drop_ratio"]
    published = offered * units.convert(float(ratio), "%", "1")
    return offered * units.convert(slow, "ppm", "1"), {"published": published, "short": 204}


def own(answer):
    """An overloaded round robin of one's own whose first stream is served in every round."""
    port, streams = answer
    if not isinstance(port.scheduler, DeficitRoundRobin | ModifiedDrr):
        return "scheduler", {}
    offered_pps = sum(s.rate_bps / units.bits(s.mean_frame_bytes) for s in streams)
    if not offered_pps:
        return "nothing", {}
    result = packets.simulate(port, streams, OWN_PACKETS / offered_pps)
    if result.dropped_pps.sum() <= 0:
        return "idle", {}
    first = streams[0].name
    longest = result[first].delay_max_s
    delay = np.inf if longest is None else units.convert(longest, "s", "ms")
    values = {"first": first, "delay": delay, "most": OWN_MS}
    if result[first].drop_ratio > LOSSLESS:
        return "loses", values
    return ("delay" if delay > OWN_MS else "right"), values


EXERCISES = read(__file__, one_round, quantum, ring, ninety_minutes, own)
