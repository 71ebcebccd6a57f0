"""Fixes that are typed in one after the other come to an end."""

import re

import pytest

from qoslib.checks import findings, loads
from qoslib.config import read
from qoslib.findings import check

TEXT = """\
class-map match-any VOICE
 match dscp ef
class-map match-any VIDEO
 match dscp af41
policy-map WAN
 class VOICE
  priority percent 10
 class VIDEO
COMMANDS class class-default
  bandwidth remaining ratio 1
interface GigabitEthernet0/0/1
 speed 100
 service-policy output WAN
"""
UNLIMITED = """\
class-map match-any CALLS
 match traffic-class 1
 end-class-map
policy-map CORE
 class CALLS
  priority level 1
 class class-default
  queue-limit 250 ms
 end-policy-map
interface TenGigE0/0/0/1
 service-policy output CORE
"""
RULES = ("wred-over-limit", "queue-deep", "queue-shallow")
MILLISECONDS = 'VIDEO = ["1 Mb/s", "1 bulk TCP, 20 ms"]\n[targets]\nVIDEO = "{} ms"'
SMALL = 'VIDEO = ["6 Mb/s of 200 B", "1 bulk TCP, 20 ms"]'
EARLY = "random-detect dscp-based"


def what(command):
    """What a command is about: another one of the same is instead of it."""
    words = command.split()
    return tuple(words[:3]) if words[:2] == ["random-detect", "dscp"] else words[0]


def typed(text, fix):
    """A configuration after a fix of the form "policy-map WAN", "class X", commands."""
    policy, header, *commands = (line.strip() for line in fix.split("\n"))
    assert policy == "policy-map WAN"
    lines = text.split("\n")
    start = lines.index(f" {header}") + 1
    end = next(at for at in range(start, len(lines)) if not lines[at].startswith("  "))
    kinds = {what(command) for command in commands}
    kept = [line for line in lines[start:end] if what(line) not in kinds]
    assert all(re.fullmatch(r"[\w -]+", command) for command in commands)
    return "\n".join([*lines[:start], *kept, *(f"  {each}" for each in commands), *lines[end:]])


@pytest.mark.parametrize(
    ("commands", "traffic"),
    [
        (["bandwidth percent 30"], MILLISECONDS.format(5)),
        (["bandwidth 64", EARLY, "random-detect dscp af41 100 3000"], MILLISECONDS.format(5)),
        (["bandwidth percent 1", EARLY, "random-detect dscp af41 20 40"], MILLISECONDS.format(20)),
        (["bandwidth percent 30", "queue-limit 4 packets"], SMALL),
        (["bandwidth percent 30", EARLY, "queue-limit 16 packets"], SMALL),
        (["bandwidth 10000", "queue-limit 5000 packets", EARLY], None),
        (["bandwidth 10000", "queue-limit 2000 bytes", EARLY], MILLISECONDS.format(5)),
        (
            ["bandwidth 64", EARLY, "random-detect dscp af41 20000 bytes 40000 bytes"],
            MILLISECONDS.format(20),
        ),
        (
            ["bandwidth percent 30", EARLY, "random-detect dscp af41 100 ms 300 ms"],
            MILLISECONDS.format(5),
        ),
        (["bandwidth percent 30", "queue-limit 4 packets", "random-detect"], None),
    ],
)
def test_fixes_in_turn_come_to_an_end(commands, traffic):
    text = TEXT.replace("COMMANDS", "".join(f"  {each}\n" for each in commands))
    for _ in range(5):
        found = read(text, dialect="ios-xe")
        sent = {0: loads(found.ports[0], traffic)} if traffic else None
        fixes = [each.fix for each in findings(found, sent, rules=RULES) if "VIDEO" in each.fix]
        if not fixes:
            return
        text = typed(text, fixes[0])
    pytest.fail(text)


def test_a_short_target_and_bursts_of_tcp_conflict():
    # 24 packets of 1518 B at 59.8 Mb/s.
    text = TEXT.replace("COMMANDS", "  bandwidth percent 30\n  queue-limit 24 packets\n")
    found = read(text)
    sent = {0: loads(found.ports[0], MILLISECONDS.format(5))}
    (got,) = [each for each in findings(found, sent, rules=RULES) if "VIDEO" in each.sentence]
    assert (got.id, got.severity, got.fix) == ("queue-shallow", "info", "")
    assert got.arithmetic.endswith("below 10 ms, but its target of 5 ms allows no longer one.")


def test_a_fix_says_what_its_last_commands_are_for():
    # No length of a queue is known while nothing is left for its class.
    report = check(
        UNLIMITED,
        facts={"line_rate_bps": 10e9},
        traffic='CALLS = "2 Gb/s of 200 B"\nclass-default = "7 Gb/s"',
    )
    (got,) = [each for each in report.findings if each.id == "priority-unlimited"]
    assert [line.strip() for line in got.fix.splitlines()] == [
        *("policy-map CORE", "class CALLS", "shape average percent 22"),
        *("policy-map CORE", "class class-default", "queue-limit 97499622 bytes"),
    ]
    why = "queue-deep: A full queue of class-default delays by 250 ms (243,750,000 B at 7.8 Gb/s"
    assert f"The end of the fix is for what would be found next, {why}" in got.arithmetic


def test_a_fix_of_several_lines_that_is_not_offered_is_named_by_the_first():
    text = """\
class-map match-any CALLS
 match dscp ef
class-map match-any PICTURES
 match dscp cs6 af41 af42
class-map match-any ORDERS
 match dscp af31
policy-map EDGE
 class CALLS
  priority percent 20
  police rate percent 20
 class PICTURES
  bandwidth percent 30
 class ORDERS
  bandwidth percent 35
 class class-default
  bandwidth percent 15
interface GigabitEthernet0/0
 bandwidth 50000
 service-policy output EDGE
"""
    (found,) = (each for each in check(text).findings if each.id == "control-with-video")
    said = "The fix that begins with `no match dscp cs6 af41 af42` is not offered: it brings"
    assert said in found.arithmetic
