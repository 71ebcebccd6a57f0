"""One table of code points: every dialect reads and writes the same marks."""

import pytest

from qoslib.config import WRITERS, read, write
from qoslib.config.code_points import (
    BITS,
    DSCP,
    code_of,
    mark_of,
    marks_matching,
    read_word,
    words_of,
    write_word,
)
from qoslib.port import Classifier, PacketLimit, Port, Queue, StrictPriority

INTERFACES = {"junos": "ge-0/0/0", "tc": "eth0"}
MARKS = [mark_of(code) for code in range(64)]
IOS = """\
class-map match-any MANAGEMENT
 match dscp voice-admit 1
policy-map WAN
 class MANAGEMENT
  priority 2000
interface GigabitEthernet0/0/1
 service-policy output WAN
"""


def with_marks(marks):
    """A port with queues that each of the marks leads to in turn, and another one for the rest."""
    queues = [Queue(f"q{number}", PacketLimit(64), priority=number) for number in range(4)]
    rules = tuple((mark, f"q{number % 3}") for number, mark in enumerate(marks))
    return Port("link", 1e9, tuple(queues), StrictPriority(), classifier=Classifier(rules, "q3"))


def test_code_points_have_one_mark_each():
    assert len(set(MARKS)) == 64
    assert [code_of(mark) for mark in MARKS] == [("DSCP", code) for code in range(64)]


@pytest.mark.parametrize("kind", BITS)
@pytest.mark.parametrize("family", ["cisco", "junos", "sros"])
def test_words_are_read_as_they_are_written(family, kind):
    for code in range(1 << BITS[kind]):
        mark = mark_of(code, kind)
        assert read_word(write_word(mark, family), family, kind) == mark
    for word, code in words_of(family, kind).items():
        assert read_word(word, family, kind) == mark_of(code, kind)


@pytest.mark.parametrize("word", ["", "64", "-1", "046", "٤", "AF44", "1 2", "DSCP 3"])
def test_other_words_are_no_code_points(word):
    assert read_word(word, "cisco") is None
    assert read_word(word, "junos") is None


def test_priorities_have_no_words_of_code_points():
    assert read_word("ef", "cisco", "PCP") is None
    assert read_word("8", "cisco", "PCP") is None
    assert read_word("flash", "cisco", "IP") == "IP 3"


def test_precedences_hold_the_code_points_that_begin_with_them():
    held = [mark for number in range(8) for mark in marks_matching(number, "IP")]
    assert {mark for mark in held if mark[:3] != "IP "} == set(DSCP)


def test_a_range_of_a_match_has_both_of_its_ends():
    text = """\
class-map match-any LOW
 match dscp 8-10
policy-map WAN
 class LOW
  bandwidth percent 20
interface GigabitEthernet0/0/0/1
 service-policy output WAN
"""
    (port,) = read(text, facts={"line_rate_bps": 1e9}, dialect="ios-xr").ports
    assert port.classes[0].marks == ("CS1", "DSCP 9", "AF11")
    queue = port.port.classifier.queue
    assert [queue(mark) for mark in ("DSCP 7", "CS1", "AF11", "DSCP 11")] == [
        "class-default", "LOW", "LOW", "class-default",
    ]  # fmt: skip


@pytest.mark.parametrize("dialect", WRITERS)
def test_all_code_points_are_written_and_read_back(dialect):
    port = with_marks(MARKS)
    written = write(port, dialect, INTERFACES.get(dialect))
    back = read(written.text, facts=dict(written.facts), dialect=dialect).ports[0].port
    assert [port.classifier.queue(mark) for mark in MARKS] == [
        dict(zip(back.queue_names, port.queue_names, strict=True))[back.classifier.queue(mark)]
        for mark in MARKS
    ]
    assert not [mark for mark in MARKS if repr(mark) in " ".join(written.lost)]


@pytest.mark.parametrize("dialect", WRITERS)
def test_rare_names_move_from_ios(dialect):
    port = read(IOS, dialect="ios-xe").ports[0].port
    written = write(port, dialect, INTERFACES.get(dialect))
    back = read(written.text, facts=dict(written.facts), dialect=dialect).ports[0].port
    strict = back.classifier.queue("VA")
    assert strict == back.classifier.queue("LE") != back.classifier.queue("CS0")
