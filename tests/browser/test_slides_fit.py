"""Every slide of every lesson in a real Chromium: it fits a projector and can be read from afar."""

import pytest

import slides
from accessibility import barriers

#: The room that a slide has, what of it overflows, and its smallest type.
MEASURED = """() => {
    const slide = document.querySelector("section:not(.away)");
    const room = slide.getBoundingClientRect(), all = (those) => [...slide.querySelectorAll(those)];
    const within = (box, of) =>
        box.bottom <= of.bottom + 1 && box.right <= of.right + 1 && box.top >= of.top - 1;
    const shown = "h1, h2, figure, figure > :not(script), .ask, td, th, pre, .track";
    const beyond = all(shown).filter((each) => {
        const box = each.getBoundingClientRect();
        return !within(box, room) || !within(box, each.parentElement.getBoundingClientRect())
            || box.bottom > room.bottom - 40;
    });
    const typed = all("h1, h2, .ask, td, th, pre, .key, .track").map((each) =>
        parseFloat(getComputedStyle(each).fontSize));
    const drawn = all("svg text").map((each) =>
        parseFloat(each.getAttribute("font-size")) * each.getScreenCTM().a);
    const view = slide.querySelector(".qoslib-packets canvas");
    return {
        beyond: beyond.map((each) => each.tagName + " " + each.className),
        smallest: Math.min(...typed, ...drawn),
        named: all("figure").every((each) => each.ariaLabel.length > 40),
        scene: view ? view.getBoundingClientRect().width : 999,
    };
}"""


#: With the notes on: whether they are whole and below the question, and what a scene writes there.
NOTED = """() => {
    const slide = document.querySelector("section:not(.away)");
    const [ask, notes] = [".ask", "aside"].map((each) =>
        slide.querySelector(each)?.getBoundingClientRect());
    const view = slide.querySelector(".qoslib-projected");
    return {
        apart: !ask || !notes || ask.bottom <= notes.top + 1,
        whole: !notes || notes.bottom <= innerHeight,
        over: view ? getComputedStyle(view, "::after").content : "none",
    };
}"""


@pytest.mark.parametrize("path", slides.DECKS, ids=lambda path: path.stem)
def test_a_slide_fits_and_can_be_read(page, path, tmp_path):
    deck = slides.read(path)
    file = tmp_path / "slides.html"
    file.write_text(slides.made(deck), encoding="utf-8")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(file.as_uri())
    for number, slide in enumerate(deck, 1):
        assert page.locator("output").inner_text() == f"{number} / {len(deck)}"
        # A scene takes its width once the page has told it how much room there is.
        page.wait_for_function(f"() => ({MEASURED})().scene >= 900")
        measured = page.evaluate(MEASURED)
        assert measured["beyond"] == [], slide.claim
        assert measured["smallest"] >= 24, slide.claim
        assert measured["named"], slide.claim
        if number == 2:
            assert barriers(page) == []
        page.keyboard.press("n")
        noted = {"apart": True, "whole": True, "over": "none"}
        assert page.evaluate(NOTED) == noted, slide.claim
        page.keyboard.press("n")
        page.keyboard.press("PageDown")
    page.keyboard.press("n")
    assert page.locator("section:not(.away) aside").is_visible()
    page.keyboard.press("Home")
    assert page.locator("h1").is_visible()
    assert asked == [file.as_uri()], "nothing is fetched"
