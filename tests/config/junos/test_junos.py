"""Junos configurations, written by hand with their numbers worked out by hand."""

import pytest

from places import CASES
from qoslib.checks.checked_port import CheckedPort
from qoslib.config import ConfigurationError, Facts, read, recognise, write
from qoslib.findings import check
from qoslib.platforms import m120
from qoslib.port import (
    ByteLimit,
    DropProfile,
    ExcessBurst,
    HeadDrop,
    PeakRate,
    PriorityLevels,
    SchedulerTree,
    Shaper,
    TimeLimit,
)
from sample_texts import FOUR_CLASSES


def only(text, **facts):
    """The one port of a configuration, and its queues by name."""
    found = read(text, facts=facts)
    (port,) = found.ports
    assert port.port is not None, port.missing
    return found, port, {queue.name: queue for queue in port.port.queues}


def test_four_classes_in_braces():
    found, port, queues = only(FOUR_CLASSES, buffer_bytes=20e6)
    assert port.interface == port.port.name == "xe-0/0/1"
    assert port.port.rate_bps == 10e9
    assert port.port.scheduler == PriorityLevels()
    voice, video, control, data = (queues[n] for n in ("voice", "video", "control", "data"))
    # strict-high is served without a limit but its shaper, 20 % of 10 Gb/s, with a burst of 10 ms.
    assert (voice.priority, voice.guaranteed_bps) == (0, 10e9)
    assert voice.shaper == Shaper(2e9, 2_500_000)
    assert voice.limit == TimeLimit(0.005, at="line")
    assert (video.priority, video.guaranteed_bps, video.weight) == (2, 3e9, 0.3)
    assert video.limit == ByteLimit(5_000_000)
    # 200 Mb/s of 10 Gb/s are 2 %.
    assert (control.priority, control.guaranteed_bps, control.weight) == (1, 2e8, 0.02)
    assert control.limit == ByteLimit(1_000_000)
    # The rest of the rates is 100 - 30 - 2 per cent, less the 0 of queue 1 by default; the rest of
    # the buffer is 100 - 25 - 5 per cent.
    assert (data.priority, data.guaranteed_bps, data.weight) == (4, pytest.approx(6.8e9), 0.68)
    assert data.limit == ByteLimit(14_000_000)
    assert data.dropper == HeadDrop()
    assert found.remarks == ()


def test_marks_lead_to_queues():
    _, port, _ = only(FOUR_CLASSES, buffer_bytes=20e6)
    goes = port.port.classifier.queue
    assert [goes(mark) for mark in ("EF", "PCP 5", "CS4", "AF42", "AF43")] == [
        *("voice", "voice", "video", "video", "video"),
    ]
    # Of the default classifier: cs6 is queue 3, af11 queue 2, all else queue 0.
    assert [goes(mark) for mark in ("CS6", "AF11", "AF21", "DSCP 13", "anything")] == [
        *("control", "video", "data", "data", "data"),
    ]
    classes = {each.name: each for each in port.classes}
    assert classes["voice"].marks == ("EF", "PCP 5")
    assert classes["data"].marks[-1] == "the rest"
    assert [each.text for each in classes["video"].statements] == [
        *("transmit-rate percent 30", "buffer-size percent 25", "priority medium-high"),
    ]


def test_each_number_knows_its_line_default_or_fact():
    _, port, _ = only(FOUR_CLASSES, buffer_bytes=20e6)
    lines = FOUR_CLASSES.split("\n")

    def line_of(where):
        return lines[port.origin(where).line - 1].strip()

    assert line_of("queues['video'].guaranteed_bps").startswith(
        "s-video { transmit-rate percent 30"
    )
    assert line_of("queues['voice'].shaper.rate_bps").startswith("s-voice { shaping-rate")
    assert port.origin("queues['voice'].shaper.burst_bytes").default == "junos.shaping_burst"
    assert port.origin("queues['voice'].guaranteed_bps").default == "junos.strict_high"
    limit = port.origin("queues['video'].limit.limit_bytes")
    assert limit.fact == "buffer_bytes"
    assert line_of(limit.where).startswith("s-video")
    assert port.origin("rate_bps").default == "junos.line_rate"
    assert line_of("rate_bps").startswith("xe-0/0/1")


def as_set(text):
    """A configuration in braces as `set` lines, by a few lines of its own."""
    lines, above, words = [], [], []
    for token in text.replace(";", " ; ").replace("{", " { ").replace("}", " } ").split():
        if token == ";":
            start, _, rest = " ".join(words).partition("[ ")
            for word in rest.rstrip(" ]").split() or [""]:
                path = " ".join(" ".join(each) for each in above)
                lines.append(f"set {path} {start}{word}".strip())
            words = []
        elif token == "{":
            above.append(words)
            words = []
        elif token == "}":
            above.pop()
        else:
            words.append(token)
    return "\n".join(lines)


def test_set_lines_mean_the_same():
    braces, lines = (
        read(t, facts={"buffer_bytes": 2e7}) for t in (FOUR_CLASSES, as_set(FOUR_CLASSES))
    )
    assert lines.ports[0].port == braces.ports[0].port
    assert [each.marks for each in lines.ports[0].classes] == [
        each.marks for each in braces.ports[0].classes
    ]


def test_the_level_above_may_be_left_out():
    inner = FOUR_CLASSES.strip().removeprefix("class-of-service {").removesuffix("}")
    assert recognise(inner) == "junos"
    port = read(inner, facts={"buffer_bytes": 2e7}).ports[0].port
    assert port == read(FOUR_CLASSES, facts={"buffer_bytes": 2e7}).ports[0].port


def test_the_total_buffer_is_asked_for_by_name():
    (port,) = read(FOUR_CLASSES).ports
    assert port.port is None
    (missing,) = port.missing
    assert (missing.name, missing.unit) == ("xe-0/0/1.buffer_bytes", "B")
    # 16 ms at 10 Gb/s are 20 MB.
    _, _, queues = only(FOUR_CLASSES, delay_buffer_s=0.016)
    assert queues["video"].limit == ByteLimit(5_000_000)


