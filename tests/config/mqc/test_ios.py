"""Configurations of IOS and IOS XE, written by hand, with numbers worked out by hand."""

import pytest

from qoslib.checks import findings
from qoslib.config import ConfigurationError, default, read, write
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Ewma,
    ExcessBurst,
    Fifo,
    FlowQueues,
    PacketLimit,
    PeakRate,
    Policer,
    Queue,
    RedProfile,
    Shaper,
    TimeRedProfile,
)

EDGE = """\
version 16.9
hostname edge
enable secret 5 HIDDEN
class-map match-any VOICE
 match dscp ef
class-map match-any VIDEO
 match ip dscp af41 af42
 match access-group name CAMERAS
class-map match-all BULK
 match ip precedence 1
!
policy-map CHILD
 class VOICE
  priority percent 20
 class VIDEO
  bandwidth percent 30
  random-detect dscp-based
  random-detect dscp 34 32 40 10
 class BULK
  bandwidth percent 10
  queue-limit 64 packets
 class class-default
  fair-queue
policy-map WAN
 class class-default
  shape average 50000000
  service-policy CHILD
!
banner motd ^C
policy-map NOT
 class THIS
^C
interface GigabitEthernet0/0/1
 description HIDDEN
 ip address 10.0.0.1 255.0.0.0
 speed 100
 service-policy output WAN
"""


def only(text, **named):
    """The one port of a text, and what was read besides."""
    found = read(text, **named)
    (configured,) = found.ports
    return configured, found


def queue_of(configured, name):
    return configured.port.queues[configured.port.queue_names.index(name)]


def on_gigabit(policy, selections="", more=""):
    """A policy P on an interface of 1 Gb/s, for IOS XE."""
    body = "\n".join(
        f"  {line}" if not line.startswith("class ") else f" {line}" for line in policy
    )
    interface = f"interface GigabitEthernet0/0/0\n{more} service-policy output P\n"
    return f"{selections}\npolicy-map P\n{body}\n{interface}"


def test_a_shaped_child_policy():
    configured, found = only(EDGE)
    port = configured.port
    assert found.dialect == "ios-xe"
    assert (configured.interface, configured.policy, port.rate_bps) == (
        "GigabitEthernet0/0/1",
        "WAN",
        100e6,
    )
    voice, video, bulk, rest = port.queues
    # 20 % of the 50 Mb/s of the parent; 200 ms of 10 Mb/s are 250,000 B.
    assert voice.policer == Policer(10e6, 250_000, when="congested")
    assert (voice.priority, voice.limit) == (0, PacketLimit(512))
    # 30 % of 50 Mb/s; 50 ms of 50 Mb/s are 312,500 B, 208 packets of 1500 B.
    assert (video.priority, video.guaranteed_bps, video.limit) == (2, 15e6, PacketLimit(208))
    # 20/80 and 28/80 of 208, rounded down; the maximum is the half.
    assert video.dropper.profile == RedProfile(52, 104, 0.1)
    assert dict(video.dropper.profiles) == {
        "AF41": RedProfile(32, 40, 0.1),
        "AF42": RedProfile(72, 104, 0.1),
    }
    assert video.dropper.averaging == Ewma(9)
    assert (bulk.guaranteed_bps, bulk.limit) == (5e6, PacketLimit(64))
    assert (rest.guaranteed_bps, rest.weight, rest.limit) == (0, 1, PacketLimit(208))
    node = {node.name: node for node in port.scheduler.nodes}["class class-default"]
    # 4 ms of 50 Mb/s are 25,000 B.
    assert node.shaper == Shaper(50e6, 25_000)
    assert node.children == ("VOICE", "VIDEO", "BULK", "class-default")


def test_marks_lead_to_queues():
    configured, _ = only(EDGE)
    queue = configured.port.classifier.queue
    assert [queue(mark) for mark in ("EF", "AF42", "CAMERAS", "AF11", "IP 1", "CS0", "http")] == [
        "VOICE", "VIDEO", "VIDEO", "BULK", "BULK", "class-default", "class-default",
    ]  # fmt: skip
    assert [queue(name) for name in ("VOICE", "VIDEO")] == ["VOICE", "VIDEO"]
    assert {each.name: each.marks for each in configured.classes}["BULK"] == (
        "IP 1", "CS1", "AF11", "AF12", "AF13",
    )  # fmt: skip


