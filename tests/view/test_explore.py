"""Explorers: the figure, the words and the table follow the controls."""

import asyncio
import gc
import math
import re
import sys
import threading
import time
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import ipywidgets as widgets
import pytest

from qoslib import Scenario, fluid, lessons, packets, units
from qoslib.explore import redraw, waiting
from qoslib.explore.change_summary import cause
from qoslib.explore.controls import slider
from qoslib.explore.redraw import NEXT_MOVE_S, Debounced
from qoslib.explore.waiting import ProgressWidget
from qoslib.lessons.head_drop.sliders import described, settings
from qoslib.lessons.one_queue.sliders import SIMULATED
from qoslib.packets.phases import random_phases
from qoslib.platforms import m120
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream

pytestmark = pytest.mark.newer

LINE = Port("line", units.mbps(100), (Queue("all", PacketLimit(512)),), overhead_bytes=24)
LINED = Scenario("line", LINE, (Stream("iperf3", units.mbps(150), 1490),))


def one_queue():
    return lessons.one_queue.explorer(LINED)


def own_port():
    return lessons.your_network.explorer(LINED)


def drawn(app, uid):
    return list(next(each for each in app.figure.data if each.uid == uid).y)


def controls(widget):
    for child in getattr(widget, "children", ()):
        yield from controls(child)
    if isinstance(widget, widgets.ValueWidget) and not isinstance(widget, widgets.HTML):
        yield widget


MAKERS = pytest.mark.parametrize(
    "make",
    [
        lessons.tcp_buffers.explorer,
        lessons.pacing.explorer,
        lessons.head_drop.explorer,
        lessons.head_drop.knife_edge,
        lessons.packet_rate.explorer,
        lessons.llq_policing.explorer,
        lessons.same_traffic.explorer,
        lessons.round_robin.explorer,
        own_port,
        lessons.your_network.shared_memory,
        one_queue,
    ],
)


@cache
def one_of(make):
    """An explorer that is looked at first and moved then."""
    return make()


@MAKERS
def test_every_control_has_a_name_of_its_own(make):
    names = [control.description for control in controls(one_of(make).widget)]
    assert all(names)
    assert len(set(names)) == len(names)


@MAKERS
def test_the_figure_stays_the_same_widget(make):
    app = one_of(make)
    figure, control = app.figure, next(c for c in controls(app.widget) if hasattr(c, "step"))
    before = app.summary
    control.value += 3 * control.step
    assert app.figure is figure
    assert app.summary != before
    assert app.summary.split(" ", 1)[0] in app.widget.children[-2].value


@pytest.mark.parametrize("name", m120.PLATFORM.experiments())
def test_settings_describe_the_published_experiment_again(name):
    experiment = m120.PLATFORM.experiments()[name]
    again = described(experiment, settings(experiment))
    assert again.port == experiment.port
    for one, other in zip(again.streams, experiment.streams, strict=True):
        assert one.rate_bps == pytest.approx(other.rate_bps)


def test_a_slider_draws_what_the_model_says():
    app = lessons.head_drop.explorer("m120")
    app.widget.controls["offered_CS1"].value = 50
    answer = fluid.solve(m120.port(), m120.streams(m120.SHARES["base"] | {"CS1": 0.5}))
    assert drawn(app, "fluid-delay") == pytest.approx(answer.delay_mean_s / units.ms(1))


def test_a_guess_of_a_delay_with_tail_drop_stands_at_no_port_that_drops_at_the_head(monkeypatch):
    guesses = {"01.a": 20.0, "01.b": 100.0}
    monkeypatch.setattr(lessons, "_store", SimpleNamespace(get=lambda asked: guesses[asked.name]))
    app = lessons.head_drop.explorer("m120")

    def places():
        return {each.uid: each.x for each in app.figure.data if each.uid.startswith("guess")}

    assert places() == {"guess-01.a": ("CS1",), "guess-01.b": ()}
    app.move(drop_CS1="tail", drop_BE="tail")
    assert places() == {"guess-01.a": ("CS1",), "guess-01.b": ("BE",)}


def test_the_packet_model_follows_when_the_controls_rest():
    app = lessons.head_drop.explorer("m120")
    app.widget.controls["offered_CS1"].value = 50
    streams = random_phases(m120.streams(m120.SHARES["base"] | {"CS1": 0.5}), 1)
    simulated = packets.simulate(m120.port(), streams, 1.5, warmup_s=1, seed=1)
    assert drawn(app, "packets-delay") == pytest.approx(simulated.delay_mean_s / units.ms(1))
    assert "(packet model: 44.1 ms; published, with other settings: up to 84 ms)" in app.summary
    assert "delay [ms] packets" in app.table