M120 = """
/* As in the base test, all classes with the delay buffer of the card. */
class-of-service {
    forwarding-classes {
        queue 0 BE; queue 1 CS2; queue 2 CS3; queue 3 NC; queue 4 CS1; queue 5 CS4;
    }
    interfaces { xe-7/0/0 { scheduler-map qos; } }
    scheduler-maps {
        qos {
            forwarding-class NC scheduler NC; forwarding-class CS4 scheduler CS4;
            forwarding-class CS3 scheduler CS3; forwarding-class CS2 scheduler CS2;
            forwarding-class CS1 scheduler CS1; forwarding-class BE scheduler BE;
        }
    }
    drop-profiles { test { fill-level 10 drop-probability 100; } }
    schedulers {
        NC { transmit-rate percent 1; buffer-size percent 1; priority high; }
        CS4 { buffer-size percent 25; priority strict-high; }
        CS3 { transmit-rate percent 34; buffer-size percent 25; priority medium-high; }
        CS2 { transmit-rate percent 63; buffer-size percent 24; priority low; }
        CS1 { transmit-rate percent 1; buffer-size percent 24; priority medium-low; }
        BE { transmit-rate percent 1; priority low; }
    }
}
"""
M120_FACTS = {"platform": "m120", "delay_buffer_s": 0.1, "overhead_bytes": 38.0}


@pytest.mark.parametrize(
    ("change", "to", "queue"),
    [
        ("", "", {}),
        (
            "buffer-size percent 24; priority medium-low;",
            "priority medium-low; drop-profile-map loss-priority any protocol any"
            " drop-profile test;",
            {"dropper": DropProfile(((0.1, 1.0),))},
        ),
        (
            "buffer-size percent 24; priority medium-low;",
            "buffer-size temporal 5k; priority medium-low;",
            {"limit": TimeLimit(5e-3, at="served")},
        ),
    ],
)
def test_the_lessons_m120(change, to, queue):
    found, port, queues = only(M120.replace(change, to) if change else M120, **M120_FACTS)
    for theirs in m120.port(CS1=queue).queues:
        assert queues[theirs.name] == theirs
    assert port.port.scheduler == m120.port().scheduler
    # The percentages of the buffer that are not those of the rate are said to be left out.
    assert [r.text for r in found.remarks][:1] == ["buffer-size percent 25"]


def test_drop_profiles_by_loss_priority():
    text = FOUR_CLASSES.replace(
        "priority medium-high;",
        """priority medium-high; explicit-congestion-notification;
        drop-profile-map loss-priority low protocol any drop-profile gentle;
        drop-profile-map loss-priority high protocol any drop-profile hard;""",
    ).replace(
        "schedulers {",
        """drop-profiles {
            gentle { interpolate { fill-level [ 50 80 ]; drop-probability [ 0 20 ]; } }
            hard { interpolate { fill-level [ 20 40 ]; drop-probability [ 0 100 ]; } }
        }
        schedulers {""",
        1,
    )
    found, _, queues = only(text, buffer_bytes=20e6)
    dropper = queues["video"].dropper
    # Lines go on to 100 % at a full queue.
    gentle = ((0.5, 0.0), (0.8, 0.2), (1.0, 1.0))
    hard = ((0.2, 0.0), (0.4, 1.0), (1.0, 1.0))
    assert (dropper.points, dropper.shape, dropper.ecn) == (gentle, "interpolated", True)
    by_mark = dict(dropper.profiles)
    assert by_mark["AF42"] == by_mark["AF43"] == by_mark["loss priority high"] == hard
    # Of loss priority medium there is no profile: these packets are dropped by a full queue only.
    assert by_mark["loss priority medium-low"] == ((1.0, 1.0),)
    assert "AF41" not in by_mark
    # With profiles by mark, the packet that arrives is dropped; that is said.
    assert dropper.drop_at == "tail"
    assert any("not at the head" in each.lost for each in found.remarks)


def test_steps_of_a_drop_profile():
    text = FOUR_CLASSES.replace(
        "priority medium-high;",
        "priority medium-high; drop-profile-map loss-priority any protocol any drop-profile s;",
    ).replace(
        "schedulers {",
        """drop-profiles {
            s { fill-level 75 drop-probability 30; fill-level 25 drop-probability 10; }
        }
        schedulers {""",
        1,
    )
    _, _, queues = only(text, buffer_bytes=20e6)
    assert queues["video"].dropper == DropProfile(((0.25, 0.1), (0.75, 0.3)))


def test_exact_rate_limit_and_a_shaped_port():
    text = """
    set class-of-service forwarding-classes class gold queue-num 1
    set class-of-service forwarding-classes class rest queue-num 0
    set class-of-service forwarding-classes class limited queue-num 2
    set class-of-service interfaces ge-0/0/2 scheduler-map m
    set class-of-service interfaces ge-0/0/2 shaping-rate 200m burst-size 50k
    set class-of-service scheduler-maps m forwarding-class gold scheduler gold
    set class-of-service scheduler-maps m forwarding-class rest scheduler rest
    set class-of-service scheduler-maps m forwarding-class limited scheduler limited
    set class-of-service schedulers gold transmit-rate percent 25 exact
    set class-of-service schedulers gold buffer-size percent 50
    set class-of-service schedulers limited transmit-rate 10m
    set class-of-service schedulers limited transmit-rate rate-limit
    set class-of-service schedulers limited buffer-size percent 0
    set class-of-service schedulers rest transmit-rate percent 70
    set class-of-service schedulers rest buffer-size percent 50
    """
    _, port, queues = only(text, delay_buffer_s=0.1)
    assert port.port.shaper == Shaper(2e8, 50_000)
    # Shares are of the 200 Mb/s; a burst is 10 ms: 62,500 B of 50 Mb/s, 12,500 B of 10 Mb/s.
    assert queues["gold"].guaranteed_bps == 5e7
    assert queues["gold"].shaper == Shaper(5e7, 62_500)
    assert (queues["limited"].policer.rate_bps, queues["limited"].policer.burst_bytes) == (
        1e7,
        12_500,
    )
    assert queues["limited"].weight == 0.05
    # Half of 100 ms at 200 Mb/s; and the least buffer.
    assert queues["gold"].limit == ByteLimit(1_250_000)
    assert queues["limited"].limit == ByteLimit(9192)


