"""An explorer in a page, from its stored grid alone, and with an engine that answers."""

import pytest

from places import ROOT
from website import drawing, explorers, grid_files, grids, made, shown

LESSON = shown.LESSONS / "00_one_queue.ipynb"
SCRIPTS = ("address.js", "figure.js", "controls.js", "explorer.js", "numbers.js")
PLOT = ".qoslib-plot.js-plotly-plot"
#: An engine that is ready once it is started, and asks the tests' own process.
ENGINE = """
window.qoslibEngine = Object.assign(new EventTarget(), {
  status: "idle",
  start() {
    if (this.status !== "idle") return;
    this.status = "loading";
    setTimeout(() => { this.status = "ready"; this.dispatchEvent(new Event("status")); }, 50);
  },
  ask: (message) => window.answered(message),
});
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A lesson</title>
{scripts}<link rel="stylesheet" href="_static/qoslib/explorer.css">
<p>A load of <data value="e0=load:150">150 %</data> is too much.
With a buffer of <data value="e0=buffer:64,load:90">64 packets</data> it is not.</p>
<details{folded}><summary>Lab</summary>
<div class="qoslib-live" data-lesson="{lesson}" data-kind="explorer" data-number="0">picture</div>
</details>
<p>The end.</p></html>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A page with one explorer whose sliders have five stops."""
    folder = tmp_path_factory.mktemp("site")
    beside, stored = folder / "_static/qoslib", folder / "_static/grids"
    beside.mkdir(parents=True)
    stored.mkdir()
    for path in (ROOT / "website/page").glob("*.*"):
        (beside / path.name).write_bytes(path.read_bytes())
    for name, raw in drawing.files().items():
        (beside / name).write_bytes(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grids, "STOPS", 5)
        patch.setattr(grids, "_named", lambda lesson, number: {})
        packed = grid_files.packed({LESSON.stem: {"explorers": [grids.grid(LESSON, 0)]}})
        text = grid_files.text(packed[LESSON.stem])
    (stored / f"{LESSON.stem}.js").write_text(grids.SCRIPT.format(LESSON.stem, text), "utf-8")
    scripts = "".join(f'<script defer src="_static/qoslib/{name}"></script>' for name in SCRIPTS)
    for name, folded in {"lesson": " open", "folded": ""}.items():
        text = PAGE.format(scripts=scripts, lesson=LESSON.stem, folded=folded)
        (folder / f"{name}.html").write_text(text, "utf-8")
    far = PAGE.replace("<details", '<div style="height: 4000px"></div><details')
    text = far.format(scripts=scripts, lesson=LESSON.stem, folded=" open")
    (folder / "far.html").write_text(text, "utf-8")
    return (folder / "lesson.html").as_uri()


@pytest.fixture
def opened(page, site):
    """Open the page, and wait for its figure; errors of its scripts fail the test."""
    errors = []
    page.on("pageerror", lambda error: errors.append(error))

    def go(more="", by="grid", name="lesson", drawn=True):
        page.goto("about:blank")
        page.goto(site.replace("lesson", name) + more)
        if drawn:
            page.wait_for_selector(f"{PLOT} .main-svg")
        page.wait_for_selector(f'.qoslib-explorer[data-by="{by}"]')
        return page

    yield go
    assert not errors


@pytest.fixture
def with_engine(page):
    """Questions that the engine was asked, and answers of this process to them."""
    asked = []

    def answered(message):
        asked.append(message)
        return explorers.answer(message)

    page.expose_function("answered", answered)
    page.add_init_script(ENGINE)
    return asked


def slider(page, label):
    return page.get_by_role("slider", name=label, exact=True)


def summary(page):
    return page.locator(".qoslib-summary").inner_text()


def direct(**values):
    made.keep(LESSON.stem, shown.pickled(LESSON))
    return explorers.answer({"lesson": LESSON.stem, "number": 0, "values": values, "packets": True})


def traces(page):
    return page.evaluate(
        f"""document.querySelector("{PLOT}").data.map(
            ({{uid, x, y, showlegend}}) => ({{uid, x: [...x], y: [...y], showlegend}}))"""
    )


def wait_for_words(page, words):
    page.wait_for_function(
        "words => document.querySelector('.qoslib-summary').textContent === words", arg=words
    )