def test_a_queue_that_fills_slowly_is_given_time():
    app = lessons.head_drop.explorer("m120")
    app.move(offered_CS1=23)
    assert drawn(app, "packets-delay")[3] == pytest.approx(95.7, rel=0.01)
    app.move(offered_CS1=22.1, buffer_CS1=250)
    assert "the queue of CS1 is still filling" in app.summary


def test_a_slider_waits_for_neither_packets_nor_the_sliders_after_it():
    app = lessons.head_drop.explorer("m120")
    controls, plays = app.widget.controls, []
    simulate, app._simulate = (
        app._simulate,
        lambda values, progress: plays.append(values) or simulate(values, progress),
    )

    async def moved():
        for load in (30, 40, 50):
            controls["offered_CS1"].value = load
            assert drawn(app, "fluid-delay")[3] == pytest.approx(2200 / load, rel=0.01)
            assert drawn(app, "packets-delay")[3] is None
        await app.widget._rest._task

    asyncio.run(moved())
    assert len(plays) == 1
    assert drawn(app, "packets-delay")[3] == pytest.approx(44.1, rel=0.01)


@pytest.mark.parametrize(("name", "value"), [("load", 120), ("buffer", 300), ("frame", 800)])
def test_a_move_of_a_slider_is_few_calls(name, value):
    """The figure of the fluid model: one solution, one update, and no detour in between."""
    app, calls = one_queue(), []
    controls = app.widget.controls
    package = str(Path(lessons.__file__).parent.parent)

    def called(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(package):
            calls.append(frame.f_code.co_qualname)

    async def moved():
        sys.setprofile(called)
        controls[name].value = value
        sys.setprofile(None)
        app.widget._rest.cancel()

    asyncio.run(moved())
    assert 50 < len(calls) < 300


def test_a_slider_means_what_it_shows():
    """A page steps from 120 to 124.00000000000001; exact patterns of packets would never repeat."""
    app = lessons.round_robin.explorer("test_b")
    app.widget.controls["load_prec6"].value = 124.00000000000001
    assert app.values["load_prec6"] == 124
    assert app.summary.startswith("Updates sends 124 Mb/s")
    assert app.python.endswith("app.move(load_prec6=124.0)")


def test_a_run_that_keeps_a_reader_waiting_shows_how_far_it_is(monkeypatch):
    app, seen = lessons.head_drop.explorer("m120"), []
    simulate = app._simulate

    def watched(values, progress):
        found = simulate(
            values, lambda *done: progress(*done) or seen.append(bar.layout.visibility)
        )
        return found

    (bar,) = (each for each in app.widget.children if isinstance(each, ProgressWidget))
    app._simulate = watched
    monkeypatch.setattr(waiting, "SHOWN_AFTER_S", math.inf)
    app.move(offered_CS1=30)
    assert set(seen) == {"hidden"}, "a short run shows no bar"
    seen.clear()
    monkeypatch.setattr(waiting, "SHOWN_AFTER_S", -1.0)
    app.move(offered_CS1=40)
    assert set(seen) == {"visible"}
    assert bar.value == bar.max > 1
    assert bar.layout.visibility == "hidden", "the run has ended"


def test_an_explorer_spares_the_reader_the_search_for_garbage():
    one_queue()
    assert gc.get_freeze_count() > len(gc.get_objects(generation=2))


def at_rest(taken, rest_s=0.0):
    return Debounced(lambda wanted: "found", taken.append, rest_s)


def test_what_was_requested_can_be_cancelled():
    taken = []
    rest = at_rest(taken)

    async def asked():
        rest.request(time.monotonic())
        rest.cancel()
        await asyncio.sleep(0.1)

    asyncio.run(asked())
    assert taken == []
    rest.request(time.monotonic())
    assert taken == ["found"]


def test_what_is_requested_waits_since_the_move_but_for_the_next_one_too(monkeypatch):
    """The clock and the sleep are replaced, so that no test waits for a slow machine."""
    asked_s, sleep = [], asyncio.sleep

    async def slept(wait_s):
        asked_s.append(wait_s)

    async def asked(ago_s):
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: 100.0)
        monkeypatch.setattr(redraw.asyncio, "sleep", slept)
        at_rest([], rest_s=0.2).request(100.0 - ago_s)
        await sleep(0)
        monkeypatch.undo()
        return asked_s.pop()

    assert asyncio.run(asked(0.05)) == pytest.approx(0.15)
    assert asyncio.run(asked(5.0)) == pytest.approx(NEXT_MOVE_S)


