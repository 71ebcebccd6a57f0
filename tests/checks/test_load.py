"""What a check says of a load: which TCP runs itself, what 80 % and 120 % carry, what is lost."""

import re
import sys

import pytest

from places import CASES
from qoslib import __main__, telemetry
from qoslib.checks import loads
from qoslib.config import read
from qoslib.findings import check, runs, scenario_of, stand_in
from qoslib.findings.document import document
from qoslib.findings.markdown import markdown
from qoslib.findings.page import page
from qoslib.findings.report_text import loss_text
from qoslib.findings.terminal import terminal
from qoslib.findings.under_load import LOADS
from qoslib.port import SchedulerTree

EDGE = """\
class-map match-any VOICE
 match dscp ef
class-map match-any VIDEO
 match dscp af41
class-map match-any BULK
 match dscp af11
policy-map CHILD
 class VOICE
  priority percent 20
 class VIDEO
  bandwidth percent 30
 class BULK
  bandwidth percent 10
  queue-limit 64 packets
 class class-default
  queue-limit 64 packets
policy-map PARENT
 class class-default
  shape average 50000000
   service-policy CHILD
interface GigabitEthernet0/0/1
 service-policy output PARENT
"""
TOP = """\
policy-map TOP
 class class-default
  shape average 60000000
   service-policy PARENT
"""
STEADY = 'VOICE = "60 calls G.711"\nVIDEO = "5 Mb/s video"\nclass-default = "15 Mb/s"\n'
TCP = STEADY + 'BULK = "2 bulk TCP, 30 ms"\n'
HTB = """\
tc qdisc add dev eth0 root handle 1: htb default 20
tc class add dev eth0 parent 1: classid 1:1 htb rate 50mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 30mbit ceil 50mbit
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 20mbit ceil 50mbit
"""
HTB_LOAD = '"1:10" = "2 TCP, 30 ms"\n"1:20" = "15 Mb/s of 1250 B"\n'
FACTS = {"line_rate_bps": 1e9}


def edge(text=EDGE, facts=FACTS):
    (port,) = read(text, facts=facts).ports
    return port


def sent_mbps(found, ratio):
    return {each.name: each.sent_bps / 1e6 for each in found if each.load_ratio == ratio}


def test_weights_of_classic_ios_are_no_obstacle_to_a_run_of_tcp():
    port = edge("version 15.6\n" + EDGE.replace("GigabitEthernet0/0/1", "GigabitEthernet0/1"))
    assert "packets" in {each.model for each in runs(port, loads(port, TCP), "packets")}


@pytest.mark.parametrize(("marks", "severity"), [("default cs7", "warning"), ("cs7", "error")])
def test_a_lost_packet_is_an_error_where_routing_does_not_wait_with_best_effort(marks, severity):
    text = EDGE.replace(" match dscp af11", f" match dscp {marks}")
    report = check(text, facts=FACTS, traffic='BULK = "60 Mb/s"\nVIDEO = "20 Mb/s"')
    (loss,) = (each for each in report.findings if each.id == "loss")
    assert (loss.severity, loss.sentence.split(" loses")[0]) == (severity, "Class BULK")


@pytest.mark.parametrize(("load", "severity"), [("1 Mb/s", "info"), ("60 Mb/s", "warning")])
def test_a_queue_longer_than_a_target_is_a_warning_where_the_load_fills_it(load, severity):
    traffic = f'BULK = "{load}"\n[targets]\nBULK = "5 ms"'
    report = check(EDGE, facts=FACTS, traffic=traffic)
    (deep,) = (each for each in report.findings if each.id == "queue-deep")
    assert (deep.severity, "its target is 5 ms" in deep.arithmetic) == (severity, True)


SLOW = EDGE.replace("  priority percent 20", "  shape average 64000")
FEW = 'VOICE = "50 kb/s"\nclass-default = "3 Mb/s"\n\n[targets]\n{} = "8 s"\n'


