"""Every fix can be pasted: its finding goes, nothing breaks, and nothing is left in the air."""

import re
import sys
import tomllib
from functools import cache

import pytest

from places import CASES as FOLDER
from qoslib.checks import RULES, findings
from qoslib.checks.manners import manners_of
from qoslib.config import Facts, read
from qoslib.findings import check
from qoslib.findings.proved import key_of, with_fixes

FACTS = {"line_rate_bps": 100e6, "platform": "mpc", "delay_buffer_s": 0.1}
#: What a fix may leave behind as a note that is none of its business, by the rule of the fix.
NOTES = {"class-shadowed": {"class-unused"}}

MAPS = """\
class-map match-any VOICE
 match dscp ef
class-map match-any VIDEO
 match dscp af41 af42
class-map match-any BULK
 match dscp af11
"""
OUT = """\
interface GigabitEthernet0/0/1
 speed 100
 service-policy output WAN
"""
LAN = """\
interface GigabitEthernet0/0/2
 service-policy input SEEN
"""


def ios(voice, video, bulk="bandwidth percent 10", rest="", maps=MAPS, after=OUT):
    """A policy WAN, each class with its commands."""
    lines = ["policy-map WAN"]
    parts = {"VOICE": voice, "VIDEO": video, "BULK": bulk, "class-default": rest}
    for name, commands in parts.items():
        if commands is not None:
            lines += [f" class {name}", *(f"  {each}" for each in commands.split("; ") if each)]
    return "\n".join([maps.rstrip(), *lines, after])


JUNOS = """\
set class-of-service forwarding-classes class EF queue-num 1
set class-of-service forwarding-classes class BE queue-num 0
set class-of-service forwarding-classes class AF queue-num 2
set class-of-service forwarding-classes class network-control queue-num 3
set class-of-service classifiers dscp MARKS forwarding-class EF loss-priority low code-points ef
set class-of-service classifiers dscp MARKS forwarding-class AF loss-priority low code-points af41
set class-of-service schedulers S-EF transmit-rate percent 20 rate-limit
set class-of-service schedulers S-EF priority strict-high
set class-of-service schedulers S-AF transmit-rate percent 40
set class-of-service schedulers S-NC transmit-rate percent 5
set class-of-service schedulers S-BE transmit-rate percent 30
set class-of-service scheduler-maps WAN forwarding-class EF scheduler S-EF
set class-of-service scheduler-maps WAN forwarding-class AF scheduler S-AF
set class-of-service scheduler-maps WAN forwarding-class network-control scheduler S-NC
set class-of-service scheduler-maps WAN forwarding-class BE scheduler S-BE
set class-of-service interfaces ge-0/0/0 scheduler-map WAN
set class-of-service interfaces ge-0/0/0 unit 0 classifiers dscp MARKS
"""


def junos(old="", new="", more=""):
    assert old in JUNOS
    return JUNOS.replace(old, new) + more


POLICER = """\
set firewall policer P if-exceeding bandwidth-limit 128k
set firewall policer P if-exceeding burst-size-limit 256k
set firewall policer P then discard
set firewall family inet filter police term video from forwarding-class AF
set firewall family inet filter police term video then policer P
set firewall family inet filter police term video then accept
set interfaces ge-0/0/0 unit 0 family inet filter output police
"""

TC = """\
tc qdisc add dev eth0 root handle 1: htb default 20
tc class add dev eth0 parent 1: classid 1:1 htb rate 50mbit ceil 50mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 10mbit ceil 50mbit prio 0
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 20mbit ceil 50mbit prio 1
tc qdisc add dev eth0 parent 1:10 handle 10: pfifo limit 100
tc qdisc add dev eth0 parent 1:20 handle 20: pfifo limit 100
tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dsfield 0xb8 0xfc flowid 1:10
"""
EDGE = "priority percent 20", "bandwidth percent 30"
SHADOWED = MAPS.replace("af11", "af11 af42")
HIDDEN = MAPS.replace("af11", "af42")
SHAPED = "\npolicy-map OUT\n class class-default\n  shape average 50000\n  service-policy WAN\n"
SLOW = " bandwidth 40000\n speed 100\n"

