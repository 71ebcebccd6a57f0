"""Configurations of Arista EOS, written by hand, with numbers worked out by hand."""

import pytest

from qoslib.config import read
from qoslib.findings import check
from qoslib.port import ByteLimit, ByteRedProfile, Red, Shaper, TailDrop
from sample_texts import ROCE


def made(text, **facts):
    (configured,) = read(text, facts={"buffer_bytes": 2e6} | facts).ports
    return configured, {queue.name: queue for queue in configured.port.queues}


def test_a_profile_with_marking_and_shares():
    configured, queues = made(ROCE)
    port = configured.port
    assert (configured.interface, configured.policy, port.rate_bps) == (
        "Ethernet1/1",
        "ROCE",
        100e9,
    )
    storage, bulk = queues["tx-queue 3"], queues["tx-queue 1"]
    # Queues 7, 5 and 4 are strict in this order, and no class leads to 6; from 3 down they share.
    assert [queue.priority for queue in port.queues] == [0, 2, 3, 8, 8, 8, 8]
    assert (storage.weight, bulk.weight) == (60, 40)
    assert storage.marking == ByteRedProfile(150_000, 1_500_000, 0.2)
    assert (storage.dropper, storage.limit) == (TailDrop(), ByteLimit(2_000_000))
    queue = port.classifier.queue
    # The port trusts DSCPs, so that priority code points do not count.
    assert [queue(mark) for mark in ("AF31", "PCP 5", "CS6", "EF", "CS0", "unknown")] == [
        "tx-queue 3", "tx-queue 1", "tx-queue 7", "tx-queue 5", "tx-queue 1", "tx-queue 1",
    ]  # fmt: skip
    by_priority = made(ROCE.replace("trust dscp", "trust cos"))[0].port.classifier.queue
    assert [by_priority(mark) for mark in ("AF31", "PCP 5")] == ["tx-queue 1", "tx-queue 3"]
    both = made(ROCE.replace("qos trust dscp", ""))[0].port.classifier.queue
    assert [both(mark) for mark in ("AF31", "PCP 5")] == ["tx-queue 3"] * 2


def test_code_points_without_a_name_have_their_default_class():
    queue = made(ROCE)[0].port.classifier.queue
    assert [queue(f"DSCP {code}") for code in (2, 9, 13, 45, 63)] == [
        "tx-queue 1", "tx-queue 0", "tx-queue 0", "tx-queue 5", "tx-queue 7",
    ]  # fmt: skip


def test_a_policy_that_sets_a_traffic_class_reaches_a_queue_without_marks():
    policy = "policy-map type quality-of-service IN\n   class VOICE\n      set traffic-class 6\n"
    assert "tx-queue 6" not in made(ROCE)[1]
    assert "tx-queue 6" in made(policy + ROCE)[1]


def test_all_lines_are_spoken_of_and_no_secret():
    found = read(ROCE)
    assert "HIDDEN" not in str(found)
    assert [each.text for each in found.remarks] == ["qos trust dscp", "priority-flow-control on"]
    assert [each.name for each in found.missing] == ["Ethernet1/1.buffer_bytes"]
    assert "speed 10g" not in [each.text for each in found.statements]


def test_the_negotiation_of_pauses_is_listed():
    (remark,) = [each for each in read(ROCE + "   dcbx mode ieee\n").remarks if "dcbx" in each.text]
    lost = "Priority flow control's negotiation is left out: a full queue drops."
    assert (remark.kind, remark.lost) == ("not modelled", lost)


def test_queues_of_an_interface_with_shapers_and_guarantees():
    text = """\
interface Ethernet5
   shape rate 50 percent
   tx-queue 6
      shape rate 200000 kbps
   tx-queue 2
      no priority
      bandwidth guaranteed 300000 kbps
      random-detect drop minimum-threshold 1000 segments MORE
   tx-queue 0
      bandwidth guaranteed percent 10
""".replace("MORE", "maximum-threshold 2000 segments drop-probability 50")
    configured, queues = made(text, line_rate_bps=1e9)
    # 4 ms of 500 Mb/s and of 200 Mb/s.
    assert configured.port.scheduler.nodes[0].shaper == Shaper(500e6, 250_000)
    assert queues["tx-queue 6"].shaper == Shaper(200e6, 100_000)
    assert (queues["tx-queue 2"].guaranteed_bps, queues["tx-queue 0"].guaranteed_bps) == (
        300e6,
        100e6,
    )
    # A segment is 208 B.
    assert queues["tx-queue 2"].dropper == Red(ByteRedProfile(208_000, 416_000, 0.5))
    lines = text.splitlines()
    origin = configured.origin("queues['tx-queue 2'].guaranteed_bps")
    assert lines[origin.line - 1].strip() == "bandwidth guaranteed 300000 kbps"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("bandwidth percent 300", "Bandwidth: the share is '300'"),
        ("shape rate 0", "Shape: the shaped rate is '0'"),
    ],
)
def test_a_device_refuses_a_line_and_not_the_file(line, problem):
    found = read(f"interface Ethernet1\n   tx-queue 2\n      {line}\n   shape rate 1000\n")
    (remark,) = found.remarks
    assert (remark.kind, remark.line, remark.text) == ("refused", 3, line)
    assert remark.lost.startswith(problem)
    assert [each.interface for each in found.ports] == ["Ethernet1"]


