"""Lesson 13 in a real JupyterLab: a line is edited, before and after seen, and a text pasted."""

from playwright.sync_api import expect

from jupyter_pages import (
    complaints,
    open_and_run,
    wait_until,
)
from qoslib.scenario import Scenario

#: A text of the reader's own: one class with a limit in time, and 100 Mb/s by its interface.
PASTED = """\
policy-map MINE
 class class-default
  shape average 10000000
interface FastEthernet0/1
 service-policy output MINE
"""
#: How many of some elements have a scroll bar.
SCROLLING = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
#: What the figure below the text draws of one trace.
DRAWN = """uid => {
    const figure = document.querySelector('.qoslib-explorer .js-plotly-plot');
    const trace = (figure?.data ?? []).find((each) => each.uid === uid);
    return Array.from(trace?.y ?? [], (y) => Number.isFinite(y) ? y : null);
}"""

#: How the page draws the minima.
SYMBOL = """() => document.querySelector('.qoslib-explorer .js-plotly-plot')
    .data.find((each) => each.uid === 'minimum').marker?.symbol"""


def test_a_configuration_is_pasted_edited_and_saved(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "13_your_network")
    app = page.locator(".qoslib-configuration").locator("xpath=ancestor::*[.//select][1]")
    text = app.locator("textarea")
    text.scroll_into_view_if_needed()
    expect(app.get_by_text("The shaper sends 50 Mb/s into 20 Mb/s.")).to_have_count(1)
    page.set_viewport_size({"width": 1280, "height": 720})
    assert app.locator(".widget-hbox").evaluate_all(SCROLLING) == 0

    text.fill(text.input_value().replace("50000000", "19400000"))
    expect(app.get_by_text("The shaper sends 50 Mb/s into 20 Mb/s.")).to_have_count(0)
    wait_until(page, lambda: page.evaluate(DRAWN, "after-1"), [0, 0, 29.1], rel=0.02)
    assert page.evaluate(DRAWN, "before-1") == [0, 0, 0]
    expect(app.get_by_text("loses 29 % (0 % before)")).to_have_count(1)
    assert page.evaluate(SYMBOL) == "line-ew-open", "a trace that is made empty loses its look"

    with page.expect_download(timeout=30_000) as waiting:
        app.get_by_role("button", name="Scenario (JSON)", exact=True).click()
    saved = Scenario.from_json(waiting.value.path().read_text())
    assert [each.name for each in saved.streams] == ["VOICE", "VIDEO", "class-default"]

    text.fill(PASTED)
    expect(app.get_by_text("The shaper sends 10 Mb/s into 20 Mb/s")).to_have_count(0)
    expect(app.locator("th").get_by_text("FastEthernet0/1 out")).to_be_visible(timeout=15_000)
    assert complaints(page, watch) == []
