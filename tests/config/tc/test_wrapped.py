"""Scripts of tc as people write them: what stands in front of tc, and queues without a model."""

import pytest

from places import CASES
from qoslib.config import read
from qoslib.findings import check

RATE = {"line_rate_bps": 1e8}
#: Where `{}` stands is what runs tc.
SCRIPT = """\
#!/bin/sh
{before}
{tc} qdisc add dev eth0 root handle 1: htb default 20
{tc} class add dev eth0 parent 1: classid 1:10 htb rate 20mbit ceil 50mbit
{tc} class add dev eth0 parent 1: classid 1:20 htb rate 5mbit ceil 50mbit
{tc} filter add dev eth0 parent 1: u32 match ip dsfield 0xb8 0xfc flowid 1:10
"""
WRAPPED = {
    "sudo tc": "",
    "sudo -n /usr/sbin/tc": "",
    "ip netns exec red tc": "",
    "sudo ip netns exec red tc": "",
    "docker exec -it web tc": "",
    "ssh -p 22 admin@edge tc": "",
    "env LANG=C tc": "",
    "timeout 5 tc": "",
    "$TC": "TC=/sbin/tc",
    '"${TC}"': 'TC="sudo tc"',
    "run tc": 'run() { echo "$@"; "$@"; }',
    "must": 'must() {\n  sudo /sbin/tc "$@" || exit 1\n}',
    "function_of_bash": "function function_of_bash {\n  tc ${@}\n}",
    "both": 'both() { must "$@"; }\nmust() { tc "$@"; }',
    "do_tc": 'do_tc() { echo "+ tc $*"; tc "$@" || exit 1; }',
    "with_path": 'with_path() {\n  /sbin/tc "$@"\n}',
    "or_says": 'or_says() { "$TC" "$@" || { echo failed; exit 1; }; }',
    "`which tc`": "",
    "$Found": "Found=`which tc 2>/dev/null`",
    "$Command": "Command=$(command -v tc)",
    '"$Typed"': 'Typed="$(type -p tc || echo /sbin/tc)"',
}


@pytest.mark.parametrize("prompt", ["$ ", "root@edge:~# ", "[me@edge etc]$ "])
def test_prompts_in_front_of_commands_change_nothing(prompt):
    plain = read(SCRIPT.format(tc="tc", before=""), facts=RATE)
    found = read(SCRIPT.format(tc=f"{prompt}sudo tc", before=""), facts=RATE, dialect="tc")
    assert found.ports[0].port == plain.ports[0].port is not None


def test_a_command_over_several_lines_counts_once():
    text = SCRIPT.format(tc="tc", before="").replace(" htb rate 5mbit", " \\\n  htb rate 5mbit")
    found = read(text, facts=RATE)
    assert (found.understood, found.listed, found.elsewhere) == (4, 0, 0)


@pytest.mark.parametrize("tc", WRAPPED)
def test_a_wrapper_in_front_of_tc_changes_nothing(tc):
    plain = read(SCRIPT.format(tc="tc", before=""), facts=RATE)
    found = read(SCRIPT.format(tc=tc, before=WRAPPED[tc]), facts=RATE)
    assert found.dialect == "tc"
    assert found.ports[0].port == plain.ports[0].port is not None
    assert not [each for each in found.remarks if each.kind != "not modelled"]


def test_a_variable_with_nothing_in_it_is_no_command():
    plain = read(SCRIPT.format(tc="tc", before=""), facts=RATE)
    found = read(SCRIPT.format(tc="tc", before="NONE=\n$NONE"), facts=RATE)
    assert found.ports[0].port == plain.ports[0].port is not None


def test_a_queue_length_without_a_value_is_not_refused():
    text = SCRIPT.format(tc="tc", before="ifconfig eth0 txqueuelen $LENGTH")
    (remark,) = read(text, facts=RATE).remarks
    assert (remark.kind, remark.line) == ("unknown", 2)
    assert "$LENGTH has no value here" in remark.lost


