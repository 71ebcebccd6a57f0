"""Scenes in a page of the site: they play from stored records, and answer a hand with numbers."""

import re

import pytest

from accessibility import barriers
from site_pages import ENGINE, first_page, scenes_page, served
from website import answers, made, scene_records, scenes, shown

PLACE = "document.querySelector('.qoslib-live').qoslib"
SCENE = f"{PLACE}.shown"
FRAMES = "document.querySelector('.qoslib-packets')?.qos.stats.frames > 0"
LIMIT = f"{SCENE}.scene.lanes[0].queues[0].limit.most"
STORED = "Computed in advance, and stored with this page."
#: The middle of the first wall on the page.
WALL = f"""() => {{
    const box = document.querySelector('.qoslib-live canvas').getBoundingClientRect();
    const wall = {SCENE}.handles().find((each) => each.kind === 'limit');
    const scale = box.width / {SCENE}.layout.W;
    return [box.left + scale * (wall.x + wall.w / 2), box.top + scale * (wall.y + wall.h / 2)];
}}"""


@pytest.fixture(scope="module")
def fewer():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scene_records, "WALLS", (4, 8, 12, 16))
        patch.setattr(scene_records, "LOADS", (0.5,))
        yield


@pytest.fixture(scope="module")
def first(tmp_path_factory, fewer):
    folder = tmp_path_factory.mktemp("first")
    first_page(folder)
    with served(folder) as address:
        yield address


@pytest.fixture(scope="module")
def two(tmp_path_factory, fewer):
    folder = tmp_path_factory.mktemp("two")
    scenes_page(folder, ("00_one_queue", 1))
    with served(folder) as address:
        yield address


@pytest.fixture
def opened(browser):
    """A function that opens a page; what goes wrong in it is a failure."""
    contexts, wrong = [], []

    def open_page(address, script="", answered=None, **how):
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 720}} | how))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        if answered:
            page.expose_function("answered", answered)
        if script:
            page.add_init_script(script)
        page.goto(address)
        until(page, FRAMES)
        return page

    yield open_page
    for each in contexts:
        each.close()
    assert wrong == []


def until(page, true):
    """Wait for an expression; the page's policy does not let Playwright do that in it."""
    for _ in range(1000):
        if page.evaluate(true):
            return
        page.wait_for_timeout(20)
    pytest.fail(f"it never came: {true}")


def drag(page, by):
    x, y = page.evaluate(WALL)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=6)
    page.mouse.up()


def outcome(*limits):
    """Loss and delay with these walls, as the summary of each record has them."""
    made.keep("00_one_queue", shown.pickled(shown.LESSONS / "00_one_queue.ipynb"))
    found = []
    for limit in limits:
        changes = [{"limit": limit, "lane": 0, "queue": 0}]
        asked = {"lesson": "00_one_queue", "number": 0, "changes": changes}
        said = scenes.answer(asked)["spec"]["summary"]
        counts = r"(\d+) arrive, (\d+) are dropped, .* mean delay of ([\d.]+) (ms|µs)"
        arrived, dropped, delay, unit = re.search(counts, said).groups()
        delay_ms = float(delay) / {"ms": 1, "µs": 1000}[unit]
        found.append((round(100 * int(dropped) / int(arrived)), delay_ms))
    (loss, delay), (loss_now, delay_now) = found
    delays = f"mean delay {delay:.2f} ms → {delay_now:.2f} ms"
    return f"In the whole window: loss {loss} % → {loss_now} %, {delays}."


def test_the_first_page_plays_and_a_drag_of_its_wall_has_an_outcome(first, opened):
    page = opened(first)
    until(page, "document.querySelector('.qoslib-packets').dataset.timeMs > 0")
    assert page.locator(".hand").is_visible()
    assert barriers(page) == []
    drag(page, -100)
    limit = page.evaluate(LIMIT)
    assert limit in (12, 16)
    assert page.locator(".outcome").inner_text() == outcome(8, limit)
    assert page.locator(".qoslib-source").inner_text() == STORED
    assert page.locator(".hand").count() == 0
    page.get_by_role("link", name="Start with lesson 00").click(trial=True)
    assert page.evaluate(f"{SCENE}.state().t") > 0


def test_a_wall_in_a_hand_stops_only_where_a_run_is_stored(first, opened):
    page = opened(first)
    x, y = page.evaluate(WALL)
    page.mouse.move(x, y)
    page.mouse.down()
    seen = set()
    for step in range(0, 240, 12):
        page.mouse.move(x + 60 - step, y)
        page.wait_for_timeout(20)
        seen.add(page.evaluate(LIMIT))
    page.mouse.up()
    assert {4, 8, 12} <= seen <= {4, 8, 12, 16}


