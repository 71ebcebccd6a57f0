"""Every rule finds what it is for, and is silent where all is well."""

import pytest

import places
from edges import LIMIT, edge
from qoslib.checks import RULES, findings, loads, silenced
from qoslib.checks.rule import Finding
from qoslib.checks.runner import in_order
from qoslib.config import (
    Configuration,
    ConfiguredClass,
    ConfiguredPort,
    Facts,
    Origin,
    Remark,
    Statement,
    read,
    write,
)
from qoslib.config.amounts import rate_text, share_text, time_text, value_text
from qoslib.platforms.trees import htb, ios_xe
from qoslib.port import (
    ByteLimit,
    Classifier,
    Codel,
    HierarchicalTokenBucket,
    Node,
    PacketLimit,
    Policer,
    Port,
    PriorityLevels,
    Queue,
    Red,
    RedProfile,
    SchedulerTree,
    Shaper,
    StrictPriority,
)

SHAPE = "set dscp ef"
FILTER = """
firewall {
    policer P { if-exceeding { bandwidth-limit 10m; burst-size-limit 250k; } then discard; }
    family inet {
        filter police {
            term voice { from { dscp ef; } then { policer P; accept; } }
            term web { from { protocol tcp; } then accept; }
            REST
        }
    }
}
interfaces { ge-0/0/0 { unit 0 { family inet { filter { output police; } } } } }
"""


#: A whole configuration, in which each slip of the pen is one word.
POLICY_TEXT = """\
class-map match-any VIDEO
 match dscp af41
 match dscp af42
policy-map WAN
 class VIDEO
  bandwidth percent 30
 class class-default
  shape average 50000000
interface GigabitEthernet0/0/1
 service-policy output WAN
"""
#: A class below best effort that has more than it.
SCAVENGER = """\
class-map match-any BULK
 match dscp cs1
 match dscp 1
policy-map WAN
 class BULK
  bandwidth remaining percent 60
 class class-default
  bandwidth remaining percent 40
interface GigabitEthernet0/0/1
 service-policy output WAN
"""
SHAPED_AND_POLICED = "shape average 9000000\n  police 9000000"
EMPTY = "random-detect dscp-based\n  random-detect dscp af41 0 40 10"
TINY = "random-detect dscp af41 1 2 1"
#: Two classes of one level of priority.
LLQS = """\
class-map match-any CALLS
 match dscp ef
class-map match-any VIDEO
 match dscp af41
policy-map WAN
 class CALLS
  priority percent 10
 class VIDEO
  priority percent 20
interface GigabitEthernet0/0/1
 service-policy output WAN
"""
TC_PROTOCOL = "tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip protocol"
TC_TEXT = """\
tc qdisc add dev eth0 root handle 1: htb default 20
tc class add dev eth0 parent 1: classid 1:10 htb rate 20mbit ceil 50mbit
tc class add dev eth0 parent 1: classid 1:20 htb rate 5mbit ceil 50mbit
tc qdisc add dev eth0 parent 1:20 handle 20: pfifo limit 100
"""
JUNOS_INTERFACE = "set class-of-service interfaces xe-0/0/0 scheduler-map wan\n"
JUNOS_TEXT = f"""\
set class-of-service forwarding-classes class voice queue-num 1
set class-of-service schedulers s-voice transmit-rate percent 40
set class-of-service scheduler-maps wan forwarding-class voice scheduler s-voice
{JUNOS_INTERFACE}"""
JUNOS_FILTERED = "set interfaces xe-0/0/0 unit 0 family inet filter input edge\n"
TC_FILTER = "tc filter add dev eth0 parent 1: u32 match ip dsfield 0xb8 0xfc flowid 1:10\n"


def found(
    name, configured=None, text=None, facts=None, dialect="ios-xe", statements=(), text_of=None
):
    """What one rule finds at a port; `text` is traffic.toml, `text_of` a configuration."""
    if text_of:
        return findings(read(text_of, facts=facts), facts=Facts(facts), rules=[name])
    ports = (configured,) if configured else ()
    configuration = Configuration(dialect, ports, statements=statements, lines=30)
    sent = {0: loads(configured, text)} if configured and text else None
    return findings(configuration, sent, Facts(facts), [name])


def changed(at, **changes):
    """The edge with one queue changed: 0 VOICE, 1 VIDEO, 2 class-default."""
    queues = list(edge().port.queues)
    queues[at] = queues[at].replace(**changes)
    return edge(queues=tuple(queues))


def marked(at, *marks):
    """The edge with other marks of one class."""
    classes = list(edge().classes)
    classes[at] = classes[at].replace(marks=marks)
    configured = edge()
    rules = tuple((m, c.queue) for c in classes for m in c.marks if m != "the rest")
    port = configured.port.replace(classifier=Classifier(rules, "class-default"))
    return configured.replace(classes=tuple(classes), port=port)


def early(mark):
    """The edge with WRED in VIDEO, which has one mark."""
    configured = marked(1, mark)
    queues = list(configured.port.queues)
    queues[1] = queues[1].replace(dropper=WRED)
    return configured.replace(port=configured.port.replace(queues=tuple(queues)))


def unshaped():
    """The edge without the parent's shaper, on a line of 1 Gb/s."""
    port = edge().port
    nodes = tuple(node.replace(shaper=None) for node in port.scheduler.nodes)
    return edge(scheduler=SchedulerTree(nodes, 2))


def below_shaper():
    """Two classes below a shaper, of which one may take all of it, and one beside the shaper."""
    queues = (
        ios_xe(Queue("V", LIMIT), priority_level=1),
        ios_xe(Queue("D", LIMIT)),
        ios_xe(Queue("E", LIMIT)),
    )
    nodes = (Node("site", ("V", "D"), shaper=Shaper(5e6, 9000)), Node("all", ("site", "E")))
    port = Port("out", 1e9, queues, SchedulerTree(nodes, 2))
    classes = tuple(ConfiguredClass(q.name, q.name, line=i) for i, q in enumerate(queues, 1))
    return ConfiguredPort("x", "out", port, classes)


def said(*lines):
    """Statements, each (line, text, *parents)."""
    return tuple(Statement(line, text, parents) for line, text, *parents in lines)


