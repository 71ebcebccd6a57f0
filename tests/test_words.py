"""The words: one source of truth, a page made of it, and links from the lessons."""

import importlib.util
import re
from pathlib import Path

import nbformat
import pytest

from qoslib import lessons
from qoslib.lessons.glossary import NO_WORD, _marked, groups, words
from qoslib.platforms import m120

ROOT = Path(__file__).resolve().parent.parent
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
LINK = re.compile(r"\[([^\]]+)\]\(glossary\.ipynb#([^)]+)\)")


def test_the_page_is_made_of_the_data():
    path = ROOT / "tools" / "nomenclature.py"
    spec = importlib.util.spec_from_file_location("nomenclature", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert (ROOT / "NOMENCLATURE.md").read_text() == tool.page(), "run tools/nomenclature.py"


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
        group = next(g for g in groups() if word in set(words(g)["word"]))
        assert anchor == group.replace(" ", "-")


def test_the_glossary_has_a_heading_for_each_group():
    notebook = nbformat.read(ROOT / "notebooks" / "glossary.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells)
    for group in groups():
        assert f"## {group}\n" in f"{text}\n"
        assert f'glossary.entries("{group}")' in text


def test_no_word_of_an_entry_is_cut_off():
    notebook = nbformat.read(ROOT / "notebooks" / "glossary.ipynb", as_version=4)
    shown = "".join(
        o.data.get("text/html", "") for c in notebook.cells for o in c.get("outputs", ())
    )
    for text in words().drop(columns="lesson").to_numpy().ravel():
        assert _marked(text) in shown or text == NO_WORD
    assert "`" not in shown


def test_what_is_typed_is_searched_in_all_columns():
    app = lessons.glossary.search()
    whole = len(app.table)
    assert app._shown.value == ""
    app.search.value = "JUNOS-nothing"
    assert len(app.table) == 0
    app.search.value = "queue-limit time"
    assert 0 < len(app.table) < whole
    assert app._shown.value.count("<tr>") == 1 + len(app.table)
    app.search.value = "low-latency"
    assert "strict priority" in set(app.table["word"])


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
