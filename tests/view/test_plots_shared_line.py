"""Figures of a shared line: service order, histogram, loss against load, both models and queues."""

import json
from itertools import pairwise

import pytest

from qoslib import Scenario, fluid, lessons, packets, plots, run, sweep, units
from qoslib.platforms import gsr12000
from qoslib.plots.marks import by_mark
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream

TEST_B = gsr12000.PLATFORM.experiments()["test_b"]


@pytest.fixture(scope="module")
def simulated():
    return packets.simulate(
        TEST_B.port, TEST_B.streams, units.ms(12), trace_packets=12_000, bins=240
    )


def timeline(simulated):
    window = units.ms(7.4), units.ms(10.7)
    return lessons.round_robin.service_order(TEST_B.scenario, simulated, *window)


def histogram(simulated):
    return plots.delay_histogram(TEST_B, simulated, "gsr12000", ("Updates", "LBE"))


def over_load(simulated):
    loads = [gsr12000.streams("test_b", units.mbps(load)) for load in (20, 80, 140)]
    tests = [Scenario("b", TEST_B.port, streams, 0.5) for streams in loads]
    watched = gsr12000.GROUPS["1A+1B/prec0"]
    both = {"fluid": sweep(tests, model="fluid"), "packets": sweep(tests)}
    return plots.over_load("drop_ratio", watched, both, {units.mbps(86): 0.0}, units.mbps(24))


def shares(simulated):
    answer = fluid.solve(TEST_B.port, TEST_B.streams)
    return lessons.round_robin.figure(TEST_B, answer, simulated, "gsr12000", units.ms(10))


FIGURES = pytest.mark.parametrize("make", [timeline, histogram, over_load, shares])


def trace(figure, uid):
    return next(each for each in figure.data if each["uid"] == uid)


@FIGURES
def test_a_figure_has_words_a_table_units_and_names_for_its_traces(make, simulated):
    figure = make(simulated)
    assert figure.summary.endswith(".")
    assert "\n" not in figure.summary
    assert not figure.table.empty
    uids = [each["uid"] for each in figure.data]
    assert None not in uids
    assert len(set(uids)) == len(uids)
    axes = [axis for name, axis in figure.layout.items() if name.startswith("yaxis")]
    assert all(axis["title"]["text"].endswith("]") for axis in axes)
    json.dumps(figure._repr_mimebundle_(), allow_nan=False)
    assert [t["uid"] for t in plots.live(figure).data][: len(uids)] == uids


def test_a_turn_is_as_long_as_the_quantum(simulated):
    turns = timeline(simulated).table.iloc[1:-1]
    quantum = {queue.name: queue.quantum_bytes for queue in TEST_B.port.queues}
    whole = turns.loc["queue2"].query("bytes > 300_000")
    assert len(whole) >= 2
    assert all(quantum["queue2"] <= size + 1000 for size in whole["bytes"])
    assert "queue1" not in turns.index
    assert (turns["bytes"] == 1000 * turns["packets"]).all()


def test_a_queue_is_not_drawn_while_another_has_the_line(simulated):
    figure = timeline(simulated)
    spans = []
    for row in figure.data:
        x = [value for value in row["x"] if value is not None]
        spans += zip(x[::2], x[1::2], strict=True)
    spans.sort()
    assert all(end <= begin + 1e-6 for (_, end), (begin, _) in pairwise(spans))


def test_the_marks_of_a_histogram_are_the_printed_ones(simulated):
    figure = histogram(simulated)
    assert trace(figure, "measured-Updates")["x"] == pytest.approx((25.10, 631.415, 1281.70))
    assert figure.table.loc["largest [µs]", "LBE published"] == pytest.approx(5211.9, abs=0.1)
    assert sum(trace(figure, "spread-Updates")["y"]) == pytest.approx(100, abs=0.5)


def test_the_fluid_model_loses_where_packets_do_not(simulated):
    figure = over_load(simulated)
    assert trace(figure, "line-0")["y"][1] == pytest.approx(69.8, abs=0.1)
    assert trace(figure, "line-1")["y"][1] == 0
    assert trace(figure, "line-1")["y"][2] > 5
    assert trace(figure, "measured")["x"] == [86]


def test_streams_of_one_mark_are_added_up(simulated):
    figure = shares(simulated)
    assert list(figure.table.index) == ["Updates", "Premium", "IP Plus", "BE", "LBE"]
    assert figure.table.loc["LBE", "sent [Mb/s] fluid"] == pytest.approx(24.2)
    assert figure.table.loc["LBE", "sent [Mb/s] published"] == 40
    assert max(trace(figure, "waiting-queue2")["y"]) > 350
    assert trace(figure, "waiting-queue2")["x"][-1] <= 10


def test_without_packets_the_same_traces_are_drawn(simulated):
    solved = shares(None)
    assert [each["uid"] for each in solved.data] == [each["uid"] for each in shares(simulated).data]
    assert solved.summary.startswith("In the fluid model: ")
    assert not trace(solved, "waiting-queue2")["x"]


def test_what_has_no_mark_is_a_class_of_its_own():
    streams = [Stream("a", 1e6), Stream("b", 1e6), Stream("c", 0.0)]
    assert [each.label for each in by_mark(streams)] == ["a", "b"]
    assert by_mark(streams)[0].look != by_mark(streams)[1].look


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: plots.delay_histogram(TEST_B, r, "", ("EF",)), "class is 'EF'; allowed: Upd"),
        (
            lambda r: lessons.round_robin.service_order(TEST_B.scenario, r, 5, 6),
            "no packet",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told(call, message, simulated):
    with pytest.raises(ValueError, match=message):
        call(simulated)


def test_a_record_without_packets_one_by_one_is_refused():
    port = Port("line", units.mbps(10), (Queue("all", PacketLimit(5)),))
    streams = [Stream("a", units.mbps(5))]
    test = Scenario("s", port, streams, 0.1)
    with pytest.raises(ValueError, match="trace of the result is None; allowed: one of run"):
        lessons.round_robin.service_order(test, run(test), 0, 1)
