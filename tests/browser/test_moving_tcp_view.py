"""The view of TCP on a page of its own: it plays, steps, tells a segment's story, and is drawn."""

from accessibility import barriers
from test_moving_packet_view import QOS, ROOT, TIME

from qoslib.lessons import buffer_size

#: Where a packet is drawn that was sent again, on the page.
AGAIN = f"""() => {{
    const {{ scene, layout }} = {QOS}, {{ left, top, width }} =
        document.querySelector('{ROOT} canvas').getBoundingClientRect();
    const [lane] = scene.lanes, spots = {QOS}.spots();
    const found = spots.findLast(([, i]) => lane.again(i)), scale = width / layout.W;
    const [, , x, y, w, h] = found;
    return [left + (x + w / 2) * scale, top + (y + h / 2) * scale];
}}"""


def test_it_plays_and_tells_the_story_of_a_segment(page, tmp_path):
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    view = buffer_size.path_scene()
    (tmp_path / "view.html").write_text(view.to_html())
    page.goto(f"file://{tmp_path}/view.html")
    page.locator(f"{ROOT} .play").click()
    page.wait_for_function(f"{QOS}.state().lanes[0].senders[0].sent > 10")
    page.locator(f"{ROOT} .play").click()
    before_ms = page.evaluate(TIME)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(TIME) > before_ms
    record = view._runs[0].record
    again = (record.kind == "send") & (record.tries > 1)
    time_s, segment = record.time_s[again][0], record.segment[again][0]
    page.evaluate(f"{QOS}.seek({time_s + 0.012})")
    page.mouse.move(*page.evaluate(AGAIN))
    story = page.locator(f"{ROOT} .story")
    assert story.locator("b").inner_text() == f"Segment {segment} of TCP"
    assert "Sent a second time at" in story.inner_text()
    page.locator(f"{ROOT} summary").click()
    page.locator(f"{ROOT} td").first.wait_for()
    assert page.locator(f"{ROOT} td").count() == 8
    page.evaluate(f"{QOS}.seek({QOS}.scene.end_s)")
    assert "congestion avoidance" in page.locator(f"{ROOT} .said").inner_text()
    assert barriers(page) == []
    assert wrong == []
