"""What a check prints of many ports, findings, lines and files: each fact once, all with --all."""

import json
import re
import sys

import pytest

from qoslib import __main__
from qoslib.config import ConfigurationError
from qoslib.findings import check
from qoslib.findings.markdown import markdown
from qoslib.findings.page import page
from qoslib.findings.terminal import terminal

POLICY = """\
class-map match-any VOICE
 match dscp ef
class-map match-any DATA
 match dscp af21
policy-map EDGE
 class VOICE
  priority percent 50
 class DATA
  bandwidth percent 10
  queue-limit 4000 packets
 class class-default
  fair-queue
"""


def on(*interfaces):
    return POLICY + "".join(
        f"interface {each}\n speed 100\n service-policy output EDGE\n" for each in interfaces
    )


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def ran(*arguments):
        status = __main__.main(["check", *arguments])
        return status, capsys.readouterr().out

    return ran


def test_ports_alike_have_one_table_with_their_number():
    names = [f"GigabitEthernet0/0/{n}" for n in range(30)]
    report = check(on(*names))
    text = terminal(report)
    assert text.count("class          marks") == 1
    assert "(30 ports alike)" in text
    assert "GigabitEthernet0/0/2 out and 27 more" in text
    every = terminal(report, everything=True)
    assert every.count("class          marks") == 30
    assert all(f"{name} out" in every for name in names)


def test_findings_of_a_rule_are_shown_three_times_and_counted():
    classes = (
        "".join(f"class-map match-any C{n}\n match dscp {n + 30}\n" for n in range(12))
        + "policy-map P\n"
        + "".join(
            f" class C{n}\n  bandwidth percent 3\n  queue-limit {4000 + n} packets\n"
            for n in range(12)
        )
    )
    report = check(f"{classes}interface GigabitEthernet0/0\n speed 100\n service-policy output P\n")
    deep = [each for each in report.findings if each.id == "queue-deep"]
    # And one of the default class, as an info.
    assert [each.severity for each in deep] == ["warning"] * 12 + ["info"]
    text = terminal(report)
    assert len(re.findall(r"^WARN  queue-deep", text, re.MULTILINE)) == 3
    said = r"and 9 more of queue-deep \(lines [\d, ]+\): --all lists them"
    assert re.search(said, " ".join(text.split()))
    assert len(re.findall("queue-deep", terminal(report, everything=True))) == 13


def test_lines_that_are_not_modelled_for_one_reason_are_one_remark():
    classes = "".join(f"class-map match-any C{n}\n match dscp {n + 30}\n" for n in range(6))
    policy = "policy-map P\n" + "".join(
        f" class C{n}\n  bandwidth percent 5\n  queue-limit percent 9\n" for n in range(6)
    )
    report = check(f"{classes}{policy}interface GigabitEthernet0/0\n service-policy output P\n")
    text = " ".join(terminal(report).split())
    assert text.count("queue-limit percent 9 (not modelled)") == 1
    assert "Likewise lines 19, 22, 25" in text
    assert terminal(report, everything=True).count("percent 9 (not") == 6


def test_two_hundred_files_have_a_line_each(run, tmp_path):
    files = [f"sw{n}.cfg" for n in range(200)]
    for name in files:
        (tmp_path / name).write_text(on("GigabitEthernet0/0/1"))
    status, out = run(*files)
    assert len(out.splitlines()) <= 400
    assert all(re.search(rf"^{name} +ios-xe ", out, re.MULTILINE) for name in files)
    (total,) = re.findall(r"^200 files: (\d+) errors, (\d+) warnings, (\d+) infos", out, re.M)
    one = check(on("GigabitEthernet0/0/1"))
    counts = [200 * one.count(severity) for severity in ("error", "warning", "info")]
    assert [int(number) for number in total] == counts
    few, out = run(*files[:4], "--all")
    assert out.count("llq-share") == 4
    assert status == few


