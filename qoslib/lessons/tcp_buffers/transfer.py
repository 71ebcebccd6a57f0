"""What the explorers of TCP share: a test of one port, changed by controls, under both models."""

import math
from collections.abc import Sequence
from functools import lru_cache

from qoslib import run, tcp, units
from qoslib.flows import (
    Cubic,
    Flow,
    HTcp,
    NewRenoRecovery,
    PathologicalRecovery,
    RateHalving,
    Reno,
    SackRecovery,
    TimeoutOnly,
)
from qoslib.lessons.tcp_buffers.published import CALLED, Swept
from qoslib.packets.progress import Progress
from qoslib.platforms import platform as platform_named
from qoslib.port import ByteLimit, PacketLimit
from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = [
    "CONGESTION",
    "RECOVERIES",
    "ROUNDS",
    "begun",
    "flows_like",
    "held_bytes",
    "most_bytes",
    "published_of",
    "simulated",
    "solved",
    "swept",
    "with_buffer",
]

#: A test lasts for so many round trips at most, and takes no more packets than this: the fluid
#: model is then ready at once, and the packet model within half a second.
ROUNDS, MOST_PACKETS = 600, 4_200_000
SEED = 1

CONGESTION = {"Reno": Reno(), "CUBIC": Cubic(), "H-TCP": HTcp()}
RECOVERIES = {
    "SACK": SackRecovery(),
    "rate halving": RateHalving(),
    "NewReno": NewRenoRecovery(),
    "timeout only": TimeoutOnly(),
    "collapse (fitted rule)": PathologicalRecovery(),
}


def begun(where: str | Scenario, assumptions: str, experiments: dict[str, str]) -> Scenario:
    """The test to begin with: a platform's, or one's own."""
    if isinstance(where, Scenario):
        if not where.hosts:
            raise ValueError(f"hosts of {where.name!r} are (); allowed: at least one")
        held_bytes(where)
        return where
    if not isinstance(where, str) or where not in experiments:
        fail("platform", where, f"{', '.join(experiments)}, or a Scenario")
    checked(str, assumptions, "assumptions")
    module = platform_named(where)
    # Nothing of the MLX was fitted, so its base is as configured.
    chosen = assumptions if assumptions in module.assumptions else "base"
    return module.experiments(chosen)[experiments[where]].scenario


def _limit(scenario: Scenario) -> ByteLimit | PacketLimit:
    """What limits the one queue of a test."""
    port = scenario.only_port
    if len(port.queues) != 1:
        raise ValueError(f"queues are {port.queue_names}; allowed: one queue")
    limit = port.queues[0].limit
    if not isinstance(limit, ByteLimit | PacketLimit):
        raise ValueError(f"limit is {limit!r}; allowed: a ByteLimit or a PacketLimit")
    return limit


def held_bytes(scenario: Scenario) -> float:
    """What the one queue of a test holds of the first flow's frames [B]."""
    return _limit(scenario).held_bytes(scenario.hosts[0].flows[0].frame_bytes)


def with_buffer(scenario: Scenario, size_bytes: float) -> Scenario:
    """The same port with another buffer, counted as before [B]."""
    queue = scenario.only_port.queues[0]
    limit = _limit(scenario).resized(size_bytes, scenario.hosts[0].flows[0].frame_bytes)
    port = scenario.only_port.replace(queues=(queue.replace(limit=limit),))
    return scenario.replace(network=port)


def flows_like(flows: Sequence[Flow], count: int) -> tuple[Flow, ...]:
    """The first so many flows; where there are fewer, more like the first, started in turn."""
    first, *others = flows
    apart_s = others[0].start_s - first.start_s if others else 0.0
    more = [
        first.replace(name=f"{first.name} and {at}", start_s=first.start_s + at * apart_s)
        for at in range(len(flows), count)
    ]
    return (*flows[:count], *more)


def most_bytes(test: Scenario) -> float:
    """The most a buffer's slider goes to: 2.4 products of what is left, or what is given [B]."""
    trip_s = test.hosts[0].flows[0].round_trip_s
    product = tcp.bandwidth_delay_bytes(test.available_bps, trip_s)
    least = max(2.4 * product, held_bytes(test))
    digit = 10.0 ** math.floor(math.log10(least))
    return float(round(math.ceil(5 * least / digit) / 5 * digit))


def _short(scenario):
    """The test for as long as it is simulated, from its start."""
    trips = [flow.round_trip_s for host in scenario.hosts for flow in host.flows]
    on_line = scenario.hosts[0].flows[0].frame_bytes + scenario.only_port.overhead_bytes
    most_s = MOST_PACKETS / units.rate_pps(scenario.only_port.rate_bps, on_line)
    end_s = min(scenario.duration_s, ROUNDS * min(trips), most_s)
    return scenario.replace(duration_s=end_s, warmup_s=0.0, seed=SEED)


@lru_cache(maxsize=2000)
def solved(scenario: Scenario) -> Result:
    """What the fluid model says of the test; computed once for each scenario."""
    result = run(_short(scenario).replace(seed=0), "fluid")
    if result.interrupted:
        # A part of a run must not be remembered as the answer.
        raise KeyboardInterrupt
    return result


def simulated(scenario: Scenario, progress: Progress | None = None) -> Result:
    """What the packet model says of the same."""
    return run(_short(scenario), progress=progress)


def swept(at: Sequence[float], scenarios: Sequence[Scenario]) -> Swept:
    """What TCP carries and loses at each of some settings, by the fluid model."""
    both = [tcp.totals(solved(each)) for each in scenarios]
    return Swept(at, [rate for rate, _ in both], [lost for _, lost in both])


def published_of(where: str | Scenario) -> str:
    """The platform, or nothing where the port is one's own."""
    return where if isinstance(where, str) and where in CALLED else ""