#: Name -> dialect, text, and rules of which some fix must be there.
CASES = {
    "too much priority": ("ios-xe", ios("priority percent 60", EDGE[1]), {"llq-share"}),
    "no limit of priority": ("ios-xe", ios("priority", EDGE[1]), {"priority-unlimited"}),
    "no room for the rest": (
        "ios-xe",
        ios("priority percent 20", "bandwidth percent 50", "bandwidth percent 20"),
        {"default-starved"},
    ),
    "in kb/s": (
        "ios-xe",
        ios("priority 10000", "bandwidth 60000", "bandwidth 20000"),
        {"default-starved"},
    ),
    "bits for kilobits": ("ios-xe", ios("priority 10000000", EDGE[1]), {"rate-unit"}),
    "voice not first": ("ios-xe", ios("bandwidth percent 20", EDGE[1]), {"voice-not-first"}),
    "voice not first, with WRED": (
        "ios-xe",
        ios("bandwidth remaining ratio 2; random-detect", "bandwidth remaining ratio 3",
            "bandwidth remaining ratio 1"),
        {"voice-not-first", "wred-on-realtime"},
    ),
    "no queues": ("ios-xe", ios(EDGE[0], "set dscp af41", "queue-limit 64 packets"),
                  {"class-without-queue"}),
    "calls without a queue": ("ios-xe", ios("set dscp ef", EDGE[1]), {"class-without-queue"}),
    "video in the class of calls": (
        "ios-xe",
        ios(*EDGE, maps=MAPS.replace("dscp ef", "dscp ef cs4")),
        {"video-in-llq"},
    ),
    "an earlier class takes some": ("ios-xe", ios(*EDGE, maps=SHADOWED), {"class-shadowed"}),
    "an earlier class takes all": ("ios-xe", ios(*EDGE, maps=HIDDEN), {"class-shadowed"}),
    "deep and shallow": (
        "ios-xe",
        ios(EDGE[0], f"{EDGE[1]}; queue-limit 4000 packets", "bandwidth percent 10; queue-limit 4"),
        {"queue-deep", "queue-shallow"},
    ),
    "WRED above the limit, and upside down": (
        "ios-xe",
        ios(EDGE[0], f"{EDGE[1]}; queue-limit 100; random-detect dscp-based;"
            " random-detect dscp af41 20 80; random-detect dscp af42 40 200"),
        {"wred-over-limit", "wred-inverted"},
    ),
    "bursts": (
        "ios-xe",
        ios("priority 10000 1000", f"{EDGE[1]}; police 128000 256000", "shape average 9000000 800"),
        {"burst-long", "burst-below-frame"},
    ),
    "a shaper in kb/s": (
        "ios-xe",
        ios(*EDGE, after=SHAPED + OUT.replace("output WAN", "output OUT")),
        {"shaper-unit"},
    ),
    "no shaper": ("ios-xe", ios(*EDGE, after=OUT.replace(" speed 100\n", SLOW)), {"no-shaper"}),
    "too fast a shaper": (
        "ios-xe",
        ios(*EDGE, after=SHAPED.replace("50000", "50000000") + OUT.replace(
            " speed 100\n", SLOW).replace("output WAN", "output OUT")),
        {"shaper-over-contract"},
    ),
    "the excess": ("ios-xe", ios(*EDGE), {"excess-split", "control-in-default"}),
    "queues on input": ("ios-xe", ios(*EDGE, after=OUT.replace("output", "input")),
                        {"queueing-on-input"}),
    "unmarked calls": (
        "ios-xe",
        ios(*EDGE, after="policy-map SEEN\n class BULK\n  set dscp af12\n" + OUT
            + LAN.replace("service-policy input SEEN", "hold-queue 100 in")),
        {"ef-never-set"},
    ),
    "a policy that marks, attached nowhere": (
        "ios-xe",
        ios(*EDGE, after="policy-map SEEN\n class VOICE\n  set dscp ef\n" + OUT),
        # On which interface it belongs, nobody else can say.
        set(),
    ),
    "a class of no policy": ("ios-xe", ios(*EDGE, maps=MAPS + "class-map SPARE\n match dscp cs1\n"),
                             {"class-unused"}),
    "classic": ("ios", ios("priority 30000; queue-limit 64", "bandwidth 30000; queue-limit 900",
                           "bandwidth 38000"),
                {"queue-deep"}),
    "Junos: no room for the rest": (
        "junos", junos("percent 30", "percent 2").replace("40", "68"),
        {"default-starved"},
    ),
    "Junos: no limit of priority": ("junos", junos(" rate-limit"), {"priority-unlimited"}),
    "Junos: voice not first": (
        "junos", junos("S-EF priority strict-high", "S-EF priority low"), {"voice-not-first"},
    ),
    "Junos: deep": (
        "junos",
        junos(more="set class-of-service schedulers S-BE buffer-size temporal 900000\n"),
        {"queue-deep"},
    ),
    "Junos: routing": ("junos", JUNOS, {"control-in-default"}),
    "Junos: spare": (
        "junos", junos(more="set class-of-service schedulers S-OLD priority low\n"),
        {"scheduler-unused"},
    ),
    "Junos: a filter": ("junos", junos(more=POLICER), {"filter-discards-rest", "burst-long"}),
    "tc: deep": ("tc", TC.replace("handle 10: pfifo limit 100", "handle 10: pfifo limit 4000"),
                 {"queue-deep"}),
    "tc: shallow": ("tc", TC.replace("handle 20: pfifo limit 100", "handle 20: pfifo limit 5"),
                    {"queue-shallow"}),
    "tc: bytes": ("tc", TC.replace("20: pfifo limit 100", "20: bfifo limit 2000000"),
                  {"queue-deep"}),
}  # fmt: skip