def test_all_and_json_hold_every_finding_and_remark(run, tmp_path):
    names = [f"GigabitEthernet0/0/{n}" for n in range(5)]
    (tmp_path / "a.cfg").write_text(on(*names))
    report = check(on(*names), "a.cfg")
    _, out = run("a.cfg", "--all")
    heads = re.findall(r"^(?:ERROR|WARN|INFO) +(\S+)", out, re.MULTILINE)
    assert sorted(heads) == sorted(each.id for each in report.findings)
    assert out.count("(not modelled)") == len(report.remarks)
    _, out = run("a.cfg", "--json")
    (document,) = json.loads(out)
    assert len(document["findings"]) == len(report.findings)
    assert len(document["remarks"]) == len(report.remarks)
    assert len(document["ports"]) == 5


def test_a_port_that_has_not_settled_is_no_all_clear(monkeypatch):
    module = sys.modules["qoslib.findings.modelled"]
    monkeypatch.setattr(module, "SECONDS", 1e-9)
    monkeypatch.setattr(module, "TRIAL_SECONDS", 1e-9)
    text = """\
policy-map P
 class class-default
  police 50000000 2000000000
interface GigabitEthernet0/0
 speed 100
 service-policy output P
"""
    traffic = 'class-default = "60 Mb/s"\n[targets]\nclass-default = "100 ms"'
    report = check(text, traffic=traffic)
    assert not [each for each in report.findings if each.model == "packets"]
    (doubt,) = report.doubts
    assert "the policer's bucket of class-default still drains (not settled after" in doubt
    assert report.ports[0].met == ("Undecided: whether class-default meets its target of 100 ms.",)
    shown = terminal(report)
    assert "Target met" not in shown
    assert "no all-clear" in shown.splitlines()[-1]
    assert "not settled" in page([report])


CATALYST = (
    POLICY
    + """\
interface TenGigabitEthernet1/0/1
 switchport mode trunk
 service-policy output EDGE
mls qos
"""
)
SEVERAL = """\
policy-map QUEUEING
 class VOICE
  priority level 1
 class class-default
  bandwidth remaining ratio 70
 end-policy-map
policy-map POLICING
 class class-default
  police rate 1 gbps
  !
 end-policy-map
interface HundredGigE0/0/0/1
 service-policy output QUEUEING
 service-policy output POLICING
"""
CHOKE = "tc qdisc add dev eth0 root choke limit 1000 bandwidth 20mbit\n"
#: Text, its port without a promise, one of its classes, and whether its classes are known.
UNPROMISED = {
    "Catalyst with queues by number": (CATALYST, "TenGigabitEthernet1/0/1 out", "VOICE", True),
    "several policies": (SEVERAL, "HundredGigE0/0/0/1 out", "VOICE", False),
    "CHOKe": (CHOKE, "eth0 out", "choke", True),
}
NOTHING = (
    "nothing is promised: the mechanism that decides is not in the models, or not in this text."
)


@pytest.mark.parametrize("kind", UNPROMISED)
def test_a_port_without_a_promise_is_no_all_clear(kind, run, tmp_path):
    text, port, *_ = UNPROMISED[kind]
    report = check(text)
    assert report.doubts == (f"{port}: {NOTHING}",)
    assert report.summary == f"This is no all-clear. {port}: {NOTHING}"
    assert report.ports[0].met == ()
    (tmp_path / "a.cfg").write_text(text)
    status, out = run("a.cfg")
    assert status == 3
    assert run("a.cfg", "--fail-on", "never")[0] == 0
    assert out.splitlines()[-1].endswith("; no all-clear: 1 port without a promise")
    _, out = run("a.cfg", "--json")
    assert json.loads(out)[0]["doubts"] == [f"{port}: {NOTHING}"]
    _, out = run("a.cfg", "--markdown", "-", "--html", "a.html")
    assert all("This is no all-clear" in shown for shown in (out, page([report])))
    assert "Nothing is wrong" not in out + (tmp_path / "a.html").read_text()
    _, out = run("a.cfg", "--annotate")
    assert f"::notice file=a.cfg,title=no all-clear::{port}: nothing is promised" in out
    (tmp_path / "b.cfg").write_text(on("GigabitEthernet0/0/1"))
    _, out = run("a.cfg", "b.cfg", "b.cfg", "b.cfg")
    lines = out.splitlines()
    assert ["no all-clear" in line for line in lines[:4]] == [True, False, False, False]
    assert "; no all-clear for 1." in lines[-1]


