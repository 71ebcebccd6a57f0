"""One record of what happened: single values, rows, totals and quantiles."""

import copy
import math
import pickle
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qoslib import fluid, packets, tcp
from qoslib.flows import Flow, Host
from qoslib.port import Chain, Forwarder, Hop, PacketLimit, Port, Queue
from qoslib.results import QUANTITIES, Counts, Histogram, Result
from qoslib.traffic import Poisson, Stream

pytestmark = pytest.mark.newer

PORT = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
STREAMS = [Stream("a", 150e6), Stream("idle")]
FLUID = fluid.solve(PORT, STREAMS)
LOADS = fluid.solve(PORT, STREAMS, np.array([[1e6, 1e6], [2e6, 1e6], [3e8, 1e6]]))


@cache
def packet_run():
    streams = (Stream("<b>", 150e6, arrivals=Poisson()), Stream("idle"))
    return packets.simulate(PORT, streams, 0.05, trace_packets=9, events=9, seed=1)


@cache
def tcp_run():
    host = Host("h", 1e9, (Flow("down", 0.01),))
    return tcp.simulate(PORT, (host,), 0.3, streams=(Stream("a", 1e6),))


MADE = {
    "fluid": lambda: FLUID,
    "loads": lambda: LOADS,
    "packets": packet_run,
    "TCP": tcp_run,
}
every = pytest.mark.parametrize("name", MADE)


def test_one_value_of_one_stream():
    assert FLUID["a"].sent_bps == 100e6
    assert FLUID["idle"].sent_bps == 0
    assert FLUID["idle"].delay_mean_s is None
    assert FLUID["a"].dropped_by_pps == {"tail": FLUID["a"].dropped_pps}
    assert LOADS["a"].sent_bps.tolist() == [1e6, 2e6, pytest.approx(300 / 301 * 1e8)]
    assert (FLUID.model, FLUID.streams, FLUID.queues) == ("fluid", ("a", "idle"), ("all",))
    assert list(FLUID) == ["a", "idle"]
    assert "b" not in FLUID


@every
def test_each_quantity_of_a_stream_is_that_of_the_array(name):
    result = MADE[name]()
    for at, stream in enumerate(result):
        for quantity in result.quantities:
            array, value = getattr(result, quantity)[..., at], getattr(result[stream], quantity)
            assert np.array_equal(array, np.nan if value is None else value, equal_nan=True)
            assert (value is None) == bool(result[stream].why_missing(quantity))
            assert quantity in dir(result[stream])


def test_a_missing_value_has_a_reason():
    packet, flow = packet_run(), tcp_run()
    assert FLUID["idle"].why_missing("delay_mean_s") == "nothing was sent"
    assert FLUID["a"].why_missing("delay_mean_s") == ""
    assert "has no histogram" in FLUID["a"].why_missing("delay_p99_s")
    assert "counts no single packets" in FLUID["a"].why_missing("sent_packets")
    assert packet["idle"].why_missing("delay_p99_s") == "nothing was sent"
    assert packet["idle"].why_missing("goodput_bps") == "the stream is no TCP flow"
    assert flow["a"].why_missing("goodput_bytes") == "the stream is no TCP flow"
    assert flow["down"].why_missing("finished_s") == "the transfer was not finished"
    assert flow["down"].goodput_bps == flow.tcp.goodput_bps[0]
    assert flow["down"].sent_packets == flow.packets.sent[0]


