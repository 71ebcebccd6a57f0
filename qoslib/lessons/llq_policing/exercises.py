"""Exercises of lesson 02: a policed priority queue."""

from qoslib import fluid, units
from qoslib.lessons.exercise import edge, read
from qoslib.platforms import isr4331
from qoslib.port import Port, StrictPriority
from qoslib.tolerances import LOSSLESS

__all__ = ["EXERCISES"]

FRAME_BYTES = float(isr4331.FACTS.frame_bytes)
PAYLOAD_BYTES = FRAME_BYTES - float(isr4331.FACTS.header_bytes)
#: Less lost than this is a rate with its headers, rounded down: they are three times as much.
ROUNDED = 0.01


#: A policer of less than this share of its link was given in Mb/s.
LEAST_SHARE = 0.001


def _lost(ef_mbps, port: Port):
    """Loss of EF and of the default class in the long run [ratio]."""
    streams = (isr4331.stream("EF", units.mbps(ef_mbps)), isr4331.stream("default", units.mbps(80)))
    return fluid.solve(port, streams).drop_ratio


def _with_rate(rate_bps):
    port = isr4331.llq()
    urgent, rest = port.queues
    assert urgent.policer is not None
    policer = urgent.policer.replace(rate_bps=rate_bps)
    return port.replace(queues=(urgent.replace(policer=policer), rest))


def starved():
    """The load of EF from which nothing is left for others without a policer, in Mb/s of data."""
    on_line = FRAME_BYTES + float(isr4331.FACTS.line_bytes)
    expected = float(isr4331.FACTS.line_bps) * PAYLOAD_BYTES / on_line
    return units.convert(expected, "bit/s", "Mbit/s"), {"bare": 100}


def true_rate(dropped):
    """The rate that a policer lets pass of 30.9 Mb/s of frames, from its drops in 60 s, in Mb/s."""
    offered = float(isr4331.FACTS.sent_EF_packets) / float(isr4331.FACTS.run_s) * 60
    expected, data, dropped_mbps = (
        units.convert(units.rate_bps(packets / 60, size), "bit/s", "Mbit/s")
        for packets, size in (
            (offered - dropped, FRAME_BYTES),
            (offered - dropped, PAYLOAD_BYTES),
            (dropped, FRAME_BYTES),
        )
    )
    return expected, {"data": data, "dropped": dropped_mbps}


def bucket(load):
    """How long the full bucket of 500,000 B lasts at so many Mb/s of data, in ms."""
    facts = isr4331.FACTS
    data_bps = units.mbps(load)
    frames_bps = data_bps * FRAME_BYTES / PAYLOAD_BYTES
    expected, not_filled, data = (
        units.convert(units.bits(facts.burst_bytes) / rate_bps, "s", "ms")
        for rate_bps in (frames_bps - facts.priority_bps, frames_bps, data_bps - facts.priority_bps)
    )
    return expected, {"not_filled": not_filled, "data": data}


def least_rate(answer, load):
    """The least priority rate at which EF loses nothing of so many Mb/s of data, in Mb/s."""
    (lost, rest), (less, _) = (_lost(load, _with_rate(units.mbps(answer - by))) for by in (0, 0.5))
    reply, values = edge(lost <= LOSSLESS, less <= LOSSLESS, lost=lost, rest=rest)
    return ("rounded" if reply == "beyond" and lost < ROUNDED else reply), values


def own(answer):
    """A port of one's own, whose first queue is overloaded without starving the second."""
    port, streams = answer
    if not isinstance(port.scheduler, StrictPriority) or len(streams) < 2:
        return "scheduler", {}
    most_urgent = min(range(len(port.queues)), key=lambda at: port.queues[at].priority)
    if port.queue_of(streams[0]) != most_urgent or streams[0].mean_rate_bps <= port.rate_bps:
        return "first", {}
    policer = port.queues[most_urgent].policer
    if policer is not None and policer.rate_bps < LEAST_SHARE * port.rate_bps:
        return "bits", {"rate": policer.rate_bps}
    share = float(fluid.solve(port, streams).sent_bps[1:].sum() / port.rate_bps)
    return ("starved" if share < 0.1 else "right"), {"share": share}


EXERCISES = read(__file__, starved, true_rate, bucket, least_rate, own)
