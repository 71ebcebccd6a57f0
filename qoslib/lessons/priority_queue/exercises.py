"""Exercises of lesson 01: why a higher-priority queue has the longer delay."""

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
from qoslib.platforms import m120
from qoslib.port import TimeLimit

__all__ = ["EXERCISES"]

#: Less lost than this is the dust of floating point [ratio].
LOSSLESS = 1e-9
#: Delay of a packet that finds every queue empty [ms].
TRANSIT_MS = units.convert(float(m120.FACTS.transit_s), "s", "ms")


def _latency_ms(port, streams, name):
    latency = fluid.solve(port, streams)[name].delay_mean_s
    return None if latency is None else units.convert(latency, "s", "ms")


def _best_effort(answer: Any, offered: float) -> Verdict:
    """Latency of BE in profile 1 if it is offered so many Gb/s, in ms."""
    answer = number(answer, "ms")
    rates = m120.RATES_MBPS["profile1"] | {"BE": units.convert(offered, "Gbit/s", "Mbit/s")}
    shares = {name: units.mbps(rate) / m120.FACTS.line_bps for name, rate in rates.items()}
    streams = m120.streams(shares, m120.FACTS.frame_scenario2_bytes)
    expected = _latency_ms(m120.port(), streams, "BE")
    slips = [
        (4, "for the published load of 2.5 Gb/s"),
        (100, "when B is divided by what is sent: that is tail drop"),
    ]
    hint = "B is 100 ms at the 100 Mb/s that the class is sent at; divide by what is offered."
    shows = "The load moves a full queue: half of it, and the queue is twice as late."
    return close(answer, expected, "ms", hint, shows, slips)


def _buffer(answer: Any, late: float) -> Verdict:
    """The largest buffer that keeps CS1 at or below so many ms in the base test, in ms."""
    answer = number(answer, "ms")
    if answer == 0:
        return wrong("a queue without any buffer cannot hold the packet it sends.")
    limit = TimeLimit(units.convert(answer, "ms", "s"), at="served")
    streams = m120.experiments()["base"].streams
    latency = _latency_ms(m120.port(CS1={"limit": limit}), streams, "CS1")
    # L = B / E is the wait in the queue; whether the way through the router counts is left open.
    waits = latency - TRANSIT_MS
    said = f"with {answer:g} ms of buffer CS1 waits for {waits:.4g} ms in its queue"
    # An answer may be rounded to three digits.
    if waits > 1.005 * late:
        return wrong(f"{said}, which is too long. L = B / E, and B is at the rate served.")
    if latency < 0.95 * late:
        return wrong(f"{said}: less than asked for, and bursts will miss the buffer. Try more.")
    return right(
        f"{said}, and {TRANSIT_MS:.2f} ms more pass on the way through the router."
        " The buffer in ms may be larger than the delay: dropping helps."
    )


def _guarantee(answer: Any, load: float) -> Verdict:
    """The least guaranteed rate at which CS1 loses nothing of so much load, both in per cent."""
    answer = number(answer, "%")
    lost, less = (_lost_percent(load, max(answer - step, 0)) for step in (0, 0.5))
    if lost["CS1"] > 0.01:
        still = f"CS1 still loses {lost['CS1']:.2g} % of its packets"
        return wrong(f"guaranteed {answer:g} %, {still}.")
    if less["CS1"] <= 0.01:
        return wrong(f"guaranteed {answer:g} %, CS1 loses nothing, but a little less would do too.")
    pay = ", ".join(f"{name} loses {share:.3g} %" for name, share in lost.items() if share > 0.01)
    return right(
        f"guaranteed {answer:g} %, CS1 loses nothing. For that, {pay}. What NC offers above its own"
        " guarantee comes after every guarantee, although NC has the higher priority."
    )