def test_keys_move_the_wall_the_load_and_the_end_that_drops(first, opened):
    page = opened(first)
    until(page, f"{PLACE}.stored() > 8")
    page.get_by_label("Queue limit").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(LIMIT) == 12
    assert page.locator(".outcome").inner_text() == outcome(8, 12)
    page.get_by_label("Offered load").focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".outcome").inner_text().startswith("In the whole window: loss 33 % → 0 %,")
    assert page.evaluate(f"{PLACE}.settings") == "limit-0-0:12,rate-0-0:0.5"
    page.get_by_role("button", name="Drop the oldest").press("Enter")
    assert page.evaluate(f"{SCENE}.scene.lanes[0].queues[0].drops") == "head"
    assert page.locator(".qoslib-source").inner_text() == STORED


def test_the_load_slider_stays_where_it_is_when_stored_loads_come(first, opened, browser):
    context = browser.new_context()
    held = []
    context.route("**/*-loads.js", lambda route: held.append(route))
    page = context.new_page()
    page.goto(first)
    until(page, FRAMES)
    slider = page.get_by_label("Offered load")
    place = "each => [each.min, each.max, each.value]"
    before = slider.evaluate(place)
    # What is asked for before its file is there comes with it.
    slider.press("ArrowLeft")
    assert "These settings are loading" in page.locator(".qoslib-source").inner_text()
    assert page.evaluate(f"{PLACE}.settings") == ""
    while not held:
        page.wait_for_timeout(20)
    for each in held:
        each.continue_()
    until(page, f"{PLACE}.settings === 'rate-0-0:0.5'")
    assert slider.evaluate(place) == [before[0], before[1], "0"]
    slider.press("ArrowRight")
    assert slider.evaluate(place) == before
    context.close()


#: Notes what is written on the canvas, and the dashed lines.
NOTED = """
window.written = []; window.dashes = [];
const { fillText, setLineDash } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function (said, ...more) {
  window.written.push(said); return fillText.call(this, said, ...more);
};
CanvasRenderingContext2D.prototype.setLineDash = function (dash) {
  window.dashes.push(String(dash)); return setLineDash.call(this, dash);
};
"""


def test_a_wall_shows_where_it_was_before_it_moved(first, opened):
    page = opened(first, NOTED, reduced_motion="reduce")
    assert not page.evaluate("dashes.includes('4,3')")
    for limit in (12, 16):
        page.get_by_label("Queue limit").press("ArrowRight")
        page.evaluate("written.length = dashes.length = 0")
        page.evaluate(f"{SCENE}.seek({SCENE}.scene.end_s / 2)")
        assert page.evaluate("dashes.includes('4,3')")
        assert f"before: {limit - 4} packets" in page.evaluate("written")
        assert f"room for {limit} packets" in page.evaluate("written")


def test_a_delay_has_one_unit_in_the_picture_and_below_the_title(first, opened):
    page = opened(first, NOTED, reduced_motion="reduce")
    page.get_by_label("Queue limit").press("ArrowLeft")
    page.evaluate("written.length = 0")
    page.evaluate(f"{SCENE}.seek({SCENE}.scene.end_s)")
    said = page.locator(".outcome").inner_text()
    assert said == outcome(8, 4)
    sent = next(each for each in page.evaluate("written") if " sent so far, mean delay " in each)
    assert said.endswith(f" → {sent.rpartition('mean delay ')[2]}.")
    assert not any("µs" in each for each in page.evaluate("written"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_page_fits_its_first_screen(first, opened, theme):
    page = opened(first, color_scheme=theme)
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollHeight") <= 720
    page.get_by_label("Queue limit").press("ArrowRight")
    assert page.evaluate("document.documentElement.scrollHeight") <= 720


def test_the_hint_of_the_first_page_covers_no_handle(first, opened):
    page = opened(first, reduced_motion="reduce")
    x = page.evaluate(WALL)[0]
    box = page.locator(".hand svg").bounding_box()
    assert box["x"] + 2 > x or box["x"] + box["width"] - 2 < x
    page.get_by_role("button", name="Drop the oldest").focus()
    hint = page.evaluate("getComputedStyle(document.activeElement, '::after').content")
    assert "A full queue now drops its newest packet." in hint


def test_with_reduced_motion_nothing_moves_unasked(first, opened):
    page = opened(first, reduced_motion="reduce")
    frames = page.evaluate(f"{SCENE}.stats.frames")
    page.wait_for_timeout(300)
    assert page.evaluate(f"{SCENE}.stats.frames") == frames
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.locator(".hand").is_visible()
    drag(page, -100)
    assert (
        page.locator(".outcome").inner_text().startswith("In the whole window: loss 33 % → 33 %,")
    )


def test_a_finger_drags_the_wall_and_not_the_page(first, opened):
    phone = {"viewport": {"width": 400, "height": 640}, "has_touch": True, "is_mobile": True}
    page = opened(first, **phone)
    until(page, "document.querySelector('.qoslib-packets').dataset.timeMs > 0")
    x, y = page.evaluate(WALL)
    send = page.context.new_cdp_session(page).send
    # A finger is not precise, and it slides off the wall as it moves.
    at = [(x + 9 - 9 * step, y + 6 * step) for step in range(9)]
    for n, (a, b) in enumerate(at):
        kind = "touchMove" if n else "touchStart"
        send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b}]})
    send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until(page, f"{LIMIT} > 8")
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_an_engine_what_is_not_stored_cannot_be_moved(two, opened):
    page = opened(two)
    assert page.locator("input[type=range]").count() == 1
    assert "no engine" in page.locator(".qoslib-source").inner_text()
    page.get_by_role("button", name="Play").click()
    until(page, "document.querySelector('.qoslib-packets').dataset.timeMs > 0")


