"""Resume thresholds: of a limit in packets and bytes, and of a memory that queues share."""

import pytest

from qoslib.fluid import solve
from qoslib.packets import simulate
from qoslib.port import ByteLimit, Classifier, MemoryPool, PacketLimit, Port, Queue, StrictPriority
from qoslib.traffic import Stream


def test_a_limit_in_packets_and_bytes_may_resume_in_bytes():
    """50 frames of 1000 B fit; once full, the queue drains to 20, and holds 35 on average."""
    limit = PacketLimit(1000, limit_bytes=50_000, resume_bytes=20_000)
    load = [Stream("all", 200e6, 1000)]
    runs = []
    for each in (limit, limit.replace(resume_bytes=None)):
        port = Port("p", 100e6, (Queue("q", each),))
        result = simulate(port, load, 1.0, warmup_s=0.1, bins=1)
        assert result["all"].drop_ratio == pytest.approx(0.5, abs=0.01)
        runs.append(result["all"].delay_mean_s)
        assert solve(port, load)["all"].delay_mean_s == pytest.approx(runs[-1], rel=0.05)
    assert runs[0] == pytest.approx(runs[1] * 35 / 50, rel=0.05)


def test_a_pool_that_was_full_refuses_until_it_has_drained_to_its_resume_threshold():
    """Two queues share 100,000 B: the other one is refused too, but for what it has reserved."""

    def port(resume_bytes):
        pool = MemoryPool("m", 110_000, resume_bytes=resume_bytes)
        queues = (
            Queue("a", ByteLimit(200_000), pool="m"),
            Queue("b", ByteLimit(200_000), pool="m", reserved_bytes=10_000),
        )
        rules = Classifier((("a", "a"),), "b")
        return Port("p", 100e6, queues, StrictPriority(), classifier=rules, pools=(pool,))

    load = [Stream("a", 300e6, 1000, stop_s=0.01), Stream("b", 1e6, 1000)]
    open_again, closed = (simulate(port(each), load, 0.01, bins=1) for each in (None, 20_000))
    # After 100 packets are in, a packet leaves each 80 us: open again, the next one gets its place.
    assert open_again["a"].sent_packets == closed["a"].sent_packets
    left = [each["a"].offered_packets - each["a"].dropped_packets for each in (open_again, closed)]
    assert left[0] > left[1] + 30
    # What is reserved needs nothing of the shared part.
    assert closed["b"].dropped_packets == 0


@pytest.mark.parametrize(
    ("describe", "message"),
    [
        (lambda: PacketLimit(9, resume_bytes=5), "resume_bytes is 5; allowed: None without"),
        (lambda: PacketLimit(9, 100, resume_bytes=100), "resume_bytes is 100; .*below the limit"),
        (lambda: MemoryPool("m", 100, resume_bytes=100), "resume_bytes is 100; allowed: below"),
    ],
)
def test_a_resume_threshold_is_below_its_limit(describe, message):
    with pytest.raises(ValueError, match=message):
        describe()


def test_the_fluid_model_has_no_closed_form_of_a_pool_that_resumes():
    pool = MemoryPool("m", 10_000, resume_bytes=1000)
    port = Port("p", 1e6, (Queue("a", ByteLimit(9000), pool="m", alpha=1.0),), pools=(pool,))
    with pytest.raises(ValueError, match="resume_bytes is 1000; allowed: None in the fluid"):
        solve(port, [Stream("a", 1e6, 1000)])