def test_arguments_go_where_a_function_has_them():
    text = SCRIPT.format(tc="tc", before='leaf() { tc qdisc add dev eth0 parent $1 "$2" limit 7; }')
    found = read(text + "leaf 1:20 pfifo\n", facts=RATE)
    assert {q.name: q.limit.packets for q in found.ports[0].port.queues} == {
        "1:10": 1000, "1:20": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    "before",
    [
        'run() { if [ -n "$DRY" ]; then return; fi; "$@"; }',
        'run() { tc "$@"; tc "$@"; }',
        "",
    ],
)
def test_what_does_more_than_pass_arguments_is_listed(before):
    text = SCRIPT.format(tc="tc", before=before)
    found = read(text + "run tc qdisc add dev eth0 parent 1:20 pfifo limit 7\n", facts=RATE)
    last = text.count("\n") + 1
    assert [each.kind for each in found.remarks if each.line == last] == ["unknown"]
    assert found.ports[0].port is None


def test_a_function_that_is_elsewhere_is_listed_and_nothing_is_promised():
    text = SCRIPT.format(tc="do_tc", before=". ./functions.sh")
    found = read(text, facts=RATE)
    assert not found.ports
    assert [each.line for each in found.remarks if each.kind == "unknown"] == [3, 4, 5, 6]


#: Arithmetic of a shell with UP=245 and DOWN=-7, and what it is; None where it has no value here.
ARITHMETIC = {
    "$((9*$UP/10))": 220,
    "$((UP * 9 / 10))": 220,
    "$(( ${UP}*9/10 ))": 220,
    "$[9*$UP/10]": 220,
    "$(((UP+5) * (100-(10+8)) / 100))": 205,
    "$((UP - 2 * DOWN))": 259,
    "$((UP + DOWN/2))": 242,
    "$((UP + DOWN%2))": 244,
    "$((UP + 7/-2))": 242,
    "$((UP / (DOWN+7)))": None,
    "$((UP % 0))": None,
    "$((UP ** 2))": None,
    "$((UP // 2))": None,
    "$((UP++))": None,
    "$((UP >> 1))": None,
    "$((UP + 010))": None,
    "$((UP*UP*UP*UP*UP*UP*UP*UP/UP))": None,
    "$((__import__))": None,
    "$((UP.real))": None,
    "$(( ))": None,
    "$((UNSET + 1))": None,
}


@pytest.mark.parametrize("text", ARITHMETIC)
def test_arithmetic_of_known_variables_is_worked_out(text):
    before = f"UP=245 DOWN=-7\nRATE={text}"
    script = SCRIPT.format(tc="tc", before=before).replace("5mbit", f'"{text}kbit"')
    there = read(script, facts=RATE)
    assigned = read(script.replace(f'"{text}kbit"', "${RATE}kbit"), facts=RATE)
    worth = ARITHMETIC[text]
    for found in (there, assigned):
        (configured,) = found.ports
        if worth is None:
            assert configured.port is None
            (said,) = [each for each in found.remarks if each.kind == "unknown"]
            assert said.lost.startswith("$")
            assert "another command" not in said.lost
        else:
            assert not [each for each in found.remarks if each.kind == "unknown"]
            assert configured.port.queues[1].guaranteed_bps == worth * 1000
    if worth is not None:
        assert any(f"htb rate {text}kbit" in each.text for each in there.statements)


def test_arithmetic_with_a_command_in_it_is_never_worked_out():
    text = SCRIPT.format(tc="tc", before="").replace("5mbit", "$((4 * $(get_mtu eth0)))kbit")
    found = read(text, facts=RATE)
    assert found.ports[0].port is None
    assert any("another command" in each.lost for each in found.remarks)


@pytest.mark.parametrize(
    "changes", ["((UP--))", "((UP = UP / 2))", "let UP=UP/2", "echo $((UP += 5))", "read UP"]
)
def test_a_variable_that_arithmetic_changes_has_no_value_from_there_on(changes):
    text = SCRIPT.format(tc="tc", before=f"UP=240\n{changes}").replace("5mbit", "${UP}kbit")
    assert read(text, facts=RATE).ports[0].port is None
    kept = text.replace(changes, "if ((UP <= 300)); then echo $((UP * 2)); fi")
    assert read(kept, facts=RATE).ports[0].port is not None