LOSSLESS = """\
policy-map type qos FROM-HOSTS
  class class-default
    set qos-group 3
policy-map type network-qos FABRIC
  class type network-qos c-8q-nq3
    pause pfc-cos 3
system qos
  service-policy type network-qos FABRIC
"""
BANDWIDTH = said((19, "bandwidth 50000", "interface Gi0/0/1"))
LOAD = 'VOICE = "40 calls G.711"\nVIDEO = "12 Mb/s video"\nclass-default = "bulk TCP, 20 ms"'
#: Bursts of 250 kB for TCP at 10 Mb/s and 20 ms: 25 kB are enough.
POLICED = Policer(10e6, 250_000)
WRED = Red(RedProfile(20, 40), (("AF21", RedProfile(32, 40)), ("AF22", RedProfile(28, 40))))
INVERTED = Red(RedProfile(20, 40), (("AF21", RedProfile(24, 40)), ("AF22", RedProfile(28, 40))))
TOO_MUCH = "policy-map EDGE\n class A\n  bandwidth percent 60\n class B\n  priority percent 50\n"
REMAINING = TOO_MUCH.replace("priority", "bandwidth").replace("width ", "width remaining ")
FITS = TOO_MUCH.replace("50", "40")
POLICY = said(
    (1, "policy-map EDGE"), (2, "policy-map OLD"), (9, "service-policy output OLD", "interface Gi1")
)
ATTACHED = POLICY + said((9, "service-policy output EDGE", "interface Gi0/0/1"))
CLASS = said((1, "class-map match-any VOICE"))
USED = CLASS + said((4, "class VOICE", "policy-map EDGE"))
JUNOS = said(
    (1, "scheduler BEST", "class-of-service", "scheduler-maps EDGE"),
    (4, "scheduler-map OTHER;", "class-of-service", "interfaces ge-0/0/0"),
)
MAP = JUNOS + said((4, "scheduler-map EDGE;", "class-of-service", "interfaces ge-0/0/1"))
FIREWALL = ("firewall", "family inet", "filter police", "term voice")
POLICED_OUT = said(
    (6, "dscp ef", *FIREWALL, "from"),
    (7, "policer P", *FIREWALL, "then"),
    (9, "output police", "interfaces", "ge-0/0/0", "unit 0", "family inet", "filter"),
)
TAKEN = said((8, "then accept", *FIREWALL[:3], "term rest"))
QUEUES = edge().port.queues