def test_a_class_that_sends_few_packets_in_a_run_meets_no_target(monkeypatch, tmp_path, capsys):
    module = sys.modules["qoslib.findings.modelled"]
    monkeypatch.setattr(module, "SECONDS", 1e-9)
    slow, fast = (
        terminal(check(SLOW, facts=FACTS, traffic=FEW.format(name)))
        for name in ("VOICE", "class-default")
    )
    assert "but a run has only" in slow
    assert "Target met" not in slow
    assert slow.endswith("; no all-clear: 1 question without an answer")
    assert "Target met: the p99 delay of class-default" in fast
    assert "no all-clear" not in fast
    (tmp_path / "slow.cfg").write_text(SLOW)
    facts = [f"--fact={name}={value}" for name, value in FACTS.items()]
    for name, status in (("VOICE", 3), ("class-default", 0)):
        (tmp_path / "load.toml").write_text(FEW.format(name))
        given = [str(tmp_path / "slow.cfg"), "--traffic", str(tmp_path / "load.toml"), *facts]
        assert __main__.main(["check", *given]) == status
    capsys.readouterr()


def test_runs_are_as_long_as_a_slow_class_with_a_target_needs():
    (port,) = check(SLOW, facts=FACTS, traffic=FEW.format("VOICE")).ports
    assert port.met[0].startswith("Target met: the p99 delay of VOICE")
    (voice,) = (run for run in port.runs if (run.name, run.model) == ("VOICE", "packets"))
    # Packets of 1,518 B.
    assert 1000 <= voice.simulated_s * 50e3 / (8 * 1518) < 4000


@pytest.mark.parametrize(
    "changed",
    [
        # Two shapers in a row, and guarantees that voice leaves no room for.
        EDGE.replace("policy-map PARENT", f"{TOP}policy-map PARENT").replace(
            "output PARENT", "output TOP"
        ),
        EDGE.replace("  priority percent 20", "  priority").replace("percent 30", "percent 85"),
    ],
    ids=["two shapers", "no room"],
)
def test_tcp_runs_itself_below_every_tree(changed):
    port = edge(changed)
    given = loads(port, TCP.replace("60 calls", "300 calls"))
    scenario = scenario_of(port, given)
    assert type(scenario.network.scheduler) is SchedulerTree
    assert len(scenario.hosts[0].flows) == 2
    assert stand_in(port, given) == {}


def test_runs_of_a_fast_port_have_enough_pictures_to_carry_their_load():
    text = """\
class-map match-any VIDEO
 match dscp af41
policy-map FAST
 class VIDEO
  bandwidth percent 30
interface TenGigabitEthernet0/1/0
 service-policy output FAST
"""
    report = check(text, traffic='VIDEO = "2 Gb/s video"\nclass-default = "6 Gb/s of 200 B"')
    sent_bps = {(each.name, each.model): each.sent_bps for each in report.ports[0].runs}
    assert sent_bps["VIDEO", "packets"] == pytest.approx(2e9, rel=0.1)


def test_round_trips_and_connections_count_below_a_shaper():
    port = edge(EDGE.replace("queue-limit 64 packets", "queue-limit 16 packets"))
    got = {}
    for bulk in ("1 TCP, 200 ms", "1 TCP, 5 ms", "20 TCP, 200 ms"):
        given = loads(port, STEADY + f'BULK = "{bulk}"')
        assert stand_in(port, given) == {}
        got[bulk] = sent_mbps(runs(port, given, "packets"), 1.0)["BULK"]
    assert got["1 TCP, 200 ms"] < 0.8 * got["1 TCP, 5 ms"]
    assert got["1 TCP, 200 ms"] < 0.8 * got["20 TCP, 200 ms"]


def test_what_of_tcp_is_not_used_stands_next_to_its_class():
    report = check(HTB, traffic=HTB_LOAD.replace("30 ms", "3 s"), facts=FACTS)
    said = "round trip and number of connections not used: 2 TCP, 3 s. A stream that keeps"
    (row,) = [each for each in document(report)["ports"][0]["classes"] if each["tcp_flows"]]
    assert row["tcp_not_used"].startswith(said)
    assert "a round trip of 3 s does not fit" in row["tcp_not_used"]
    assert f"- 1:10: {said}" in markdown(report)
    assert f"<p>1:10: {said}" in page([report])
    shown = terminal(report)
    (number,) = re.findall(r"^1:10 .* 2 TCP \[(\d+)\]", shown, re.MULTILINE)
    assert f"[{number}] {said}" in " ".join(shown.split())
    # Where TCP runs itself nothing is left out.
    for text, load in ((EDGE, TCP), (HTB, HTB_LOAD)):
        report = check(text, traffic=load, facts=FACTS)
        assert not any(row.tcp_not_used for row in report.ports[0].rows)
        assert "not used" not in terminal(report)