@pytest.mark.parametrize("kind", UNPROMISED)
def test_a_load_and_a_target_of_a_port_without_a_promise_are_not_dropped(kind):
    text, port, name, known = UNPROMISED[kind]
    traffic = f'{name} = "9 Mb/s"\n[targets]\n{name} = "5 ms"'
    report = check(text, traffic=traffic)
    assert report.doubts == (f"{port}: {NOTHING}",)
    unknown = "" if known else ", and none of its classes is known"
    met = (
        f"The load of {name} is not used here: no model has this port{unknown}.",
        f"Undecided: whether {name} meets its target of 5 ms.",
    )
    assert report.ports[0].met == met
    for shown in (terminal(report), markdown(report), page([report])):
        assert all(each in " ".join(shown.split()) for each in met)
    with pytest.raises(ConfigurationError, match="traffic of"):
        check(text, traffic=f'{name} = "9 Mbb/s"')


@pytest.mark.parametrize("traffic", ['VOIEC = "5 Mb/s"', '[targets]\nVOIEC = "5 ms"'])
@pytest.mark.parametrize("kind", UNPROMISED)
def test_a_misspelt_class_of_a_port_without_a_promise_is_refused_or_named(kind, traffic):
    text, _, name, known = UNPROMISED[kind]
    if known:
        with pytest.raises(ConfigurationError, match=f"no class 'VOIEC'; classes: {name}"):
            check(text, traffic=traffic)
    else:
        (said,) = check(text, traffic=traffic).ports[0].met
        assert "VOIEC" in said


def test_ports_without_a_promise_share_a_doubt_and_leave_the_others_their_answers():
    choke = CHOKE + CHOKE.replace("eth0", "eth1")
    text = f"{choke}tc qdisc add dev eth2 root pfifo limit 100\n"
    traffic = 'pfifo = "5 Mb/s"\nchoke = "4 Mb/s"\n[targets]\npfifo = "20 ms"\nchoke = "6 ms"'
    report = check(text, facts={"line_rate_bps": 1e7}, traffic=traffic)
    assert report.doubts == (f"eth0 out and 1 more: {NOTHING}",)
    cannot = "Undecided: whether choke meets its target of 6 ms."
    assert [cannot in port.met for port in report.ports] == [True, True, False]
    (said,) = report.ports[2].met
    assert said.startswith("Target met")
    last = terminal(report).splitlines()[-1]
    assert last.endswith("no all-clear: 2 ports without a promise")
    every = terminal(report, everything=True)
    assert "eth0 out, eth1 out  choke 8001:  (2 ports alike)" in every
    assert every.count("No promise") == 1


def test_ports_that_wait_for_a_fact_are_no_all_clear(run, tmp_path):
    interfaces = "interface Ethernet1/1\n tx-queue 3\n  shape rate 50000\n"
    text = interfaces + interfaces.replace("1/1", "1/2")
    report = check(text, dialect="eos")
    assert report.doubts == ()
    waits = "Ethernet1/1 out and 1 more: nothing is promised while a fact is missing."
    assert report.unclear == [waits]
    assert all(waits in " ".join(f(report).split()) for f in (terminal, markdown))
    assert waits in page([report])
    assert terminal(report).splitlines()[-1].endswith("; no all-clear: 2 ports wait for a fact")
    (tmp_path / "a.cfg").write_text(text)
    _, out = run("a.cfg", "--dialect", "eos", "--annotate")
    assert f"::notice file=a.cfg,title=no all-clear::{waits}" in out


