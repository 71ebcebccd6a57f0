"""The event record agrees with what a result counts; it is bounded, and changes nothing."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from qoslib import packets, tcp
from qoslib.flows import Cubic, Flow, Host
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
