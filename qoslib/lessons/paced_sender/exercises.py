"""Exercises of lesson 06: pacing a sender."""

from typing import Any

from qoslib import tcp, units
from qoslib.flows import HtbPacing, actual_rate_bps
from qoslib.lessons.buffer_size.exercises import tested
from qoslib.lessons.exercise import Exercise, Number, Verdict, close, number, right, wrong
from qoslib.platforms import mx80

__all__ = ["EXERCISES"]

LINE_BPS, BESIDE_BPS = float(mx80.FACTS.line_bps), float(mx80.FACTS.background_bps)
BUFFER_BYTES = float(mx80.FACTS.paced_buffer_bytes)
BURST = int(mx80.FACTS.burst_packets)
SEGMENT_BYTES = int(mx80.FACTS.packet_bytes - mx80.FACTS.header_bytes)
#: What exercise 5 asks of the own sender, as a share of what is left.
BUSY = 0.85


def _sent_gbps(paced):
    """What the old rate table makes of a rate [Gb/s]."""
    pacing = HtbPacing(units.gbps(paced), "legacy")
    sent_bps = actual_rate_bps(pacing, SEGMENT_BYTES, BURST) or 0.0
    return units.convert(min(sent_bps, LINE_BPS), "bit/s", "Gbit/s")


def _really(answer: Any, paced: float) -> Verdict:
    """What a host really sends that old tc paces at so many Gb/s, in Gb/s."""
    answer = number(answer, "Gb/s")
    expected = _sent_gbps(paced)
    hint = "256 cells of 8 bytes: the time of one, and of 256, in whole microseconds."
    shows = "What you set is not what you send; measure it."
    slips = [(paced, "when the table is exact")] if abs(expected / paced - 1) > 0.005 else []
    return close(answer, expected, "Gb/s", hint, shows, slips, within=0.005)


def _fills(answer: Any, sent: float) -> Verdict:
    """How long 12 MB of buffer last when so many Gb/s come beside 2 Gb/s, in ms."""
    answer = number(answer, "ms")
    excess_bps = units.gbps(sent) + BESIDE_BPS - LINE_BPS
    expected = units.convert(units.serialisation_s(BUFFER_BYTES, excess_bps), "s", "ms")
    alone = units.convert(units.serialisation_s(BUFFER_BYTES, LINE_BPS), "s", "ms")
    slips = [(alone, "for how long the line takes to empty it"), (expected / 8, "without the 8")]
    hint = "Only what exceeds the line stays in the buffer."
    shows = "A buffer turns an overload into time, and not into much."
    return close(answer, expected, "ms", hint, shows, slips)


def _highest(answer: Any, beside: float) -> Verdict:
    """The highest rate to configure, in tenths of a Gb/s, that leaves the line room, in Gb/s."""
    answer = number(answer, "Gb/s")
    if not 0.5 <= answer <= 10:
        return wrong(f"{answer:g} Gb/s is no rate for this host; stay between 0.5 and 10.")
    left = units.convert(LINE_BPS, "bit/s", "Gbit/s") - beside
    if _sent_gbps(answer) > left:
        return wrong(f"{answer:g} Gb/s is sent as {_sent_gbps(answer):.2f}, over {left:.2f} Gb/s.")
    if _sent_gbps(answer + 0.1) <= left:
        return wrong(f"{answer:g} Gb/s fits, but a tenth more would, too.")
    return right(f"{answer:g} Gb/s is sent as {_sent_gbps(answer):.2f}; a tenth more is too much.")


def _burst(answer: Any, rate: float) -> Verdict:
    """The burst that lets one Reno flow use a policer of so many Mb/s over 50 ms, in kB."""
    answer = number(answer, "kB")
    given = (units.mbps(rate), units.ms(50))
    expected = units.convert(tcp.policer_burst_bytes(*given, 1500), "B", "kB")
    product = units.convert(tcp.bandwidth_delay_bytes(*given), "B", "kB")
    hint = "The square of the product in packets, over 18, in packets."
    shows = "A shaper needs one product, which does not grow with the square."
    slips = [(product, "for one product, which a shaper needs")]
    return close(answer, expected, "kB", hint, shows, slips)


def _own(answer: Any) -> Verdict:
    """A sender of one's own that is paced so that nothing is lost and little is left over."""
    test, port = tested(answer)
    if any(host.pacing is None for host in test.hosts):
        return wrong("not every host is paced: give Host(..., pacing=FqPacing(...)).")
    result = tcp.solve(port, test.hosts, test.duration_s, streams=test.streams)
    if result.tcp is None or result.dropped_pps.sum() > 0:
        lost = float(result.dropped_pps.sum() * test.duration_s)
        return wrong(f"{lost:,.0f} packets are lost. Pace slower, or give more buffer.")
    left_bps = port.rate_bps - sum(stream.mean_rate_bps for stream in test.streams)
    share = float(result.tcp.goodput_bps.sum() / left_bps)
    if share < BUSY:
        return wrong(f"TCP uses {share:.0%} of what is left. Pace faster, or test for longer.")
    return right(f"TCP uses {share:.0%} of what is left, and nothing is lost.")


EXERCISES = {
    "06.1": Exercise(
        _really,
        "ask actual_rate_bps(HtbPacing(units.gbps(...), 'legacy'), 8948, 7).",
        "The hosts of the lesson hand down bursts of 7 segments of 8948 bytes. `tc` with an old"
        " table is told {paced} Gb/s. What is really sent, in Gb/s?",
        {"paced": Number(4.5, 2, 8, 0.1)},
    ),
    "06.2": Exercise(
        _fills,
        "12 MB are 96 Mb; divide by what comes in beyond 10 Gb/s.",
        "A host sends {sent} Gb/s beside 2 Gb/s of UDP into a line of 10 Gb/s with 12 MB of buffer."
        " How long (in ms) until it is full?",
        {"sent": Number(8.6, 8.4, 10, 0.02)},
    ),
    "06.3": Exercise(
        _highest,
        "go through the steps on the right of the explorer's figure: the last one below it counts.",
        "UDP takes {beside} of the 10 Gb/s. Which rate (in Gb/s, to a tenth) is the highest to tell"
        " the old `tc` so that the line is not overloaded?",
        {"beside": Number(3, 1.5, 7, 0.1)},
    ),
    "06.4": Exercise(
        _burst,
        "tcp.policer_burst_bytes(rate, round trip, packet) says it in bytes.",
        "One Reno flow with packets of 1500 bytes over 50 ms goes through a policer of {rate} Mb/s."
        " Which burst (in kB) lets it use the whole rate?",
        {"rate": Number(20, 5, 90, 1)},
    ),
    "06.5": Exercise(
        _own,
        "pace the flows at nine tenths of what the streams leave of the line, with FqPacing.",
    ),
}