def test_every_number_has_its_line_or_its_default():
    configured, _ = only(EDGE)
    lines = EDGE.splitlines()

    def said(where):
        origin = configured.origin(where)
        return lines[origin.line - 1].strip() if origin.line else origin.default

    assert said("rate_bps") == "speed 100"
    assert said("queues['VOICE'].policer.rate_bps") == "priority percent 20"
    assert said("queues['VOICE'].policer.burst_bytes") == "ios-xe.priority_burst"
    assert said("queues['VIDEO'].guaranteed_bps") == "bandwidth percent 30"
    assert said("queues['VIDEO'].limit.packets") == "ios-xe.queue_limit"
    assert said("queues['VIDEO'].dropper.profiles['AF41']") == "random-detect dscp 34 32 40 10"
    assert said("queues['BULK'].limit.packets") == "queue-limit 64 packets"
    assert (
        said("scheduler.nodes['class class-default'].shaper.rate_bps") == "shape average 50000000"
    )
    for origin in configured.origins:
        assert bool(origin.line) + bool(origin.default) + bool(origin.fact) == 1
        assert not origin.default or default(origin.default).source


def test_each_line_of_quality_of_service_is_stated_or_remarked_and_no_other():
    _, found = only(EDGE)
    spoken = {each.line for each in (*found.statements, *found.remarks)}
    first, last = (
        EDGE.splitlines().index("class-map match-any VOICE") + 1,
        EDGE.splitlines().index("banner motd ^C"),
    )
    expected = {n for n in range(first, last) if EDGE.splitlines()[n - 1] != "!"}
    rest = {
        n
        for n, line in enumerate(EDGE.splitlines(), 1)
        if line.startswith(("interface", " speed", " service"))
    }
    assert spoken == expected | rest
    assert "HIDDEN" not in str(found)
    assert found.remarks == ()


@pytest.mark.parametrize(
    ("version", "command", "rate", "queues"),
    [
        ("16.9", "fair-queue", 1e9, 16),
        ("16.9", "fair-queue 64", 1e9, 64),
        ("12.4", "fair-queue", 1e9, 256),
        ("12.4", "fair-queue", 128e3, 32),
    ],
)
def test_flows_of_a_class_have_a_quarter_of_its_limit_each(version, command, rate, queues):
    text = f"version {version}\npolicy-map P\n class class-default\n  {command}\n"
    text += "  queue-limit 200 packets\ninterface GigabitEthernet0/0\n service-policy output P\n"
    (queue,) = read(text, facts={"line_rate_bps": rate}).ports[0].port.queues
    assert queue.flows == FlowQueues(
        queues,
        sparse_first=False,
        overflow="arriving",
        drop_at="tail",
        flow_limit=PacketLimit(50),
    )


def test_flows_beside_thresholds_wait_in_one_queue():
    text = on_gigabit(["class class-default", "fair-queue", "random-detect", "random-detect ecn"])
    found = read(text)
    (queue,) = found.ports[0].port.queues
    assert queue.flows is None
    assert queue.dropper.ecn
    assert "wait in one queue" in found.remarks[0].lost


@pytest.mark.parametrize("dialect", ["ios", "ios-xe"])
def test_fair_queue_is_written_back(dialect):
    text = "policy-map P\n class class-default\n  fair-queue 128\n  queue-limit 80 packets\n"
    text += "interface GigabitEthernet0/0\n service-policy output P\n"
    port = read(text, dialect=dialect).ports[0].port
    written = write(port, dialect, "GigabitEthernet0/0")
    assert "\n  fair-queue 128\n" in written.text
    assert not [each for each in written.lost if "flows" in each]


def test_priority_in_kilobits_with_its_burst_and_levels():
    text = on_gigabit(
        [
            "class A",
            "priority 1000 16000",
            "class B",
            "priority level 2 percent 5",
            "class C",
            "priority",
            "police 8000000 100000",
        ]
    )
    configured, _ = only(text)
    a, b, c = (queue_of(configured, name) for name in "ABC")
    assert (a.priority, a.policer) == (0, Policer(1e6, 16_000, when="congested"))
    # 5 % of 1 Gb/s; 200 ms of 50 Mb/s.
    assert (b.priority, b.policer) == (1, Policer(50e6, 1_250_000, when="congested"))
    assert (c.priority, c.policer) == (0, Policer(8e6, 100_000))


