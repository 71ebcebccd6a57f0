"""What users hear: the E-model against G.107 and G.113, jitter against RFC 3550, calls in runs."""

import numpy as np
import pytest

from qoslib import PacketLimit, Port, Queue, Scenario, Stream, run
from qoslib.fluid import solve
from qoslib.packets import simulate
from qoslib.port import Chain, Codel, HeadDrop, Hop, Instantaneous, Policer, Red, RedProfile
from qoslib.quality import (
    G711,
    G729,
    Codec,
    interarrival_jitter_s,
    mean_opinion_score,
    played,
    transmission_rating,
)

pytestmark = pytest.mark.newer


def rating(*arguments, **more):
    return float(transmission_rating(*arguments, **more))


def test_the_defaults_of_g107_give_its_published_rating_and_score():
    assert rating(0.0, 0.0) == pytest.approx(93.2, abs=0.05)
    assert float(mean_opinion_score(93.2)) == pytest.approx(4.41, abs=0.005)


@pytest.mark.parametrize(
    ("percent", "published"), [(0, 11), (1, 15), (2, 19), (3, 23), (4, 26), (8, 36), (16, 49)]
)
def test_losses_cost_g729_what_the_table_of_g113_says(percent, published):
    """ITU-T G.113, appendix I, G.729A with VAD: whole points, to which its robustness is fitted."""
    cost = rating(0.0, 0.0) - rating(0.0, percent / 100, G729)
    assert cost == pytest.approx(published, abs=0.6)


def test_delay_without_losses_costs_what_an_independent_calculation_says():
    """G.107 worked out apart, with echo as slow as the delay: mechanisms of section 7."""
    delays_s = np.array([50, 100, 150, 200, 250, 300, 400]) / 1e3
    expected = [91.8, 90.7, 89.5, 85.8, 79.2, 72.7, 62.3]
    np.testing.assert_allclose(transmission_rating(delays_s, 0.0), expected, atol=0.06)
    scores = [4.38, 4.36, 4.33, 4.22, 3.99, 3.72, 3.22]
    found = mean_opinion_score(transmission_rating(delays_s, 0.0))
    np.testing.assert_allclose(found, scores, atol=0.006)


def test_more_delay_more_loss_and_longer_bursts_never_sound_better():
    delays_s, losses = np.linspace(0, 1, 101)[:, None], np.linspace(0, 0.3, 31)
    ratings = transmission_rating(delays_s, losses)
    assert (np.diff(ratings, axis=0) <= 1e-9).all()
    assert (np.diff(ratings, axis=1) < 0).all()
    bursts = transmission_rating(0.1, 0.05, G711, np.linspace(1, 8, 20))
    assert (np.diff(bursts) < 0).all()
    scores = mean_opinion_score(np.linspace(-20, 120, 2000))
    assert (np.diff(scores) >= -1e-12).all() or scores.min() == 1


def test_jitter_of_chance_is_what_theory_says():
    """The mean of |D| of independent uniform delays from 0 to 10 ms is 10/3 ms."""
    rng = np.random.default_rng(7)
    sent_s = np.arange(200_000) * 0.02
    estimates_s = interarrival_jitter_s(sent_s, sent_s + rng.uniform(0, 0.01, len(sent_s)))
    assert estimates_s[1000:].mean() == pytest.approx(0.01 / 3, rel=0.01)
    exponential_s = interarrival_jitter_s(sent_s, sent_s + rng.exponential(0.005, len(sent_s)))
    assert exponential_s[1000:].mean() == pytest.approx(0.005, rel=0.01)


def test_a_run_says_the_mean_of_the_estimates_of_its_own_packets():
    streams = (Stream("voice", 1e6, 200), Stream("data", 8e6, 1500, "poisson"))
    port = Port("access", 1e7, (Queue("all", PacketLimit(500)),))
    result = simulate(port, streams, 20.0, trace_packets=60_000, seed=4)
    trace = result.trace
    mine = (trace.stream == 0) & (trace.cause == "")
    estimates_s = interarrival_jitter_s(trace.arrival_s[mine], trace.departure_s[mine])
    assert result["voice"].jitter_s == pytest.approx(estimates_s.mean(), rel=0.01)


def test_nothing_in_the_way_is_no_jitter():
    port = Port("access", 1e7, (Queue("all", PacketLimit(5)),))
    voice = simulate(port, [Stream("voice", 1e6, 200)], 1.0)["voice"]
    assert voice.jitter_s == pytest.approx(0, abs=1e-13)
    assert voice.loss_run_packets is None
    assert voice.why_missing("loss_run_packets") == "nothing was dropped"
    assert voice.mos == pytest.approx(4.39, abs=0.01)


