"""Exercises of lesson 03: a line shared by deficit round robin."""

import numpy as np

from qoslib import packets, units
from qoslib.fluid.drr import round_s
from qoslib.lessons.exercise import edge, read
from qoslib.platforms import gsr12000
from qoslib.port import DeficitRoundRobin, ModifiedDrr
from qoslib.tolerances import LOSSLESS

__all__ = ["EXERCISES", "overloaded"]

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


def ring(answer, most):
    """The longest transmit ring that keeps Premium below so many µs on average, in packets."""
    now, longer = (_premium_us(int(answer) + more) for more in (0, 1))
    return edge(now <= most, longer <= most, now=now)


def _premium_us(ring_packets):
    port = gsr12000.engine3().replace(transmit_ring_packets=ring_packets)
    streams = gsr12000.streams("test_b")
    result = packets.simulate(port, streams, units.ms(50), warmup_s=units.ms(5))
    mean = np.mean([result[f"{p}/prec5"].delay_mean_s for p in gsr12000.PORTS])
    return units.convert(float(mean), "s", "us")


def slow_clock(lost):
    """By how much a policer's clock is slow that drops so many packets in 90 minutes, in ppm."""
    long = gsr12000.PLATFORM.experiments()["conclusion_90min"]
    premium_pps = sum(s.rate_bps / units.bits(s.mean_frame_bytes) for s in long.streams)
    expected, short = (
        units.convert(lost / (premium_pps * float(seconds)), "1", "ppm")
        for seconds in (gsr12000.FACTS.whole_long_s, gsr12000.FACTS.whole_s)
    )
    return expected, {"short": short, "one_port": 2 * expected, "percent": expected / 10_000}


def all_quanta(most):
    """The sum of all quanta on a link of 100 Mb/s whose round takes so many ms, in bytes."""
    bits = units.mbps(100) * units.ms(most)
    expected = bits / units.bits(1.0)
    return expected, {"bits": bits, "average": 2 * expected}


def overloaded(port, streams):
    """The run of a round robin of one's own; a reply instead where it is none or drops nothing."""
    if not isinstance(port.scheduler, DeficitRoundRobin | ModifiedDrr):
        return "scheduler", None
    offered_pps = sum(s.rate_bps / units.bits(s.mean_frame_bytes) for s in streams)
    if not offered_pps:
        return "nothing", None
    result = packets.simulate(port, streams, OWN_PACKETS / offered_pps)
    return ("idle", None) if result.dropped_pps.sum() <= 0 else ("", result)


def own(answer):
    """An overloaded round robin of one's own whose first stream is served in every round."""
    port, streams = answer
    reply, result = overloaded(port, streams)
    if reply:
        return reply, {}
    first = streams[0].name
    longest = result[first].delay_max_s
    delay = np.inf if longest is None else units.convert(longest, "s", "ms")
    values = {"first": first, "delay": delay, "most": OWN_MS}
    if result[first].drop_ratio > LOSSLESS:
        return "loses", values
    return ("delay" if delay > OWN_MS else "right"), values


EXERCISES = read(__file__, one_round, ring, slow_clock, all_quanta, own)
