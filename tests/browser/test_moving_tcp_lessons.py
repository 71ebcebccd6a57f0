"""Lessons 06 to 08 in a real browser: run, and every slider moved with the keyboard."""

from jupyter_pages import (
    complaints,
    drawn_when_there,
    open_and_run,
    press,
    wait_until_dots,
    wait_until_drawn,
)
from qoslib import run, tcp
from qoslib.lessons.aqm.sliders import START as DROPPING
from qoslib.lessons.aqm.sliders import described as dropping
from qoslib.lessons.pacing.sliders import described as paced
from qoslib.lessons.pacing.sliders import settings as paced_settings
from qoslib.lessons.tcp_buffers.sliders import described, settings
from qoslib.platforms import mx80

BUFFER, PACED = "Buffer, as configured [MB]", "Paced rate [Gb/s]"
MINIMUM = "RED's minimum [packets]"
KNOWN = mx80.PLATFORM.experiments("as_configured")


def sized(**moved):
    """The published test of 36 MB with other settings."""
    return described(KNOWN["buffer_36MB"].scenario, moved)


def both_models(test):
    """Gb/s of data by the fluid model and by the packet model."""
    solved = tcp.solve(test.network, test.hosts, 30.0, streams=test.streams)
    run = tcp.simulate(test.network, test.hosts, 30.0, streams=test.streams, seed=1)
    return [each.tcp.goodput_bps.sum() / 1e9 for each in (solved, run)]


def test_a_buffer_follows_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "06_tcp_buffers")
    drawn_when_there(page, BUFFER, "now-0")
    values = settings(KNOWN["buffer_36MB"].scenario)
    moves = (
        (BUFFER, "ArrowLeft", 60, {"buffer": 6}),
        ("Window of a flow [MB]", "ArrowLeft", 20, {"window": 38}),
        ("Round trip [ms]", "ArrowLeft", 5, {"rtt": 45}),
        ("Flows", "ArrowRight", 1, {"flows": 3}),
    )
    for label, key, times, moved in moves:
        values |= moved
        press(page, label, key, times)
        solved, _ = both_models_in(values)
        wait_until_drawn(page, label, "now-0", [solved])
    page.get_by_label("Congestion control").select_option("CUBIC")
    page.get_by_label("Recovery").select_option("rate halving")
    values |= {"congestion": "CUBIC", "recovery": "rate halving"}
    solved, run = both_models_in(values)
    wait_until_drawn(page, BUFFER, "now-0", [solved])
    wait_until_dots(page, BUFFER, "packets-0", [run])
    page.get_by_label("Buffer in effect").select_option("10 %")
    solved, run = both_models_in(values | {"buffer": 0.6})
    wait_until_drawn(page, BUFFER, "now-0", [solved])
    wait_until_dots(page, BUFFER, "packets-0", [run])
    assert complaints(page, watch) == []


def both_models_in(values):
    """The same for the explorer's values; a test is 600 round trips long at most."""
    test, length_s = sized(**values), min(30.0, 600 * values["rtt"] / 1e3)
    solved = tcp.solve(test.network, test.hosts, length_s, streams=test.streams)
    run = tcp.simulate(test.network, test.hosts, length_s, streams=test.streams, seed=1)
    return [each.tcp.goodput_bps.sum() / 1e9 for each in (solved, run)]


def test_pacing_follows_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "07_pacing")
    drawn_when_there(page, PACED, "now-0")
    test = KNOWN["pace_6G_bg_2G"].scenario
    values = paced_settings(test)
    moves = (
        (PACED, "ArrowLeft", 10, {"paced": 5}),
        ("Background [Gb/s]", "ArrowRight", 10, {"background": 3}),
        ("Buffer [MB]", "ArrowLeft", 10, {"buffer": 10}),
    )
    for label, key, times, moved in moves:
        values |= moved
        press(page, label, key, times)
        solved, run = both_models(paced(test, values))
        wait_until_drawn(page, label, "now-0", [solved])
        wait_until_dots(page, label, "packets-0", [run])
    page.get_by_label("Rate table").select_option("nominal (exact)")
    values["table"] = "nominal (exact)"
    solved, run = both_models(paced(test, values))
    wait_until_drawn(page, PACED, "now-0", [solved])
    wait_until_dots(page, PACED, "packets-0", [run])
    wait_until_drawn(page, PACED, "now-2", [5])
    assert complaints(page, watch) == []


def test_droppers_follow_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "08_aqm")
    assert len(drawn_when_there(page, MINIMUM, "flows")) == 16
    values = dict(DROPPING)
    for label, key, times, moved in (
        (MINIMUM, "ArrowRight", 15, {"minimum": 16}),
        ("TCP flows", "ArrowLeft", 12, {"flows": 4}),
        ("Round trip [ms]", "ArrowLeft", 4, {"trip": 20}),
    ):
        values |= moved
        press(page, label, key, times)
        wait_until_drawn(page, label, "flows", flow_rates(values))
    page.get_by_label("Dropper on the right").select_option("CoDel")
    wait_until_drawn(page, MINIMUM, "flows", flow_rates(values | {"dropper": "CoDel"}))
    assert complaints(page, watch) == []


def flow_rates(values):
    """Rates of the flows with one dropper, slowest first [Mb/s]."""
    _, test = dropping(values)
    return sorted(run(test).tcp.goodput_bps / 1e6)