def test_bandwidth_of_an_interface_is_what_per_cent_are_of_and_no_line_rate():
    text = on_gigabit(["class A", "bandwidth percent 25"], more=" bandwidth 40000\n")
    configured, _ = only(text)
    assert configured.port.rate_bps == 1e9
    assert queue_of(configured, "A").guaranteed_bps == 10e6
    # 50 ms of the line rate, 6,250,000 B, are 4,166 packets.
    assert queue_of(configured, "A").limit == PacketLimit(4166)


def test_what_is_left_over_by_ratio_and_by_per_cent():
    configured, _ = only(
        on_gigabit(["class A", "bandwidth remaining ratio 3", "class B", "bandwidth 2000"])
    )
    assert [queue.weight for queue in configured.port.queues] == [3, 1, 1]
    configured, _ = only(
        on_gigabit(
            [
                "class A",
                "bandwidth remaining percent 40",
                "class B",
                "bandwidth remaining percent 35",
            ]
        )
    )
    assert [queue.weight for queue in configured.port.queues] == [40, 35, 25]


@pytest.mark.parametrize(
    ("command", "policer"),
    [
        # The burst is CIR/32: 8,000,000 / 32 = 250,000 B.
        ("police 8000000", Policer(8e6, 250_000)),
        ("police cir 8m bc 20000", Policer(8e6, 20_000)),
        (
            "police 128000 256000 512000 conform-action transmit exceed-action drop",
            Policer(128e3, 256_000),
        ),
        (
            "police 8000000 20000 40000 conform-action transmit"
            " exceed-action set-dscp-transmit af13 violate-action drop",
            Policer(8e6, 20_000, excess=ExcessBurst(40_000), exceed="AF13"),
        ),
        # 1 % of 1 Gb/s; 300 ms of 10 Mb/s.
        ("police cir percent 1 bc 300 ms", Policer(10e6, 375_000)),
        # PIR/32 = 3,125,000 B; and CIR/32 = 1,562,500 B.
        (
            "police cir 50000000 pir 100000000 conform-action transmit"
            " exceed-action set-prec-transmit 0 violate-action drop",
            Policer(50e6, 1_562_500, excess=PeakRate(100e6, 3_125_000), exceed="IP 0"),
        ),
        ("police rate 5 mbps burst 9000 bytes", Policer(5e6, 9000)),
        (
            "police 64000 conform-action transmit exceed-action transmit",
            Policer(64e3, 2000, exceed="pass"),
        ),
    ],
)
def test_police_in_its_forms(command, policer):
    configured, found = only(on_gigabit(["class A", command]))
    assert queue_of(configured, "A").policer == policer
    # A new mark is listed, as that of `set dscp` is: nothing behind the class sees it.
    assert bool(found.remarks) == ("set-" in command)


def test_actions_on_lines_of_their_own():
    text = on_gigabit(
        [
            "class A",
            "police cir 8000000",
            " conform-action set-cos-transmit 3",
            " exceed-action drop",
        ]
    )
    configured, _ = only(text)
    assert queue_of(configured, "A").policer == Policer(8e6, 250_000, conform="PCP 3")


def test_shapers_count_their_bursts_in_bits():
    configured, _ = only(
        on_gigabit(
            ["class A", "shape average 10000000 100000 60000",
             "class B", "shape peak 4000000 160000 80000",
             "class C", "shape average percent 10", "class D", "shape average 64000"]
        )
    )  # fmt: skip
    assert [queue.shaper for queue in configured.port.queues] == [
        Shaper(10e6, 20_000),  # (100,000 + 60,000) / 8
        Shaper(6e6, 30_000),  # 4 Mb/s (1 + 80/160)
        Shaper(100e6, 50_000),  # 4 ms of 100 Mb/s
        Shaper(64e3, 1518),  # 4 ms would be 32 B: a frame fits
        None,
    ]


