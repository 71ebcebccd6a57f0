"""``python -m qoslib check``: what it prints, how it ends, and what it never shows."""

import json
import re
import subprocess
import sys
from unittest.mock import MagicMock

import pandas as pd
import pytest

from qoslib import __main__, measurements, telemetry
from qoslib.checks import RULES, Finding, loads
from qoslib.config import read
from qoslib.config.amounts import parse_amount
from qoslib.findings import MODEL_RULES, Report, check, scenario_of, under_load
from qoslib.findings.document import annotations, document
from qoslib.findings.page import page

SECRETS = ("hush-community", "9$secret", "topsecret", "198.51.100.7", "wifi-key")
EDGE = """\
hostname edge1
enable secret 9 9$secret
snmp-server community hush-community RO
username me password 0 topsecret
crypto isakmp key wifi-key address 198.51.100.7
!
class-map match-any VOICE
 match dscp ef
class-map match-any VIDEO
 match dscp af41
class-map match-any CONTROL
 match dscp cs6
policy-map MARK-IN
 class VOICE
  set dscp ef
policy-map CHILD
 class VOICE
  priority percent 20
 class VIDEO
  bandwidth percent 30
 class CONTROL
  bandwidth percent 5
 class class-default
  bandwidth percent 30
policy-map PARENT
 class class-default
  shape average 50000000
   service-policy CHILD
interface GigabitEthernet0/0/1
 ip address 198.51.100.7 255.255.255.0
 service-policy output PARENT
interface GigabitEthernet0/0/2
 service-policy input MARK-IN
"""
LOAD = """\
VOICE = "40 calls G.711"
VIDEO = "12 Mb/s video"
CONTROL = "100 kb/s of 100 B"
class-default = ["20 Mb/s", "2 TCP, 20 ms"]
"""
OVER = LOAD.replace("12 Mb/s", "40 Mb/s") + "[targets]\nVIDEO = '20 ms'\n"


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run the command in a folder with these files; gives its status and what it printed."""
    monkeypatch.chdir(tmp_path)
    files = {"edge.cfg": EDGE, "load.toml": LOAD, "over.toml": OVER}
    files["serial.cfg"] = "interface Serial0/0/0\n service-policy output CHILD\n" + EDGE
    files["old.cfg"] = EDGE.replace("bandwidth percent 30", "bandwidth percent 20", 1)
    files["bad.cfg"] = EDGE + "banner motd ^C\nwithout an end\n"
    files["plain.cfg"] = "hostname a\ninterface GigabitEthernet0/0/1\n ip address dhcp\n"
    files["other.toml"] = LOAD + '["Gi9/9"]\nVOICE = "1 calls G.711"\n'
    files["bare.toml"] = LOAD + "[targets]\nVOICE = '10'\n"
    files["bad.toml"] = '\nVOICE = "forty calls"\n'
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def ran(*arguments):
        status = __main__.main(["check", *arguments])
        return status, *capsys.readouterr()

    return ran


def test_a_sound_configuration_ends_with_0_and_its_table(run):
    status, out, _ = run(
        "edge.cfg", "--interface", "GigabitEthernet0/0/1", "--traffic", "load.toml"
    )
    assert status == 0
    # TCP shares the queue of the default class, which drops what else is in it.
    assert "0 errors, 1 warning" in out
    assert re.search(r"^WARN  loss +line \d+ +Class class-default loses", out, re.MULTILINE)
    # 20 % of the shaper, 40 calls of 87.2 kb/s, 30 % of 50 Mb/s and a third of
    # 50 - 10 - 15 - 2.5 - 15 = 7.5.
    assert re.search(r"^VOICE +EF +3\.49 Mb/s \[1\] +10 Mb/s +10 Mb/s \[2\]", out, re.MULTILINE)
    assert re.search(r"^VIDEO +AF41 +12 Mb/s +17\.5 Mb/s \[\d\] +50 Mb/s", out, re.MULTILINE)
    assert "40 calls x 87.2 kb/s" in out
    assert "[2] computed: its policer, when congested" in out
    assert "15 Mb/s guaranteed + 7.5 Mb/s left / 3" in out
    assert re.search(r"^VIDEO +100 % +12 Mb/s +0 % +- +- +- +fluid$", out, re.MULTILINE)
    # Three delays of the packet model, each no shorter than the one before.
    (row,) = re.findall(r"^VIDEO +100 % +12 Mb/s +0 % +(.*) +packets$", out, re.MULTILINE)
    delays = [parse_amount(text, "s") for text in re.split(" {2,}", row.strip())]
    assert len(delays) == 3
    assert delays == sorted(delays)
    said = r"^The packet model's values are means of \d+ runs of \S+ s at 100 % of the load,"
    assert re.search(said, out, re.MULTILINE)


def test_too_much_ends_with_1_and_says_what_is_lost(run):
    arguments = "edge.cfg", "--traffic", "over.toml"
    status, out, _ = run(*arguments)
    assert status == 1
    assert "Class VIDEO loses" in out
    assert "fluid model" in out
    assert "The p99 delay of VIDEO is" in out
    assert run(*arguments, "--fail-on", "never")[0] == 0


def test_without_a_load_each_class_sends_its_minimum_and_that_is_said(run):
    status, out, _ = run("edge.cfg")
    assert status == 0
    assert "No load was given" in out
    assert run("edge.cfg", "--fail-on", "info")[0] == 1


def test_a_missing_fact_is_asked_for_with_what_to_type(run):
    status, out, err = run("serial.cfg")
    assert status == 2
    (answer,) = re.findall(r"--fact '(Serial0/0/0\.line_rate_bps)=VALUE'", err)
    status, out, err = run("serial.cfg", "--fact", f"{answer}=2048k")
    assert (status, err) == (0, "")
    assert "fact Serial0/0/0.line_rate_bps" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.cfg"], "nowhere.cfg: No such file"),
        (["."], "name a file that you may read"),
        (["edge.cfg", "--traffic", "bad.toml"], "bad.toml: line 2: .*40 calls G.711"),
        (["edge.cfg", "--traffic", "edge.cfg"], "edge.cfg: line 1: .*VOICE ="),
        (["edge.cfg", "--fact", "speed=1G"], "line_rate_bps"),
        (["edge.cfg", "--fact", "line_rate_bps"], "NAME=VALUE"),
        (["edge.cfg", "--fact", "line_rate_bps=fast"], "100M"),
        (["edge.cfg", "--dialect", "vyos"], "ios-xe"),
        (["edge.cfg", "--fact", "Gi0/7.contract_bps=50M"], "'Gi0/7'.*GigabitEthernet0/0/1, "),
        (["edge.cfg", "--against", "bad.cfg"], "the older configuration: line"),
        (["edge.cfg", "--fact", "platform=foo"], "'foo'.*m120, mpc, srx"),
        (["edge.cfg", "--traffic", "other.toml"], "other.toml.*'Gi9/9'.*GigabitEthernet0/0/1, "),
        (["edge.cfg", "--traffic", "bare.toml"], "target of VOICE.*'10'.*'20 ms'"),
        (["plain.cfg", "--dialect", "ios-xe"], "no policy, scheduler or qdisc found in plain.cfg"),
        (["edge.cfg", "--html", "no/folder/page.html"], "no/folder"),
    ],
)
def test_what_cannot_be_ends_with_2_and_one_line(run, arguments, says):
    status, _, err = run(*arguments)
    assert status == 2
    assert re.search(says, err)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bad.cfg"], "This banner has no end"),
        (["edge.cfg", "--interface", "Gi9"], "GigabitEthernet0/0/1"),
        (["load.toml"], "dialect"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_finding_and_ends_with_2(run, arguments, says):
    status, out, _ = run(*arguments)
    assert status == 2
    assert "unreadable" in out
    assert says in out


def test_against_says_what_each_class_gains_and_loses(run):
    _, out, _ = run("edge.cfg", "--against", "old.cfg", "--traffic", "over.toml")
    # 15 + 7.5 / 3 in place of 10 + 12.5 / 3.
    assert "VIDEO: its minimum rises from 14.2 Mb/s to 17.5 Mb/s" in out
    assert re.search(r"it loses\s+\S+ %\s+of\s+the\s+given\s+load\s+instead\s+of\s+\S+ %", out)


def test_interfaces_of_one_policy_are_run_once_and_found_once(monkeypatch):
    from qoslib import fluid

    calls, solve = [], fluid.solve
    monkeypatch.setattr(fluid, "solve", lambda *given: calls.append(str(given)) or solve(*given))
    more = "".join(
        f"interface GigabitEthernet0/1/{n}\n service-policy output PARENT\n" for n in range(5)
    )
    report = check(EDGE + more, traffic=OVER.partition("[targets]")[0])
    assert {each.interface for each in report.findings if each.id == "loss"} == {
        "GigabitEthernet0/0/1 out and 5 more"
    }
    assert len(report.ports) == 7
    # Once for the rule and the table, and once for each fix that is tried.
    assert len(calls) == len(set(calls)) < 5


def test_json_and_annotations_are_for_machines(run):
    status, out, _ = run("edge.cfg", "old.cfg", "--traffic", "over.toml", "--json")
    first, second = json.loads(out)
    assert (status, first["file"], second["file"]) == (1, "edge.cfg", "old.cfg")
    assert first["findings"][0]["severity"] == "error"
    _, out, _ = run("edge.cfg", "--traffic", "over.toml", "--annotate")
    assert all(re.match(r"::(error|warning|notice) file=edge.cfg,", x) for x in out.splitlines())


def test_an_annotation_stays_on_its_line():
    finding = Finding("a", "info", 0, "50 %\n::error::x")
    (line,) = annotations(Report("a,b:c", findings=(finding,)))
    assert line == "::notice file=a%2Cb%3Ac,title=a::50 %25%0A::error::x"


def test_no_secret_is_ever_shown(run, tmp_path):
    pages = "--html", "page.html", "--markdown", "page.md"
    shown = [*run("edge.cfg", "--traffic", "load.toml", *pages, "--all")[1:]]
    shown += run("edge.cfg", "--json")[1:]
    shown += run("bad.cfg")[1:]
    shown += [(tmp_path / name).read_text() for name in ("page.html", "page.md")]
    assert [secret for secret in SECRETS for text in shown if secret in text] == []


def test_the_page_stands_alone_and_its_numbers_open(run, tmp_path):
    run("edge.cfg", "--traffic", "over.toml", "--html", "page.html")
    html = (tmp_path / "page.html").read_text()
    assert not re.search(r"https?:|\bsrc=|<link|@import|url\(", html)
    assert html.index('class="lead"') < html.index("<table>") < html.index("<h2>Findings</h2>")
    assert "<details><summary>17.5 Mb/s</summary>" in html
    assert "Copy for ticket" in html
    assert "prefers-color-scheme: dark" in html
    for load in ("80 %", "100 %", "120 %"):
        assert f"<td>{load}</td>" in html
    assert "show policy-map interface GigabitEthernet0/0/1 output" in html


def test_a_page_escapes_what_a_file_says():
    finding = Finding("a", "info", 1, "<script>alert(1)</script>", fix="</pre><img>")
    html = page([Report("<b>", findings=(finding,))])
    assert "<script>alert" not in html
    assert "<img>" not in html
    assert "<b>" not in html.replace("<b>info</b>", "")


def test_files_without_queues_among_others_are_a_note(run):
    status, _, err = run("edge.cfg", "plain.cfg", "--dialect", "ios-xe")
    assert (status, err) == (0, "note: no policy, scheduler or qdisc found in plain.cfg\n")
    _, out, _ = run("edge.cfg", "--against", "plain.cfg")
    assert "the older configuration has no port with queues" in out


@pytest.mark.parametrize(
    ("comment", "why"),
    [
        ("queue-deap backup only", "no rule is called 'queue-deap'"),
        ("queue-deep", "it gives no reason"),
    ],
)
def test_a_comment_that_silences_nothing_is_a_warning_at_its_line(comment, why):
    report = check(f"hostname a\n! qoslib: ignore {comment}\n{EDGE}")
    (got,) = [each for each in report.findings if each.id == "ignore-idle"]
    assert (got.line, got.severity, why in got.sentence) == (2, "warning", True)


CLASSIC = """\
class-map match-any A
 match ip dscp af41
