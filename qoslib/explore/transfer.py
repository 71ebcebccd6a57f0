"""What the explorers of TCP share: a test of one port, changed by controls, under both models."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from qoslib import tcp, units
from qoslib.flows import (
    Cubic,
    HTcp,
    NewRenoRecovery,
    PathologicalRecovery,
    RateHalving,
    Reno,
    SackRecovery,
    TimeoutOnly,
)
from qoslib.platforms import platform as platform_named
from qoslib.plots import buffer_bytes
from qoslib.plots.tcp_tests import CALLED, carried
from qoslib.port import ByteLimit, PacketLimit
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = [
    "CONGESTION",
    "RECOVERIES",
    "ROUNDS",
    "begun",
    "left_bps",
    "most_bytes",
    "played",
    "tried",
    "water",
    "with_buffer",
    "with_flows",
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


def begun(of: str | Scenario, assumptions: str, experiments: dict[str, str]) -> Scenario:
    """The test to begin with: a platform's, or one's own.

    Parameters
    ----------
    of : str or Scenario
        Name of a platform, or a port with one queue, hosts, and streams beside them.
    assumptions : str
        Name of a set of the platform.
    experiments : dict
        Platform to the name of its experiment.

    Raises
    ------
    ValueError
        If the platform sends no TCP, or the scenario has no host or more than one queue.
    """
    if isinstance(of, Scenario):
        if not of.hosts:
            raise ValueError(f"hosts of {of.name!r} are (); allowed: at least one")
        buffer_bytes(of.where, of.hosts[0].flows[0].frame_bytes)
        return of
    if of not in experiments:
        raise ValueError(f"platform is {of!r}; allowed: {', '.join(experiments)}, or a Scenario")
    return platform_named(of).experiments(assumptions)[experiments[of]].scenario


def with_buffer(scenario: Scenario, size_bytes: float) -> Scenario:
    """The same port with another buffer, counted as before [B]."""
    queue = scenario.where.queues[0]
    frame = scenario.hosts[0].flows[0].frame_bytes
    limit: ByteLimit | PacketLimit = ByteLimit(max(round(size_bytes), frame))
    if isinstance(queue.limit, PacketLimit):
        limit = PacketLimit(max(round(size_bytes / frame), 1))
    port = scenario.where.replace(queues=(queue.replace(limit=limit),))
    return scenario.replace(where=port)


def with_flows(scenario: Scenario, count: int, **changes) -> Scenario:
    """The first host alone, with so many flows like its first, each a little later."""
    host = scenario.hosts[0]
    first, *others = host.flows
    apart_s = others[0].start_s - first.start_s if others else 0.0
    flows = tuple(
        first.replace(name=f"tcp {at + 1}", start_s=first.start_s + at * apart_s, **changes)
        for at in range(count)
    )
    return scenario.replace(hosts=(host.replace(flows=flows),))


def left_bps(scenario: Scenario) -> float:
    """What the streams leave of the line [bit/s]."""
    return scenario.where.rate_bps - sum(stream.mean_rate_bps for stream in scenario.streams)


def most_bytes(test: Scenario) -> float:
    """The most that a buffer's slider goes to: 2.4 products of what is left, or the buffer given [B]."""
    trip_s = test.hosts[0].flows[0].round_trip_s
    product = tcp.bandwidth_delay_bytes(left_bps(test), trip_s)
    given = buffer_bytes(test.where, test.hosts[0].flows[0].frame_bytes)
    least = max(2.4 * product, given)
    digit = 10 ** np.floor(np.log10(least))
    return float(np.ceil(least / digit * 5) / 5 * digit)


def _test_s(scenario):
    """How long the test is played [s]."""
    trips = [flow.round_trip_s for host in scenario.hosts for flow in host.flows]
    on_line = scenario.hosts[0].flows[0].frame_bytes + scenario.where.overhead_bytes
    most_s = MOST_PACKETS / units.rate_pps(scenario.where.rate_bps, on_line)
    return min(scenario.duration_s, ROUNDS * min(trips), most_s)


@lru_cache(maxsize=2000)
def water(scenario: Scenario) -> Result:
    """What the fluid model says of the test; asked again, it is not worked out again."""
    given = {"streams": scenario.streams}
    return tcp.solve(scenario.where, scenario.hosts, _test_s(scenario), **given)


@lru_cache(maxsize=100)
def played(scenario: Scenario) -> Result:
    """What the packet model says of the same."""
    return tcp.simulate(
        scenario.where,
        scenario.hosts,
        _test_s(scenario),
        streams=scenario.streams,
        seed=SEED,
        progress=_silent,
    )


def _silent(done_s, total_s):
    """No bar: a slider that was let go waits for half a second."""


def tried(scenarios: Sequence[Scenario], model=water) -> tuple[np.ndarray, np.ndarray]:
    """What TCP carries [bit/s] and loses in several tests."""
    both = np.array([carried(model(each)) for each in scenarios])
    return both[:, 0], both[:, 1]


def published_of(of: str | Scenario) -> str:
    """The platform, or nothing where the port is one's own."""
    return of if isinstance(of, str) and of in CALLED else ""
