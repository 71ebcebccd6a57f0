"""Configurations of IOS XR and NX-OS, written by hand, with numbers worked out by hand."""

import pytest

from places import CASES
from qoslib.checks import promises
from qoslib.config import default, read
from qoslib.findings import check
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Instantaneous,
    PeakRate,
    Policer,
    Shaper,
    TailDrop,
    TimeRedProfile,
)
from sample_texts import NX_FABRIC, XR_CORE


def queues(configured):
    return {queue.name: queue for queue in configured.port.queues}


def test_xr_levels_policers_and_limits_in_time():
    found = read(XR_CORE)
    (configured,) = found.ports
    assert (found.dialect, found.remarks) == ("ios-xr", ())
    port, made = configured.port, queues(configured)
    assert (port.rate_bps, port.scheduler.strict_levels) == (10e9, 7)
    assert [queue.priority for queue in port.queues] == [0, 1, 7, 7]
    # 10 ms of the interface are 12,500,000 B.
    assert made["VOICE"].limit == ByteLimit(12_500_000)
    assert made["VOICE"].policer == Policer(100e6, 125_000)
    # 20 % of 10 Gb/s; the burst is 10 ms of it.
    assert made["VIDEO"].policer == Policer(2e9, 2_500_000)
    # 60 % of what priority leaves of 10 Gb/s, 7.9 Gb/s, for 100 ms.
    assert (made["DATA"].weight, made["DATA"].limit) == (60, ByteLimit(59_250_000))
    assert made["DATA"].dropper.profile == TimeRedProfile(0.02, 0.08, 4.74e9, 0.1)
    assert made["DATA"].dropper.profiles == ()
    assert made["class-default"].limit == ByteLimit(39_500_000)
    assert [port.classifier.queue(m) for m in ("EF", "EXP 5", "CS2")] == ["VOICE", "VOICE", "DATA"]
    assert configured.origin("queues['DATA'].limit.limit_bytes").default == "ios-xr.queue_limit"
    assert default("ios-xr.queue_limit").verified


def test_xr_classes_of_one_level_wait_for_the_bursts_of_both():
    text = """\
class-map match-any INSIDE
 match dscp ef
 end-class-map
class-map match-any OUTSIDE
 match dscp 44
 end-class-map
class-map match-any SCREENS
 match dscp af41
 end-class-map
policy-map TO-CORE
 class INSIDE
  priority level 1
  police rate percent 4
 class OUTSIDE
  priority level 1
  police rate percent 8
 class SCREENS
  priority level 2
  police rate percent 10
 class class-default
interface GigabitEthernet0/2/0/1
 service-policy output TO-CORE
"""
    first, second, below, _ = promises(read(text, dialect="ios-xr").ports[0])
    # 10 ms at 40 and at 80 Mb/s are 150,000 B together: 1.2 ms of 1 Gb/s, whichever goes first.
    assert [first.held_bytes, second.held_bytes] == [150_000, 150_000]
    assert [first.queue_s, second.queue_s] == pytest.approx([1.2e-3, 1.2e-3])
    # Alone on its level: 125,000 B at the 880 Mb/s that the first level leaves.
    assert below.queue_s == pytest.approx(125_000 * 8 / 880e6)


def test_xr_queue_behind_traffic_classes_holds_10_ms():
    text = """\
class-map match-any GOLD
 match traffic-class 3
 end-class-map
policy-map OUT
 class GOLD
  bandwidth percent 40
 class class-default
 end-policy-map
interface TenGigE0/0/0/4
 service-policy output OUT
"""
    (configured,) = read(text).ports
    # Its service rate is 4 Gb/s and half of the 6 Gb/s that nobody is given.
    assert queues(configured)["GOLD"].limit == ByteLimit(8_750_000)
    (configured,) = read(text.replace("match traffic-class 3", "match dscp 26")).ports
    assert queues(configured)["GOLD"].limit == ByteLimit(87_500_000)


def test_xr_packets_of_a_limit_have_256_bytes_and_bundles_have_no_rate():
    text = """\
policy-map EDGE
 class GOLD
  bandwidth 200 mbps
  queue-limit 1000 packets
 class SILVER
  bandwidth percent 10
  queue-limit 50 ms
 class class-default
  shape average 300 mbps
 end-policy-map
interface Bundle-Ether10.100
 service-policy output EDGE account nolink
"""
    found = read(text)
    assert [each.name for each in found.missing] == ["Bundle-Ether10.100.line_rate_bps"]
    (configured,) = read(text, facts={"line_rate_bps": 1e9}).ports
    made = queues(configured)
    assert made["GOLD"].guaranteed_bps == 200e6
    assert made["GOLD"].limit == ByteLimit(256_000)
    # 50 ms of 100 Mb/s and a third of the 700 Mb/s that nobody is given.
    assert (made["SILVER"].guaranteed_bps, made["SILVER"].limit) == (100e6, ByteLimit(2_083_333))
    assert made["class-default"].shaper == Shaper(300e6, 150_000)