def said(text, dialect):
    return findings(read(text, facts=FACTS, dialect=dialect), facts=Facts(FACTS))


def key(finding):
    """A rule and what it is about, without the numbers."""
    return finding.id, re.sub(r"[\d.,]+ ?\w*", "", finding.sentence)


def pasted(text, *fixes):
    """A device takes lines of all three dialects in their order, the last of a kind counts."""
    return "\n".join([text.rstrip("\n"), *fixes, ""])


def checked_again(text, **given):
    """A check of what was pasted, whose own fixes are not tried: its findings are the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["qoslib.findings.check"], "proved", lambda *of: of[2])
        return check(text, **given)


def in_the_air(text, dialect):
    """Names without a definition are an error of the reader; these are the other way round."""
    idle = ("policy-unattached", "class-unused", "scheduler-unused")
    return {key(each) for each in said(text, dialect) if each.id in idle}


@pytest.mark.parametrize("name", CASES)
def test_each_fix_can_be_pasted(name):
    dialect, text, wanted = CASES[name]
    found = said(text, dialect)
    fixed = [each for each in found if each.fix]
    assert wanted <= {each.id for each in fixed}
    before = {each.id for each in found if each.severity == "error"}
    for each in fixed:
        assert "..." not in each.fix
        after = said(pasted(text, each.fix), dialect)
        alike = [o for o in after if key(o) == key(each)]
        assert not alike, (each.id, each.fix, alike)
        worse = [o for o in after if o.severity == "error" and o.id not in before]
        assert not worse, (each.id, each.fix, worse)
        unknown = [o for o in after if o.id == "unknown-command"]
        assert not unknown, (each.id, each.fix, unknown)
        new = in_the_air(pasted(text, each.fix), dialect) - in_the_air(text, dialect)
        assert {rule for rule, _ in new} <= NOTES.get(each.id, set()), (each.id, each.fix, new)


@pytest.mark.parametrize("name", CASES)
def test_all_fixes_together_leave_the_default_class_its_minimum(name):
    dialect, text, _ = CASES[name]
    found = said(text, dialect)
    together = pasted(text, *(each.fix for each in found if each.fix))
    errors = {each.id for each in found if each.severity == "error"}
    left = {each.id: each for each in said(together, dialect)}
    assert {one for one in left if left[one].severity == "error"} <= errors
    starved = [each for each in found if each.id == "default-starved"]
    if not starved or starved[0].fix:
        assert "default-starved" not in left, (together, left["default-starved"])


def test_fixes_go_to_the_policy_of_the_class():
    text = CASES["too fast a shaper"][1]
    (got,) = [each for each in said(text, "ios-xe") if each.id == "control-in-default"]
    assert "policy-map WAN\n class CONTROL" in got.fix
    (shaped,) = [each for each in said(text, "ios-xe") if each.id == "shaper-over-contract"]
    assert shaped.fix == "policy-map OUT\n class class-default\n  shape average 40000000"


def test_a_policy_that_marks_may_be_for_either_direction():
    text = CASES["a policy that marks, attached nowhere"][1]
    (got,) = [each for each in said(text, "ios-xe") if each.id == "policy-unattached"]
    assert got.fix == ""
    assert "`service-policy input SEEN` or `service-policy output SEEN`" in got.arithmetic
    text = CASES["unmarked calls"][1]
    (got,) = [each for each in said(text, "ios-xe") if each.id == "ef-never-set"]
    assert got.fix.split("\n")[:2] == ["class-map match-any CALLS", " match protocol rtp audio"]
    assert got.fix.endswith("interface GigabitEthernet0/0/2\n service-policy input MARK")


def test_of_two_fixes_that_contradict_each_other_one_is_words():
    # TCP fills its queue, so that its length counts.
    sent = 'VIDEO = "40 Mb/s"\nBULK = ["14 Mb/s", "1 TCP, 20 ms"]\n'
    sent += 'class-default = ["10 Mb/s", "1 TCP, 20 ms"]'
    report = check(ios(*EDGE), traffic=sent, facts=FACTS)
    fixes = [each.fix for each in report.findings if each.fix]
    assert len(fixes) > 1
    before = {each.id for each in report.findings}
    for order in (fixes, fixes[::-1]):
        after = checked_again(pasted(ios(*EDGE), *order), traffic=sent, facts=FACTS)
        assert not {each.id for each in after.findings} - before
        gone = {key(each) for each in report.findings if each.fix}
        assert not gone & {key(each) for each in after.findings}


@pytest.mark.parametrize("name", CASES)
def test_what_a_check_prints_as_a_fix_has_been_tried(name):
    dialect, text, _ = CASES[name]
    report = check(text, facts=FACTS, dialect=dialect)
    fixes = [each.fix for each in report.findings if each.fix]
    before = {key(each) for each in report.findings}
    for some in [*([fix] for fix in fixes), fixes, fixes[::-1]]:
        after = checked_again(pasted(text, *some), facts=FACTS, dialect=dialect)
        gone = {key(each) for each in report.findings if each.fix in some}
        left = {key(each) for each in after.findings}
        assert not left & gone, some
        if any(each.id == "no-shaper" for each in report.findings if each.fix in some):
            # What waits here then waited at the carrier before.
            left = {each for each in left if each[0] != "queue-deep"}
        assert left <= before, some
        assert not [each for each in after.remarks if each.kind in ("unknown", "refused")]


PARENTS = """\
class-map match-all A
 match vlan 10
