"""The RFC 2544 search finds rates that are known beforehand."""

import pytest

from qoslib.packets import throughput
from qoslib.port import (
    ByteLimit,
    Chain,
    DeficitRoundRobin,
    Forwarder,
    Hop,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Shaper,
    StrictPriority,
    TimeLimit,
)
from qoslib.traffic import Cbr, Poisson, Stream, TickedBursts

LINE = 100e6
QUEUE = Queue("all", PacketLimit(20))
PORT = Port("port", LINE, (QUEUE,), overhead_bytes=20)
ENGINE = Forwarder("engine", QUEUE, packet_s=20e-6)
FINE = 0.002


def one(frame=64, arrivals=Cbr()):  # noqa: B008
    return lambda rate: [Stream("a", rate, frame, arrivals)]


def two(rate):
    return [Stream("a", rate / 2, 500), Stream("b", rate / 2, 500, Cbr(7e-6))]


KNOWN = {
    "a line": (PORT, one(), LINE * 64 / 84),
    "a line, large frames": (PORT, one(1518), LINE * 1518 / 1538),
    "an engine": (ENGINE, one(100), 8 * 100 / 20e-6),
    "an engine, both directions": (ENGINE, two, 8 * 500 / 20e-6),
    "a chain is as fast as its slowest hop": (
        Chain("c", (Hop(ENGINE), Hop(PORT))),
        one(100),
        8 * 100 / 20e-6,
    ),
    "a policer": (
        PORT.replace(queues=(QUEUE.replace(policer=Policer(30e6, 3000)),)),
        one(500),
        30e6,
    ),
}


@pytest.mark.parametrize(("where", "streams_at", "expected_bps"), KNOWN.values(), ids=KNOWN)
def test_known_throughput(where, streams_at, expected_bps):
    found = throughput(where, streams_at, 4 * LINE, resolution=FINE / 4, duration_s=1.0)
    assert found.rate_bps == pytest.approx(expected_bps, abs=FINE * 4 * LINE)
    assert found.rate_bps == max(t.rate_bps for t in found.trials if t.passed)


def test_bursts_cost_throughput():
    """A tick's packets must fit the queue: 20 packets and those that leave meanwhile, each ms."""
    smooth = throughput(PORT, one(500), LINE, resolution=FINE)
    bursty = throughput(PORT, one(500, TickedBursts(5e-3)), LINE, resolution=FINE)
    assert bursty.rate_bps < 0.25 * smooth.rate_bps
    random = throughput(PORT, one(500, Poisson()), LINE, resolution=FINE)
    assert bursty.rate_bps < random.rate_bps < smooth.rate_bps


def test_the_medium_itself_is_tried_first():
    found = throughput(PORT, one(1500), 50e6)
    assert found.rate_bps == 50e6
    assert len(found.trials) == 1


def test_halving_ends_at_the_resolution():
    found = throughput(PORT, one(), LINE, resolution=0.1)
    passed = [t.rate_bps for t in found.trials if t.passed]
    lost = [t.rate_bps for t in found.trials if not t.passed]
    assert min(lost) - max(passed) <= 0.1 * LINE
    assert len(found.trials) == 5


def test_a_trial_that_is_too_short_lets_the_buffer_flatter_the_port():
    deep = PORT.replace(queues=(Queue("all", PacketLimit(2000)),))
    short = throughput(deep, one(1000), 2 * LINE, resolution=FINE, duration_s=0.2)
    long = throughput(deep, one(1000), 2 * LINE, resolution=FINE, duration_s=5.0)
    assert short.rate_bps > 1.5 * long.rate_bps
    buffer_bits = 2000 * 8 * 1000
    assert long.rate_bps <= LINE * 1000 / 1020 + buffer_bits / 5.0 + FINE * 2 * LINE


