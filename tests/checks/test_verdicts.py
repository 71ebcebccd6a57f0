"""A check never reassures wrongly: its verdicts against theory and against far longer runs."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qoslib.checks import loads
from qoslib.config import read
from qoslib.findings import check
from qoslib.findings.class_runs import LEAST_LOSS
from qoslib.findings.under_load import runs, scenario_of
from qoslib.front import run as run_scenario
from qoslib.front.replications import phased
from qoslib.front.settling import congested
from soak import many

pytestmark = pytest.mark.soak

PRIORITIES = """\
set class-of-service forwarding-classes class BE queue-num 0
set class-of-service forwarding-classes class EF queue-num 1
set class-of-service forwarding-classes class AF queue-num 2
set class-of-service forwarding-classes class NC queue-num 3
set class-of-service classifiers dscp IN forwarding-class EF loss-priority low code-points ef
set class-of-service classifiers dscp IN forwarding-class AF loss-priority low code-points af31
set class-of-service classifiers dscp IN forwarding-class NC loss-priority low code-points cs6
set class-of-service schedulers EF transmit-rate percent 20
set class-of-service schedulers EF priority strict-high
set class-of-service schedulers AF transmit-rate percent 40
set class-of-service schedulers AF buffer-size percent 20
set class-of-service schedulers NC transmit-rate percent 5
set class-of-service schedulers BE transmit-rate percent 35
set class-of-service scheduler-maps CORE forwarding-class EF scheduler EF
set class-of-service scheduler-maps CORE forwarding-class AF scheduler AF
set class-of-service scheduler-maps CORE forwarding-class NC scheduler NC
set class-of-service scheduler-maps CORE forwarding-class BE scheduler BE
set class-of-service traffic-control-profiles SITE scheduler-map CORE
set class-of-service traffic-control-profiles SITE shaping-rate 2g
set class-of-service interfaces xe-1/0/0 output-traffic-control-profile SITE
set interfaces xe-1/0/0 speed 10g
"""
OVERLOAD = """\
EF = "300 Mb/s of 220 B"
AF = "900 Mb/s of 900 B"
NC = "20 Mb/s of 200 B"
BE = "1.6 Gb/s of IMIX"
[targets]
EF = "2 ms"
BE = "50 ms"
"""
MEMORY = {"platform": "mpc", "delay_buffer_s": 0.1}


#: No shaper: two connections fill the link and the queue, also beside calls of high priority.
DOWNLOADS = """\
class-map match-any CALLS
 match dscp ef
policy-map CORE
 class CALLS
  priority percent 20
interface GigabitEthernet0/0/1
 speed 1000
 service-policy output CORE
"""


def packets(report):
    (port,) = report.ports
    return {run.name: run for run in port.runs if run.model == "packets" and run.load_ratio == 1}


@pytest.mark.parametrize("calls", [0, 200])
def test_a_long_tcp_fills_a_port_without_a_shaper_and_misses_a_short_target(calls):
    sent = f'CALLS = "{calls} calls G.711"\n' if calls else ""
    sent += 'class-default = "2 bulk TCP, 20 ms"\n[targets]\nclass-default = "20 ms"'
    report = check(DOWNLOADS, traffic=sent)
    bulk = packets(report)["class-default"]
    assert bulk.sent_bps > 0.95e9
    # 4,166 packets of 1,518 B last for 50 ms at 1 Gb/s.
    assert 0.03 < bulk.delay_p99_s < 0.052
    assert [each.id for each in report.findings if each.severity == "error"] == ["delay-target"]
    assert report.ports[0].met == ()


def test_a_shaper_whose_burst_and_queues_hide_an_overload_for_a_while_is_run_on():
    report = check(PRIORITIES, traffic=OVERLOAD, facts=MEMORY)
    got = packets(report)
    # 2,000 - 300 - 20 - 900 leave 780 of 1,600 Mb/s.
    assert got["BE"].drop_ratio == pytest.approx(1 - 780 / 1600, abs=0.02)
    assert sum(run.sent_bps for run in got.values()) == pytest.approx(2e9, rel=0.005)
    assert any(each.id == "loss" and "Class BE" in each.sentence for each in report.findings)
    assert not any("Target met" in said and "BE" in said for said in report.ports[0].met)


def test_at_100_gbps_an_overload_is_found_although_the_memory_hides_it_at_first():
    """The first 6 ms lose nothing; with jumbo frames a run that goes on takes a few seconds."""
    text = PRIORITIES.replace("shaping-rate 2g", "shaping-rate 100g").replace("10g", "100g")
    text += "set class-of-service schedulers AF priority medium-high\n"
    load = {"EF": "15 Gb/s of 1500 B", "AF": "55 Gb/s of 9000 B", "NC": "1 Gb/s of 1500 B"}
    load |= {"BE": "75 Gb/s of 9000 B"}
    traffic = "".join(f'{name} = "{words}"\n' for name, words in load.items())
    report = check(text, traffic=traffic, facts=MEMORY | {"delay_buffer_s": 0.01})
    got = packets(report)
    # AF comes before BE: 100 - 15 - 1 - its 40, and BE's 35, leave it 9.
    sent = {name: run.sent_bps / 1e9 for name, run in got.items()}
    assert sent == pytest.approx({"EF": 15, "AF": 49, "NC": 1, "BE": 35}, abs=0.5)
    assert got["BE"].drop_ratio == pytest.approx(1 - 35 / 75, abs=0.01)
    losses = [each.sentence for each in report.findings if each.id == "loss"]
    assert any(said.startswith("Class BE loses 53") for said in losses)
    assert not any("BE" in said for said in report.ports[0].met)


ONE = """\
policy-map ONE
 class class-default
  {command}
