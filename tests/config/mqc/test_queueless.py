"""IOS and IOS XE: a class without a command of queues waits in the queue of class-default."""

import pytest

from qoslib.checks import findings, loads, promises
from qoslib.config import Facts, read, write
from qoslib.findings.classes import class_rows

TEXT = """\
class-map match-any VOICE
 match dscp ef
class-map match-any WEB
 match dscp af21
class-map match-any BULK
 match dscp af11
policy-map WAN
 class VOICE
  priority 10000
 class WEB
  COMMAND
 class BULK
  bandwidth 5000
 class class-default
interface GigabitEthernet0/0/1
 speed 100
 service-policy output WAN
"""


def found(command, dialect="ios-xe", text=TEXT):
    return read(text.replace("COMMAND", command), dialect=dialect)


def said(configuration, name="class-without-queue", sent=None):
    return findings(configuration, sent, Facts(), [name])


@pytest.mark.parametrize("dialect", ["ios", "ios-xe"])
def test_a_class_that_marks_alone_waits_in_class_default(dialect):
    configuration = found("set dscp af22", dialect)
    (configured,) = configuration.ports
    port = configured.port
    assert port.queue_names == ("VOICE", "BULK", "class-default")
    assert port.classifier.queue("AF21") == "class-default"
    assert [each.queue for each in configured.classes] == [
        "VOICE", "class-default", "BULK", "class-default",
    ]  # fmt: skip
    (got,) = said(configuration)
    assert (got.severity, got.line) == ("info", 10)
    assert "waits in that of class-default" in got.sentence
    # What is left of 100 Mb/s is not parted for it.
    least = {each.name: each for each in promises(configured)}
    if dialect == "ios-xe":
        assert least["BULK"].minimum_bps == least["class-default"].minimum_bps + 5e6 == 47.5e6
    assert least["WEB"].minimum_why.endswith("in one queue with class-default")
    assert least["class-default"].minimum_why.endswith("in one queue with WEB")


def test_classes_in_one_queue_share_what_it_is_promised():
    (configured,) = found("set dscp af22").ports
    least = {row.name: row.minimum.text for row in class_rows(configured, loads(configured))}
    assert least == {
        "VOICE": "10 Mb/s",
        "WEB": "shares 42.5 Mb/s",
        "BULK": "47.5 Mb/s",
        "class-default": "shares 42.5 Mb/s",
    }


def test_what_is_assumed_and_sent_counts_once():
    (configured,) = found("set dscp af22").ports
    assumed = {each.name: each.rate_bps for each in loads(configured)}
    assert assumed["WEB"] == 0
    assert sum(assumed.values()) == pytest.approx(100e6)
    sent = loads(configured, 'WEB = "3 Mb/s"\nclass-default = "4 Mb/s"')
    port = configured.port
    marks = [stream.mark for load in sent for stream in load.streams]
    assert [port.classifier.queue(mark) for mark in marks] == ["class-default"] * 2


@pytest.mark.parametrize(
    "command",
    ["bandwidth 1000", "bandwidth remaining ratio 1", "shape average 1000000", "fair-queue"],
)
def test_a_command_of_queues_gives_one(command):
    configuration = found(command)
    assert "WEB" in configuration.ports[0].port.queue_names
    assert not said(configuration)


@pytest.mark.parametrize(
    ("command", "severity", "part"),
    [
        ("queue-limit 64 packets", "warning", "OL-7433-09, page 11-22"),
        ("random-detect", "warning", "not verified"),
        ("police 1000000", "info", "waits in class-default's queue"),
    ],
)
def test_what_a_device_may_do_otherwise_is_said(command, severity, part):
    (got,) = said(found(command))
    assert got.severity == severity
    assert part in got.arithmetic


def test_calls_without_a_queue_are_a_warning_and_are_given_priority():
    text = TEXT.replace("match dscp ef", "match dscp cs5").replace(
        "match dscp af21", "match dscp ef"
    )
    configuration = found("set dscp ef", text=text)
    (got,) = said(configuration)
    assert got.severity == "warning"
    assert got.fix == "policy-map WAN\n class WEB\n  priority 5000"


def test_a_class_below_a_child_policy_waits_with_the_rest_of_its_own_policy():
    text = TEXT.replace("output WAN", "output SITES").replace(
        "interface",
        "class-map SITE\n match access-group name HOSTS\npolicy-map SITES\n class SITE\n"
        "  shape average 20000000\n  service-policy WAN\ninterface",
    )
    (configured,) = found("set dscp af22", text=text).ports
    inner = [each for each in configured.classes if each.name.endswith("WEB")]
    assert [each.queue for each in inner] == ["SITE/class-default"]


@pytest.mark.parametrize("dialect", ["ios", "ios-xe"])
def test_a_written_class_has_its_queue(dialect):
    (configured,) = found("fair-queue", dialect).ports
    written = write(configured.port, dialect)
    back = read(written.text, facts=dict(written.facts), dialect=dialect).ports[0].port
    assert back == configured.port
    if dialect == "ios-xe":
        assert " class WEB\n  bandwidth remaining ratio 1\n" in written.text


def test_a_loss_in_a_queue_of_another_class_is_said():
    from qoslib.findings import check

    report = check(TEXT.replace("COMMAND", "set dscp af22"), traffic='WEB = "120 Mb/s"')
    (got,) = [each for each in report.findings if each.id == "loss"]
    assert got.sentence.startswith("Class WEB loses")
    assert "waits in that of class-default" not in got.sentence
    assert "in the queue of another class" in got.arithmetic