def test_the_lower_of_two_rates_that_shape_a_queue_is_the_source_of_its_shaper():
    text = """
    set class-of-service interfaces ge-0/0/2 scheduler-map m
    set class-of-service scheduler-maps m forwarding-class best-effort scheduler data
    set class-of-service schedulers data shaping-rate percent 40 burst-size 50k
    set class-of-service schedulers data transmit-rate percent 25 exact
    set class-of-service schedulers data buffer-size percent 50
    """
    for said, shaper, line in (("25", Shaper(2.5e8, 312_500), 5), ("60", Shaper(4e8, 50_000), 4)):
        _, port, queues = only(text.replace("25", said), buffer_bytes=1e6)
        assert queues["best-effort"].shaper == shaper
        assert port.origin("queues['best-effort'].shaper.rate_bps").line == line


def test_excess_rates_make_a_tree():
    text = FOUR_CLASSES.replace(
        "buffer-size percent 25;",
        "buffer-size percent 25; excess-rate percent 60; excess-priority low;",
    ).replace("s-data {", "s-data { excess-rate proportion 400;")
    _, port, queues = only(text, buffer_bytes=20e6)
    scheduler = port.port.scheduler
    assert isinstance(scheduler, SchedulerTree)
    assert (scheduler.strict_levels, scheduler.nodes[0].children[0]) == (1, "voice")
    assert (queues["video"].weight, queues["video"].excess_priority) == (0.6, 4)
    assert (queues["data"].weight, queues["control"].weight) == (0.4, 0.02)
    # In a tree strict-high is served before any guarantee, and needs none.
    assert (queues["voice"].priority, queues["voice"].guaranteed_bps) == (0, 0)


UNITS = """
class-of-service {
    traffic-control-profiles {
        site { scheduler-map wan; shaping-rate 100m burst-size 30k; guaranteed-rate 40m; }
        small { scheduler-map wan; shaping-rate percent 1; delay-buffer-rate 5m; }
        both { shaping-rate 120m; excess-rate percent 30; }
    }
    interfaces {
        ge-1/0/0 {
            unit 10 { output-traffic-control-profile site; }
            unit 20 { output-traffic-control-profile small; }
            unit 30 { output-traffic-control-profile small; }
        }
        interface-set east { output-traffic-control-profile both; }
    }
    scheduler-maps { wan { forwarding-class best-effort scheduler be; forwarding-class
        expedited-forwarding scheduler ef; } }
    schedulers {
        be { transmit-rate percent 75; buffer-size percent 80; }
        ef { transmit-rate percent 25; buffer-size percent 20; priority low-latency; }
    }
}
interfaces {
    ge-1/0/0 { hierarchical-scheduler; unit 10 { family inet; } unit 20; unit 30; }
    interface-set east { interface ge-1/0/0 { unit 10; unit 20; } }
}
"""


def test_units_and_interface_sets_are_nodes():
    found, port, queues = only(UNITS, delay_buffer_s=0.1)
    nodes = {node.name: node for node in port.port.scheduler.nodes}
    assert nodes["ge-1/0/0"].children == ("east", "unit 30")
    assert nodes["east"].children == ("unit 10", "unit 20")
    assert (nodes["east"].shaper, nodes["east"].weight) == (Shaper(1.2e8, 150_000), 0.3)
    assert nodes["unit 10"].shaper == Shaper(1e8, 30_000)
    assert nodes["unit 10"].guaranteed_bps == 4e7
    # 1 per cent of 1 Gb/s.
    assert nodes["unit 20"].shaper == Shaper(1e7, 12_500)
    # Transmit rates are shares of the guaranteed rate, and weights where there is none.
    assert queues["unit 10 best-effort"].guaranteed_bps == 3e7
    best, first = queues["unit 20 best-effort"], queues["unit 20 expedited-forwarding"]
    assert (best.guaranteed_bps, best.weight, best.excess_priority) == (0, 0.75, 5)
    assert (first.guaranteed_bps, first.weight, first.excess_priority) == (0, 1, None)
    said = [each for each in found.remarks if "nothing is reserved" in each.lost]
    assert [each.text for each in said] == ["shaping-rate percent 1"]
    # low-latency is of ACX7000, which serves all levels above low strictly; low is the sixth.
    assert port.port.scheduler.strict_levels == 5
    assert queues["unit 10 expedited-forwarding"].priority == 0
    assert queues["unit 10 best-effort"].priority == 5
    # 80 per cent of 100 ms at 40 Mb/s; of 100 ms at the delay-buffer rate of 5 Mb/s.
    assert queues["unit 10 best-effort"].limit == ByteLimit(400_000)
    assert queues["unit 20 best-effort"].limit == ByteLimit(50_000)
    assert {each.node for each in port.classes} == {"unit 10", "unit 20", "unit 30"}
    (device,) = [each for each in found.remarks if "reserved" not in each.lost]
    assert (device.line, device.lost[:29]) == (20, "This priority is of ACX7000. ")


POLICERS = """
firewall {
    policer P10 {
        if-exceeding { bandwidth-limit 10m; burst-size-limit 625k; }
        then discard;
    }
    policer share {
        if-exceeding { bandwidth-percent 5; burst-size-limit 2m; }
        then loss-priority high;
    }
    three-color-policer srtcm {
        action { loss-priority high then discard; }
        single-rate { color-blind; committed-information-rate 4m; committed-burst-size 100k;
            excess-burst-size 200k; }
    }
    three-color-policer trtcm {
        two-rate { color-aware; committed-information-rate 4m; committed-burst-size 100k;
            peak-information-rate 8m; peak-burst-size 150k; }
    }
    family inet {
        filter meter {
            term web { from { protocol tcp; port 80; } then { policer share; accept; } }
            term voice { from { dscp ef; } then { three-color-policer { single-rate srtcm; } } }
            term video { then { three-color-policer { two-rate trtcm; } forwarding-class video; } }
            term log { then { count all; accept; } }
        }
    }
}
interfaces {
    ge-0/0/0 {
        speed 100m;
        unit 5 { family inet { filter { input meter; } address 192.0.2.1/30; } }
    }
    ge-0/0/1 { unit 0 { family inet { policer { input P10; } } } }
}
"""


