"""Queues by number of an older Catalyst: `wrr-queue` of an interface, read and written."""

import pytest

from qoslib import fluid
from qoslib.checks import promises
from qoslib.config import read, write
from qoslib.port import ByteLimit, PacketLimit, WeightedRoundRobin
from qoslib.traffic import Stream

PORT = """interface FastEthernet0/1
 wrr-queue bandwidth 1 25 4 9
 wrr-queue cos-map 1 0 1
 wrr-queue cos-map 2 2 3 4
 wrr-queue cos-map 4 5
 priority-queue out
"""


def only(text, **facts):
    found = read(text, facts=facts)
    assert found.dialect == "ios"
    (configured,) = found.ports
    return found, configured


def test_weights_maps_and_the_expedite_queue_make_a_port():
    found, configured = only(PORT)
    port = configured.port
    assert port.scheduler == WeightedRoundRobin()
    assert port.queue_names == ("queue 1", "queue 2", "queue 3", "queue 4")
    assert [queue.weight for queue in port.queues] == [1, 25, 4, 1]
    assert [queue.priority for queue in port.queues] == [1, 1, 1, 0]
    assert {queue.limit for queue in port.queues} == {PacketLimit(100)}
    assert port.rate_bps == 100e6
    assert not found.remarks
    assert configured.origin("queues['queue 2'].weight").line == 2
    assert configured.origin("queues['queue 2'].limit.packets").default == "ios.wrr_queue_limit"
    assert configured.origin("scheduler").default == "ios.wrr_turn"
    assert configured.origin("classifier").default == "ios.wrr_cos_map"


@pytest.mark.parametrize(
    ("mark", "queue"),
    [("PCP 4", 2), ("EF", 4), ("PCP 7", 4), ("CS6", 4), ("AF41", 2), ("CS1", 1), ("unknown", 1)],
)
def test_a_mark_goes_to_the_queue_of_its_cos(mark, queue):
    """CoS 6 and 7 have no line and wait in queue 4 by default; a DSCP has its first three bits."""
    assert only(PORT)[1].port.classifier.queue(mark) == f"queue {queue}"


def test_weights_count_in_lowest_terms_and_without_the_expedite_queue():
    text = PORT.replace("1 25 4 9", "10 20 30 45")
    assert [queue.weight for queue in only(text)[1].port.queues] == [1, 2, 3, 1]
    text = text.replace(" priority-queue out\n", "")
    assert [queue.weight for queue in only(text)[1].port.queues] == [2, 4, 6, 9]


def test_a_fast_port_and_a_known_memory():
    fast = PORT.replace("Fast", "Gigabit")
    origin = only(fast)[1].origin("queues['queue 1'].limit.packets")
    assert origin.default == "ios.wrr_gigabit_limit"
    assert only(PORT, buffer_bytes=64e3)[1].port.queues[3].limit == ByteLimit(64_000)
    (configured,) = read(PORT.replace("FastEthernet0/1", "Vlan7"), dialect="ios").ports
    assert [each.name for each in configured.missing] == ["Vlan7.line_rate_bps"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1 25 4 9", "1 25 4"),
        ("1 25 4 9", "percent 10 20 30"),
        ("1 25 4 9", "0 25 4 9"),
        ("1 25 4 9", "1 25 4 65537"),
        ("1 0 1", "1 1 0 1"),
        ("2 2 3 4", "2 5"),
        ("2 2 3 4", "5 2"),
        ("2 2 3 4", "2 8"),
        ("2 2 3 4", "2 x"),
        ("priority-queue out", "priority-queue cos-map 1 5"),
        ("priority-queue out", "rcv-queue bandwidth 1 5 20"),
        ("priority-queue out", "no priority-queue out"),
        ("priority-queue out", "hold-queue 40 out"),
        ("priority-queue out", "service-policy output WAN"),
    ],
)
def test_other_queues_have_no_port_in_turns(before, after):
    found = read(PORT.replace(before, after), dialect="ios")
    ports = [each.port for each in found.ports if each.port]
    assert all(port.scheduler != WeightedRoundRobin() for port in ports)
    assert any(each.text.startswith("wrr-queue") for each in found.remarks)


def test_neither_weights_nor_maps_alone_make_a_port():
    lines = PORT.split("\n")
    for kept in (lines[:2], [lines[0], *lines[2:]]):
        assert not read("\n".join(kept), dialect="ios").ports


@pytest.mark.parametrize("text", [PORT, PORT.replace(" priority-queue out\n", "")])
def test_what_was_read_is_written(text):
    port = only(text)[1].port
    written = write(port, "ios")
    assert not written.lost
    assert only(written.text)[1].port == port
    assert "policy-map" not in written.text


def test_queues_of_other_names_or_levels_are_written_as_a_policy():
    port = only(PORT)[1].port
    first = port.queues[0].replace(priority=0)
    for other in (
        port.replace(queues=(first, *port.queues[1:])),
        port.replace(
            queues=(*port.queues[:3], port.queues[3].replace(name="x")),
            classifier=port.classifier.replace(rules=()),
        ),
    ):
        assert "wrr-queue" not in write(other, "ios").text
    assert "wrr-queue" not in write(port, "ios-xe").text


def test_elsewhere_turns_are_weights_and_the_expedite_queue_has_priority():
    port = only(PORT)[1].port
    text = write(port, "ios-xe").text
    assert " class queue-4\n  priority\n" in text
    assert "bandwidth remaining ratio 25" in text
    written = write(port, "tc")
    assert "qfq weight 25" in written.text
    assert any("weighted round robin by packets" in each for each in written.lost)


def test_the_expedite_queue_is_whole_and_the_rest_is_shared_by_packets():
    """10 Mb/s of voice leave 90 for turns of 1 and 25 packets; of half the size, half the bytes."""
    port = only(PORT)[1].port
    streams = [
        Stream("best effort", 90e6, 1000, mark="CS0"),
        Stream("video", 90e6, 500, mark="AF41"),
        Stream("voice", 10e6, 200, mark="EF"),
    ]
    sent = fluid.solve(port, streams).sent_bps
    assert sent == pytest.approx([90e6 * 2 / 27, 90e6 * 25 / 27, 10e6])


def test_a_promise_says_that_packets_are_counted():
    _, configured = only(PORT.replace(" priority-queue out\n", ""))
    first = promises(configured)[0]
    assert first.minimum_bps == pytest.approx(100e6 / 39)
    assert first.minimum_why.endswith("this counts packets, all assumed to be of one size")
