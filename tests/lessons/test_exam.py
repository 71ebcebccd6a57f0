"""The exam: each number of a worked answer comes out of a model, a formula or a published value.

`exam_00_to_02` and its likes compute what stands in a question and its answer, text by text. A
text is right if the value, rounded to as many places as the text has, is that text. A number that
stands in an answer and neither in its question nor there fails.
"""

import importlib.util
import re
from collections import Counter
from functools import cache

import nbformat
import pytest

import exam_03_to_05  # noqa: F401
import exam_06_to_13  # noqa: F401
from exam_00_to_02 import COMPUTED
from places import ROOT
from qoslib.lessons.copies import copy_lessons

EXAM = (ROOT / "course" / "exam.md").read_text()
LESSONS = {path.name[:2] for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")}
KINDS = ("recall", "calculation", "diagnosis", "design", "argument")
HEAD = re.compile(r"### (\d+)\. (.+)\n\n\*Lesson (\d\d) · (\w+) · (\d+) points\*\n")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def parts():
    """Number of a question to its title, lesson, kind, points, question, answer and rubric."""
    found = {}
    opening, *rest = re.split(r"(?=^### )", EXAM, flags=re.MULTILINE)
    for text in rest:
        head = HEAD.match(text)
        assert head, text[:80]
        number, title, lesson, kind, points = head.groups()
        question, answer = text[head.end() :].split("**Answer.** ")
        answer, rubric = answer.split("**Rubric**")
        found[int(number)] = (title, lesson, kind, int(points), question, answer, rubric)
    return opening, found


OPENING, QUESTIONS = parts()


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def computed(number):
    return COMPUTED[number]() if number in COMPUTED else {}


def flat(text):
    return " ".join(text.split())


def numbers(text):
    return {found.replace(",", "") for found in NUMBER.findall(text)}


@pytest.mark.parametrize("number", COMPUTED)
def test_what_is_computed_is_what_the_exam_says(number):
    *_, question, answer, rubric = QUESTIONS[number]
    for text, value in computed(number).items():
        digits = NUMBER.search(text).group().replace(",", "")
        places = len(digits.partition(".")[2])
        assert text in flat(question + answer + rubric)
        assert f"{float(value):.{places}f}" == digits, (text, value)


@pytest.mark.parametrize("number", QUESTIONS)
def test_no_number_of_an_answer_is_without_its_source(number):
    *_, question, answer, rubric = QUESTIONS[number]
    said = re.sub(r"^- \d+ points?( each)?:", "", answer + rubric, flags=re.MULTILINE)
    known = numbers(question) | set().union(*map(numbers, computed(number)), ["0"])
    assert numbers(said) <= known


def test_there_are_thirty_two_questions_on_all_lessons_and_of_all_kinds():
    assert list(QUESTIONS) == list(range(1, 33))
    assert {lesson for _, lesson, *_ in QUESTIONS.values()} == LESSONS
    kinds = Counter(kind for _, _, kind, *_ in QUESTIONS.values())
    assert set(kinds) == set(KINDS)
    assert kinds["diagnosis"] >= 8
    lessons = [lesson for _, lesson, *_ in QUESTIONS.values()]
    assert lessons == sorted(lessons)


@pytest.mark.parametrize("number", QUESTIONS)
def test_a_rubric_gives_all_points(number):
    _, _, _, points, question, answer, rubric = QUESTIONS[number]
    assert min(len(question.split()), len(answer.split())) >= 30
    lines = rubric.strip().splitlines()
    each = [re.fullmatch(r"- (\d+) points?( each)?: (.+)[.]", line) for line in lines]
    assert all(each), lines
    given = [int(m[1]) * (len(re.findall(r"\(\w\)", m[3])) if m[2] else 1) for m in each]
    assert sum(given) == points


def test_the_papers_add_up_to_their_minutes():
    papers = re.findall(r"(\d+) minutes:\*\* questions ([\d, ]+)\.", flat(OPENING))
    chosen = []
    for minutes, listed in papers:
        picked = [int(number) for number in listed.split(", ")]
        assert sum(QUESTIONS[number][3] for number in picked) == int(minutes)
        chosen += picked
    assert len(papers) == 2
    assert len(chosen) == len(set(chosen))


def test_no_answer_reaches_the_students(tmp_path):
    """Neither the sets that are handed out nor the working copies hold the exam or a part of it."""
    handout = tool("handout")
    handout.write(tmp_path / "handout", handout.to_work_in)
    copy_lessons(tmp_path / "my_lessons")
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in made} <= {".ipynb", ".svg", ".png", ""}
    assert len(made) >= 2 * len(LESSONS)
    answers = [flat(answer)[:60] for *_, answer, _ in QUESTIONS.values()]
    for path in made:
        assert "exam" not in path.name
        if path.suffix == ".ipynb":
            cells = nbformat.read(path, as_version=4).cells
            text = flat("\n".join(cell.source for cell in cells))
            assert not any(answer in text for answer in answers)
