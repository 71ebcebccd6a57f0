"""The words: one source of truth, a page made of it, and links from the lessons."""

import importlib.util
import re
from xml.etree import ElementTree

import nbformat
import pytest

from places import ROOT
from qoslib import lessons
from qoslib.explore.svg import RED
from qoslib.lessons.glossary import groups, words
from qoslib.lessons.glossary_pictures import PICTURES, drawn
from qoslib.platforms import m120

LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
LINK = re.compile(r"\[([^\]]+)\]\(glossary\.ipynb#([^)]+)\)")


def _tool():
    path = ROOT / "tools" / "nomenclature.py"
    spec = importlib.util.spec_from_file_location("nomenclature", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


TOOL = _tool()


def test_the_pages_are_made_of_the_data():
    assert (ROOT / "NOMENCLATURE.md").read_text() == TOOL.page(), "run tools/nomenclature.py"
    stored = nbformat.read(ROOT / "notebooks" / "glossary.ipynb", as_version=4)
    assert stored == TOOL.glossary(), "run tools/nomenclature.py"


def test_every_word_is_there_once_and_has_a_lesson():
    names = words()["word"]
    assert names.is_unique
    assert set(words()["lesson"]) <= set(lessons.LESSONS)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_links_each_of_its_new_words_once(path):
    lesson = nbformat.read(path, as_version=4)
    opening = " ".join(cell.source for cell in lesson.cells[:5] if cell.cell_type == "markdown")
    linked = LINK.findall(" ".join(opening.split()))
    new = words().query("lesson == @path.stem[:2]")["word"]
    assert sorted(word for word, _ in linked) == sorted(new)
    for word, anchor in linked:
        assert anchor == word.replace(" ", "-"), "a link leads to the word itself"


def test_the_glossary_has_a_heading_for_each_word():
    """JupyterLab makes the anchor of a heading of its text, with hyphens for spaces."""
    cells = [cell.source for cell in TOOL.glossary().cells]
    for group in groups():
        assert f"## {group}" in cells
    for word in words()["word"]:
        assert sum(text.startswith(f"### {word}\n") for text in cells) == 1


@pytest.mark.parametrize(("word", "means"), words()[["word", "meaning"]].to_numpy())
def test_a_meaning_is_two_plain_sentences(word, means):
    sentences = re.findall(r"[^.?!]+(?:[.?!](?!\s|$)[^.?!]*)*[.?!](?:\s|$)", means)
    assert len(sentences) == 2
    assert "".join(sentences) == means
    assert all(len(sentence.split()) <= 25 for sentence in sentences)


def test_no_word_is_called_an_rfc_that_names_none():
    text = "\n".join(cell.source for cell in nbformat.read(TOOL.GLOSSARY, as_version=4).cells)
    assert "- RFC:" not in text
    assert "(ITU-T I.371, ATM Forum)" in text


def test_a_rival_is_a_word_of_the_lessons_and_no_way_to_drop():
    assert "rival" in set(words("Words of the lessons")["word"])


def test_what_is_typed_is_searched_in_all_columns():
    app = lessons.glossary.search()
    whole = len(app.table)
    assert app._shown.value == ""
    app.search.value = "JUNOS-nothing"
    assert len(app.table) == 0
    assert "No entry has" in app._count.value
    app.search.value = "queue-limit time"
    assert 0 < len(app.table) < whole
    assert app._shown.value.count("<tr>") == 1 + len(app.table)
    app.search.value = "low-latency"
    assert "strict priority" in set(app.table["word"])


@pytest.mark.parametrize("word", ["jitter", "bufferbloat", "head-of-line blocking", "RED"])
def test_a_word_comes_before_entries_that_mention_it(word):
    app = lessons.glossary.search()
    app.search.value = word
    assert app.table["word"].iloc[0] == word


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("jiter", "jitter"),
        ("latancy", "latency"),
        ("polcier", "policer"),
        ("buffer bloat", "bufferbloat"),
        ("serialization", "serialisation"),
        ("head of line", "head-of-line blocking"),
    ],
)
def test_what_is_not_found_is_shown_with_what_is_near(typed, meant):
    app = lessons.glossary.search()
    app.search.value = typed
    assert meant in set((app.table if len(app.table) else app.near)["word"])
    assert f"<b>{meant}</b>" in app._shown.value


def test_what_is_like_no_word_gets_advice():
    app = lessons.glossary.search()
    app.search.value = "zzzzzz"
    assert app._shown.value == ""
    assert "Try the word of an RFC" in app._count.value


def test_a_wrong_group_is_told_with_the_right_ones():
    with pytest.raises(ValueError, match="group is 'Droping'; allowed: Classifying"):
        words("Droping")


def test_commands_stand_where_they_belong():
    of = words().set_index("word")
    assert "bandwidth remaining" not in of.loc["guaranteed rate", "IOS, IOS XE"]
    assert "bandwidth remaining" in of.loc["weight", "IOS, IOS XE"]
    assert "buffer-size percent" not in of.loc["limit in time", "Junos"]
    assert "buffer-size percent" in of.loc["delay buffer", "Junos"]
    assert "buffer-size temporal" in of.loc["dynamic memory", "Junos"]
    assert m120.PLATFORM.experiments()["base_temporal"].port.queues[3].limit.at == "served"


@pytest.mark.parametrize("word", PICTURES)
def test_a_word_that_moves_has_a_small_picture(word):
    picture = PICTURES[word]
    assert word in set(words()["word"])
    svg = drawn(picture)
    ElementTree.fromstring(svg)
    assert len(svg) < 14_000
    assert ("dropped" in picture.said) == (RED in svg) or len(picture.port.queues) > 1
    assert "prefers-reduced-motion" in svg


def test_the_glossary_with_its_pictures_is_small():
    assert (ROOT / "notebooks" / "glossary.ipynb").stat().st_size < 200_000
