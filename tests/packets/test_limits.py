"""The long run: packets come to what the fluid model says, and each dropper to its law."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from formulas import codel_drops_by, mean_within
from qoslib import Scenario, run
from qoslib import port as p
from qoslib.fluid import SHARINGS, solve
from qoslib.packets import simulate
from qoslib.packets.kernels.codes import SCHEDULERS, TREES
from qoslib.platforms import m120
from qoslib.traffic import Cbr, OnOff, Poisson, Stream

#: Offered shares of the line of four classes, and their frames [B]: the line is always too small.
LOADS = {
    "all too much": (0.5, 0.6, 0.7, 0.8),
    "one modest": (0.05, 0.6, 0.7, 0.8),
    "half idle": (0.3, 0.1, 0.2, 0.9),
    "last large": (0.1, 0.15, 0.2, 2.0),
}
FRAMES = (200, 1500, 600, 1000)
QUEUES = tuple(
    p.Queue(
        name,
        p.PacketLimit(300),
        priority=priority,
        guaranteed_bps=guaranteed_bps,
        weight=weight,
        quantum_bytes=quantum_bytes,
    )
    for name, priority, guaranteed_bps, weight, quantum_bytes in (
        ("a", 0, 2e7, 1, 3000),
        ("b", 1, 1e8, 1, 1500),
        ("c", 1, 3e8, 3, 6000),
        ("d", 2, 1e8, 1, 4500),
    )
)
WHOLE = p.Port("line", 1e9, QUEUES, p.StrictPriority(), overhead_bytes=20)
PORTS = {
    "fifo": WHOLE.replace(queues=(p.Queue("all", p.PacketLimit(300)),), scheduler=p.Fifo()),
    "strict": WHOLE,
    "levels": WHOLE.replace(scheduler=p.PriorityLevels()),
    "tins": WHOLE.replace(
        scheduler=p.CakeTins(),
        queues=tuple(
            queue.replace(priority=rank, guaranteed_bps=share * 1e9)
            for queue, rank, share in zip(
                QUEUES, (2, 0, 1, 3), (1 / 16, 1 / 4, 1 / 2, 1), strict=True
            )
        ),
    ),
    "wrr": WHOLE.replace(scheduler=p.WeightedRoundRobin()),
    "start-time": WHOLE.replace(scheduler=p.StartTimeFairQueueing()),
    "drr": WHOLE.replace(scheduler=p.DeficitRoundRobin()),
    "mdrr": WHOLE.replace(scheduler=p.ModifiedDrr("a")),
    "mdrr, debts forgiven": WHOLE.replace(scheduler=p.ModifiedDrr("", carry_deficit=False)),
}


def test_every_scheduler_has_its_fluid_limit():
    assert {type(port.scheduler) for port in PORTS.values()} == set(SCHEDULERS)
    assert set(SHARINGS) == {*SCHEDULERS, *TREES}


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("port", PORTS)
def test_overload_is_shared_as_water(port, load):
    port = PORTS[port]
    streams = [
        Stream(name, share * port.rate_bps, frame, Poisson())
        for name, share, frame in zip("abcd", LOADS[load], FRAMES, strict=True)
    ]
    result = simulate(port, streams, 4.0, warmup_s=0.5)
    fluid = solve(port, streams, result.offered_bps)
    assert fluid.dropped_bps.sum() > 0.3 * port.rate_bps
    assert_allclose(result.sent_bps, fluid.sent_bps, rtol=0.005, atol=1e-4 * port.rate_bps)


#: Some buffers of the M120 take 0.9 s to fill.
FILLED_S = 2.0


@pytest.mark.parametrize("drops_at", [p.HeadDrop, p.TailDrop])
@pytest.mark.parametrize("experiment", m120.PLATFORM.experiments())
def test_the_m120_waits_as_its_formulas_say(experiment, drops_at):
    """Head drop waits B / E and tail drop B / Tr, though neither formula is in the packet model."""
    made = m120.PLATFORM.experiments()[experiment]
    queues = made.port.queues
    if drops_at is p.TailDrop:
        queues = tuple(queue.replace(dropper=p.TailDrop()) for queue in queues)
    port = made.port.replace(queues=queues)
    result = simulate(port, made.streams, FILLED_S + 1, warmup_s=FILLED_S)
    fluid = solve(port, made.streams)
    assert_allclose(result.sent_bps, fluid.sent_bps, rtol=0.001)
    assert_array_equal(np.isnan(result.delay_mean_s), np.isnan(fluid.delay_mean_s))
    overflows = fluid.dropped_bps > 1e-4 * fluid.offered_bps
    assert overflows.any()
    assert_allclose(result.delay_mean_s[overflows], fluid.delay_mean_s[overflows], rtol=0.01)
    others_s = (result.delay_mean_s - fluid.delay_mean_s)[~overflows]
    packet_s = 1502 * 8 / port.rate_bps
    assert (others_s >= 0).all()
    assert (others_s <= len(queues) * packet_s).all()


def line(dropper):
    """A line of 12,500 packets of 1000 B a second, with a queue that is never full."""
    return p.Port("line", 100e6, (p.Queue("all", p.PacketLimit(1_000_000), dropper),))


PACKET_S = 80e-6


def overloaded(load, arrivals):
    return [Stream("all", load * 100e6, 1000, arrivals)]


def long_run(dropper, load, duration_s):
    """Mean latencies of 20 replications at a constant overload, after ten seconds."""
    scenario = Scenario("s", line(dropper), overloaded(load, Poisson()), 10 + duration_s, 10)
    runs = run(scenario, seeds=range(20))
    return runs.values("delay_mean_s")[:, 0]


def test_codel_drops_ever_faster_until_it_has_caught_up():
    """RFC 8289: a sender that does not listen meets the nth drop ``interval / sqrt(n)`` later.

    The queue is what 10 % too much brought less what was dropped; the first drop comes an
    interval after the packet at the head has waited as long as the target.
    """
    load, excess_hz = 1.1, 1250
    result = simulate(line(p.Codel()), overloaded(load, Cbr()), 45.0)
    first_s = 5e-3 / (1 - 1 / load) + 100e-3
    times_s = result.history.time_s
    dropped = np.append(0, result.history.dropped_packets[0].cumsum())
    law = np.where(times_s < first_s, 0, codel_drops_by(times_s - first_s, 100e-3))
    assert np.abs(dropped - law).max() <= 1
    queued = excess_hz * times_s - law
    most = result.history.queue_packets[0]
    rising = queued[1:] > queued[:-1]
    assert np.abs(most - np.maximum(queued[:-1], queued[1:]))[rising].max() <= 3
    assert queued.max() > 15_000
    assert most[-1] < 9_000


@pytest.mark.parametrize(("on_s", "dropped"), [(0.060, False), (0.064, True)])
def test_codel_leaves_a_burst_alone_that_is_gone_within_an_interval(on_s, dropped):
    """At 1.8 times the line's rate the head waits 4/9 of the time since the burst began.

    That is above the target from 11.25 ms until the queue is empty, after 1.8 times the burst:
    an interval of 100 ms and more from a burst of 61.8 ms on.
    """
    stream = Stream("all", 180e6 * on_s / 0.5, 1000, OnOff(on_s, 0.5 - on_s, "constant"))
    result = simulate(line(p.Codel()), [stream], 10.0)
    assert result.delay_max_s[0] > 25e-3
    assert (result.packets.lost[0] > 0) == dropped


#: Intervals of each test hold together in 999 of 1000 choices of seeds (Bonferroni).
TOGETHER = 1e-3
OVERLOADS = (1.1, 1.3, 1.6)


@pytest.mark.parametrize("load", OVERLOADS)
def test_pie_holds_the_queue_at_its_target(load):
    """An integral controller rests only where the mean delay is the target."""
    low_s, high_s = mean_within(long_run(p.Pie(), load, 20), 1 - TOGETHER / len(OVERLOADS))
    assert low_s <= 15e-3 + PACKET_S <= high_s
    assert high_s - low_s < 0.1 * 15e-3


#: What the average lags behind the queue in the mean: a whole-number average, which rounds down,
#: stands still while the queue is up to 2**exponent - 1 packets longer.
LAGS = {
    p.Instantaneous(): 0,
    p.Ewma(4): 0,
    p.Ewma(9): 0,
    p.TruncatingEwma(4): (2**4 - 1) / 2,
    p.TruncatingEwma(6): (2**6 - 1) / 2,
}


@pytest.mark.parametrize("load", OVERLOADS)
@pytest.mark.parametrize("averaging", LAGS, ids=str)
def test_red_works_where_its_profile_drops_the_excess(averaging, load):
    """``p(q) = 1 - C / E`` on the straight line of the profile; Little gives the wait q / C."""
    profile = p.RedProfile(100, 300, 0.5)
    queued = 100 + (1 - 1 / load) / 0.5 * 200 + LAGS[averaging]
    share = 1 - TOGETHER / len(OVERLOADS) / len(LAGS)
    low_s, high_s = mean_within(long_run(p.Red(profile, averaging=averaging), load, 10), share)
    assert low_s <= (queued + 1) * PACKET_S <= high_s
    assert high_s - low_s < 0.05 * queued * PACKET_S


@pytest.mark.parametrize("load", OVERLOADS)
def test_a_drop_profile_works_where_it_drops_the_excess(load):
    """Junos, interpolated, at the tail: fill level f with ``p(f) = 1 - C / E``."""
    profile = p.DropProfile(((0.2, 0.0), (0.8, 0.6)), "interpolated", "tail")
    queue = p.Queue("all", p.PacketLimit(500), profile)
    port = line(profile).replace(queues=(queue,))
    runs = run(Scenario("s", port, overloaded(load, Poisson()), 12, 2), seeds=range(20))
    share = 1 - TOGETHER / len(OVERLOADS)
    low_s, high_s = mean_within(runs.values("delay_mean_s")[:, 0], share)
    filled = 0.2 + (1 - 1 / load)
    assert low_s <= (500 * filled + 1) * PACKET_S <= high_s
    assert high_s - low_s < 0.02 * 500 * PACKET_S