def test_xr_a_group_set_on_the_way_in_selects_on_the_way_out():
    text = """\
class-map match-any EXPEDITED
 match dscp ef cs5
 end-class-map
class-map match-any TC7
 match traffic-class 7
 end-class-map
policy-map IN
 class EXPEDITED
  set traffic-class 7
  police rate 50 mbps peak-rate 80 mbps
   exceed-action set dscp af13
   violate-action drop
 end-policy-map
policy-map OUT
 class TC7
  priority level 1
 end-policy-map
interface HundredGigE0/0/0/1
 service-policy input IN
 service-policy output OUT
"""
    out, into = read(text).ports
    assert out.port.rate_bps == 100e9
    queue = out.port.classifier.queue
    assert [queue(mark) for mark in ("EF", "CS5", "traffic-class 7", "AF11")] == [
        "TC7", "TC7", "TC7", "class-default",
    ]  # fmt: skip
    # 10 ms of each rate.
    assert queues(into)["EXPEDITED"].policer == Policer(
        50e6, 62_500, excess=PeakRate(80e6, 100_000), exceed="AF13"
    )


def test_nxos_groups_weights_and_step_marking():
    found = read(NX_FABRIC, facts={"buffer_bytes": 1e6, "line_rate_bps": 100e9})
    assert found.dialect == "nxos"
    into, out = found.ports
    assert (into.interface, into.direction) == ("system qos", "in")
    made = queues(out)
    storage, bulk, first = (made[f"c-out-8q-q{n}"] for n in (3, 1, 7))
    assert storage.dropper.profile == ByteRedProfile(150_000, 300_000, 1.0)
    assert (storage.dropper.averaging, storage.dropper.ecn) == (Instantaneous(), True)
    assert (storage.limit, bulk.limit) == (ByteLimit(1_000_000), ByteLimit(200_000))
    assert (first.priority, storage.priority) == (0, 7)
    assert storage.weight / bulk.weight == 2.5
    queue = out.port.classifier.queue
    assert [queue(mark) for mark in ("CS3", "AF11", "DSCP 9", "qos-group 7", "EF")] == [
        "c-out-8q-q3", "c-out-8q-q1", "c-out-8q-q1", "c-out-8q-q7",
        "c-out-8q-q-default",
    ]  # fmt: skip
    assert out.origin("queues['c-out-8q-q3'].limit.limit_bytes").fact == "buffer_bytes"
    # Weight 0 averages nothing, so no default of a weight is said.
    assert not out.origins_of("queues['c-out-8q-q3'].dropper.averaging")


@pytest.mark.parametrize(
    ("said", "ecn"),
    [
        ("default ecn", True),
        ("10 ms 20 ms ecn", True),
        ("dscp af21 10 ms 20 ms 50 ecn", True),
        ("1 mbytes 2 mbytes probability percentage 10 ecn", True),
        ("10 ms 20 ms", False),
    ],
)
def test_xr_random_detect_marks_where_ecn_stands_behind_its_thresholds(said, ecn):
    text = (
        "class-map match-any DATA\n match dscp af21\n end-class-map\npolicy-map OUT\n class DATA\n"
        f"  bandwidth percent 10\n  random-detect {said}\n end-policy-map\n"
        "interface TenGigE0/0/0/1\n service-policy output OUT\n"
    )
    found = read(text)
    assert queues(found.ports[0])["DATA"].dropper.ecn is ecn
    assert not found.remarks


@pytest.mark.parametrize(
    ("said", "lost"),
    [
        ("threshold burst-optimized ecn", "no packet is marked by them"),
        (
            "minimum-threshold 10 packets maximum-threshold 20 packets drop-probability 1 ecn",
            "no packet is marked by them",
        ),
        (
            "minimum-threshold 1 kbytes maximum-threshold 2 kbytes drop-probability 1 non-ecn",
            "packets without ECN alone",
        ),
    ],
)
def test_nxos_thresholds_that_are_left_out_say_what_of_ecn_is(said, lost):
    text = NX_FABRIC.replace("queue-limit 200 kbytes", f"random-detect {said}")
    found = read(text, facts={"buffer_bytes": 1e6, "line_rate_bps": 100e9})
    (remark,) = found.remarks
    assert lost in remark.lost
    assert queues(found.ports[1])["c-out-8q-q1"].dropper == TailDrop()


