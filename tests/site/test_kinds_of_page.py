"""One page of each kind, in both themes and on three screens: all can read it, none scrolls."""

import pytest

from accessibility import barriers

KINDS = (
    "index.html",
    "404.html",
    "lessons/index.html",
    "lessons/00_one_queue.html",
    "lessons/10_configuration.html",
    "lessons/glossary.html",
    "check/index.html",
    "docs/index.html",
    "docs/checking.html",
    "course/index.html",
    "data/index.html",
    "data/m120_latency.html",
    "data/live_six_classes.html",
    "reference/index.html",
    "reference/port.html",
    "scoreboard.html",
    "notices.html",
    "proved.html",
    "search.html?q=policer",
    "genindex.html",
)
OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("name", KINDS)
def test_a_page_keeps_nobody_out(open_page, name, theme):
    page = open_page(name, color_scheme=theme)
    page.wait_for_load_state("networkidle")
    assert barriers(page) == []


@pytest.mark.parametrize("name", KINDS)
def test_a_page_does_not_scroll_sideways(open_page, name):
    page = open_page(name)
    page.wait_for_load_state("networkidle")
    for width in (400, 1000, 1400):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(OVER) <= 0, width


def test_no_lesson_is_wider_than_its_window(open_page, site):
    for path in sorted((site / "lessons").glob("[0-9]*.html")):
        page = open_page(f"lessons/{path.name}")
        page.wait_for_load_state("networkidle")
        article = page.locator("article.bd-article")
        count = page.locator(".qoslib-live, .highlight-python, .qoslib-output").count()
        inside = article.locator(".qoslib-live, .highlight-python, .qoslib-output").count()
        assert 0 < count == inside, path.name
        for width in (400, 1000, 1400):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(OVER) <= 0, (path.name, width)
            assert article.locator("h1").bounding_box()["width"] > 200, (path.name, width)
        page.close()


def test_a_definition_opens_by_mouse_by_key_and_by_touch(open_page):
    page = open_page("lessons/00_one_queue.html")
    word = page.locator(".qoslib-word").first
    said = word.locator(".qoslib-definition")
    word.locator("button").hover()
    assert said.is_visible()
    page.keyboard.press("Escape")
    assert not said.is_visible()
    page.mouse.move(0, 0)
    word.locator("button").focus()
    page.keyboard.press("Enter")
    assert said.is_visible()
    page.keyboard.press("Escape")

    phone = open_page("lessons/00_one_queue.html", width=400, height=800, has_touch=True)
    word = phone.locator(".qoslib-word").first
    word.locator("button").tap()
    assert word.locator(".qoslib-definition").is_visible()
    assert phone.evaluate(OVER) <= 0


def test_the_scoreboard_is_searched_filtered_and_sorted(open_page):
    page = open_page("scoreboard.html")
    rows = page.locator("#scoreboard-rows tbody tr:visible")
    assert set(rows.evaluate_all("rows => rows.map(row => row.dataset.assumptions)")) == {"base"}
    page.get_by_label("Verdict").select_option("misfit")
    page.get_by_label("Device").select_option("m120")
    page.get_by_label("Find").fill("nc latency")
    assert rows.count() > 0
    assert "latency" in rows.first.inner_text()
    assert page.locator("output").inner_text().startswith(f"{rows.count()} of ")
    page.get_by_label("Find").fill("")
    page.get_by_label("Device").select_option("")
    page.get_by_role("button", name="Error").click()
    errors = rows.evaluate_all("rows => rows.map(row => Number(row.cells[5].dataset.sort))")
    assert errors == sorted(errors)
    rows.first.get_by_role("link", name="misfit").click()
    page.wait_for_url("**#*")


def test_the_scoreboard_is_still_filtered_when_a_reader_comes_back(open_page):
    page = open_page("scoreboard.html")
    page.get_by_label("Find").fill("catalyst")
    rows = page.locator("#scoreboard-rows tbody tr:visible")
    count = rows.count()
    rows.first.get_by_role("link", name="source").click()
    page.wait_for_load_state()
    page.go_back()
    page.locator("output", has_text=f"{count} of").wait_for()
    assert page.get_by_label("Find").input_value() == "catalyst"
    assert rows.count() == count


def test_words_are_found_in_all_pages(open_page):
    page = open_page("search.html?q=conditional+policer")
    page.locator("#search-results li").first.wait_for()
    found = page.locator("#search-results li a").evaluate_all("all => all.map(a => a.pathname)")
    assert any("02_llq_policing" in each for each in found)


def test_lessons_and_guide_are_found_before_names_of_the_package(open_page):
    page = open_page("search.html?q=CoDel")
    found = page.locator("#search-results li a")
    found.locator("xpath=self::*[contains(@href, 'reference/')]").first.wait_for()
    reference = found.evaluate_all("all => all.map(a => a.pathname.startsWith('/reference/'))")
    assert not reference[0]
    assert reference == sorted(reference)


def test_the_list_of_sections_marks_the_one_that_is_read_on_the_way_up_too(open_page):
    page = open_page("lessons/06_tcp_buffers.html")
    page.wait_for_load_state("networkidle")
    read = """[...document.querySelectorAll("article section > h2")]
        .filter((each) => each.getBoundingClientRect().top < 0.3 * innerHeight)
        .at(-1).firstChild.textContent"""
    for y in (9000, 7000, 5000, 3000):
        page.evaluate(f"scrollTo({{ top: {y}, behavior: 'instant' }})")
        page.wait_for_timeout(200)
        assert page.locator(".page-toc a.active").inner_text() == page.evaluate(read)


def test_a_heading_that_a_link_leads_to_is_below_the_bar(open_page):
    page = open_page("lessons/06_tcp_buffers.html#two-published-tables")
    page.wait_for_load_state("networkidle")
    top = page.locator("#two-published-tables > h2").bounding_box()["y"]
    assert top > page.locator("header.bd-header").bounding_box()["height"] + 8


def test_figures_of_a_dark_page_are_dark(open_page):
    page = open_page("lessons/08_aqm.html", color_scheme="dark")
    drawn = page.locator("article img[src$='.png']").first
    assert "invert" in drawn.evaluate("each => getComputedStyle(each).filter")


def test_the_theme_that_was_chosen_stays(open_page):
    page = open_page("docs/index.html", color_scheme="light")
    page.get_by_role("button", name="Color mode").click()
    page.get_by_role("button", name="Dark").click()
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_an_answer_is_shown_once_it_is_asked_for(open_page):
    page = open_page("lessons/00_one_queue.html")
    said = page.locator('.qoslib-answer[data-name="00.a"] pre').first
    assert not said.is_visible()
    page.get_by_role("button", name="Show the answer without a prediction").first.click()
    assert said.is_visible()


def test_without_scripts_an_answer_is_folded(open_page):
    page = open_page("lessons/00_one_queue.html", java_script_enabled=False)
    answer = page.locator('.qoslib-answer[data-name="00.a"]')
    assert not answer.locator("pre").first.is_visible()
    answer.locator("summary").click()
    assert answer.locator("pre").first.is_visible()


def test_on_paper_there_is_no_bar_and_nothing_is_folded(open_page):
    page = open_page("lessons/00_one_queue.html")
    page.emulate_media(media="print")
    assert page.locator("header").first.is_hidden()
    assert page.locator(".qoslib-solution pre").first.is_visible()