def test_what_only_prints_a_command_is_no_command():
    text = SCRIPT.format(tc="tc", before="")
    found = read(text + "echo tc qdisc add dev eth0 parent 1:20 pfifo limit 7\n", facts=RATE)
    assert found.ports[0].port is not None


def test_devices_of_one_name_in_two_namespaces_are_two():
    text = "tc qdisc add dev eth0 root pfifo limit 5\n"
    text += "ip netns exec red tc qdisc add dev eth0 root pfifo limit 6\n"
    text += "tc -n blue qdisc add dev eth0 root pfifo limit 7\n"
    found = read(text, facts=RATE)
    assert not found.remarks
    assert {port.interface: port.port.queues[0].limit.packets for port in found.ports} == {
        "eth0": 5, "red:eth0": 6, "blue:eth0": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    "kind", ["cake bandwidth 10mbit", "hhf", "fq_pie", "choke limit 50", "newcomer"]
)
def test_a_queue_without_a_model_keeps_its_name_and_its_place(kind):
    text = SCRIPT.format(tc="tc", before="")
    text += f"tc qdisc add dev eth0 parent 1:20 handle 20: {kind}\n"
    found = read(text, facts=RATE)
    (configured,) = found.ports
    assert configured.port is None
    assert [(each.name, each.marks) for each in configured.classes] == [
        ("1:10", ("EF",)), ("1:20", ("the rest",)),
    ]  # fmt: skip
    assert f"parent 1:20 handle 20: {kind}" in configured.classes[1].statements[1].text
    (said,) = [each for each in found.remarks if each.line == text.count("\n")]
    assert "Nothing is promised on this device." in said.lost
    report = check(text, facts=RATE)
    assert not report.ports[0].rows
    assert {each.id for each in report.findings} <= {"tc-refused"}


def test_the_classes_of_a_scheduler_without_a_model_keep_their_places():
    text = SCRIPT.format(tc="tc", before="").replace("rate", "ls rate").replace("ceil", "ul rate")
    text = text.replace("htb", "hfsc")
    (configured,) = read(text, facts=RATE).ports
    assert configured.port is None
    assert [(each.name, each.marks) for each in configured.classes] == [
        ("1:10", ("EF",)), ("1:20", ()),
    ]  # fmt: skip


def test_a_refused_command_takes_what_hangs_on_it_and_no_more():
    text = SCRIPT.format(tc="tc", before="").replace("rate 5mbit", "rate 5mbis")
    text += "tc qdisc add dev eth0 parent 1:20 pfifo limit 7\n"
    found = read(text, facts=RATE)
    assert [each.name for each in found.ports[0].classes] == ["1:10", "unclassified"]
    refused = {each.line: each.lost for each in found.remarks if each.kind == "refused"}
    assert set(refused) == {5, 7}
    assert "is no rate" in refused[5]
    assert "parent 1:20 is missing" in refused[7]


def test_a_class_without_a_filter_is_named_once_and_not_where_filters_are_unread():
    text = SCRIPT.format(tc="tc", before="").replace("default 20", "default 10")
    ids = [each.id for each in check(text, facts=RATE).findings]
    assert ids.count("class-without-filter") == 1
    loop = "for p in 22 80; do tc filter add dev eth0 parent 1: fw flowid 1:20; done\n"
    unread = [each.id for each in check(text + loop, facts=RATE).findings]
    assert "class-without-filter" not in unread
    classify = "iptables -t mangle -A POSTROUTING -j CLASSIFY --set-class 1:20\n"
    assert "class-without-filter" not in [
        each.id for each in check(text + classify, facts=RATE).findings
    ]


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("5mbps", "5mbps is 40 Mb/s"),
        ("5Mbps", "5Mbps is 40 Mb/s"),
        ("640kbps", "640kbps is 5.12 Mb/s"),
        ("${UP}kbps", "${UP}kbps is eight times ${UP}kbit"),
    ],
)
def test_bytes_per_second_are_asked_about(word, says):
    text = "UP=640\n" + SCRIPT.format(tc="tc", before="").replace("5mbit", word)
    text += "tc qdisc add dev eth0 parent 1:20 pfifo limit 50\n"
    (got,) = [e for e in check(text, facts=RATE).findings if e.id == "tc-bytes-per-second"]
    assert says in got.sentence
    # A tenth of the rate would make its queue too deep, so that fix is said in words.
    if word[0] == "5":
        assert "class change dev eth0" in got.fix
        assert "bps" not in got.fix