def test_limits_in_packets_bytes_time_and_by_mark():
    configured, _ = only(
        on_gigabit(
            ["class A", "queue-limit 100", "class B", "queue-limit 20000 bytes",
             "class C", "shape average 8000000",
             "queue-limit 30 ms", "class D", "queue-limit 2500 us",
             "class E", "queue-limit 80", "queue-limit dscp af13 40"]
        )
    )  # fmt: skip
    a, b, c, d, e, _ = configured.port.queues
    assert [queue.limit for queue in (a, b, c, d, e)] == [
        PacketLimit(100),
        ByteLimit(20_000),
        ByteLimit(30_000),  # 30 ms of 8 Mb/s
        ByteLimit(312_500),  # 2.5 ms of 1 Gb/s
        PacketLimit(80),
    ]
    assert e.limits == (("AF13", PacketLimit(40)),)


def test_random_detection_by_precedence_in_bytes_and_time():
    selections = "class-map A\n match ip precedence 2\nclass-map B\n match dscp ef cs6\n"
    text = on_gigabit(
        ["class A", "bandwidth 1000", "random-detect",
             "random-detect precedence 2 100 bytes 200 bytes 20",
         "random-detect exponential-weighting-constant 5", "class B", "random-detect dscp-based",
         "random-detect dscp ef 4 ms 9 ms", "random-detect ecn", "queue-limit 100 ms"],
        selections,
    )  # fmt: skip
    configured, _ = only(text)
    a, b, _ = configured.port.queues
    # 4,166 packets of 1500 B are 6,249,000 B: a quarter and the half of it.
    assert a.limit == ByteLimit(6_249_000)
    assert a.dropper.profile == ByteRedProfile(1_562_250, 3_124_500, 0.1)
    assert dict(a.dropper.profiles)["CS2"] == ByteRedProfile(100, 200, 1 / 20)
    assert set(dict(a.dropper.profiles)) == {"IP 2", "CS2", "AF21", "AF22", "AF23"}
    assert a.dropper.averaging == Ewma(5)
    # 100 ms are 12,500,000 B; 32/80 and the half of it at 1 Gb/s take 40 and 50 ms.
    assert b.dropper.ecn
    assert dict(b.dropper.profiles) == {
        "EF": TimeRedProfile(4e-3, 9e-3, 1e9, 0.1),
        "CS6": TimeRedProfile(40e-3, 50e-3, 1e9, 0.1),
    }


def test_classic_ios_shares_by_bandwidth():
    text = """\
version 15.4
class-map match-all VOICE
 match ip dscp ef
policy-map OUT
 class VOICE
  priority 2000
 class DATA
  bandwidth 5000
 class class-default
  random-detect
interface FastEthernet0/1
 service-policy output OUT
"""
    configured, found = only(
        text.replace("class DATA", "class VOICE2").replace(
            "policy-map OUT", "class-map VOICE2\n match cos 3\npolicy-map OUT", 1
        )
    )
    assert found.dialect == "ios"
    port = configured.port
    # 100 Mb/s less 2 and 5.
    assert [(queue.priority, queue.weight) for queue in port.queues] == [
        (0, 1),
        (1, 5e6),
        (1, 93e6),
    ]
    assert [queue.limit for queue in port.queues] == [PacketLimit(64)] * 3
    assert port.queues[2].dropper.profile == RedProfile(20, 40, 0.1)
    assert dict(port.queues[2].dropper.profiles)["EF"] == RedProfile(30, 40, 0.1)
    assert port.classifier.queue("PCP 3") == "VOICE2"


def test_two_sites_with_the_same_child():
    text = """\
class-map VOICE
 match dscp ef
class-map NORTH
 match access-group 101
class-map SOUTH
 match access-group 102
policy-map CHILD
 class VOICE
  priority percent 10
policy-map SITES
 class NORTH
  shape average 20000000
  bandwidth remaining ratio 2
  service-policy CHILD
 class SOUTH
  shape average 10m
  service-policy CHILD
interface TenGigabitEthernet0/1/0.100
 service-policy output SITES
"""
    configured, _ = only(text)
    port = configured.port
    assert port.rate_bps == 10e9
    assert port.queue_names == (
        "NORTH/VOICE", "NORTH/class-default", "SOUTH/VOICE", "SOUTH/class-default",
        "class-default",
    )  # fmt: skip
    assert [
        queue_of(configured, f"{site}/VOICE").policer.rate_bps for site in ("NORTH", "SOUTH")
    ] == [2e6, 1e6]
    assert {node.name: node.weight for node in port.scheduler.nodes}["class NORTH"] == 2
    assert port.classifier.queue("ACL 102") == "SOUTH/class-default"
    assert port.classifier.queue("SOUTH/VOICE") == "SOUTH/VOICE"
    assert port.classifier.default == "class-default"