@pytest.mark.parametrize("dropper", ["tail_drop", HeadDrop()])
def test_a_regular_overload_drops_in_runs_of_the_length_that_it_must(dropper):
    """At three times the line two of three packets go, whichever end they go at."""
    port = Port("access", 1e6, (Queue("all", PacketLimit(10), dropper),))
    stream = simulate(port, [Stream("a", 3e6, 500)], 10.0, warmup_s=1.0)["a"]
    assert stream.loss_run_packets == pytest.approx(2.0, rel=0.01)


def test_losses_by_chance_have_runs_of_their_own_length():
    """With a share p lost by chance the mean run is 1 / (1 - p): RED that always sees the same."""
    red = Red(RedProfile(0, 1000, 1.0), averaging=Instantaneous())
    port = Port("access", 1e6, (Queue("all", PacketLimit(1000), red),))
    stream = simulate(port, [Stream("a", 1.5e6, 500)], 400.0, warmup_s=50.0)["a"]
    assert stream.drop_ratio == pytest.approx(1 / 3, rel=0.01)
    assert stream.loss_run_packets == pytest.approx(1.5, rel=0.02)


def test_a_policed_call_sounds_worse_in_bursts():
    """The same loss in longer runs has a lower score: G.107, clause 7.5."""
    edges_s, counts = np.array([0.01, 0.02]), np.array([100])
    scores = [played(edges_s, counts, 0.05, length).mos for length in (1, 2, 5)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] - scores[-1] > 0.05
    queue = Queue("voice", PacketLimit(50), policer=Policer(1e6, 4000))
    port = Port("access", 1e7, (queue,))
    call = simulate(port, [Stream("voice", 1.25e6, 200)], 20.0)["voice"].call()
    assert call.loss_ratio == pytest.approx(0.2, rel=0.02)
    assert call.run_ratio >= 1


def test_the_best_buffer_is_no_worse_than_any_other():
    streams = (Stream("voice", 1e5, 200), Stream("data", 8e5, 1500, "poisson"))
    port = Port("access", 1e6, (Queue("all", PacketLimit(60)),))
    voice = simulate(port, streams, 100.0, seed=2)["voice"]
    best = voice.call()
    for buffer_s in (0.0, 0.01, 0.05, 0.1, 0.3, 1.0):
        other = voice.call(buffer_s=buffer_s)
        assert other.mos <= best.mos + 1e-9
        assert other.buffer_s == pytest.approx(buffer_s)
    assert voice.call(buffer_s=0.0).late_ratio > best.late_ratio
    assert voice.call(elsewhere_s=0.1).mos < best.mos == voice.mos


def test_a_chain_has_the_jitter_of_the_whole_and_the_runs_of_its_hops():
    port = Port("access", 1e6, (Queue("all", PacketLimit(10)),))
    chain = Chain("two", (Hop(port), Hop(port.replace(name="b", rate_bps=5e5))))
    result = simulate(chain, [Stream("voice", 1.5e6, 500)], 5.0)
    runs = [hop.heard.loss_runs[0] for hop in result.hops]
    assert result.heard.loss_runs[0] == sum(runs) > 0
    assert result["voice"].mos < 4


def test_codel_counts_each_drop_from_the_head_once():
    port = Port("access", 1e6, (Queue("all", PacketLimit(500), Codel()),))
    stream = simulate(port, [Stream("a", 1.2e6, 500)], 30.0)["a"]
    assert 1 <= stream.loss_run_packets < 3


def test_the_fluid_says_why_it_has_no_score():
    port = Port("access", 1e6, (Queue("all", PacketLimit(10)),))
    voice = solve(port, [Stream("voice", 5e5)])["voice"]
    assert voice.mos is None
    assert voice.jitter_s is None
    assert "counts no single packets" in voice.why_missing("jitter_s")
    with pytest.raises(
        ValueError, match="'voice' is no call: this 'fluid' result has no histogram"
    ):
        voice.call()


def test_a_stream_that_sends_nothing_is_no_call():
    scenario = Scenario("s", Port("p", 1e6, (Queue("q", PacketLimit(9)),)), (Stream("a"),))
    stream = run(scenario)["a"]
    assert stream.mos is None
    assert stream.why_missing("jitter_s") == "fewer than two packets were sent"
    with pytest.raises(ValueError, match="nothing was sent"):
        stream.call()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: transmission_rating(-0.1, 0.0), "delay_s is -0.1; allowed: 0 or more"),
        (lambda: transmission_rating(0.1, 1.5), "loss_ratio is 1.5; allowed: 0 to 1"),
        (lambda: transmission_rating(0.1, 0.1, G711, 0.5), "run_ratio is 0.5; allowed: 1"),
        (lambda: transmission_rating(0.1, 0.1, "G.711"), "codec is 'G.711'"),
        (lambda: Codec("x", 96, 1, 0.02, 0, 1), "Codec.impairment is 96"),
        (lambda: played(np.array([0.0, 1.0]), np.array([0]), 0.0), "counts is 0; allowed"),
        (lambda: interarrival_jitter_s([0.0], [0.0, 1.0]), "one a packet"),
    ],
)
def test_a_wrong_value_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
