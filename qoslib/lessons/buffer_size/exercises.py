"""Exercises of lesson 05: how large a buffer."""

from typing import Any

from qoslib import tcp, units
from qoslib.lessons.exercise import Exercise, NoAnswer, Number, Verdict, close, number, right, wrong
from qoslib.platforms import mx80
from qoslib.port import Port
from qoslib.scenario import Scenario

__all__ = ["EXERCISES", "tested"]

LINE_BPS, TRIP_S = float(mx80.FACTS.line_bps), float(mx80.FACTS.delay_s)
BESIDE_BPS = float(mx80.FACTS.background_bps)
PACKET_BYTES = float(mx80.FACTS.packet_bytes)
#: Access line of exercise 4 [bit/s], its round trip [s] and packet on it [B].
ACCESS_BPS, ACCESS_TRIP_S, ACCESS_BYTES = units.mbps(20), units.ms(40), 1538
#: Longest wait that exercise 5 allows, as a share of the round trip, and what TCP has to get.
WAIT, BUSY = 0.5, 0.9


def _product(answer: Any, beside: float) -> Verdict:
    """The bandwidth-delay product of what is left of 10 Gb/s over 50 ms, in MB."""
    answer = number(answer, "MB")
    left_bps = LINE_BPS - units.gbps(beside)
    expected = units.convert(tcp.bandwidth_delay_bytes(left_bps, TRIP_S), "B", "MB")
    whole = units.convert(tcp.bandwidth_delay_bytes(LINE_BPS, TRIP_S), "B", "MB")
    slips = [
        (units.bits(expected), "when bits are taken for bytes"),
        (whole, "for the whole line; UDP has its part"),
    ]
    hint = "Rate times round trip, in bytes: what is on its way before the first answer is back."
    shows = "So much is under way when nothing waits; a buffer of this size doubles it."
    return close(answer, expected, "MB", hint, shows, slips)


def _fits(answer: Any, window: float) -> Verdict:
    """The least buffer in which two windows of so many MB stand without a loss, in MB."""
    answer = number(answer, "MB")
    windows = units.megabytes(2 * window)
    both = (windows, LINE_BPS, TRIP_S)
    expected = units.convert(tcp.loss_free_buffer_bytes(*both, BESIDE_BPS), "B", "MB")
    product = tcp.bandwidth_delay_bytes(LINE_BPS - BESIDE_BPS, TRIP_S)
    bare = units.convert(windows - product, "B", "MB")
    slips = [
        (bare, "when no UDP stands between the TCP packets in the queue"),
        (units.convert(windows, "B", "MB"), "when nothing is on its way"),
    ]
    hint = "What the path does not hold waits, and a fifth of what waits is UDP."
    shows = "Below it the first loss is only a matter of time, whatever the algorithm."
    return close(answer, expected, "MB", hint, shows, slips)


def _climb(answer: Any, after: float) -> Verdict:
    """How long two Reno flows take from so many packets each until the path is full, in s."""
    answer = number(answer, "s")
    product = tcp.bandwidth_delay_bytes(LINE_BPS - BESIDE_BPS, TRIP_S)
    expected = (product / PACKET_BYTES / 2 - after) * TRIP_S
    slips = [
        ((product / PACKET_BYTES - after) * TRIP_S, "for one flow alone"),
        (expected / TRIP_S, "in round trips"),
    ]
    hint = "Each window has half of the product to reach, by one packet a round trip."
    shows = "The published test lasts for 30 s: it ends on the way up."
    return close(answer, expected, "s", hint, shows, slips)


def _least(answer: Any, busy: float) -> Verdict:
    """The least buffer that keeps a 20 Mb/s line so busy under one Reno flow, in kB."""
    answer = number(answer, "kB")
    share = units.convert(busy, "%", "1")
    used, less = (_utilisation(units.convert(answer * part, "kB", "B")) for part in (1, 0.95))
    if used < share:
        return wrong(f"with {answer:g} kB the line is busy for {used:.1%} of the time. Give more.")
    if less >= share:
        return wrong(f"with {answer:g} kB it is busy for {used:.1%}; less would do.")
    product = tcp.bandwidth_delay_bytes(ACCESS_BPS, ACCESS_TRIP_S)
    part = units.convert(answer, "kB", "B") / product
    return right(f"{answer:g} kB, {part:.0%} of one product. The last per cent costs the most.")