def test_more_connections_than_can_be_simulated_have_a_stand_in():
    port = edge(EDGE)
    given = loads(port, 'VOICE = "1 Mb/s"\nBULK = "600 TCP, 5 ms"\nVIDEO = "401 TCP, 5 ms"')
    said = stand_in(port, given)
    assert set(said) == {"BULK", "VIDEO"}
    assert said["BULK"].endswith("as 1,001 connections take too long to simulate.")
    assert scenario_of(port, given).hosts == ()


@pytest.mark.parametrize(
    ("trip", "why"),
    [
        ("60 ms", ""),
        ("400 ms", r"as 100 round trips of 400 ms have more than 4,000,000 packets\.$"),
        ("2 s", r"as a round trip of 2 s does not fit below its first time-out of 1 s\.$"),
    ],
)
def test_a_run_of_too_few_round_trips_has_a_stand_in(trip, why):
    port = edge(
        EDGE.replace("shape average 50000000", "shape average 1900000000"), {"line_rate_bps": 10e9}
    )
    given = loads(port, TCP.replace("30 ms", trip))
    said = stand_in(port, given)
    assert bool(said) == bool(why) == (scenario_of(port, given).hosts == ())
    assert all(re.search(why, text) for text in said.values())


@pytest.mark.parametrize(
    ("text", "traffic", "least"),
    [(HTB, HTB_LOAD, 0.99), (EDGE, TCP, 0.97), (EDGE, TCP.replace("30 ms", "3 s"), 0.99)],
    ids=["HTB", "TCP itself", "its stand-in below a tree"],
)
def test_tcp_takes_what_is_left_at_each_load(text, traffic, least):
    port = edge(text)
    given = loads(port, traffic)
    for model in ("fluid", "packets"):
        found = runs(port, given, model, LOADS)
        for ratio in LOADS:
            assert sum(sent_mbps(found, ratio).values()) == pytest.approx(50, rel=1 - least), model


NO_ROOM = EDGE.replace("bandwidth percent 10", "bandwidth percent 30")
FITS = TCP.replace("15 Mb/s", "20 Mb/s")


def losses(report):
    return [each for each in report.findings if each.id == "loss"]


def applied(text, fix):
    """A text whose first policy has the guarantees of a fix."""
    child, parent = text.split("policy-map PARENT")
    for name, command in re.findall(r" class (\S+)\n  (bandwidth percent \d+)", fix):
        child = re.sub(rf"( class {name}\n)(  bandwidth .*\n)?", rf"\1  {command}\n", child)
    return f"{child}policy-map PARENT{parent}"


def test_a_loss_for_which_tcp_leaves_no_room_says_why_and_what_to_lower():
    (found,) = losses(check(NO_ROOM, traffic=FITS, facts=FACTS))
    assert "It has no guarantee of its own, only its part of the rest (limit" in found.arithmetic
    assert "VOICE 10 Mb/s, VIDEO 15 Mb/s, BULK 15 Mb/s" in found.arithmetic
    assert "the TCP of BULK takes what the others leave" in found.arithmetic
    # 20 Mb/s and 5 % more; 50 - 10 - 15 - 21 are left of the 15 that BULK is guaranteed.
    assert "Guarantee BULK 4 Mb/s instead of 15 Mb/s, class-default 21 Mb/s" in found.arithmetic
    assert "loses more, but the TCP of BULK is slower." in found.arithmetic
    assert found.fix == (
        "policy-map CHILD\n class BULK\n  bandwidth percent 8\n"
        " class class-default\n  bandwidth percent 42"
    )
    assert losses(check(applied(NO_ROOM, found.fix), traffic=FITS, facts=FACTS)) == []


def test_a_loss_that_no_guarantees_could_mend_says_so():
    (found,) = losses(check(NO_ROOM, traffic=FITS.replace("20 Mb/s", "40 Mb/s"), facts=FACTS))
    assert found.fix == ""
    # 10 Mb/s of voice's limit, 5 of video and 40.
    said = "No guarantees carry it: 45 Mb/s of loads and 10 Mb/s of limits of priority are more"
    assert said in found.arithmetic