#: Rule -> (arguments of what it finds, a line of that and a part of sentence or arithmetic, and
#: arguments where all is well).
ONE_CLASS = """class-of-service {
    interfaces {
        ge-0/0/1 {
            scheduler-map out;
            unit 0 {
                forwarding-class calls;
            }
        }
    }
    forwarding-classes {
        class calls queue-num 5;
        class data queue-num 0;
    }
    schedulers {
        calls { transmit-rate percent 20; }
        data { transmit-rate percent 80; }
    }
    scheduler-maps {
        out {
            forwarding-class calls scheduler calls;
            forwarding-class data scheduler data;
        }
    }
}
"""
CASES = {
    "no-shaper": (
        {"configured": unshaped(), "statements": BANDWIDTH, "text": 'VIDEO = "61 Mb/s"'},
        (0, "drops 18 %"),
        {"configured": edge(), "statements": BANDWIDTH},
    ),
    "shaper-over-contract": (
        {"configured": edge(), "facts": {"contract_bps": 45e6}},
        (0, "50 Mb/s - 45 Mb/s = 5 Mb/s"),
        {"configured": edge(), "facts": {"contract_bps": 60e6, "overhead_bytes": 20}},
    ),
    "llq-share": (
        {"configured": changed(0, policer=Policer(20e6, 500_000, when="congested"))},
        (3, "20 Mb/s of 50 Mb/s = 40 %"),
        {"configured": edge()},
    ),
    "guarantees-over": (
        {"configured": changed(1, guaranteed_bps=45e6)},
        (0, "VOICE 10 Mb/s + VIDEO 45 Mb/s = 55 Mb/s of 50 Mb/s"),
        {"configured": edge()},
    ),
    "percent-over-100": (
        {"text_of": TOO_MUCH},
        (5, "A 60 + B 50 = 110 %"),
        {"text_of": FITS},
    ),
    "default-starved": (
        {"configured": changed(1, guaranteed_bps=38e6)},
        (8, "50 Mb/s - 10 Mb/s - 38 Mb/s = 2 Mb/s"),
        {"configured": edge()},
    ),
    "no-rate": (
        {"configured": below_shaper()},
        (2, "V has strict priority without a limit"),
        {"configured": edge()},
    ),
    "excess-split": (
        {"configured": edge(queues=(QUEUES[0], QUEUES[1], QUEUES[2].replace(guaranteed_bps=5e6)))},
        (5, "20 Mb/s / 2 = 10 Mb/s for each of VIDEO, class-default"),
        {"configured": edge()},
    ),
    "priority-unlimited": (
        {"configured": changed(0, policer=None)},
        (3, "It may take all 50 Mb/s"),
        {"configured": edge()},
    ),
    "priority-below-load": (
        {"configured": edge(), "text": 'VOICE = "150 calls G.711"'},
        (3, "13.1 Mb/s into 10 Mb/s"),
        {"configured": edge(), "text": LOAD},
    ),
    "video-in-llq": (
        {"configured": marked(0, "EF", "AF41")},
        (3, "EF and AF41 share"),
        {"configured": edge()},
    ),
    "voice-not-first": (
        {"configured": marked(1, "EF", "AF41")},
        (5, "EF waits in class VIDEO"),
        {"configured": edge()},
    ),
    "burst-below-frame": (
        {"configured": changed(1, policer=Policer(15e6, 1000)), "text": 'VIDEO = "1 Mb/s"'},
        (5, "burst is 1,000 B"),
        {"configured": edge(), "text": LOAD},
    ),
    "burst-long": (
        {"configured": changed(1, policer=Policer(128e3, 256_000))},
        (5, "256,000 B at 128 kb/s = 16 s"),
        {"configured": edge()},
    ),
    "police-above-line": (
        {"text_of": POLICY_TEXT.replace("bandwidth percent 30", "police cir 2000000000")},
        (6, "2 Gb/s > 1 Gb/s"),
        {"text_of": POLICY_TEXT.replace("bandwidth percent 30", "police cir 1000000000")},
    ),
    "tcp-policed": (
        {
            "configured": changed(2, policer=Policer(10e6, 20_000)),
            "text": 'class-default = "bulk TCP, 20 ms"',
        },
        (8, "10 Mb/s x 20 ms = 25,000 B, above 20,000 B"),
        {"configured": changed(2, policer=POLICED), "text": 'class-default = "TCP, 20 ms"'},
    ),
    "shaper-burst-small": (
        {"configured": changed(1, shaper=Shaper(15e6, 1500))},
        (5, "1,500 B"),
        {"configured": edge()},
    ),
    "queue-deep": (
        # 15 Mb/s and half of the 25 that are left.
        {"configured": changed(1, limit=PacketLimit(512))},
        (5, "512 packets of 1,518 B at 27.5 Mb/s = 226 ms"),
        {"configured": edge()},
    ),
    "queue-shallow": (
        {"configured": changed(1, limit=ByteLimit(3000))},
        (5, "3,000 B; two frames have 3,036 B"),
        {"configured": edge()},
    ),
    "wred-over-limit": (
        {"configured": changed(2, dropper=WRED, limit=PacketLimit(32))},
        (8, "40 > 32 packets"),
        {"configured": changed(2, dropper=WRED)},
    ),
    "wred-on-realtime": (
        {"configured": early("CS4"), "text": 'VIDEO = "6 Mb/s video"'},
        (5, "its traffic does not slow down"),
        # RFC 4594, figure 4: of AF4x there is active queue management for each DSCP.
        {"configured": early("AF41"), "text": 'VIDEO = "6 Mb/s video"'},
    ),
    "wred-inverted": (
        {"configured": changed(2, dropper=INVERTED)},
        (8, "AF21 from 24 packets, AF22 from 28"),
        {"configured": changed(2, dropper=WRED)},
    ),
    "class-shadowed": (
        {"configured": marked(1, "EF")},
        (5, "Both match EF"),
        {"configured": edge()},
    ),
    "ef-never-set": (
        {"configured": edge()},
        (3, "nothing in this file sets or trusts EF"),
        {"configured": edge(), "statements": said((2, SHAPE, "policy-map IN", "class V"))},
    ),
    "calls-not-ef": (
        {"configured": marked(0, "DSCP 45"), "text": LOAD},
        (3, "VOICE matches DSCP 45; calls are marked EF (46). Sent to it: 40 calls"),
        {"configured": edge(), "text": LOAD},
    ),
    "control-in-default": (
        {"configured": edge()},
        (8, "CS6 (routing) waits in class-default"),
        {"configured": marked(1, "AF41", "CS6")},
    ),
    "policy-unattached": (
        {"statements": POLICY},
        (1, "attached nowhere"),
        {"statements": ATTACHED},
    ),
    "unknown-command": (
        {"text_of": POLICY_TEXT.replace("bandwidth", "bandwith")},
        (6, "did you mean 'bandwidth'?"),
        {"text_of": POLICY_TEXT},
    ),
    "line-refused": (
        {"text_of": POLICY_TEXT.replace("percent 30", "percent 130")},
        (6, "the bandwidth is '130'; allowed: a number from 1 to 100"),
        {"text_of": POLICY_TEXT},
    ),
    "name-not-in-text": (
        {"text_of": JUNOS_TEXT + JUNOS_FILTERED, "facts": {"buffer_bytes": 1e6}},
        (5, "The text does not hold filter edge"),
        {"text_of": JUNOS_TEXT, "facts": {"buffer_bytes": 1e6}},
    ),
    "piece-without-interface": (
        {"text_of": JUNOS_TEXT.replace(JUNOS_INTERFACE, "")},
        (1, "Read: class voice; scheduler s-voice; scheduler map wan"),
        {"text_of": JUNOS_TEXT},
    ),
    "nothing-checked": (
        {"text_of": '{"SCHEDULER": {"s": {"type": "DWRR"}}, "QUEUE": {}}'},
        (1, "so nothing is checked. QUEUE is empty: no port has a queue"),
        {"text_of": '{"SCHEDULER": {"s": {}}, "QUEUE": {"Ethernet0|3": {"scheduler": "s"}}}'},
    ),
    "tc-refused": (
        {"text_of": TC_TEXT.replace("pfifo", "pfiffo")},
        (4, "did you mean 'pfifo'?"),
        {"text_of": TC_TEXT},
    ),
    "tc-bytes-per-second": (
        {"text_of": TC_TEXT.replace("5mbit", "5mbps")},
        (3, "Was 5mbit meant? `mbps` are bytes per second: 5mbps is 40 Mb/s."),
        {"text_of": TC_TEXT},
    ),
    "tc-protocol-number": (
        {"text_of": f"{TC_TEXT}{TC_PROTOCOL} 0x17 0xff flowid 1:10\n"},
        (TC_TEXT.count("\n") + 1, "0x17 is 23, TRUNK-1 (did you mean 17, UDP?)."),
        {"text_of": f"{TC_TEXT}{TC_PROTOCOL} 0x11 0xff flowid 1:10\n"},
    ),
    "rate-above-line": (
        {"text_of": TC_TEXT, "facts": {"line_rate_bps": 40e6}},
        (2, "The ceil of 1:10, 50 Mb/s, is above the 40 Mb/s of the line"),
        {"text_of": TC_TEXT, "facts": {"line_rate_bps": 50e6}},
    ),
    "class-without-filter": (
        {"text_of": TC_TEXT, "facts": {"line_rate_bps": 1e8}},
        (2, "No filter leads to class 1:10: it gets no packets"),
        {"text_of": TC_TEXT + TC_FILTER, "facts": {"line_rate_bps": 1e8}},
    ),
    "ceil-below-rate": (
        {
            "text_of": TC_TEXT.replace("5mbit ceil 50mbit", "5mbit ceil 2mbit"),
            "facts": {"line_rate_bps": 1e8},
        },
        (3, "Class 1:20 never gets its rate of 5 Mb/s: its ceil is 2 Mb/s"),
        {"text_of": TC_TEXT, "facts": {"line_rate_bps": 1e8}},
    ),
    "commands-exclusive": (
        {"text_of": POLICY_TEXT.replace("percent 30", "percent 30\n  priority percent 20")},
        (7, "Class VIDEO of policy-map WAN has priority and bandwidth"),
        {"text_of": POLICY_TEXT.replace("bandwidth percent 30", "priority percent 20")},
    ),
    "class-never-matches": (
        {"text_of": POLICY_TEXT.replace("match-any", "match-all")},
        (2, "no packet is in it"),
        {"text_of": POLICY_TEXT},
    ),
    "queueing-on-input": (
        {"text_of": POLICY_TEXT.replace("output", "input")},
        (10, "not supported on input"),
        {"text_of": POLICY_TEXT},
    ),
    "shaper-unit": (
        {"text_of": POLICY_TEXT.replace("50000000", "50000")},
        (8, "50 Mb/s meant"),
        {"text_of": POLICY_TEXT},
    ),
    "rate-unit": (
        {"text_of": POLICY_TEXT.replace("percent 30", "10000000")},
        (6, "was 10 Mb/s meant?"),
        {"text_of": POLICY_TEXT.replace("percent 30", "1000000")},
    ),
    "class-without-queue": (
        {"text_of": POLICY_TEXT.replace("bandwidth percent 30", "set dscp af41")},
        (5, "it waits in that of class-default"),
        {"text_of": POLICY_TEXT},
    ),
    "control-with-video": (
        {"text_of": POLICY_TEXT.replace("af41", "af41 cs6")},
        (5, "CS6 waits in class VIDEO with AF41"),
        {"text_of": POLICY_TEXT},
    ),
    "scavenger-over-default": (
        {"text_of": SCAVENGER},
        (5, "which asks for less than best effort, and is sure of more"),
        {"text_of": SCAVENGER.replace("remaining percent 60", "remaining percent 5")},
    ),
    "police-and-shape": (
        {"text_of": SCAVENGER.replace("bandwidth remaining percent 60", SHAPED_AND_POLICED)},
        (7, "policed and shaped at one rate"),
        {"text_of": SCAVENGER.replace("bandwidth remaining percent 60", "shape average 9000000")},
    ),
    "early-drop-empty": (
        {"text_of": POLICY_TEXT.replace("percent 30", f"percent 30\n  {EMPTY}")},
        (8, "WRED of VIDEO drops AF41 though no queue has formed yet."),
        {
            "text_of": POLICY_TEXT.replace(
                "percent 30", f"percent 30\n  {EMPTY.replace(' 0 ', ' 20 ')}"
            )
        },
    ),
    "wred-tiny": (
        {"text_of": POLICY_TEXT.replace("percent 30", f"percent 30\n  {TINY}")},
        (7, "WRED of VIDEO drops AF41 as soon as a packet or two are waiting."),
        {"text_of": POLICY_TEXT.replace("percent 30", "percent 30\n  random-detect dscp-based")},
    ),
    "priority-queue-shared": (
        {"text_of": LLQS},
        (8, "calls wait behind pictures"),
        {"text_of": LLQS.replace("percent 20", "level 2 percent 20")},
    ),
    "lossless-empty": (
        {"text_of": LOSSLESS.replace("qos-group 3", "qos-group 4")},
        (6, "Class c-8q-nq3 is lossless, and no packet is in it"),
        {"text_of": LOSSLESS},
    ),
    "class-unused": ({"statements": CLASS}, (1, "no policy uses it"), {"statements": USED}),
    "filter-discards-rest": (
        {"statements": POLICED_OUT, "dialect": "junos"},
        (7, "No term takes all that is left after voice"),
        {"statements": POLICED_OUT + TAKEN, "dialect": "junos"},
    ),
    "all-in-one-class": (
        {"text_of": ONE_CLASS, "dialect": "junos"},
        (6, "All that arrives is put into calls"),
        {"text_of": ONE_CLASS.replace("class calls;", "class best-effort;"), "dialect": "junos"},
    ),
    "scheduler-unused": (
        {"statements": JUNOS, "dialect": "junos"},
        (1, "EDGE is defined and used nowhere"),
        {"statements": MAP, "dialect": "junos"},
    ),
}


