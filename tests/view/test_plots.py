"""Figures: one look per kind of thing, and the same said as a paragraph and a table."""

import html
import json
from functools import cache

import numpy as np
import pytest

from qoslib import Scenario, fluid, lessons, packets, plots, run, sweep, tcp, units
from qoslib.findings import ClassRun
from qoslib.platforms import m120, mx80
from qoslib.plots import style
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream

QUEUE = Port("line", units.mbps(100), (Queue("all", PacketLimit(512)),), overhead_bytes=24)
STREAM = Stream("iperf3", units.mbps(150), 1490)


OVERLOAD = Scenario("overload", QUEUE, (STREAM,), 0.4)


def base_test():
    base = m120.PLATFORM.experiments()["base"]
    simulated = packets.simulate(base.port, base.streams, 0.02)
    return plots.classes(base, [fluid.solve(base.port, base.streams), simulated], "m120")


def one_queue():
    loads_bps = np.append(np.linspace(0, 2e8, 11), STREAM.rate_bps)
    solved = fluid.solve(QUEUE, [STREAM], loads_bps[:, None])
    seen = lessons.one_queue.Published(
        units.mbps(150), units.mbps(98), lost=0.36, lost_half_width=0.005
    )
    scenario = Scenario("s", QUEUE, (STREAM,), 2.0, 1.0)
    simulated = sweep(scenario, {"streams[0].rate_bps": [9e7, STREAM.rate_bps]})
    return lessons.one_queue.figure(QUEUE, STREAM, solved, seen, simulated)


def test_a_published_maximum_is_no_mean():
    """CS1 waits for "up to 84 ms": the bar of its half width would say that all packets do."""
    figure = base_test()
    measured = next(each for each in figure.data if each["uid"] == "measured-delay")
    at = [stream.name for stream in m120.PLATFORM.experiments()["base"].streams].index("CS1")
    assert measured["y"][at] - measured["error_y"]["arrayminus"][at] == pytest.approx(0.01)
    assert measured["error_y"]["array"][at] == pytest.approx(0.5)
    assert "published: up to 84 ms" in figure.summary
    profile = m120.PLATFORM.experiments()["profile1"]
    given = plots.classes(profile, fluid.solve(profile.port, profile.streams), "m120")
    measured = next(each for each in given.data if each["uid"] == "measured-delay")
    assert measured["error_y"]["arrayminus"] == measured["error_y"]["array"]
    assert "published: 45 ms" in given.summary


def over_load():
    one = m120.PLATFORM.experiments()["profile1"]
    path, rates = "streams['CS1'].rate_bps", np.linspace(units.mbps(50), units.gbps(2.5), 81)
    swept = sweep(one.scenario, {path: rates}, "fluid")
    short = one.scenario.replace(duration_s=0.3, warmup_s=0.2)
    simulated = sweep(short, {path: rates[[20, 60]]})
    results = {"head": swept, "packet by packet": simulated}
    seen = {units.mbps(200): units.ms(45)}
    return plots.over_load("delay_mean_s", ["CS1"], results, seen, overhead_bytes=20)


def over_time():
    return plots.queue_over_time(OVERLOAD, {"overload": run(OVERLOAD)})


def knife_edge():
    edge = m120.PLATFORM.experiments()["scenario1"]
    ratio = np.array([0.999, 1.0, 1.001])
    offered = ratio[:, None] * [stream.rate_bps for stream in edge.streams]
    swept = fluid.solve(edge.port, edge.streams, offered)
    scenarios = [
        edge.scenario.replace(
            streams=[each.replace(rate_bps=part * each.rate_bps) for each in edge.streams],
            duration_s=0.4,
            warmup_s=0.2,
        )
        for part in ratio[:2]
    ]
    simulated = ratio[:2], sweep(scenarios)
    seen = [("CS2", units.ms(219), 1.0)]
    return lessons.head_drop.edge_figure(ratio, swept, 0.999, ("CS2", "BE"), seen, simulated)


def buffer_size():
    return lessons.tcp_buffers.explorer("mx80").drawn


def pacing():
    return lessons.pacing.explorer("catalyst6506").drawn


def tcp_over_time():
    test = mx80.PLATFORM.experiments("textbook")["buffer_12MB"].scenario
    given = {"streams": test.streams}
    runs = {"solved": tcp.solve, "packets": tcp.simulate}
    results = {name: model(test.network, test.hosts, 2.0, **given) for name, model in runs.items()}
    return plots.tcp_over_time(test, results)