def test_a_slider_moves_the_figure_from_the_grid(opened):
    page = opened()
    begun = traces(page)
    assert summary(page) == direct()["summary"]
    slider(page, "Buffer [packets]").focus()
    page.keyboard.press("Home")
    wait_for_words(page, direct(buffer=1)["summary"])
    assert "Computed in advance" in page.locator(".qoslib-source").inner_text()
    assert traces(page) != begun
    assert page.get_by_label("Buffer, as a number").input_value() == "1"
    assert page.locator(".qoslib-cause").inner_text().startswith("Buffer 512 → 1 packets.")


def test_keys_go_from_stop_to_stop_where_only_stops_are_stored(opened):
    page = opened()
    load = slider(page, "Offered load [% of the link]")
    load.focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "Home"):
        page.keyboard.press(key)
        seen.append(load.get_attribute("aria-valuetext"))
    assert seen == [f"{each} % of the link" for each in (200, 200, 156.84, 0)]


def test_what_moved_leaves_a_pale_trace(opened):
    page = opened()
    assert not any(each["x"] for each in traces(page) if each["uid"] == "before-now-0")
    begun = {each["uid"]: each for each in traces(page)}
    slider(page, "Buffer [packets]").press("Home")
    wait_for_words(page, direct(buffer=1)["summary"])
    pale = {each["uid"]: each for each in traces(page) if str(each["uid"]).startswith("before-")}
    moved = [uid for uid in pale if uid != "before-key"]
    assert moved
    for uid in moved:
        assert pale[uid]["y"] == begun[uid.removeprefix("before-")]["y"]
    assert pale["before-key"]["showlegend"]


def test_a_second_slider_needs_the_engine_and_shows_no_number_of_before(opened):
    page = opened()
    slider(page, "Buffer [packets]").press("Home")
    wait_for_words(page, direct(buffer=1)["summary"])
    slider(page, "Offered load [% of the link]").press("End")
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "These settings need the engine." in alert.inner_text()
    assert not page.locator(".qoslib-words").is_visible()
    assert page.locator(".qoslib-waiting").count() == 1
    page.get_by_role("button", name="Reset", exact=True).click()
    wait_for_words(page, direct()["summary"])
    assert page.locator(".qoslib-words").is_visible()
    assert not alert.is_visible()


def test_a_link_reopens_what_is_shown(opened):
    page = opened()
    slider(page, "Buffer [packets]").press("Home")
    page.wait_for_function("location.hash === '#e0=buffer:1'")
    page = opened("#e0=buffer:1")
    assert summary(page) == direct(buffer=1)["summary"]
    page = opened("#e0=spacing:at+random+(Poisson)&other=1")
    assert page.get_by_label("Packets come").evaluate("list => list.selectedIndex") == 1
    assert summary(page) == direct(spacing="at random (Poisson)")["summary"]


def test_a_link_unfolds_what_it_leads_to(opened):
    page = opened("#e0=buffer:1", name="folded")
    assert summary(page) == direct(buffer=1)["summary"]
    assert page.locator(PLOT).bounding_box()["width"] > 800


def test_what_no_address_may_say_is_left_out_and_named(opened):
    page = opened("#e0=load:9000,buffer:many,height:3,%E0%A4%A:1&broken")
    assert summary(page) == direct()["summary"]
    said = page.locator(".qoslib-noted").inner_text()
    assert "asks for “9000”, but Offered load goes from 0 to 200 % of the link." in said
    assert "asks for “many”, but Buffer goes from 1 to 1024 packets." in said
    assert "a control that this figure does not have: “height”." in said
    slider(page, "Buffer [packets]").press("Home")
    assert not page.locator(".qoslib-noted").is_visible()
    page = opened("#e0=buffer:1")
    assert not page.locator(".qoslib-noted").is_visible()


def test_a_typed_number_beyond_a_slider_is_set_to_its_end_and_the_range_is_said(opened):
    page = opened()
    page.get_by_label("Offered load, as a number").fill("-50")
    page.keyboard.press("Enter")
    wait_for_words(page, direct(load=0)["summary"])
    said = page.locator(".qoslib-noted").inner_text()
    assert said == "Offered load goes from 0 to 200 % of the link. -50 was set to 0."


def test_a_link_leads_to_its_figure(opened, page):
    page.set_viewport_size({"width": 1280, "height": 400})
    page = opened("#e0=buffer:1", name="far")
    page.wait_for_function("scrollY > 3000")
    page.wait_for_function(
        "document.querySelector('.qoslib-explorer').getBoundingClientRect().top < innerHeight"
    )
    page.evaluate("scrollTo(0, 0)")
    page.reload()
    page.wait_for_selector(f"{PLOT} .main-svg")
    assert page.evaluate("scrollY") == 0