def test_every_rule_has_its_two_cases_and_says_what_it_looks_for():
    assert set(CASES) == set(RULES)
    for rule in RULES.values():
        assert rule.what.endswith(".")
        assert rule.reference


@pytest.mark.parametrize("name", CASES)
def test_a_rule_finds_what_it_is_for(name):
    bad, (line, part), _ = CASES[name]
    got = found(name, **bad)
    assert got, "nothing found"
    assert {each.id for each in got} == {name}
    assert got[0].line == line
    assert part in f"{got[0].sentence} {got[0].arithmetic}"
    assert got[0].sentence.endswith(".")


@pytest.mark.parametrize("name", CASES)
def test_a_rule_is_silent_where_all_is_well(name):
    assert found(name, **CASES[name][2]) == ()


def test_no_rate_is_shown_with_an_exponent():
    shown = {rate_text(rate) for rate in (999.7, 999_600, 999_999, 999.9e6, 999.96e9, 0.0012, 1e-7)}
    assert shown == {"1 kb/s", "1 Mb/s", "1 Gb/s", "1,000 Gb/s", "0.0012 b/s", "0"}
    assert value_text(999.7, "packets") == "1,000 packets"
    assert share_text(9.9996) == "1,000 %"
    assert time_text(0.99999) == "1 s"


def test_a_class_named_for_calls_takes_ef():
    assert found("calls-not-ef", configured=marked(0, "DSCP 45"))[0].arithmetic == ""
    for marks in (["EF", "DSCP 45"], ["CS5"], ["VA"], ["VOICE"]):
        assert found("calls-not-ef", configured=marked(0, *marks)) == ()


def test_overhead_counts_by_the_size_of_frames():
    facts = {"contract_bps": 52e6, "overhead_bytes": 20}
    full = 'VIDEO = "40 Mb/s"'
    assert found("shaper-over-contract", edge(), full, facts) == ()
    (got,) = found("shaper-over-contract", edge(), 'VOICE = "40 calls G.711"', facts)
    assert "50 Mb/s x (218 + 20) / 218 = 54.6 Mb/s" in got.arithmetic


def test_a_contract_that_only_bandwidth_tells_is_a_warning_until_the_load_exceeds_it():
    (got,) = found("no-shaper", unshaped(), statements=BANDWIDTH)
    assert got.severity == "warning"
    assert "(line 19)" in got.sentence
    assert "shape average 50000000" in got.fix
    (got,) = found("no-shaper", unshaped(), 'VIDEO = "40 Mb/s"', statements=BANDWIDTH)
    assert got.severity == "warning"
    sent = 'VIDEO = "40 Mb/s"\nclass-default = "2 bulk TCP, 20 ms"'
    (got,) = found("no-shaper", unshaped(), sent, statements=BANDWIDTH)
    assert got.severity == "error"
    assert got.arithmetic.startswith("40 Mb/s + 2 TCP in, 50 Mb/s out: TCP sends until")


def test_a_picture_of_a_video_against_the_burst():
    configured = changed(0, policer=Policer(10e6, 30_000, when="congested"))
    (got,) = found("burst-below-frame", configured, 'VOICE = "9.6 Mb/s video"')
    assert "40,000 B come back to back into 30,000 B" in got.arithmetic