def test_policers_of_what_comes_in():
    found = read(POLICERS)
    meter, simple = found.ports
    assert (simple.interface, simple.direction) == ("ge-0/0/1.0", "in")
    (queue,) = simple.port.queues
    assert (queue.policer.rate_bps, queue.policer.burst_bytes) == (1e7, 625_000)
    assert simple.origin(f"queues[{queue.name!r}].policer.burst_bytes").line == 4
    queues = {each.name: each.policer for each in meter.port.queues}
    assert meter.port.rate_bps == 1e8
    # 5 per cent of the 100 Mb/s that `speed` says.
    assert (queues["meter web"].rate_bps, queues["meter web"].exceed) == (5e6, "loss priority high")
    assert queues["meter voice"].excess == ExcessBurst(200_000)
    assert queues["meter voice"].actions == ("pass", "loss priority medium-high", "drop")
    assert queues["meter video"].excess == PeakRate(8e6, 150_000)
    assert queues["meter video"].violate == "loss priority high"
    assert queues["the rest"] is None
    assert meter.port.classifier.queue("meter web") == "meter web"
    assert meter.port.classifier.queue("unknown") == "the rest"
    texts = [each.text for each in found.statements]
    assert "bandwidth-limit 10m" in texts
    assert not any("192.0.2.1" in text or "count" in text for text in texts)


def test_a_policer_of_a_class_going_out():
    text = (
        FOUR_CLASSES
        + """
    firewall {
        policer P { if-exceeding { bandwidth-limit 1g; burst-size-limit 1m; } then discard; }
        filter out { term v { then { policer P; forwarding-class video; } } }
    }
    interfaces { xe-0/0/1 { unit 0 { family inet { filter { output out; } } } } }
    """
    )
    _, _, queues = only(text, buffer_bytes=20e6)
    assert (queues["video"].policer.rate_bps, queues["video"].policer.burst_bytes) == (1e9, 10**6)


def test_terms_of_filters_are_classes_to_give_streams_to():
    text = (
        FOUR_CLASSES
        + """
    firewall {
        family inet {
            filter sort {
                term calls { from { protocol udp; } then { forwarding-class voice; accept; } }
                term bulk { then { forwarding-class data; loss-priority high; } }
                term log { then { log; accept; } }
            }
        }
    }
    interfaces { xe-0/0/2 { unit 0 { family inet { filter { input sort; } } } } }
    """
    )
    found, port, _ = only(text, buffer_bytes=20e6)
    assert port.port.classifier.rules[:2] == (("sort calls", "voice"), ("sort bulk", "data"))
    assert port.classes[0].marks[0] == "sort calls"
    texts = [each.text for each in found.statements]
    assert "forwarding-class voice" in texts
    assert "input sort" in texts
    assert "log" not in texts


def test_groups_wildcards_and_what_is_inactive():
    text = """
    groups {
        SCHED { class-of-service { schedulers { <*> { buffer-size percent 10; } } } }
        UNUSED { class-of-service { schedulers { <*> { priority high; } } } }
    }
    class-of-service {
        apply-groups SCHED;
        interfaces { ge-* { scheduler-map m; } ge-0/0/1 { inactive: shaping-rate 10m; } }
        scheduler-maps { m { forwarding-class best-effort scheduler s; } }
        schedulers { s { transmit-rate percent 50; } }
        rewrite-rules {
            dscp r { forwarding-class best-effort { loss-priority low code-point be; } }
        }
        shared-buffer { ingress { percent 100; } }
        colour-rules { x; }
    }
    interfaces { ge-0/0/1 { unit 0; } ge-0/0/2 { unit 0; } xe-0/0/0 { unit 0; } }
    """
    text = text.replace("class-of-service {\n        apply-groups SCHED;", "class-of-service {", 1)
    text = "apply-groups SCHED;\n" + text
    found = read(text, facts={"buffer_bytes": 1e6})
    assert [port.interface for port in found.ports] == ["ge-0/0/1", "ge-0/0/2"]
    first = found.ports[0].port
    assert first == found.ports[1].port.replace(name="ge-0/0/1")
    assert first.shaper is None
    assert first.queues[0].limit == ByteLimit(100_000)
    assert {(each.kind, each.text) for each in found.remarks} == {
        ("not modelled", "inactive: shaping-rate 10m"),
        ("not modelled", "priority high"),
        ("not modelled", "percent 100"),
        # It tells a switch.
        ("not modelled", "shared-buffer ingress percent 100"),
        ("not modelled", "loss-priority low code-point be"),
        ("unknown", "colour-rules x"),
    }
    texts = [each.text for each in found.statements]
    assert "buffer-size percent 10" in texts


def test_set_lines_that_take_back():
    text = (
        as_set(FOUR_CLASSES)
        + """
    # a comment
    deactivate class-of-service schedulers s-voice shaping-rate
    delete class-of-service schedulers s-control
    set class-of-service schedulers s-control transmit-rate percent 9
    set class-of-service schedulers s-video transmit-rate percent 31
    edit class-of-service schedulers s-control
    set buffer-size percent 1
    top
    """
    )
    _, _, queues = only(text, buffer_bytes=20e6)
    assert queues["voice"].shaper is None
    assert (queues["control"].priority, queues["control"].weight) == (4, 0.09)
    assert queues["control"].limit == ByteLimit(200_000)
    assert queues["video"].weight == 0.31