class-map match-any B
 match ip dscp af21
policy-map CH
 class A
  bandwidth 40000
  passphrase hush-hush 7 word
 class B
  bandwidth 40000
policy-map P
 class class-default
  shape average 50000000
  service-policy CH
interface FastEthernet0/0
 service-policy output P
"""


def test_kilobits_beyond_a_shaper_are_an_error_on_classic_ios():
    (got,) = [e for e in check(CLASSIC, dialect="ios").findings if e.id == "guarantees-over"]
    assert (got.severity, "A 40 Mb/s + B 40 Mb/s = 80 Mb/s of 50 Mb/s" in got.arithmetic) == (
        "error",
        True,
    )


def test_of_an_unknown_line_two_words_are_shown():
    report = check(CLASSIC, dialect="ios")
    (got,) = [each for each in report.remarks if each.kind == "unknown"]
    assert got.text == "passphrase hush-hush ..."


def test_a_line_rate_by_the_type_of_an_interface_says_so():
    text = "policy-map P\n class class-default\n  bandwidth percent 50\n"
    port = "interface GigabitEthernet0/0\n negotiation auto\n"
    service = " service-policy output P\n"
    row = check(text + port + service).ports[0].rows[0]
    assert (row.maximum.text, row.maximum.kind) == ("1 Gb/s", "assumed")
    assert "the type of GigabitEthernet0/0" in row.maximum.why
    row = check(text + port + " speed 1000\n" + service).ports[0].rows[0]
    assert row.maximum.kind == "configured"


HTB = """\
tc qdisc add dev eth0 root handle 1: htb default 30
tc class add dev eth0 parent 1: classid 1:1 htb rate 50mbit ceil 50mbit
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 30mbit ceil 50mbit
tc class add dev eth0 parent 1:1 classid 1:30 htb rate 20mbit ceil 50mbit
tc qdisc add dev eth0 parent 1:30 handle 30: fq_codel
"""


EARLY_IN_A_POOL = """{
"PORT": {"Ethernet0": {"speed": "10000"}},
"WRED_PROFILE": {"w": {"wred_green_enable": "true", "green_min_threshold": "100000",
"green_max_threshold": "500000"}},
"BUFFER_POOL": {"p": {"size": "12000000"}},
"BUFFER_PROFILE": {"b": {"pool": "p", "size": "0", "dynamic_th": "1"}},
"BUFFER_QUEUE": {"Ethernet0|0": {"profile": "b"}},
"QUEUE": {"Ethernet0|0": {"wred_profile": "w"}}
}"""


def test_early_drop_in_a_shared_memory_is_named_in_words():
    report = check(EARLY_IN_A_POOL, traffic='"queue 0" = "11 Gb/s"')
    (why,) = [line for line in report.assumed if "fluid model was" in line]
    assert "it has no early drop in a shared memory, as queue 0 has. The packet" in why


def test_what_the_fluid_model_does_not_have_runs_in_packets_and_says_why():
    traffic = '"1:20" = "20 Mb/s of IMIX"\n"1:30" = "2 TCP, 20 ms"\n[targets]\n"1:20" = "1 s"\n'
    report = check(HTB, traffic=traffic, facts={"line_rate_bps": 1e9})
    (port,) = report.ports
    assert {run.model for run in port.runs} == {"packets"}
    (why,) = [line for line in report.assumed if "fluid model" in line]
    assert "it has no CoDel, as 1:30 has. The packet model ran" in why
    assert "Codel(" not in why
    (met,) = port.met
    assert re.fullmatch(r"Target met: the p99 delay of 1:20 is .* µs, its target 1 s .*", met)


JUNOS = """\
class-of-service {
  drop-profiles { agg { fill-level 50 drop-probability 0; fill-level 80 drop-probability 100; } }
  forwarding-classes { queue 0 BE; queue 3 NC; }
  interfaces { ge-0/0/0 { scheduler-map M; shaping-rate 20m; } }
  scheduler-maps { M { forwarding-class BE scheduler be; forwarding-class NC scheduler nc; } }
  schedulers {
    be {
      transmit-rate percent 50;
      buffer-size temporal 50k;
      drop-profile-map loss-priority high protocol any drop-profile agg;
    }
    nc { transmit-rate percent 5; buffer-size temporal 50k; }
  }
}
"""


def test_profiles_by_loss_priority_are_said_in_words_and_routing_lost_is_an_error():
    traffic = 'BE = "30 Mb/s"\nNC = "9 Mb/s"\n[targets]\nBE = "1 s"\n'
    report = check(JUNOS, traffic=traffic, facts={"line_rate_bps": 1e9, "delay_buffer_s": 0.1})
    (why,) = [line for line in report.assumed if "fluid model" in line]
    assert "no drop profiles by loss priority, as BE has" in why
    lost = {e.sentence.split()[1]: e.severity for e in report.findings if e.id == "loss"}
    assert lost == {"BE": "warning", "NC": "error"}


@pytest.mark.parametrize(
    "words", ["1 kb/s of 64 B", "100 Gb/s of 64 B", "6 Mb/s video", "1000 TCP, 20 ms"]
)
def test_a_run_of_the_packet_model_is_bounded(words):
    text = "policy-map P\n class class-default\n  queue-limit 64 packets\n"
    text += "interface GigabitEthernet0/0\n service-policy output P\n"
    (port,) = read(text).ports
    scenario = scenario_of(port, loads(port, f'class-default = "{words}"'))
    assert 0 < scenario.duration_s <= under_load.LONGEST_S
    packets = scenario.duration_s * sum(s.rate_bps / 8 / s.frame_bytes for s in scenario.streams)
    assert packets <= under_load.PACKETS * 1.001


def test_many_ports_say_how_far_the_packet_model_is_on_a_terminal_alone(run, tmp_path, monkeypatch):
    more = EDGE + "interface GigabitEthernet0/0/3\n speed 100\n service-policy output CHILD\n"
    (tmp_path / "two.cfg").write_text(more)
    told = []
    check(more, traffic=LOAD, progress=lambda done, whole: told.append((done, whole)))
    assert (told[0], told[-1]) == ((0.0, 2), (2.0, 2))
    assert told == sorted(told)
    arguments = "two.cfg", "--traffic", "load.toml"
    assert run(*arguments)[2] == ""
    bars = []
    monkeypatch.setattr("tqdm.auto.tqdm", lambda **given: bars.append(given) or MagicMock(n=0))
    monkeypatch.setattr("qoslib.findings.command._PATIENCE_S", -1.0)
    monkeypatch.setenv("TQDM_DISABLE", "0")
    run(*arguments)
    assert bars == []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run("two.cfg")
    assert bars == []
    run(*arguments)
    (bar,) = bars
    assert bar["total"] == 2
    assert "ports in the packet model" in bar["bar_format"]


def test_a_packet_that_is_on_its_way_at_the_end_is_not_lost():
    text = "policy-map P\n class class-default\n  shape average 50000000\n"
    text += "interface GigabitEthernet0/0\n service-policy output P\n"
    traffic = 'class-default = "10 Mb/s video"'
    runs = check(text, traffic=traffic, full=True).ports[0].runs
    packets = [run for run in runs if run.model == "packets"]
    assert [run.load_ratio for run in packets] == [0.8, 1.0, 1.2]
    assert [run.drop_ratio for run in packets] == [0.0, 0.0, 0.0]


def test_a_fix_of_priority_is_in_per_cent_where_the_policy_is():
    text = EDGE.replace("priority percent 20", "priority percent 40")
    (got,) = [each for each in check(text).findings if each.id == "llq-share"]
    assert got.fix == "policy-map CHILD\n class VOICE\n  priority percent 33"
    kilobits = re.sub(r"(priority|bandwidth) percent (\d+)", r"\1 \g<2>0000", EDGE)
    kilobits = kilobits.replace("50000000", "900000000")
    fixes = [each.fix for each in check(kilobits).findings if each.id != "ef-never-set"]
    assert not any("percent" in fix for fix in fixes)


REST = 'class-default = "50 Mb/s"'


def test_fixes_of_losses_fit_together_and_speak_as_the_policy_does():
    fixes = {}
    for unit in ("percent 10", "5000"):
        text = EDGE.replace("priority percent 20", f"priority {unit}")
        for old in ("bandwidth percent 30", "bandwidth percent 5"):
            text = text.replace(old, f"bandwidth {unit}")
        report = check(text, traffic='VIDEO = "22 Mb/s"\nCONTROL = "21 Mb/s"\n' + REST)
        lost = [each for each in report.findings if each.id == "loss"]
        assert [each.fix for each in lost] == [""] * 3
        said = " ".join(each.arithmetic for each in lost)
        fixes[unit] = re.findall(r"`(.*?)` is not offered as a fix: (.*?)\.", said)
        assert len(re.findall(r"The fix of \w+ leaves no room for more", said)) == 1
    # 22 Mb/s and 5 % more are 23.1: 17.15 Mb/s + (50 - 5 - 5 - 5 - 17.15) / 3, and 17.15 of 50 are
    # 34.3 %. Its queue of packets then lasts too long for what CONTROL has left.
    why = "it brings another finding, queue-deep: A full queue of CONTROL delays by {} ms"
    assert fixes == {
        "percent 10": [("bandwidth percent 35", why.format(233))],
        "5000": [("bandwidth 17150", why.format(231))],
    }


def test_a_loss_is_an_error_by_what_it_carries_not_by_a_target():
    text = EDGE.replace("bandwidth percent 30", "bandwidth percent 20")
    load = 'VIDEO = "60 Mb/s"\nCONTROL = "40 Mb/s"\n[targets]\nVIDEO = "1 s"\n'
    lost = [each for each in check(text, traffic=load).findings if each.id == "loss"]
    assert {each.sentence.split()[1]: each.severity for each in lost} == {
        "VIDEO": "warning",
        "CONTROL": "error",
    }


def test_a_comment_silences_and_the_report_lists_it(run, tmp_path):
    comment = "! qoslib: ignore ef-never-set the phones set it\n"
    (tmp_path / "said.cfg").write_text(comment + EDGE.replace("  set dscp ef\n", ""))
    _, out, _ = run("said.cfg")
    assert "INFO  ef-never-set" not in out
    assert re.search(r"Ignored:\n +ef-never-set, line \d+: the phones set it", out)


def test_a_model_that_cannot_run_says_so_and_the_rest_stands(monkeypatch):
    def refuse(*_):
        raise ValueError("no rule for this")

    monkeypatch.setattr("qoslib.fluid.solve", refuse)
    report = check(EDGE, traffic=LOAD)
    assert set(MODEL_RULES).isdisjoint(RULES)
    assert any("fluid model was not run: no rule for this" in line for line in report.assumed)
    assert report.ports[0].rows


SHOWN = """\
GigabitEthernet0/0/1

  Service-policy output: PARENT

    Class-map: VIDEO (match-any)
      2000000 packets, 2800000000 bytes
      5 minute offered rate 14000000 bps, drop rate 1000000 bps
      Match:  dscp af41 (34)
      Queueing
      queue limit 64 packets
      (queue depth/total drops/no-buffer drops) 10/2000/0
