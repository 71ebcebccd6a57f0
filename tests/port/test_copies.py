"""Every record can be copied and sent to another process, and arrives as it was."""

import copy
import dataclasses
import pickle
from functools import cache

import numpy as np
import pytest

from qoslib import Scenario, compare, fluid, packets, run, sweep, tcp
from qoslib import port as p
from qoslib.flows import Flow, Host
from qoslib.platforms import PLATFORMS, platform
from qoslib.traffic import Poisson, Stream
from qoslib.worksheet import worksheet
from records import EXAMPLES

PORT = p.Port("port", 1e7, (p.Queue("all", p.PacketLimit(20)),))
STREAMS = (Stream("a", 6e6, arrivals=Poisson()), Stream("b", 6e6))
HOSTS = (Host("host", 1e8, (Flow("flow", 0.01),)),)
CHAIN = p.Chain("chain", (p.Hop(PORT), p.Hop(p.Forwarder("cpu", PORT.queues[0], 1e-4))))

RESULTS = {
    "fluid": lambda: fluid.solve(PORT, STREAMS),
    "fluid of a chain": lambda: fluid.solve(CHAIN, STREAMS),
    "packets": lambda: packets.simulate(PORT, STREAMS, 0.1, trace_packets=9),
    "packets of a chain": lambda: packets.simulate(CHAIN, STREAMS, 0.1),
    "replications": lambda: run(Scenario("s", PORT, STREAMS, 0.01), seeds=range(2)),
    "sweep": lambda: sweep(Scenario("s", PORT, STREAMS, 0.01), {"seed": range(2)}),
    "throughput": lambda: packets.throughput(
        PORT, lambda bps: [Stream("a", bps)], 1e7, duration_s=0.01
    ),
    "TCP": lambda: tcp.simulate(PORT, HOSTS, 0.1, streams=STREAMS),
    "TCP's fluid": lambda: tcp.solve(PORT, HOSTS, 0.1, streams=STREAMS),
    "saw-tooth": lambda: tcp.saw_tooth(1000, 0.05, 10, 1),
    "row": lambda: compare.stored()[0],
    "published value": lambda: compare.published().results[0],
    "worksheet": lambda: worksheet(1e9, 0.01),
    "scenario": lambda: Scenario("s", PORT, STREAMS, hosts=HOSTS),
    **{f"experiments of {name}": lambda name=name: experiments(name) for name in PLATFORMS},
    **{f"facts of {name}": lambda name=name: platform(name).facts for name in PLATFORMS},
}

WAYS = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@cache
def result(name):
    return RESULTS[name]()


def experiments(name):
    router = platform(name)
    sets = [router.experiments(each) for each in router.assumptions]
    return tuple(experiment for described in sets for experiment in described.values())


def same(one, other):
    """Whether two records, or parts of them, are of one type and equal; NaN equals itself."""
    assert type(one) is type(other)
    if dataclasses.is_dataclass(one):
        return all(
            same(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one)
        )
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "items"):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if callable(one):
        return repr(one) == repr(other)
    return (one == other or one != one) and getattr(one, "__dict__", 0) == getattr(
        other, "__dict__", 0
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: type(example).__name__)
def test_every_description_can_be_copied_and_sent(example, way):
    assert WAYS[way](example) == example


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_can_be_copied_and_sent(name, way):
    assert same(WAYS[way](result(name)), result(name))


@pytest.mark.parametrize(
    "part", ["packets", "octets", "histogram", "history", "trace", "hops", "tcp"]
)
def test_a_result_with_this_part_is_among_them(part):
    assert any(getattr(made, part, None) for made in map(result, RESULTS))