def goodput_over_burst():
    rates = {"policer": [1e6, 5e6], "shaper": [8e6, 9e6]}
    return lessons.pacing.goodput_over_burst([1e4, 1e6], rates, 1e7, {"BDP": 6e4})


OF_TCP = [buffer_size, pacing, tcp_over_time, goodput_over_burst]
FIGURES = pytest.mark.parametrize(
    "make", [base_test, one_queue, over_load, over_time, knife_edge, *OF_TCP]
)


@cache
def once(make):
    """The same figure for all tests that only read it."""
    return make()


def trace(figure, uid):
    return next(each for each in figure.data if each["uid"] == uid)


@FIGURES
def test_a_figure_has_words_a_table_units_and_names_for_its_traces(make):
    figure = once(make)
    assert figure.summary.endswith(".")
    assert "\n" not in figure.summary
    assert not figure.table.empty
    uids = [each["uid"] for each in figure.data]
    assert None not in uids
    assert len(set(uids)) == len(uids)
    for name, axis in figure.layout.items():
        if name.startswith("yaxis"):
            assert axis["title"]["text"].endswith("]"), name


@FIGURES
def test_plotly_knows_every_property_of_a_figure(make):
    """A figure of ours is a plain record, at which plotly does not look when it is made."""
    figure = make()
    looked_at = json.loads(figure.to_plotly().to_json(remove_uids=False))
    assert looked_at == json.loads(json.dumps(figure.to_dict(), allow_nan=False))
    figure.add_traces([{"type": "scatter", "colour": "red"}])
    with pytest.raises(ValueError, match="colour"):
        figure.to_plotly()


@FIGURES
def test_a_figure_shows_itself_as_strict_json_without_the_upload_button(make):
    bundle = once(make)._repr_mimebundle_()
    text = json.dumps(bundle, allow_nan=False)
    assert bundle["application/vnd.plotly.v1+json"]["config"]["showSendToCloud"] is False
    assert "http" not in text


@FIGURES
def test_a_figure_in_a_notebook_has_its_words_and_table_one_click_below(make, monkeypatch):
    made, shown = once(make), []
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw: shown.append(bundle))
    made._ipython_display_()
    drawn, folded = shown
    assert set(drawn) == {"application/vnd.plotly.v1+json", "text/plain"}
    page = html.unescape(folded["text/html"])
    assert page.startswith("<details><summary>")
    assert made.summary in page
    assert page.count("<tr") > len(made.table)


@FIGURES
def test_a_live_figure_keeps_names_and_follows(make):
    figure = once(make)
    live = plots.live(figure)
    assert live._config["showSendToCloud"] is False
    shown = [t["uid"] for t in live.data if not t["uid"].startswith("before-")]
    assert shown == [t["uid"] for t in figure.data]
    moved = make()
    moved.data[0]["y"] = [None] * len(moved.data[0]["y"])
    plots.refresh(live, moved)
    assert set(live.data[0]["y"]) == {None}


def test_what_moves_leaves_a_pale_trace_of_where_it_was():
    first, moved = one_queue(), one_queue()
    live = plots.live(first)
    assert trace(live, "before-line-0")["y"] == ()
    assert trace(live, "before-key")["showlegend"] is False
    trace(moved, "line-0")["y"] = [0.0] * len(trace(moved, "line-0")["y"])
    plots.refresh(live, moved, first)
    assert set(trace(live, "line-0")["y"]) == {0.0}
    assert list(trace(live, "before-line-0")["y"]) == trace(first, "line-0")["y"]
    assert trace(live, "before-line-0")["opacity"] < 0.5
    assert trace(live, "before-key")["showlegend"] is True
    kept = {each["uid"].removeprefix("before-") for each in live.data if each["uid"][:3] == "bef"}
    assert not kept & {"measured-0", "packets-0", "key-measured"}


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [((0, 90), (0, 100)), ((0, 101), (0, 101)), ((0, 20), (0, 20)), ((-1, 90), (-1, 90))],
)
def test_an_axis_stays_still_as_long_as_it_has_room(wanted, shown):
    first, moved = one_queue(), one_queue()
    first.layout["yaxis"]["range"], moved.layout["yaxis"]["range"] = (0, 100), wanted
    live = plots.live(first)
    plots.refresh(live, moved)
    assert tuple(live.layout["yaxis"]["range"]) == shown


