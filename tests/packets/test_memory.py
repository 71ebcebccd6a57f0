"""Tables that do not fit the budget of a run are refused before any of them is made."""

import math
import tracemalloc

import pytest

from agreement import quiet
from qoslib import flows as f
from qoslib import fluid, packets, tcp
from qoslib import port as p
from qoslib.memory import budget_bytes, within_budget
from qoslib.traffic import Stream

QUEUE = p.Queue("q", p.PacketLimit(10))
PORT = p.Port("port", 1e9, (QUEUE,))
STREAM = Stream("s", 1e8, 1000)
FLOW = f.Flow("a", 0.01, mss_bytes=1448, frame_bytes=1500)
HOST = f.Host("host", 1e9, (FLOW,))


def run(where=PORT, streams=(STREAM,), duration_s=1e-3, **options):
    return packets.simulate(where, streams, duration_s, **options)


def connect(port=PORT, host=HOST, duration_s=0.05, **options):
    return tcp.simulate(port, [host], duration_s, progress=quiet, **options)


def many_queues(count, slots):
    """Each queue has its stream."""
    queues = [
        QUEUE.replace(name=f"q{i}", limit=p.PacketLimit(slots), priority=i) for i in range(count)
    ]
    port = PORT.replace(queues=queues, scheduler=p.StrictPriority())
    return run(port, [Stream(f"q{i}", 1e6) for i in range(count)])


def many_streams(count):
    return [Stream(f"s{i}", 1e6) for i in range(count)]


#: Valid descriptions of very much -> what the error says first.
TOO_MUCH = {
    "a ring": (
        lambda: run(PORT.replace(transmit_ring_packets=10**15)),
        "Port 'port' transmit_ring_packets is 1000000000000000",
    ),
    "bins of many streams": (
        lambda: run(streams=many_streams(60), bins=10_000_000),
        "bins is 10000000",
    ),
    "hundreds of long queues": (
        lambda: many_queues(500, 2**25),
        r"Queue 'q0' limit is PacketLimit\(packets=33554432\)",
    ),
    "a queue of bytes": (
        lambda: run(PORT.replace(queues=(QUEUE.replace(limit=p.ByteLimit(10**15)),))),
        r"Queue 'q' limit is ByteLimit\(limit_bytes=1000000000000000\)",
    ),
    "bins of many flows": (
        lambda: connect(
            host=HOST.replace(flows=[FLOW.replace(name=f"{i}") for i in range(9)]), bins=10_000_000
        ),
        "bins is 10000000",
    ),
    "rounds of BBR": (
        lambda: connect(host=HOST.replace(flows=[FLOW.replace(congestion=f.Bbr(rounds=10**12))])),
        r"Flow 'a' congestion is Bbr\(rounds=1000000000000\)",
    ),
    "a chain's chunks": (
        lambda: run(p.Chain("chain", (p.Hop(PORT),)), chunk_packets=10**12),
        "chunk_packets is 1000000000000",
    ),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_what_does_not_fit_is_refused_before_it_is_made(what):
    play, says = TOO_MUCH[what]
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=f"{says}; allowed: tables of 4 GB per run, where"):
            play()
        assert tracemalloc.get_traced_memory()[1] < 300e6
    finally:
        tracemalloc.stop()


def test_the_hops_of_a_chain_share_one_budget():
    hops = [p.Hop(PORT.replace(name=n, transmit_ring_packets=100_000_000)) for n in "ab"]
    with pytest.raises(ValueError, match=r"Port 'a' .* takes 2\.4 GB and all take 4\.8"):
        run(p.Chain("chain", hops))