def test_a_slow_answer_to_an_old_move_is_never_drawn_over_a_newer_one():
    """A cell or a first message runs in the main thread, and a page's moves in another."""
    app = one_queue()
    began, newer_is_drawn, simulate = threading.Event(), threading.Event(), app._simulate

    def slow(values, progress):
        if values["buffer"] == 300:
            began.set()
            assert newer_is_drawn.wait(20)
        return simulate(values, progress)

    app._simulate = slow

    async def moved(packets):
        app.widget.controls["buffer"].value = packets
        await app.widget._rest._task

    older = threading.Thread(target=asyncio.run, args=(moved(300),))
    older.start()
    assert began.wait(20)
    app.widget.controls["buffer"].value = 200
    newer = drawn(app, "now-2")
    newer_is_drawn.set()
    older.join(20)
    app.widget._rest._thread.shutdown()
    assert app.values["buffer"] == 200
    assert drawn(app, "now-2") == newer


def test_a_move_that_comes_while_a_cell_moves_is_not_lost():
    app, between, moved = one_queue(), threading.Event(), threading.Event()

    def meanwhile(_):
        between.set()
        moved.wait(0.2)

    app.widget.controls["load"].observe(meanwhile, "value")
    cell = threading.Thread(target=lambda: app.move(load=120))
    cell.start()
    assert between.wait(20)
    app.widget.controls["buffer"].value = 100
    moved.set()
    cell.join(60)
    assert (app.values["load"], app.values["buffer"]) == (120, 100)
    assert app.widget._shown_at == app.values


def test_a_page_that_says_where_it_put_a_slider_moves_nothing():
    """Unasked, when it shows a slider at 3.686 whose steps are of 0.1, it says 3.7."""
    app = lessons.round_robin.explorer("test_b")
    exact = app.values["quantum_queue2"]
    control = app.widget.controls["quantum_queue2"]
    step = control.min + round((exact - control.min) / control.step) * control.step
    assert step != exact
    app._draw = None
    control.value = step
    assert app.values["quantum_queue2"] == exact


def test_packets_that_come_at_random_leave_the_line_below_100_percent():
    app = one_queue()
    below = [0, 1, 2, 3, 4, 5, 6, 7]
    evenly = [drawn(app, "packets-2")[n] for n in below]
    assert evenly == pytest.approx([0.12112] * len(below), rel=1e-3)
    app.widget.controls["spacing"].value = "at random (Poisson)"
    at_random = [drawn(app, "packets-2")[n] for n in below]
    loads = [SIMULATED[n] for n in below]
    theory = [0.12112 * (1 + load / (2 - 2 * load)) for load in loads]
    assert at_random == pytest.approx(theory, rel=0.12)
    assert drawn(app, "line-2") == drawn(one_queue(), "line-2")


def test_switches_change_the_dropper():
    app = lessons.head_drop.explorer("m120")
    app.widget.controls["drop_CS1"].value = "tail"
    assert drawn(app, "fluid-delay")[3] == pytest.approx(100, rel=0.01)
    app.move(drop_CS1="head, 10 %")
    assert drawn(app, "fluid-delay")[3] == pytest.approx(8.9, rel=0.01)


def test_choosing_an_experiment_brings_its_settings_and_its_published_values():
    app = lessons.head_drop.explorer("m120")
    app.widget.controls["offered_BE"].value = 90
    app.widget.controls["experiment"].value = "profile2"
    assert app.values["offered_BE"] == 2
    assert drawn(app, "measured-delay")[-1] == 45


def test_reset_goes_back_to_the_published_experiment():
    app = lessons.head_drop.explorer("m120")
    before = drawn(app, "fluid-delay")
    app.widget.controls["offered_CS1"].value = 60
    app.widget.children[0].children[-1].click()
    assert drawn(app, "fluid-delay") == before


def test_strict_high_overloaded_twice_waits_for_half_its_buffer():
    app = lessons.head_drop.explorer("m120")
    app.move(**{f"offered_{name}": 0 for name in m120.CLASSES} | {"offered_CS4": 200})
    assert drawn(app, "fluid-delay")[0] == pytest.approx(50, rel=0.01)


def test_on_the_knife_edge_nothing_is_sent_and_beside_it_something():
    app = lessons.head_drop.knife_edge("m120")
    assert drawn(app, "now-sent_pps") == [0, 0]
    app.move(change=-0.05)
    assert min(drawn(app, "now-sent_pps")) > 0
    assert drawn(app, "now-delay_mean_s") == pytest.approx([274, 4.07], rel=0.01)


