"""Exercises of lesson 02: a line shared by deficit round robin."""

from typing import Any

import numpy as np

from qoslib import fluid, measurements, packets, units
from qoslib.exercises.verdict import Verdict, close, described, number, right, wrong
from qoslib.fluid.drr import round_s
from qoslib.platforms import gsr12000
from qoslib.port import DeficitRoundRobin, ModifiedDrr

__all__ = ["JUDGES"]

LOSSLESS = 1e-9
#: The most that Premium may wait in exercise 3 [us].
PREMIUM_US = 50.0
#: Packets of a run of the reader's own port, and the most its first stream may wait [ms].
OWN_PACKETS, OWN_MS = 50_000, 2.0


def _round(answer: Any) -> Verdict:
    """Time of a round with the quanta of engine 2, in ms."""
    answer = number(answer, "ms")
    if isinstance(answer, Verdict):
        return answer
    port = gsr12000.engine2()
    line = port.rate_bps * _frame_share(port)
    premium = sum(s.rate_bps for s in gsr12000.streams() if s.mark == "prec5")
    expected, whole = (
        units.convert(round_s(port, rate), "s", "ms") for rate in (line - premium, line)
    )
    smaller = units.convert(round_s(gsr12000.engine3(), line - premium), "s", "ms")
    slips = [
        (whole, "when Premium is forgotten, which goes first"),
        (smaller, "for the quanta of engine 3"),
        (units.octets(expected), "when bytes are taken for bits"),
    ]
    hint = "Add up the quanta of queues 0, 2 and 3; the round robin gets what Premium leaves."
    shows = "Half of it would be the average of Updates, 20 % above the print: so it is excluded."
    return close(answer, expected, "ms", hint, shows, slips, within=0.01)


def _frame_share(port):
    frame = float(gsr12000.FACTS.frame_bytes)
    return frame / (frame + port.overhead_bytes)


def _quantum(answer: Any) -> Verdict:
    """The least quantum of queue 3 that carries 40 Mb/s by shares alone, in bytes."""
    answer = number(answer, "bytes")
    if isinstance(answer, Verdict):
        return answer
    if answer < 1:
        return wrong("a queue without a quantum is never served in a round.")
    lost, less = (_lbe_lost_percent(round(answer * part)) for part in (1.0, 0.97))
    said = f"with {answer:,.0f} bytes Less Than BE loses {lost:.2g} % of its packets in the fluid"
    if lost > 0.01:
        return wrong(f"{said}. Set its quantum to those of the others as 40 Mb/s to what they get.")
    if less <= 0.01:
        return wrong(f"{said}, but less would do too.")
    return right(f"{said}. That is two thirds more than is set; measured was no loss without it.")


def _lbe_lost_percent(quantum_bytes):
    port = gsr12000.engine3()
    queues = tuple(
        q.replace(quantum_bytes=max(quantum_bytes, 1)) if q.name == "queue3" else q
        for q in port.queues
    )
    result = fluid.solve(port.replace(queues=queues), gsr12000.streams("test_b"))
    return units.convert(_lost(result, "1A/prec0"), "1", "%")


def _lost(result, name):
    """Share of a stream's packets that is dropped [ratio]."""
    at = result.streams.index(name)
    return float(result.dropped_pps[at] / max(result.offered_pps[at], 1))


def _ring(answer: Any) -> Verdict:
    """The longest transmit ring that keeps Premium below 50 us on average, in packets."""
    answer = number(answer, "packets")
    if isinstance(answer, Verdict):
        return answer
    if answer != int(answer) or not 1 <= answer <= 1000:
        return wrong(f"{answer:g} is no ring; give a whole number of packets from 1 to 1000.")
    now, longer = (_premium_us(int(answer) + more) for more in (0, 1))
    said = f"with a ring of {answer:g} packets Premium takes {now:.3g} us on average"
    if now > PREMIUM_US:
        return wrong(f"{said}: too long. Each packet in the ring costs it 3.4 us.")
    if longer <= PREMIUM_US:
        return wrong(f"{said}: there is room for more.")
    return right(f"{said}. Strict priority ends where the ring begins: it is first come there.")


def _premium_us(ring):
    port = gsr12000.engine3().replace(transmit_ring_packets=ring)
    streams = gsr12000.streams("test_b")
    result = packets.simulate(port, streams, units.ms(50), warmup_s=units.ms(5))
    mean = np.mean([result.of(f"{p}/prec5", "latency_mean_s") for p in gsr12000.PORTS])
    return units.convert(float(mean), "s", "us")


def _ninety(answer: Any) -> Verdict:
    """Packets of 90 minutes that a policer 6.8 ppm slow loses, if its bucket is small."""
    answer = number(answer, "packets")
    if isinstance(answer, Verdict):
        return answer
    long = gsr12000.experiments()["conclusion_90min"]
    premium = sum(s.rate_bps / units.bits(s.mean_frame_bytes) for s in long.streams)
    offered = premium * float(gsr12000.FACTS.whole_long_s)
    expected = offered * units.convert(float(gsr12000.FACTS.policer_slow_ppm), "ppm", "1")
    slips = [
        (offered * _printed_ratio(), "of the ratio that was printed: but 6.8 is not 9.3"),
        (204, "for 20 minutes"),
    ]
    hint = "6.8 in a million of 25,000 packets/s for 5,400 s."
    shows = "Published is a third more. So the offset drifts, or a bucket hides the first losses."
    return close(answer, expected, "packets", hint, shows, slips, within=0.01)


def _printed_ratio():
    seen = measurements.load("gsr12000_statements").query("experiment == 'conclusion_90min'")
    ratio = seen.set_index("quantity")["consistent_value"].astype(float)["drop_ratio"]
    return units.convert(float(ratio), "%", "1")


def _own(answer: Any) -> Verdict:
    """An overloaded round robin of one's own whose first stream is served in every round."""
    answer = described(answer)
    if isinstance(answer, Verdict):
        return answer
    port, streams = answer
    if not isinstance(port.scheduler, DeficitRoundRobin | ModifiedDrr):
        return wrong("your port has no round robin. Give it DeficitRoundRobin() and quanta.")
    offered_pps = sum(s.rate_bps / units.bits(s.mean_frame_bytes) for s in streams)
    if not offered_pps:
        return wrong("your streams offer nothing. Give them rates.")
    result = packets.simulate(port, streams, OWN_PACKETS / offered_pps)
    if result.dropped_pps.sum() <= 0:
        return wrong("your port drops nothing in this time. Offer more, or shorten the queues.")
    first = streams[0].name
    if _lost(result, first) > LOSSLESS:
        return wrong(f"{first} loses packets. Give its queue a larger quantum.")
    latency = result.of(first, "latency_max_s")
    late_ms = np.inf if latency is None else units.convert(latency, "s", "ms")
    if late_ms > OWN_MS:
        return wrong(f"{first} takes up to {late_ms:.3g} ms; aim below {OWN_MS:g}: smaller quanta.")
    return right(f"{first} loses nothing and takes at most {late_ms:.3g} ms, packet by packet.")


JUDGES = {
    "02.1": _round,
    "02.2": _quantum,
    "02.3": _ring,
    "02.4": _ninety,
    "02.5": _own,
}