def test_per_cents_of_classic_ios_are_guarantees_that_leave_no_room():
    text = """\
version 15.7
class-map match-any CALLS
 match dscp ef
class-map match-any ROOMS
 match dscp af41
class-map match-any BOOKS
 match dscp af31
policy-map BRANCH
 class CALLS
  priority percent 20
 class ROOMS
  bandwidth percent 30
 class BOOKS
  bandwidth percent 35
policy-map BRANCH-SHAPED
 class class-default
  shape average 8000000
  service-policy BRANCH
interface GigabitEthernet0/1
 service-policy output BRANCH-SHAPED
"""
    traffic = 'ROOMS = "2 Mb/s"\nBOOKS = "2 Mb/s"\nclass-default = "5 Mb/s"'
    report = check(text, dialect="ios", traffic=traffic)
    loss = next(each for each in report.findings if each.id == "loss")
    # 20 + 30 + 35 per cent are promised: 44 more were read as 1.2 Mb/s of what is left.
    assert "bandwidth percent" not in loss.arithmetic + loss.fix
    assert "ROOMS 2.4 Mb/s, BOOKS 2.8 Mb/s" in loss.arithmetic


def test_a_loss_that_a_lower_priority_would_mend_says_so():
    # 60 calls need 5.23 Mb/s of the 10 that VOICE may take: 5 + 38 + 5.76 Mb/s are below 50.
    (found,) = losses(check(NO_ROOM, traffic=FITS.replace("20 Mb/s", "38 Mb/s"), facts=FACTS))
    said = "No guarantees carry it without a lower priority of VOICE: 43 Mb/s of loads and 10 Mb/s"
    assert said in found.arithmetic


def test_a_loss_on_which_the_models_differ_has_both_figures():
    report = check(
        EDGE,
        traffic=f'{TCP}class-default = ["30 Mb/s", "90 TCP, 9 ms"]'.replace(
            'class-default = "15 Mb/s"\n', ""
        ),
        facts=FACTS,
    )
    (found,) = losses(report)
    fluid, packets = [run for run in report.ports[0].runs if run.name == "class-default"]
    assert packets.drop.low - fluid.drop_ratio > 0.02
    assert found.sentence == f"Class class-default loses {loss_text(packets)} of its offered load."
    assert f"In the fluid model it loses {loss_text(fluid)}." in found.arithmetic


@pytest.mark.parametrize(
    ("name", "old", "new", "by", "line"),
    [
        ("VOICE", "match dscp ef", "match dcsp ef", "class-default", 2),
        ("VOICE", " match dscp ef\n", "", "class-default", 1),
        ("BULK", "match dscp af11", "match dscp af41", "VIDEO", 12),
    ],
)
def test_what_is_sent_to_a_class_that_no_packet_is_in_goes_where_the_device_puts_it(
    name, old, new, by, line
):
    traffic = STEADY.replace('"15', '"60') + 'BULK = "3 Mb/s"\n'
    report = check(EDGE.replace(old, new), traffic=traffic, facts=FACTS)
    (port,) = report.ports
    for model, apart in (("fluid", 1e-6), ("packets", 0.02)):
        lost = {run.name: run.drop_ratio for run in port.runs if run.model == model}
        assert lost[name] == pytest.approx(lost[by], abs=apart)
    said = f"{name}: line {line} leaves no packet in this class."
    assert port.met[0].startswith(said)
    assert all(said in " ".join(show(report).split()) for show in (terminal, markdown))
    assert name not in "".join(check(EDGE, traffic=traffic, facts=FACTS).ports[0].met)
    # Of two texts each has the loads where it puts them.
    if by == "class-default":
        (change,) = [
            each
            for each in check(
                EDGE.replace(old, new), traffic=traffic, facts=FACTS, against=EDGE
            ).changes
            if each.name == name
        ]
        assert change.drop_before_ratio == 0.0
        assert change.drop_after_ratio > 0.3


def test_the_fix_of_a_second_class_keeps_the_load_of_the_first():
    traffic = TCP.replace("5 Mb/s video", "24 Mb/s video")
    first, second = losses(check(EDGE, traffic=traffic, facts=FACTS))
    assert " class VIDEO\n" in first.fix
    assert second.fix == ""
    assert "The fix of VIDEO leaves no room for more." in second.arithmetic
    (left,) = losses(check(applied(EDGE, first.fix), traffic=traffic, facts=FACTS))
    assert "Class class-default loses" in left.sentence


