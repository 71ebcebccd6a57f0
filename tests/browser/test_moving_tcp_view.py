"""The view of TCP on a page of its own: it plays, steps, tells a segment's story, and is drawn."""

import pytest

from accessibility import barriers
from packet_pages import QOS, ROOT, TIME
from qoslib.lessons import tcp_buffers

#: Where a packet is drawn that was sent again, on the page.
AGAIN = f"""() => {{
    const {{ scene, layout }} = {QOS}, {{ left, top, width }} =
        document.querySelector('{ROOT} canvas').getBoundingClientRect();
    const [lane] = scene.lanes, spots = {QOS}.spots();
    const found = spots.findLast(([, i]) => lane.again(i)), scale = width / layout.W;
    const [, , x, y, w, h] = found;
    return [left + (x + w / 2) * scale, top + (y + h / 2) * scale];
}}"""


#: Notes each word that is drawn, and each upright line of dashes, in pixels of the picture.
WATCHED = """
    const pen = CanvasRenderingContext2D.prototype, { fillText, moveTo, lineTo } = pen;
    window.words = []; window.dashes = [];
    let from = null;
    pen.fillText = function (said, x, y) {
        const { actualBoundingBoxAscent: up, width } = this.measureText(said);
        const left = x - ({ right: width, center: width / 2 }[this.textAlign] ?? 0);
        words.push({ said, left, right: left + width, top: y - up, bottom: y });
        return fillText.call(this, said, x, y);
    };
    pen.moveTo = function (x, y) { from = [x, y]; return moveTo.call(this, x, y); };
    pen.lineTo = function (x, y) {
        const upright = from && from[0] === x && this.getLineDash().length;
        if (upright) dashes.push({ x, top: from[1], bottom: y });
        return lineTo.call(this, x, y);
    };"""
STRUCK = """() => dashes.flatMap(({ x, top, bottom }) => words.filter((word) =>
    word.left < x && x < word.right && word.top < bottom && top < word.bottom)
    .map((word) => word.said))"""


@pytest.mark.parametrize("packets", [30, 34, 37, 40])
def test_the_mark_of_one_bdp_strikes_through_no_words(page, tmp_path, packets):
    view = tcp_buffers.scene()
    view.widget.change = {"limit": packets, "lane": 0, "queue": 0}
    (tmp_path / "view.html").write_text(view.to_html())
    page.add_init_script(WATCHED)
    page.goto(f"file://{tmp_path}/view.html")
    page.wait_for_function("dashes.length > 0 && words.length > 0")
    assert page.evaluate(STRUCK) == []


def test_it_plays_and_tells_the_story_of_a_segment(page, tmp_path):
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    view = tcp_buffers.path_scene()
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
