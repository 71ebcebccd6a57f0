"""The Cisco 12000: its description is the printed one, and its mechanisms are seen at work."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ledgers import one, pick, read
from qoslib import fluid, packets, units
from qoslib.fluid.drr import round_s
from qoslib.front.loss_free import loss_free_search
from qoslib.platforms import gsr12000
from qoslib.platforms.gsr12000 import CLASSES, FACTS, GROUPS, PORTS
from qoslib.port import Instantaneous, RedProfile, Sampled

ROWS = read("gsr12000_results.csv", "gsr12000_statements.csv", "gsr12000_configuration.csv")
BASE = gsr12000.PLATFORM.experiments()
USED = ("prec6", "prec5", "prec3", "prec1", "prec0")
#: What a whole replay needs a minute for, this long shows within about 1 %.
SHORT_S = 2.0
#: Frames that the line carries [bit/s], and what Premium leaves of them.
LINE_BPS = units.mbps(2374.58)
LEFT_BPS = LINE_BPS - units.mbps(200)


def played(assumptions, test, duration_s=SHORT_S):
    made = gsr12000.PLATFORM.experiments(assumptions)[test]
    return packets.simulate(made.port, made.streams, duration_s, seed=1)


@pytest.fixture(scope="module")
def runs():
    return {test: played("base", test) for test in ("test_a", "test_b")}


def printed(test, stream, quantity, statistic):
    row = one(ROWS, experiment=test, stream=stream, quantity=quantity, statistic=statistic)
    return row.consistent


def latencies_us(result, test, statistic="mean"):
    """Modelled and printed latencies of the classes in use, both ports."""
    names = [f"{port}/{name}" for port in PORTS for name in USED]
    words = {"mean": "average", "min": "minimum", "max": "maximum"}
    made = [getattr(result[n], f"delay_{statistic}_s") for n in names]
    told = [printed(test, n, "latency", words[statistic]) for n in names]
    return units.convert(np.array(made), "s", "us"), np.array(told)


def test_offered_are_the_printed_frames():
    for test in ("test_a", "test_b"):
        for stream in BASE[test].streams:
            frames = units.rate_pps(stream.rate_bps, 1000) * float(FACTS.whole_s)
            told = printed(test, stream.name, "offered_packets", "total")
            assert frames == pytest.approx(told, abs=1)


def test_engine_3_and_the_template_send_each_precedence_to_its_printed_queue():
    rows = pick(ROWS, experiment="running_configuration", quantity="queue_number")
    told = {row.text["stream"]: f"queue{row.consistent:.0f}" for row in rows}
    port = BASE["test_b"].port
    assert {name: port.classifier.queue(name) for name in CLASSES} == told
    template = gsr12000.PLATFORM.experiments("template")["test_a"].port.classifier
    rows = pick(ROWS, experiment="template_e2", quantity="queue_number")
    assert all(template.queue(r.text["stream"]) == f"queue{r.consistent:.0f}" for r in rows)


def test_engine_2_ran_with_all_but_premium_in_one_queue():
    port = BASE["test_a"].port
    queues = {name: port.classifier.queue(name) for name in CLASSES}
    assert queues.pop("prec5") == "queue1" == port.scheduler.low_latency
    assert set(queues.values()) == {"queue0"}


def test_the_quanta_are_the_printed_ones_and_scaled_on_engine_3():
    for test, share in (("test_a", 1.0), ("test_b", float(FACTS.quantum_e3_share))):
        for queue in BASE[test].port.queues:
            if queue.name != "queue1":
                told = one(ROWS, stream=queue.name, quantity="quantum").consistent
                assert queue.quantum_bytes == int(told * share)


@pytest.mark.parametrize("test", ["test_a", "test_b"])
def test_rates_are_the_printed_ones(runs, test):
    result = runs[test]
    for stream in (s for s in result.streams if not s.endswith(("7", "4", "2"))):
        told_bps = units.mbps(printed(test, stream, "sent", "unspecified"))
        assert result[stream].sent_bps == pytest.approx(told_bps, rel=0.005)
        if not stream.endswith(("prec1", "prec5")):
            assert result[stream].dropped_pps == 0
    assert result.sent_bps.sum() == pytest.approx(LINE_BPS, rel=1e-4), "the line is never idle"


@pytest.mark.parametrize("test", ["test_a", "test_b"])
def test_averages_are_the_printed_ones(runs, test):
    made, told = latencies_us(runs[test], test)
    slowest = np.array([test == "test_b" and name == "prec0" for name in [*USED, *USED]])
    assert (np.abs(made / told - 1) < np.where(slowest, 0.05, 0.02)).all()


@pytest.mark.parametrize("test", ["test_a", "test_b"])
def test_the_least_latencies_are_the_cold_start(runs, test):
    """Who is first of two simultaneous packets is worth a packet time, the rest is one transit."""
    made, told = latencies_us(runs[test], test, "min")
    assert np.abs(made - told).max() < 5.5
    still = [stream.replace(jitter_s=0.0) for stream in BASE[test].streams]
    first = packets.simulate(BASE[test].port, still, 1e-3)
    made, told = latencies_us(first, test, "min")
    assert np.sqrt(np.mean((made - told) ** 2)) < (0.5 if test == "test_a" else 1.7)


def test_premium_waits_for_the_transmit_ring_alone(runs):
    """Half a packet that is under way, the ring, its own time; and now and then its twin's."""
    packet_s = units.bits(1000) / LINE_BPS
    for test, engine in (("test_a", "e2"), ("test_b", "e3")):
        ring_s = (FACTS[f"ring_{engine}_packets"] + 2) * packet_s
        expected_s = FACTS[f"transit_{engine}_s"] + ring_s
        for port in PORTS:
            assert runs[test][f"{port}/prec5"].delay_mean_s == pytest.approx(
                expected_s, abs=packet_s / 2
            )


