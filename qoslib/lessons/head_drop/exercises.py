"""Exercises of lesson 01: why a higher-priority queue has the longer delay."""

from qoslib import fluid, units
from qoslib.lessons.exercise import edge, read
from qoslib.platforms import m120
from qoslib.port import HeadDrop, PacketLimit, Port, Queue, TailDrop, TimeLimit
from qoslib.tolerances import LOSSLESS
from qoslib.traffic import Stream

__all__ = ["EXERCISES"]

#: Delay of a packet that finds every queue empty [ms].
TRANSIT_MS = units.convert(float(m120.FACTS.transit_s), "s", "ms")


def _delay_ms(port, streams, name):
    delay = fluid.solve(port, streams)[name].delay_mean_s
    return None if delay is None else units.convert(delay, "s", "ms")


def other_end():
    """Delay of the diagnosed queue if it dropped at its tail [ms]."""
    room, packet = PacketLimit(5_000), Stream("class", units.rate_bps(200_000, 1500), 1500)
    head, tail = (
        Port("other", units.rate_bps(50_000, 1500), (Queue("class", room, dropper),))
        for dropper in (HeadDrop(), TailDrop())
    )
    measured, other = (_delay_ms(port, [packet], "class") for port in (head, tail))
    return other, {"measured": measured, "dropped": measured * 200 / 150}


def buffer(answer, delay):
    """The largest buffer that keeps CS1 at or below so many ms in the base test, in ms."""
    limit = TimeLimit(units.convert(answer, "ms", "s"), at="served")
    streams = m120.PLATFORM.experiments()["base"].streams
    found = _delay_ms(m120.port(CS1={"limit": limit}), streams, "CS1")
    # L = B / E is the wait in the queue; whether the way through the router counts is left open.
    values = {"waits": found - TRANSIT_MS, "transit": TRANSIT_MS}
    # An answer may be rounded to three digits.
    if values["waits"] > 1.005 * delay:
        return "beyond", values
    return ("room" if found < 0.95 * delay else "right"), values


def guarantee(answer, load):
    """The least guaranteed rate at which CS1 loses nothing of so much load, both in per cent."""
    lost, less = (_lost_percent(load, max(answer - step, 0)) for step in (0, 0.5))
    pay = ", ".join(f"{name} loses {share:.3g} %" for name, share in lost.items() if share > 0.01)
    return edge(lost["CS1"] <= 0.01, less["CS1"] <= 0.01, lost=lost["CS1"], pay=pay)


def _lost_percent(load_percent, guaranteed_percent):
    """What each class loses of its packets [%]."""
    shares = m120.SHARES["base"] | {"CS1": units.convert(load_percent, "%", "1")}
    rate = units.convert(guaranteed_percent, "%", "1") * m120.FACTS.line_bps
    result = fluid.solve(m120.port(CS1={"guaranteed_bps": rate}), m120.streams(shares))
    return dict(zip(result.streams, units.convert(result.drop_ratio, "1", "%"), strict=True))


def strict_high(answer, delay):
    """The load of strict-high alone at which L = B / E gives so many ms, in % of the link."""
    shares = {name: 0.0 for name in m120.CLASSES}
    load = units.convert(answer, "%", "1")
    found = _delay_ms(m120.port(), m120.streams(shares | {"CS4": load}), "CS4")
    if found is None or found < 1:
        return "idle", {}
    off = abs(found - delay) > delay / 90
    more = "More" if found > delay else "Less"
    return ("off" if off else "right"), {"found": found, "more": more}


def own(answer):
    """A port of one's own, overloaded, whose first stream loses nothing within 10 ms."""
    port, streams = answer
    result = fluid.solve(port, streams)
    if len(streams) < 2 or result.dropped_pps.sum() <= 0:
        return "idle", {}
    first = streams[0].name
    delay = result[first].delay_mean_s
    if delay is None or result[first].drop_ratio > LOSSLESS:
        return "loses", {"first": first}
    if delay > units.ms(10):
        return "delay", {"first": first, "delay": units.convert(delay, "s", "ms")}
    worst = max(result.streams[1:], key=lambda name: result[name].drop_ratio)
    return "right", {"first": first, "worst": worst}


EXERCISES = read(__file__, other_end, buffer, guarantee, strict_high, own)
