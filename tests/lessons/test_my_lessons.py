"""Working copies of the lessons: no answer under its question, and never overwritten."""

import os

import nbformat
import pytest

from places import ROOT
from qoslib import __main__
from qoslib.lessons import copies


@pytest.fixture
def originals(tmp_path):
    """A folder with one lesson that has a prediction, an answer and its explanation."""
    cells = [
        nbformat.v4.new_markdown_cell("# Why?"),
        nbformat.v4.new_code_cell(
            "1 + 1", execution_count=1, outputs=[nbformat.v4.new_output("stream", text="2\n")]
        ),
        nbformat.v4.new_markdown_cell("**Explain.** It is 2.", metadata={"tags": ["explanation"]}),
    ]
    folder = tmp_path / "notebooks"
    folder.mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "00_why.ipynb")
    (folder / "queue.svg").write_text("<svg/>")
    return folder


def read(path):
    return nbformat.read(path, as_version=4)


def change(path, text):
    lesson = read(path)
    lesson.cells[0].source = text
    nbformat.write(lesson, path)


def test_a_working_copy_has_no_answer(originals, tmp_path):
    mine = tmp_path / "mine"
    assert copies.update(mine, originals) == []
    copy = read(mine / "00_why.ipynb")
    nbformat.validate(copy)
    assert [cell.get("outputs", []) for cell in copy.cells] == [[], [], []]
    assert copy.cells[1].execution_count is None
    folded = copy.cells[2].source
    assert folded.startswith("<details><summary>")
    assert folded.endswith("</details>")
    assert (mine / "queue.svg").read_text() == "<svg/>"
    assert (mine / ".answers").is_dir()


def test_a_copy_is_kept_and_says_when_its_original_has_moved_on(originals, tmp_path):
    mine, copy = tmp_path / "mine", tmp_path / "mine" / "00_why.ipynb"
    copies.update(mine, originals)
    change(copy, "# My own notes")
    before = copy.read_bytes()
    assert copies.update(mine, originals) == []
    assert copy.read_bytes() == before
    change(originals / "00_why.ipynb", "# Why not?")
    for _ in range(2):
        assert copies.update(mine, originals) == ["00_why.ipynb"]
        assert [cell.source for cell in read(copy).cells][:2] == [copies.MOVED_ON, "# My own notes"]
    change(originals / "00_why.ipynb", "# Why?")
    assert copies.update(mine, originals) == []
    assert read(copy).cells[0].source == "# My own notes"


def test_outputs_alone_are_no_new_version(originals, tmp_path):
    copies.update(tmp_path / "mine", originals)
    lesson = read(originals / "00_why.ipynb")
    lesson.cells[1].outputs, lesson.cells[1].execution_count = [], 7
    nbformat.write(lesson, originals / "00_why.ipynb")
    assert copies.update(tmp_path / "mine", originals) == []


def test_fresh_copies_keep_the_old_ones_and_the_predictions(originals, tmp_path):
    mine, copy = tmp_path / "mine", tmp_path / "mine" / "00_why.ipynb"
    copies.update(mine, originals)
    change(copy, "# My own notes")
    (mine / ".answers" / "00.a.json").write_text("{}")
    backup = copies.set_aside(mine)
    copies.update(mine, originals)
    assert read(copy).cells[0].source == "# Why?"
    assert read(backup / "00_why.ipynb").cells[0].source == "# My own notes"
    assert (mine / ".answers" / "00.a.json").exists()
    assert copies.set_aside(tmp_path / "empty") is None


@pytest.mark.parametrize("text", ["", "no notebook", "{}", "[1]", '{"nbformat": 99}'])
def test_whatever_a_reader_made_of_a_copy_stays(text, originals, tmp_path):
    mine = tmp_path / "mine"
    copies.update(mine, originals)
    (mine / "00_why.ipynb").write_text(text)
    assert copies.update(mine, originals) == ["00_why.ipynb"]
    assert (mine / "00_why.ipynb").read_text() == text
    assert not [path for path in mine.iterdir() if path.suffix == ".part"]


def test_every_lesson_becomes_a_copy_that_others_can_read(tmp_path):
    copies.update(tmp_path, ROOT / "notebooks")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        copy = read(tmp_path / path.name)
        assert not any(cell.get("outputs") for cell in copy.cells)
        assert os.stat(tmp_path / path.name).st_mode & 0o444 == 0o444


def test_the_command_copies_the_lessons_and_keeps_old_ones_when_told(tmp_path, capsys):
    mine = tmp_path / "mine"
    assert __main__.main(["lessons", str(mine)]) == 0
    assert capsys.readouterr().out == ""
    names = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {path.name for path in mine.glob("*.ipynb")} == names
    change(mine / "00_one_queue.ipynb", "# My own notes")
    assert __main__.main(["lessons", str(mine), "--fresh"]) == 0
    assert "your copies are in" in capsys.readouterr().out
    assert read(mine / "00_one_queue.ipynb").cells[0].source != "# My own notes"


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert __main__.main(["lessons", str(tmp_path / "file")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("qoslib: ")
    assert said.err.count("\n") == 1
