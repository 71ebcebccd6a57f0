"""A sweep is as many runs as its grid has points, in one record."""

import concurrent.futures
import itertools
import pickle
import threading

import numpy as np
import pytest

from outcomes import same
from qoslib import (
    Bbr,
    Chain,
    Cubic,
    Flow,
    Forwarder,
    Hop,
    Host,
    PacketLimit,
    Poisson,
    Port,
    Queue,
    Scenario,
    Stream,
    StrictPriority,
    run,
    sweep,
)
from qoslib.front import runs
from qoslib.front.paths import changed, parsed, part_at

QUEUES = (Queue("v.0/1", PacketLimit(9)), Queue("data", PacketLimit(20)))
PORT = Port("port", 10e6, QUEUES, StrictPriority())
STREAMS = (Stream("v.0/1", 6e6, arrivals=Poisson()), Stream("data", 6e6))
OFFICE = Scenario("office", PORT, STREAMS, 0.2, 0.05, 3)
LIMIT, RATE = "network.queues['v.0/1'].limit.packets", "streams[1].rate_bps"
FLOWS = (Flow("f", 0.01, mss_bytes=1448, frame_bytes=1500),)
DTN = Scenario("dtn", PORT.replace(queues=QUEUES[1:]), (), 0.2, hosts=(Host("dtn", 1e8, FLOWS),))
CHAIN = Chain("chain", (Hop(Forwarder("cpu", QUEUES[1], 1e-3)), Hop(PORT)))


def test_each_point_is_a_run_of_its_own():
    swept = sweep(OFFICE, {LIMIT: [2, 9], RATE: np.array([1e6, 5e6, 9e6])}, bins=3)
    assert swept.shape == (2, 3)
    assert swept.sent_bps.shape == swept.delay_p99_s.shape == (2, 3, 2)
    assert swept.axes[RATE] == (1e6, 5e6, 9e6)
    for point in np.ndindex(2, 3):
        limit, rate_bps = (2, 9)[point[0]], (1e6, 5e6, 9e6)[point[1]]
        queues = (QUEUES[0].replace(limit=PacketLimit(limit)), QUEUES[1])
        streams = (STREAMS[0], STREAMS[1].replace(rate_bps=rate_bps))
        alone = OFFICE.replace(network=PORT.replace(queues=queues), streams=streams)
        same(swept[point], run(alone, bins=3))
        np.testing.assert_array_equal(swept.delay_p99_s[point], run(alone).delay_p99_s)


def test_hosts_and_the_fluid_model_are_swept_too():
    swept = sweep(DTN, {"hosts['dtn'].flows[0].congestion": [Cubic(), Bbr()]})
    assert (swept.goodput_bps > 5e6).all()
    assert swept.delay_mean_s[0] != swept.delay_mean_s[1]
    swept = sweep(OFFICE, {RATE: [1e6, 9e6]}, "fluid")
    np.testing.assert_allclose(swept.sent_bps, [[6e6, 1e6], [5e6, 5e6]])


def test_scenarios_are_an_axis_of_their_own():
    swept = sweep([OFFICE, OFFICE.replace(name="long", duration_s=0.4)], {RATE: [1e6, 2e6]})
    assert swept.axes["scenario"] == ("office", "long")
    assert swept.shape == (2, 2)
    same(
        swept[1, 0],
        run(
            OFFICE.replace(**{"duration_s": 0.4}).replace(
                streams=(STREAMS[0], STREAMS[1].replace(rate_bps=1e6))
            )
        ),
    )
    one = OFFICE.replace(streams=STREAMS[:1])
    apart = sweep([OFFICE, one])
    assert len(apart.to_frame()) == 3
    with pytest.raises(ValueError, match="the streams of a sweep's points"):
        _ = apart.sent_bps


def test_seeds_are_common_or_one_per_point():
    limits = {LIMIT: [5, 9]}
    assert [r.seed for r in sweep(OFFICE, limits).results] == [3, 3]
    assert [r.seed for r in sweep(OFFICE, limits, seeds="one per point").results] == [3, 4]
    replicated = sweep(OFFICE, {"seed": range(3), **limits})
    np.testing.assert_array_equal(
        replicated.sent_bps[:, 1], run(OFFICE, seeds=range(3)).values("sent_bps")
    )


def test_an_interval_is_over_the_seeds():
    replicated = sweep(OFFICE, {LIMIT: [2, 9], "seed": range(3)})
    mean, low, high = replicated.interval("sent_bps")
    assert mean.shape == (2, 2)
    np.testing.assert_allclose((low + high) / 2, mean)
    alone = run(OFFICE, seeds=range(3)).interval("sent_bps")
    np.testing.assert_array_equal([mean[1], low[1], high[1]], alone)
    half = 4.302653 * np.std(replicated.sent_bps[1], axis=0, ddof=1) / np.sqrt(3)
    np.testing.assert_allclose(high[1] - mean[1], half, rtol=1e-6)
    with pytest.raises(ValueError, match="the number of seeds is 0; allowed: 2 or more on an axis"):
        sweep(OFFICE, {LIMIT: [2, 9]}, "fluid").interval("sent_bps")