SEVERAL = """
set class-of-service drop-profiles LATE interpolate fill-level [ 75 100 ] drop-probability [ 0 100 ]
set class-of-service schedulers A transmit-rate percent 40 buffer-size percent 60 priority low
set class-of-service schedulers A drop-profile-map loss-priority any protocol any drop-profile LATE
set class-of-service schedulers B transmit-rate percent 20 exact priority high buffer-size remainder
set class-of-service scheduler-maps M forwarding-class best-effort scheduler A
set class-of-service scheduler-maps M forwarding-class network-control scheduler B
set class-of-service interfaces ge-0/0/0 scheduler-map M
"""


def test_a_set_line_may_say_several_statements():
    found = read(SEVERAL, facts={"delay_buffer_s": 0.1})
    assert [remark.kind for remark in found.remarks if remark.kind == "unknown"] == []
    first, last = found.ports[0].port.queues
    assert (first.guaranteed_bps, first.limit) == (4e8, ByteLimit(7_500_000))
    assert first.dropper.points == ((0.75, 0.0), (1.0, 1.0))
    assert (last.shaper.rate_bps, last.limit) == (2e8, ByteLimit(5_000_000))
    assert last.priority < first.priority


def test_a_set_line_of_a_policer_may_say_rate_and_burst():
    text = """set firewall policer P if-exceeding bandwidth-limit 10m burst-size-limit 125k
set firewall policer P then discard
set firewall family inet filter F term all then policer P
set firewall family inet filter F term all then accept
set interfaces ge-0/0/0 unit 0 family inet filter input F
"""
    (queue, *_) = read(text).ports[0].port.queues
    assert (queue.policer.rate_bps, queue.policer.burst_bytes) == (10e6, 125_000)


def test_a_port_that_is_parted_into_sub_ports_is_none():
    text = (CASES / "junos" / "sub_ports.conf").read_text()
    found = read(text, facts={"buffer_bytes": 1e9})
    assert [port.interface for port in found.ports] == ["et-0/0/7:0", "et-0/0/7:1"]
    assert [port.origin("rate_bps").line for port in found.ports] == [4, 4]


def test_a_switch_with_class_sets_and_without_a_line_rate():
    text = """
    class-of-service {
        forwarding-classes { class lossy queue-num 0; class storage queue-num 3 no-loss; }
        forwarding-class-sets { lan { class lossy; } san { class storage; } }
        traffic-control-profiles {
            t-lan { scheduler-map m-lan; guaranteed-rate percent 40; }
            t-san { scheduler-map m-san; guaranteed-rate percent 60; shaping-rate 7g; }
        }
        interfaces {
            et-0/0/0 {
                forwarding-class-set { lan { output-traffic-control-profile t-lan; }
                    san { output-traffic-control-profile t-san; } }
            }
        }
        scheduler-maps { m-lan { forwarding-class lossy scheduler s; }
            m-san { forwarding-class storage scheduler s; } }
        schedulers { s { transmit-rate percent 100; buffer-size percent 50; } }
    }
    """
    (port,) = read(text).ports
    assert [each.name for each in port.missing] == [
        "et-0/0/0.line_rate_bps",
        "et-0/0/0.buffer_bytes",
    ]
    assert [each.name for each in port.classes] == ["lossy", "storage"]
    found, port, queues = only(text, line_rate_bps=1e10, buffer_bytes=1e6)
    nodes = {node.name: node for node in port.port.scheduler.nodes}
    assert nodes["et-0/0/0"].children == ("lan", "san")
    assert nodes["lan"].guaranteed_bps == queues["lossy"].guaranteed_bps == 4e9
    assert nodes["san"].shaper.rate_bps == 7e9
    # Half of the buffer that goes with 40, and with 60 per cent of the line.
    assert [q.limit for q in queues.values()] == [ByteLimit(200_000), ByteLimit(300_000)]
    assert [each.text for each in found.remarks] == [
        "class storage queue-num 3 no-loss",
        "forwarding-classes class storage queue-num 3 no-loss",
        "forwarding-class-sets lan class lossy",
    ]
    assert found.remarks[2].lost.startswith("Class sets are of QFX switches. It is read as an MX")