def test_numbers_of_defaults_are_named():
    origin = Origin("queues['VIDEO'].policer.burst_bytes", default="ios.police_burst")
    configured = changed(1, policer=Policer(128e3, 1000)).replace(origins=(origin,))
    (got,) = found("burst-below-frame", configured)
    assert "(default ios.police_burst)" in got.arithmetic
    line = Origin("queues['VIDEO'].policer.burst_bytes", line=12)
    assert found("burst-below-frame", configured.replace(origins=(line,)))[0].line == 12


def test_a_target_makes_a_queue_too_deep():
    text = 'VIDEO = "6 Mb/s of 1518 B"\n[targets]\nVIDEO = "20 ms"'
    (got,) = found("queue-deep", edge(), text)
    assert "its target is 20 ms" in got.arithmetic
    # 20 ms at 15 + 25 / 2 = 27.5 Mb/s are 68,750 B, 45 frames.
    assert "queue-limit 45 packets" in got.fix


def test_a_queue_that_is_long_by_default_is_an_info():
    origin = Origin("queues['VIDEO'].limit.packets", default="ios-xe.queue_limit")
    # 512 x 1,518 B at 27.5 Mb/s last 226 ms, and 2,560 of them 1.13 s.
    assert found("queue-deep", changed(1, limit=PacketLimit(512)))[0].severity == "warning"
    configured = changed(1, limit=PacketLimit(512)).replace(origins=(origin,))
    assert not found("queue-deep", configured)
    configured = changed(1, limit=PacketLimit(2560)).replace(origins=(origin,))
    assert found("queue-deep", configured)[0].severity == "info"


def test_guarantees_beyond_priority_are_an_error_in_kilobits_as_in_per_cent():
    for rate_bps in (45e6, 55e6):
        assert found("guarantees-over", changed(1, guaranteed_bps=rate_bps))[0].severity == "error"


def test_rates_of_htb_add_up_to_no_more_than_that_of_their_parent():
    def below(rate_bps):
        leaves = tuple(htb(Queue(name, LIMIT), 30e6, 50e6) for name in ("a", "b"))
        tree = HierarchicalTokenBucket((htb(Node("1:1", ("a", "b")), rate_bps),))
        classes = tuple(ConfiguredClass(leaf.name, leaf.name) for leaf in leaves)
        return ConfiguredPort("eth0", "out", Port("eth0", 1e9, leaves, tree), classes)

    (got,) = found("guarantees-over", below(50e6), dialect="tc")
    assert "a 30 Mb/s + b 30 Mb/s = 60 Mb/s of 50 Mb/s" in got.arithmetic
    assert found("guarantees-over", below(60e6), dialect="tc") == ()


def test_the_same_of_several_interfaces_is_one_finding():
    bad = changed(0, policer=None)
    ports = tuple(bad.replace(interface=name) for name in ("Gi1", "Gi2", "Gi3"))
    (got,) = findings(Configuration("ios-xe", ports), rules=["priority-unlimited"])
    assert got.interface == "Gi1 out and 2 more"


def test_a_text_without_attachments_is_a_piece():
    assert found("policy-unattached", statements=POLICY[:2]) == ()


def test_a_policy_that_no_interface_has_is_checked_as_a_piece():
    piece = POLICY_TEXT.replace(" service-policy output WAN\n", "")
    (got,) = found("policy-unattached", text_of=piece)
    assert (got.severity, got.line) == ("info", 4)
    assert "checked as a piece" in got.sentence
    assert "No interface has policy-map WAN" in read(piece).missing[0].question


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("tc qdisc add dev eth0 parent", "tc qdsc add dev eth0 parent", "did you mean 'qdisc'?"),
        ("pfifo limit", "pfiffo limit", "'pfiffo' is no known qdisc, did you mean 'pfifo'?"),
        ("default 20", "default 99", "1:99, the default, is not in this text"),
        ("root handle", "root 'handle", "The quotation does not end on this line"),
    ],
)
def test_a_slip_in_a_command_of_tc_is_one_finding(old, new, says):
    (got,) = found("tc-refused", text_of=TC_TEXT.replace(old, new), facts={"line_rate_bps": 1e8})
    assert says in got.sentence
    assert got.sentence.endswith(".")


def test_bandwidths_of_two_units_exclude_one_another():
    mixed = POLICY_TEXT.replace("  shape average 50000000", "  bandwidth 5000")
    (got,) = found("commands-exclusive", text_of=mixed)
    assert (got.line, got.arithmetic) == (8, "per cent in line 6, kb/s in line 8.")
    left = mixed.replace("bandwidth 5000", "bandwidth remaining percent 20")
    assert found("commands-exclusive", text_of=left) == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("percent-over-100", TOO_MUCH.replace("bandwidth", "Bandwidth").replace("pri", "PRI")),
        # The per cents of levels of priority are of the same rate.
        ("percent-over-100", TOO_MUCH.replace("priority", "priority level 1")),
        ("percent-over-100", TOO_MUCH.replace("percent 50", "percent 40.5")),
        # The device refuses the share of what remains that passes 100 per cent.
        ("percent-over-100", REMAINING),
        ("rate-unit", LLQS.replace("priority percent 10", "Priority 5000000")),
        ("commands-exclusive", LLQS.replace("percent 10", "percent 10\n  Bandwidth percent 5")),
        ("shaper-unit", POLICY_TEXT.replace("shape average 50000000", "Shape Average 50000")),
        ("queueing-on-input", POLICY_TEXT.replace("output", "input").replace("bandw", "Bandw")),
        ("class-unused", POLICY_TEXT + "Class-map match-any SPARE\n match dscp ef\n"),
        ("class-never-matches", POLICY_TEXT.replace("class-map match-any", "Class-map Match-all")),
        ("commands-exclusive", POLICY_TEXT + " Service-policy output OTHER\n"),
    ],
)
def test_a_command_may_be_in_capital_letters(name, text):
    assert [each.id for each in found(name, text_of=text)] == [name]


def test_a_fix_is_written_for_commands_in_capital_letters():
    text = POLICY_TEXT.replace("bandwidth percent 30", "Police Cir 10000000 1000")
    text = text.replace("service-policy", "Service-Policy").replace("match-any", "Match-Any")
    assert found("policy-unattached", text_of=text) == found("class-unused", text_of=text) == ()
    (got,) = found("burst-below-frame", text_of=text)
    assert got.fix.split("\n")[1:] == [" class VIDEO", "  Police Cir 10000000 15180"]


def test_two_policies_for_one_direction_exclude_one_another():
    twice = POLICY_TEXT + " service-policy output WAN\n"
    assert found("commands-exclusive", text_of=twice) == ()
    (got,) = found(
        "commands-exclusive",
        text_of=twice + " service-policy output OTHER\n"
        "policy-map OTHER\n class class-default\n  bandwidth percent 10\n",
    )
    assert got.sentence.startswith("Interface GigabitEthernet0/0/1 has 2 commands `service-policy")