interface GigabitEthernet0/0
 speed {speed}
 service-policy output ONE
"""


@pytest.mark.parametrize(
    ("command", "speed", "traffic", "lost", "cause"),
    [
        # 22 packets of a picture, 10 of which fit; one more leaves while they come.
        (
            "bandwidth percent 90\n  queue-limit 10 packets",
            10,
            "6 Mb/s video at 25/s",
            (0.40, 0.55),
            "do not fit into the queue",
        ),
        # A policer of one frame at a load of 100 %: Poisson arrivals conform with 1 / 2.
        (
            "police 5000000 1500 conform-action transmit exceed-action drop",
            100,
            "5 Mb/s of 1500 B",
            (0.48, 0.52),
            "exceed what the policer lets through",
        ),
    ],
)
def test_bursts_that_are_dropped_are_found(command, speed, traffic, lost, cause):
    text = ONE.format(command=command, speed=speed)
    report = check(text, traffic=f'class-default = "{traffic}"')
    (got,) = packets(report).values()
    assert lost[0] < got.drop_ratio < lost[1]
    (fluid,) = (run for run in report.ports[0].runs if run.model == "fluid")
    assert fluid.drop_ratio < LEAST_LOSS
    (loss,) = (each for each in report.findings if each.id == "loss")
    assert loss.severity == "error"
    assert cause in loss.arithmetic
    if loss.fix:
        mended = check(f"{text}{loss.fix}\n", traffic=f'class-default = "{traffic}"')
        assert not [each for each in mended.findings if each.id == "loss"]


def test_a_p99_delay_of_short_runs_is_too_low_to_meet_a_target():
    """At 92 % of a slow shaper few packets of a run of 1,000 wait long, and most runs have none."""
    text = ONE.format(command="shape average 64000", speed=100)
    traffic = 'class-default = "59 kb/s of 1000 B"'
    port = read(text).ports[0]
    scenario = scenario_of(port, loads(port, traffic))
    longer = scenario.replace(duration_s=2e5, warmup_s=1e3)
    p99_s = run_scenario(longer)["class-default"].delay_p99_s

    def met(target_s):
        given = f'{traffic}\n[targets]\nclass-default = "{target_s:.3f} s"'
        return any("Target met" in said for said in check(text, traffic=given).ports[0].met)

    assert [met(share * p99_s) for share in (0.9, 0.95, 0.98, 2.0)] == [False, False, False, True]


SITE = """\
class-map match-any VIDEO
 match dscp af41
policy-map CHILD
 class VIDEO
  bandwidth percent 40
  queue-limit {limit} packets
 class class-default
  bandwidth percent 40
policy-map PARENT
 class class-default
  shape average 40000000
  service-policy CHILD
interface GigabitEthernet0/0/0
 service-policy output PARENT
