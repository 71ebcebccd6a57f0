"""Ports: who goes where, and what no port may be."""

import pytest
from hypothesis import given

from qoslib.port import (
    Chain,
    Classifier,
    DeficitRoundRobin,
    DropProfile,
    Forwarder,
    Hop,
    MemoryPool,
    ModifiedDrr,
    PacketLimit,
    Pause,
    Port,
    Queue,
    Red,
    RedProfile,
    Sampled,
    StrictPriority,
    TimeLimit,
)
from qoslib.traffic import Stream
from strategies import NAMES, ports

A, B = Queue("a", PacketLimit(1)), Queue("b", PacketLimit(1))


def port(*queues, **fields):
    return Port("port", 1e9, queues, **{"scheduler": StrictPriority(), **fields})


def test_a_mark_goes_to_the_first_rule_that_names_it_then_to_the_default():
    rules = Classifier((("EF", "a"), ("EF", "b"), ("AF", "b")), default="b")
    assert [rules.queue(mark) for mark in ("EF", "AF", "other")] == ["a", "b", "b"]
    assert Classifier().queue("a") == "a"


def test_a_stream_is_read_by_its_mark_or_its_name():
    both = port(A, B)
    assert both.queue_of(Stream("b")) == 1
    assert both.queue_of(Stream("b", mark="a")) == 0
    with pytest.raises(ValueError, match="queue of stream 's' is 's'; allowed: a, b"):
        both.queue_of(Stream("s"))


def test_with_one_queue_all_go_there():
    assert port(A).queue_of(Stream("s", mark="any")) == 0
    assert port(A, classifier=Classifier((("EF", "a"),))).queue_of(Stream("s")) == 0


@given(ports())
def test_every_mark_finds_a_queue_of_a_port_with_a_default(port):
    for mark in ("", "silver", *NAMES):
        assert 0 <= port.queue_of(Stream("s", mark=mark)) < len(port.queues)


P = RedProfile(1, 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: port(), r"Port 'port' queues is \(\); allowed: at least one"),
        (lambda: port(A, A), r"queues is \('a', 'a'\); allowed: at least one, each name once"),
        (lambda: Port("p", 1, (A, B)), r"queues is .*; allowed: one queue with Fifo"),
        (lambda: port(A, scheduler=ModifiedDrr("x")), "ModifiedDrr.low_latency is 'x'; allowed: a"),
        (lambda: port(A, scheduler=DeficitRoundRobin()), "Queue 'a' quantum_bytes is 0; .*above 0"),
        (lambda: port(A, B, scheduler=ModifiedDrr("a")), "Queue 'b' quantum_bytes is 0"),
        (lambda: port(A.replace(pool="x")), "Queue 'a' pool is 'x'; allowed: no pool"),
        (lambda: port(A, pools=(MemoryPool("m", 1),) * 2), "pools is .*; allowed: each name once"),
        (lambda: port(A, classifier=Classifier((("EF", "x"),))), "queue for 'EF' is 'x'; .*: a"),
        (lambda: port(A, classifier=Classifier(default="x")), "Classifier.default is 'x'; .*: a"),
        (lambda: Queue("", PacketLimit(1)), "Queue.name is ''; allowed: a text that is not empty"),
        (lambda: MemoryPool("", 1), "MemoryPool.name is ''"),
        (lambda: Queue("q", TimeLimit(1)), "guaranteed_bps is 0.0; allowed: above 0"),
        (lambda: RedProfile(3, 2), r"RedProfile.minimum_packets is 3.0; allowed: up to the max"),
        (lambda: Red(P, (("a", P), ("a", P))), "Red.profiles is .*; allowed: each mark once"),
        (lambda: Sampled(5, 1.0, low_packets=5), "Sampled.low_packets is 5; allowed: below high"),
        (lambda: Pause(5, 5), "Pause.low_packets is 5; allowed: below high, 5"),
        (lambda: Pause(5, quanta=65_536), r"Pause.quanta is 65536; allowed: 1 to 65,535"),
        (lambda: DropProfile(()), "DropProfile.points is .*; allowed: at least one point"),
        (lambda: DropProfile(((0.5, 0.1), (0.5, 1))), "allowed: .*fill levels ascending"),
        (lambda: DropProfile(((0.5, 1), (0.6, 0))), "allowed: probabilities that do not fall"),
        (lambda: DropProfile(((0.5, 2),)), r"points\[0\]\[1\] is 2.0; allowed: 0 to 1"),
        (lambda: Forwarder("f", A, 0), "Forwarder.packet_s is 0.0; allowed: above 0, or byte_s"),
        (lambda: Chain("c", ()), r"hops of chain 'c' are \[\]; allowed: at least one"),
        (lambda: Chain("c", (Hop(port(A)),) * 2), "'c' are .*; allowed: at least one, each name"),
    ],
)
def test_what_no_port_can_be(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_a_change_is_checked_like_a_new_description():
    assert A.replace(weight=2).weight == 2
    with pytest.raises(ValueError, match=r"Queue.weight is -1.0; allowed: 0 or more"):
        A.replace(weight=-1)
    with pytest.raises(ValueError, match="allowed: one queue with Fifo"):
        Port("p", 1, (A,)).replace(queues=(A, B))
