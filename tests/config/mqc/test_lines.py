"""Lines of Cisco's and Arista's texts, and the table of commands of a class."""

import pytest

from qoslib.config import ConfigurationError, read
from qoslib.config.mqc.commands import COMMANDS, VERBS, gives, withdraw
from qoslib.config.mqc.policies import PolicyClass
from qoslib.config.words import lines_of
from qoslib.port import PacketLimit

POLICY = (
    "policy-map P\n class A\n  bandwidth 1000\n  {}\ninterface Gi0/0/1\n service-policy output P\n"
)


def told(text, *end):
    return [(line.number, line.depth, line.text) for line in lines_of(text, *end)]


def test_a_line_knows_its_number_and_its_depth():
    text = "! edge\npolicy-map  P\n\n class A ! calls\n  ! none\n\tpriority 100\nend"
    assert told(text) == [
        (2, 0, "policy-map P"),
        (4, 1, "class A"),
        (6, 1, "priority 100"),
        (7, 0, "end"),
    ]
    assert [line.top for line in lines_of(text)] == [True, False, False, True]


def test_the_margin_is_where_the_least_indented_line_stands():
    assert told("   policy-map P\n    class A\n   end") == [
        (1, 0, "policy-map P"),
        (2, 1, "class A"),
        (3, 0, "end"),
    ]


@pytest.mark.parametrize(
    ("banner", "end"),
    [
        ("banner motd ^C\nclass A\n^C", ()),
        ("banner motd ^Cclass A\n police^C", ()),
        ("banner motd #Hello#", ()),
        ("banner motd ^C^C", ()),
        ("banner motd ###", ()),
        (" vacant-message #\nclass A\n#", ()),
        ("banner login\nclass A\nEOF", ("EOF",)),
    ],
)
def test_nothing_of_a_banner_is_a_command(banner, end):
    after = told(f"hostname R1\n{banner}\npolicy-map P", *end)
    numbers = [number for number, _, text in after if not text.startswith(("banner", "vacant"))]
    assert numbers == [1, banner.count("\n") + 3]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hostname R1\nbanner motd ^C\nHello", 2),
        ("banner motd #Hello#\nbanner login #\nHello", 2),
        ("hostname R1\nbanner motd", 2),
    ],
)
def test_a_banner_without_an_end_is_named_by_its_own_line(text, line):
    with pytest.raises(ConfigurationError) as error:
        lines_of(text)
    assert str(error.value) == f"line {line}: this banner has no end"


def test_a_limit_with_an_unknown_word_behind_it_has_no_effect():
    found = read(POLICY.format("queue-limit 1728 x"), dialect="ios-xe")
    (remark,) = found.remarks
    assert (remark.kind, remark.text) == ("unknown", "queue-limit 1728 x")
    assert found.ports[0].port.queues[0].limit != PacketLimit(1728)


def test_a_policy_of_a_type_that_is_missing_is_refused():
    text = POLICY.format("priority 10") + " service-policy type\n"
    remark = read(text, dialect="ios-xe").remarks[-1]
    assert (remark.kind, remark.line) == ("refused", 7)
    assert remark.lost == "Service-policy: the type is missing."


def test_each_command_of_a_class_is_read_or_says_what_is_lost():
    for name, command in COMMANDS.items():
        assert bool(command.read) != bool(command.lost), name
        assert not command.lost or command.lost.endswith("."), name


def test_what_no_takes_back_is_gone():
    fields = {name: command.field for name, command in COMMANDS.items() if command.field}
    for name, field in fields.items():
        part = PolicyClass("A", 1, **{field: 7})
        assert gives(part, "a queue", "a change", "a meter", "a child"), name
        withdraw(part, name.split())
        assert part == PolicyClass("A", 1), name


def test_words_that_may_follow_a_command_are_of_one_that_is_read():
    assert all(COMMANDS[verb].read for verb in VERBS if COMMANDS[verb].behind)
