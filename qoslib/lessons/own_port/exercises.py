"""Exercises of lesson 09: a port of one's own."""

from qoslib import fluid, packets, units
from qoslib.lessons.exercise import read
from qoslib.scenario import Scenario

__all__ = ["EXERCISES"]

LINE = 100.0
#: A full frame on the line, with what Ethernet adds to it [B], and what that is.
FULL_BYTES, ADDED_BYTES = 1538.0, 20
#: The most that counts as no loss [ratio], and the most packets that a check simulates.
LOSSLESS, MOST_PACKETS = 1e-3, 400_000


def burst(rate, lasts):
    """Burst of a policer, in kB, that passes a line-rate burst of so many ms on 100 Mb/s."""
    expected, whole = (
        float(units.convert(units.octets(units.mbps(mbps) * units.ms(lasts)), "B", "kB"))
        for mbps in (LINE - rate, LINE)
    )
    return expected, {"whole": whole}


def buffer(delay):
    """Buffer of a 100 Mb/s line, in packets of 1518 B, that costs so many ms when full."""
    expected = units.ms(delay) / units.serialisation_s(FULL_BYTES, units.mbps(LINE))
    return expected, {"octets": float(units.octets(expected))}


def largest_frame(most):
    """Largest frame, in bytes, that keeps another packet from waiting longer than so many us."""
    on_line = float(units.octets(units.us(most) * units.mbps(LINE)))
    return on_line - ADDED_BYTES, {"on_line": on_line}


def own(answer):
    """A scenario of one's own, overloaded, whose first stream loses nothing in either model."""
    if not isinstance(answer, Scenario):
        return "scenario", {}
    if Scenario.from_json(answer.to_json()) != answer:
        return "saved", {}
    offered = sum(units.rate_pps(s.rate_bps, s.mean_frame_bytes) for s in answer.streams)
    end_s = min(answer.duration_s, MOST_PACKETS / max(offered, 1.0))
    run = packets.simulate(answer.network, answer.streams, end_s, seed=answer.seed, bins=1)
    values = {"first": answer.streams[0].name}
    for model, result in (("fluid", fluid.solve(answer.network, answer.streams)), ("packet", run)):
        lost = result.dropped_pps / (result.offered_pps + 1e-12)
        values |= {"model": model, "lost": lost[0]}
        if lost.max() <= LOSSLESS:
            return "idle", values
        if lost[0] > LOSSLESS:
            return "loses", values
    return "right", {**values, "delay": units.convert(float(run.delay_mean_s[0]), "s", "ms")}


EXERCISES = read(__file__, burst, buffer, largest_frame, own)
