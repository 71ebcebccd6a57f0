"""cake as ports and back, with numbers worked out by hand from `sch_cake.c`."""

import pytest

from qoslib.config import read
from qoslib.config.tc.writer import write_tc
from qoslib.port import ByteLimit, CakeTins, Cobalt, FlowQueues


def port(words, **facts):
    (found,) = read(f"tc qdisc add dev e root cake {words}", facts=facts).ports
    return found.port


def test_the_shaper_of_a_cake_is_the_line_of_its_port():
    found = port("bandwidth 20mbit diffserv4")
    assert (found.rate_bps, found.scheduler) == (20e6, CakeTins())
    assert [(each.name, each.guaranteed_bps) for each in found.queues] == [
        ("voice", 5e6),
        ("video", 10e6),
        ("bulk", 1.25e6),
        ("best effort", 20e6),
    ]
    marks = ("EF", "CS6", "CS4", "AF41", "AF21", "CS1", "LE", "AF11", "CS0")
    assert [found.classifier.queue(mark) for mark in marks] == [
        *["voice"] * 3,
        *["video"] * 2,
        *["bulk"] * 2,
        *["best effort"] * 2,
    ]
    # 4 x 20 Mb/s x 100 ms is 1 MB, less than 4 MiB.
    assert {each.limit for each in found.queues} == {ByteLimit(4 * 2**20)}


def test_a_slow_tin_has_a_longer_target_and_a_small_quantum():
    (queue,) = port("bandwidth 1mbit besteffort").queues
    # 1,514 B at 1 Mb/s take 12.112 ms, and one and a half of them 18.168.
    assert queue.dropper.target_s == pytest.approx(0.018168)
    assert queue.dropper.interval_s == pytest.approx(0.113168)
    assert queue.dropper.packet_s == pytest.approx(0.012112)
    flows = FlowQueues(1024, 300, ways=8, isolation="hosts", batch_packets=1, renews=True)
    assert queue.flows == flows
    # 20 Mb/s carry 610 B in 1/4096 s, 50 Mb/s more than a packet.
    quanta = [
        port(f"bandwidth {rate}mbit besteffort").queues[0].flows.quantum_bytes for rate in (20, 50)
    ]
    assert quanta == [610, 1514]


def test_a_longer_round_trip_has_a_longer_target():
    (queue,) = port("bandwidth 100mbit besteffort rtt 300ms dual-srchost").queues
    assert queue.dropper == Cobalt(0.015, 0.3, packet_s=1514 * 8 / 100e6)
    assert queue.flows.isolation == "source"
    (same,) = port("bandwidth 100mbit besteffort oceanic dual-srchost").queues
    assert same == queue


def test_overhead_counts_in_place_of_the_ethernet_header():
    assert port("bandwidth 1mbit overhead 44").overhead_bytes == 30
    assert port("bandwidth 1mbit ethernet").overhead_bytes == 24
    found = read("tc qdisc add dev e root cake bandwidth 1mbit atm overhead 8 mpu 64")
    lost = " ".join(each.lost for each in found.remarks)
    assert found.ports[0].port.overhead_bytes == 0
    assert "cells" in lost
    assert "mpu" in lost


@pytest.mark.parametrize("words", ["besteffort", "bandwidth 1mbit autorate-ingress"])
def test_a_cake_without_a_rate_of_its_own_has_no_port(words):
    assert port(words, line_rate_bps=1e8) is None


def test_a_shaper_that_is_faster_than_its_line_has_no_port():
    assert port("bandwidth 20mbit", line_rate_bps=1e7) is None
    assert port("bandwidth 20mbit", line_rate_bps=1e8).rate_bps == 20e6


@pytest.mark.parametrize(
    "words",
    [
        "bandwidth 20mbit",
        "bandwidth 3mbit diffserv8 rtt 30ms flows",
        "bandwidth 500kbit precedence dual-dsthost overhead 38",
        "bandwidth 900mbit besteffort memlimit 9mb",
    ],
)
def test_a_cake_comes_back(words):
    found = port(words)
    written = write_tc(found, "e")
    assert written.lost == ()
    facts = dict(written.facts)
    (again,) = read(written.text, facts=facts).ports
    assert again.port == found


def test_tins_that_no_cake_has_are_not_written():
    found = port("bandwidth 20mbit")
    first, *rest = found.queues
    written = write_tc(found.replace(queues=(first.replace(guaranteed_bps=7e6), *rest)), "e")
    assert written.text == ""
    assert "no tins like these" in written.lost[0]


def test_what_json_shows_of_a_cake_is_read():
    shown = """[{"kind":"cake","handle":"1:","dev":"e","root":true,"options":{"bandwidth":2500000,
    "diffserv":"diffserv4","flowmode":"dual-srchost","nat":true,"wash":false,"ingress":false,
    "ack-filter":"disabled","split_gso":true,"rtt":100000,"raw":false,"atm":"noatm","overhead":38,
    "fwmark":"0"}}]"""
    found = read(shown)
    assert found.remarks == ()
    assert found.ports[0].port == port("bandwidth 20mbit diffserv4 dual-srchost overhead 38")