class-map match-all B
 match vlan 20
policy-map CHILD
 class class-default
  queue-limit 64 packets
policy-map PARENT
 class A
  bandwidth 20000
  service-policy CHILD
 class B
  bandwidth 70000
  service-policy CHILD
interface GigabitEthernet0/0/1
 speed 100
 service-policy output PARENT
"""


def test_a_fix_that_leaves_every_class_its_rates_is_words():
    from qoslib.findings.assess import Assessed
    from qoslib.findings.proved import proved

    (real,) = [each for each in said(PARENTS, "ios-xe") if each.id == "excess-split"]

    def tried(fix):
        """The fix that is left if its finding is gone with it."""
        only = real.replace(fix=fix)
        before = Assessed(read(PARENTS), {}, {}, (only,))
        return proved(PARENTS, before, [only], lambda t: Assessed(read(t), {}, {}, ()))[0]

    below = tried("policy-map CHILD\n class class-default\n  bandwidth remaining ratio 4")
    assert below.fix == ""
    assert below.arithmetic.endswith(
        "is not offered as a fix: it changes the promised rate of no class."
    )
    assert tried(real.fix).fix == real.fix


#: Rule -> the families in which it has a fix for some text.
WRITTEN = {
    "class-never-matches": {"cisco"},
    "class-shadowed": {"cisco"},
    "class-unused": {"cisco"},
    "class-without-queue": {"cisco"},
    "control-in-default": {"cisco", "junos"},
    "control-with-video": {"cisco"},
    "burst-below-frame": {"cisco", "junos"},
    "burst-long": {"cisco", "junos"},
    "default-starved": {"cisco", "junos"},
    "ef-never-set": {"cisco"},
    "excess-split": {"cisco"},
    "filter-discards-rest": {"junos"},
    "line-refused": {"cisco"},
    "llq-share": {"cisco", "junos"},
    "no-shaper": {"cisco", "junos"},
    "police-and-shape": {"cisco"},
    "policy-unattached": {"cisco"},
    "priority-below-load": {"cisco"},
    "priority-unlimited": {"cisco", "junos"},
    "queue-deep": {"cisco", "junos", "tc"},
    "queue-shallow": {"cisco", "junos", "tc"},
    "queueing-on-input": {"cisco"},
    "rate-unit": {"cisco"},
    "scheduler-unused": {"junos"},
    "shaper-burst-small": {"cisco"},
    "shaper-over-contract": {"cisco", "junos"},
    "shaper-unit": {"cisco"},
    "tc-bytes-per-second": {"tc"},
    "tcp-policed": {"cisco", "junos"},
    "unknown-command": {"cisco", "eos"},
    "video-in-llq": {"cisco"},
    "voice-not-first": {"cisco", "junos"},
    "wred-inverted": {"cisco"},
    "wred-on-realtime": {"cisco"},
    "wred-over-limit": {"cisco"},
}
#: No packet has both code points.
NEVER = MAPS.replace(
    "any VIDEO\n match dscp af41 af42", "all VIDEO\n match dscp af41\n match dscp af42"
)
NEVER = NEVER.replace("af11", "af11 cs6")
#: A policy that marks calls, and has queues that nobody has on the way in.
INWARD = ios(
    "priority percent 20; set dscp ef",
    "bandwidth percent 30",
    "bandwidth percent 30",
    maps=MAPS.replace("af11", "af11 cs6"),
    after=OUT.replace("output", "input"),
)
FABRIC = """\
policy-map type network-qos FABRIC
 class type network-qos c-8q-nq3
  mtu 9216