@FIGURES
def test_what_is_read_under_the_pointer_has_its_unit(make):
    figure = once(make)
    for each in figure.data:
        if each["x"] and each["x"][0] is not None and each.get("hoverinfo") != "skip":
            axis = figure.layout[f"yaxis{each['yaxis'][1:]}"]
            unit = axis["title"]["text"].split("[")[1].rstrip("]")
            assert unit in each["hovertemplate"], each["uid"]


def test_published_values_fade_where_the_settings_are_not_theirs():
    base = m120.PLATFORM.experiments()["base"]
    solved = fluid.solve(base.port, base.streams)
    for faded, said in ((False, "published: up to 84 ms"), (True, "other settings: up to 84 ms")):
        figure = plots.classes(base, solved, "m120", faded=faded)
        measured = trace(figure, "measured-delay")
        assert (measured["opacity"] < 0.5) is faded
        assert ("with other settings" in measured["hovertemplate"]) is faded
        assert said in figure.summary


def test_a_click_on_the_key_hides_all_of_a_kind():
    for figure in map(once, (base_test, one_queue, buffer_size)):
        entries = [each for each in figure.data if each["uid"].startswith("key-")]
        drawn = {each.get("legendgroup") for each in figure.data if each not in entries}
        assert {each["legendgroup"] for each in entries} <= drawn


def test_round_numbers_end_an_axis():
    assert [style.nice(top) for top in (0, 0.9, 1, 1.01, 7, 83, 120, 1e-3)] == [
        *(1, 1, 1, 1.5, 8, 100, 150, 1e-3)
    ]


def test_refreshing_with_another_figure_is_refused():
    with pytest.raises(ValueError, match="traces are"):
        plots.refresh(plots.live(base_test()), one_queue())


def test_the_base_test_is_drawn_as_modelled_and_as_printed():
    figure = base_test()
    names = list(trace(figure, "fluid-delay")["x"])
    drawn = dict(zip(names, trace(figure, "fluid-delay")["y"], strict=True))
    printed = dict(zip(names, trace(figure, "measured-delay")["y"], strict=True))
    assert drawn["CS1"] == pytest.approx(88, rel=0.01)
    assert (printed["CS1"], printed["BE"], printed["CS2"]) == (84, 4, None)
    assert dict(zip(names, trace(figure, "measured-delay")["error_y"]["array"], strict=True))[
        "BE"
    ] == (pytest.approx(0.5))
    assert "CS1 is offered 2.5 Gb/s and loses 12 %" in figure.summary
    assert figure.table.loc["CS1", "delay [ms] published"] == 84


def test_the_packet_model_is_drawn_over_the_fluid_one_and_named():
    figure = base_test()
    drawn = [trace(figure, f"{model}-sent")["y"] for model in ("fluid", "packets")]
    assert drawn[1] == pytest.approx(drawn[0], rel=0.05, abs=0.05)
    uids = [each["uid"] for each in figure.data]
    assert uids.index("packets-sent") > uids.index("fluid-sent")
    assert "packet model" in figure.summary
    assert "queue of CS1, BE is still filling" in figure.summary


def test_the_table_of_one_queue_has_both_models():
    table = one_queue().table
    assert list(table) == [
        f"{column}, {model}"
        for model in ("fluid model", "packet model")
        for column in ("carried [Mb/s]", "lost [%]", "delay [ms]")
    ]
    own = table.dropna().iloc[-1]
    assert own["lost [%], packet model"] == pytest.approx(34.4, abs=0.1)
    assert own["lost [%], fluid model"] == pytest.approx(own["lost [%], packet model"], rel=0.02)


def test_packets_of_one_queue_stand_on_the_line_where_they_come_evenly():
    figure = one_queue()
    assert trace(figure, "packets-2")["y"] == pytest.approx((0.12112, 62.1), rel=0.01)
    assert figure.summary.endswith(
        "Packet model (CBR): 34.4 % is lost, and a packet takes 62.1 ms."
    )
    low, high = figure.layout["yaxis3"]["range"]
    assert low <= np.log10(0.12112) < np.log10(62.1) <= high


