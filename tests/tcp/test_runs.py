"""How TCP runs behave: the same again, in pieces, stopped, beside other queues, and refused."""

import dataclasses
import importlib

import numpy as np
import pytest

from agreement import quiet
from benchmarks.many_flows import many_flows
from qoslib import packets, tcp
from qoslib.flows import Bbr, Cubic, Flow, Host, NetemQueue, NewRenoRecovery
from qoslib.port import (
    ByteLimit,
    Chain,
    Classifier,
    Codel,
    Hop,
    PacketLimit,
    Pause,
    Port,
    Queue,
    StrictPriority,
)
from qoslib.tcp.kernels.places import TABLES
from qoslib.traffic import Poisson, Stream

pytestmark = pytest.mark.newer

FLOW = Flow("a", 0.02, mss_bytes=1448, frame_bytes=1500)
HOST = Host("host", 1e9, (FLOW,), jitter_s=1e-4)
PORT = Port("line", 50e6, (Queue("all", PacketLimit(60)),))
UDP = Stream("udp", 5e6, 500, Poisson())


def run(port=PORT, hosts=(HOST,), duration_s=2.0, **options):
    return tcp.simulate(port, hosts, duration_s, **{"progress": quiet, **options})


def same(one, other):
    for field in dataclasses.fields(one):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if dataclasses.is_dataclass(left):
            same(left, right)
        elif isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right, err_msg=field.name)


@pytest.mark.parametrize("chunk_events", [1, 977])
def test_the_same_seed_gives_the_same_record_in_any_pieces(chunk_events):
    same(run(streams=[UDP], seed=3), run(streams=[UDP], seed=3, chunk_events=chunk_events))


def test_another_seed_gives_another():
    assert run(streams=[UDP], seed=3).packets.sent[0] != run(streams=[UDP], seed=4).packets.sent[0]


def test_streams_alone_are_what_the_packet_engine_makes_of_them():
    """A flow that never starts leaves the streams as they are, draws and all."""
    sleeper = Host("host", 1e9, (FLOW.replace(start_s=100.0),))
    heavy = UDP.replace(rate_bps=55e6)
    beside = run(hosts=[sleeper], streams=[heavy])
    alone = packets.simulate(PORT, [Stream("a", frame_bytes=1500), heavy], 2.0, progress=quiet)
    assert beside.packets.lost[1] > 0
    np.testing.assert_array_equal(beside.packets.lost, alone.packets.lost)
    np.testing.assert_array_equal(beside.histogram.counts, alone.histogram.counts)


def test_progress_reaches_the_end():
    told = []
    run(progress=lambda done_s, total_s: told.append((done_s, total_s)), chunk_events=1000)
    assert told == sorted(told)
    assert told[-1] == (2.0, 2.0)


def test_a_stopped_run_keeps_what_was_played():
    def stop(done_s, total_s):
        if done_s > 0.5:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="stopped after 0.5"):
        result = run(progress=stop, chunk_events=500)
    assert result.interrupted
    assert 0.5 < result.duration_s < 0.6
    bins = len(result.history.time_s) - 1
    assert result.tcp.window_packets.shape == (1, bins)
    assert result.tcp.goodput_bytes[0] > 0


def test_the_warm_up_is_left_out():
    whole, late = run(duration_s=4.0, bins=4), run(duration_s=4.0, warmup_s=1.0, bins=3)
    np.testing.assert_array_equal(
        whole.tcp.received_bytes[:, 1:].sum(), late.tcp.received_bytes.sum()
    )
    np.testing.assert_array_equal(whole.tcp.window_packets[:, 1:], late.tcp.window_packets)
    assert late.tcp.goodput_bytes[0] == late.tcp.received_bytes.sum()
    assert whole.packets.lost[0] > late.packets.lost[0] >= 0
    assert late.tcp.first_send_drops[0] + late.tcp.retransmit_drops[0] == late.packets.lost[0]


def test_there_is_no_round_trip_before_the_first_acknowledgement():
    late = Host("host", 1e9, (FLOW.replace(start_s=1.0),))
    trips_s = run(hosts=[late], bins=20).tcp.round_trip_s[0]
    assert np.isnan(trips_s[:10]).all()
    assert (trips_s[12:] >= FLOW.round_trip_s).all()


def test_a_record_names_flows_then_streams():
    result = run(streams=[UDP])
    assert result.model == "tcp"
    assert result.streams == ("a", "udp")
    assert result.tcp.flows == ("a",)
    assert result.tcp.goodput_bps[0] < result["a"].sent_bps


def test_a_flow_finds_its_queue_by_its_mark():
    queues = Queue("gold", PacketLimit(60)), Queue("rest", PacketLimit(60), priority=1)
    port = PORT.replace(
        queues=queues, scheduler=StrictPriority(), classifier=Classifier((("ef", "gold"),), "rest")
    )
    marked = Host("host", 1e9, (FLOW.replace(mark="ef"), FLOW.replace(name="b")), jitter_s=1e-4)
    result = run(port, [marked], 5.0)
    assert result.tcp.goodput_bps[0] > 5 * result.tcp.goodput_bps[1]