"""


def test_against_compares_what_packets_lose_not_what_means_do():
    traffic = 'VIDEO = "15 Mb/s video at 25/s"\nclass-default = "40 Mb/s of IMIX"'
    traffic += '\n[targets]\nVIDEO = "40 ms"'
    report = check(SITE.format(limit=40), traffic=traffic, against=SITE.format(limit=200))
    # A picture has 75,000 B, which are 54 packets.
    (change,) = (each for each in report.changes if each.name == "VIDEO")
    got = packets(report)["VIDEO"]
    assert change.drop_before_ratio < LEAST_LOSS
    assert change.drop_after_ratio == got.drop_ratio > 0.1
    assert change.worse
    (said,) = report.ports[0].met
    assert said.startswith("Target kept only by the packets that get through: the p99 delay")


LLQ = """\
class-map match-any VOICE
 match dscp ef
class-map match-any DATA
 match dscp af21
policy-map CHILD
 class VOICE
  priority 2000
 class DATA
  bandwidth 3000
 class class-default
policy-map PARENT
 class class-default
  shape average 10000000
  service-policy CHILD
interface GigabitEthernet0/0
 speed 100
 service-policy output PARENT
"""


def test_a_priority_queue_that_is_sent_too_much_gets_its_limit_and_the_others_the_rest():
    traffic = 'VOICE = "3 Mb/s of 200 B"\nDATA = "12 Mb/s"\nclass-default = "12 Mb/s"'
    report = check(LLQ, traffic=traffic)
    sent = {name: run.sent_bps / 1e6 for name, run in packets(report).items()}
    # 2; 3 and half of the 5 that nobody is promised; the other half.
    assert sent == pytest.approx({"VOICE": 2, "DATA": 5.5, "class-default": 2.5}, rel=0.01)
    losses = [each for each in report.findings if each.id == "loss"]
    assert {each.model for each in losses} == {"packets"}
    assert any("Class DATA loses 54" in each.sentence for each in losses)
    assert any(each.id == "priority-below-load" for each in report.findings)


HTB = """\
tc qdisc add dev eth0 root handle 1: htb default 30
tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 2mbit ceil 10mbit prio 0
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 3mbit ceil 10mbit prio 1
tc class add dev eth0 parent 1:1 classid 1:30 htb rate 1mbit ceil 4mbit prio 1
"""
HTB += "".join(f"tc qdisc add dev eth0 parent 1:{n} pfifo limit 100\n" for n in (10, 20, 30))
HTB += "".join(
    f"tc filter add dev eth0 parent 1: protocol ip u32 match ip dsfield {mark} flowid 1:{n}\n"
    for n, mark in ((10, "0xb8 0xfc"), (20, "0x48 0xfc"))
)


@pytest.mark.parametrize(
    ("offered_mbps", "sent_mbps"),
    [
        # What a Linux kernel sent. The excess by quantum, 3 : 1, would be 3, 5.25 and 1.75.
        ((3, 20, 20), (2.97, 5.65, 1.36)),
        # All of the excess of 4 goes to prio 0.
        ((20, 20, 20), (6, 3, 1)),
    ],
    ids=["a kernel", "prio 0 first"],
)
def test_what_classes_of_htb_borrow_is_within_three_per_cent_of_the_line(offered_mbps, sent_mbps):
    names = ("1:10", "1:20", "1:30")
    load = zip(names, offered_mbps, strict=True)
    traffic = "".join(f'"{name}" = "{rate} Mb/s of 1500 B"\n' for name, rate in load)
    got = packets(check(HTB, traffic=traffic, facts={"line_rate_bps": 10e6}))
    sent = [got[name].sent_bps / 1e6 for name in names]
    assert sent == pytest.approx(sent_mbps, abs=0.03 * 10)


def random_port(seed):
    """A policy, what is sent, and its targets."""
    draws = Random(seed)
    line = draws.choice([10, 100, 1000])
    shaped = line * draws.choice([0.2, 0.5, 0.9]) * 1e6
    per_cent = [draws.randint(5, 30) for _ in range(3)]
    limit = [draws.choice([8, 30, 64, 300]) for _ in range(3)]
    dropper = draws.choice(["", "  random-detect dscp-based\n"])
    maps = "".join(
        f"class-map match-any {name}\n match dscp {mark}\n"
        for name, mark in (("VOICE", "ef"), ("VIDEO", "af41"), ("DATA", "af21"))
    )
    text = f"""{maps}policy-map CHILD
 class VOICE
  priority percent {per_cent[0]}
 class VIDEO
  bandwidth percent {per_cent[1]}
  queue-limit {limit[1]} packets
 class DATA
  bandwidth percent {per_cent[2]}
{dropper} class class-default
  queue-limit {limit[2]} packets