def test_any_quantile_is_reached_like_the_mean():
    result = packet_run()
    for name, share in (("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("p05", 0.05), ("p00", 0)):
        expected = result.histogram.quantile_s(share)
        expected = np.clip(expected, result.delay_min_s, result.delay_max_s)
        assert np.array_equal(getattr(result, f"delay_{name}_s"), expected, equal_nan=True)
        assert getattr(result["<b>"], f"delay_{name}_s") == expected[0]
    assert result["<b>"].delay_p50_s < result["<b>"].delay_p999_s <= result["<b>"].delay_max_s


@pytest.mark.parametrize("name", ["speed", "delay_p9_s", "delay_p100_s", "delay_p99", "_p", "of"])
def test_what_is_not_there_is_named_with_what_is(name):
    with pytest.raises(ValueError, match="stream is 'b'; allowed: a, idle"):
        FLUID["b"]
    for holder in (FLUID, FLUID["a"]):
        assert not hasattr(holder, name)
    if name != "_p":
        with pytest.raises(AttributeError, match=f"has no '{name}'; allowed: .*delay_p50_s"):
            getattr(FLUID, name)
    with pytest.raises(AttributeError, match="a stream has no 'queues'; allowed: offered_pps"):
        _ = FLUID["a"].queues


@every
def test_a_record_prints_in_one_screen_and_as_a_table(name):
    result = MADE[name]()
    for shown in (result, result["idle" if "idle" in result else "a"], result.tcp, result.packets):
        lines = repr(shown).splitlines()
        assert len(lines) <= 40
        assert max(map(len, lines)) <= 1000 if shown in (result.tcp, result.packets) else 140
    assert len(repr(result)) < 1000
    assert all(stream in repr(result) for stream in result)
    page = result._repr_html_()
    assert page.count("<tr>") == 1 + len(result.streams)
    assert "[Mbit/s]</th>" in page
    assert "<b>" not in page


def test_a_table_of_many_streams_is_shortened():
    port = PORT.replace(queues=(Queue("all", PacketLimit(10)),))
    result = fluid.solve(port, [Stream(f"number {n}", 1e5) for n in range(500)])
    assert "... 469 more" in repr(result)
    assert "number 499" in repr(result)
    assert len(repr(result).splitlines()) <= 36
    assert result._repr_html_().count("<tr>") <= 36


def test_remarks_stand_below_the_table():
    result = replace(FLUID, notes=("Mind the gap.",), without_delay={"a": "RED"}, interrupted=True)
    assert repr(result).endswith("Mind the gap.\na has no delay: RED")
    assert "interrupted" in repr(result).splitlines()[0]


@every
def test_a_row_a_stream_with_all_quantities(name):
    result = MADE[name]()
    frame = result.to_frame()
    assert tuple(frame.columns) == result.quantities
    assert set(QUANTITIES) <= set(frame.columns)
    assert len(frame) == result.sent_pps.size
    assert frame.index.names[-1] == "stream"
    assert frame.attrs["model"] == result.model
    last = (
        frame.loc[(len(result.sent_pps) - 1, "a")]
        if name == "loads"
        else frame.loc[list(result)[-1]]
    )
    assert (
        last["offered_bps"] == np.atleast_2d(result.offered_bps)[-1, 0 if name == "loads" else -1]
    )


@every
def test_a_dataset_has_the_stream_as_its_last_dimension(name):
    result = MADE[name]()
    data = result.to_xarray()
    assert set(data.data_vars) == set(result.quantities)
    assert data.sent_bps.dims[-1] == "stream"
    assert np.array_equal(data.sent_bps, result.sent_bps)
    assert data.attrs["model"] == result.model


def test_without_xarray_the_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match="needs the package xarray"):
        FLUID.to_xarray()


@every
def test_a_result_comes_back_from_json_and_from_pickle(name):
    result = MADE[name]()
    for again in (Result.from_json(result.to_json()), pickle.loads(pickle.dumps(result))):
        assert again == result
        assert hash(again) == hash(result)
        assert again.to_json() == result.to_json()
    stream = result[next(iter(result))]
    assert copy.deepcopy(stream) == stream
    assert result != replace(result, sent_pps=result.sent_pps + 1)
    assert result != replace(result, dropped_by_pps={})
    assert result != "a result"


def test_parts_of_a_chain_come_back_from_json():
    chain = Chain("chain", (Hop(PORT), Hop(Forwarder("cpu", PORT.queues[0], 1e-6))))
    result = packets.simulate(chain, [Stream("a", 1e6)], 0.01)
    assert Result.from_json(result.to_json()).hops == result.hops
    assert Counts.from_json(result.packets.to_json()) == result.packets


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("Result", "Port"), "document is .*; allowed: an object of the type Result"),
        (('"model": "fluid"', '"model": 3'), "document.model is 3; allowed: a text"),
        (('"model": "fluid", ', ""), "document.model is None; allowed: a value, since a Result"),
        (('"model"', '"modal"'), "document field is 'modal'; allowed: model, streams"),
        (('"float64"', '"object"'), "offered_pps.dtype is 'object'; allowed: float64, int64"),
        (('"shape": [2]', '"shape": [3]'), "offered_pps: cannot reshape .*; allowed: values of"),
        (('"streams": ["a", "idle"]', '"streams": 1'), "document.streams is 1; allowed: a list"),
        (('"seed": null', '"seed": "x"'), "document.seed is 'x'; allowed: a whole number"),
        (('"shape"', '"form"'), "offered_pps is .*; allowed: an object of dtype, shape and val"),
        (("qoslib/", "other/"), "schema is 'other/"),
        (("{", "["), "is not JSON"),
    ],
)
def test_a_damaged_result_is_one_clear_error(change, message):
    text = FLUID.to_json()
    assert change[0] in text
    with pytest.raises(ValueError, match=message) as raised:
        Result.from_json(text.replace(*change, 1))
    assert len(str(raised.value)) < 1500


def test_lost_is_the_sum_over_the_causes():
    one, two, none = np.array([1, 2]), np.array([3, 4]), np.zeros(2, int)

    def counts(dropped):
        return Counts(offered=two, sent=one, queued=none, dropped=dropped, marked=none)

    assert counts({"a": one, "b": two}).lost.tolist() == [4, 6]
    assert counts({}).lost.tolist() == [0, 0]


EDGES = np.geomspace(1e-6, 1, 25)
ROWS = st.lists(st.integers(0, 20), min_size=24, max_size=24)


@given(ROWS, st.floats(0, 1))
def test_a_quantile_lies_in_the_bin_that_holds_it(row, share):
    counts = np.array([row])
    value = Histogram(EDGES, counts).quantile_s(share)[0]
    if not sum(row):
        assert math.isnan(value)
        return
    latencies = np.repeat(np.arange(24), row)
    at = latencies[max(math.ceil(share * sum(row)) - 1, 0)]
    assert EDGES[at] * (1 - 1e-9) <= value <= EDGES[at + 1] * (1 + 1e-9)


@given(ROWS, st.floats(0, 1), st.floats(0, 1))
def test_quantiles_do_not_fall(row, a, b):
    histogram = Histogram(EDGES, np.array([row]))
    low, high = (histogram.quantile_s(share)[0] for share in sorted((a, b)))
    assert math.isnan(low) or low <= high * (1 + 1e-12)


def test_quantiles_by_hand():
    histogram = Histogram(np.array([0.0, 1.0, 4.0, 16.0]), np.array([[0, 4, 4], [4, 0, 0]]))
    assert histogram.quantile_s(0).tolist() == [1, 0]
    assert histogram.quantile_s(0.25) == pytest.approx([2, 0.25])
    assert histogram.quantile_s(0.5) == pytest.approx([4, 0.5])
    assert histogram.quantile_s(1) == pytest.approx([16, 1])
    with pytest.raises(ValueError, match=r"share is 1.5; allowed: 0 to 1"):
        histogram.quantile_s(1.5)
