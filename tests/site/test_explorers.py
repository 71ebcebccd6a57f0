"""Every explorer of every lesson moves on its page, and so do the numbers in the text."""

import pytest
from playwright.sync_api import expect

from website import shown

EVERY = [
    (path.stem, number)
    for path in shown.lessons()
    for number in range(sum(each.kind == "explorer" for each in shown.shown(path)))
]
LESSONS = [path.stem for path in shown.lessons() if "<data value=" in path.read_text("utf-8")]
OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def explorer_of(page, number):
    """The explorer's place, once its figure is drawn; what waits for a guess or is folded opens."""
    page.evaluate(
        "document.querySelectorAll('.qoslib-closed button').forEach(each => each.click())"
    )
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    place = page.locator(f'.qoslib-live[data-kind="explorer"][data-number="{number}"]')
    place.scroll_into_view_if_needed()
    place.locator(".qoslib-plot .main-svg").first.wait_for()
    return place


def by_whom(place):
    """Whether the grid or the engine has answered, once one has."""
    place.locator("xpath=self::*[@data-by='grid' or @data-by='engine']").wait_for()
    return place.get_attribute("data-by")


@pytest.mark.parametrize(("lesson", "number"), EVERY)
def test_an_explorer_moves(open_page, lesson, number):
    place = explorer_of(open_page(f"lessons/{lesson}.html", width=400), number)
    summary = place.locator(".qoslib-summary")
    begun = summary.inner_text()
    control = place.locator(".qoslib-control").first.locator("input, select").first
    if control.evaluate("each => each.tagName") == "SELECT":
        control.select_option(index=control.evaluate("list => (list.selectedIndex + 1) % 2"))
    else:
        control.press("PageUp")
    expect(summary).not_to_have_text(begun)
    assert by_whom(place) in ("grid", "engine")
    assert place.page.evaluate(OVER) <= 0


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_number_in_a_text_moves_its_explorer(open_page, lesson):
    page = open_page(f"lessons/{lesson}.html")
    for number in page.locator("data").all():
        number.scroll_into_view_if_needed()
        expect(number).to_have_attribute("role", "slider")
        name, _, value = number.get_attribute("value").partition("=")[2].partition(":")
        number.press("Enter")
        place = explorer_of(page, int(number.get_attribute("value")[1]))
        box = place.locator(f'.qoslib-control[data-name="{name}"] input[type="number"]')
        assert float(box.input_value()) == float(value.partition(",")[0])
        if "," not in value:
            assert by_whom(place) in ("grid", "engine")
