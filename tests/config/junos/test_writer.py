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
