"""A wrong argument is named, with what is allowed: no error comes from inside."""

import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from qoslib import (
    Scenario,
    compare,
    fluid,
    measurements,
    packets,
    platforms,
    run,
    sweep,
    tcp,
    traffic,
)
from qoslib.flows import Flow, Host, HtbPacing, actual_rate_bps, burst_bytes
from qoslib.packets.kernels.codes import SCHEDULERS
from qoslib.platforms import m120
from qoslib.port import Fifo, Forwarder, PacketLimit, Port, Queue, StrictPriority
from qoslib.port.metering import ios_ring_packets
from qoslib.results import Histogram, Result
from qoslib.traffic import Stream
from qoslib.worksheet import worksheet
from wrong_arguments import STREAMS, WRONG, answer

PORT = Port("p", 1e7, (Queue("q", PacketLimit(20)),))
HOSTS = (Host("h", 1e8, (Flow("f", 0.01),)),)
SCENARIO = Scenario("s", PORT, STREAMS, 0.01)
ENGINE = Forwarder("engine", PORT.queues[0], packet_s=1e-7)
RUN = {"network": PORT, "streams": STREAMS, "duration_s": 0.01}
SEEDED = {"seed": 0, "warmup_s": 0.0, "bins": 3}


def quiet(done_s, total_s):
    """No progress bar."""


RESULT = fluid.solve(PORT, STREAMS)
MEASURED = measurements.load("m120_latency")
ROWS = compare.stored()[:2]
VALUE = next(v for v in compare.published("mx80").results if v.quantity == "throughput")
HISTOGRAM = Histogram(np.array([0.0, 1.0]), np.array([[3]]))


#: Function -> arguments that are right.
CALLS: dict[Callable, dict] = {
    fluid.solve: {"network": PORT, "streams": STREAMS, "offered_bps": [1e6]},
    fluid.over_time: RUN,
    packets.simulate: RUN | SEEDED | {"trace_packets": 3, "chunk_packets": 1000, "progress": quiet},
    run: {"scenario": SCENARIO, "model": "packets", "seeds": [1, 2], "progress": quiet}
    | {"executor": None},
    sweep: {"scenario": SCENARIO, "axes": {"seed": [1]}, "model": "packets", "seeds": "common"}
    | {"progress": quiet, "executor": None, "on_result": None},
    packets.throughput: {"network": PORT, "streams_at": lambda bps: [Stream("a", bps)]}
    | {"high_bps": 1e6, "resolution": 0.1, "duration_s": 0.01, "seed": 0, "progress": quiet},
    tcp.simulate: {"network": PORT, "hosts": HOSTS, "duration_s": 0.05, "streams": STREAMS}
    | SEEDED
    | {"chunk_events": 1000, "progress": quiet},
    tcp.solve: {"port": PORT, "hosts": HOSTS, "duration_s": 0.05, "streams": STREAMS}
    | {"progress": quiet},
    traffic.on_one_line: {"streams": STREAMS, "line_bps": 1e8, "overhead_bytes": 0.0},
    worksheet: {"rate_bps": 1e6, "round_trip_s": 0.01, "flows": 1, "window_bytes": None}
    | {"buffer_bytes": None, "background_bps": 0.0, "packet_bytes": 1500},
    measurements.load: {"table": "m120_latency"},
    Scenario.from_json: {"text": Scenario("s", PORT, STREAMS).to_json()},
    Result.from_json: {"text": RESULT.to_json()},
    RESULT.__getitem__: {"stream": "a"},
    RESULT["a"].why_missing: {"quantity": "delay_mean_s"},
    HISTOGRAM.quantile_s: {"share": 0.5},
    platforms.platform: {"name": "m120"},
    platforms.platform("m120").experiments: {"assumptions": "base"},
    compare.score: {"platforms": ["m120"], "progress": len},
    compare.compare_experiment: {"platform": "m120", "experiment": "base", "model": "fluid"}
    | {"assumptions": "base"},
    compare.misfit_summary: {"platform": "m120", "model": "fluid", "assumptions": "base"},
    compare.score_measurements: {"table": MEASURED, "scenario": SCENARIO, "results": [RESULT]},
    compare.unknown_class: {"name": "a", "scenario": SCENARIO},
    compare.published: {"platform": "m120"},
    compare.published_points: {"platform": "m120"}
    | {"experiment": platforms.platform("m120").experiments()["base"]},
    compare.to_frame: {"rows": ROWS},
    compare.explained: {"rows": ROWS},
    compare.model_differences: {"rows": ROWS},
    compare.differences: {"rows": ROWS},
    compare.text: {"board": None},
    compare.remark: {"fluid": RESULT, "packets": None},
    compare.is_tick: {"value": VALUE, "modelled": 8.0},
    compare.ticks: {"model": "fluid"},
    actual_rate_bps: {"pacing": HtbPacing(1e9), "segment_bytes": 1448, "segments": 7},
    burst_bytes: {"segment_bytes": 1448, "segments": 7},
    ios_ring_packets: {"line_bps": 1e6},
    tcp.saw_tooth: {"rate_pps": 1e4, "round_trip_s": 0.1, "buffer_packets": 100.0}
    | {"flows": 2, "decrease": 0.7},
    tcp.aimd_window_packets: {"lost_share": 1e-3, "increase": 1.0, "decrease": 0.5},
    tcp.cubic_window_packets: {"lost_share": 1e-3, "round_trip_s": 0.1, "scale": 0.4}
    | {"decrease": 0.7},
    tcp.mathis_bps: {"segment_bytes": 1448, "round_trip_s": 0.1, "lost_share": 1e-3},
    tcp.policer_burst_bytes: {"rate_bps": 1e8, "round_trip_s": 0.02, "packet_bytes": 1500}
    | {"flows": 2},
    tcp.bandwidth_delay_bytes: {"rate_bps": 1e8, "round_trip_s": 0.02},
    tcp.desynchronised_buffer_bytes: {"rate_bps": 1e8, "round_trip_s": 0.02, "flows": 9},
    tcp.loss_free_buffer_bytes: {"windows_bytes": 1e7, "rate_bps": 1e8, "round_trip_s": 0.02}
    | {"background_bps": 1e6},
    tcp.window_limited_bps: {"window_bytes": 65_535, "round_trip_s": 0.02},
    tcp.totals: {"result": RESULT},
    tcp.over_time: {"scenario": SCENARIO, "result": RESULT},
    fluid.knee_bytes: {"forwarder": ENGINE, "lines_bps": 2e10, "overhead_bytes": 20},
    PORT.classifier.queue: {"mark": "EF"},
    Port: {"name": "p", "rate_bps": 1e7, "queues": PORT.queues, "scheduler": "fifo"}
    | {"classifier": PORT.classifier, "shaper": None},
    Queue: {"name": "q", "limit": PacketLimit(1), "dropper": "codel", "policer": None},
    Stream: {"name": "a", "rate_bps": 1e6, "frame_bytes": 100, "arrivals": "poisson"}
    | {"stop_s": None, "ecn": False},
    traffic.Trace: {"times_s": [0.0], "frames_bytes": [64]},
    Flow: {"name": "f", "round_trip_s": 0.01, "congestion": "reno", "recovery": "timeout_only"}
    | {"window_bytes": None},
    Host: {"name": "h", "access_bps": 1e8, "flows": HOSTS[0].flows, "pacing": None},
    Scenario: {"name": "s", "network": PORT, "streams": STREAMS, "hosts": HOSTS},
}