def test_platforms_differ():
    _, port, queues = only(FOUR_CLASSES, buffer_bytes=20e6, platform="mpc")
    # On an MPC the excess is shared equally, and a burst is 100 ms.
    assert isinstance(port.port.scheduler, SchedulerTree)
    assert {queue.weight for queue in queues.values()} == {1.0}
    assert queues["voice"].shaper == Shaper(2e9, 25_000_000)
    plain = FOUR_CLASSES.replace("transmit-rate 200m; buffer-size percent 5;", "")
    _, _, on_mx = only(plain, buffer_bytes=20e6)
    _, _, on_srx = only(plain, buffer_bytes=20e6, platform="srx")
    # By default queue 3 has 5 per cent; on an SRX that is queue 7.
    assert (on_mx["control"].weight, on_srx["control"].weight) == (0.05, 0.0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("percent 30", "percent 130", "line 33: the transmit rate is '130'; allowed: 0 to 100"),
        ("200m", "1x", "line 34: the transmit rate is '1x'; allowed: a number up to"),
        ("200m", "0", "line 34: the transmit rate is '0'; allowed: above 0"),
        ("200m", "9" * 40, "line 34: the transmit rate is '9999"),
        ("percent 20;", "0;", "line 32: the shaping rate is '0'; allowed: above 0"),
        (
            "priority high; }",
            "priority urgent; }",
            "line 34: the priority is 'urgent'; allowed: low-latency",
        ),
        ("scheduler s-video", "scheduler s-none", "line 26: the scheduler 's-none' is not defined"),
        ("forwarding-class video s", "forwarding-class vid s", "line 26: the class 'vid' is not"),
        (
            "scheduler-map wan",
            "scheduler-map lan",
            "line 21: the scheduler map 'lan' is not defined",
        ),
        ("dscp edge; ", "dscp core; ", "line 21: the classifier 'core' of 'dscp' is not defined"),
        (
            "dscp edge; ",
            "dscp egde; ",
            "line 21: the classifier 'egde' of 'dscp' is not defined, did",
        ),
        ("code-points ef", "code-points gold", "line 6: the code point of dscp is 'gold'"),
        ("queue-num 3", "queue-num 99", "line 18: the queue is '99'; allowed: 0 to 15"),
        ("temporal 5k", "temporal soon", "line 32: the temporal buffer size is 'soon'"),
        (
            "import default",
            "import edge",
            "line 5: the classifier 'edge' is not defined, or imports",
        ),
    ],
)
def test_a_statement_that_a_device_refuses_is_named_and_the_rest_is_read(old, new, said):
    text = FOUR_CLASSES.replace(old, new, 1)
    assert text != FOUR_CLASSES
    found = read(text, dialect="junos", facts={"buffer_bytes": 2e7})
    got, *more = [(each.line, each.lost) for each in found.remarks if each.kind == "refused"]
    # A class without a queue is none, so that a map may not name it.
    assert not more or ("queue-num" in new and "is not defined" in more[0][1])
    assert f"line {got[0]}: {got[1]}".lower().startswith(said.lower())
    mapped = [port.interface for port in found.ports]
    assert mapped == ([] if "scheduler map" in said else ["xe-0/0/1"])
    # What stands beside it in its line is read.
    if "shaping rate" in said:
        assert found.ports[0].port.queues[0].priority == 0
        assert found.ports[0].port.queues[0].shaper is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("priority strict-high; }", "priority strict-high }", "line 32: a semicolon is missing"),
        ("[ af41 cs4 ]", "[ af41 cs4", "line 8: a list is not closed"),
        ("class-of-service {", 'class-of-service { "', "line 2: a quotation mark is not closed"),
    ],
)
def test_an_error_names_its_line(old, new, said):
    assert old in FOUR_CLASSES
    with pytest.raises(ConfigurationError) as error:
        read(FOUR_CLASSES.replace(old, new, 1), dialect="junos", facts={"buffer_bytes": 2e7})
    assert str(error.value).startswith(said)


def test_no_word_from_outside_quality_of_service():
    secret = """
    system { root-authentication { encrypted-password "hunter2"; } host-name hunter2; }
    snmp { community hunter2 { authorization read-only; } }
    interfaces {
        xe-0/0/1 { description hunter2; unit 0 { family inet { address 192.0.2.9/24; } } }
    }
    """
    found = read(FOUR_CLASSES + secret, facts={"buffer_bytes": 2e7})
    assert found.ports[0].port is not None
    assert "hunter2" not in repr(found)
    assert "192.0.2" not in repr(found)
    with pytest.raises(ConfigurationError) as error:
        read(FOUR_CLASSES + secret.replace("read-only; }", "read-only }"), dialect="junos")
    assert "hunter2" not in str(error.value)


def test_all_names_that_are_not_defined_are_named():
    text = FOUR_CLASSES.replace("scheduler s-video", "scheduler s-vido")
    text = text.replace("forwarding-class control s", "forwarding-class contrl s")
    text = text.replace("scheduler-map wan", "scheduler-map wann")
    found = read(text, dialect="junos", facts={"buffer_bytes": 2e7})
    assert {each.line: each.lost for each in found.remarks if each.kind == "refused"} == {
        21: "The scheduler map 'wann' is not defined, did you mean 'wan'?",
        26: "The scheduler 's-vido' is not defined, did you mean 's-video'?",
        27: "The class 'contrl' is not defined, did you mean 'control'?",
    }
    report = check(text, dialect="junos", facts={"buffer_bytes": 2e7})
    refused = [each.line for each in report.findings if each.id == "line-refused"]
    assert refused == [21, 26, 27]
    # A name beside one that is refused is not called unused, as its line is mended, not deleted.
    assert "scheduler-unused" not in [each.id for each in report.findings]


def test_what_is_refused_is_not_called_unknown_as_well():
    text = FOUR_CLASSES.replace("priority high; }", "priority high low; }")
    found = read(text, dialect="junos", facts={"buffer_bytes": 2e7})
    (refused,) = [each for each in found.remarks if each.line == 34]
    assert (refused.kind, refused.text) == ("refused", "priority high low")


def test_a_name_whose_own_statement_is_refused_is_not_meant_for_itself():
    text = """\
set class-of-service interfaces ge-0/0/1 scheduler-map M
set class-of-service scheduler-maps M forwarding-class best-effort scheduler S
set class-of-service schedulers S drop-profile-map loss-priority low protocol any drop-profile D
set class-of-service drop-profiles D interpolate fill-level 50
set class-of-service drop-profiles D interpolate drop-probability [ 0 100 ]
"""
    found = read(text, dialect="junos", facts={"buffer_bytes": 2e7})
    said = {each.line: each.lost for each in found.remarks if each.kind == "refused"}
    assert said[4].startswith("1 fill levels and 2 drop probabilities")
    assert said[3] == "The drop profile 'D' is not defined."


def test_an_empty_list_takes_nothing_back():
    found = read("set class-of-service tri-color\ndelete [ ]\n", dialect="junos")
    assert [each.line for each in found.statements] == [1]


def test_priorities_between_medium_low_and_low():
    text = FOUR_CLASSES.replace("priority high;", "priority low-high;")
    text = text.replace("priority medium-high;", "priority low-medium;")
    found, port, queues = only(text, buffer_bytes=2e7)
    levels = {name: queue.priority for name, queue in queues.items()}
    # strict-high, high, medium-high and medium-low are 0 to 3.
    assert levels == {"voice": 0, "control": 4, "video": 5, "data": 6}
    assert "An MX does not have this priority" in found.remarks[-1].lost
    written = write(port.port, "junos")
    (back,) = read(written.text, facts=dict(written.facts), dialect="junos").ports
    assert back.port == port.port
    assert written.lost == (
        "Not every platform has the priority low-medium of queue 'video'.",
        "Not every platform has the priority low-high of queue 'control'.",
    )