def test_network_updates_wait_anywhere_in_a_round(runs):
    """``8 sum Q / C``, 1.22 ms: the longest wait behind ring and transit; the mean is half."""
    longest_s = round_s(BASE["test_b"].port, LEFT_BPS)
    assert longest_s == pytest.approx(units.ms(1.22), rel=0.002)
    fast_s = runs["test_b"]["1A/prec5"].delay_mean_s
    name = "1A/prec6"
    mean_s = runs["test_b"][name].delay_mean_s
    assert runs["test_b"][name].delay_max_s == pytest.approx(longest_s + fast_s, rel=0.05)
    assert mean_s == pytest.approx(longest_s / 2 + fast_s, rel=0.12)


def test_the_saw_tooth_lets_best_effort_in_for_its_closed_share_of_the_time(runs):
    """In for ``d / (u + d)`` of the time: rise and fall of the queue balance the rates."""
    rest_bps = units.mbps(360)
    rise = units.mbps(3440) + rest_bps - LEFT_BPS
    fall = LEFT_BPS - rest_bps
    share = fall / (rise + fall)
    assert share == pytest.approx(0.5275, abs=5e-4)
    result = runs["test_a"]
    best = [result.streams.index(name) for name in GROUPS["1A+1B/prec1"]]
    let_in = result.packets.sent[best].sum() / result.packets.offered[best].sum()
    assert let_in == pytest.approx(share, rel=0.002)


def test_the_saw_tooth_is_as_high_as_its_closed_form(runs):
    """``base + f s + (high + u T) s'``: ring, threshold, and what comes until it is looked at."""
    packet_s, slow_s = units.bits(1000) / LINE_BPS, units.bits(1000) / LEFT_BPS
    rise_pps = (units.mbps(3440 + 360) - LEFT_BPS) / units.bits(1000)
    late_s = FACTS.relay_e2_s * (1 + FACTS.relay_e2_jitter / 2)
    peak = FACTS.relay_e2_packets + rise_pps * late_s
    expected_s = FACTS.transit_e2_s + (FACTS.ring_e2_packets + 1) * packet_s + peak * slow_s
    assert runs["test_a"]["1A/prec1"].delay_max_s == pytest.approx(expected_s, rel=0.01)


def test_the_template_fails_where_it_should():
    made, told = latencies_us(played("template", "test_a"), "test_a")
    off = dict(zip([*USED, *USED], made / told - 1, strict=True))
    assert off["prec6"] < -0.15
    assert off["prec0"] > 1.0


@pytest.mark.parametrize(("rival", "low", "high"), [
    ("asymmetric", -0.02, 0.02), ("truncating", 0.03, 0.05), ("textbook", -0.95, -0.9),
])  # fmt: skip
def test_the_rivals_differ_in_test_a(rival, low, high):
    made, told = latencies_us(played(rival, "test_a"), "test_a")
    off = (made / told - 1)[[i for i, name in enumerate([*USED, *USED]) if name != "prec5"]]
    assert ((low <= off) & (off <= high)).all()
    free = gsr12000.PLATFORM.parameters[rival]
    assert len(free) == {"asymmetric": 4, "truncating": 0, "textbook": 0}[rival]


#: How many Premium packets the policer drops by so many seconds, as told or as inferred.
TOLD = {"base": {1200: (202, 206)}, "deep_bucket": {1200: (202, 206), 5400: (1248, 1262)}}