def test_the_form_of_a_command_is_said():
    odd = POLICY_TEXT.replace("service-policy output WAN", "service-policy WAN")
    (got,) = found("unknown-command", text_of=odd)
    assert "(it is `service-policy output NAME`, or `input`, on an interface)" in got.sentence


def test_classes_that_nothing_can_be_in():
    empty = POLICY_TEXT.replace(" match dscp af41\n match dscp af42\n", "")
    assert found("class-never-matches", text_of=empty)[0].line == 1
    listed = POLICY_TEXT.replace(" match dscp af42", " match access-group name CALLS")
    assert "CALLS" in found("class-never-matches", text_of=listed)[0].sentence
    there = listed + "ip access-list extended CALLS\n permit udp any host 192.0.2.1\n"
    assert found("class-never-matches", text_of=there) == ()
    assert "192.0.2.1" not in repr(read(there))


def test_a_shaper_above_the_line_is_said():
    fast = POLICY_TEXT.replace("50000000", "5000m")
    (got,) = found("shaper-unit", text_of=fast)
    assert "never holds anything back: the line has 1 Gb/s" in got.sentence


def test_a_sum_far_above_a_shaper_asks_what_unit_was_meant():
    text = (
        "class-map match-any VOICE\n match dscp ef\n end-class-map\npolicy-map IN\n class VOICE\n"
        "  priority level 1\n  police rate 40 mbps\n end-policy-map\npolicy-map OUT\n"
        " class class-default\n  shape average 200 {}\n  service-policy IN\n end-policy-map\n"
        "interface GigabitEthernet0/0/0/1\n service-policy output OUT\n"
    )
    (got,) = found("guarantees-over", text_of=text.format("kbps"))
    assert "of 200 kb/s. Was 200 Mb/s meant?" in got.arithmetic
    assert not found("guarantees-over", text_of=text.format("mbps"))


def test_unknown_words_count_their_lines_and_show_no_more_than_one_word():
    twice = POLICY_TEXT.replace("  bandwidth percent 30", "  bandwith topsecret 30\n  bandwith 1")
    (got,) = found("unknown-command", text_of=twice)
    assert "2 lines: 6, 7" in got.arithmetic
    assert "topsecret" not in repr(got)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("GigabtEthernet0/0/1", "GigabitEthernet0/0/1"),
        ("TenGigabitEthrnet 0/0/1", "TenGigabitEthernet0/0/1"),
        ("Serail0/0/0:0", "Serial0/0/0:0"),
        *((name, None) for name in ("Gi0/0/1", "g0/0/1", "Tunnel1", "HundredGigE0/0/0/1", "ab0/1")),
    ],
)
def test_a_name_that_is_nearly_an_interface_is_said(name, meant):
    text = POLICY_TEXT.replace("GigabitEthernet0/0/1", name)
    said = [each.sentence for each in found("unknown-command", text_of=text)]
    assert len(said) == (meant is not None)
    assert not meant or f"did you mean '{meant}'?" in said[0]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("schedulers s transmitrate percent 20", "transmit-rate"),
        ("schedullers s priority high", "schedulers"),
        ("traffic-control-profiles t shaping-rat 5m", "shaping-rate"),
        (
            "\nset class-of-servce scheduler-maps m forwarding-class a scheduler b",
            "class-of-service",
        ),
        ("traffic-control-profiles t excess-rate-high percent 5", None),
        ("schedulers s adjust-minimum 5m", None),
    ],
)
def test_a_word_of_junos_that_is_nearly_known_is_said(words, meant):
    text = "set class-of-service interfaces ge-0/0/1 shaping-rate 50m\nset class-of-service "
    said = [each.sentence for each in found("unknown-command", text_of=text + words)]
    assert len(said) == (meant is not None)
    assert not meant or f"(did you mean '{meant}'?)" in said[0]


def test_a_misspelt_service_policy_is_named():
    text = POLICY_TEXT.replace("service-policy", "service-polcy")
    got = found("unknown-command", text_of=text)
    assert [each.line for each in got] == [10]
    assert "'service-polcy' is not a known command (did you mean 'service-policy'?)" in (
        got[0].sentence
    )
    # Other lines of an interface are nobody's business.
    assert not found("unknown-command", text_of=POLICY_TEXT + " service-module enable\n")


def test_a_name_of_junos_without_its_hyphen_is_said():
    text = "set class-of-service interfaces ge0/0/1 shaping-rate 50m"
    (got,) = found("unknown-command", text_of=text)
    assert (got.line, "did you mean 'ge-0/0/1'?" in got.sentence) == (1, True)
    assert found("unknown-command", text_of=text.replace("ge0", "ge-0")) == ()


def test_active_queue_management_has_no_queue_too_deep():
    assert found("queue-deep", changed(1, limit=PacketLimit(1000), dropper=Codel())) == ()


def test_priority_below_a_shaped_node_is_limited_by_it():
    assert found("priority-unlimited", below_shaper()) == ()


def strict_only(*names):
    """A port on which every class has strict priority, from the first served on (EOS)."""
    queues = tuple(Queue(name, LIMIT, priority=i) for i, name in enumerate(names))
    tree = SchedulerTree((Node("port", names),), len(names))
    classes = tuple(ConfiguredClass(name, name) for name in names)
    return ConfiguredPort("Et1", "out", Port("out", 1e9, queues, tree), classes)


def test_the_last_class_of_strict_priority_stops_nobody():
    (got,) = found("priority-unlimited", strict_only("tx-queue 1", "tx-queue 0"), dialect="nxos")
    assert "Class tx-queue 1 goes first" in got.sentence
    assert found("priority-unlimited", strict_only("tx-queue 0"), dialect="eos") == ()


def test_several_classes_without_a_limit_are_one_finding():
    (got,) = found("priority-unlimited", strict_only("a", "b", "c"), dialect="nxos")
    assert "Classes a and b go first" in got.sentence
    # That the others get nothing is the same fact.
    assert found("no-rate", strict_only("a", "b", "c"), dialect="eos") == ()
    assert found("default-starved", strict_only("a", "b", "class-default"), dialect="eos") == ()


