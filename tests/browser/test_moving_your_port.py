"""Lesson 13 in a real JupyterLab: a port is built, saved, loaded and measured."""

import re

import pytest
from playwright.sync_api import expect
from test_moving_lessons import (  # noqa: F401  (watch is a fixture)
    complaints,
    drawn,
    drawn_when_there,
    open_and_run,
    press,
    wait_until_drawn,
    watch,
)

from qoslib import fluid, measurements
from qoslib.explore.build import START, built
from qoslib.scenario import Scenario

#: How many of some elements have a scroll bar.
SCROLLING = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
LOAD = "Class 3 offered load [% of the link]"
CSV = f"{','.join(measurements.COLUMNS)}\nmine,data,drop_ratio,average,29 %,29,%,0.5,,,here,ok,,\n"


def lost(**moved):
    scenario = built(START | moved)
    answer = fluid.solve(scenario.network, scenario.streams)
    return (100 * answer.dropped_pps / answer.offered_pps).tolist()


def saved(page, app, button):
    with page.expect_download(timeout=30_000) as waiting:
        app.get_by_role("button", name=button, exact=True).click()
    return waiting.value


def test_a_port_is_built_saved_and_loaded(page, watch, jupyter_server, tmp_path):  # noqa: F811
    open_and_run(page, jupyter_server, "13_your_network")
    before = drawn_when_there(page, LOAD, "fluid-1")
    assert before == pytest.approx(lost())
    press(page, LOAD, "ArrowRight", 10)
    wait_until_drawn(page, LOAD, "fluid-1", lost(offered_3=80))
    app = page.locator(".qoslib-explorer").first
    page.set_viewport_size({"width": 1280, "height": 720})
    assert app.locator(".widget-hbox").evaluate_all(SCROLLING) == 0
    page.set_viewport_size({"width": 1400, "height": 900})
    name = app.get_by_role("textbox").nth(1)
    for text, alerts in (("voice", 1), ("video", 0)):
        name.fill(text)
        name.press("Enter")
        twice = app.get_by_role("alert").get_by_text("2 classes are called 'voice'")
        expect(twice).to_have_count(alerts, timeout=30_000)
    scenario = saved(page, app, "Scenario (JSON)")
    scenario.save_as(tmp_path / "mine.json")
    assert Scenario.from_json((tmp_path / "mine.json").read_text()) == built(
        START | {"offered_3": 80}
    )
    for name, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("HTML", b"<!doctype html>")):
        path = tmp_path / saved(page, app, name).suggested_filename
        saved(page, app, name).save_as(path)
        assert path.read_bytes().startswith(begins)
        assert path.suffix == f".{name.lower()}"
    load(page, app, tmp_path / "mine.json")
    app.get_by_text("'your port' with 3 streams").wait_for(timeout=30_000)
    app.get_by_role("button", name="Reset", exact=True).click()
    wait_until_drawn(page, LOAD, "fluid-1", before)
    (tmp_path / "mine.csv").write_text(CSV)
    load(page, app, tmp_path / "mine.csv")
    app.get_by_text("1 value compared with the models").wait_for(timeout=30_000)
    assert drawn(page, LOAD, "measured-1") == pytest.approx([29])
    (tmp_path / "bad.csv").write_text(CSV.replace(",%,", ",parsecs,"))
    load(page, app, tmp_path / "bad.csv")
    app.get_by_role("alert").get_by_text("line 2, column unit").wait_for(timeout=30_000)
    (tmp_path / "large.csv").write_bytes(b"," * 12_000_000)
    load(page, app, tmp_path / "large.csv")
    app.get_by_role("alert").get_by_text("12,000,000 bytes").wait_for(timeout=30_000)
    described = built(START)
    ring = described.replace(network=described.network.replace(transmit_ring_packets=10**15))
    (tmp_path / "ring.json").write_text(ring.to_json())
    load(page, app, tmp_path / "ring.json")
    app.get_by_role("alert").get_by_text("cannot be drawn").wait_for(timeout=30_000)
    assert drawn(page, LOAD, "measured-1") == pytest.approx([29])
    press(page, LOAD, "ArrowRight", 10)
    wait_until_drawn(page, LOAD, "fluid-1", lost(offered_3=80))
    voice = described.streams[0].replace(name="<a href='x'>y</a>", mark="voice")
    link = described.replace(streams=(voice,))
    (tmp_path / "link.json").write_text(link.to_json())
    load(page, app, tmp_path / "link.json")
    app.locator(".xtick").get_by_text("<a href='x'>y</a>").first.wait_for(timeout=30_000)
    assert app.locator("svg a").count() == 0
    assert complaints(page, watch) == []


def load(page, app, path):
    """The input of a file is no part of the page until the button asks for one."""
    with page.expect_file_chooser(timeout=30_000) as chooser:
        app.get_by_role("button", name=re.compile("Load JSON, CSV or counters")).click()
    chooser.value.set_files(path)
