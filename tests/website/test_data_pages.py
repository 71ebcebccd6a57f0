"""Pages made of data: every row and every data set has its place, and numbers are not retold."""

import csv
import re

import pytest

from places import ROOT
from website import build, notices, passports, reference, scoreboard, words


@pytest.fixture(scope="module")
def said():
    return scoreboard.parts()


def test_the_scoreboard_has_every_stored_row_with_its_lesson_and_its_source(said):
    stored = list(csv.DictReader((ROOT / "data" / "scoreboard.csv").open(encoding="utf-8")))
    rows = re.findall(r'<tr data-platform="(\w+)".*?data-verdict="(\w+)">(.*)</tr>', said["table"])
    assert [row[:2] for row in rows] == [(row["platform"], row["verdict"]) for row in stored]
    for *_, cells in rows:
        lesson, source = re.findall(r'href="((?:lessons|data)/\w+)\.html"', cells)
        assert (ROOT / f"notebooks/{lesson[8:]}.ipynb").is_file()
        assert (ROOT / f"data/measurements/{source[5:]}.csv").is_file()


def test_the_scoreboard_counts_as_the_file_does(said):
    text = (ROOT / "data" / "scoreboard.csv").read_text(encoding="utf-8")
    assert said["within"] == f"{text.count(',within,'):,}"
    assert said["misfits"] == f"{text.count(',misfit,'):,}"


def test_each_misfit_of_a_row_is_explained_below_the_table(said):
    named = set(re.findall(r'href="#([\w-]+)">misfit', said["table"]))
    assert named == set(re.findall(r"^\(([\w-]+)\)=$", said["explained"], re.MULTILINE))


def test_each_data_set_has_a_page_with_its_passport_and_its_values():
    pages = passports.pages()
    for path in (ROOT / "data" / "measurements").glob("*.csv"):
        text = pages[f"data/{path.stem}.md"]
        rows = list(csv.DictReader(path.open(encoding="utf-8")))
        assert text.count("<tr") == len(rows) + 1
        assert f"[Download {path.name}](measurements/{path.name})" in text
        assert all(title in text for title in ("Publisher", "Transcribed", "SHA-256"))
    for path in (ROOT / "data" / "live").glob("*.csv"):
        assert "tc qdisc" in pages[f"data/live_{path.stem}.md"]


def test_a_page_leaves_no_part_of_its_pattern_open():
    made = build.gather()
    names = {path.relative_to(build.PAGES).as_posix() for path in build.PAGES.rglob("*.md")}
    assert [name for name in names if re.search(rb"^%\w+%", made[name], re.MULTILINE)] == []


LINK = '<a class="reference internal" href="glossary.html#{}"><span class="std">{}</span></a>'


def test_a_link_to_a_word_opens_its_definition():
    made = words.defined(LINK.format("carried-load", "carried\nload"))
    name = re.search(r'<button type="button" popovertarget="([\w-]+)"', made)[1]
    assert f'popover id="{name}"><b>carried load</b> ' in made
    assert '<a href="glossary.html#carried-load">Glossary</a>' in made


def test_every_word_is_found_at_its_place():
    assert words.meanings()["little-s-law"][0] == "Little's law"
    assert len(words.meanings()) == (ROOT / "data/words.toml").read_text().count("\nmeans = ")


def test_a_link_to_what_is_no_word_stays():
    link = LINK.format("classifying", "there")
    assert words.defined(link) == link


def test_the_first_use_of_a_new_word_is_defined_where_it_is_no_code():
    opening = f'<section id="about-this-lesson"><p>{LINK.format("knee", "knee")}</p></section>'
    use = "<p><code>knee</code> <strong>knee</strong> At the knee, and the knee-high knee.</p>"
    made = words.defined(opening + use)
    before, _, after = made.partition("At the ")
    assert before.count("popovertarget") == 1
    assert after.count("popovertarget") == 1
    assert "<code>knee</code> <strong>knee</strong>" in before
    assert after.startswith('<span class="qoslib-word"><button')


def test_notices_name_what_is_inside_with_the_texts_that_are_here():
    table = notices.parts()["notices"]
    for name in ("pyodide", "CPython", "musl", "numpy", "plotly.js", "sphinx"):
        assert re.search(rf"^\| {re.escape(name)}", table, re.MULTILINE)
    linked = re.findall(r"\((licences/[^)]+)\)", table)
    assert set(linked) == notices.files().keys()
    assert b"NumPy Developers" in notices.files()["licences/numpy.txt"]


def test_the_reference_says_what_each_value_is_for():
    """Python has nothing to say of a tuple but what tuples are for."""
    for room in (room for rooms in reference.ROOMS.values() for room in rooms):
        text = reference.pages()[f"reference/{room}.md"]
        for name, said in re.findall(r"py:data:: (\w+)\n.*\n\n   (.*)", text):
            assert re.match(r"[A-Z0-9]", said), name
        assert "autodata" not in text


def test_each_name_of_the_package_is_listed_with_a_sentence():
    text = reference.pages()["reference/qoslib.md"]
    lines = re.findall(r"^- (.*)", text, re.MULTILINE)
    assert len(lines) > 30
    assert all(re.search(r"`: \w.{10,}", line) for line in lines), lines