def test_nxos_asks_for_what_no_line_says():
    found = read(NX_FABRIC)
    # What only marks does so at any rate.
    assert [(each.name, each.unit) for each in found.missing] == [
        ("Ethernet1/1.buffer_bytes", "B"),
    ]
    unsaid = read(NX_FABRIC.replace("  speed 25000\n", ""))
    assert "Ethernet1/1.line_rate_bps" in [each.name for each in unsaid.missing]


def test_nxos_policers_and_shapers_with_their_units():
    text = """\
class-map type qos match-any WEB
  match access-group name WEB-LIST
policy-map type qos LIMIT
  class WEB
    police cir 10 mbps bc 250 ms conform transmit violate drop
policy-map type queuing OUT
  class type queuing c-out-q3
    shape average 2 gbps
    queue-limit 500 kbytes
  class type queuing class-default
    queue-limit 1 mbytes
interface Ethernet1/2
  speed 10000
  service-policy type qos input LIMIT
  service-policy type queuing output OUT
"""
    out, into = read(text).ports
    # 250 ms of 10 Mb/s; without be the second bucket is as large.
    policer = queues(into)["WEB"].policer
    assert (policer.rate_bps, policer.burst_bytes, policer.violate) == (10e6, 312_500, "drop")
    assert queues(out)["c-out-q3"].shaper == Shaper(2e9, 1_000_000)
    assert queues(out)["class-default"].limit == ByteLimit(1_000_000)
    assert into.port.classifier.queue("WEB-LIST") == "WEB"


def test_nxos_class_maps_of_one_name_and_three_types_keep_their_marks():
    text = """\
class-map type qos match-all STORAGE
  match cos 3
class-map type queuing match-all STORAGE
  match qos-group 3
class-map type network-qos match-all STORAGE
  match qos-group 3
policy-map type qos MARK
  class STORAGE
    set qos-group 3
policy-map type queuing FABRIC
  class type queuing STORAGE
    bandwidth percent 60
  class type queuing class-default
    bandwidth percent 40
interface Ethernet1/1
  service-policy type qos input MARK
  service-policy type queuing output FABRIC
"""
    out, into = read(text, facts={"buffer_bytes": 1e6, "line_rate_bps": 1e10}).ports
    assert [each.marks for each in into.classes] == [("PCP 3",), ("the rest",)]
    assert out.classes[0].marks == ("qos-group 3", "PCP 3")
    assert [out.port.classifier.queue(mark) for mark in ("PCP 3", "PCP 4")] == [
        "STORAGE",
        "class-default",
    ]


def test_xr_takes_the_policy_with_queues_of_two_and_keeps_the_way_in():
    policies = "policy-map QUEUE\n class class-default\n  shape average 1 gbps\n end-policy-map\n"
    policies += "policy-map MARK\n class class-default\n  set dscp af11\n end-policy-map\n"
    lines = "service-policy input MARK", "service-policy output QUEUE", "service-policy output MARK"
    found = read(policies + "interface TenGigE0/0/0/1\n " + "\n ".join(lines) + "\n")
    out, into = found.ports
    assert (out.policy, out.line, queues(out)["class-default"].shaper.rate_bps) == (
        "QUEUE",
        11,
        1e9,
    )
    assert into.port is not None
    assert [each.text for each in found.remarks if "only marks" in each.lost] == [lines[2]]
    # The order of the two does not matter.
    turned = "interface TenGigE0/0/0/1\n " + "\n ".join((lines[2], lines[1])) + "\n"
    assert read(policies + turned).ports[0].port == out.port
    # Two with queues promise nothing: nobody knows which one a device takes.
    both = policies.replace("set dscp af11", "shape average 2 gbps") + turned
    (out,) = read(both).ports
    assert (out.port, out.policy, out.missing) == (None, "MARK and QUEUE", ())
    # One that is taken off again leaves the other.
    text = policies + "interface TenGigE0/0/0/1\n " + "\n ".join((*lines, f"no {lines[2]}")) + "\n"
    (out, _) = read(text).ports
    assert (out.policy, out.port is None) == ("QUEUE", False)


def test_xr_per_cent_of_a_policer_are_of_the_policer_above_it():
    text = (CASES / "ios-xr" / "policer_above_policers.conf").read_text()
    into, out = read(text).ports
    # Of 4 Gb/s: 10, 40 and 100 per cent; the line has 10 Gb/s.
    most = {each.name: each.maximum_bps for each in promises(into)}
    assert most == {"CALLS": 400e6, "FILMS": 1.6e9, "class-default": 4e9}
    assert into.origin("queues['class-default'].policer.rate_bps").line == 28
    assert out.port is None
    # A class without a policer of its own has at most what the one above lets through.
    bare = text.replace("  police rate percent 100\n  !\n", "")
    into, _ = read(bare).ports
    assert queues(into)["class-default"].policer.rate_bps == 4e9
    assert into.origin("queues['class-default'].policer.rate_bps").line == 13
    # Policers whose rates fit together below it never meet it.
    fits = text.replace("  service-policy TWO-CLASSES-OUT\n", "  service-policy FIT\n")
    fits += "policy-map FIT\n class CALLS\n  police rate percent 20\n  !\n class class-default\n"
    fits += "  police rate percent 80\n  !\n end-policy-map\n"
    _, out = read(fits).ports
    assert [each.maximum_bps for each in promises(out)] == [400e6, 1.6e9]