def test_an_acx7000_is_written_with_its_platform_where_no_priority_tells():
    facts = {"buffer_bytes": 2e7, "platform": "acx7000"}
    _, port, queues = only(FOUR_CLASSES, **facts)
    assert port.port.scheduler.strict_levels == 5
    # strict-high, high and medium-high stand behind low-latency.
    levels = {name: queue.priority for name, queue in queues.items()}
    assert levels == {"voice": 1, "control": 2, "video": 3, "data": 5}
    written = write(port.port, "junos")
    assert dict(written.facts)["platform"] == "acx7000"
    (back,) = read(written.text, facts=dict(written.facts), dialect="junos").ports
    assert back.port == port.port


def test_memory_for_packets_to_many_is_left_out():
    size = "buffer-size percent 25;"
    more = f"{size} buffer-size buffer-partition multicast percent 10;"
    found = read(FOUR_CLASSES.replace(size, more, 1), facts={"buffer_bytes": 2e7})
    assert found.ports[0].port == read(FOUR_CLASSES, facts={"buffer_bytes": 2e7}).ports[0].port
    assert any("packets to many" in each.lost for each in found.remarks)


@pytest.mark.parametrize(
    ("more", "device"),
    [
        ("version 23.4R1.9-EVO;\n", "ACX7000, PTX and QFX"),
        ("version 23.4R1.9;\n", ""),
    ],
)
def test_a_device_that_is_no_mx_is_said(more, device):
    for facts in ({"buffer_bytes": 2e7}, {"buffer_bytes": 2e7, "platform": "srx"}):
        found = read(more + FOUR_CLASSES, facts=facts, dialect="junos")
        said = [each for each in found.remarks if "read as an MX" in each.lost]
        assert len(said) == (bool(device) and "platform" not in facts)
        assert all(device in each.lost and each.text == "version" for each in said)


@pytest.mark.parametrize(
    "more",
    [
        "security { policies {\n    from-zone a to-zone b { }\n} }\n",
        "security {\n    zones {\n        security-zone a { }\n    }\n}\n",
        "security { zones { security-zone a { } } }\n",
    ],
)
def test_zones_are_of_an_srx(more):
    facts = {"buffer_bytes": 2e7}
    found = read(more + FOUR_CLASSES, facts=facts, dialect="junos")
    assert [each.text[-5:] for each in found.remarks if "read as an SRX" in each.lost] == ["-zone"]
    srx = read(FOUR_CLASSES, facts={**facts, "platform": "srx"}, dialect="junos")
    assert found.ports[0].port == srx.ports[0].port
    said = read(more + FOUR_CLASSES, facts={**facts, "platform": "mpc"}, dialect="junos")
    assert not any("SRX" in each.lost for each in said.remarks)


def test_what_a_terminal_has_between_its_outputs_is_no_configuration():
    facts = {"buffer_bytes": 2e7}
    first, second = FOUR_CLASSES, "firewall { filter f { term all { then accept; } } }\n"
    session = "{master}\nadmin@pe1-re0> show configuration groups X | no-more\n"
    found = read(f"{session}{first}{session}{second}{session}", facts=facts, dialect="junos")
    assert found.ports[0].port == read(first + second, facts=facts).ports[0].port
    assert not [each for each in found.remarks if each.kind == "unknown"]
    typed = "[edit]\nadmin@pe1# set class-of-service interfaces ge-0/0/1 shaping-rate 50m\n"
    assert read(typed, facts=facts).ports[0].port.shaper.rate_bps == 50e6


@pytest.mark.parametrize(
    ("without", "line"), [(9, 6), (10, 3), (12, 2), (28, 23), (29, 22), (36, 1)]
)
def test_a_brace_that_is_not_closed_is_named_by_its_line(without, line):
    lines = FOUR_CLASSES.strip("\n").split("\n")
    assert lines[without - 1].strip() == "}"
    text = "\n".join(lines[: without - 1] + lines[without:])
    with pytest.raises(ConfigurationError, match="a brace is not closed") as caught:
        read(text, dialect="junos")
    assert caught.value.line == line
    assert lines[line - 1].endswith("{")


def test_a_text_without_indentation_that_breaks_off_is_wrong_at_its_last_statement():
    lines = [line.strip() for line in FOUR_CLASSES.strip("\n").split("\n")]
    with pytest.raises(ConfigurationError, match="a brace is not closed") as caught:
        read("\n".join(lines[:25]), dialect="junos")
    assert caught.value.line == 25


FILTERED = """
class-of-service {
    forwarding-classes { class voice queue-num 1; class data queue-num 0; }
    schedulers { s-voice { transmit-rate percent 20; } s-data { transmit-rate remainder; } }
    scheduler-maps { wan {
        forwarding-class voice scheduler s-voice;
        forwarding-class data scheduler s-data;
    } }
    interfaces { xe-0/0/0 { scheduler-map wan; } }
}
interfaces { xe-0/0/0 { unit 0 { family inet {
    filter { input edge; }
    policer { input slow; }
} } } }
"""
FIREWALL = """
firewall {
    policer slower { if-exceeding { bandwidth-limit 1m; burst-size-limit 15k; } then discard; }
    family inet { filter edges { term all { then accept; } } }
}
"""


def test_a_filter_and_a_policer_that_the_text_does_not_hold_are_named():
    report = check(FILTERED, dialect="junos", facts={"buffer_bytes": 2e7})
    got = {each.line: each for each in report.findings if each.id == "name-not-in-text"}
    assert set(got) == {12, 13}
    assert "hold filter edge" in got[12].sentence
    assert "hold policer slow" in got[13].sentence
    assert {each.severity for each in got.values()} == {"warning"}
    assert report.ports[0].rows


