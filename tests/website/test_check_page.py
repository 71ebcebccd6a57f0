"""The page that checks a configuration, in Chromium: the tests' own process answers."""

import json

import pytest

from places import ROOT
from qoslib.lessons.configuration import texts
from website import check_examples, checking

SCRIPTS = ("address.js", "engine.js", "sheet.js", "check.js")
#: In place of the engine with its worker.
ENGINE = """
window.asked = [];
window.qoslibEngine = Object.assign(new EventTarget(), {
  status: "ready", reason: "", look: async () => "ready", stop() {},
  async ask(message, told) {
    window.asked.push(message);
    told(1, 2);
    return JSON.parse(await window.answered(JSON.stringify(message)));
  },
});
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Check</title>
{scripts}<link rel="stylesheet" href="check.css"><h1>Check</h1>
<div class="qoslib-check"></div></html>"""
CHECKED = "Checked by the engine in this page."
TUNNEL = """policy-map P
 class class-default
  fair-queue
interface Tunnel1
 service-policy output P
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check")
    for name in (*SCRIPTS, "check.css"):
        (folder / name).write_bytes((ROOT / "website/page" / name).read_bytes())
    for name, raw in check_examples.files().items():
        (folder / name).write_bytes(raw)
    for name, engine in (("index", "stub.js"), ("alone", "engine.js")):
        scripts = [engine if each == "engine.js" else each for each in SCRIPTS]
        tags = "".join(f'<script defer src="{each}"></script>' for each in scripts)
        (folder / f"{name}.html").write_text(PAGE.format(scripts=tags), encoding="utf-8")
    lesson = (folder / "index.html").read_text("utf-8")
    place = '<div class="qoslib-check" data-example="lesson_10">'
    (folder / "lesson.html").write_text(
        lesson.replace('<div class="qoslib-check">', place), "utf-8"
    )
    (folder / "stub.js").write_text(ENGINE)
    return folder


@pytest.fixture
def opened(page, folder):
    """Open the page; errors of its scripts fail the test."""
    errors = []
    page.on("pageerror", lambda error: errors.append(error))

    def answered(text):
        message = json.loads(text)
        try:
            return json.dumps(checking.answer(message, lambda done, whole: None))
        except ValueError as error:
            return json.dumps({"error": str(error)})

    page.expose_function("answered", answered)

    def go(more="", name="index"):
        page.goto("about:blank")
        page.goto((folder / f"{name}.html").as_uri() + more)
        page.locator(".lead").wait_for()
        return page

    yield go
    assert not errors


def test_lesson_13_has_the_error_that_its_text_speaks_of():
    script = check_examples.files()["lesson_13.js"].decode()
    example = json.loads(script.partition(" = ")[2].rstrip(";\n"))
    assert "shape average 50000000" in example["text"]
    assert "VOICE" in example["load"]
    assert "The shaper sends 50 Mb/s into 20 Mb/s" in example["answer"]["text"]


#: It has a class of the example, and nothing else of it.
OTHER = """\
policy-map EDGE
 class VOICE
  priority percent 10
interface GigabitEthernet0/0/2
 speed 10
 service-policy output EDGE