def test_no_default_of_ios_xe_is_cited_for_another_platform():
    facts = {"line_rate_bps": 1e9, "buffer_bytes": 1e6}
    for dialect in ("ios", "ios-xr", "nxos"):
        for path in (CASES / dialect).glob("*.conf"):
            for port in read(path.read_text(), facts=facts, dialect=dialect).ports:
                cited = {each.default for each in port.origins if each.default}
                assert all(name.startswith(f"{dialect}.") for name in cited), (path.name, cited)


def test_nxos_shares_that_no_manual_says_are_marked_so():
    text = (CASES / "nxos" / "shape_min_and_max.conf").read_text()
    rows = {row.name: row for row in check(text, facts={"buffer_bytes": 1e6}).ports[0].rows}
    assert rows["c-out-8q-q1"].minimum.kind == "unverified default"
    assert "nxos.unreserved" in rows["c-out-8q-q1"].minimum.why
    assert rows["c-out-8q-q2"].minimum.kind == "configured"
    _, out = sorted(
        read(text, facts={"buffer_bytes": 1e6}).ports, key=lambda each: each.direction == "out"
    )
    assert out.origin("queues['c-out-8q-q2'].guaranteed_bps").line == 15


def test_xr_classes_without_a_share_split_what_is_left_of_100_per_cent():
    text = """\
class-map match-any A
 match dscp af31
class-map match-any B
 match dscp af21
policy-map OUT
 class A
  bandwidth remaining percent 60
 !
 class B
  queue-limit 20 ms
  bandwidth 1 mbps
 !
 class class-default
 !
 end-policy-map
!
interface TenGigE0/0/0/1
 service-policy output OUT
"""
    (configured,) = read(text).ports
    weights = {name: queue.weight for name, queue in queues(configured).items()}
    assert weights == {"A": 60, "B": 20, "class-default": 20}


def test_nxos_queues_follow_what_is_free_of_one_memory():
    text = """\
policy-map type queuing FABRIC
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    queue-limit dynamic 7
  class type queuing c-out-8q-q2
    bandwidth remaining percent 10
    queue-limit 20000 bytes
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
interface Ethernet1/1
  speed 10000
  service-policy type queuing output FABRIC
"""
    (missing,) = read(text).missing
    assert missing.question.startswith("How large is the memory")
    found = read(text, facts={"buffer_bytes": 6e6})
    (configured,) = found.ports
    pools = [(each.name, each.limit_bytes) for each in configured.port.pools]
    assert pools == [("memory", 6_000_000)]
    made = queues(configured)
    # 2 to the power of 7 - 7, and of the default, 9 - 7.
    assert [made[f"c-out-8q-{name}"].alpha for name in ("q3", "q2", "q-default")] == [
        1.0,
        None,
        4.0,
    ]
    assert (made["c-out-8q-q2"].pool, made["c-out-8q-q2"].limit) == ("", ByteLimit(20_000))
    assert configured.origin("queues['c-out-8q-q3'].alpha").line == 4
    assert configured.origin("queues['c-out-8q-q-default'].alpha").default == "nxos.dynamic_default"
    (listed,) = [each.line for each in found.remarks if "share a memory" in each.lost]
    assert listed == 12
    # A later limit takes the place of one that follows, and back.
    text = text.replace(
        "    queue-limit dynamic 7\n", "    queue-limit dynamic 7\n    queue-limit 3000 bytes\n"
    )
    assert read(text, facts={"buffer_bytes": 6e6}).ports[0].port.pools == ()


@pytest.mark.parametrize(
    ("line", "severity"), [("", "info"), ("    queue-limit 300000 bytes\n", "warning")]
)
def test_a_short_queue_is_a_warning_where_a_line_sets_its_length(line, severity):
    text = f"""\
policy-map type queuing OUT
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 100
{line}interface Ethernet1/1
  speed 100000
  service-policy type queuing output OUT
"""
    report = check(text, dialect="nxos", facts={"buffer_bytes": 2e7})
    (found,) = [each for each in report.findings if each.id == "queue-shallow"]
    assert found.severity == severity
