"""Both storeys tell one story: an overloaded port packet by packet nears its fluid answer."""

import pytest
from numpy.testing import assert_allclose

from qoslib.fluid import solve
from qoslib.packets import simulate
from qoslib.port import (
    DeficitRoundRobin,
    DropProfile,
    HeadDrop,
    ModifiedDrr,
    PacketLimit,
    Policer,
    Port,
    PriorityLevels,
    Queue,
    Shaper,
    StrictPriority,
    TimeLimit,
)
from qoslib.traffic import Poisson, Stream

MBPS = 1e6
PROFILE = ((0.3, 0.1), (0.7, 0.5), (0.9, 1.0))


def two(scheduler, first=(), second=(), **fields):
    """A port of 100 Mb/s with two queues of 50 packets."""
    queues = (
        Queue("a", PacketLimit(50), quantum_bytes=1500).replace(**dict(first)),
        Queue("b", PacketLimit(50), quantum_bytes=4600).replace(**dict(second)),
    )
    return Port("port", 100 * MBPS, queues, scheduler, 38.0, **fields)


def one(queue):
    return Port("port", 100 * MBPS, (queue,))


BELOW = {"priority": 1}
GUARANTEED = {"guaranteed_bps": 10 * MBPS, "limit": TimeLimit(0.02), "dropper": HeadDrop()}
POLICED = {"policer": Policer(20 * MBPS, 50_000, "congested")}
SHAPED = {"shaper": Shaper(10 * MBPS, 3000)}

CASES = {
    "strict priority": two(StrictPriority(), second=BELOW),
    "equals take turns": two(StrictPriority()),
    "guaranteed, then excess": two(PriorityLevels(), BELOW | GUARANTEED, GUARANTEED),
    "deficit round robin": two(DeficitRoundRobin()),
    "overdraft carried": two(ModifiedDrr()),
    "overdraft not carried": two(ModifiedDrr(carry_deficit=False)),
    "low latency, policed": two(ModifiedDrr("a"), first=POLICED),
    "a shaped queue": two(StrictPriority(), SHAPED, BELOW),
    "a shaped port": two(StrictPriority(), second=BELOW, shaper=Shaper(70 * MBPS, 3000)),
}


@pytest.mark.parametrize("port", CASES.values(), ids=CASES)
def test_rates_of_two_queues(port):
    streams = [
        Stream("a", 60 * MBPS, 300, Poisson()),
        Stream("b", 200 * MBPS, 1500, Poisson()),
    ]
    fluid, packets = solve(port, streams), simulate(port, streams, 2.0, warmup_s=0.5)
    assert_allclose(packets.sent_bps, fluid.sent_bps, rtol=0.02)


@pytest.mark.parametrize("drop_at", ["head", "tail"])
@pytest.mark.parametrize("shape", ["segmented", "interpolated"])
def test_a_drop_profile_holds_the_queue_where_its_probability_is_the_loss(shape, drop_at):
    port = one(Queue("q", PacketLimit(500), DropProfile(PROFILE, shape, drop_at)))
    stream = Stream("s", 120 * MBPS, 1000, Poisson())
    fluid, packets = solve(port, [stream]), simulate(port, [stream], 4.0, warmup_s=1.0)
    assert_allclose(packets.sent_bps, fluid.sent_bps, rtol=0.01)
    assert_allclose(packets.delay_mean_s, fluid.delay_mean_s, rtol=0.05)
