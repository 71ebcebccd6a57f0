"""Exercises of lesson 04: WRED over time, and what the other queues make of it."""

from qoslib import fluid, units
from qoslib.lessons.exercise import edge, read
from qoslib.lessons.round_robin.exercises import overloaded
from qoslib.platforms import gsr12000
from qoslib.port import RedProfile
from qoslib.tolerances import LOSSLESS

__all__ = ["EXERCISES"]

#: How far beyond its share the first stream of the reader's own port must be.
BEYOND = 1.2
FRAME_BYTES = float(gsr12000.FACTS.frame_bytes)


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


def average_queue(high):
    """Average queue at which RED from 100 to so many packets drops 50 of 200 Mb/s, in packets."""
    profile, share = RedProfile(100, high), 50 / 200
    rise = profile.maximum_packets - profile.minimum_packets
    expected = profile.minimum_packets + share * rise
    return expected, {"from_zero": share * high, "carried": profile.minimum_packets + rise / 3}


def saw_tooth(longest):
    """The queue at which dropping begins on 100 Mb/s, where the longest delay is so many ms."""
    expected = units.rate_pps(units.mbps(100), FRAME_BYTES) * units.ms(longest)
    return float(expected), {"average": float(expected) / 2, "octets": float(expected) * 8}


def product(rtt):
    """Packets of 1000 bytes under way in a round-trip time of so many ms on the tested line."""
    port = gsr12000.engine2()
    line_pps = units.rate_pps(port.rate_bps, FRAME_BYTES + port.overhead_bytes)
    expected = float(line_pps) * units.ms(rtt)
    return expected, {"one_way": expected / 2, "octets": expected * 8}


def own(answer):
    """An overloaded round robin of one's own whose first stream gets more than its share."""
    port, streams = answer
    reply, result = overloaded(port, streams)
    if reply:
        return reply, {}
    quanta = sum(queue.quantum_bytes for queue in port.queues)
    mine = port.queues[port.queue_of(streams[0])].quantum_bytes
    first = streams[0].name
    share = mine / max(quanta, 1)
    carried = float(result[first].sent_bps / port.rate_bps)
    values = {"first": first, "share": share, "carried": carried}
    if result[first].drop_ratio > LOSSLESS:
        return "loses", values
    return ("right" if carried >= BEYOND * share else "share"), values


EXERCISES = read(__file__, quantum, average_queue, saw_tooth, product, own)