def test_a_port_that_always_loses_has_none():
    smallest = PORT.replace(queues=(Queue("all", PacketLimit(1)),))

    def pair(rate):
        return [Stream(name, rate / 2, 100) for name in "abc"]

    found = throughput(smallest, pair, LINE, resolution=0.01, duration_s=0.1)
    assert found.rate_bps == 0
    assert all(t.lost_packets or not t.offered_packets for t in found.trials)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"high_bps": 0.0}, "high_bps is 0.0"),
        ({"high_bps": float("inf")}, "high_bps is inf"),
        ({"resolution": 0.0}, "resolution is 0.0"),
        ({"resolution": 1.0}, "resolution is 1.0"),
        ({"duration_s": 0.0}, "duration_s is 0.0"),
        ({"streams_at": lambda rate: []}, "streams' names"),
        ({"streams_at": lambda rate: [Stream("mute")]}, "offers a packet"),
        ({"where": "port"}, "Port, Forwarder or Chain"),
    ],
)
def test_what_cannot_be_searched_is_refused(wrong, says):
    asked = {"where": PORT, "streams_at": one(), "high_bps": LINE} | wrong
    with pytest.raises(ValueError, match=says):
        throughput(asked.pop("where"), asked.pop("streams_at"), asked.pop("high_bps"), **asked)


def test_half_a_trial_is_no_answer():
    def stop(done_s, total_s):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="stopped"):
        throughput(PORT, one(), LINE, duration_s=20.0, progress=stop)


def test_a_buffer_hides_no_overload_from_a_trial_of_the_default_length():
    """A line that carries 81,274 frames/s of 1518 B; trials of 1 s let 81,702 pass."""
    queue = Queue("all", PacketLimit(500))
    port = Port("port", 1e9, (queue,), overhead_bytes=20)
    found = throughput(port, one(1518), 1e9, resolution=0.001)
    assert found.rate_bps == pytest.approx(81_274 * 8 * 1518, abs=0.001 * 1e9)
    assert found.duration_s == pytest.approx(500 * 8 * 1518 / (0.001 * 1e9))
    assert {t.duration_s for t in found.trials if t.passed} == {found.duration_s}
    assert found.trials[0].duration_s == found.duration_s / 4
    assert throughput(port, one(1518), 1e9, duration_s=1.0).rate_bps > found.rate_bps


#: What holds packets, and what it carries of 500 B frames.
DEEP = QUEUE.replace(limit=PacketLimit(400))
CARRIES = LINE * 500 / 520
BEHIND = DEEP.replace(name="b", priority=1, quantum_bytes=1500)
BUFFERED = {
    "packets": (PORT.replace(queues=(DEEP,)), CARRIES),
    "bytes": (PORT.replace(queues=(QUEUE.replace(limit=ByteLimit(300_000)),)), CARRIES),
    "time": (PORT.replace(queues=(QUEUE.replace(limit=TimeLimit(0.02, "line")),)), CARRIES),
    "a transmit ring": (PORT.replace(transmit_ring_packets=300), CARRIES),
    "two priorities": (
        PORT.replace(queues=(DEEP.replace(name="a"), BEHIND), scheduler=StrictPriority()),
        CARRIES,
    ),
    "a round robin": (
        PORT.replace(
            queues=(DEEP.replace(name="a", quantum_bytes=1500), BEHIND),
            scheduler=DeficitRoundRobin(),
        ),
        CARRIES,
    ),
    "a policer's burst": (
        PORT.replace(queues=(QUEUE.replace(policer=Policer(30e6, 100_000)),)),
        30e6,
    ),
    "a queue's shaper": (
        PORT.replace(queues=(DEEP.replace(shaper=Shaper(40e6, 50_000)),)),
        40e6,
    ),
    "a port's shaper": (PORT.replace(queues=(DEEP,), shaper=Shaper(40e6, 50_000)), 40e6),
    "a forwarder slower than its line": (
        Chain("c", (Hop(ENGINE.replace(queue=DEEP, packet_s=50e-6)), Hop(PORT))),
        8 * 500 / 50e-6,
    ),
    "a forwarder before a slower line": (
        Chain("c", (Hop(ENGINE.replace(queue=DEEP)), Hop(PORT.replace(queues=(DEEP,))))),
        CARRIES,
    ),
}


@pytest.mark.parametrize(("where", "expected_bps"), BUFFERED.values(), ids=BUFFERED)
def test_what_is_found_is_right_to_the_resolution_whatever_holds_packets(where, expected_bps):
    def pair(rate):
        return [Stream(name, rate / 2, 500, Cbr(at)) for name, at in (("a", 0.0), ("b", 7e-6))]

    found = throughput(where, pair, 1.5 * LINE, resolution=0.005)
    assert found.rate_bps == pytest.approx(expected_bps, abs=0.005 * 1.5 * LINE)
    assert found.duration_s >= 1.0