@pytest.mark.parametrize(
    ("function", "argument"),
    [(function, argument) for function, given in CALLS.items() for argument in given],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_wrong_argument_is_named_with_what_is_allowed(function, argument):
    for name, wrong in WRONG.items():
        said = answer(function, CALLS[function] | {argument: wrong})
        assert "allowed" in said, name
        assert len(said) < 1500


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: Port("p", "1 Mb/s", PORT.queues), "Port.rate_bps is '1 Mb/s'; allowed: a number"),
        (lambda: Port("p", [1e6], PORT.queues), "Port.rate_bps is [1000000.0]; allowed: a number"),
        (lambda: Port("p", 1e6, "q"), "Port.queues is 'q'; allowed: a sequence of Queue"),
        (lambda: Port("p", 1e6, [PacketLimit(1)]), "PacketLimit(packets=1); allowed: a Queue"),
        (lambda: Stream(3), "Stream.name is 3; allowed: a text"),
        (lambda: Stream("a", 1e6, "64"), "frame_bytes is '64'; allowed: a whole number, or FrameM"),
        (
            lambda: Scenario("s", "p", STREAMS),
            "network is 'p'; allowed: Port, Forwarder, Chain or Switch",
        ),
        (
            lambda: fluid.solve(3, STREAMS),
            "network is 3; allowed: Port, Forwarder, Chain or Switch",
        ),
        (
            lambda: packets.simulate("x", STREAMS, 1.0),
            "network is 'x'; allowed: Port, Forw",
        ),
        (
            lambda: packets.simulate(PORT, None, 1.0),
            "streams is None; allowed: a sequence",
        ),
        (lambda: tcp.simulate(SCENARIO, HOSTS, 1.0), "; allowed: Port, Forwarder, Chain or Switch"),
        (lambda: run(PORT), "; allowed: a Scenario"),
        (
            lambda: run(m120.PLATFORM.experiments()["base"]),
            "is 'Experiment'; allowed: a Scenario: an experiment's is its .scenario",
        ),
        (
            lambda: run(SCENARIO, "tcp"),
            "is 'tcp'; allowed: 'packets', 'fluid', each of which runs TCP hosts as well",
        ),
        (
            lambda: compare.compare_experiment("m120", "base", model="tcp"),
            "model of m120 base is 'tcp'; allowed: fluid, packets",
        ),
        (
            lambda: PORT.replace(scheduler=StrictPriority),
            "StrictPriority'>; allowed: StrictPriority(), as this is the class alone",
        ),
        (
            lambda: PORT.queues[0].replace(limit=PacketLimit),
            "PacketLimit'>; allowed: PacketLimit(...), as this is the class alone",
        ),
        (lambda: run(SCENARIO, executor=4), "executor is 4; allowed: an Executor, or None"),
        (
            lambda: compare.compare_experiment("m120", "bass"),
            "experiment is 'bass'; allowed: base, base_drop_profile",
        ),
        (
            lambda: compare.compare_experiment("m120", "base", "colour"),
            "quantities is ('colour',); allowed: ",
        ),
        (lambda: compare.misfit_summary("m120", "water"), "model is 'water'; allowed: fluid, pac"),
        (lambda: compare.published_points("m120", "base"), "is 'base'; allowed: an Experiment"),
        (lambda: compare.published("m130"), "platform is 'm130'; allowed: catalyst6506, gsr"),
        (lambda: compare.score(platforms="m120"), "is 'm120'; allowed: a sequence of a text"),
        (lambda: compare.score_measurements("a.csv", SCENARIO, [RESULT]), "allowed: a DataFrame"),
        (
            lambda: compare.score_measurements(MEASURED[["value"]], SCENARIO, [RESULT]),
            "columns of table are ['value']; allowed: what measurements.load gives",
        ),
        (lambda: compare.score_measurements(MEASURED, PORT, [RESULT]), "allowed: a Scenario"),
        (lambda: compare.score_measurements(MEASURED, SCENARIO, RESULT), "'a'; allowed: a Result"),
        (lambda: compare.ticks("fluid", "base"), "is 'base'; allowed: a sequence of a text"),
        (lambda: compare.ticks("fluid", ["bass"]), "is 'bass'; allowed: base, of_the_time"),
        (lambda: compare.stored(3), "path is 3; allowed: the path of a file, or None"),
        (lambda: compare.ticks(full=3), "full is 3; allowed: true or false"),
        (lambda: compare.score(full="yes"), "full is 'yes'; allowed: true or false"),
        (lambda: compare.to_frame(ROWS[0]), "; allowed: a sequence of Row"),
        (lambda: compare.remark(RESULT, "packets"), "packets is 'packets'; allowed: a Result"),
        (lambda: measurements.load(7), "an int: no such table; allowed: a CSV file, an open one"),
        (lambda: Result.from_json(RESULT), "; allowed: a text"),
    ],
)
def test_a_wrong_kind_of_thing_is_named_with_the_right_one(made, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        made()


def test_a_rate_that_no_line_has_is_refused_before_a_packet_is_played():
    given = CALLS[packets.throughput] | {"high_bps": 1e300}
    assert (
        answer(packets.throughput, given) == "high_bps is 1e+300; allowed: above 0 and up to 1e18"
    )


def test_regular_streams_of_no_line():
    with pytest.raises(ValueError, match=r"line_bps is 0.0; allowed: above 0"):
        traffic.on_one_line(STREAMS, 0)
    with pytest.raises(ValueError, match=r"the streams' names are .*; allowed: each name once"):
        traffic.on_one_line(STREAMS * 2, 1e9)
    assert traffic.on_one_line([], 1e9) == ()
    silent = (Stream("silent"),)
    assert traffic.on_one_line(silent, 1e9) == silent


@pytest.mark.parametrize(
    ("model", "rules", "other"),
    [
        (fluid.solve, fluid.SHARINGS, "packet"),
        (partial(packets.simulate, duration_s=0.01), SCHEDULERS, "fluid"),
    ],
)
def test_a_scheduler_that_a_model_does_not_know_is_named_with_those_it_knows(
    model, rules, other, monkeypatch
):
    monkeypatch.delitem(rules, Fifo)
    said = rf"Port 'p' scheduler is Fifo\(\); allowed: Strict.* here; the {other} model may run"
    with pytest.raises(ValueError, match=said):
        model(PORT, STREAMS)
