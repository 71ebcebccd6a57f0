"""What senders say in the ECN field, in words or as true or false."""

import json

import pytest

from qoslib import packets
from qoslib.flows import Flow
from qoslib.packets.plan import Run, planned
from qoslib.port import Instantaneous, PacketLimit, Port, Queue, Red, RedProfile
from qoslib.record import from_json
from qoslib.traffic import Stream

WORDS = ("no", "classic", "l4s")
MADE = {
    "Stream": lambda **given: Stream("a", **given),
    "Flow": lambda **given: Flow("a", 0.1, **given),
}


def port(queue):
    return Port("line", 10e6, (queue,))


@pytest.mark.parametrize("kind", MADE)
def test_true_and_false_are_the_words_of_rfc_3168(kind):
    made = MADE[kind]
    assert [made(ecn=word).ecn for word in WORDS] == list(WORDS)
    assert made(ecn=True) == made(ecn="classic")
    assert made(ecn=False) == made()
    assert made().replace(ecn=True).ecn == "classic"
    assert "ecn" not in repr(made(ecn=False))
    document = json.loads(made(ecn="no").to_json()) | {"ecn": True}
    assert from_json(json.dumps(document)) == made(ecn="classic")


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("wrong", ["yes", 1, None])
def test_other_words_are_refused(kind, wrong):
    said = rf"{kind}.ecn is .*; allowed: 'no', 'classic', 'l4s', or true or false$"
    with pytest.raises(ValueError, match=said):
        MADE[kind](ecn=wrong)


def test_the_kernels_tell_ect_0_from_ect_1():
    streams = [Stream(word, 1e6, ecn=word) for word in WORDS]
    state = planned(port(Queue("all", PacketLimit(9))), streams, Run(1.0))
    assert state.streams["ecn"][:3].tolist() == [0, 1, 2]


def test_what_marks_by_rfc_3168_marks_ect_1_as_well():
    red = Red(RedProfile(5, 40), averaging=Instantaneous(), ecn=True)
    streams = [Stream(word, 5e6, ecn=word) for word in WORDS]
    result = packets.simulate(port(Queue("all", PacketLimit(50), red)), streams, 2.0)
    marked = result.marked_packets
    assert marked[0] == 0
    assert marked[1] > 100
    assert marked[2] > 100
