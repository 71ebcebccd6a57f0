"""Figures: one look per kind of thing, and the same said as a paragraph and a table."""

import json

import numpy as np
import pytest

from qoslib import fluid, plots, units
from qoslib.platforms import m120
from qoslib.plots import style
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream

QUEUE = Port("line", units.mbps(100), (Queue("all", PacketLimit(512)),), overhead_bytes=24)
STREAM = Stream("iperf3", units.mbps(150), 1490)


def base_test():
    base = m120.experiments()["base"]
    return plots.classes(base, fluid.solve(base.port, base.streams), "m120")


def one_queue():
    sweep = fluid.solve(QUEUE, [STREAM], np.linspace(0, 2e8, 11)[:, None])
    seen = plots.Seen(units.mbps(150), units.mbps(98), lost=0.36, lost_half_width=0.005)
    return plots.one_queue(QUEUE, STREAM, sweep, fluid.solve(QUEUE, [STREAM]), seen)


def over_load():
    one = m120.experiments()["profile1"]
    swept = fluid.sweep(one.port, one.streams, "CS1", units.mbps(50), units.gbps(2.5))
    return plots.latency_over_load(one, "CS1", {"head": swept}, {units.mbps(200): units.ms(45)})


def knife_edge():
    edge = m120.experiments()["scenario1"]
    ratio = np.array([0.999, 1.0, 1.001])
    offered = ratio[:, None] * [stream.rate_bps for stream in edge.streams]
    swept = fluid.solve(edge.port, edge.streams, offered)
    return plots.knife_edge(ratio, swept, 0.999, ("CS2", "BE"), [("CS2", units.ms(219), 1.0)])


FIGURES = pytest.mark.parametrize("make", [base_test, one_queue, over_load, knife_edge])


def trace(figure, uid):
    return next(each for each in figure.data if each.uid == uid)


@FIGURES
def test_a_figure_has_words_a_table_units_and_names_for_its_traces(make):
    figure = make()
    assert figure.summary.endswith(".")
    assert "\n" not in figure.summary
    assert not figure.table.empty
    uids = [each.uid for each in figure.data]
    assert None not in uids
    assert len(set(uids)) == len(uids)
    for axis in figure.select_yaxes():
        assert axis.title.text.endswith("]"), axis.title.text


@FIGURES
def test_a_figure_shows_itself_as_strict_json_without_the_upload_button(make):
    bundle = make()._repr_mimebundle_()
    text = json.dumps(bundle, allow_nan=False)
    assert bundle["application/vnd.plotly.v1+json"]["config"]["showSendToCloud"] is False
    assert "http" not in text
    assert make()._repr_html_() is None


@FIGURES
def test_a_live_figure_keeps_names_and_follows(make):
    figure = make()
    live = plots.live(figure)
    assert live._config["showSendToCloud"] is False
    assert [t.uid for t in live.data] == [t.uid for t in figure.data]
    moved = make()
    moved.data[0].y = [None] * len(moved.data[0].y)
    plots.refresh(live, moved)
    assert set(live.data[0].y) == {None}


def test_refreshing_with_another_figure_is_refused():
    with pytest.raises(ValueError, match="traces are"):
        plots.refresh(plots.live(base_test()), one_queue())


def test_the_base_test_is_drawn_as_modelled_and_as_printed():
    figure = base_test()
    names = list(trace(figure, "fluid-latency").x)
    drawn = dict(zip(names, trace(figure, "fluid-latency").y, strict=True))
    printed = dict(zip(names, trace(figure, "measured-latency").y, strict=True))
    assert drawn["CS1"] == pytest.approx(88, rel=0.01)
    assert (printed["CS1"], printed["BE"], printed["CS2"]) == (84, 4, None)
    assert dict(zip(names, trace(figure, "measured-latency").error_y.array, strict=True))["BE"] == (
        pytest.approx(0.5)
    )
    assert "CS1 is offered 2.5 Gb/s and loses 12 %" in figure.summary
    assert figure.table.loc["CS1", "latency [ms] published"] == 84


def test_a_class_that_sends_nothing_has_no_latency():
    edge = m120.experiments()["scenario1"]
    figure = plots.classes(edge, fluid.solve(edge.port, edge.streams), "m120")
    names = list(trace(figure, "fluid-latency").x)
    assert trace(figure, "fluid-latency").y[names.index("CS2")] is None
    assert "CS2 is offered 2.3 Gb/s and loses 100 %: it sends nothing" in figure.summary


def test_published_values_are_open_and_modelled_ones_filled():
    figure = base_test()
    for quantity in ("sent", "dropped", "latency"):
        assert all(s.endswith("-open") for s in trace(figure, f"measured-{quantity}").marker.symbol)
        assert not any("open" in s for s in trace(figure, f"fluid-{quantity}").marker.symbol)


def test_classes_are_told_apart_with_and_without_colour():
    assert len({look.colour for look in style.LOOKS.values()}) == len(style.LOOKS)
    assert len({look.symbol for look in style.LOOKS.values()}) == len(style.LOOKS)


@pytest.mark.parametrize(("kind", "dash"), [("fluid", None), ("packets", None), ("bound", "dash")])
def test_only_bounds_are_dashed(kind, dash):
    assert style.line(kind, "BE", [0], [0], 0)["line"].get("dash") == dash