def _lost_percent(load_percent, guaranteed_percent):
    """What each class loses of its packets [%]."""
    shares = m120.SHARES["base"] | {"CS1": units.convert(load_percent, "%", "1")}
    rate = units.convert(guaranteed_percent, "%", "1") * m120.FACTS.line_bps
    result = fluid.solve(m120.port(CS1={"guaranteed_bps": rate}), m120.streams(shares))
    return {name: units.convert(_lost(result, name), "1", "%") for name in result.streams}


def _lost(result, name):
    """Share of a stream's packets that is dropped [ratio]."""
    at = result.streams.index(name)
    return float(result.dropped_pps[at] / max(result.offered_pps[at], 1))


def _customer(answer: Any, late: float) -> Verdict:
    """The load of strict-high alone at which L = B / E gives so many ms, in % of the line."""
    answer = number(answer, "% of the line")
    shares = {name: 0.0 for name in m120.CLASSES}
    load = units.convert(answer, "%", "1")
    latency = _latency_ms(m120.port(), m120.streams(shares | {"CS4": load}), "CS4")
    if latency is None or latency < 1:
        return wrong(f"at {answer:g} % the line keeps up, so nothing waits. Offer it more.")
    said = f"at {answer:.4g} % of the line strict-high waits for {latency:.3g} ms"
    if abs(latency - late) > late / 90:
        more = "More" if latency > late else "Less"
        return wrong(f"{said}, not {late:g}. {more} load is needed.")
    return right(f"{said}. That is no overload of 2:1: the source leaves it open.")


def _own(answer: Any) -> Verdict:
    """A port of one's own, overloaded, whose first stream loses nothing within 10 ms."""
    port, streams = described(answer, "(m120.port(), m120.streams({...}))")
    result = fluid.solve(port, streams)
    if len(streams) < 2 or result.dropped_pps.sum() <= 0:
        return wrong("your port drops nothing. Offer at least two streams, and more than fits.")
    first = streams[0].name
    latency = result[first].delay_mean_s
    if latency is None or _lost(result, first) > LOSSLESS:
        return wrong(f"{first} loses packets. Give its queue a better priority or a larger rate.")
    if latency > units.ms(10):
        return wrong(f"{first} takes {units.convert(latency, 's', 'ms'):.3g} ms; aim below 10 ms.")
    worst = max(result.streams[1:], key=lambda name: _lost(result, name))
    return right(f"{first} loses nothing and is in time, while {worst} pays for it.")


EXERCISES = {
    "01.1": Exercise(
        _best_effort,
        "L = B / E: 10 Mb are in the buffer (100 ms at 100 Mb/s). It is late until that much has"
        " come in.",
        "In profile 1, BE is offered 2.5 Gb/s. How late would it be if it was offered {offered}"
        " Gb/s, in ms?",
        {"offered": Number(0.5, 0.2, 2.4, 0.05)},
    ),
    "01.2": Exercise(
        _buffer,
        "CS1 is served 22 % of the line and offered 25 %, so a buffer of b ms delays it by b x 22 /"
        " 25 ms; the 0.07 ms on the way through the router may be counted or not.",
        "Which buffer (in ms) gives CS1 a delay of {late} ms in the base test?",
        {"late": Number(10, 4, 30, 0.5)},
    ),
    "01.3": Exercise(
        _guarantee,
        "a class within its guarantee loses nothing, whoever else is there; look at what it is"
        " offered.",
        "In the base test with CS1 at {load} % of the line, which guaranteed rate (in % of the"
        " line) is the least that lets CS1 lose nothing? Set it in the explorer. Which classes lose"
        " more then?",
        {"load": Number(25, 24, 45, 1)},
    ),
    "01.4": Exercise(
        _customer,
        "the buffer is 100 ms at the line rate, so L is 100 ms over the load as a multiple of the"
        " line.",
        "What if: strict-high alone, drops at the head. At which offered load (in % of the line)"
        " would it be {late} ms late?",
        {"late": Number(90, 55, 96, 1)},
    ),
    "01.5": Exercise(
        _own,
        "begin with m120.port() and streams of 120 % in all, and give the first one 10 % of the"
        " line: strict-high comes before everybody.",
    ),
}
