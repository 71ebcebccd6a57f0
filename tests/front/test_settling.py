"""When a packet run has settled, and how many runs are enough, against laws and long runs."""

import dataclasses

import numpy as np
import pytest

from qoslib import packets, run
from qoslib.flows import Flow, Host
from qoslib.front.replications import interval, replicate
from qoslib.front.settling import BINS, congested, mser5, settling
from qoslib.port import PacketLimit, Policer, Port, Queue, Shaper
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream


def port(packets_held=1000, rate_bps=10e6, **more):
    queue = {k: more.pop(k) for k in ("policer",) if k in more}
    return Port("p", rate_bps, (Queue("all", PacketLimit(packets_held), **queue),), **more)


def scenario(at, load_bps, duration_s, arrivals=None):
    stream = Stream("data", load_bps, 1250, arrivals or Poisson())
    return Scenario("s", at, (stream,), duration_s)


def settled(of):
    run = packets.simulate(of.network, of.streams, of.duration_s, bins=BINS)
    return settling(of, run)


def test_mser5_is_its_formula():
    draws = np.random.default_rng(5)
    for cut in (0, 30, 100):
        series = draws.normal(size=400)
        series[:cut] += 20 * np.linspace(1, 0, cut, endpoint=False)
        y = series.reshape(-1, 5).mean(axis=1)
        slow = [
            np.sum((y[d:] - y[d:].mean()) ** 2) / (len(y) - d) ** 2 for d in range(len(y) // 2 + 1)
        ]
        assert mser5(series) == 5 * int(np.argmin(slow))
        assert abs(mser5(series) - cut) <= 60


@pytest.mark.parametrize(
    ("of", "changing"),
    [
        (scenario(port(), 8e6, 40.0), ""),
        # 2 Mb/s of 12 stay in a queue of 50 Mb.
        (scenario(port(5000), 12e6, 20.0), "queue all still grows"),
        # The first 16 Mb leave at the line rate; then 5 Mb/s do.
        (
            scenario(port(shaper=Shaper(5e6, 2_000_000)), 8e6, 4.0),
            "the port still sends the burst of its shaper",
        ),
        # 8 Mb of tokens are there for 3 Mb/s more than the rate.
        (
            scenario(port(policer=Policer(5e6, 1_000_000)), 8e6, 2.0),
            "the policer's bucket of all still drains",
        ),
    ],
)
def test_what_still_changes_is_named(of, changing):
    assert settled(of).changing == changing


def test_a_queue_that_is_filled_first_has_settled_at_once():
    of = congested(scenario(port(5000), 12e6, 20.0))
    # 50 Mb fill in 5 s at the line rate above what leaves, and the run is four times as long.
    assert of.duration_s == 20.0
    found = settled(of)
    assert found.changing == ""
    assert found.warmup_s >= 3.0


@pytest.mark.parametrize(("packets_more", "changing"), [(5, ""), (20, "queue all still grows")])
def test_a_long_queue_may_grow_by_a_thousandth_of_what_is_offered(packets_more, changing):
    """1,200 packets/s come for half of 15 s, of which 0.1 % are 9."""
    of = congested(scenario(port(5000), 12e6, 20.0))
    run = packets.simulate(of.network, of.streams, of.duration_s, bins=BINS)
    begun = np.searchsorted(run.history.time_s, settling(of, run).warmup_s)
    waiting = run.history.queue_packets.copy()
    waiting[:, (begun + BINS) // 2 :] += packets_more
    grown = dataclasses.replace(run.history, queue_packets=waiting)
    assert settling(of, dataclasses.replace(run, history=grown)).changing == changing


def test_a_queue_that_drains_in_the_first_half_of_the_window_has_not_settled():
    """What drains there spreads the half that it is in, and so it hides between the halves."""
    of = congested(scenario(port(5000), 12e6, 20.0))
    run = packets.simulate(of.network, of.streams, of.duration_s, bins=BINS)
    begun = int(np.searchsorted(run.history.time_s, settling(of, run).warmup_s))
    waiting = run.history.queue_packets.astype(float)
    end = begun + (BINS - begun) * 2 // 5
    waiting[:, begun:end] = np.linspace(5000, 500, end - begun)
    waiting[:, end:] = 500 + 400 * np.sin(np.arange(BINS - end) / 10)
    drained = dataclasses.replace(run.history, queue_packets=waiting)
    found = settling(of, dataclasses.replace(run, history=drained))
    assert found.changing == "queue all still drains"


def measured(result):
    return {"loss": float(result.drop_ratio[0]), "delay": float(result.delay_mean_s[0])}


def test_intervals_hold_md1_as_often_as_they_say():
    # M/D/1 at 80 %: 3 packet times of 1 ms with one's own.
    held = 0
    for seed in range(20):
        stream = Stream(f"data {seed}", 8e6, 1250 + seed, Poisson())
        of = Scenario("s", port(100_000), (stream,), 1.0)
        # Other runs of the same law: the frame's size gives other draws nothing, the rate does.
        of = of.replace(streams=(stream.replace(rate_bps=8e6 * (1250 + seed) / 1250),))
        rate = 10e6 * (1250 + seed) / 1250
        of = of.replace(network=port(100_000, rate))
        runs = replicate(of, measured, lambda means: means["delay"].half_width < 1e-4)
        means = interval(runs.values["delay"])
        assert means.half_width < 1e-4
        held += means.low <= 3e-3 <= means.high
    # 95 %: below 16 of 20 has a chance of 0.3 %.
    assert held >= 16


def test_one_run_with_a_value_has_no_interval():
    for values in ([], [3.0], [3.0, np.nan]):
        means = interval(np.array(values))
        assert np.isnan([means.mean, means.half_width]).all()


@pytest.mark.parametrize("held", [50, 50_000])
def test_the_loss_of_an_overload_does_not_depend_on_the_buffer(held):
    of = scenario(port(held), 12e6, 1.0)
    runs = replicate(of, measured, lambda means: means["loss"].half_width < 0.005)
    assert runs.changing == ""
    loss = interval(runs.values["loss"])
    assert loss.mean == pytest.approx(1 / 6, abs=0.006)


def test_a_run_that_does_not_settle_in_its_time_says_so_and_has_no_values():
    # A bucket of 300 GB lasts for nine days.
    of = scenario(port(policer=Policer(5e6, 3 * 10**11)), 8e6, 1.0)
    runs = replicate(of, measured, lambda means: True, seconds=0.5)
    assert runs.changing == "the policer's bucket of all still drains"
    assert runs.values == {}


def test_a_run_of_tcp_is_not_settled_before_its_windows_fall():
    # The burst takes all places, and so the window is small when it ends.
    burst = Stream("burst", 400e6, 1250, stop_s=0.5)
    host = Host("servers", 200e6, (Flow("copy", 0.02),))
    of = Scenario("copy", port(500, 100e6), (burst,), 2.0, hosts=(host,))
    early = settling(of, run(of, bins=BINS))
    assert early.changing == "the window of copy still grows"
    runs = replicate(of, lambda result: {"sent": result["copy"].sent_bps}, lambda means: True)
    assert runs.changing == ""
    assert interval(runs.values["sent"]).mean > 0.95 * 100e6
