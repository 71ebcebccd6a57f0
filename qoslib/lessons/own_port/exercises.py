"""Exercises of lesson 09: a port of one's own."""

from typing import Any

from qoslib import fluid, packets, units
from qoslib.lessons.exercise import (
    Exercise,
    NoAnswer,
    Number,
    Verdict,
    close,
    number,
    right,
    wrong,
)
from qoslib.scenario import Scenario

__all__ = ["EXERCISES"]

LINE = 100.0
#: A full frame on the line, with what Ethernet adds to it [B].
FULL_BYTES = 1538.0
#: The most that counts as no loss [ratio], and the most packets that a check plays.
LOSSLESS, MOST_PACKETS = 1e-3, 400_000


def _burst(answer: Any, rate: float, lasts: float) -> Verdict:
    """Burst of a policer, in kB, that passes a line-rate burst of so many ms on 100 Mb/s."""
    answer = number(answer, "kB")
    came, passes = (
        units.octets(units.mbps(mbit) * units.ms(lasts)) for mbit in (LINE, LINE - rate)
    )
    expected, whole = (float(units.convert(each, "B", "kB")) for each in (passes, came))
    slips = [(whole, "when nothing flows into the bucket meanwhile")]
    hint = "What comes in the burst, less what the bucket gains in the same time."
    shows = "A bucket smaller than that drops packets of a stream that keeps its mean rate."
    return close(answer, expected, "kB", hint, shows, slips)


def _buffer(answer: Any, late: float) -> Verdict:
    """Buffer of a 100 Mb/s line, in packets of 1518 B, that costs so many ms when full."""
    answer = number(answer, "packets")
    packet_s = units.serialisation_s(FULL_BYTES, units.mbps(LINE))
    expected = units.ms(late) / packet_s
    slips = [(float(units.octets(expected)), "when bits are taken for bytes")]
    hint = "A full frame takes 1538 B of the line, which is 0.123 ms."
    shows = "A limit in packets is a delay only if you know the packets."
    return close(answer, expected, "packets", hint, shows, slips)


def _limit(answer: Any, most: float) -> Verdict:
    """Largest frame, in bytes, that keeps another packet from waiting longer than so many us."""
    answer = number(answer, "bytes")
    expected = float(units.octets(units.us(most) * units.mbps(LINE))) - 20
    slips = [(expected + 20, "with what the line adds still in it")]
    hint = "A packet on the line is never interrupted: its time is 8 (frame + 20) / rate."
    shows = "Even the first of all priorities waits for the frame that is on the line."
    return close(answer, expected, "bytes", hint, shows, slips, within=0.01)


def _own(answer: Any) -> Verdict:
    """A scenario of one's own, overloaded, whose first stream loses nothing in either model."""
    if answer is None or answer is ...:
        raise NoAnswer("put a Scenario in place of the dots: a name, a port and its streams.")
    if not isinstance(answer, Scenario):
        raise NoAnswer("give a Scenario; scenario.Scenario.from_json() reads a saved one.")
    if Scenario.from_json(answer.to_json()) != answer:
        return wrong("what is saved does not come back as itself.")
    solved = fluid.solve(answer.network, answer.streams)
    offered = sum(units.rate_pps(s.rate_bps, s.mean_frame_bytes) for s in answer.streams)
    end_s = min(answer.duration_s, MOST_PACKETS / max(offered, 1.0))
    simulated = packets.simulate(answer.network, answer.streams, end_s, seed=answer.seed, bins=1)
    return _judged(answer.streams[0].name, {"fluid": solved, "packets": simulated})


def _judged(first, results):
    for model, result in results.items():
        lost = result.dropped_pps / (result.offered_pps + 1e-12)
        if lost.max() <= LOSSLESS:
            return wrong(f"nothing is lost in the {model} model. Offer more than the line carries.")
        if lost[0] > LOSSLESS:
            return wrong(f"{first} loses {lost[0]:.1%} in the {model} model. Serve it first.")
    late = units.convert(float(results["packets"].delay_mean_s[0]), "s", "ms")
    return right(f"{first} loses nothing in either model, and takes {late:.3g} ms.")


EXERCISES = {
    "09.1": Exercise(
        _burst,
        "at 100 Mb/s a millisecond brings 12.5 kB; a policer of 10 Mb/s gives 1.25 kB back in it.",
        "A stream of {rate} Mb/s on average comes in bursts of {lasts} ms at 100 Mb/s. Which burst"
        " (in kB) must a policer of {rate} Mb/s allow so that nothing is lost?",
        {"rate": Number(10, 2, 40, 1), "lasts": Number(20, 2, 60, 1)},
    ),
    "09.2": Exercise(
        _buffer,
        "divide the delay by the time of one frame.",
        "Your 100 Mb/s line may be {late} ms late when its buffer is full of frames of 1518 B (1538"
        " on the line). How many packets is that?",
        {"late": Number(8, 5, 100, 1)},
    ),
    "09.3": Exercise(
        _limit,
        "in so many us the line carries 12.5 B each; take the 20 B off.",
        "Voice must not wait longer than {most} us for the packet that is on the 100 Mb/s line"
        " when it comes. Which frame (in bytes) is the largest that you may allow the others?",
        {"most": Number(80, 20, 120, 1)},
    ),
    "09.4": Exercise(
        _own,
        "lessons.own_port.explorer() begins with one that nearly does; StrictPriority() and a first"
        " stream below the line rate.",
    ),
}