def test_policers_on_the_way_in():
    text = """\
interface GigabitEthernet0/0/0
 service-policy input IN
 service-policy output OUT
class-map match-any VOICE
 match dscp ef
policy-map IN
 class VOICE
  police 1000000 conform-action transmit exceed-action drop
policy-map OUT
 class VOICE
  priority percent 1
"""
    out, into = read(text).ports
    assert (out.direction, into.direction) == ("out", "in")
    # 1 Mb/s / 32 = 31,250 B; and 375 packets wait at most.
    assert queue_of(into, "VOICE").policer == Policer(1e6, 31_250)
    assert queue_of(into, "VOICE").limit == PacketLimit(375)
    assert into.origin("queues['VOICE'].limit.packets").default == "ios-xe.input_queue"
    assert queue_of(out, "VOICE").policer.when == "congested"


def test_a_queue_without_a_policy_and_a_ring():
    text = "version 12.4\ninterface Serial0/1\n clock rate 2000000\n"
    text += " hold-queue 100 out\n tx-ring-limit 4\n"
    configured, found = only(text)
    assert found.dialect == "ios"
    port = configured.port
    assert (port.rate_bps, port.transmit_ring_packets, port.scheduler) == (2e6, 4, Fifo())
    assert port.queues == (Queue("output", PacketLimit(100)),)


def test_a_line_rate_that_no_line_says_is_asked_for():
    text = on_gigabit(["class A", "bandwidth percent 10"]).replace("GigabitEthernet", "Tunnel")
    configured, found = only(text)
    (missing,) = found.missing
    assert configured.port is None
    assert [each.name for each in configured.classes] == ["A", "class-default"]
    assert (missing.name, missing.unit) == ("Tunnel0/0/0.line_rate_bps", "bit/s")
    assert missing.question == "What is the line rate of Tunnel0/0/0?"
    configured, _ = only(
        text, facts={missing.name: 20e6, "overhead_bytes": 24, "base_delay_s": 1e-3}
    )
    port = configured.port
    assert (port.rate_bps, port.overhead_bytes, port.base_delay_s) == (20e6, 24, 1e-3)
    assert configured.origin("rate_bps").fact == missing.name
    assert queue_of(configured, "A").guaranteed_bps == 2e6


def test_part_of_an_interface_has_the_rate_of_the_whole():
    text = on_gigabit(["class class-default", "shape average 5m"]).replace("0/0/0", "0/0/0.20")
    configured, _ = only(
        f"interface GigabitEthernet0/0/0\n speed 100\n hold-queue 50 out\n{text}",
        interface="GigabitEthernet0/0/0.20",
    )
    assert configured.port.rate_bps == 100e6


SELECTIONS = """\
class-map match-all BOTH
 match dscp ef af41 cs3
 match ip dscp cs3 ef
class-map match-any EITHER
 match cos 5
 match protocol skype
 match mpls experimental topmost 5
class-map match-all NONE
 match not dscp ef
class-map match-any NESTED
 match class-map BOTH
 match access-group 101
class-map match-all EVERY
 match any
policy-map P
 class BOTH
  bandwidth 1000
 class EITHER
  bandwidth 1000
 class NONE
  bandwidth 1000
 class NESTED
  bandwidth 1000
 class EVERY
  bandwidth 1000
interface GigabitEthernet0/0/0
 service-policy output P
"""


def test_class_maps_with_all_any_not_and_each_other():
    configured, found = only(SELECTIONS)
    marks = {each.name: each.marks for each in configured.classes}
    assert marks["BOTH"] == ("EF", "CS3")
    assert marks["EITHER"] == ("PCP 5", "skype", "EXP 5")
    assert marks["NONE"] == ("NONE",)
    assert marks["NESTED"] == ("EF", "CS3", "ACL 101")
    assert marks["EVERY"] == marks["class-default"] == ("the rest",)
    queue = configured.port.classifier.queue
    assert [queue(mark) for mark in ("EF", "ACL 101", "NONE", "AF11", "skype")] == [
        "BOTH", "NESTED", "NONE", "EVERY", "EITHER",
    ]  # fmt: skip
    (remark,) = found.remarks
    assert remark.text == "match not dscp ef"


