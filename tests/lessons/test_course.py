"""The course: a quiz of good form about every lesson."""

import tomllib
from collections import Counter

import pytest

from places import ROOT

QUIZ = tomllib.loads((ROOT / "course" / "quiz.toml").read_text())["question"]
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def test_the_quiz_has_forty_questions_about_all_lessons():
    assert len(QUIZ) >= 40
    counts = Counter(each["lesson"] for each in QUIZ)
    assert set(counts) == {path.stem[:2] for path in LESSONS}
    assert min(counts.values()) >= 4


@pytest.mark.parametrize("each", QUIZ, ids=lambda each: each["id"])
def test_a_question_has_one_right_choice_and_feedback_for_each_choice(each):
    assert set(each) == {"id", "lesson", "question", "right", "choices", "feedback"}
    assert each["id"].startswith(f"{each['lesson']}-q")
    assert len(each["choices"]) == len(set(each["choices"])) >= 3
    assert 1 <= each["right"] <= len(each["choices"])
    assert len(each["feedback"]) == len(set(each["feedback"])) == len(each["choices"])
    for line in each["feedback"]:
        assert line.endswith(".")
        assert len(line.split()) >= 6


def test_the_form_of_a_choice_does_not_give_the_key_away():
    """As often first, second and third; the right choice is the longest no more often than chance.

    With three choices of equal standing it would be the longest in a third of the questions, and
    with 49 questions in fewer than 22 nineteen times in twenty.
    """
    keys = Counter(each["right"] for each in QUIZ)
    assert max(keys.values()) - min(keys[n] for n in (1, 2, 3)) <= 3
    runs = [{each["right"] for each in QUIZ[n : n + 4]} for n in range(len(QUIZ) - 3)]
    assert min(map(len, runs)) > 1
    longest = [max(range(3), key=lambda n: len(each["choices"][n])) + 1 for each in QUIZ]
    right = [each["right"] for each in QUIZ]
    assert sum(map(int.__eq__, longest, right)) < 22


def test_the_right_choice_is_as_often_the_shortest_as_the_longest():
    """Either happens in a third of the questions if the lengths say nothing."""
    lengths = [(each["right"] - 1, list(map(len, each["choices"]))) for each in QUIZ]
    shortest = [right for right, of in lengths if of[right] < min(of[:right] + of[right + 1 :])]
    longest = [right for right, of in lengths if of[right] > max(of[:right] + of[right + 1 :])]
    assert len(shortest) < 22
    assert abs(len(shortest) - len(longest)) <= 6


def test_no_question_is_about_the_memory_of_a_lesson_or_the_work_on_this_project():
    for each in QUIZ:
        assert "lesson" not in each["question"].lower(), each["id"]
        assert "tests do" not in each["question"], each["id"]


def test_each_question_is_there_once():
    for field in ("id", "question"):
        assert max(Counter(each[field] for each in QUIZ).values()) == 1