def test_a_filter_and_a_policer_beside_others_are_refused_where_nothing_defines_them():
    found = read(FILTERED + FIREWALL, dialect="junos", facts={"buffer_bytes": 2e7})
    assert {each.line: each.lost for each in found.remarks if each.kind == "refused"} == {
        12: "The filter 'edge' is not defined, did you mean 'edges'?",
        13: "The policer 'slow' is not defined, did you mean 'slower'?",
    }
    assert found.ports[0].port is not None
    whole = (FILTERED + FIREWALL).replace("edges", "edge").replace("slower", "slow")
    report = check(whole, dialect="junos", facts={"buffer_bytes": 2e7})
    assert not {each.id for each in report.findings} & {"name-not-in-text", "line-refused"}
    assert [each.interface for each in report.ports] == ["xe-0/0/0", "xe-0/0/0.0"]


PASTED = """\
{master:0}[edit]
me@pe1# show class-of-service forwarding-classes
class voice queue-num 1;
class data queue-num 0;

[edit]
me@pe1# edit class-of-service

[edit class-of-service]
me@pe1# show schedulers
s-voice {
    transmit-rate percent 20;
}
---(more)---
s-data {
    transmit-rate remainder;
}

[edit class-of-service]
me@pe1# show scheduler-maps | no-more
wan {
    forwarding-class voice scheduler s-voice;
    forwarding-class data scheduler s-data;
}

[edit class-of-service]
me@pe1# run show configuration class-of-service interfaces
"""
INTERFACES = "me@pe1> show configuration class-of-service interfaces\n"
INTERFACES += "xe-0/0/0 {\n    scheduler-map wan;\n}\n"


def test_what_a_level_shows_stands_below_that_level():
    pasted = PASTED.replace("me@pe1# run show configuration class-of-service interfaces\n", "")
    found = read(pasted + INTERFACES, facts={"buffer_bytes": 2e7})
    assert not found.remarks
    (configured,) = found.ports
    assert {q.name: q.guaranteed_bps for q in configured.port.queues} == {
        "voice": pytest.approx(2e9), "data": pytest.approx(8e9),
    }  # fmt: skip
    assert (pasted + INTERFACES).split("\n")[configured.line - 1].strip() == "scheduler-map wan;"


def test_a_piece_is_read_as_it_is_and_says_what_is_missing():
    piece = FOUR_CLASSES.partition("    interfaces {")[0]
    piece += "    scheduler-maps {" + FOUR_CLASSES.partition("    scheduler-maps {")[2]
    report = check(piece, facts={"buffer_bytes": 2e7})
    (got,) = [each for each in report.findings if each.id == "piece-without-interface"]
    for name in ("data, voice, video, control", "s-voice", "scheduler map wan"):
        assert name in got.arithmetic
    (port,) = report.ports
    assert (port.interface, port.policy, port.rows) == ("wan", "wan", ())
    assert "for which line rate" in port.missing[0].question
    (port,) = check(piece, facts={"buffer_bytes": 2e7, "line_rate_bps": 1e9}).ports
    assert {row.name for row in port.rows} == {"voice", "video", "control", "data"}


def test_schedulers_alone_are_a_piece_as_well():
    report = check("set class-of-service schedulers s-data transmit-rate percent 40\n")
    nothing, piece = report.findings
    assert (nothing.id, piece.id) == ("nothing-checked", "piece-without-interface")
    assert "Read: scheduler s-data." in piece.arithmetic


def test_the_levels_of_a_statement_are_understood_with_it():
    found = read(FOUR_CLASSES, facts={"buffer_bytes": 2e7})
    assert found.elsewhere == 0
    assert found.understood == len([x for x in FOUR_CLASSES.split("\n") if x.strip(" {}")])
    other = "system {\n    host-name pe1;\n}\n"
    assert read(FOUR_CLASSES + other, facts={"buffer_bytes": 2e7}).elsewhere == 2


def test_each_line_of_a_fix_names_the_scheduler_of_its_class():
    found = read(UNITS, facts={"delay_buffer_s": 0.1})
    checked = CheckedPort(found, found.ports[0], Facts())
    names = "unit 10 best-effort", "unit 20 expedited-forwarding"
    fixes = [
        checked.fixes.limit(checked.group_of(member), member, 9e6)
        for member in checked.members
        if member.name in names
    ]
    # Of an ACX7000 a limit is a shaping rate.
    assert [" ".join(fix.split()[:4]) for fix in fixes] == [
        "set class-of-service schedulers be",
        "set class-of-service schedulers ef",
    ]


def test_what_is_typed_behind_a_text_in_braces_changes_it():
    facts = {"buffer_bytes": 2e7}
    text = FOUR_CLASSES + "set class-of-service schedulers s-video transmit-rate percent 35\n"
    text += "delete class-of-service schedulers s-control buffer-size\n"
    found = read(text, facts=facts)
    queues = {queue.name: queue for queue in found.ports[0].port.queues}
    assert queues["video"].guaranteed_bps == 3.5e9
    origin = found.ports[0].origin("queues['video'].guaranteed_bps")
    assert origin.line == FOUR_CLASSES.count("\n") + 1
    assert found.ports[0].origin("queues['control'].limit.limit_bytes").default


def test_a_classifier_that_each_device_has_is_defined():
    text = FOUR_CLASSES.replace("dscp edge; ieee-802.1", "dscp dscp-default; ieee-802.1")
    found = read(text, facts={"buffer_bytes": 2e7})
    assert not [each for each in found.remarks if each.kind == "refused"]
    assert found.ports[0].port.classifier.queue("EF") == "voice"
    text = text.replace("dscp-default", "dscp-compatibility")
    (said,) = [e for e in read(text, facts={"buffer_bytes": 2e7}).remarks if "built-in" in e.lost]
    assert said.kind == "not modelled"


def test_filters_that_are_not_in_the_text_are_one_finding():
    text = "".join(
        f"set interfaces xe-0/0/{port} unit 0 family inet filter input F{port}\n"
        for port in range(12)
    )
    report = check("set class-of-service interfaces xe-0/0/0 shaping-rate 1g\n" + text)
    (got,) = [each for each in report.findings if each.id == "name-not-in-text"]
    assert got.sentence.startswith("The text does not hold filters F0, F1, F2,")
    assert "F7, 4 more: what it drops" in got.sentence