@pytest.mark.parametrize(
    ("policy", "line", "problem"),
    [
        (["class A", "priority zero"], 4, "the priority rate is 'zero'"),
        (["class A", "bandwidth 0"], 4, "the bandwidth is '0'"),
        (["class A", "shape average 1" + 30 * "0"], 4, "the shaped rate is '1000"),
        (["class A", "bandwidth percent 101"], 4, "the bandwidth is '101'"),
        (["class A", "priority level 9"], 4, "the level is '9'"),
        (["class A", "queue-limit 0"], 4, "the limit is 0"),
        (["class A", "random-detect dscp af99 1 2"], 4, "the DSCP is 'af99'"),
        (["class A", "random-detect dscp ef 40 20"], 4,
         "the minimum threshold, 40 packets, is above the maximum, 20 packets"),
        (["class A", "police cir 8000 pir 4000"], 4, "the peak rate is below"),
        (["class A", "service-policy P"], 4, "policy-map P is within itself"),
        (["class A", "service-policy Q"], 4, "policy-map Q is not defined"),
        (["class A", "random-detect", "random-detect precedence 1 1 ms 2 ms", "queue-limit 9"], 4,
         "thresholds and queue-limit have different units"),
        (["class a", "priority"], 3, "class-map a is not defined, did you mean A?"),
    ],
)  # fmt: skip
def test_a_device_refuses_a_line_and_not_the_file(policy, line, problem):
    text = on_gigabit([*policy, "class class-default", "bandwidth 7000"], "class-map A")
    configured, found = only(text)
    (refused,) = (each for each in found.remarks if each.kind == "refused")
    assert problem.lower() in refused.lost.lower()
    assert refused.line == line
    assert queue_of(configured, "class-default").guaranteed_bps == 7e6
    assert found.understood + found.listed + found.elsewhere == len(text.splitlines())


def test_a_class_that_another_text_defines_is_kept_without_marks():
    """Its name is no slip of A: a device that has its class-map takes it."""
    text = on_gigabit(["class B", "priority percent 10", "class A", "bandwidth 5000"], PIECE)
    configured, found = only(text)
    assert not found.remarks
    assert {each.name: each.marks for each in configured.classes} == {
        "B": ("B",), "A": ("EF", "B-TOO"), "class-default": ("the rest",),
    }  # fmt: skip
    assert queue_of(configured, "B").policer.rate_bps == 1e8


PIECE = "class-map match-any A\n match dscp ef\n match class-map B\n match access-group name B-TOO"


def test_class_maps_within_each_other_are_no_class():
    text = on_gigabit(
        ["class A", "priority"], "class-map A\n match class-map B\nclass-map B\n match class-map A"
    )
    configured, found = only(text)
    assert "class-map A is within itself." in [
        each.lost[:1].lower() + each.lost[1:] for each in found.remarks
    ]
    assert [each.name for each in configured.classes] == ["class-default"]


@pytest.mark.parametrize("depth", [20, 60, 3000])
def test_class_maps_within_class_maps_are_followed_however_deep(depth):
    maps = "class-map match-any C0\n match dscp ef\n" + "".join(
        f"class-map match-any C{n}\n match class-map C{n - 1}\n" for n in range(1, depth)
    )
    configured, found = only(on_gigabit([f"class C{depth - 1}", "priority 1000"], maps))
    assert configured.classes[0].marks == ("EF",)
    assert not [each for each in found.remarks if each.kind == "refused"]


def test_policies_that_are_too_deep_are_not_called_within_themselves():
    """Nine of them: more than any platform takes."""
    inner = "".join(
        f"policy-map L{n}\n class class-default\n  shape average {n}00000\n"
        f"  service-policy L{n - 1}\n"
        for n in range(1, 9)
    )
    text = f"policy-map L0\n class class-default\n  bandwidth 100\n{inner}"
    text += "interface GigabitEthernet0/1\n service-policy output L8\n"
    (refused,) = (each for each in read(text, dialect="ios").remarks if each.kind == "refused")
    assert refused.lost == "Policy-map L0 is 9 policies deep; allowed: 8."
    assert refused.text == "service-policy L0"