def test_a_target_is_not_dropped_where_the_packet_model_fails(monkeypatch):
    module = sys.modules["qoslib.findings.modelled"]

    def fails(*_, **__):
        raise ValueError("no model has it")

    monkeypatch.setattr(module, "runs", fails)
    traffic = 'VOICE = "1 Mb/s"\n[targets]\nVOICE = "5 ms"'
    report = check(on("GigabitEthernet0/0/1"), traffic=traffic)
    cannot = "Undecided: whether VOICE meets its target of 5 ms."
    assert report.ports[0].met == (cannot,)
    shown = terminal(report)
    assert cannot in shown
    assert shown.endswith("no all-clear: 1 question without an answer")


LOOP = """\
for i in 1 2; do
 tc qdisc add dev eth$i root handle 1: htb default 30
 tc class add dev eth$i parent 1: classid 1:30 htb rate 100mbit
done
"""
WRAPPED = "adb shell tc qdisc add dev eth0 root handle 1: htb default 30\n"


@pytest.mark.parametrize(
    ("text", "dialect", "line", "why"),
    [
        (LOOP, None, 2, "It is inside a loop that begins in line 1."),
        (WRAPPED, None, 1, "What 'adb' does with this is not known"),
        ("class-map match-any V\n match dscp ef\n", "ios-xe", 1, ""),
        ("qos map dscp 46 to traffic-class 5\n", "eos", 1, ""),
        ('{"SCHEDULER": {"s": {"type": "DWRR"}}, "QUEUE": {}}', None, 1, "QUEUE is empty"),
    ],
)
def test_a_text_of_which_no_port_is_read_is_no_all_clear(text, dialect, line, why):
    report = check(text, dialect=dialect, facts={"line_rate_bps": 1e9})
    (found,) = (each for each in report.findings if each.id == "nothing-checked")
    assert (found.severity, found.line) == ("warning", line)
    assert why in found.arithmetic
    assert report.summary.startswith("1 warning. First: No port with queues")


COUNTERS = """\
GigabitEthernet0/0/1
  Service-policy output: EDGE
    Class-map: VOICE (match-any)
      {packets} packets, {octets} bytes
      5 minute offered rate {rate} bps, drop rate 0000 bps
    Class-map: DATA (match-any)
      {packets} packets, {octets} bytes
      5 minute offered rate {rate} bps, drop rate 0000 bps
      queue limit 4000 packets
      (queue depth/total drops/no-buffer drops) 0/{drops}/0
    Class-map: class-default (match-any)
      {packets} packets, {octets} bytes
      5 minute offered rate {rate} bps, drop rate 0000 bps
"""


def test_counters_of_zero_compare_nothing_and_say_so(tmp_path):
    from qoslib import telemetry

    (tmp_path / "zero.txt").write_text(COUNTERS.format(packets=0, octets=0, rate=0, drops=0))
    report = check(on("GigabitEthernet0/0/1"), measured=telemetry.read(tmp_path / "zero.txt"))
    assert any("Nothing is sent by the counters" in each for each in report.measured)


def test_a_measured_value_that_no_model_explains_is_said(tmp_path):
    from qoslib import telemetry

    shown = COUNTERS.format(packets=100_000, octets=100_000_000, rate=2_000_000, drops=40_000)
    (tmp_path / "shown.txt").write_text(shown)
    report = check(on("GigabitEthernet0/0/1"), measured=telemetry.read(tmp_path / "shown.txt"))
    assert any("DATA: no model explains queue dropped packets" in each for each in report.measured)


def test_nothing_stands_for_tcp_where_the_port_has_one_queue():
    from qoslib import telemetry

    shape = "policy-map EDGE\n class class-default\n  shape average 50000000\n"
    shown = COUNTERS.format(packets=100_000, octets=100_000_000, rate=2_000_000, drops=40_000)
    classes = shown.split("    Class-map: ")
    text = shape + on("GigabitEthernet0/0/1").removeprefix(POLICY)
    alone = f"{classes[0]}    Class-map: class-default{classes[2].removeprefix('DATA')}"
    said = check(text, measured=telemetry.read(alone)).measured
    assert any("no model explains queue dropped packets" in each for each in said)
    assert not any("stands for TCP" in each for each in said)


