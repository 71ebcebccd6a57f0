"""Handouts: the instructor's copies pass every check, the students' fail with a hint."""

import ast
import importlib.util
import re

import nbformat
import pytest

from places import ROOT
from qoslib import lessons

TOOL = ROOT / "tools" / "handout.py"
STUDENT = 4711


def _loaded():
    spec = importlib.util.spec_from_file_location("handout", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


handout = _loaded()


@pytest.fixture(scope="module", params=handout.LESSONS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def lesson(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture(scope="module")
def copies(lesson):
    """The instructor's copy, the students' and that of one student."""
    mine = handout.for_students(lesson, STUDENT)
    return handout.for_the_instructor(lesson), handout.for_students(lesson), mine


@pytest.fixture(scope="module")
def scope(copies):
    """What the instructor's copy knows, and what its solutions are told.

    Lessons run whole in another group of tests; here, the cells that a solution needs. The
    students' cells run in the same scope, which holds the same names.
    """
    known: dict = {"check": lessons.check}
    told = []
    for cell in needed(copies[0].cells):
        said = run(cell.source, known)
        if handout.is_solution(cell):
            told.append(said)
    return known, told


def needed(cells):
    """The solutions of a lesson, and the cells that make what they or such cells name."""
    chosen, wanted = [], set()
    for cell in reversed([cell for cell in cells if cell.cell_type == "code"]):
        made, used = names(cell.source)
        if handout.is_solution(cell) or made & wanted:
            chosen.append(cell)
            wanted = (wanted - made) | used
    return reversed(chosen)


def names(source):
    """What a cell makes, and what it names."""
    made, used = set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.alias):
            made.add(node.asname or node.name)
        elif isinstance(node, ast.FunctionDef):
            made.add(node.name)
        elif isinstance(node, ast.Name):
            (made if isinstance(node.ctx, ast.Store) else used).add(node.id)
    return made, used


def run(source, scope):
    """Run a cell, and return the value of its last line as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), scope)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), scope) if last else None


def asked(notebook):
    pattern = r"check\("
    return [c for c in notebook.cells if c.cell_type == "code" and re.match(pattern, c.source)]


def test_every_exercise_of_a_lesson_is_asked_and_solved(path, lesson):
    numbers = [name for name in lessons.exercises() if name.startswith(path.stem[:2])]
    assert [handout.asked(cell) for cell in lesson.cells if handout.asked(cell)] == numbers
    assert sum(map(handout.is_solution, lesson.cells)) == len(numbers)
    assert 3 <= len(numbers) <= 5


def test_the_instructors_copy_passes_every_check(scope, lesson):
    _, told = scope
    assert len(told) == sum(map(handout.is_solution, lesson.cells))
    assert all(verdict.ok for verdict in told), told


def test_a_students_copy_has_no_solution_and_answers_with_a_hint(scope, copies):
    known, _ = scope
    for notebook in copies[1:]:
        assert not any(map(handout.is_solution, notebook.cells))
        assert "solved" not in "\n".join(cell.source for cell in asked(notebook))
        for cell in asked(notebook):
            verdict = run(cell.source, known)
            assert not verdict.ok
            assert "in place of the dots" in verdict.text


def test_the_question_in_the_lesson_is_the_one_that_varies(lesson, path):
    for before, cell in zip(lesson.cells, lesson.cells[1:], strict=False):
        name = handout.asked(cell)
        if name and lessons.question(name):
            assert plain(lessons.question(name)) in plain(before.source)


def test_two_students_have_different_numbers(lesson, path):
    texts = ["\n".join(c.source for c in handout.for_students(lesson, n).cells) for n in (1, 2)]
    varied = [n for n, e in lessons.exercises().items() if n[:2] == path.stem[:2] and e.numbers]
    assert (texts[0] != texts[1]) == bool(varied)
    for name in varied:
        assert plain(lessons.question(name, 1)) in plain(texts[0])


def plain(text):
    return " ".join(text.split())


def test_the_tool_writes_all_copies(tmp_path, monkeypatch):
    arguments = ["handout.py", "--student", "5", "--into", str(tmp_path)]
    monkeypatch.setattr("sys.argv", arguments)
    handout.main()
    for folder in ("student", "student-5", "instructor"):
        assert len(list((tmp_path / folder).glob("*.ipynb"))) == len(handout.LESSONS) + 1
        assert (tmp_path / folder / "LICENSE").exists()


def test_no_answer_stands_under_a_prediction_in_a_students_set(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["handout.py", "--into", str(tmp_path)])
    monkeypatch.setattr(handout, "LESSONS", handout.LESSONS[:1])
    handout.main()
    (path,) = (tmp_path / "student").glob("[0-9]*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    assert not any(cell.get("outputs") for cell in cells)
    shown = re.findall(r"!\[[^]]*\]\(([^):]+)\)", "\n".join(cell.source for cell in cells))
    assert all((tmp_path / "student" / name).exists() for name in shown)
    assert (tmp_path / "student" / ".answers").is_dir()
    whole = nbformat.read(tmp_path / "instructor" / path.name, as_version=4).cells
    assert any(cell.get("outputs") for cell in whole)