@pytest.mark.parametrize(("dialect", "count"), [("ios-xe", 1), ("nxos", 0), ("eos", 0)])
def test_bandwidth_of_a_switch_is_no_contract(dialect, count):
    port = strict_only("a", "b")
    said = Statement(7, "bandwidth 10000", ("interface Et1",))
    assert len(found("no-shaper", port, dialect=dialect, statements=(said,))) == count
    got = found("no-shaper", port, facts={"contract_bps": 1e7}, dialect=dialect)
    assert len(got) == 1


@pytest.mark.parametrize(("text", "count"), [("buffer-dynamic-threshold 9;", 0), ("tri-color;", 1)])
def test_a_queue_of_a_common_memory_is_not_too_shallow(text, count):
    queues = (Queue("fc1", ByteLimit(9192)), Queue("fc2", ByteLimit(10**8)))
    port = Port("out", 1e10, queues, PriorityLevels())
    where = "queues['fc1'].limit.limit_bytes"
    configured = ConfiguredPort(
        *("et-0/0/0", "out", port),
        tuple(ConfiguredClass(queue.name, queue.name) for queue in port.queues),
        origins=(Origin(where, default="junos.least_buffer"),),
    )
    remark = Remark("not modelled", 9, text, "It is left out.")
    configuration = Configuration("junos", (configured,), (remark,))
    assert len(findings(configuration, rules=["queue-shallow"])) == count


def test_the_queuing_classes_of_nx_os_are_the_systems():
    def unused(text):
        return found("class-unused", statements=(Statement(1, text),), dialect="nxos")

    assert unused("class-map type queuing match-any c-out-8q-q7") == ()
    assert unused("class-map type queuing c-out-q3") == ()
    assert "cm_qos" in unused("class-map type qos match-all cm_qos")[0].sentence
    assert "MINE" in unused("class-map match-any MINE")[0].sentence


def test_strict_high_of_junos_is_a_guarantee_of_the_whole_line():
    queues = (Queue("LLQ", LIMIT, guaranteed_bps=1e9), Queue("BE", LIMIT, priority=4))
    classes = tuple(ConfiguredClass(queue.name, queue.name) for queue in queues)
    port = Port("out", 1e9, queues, PriorityLevels())
    configured = ConfiguredPort("ge-0/0/0", "out", port, classes)
    assert found("priority-unlimited", configured, dialect="junos")[0].severity == "warning"
    limited = queues[0].replace(shaper=Shaper(4e8, 500_000)), queues[1].replace(guaranteed_bps=1e9)
    configured = configured.replace(port=port.replace(queues=limited))
    assert found("priority-unlimited", configured, dialect="junos") == ()
    (got,) = found("guarantees-over", configured, dialect="junos")
    assert (got.severity, "400 Mb/s + BE 1 Gb/s" in got.arithmetic) == ("warning", True)


def test_bands_and_buckets_of_linux_are_no_mistakes():
    queues = (Queue("1:1", LIMIT), Queue("1:2", LIMIT, priority=1))
    classes = (ConfiguredClass("1:1", "1:1", ("EF", "AF42")), ConfiguredClass("1:2", "1:2"))
    port = Port("eth0", 1e9, queues, StrictPriority())
    configured = ConfiguredPort("eth0", "out", port, classes)
    assert found("video-in-llq", configured, dialect="tc") == ()
    assert found("video-in-llq", configured, dialect="junos")
    leaves = tuple(htb(Queue(name, LIMIT), 1e6, burst_bytes=1500) for name in ("a", "b"))
    leaves = tuple(leaf.replace(shaper=Shaper(1e6, 1500)) for leaf in leaves)
    tree = HierarchicalTokenBucket((htb(Node("1:", ("a", "b")), 2e6),))
    port = Port("eth0", 1e9, leaves, tree)
    classes = tuple(ConfiguredClass(leaf.name, leaf.name) for leaf in leaves)
    configured = ConfiguredPort("eth0", "out", port, classes)
    assert found("shaper-burst-small", configured, dialect="tc") == ()


def test_fixes_are_in_the_words_of_the_dialect():
    bad = changed(0, policer=None)
    entry = "set class-of-service scheduler-maps wan forwarding-class VOICE scheduler s-voice"
    said = (Statement(9, entry),)
    got = [
        found("priority-unlimited", bad, dialect=d, statements=said)[0]
        for d in ("ios", "junos", "tc")
    ]
    # Without its scheduler nothing of a class can be pasted.
    assert found("priority-unlimited", bad, dialect="junos")[0].fix == ""
    assert ["priority 16667" in got[0].fix, "rate-limit" in got[1].fix] == [True] * 2
    # Nobody can paste another scheduler: it is said in words.
    assert (got[2].fix, "htb" in got[2].arithmetic) == ("", True)
    assert found("priority-unlimited", bad, dialect="sonic")[0].fix == ""


def test_a_line_that_was_not_modelled_still_counts_as_use():
    remark = Remark("not modelled", 9, "service-policy input EDGE", "lost")
    configuration = Configuration("ios-xe", (), (remark,), POLICY)
    assert findings(configuration, rules=["policy-unattached"]) == ()


TEXT = """\
! qoslib: ignore ef-never-set the phones set it
policy-map EDGE
 ! qoslib: ignore llq-share agreed with the voice team
 class VOICE
  priority 20000   ! qoslib: ignore burst-long
  police 8000 # qoslib: ignore burst-long a lab
"""


@pytest.mark.parametrize(
    ("rule", "line", "reason"),
    [
        ("ef-never-set", 44, "the phones set it"),
        ("llq-share", 4, "agreed with the voice team"),
        ("llq-share", 2, None),
        ("burst-long", 5, None),
        ("burst-long", 6, "a lab"),
        ("queue-deep", 1, None),
    ],
)
def test_a_comment_with_a_reason_silences_a_rule_where_it_stands(rule, line, reason):
    kept, ignored = silenced([Finding(rule, "info", line, "x.")], TEXT)
    assert [each.reason for each in ignored] == ([reason] if reason else [])
    assert len(kept) == (reason is None)


def test_the_worst_comes_first():
    each = [Finding("a", "info", 1, "x."), Finding("b", "error", 9, "x.")]
    assert [one.id for one in in_order(each)] == ["b", "a"]


@pytest.mark.parametrize(
    ("rest", "count"),
    [
        ("", 1),
        ("term rest { then next term; }", 1),
        ("term rest { then { count all; accept; } }", 0),
        ("term rest { then discard; }", 0),
        ("term rest;", 0),
    ],
)
def test_a_filter_that_polices_says_what_becomes_of_the_rest(rest, count):
    got = findings(read(FILTER.replace("REST", rest)), rules=["filter-discards-rest"])
    assert [each.severity for each in got] == ["error"] * count
    for each in got:
        fix = "set firewall family inet filter police term all-other-traffic then accept"
        assert each.fix == fix