"""


def text_of(page):
    return page.get_by_label("Configuration").input_value()


def says(page, text):
    page.locator(".said", has_text=text).wait_for()


def test_it_begins_with_an_example_and_its_stored_report(opened):
    page = opened()
    says(page, "This is an example")
    assert text_of(page) == checking.EXAMPLE["text"]
    assert page.locator(".lead").inner_text().startswith("2 warnings. First: Class VIDEO loses")
    assert page.evaluate("asked") == []
    page.get_by_text("The same in a terminal").click()
    assert page.locator(".terminal pre").inner_text().startswith("edge.cfg  ios-xe  24 lines")
    assert "Nothing has left this browser." in page.locator(".qoslib-check").inner_text()


def test_a_lesson_compares_each_change_with_its_own_text(opened):
    page = opened(name="lesson")
    says(page, "This is the stored report of the text.")
    assert page.locator(".changed").is_hidden()
    first = text_of(page)
    assert first == texts.edge()
    page.get_by_label("Configuration").fill(texts.edge("bandwidth"))
    says(page, CHECKED)
    row = page.locator(".changed tr", has_text="DSCP_EF")
    assert row.inner_text().split("\t")[1:3] == ["20 Mb/s → 60 Mb/s", "33 % → 0 %"]
    assert {each["before"] for each in page.evaluate("asked")} == {first}
    page.get_by_label("Configuration").fill(first.replace("20000", "2000x"))
    page.locator(".finding summary", has_text="2000x").wait_for()
    page.get_by_label("Configuration").fill(first)
    says(page, CHECKED)
    assert page.locator(".changed").is_hidden()


def test_an_engine_that_others_start_changes_nothing_said(opened):
    page = opened(name="lesson")
    told = "qoslibEngine.dispatchEvent(new CustomEvent('{}', {{ detail: {} }}))"
    page.evaluate(told.format("progress", "{ loaded: 1, total: 2 }"))
    page.evaluate(told.format("status", "'ready'"))
    says(page, "This is the stored report of the text.")


def test_a_click_on_a_finding_shows_its_line(opened):
    page = opened()
    page.locator(".finding summary", has_text="line 16").first.click()
    band = page.locator(".qoslib-sheet .band").first.bounding_box()
    sheet = page.locator(".qoslib-sheet").first.bounding_box()
    assert sheet["y"] < band["y"] < sheet["y"] + sheet["height"]
    signs = page.locator(".qoslib-sheet .numbers").first.inner_text().split("\n")
    assert [signs[line - 1].split()[0] for line in (8, 10, 16)] == ["●", "▲", "▲"]


def test_a_fix_is_applied_shown_before_and_after_and_undone(opened):
    page = opened()
    page.get_by_role("button", name="Apply fix").first.click()
    says(page, CHECKED)
    assert text_of(page).endswith("policy-map BRANCH\n class VIDEO\n  bandwidth percent 41\n")
    row = page.locator(".changed tr", has_text="VIDEO")
    assert row.inner_text().split("\t")[:3] == ["VIDEO", "21.7 Mb/s → 25.3 Mb/s", "6.7 % → 0 %"]
    assert [bool(each["load"]) for each in page.evaluate("asked")] == [False, True]
    page.get_by_role("button", name="Undo").click()
    says(page, CHECKED)
    assert text_of(page) == checking.EXAMPLE["text"]
    assert page.locator(".changed").is_hidden()


def test_a_pasted_text_is_checked_and_its_link_opens_it_again(opened):
    page = opened()
    page.get_by_label("Load").fill("")
    page.get_by_label("Configuration").fill(checking.EXAMPLE["text"].replace("VIDEO", "FILM"))
    says(page, "Promises only")
    assert page.locator("tbody tr", has_text="FILM").first.is_visible()
    link = page.evaluate("location.href")
    assert "#check=" in link
    again = opened("#" + link.partition("#")[2])
    says(again, "Promises only")
    assert "class FILM" in text_of(again)
    assert again.get_by_label("Load").input_value() == ""


def test_the_load_of_the_example_goes_with_its_text(opened):
    page = opened()
    page.get_by_label("Configuration").fill(checking.EXAMPLE["text"].replace("VIDEO", "FILM"))
    assert page.get_by_label("Load").input_value() == checking.EXAMPLE["load"]
    page.get_by_label("Configuration").fill(OTHER)
    says(page, "Promises only")
    assert page.get_by_label("Load").input_value() == ""
    assert "Target met" not in page.locator(".report").inner_text()


def test_a_dialect_can_be_chosen_and_stays_in_the_link(opened):
    page = opened()
    page.get_by_label("Configuration").fill(OTHER)
    says(page, "Promises only")
    page.get_by_label("Dialect").select_option("ios")
    says(page, "Promises only")
    page.locator(".terminal pre", has_text=" ios ").wait_for(state="attached")
    link = page.evaluate("location.href")
    again = opened("#" + link.partition("#")[2])
    says(again, "Promises only")
    assert again.get_by_label("Dialect").input_value() == "ios"


def test_a_fact_is_asked_for_and_taken(opened):
    page = opened()
    page.get_by_label("Configuration").fill(TUNNEL)
    says(page, "A fact is missing:")
    box = page.locator(".facts input")
    box.fill("a lot")
    box.blur()
    says(page, "the fact Tunnel1.line_rate_bps is 'a lot'; allowed:")
    box.fill("50M")
    box.blur()
    page.locator(".lead", has_text="No").or_(
        page.locator("td", has_text="50 Mb/s")
    ).first.wait_for()
    assert page.evaluate("asked").pop()["facts"] == {"Tunnel1.line_rate_bps": "50M"}


def test_an_error_and_an_empty_text_are_said(opened):
    page = opened()
    page.get_by_label("Load").fill("VOICE = 3")
    says(page, "the load: ")
    page.get_by_role("button", name="Clear").click()
    says(page, "Paste a configuration, or drop a file.")
    assert page.locator(".report").inner_text() == ""
    assert "#check=" not in page.evaluate("location.href")


@pytest.mark.parametrize("coding", ["utf-8", "utf-16", "utf-16-be", "latin-1"])
def test_a_file_is_read_as_the_command_line_reads_it(opened, coding):
    page = opened()
    text = checking.EXAMPLE["text"] + "! où\n"
    file = {"name": "here.cfg", "mimeType": "text/plain", "buffer": text.encode(coding)}
    page.locator("input[type=file]").set_input_files(file)
    says(page, CHECKED)
    assert text_of(page).removeprefix("\ufeff") == text
    assert page.evaluate("asked")[0]["name"] == "here.cfg"


def test_downloads_are_what_the_command_line_writes(opened):
    page = opened()
    page.get_by_text("The same in a terminal").click()
    stored = checking.answer(checking.EXAMPLE, lambda done, whole: None)
    for name, key, ending in (("JSON", "json", ".json"), ("Text", "text", ".txt")):
        with page.expect_download() as download:
            page.get_by_role("button", name=name, exact=True).click()
        assert download.value.suggested_filename == f"edge.cfg{ending}"
        assert download.value.path().read_text("utf-8").rstrip("\n") == stored[key].rstrip("\n")
    with page.expect_download() as download:
        page.get_by_role("button", name="Markdown for a ticket").click()
    assert "| VOICE | 120 % |" in download.value.path().read_text("utf-8")


def test_a_damaged_link_says_so(opened, page, folder):
    page.goto((folder / "index.html").as_uri() + "#check=nonsense")
    says(page, "The link is damaged")


def test_without_an_engine_the_example_stays_and_the_page_says_what_is_missing(opened):
    page = opened(name="alone")
    says(page, "This is an example with a stored report. The engine needs a web server")
    assert page.locator(".lead").is_visible()
    page.get_by_label("Configuration").fill(TUNNEL)
    says(page, "The engine needs a web server")
    page.locator(".lead").wait_for(state="detached")
    assert page.locator(".terminal").is_hidden()


@pytest.mark.parametrize("width", [400, 1280])
def test_it_fits_the_screen(opened, width):
    page = opened()
    page.set_viewport_size({"width": width, "height": 720})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
