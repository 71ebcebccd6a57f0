"""What a class gets at least, compared with the packet model while every class is saturated."""

import pytest

from qoslib.checks import promises
from qoslib.config import ConfiguredClass, ConfiguredPort
from qoslib.packets import simulate
from qoslib.platforms.trees import htb, ios, ios_xe, ios_xe_tree, junos
from qoslib.port import (
    Classifier,
    HierarchicalTokenBucket,
    Node,
    PacketLimit,
    Policer,
    Port,
    PriorityLevels,
    Queue,
    SchedulerTree,
)
from qoslib.traffic import Stream

LIMIT = PacketLimit(64)
#: The worst that a simulated second may differ [ratio].
NEAR = 0.02


def queue(name, **changes):
    return Queue(name, LIMIT, **changes)


def port(queues, scheduler):
    rules = tuple((each.name, each.name) for each in queues)
    return Port("out", 100e6, tuple(queues), scheduler, classifier=Classifier(rules))


def branch(ratio=1.0):
    """The port of docs/checking.md, with voice at 20 % of 50 Mb/s."""
    queues = (
        ios_xe(queue("VOICE", policer=Policer(10e6, 250_000, when="congested")), priority_level=1),
        ios_xe(queue("VIDEO"), bandwidth_bps=15e6, remaining_ratio=ratio),
        ios_xe(queue("BULK"), bandwidth_bps=5e6),
        ios_xe(queue("rest")),
    )
    node = ios_xe(Node("WAN", tuple(each.name for each in queues)), shape_bps=50e6)
    return port(queues, ios_xe_tree(queues, [node]))


def two_levels():
    """Two sites below a line: one shaped to 20 Mb/s, the other with three shares of the excess."""
    queues = (
        ios_xe(queue("a1"), bandwidth_bps=10e6),
        ios_xe(queue("a2")),
        ios_xe(queue("b1"), bandwidth_bps=20e6, remaining_ratio=3),
        ios_xe(queue("b2")),
    )
    nodes = [
        Node("line", ("a", "b")),
        ios_xe(Node("a", ("a1", "a2")), shape_bps=20e6),
        ios_xe(Node("b", ("b1", "b2")), remaining_ratio=3),
    ]
    return port(queues, ios_xe_tree(queues, nodes))


def linux(rates, ceil):
    """Three leaves of HTB below one class of rate and ceil `ceil`."""
    queues = [htb(queue(name), rate_bps=rate, ceil_bps=ceil) for name, rate in rates.items()]
    root = htb(Node("root", tuple(rates)), rate_bps=ceil, ceil_bps=ceil)
    return port(queues, HierarchicalTokenBucket((root,)))


def levels():
    queues = (
        queue("NC", guaranteed_bps=10e6),
        queue("AF", priority=1, guaranteed_bps=30e6, weight=3.0),
        queue("BE", priority=1, guaranteed_bps=20e6, weight=2.0),
    )
    return port(queues, PriorityLevels())


def junos_tree():
    queues = (
        junos(queue("EF"), guaranteed_bps=10e6, shaping_bps=10e6, priority="strict-high"),
        junos(queue("AF"), guaranteed_bps=30e6),
        junos(queue("BE"), guaranteed_bps=20e6),
    )
    node = junos(Node("unit", ("EF", "AF", "BE")), shaping_bps=80e6)
    return port(queues, SchedulerTree((node,), 1))


def in_proportion():
    queues = (ios(queue("a"), bandwidth_bps=30e6), ios(queue("b"), bandwidth_bps=10e6))
    return port(queues, SchedulerTree((ios(Node("line", ("a", "b"))),), 1))


#: Port and what its classes get by hand [bit/s].
SATURATED = {
    # 50 - 10 - 15 - 5 = 20 is left, 6.67 for each of three.
    "IOS XE": (branch(), [10e6, 15e6 + 20e6 / 3, 5e6 + 20e6 / 3, 20e6 / 3]),
    # The same 20 as 2 : 1 : 1.
    "IOS XE with a ratio": (branch(2), [10e6, 15e6 + 10e6, 5e6 + 5e6, 5e6]),
    # 10 + 20 of 100 are guaranteed. Site a may have 20: 10 are left, 5 for each. Site b has the
    # other 80: 60 are left, as 3 : 1.
    "two levels": (two_levels(), [10e6 + 5e6, 5e6, 20e6 + 45e6, 15e6]),
    # Rates of 60 below a ceil of 50: Linux asks the parent only for what is beyond the rates.
    "HTB over its ceil": (linux({"a": 30e6, "b": 20e6, "c": 10e6}, 50e6), [30e6, 20e6, 10e6]),
    # 50 - 30.1 = 19.9 is lent by quanta; those are a tenth of the rate's bytes, 1,000 to 200,000.
    "HTB with little for the rest": (linux({"a": 20e6, "b": 10e6, "c": 1e5}, 50e6), None),
    # Guarantees of 60; the excess of 40 is all for the higher level.
    "Junos, levels": (levels(), [50e6, 30e6, 20e6]),
    # Of 80 - 10 - 30 - 20 = 20, in proportion to 30 and 20.
    "Junos, tree": (junos_tree(), [10e6, 30e6 + 12e6, 20e6 + 8e6]),
    # 60 in proportion to 30 and 10.
    "IOS": (in_proportion(), [30e6 + 45e6, 10e6 + 15e6]),
}


@pytest.mark.parametrize(("made", "wanted"), SATURATED.values(), ids=SATURATED)
def test_the_minimum_is_what_the_packet_model_sends_while_all_are_saturated(made, wanted):
    classes = tuple(ConfiguredClass(each.name, each.name, (each.name,)) for each in made.queues)
    got = promises(ConfiguredPort("x", "out", made, classes))
    streams = [Stream(name, 100e6, 1500, mark=name) for name in made.queue_names]
    warm_s, end_s = 0.5, 1.5
    sent = simulate(made, streams, end_s, warmup_s=warm_s)
    for each, rate in zip(got, sent.sent_bps, strict=True):
        assert each.minimum_bps == pytest.approx(float(rate), rel=NEAR), each.minimum_why
    if wanted is not None:
        assert [each.minimum_bps for each in got] == pytest.approx(wanted)


def test_htb_says_what_a_small_rate_borrows():
    made, _ = SATURATED["HTB with little for the rest"]
    classes = tuple(ConfiguredClass(each.name, each.name) for each in made.queues)
    got = promises(ConfiguredPort("x", "out", made, classes))
    assert sum(each.minimum_bps for each in got) == pytest.approx(50e6)
    assert got[2].minimum_bps > 100e3
    assert got[2].minimum_why.startswith("100 kb/s guaranteed + ")


def test_rates_above_a_ceil_are_said_to_be_more():
    made, _ = SATURATED["HTB over its ceil"]
    classes = tuple(ConfiguredClass(each.name, each.name) for each in made.queues)
    for each in promises(ConfiguredPort("x", "out", made, classes)):
        assert "60 Mb/s in total, more than the 50 Mb/s of root" in each.minimum_why
        assert each.maximum_bps == 50e6