SHOWN = """\
GigabitEthernet0/0/1
  Service-policy output: PARENT
    Class-map: class-default (match-any)
      380000 packets, 99480000 bytes
      Service-policy : CHILD
        Class-map: VOICE (match-any)
          360000 packets, 78480000 bytes
          5 minute offered rate 4360000 bps, drop rate 0000 bps
        Class-map: VIDEO (match-any)
          10000 packets, 14000000 bytes
          5 minute offered rate 5000000 bps, drop rate 0000 bps
        Class-map: BULK (match-any)
          0 packets, 0 bytes
          5 minute offered rate 0000 bps, drop rate 0000 bps
        Class-map: class-default (match-any)
          10000 packets, 7000000 bytes
          5 minute offered rate 9000000 bps, drop rate 0000 bps
"""


@pytest.mark.parametrize(
    ("traffic", "sizes"),
    [
        (None, {"VOICE": 218, "VIDEO": 1400, "BULK": 1518, "class-default": 700}),
        # Words that say a size, or imply one, count before the counters.
        (
            'VOICE = "50 calls G.729"\nVIDEO = "5 Mb/s"\nBULK = "2 TCP, 9 ms"\n'
            'class-default = "9 Mb/s of 400 B"\n',
            {"VOICE": 78, "VIDEO": 1400, "BULK": 1518, "class-default": 400},
        ),
    ],
    ids=["counters alone", "words as well"],
)
def test_a_full_queue_has_the_packets_of_its_class(tmp_path, traffic, sizes):
    (tmp_path / "shown.txt").write_text(SHOWN)
    measured = telemetry.read(tmp_path / "shown.txt")
    report = check(EDGE, traffic=traffic, facts=FACTS, measured=measured)
    for row in report.ports[0].rows:
        assert f" packets of {sizes[row.name]:,} B at " in row.queue.why, row.name
    video = next(row for row in report.ports[0].rows if row.name == "VIDEO")
    assert "packets of 1,400 B on average, as the device counted" in video.offered.why
    # 512 packets of this size at the shaper's rate.
    (voice, *_) = report.ports[0].rows
    assert voice.queue.value == pytest.approx(512 * sizes["VOICE"] * 8 / 50e6)


def test_what_is_measured_beside_tcp_is_compared_with_both_models(tmp_path):
    (tmp_path / "shown.txt").write_text(SHOWN)
    measured = telemetry.read(tmp_path / "shown.txt")
    report = check(EDGE, traffic=TCP, facts=FACTS, measured=measured)
    assert not any("model:" in line for line in report.measured)
    assert "Not compared: BULK, which carries TCP." in report.measured
    assert (
        "For this comparison a stream that keeps its queue busy stands for TCP." in report.measured
    )


def against(old, new=EDGE, traffic=TCP):
    return check(new, traffic=traffic, facts=FACTS, against=old)


def test_two_configurations_that_do_the_same_are_said_to_do_so():
    said = {
        EDGE: "Nothing differs: all lines on quality of service are the same.",
        EDGE.replace("match dscp ef", "match ip dscp ef"): "No class gains or loses anything: each",
        "": "Nothing to compare: the older configuration has no port with queues.",
        "hostname a\n": "Nothing to compare: the older configuration has no port with queues.",
    }
    for old, sentence in said.items():
        report = against(old, traffic=STEADY)
        assert report.changes == ()
        assert report.unchanged.startswith(sentence)
        assert document(report)["unchanged"] == report.unchanged
        for text in (terminal(report), markdown(report), page([report])):
            _, _, after = " ".join(text.split()).partition("Against the older configuration")
            assert sentence in after
    assert "Against" not in terminal(check(EDGE, facts=FACTS))


def test_against_has_the_delays_of_both_under_the_given_load():
    old = EDGE.replace(
        "bandwidth percent 10\n  queue-limit 64", "bandwidth percent 10\n  queue-limit 640"
    )
    report = against(old)
    (bulk,) = [each for each in report.changes if each.name == "BULK"]
    (run,) = [
        each for each in report.ports[0].runs if (each.name, each.model) == ("BULK", "packets")
    ]
    assert bulk.delay_p99_after_s == run.delay_p99_s
    assert bulk.delay_p99_before_s > 3 * bulk.delay_p99_after_s
    assert re.search(r"; its p99 delay is \S+ (±\S+ )?ms instead of \S+ (±\S+ )?ms\.$", bulk.text)


def test_the_load_of_a_new_class_went_with_the_rest_before():
    old = EDGE.replace(" class BULK\n  bandwidth percent 10\n  queue-limit 64 packets\n", "")
    texts = {each.name: each.text for each in against(old).changes}
    assert texts["BULK"].startswith("BULK is new")
    assert "its p99 delay is" in texts["VIDEO"]


