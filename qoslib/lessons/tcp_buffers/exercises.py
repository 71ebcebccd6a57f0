"""Exercises of lesson 06: how large a buffer."""

from typing import Any

from qoslib import run, tcp, units
from qoslib.lessons.exercise import NoAnswer, edge, read
from qoslib.platforms import mx80
from qoslib.port import Port
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["EXERCISES", "given_test", "used"]

LINE_BPS, TRIP_S = float(mx80.FACTS.line_bps), float(mx80.FACTS.round_trip_s)
BACKGROUND_BPS = float(mx80.FACTS.background_bps)
PACKET_BYTES = float(mx80.FACTS.packet_bytes)
#: Access line of exercise 4 [bit/s], its round trip [s] and packet on it [B].
ACCESS_BPS, ACCESS_TRIP_S, ACCESS_BYTES = units.mbps(20), units.ms(40), 1538
#: Longest wait that exercise 5 allows, as a share of the round trip, and what TCP has to get.
WAIT, BUSY = 0.5, 0.9


def _mb(size_bytes):
    return units.convert(size_bytes, "B", "MB")


def product(beside):
    """The bandwidth-delay product of what is left of 10 Gb/s over 50 ms, in MB."""
    expected, whole = (
        _mb(tcp.bandwidth_delay_bytes(LINE_BPS - units.gbps(taken), TRIP_S))
        for taken in (beside, 0)
    )
    return expected, {"bits": units.bits(expected), "whole": whole}


def window(rate):
    """The window that gives so many Mb/s over a round trip of 60 ms, in MB."""
    trip_s, link_bps = units.ms(60), units.gbps(1)
    expected, link = (
        _mb(tcp.bandwidth_delay_bytes(bps, trip_s)) for bps in (units.mbps(rate), link_bps)
    )
    return expected, {"bits": units.bits(expected), "link": link}


def climb(after):
    """How long two Reno flows take from so many packets each until the path is full, in s."""
    path = tcp.bandwidth_delay_bytes(LINE_BPS - BACKGROUND_BPS, TRIP_S) / PACKET_BYTES
    trips = path / 2 - after
    return trips * TRIP_S, {"alone": (path - after) * TRIP_S, "trips": trips}


def least(answer, busy):
    """The least buffer that keeps a 20 Mb/s line so busy under one Reno flow, in kB."""
    sizes = [units.convert(answer * part, "kB", "B") for part in (1, 0.95)]
    rate_pps = units.rate_pps(ACCESS_BPS, ACCESS_BYTES)
    now, less = (
        tcp.saw_tooth(rate_pps, ACCESS_TRIP_S, size / ACCESS_BYTES).utilisation for size in sizes
    )
    share = units.convert(busy, "%", "1")
    part = sizes[0] / tcp.bandwidth_delay_bytes(ACCESS_BPS, ACCESS_TRIP_S)
    return edge(now >= share, less >= share, used=now, part=part)


def given_test(answer: Any) -> Scenario:
    """The answer as a scenario with one port and hosts."""
    if not isinstance(answer, Scenario) or not isinstance(answer.network, Port):
        raise NoAnswer("that is no Scenario of one Port; lesson 13 and its explorer make some.")
    if not answer.hosts:
        raise NoAnswer("nobody sends TCP there: give Scenario(..., hosts=(Host(...),)).")
    return answer


def used(test: Scenario) -> tuple[Result, float]:
    """The fluid model's answer, and the share of what the streams leave that TCP gets."""
    result = run(test.replace(warmup_s=0.0), "fluid")
    return result, tcp.totals(result).goodput_bps / test.available_bps


def own(answer):
    """A port of one's own whose buffer keeps it busy, without a long delay."""
    test = given_test(answer)
    port = test.only_port
    size_bytes = getattr(port.queues[0].limit, "limit_bytes", None)
    if size_bytes is None:
        return "limit", {}
    wait_s = units.serialisation_s(size_bytes, port.rate_bps)
    trip_s = min(flow.round_trip_s for host in test.hosts for flow in host.flows)
    if wait_s > WAIT * trip_s:
        return "wait", {"wait": units.convert(wait_s, "s", "ms")}
    _, share = used(test)
    return ("idle" if share < BUSY else "right"), {"share": share}


EXERCISES = read(__file__, product, window, climb, least, own)
