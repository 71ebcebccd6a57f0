"""A wrong argument of a figure or an explorer is named too, with what is allowed."""

from collections.abc import Callable

import pytest

from qoslib import Scenario, compare, fluid, lessons, packets, plots, run
from qoslib.flows import Flow, Host
from qoslib.platforms import m120
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream
from wrong_arguments import WRONG, answer

PORT = Port("p", 1e7, (Queue("q", PacketLimit(20)),))
SCENARIO = Scenario("s", PORT, (Stream("a", 5e6),), 0.01)
COPY = Scenario("copy", PORT, (), 0.1, hosts=(Host("h", 1e8, (Flow("f", 0.01),)),))
RESULT, COPIED = run(SCENARIO), run(COPY)
BASE = m120.PLATFORM.experiments()["base"]
SIMULATED = packets.simulate(BASE.port, BASE.streams, 0.01)
FIGURE = plots.Figure(data=[{"type": "scatter", "x": [1, 2], "y": [3, 4], "uid": "line"}])
ROWS = compare.stored()[:2]

#: Function -> arguments that are right.
CALLS: dict[Callable, dict] = {
    packets.over_time: {"scenario": SCENARIO, "result": RESULT, "queue": "q"},
    plots.classes: {"experiment": BASE, "platform": "m120"}
    | {"results": fluid.solve(BASE.port, BASE.streams)},
    plots.delay_histogram: {"experiment": BASE, "result": SIMULATED, "platform": "m120"}
    | {"classes": ["BE"]},
    plots.over_load: {"quantity": "drop_ratio", "streams": ["a"]}
    | {"results": {"fluid": fluid.solve(PORT, SCENARIO.streams, [[1e6], [2e6]])}}
    | {"published": {1e6: 0.0}, "configured_bps": 1e6, "overhead_bytes": 0.0},
    plots.queue_over_time: {"scenario": SCENARIO, "results": {"a": RESULT}, "queues": ["q"]},
    plots.tcp_over_time: {"scenario": COPY, "results": {"a": COPIED}},
    plots.live: {"figure": FIGURE},
    plots.page: {"figure": FIGURE, "title": "x"},
    plots.refresh: {"widget": plots.live(FIGURE), "figure": FIGURE},
    lessons.one_queue.explorer: {"scenario": SCENARIO, "published": None},
    lessons.head_drop.explorer: {"platform": "m120", "experiment": "base"},
    lessons.head_drop.knife_edge: {"platform": "m120", "experiment": "scenario1"},
    lessons.round_robin.explorer: {"experiment": "test_a"},
    lessons.packet_rate.explorer: {"where": "mx150"},
    lessons.tcp_buffers.explorer: {"where": "mx80", "assumptions": "base"},
    lessons.pacing.explorer: {"where": "mx80", "assumptions": "base"},
    lessons.evidence.explorer: {"rows": ROWS},
}


@pytest.mark.parametrize(
    ("function", "argument"),
    [(function, argument) for function, given in CALLS.items() for argument in given],
    ids=lambda value: f"{value.__module__}.{value.__name__}" if callable(value) else value,
)
def test_a_wrong_argument_is_named_with_what_is_allowed(function, argument):
    for name, wrong in WRONG.items():
        said = answer(function, CALLS[function] | {argument: wrong})
        assert "allowed" in said, name
        assert len(said) < 1500