def test_a_queue_fills_and_then_loses_what_does_not_fit():
    figure = over_time()
    waiting, takes_ms, dropped = (trace(figure, f"overload-{panel}")["y"] for panel in range(3))
    pps = units.rate_pps(STREAM.rate_bps, 1490) - units.rate_pps(units.mbps(100), 1514)
    full_ms = units.convert(512 / pps, "s", "ms")
    x = trace(figure, "overload-0")["x"]
    assert next(t for t, y in zip(x, dropped, strict=True) if y) == pytest.approx(full_ms, abs=2)
    assert max(waiting) in (512, 513)
    assert takes_ms[-1] == pytest.approx(62, rel=0.1)
    assert dropped[-1] == pytest.approx(pps, rel=0.15)


def test_an_empty_queue_takes_no_time_to_send():
    pauses = lessons.one_queue.bursts()
    figure = plots.queue_over_time(pauses, {"the port": run(pauses)})
    takes_ms = np.array(figure.data[1]["y"], dtype=float)
    assert np.isfinite(takes_ms).all(), "the line has no gaps"
    assert takes_ms[np.array(figure.data[0]["y"]) == 0].max() == 0


def test_a_line_joins_no_runs_of_a_packet_model():
    modes = {trace["name"]: trace["mode"] for trace in over_load().data}
    assert modes["head"] == "lines+markers"
    assert modes["packet by packet"] == "markers"


def test_a_record_without_a_history_is_no_queue_over_time():
    with pytest.raises(ValueError, match="this 'fluid' result has no history"):
        plots.queue_over_time(OVERLOAD, {"solved": run(OVERLOAD, "fluid")})


def test_the_knife_edge_tells_where_packets_get_through():
    figure = knife_edge()
    assert min(trace(figure, "packets-sent_pps-CS2")["y"][:1]) > 0
    assert trace(figure, "packets-delay_mean_s-BE")["y"][1] is None
    assert figure.summary.endswith("something from -0.100 to -0.100 %.")


def test_a_class_that_sends_nothing_has_no_delay():
    edge = m120.PLATFORM.experiments()["scenario1"]
    figure = plots.classes(edge, fluid.solve(edge.port, edge.streams), "m120")
    names = list(trace(figure, "fluid-delay")["x"])
    assert trace(figure, "fluid-delay")["y"][names.index("CS2")] is None
    assert "CS2 is offered 2.3 Gb/s and loses 100 %: it sends nothing" in figure.summary


def test_a_class_that_is_offered_nothing_has_a_sentence_of_its_own():
    busy = ClassRun("a", 1, "packets", 0.0, 1e6, 1e6, delay_mean_s=0.004, delay_max_s=0.005)
    said = plots.change(["a", "b"], {"a": busy}, {"a": busy}).summary
    assert said == "a loses 0 %, waits 4 ms on average and 5 ms at most; b is offered nothing."


def test_published_values_are_open_and_modelled_ones_filled():
    figure = base_test()
    for quantity in ("sent", "dropped", "delay"):
        assert all(
            s.endswith("-open") for s in trace(figure, f"measured-{quantity}")["marker"]["symbol"]
        )
        assert not any("open" in s for s in trace(figure, f"fluid-{quantity}")["marker"]["symbol"])


def test_classes_are_told_apart_with_and_without_colour():
    assert len({look.colour for look in style.LOOKS.values()}) == len(style.LOOKS)
    assert len({look.symbol for look in style.LOOKS.values()}) == len(style.LOOKS)


@pytest.mark.parametrize(("kind", "dash"), [("fluid", None), ("packets", None), ("bound", "dash")])
def test_only_bounds_are_dashed(kind, dash):
    assert style.line(kind, "BE", [0], [0], 0)["line"].get("dash") == dash


def test_a_template_keeps_its_own_tags_and_no_name_becomes_markup():
    trace = {"type": "scatter", "x": [1], "y": [2], "name": "<b>", "text": ["<extra>"]}
    trace["hovertemplate"] = "<a href='x'>%{y}<br>ms<extra>name</extra>"
    drawn = plots.Figure(data=[trace]).data[0]
    assert drawn["hovertemplate"] == "&lt;a href='x'&gt;%{y}<br>ms<extra>name</extra>"
    assert (drawn["name"], drawn["text"][0]) == ("&lt;b&gt;", "&lt;extra&gt;")
