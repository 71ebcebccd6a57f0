"""Exercises of lesson 01: why a higher-priority queue is late."""

from typing import Any

from qoslib import fluid, units
from qoslib.exercises.verdict import Verdict, close, described, number, right, wrong
from qoslib.platforms import m120
from qoslib.port import TimeLimit

__all__ = ["JUDGES"]

#: Less lost than this is the dust of floating point [ratio].
LOSSLESS = 1e-9


def _latency_ms(port, streams, name):
    latency = fluid.solve(port, streams).of(name, "latency_mean_s")
    return None if latency is None else units.convert(latency, "s", "ms")


def _best_effort(answer: Any) -> Verdict:
    """Latency of BE in profile 1 if it is offered 500 Mb/s, in ms."""
    answer = number(answer, "ms")
    if isinstance(answer, Verdict):
        return answer
    rates = m120.RATES_MBPS["profile1"] | {"BE": 500}
    shares = {name: units.mbps(rate) / m120.FACTS.line_bps for name, rate in rates.items()}
    streams = m120.streams(shares, m120.FACTS.frame_scenario2_bytes)
    expected = _latency_ms(m120.port(), streams, "BE")
    slips = [
        (4, "for the published load of 2.5 Gb/s"),
        (100, "when B is divided by what is sent: that is tail drop"),
    ]
    hint = "B is 100 ms at the 100 Mb/s that the class is sent at; divide by what is offered."
    shows = "A fifth of the load, five times the latency: it is the load that moves a full queue."
    return close(answer, expected, "ms", hint, shows, slips)


def _buffer(answer: Any) -> Verdict:
    """The largest buffer that keeps CS1 at or below 10 ms in the base test, in ms."""
    answer = number(answer, "ms")
    if isinstance(answer, Verdict):
        return answer
    if answer == 0:
        return wrong("a queue without any buffer cannot hold the packet it sends.")
    limit = TimeLimit(units.convert(answer, "ms", "s"), at="served")
    streams = m120.experiments()["base"].streams
    latency = _latency_ms(m120.port(CS1={"limit": limit}), streams, "CS1")
    said = f"with {answer:g} ms of buffer CS1 waits for {latency:.3g} ms"
    if latency > 10.005:
        return wrong(f"{said}, which is too long. L = B / E, and B is at the rate served.")
    if latency < 9.5:
        return wrong(f"{said}: less than asked for, and bursts will miss the buffer. Try more.")
    return right(f"{said}. The buffer in ms may be larger than the latency: dropping helps.")


def _guarantee(answer: Any) -> Verdict:
    """The least guaranteed rate at which CS1 loses nothing in the base test, in per cent."""
    answer = number(answer, "%")
    if isinstance(answer, Verdict):
        return answer
    base = m120.experiments()["base"]
    lost, less = (_lost_percent(base, max(answer - step, 0)) for step in (0, 0.5))
    if lost > 0.01:
        return wrong(f"guaranteed {answer:g} %, CS1 still loses {lost:.2g} % of its packets.")
    if less <= 0.01:
        return wrong(f"guaranteed {answer:g} %, CS1 loses nothing, but a little less would do too.")
    return right(f"guaranteed {answer:g} %, CS1 loses nothing. Now look at who pays for it.")


def _lost_percent(experiment, guaranteed_percent):
    rate = units.convert(guaranteed_percent, "%", "1") * m120.FACTS.line_bps
    result = fluid.solve(m120.port(CS1={"guaranteed_bps": rate}), experiment.streams)
    return units.convert(_lost(result, "CS1"), "1", "%")


def _lost(result, name):
    """Share of a stream's packets that is dropped [ratio]."""
    at = result.streams.index(name)
    return float(result.dropped_pps[at] / max(result.offered_pps[at], 1))


def _customer(answer: Any) -> Verdict:
    """The load of strict-high alone at which L = B / E gives 90 ms, in per cent of the line."""
    answer = number(answer, "% of the line")
    if isinstance(answer, Verdict):
        return answer
    shares = {name: 0.0 for name in m120.CLASSES}
    load = units.convert(answer, "%", "1")
    latency = _latency_ms(m120.port(), m120.streams(shares | {"CS4": load}), "CS4")
    if latency is None or latency < 1:
        return wrong(f"at {answer:g} % the line keeps up, so nothing waits. Offer it more.")
    said = f"at {answer:.4g} % of the line strict-high waits for {latency:.3g} ms"
    if abs(latency - 90) > 1:
        return wrong(f"{said}, not 90. {'More' if latency > 90 else 'Less'} load is needed.")
    return right(f"{said}. That is an overload of a ninth, not of 2:1: the source leaves it open.")


def _own(answer: Any) -> Verdict:
    """A port of one's own, overloaded, whose first stream loses nothing within 10 ms."""
    answer = described(answer)
    if isinstance(answer, Verdict):
        return answer
    port, streams = answer
    result = fluid.solve(port, streams)
    if len(streams) < 2 or result.dropped_pps.sum() <= 0:
        return wrong("your port drops nothing. Offer at least two streams, and more than fits.")
    first = streams[0].name
    latency = result.of(first, "latency_mean_s")
    if latency is None or _lost(result, first) > LOSSLESS:
        return wrong(f"{first} loses packets. Give its queue a better priority or a larger rate.")
    if latency > units.ms(10):
        return wrong(f"{first} takes {units.convert(latency, 's', 'ms'):.3g} ms; aim below 10 ms.")
    worst = max(result.streams[1:], key=lambda name: _lost(result, name))
    return right(f"{first} loses nothing and is in time, while {worst} pays for it.")


JUDGES = {
    "01.1": _best_effort,
    "01.2": _buffer,
    "01.3": _guarantee,
    "01.4": _customer,
    "01.5": _own,
}
