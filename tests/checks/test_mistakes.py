"""Mistakes in the files of a check, and files that are too large: each is named."""

import sys

import pytest

from qoslib import telemetry
from qoslib.config import read
from qoslib.config.source import TakesTooLongError
from qoslib.findings import check

ASSESS = sys.modules["qoslib.findings.assess"]
CHECK = sys.modules["qoslib.findings.check"]
ABOVE = """\
GigabitEthernet0/0/1
  Service-policy output: WAN
    Class-map: class-default (match-any)
      3000 packets, 3000000 bytes
      Queueing
      target shape rate 40000000
      Service-policy : CHILD
        Class-map: VOICE (match-any)
          1000 packets, 4500 bytes
          Priority: 10000 kbps, burst bytes 25000, b/w exceed drops: 0
        Class-map: class-default (match-any)
          13x9286 packets, 2995500 bytes
          5 minute offered rate 30x000 bps, drop rate -1 bps
          queue limit 208 packets
          (queue depth/total drops/no-buffer drops) 888/0/0
          (pkts output/bytes output) 2000/2995500
"""
BELOW = """\
class-map match-any VOICE
 match dscp ef
policy-map CHILD
 class VOICE
  priority 10000 250000
 class class-default
  bandwidth remaining percent 60
policy-map WAN
 class class-default
  shape average 50000000
  service-policy CHILD
interface GigabitEthernet0/0/1
 service-policy output WAN
"""


def shown_beside(tmp_path, shown, text=BELOW):
    (tmp_path / "shown.txt").write_text(shown)
    return check(text, measured=telemetry.read(tmp_path / "shown.txt")).measured


def test_another_shaper_of_the_parent_and_another_burst_are_said(tmp_path):
    said = shown_beside(tmp_path, ABOVE)
    read_as = "the configuration is read as"
    assert f"class-default: the device shows a shape rate of 40 Mb/s, {read_as} 50 Mb/s." in said
    assert f"VOICE: the device shows a priority burst of 25,000 B, {read_as} 250,000 B." in said
    same = ABOVE.replace("rate 40000000", "rate 50000000").replace("25000,", "250000,")
    assert not [line for line in shown_beside(tmp_path, same) if read_as in line]


@pytest.mark.parametrize(
    "says",
    [
        "class class-default: '13x9286' in line 12 is no number: this value is left out.",
        "class class-default: '30x000' in line 13 is no number: this value is left out.",
        "class class-default: '-1' in line 13 is no number: this value is left out.",
        "VOICE: 4,500 bytes in 1,000 packets are 4.5 B a packet; a packet has 20 B to 65,535 B.",
        "class-default: its queue has a depth of 888 and a limit of 208: these counters"
        " contradict one another.",
    ],
)
def test_counters_that_cannot_be_are_named(tmp_path, says):
    place = "GigabitEthernet0/0/1 output: "
    assert place + says in shown_beside(tmp_path, ABOVE)


def test_loads_without_a_load_are_said():
    says = "The file of --traffic has no loads: each class is assumed to send nothing."
    assert says in check(BELOW, traffic="").assumed
    assert says not in check(BELOW, traffic='VOICE = "1 Mb/s"').assumed


def test_a_misspelt_direction_or_header_is_named_with_what_is_meant():
    nothing, found = check(BELOW.replace("policy output", "policy ouput")).findings
    assert nothing.id == "nothing-checked"
    assert (found.id, found.line) == ("unknown-command", 13)
    assert "did you mean 'output' for 'ouput'?" in found.sentence
    found, header = check(BELOW.replace("policy-map CHILD", "polcy-map CHILD")).findings
    assert (found.id, found.line) == ("line-refused", 11)
    assert (header.id, header.line) == ("unknown-command", 3)
    assert "line 3 begins with 'polcy-map', did you mean 'policy-map'?" in found.sentence


@pytest.mark.parametrize(
    ("line", "slip"),
    [
        ("  priority 10000 250000", "  priorty 10000 250000"),
        (" service-policy output WAN", " service-policy ouput WAN"),
        (" class VOICE", " class VOICEE"),
        ("policy-map CHILD", "polcy-map CHILD"),
        ("interface GigabitEthernet0/0/1", "interface GigabittEthernet0/0/1"),
    ],
)
def test_the_fix_of_a_slip_is_the_line_as_it_should_be(line, slip):
    assert BELOW.count(f"{line}\n") == 1
    text = BELOW.replace(f"{line}\n", f"{slip}\n")
    at = text.split("\n").index(slip) + 1
    (found,) = (each for each in check(text).findings if each.line == at and each.fix)
    assert found.id in ("unknown-command", "line-refused")
    assert found.fix == line.strip()


def test_a_line_that_stays_unknown_is_shown_by_no_fix():
    text = BELOW.replace("  priority 10000 250000", "  priorty hunter2")
    (found,) = (each for each in check(text).findings if each.id == "unknown-command")
    assert "did you mean 'priority'?" in found.sentence
    assert "hunter2" not in f"{found}"


def test_a_file_whose_checks_take_too_long_says_so_and_what_to_do(monkeypatch):
    def late(*_):
        raise TakesTooLongError("late")

    monkeypatch.setattr(ASSESS, "findings", late)
    report = check(BELOW + "interface GigabitEthernet0/0/2\n service-policy output WAN\n")
    assert not report.empty
    assert [each.sentence for each in report.findings] == [
        "Checking its 2 ports takes more than 5 s; choose an interface, as in --interface"
        " GigabitEthernet0/0/1"
    ]


def test_no_rule_looks_at_all_lines_for_each_port(monkeypatch):
    seen = []

    class Counting(tuple):
        def __iter__(self):
            seen.append(1)
            return super().__iter__()

    def passes(ports):
        text = BELOW + "".join(
            f"interface GigabitEthernet0/1/{n}\n service-policy output WAN\n" for n in range(ports)
        )
        found = read(text)
        object.__setattr__(found, "statements", Counting(found.statements))
        monkeypatch.setattr(CHECK, "read", lambda *_: found)
        seen.clear()
        check(text)
        return len(seen)

    assert passes(40) == passes(4)