interface Ethernet1/1
 service-policy type qos input OTHER
"""
#: Texts of rules that the cases of others do not have: dialect, text, facts, and the load.
MORE = [
    ("ios-xe", ios(*EDGE), {}, 'VOICE = "25 Mb/s"'),
    ("ios-xe", ios(EDGE[0], f"{EDGE[1]}; police 20000000 9000"), {}, 'VIDEO = "3 TCP, 50 ms"'),
    ("ios-xe", ios(EDGE[0], "shape average 9000000; police 9000000"), {}, None),
    ("ios-xe", ios(*EDGE, maps=MAPS.replace("af41 af42", "af41 cs6")), {}, None),
    ("ios-xe", ios(*EDGE, maps=NEVER), {}, None),
    ("ios-xe", INWARD, {}, None),
    ("nxos", FABRIC, {}, None),
    ("junos", junos("percent 20 rate", "percent 45 rate"), {}, None),
    ("junos", junos("S-AF transmit-rate percent 40", "S-AF priority medium-low").replace(
        "S-NC transmit-rate percent 5", "S-NC priority low"), {}, None),
    ("junos", JUNOS, {"contract_bps": 5e7}, None),
    ("junos", junos(more="set class-of-service interfaces ge-0/0/0 shaping-rate 80m\n"),
     {"contract_bps": 5e7}, None),
    ("junos", junos(more=POLICER.replace("256k", "3k").replace("128k", "9m")), {},
     'AF = "3 TCP, 50 ms"\nBE = "1 Mb/s"'),
    ("junos", junos(more=POLICER.replace("256k", "1k")), {}, None),
    ("tc", TC.replace("10mbit", "1mbps"), {}, None),
]  # fmt: skip


def texts():
    """Dialect, text, facts and load of all that is tried."""
    for dialect, text, _ in CASES.values():
        yield dialect, text, FACTS, None
    for dialect, text, facts, traffic in MORE:
        yield dialect, text, FACTS | facts, traffic
    for path in sorted(FOLDER.glob("*/*.conf")):
        said = tomllib.loads(path.with_suffix(".toml").read_text())
        yield said.get("dialect"), path.read_text(), said.get("facts", {}), said.get("traffic")


@cache
def printed():
    """Rule and family -> its fixes that a check prints, each with what a check finds after it."""
    fixes = {}
    for dialect, text, facts, traffic in texts():
        given = {"facts": facts, "traffic": traffic}
        report = check(text, dialect=dialect, **given)
        family = manners_of(report.dialect).family
        for each in report.findings:
            if each.fix and each.id in RULES:
                after = checked_again(with_fixes(text, [each]), dialect=report.dialect, **given)
                # The like of it on another interface is a finding with a fix of its own.
                others = {(key_of(one), one.line) for one in report.findings if one is not each}
                alike = [
                    one
                    for one in after.findings
                    if key_of(one) == key_of(each) and (key_of(one), one.line) not in others
                ]
                # Of a finding of several places a fix mends the first.
                several = each.interface.endswith(" more")
                left = [one for one in alike if one.line == each.line or not several]
                fixes.setdefault((each.id, family), []).append((each.fix, left))
    return fixes


def test_each_rule_has_fixes_in_each_family_that_can_write_them():
    given = {}
    for rule, family in printed():
        given.setdefault(rule, set()).add(family)
    table = "\n".join(f"{rule}: {', '.join(sorted(given.get(rule, ())))}" for rule in RULES)
    assert given == WRITTEN, f"fixes are written of\n{table}"


@pytest.mark.parametrize("rule", WRITTEN)
def test_the_finding_of_each_fix_is_gone_with_it(rule):
    every = [fixes for (of, _), fixes in printed().items() if of == rule]
    assert every
    for fix, left in (each for fixes in every for each in fixes):
        assert not left, fix


@pytest.mark.parametrize(("bulk", "fits"), [("20", True), ("30", False)])
def test_a_guarantee_is_a_fix_where_it_fits_and_only_elsewhere_there_is_no_room(bulk, fits):
    text = ios("priority percent 20", "bandwidth percent 50", f"bandwidth percent {bulk}")
    (said,) = (each for each in check(text).findings if each.id == "default-starved")
    assert said.fix.endswith("bandwidth percent 10") is fits
    assert ("no room for more" in said.arithmetic) is not fits