def test_the_later_command_replaces_and_no_takes_back():
    text = on_gigabit(
        [
            "class A",
            "bandwidth 1000",
            "bandwidth 3000",
            "queue-limit 9",
            "no queue-limit",
            "shape average 8000",
            "no shape",
        ]
    )
    configured, found = only(text)
    queue = queue_of(configured, "A")
    assert (queue.guaranteed_bps, queue.shaper, queue.limit) == (3e6, None, PacketLimit(4166))
    assert len(found.statements) == 10


def test_what_is_not_modelled_and_what_is_unknown_is_listed():
    text = on_gigabit(
        ["class A", "set dscp ef", "police rate 500 pps", "frobnicate 3",
         "bandwidth 1000 account user-defined 4",
         "compression header ip"],
        more=" max-reserved-bandwidth 90\n rate-limit input 8000 2000 2000\n",
    )  # fmt: skip
    configured, found = only(text)
    assert [(each.kind, each.text.split()[0]) for each in found.remarks] == [
        ("not modelled", "set"), ("not modelled", "police"), ("unknown", "frobnicate"),
        ("not modelled", "bandwidth"), ("not modelled", "compression"),
        ("not modelled", "max-reserved-bandwidth"), ("not modelled", "rate-limit"),
    ]  # fmt: skip
    assert all(each.lost.endswith(".") for each in found.remarks)
    assert queue_of(configured, "A").guaranteed_bps == 1e6


def test_what_has_nothing_to_do_with_queues_is_not_spoken_of():
    text = """\
snmp-server community HIDDEN RO
key chain HIDDEN
 key 1
  key-string HIDDEN
class-map type inspect match-any HIDDEN
 match protocol HIDDEN
policy-map type inspect HIDDEN
 class type inspect HIDDEN
  inspect
interface GigabitEthernet0/1
 bandwidth HIDDEN
 ip address HIDDEN
 service-policy type control subscriber HIDDEN
line vty 0 4
 password HIDDEN
"""
    found = read(text, dialect="ios-xe")
    assert (found.ports, found.remarks, found.statements) == ((), (), ())


def test_an_error_on_another_line_is_not_told_of_secrets():
    with pytest.raises(ConfigurationError) as error:
        read("policy-map P\nbanner motd ^C\nHIDDEN\n", dialect="ios-xe")
    assert "HIDDEN" not in str(error.value)
    assert str(error.value) == "line 2: this banner has no end"


@pytest.mark.parametrize("indent", ["", "   ", "\t"])
def test_texts_are_read_however_they_are_indented(indent):
    lines = EDGE.replace("banner motd ^C\npolicy-map NOT\n class THIS\n^C\n", "").splitlines()
    if not indent:
        text = "\n".join(line.strip() for line in lines)
    else:
        text = "\n".join(indent + line for line in lines)
    assert only(text)[0].port == only(EDGE)[0].port


def test_a_policy_without_an_interface_is_a_port_by_its_own_name():
    text = EDGE.split("banner")[0]
    configured, _ = only(text, facts={"line_rate_bps": 100e6})
    assert configured.interface == "WAN"
    assert configured.port == only(EDGE)[0].port.replace(name="WAN")


def test_a_policy_of_a_firewall_has_no_queues():
    text = "policy-map global_policy\n class inspection_default\n  inspect dns\n  inspect ftp\n"
    assert read(text, dialect="ios-xe").ports == ()
    text = text + " class BULK\n  bandwidth 1000\n"
    assert len(read(text, dialect="ios-xe").ports) == 1


def test_a_piece_with_fair_queueing_alone_is_a_port():
    text = "policy-map WAN\n class class-default\n  fair-queue\n"
    assert read(text, facts={"line_rate_bps": 1e7}, dialect="ios").ports[0].port.rate_bps == 1e7


def test_queues_of_an_interface_beside_a_policy():
    text = on_gigabit(["class A", "police 8000"], more=" hold-queue 90 in\n hold-queue 60 out\n")
    text += " service-policy input P\n"
    out, into = read(text).ports
    assert queue_of(into, "A").limit == PacketLimit(90)
    assert queue_of(out, "A").limit == PacketLimit(4166)
    assert [each.text for each in read(text).remarks] == ["hold-queue 60 out"]


def test_a_class_map_opened_again_keeps_how_it_matches():
    text = on_gigabit(
        ["class A", "priority"],
        "class-map match-any A\n match dscp ef\nclass-map A\n match cos 5",
    )
    configured, _ = only(text)
    assert configured.classes[0].marks == ("EF", "PCP 5")


