"""Random Junos configurations come back from what is written of them; damage gives one error."""

import time
from random import Random

import pytest

from junos_texts import configuration, damaged
from qoslib.checks import findings
from qoslib.config import Configuration, ConfigurationError, read, write
from qoslib.platforms import isr4331, m120
from qoslib.port import (
    ByteLimit,
    Classifier,
    DropProfile,
    HeadDrop,
    PacketLimit,
    Port,
    PriorityLevels,
    Queue,
    TimeLimit,
)


@pytest.mark.parametrize("seed", range(17))
def test_a_random_configuration_comes_back(seed):
    random = Random(f"junos {seed}")
    for _ in range(10):
        text, facts = configuration(random)
        found = read(text, facts=facts, dialect="junos")
        assert not [each for each in found.remarks if each.kind == "unknown"]
        (configured,) = found.ports
        if configured.port is None:
            # Nothing is promised of units where cards differ in which priority goes first.
            assert any("differs from card to card" in each.lost for each in found.remarks), text
            continue
        written = write(configured.port, "junos")
        assert written.lost == (), text
        (back,) = read(written.text, facts=dict(written.facts), dialect="junos").ports
        assert back.port == configured.port


def reading(text, facts):
    """The error of a text or None, and what was read."""
    try:
        return None, read(text, facts=facts, dialect="junos")
    except ConfigurationError as error:
        return error, Configuration("junos")


@pytest.mark.parametrize("seed", range(15))
def test_damage_gives_a_reading_or_one_error(seed):
    random = Random(f"damage {seed}")
    for _ in range(30):
        text, facts = configuration(random)
        text = damaged(text, random)
        start = time.process_time()
        problem, found = reading(text, facts)
        assert len(str(problem)) < 1000
        assert 0 <= (getattr(problem, "line", 0) or 0) <= text.count("\n") + 1
        spoken = [each.line for each in (*found.statements, *found.remarks)]
        assert all(1 <= line <= found.lines for line in spoken)
        assert time.process_time() - start < 1
        assert all(each.sentence for each in findings(found))


@pytest.mark.parametrize(
    "queue",
    [
        {},
        {"dropper": DropProfile(((0.1, 1.0),))},
        {"limit": TimeLimit(5e-3, at="served")},
    ],
)
def test_the_lessons_m120(queue):
    port = m120.port(CS1=queue)
    written = write(port, "junos", "xe-7/0/0")
    assert "set class-of-service schedulers CS1 transmit-rate percent 1\n" in written.text
    assert "set class-of-service schedulers CS4 priority strict-high\n" in written.text
    assert dict(written.facts) == {
        "platform": "m120",
        "delay_buffer_s": 0.1,
        "overhead_bytes": 38,
        "base_delay_s": port.base_delay_s,
    }
    # An interface cannot be called "M120 10GE"; all else comes back.
    assert written.lost == ("The name of the port is 'M120 10GE'; the text says 'xe-7/0/0'.",)
    (back,) = read(written.text, facts=dict(written.facts)).ports
    assert back.port.replace(name=port.name) == port


def test_what_is_lost_is_said_where_a_port_does_not_come_back():
    scales = (Queue("a", PacketLimit(64)), Queue("b", PacketLimit(64), weight=3.0))
    ports = [isr4331.llq(), isr4331.fifo(), Port("ge-0/0/0", 1e9, scales, PriorityLevels())]
    for port in ports:
        written = write(port, "junos")
        (back,) = read(written.text, facts=dict(written.facts), dialect="junos").ports
        assert written.lost
        assert back.port != port


def numbers(port):
    """Class -> the number of its queue, as it is written; and what is said to be lost by that."""
    written = write(port, "junos")
    lines = [line.split() for line in written.text.splitlines() if "queue-num" in line]
    read(written.text, facts=dict(written.facts), dialect="junos")
    lost = [each for each in written.lost if "device" in each or "network-control" in each]
    return {words[4]: int(words[6]) for words in lines}, lost


def port_of(*names, rules=(), default=""):
    queues = tuple(Queue(name, ByteLimit(9000), HeadDrop()) for name in names)
    classifier = Classifier(rules, default)
    return Port("ge-0/0/0", 1e9, queues, PriorityLevels(), classifier=classifier)


def test_queue_3_is_that_of_network_control():
    assert numbers(m120.port()) == (
        {"BE": 0, "CS4": 1, "CS3": 2, "NC": 3, "CS1": 4, "CS2": 5},
        [],
    )
    assert numbers(port_of("assured-forwarding", "x"))[0] == {"x": 0, "assured-forwarding": 2}
    rules = (("EF", "a"), ("CS7", "c"), ("CS1", "b"))
    marked = port_of("a", "b", "c", "d", "rest", rules=rules, default="rest")
    assert numbers(marked) == ({"rest": 0, "a": 1, "b": 2, "c": 3, "d": 4}, [])
    # Nobody carries it: so nobody has 3, as long as there is another one.
    names = "abcdefgh"
    of, lost = numbers(port_of(*names[:7]))
    assert (sorted(of.values()), lost) == ([0, 1, 2, 4, 5, 6, 7], [])
    of, lost = numbers(port_of(*names))
    assert sorted(of.values()) == list(range(8))
    assert lost == [
        "All 8 queues are needed: class d takes queue 3, where Junos puts network-control and its"
        " own routing packets by default."
    ]
    of, lost = numbers(port_of(*names, "nc", "j"))
    assert (of["nc"], max(of.values())) == (3, 9)
    assert lost == ["Few devices have more than 8 queues, which these need: h, j."]