REFUSED = {
    "BBR's rounds beyond 64 bits": lambda: connect(
        host=HOST.replace(flows=[FLOW.replace(congestion=f.Bbr(rounds=10**30))])
    ),
    "a netem limit beyond 64 bits": lambda: connect(host=HOST.replace(queue=f.NetemQueue(10**30))),
    "a round trip of weeks": lambda: connect(
        host=HOST.replace(flows=[FLOW.replace(round_trip_s=1e9)])
    ),
    "a host's jitter of weeks": lambda: connect(host=HOST.replace(jitter_s=1e9)),
    "a pace of weeks": lambda: connect(host=HOST.replace(pacing=f.FqPacing(1e-3))),
    "bursts of millions": lambda: HOST.replace(burst_packets=1_000_000),
    "an infinite run of packets": lambda: run(duration_s=math.inf),
    "an infinite run of TCP": lambda: connect(duration_s=math.inf),
    "an infinite fluid": lambda: fluid.over_time(PORT, [STREAM], math.inf),
    "a duration beyond all numbers": lambda: run(duration_s=10**400),
}


@pytest.mark.parametrize("what", REFUSED)
def test_numbers_of_no_meaning_are_refused(what):
    with pytest.raises(ValueError, match=r".+ (is|are) .+; allowed: .+"):
        REFUSED[what]()


@pytest.mark.parametrize(
    "much",
    [
        HOST.replace(queue=f.NetemQueue(10**15)),
        HOST.replace(flows=[FLOW.replace(transfer_bytes=10**30)]),
        HOST.replace(burst_packets=65_535, pacing=f.FqPacing(5e8)),
    ],
    ids=["a netem limit", "a transfer", "a burst"],
)
def test_what_is_large_and_takes_no_memory_runs(much):
    assert connect(host=much).tcp.goodput_bps[0] > 1e6


def test_a_line_that_is_busy_for_ever_sends_nothing_more():
    """A frame takes 1.4 days; repeats of it queue up for far longer than the clock counts."""
    flow = FLOW.replace(window_bytes=2 * FLOW.mss_bytes, minimum_timeout_s=1e-6)
    result = connect(host=HOST.replace(access_bps=0.1, flows=[flow]), duration_s=10_000.0)
    assert result.packets.offered[0] == 0
    assert result.tcp.timeouts[0] > 80


def test_the_environment_sets_the_budget(monkeypatch):
    ring = PORT.replace(transmit_ring_packets=250_000)
    monkeypatch.setenv("QOSLIB_MEMORY_GB", "0.005")
    with pytest.raises(ValueError, match=r"takes 0\.006 GB and all take 0\.006081"):
        run(ring)
    monkeypatch.setenv("QOSLIB_MEMORY_GB", "0.009")
    assert run(ring).packets.sent[0] > 0


def test_so_many_streams_that_nothing_is_worked_out_for_any(monkeypatch):
    monkeypatch.setenv("QOSLIB_MEMORY_GB", "0.05")
    with pytest.raises(ValueError, match=r"the number of streams is 1000; allowed: .* takes 0\.05"):
        run(streams=many_streams(1000))


@pytest.mark.parametrize("text", ["-1", "0", "much", "nan"])
def test_a_budget_is_a_number(text, monkeypatch):
    monkeypatch.setenv("QOSLIB_MEMORY_GB", text)
    with pytest.raises(ValueError, match=r"QOSLIB_MEMORY_GB is .*; allowed: a number of GB"):
        budget_bytes()


def test_a_size_beyond_all_numbers_is_named():
    with pytest.raises(ValueError, match=r"x is 1; allowed: .* takes 1e\+291 GB"):
        within_budget([("x", 1, 10**400), ("y", 2, 3)])


def test_a_ring_ends_within_the_clock():
    slow = PORT.replace(rate_bps=1.0, transmit_ring_packets=200)
    with pytest.raises(ValueError, match="transmit_ring_packets is 200; allowed: at most 144"):
        run(slow)


@pytest.mark.parametrize("bins", [1, 7, 9999])
def test_bins_end_where_whole_picoseconds_say(bins):
    """The last one at the end of the run, whatever the division leaves."""
    result = run(duration_s=1e-6 + 1e-12, warmup_s=3e-12, bins=bins)
    ends_ps = [3 + (1_000_001 - 3) * (i + 1) // bins for i in range(bins)]
    assert (result.history.time_s[1:] * 1e12).round().astype(int).tolist() == ends_ps
