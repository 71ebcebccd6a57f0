"""Each stage of each dialect gives up when its time is over."""

import subprocess
import sys
import time
from random import Random

import pytest

from qoslib import checks
from qoslib.checks import promises
from qoslib.config import ConfigurationError, read, recognise
from qoslib.config import source as bounds
from qoslib.config.mqc.pasted import needed
from qoslib.findings import check
from sample_texts import MQC, TEXTS

FACTS = {"line_rate_bps": 1e9, "buffer_bytes": 1e6}


class Clock:
    """Time that stands still, and is over from one look at it on."""

    def __init__(self, over_at=None):
        self.looks, self.over_at = 0, over_at

    def process_time(self):
        self.looks += 1
        return 100.0 if self.over_at is not None and self.looks > self.over_at else 0.0


def looks(monkeypatch, does):
    """How often something looks at the clock, when it has its time."""
    clock = Clock()
    monkeypatch.setattr(bounds, "time", clock)
    does()
    return clock.looks


@pytest.mark.parametrize("name", TEXTS)
def test_reading_looks_at_the_clock_at_each_line_and_gives_up_at_any_look(monkeypatch, name):
    text = TEXTS[name]

    def reading():
        return read(text, facts=FACTS, dialect=name.split()[0])

    count = looks(monkeypatch, reading)
    assert count > text.count("\n")
    for at in range(1, count):
        monkeypatch.setattr(bounds, "time", Clock(over_at=at))
        with pytest.raises(ConfigurationError, match=r"takes more than 5 s; (choose|give only)"):
            reading()


@pytest.mark.parametrize("rule", ["class-never-matches", "unknown-command"])
def test_rules_of_a_whole_text_look_at_the_clock_as_they_go(monkeypatch, rule):
    many = "".join(f"class-map C{n}\n match dscp ef\n wrong{n} 1\n" for n in range(50))
    found = read(many + MQC)
    assert looks(monkeypatch, lambda: checks.findings(found, rules=[rule])) > 50


def test_rules_and_promises_give_up_at_any_look(monkeypatch):
    found = read(MQC)
    for stage in (lambda: checks.findings(found), lambda: promises(found.ports[0])):
        promises_cache_clear()
        count = looks(monkeypatch, stage)
        assert count > 3
        for at in range(1, count):
            promises_cache_clear()
            monkeypatch.setattr(bounds, "time", Clock(over_at=at))
            with pytest.raises(ConfigurationError, match="takes more than 5 s"):
                stage()


def promises_cache_clear():
    from qoslib.checks.promises import _promises

    _promises.cache_clear()


def test_a_check_that_takes_too_long_is_one_finding(monkeypatch):
    """At whatever look the time is over; fixes are tried in a time of their own."""
    module = sys.modules["qoslib.findings.check"]
    monkeypatch.setattr(module, "proved", lambda text, state, listed, *others: listed)
    promises_cache_clear()
    count = looks(monkeypatch, lambda: check(MQC))
    seen = []
    for at in range(1, count, 5):
        promises_cache_clear()
        monkeypatch.setattr(bounds, "time", Clock(over_at=at))
        report = check(MQC)
        if report.findings[0].id == "unreadable":
            seen.append(report.dialect)
            assert len(report.findings) == 1
            assert "takes more than 5 s" in report.findings[0].sentence
    # Before and after the text was read; what is known already takes no time after that.
    assert set(seen) == {"", "ios-xe"}
    assert len(seen) > 0.8 * count / 5


def test_an_inner_time_does_not_lengthen_the_outer_one():
    with bounds.in_time(0.0), bounds.in_time(60.0), pytest.raises(ConfigurationError):
        bounds.check_time(7)
    bounds.check_time()


