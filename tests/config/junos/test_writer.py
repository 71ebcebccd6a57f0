"""Names and filters that are written for Junos are words that a device reads."""

import pytest

from qoslib.config import read, write
from qoslib.port import ByteLimit, Classifier, Port, PriorityLevels, Queue


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
