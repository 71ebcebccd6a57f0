"""Exercises of lesson 03: a policed priority queue."""

from typing import Any

from qoslib import fluid, units
from qoslib.lessons.exercise import (
    Exercise,
    Number,
    Verdict,
    close,
    described,
    number,
    right,
    wrong,
)
from qoslib.platforms import isr4331
from qoslib.port import Port, StrictPriority

__all__ = ["EXERCISES"]

FRAME_BYTES = float(isr4331.FACTS.frame_bytes)
PAYLOAD_BYTES = FRAME_BYTES - float(isr4331.FACTS.header_bytes)
#: Less lost than this is the dust of floating point [ratio].
LOSSLESS = 1e-9


def _frames_bps(payload_mbps):
    """Rate as the policer counts it, headers included [bit/s]."""
    return units.mbps(payload_mbps) * FRAME_BYTES / PAYLOAD_BYTES


def _solved(ef_mbps, port: Port):
    """Loss of EF and of the default class in the long run [ratio]."""
    streams = (isr4331.stream("EF", units.mbps(ef_mbps)), isr4331.stream("default", units.mbps(80)))
    result = fluid.solve(port, streams)
    return result.dropped_pps / result.offered_pps


def _with_rate(rate_bps):
    port = isr4331.llq()
    urgent, rest = port.queues
    assert urgent.policer is not None
    policer = urgent.policer.replace(rate_bps=rate_bps)
    return port.replace(queues=(urgent.replace(policer=policer), rest))


def _starved(answer: Any) -> Verdict:
    """The load of EF from which nothing is left for others without a policer, in Mb/s of data."""
    answer = number(answer, "Mb/s of data")
    line = float(isr4331.FACTS.line_bps)
    on_line = FRAME_BYTES + float(isr4331.FACTS.line_bytes)
    expected = units.convert(line * PAYLOAD_BYTES / on_line, "bit/s", "Mbit/s")
    slips = [(100, "when a packet takes only its data of the line")]
    hint = "Of 1514 bytes on the line, 1448 are data."
    shows = "From there on EF has the line for itself, and even loses packets of its own."
    return close(answer, expected, "Mb/s of data", hint, shows, slips, within=0.003)


def _long_run(answer: Any, load: float) -> Verdict:
    """Share of EF that is lost in the long run at so many Mb/s of data, in per cent."""
    answer = number(answer, "%")
    expected = units.convert(float(_solved(load, isr4331.llq())[0]), "1", "%")
    passes = units.convert(20 / load, "1", "%")
    slips = [
        (100 - passes, "when the policer counts data only"),
        (passes, "for what passes, data only"),
    ]
    hint = "The policer lets 20 Mb/s of frames pass, and a frame of 1490 bytes holds 1448 of data."
    shows = "A run of ten seconds loses a little less: the bucket is full when it begins."
    return close(answer, expected, "%", hint, shows, slips, within=0.008)


def _bucket(answer: Any, load: float) -> Verdict:
    """How long the full bucket of 500,000 B lasts at so many Mb/s of data, in ms."""
    answer = number(answer, "ms")
    facts = isr4331.FACTS
    burst_bits, offered_bps = units.bits(facts.burst_bytes), _frames_bps(load)
    expected = units.convert(burst_bits / (offered_bps - facts.priority_bps), "s", "ms")
    bare_bps = units.mbps(load) - facts.priority_bps
    slips = [
        (units.convert(burst_bits / offered_bps, "s", "ms"), "if nothing flows into the bucket"),
        (
            units.convert(burst_bits / bare_bps, "s", "ms"),
            "when headers are left out: the policer counts frames",
        ),
    ]
    hint = "The bucket loses what comes in, headers included, and gains 20 Mb/s meanwhile."
    shows = "Longer than any voice packet may wait, and every run has it once."
    return close(answer, expected, "ms", hint, shows, slips)


def _rate(answer: Any, load: float) -> Verdict:
    """The least priority rate at which EF loses nothing of so many Mb/s of data, in Mb/s."""
    answer = number(answer, "Mb/s")
    if not 1 <= answer <= 100:
        return wrong(f"{answer:g} Mb/s is no rate for this line; stay between 1 and 100.")
    (lost, rest), (less, _) = (
        _solved(load, _with_rate(units.mbps(answer - by))) for by in (0, 0.5)
    )
    if lost > LOSSLESS:
        return wrong(f"with {answer:g} Mb/s EF loses {lost:.1%}. A policer counts headers too.")
    if less <= LOSSLESS:
        return wrong(f"with {answer:g} Mb/s EF loses nothing, but half a Mb/s less would do too.")
    return right(f"with {answer:g} Mb/s EF loses nothing. The default class pays: {rest:.1%}.")


def _own(answer: Any) -> Verdict:
    """A port of one's own, whose first queue is overloaded without starving the second."""
    port, streams = described(answer)
    if not isinstance(port.scheduler, StrictPriority) or len(streams) < 2:
        return wrong("take a port with StrictPriority() and at least two streams.")
    offered = streams[0].mean_rate_bps
    if port.queue_of(streams[0]) != _most_urgent(port) or offered <= port.rate_bps:
        return wrong("the first stream must go to the most urgent queue, and exceed the line.")
    sent = fluid.solve(port, streams).sent_bps
    share = float(sent[1:].sum() / port.rate_bps)
    if share < 0.1:
        return wrong(f"the others get {share:.1%} of the line. Put a Policer before the first.")
    return right(f"the first stream floods the port, and the others still get {share:.1%} of it.")


def _most_urgent(port):
    return min(range(len(port.queues)), key=lambda at: port.queues[at].priority)


EXERCISES = {
    "03.1": Exercise(
        _starved,
        "the line carries 100 Mb/s of 1514-byte pieces; only 1448 bytes of each are data.",
    ),
    "03.2": Exercise(
        _long_run,
        "write the load as frames first (times 1490 / 1448). 20 Mb/s of that pass, the rest is"
        " lost.",
        "EF is offered {load} Mb/s of data against the 80, with the policer of 20 Mb/s. Which"
        " share of EF (in %) is lost in the long run?",
        {"load": Number(50, 24, 90, 1)},
    ),
    "03.3": Exercise(
        _bucket,
        "4 Mb are in the bucket. It empties at the rate of the frames less 20 Mb/s.",
        "The bucket is full when congestion begins, and EF is offered {load} Mb/s of data. How long"
        " does EF lose nothing, in ms?",
        {"load": Number(30, 24, 80, 1)},
    ),
    "03.4": Exercise(
        _rate,
        "data times 1490 / 1448 is what the policer sees. Round up to half a Mb/s.",
        "Which priority rate (in Mb/s) is the least at which the {load} Mb/s of EF lose nothing,"
        " for good? Who pays?",
        {"load": Number(30, 22, 60, 1)},
    ),
    "03.5": Exercise(
        _own,
        "a Policer in front of the first queue, at a fifth of the line, leaves four fifths to"
        " others.",
    ),
}