def test_a_link_without_a_figure_yet_speaks_of_none(opened, page):
    page.add_init_script(ENGINE.replace("50);", "600000);"))
    page = opened("#e0=load:133,buffer:64", by="", drawn=False)
    page.get_by_role("alert").wait_for()
    said = page.get_by_role("alert").inner_text()
    assert said == "The engine will compute these settings as soon as it has loaded."


def test_a_number_in_the_text_moves_the_figure(opened):
    page = opened()
    number = page.locator("data").first
    number.press("ArrowLeft")
    wait_for_words(page, direct(load=100)["summary"])
    assert number.inner_text() == "100 %"
    box = number.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 305, box["y"] + 5, steps=3)
    page.mouse.up()
    wait_for_words(page, direct(load=200)["summary"])
    assert number.inner_text() == "200 %"
    assert number.get_attribute("aria-valuetext") == "200 % of the link"


def test_a_number_in_the_text_says_its_own_value_again_once_others_move(opened):
    page = opened()
    number = page.locator("data").first
    number.press("End")
    wait_for_words(page, direct(load=200)["summary"])
    slider(page, "Buffer [packets]").press("Home")
    assert number.inner_text() == "150 %"


def test_a_figure_out_of_sight_is_shown_while_a_number_moves_it(opened, page):
    page.set_viewport_size({"width": 1280, "height": 260})
    page = opened()
    page.locator("data").first.press("ArrowLeft")
    wait_for_words(page, direct(load=100)["summary"])
    page.wait_for_function(
        f"document.querySelector('{PLOT}').getBoundingClientRect().top < innerHeight"
    )
    slider(page, "Buffer [packets]").focus()
    assert page.locator(".qoslib-docked").count() == 0


def test_a_number_may_set_more_than_one_control(opened, with_engine):
    page = opened()
    page.locator("data").last.click()
    wait_for_words(page, direct(buffer=64, load=90)["summary"])
    page.locator("data").last.press("ArrowRight")
    wait_for_words(page, direct(buffer=65, load=90)["summary"])
    assert page.locator("data").last.inner_text() == "65 packets"


def test_an_explorer_stands_alone_for_a_frame(opened):
    page = opened("?embed=explorer:0")
    assert page.locator("p", has_text="The end.").is_hidden()
    assert slider(page, "Buffer [packets]").is_visible()


def test_panels_stand_one_above_the_other_on_a_phone(opened, page):
    page.set_viewport_size({"width": 400, "height": 800})
    page = opened()
    layout = page.evaluate(f'document.querySelector("{PLOT}").layout')
    assert [layout[f"xaxis{n}"]["domain"] for n in ("", "2", "3")] == [[0, 1]] * 3
    tops = [layout[f"yaxis{n}"]["domain"][1] for n in ("", "2", "3")]
    assert tops == sorted(tops, reverse=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_the_engine_answers_exactly_once_it_is_there(opened, with_engine):
    page = opened()
    assert not with_engine
    slider(page, "Buffer [packets]").press("Home")
    page.wait_for_selector('.qoslib-explorer[data-by="engine"]')
    slider(page, "Offered load [% of the link]").press("ArrowRight")
    wait_for_words(page, direct(buffer=1, load=157)["summary"])
    page.get_by_label("Buffer, as a number").fill("77")
    page.keyboard.press("Enter")
    wait_for_words(page, direct(buffer=77, load=157)["summary"])
    assert page.locator(".qoslib-cause").inner_text().startswith("Buffer 1 → 77 packets.")
    assert [each["packets"] for each in with_engine[-2:]] == [False, True]
    said = "Computed by the engine in this page."
    page.wait_for_function(
        "said => document.querySelector('.qoslib-source').textContent === said", arg=said
    )
    expected = {each.get("uid"): each for each in direct(buffer=77, load=157)["data"]}
    assert {each["uid"]: each["y"] for each in traces(page) if each["uid"] == "now-0"} == {
        "now-0": expected["now-0"]["y"]
    }


def test_a_link_to_what_no_grid_has_asks_the_engine(opened, with_engine):
    page = opened("#e0=load:133,buffer:64", by="engine")
    wait_for_words(page, direct(load=133, buffer=64)["summary"])