def test_of_one_connection_beside_a_stream_the_loss_is_that_of_the_stream():
    text = "policy-map P\n class class-default\n  shape average 50000000\n"
    text += "interface GigabitEthernet0/0\n service-policy output P\n"
    port = edge(text)
    lost = []
    for flows in (1, 2):
        given = loads(port, f'class-default = ["20 Mb/s", "{flows} TCP, 20 ms"]')
        (each,) = runs(port, given, "packets")
        lost.append(each.drop_ratio)
    assert all(0 < share < 0.1 for share in lost)


def test_a_class_that_drops_loses_all_and_no_guarantee_is_its_fix():
    folder = CASES / "ios-xe"
    text = (folder / "class_that_drops.conf").read_text()
    report = check(text, traffic='SHARING = "5 Mb/s"\nclass-default = "20 Mb/s"')
    (loss,) = losses(report)
    assert loss.sentence == "Class SHARING loses 100 % of its offered load."
    assert loss.fix == ""
    assert "All its packets are dropped" in loss.arithmetic
    (row,) = (each for each in report.ports[0].rows if each.name == "SHARING")
    assert (row.minimum.text, row.maximum.text, row.queue.text) == ("0", "0", "-")
    assert "all its packets are dropped; line 10" in row.maximum.why


SHARED = """\
class-map match-any ORDERS
 match dscp af21
class-map match-any MAIL
 match dscp af11
class-map match-any FILES
 match dscp af12
policy-map EDGE
 class ORDERS
  bandwidth percent 20
 class MAIL
  set dscp af11
 class FILES
  set dscp af12
 class class-default
  bandwidth percent 40
interface GigabitEthernet0/0/1
 speed 100
 service-policy output EDGE
"""


def test_classes_in_one_queue_are_promised_its_minimum_together():
    # The queue of class-default is sure of 40 + 40 / 2 = 60 Mb/s, and is sent 120 Mb/s.
    sent = 'ORDERS = "10 Mb/s"\nMAIL = "45 Mb/s"\nFILES = "40 Mb/s"\nclass-default = "35 Mb/s"\n'
    lost = {
        each.sentence.split()[1]: each
        for each in check(SHARED, traffic=sent).findings
        if each.id == "loss"
    }
    assert {name: each.severity for name, each in lost.items()} == dict.fromkeys(
        ("MAIL", "FILES", "class-default"), "warning"
    )
    assert "60 Mb/s (together with FILES and class-default) promised" in lost["MAIL"].arithmetic
    assert "130 Mb/s of loads are more than 100 Mb/s" in lost["class-default"].arithmetic


def test_a_share_of_a_minimum_needs_a_queue_of_ones_own():
    with pytest.raises(ValueError, match=r"line 1: .* other classes wait in its queue"):
        loads(edge(SHARED, None), 'MAIL = "80 % of its minimum"')
    assert loads(edge(SHARED, None), 'ORDERS = "its minimum"')[0].rate_bps == pytest.approx(40e6)


def test_a_class_with_a_queue_of_its_own_gains_a_minimum():
    own = SHARED.replace("  set dscp af11", "  bandwidth percent 10")
    texts = {each.name: each.text for each in check(own, against=SHARED).changes}
    assert "MAIL: its minimum rises from 0 to 20 Mb/s" in texts["MAIL"]
    assert "minimum" not in texts["FILES"]


def test_no_guarantee_is_advised_above_a_limit_of_the_class():
    classes = ("", 1, 60, 60), (1, 10, 15, 25), (1, 20, 15, 25), (1, 30, 30, 60)
    made = "tc class add dev eth0 parent 1:{} classid 1:{} htb rate {}mbit ceil {}mbit"
    text = "\n".join(made.format(*each) for each in classes)
    report = check(
        f"tc qdisc add dev eth0 root handle 1: htb default 30\n{text}\n",
        facts={"line_rate_bps": 1e9},
        traffic='"1:10" = "28 Mb/s"\n"1:20" = "10 Mb/s"\n"1:30" = "20 Mb/s"',
    )
    (found,) = [each for each in report.findings if each.id == "loss"]
    assert "Its own limit of 25 Mb/s is below its load" in found.arithmetic
    assert "Guarantee" not in found.arithmetic
    assert not found.fix