def test_what_only_shows_is_no_unknown_command_and_counters_are_no_words():
    text = SCRIPT.format(tc="tc", before="") + "if true; then\n  tc -s qdisc show dev eth0\nfi\n"
    assert not [each for each in read(text, facts=RATE).remarks if each.kind == "unknown"]
    shown = "qdisc ingress ffff: dev eth0 parent ffff:fff1 ----------------\n"
    assert not read(shown, dialect="tc").remarks


def test_a_mark_in_a_condition_ends_no_condition():
    before = "if up; then iptables -t mangle -A OUT -j MARK --set-mark 1\n"
    text = SCRIPT.format(tc="tc", before="") + before
    text += "tc qdisc add dev eth0 parent 1:20 pfifo limit 7\nfi\n"
    found = read(text, facts=RATE)
    (said,) = [each for each in found.remarks if each.kind == "unknown"]
    assert said.lost.startswith("It is inside a condition that begins in line 7.")
    assert found.ports[0].port is None


def test_a_function_of_bash_is_not_run_where_it_stands():
    more = "function more {\n  tc qdisc add dev eth0 parent 1:20 pfifo limit 7\n}\n"
    found = read(SCRIPT.format(tc="tc", before="") + more, facts=RATE)
    (said,) = [each for each in found.remarks if each.kind == "unknown"]
    assert said.lost.startswith("It is inside a function that begins in line 7.")


def test_a_function_that_marks_alone_is_no_tc_where_it_is_called():
    rule = "  iptables -t mangle -A OUT -p {} --dport $1 -j MARK --set-mark 1\n"
    text = SCRIPT.format(tc="tc", before="")
    text += f"mark() {{\n{rule.format('tcp')}{rule.format('udp')}  }}\nmark 22\n"
    text += "more() {\n  tc qdisc add dev eth0 parent 1:20 pfifo limit 7\n}\n"
    remarks = read(text, facts=RATE).remarks
    assert [each.line for each in remarks if each.kind == "unknown"] == [13]
    assert [each.line for each in remarks if "this mark" in each.lost] == [8, 9]
    assert [each.line for each in remarks if "It marks packets" in each.lost] == [11]


def test_a_function_that_marks_is_listed_where_it_is_called():
    rule = 'mark() { iptables -t mangle -A OUT -p $1 -j MARK --set-mark "$2"; }\nmark tcp 6\n'
    remarks = read(SCRIPT.format(tc="tc", before="") + rule, facts=RATE).remarks
    (mark,) = [each for each in remarks if "this mark" in each.lost]
    assert (mark.line, mark.text) == (8, "iptables ... -j MARK --set-mark 6")


def test_what_ends_a_chain_of_marks_is_listed_and_no_other_return():
    rules = "iptables -t mangle -A QOS -m mark ! --mark 0 -j RETURN\n"
    rules += "iptables -t mangle -A QOS -p udp -j MARK --set-mark 6\n"
    rules += "iptables -A INPUT -s 10.0.0.0/8 -j RETURN\n"
    found = read(SCRIPT.format(tc="tc", before="") + rules, facts=RATE)
    assert [(each.line, each.text) for each in found.remarks] == [
        (7, "iptables ... -j RETURN"), (8, "iptables ... -j MARK --set-mark 6"),
    ]  # fmt: skip
    assert found.elsewhere == 1


def test_calls_that_leave_no_chain_of_marks_are_not_listed():
    text = (CASES / "tc" / "calls_that_leave_a_chain.conf").read_text()
    assert not [each for each in read(text).remarks if each.text == "no_log"]
