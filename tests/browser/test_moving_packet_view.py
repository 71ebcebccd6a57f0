"""The packet view in a real JupyterLab: played, stepped, and changed by hand and by keys."""

import json

import nbformat
import numpy as np
import pytest

from accessibility import barriers
from jupyter_pages import Watch, open_and_run
from packet_pages import QOS, ROOT, TIME
from qoslib import PacketLimit, Port, Queue, Scenario, Stream, StrictPriority, explore, run
from qoslib.port import HeadDrop
from qoslib.traffic import Poisson

CELL = """
from qoslib import PacketLimit, Port, Queue, Scenario, Stream, StrictPriority, explore, run
from qoslib.port import HeadDrop
from qoslib.traffic import Poisson
from qoslib.port import HeadDrop
queue = Queue("all", PacketLimit(16))
streams = (Stream("data", 1.5e8, arrivals="poisson"),)
tail, head = (
    Scenario("office", Port("access", 1e8, (each,)), streams, seed=3)
    for each in (queue, queue.replace(dropper=HeadDrop()))
)
view = explore.packet_view({"tail": tail, "head": head}, same_limit=True)
view
""".strip()
LIMITS = f"{QOS}.scene.lanes.map((lane) => lane.queues[0].limit.most)"


@pytest.fixture
def shown(page, jupyter_server):
    watch = Watch(page)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    (jupyter_server.root / "packets.ipynb").write_text(json.dumps(notebook))
    open_and_run(page, jupyter_server, "packets")
    page.wait_for_selector(f"{ROOT} canvas")
    page.wait_for_function(f"{QOS}.stats.frames > 0")
    yield page
    assert watch.wrong == []


def answered(page):
    """Wait until Python has answered all that was asked."""
    page.wait_for_function(f"{QOS}.stats.asks > 0 && {QOS}.stats.asks === {QOS}.scene.turn")


def handle(page, kind, lane):
    """Where a handle is on the page: its middle."""
    return page.evaluate(
        f"""([kind, lane]) => {{
            const box = document.querySelector('{ROOT} canvas').getBoundingClientRect();
            const all = {QOS}.handles(), scale = box.width / {QOS}.layout.W;
            const {{ x, y, w, h }} = all.find((each) => each.kind === kind && each.lane === lane);
            return [box.left + (x + w / 2) * scale, box.top + (y + h / 2) * scale];
        }}""",
        [kind, lane],
    )


def test_it_plays_steps_and_follows_a_hand(shown):
    page = shown
    cells = page.locator(".jp-Cell").count()
    page.locator(f"{ROOT} .play").focus()
    page.keyboard.press("Space")
    page.wait_for_function(f"{TIME} > 0.3")
    page.keyboard.press("Space")
    page.wait_for_function(f"document.querySelector('{ROOT}').dataset.playing === 'false'")
    frames, paused_ms = page.evaluate(f"[{QOS}.stats.frames, {TIME}]")
    page.wait_for_timeout(300)
    assert page.evaluate(f"[{QOS}.stats.frames, {TIME}]") == [frames, paused_ms]

    page.locator(f"{ROOT} canvas").click(position={"x": 5, "y": 5})
    page.locator(ROOT).focus()
    page.keyboard.press("ArrowRight")
    stepped_ms = page.evaluate(TIME)
    expected = f"1000 * {QOS}.scene.events.find((t) => 1000 * t > {paused_ms})"
    assert stepped_ms == pytest.approx(page.evaluate(expected))
    page.keyboard.press("End")
    assert page.evaluate(TIME) == pytest.approx(page.evaluate(f"1000 * {QOS}.scene.end_s"))
    said = page.locator(f"{ROOT} [role=status]").inner_text()
    state = page.evaluate(
        f"{QOS}.state().lanes.map((lane) => [lane.waiting, lane.sent, lane.dropped])"
    )
    for waiting, sent, dropped in state:
        assert f"{waiting} waiting, {sent} sent, {dropped} dropped" in said
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert "Arrived at" in page.locator(f"{ROOT} [role=status]").inner_text()
    assert page.locator(".jp-Cell").count() == cells

    page.evaluate(f"{QOS}.seek(0.01)")
    x, y = handle(page, "limit", 0)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    page.mouse.move(x + 120, y, steps=4)
    page.mouse.up()
    answered(page)
    limits = page.evaluate(LIMITS)
    assert limits[0] == limits[1] < 14
    assert page.evaluate(TIME) == pytest.approx(10)
    assert "room" not in page.locator(f"{ROOT} [role=status]").inner_text()

    x, y = handle(page, "rate", 0)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y, steps=4)
    page.mouse.up()
    answered(page)
    assert page.evaluate(f"{QOS}.scene.lanes[0].shownQueues[0].times") < 0.9

    page.mouse.click(*handle(page, "exit", 0))
    answered(page)
    assert page.evaluate(f"{QOS}.scene.lanes[0].queues[0].drops") == "head"
    slider = page.get_by_label("Offered load")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    answered(page)
    assert page.evaluate(f"{QOS}.stats.asks") >= 4
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save page").click()
    assert "<script>" in saved.value.path().read_text()


