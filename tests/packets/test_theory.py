"""What queueing theory knows of Poisson arrivals, within honest intervals of replications."""

import math

import numpy as np
import pytest

from formulas import (
    cobham_waits,
    lattice_exponential,
    md1_wait_within,
    mean_within,
    mg1_mean_wait,
    mg1_waits_within,
    quantile,
)
from outcomes import outcomes
from qoslib import Scenario, Sweep, run
from qoslib import port as p
from qoslib.packets.kernels.codes import SCHEDULERS
from qoslib.results import Histogram
from qoslib.traffic import FrameMix, Poisson, Stream, imix

LOADS = (0.3, 0.5, 0.7, 0.9)
SHARES = (0.9, 0.99, 0.999)
#: Intervals of each test hold together in 999 of 1000 choices of seeds (Bonferroni).
TOGETHER = 1e-3
#: Each latency bin is 1/128 of a doubling wide.
BIN = 1 / 128
#: At 1 Gb/s a byte takes 8 ns, without a remainder.
LINE_BPS, BYTE_S = 1e9, 8e-9
NO_LIMIT = p.PacketLimit(1_000_000)
FIFO = p.Port("line", LINE_BPS, (p.Queue("all", NO_LIMIT),))


def loaded(load, frames, name="all"):
    """Poisson arrivals that load the line so much."""
    return Stream(name, load * LINE_BPS, frames, Poisson())


def replicated(port, streams, packets_each, seeds=20):
    """So many runs of so many packets, and as long a fifth before them."""
    arriving_hz = sum(s.rate_bps / 8 / s.mean_frame_bytes for s in streams)
    duration_s = packets_each / arriving_hz
    scenario = Scenario("s", port, streams, 1.2 * duration_s, 0.2 * duration_s)
    return run(scenario, seeds=range(seeds))


def enough(load):
    """Packets a run: the fuller the line, the longer it remembers."""
    return round(200_000 / (1 - load))


def contains(values, truth, intervals):
    """Whether the interval of a mean contains the truth, as one of so many intervals."""
    low, high = mean_within(values, 1 - TOGETHER / intervals)
    return low <= truth <= high


def agree(runs, mean_s, within):
    """Assert that mean and quantiles of the latency are those of a law.

    At the edge of the histogram above each quantile the law says which share of the packets is
    below; that needs no estimate of a quantile. A quantile of all runs pooled must then lie
    between those of the interval's ends, within a bin of the histogram.
    """
    intervals = len(LOADS) * (1 + len(SHARES))
    assert contains(runs.values("delay_mean_s")[:, 0], mean_s, intervals)
    edges_s = runs.results[0].histogram.edges_s
    counts = np.array([result.histogram.counts[0] for result in runs.results])
    pooled = Histogram(edges_s, counts.sum(0, keepdims=True))
    for share in SHARES:
        exact_s = quantile(within, share, 20 * mean_s)
        at = np.searchsorted(edges_s, exact_s)
        below = counts[:, :at].sum(1) / counts.sum(1)
        low, high = mean_within(below, 1 - TOGETHER / intervals)
        assert low <= within(edges_s[at]) <= high
        half = (high - low) / 2
        earliest_s, latest_s = (quantile(within, share + x, 20 * mean_s) for x in (-half, half))
        assert earliest_s * (1 - BIN) <= pooled.quantile_s(share)[0] <= latest_s * (1 + BIN)


@pytest.mark.parametrize("load", LOADS)
def test_one_frame_size_waits_as_erlang_says(load):
    service_s = 1000 * BYTE_S
    arriving_hz = load / service_s
    agree(
        replicated(FIFO, [loaded(load, 1000)], enough(load)),
        service_s + mg1_mean_wait(arriving_hz, [service_s], [1]),
        lambda time_s: md1_wait_within(time_s - service_s, arriving_hz, service_s),
    )


def nearly_exponential(load):
    """Frame sizes nearly exponential: mix, arrivals a second, and the law of their latencies."""
    sizes, shares = lattice_exponential(1000, cells_a_mean=20, means=14)
    mix = FrameMix(sizes.tolist(), shares.tolist())
    arriving_hz = load / (mix.mean_bytes * BYTE_S)
    longest_s, step_s = 100 * mix.mean_bytes * BYTE_S / (1 - load), 25 * BYTE_S
    waits = mg1_waits_within(arriving_hz, sizes * BYTE_S, shares, step_s, longest_s)
    times_s = np.arange(len(waits)) * step_s

    def within(time_s):
        return shares @ np.interp(time_s - sizes * BYTE_S, times_s, waits, left=0.0)

    mean_s = mix.mean_bytes * BYTE_S + mg1_mean_wait(arriving_hz, sizes * BYTE_S, shares)
    return mix, arriving_hz, mean_s, within