@pytest.mark.parametrize(
    "head",
    [
        "! Command: show running-config\n",
        "leaf1#show running-config\n",
        "Building configuration...\n",
    ],
)
def test_a_device_holds_what_it_prints(head):
    text = "interface Ethernet1\n   tx-queue 2\n      shape rate 1000\n   tx-queue 99\n"
    for printed, kind in ((text, "refused"), (head + text, "unknown")):
        (remark,) = read(printed, dialect="eos").remarks
        assert (remark.kind, remark.text) == (kind, "tx-queue 99")
    assert "line-refused" not in [each.id for each in check(head + text, dialect="eos").findings]


def test_strict_priority_by_default_is_one_finding_of_all_ports():
    # The queues of the second interface are others, and its line is slower.
    text = ROCE + "   tx-queue 5\n      no priority\n"
    got = check(text, facts={"buffer_bytes": 2e6}).findings
    about = [
        each for each in got if each.id in ("priority-unlimited", "no-rate", "default-starved")
    ]
    assert [each.interface for each in about] == ["Ethernet1/1 out and 1 more"]
    assert "`no priority`" in about[0].sentence


def test_a_profile_that_is_not_there_promises_nothing():
    text = "qos profile LEAF\n   shape rate 1000\ninterface Ethernet1\n   service-profile LEAV\n"
    found = read(text, facts={"buffer_bytes": 2e6, "line_rate_bps": 1e10})
    (remark,) = found.remarks
    assert (remark.kind, remark.line) == ("not modelled", 4)
    assert "Did you mean LEAF?" in remark.lost
    assert [each.port for each in found.ports] == [None]


def test_a_profile_without_indentation_is_the_same():
    """As it is pasted from a page or a chat that drops the blanks."""
    flat = "\n".join(line.strip() for line in ROCE.splitlines())
    facts = {"buffer_bytes": 2e6}
    (configured,), (wanted,) = read(flat, facts=facts).ports, read(ROCE, facts=facts).ports
    assert configured.port == wanted.port
    for text in (flat, ROCE):
        found = read(text, facts=facts)
        assert [each.kind for each in found.remarks] == ["not modelled"] * 2
        # The description, and both lines of an interface without queues.
        assert found.elsewhere == 3


def test_a_profile_that_no_interface_has_is_a_piece_that_asks_for_a_line_rate():
    piece = ROCE.partition("interface")[0]
    asked = read(piece).missing[0].question
    assert asked == "No interface has qos profile ROCE; for which line rate should it be checked?"
    (port,), (wanted,) = (
        read(text, facts={"buffer_bytes": 2e6, "line_rate_bps": 1e11}).ports
        for text in (piece, ROCE)
    )
    assert (port.interface, port.policy, port.line) == ("ROCE", "ROCE", 6)
    assert port.port.queues == wanted.port.queues


def test_a_policy_of_routing_has_nothing_to_do_with_queues():
    text = "interface Ethernet1\n   service-policy type pbr input WEB\n   tx-queue 2\n"
    found = read(text + "      shape rate 1000\n")
    assert (found.remarks, found.elsewhere) == ((), 1)


@pytest.mark.parametrize(
    "line", ["qos map dscp 46 to traffic-class 8", "qos map traffic-class 5 to tx-queue 8"]
)
def test_the_first_queue_above_eight_is_left_out(line):
    text = f"{line}\ninterface Ethernet1\n   qos trust dscp\n   tx-queue 2\n      shape rate 1000\n"
    found = read(text, facts={"line_rate_bps": 1e9, "buffer_bytes": 2e6}, dialect="eos")
    assert "Queues above 7 are left out" in found.remarks[0].lost
    assert found.remarks[0].text == line
    assert found.ports[0].port.classifier.queue("EF") == "tx-queue 1"