def test_a_filter_that_is_unused_or_guards_the_router_itself_may_end_in_a_discard():
    for name in ("lo0", "other"):
        text = FILTER.replace("REST", "").replace("ge-0/0/0", name if name == "lo0" else "ge-0/0/0")
        text = text.replace("output police", "output gone") if name == "other" else text
        assert findings(read(text), rules=["filter-discards-rest"]) == ()


def test_a_written_policer_lets_all_other_traffic_pass():
    text = write(edge().port, "junos").text
    assert findings(read(text, facts={"buffer_bytes": 1e6}), rules=["filter-discards-rest"]) == ()
    last = next(line for line in text.splitlines() if line.endswith("other-classes then accept"))
    cut = read(text.replace(last, ""), facts={"buffer_bytes": 1e6})
    assert len(findings(cut, rules=["filter-discards-rest"])) == 1


DEEP = Red(RedProfile(20, 40), (("AF41", RedProfile(100, 300)),))


def test_fixes_of_wred_and_of_a_deep_queue_do_not_call_each_other():
    # 600 packets at 27.5 Mb/s are 265 ms, above 200 ms: so the thresholds come down.
    (over,) = found("wred-over-limit", changed(1, limit=PacketLimit(128), dropper=DEEP))
    assert over.fix == "class VIDEO\n  random-detect dscp af41 42 128"
    red = Red(RedProfile(20, 40), (("AF41", RedProfile(42, 128)),))
    assert found("wred-over-limit", changed(1, limit=PacketLimit(128), dropper=red)) == ()
    # WRED drops all from 300 packets on, which are 132 ms.
    assert found("queue-deep", changed(1, limit=PacketLimit(600), dropper=DEEP)) == ()
    # From 600 on they are 265 ms; 100 ms at 27.5 Mb/s are 226 packets, below the 600 of WRED.
    deeper = Red(RedProfile(20, 40), (("AF41", RedProfile(200, 600)),))
    (deep,) = found("queue-deep", changed(1, limit=PacketLimit(600), dropper=deeper))
    lines = "queue-limit 226 packets", "random-detect dscp af41 75 226"
    assert deep.fix == "\n  ".join(["class VIDEO", *lines])


def test_a_limit_grows_where_that_delays_by_no_more_than_the_target():
    red = Red(RedProfile(20, 100))
    (over,) = found("wred-over-limit", changed(1, limit=PacketLimit(64), dropper=red))
    assert over.fix == "class VIDEO\n  queue-limit 200 packets"
    text = 'VIDEO = "6 Mb/s of 1518 B"\n[targets]\nVIDEO = "20 ms"'
    (over,) = found("wred-over-limit", changed(1, limit=PacketLimit(64), dropper=red), text)
    # Half of 20 ms at 27.5 Mb/s are 22 packets.
    assert over.fix == "class VIDEO\n  random-detect dscp default 4 22"


@pytest.mark.parametrize(
    ("command", "fix"),
    [
        ("priority percent 20 1000", "priority percent 20 15180"),
        ("Priority Level 1 Percent 20 1000", "priority level 1 percent 20 15180"),
        ("priority 10000 1000", "priority 10000 15180"),
    ],
)
def test_a_burst_is_mended_in_the_command_of_its_class(command, fix):
    text = LLQS.replace("priority percent 10", command)
    (got,) = [each for each in found("burst-below-frame", text_of=text) if "CALLS" in each.sentence]
    assert got.fix == f"policy-map WAN\n class CALLS\n  {fix}"


def test_the_excess_is_split_as_the_guarantees_are():
    def fix(*rates_bps):
        queues = [
            queue.replace(guaranteed_bps=rate)
            for queue, rate in zip(QUEUES[1:], rates_bps, strict=True)
        ]
        return found("excess-split", edge(queues=(QUEUES[0], *queues)))[0].fix

    # 15 to 5 is 3 to 1, 20 to 5 is 4 to 1.
    assert fix(15e6, 5e6) == "class VIDEO\n  bandwidth remaining ratio 3"
    assert fix(20e6, 5e6) == "class VIDEO\n  bandwidth remaining ratio 4"


def test_guarantees_beyond_a_shaper_are_found_at_its_line():
    origin = Origin("scheduler.nodes['PARENT'].shaper.rate_bps", 21)
    configured = changed(1, guaranteed_bps=45e6).replace(origins=(origin,))
    assert found("guarantees-over", configured)[0].line == 21


def test_a_policy_says_where_it_belongs_by_lines_that_are_not_modelled_too():
    folder = places.CASES / "ios-xe"
    text = (folder / "fair_queue_attached_nowhere.conf").read_text()
    said = {each.line: each.arithmetic for each in found("policy-unattached", text_of=text)}
    assert "`service-policy output FAIR`" in said[1]
    # New marks of Ethernet are set where packets leave.
    assert "`service-policy output COLOUR`" in said[4]


def test_a_policer_that_counts_packets_is_no_marking():
    text = "policy-map LIMIT\n class class-default\n  police rate 1000 pps burst 2000 packets\n"
    found = read(text + " end-policy-map\n", dialect="ios-xr")
    (nothing,) = findings(found, rules=["nothing-checked"])
    assert nothing.arithmetic == "No interface has policy LIMIT."


def test_a_default_length_is_found_where_a_load_fills_the_queue():
    origin = Origin("queues['VIDEO'].limit.packets", default="ios-xe.queue_limit")
    # 512 x 1,518 B at 27.5 Mb/s last 226 ms.
    configured = changed(1, limit=PacketLimit(512)).replace(origins=(origin,))
    for sent, count in (("6 Mb/s", 0), ("28 Mb/s", 1), ("2 TCP, 20 ms", 1)):
        assert len(found("queue-deep", configured, f'VIDEO = "{sent}"')) == count


@pytest.mark.parametrize(
    ("dialect", "text", "vendor"),
    [
        ("ios-xe", POLICY_TEXT.replace("output WAN", "output SPOKE-7"), "Cisco"),
        ("sros", (places.CASES / "sros" / "policy_of_no_sap.conf").read_text(), "Nokia"),
    ],
)
def test_a_finding_cites_the_vendor_of_its_text(dialect, text, vendor):
    found = findings(read(text, dialect=dialect, facts={"line_rate_bps": 1e9}))
    (reference,) = {each.reference for each in found if each.id == "policy-unattached"}
    named = {"Cisco", "Arista", "Nokia"} & set(reference.replace(",", " ").split())
    assert named == {vendor}
