"""On paper a page is light, whichever theme it is read in, and has nothing to press."""

import pytest

PAGES = ("index.html", "lessons/00_one_queue.html", "check/index.html", "scoreboard.html")
THEME = "document.documentElement.dataset.theme"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_is_read_dark_is_printed_light(open_page, name):
    page = open_page(name, width=794, height=1100, color_scheme="dark")
    page.wait_for_load_state("networkidle")
    ground = "getComputedStyle(document.body).backgroundColor"
    read, dark = page.evaluate(THEME), page.evaluate(ground)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(THEME) == "light"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    for part in (".hand", ".buttons", ".scrub", ".qoslib-check button"):
        assert all(not each.is_visible() for each in page.locator(part).all()), part
    page.emulate_media(media="screen", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert (page.evaluate(THEME), page.evaluate(ground)) == (read, dark)


def test_all_columns_of_the_scoreboard_are_on_paper(open_page):
    page = open_page("scoreboard.html", width=1000, height=700)
    page.emulate_media(media="print")
    wide = "table => table.scrollWidth - table.parentElement.clientWidth"
    assert page.locator(".qoslib-scoreboard table").evaluate(wide) <= 0