def from_python(message):
    """What the engine answers to a message of a page."""
    made.keep("00_one_queue", shown.pickled(shown.LESSONS / "00_one_queue.ipynb"))
    answer = answers.answer(message, print)
    return answer | {"data": list(answer["data"])} if "data" in answer else answer


def test_the_engine_answers_what_is_not_stored(two, opened):
    page = opened(two, ENGINE, from_python)
    drag(page, -60)
    until(page, f"{LIMIT} > 12")
    limit = page.evaluate(LIMIT)
    changes = [{"limit": limit, "lane": 0, "queue": 0}]
    assert page.evaluate("asked.at(-1)") == {
        "ask": "scene",
        "lesson": "00_one_queue",
        "number": 1,
        "changes": changes,
    }
    expected = scenes.answer({"lesson": "00_one_queue", "number": 1, "changes": changes})
    assert page.evaluate(f"{SCENE}.scene.summary") == expected["spec"]["summary"]
    assert page.locator(".qoslib-source").inner_text() == "Computed by the engine in this page."
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(LIMIT) == 12
    assert page.locator(".qoslib-source").inner_text() == STORED


def test_a_slider_gives_room_for_no_more_packets_than_can_be_told_apart(two, opened):
    made.keep("00_one_queue", shown.pickled(shown.LESSONS / "00_one_queue.ipynb"))

    def answered(message):
        scene = scenes.answer(message)
        return {**scene, "data": list(scene["data"])}

    page = opened(two, ENGINE, answered)
    slider = page.get_by_label("Queue limit")
    slider.focus()
    page.keyboard.press("End")
    until(page, f"{LIMIT} > 100")
    assert 180 < page.evaluate(LIMIT) <= 210


def test_what_the_engine_refuses_springs_back(two, opened):
    page = opened(two, ENGINE, lambda message: {"error": "The engine has stopped."})
    slider = page.get_by_label("Queue limit")
    before = slider.input_value()
    slider.focus()
    page.keyboard.press("ArrowRight")
    until(
        page, "document.querySelector('.qoslib-source').textContent === 'The engine has stopped.'"
    )
    assert page.evaluate(LIMIT) == 12
    assert page.get_by_label("Queue limit").input_value() == before


def test_tcp_plays_with_its_own_player(tmp_path, opened):
    scenes_page(tmp_path, ("06_tcp_buffers", 0), ("00_one_queue", 1))
    with served(tmp_path) as address:
        page = opened(address)
        page.get_by_role("button", name="Play").first.click()
        until(page, f"{SCENE}.state().lanes[0].sent > 0")
        assert page.locator(".qoslib-packets").count() == 2


def test_an_address_opens_the_settings_that_it_names(two, opened):
    page = opened(f"{two}#e0=load:90&s1=limit-0-0:6", ENGINE, from_python)
    until(page, f"{LIMIT} === 6")
    assert page.evaluate(f"{PLACE}.settings") == "limit-0-0:6"
    page.get_by_label("Offered load").focus()
    page.keyboard.press("ArrowRight")
    until(page, f"{PLACE}.settings !== 'limit-0-0:6'")
    assert page.url == f"{two}#e0=load:90&s1=limit-0-0:6,rate-0-0:1.05"
    page.get_by_role("button", name="Reset").click()
    assert page.url == f"{two}#e0=load:90"


@pytest.mark.parametrize("state", ["limit-0-0:-3", "limit-7-0:4", "rate-0-0:9", "turn", "x:y"])
def test_an_address_with_no_settings_of_the_scene_changes_nothing(two, opened, state):
    page = opened(f"{two}#s1={state}", ENGINE, from_python)
    page.wait_for_timeout(100)
    assert page.evaluate(LIMIT) == 12
    assert page.evaluate(f"{PLACE}.settings") == ""


def test_a_scene_alone_for_a_frame(tmp_path, opened):
    scenes_page(tmp_path, ("00_one_queue", 1), ("06_tcp_buffers", 0))
    with served(tmp_path) as address:
        page = opened(f"{address}?embed=scene:0")
        assert page.locator(".qoslib-live:visible").count() == 1
        assert "small buffer" in page.locator(".qoslib-packets").get_attribute("aria-label")