"""


def test_counters_are_the_load_and_show_what_was_read_wrongly(run, tmp_path):
    (tmp_path / "shown.txt").write_text(SHOWN)
    _, out, _ = run("edge.cfg", "--measured", "shown.txt")
    assert re.search(r"^VIDEO +AF41 +14 Mb/s \[\d\]", out, re.MULTILINE)
    assert "counted by the device" in out
    assert "shows a queue limit of 64 packets, the configuration is read as 208" in out
    pattern = r"^VIDEO +queue dropped packets +2,000 packets +0 packets \(-100 %\) +0 packets \("
    assert re.search(pattern, out, re.MULTILINE)
    assert "Not compared: queue_depth of VIDEO: one look at a queue" in " ".join(out.split())
    assert "Nobody said what is sent to VOICE, CONTROL, class-default" in out
    status, _, err = run("edge.cfg", "--measured", "load.toml")
    assert (status, err.count("\n")) == (2, 1)


def test_measured_values_may_be_a_table_or_plain_records():
    tables = telemetry.read(SHOWN), telemetry.rows(SHOWN)
    one, other = (document(check(EDGE, measured=table)) for table in tables)
    assert one == other
    assert one["measured"]
    with pytest.raises(ValueError, match="measured is 'counters'; allowed: a DataFrame or Measur"):
        check(EDGE, measured="counters")


def test_a_measured_value_is_beside_the_same_statistic_of_each_model():
    seen = pd.DataFrame({"statistic": ["average", "p99", "maximum"], "value": [1.0, 20.0, 30.0]})
    seen = measurements.load(seen.assign(stream="VIDEO", quantity="latency", unit="ms"))
    report = check(EDGE, measured=seen, traffic='VIDEO = ["9 Mb/s video", "4 Mb/s"]')
    found = {each.quantity: each for each in report.ports[0].compared}
    assert set(found) == {"latency_average", "latency_p99", "latency_maximum"}
    assert {each.name for each in found.values()} == {"VIDEO"}
    assert [found[f"latency_{q}"].fluid for q in ("p99", "maximum")] == [None, None]
    packets = [each.packets for each in found.values()]
    assert packets == sorted(packets)
    for each in found.values():
        assert each.packets_error == pytest.approx(each.packets / each.measured - 1)
    assert sum("fluid has one latency a stream" in note for note in report.measured) == 2
    html = page([report])
    assert html.count("<svg") == 3
    # The measured value stands in the middle, and each model's as far from it as it errs.
    at = [int(x) for x in re.findall(r'<circle cx="(\d+)"', html)]
    errors = [min(each.packets_error, 1.0) for each in report.ports[0].compared]
    assert at[::2] == [at[0]] * 3
    assert at[1::2] == [pytest.approx(at[0] * (1 + error), abs=0.5) for error in errors]
    assert html.count('class="fluid"/>') == 1
    assert "A maximum is compared with a maximum" in html


def test_what_was_measured_elsewhere_or_with_an_unknown_load_is_not_compared():
    elsewhere = telemetry.read(SHOWN.replace("0/0/1", "0/0/9"))
    report = check(EDGE, measured=elsewhere)
    (said,) = report.measured
    assert said == "Nothing in the measured file is about a port of this configuration."
    counters = telemetry.read(SHOWN.replace("GigabitEthernet", "Gi"))
    rates = counters[~counters["quantity"].str.contains("bits")]
    report = check(EDGE, measured=rates)
    assert any("no model is compared" in said for said in report.measured)
    assert report.ports[0].compared == ()


def test_an_interface_may_be_shortened_as_the_vendor_does(run):
    assert run("edge.cfg", "--interface", "gi0/0/1")[0] == 0
    both = EDGE.replace("GigabitEthernet0/0/2", "GmpEthernet0/0/1")
    said = check(both, interface="G0/0/1").findings[0].sentence
    assert "'G0/0/1' may be GigabitEthernet0/0/1 or GmpEthernet0/0/1" in said


def test_a_check_loads_no_tables_figures_or_engines():
    code = "import sys, qoslib.findings.command; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pandas", "plotly", "numba", "IPython"} & set(done.stdout.split())


def test_counters_that_end_before_the_last_class_are_said():
    cut = """GigabitEthernet0/0/1
  Service-policy output: PARENT
    Class-map: VOICE (match-any)
      2000 packets, 2800000 bytes