@pytest.mark.parametrize("load", LOADS)
def test_nearly_exponential_frames_wait_as_takacs_says(load):
    mix, _, mean_s, within = nearly_exponential(load)
    agree(replicated(FIFO, [loaded(load, mix)], enough(load)), mean_s, within)


@pytest.mark.parametrize("load", LOADS)
def test_nearly_exponential_is_as_good_as_exponential(load):
    """M/M/1: latencies are exponential; frames in steps of 50 B show half a step at most."""
    mix, arriving_hz, mean_s, within = nearly_exponential(load)
    exact_s = 1 / (1 / (mix.mean_bytes * BYTE_S) - arriving_hz)
    assert mean_s == pytest.approx(exact_s, abs=25 * BYTE_S)
    for share in SHARES:
        by_law_s = -math.log(1 - share) * exact_s
        assert quantile(within, share, 20 * exact_s) == pytest.approx(by_law_s, abs=25 * BYTE_S)


#: Frame sizes [B] and loads of three classes, the first served first.
CLASSES = {"first": (200, 0.25), "second": (1500, 0.3), "third": (600, 0.3)}
FRAMES, CLASS_LOADS = np.transpose(list(CLASSES.values()))
SERVICES_S = FRAMES * BYTE_S
ARRIVING_HZ = CLASS_LOADS / SERVICES_S


def classes(scheduler):
    """The three classes at a port with a scheduler of this kind."""
    queues = tuple(
        p.Queue(name, NO_LIMIT, priority=i, guaranteed_bps=1e8, weight=1.0 + i, quantum_bytes=1500)
        for i, name in enumerate(CLASSES)
    )
    if scheduler is p.Fifo:
        return FIFO
    made = p.ModifiedDrr("first") if scheduler is p.ModifiedDrr else scheduler()
    return FIFO.replace(queues=queues, scheduler=made)


def waits_s(scheduler):
    """Mean waits of the three classes, shape (seeds, classes)."""
    streams = [loaded(load, frame, name) for name, (frame, load) in CLASSES.items()]
    return replicated(classes(scheduler), streams, 300_000).values("delay_mean_s") - SERVICES_S


def test_priorities_wait_as_cobham_says():
    waits = waits_s(p.StrictPriority)
    for i, exact_s in enumerate(cobham_waits(ARRIVING_HZ, SERVICES_S)):
        assert contains(waits[:, i], exact_s, 3)


@pytest.mark.parametrize("scheduler", SCHEDULERS, ids=lambda kind: kind.__name__)
def test_no_scheduler_changes_the_mean_work_that_waits(scheduler):
    """Kleinrock's conservation law: ``sum rho_k W_k`` is the same for every order of service."""
    load = CLASS_LOADS.sum()
    residual_s = ARRIVING_HZ @ SERVICES_S**2 / 2
    conserved = waits_s(scheduler) @ CLASS_LOADS
    assert contains(conserved, load * residual_s / (1 - load), len(SCHEDULERS))


def test_arrivals_see_as_many_packets_as_little_says():
    """``L = lambda W``, and Poisson arrivals see what there is on average."""
    load, service_s = 0.8, 1000 * BYTE_S
    excess, seen_by_all = [], []
    for seed in range(20):
        seen = outcomes(FIFO, [loaded(load, 1000)], 0.3, seed=seed)
        before = np.searchsorted(seen.departure, seen.arrival, side="right")
        there = np.arange(len(seen.arrival)) - before
        little = load / service_s * (seen.departure - seen.arrival).mean() / 1e12
        seen_by_all.append(there.mean())
        excess.append(there.mean() - little)
    assert contains(excess, 0, 1)
    wait_s = mg1_mean_wait(load / service_s, [service_s], [1])
    assert contains(seen_by_all, load + load / service_s * wait_s, 1)


def test_an_interval_of_95_percent_contains_the_truth_that_often():
    """200 intervals of 10 short runs each, of a line that is 60 % loaded with mixed frames."""
    mix = imix()
    times_s = np.multiply(mix.sizes_bytes, BYTE_S)
    arriving_hz = 0.6 / (mix.mean_bytes * BYTE_S)
    truth_s = mix.mean_bytes * BYTE_S + mg1_mean_wait(arriving_hz, times_s, mix.shares)
    runs = replicated(FIFO, [loaded(0.6, mix)], 4000, seeds=2000)
    hits = 0
    for first in range(0, 2000, 10):
        ten = Sweep({"seed": tuple(range(10))}, runs.results[first : first + 10])
        _, low, high = ten.interval("delay_mean_s")
        hits += bool(low[0] <= truth_s <= high[0])
    assert 180 <= hits <= 198