def test_a_page_of_its_own_plays_and_fetches_nothing(page, tmp_path):
    queue = Queue("all", PacketLimit(16))
    scenario = Scenario("office", Port("access", 1e8, (queue,)), (Stream("data", 1.5e8),))
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    (tmp_path / "view.html").write_text(explore.packet_view(scenario, playing=True).to_html())
    page.goto(f"file://{tmp_path}/view.html")
    # A page is loaded before the view in it is unpacked.
    page.wait_for_selector(f"{ROOT} canvas")
    page.wait_for_function(f"{TIME} > 0.2")
    page.wait_for_function(f"{QOS}.state().lanes[0].sent > 0")
    assert len(asked) == 1
    assert wrong == []
    # Nothing can be changed without a kernel, so nothing offers to.
    assert page.locator(f"{ROOT} input[type=range]").count() == 1
    assert page.evaluate(f"{QOS}.scene.lanes[0].title") == "office"
    assert barriers(page) == []


def test_its_counters_are_those_of_the_record(page, tmp_path):
    queues = (Queue("a", PacketLimit(9)), Queue("b", PacketLimit(9), HeadDrop(), priority=1))
    streams = (Stream("a", 6e7, 500, Poisson()), Stream("b", 8e7, 1200, Poisson()))
    port = Port("access", 1e8, queues, StrictPriority())
    view = explore.packet_view(Scenario("office", port, streams, seed=2), duration_s=0.02)
    (tmp_path / "view.html").write_text(view.to_html())
    page.goto(f"file://{tmp_path}/view.html")
    page.wait_for_selector(f"{ROOT} canvas")
    events = run(Scenario("", port, streams, duration_s=0.021, seed=2), events=10_000).events
    known_s = np.unique(events.time_s)
    for time_s in ((known_s[1:] + known_s[:-1]) / 2)[::20]:
        if time_s > 0.02:
            break
        past = events.time_s < time_s
        kinds = [events.kind[past & (events.queue == queue)] for queue in (0, 1)]
        (lane,) = page.evaluate(f"{QOS}.state({time_s}).lanes")
        for queue, found in enumerate(lane["queues"]):
            dropped = past & (events.queue == queue) & (events.kind == "drop")
            left = np.isin(events.packet[dropped], events.packet[past & (events.kind == "enqueue")])
            waiting = (kinds[queue] == "enqueue").sum() - (kinds[queue] == "choice").sum()
            assert found["waiting"] == waiting - left.sum()
            assert found["dropped"] == dropped.sum()
        sent = [flow["sent"] for flow in lane["flows"]]
        assert sent == [(kinds[queue] == "departure").sum() for queue in (0, 1)]


def test_with_reduced_motion_it_goes_from_event_to_event(browser, tmp_path):
    queue = Queue("all", PacketLimit(16))
    scenario = Scenario("office", Port("access", 1e8, (queue,)), (Stream("data", 1.5e8),))
    (tmp_path / "view.html").write_text(explore.packet_view(scenario).to_html())
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"file://{tmp_path}/view.html")
    page.wait_for_selector(f"{ROOT} canvas")
    events = page.evaluate(f"Array.from({QOS}.scene.events, (t) => 1000 * t)")
    page.locator(f"{ROOT} .play").click()
    page.wait_for_function(f"{TIME} > {events[0]}")
    seen_ms = page.evaluate(TIME)
    assert min(abs(seen_ms - each) for each in events) < 1e-9
    assert page.evaluate(f"{QOS}.stats.frames") < 20
    context.close()
