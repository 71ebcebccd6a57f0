"""Sections of OpenWrt's SQM, written by hand, with numbers worked out by hand."""

import pytest

from qoslib.checks import loads
from qoslib.config import ConfigurationError, read, recognise
from qoslib.findings import check, scenario_of
from qoslib.findings.model_words import of_flows
from qoslib.port import Codel, FlowQueues, HierarchicalTokenBucket, PacketLimit, Shaper

SIMPLE = """
config queue 'wan'
\toption enabled '1'
\toption interface 'eth1'
\toption download '85000'
\toption upload '1000'
\toption qdisc 'fq_codel'
\toption script 'simple.qos'
"""
FACTS = {"line_rate_bps": 1e9}


def ports(text):
    return {each.interface: each.port for each in read(text, facts=FACTS).ports}


def queues(port):
    return {queue.name: queue for queue in port.queues}


def test_a_section_is_recognised():
    assert recognise(SIMPLE) == "sqm"


def test_three_classes_share_the_upload():
    port = ports(SIMPLE)["eth1"]
    first, rest, last = port.queues
    assert [each.name for each in port.queues] == ["priority", "best effort", "background"]
    assert type(port.scheduler) is HierarchicalTokenBucket
    # A third and two sixths of 1,000 kbit/s, and all may have all but 16.
    assert [each.guaranteed_bps for each in port.queues] == [128e3, 166e3, 166e3]
    assert [each.shaper.rate_bps for each in port.queues] == [333e3, 984e3, 984e3]
    # 1 ms of 1 Mb/s is less than 33 cells of ATM.
    assert (rest.shaper.burst_bytes, rest.quantum_bytes) == (1749, 1749)
    assert (first.priority, last.priority) == (1, 3)
    assert [port.classifier.queue(mark) for mark in ("EF", "CS6", "AF42", "CS1", "AF41")] == [
        "priority",
        "priority",
        "priority",
        "background",
        "best effort",
    ]


def test_a_slow_link_has_a_longer_target():
    queue = queues(ports(SIMPLE)["eth1"])["best effort"]
    # 33 x 53 B at 1 Mb/s take 13.992 ms; the interval is 95 ms longer.
    assert queue.dropper == Codel(0.013992, 0.108992, ecn=True)
    assert queue.limit == PacketLimit(1001)
    assert queue.flows == FlowQueues(quantum_bytes=300)


def test_what_comes_in_is_one_class_of_a_device_of_its_own():
    port = ports(SIMPLE)["ifb4eth1"]
    (queue,) = port.queues
    # 1 ms of 85 Mb/s.
    assert queue.shaper == Shaper(85e6, 10_625)
    assert queue.dropper == Codel(ecn=True)
    assert queue.flows == FlowQueues()
    by_marks = ports(f"{SIMPLE}\toption squash_ingress '0'\n")["ifb4eth1"]
    assert [each.flows.quantum_bytes for each in by_marks.queues] == [500, 1500, 300]
    assert by_marks.queues[0].guaranteed_bps == 32e3


@pytest.mark.parametrize("script", ["simplest.qos", "simplest_tbf.qos"])
def test_one_class_has_the_whole_upload(script):
    port = ports(SIMPLE.replace("simple.qos", script))["eth1"]
    (queue,) = port.queues
    shaper = queue.shaper if script == "simplest.qos" else port.shaper
    assert shaper == Shaper(1e6, 1749)
    assert queue.flows == FlowQueues()


def test_options_of_one_way_are_of_that_way():
    text = f"{SIMPLE}\toption etarget '7ms'\n\toption ilimit '500'\n\toption egress_ecn 'NOECN'\n"
    text += "\toption eqdisc_opts 'interval 70ms flows 64'\n"
    found = ports(text)
    (into,) = found["ifb4eth1"].queues
    out = queues(found["eth1"])["priority"]
    assert out.dropper == Codel(0.007, 0.07)
    assert out.flows == FlowQueues(64, 300)
    assert (into.limit, into.dropper) == (PacketLimit(500), Codel(ecn=True))


def test_a_shaper_counts_the_overhead():
    text = f"{SIMPLE}\toption linklayer 'ethernet'\n\toption overhead '34'\n"
    assert ports(text)["eth1"].overhead_bytes == 34
    cells = read(text.replace("ethernet", "atm"), facts=FACTS)
    assert any("cells" in each.lost for each in cells.remarks)


def test_every_number_stands_in_a_line_of_the_text():
    found = read(SIMPLE, facts=FACTS)
    (out, _) = found.ports
    assert out.origin("queues['best effort'].shaper.rate_bps").line == 6
    assert out.origin("queues['best effort'].flows.quantum_bytes").line == 7
    assert found.understood == 7


def test_a_download_of_0_is_not_shaped():
    assert list(ports(SIMPLE.replace("'85000'", "'0'"))) == ["eth1"]


def test_layer_cake_has_three_tins_for_the_upload_and_one_for_the_download():
    found = ports(SIMPLE.replace("simple.qos", "layer_cake.qos"))
    assert [each.name for each in found["eth1"].queues] == ["voice", "bulk", "best effort"]
    assert found["eth1"].rate_bps == 1e6
    assert [each.name for each in found["ifb4eth1"].queues] == ["best effort"]
    piece = ports(SIMPLE.replace("simple.qos", "piece_of_cake.qos"))
    assert [each.name for each in piece["eth1"].queues] == ["best effort"]


def test_a_misspelt_option_is_named_with_what_it_may_mean():
    text = SIMPLE.replace("upload", "uplaod")
    report = check(text, facts=FACTS)
    (wrong,) = [each for each in report.findings if each.id == "unknown-command"]
    assert wrong.sentence.startswith("'uplaod' is not a known command (did you mean 'upload'?)")
    (left_out,) = [each for each in read(text, facts=FACTS).remarks if "2,302 kbit/s" in each.lost]
    assert left_out.lost == "It has no `upload`: the scripts take 2,302 kbit/s."


def test_a_load_has_no_hosts_that_cake_could_share_by():
    """A call beside a hundred uploads has one share of a hundred and one, as of one host."""
    text = SIMPLE.replace("simple.qos", "piece_of_cake.qos").replace("fq_codel", "cake")
    (port,) = [each for each in read(text, facts=FACTS).ports if each.interface == "eth1"]
    assert port.port.queues[0].flows.isolation == "hosts"
    given = loads(port, '"best effort" = ["100 bulk TCP, 30 ms", "1 call G.711"]')
    assert scenario_of(port, given).network.queues[0].flows.isolation == "flows"
    assert "A load does not name its hosts" in " ".join(of_flows(port, given))


def test_an_empty_text_is_called_empty():
    with pytest.raises(ConfigurationError, match="the text is empty; allowed: a configuration"):
        read(" \n")