def test_one_queue_forgets_the_published_point_when_it_is_about_another_line():
    seen = lessons.one_queue.Published(units.mbps(150), units.mbps(98), 0.36, 0.005)
    app = lessons.one_queue.explorer(LINED, seen)
    assert drawn(app, "measured-1") == [36]
    app.widget.controls["frame"].value = 100
    assert drawn(app, "measured-1") == []


def test_what_goes_wrong_is_said_and_raised():
    app = lessons.head_drop.explorer("m120")
    shown = app.widget
    app._draw = lambda values, simulated: 1 / 0
    with pytest.raises(ZeroDivisionError):
        shown.controls["offered_CS1"].value = 30
    assert 'role="alert"' in shown._alert.value
    assert shown._alert.layout.display is None
    assert shown.children.index(shown._alert) == shown.children.index(app.figure) - 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lessons.head_drop.explorer("m121"), "platform is 'm121'"),
        (lambda: lessons.head_drop.explorer("m120", "bass"), "experiment is 'bass'"),
        (
            lambda: lessons.head_drop.explorer("m120").move(offered_EF=1),
            "control is 'offered_EF'",
        ),
        (
            lambda: lessons.head_drop.explorer("m120").move(offered_CS1=300),
            "offered_CS1 is 300; allowed: 0 to 200",
        ),
        (
            lambda: lessons.head_drop.explorer("m120").move(drop_CS1="middle"),
            "drop_CS1 is 'middle'; allowed: head, tail, head, 10 %, tail, 10 %",
        ),
    ],
)
def test_a_wrong_name_is_told_with_the_right_ones(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_viewer_without_widgets_gets_the_figure_and_its_words():
    app = lessons.head_drop.explorer("m120")
    bundle = app._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "application/vnd.plotly.v1+json" in bundle
    assert bundle["text/plain"] == app.summary


def test_one_sentence_says_what_a_move_changed():
    app = lessons.llq_policing.explorer()
    assert 'qoslib-cause"><b></b>' in app.widget._words.value
    before = app.summary
    app.move(ef=40.0)
    lost = [
        re.search(r"Packet model: EF loses ([\d.]+) %", each)[1] for each in (before, app.summary)
    ]
    moved = "EF load 30 → 40 Mb/s of data. "
    assert (
        f"<b>{moved}Packet model: EF loses {' → '.join(lost)} %. Unchanged: "
        in app.widget._words.value
    )
    app.move(ef=50.0)
    assert "<b>EF load 40 → 50 Mb/s of data." in app.widget._words.value
    app.move(ef=40.0, rate=30.0)
    assert "<b>2 controls moved. " in app.widget._words.value
    app.move(llq=False)
    assert "<b>LLQ on → off. " in app.widget._words.value


def test_a_number_that_changes_just_as_the_slider_does_is_told():
    """With drops at the tail the delay is the buffer: 100 ms become 11.1 as 100 become 11."""
    buffer = {"buffer": slider("Buffer [ms]", 0, 0, 100, 1)}
    was = {"buffer": 100.0}, "Fluid model: CS1 loses 12 %, a packet takes 100 ms."
    now = {"buffer": 11.0}, "Fluid model: CS1 loses 12 %, a packet takes 11.1 ms."
    said = cause(buffer, was, now)
    assert "a packet takes 100 → 11.1 ms" in said
    assert "Unchanged: CS1 loses 12 %" in said


def test_the_cause_names_whose_packets_wait_and_claims_no_stillness_it_cannot_see():
    load = {"load": slider("Load [%]", 0, 0, 100, 1)}
    words = "A loses {} %; its packets wait for {} ms{}. B loses 9 %; its packets wait for 4 ms."

    def said(before, now):
        moves = ({"load": 1.0}, words.format(*before)), ({"load": 2.0}, words.format(*now))
        return cause(load, *moves)

    known = " (packet model: 8 ms)"
    assert "A's packets wait for 8 → 2 ms. Unchanged: A loses 1 %" in said(
        (1, 8, known), (1, 2, "")
    )
    assert said((1, 8, known), (1, 8, known)).endswith("No number below changes by 1 % or more.")
    assert said((1, 8, " (packet model: 5 ms)"), (1, 8, known)) == ""


def test_a_page_that_is_opened_again_is_told_of_the_figure_as_it_is():
    app = one_queue()
    app.move(load=60)
    state = app.figure.get_state()
    assert [each["y"] for each in state["_widget_data"] if "y" in each] == [
        each["y"] for each in app.figure.to_dict()["data"] if "y" in each
    ]
    app.close()