policy-map PARENT
 class class-default
  shape average {shaped:.0f}
  service-policy CHILD
interface GigabitEthernet0/0
 speed {line}
 service-policy output PARENT
"""
    mbps = shaped / 1e6
    part = [draws.choice([0.3, 0.8, 0.97, 1.0, 1.3]) for _ in range(3)]
    rate = [mbps * share * most / 100 for share, most in zip(part, per_cent, strict=True)]
    rest = mbps * draws.choice([0.05, 0.3, 0.6])
    kind = draws.choice(["of IMIX", "of 1500 B", "video at 25/s"])
    sent = f"""VOICE = "{rate[0]:.3f} Mb/s of 200 B"
VIDEO = "{rate[1]:.3f} Mb/s video at 25/s"
DATA = "{rate[2]:.3f} Mb/s of IMIX"
class-default = "{rest:.3f} Mb/s {kind}"
[targets]
VOICE = "{draws.choice([1, 5, 20])} ms"
VIDEO = "{draws.choice([10, 40, 150])} ms"
DATA = "{draws.choice([20, 100, 400])} ms"
class-default = "{draws.choice([20, 100, 400])} ms"
"""
    return text, sent


@many(10)
@given(st.integers(0, 10**6))
def test_no_target_is_met_that_a_run_a_hundred_times_as_long_misses(seed):
    text, sent = random_port(seed)
    (port,) = read(text).ports
    given_loads = loads(port, sent)
    got = {run.name: run for run in runs(port, given_loads, "packets")}
    if any(run.changing for run in got.values()):
        return
    once_s = next(iter(got.values())).simulated_s
    scenario = congested(scenario_of(port, given_loads))
    warmup_s = scenario.duration_s
    long = [
        run_scenario(
            phased(
                scenario.replace(duration_s=warmup_s + 10 * once_s, warmup_s=warmup_s, seed=other),
                other,
            )
        )
        for other in range(seed + 1000, seed + 1010)
    ]
    for load in given_loads:
        run, name = got[load.name], load.streams[0].name
        lost = sum(of[name].drop_ratio for of in long) / 10
        delay_s = sum(of[name].delay_p99_s for of in long) / 10
        if run.delay_p99.high <= load.target_s:
            assert delay_s <= load.target_s + run.delay_p99.half_width, (seed, load.name)
        if run.drop_ratio < LEAST_LOSS:
            assert lost <= LEAST_LOSS + 2 * run.drop.half_width, (seed, load.name)
        else:
            apart = abs(lost - run.drop_ratio)
            assert apart <= 3 * run.drop.half_width + LEAST_LOSS, (seed, load.name)
        assert math.isfinite(run.delay_p99_s)


def test_a_target_is_not_asked_of_ports_that_nothing_is_sent_to():
    text = "".join(f"tc qdisc add dev eth{n} root pfifo limit 100\n" for n in range(3))
    traffic = '[eth0]\npfifo = "5 Mb/s"\n[targets]\npfifo = "20 ms"'
    report = check(text, facts={"line_rate_bps": 1e7}, traffic=traffic)
    assert [len(port.met) for port in report.ports] == [1, 0, 0]
    assert report.ports[0].met[0].startswith("Target met")
    assert not report.doubts


def test_a_text_that_ends_in_the_middle_of_a_word_gives_no_all_clear():
    text = "class-map match-any CALLS\n match dscp ef\npolicy-map UP\n class CALLS\n"
    text += "  priority percent 10\n class class-default\n  bandwi"
    cut = check(text, dialect="ios", facts={"line_rate_bps": 1e8})
    assert cut.doubts == (
        "The text seems to be cut off at line 7: what follows may change what classes get.",
    )
    # A line that is ended is a slip, and one that is understood may be the last one of a piece.
    for whole in (f"{text}\n", text.replace("bandwi", "bandwidth percent 20")):
        assert not check(whole, dialect="ios", facts={"line_rate_bps": 1e8}).doubts
