"""Lesson 03 names causes: each effect is there, and gone once its cause is switched off."""

import numpy as np
import pytest

from qoslib import packets, units
from qoslib.platforms import gsr12000
from qoslib.platforms.gsr12000.load import loaded

TEST_B = gsr12000.PLATFORM.experiments()["test_b"]
#: Mb/s of each class at each port, as in test B.
OFFERED = {"prec6": 60, "prec5": 100, "prec3": 100, "prec1": 1720, "prec0": 20}


def streams(**changed):
    return loaded("test_b", {name: units.mbps(m) for name, m in (OFFERED | changed).items()})


def turns(load, duration_s=0.1):
    """How many packets queue 2 sends between two of the other queues of the round robin."""
    trace = packets.simulate(TEST_B.port, load, duration_s, trace_packets=50_000).trace
    queue = np.array([TEST_B.port.queue_of(stream) for stream in load])[trace.stream]
    sent = np.flatnonzero((trace.cause == "") & (queue != TEST_B.port.queue_names.index("queue1")))
    queue = queue[sent[np.argsort(trace.departure_s[sent], kind="stable")]]
    first = np.flatnonzero(np.diff(queue, prepend=-1))
    mine = queue[first] == TEST_B.port.queue_names.index("queue2")
    return np.diff(first, append=len(queue))[mine][1:-1]


def in_gap(load):
    """Best Effort that takes 570 to 610 us, over what an even spread would have there."""
    result = packets.simulate(TEST_B.port, load, 1.0)
    counts = result.histogram.counts[[s.mark == "prec1" for s in load]].sum(0)
    upto = np.append(0, np.cumsum(counts))
    ends = np.interp(units.us(np.array([570, 610, 100, 1500])), result.histogram.edges_s, upto)
    return (ends[1] - ends[0]) / 40 / ((ends[3] - ends[2]) / 1400)


def test_a_queue_alone_in_the_round_has_several_turns_in_a_row():
    """309.7 packets are a turn; more in a row take other queues that are empty."""
    assert (turns(TEST_B.streams) > 310).sum() > 10
    loud = turns(streams(prec6=200, prec0=200, prec1=1410))
    assert loud.max() == 310
    assert len(loud) > 50


@pytest.mark.parametrize(
    ("silent", "low", "high"),
    [({}, 0.0, 0.05), ({"prec6": 0, "prec0": 0}, 0.7, 1.3), ({"prec0": 0}, 0.0, 0.2)],
    ids=["all", "Updates and LBE silent", "LBE silent"],
)
def test_the_gaps_of_best_effort_are_the_turns_of_the_others(silent, low, high):
    """Mostly that of Updates: with LBE alone silent the gap stays."""
    assert low <= in_gap(streams(**silent)) <= high
