"""Random configurations of IOS and IOS XE come back as they were; damaged ones give one error."""

import time
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

import strategies
from mqc_texts import configuration, damaged
from qoslib.checks import findings
from qoslib.config import Configuration, ConfigurationError, read, write
from qoslib.config.mqc.pasted import as_configured
from qoslib.config.source import bounded, lines_that_say
from qoslib.platforms import isr4331, m120
from qoslib.port import Node, PacketLimit, Port, Queue, SchedulerTree, Shaper

DIALECTS = ("ios-xe", "ios")


@pytest.mark.parametrize("seed", range(17))
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_random_configuration_comes_back(dialect, seed):
    random = Random(f"{dialect} {seed}")
    for _ in range(10):
        text = configuration(random, dialect == "ios")
        found = read(text, dialect=dialect)
        assert not [each for each in found.remarks if each.kind == "unknown"]
        (configured,) = found.ports
        written = write(configured.port, dialect)
        assert written.lost == ()
        (back,) = read(written.text, facts=dict(written.facts), dialect=dialect).ports
        assert back.port == configured.port


def reading(text, dialect):
    """The error of a text or None, and what was read."""
    try:
        return None, read(text, dialect=dialect)
    except ConfigurationError as error:
        return error, Configuration(dialect)


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("dialect", DIALECTS)
def test_damage_gives_a_reading_or_one_error(dialect, seed):
    random = Random(f"damage {dialect} {seed}")
    for _ in range(30):
        text = damaged(configuration(random, dialect == "ios"), random)
        start = time.process_time()
        problem, found = reading(text, dialect)
        assert len(str(problem)) < 1000
        assert 0 <= (getattr(problem, "line", 0) or 0) <= text.count("\n") + 1
        spoken = [each.line for each in (*found.statements, *found.remarks)]
        assert all(1 <= line <= found.lines for line in spoken)
        if problem is None:
            says = lines_that_say(as_configured(bounded(text)))
            assert found.understood + found.listed + found.elsewhere == len(says)
        assert time.process_time() - start < 1
        assert all(each.sentence for each in findings(found))


def test_what_is_lost_is_said_where_a_port_does_not_come_back():
    ports = [m120.port(), isr4331.llq(), isr4331.fifo()]
    for port in ports:
        for dialect in DIALECTS:
            written = write(port, dialect)
            (back,) = read(written.text, facts=dict(written.facts), dialect=dialect).ports
            assert back.port is not None
            assert bool(written.lost) == (back.port != port)


def test_the_lessons_m120_as_ios_xe():
    written = write(m120.port(), "ios-xe")
    assert " class CS1\n  bandwidth 100000\n" in written.text
    assert "match dscp cs1" in written.text
    assert dict(written.facts) == {"overhead_bytes": 38, "base_delay_s": m120.port().base_delay_s}
    assert any(each.startswith("The dropper of queues 'CS4', 'NC'") for each in written.lost)


def test_the_lessons_isr4331_as_ios_xe():
    written = write(isr4331.llq(), "ios-xe")
    assert written.text.splitlines() == [
        "class-map match-any EF",
        " match dscp ef",
        "policy-map QOS",
        " class EF",
        "  priority 20000 500000",
        "  queue-limit 512 packets",
        " class class-default",
        "  queue-limit 416 packets",
        "interface GigabitEthernet0/0/1",
        " speed 100",
        " service-policy output QOS",
        "end",
    ]
    assert written.lost[0] == (
        "The queue length that counts as congestion of the policer of queue 'EF' is lost:"
        " 16 packets."
    )


def test_a_rate_that_no_interface_has_is_a_fact():
    queue = Queue("class-default", PacketLimit(64), priority=2)
    node = Node("policy-map P", ("class-default",), shaper=Shaper(3e6, 1518))
    port = Port("Serial0/0/0", 8e6, (queue,), SchedulerTree((node,), 2))
    written = write(port, "ios-xe")
    assert written.facts == (("line_rate_bps", 8e6),)
    assert read(written.text).missing[0].name == "Serial0/0/0.line_rate_bps"


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(port=strategies.ports())
def test_any_port_is_written_and_what_is_lost_is_said(dialect, port):
    written = write(port, dialect)
    (back,) = read(written.text, facts=dict(written.facts), dialect=dialect).ports
    assert bool(written.lost) == (back.port != port)