def test_a_table_has_a_row_for_each_point_and_stream():
    swept = sweep(OFFICE, {LIMIT: [2, 9], "network.scheduler": [StrictPriority()]})
    frame = swept.to_frame()
    assert list(frame.columns[:3]) == [LIMIT, "network.scheduler", "stream"]
    assert frame[LIMIT].tolist() == [2, 2, 9, 9]
    assert frame["stream"].tolist() == ["v.0/1", "data"] * 2
    np.testing.assert_array_equal(frame["delay_p99_s"], swept.delay_p99_s.ravel())
    data = swept.to_xarray()
    assert data.sent_bps.dims == (LIMIT, "network.scheduler", "stream")
    assert data.sent_bps.sel({LIMIT: 9, "stream": "data"}).item() == swept.sent_bps[1, 0, 1]


def test_without_xarray_an_error_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xarray", None)
    with pytest.raises(ImportError, match="to_xarray needs the package xarray"):
        sweep(OFFICE, model="fluid").to_xarray()


def test_a_sweep_is_short_when_printed_and_can_be_sent():
    swept = sweep(OFFICE, {RATE: np.linspace(1e6, 9e6, 9)}, "fluid")
    assert repr(swept) == f"Sweep of 9 runs ({RATE}: 1000000.0, 2000000.0, ..., 9000000.0)"
    again = pickle.loads(pickle.dumps(swept))
    np.testing.assert_array_equal(again.sent_bps, swept.sent_bps)
    assert swept.model == "fluid"
    assert not hasattr(swept, "notes")
    with pytest.raises(AttributeError, match="Sweep has no 'tcp'; allowed: offered_pps, sent_pps"):
        swept.values("tcp")
    with pytest.raises(AttributeError, match="has no 'latency_s'; allowed"):
        _ = swept.latency_s


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("networks.queues", "part of a scenario is 'networks'; allowed: name, network, streams"),
        (
            "network.queues['voice']",
            r"part of network.queues is 'voice'; allowed: \['v.0/1'\], \['",
        ),
        ("network.queues[2]", r"part of network.queues is 2; allowed: .*\[0\], \[1\]$"),
        ("network.queues.limit", r"part of network.queues is 'limit'; allowed: \['v.0/1'\]"),
        ("network['queues']", "part of network is 'queues'; allowed: name, rate_bps, queues"),
        ("network.queues[0].policer.rate_bps", r"queues\[0\].policer is 'rate_bps'; .* it is None"),
        ("hosts[0].name", "part of hosts is 0; allowed: nothing"),
        ("name.x", "part of name is 'x'; allowed: nothing, it is 'office'"),
        (
            "network.scheduler.x",
            "scheduler is 'x'; allowed: nothing, a StrictPriority has no field",
        ),
        ("network.queue_of", "part of network is 'queue_of'; allowed: name"),
        ("network.__class__", "part of network is '__class__'; allowed: name"),
        ("print(1)", "a path is 'print"),
        ("network.queues[1+1]", "a path is 'network"),
        ("network.queues[-1]", "a path is 'network"),
        ("a b", "a path is 'a b'; allowed: a text such as"),
        ("", "a path is ''; allowed: a text such as"),
        ("(" * 9999, "a path is .*; allowed: a text such as"),
        (None, "a path is None; allowed: a text such as"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_there_is(path, message):
    with pytest.raises(ValueError, match=message):
        sweep(OFFICE, {path: [1]})
    with pytest.raises(ValueError, match=message):
        part_at(OFFICE, parsed(path))


def test_hops_are_called_by_what_stands_there():
    scenario = OFFICE.replace(network=CHAIN)
    path = parsed("network.hops['cpu'].at.packet_s")
    assert part_at(scenario, path) == 1e-3
    assert part_at(changed(scenario, [(path, 2e-3)]), path) == 2e-3


def test_all_fields_of_a_point_are_changed_at_once():
    """Neither the warm-up nor the new port is right with the rest as it was."""
    made = sweep(OFFICE, {"warmup_s": [0.3], "duration_s": [0.5]}, "fluid", seeds="common")
    assert made.shape == (1, 1)
    other = PORT.replace(queues=(QUEUES[0], QUEUES[1].replace(name="bulk")))
    changes = [
        (parsed("network.queues['bulk'].limit.packets"), 5),
        (parsed("streams['data'].mark"), "bulk"),
        (parsed("network"), other),
    ]
    point = changed(OFFICE, changes)
    assert point.network.queues[1] == Queue("bulk", PacketLimit(5))
    twice = [(parsed("streams[1].rate_bps"), 7e6), (parsed("streams['data'].frame_bytes"), 70)]
    assert changed(OFFICE, twice).streams[1] == Stream("data", 7e6, 70)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"axes": {LIMIT: []}}, "the number of points is 0"),
        ({"scenario": []}, "the number of points is 0"),
        ({"scenario": PORT}, "scenario is Port.*; allowed: a sequence"),
        ({"scenario": [PORT]}, r"scenario\[0\] is Port.*; allowed: a Scenario"),
        ({"axes": [LIMIT]}, "axes is .*; allowed: a mapping of paths to values"),
        ({"axes": {LIMIT: 5}}, "the axis network.* is 5; allowed: a sequence of values"),
        ({"axes": {LIMIT: [0]}}, r"PacketLimit.packets is 0; allowed: 1 or more"),
        ({"axes": {"scenario": [1]}}, "a part of a scenario is 'scenario'; allowed: name"),
        ({"model": "water"}, "model is 'water'; allowed: 'packets', 'fluid'"),
        ({"seeds": "any"}, "seeds is 'any'; allowed: 'common', 'one per point'"),
        (
            {"seeds": "one per point", "axes": {"seed": [1]}},
            "seeds is 'one per point'; allowed: 'c",
        ),
        ({"bin": 3}, "an option is 'bin'; allowed: bins"),
        ({"executor": 2}, "executor is 2; allowed: an Executor, or None"),
    ],
)
def test_a_wrong_argument_is_named_before_anything_runs(given, message):
    with pytest.raises(ValueError, match=message):
        sweep(**{"scenario": OFFICE, **given}, on_result=pytest.fail, progress=pytest.fail)


