"""Names and filters that are written for Junos are words that a device reads."""

import pytest

from qoslib.config import read, write
from qoslib.port import ByteLimit, Classifier, Policer, Port, PriorityLevels, Queue


def of_names(*names, rules=()):
    """A port with queues of these names, whose weights add up to 1."""
    share = 1 / len(names)
    queues = tuple(
        Queue(name, ByteLimit(10_000), weight=share, guaranteed_bps=1e9 * share) for name in names
    )
    classifier = Classifier(tuple(rules), names[0] if rules else "")
    return Port("ge-0/0/0", 1e9, queues, PriorityLevels(), classifier=classifier)


@pytest.mark.parametrize("name", ['the "bulk"', 'a"b', "a{b}", "a;b", "a[b", "}"])
def test_a_name_that_is_no_word_is_written_as_one(name):
    written = write(of_names("voice", name), "junos")
    assert not [each for each in written.lost if "read back" in each]
    (configured,) = read(written.text, facts=dict(written.facts), dialect="junos").ports
    assert len(configured.port.queues) == 2
    assert any(each.startswith(f"The name of queue {name!r}") for each in written.lost)


def test_the_filter_of_policers_has_a_name_of_its_own():
    port = of_names("voice", "data", rules=[("police voice", "voice")])
    policed = port.queues[0].replace(policer=Policer(1e6, 15_000))
    written = write(port.replace(queues=(policed, port.queues[1])), "junos")
    assert " filter output police-out" in written.text
    assert " filter input police\n" in written.text
    (back,) = read(written.text, facts=dict(written.facts), dialect="junos").ports
    assert back.port.queues[0].policer == policed.policer
    assert back.port.classifier == port.classifier


#: A switch with network control alone, which the writer puts into queue 3: without queue 0 no
#: default of a switch is known.
CONTROL = """\
set class-of-service forwarding-class-sets F class control
set class-of-service classifiers dscp D forwarding-class control loss-priority low code-points cs6
set class-of-service scheduler-maps M forwarding-class control scheduler S
set class-of-service schedulers S transmit-rate percent 100
set class-of-service schedulers S buffer-size percent 100
set class-of-service traffic-control-profiles T scheduler-map M
set class-of-service traffic-control-profiles T guaranteed-rate percent 50
set class-of-service interfaces fe-0/0/0 forwarding-class-set F output-traffic-control-profile T
"""


def test_a_text_that_describes_no_port_says_so():
    (configured,) = read(CONTROL, facts={"buffer_bytes": 1e6}).ports
    written = write(configured.port, "junos")
    assert "The text cannot be read back: it describes no port." in written.lost
