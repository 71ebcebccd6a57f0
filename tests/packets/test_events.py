"""The event record agrees with what a result counts; it is bounded, and changes nothing."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from qoslib import packets, tcp
from qoslib.flows import Cubic, Flow, Host, Reno, TimeoutOnly
from qoslib.port import (
    ByteLimit,
    Chain,
    Classifier,
    DeficitRoundRobin,
    HeadDrop,
    Hop,
    Instantaneous,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
)
from qoslib.results import Events, Result
from qoslib.traffic import Poisson, Stream

QUEUES = (
    Queue("a", PacketLimit(5), quantum_bytes=1500),
    Queue("b", PacketLimit(9), HeadDrop(), quantum_bytes=3000),
    Queue("c", PacketLimit(20), Red(RedProfile(2, 9, 0.3), averaging=Instantaneous()),
          Policer(40e6, 5000), quantum_bytes=1500),
)  # fmt: skip
PORT = Port("port", 100e6, QUEUES, DeficitRoundRobin(), transmit_ring_packets=2)
STREAMS = [Stream(name, 45e6, 700, Poisson()) for name in "abc"]
MANY = 100_000


def quiet(done_s, total_s):
    """No progress bar."""


def counts_agree(result):
    events, packets_ = result.events, result.packets

    def per_stream(chosen):
        return np.bincount(events.stream[chosen], minlength=len(result.streams))

    assert (np.diff(events.time_s) >= 0).all()
    arrives = np.zeros(len(events), bool)
    arrives[np.unique(events.packet, return_index=True)[1]] = True
    assert_array_equal(per_stream(arrives), packets_.offered)
    assert_array_equal(per_stream(events.kind == "departure"), packets_.sent)
    for cause, dropped in packets_.dropped.items():
        assert_array_equal(per_stream(events.cause == cause), dropped)
    assert (events.kind == "drop").sum() == packets_.lost.sum()


def test_counts_agree_and_the_rest_is_the_same():
    result = packets.simulate(PORT, STREAMS, 0.05, events=MANY, progress=quiet)
    assert {"policer", "tail", "head", "red"} == set(result.packets.dropped)
    counts_agree(result)
    assert packets.simulate(PORT, STREAMS, 0.05, progress=quiet).events is None
    lengths = np.array(
        [result.events.queue_packets[result.events.queue == i].max() for i in range(3)]
    )
    assert_array_equal(lengths, result.history.queue_packets.max(axis=1))


def test_each_packet_is_enqueued_chosen_started_and_departs_in_this_order():
    events = packets.simulate(PORT, STREAMS, 0.05, events=MANY, progress=quiet).events
    whole = ["enqueue", "choice", "start", "departure"]
    for number in range(200):
        kinds = events.kind[events.packet == number].tolist()
        assert kinds in (whole, ["drop"], ["enqueue", "drop"])


@pytest.mark.parametrize("most", [1, 2, 10, 333])
def test_a_bounded_record_is_the_beginning_of_the_whole(most):
    whole, part = (
        packets.simulate(PORT, STREAMS, 0.02, events=events, progress=quiet).events
        for events in (MANY, most)
    )
    assert len(part) == most
    for name in Events.__dataclass_fields__:
        assert_array_equal(getattr(part, name), getattr(whole, name)[:most])


def test_a_deficit_at_a_choice_covers_the_packet():
    events = packets.simulate(PORT, STREAMS, 0.05, events=MANY, progress=quiet).events
    chosen = np.flatnonzero(events.kind == "choice")
    deficits = events.scheduler[chosen, events.queue[chosen]]
    assert (deficits >= events.frame_bytes[chosen]).all()
    assert np.isnan(events.scheduler[events.kind != "choice"]).all()


def test_every_hop_of_a_chain_has_its_own():
    chain = Chain("chain", (Hop(PORT), Hop(PORT.replace(name="second", rate_bps=50e6))))
    result = packets.simulate(chain, STREAMS, 0.02, events=MANY, progress=quiet)
    assert result.events is None
    for hop in result.hops:
        counts_agree(hop)


def test_a_port_with_tcp_has_it_too():
    port = Port("port", 10e6, (Queue("all", ByteLimit(20_000)),), classifier=Classifier())
    hosts = [Host("h", 100e6, (Flow("f", 0.02, Cubic()),))]
    result = tcp.simulate(
        port, hosts, 1.0, streams=[Stream("s", 2e6, 500)], events=MANY, progress=quiet
    )
    assert result.packets.lost.any()
    counts_agree(result)


def test_it_is_written_to_json_and_read_back():
    result = packets.simulate(PORT, STREAMS, 0.01, events=50, progress=quiet)
    assert Result.from_json(result.to_json()) == result


@pytest.mark.parametrize("events", [-1, 1.5, 10_000_001])
def test_a_wrong_number_is_refused(events):
    with pytest.raises(ValueError, match=r"events is .*; allowed: "):
        packets.simulate(PORT, STREAMS, 0.01, events=events)


FLOWS = (
    Flow(
        "a", 0.02, Cubic(), mss_bytes=1448, frame_bytes=1500, ack_delay_s=0.01, segments_per_ack=2
    ),
    Flow("b", 0.03, Reno(), TimeoutOnly(), mss_bytes=1448, frame_bytes=1500),
)
SENDERS = (Host("one", 1e9, FLOWS[:1], jitter_s=1e-4), Host("two", 1e9, FLOWS[1:]))
NARROW = Port("narrow", 20e6, (Queue("all", PacketLimit(12)),))


def of_flows(events, end_s=2.0):
    result = tcp.simulate(NARROW, SENDERS, end_s, bins=20, events=events, seed=1, progress=quiet)
    return result, result.tcp.events


def test_the_record_of_flows_is_what_became_of_their_windows():
    result, record = of_flows(MANY)
    flows = result.tcp
    for index in range(2):
        mine = record.flow == index
        for edge, end_s in enumerate(flows.time_s[1:]):
            last = np.flatnonzero(mine & (record.time_s <= end_s))[-1]
            assert record.window_packets[last] == flows.window_packets[index, edge]
            assert record.ssthresh_packets[last] == flows.ssthresh_packets[index, edge]
            assert record.in_flight_packets[last] == flows.in_flight_packets[index, edge]
        again = (record.kind == "send") & (record.tries > 1) & mine
        assert again.sum() == flows.retransmitted[index] > 0
        timeouts = (record.kind == "timeout") & mine
        assert timeouts.sum() == flows.timeouts[index]
        acknowledged = record.acknowledged[mine]
        assert (np.diff(acknowledged) >= 0).all()
        assert 0 <= flows.goodput_bytes[index] // 1448 - acknowledged[-1] < 100
    assert flows.timeouts.sum() > 0
    assert set(record.state) == {"open", "recovery", "loss"}


def test_what_a_flow_sends_are_the_packets_of_its_stream_in_order():
    result, record = of_flows(MANY)
    events = result.events
    first = np.unique(events.packet, return_index=True)[1]
    for index, flow in enumerate(FLOWS):
        arrivals_s = events.time_s[first][events.stream[first] == index]
        sent = np.flatnonzero((record.kind == "send") & (record.flow == index))
        on_way = len(sent) - len(arrivals_s)
        assert 0 <= on_way < 40
        assert (arrivals_s > record.time_s[sent][: len(arrivals_s)]).all()
        # An acknowledgement comes the rest of a round trip after a departure, or is held back.
        acks_s = record.time_s[(record.kind == "ack") & (record.flow == index)]
        gone = (events.kind == "departure") & (events.stream == index)
        due_s = events.time_s[gone] + flow.round_trip_s
        due_s = np.concatenate([due_s, due_s + flow.ack_delay_s])
        nearest_s = np.abs(due_s[:, None] - acks_s[None, :]).min(axis=0)
        assert nearest_s.max() < 1e-9


def test_the_record_of_flows_is_bounded_and_changes_nothing():
    whole, record = of_flows(MANY)
    _, short = of_flows(50)
    assert len(short) == 50
    assert_array_equal(short.time_s, record.time_s[:50])
    without, none = of_flows(0)
    assert none is None
    assert without.tcp == dataclasses.replace(whole.tcp, events=None)
    assert Result.from_json(whole.to_json()) == whole