EXECUTORS = {
    "threads": lambda: concurrent.futures.ThreadPoolExecutor(2),
    "one thread": lambda: concurrent.futures.ThreadPoolExecutor(1),
}


@pytest.mark.parametrize("kind", EXECUTORS)
def test_neither_numbers_nor_seeds_depend_on_the_executor(kind):
    axes = {LIMIT: [2, 5, 9]}
    with EXECUTORS[kind]() as executor:
        there = sweep(OFFICE, axes, seeds="one per point", executor=executor)
        assert executor.submit(int, "5").result() == 5, "it was shut down"
    for one, other in zip(
        there.results, sweep(OFFICE, axes, seeds="one per point").results, strict=True
    ):
        same(one, other)


def test_each_result_is_handed_over_as_it_comes():
    seen, progress = {}, []
    swept = sweep(
        OFFICE,
        {LIMIT: [2, 9], RATE: [1e6]},
        on_result=seen.__setitem__,
        progress=lambda *done: progress.append(done),
    )
    assert progress == [(1, 2), (2, 2)]
    assert {point: result is swept[point] for point, result in seen.items()} == {
        (0, 0): True,
        (1, 0): True,
    }


def test_kernels_are_compiled_before_an_executor_gets_a_point(monkeypatch):
    """By a run of a millionth of a second of each kind of scenario."""
    events, finished = [], runs.finished

    def noted(model, options, scenario, progress):
        events.append(scenario.duration_s)
        return finished(model, options, scenario, progress)

    class Pool(concurrent.futures.ThreadPoolExecutor):
        def submit(self, *given):
            events.append("submitted")
            return super().submit(*given)

    monkeypatch.setattr(runs, "finished", noted)
    with Pool(1) as executor:
        sweep([OFFICE, DTN, OFFICE.replace(network=CHAIN), OFFICE], executor=executor)
    assert events[:4] == [1e-6, 1e-6, 1e-6, "submitted"]
    assert events.count("submitted") == 4


class Waiting(concurrent.futures.Executor):
    """It runs the first point at once, and leaves all others waiting."""

    def __init__(self):
        self.futures = []

    def submit(self, run, /, *given):
        future = concurrent.futures.Future()
        if not self.futures:
            future.set_result(run(*given))
        self.futures.append(future)
        return future


def test_an_interrupt_cancels_what_waits():
    executor = Waiting()

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(OFFICE, {"seed": range(5)}, executor=executor, progress=interrupt)
    assert [future.cancelled() for future in executor.futures] == [False] + [True] * 4


def test_an_interrupt_ends_the_points_under_way_on_our_threads():
    """The second and all further points would last for hours."""
    began = threading.active_count()

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(OFFICE, {"duration_s": [0.2, *itertools.repeat(1e5, 9)]}, progress=interrupt)
    assert threading.active_count() == began


def test_a_point_that_fails_ends_the_sweep_and_is_named():
    with pytest.raises(ValueError, match="allowed: tables of") as raised:
        sweep(OFFICE, {"duration_s": [0.2, 0.3], LIMIT: [9, 10**12]})
    assert raised.value.__notes__ in (["in run 1 of 0 to 3"], ["in run 3 of 0 to 3"])