@pytest.mark.parametrize(
    "banner",
    [
        "banner motd ^C\npolicy-map X\n class Y\n^C",
        "banner login #\nhello\n#",
        "banner exec ^Chello^C",
        "banner motd ##",
        "banner motd ^C^C\nbanner login ^\ninterface Gi9\n^",
    ],
)
def test_banners_and_comments_are_passed_by(banner):
    found = read(f"{banner}\n{EDGE}".replace("policy-map WAN\n", "policy-map WAN\n # a note\n"))
    assert found.ports[0].port == only(EDGE)[0].port
    assert found.remarks == ()


def test_all_names_that_are_not_defined_are_said_at_once_with_what_may_be_meant():
    text = """\
class-map BULK
 match dscp af11
policy-map CHILD
 class BULKY
  bandwidth percent 30
policy-map PARENT
 class class-default
  service-policy CHLID
interface GigabitEthernet0/0/1
 service-policy output PARENT
"""
    refused = refusals(text)
    said = "Policy-map CHLID is not defined, did you mean CHILD?"
    assert f"{said}; not defined either: class-map BULKY (line 4), did you mean BULK?" in refused[8]
    spelt = text.replace("CHLID", "CHILD").replace("BULKY", "bulk")
    assert "Class-map bulk is not defined, did you mean BULK" in refusals(spelt)[4]
    refused = refusals(text + "interface GigabitEthernet0/0/2\n service-policy output PARNT\n")
    assert "; policy-map PARNT (line 12), did you mean PARENT?" in refused[8]
    assert "Policy-map PARNT is not defined, did you mean PARENT?" in refused[12]


def test_the_header_that_is_not_understood_is_named_where_its_class_is_used():
    text = "class-map match-any VOICE CALLS\n match dscp ef\nclass-map DATA\n match dscp af11\n"
    text += "policy-map WAN\n class VOICE\n  priority 1000\n"
    text += "interface GigabitEthernet0/0/1\n service-policy output WAN\n"
    said = "Class-map VOICE is not understood in line 1"
    assert refusals(text) == {6: f"{said}; allowed: class-map and one NAME."}
    kinds = {each.line: each.kind for each in read(text).remarks}
    assert kinds == {1: "unknown", 2: "not modelled", 6: "refused", 7: "not modelled"}


def refusals(text):
    """Line and reason of what a device refuses."""
    return {each.line: each.lost for each in read(text).remarks if each.kind == "refused"}


def test_a_policy_of_the_control_plane_is_no_piece_of_a_port():
    text = "policy-map P\n class class-default\n  police 8000 conform-action transmit\n"
    facts = {"line_rate_bps": 1e8}
    (piece,) = read(text, facts=facts, dialect="ios-xe").ports
    assert piece.interface == "P"
    found = read(f"{text}control-plane\n service-policy input P\n", facts=facts, dialect="ios-xe")
    assert found.ports == ()
    assert "router's own processor" in found.remarks[-1].lost


def test_counters_are_no_configuration_and_say_where_they_belong():
    text = "edge#show policy-map interface\n Gi0/0/1\n  Service-policy output: WAN\n"
    with pytest.raises(ConfigurationError, match=r"line 3: .*counters; give them as --measured"):
        read(text, dialect="ios-xe")


def test_a_line_longer_than_any_command_costs_no_more_than_itself():
    text = on_gigabit(["class A", "bandwidth 1000"], f"class-map A\n match dscp {'ef ' * 900}")
    configured, found = only(text)
    (refused,) = (each for each in found.remarks if each.kind == "refused")
    assert "allowed: up to 2000" in refused.lost
    assert queue_of(configured, "A").guaranteed_bps == 1e6


def test_a_maximum_of_wred_in_bytes_below_a_frame_is_named():
    rows = ["class A", "bandwidth 1000", "queue-limit 100000 bytes"]
    rows += ["random-detect dscp-based", "random-detect dscp ef 500 bytes 1000 bytes 10"]
    found = read(on_gigabit(rows, "class-map A\n match dscp ef"))
    (got,) = findings(found, rules=["wred-tiny"])
    assert got.line == 8
    assert "1,000 B is less than one frame" in got.arithmetic