def test_a_policy_that_only_marks_has_a_sentence_in_place_of_a_table():
    """And nobody is asked for a line rate, which decides nothing there."""
    text = (
        "policy-map MARK\n class class-default\n  set dscp default\n"
        "interface Tunnel1\n service-policy input MARK\n"
    )
    report = check(text)
    assert not report.missing
    said = "Nothing is promised of what comes in: no policer is read here."
    for made in (terminal(report), markdown(report), page([report])):
        assert said in made
    policed = check(text.replace("set dscp default", "police cir 8000000"))
    assert [each.name for each in policed.missing] == ["Tunnel1.line_rate_bps"]
    assert said not in terminal(policed)


def test_the_reason_why_nothing_is_checked_is_that_no_interface_has_a_policy():
    text = (
        "class-map match-any system-cpp-police-data\n description ICMP\n"
        "class-map match-any non-client-nrt-class\n"
        "policy-map CLIENTS\n class class-default\n  set dscp default\n"
        "policy-map CELL\n class class-default\n  shape average percent 100\n"
        "policy-map system-cpp-policy\n class system-cpp-police-data\n  police rate 200 pps\n"
        "interface GigabitEthernet1/0/2\n switchport mode access\n ip nbar protocol-discovery\n"
        "control-plane\n service-policy input system-cpp-policy\n"
    )
    report = check(text)
    (found,) = (each for each in report.findings if each.id == "nothing-checked")
    assert found.arithmetic == "No interface has policies CLIENTS, CELL."
    lost = {each.text: each.lost for each in report.remarks}
    assert "for its processor" in lost["policy-map system-cpp-policy"]
    assert "wireless ports" in lost["class-map match-any non-client-nrt-class"]
    marked = check(
        f"{POLICY}interface Tunnel1\n service-policy input EDGE\n".replace(
            "  priority percent 50\n", "  set dscp ef\n"
        )
        .replace("  bandwidth percent 10\n  queue-limit 4000 packets\n", "")
        .replace("  fair-queue\n", "")
    )
    (found,) = (each for each in marked.findings if each.id == "nothing-checked")
    assert found.arithmetic == "What comes in is only marked, by policy EDGE."


def test_a_fact_of_many_ports_is_asked_for_once(tmp_path, capsys):
    file = tmp_path / "ports.sh"
    file.write_text("".join(f"tc qdisc add dev eth{n} root pfifo limit 50\n" for n in range(5)))
    assert __main__.main(["check", str(file)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "What is the line rate of eth0? Answer for it and 4 more: --fact line_rate_bps=VALUE"
    ]


def test_ports_of_two_kinds_are_asked_for_apart(tmp_path, capsys):
    file = tmp_path / "bundle.set"
    ports = [*(f"et-0/0/{n}" for n in range(4)), "ae1"]
    of_cos = "set class-of-service"
    lines = [f"{of_cos} interfaces {port} scheduler-map EDGE" for port in ports]
    lines.append(f"{of_cos} scheduler-maps EDGE forwarding-class best-effort scheduler DATA")
    lines.append(f"{of_cos} schedulers DATA transmit-rate percent 90")
    file.write_text("\n".join(lines))
    assert __main__.main(["check", str(file), "--fact", "buffer_bytes=1M"]) == 2
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        "What is the line rate of et-0/0/0? Answer for it and 3 more: --fact line_rate_bps=VALUE",
        "What is the total rate of the members of ae1? Answer: --fact 'ae1.line_rate_bps=VALUE'",
    ]
    assert "(4 ports alike)" in said.out
    assert "What is the total rate of the members of ae1?" in said.out


def test_fields_that_are_left_out_for_one_reason_are_one_remark():
    tables = {"TC_TO_PRIORITY_GROUP_MAP": {"ONE": {str(n): str(n) for n in range(8)}}}
    report = check(json.dumps(tables | {"QUEUE": {"Ethernet0|3": {}}}, indent=1), dialect="sonic")
    assert "Likewise lines 5, 6, 7, 8, 9, 10, 11." in " ".join(terminal(report).split())