def _utilisation(buffer_bytes):
    rate_pps = units.rate_pps(ACCESS_BPS, ACCESS_BYTES)
    return tcp.saw_tooth(rate_pps, ACCESS_TRIP_S, buffer_bytes / ACCESS_BYTES).utilisation


def tested(answer: Any) -> tuple[Scenario, Port]:
    """The answer as a scenario with one port and hosts, and that port.

    Raises
    ------
    NoAnswer
        If it is none.
    """
    if answer is None or answer is ...:
        raise NoAnswer("put a Scenario with a port, streams and hosts in place of the dots.")
    if not isinstance(answer, Scenario) or not isinstance(answer.network, Port):
        raise NoAnswer("that is no Scenario of one Port; lesson 09 and its explorer make some.")
    if not answer.hosts:
        raise NoAnswer("nobody sends TCP there: give Scenario(..., hosts=(Host(...),)).")
    return answer, answer.network


def _own(answer: Any) -> Verdict:
    """A port of one's own whose buffer keeps it busy, and no packet late."""
    test, port = tested(answer)
    trip_s = min(flow.round_trip_s for host in test.hosts for flow in host.flows)
    wait_s = _longest_wait_s(port)
    if wait_s > WAIT * trip_s:
        late = units.convert(wait_s, "s", "ms")
        return wrong(f"a packet may wait for {late:.3g} ms, over half a round trip. Less buffer.")
    left_bps = port.rate_bps - sum(stream.mean_rate_bps for stream in test.streams)
    result = tcp.solve(port, test.hosts, test.duration_s, streams=test.streams)
    share = float(result.tcp.goodput_bps.sum() / left_bps) if result.tcp else 0.0
    if share < BUSY:
        return wrong(f"TCP gets {share:.0%} of what is left. More buffer, CUBIC, or a longer test?")
    return right(f"TCP gets {share:.0%} of what is left, and none waits over half a round trip.")


def _longest_wait_s(port):
    size = getattr(port.queues[0].limit, "limit_bytes", None)
    if size is None:
        raise NoAnswer("limit its queue by a ByteLimit.")
    return units.serialisation_s(size, port.rate_bps)


EXERCISES = {
    "05.1": Exercise(
        _product,
        "10 Gb/s less the UDP, times 0.05 s, is a number of bits.",
        "UDP takes {beside} of the 10 Gb/s, and a round trip takes 50 ms. What is the"
        " bandwidth-delay product of what is left, in MB?",
        {"beside": Number(3, 0.5, 6, 0.1)},
    ),
    "05.2": Exercise(
        _fits,
        "take 50 MB from the two windows, and divide the rest by 0.8.",
        "Two flows with receive windows of {window} MB each, 50 ms, 2 Gb/s of UDP on 10 Gb/s."
        " Which buffer (in MB) is the least without any loss?",
        {"window": Number(40, 30, 60, 0.5)},
    ),
    "05.3": Exercise(
        _climb,
        "50 MB are 5,556 packets of 9000 bytes; one flow's half less what it has, times 50 ms.",
        "A burst of losses leaves each of two Reno flows a window of {after} packets of 9000 bytes."
        " 8 Gb/s are theirs, and a round trip takes 50 ms. How long (in s) until the path is full?",
        {"after": Number(300, 200, 900, 10)},
    ),
    "05.4": Exercise(
        _least,
        "try tcp.saw_tooth(20e6 / 8 / 1538, 0.040, kilobytes * 1000 / 1538).utilisation.",
        "One Reno flow over 40 ms on a line of 20 Mb/s, packets of 1538 bytes on the line. Which"
        " buffer (in kB, to 5 %) is the least that keeps the line busy for {busy} % of the time in"
        " the long run?",
        {"busy": Number(95, 80, 99, 0.5)},
    ),
    "05.5": Exercise(
        _own,
        "start from a line of 100 Mb/s and 20 ms with one CUBIC flow, and a third of a product.",
    ),
}
