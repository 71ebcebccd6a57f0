"""Random Junos configurations come back from what is written of them; damage gives one error."""

import time
from random import Random

import pytest
from junos_texts import configuration, damaged

from qoslib.config import Configuration, ConfigurationError, read, write
from qoslib.platforms import isr4331, m120
from qoslib.port import DropProfile, PacketLimit, Port, PriorityLevels, Queue, TimeLimit


@pytest.mark.parametrize("seed", range(17))
def test_a_random_configuration_comes_back(seed):
    random = Random(f"junos {seed}")
    for _ in range(10):
        text, facts = configuration(random)
        found = read(text, facts=facts, dialect="junos")
        assert not [each for each in found.remarks if each.kind == "unknown"]
        (configured,) = found.ports
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
        start = time.monotonic()
        problem, found = reading(text, facts)
        assert len(str(problem)) < 1000
        assert 0 <= (getattr(problem, "line", 0) or 0) <= text.count("\n") + 1
        spoken = [each.line for each in (*found.statements, *found.remarks)]
        assert all(1 <= line <= found.lines for line in spoken)
        assert time.monotonic() - start < 1


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