@pytest.mark.parametrize(
    "unit", ["\n", " \n", "\t", "[", "{", "tc ", "policy-map\n", "# \n", "set\n"]
)
def test_what_is_long_and_says_nothing_is_looked_at_once(unit):
    """Signs that look at each place of a text from each of its lines take hours here."""
    with pytest.raises(ConfigurationError):
        recognise(unit * (1_000_000 // len(unit)))


#: A command of each of many classes, which took minutes, and how many of these there are.
OF_EACH = {
    "bandwidth remaining ratio 1": 1000,
    "shape average 1000000": 1000,
    "bandwidth remaining ratio 1\n  police 128000": 1000,
    "bandwidth remaining ratio 1\n  queue-limit 4": 500,
    "priority 100": 500,
}


@pytest.mark.parametrize("command", OF_EACH)
def test_a_policy_with_many_classes_is_checked_in_time(monkeypatch, command):
    """No class looks at all others, and none shares out the port by itself."""
    text = many_classes(OF_EACH[command], "qos-group ", 1000)
    monkeypatch.setattr(sys.modules["qoslib.findings.check"], "left_s", lambda: 0.0)
    report = check(text.replace("bandwidth remaining ratio 1", command))
    assert len(report.ports[0].rows) == OF_EACH[command] + 1


def test_a_node_with_many_classes_is_worked_out_once_each():
    names = [f"C{n}" for n in range(120)]
    maps = "".join(f"class-map {name}\n match dscp {n % 64}\n" for n, name in enumerate(names))
    policy = "".join(
        f" class {name}\n  bandwidth remaining ratio {n + 1}\n" for n, name in enumerate(names)
    )
    text = f"{maps}policy-map P\n{policy}interface Gi0/0\n speed 100\n service-policy output P\n"
    found = promises(read(text).ports[0])
    assert len(found) == 121
    assert sum(each.minimum_bps for each in found) == pytest.approx(100e6)


#: Classes whose minor number is 0, that of the qdisc itself.
OWN_PARENTS = (
    "tc class add dev eth0 parent 1: classid 1:0 htb rate 1mbit\n",
    "tc class add dev eth0 parent 1: classid 1: htb rate 1mbit\n",
    "tc class add dev eth0 parent 1:0 classid 1:0 htb rate 1mbit\n"
    "tc class add dev eth0 parent 1:0 classid 1:20 htb rate 1mbit\n",
)


@pytest.mark.parametrize("classes", OWN_PARENTS)
def test_a_class_with_the_number_of_its_qdisc_is_said_and_not_followed_for_ever(tmp_path, classes):
    """In a process of its own: where it hangs, nothing looks at the clock."""
    script = tmp_path / "qos.sh"
    script.write_text("tc qdisc add dev eth0 root handle 1: htb default 20\n" + classes)
    ended = subprocess.run(
        [sys.executable, "-m", "qoslib", "check", str(script)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    said = " ".join(ended.stdout.split())
    assert "1:0 is the qdisc itself: give the class a number, as in 1:10" in said


def test_random_parents_of_classes_are_never_followed_for_ever():
    random = Random("parents")
    numbers = ("1:", "1:0", "1:1", "1:2", "1:20", "2:", "2:0", "2:1", ":1", ":")
    for _ in range(500):
        text = "tc qdisc add dev e root handle 1: htb default 20\n"
        for _ in range(random.randrange(1, 6)):
            parent, own = random.choice(numbers), random.choice(numbers)
            verb = random.choice(("add", "add", "replace", "change"))
            text += random.choice(
                (
                    f"tc class {verb} dev e parent {parent} classid {own} htb rate 1mbit\n",
                    f"tc qdisc {verb} dev e parent {parent} handle {own} htb default 1\n",
                )
            )
        findings = check(text, facts=FACTS, dialect="tc").findings
        assert not any("takes more than" in each.sentence for each in findings), text


def many_classes(count, match, speed):
    """A policy of classes that share what is left, each with a queue that is too deep."""
    maps = "".join(f"class-map match-any C{n}\n match {match}{n}\n" for n in range(count))
    policy = "".join(f" class C{n}\n  bandwidth remaining ratio 1\n" for n in range(count))
    port = f"interface Gi0/0\n speed {speed}\n service-policy output P\n"
    return f"{maps}policy-map P\n{policy}{port}"


#: A policy on one interface.
SMALL = MQC.split("interface Gi0/1")[0]
#: Lines that end up on no port.
ACCESS_LIST = "ip access-list extended A\n" + "".join(
    f" permit ip host 10.{n >> 16}.{n >> 8 & 255}.{n & 255} any\n" for n in range(300_000)
)


def policies(count):
    """Policies that nothing reaches."""
    return "".join(
        f"policy-map P{n}\n class class-default\n  bandwidth percent 10\n" for n in range(count)
    )


def interfaces(count):
    """Interfaces, each with a policy of its own."""
    return "".join(
        f"policy-map P{n}\n class class-default\n  shape average {n + 1_000_000}\n"
        f"interface GigabitEthernet{n}/0\n speed 100\n service-policy output P{n}\n"
        for n in range(count)
    )


#: Texts of up to 10 MB, each of which took longer than the limit somewhere after it was read.
LARGE = {
    "100 lists": many_classes(100, "access-group name A", 100),
    "100 groups with fixes that pass": many_classes(100, "qos-group ", 1000),
    "250 lists": many_classes(250, "access-group name A", 1000),
    "1,000 classes": many_classes(1000, "qos-group ", 1000),
    "2,000 classes": many_classes(2000, "qos-group ", 1000),
    "an access list": ACCESS_LIST + SMALL,
    "policies that nothing reaches": policies(100_000) + SMALL,
    "interfaces": interfaces(20_000),
    "comments": "policy-map P\n class class-default\n" + "!\n" * 4_990_000,
    "one line of Junos again and again": (
        "set class-of-service interfaces ge-0/0/0 scheduler-map M\n" * 170_000
    ),
    "matches": "class-map match-any C\n"
    + "".join(f" match access-group name A{n}\n" for n in range(100_000))
    + "policy-map P\n class C\n  priority 1000\n"
    + "interface Gi0/0\n speed 100\n service-policy output P\n",
}


@pytest.mark.parametrize("name", LARGE)
def test_one_clock_bounds_the_whole_check_by_the_time_of_the_processor(name):
    """Reading, rules and report together; a second more for what is not looked at in between."""
    begun_s = time.process_time()
    report = check(LARGE[name])
    assert time.process_time() - begun_s < bounds.MAX_SECONDS + 1
    assert len(report.to_json()) < 10_000_000


def test_an_access_list_is_no_work_and_its_lines_are_counted():
    short = check("ip access-list extended A\n permit ip any any\n" + SMALL)
    report = check(ACCESS_LIST + SMALL)
    assert [each.id for each in report.findings] == [each.id for each in short.findings]
    assert report.elsewhere == 300_001


def test_policies_that_no_interface_reaches_are_counted_where_they_are_many():
    report = check(policies(20_000) + SMALL)
    assert [each.policy for each in report.ports] == ["P"]
    (remark,) = report.remarks
    assert (remark.line, remark.text) == (1, "policy-map P0")
    assert remark.lost == (
        "No interface reaches it, nor 19,999 more blocks: 60,000 lines are not read."
    )
    report = check(policies(1000) + SMALL)
    assert sum(each.id == "policy-unattached" for each in report.findings) == 1000


def test_of_many_interfaces_one_can_be_chosen():
    text = interfaces(20_000)
    with bounds.in_time(0.5):
        (unread,) = check(text).findings
    assert "; choose one, as in --interface NAME, or give only the interface" in unread.sentence
    report = check(text, interface="Gi777/0")
    assert [each.policy for each in report.ports] == ["P777"]
    assert not any(each.id in ("unreadable", "policy-unattached") for each in report.findings)
    assert report.remarks[0].lost.startswith("Interface Gi777/0 does not need it, nor ")


def test_what_takes_too_long_is_named_with_the_line_that_was_reached(monkeypatch):
    matches = "".join(f" match access-group name A{n}\n" for n in range(50))
    text = f"class-map match-any C\n{matches}{SMALL}"
    seen = looks(monkeypatch, lambda: read(text, dialect="ios-xe"))
    lines = []
    for at in range(1, seen, 10):
        monkeypatch.setattr(bounds, "time", Clock(over_at=at))
        (found,) = check(text, dialect="ios-xe").findings
        assert found.sentence.startswith(
            "Reading its 51 lines of `match` takes more than 5 s; give"
        )
        lines.append(found.line)
    assert lines[1:4] == [10, 20, 30]
    assert all(1 <= line <= text.count("\n") for line in lines)


#: What an interface reaches in a roundabout way, which is kept beside all that is not read.
REACHED = """\
class-map match-any INNER
 match dscp ef
class-map match-any OUTER
 match class-map INNER
policy-map CHILD
 class OUTER
  priority percent 10
policy-map PARENT
 class class-default
  shape average 50000000
  service-policy CHILD
interface GigabitEthernet0/0/1
 service-policy output PARENT
"""


def test_what_an_interface_reaches_is_read_however_long_the_text_is():
    long = read(REACHED + policies(4000))
    assert [each.text for each in long.remarks] == ["policy-map P0"]
    assert long.replace(remarks=(), lines=0) == read(REACHED).replace(lines=0)


@pytest.mark.parametrize("unread", ["policy-map P\nclass C\n", "policy-map P\n class C\n"])
def test_nothing_is_left_out_of_what_is_not_indented_or_has_no_interface(unread):
    text = unread * 6000 + (REACHED if "\nclass" in unread else "")
    assert needed(text) == (text, ())


def test_many_alike_fixes_are_tried_together(monkeypatch):
    """One of a hundred and all of them; each stands in the report, and each can be pasted."""
    text, tried = many_classes(40, "qos-group ", 1000), []
    module = sys.modules["qoslib.findings.proved"]
    outcome = module._outcome
    monkeypatch.setattr(module, "_outcome", lambda *of: tried.append(of) or outcome(*of))
    found = check(text).findings
    fixed = [each for each in found if each.id == "queue-deep" and each.fix]
    assert len(fixed) == 40
    assert len(tried) < 12
    for each in (fixed[0], fixed[-1]):
        after = check(f"{text}{each.fix}\n").findings
        assert each.sentence not in {one.sentence for one in after}
    (starved,) = (each for each in found if each.id == "default-starved")
    assert starved.arithmetic.endswith("; 35 more classes are promised less.")


def test_fixes_that_there_is_no_time_for_become_words_once(monkeypatch):
    text = many_classes(40, "qos-group ", 1000)
    monkeypatch.setattr(sys.modules["qoslib.findings.check"], "left_s", lambda: 0.0)
    found = check(text).findings
    assert len(found) == 42
    assert not any(each.fix for each in found)
    (said,) = (each for each in found if "not offered as a fix" in each.arithmetic)
    words = "is not offered as a fix: there was no time to try it, nor 41 more."
    assert said.arithmetic.endswith(words)


def test_waiting_for_the_processor_does_not_count(monkeypatch):
    """A busy machine gives a check its time later, and that is no fault of the text."""
    began_s = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: began_s + 100.0)
    with bounds.in_time(1.0):
        monkeypatch.setattr(time, "monotonic", lambda: began_s + 200.0)
        bounds.check_time()


def test_what_has_a_limit_of_its_own_does_not_count():
    with bounds.in_time(0.2):
        with bounds.aside():
            begun_s = time.process_time()
            while time.process_time() - begun_s < 0.3:
                pass
        bounds.check_time()
        while time.process_time() - begun_s < 0.8:
            pass
        with pytest.raises(ConfigurationError):
            bounds.check_time()