def test_flows_start_and_stop():
    late = FLOW.replace(start_s=0.5, stop_s=1.0)
    sent = run(hosts=[Host("host", 1e9, (late,))], bins=20).history.offered_packets[0]
    assert (sent[:5] == 0).all()
    assert sent[5:10].sum() > 0
    assert (sent[11:] == 0).all()


def test_many_flows_from_many_hosts():
    hosts = [
        Host(f"h{i}", 1e9, tuple(FLOW.replace(name=f"{i}.{j}") for j in range(3)), jitter_s=1e-3)
        for i in range(11)
    ]
    result = run(PORT.replace(queues=(Queue("all", ByteLimit(1_000_000)),)), hosts, 10.0)
    assert len(result.tcp.flows) == 33
    assert (result.tcp.goodput_bps > 0).all()
    assert result.sent_bps.sum() == pytest.approx(50e6, rel=0.02)


@pytest.mark.parametrize("places", [1, 2, 4096])
@pytest.mark.parametrize("congestion", [Cubic(), Bbr()], ids=["cubic", "bbr"])
def test_the_numbers_do_not_depend_on_how_long_the_rings_are_at_first(
    places, congestion, monkeypatch
):
    """Losses, repairs, marks, bursts in a host's queue, and ACKs that are held back."""
    flow = FLOW.replace(congestion=congestion, segments_per_ack=2, ecn=True)
    flows = flow, flow.replace(name="b", recovery=NewRenoRecovery(), start_s=0.1, ecn=False)
    hosts = [Host("host", 1e9, flows, 4, NetemQueue(30, 0.01), jitter_s=1e-4)]
    port = PORT.replace(queues=(Queue("all", PacketLimit(60), Codel(ecn=True)),))
    first = run(port, hosts, streams=[UDP])
    monkeypatch.setattr(importlib.import_module("qoslib.tcp.places"), "FIRST_PLACES", places)
    same(first, run(port, hosts, streams=[UDP]))
    assert first.tcp.dropped_in_host.sum() > 0
    assert first.packets.marked[0] > 0
    assert first.packets.lost[1] > 0


def test_tables_grow_with_what_is_under_way(monkeypatch):
    """Windows of a thousand flows may hold 70,000 packets each; the path holds 33 of each flow."""
    made = []

    def noted(*asked):
        made.append(lengthened(*asked))
        return made[-1]

    lengthened = importlib.import_module("qoslib.tcp.places").lengthened
    monkeypatch.setattr(importlib.import_module("qoslib.tcp.simulate"), "lengthened", noted)
    port, hosts = many_flows()
    run(port, hosts, duration_s=0.2)
    senders = made[-1]
    assert senders.flows["limit"].min() > 50_000
    assert sum(table.nbytes for table in senders) < 300e6
    for place, name in zip(senders.places, TABLES, strict=True):
        used = getattr(senders, name)[: place["used"]]
        assert len(used) == place["used"]
        assert used.nbytes < 40e6


def test_windows_that_outgrow_the_budget_are_refused(monkeypatch):
    monkeypatch.setenv("QOSLIB_MEMORY_GB", "0.02")
    wide = Host("host", 10e9, (FLOW.replace(window_bytes=100_000_000),))
    with pytest.raises(ValueError, match=r"Flow 'a' window_bytes is 100000000; allowed: tables of"):
        run(PORT.replace(rate_bps=10e9), [wide], duration_s=10.0)


NETEM = Host("host", 1e9, (FLOW,), queue=NetemQueue(10, 0.02))
WRONG = {
    "no flow": lambda: run(hosts=()),
    "a name twice": lambda: run(streams=[UDP.replace(name="a")]),
    "a chain that leaves a flow out": lambda: run(
        Chain("c", (Hop(PORT, ("udp",)),)), streams=[UDP.replace(name="udp")]
    ),
    "a hop that pauses": lambda: run(Chain("c", (Hop(PORT.replace(pause=Pause(5))),))),
    "a round trip below the delays of two hops": lambda: run(
        Chain("c", tuple(Hop(PORT.replace(name=name, base_delay_s=0.03)) for name in "ab"))
    ),
    "a pause": lambda: run(PORT.replace(pause=Pause(5))),
    "no events": lambda: run(chunk_events=0),
    "a round trip below the delays": lambda: run(PORT.replace(base_delay_s=0.001), [NETEM]),
    "a window of millions": lambda: run(
        hosts=[Host("h", 1e9, (FLOW.replace(window_bytes=10**10),))]
    ),
    "a mark without a queue": lambda: run(
        PORT.replace(
            queues=(Queue("x", PacketLimit(9)), Queue("y", PacketLimit(9))),
            scheduler=StrictPriority(),
        )
    ),
    "a run without length": lambda: run(duration_s=0.0),
    "a frame larger than the queue": lambda: run(
        PORT.replace(queues=(Queue("all", ByteLimit(1000)),))
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_it_is_refused(what, monkeypatch):
    monkeypatch.setattr(importlib.import_module("qoslib.tcp.simulate"), "run_flat", None)
    with pytest.raises(ValueError, match=r".+ (is|are) .+; allowed: .+"):
        WRONG[what]()
