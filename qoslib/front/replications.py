"""Packet runs of one scenario until their means are as sure as somebody needs them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

import numpy as np

from qoslib import units
from qoslib.front.runs import run
from qoslib.front.settling import BINS, congested, settling
from qoslib.front.student_t import standard_errors
from qoslib.packets.progress import Progress
from qoslib.results import Interval, Result
from qoslib.scenario import Scenario
from qoslib.traffic import Cbr, OnOff, Stream, TickedBursts
from qoslib.units import Floats

Key = TypeVar("Key")

__all__ = ["Replications", "interval", "phased", "replicate"]

#: A first run has about so many packets, of each stream at least these, and is no longer [s].
PACKETS, OF_EACH, LONGEST_S = 50_000, 2_000, 20.0
#: A run of TCP lasts for so many round trips at least.
ROUND_TRIPS = 100
#: No run is planned with more packets.
MOST_PACKETS = 100_000_000
#: Seeds before it is first asked whether that is enough, and at most of runs of one length.
AT_FIRST, MOST = 3, 30
#: Processor time of this thread [s]; a web page has one thread, and no such clock.
_clock_s: Callable[[], float] = getattr(time, "thread_time", time.monotonic)
#: A run that has not settled, or one of runs that differ too much, becomes so many times as long.
_LONGER = 2.0


@dataclass(frozen=True)
class Replications(Generic[Key]):
    """Settled runs of one scenario.

    Attributes
    ----------
    scenario : Scenario
        As it was run last, with its warm-up.
    values : dict of key to ndarray, shape (runs,)
        What was measured in each run; NaN where a run has no value.
    spent_s : float
        Processor time of all runs, those included that were made longer [s].
    changing : str
        Why the runs have not settled; empty if they have. The values are then of no use.
    """

    scenario: Scenario
    values: dict[Key, Floats]
    spent_s: float
    changing: str = ""


def interval(values: Floats) -> Interval:
    """Mean of independent runs, and the half-width of its interval of 95 %.

    ``t s / sqrt(n)`` with Student's t for n - 1 degrees of freedom; runs without a value count as
    none.

    >>> mean, half = interval(np.array([9.0, 10.0, 11.0]))
    >>> mean, round(half, 2)
    (10.0, 2.48)
    """
    there = values[~np.isnan(values)]
    count = len(there)
    if count < 2:
        return Interval(np.nan, np.nan)
    half = standard_errors(count, 0.95) * there.std(ddof=1) / np.sqrt(count)
    return Interval(float(there.mean()), float(half))


def replicate(
    scenario: Scenario,
    measure: Callable[[Result], dict[Key, float]],
    enough: Callable[[dict[Key, Interval]], bool],
    seconds: float = 20.0,
    progress: Progress | None = None,
    least_s: float = 0.0,
) -> Replications[Key]:
    """Run a scenario by packets until it has settled and its means are sure enough.

    A first run of it is judged by `settling`: as long as it still changes it is made twice as
    long, from full queues once it fills them. If it is shorter than `least_s` [s] and there is
    time for several runs of that length, it becomes so long. Runs of its length and warm-up
    follow, with other seeds and phases, until they are enough; if thirty are not, they become
    twice as long.

    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> busy = Scenario("busy", port, (Stream("data", 80e6, arrivals="poisson"),))
    >>> runs = replicate(
    ...     busy,
    ...     lambda result: {"delay": result["data"].delay_mean_s},
    ...     lambda means: means["delay"].half_width < 0.02 * means["delay"].mean,
    ... )
    >>> means = interval(runs.values["delay"])
    >>> bool(means.low < 240e-6 < means.high)  # M/D/1 at 80 %: 3 packet times of 80 us
    True
    """
    per_s, length_s, filled = _events_per_s(scenario), _first_s(scenario), False
    # Compiling is not simulating.
    _finished(scenario.replace(duration_s=min(length_s, 1e-6), warmup_s=0.0), 0)
    budget = _Budget(seconds, progress)
    while True:
        length_s = min(length_s, MOST_PACKETS / per_s)
        pilot = scenario.replace(duration_s=length_s, warmup_s=0.0)
        pilot = congested(pilot) if filled else pilot
        length_s = pilot.duration_s
        before_s = budget.spent_s()
        settled = settling(pilot, _played(pilot, 0))
        cost_s = budget.spent_s() - before_s
        longest = length_s >= MOST_PACKETS / per_s
        if settled.changing:
            if longest or not budget.allows(_LONGER * cost_s):
                return Replications(pilot, {}, budget.spent_s(), settled.changing)
            # What only has to fill is filled at once; only what still changes then takes time.
            length_s = _LONGER * length_s if filled else length_s
            filled = True
            continue
        wanted = min(least_s, MOST_PACKETS / per_s) / length_s
        if wanted > 1 and budget.allows((AT_FIRST + 1) * wanted * cost_s):
            length_s *= wanted
            continue
        each = pilot.replace(duration_s=length_s + settled.warmup_s, warmup_s=settled.warmup_s)
        found, sure = _measured(each, measure, enough, budget, cost_s)
        if sure or longest or not budget.allows((AT_FIRST + 1) * _LONGER * cost_s):
            return Replications(each, found, budget.spent_s())
        length_s *= _LONGER


class _Budget:
    """Processor time that runs may take [s], and what they have taken of it."""

    def __init__(self, seconds: float, progress: Progress | None) -> None:
        self.seconds, self._progress, self._begun_s = seconds, progress, _clock_s()

    def spent_s(self) -> float:
        spent = _clock_s() - self._begun_s
        if self._progress is not None:
            self._progress(min(spent, self.seconds), self.seconds)
        return spent

    def allows(self, more_s: float) -> bool:
        return self.spent_s() + more_s <= self.seconds


def _measured(
    scenario: Scenario,
    measure: Callable[[Result], dict[Key, float]],
    enough: Callable[[dict[Key, Interval]], bool],
    budget: _Budget,
    cost_s: float,
) -> tuple[dict[Key, Floats], bool]:
    """What runs with other seeds give, as many as there is time for, and whether it is enough."""
    values: dict[Key, list[float]] = {}
    for seed in range(1, MOST + 1):
        if seed > AT_FIRST and not budget.allows(cost_s):
            break
        for name, value in measure(_played(scenario, seed)).items():
            values.setdefault(name, []).append(value)
        found = {name: np.array(of, float) for name, of in values.items()}
        if seed >= AT_FIRST and enough({name: interval(of) for name, of in found.items()}):
            return found, True
    return found, False


def _played(scenario: Scenario, seed: int) -> Result:
    return _finished(phased(scenario, seed), seed)


def _first_s(scenario: Scenario) -> float:
    """How long the first run is [s]."""
    pps = [units.rate_pps(each.mean_rate_bps, each.mean_frame_bytes) for each in scenario.streams]
    slowest = min((rate for rate in pps if rate > 0), default=np.inf)
    length_s = max(PACKETS / _events_per_s(scenario), min(OF_EACH / slowest, LONGEST_S))
    trips = [flow.round_trip_s for host in scenario.hosts for flow in host.flows]
    return max(length_s, ROUND_TRIPS * max(trips, default=0.0))


def _events_per_s(scenario: Scenario) -> float:
    """Packets a second that are offered, those of TCP as many as the line carries."""
    pps = sum(
        units.rate_pps(each.mean_rate_bps, each.mean_frame_bytes) for each in scenario.streams
    )
    sizes = [flow.frame_bytes for host in scenario.hosts for flow in host.flows]
    if sizes:
        pps += units.rate_pps(scenario.only_port.rate_bps, min(sizes))
    return float(max(pps, 1.0))


def _finished(scenario: Scenario, seed: int) -> Result:
    result = run(scenario.replace(seed=seed), progress=lambda done, total: None, bins=BINS)
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def phased(scenario: Scenario, seed: int) -> Scenario:
    """The same with regular streams that begin anywhere in their period, by the seed.

    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> calls = Scenario("calls", port, (Stream("a", 8e6, 1000), Stream("b", 8e6, 1000)))
    >>> [round(each.arrivals.phase_s * 1e3, 2) for each in phased(calls, 1).streams]
    [0.13, 0.85]
    """
    draws = Random(seed)
    return scenario.replace(streams=tuple(_begun(each, draws) for each in scenario.streams))


def _begun(stream: Stream, draws: Random) -> Stream:
    arrivals, part = stream.arrivals, draws.random()
    if not stream.rate_bps or stream.stop_s is not None:
        return stream
    if isinstance(arrivals, Cbr):
        period_s = units.serialisation_s(stream.mean_frame_bytes, stream.rate_bps)
    elif isinstance(arrivals, TickedBursts):
        period_s = arrivals.tick_s
    elif isinstance(arrivals, OnOff):
        period_s = arrivals.on_s + arrivals.off_s
    else:
        return stream
    return stream.replace(arrivals=arrivals.replace(phase_s=float(part * period_s)))