"""
    said = check(EDGE, measured=telemetry.read(cut)).measured
    assert any("no counters of VIDEO, CONTROL, class-default" in each for each in said)


def test_rates_and_counters_that_do_not_fit_are_said():
    shown = """GigabitEthernet0/0/1
  Service-policy output: PARENT
    Class-map: VOICE (match-any)
      2000 packets, 2800000 bytes
      Priority: 10% (5000 kbps), burst bytes 125000, b/w exceed drops: 0
    Class-map: VIDEO (match-any)
      2000 packets, 2800000 bytes
      Queueing
      queue limit 208 packets
      (queue depth/total drops/no-buffer drops) 0/0/0
      (pkts output/bytes output) 4000/5600000
      bandwidth 30% (15000 kbps)
    Class-map: CONTROL (match-any)
      9 packets, 900 bytes
      bandwidth remaining ratio 3
"""
    said = check(EDGE, measured=telemetry.read(shown)).measured
    for sentence in (
        "VOICE: the device shows a priority rate of 5 Mb/s, the configuration is read as 10 Mb/s.",
        "VIDEO: 4,000 packets sent and dropped, of 2,000 offered: these counters contradict",
        "No class-default, which every policy has: the text seems to be cut off after CONTROL.",
        "The measured file has no counters of class-default: is it cut off?",
    ):
        assert any(sentence in each for each in said), sentence
    assert not any("bandwidth rate" in each for each in said)