@pytest.mark.parametrize("assumptions", TOLD)
def test_premium_lost_to_a_slow_policer(assumptions):
    """Premium alone: no other class meets this bucket. It loses what the clocks differ by,

    ``N = eps P``, less what a deep bucket hides at first: ``(bucket - what is left) / frame``.
    """
    made, last_s = (
        gsr12000.PLATFORM.experiments(assumptions)["conclusion_90min"],
        max(TOLD[assumptions]),
    )
    result = packets.simulate(made.port, made.streams, last_s, seed=1, bins=last_s // 600)
    offered, lost = (
        getattr(result.history, f"{what}_packets").sum(0).cumsum()
        for what in ("offered", "dropped")
    )
    slow = {"base": FACTS.policer_slow_ppm, "deep_bucket": FACTS.policer_slower_ppm}[assumptions]
    hidden = 97 if assumptions == "deep_bucket" else 2
    for by_s, (low, high) in TOLD[assumptions].items():
        at = by_s // 600 - 1
        assert low <= lost[at] <= high
        expected = units.convert(slow, "ppm", "1") * offered[at]
        assert lost[at] == pytest.approx(expected - hidden, abs=3)


def test_fluid_finds_the_printed_rates_but_not_those_of_less_than_best_effort():
    for test in ("test_a", "test_b"):
        result = fluid.solve(BASE[test].port, BASE[test].streams)
        for name in (f"{port}/{c}" for port in PORTS for c in USED):
            told_bps = units.mbps(printed(test, name, "sent", "unspecified"))
            wrong = (test, name[3:]) == ("test_b", "prec0")
            within = abs(result[name].sent_bps / told_bps - 1) < 0.01
            assert within != wrong
    lost_bps = sum(result[name].dropped_bps for name in GROUPS["1A+1B/prec0"])
    assert lost_bps == pytest.approx(units.mbps(15.8), rel=0.005)


def test_fluid_says_why_a_queue_that_wred_holds_down_has_no_latency():
    result = fluid.solve(BASE["test_a"].port, BASE["test_a"].streams)
    assert result["1A/prec1"].delay_mean_s is None
    assert "RED" in result.without_delay["1A/prec1"]
    assert "1A/prec5" not in result.without_delay
    assert result["1A/prec5"].delay_mean_s == pytest.approx(units.us(78.4), rel=0.001)


def without_loss(ramp, run):
    loads_bps = ramp.low_bps, ramp.high_bps, ramp.step_bps
    return loss_free_search(lambda bps: run(ramp.streams_at(bps)), *loads_bps, ramp.watched)


def test_the_limit_of_less_than_best_effort():
    made = BASE["conclusion_lbe_limit"]
    short = dataclasses.replace(made.ramp, low_bps=units.mbps(60), high_bps=units.mbps(140))

    def limit_mbps(run):
        result = without_loss(short, run)
        total_bps = sum(result[name].offered_bps for name in made.ramp.watched)
        return units.convert(total_bps, "bit/s", "Mbit/s")

    def by_packets(streams):
        return packets.simulate(made.port, streams, 1.0, seed=1)

    assert 80 <= limit_mbps(by_packets) <= 110
    by_water = without_loss(made.ramp, lambda streams: fluid.solve(made.port, streams))
    assert by_water.offered_bps[[s.endswith("prec0") for s in by_water.streams]].sum() == 24e6


@pytest.mark.parametrize("load_bps", [20e6, 40e6, 86e6, 300e6])
def test_the_ramp_keeps_each_port_at_2_gb_s(load_bps):
    streams = gsr12000.streams("test_b", load_bps)
    assert sum(s.rate_bps for s in streams if s.mark == "prec0") == load_bps
    for port in PORTS:
        assert sum(s.rate_bps for s in streams if s.name.startswith(port)) == 2e9


def test_queues_before_a_slow_fabric_would_be_seen_in_the_latencies():
    """The same WRED before a fabric below the load adds milliseconds; a fast one is not seen."""
    out, streams = BASE["test_a"].port, BASE["test_a"].streams
    relay = Sampled(512, float(FACTS.relay_e2_s), jitter=0.3, release_packets=7)
    slow = packets.simulate(gsr12000.to_fabric(out, units.gbps(3.0), relay), streams, 0.2)
    fast = packets.simulate(gsr12000.to_fabric(out, units.gbps(5.0), Instantaneous()), streams, 0.2)
    mean_ms = [units.convert(r["1A/prec3"].delay_mean_s, "s", "ms") for r in (slow, fast)]
    assert mean_ms[0] > 1.5
    assert mean_ms[1] == pytest.approx(0.927, rel=0.03)


def test_one_queue_can_take_the_memory_from_another():
    """With the printed profile Best Effort alone loses; a soft one lets it fill the memory."""
    lost = {}
    for name, profile in (("printed", None), ("soft", RedProfile(1900, 2000))):
        card, streams = gsr12000.shared_memory(profile)
        result = packets.simulate(card, streams, 0.5, seed=1)
        lost[name] = result.packets.dropped.get("pool", np.zeros(len(streams)))[-1]
    assert lost["printed"] == 0
    assert lost["soft"] > 100


def test_tests_c_and_d_are_foretold():
    c, d = (fluid.solve(BASE[n].port, BASE[n].streams) for n in ("test_c", "test_d"))
    a = fluid.solve(BASE["test_a"].port, BASE["test_a"].streams)
    assert_allclose(c.sent_bps, a.sent_bps)
    assert d["1A/prec5"].dropped_bps == pytest.approx(units.mbps(50))
    assert d.dropped_bps.sum() == pytest.approx(units.mbps(50))
