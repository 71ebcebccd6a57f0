"""Exercises: right answers pass, wrong ones get a hint, and no answer is given away."""

import inspect
import re

import pytest

from offenders import hold
from qoslib import lessons
from qoslib.platforms import m120

VARIED = [name for name, each in lessons.exercises().items() if each.numbers]


@pytest.fixture(scope="module")
def tried():
    """Loaded where they are needed: they take seven checks, which each worker would run."""
    import answers

    return answers


def test_every_exercise_is_tried_here(tried):
    assert set(tried.RIGHT) == set(lessons.exercises())
    assert {name for name, *_ in tried.WRONG} == set(lessons.exercises())


def test_a_right_answer_is_right(tried):
    def right(name, answer):
        verdict = lessons.check(name, answer)
        assert verdict.ok, verdict
        assert str(verdict).startswith("Right: ")

    hold(right, [(name, name, answer) for name, answer in tried.RIGHT.items()])


def test_a_wrong_answer_gets_a_hint(tried):
    def hinted(name, answer, hint):
        verdict = lessons.check(name, answer)
        assert not verdict.ok
        assert hint in verdict.text
        assert verdict._repr_markdown_().startswith("**Not yet:** ")

    hold(hinted, [(f"{name}, {hint!r}", name, answer, hint) for name, answer, hint in tried.WRONG])


def test_what_is_no_answer_is_told_so(tried):
    def told(name, answer):
        verdict = lessons.check(name, answer)
        assert not verdict.ok
        assert verdict.text.endswith(".")

    answers = (None, ..., "ten", float("nan"), -1, True, [], (1, 2))
    hold(told, [(f"{name}, {answer}", name, answer) for answer in answers for name in tried.RIGHT])


@pytest.mark.parametrize("answer", [10 * 25 / 22, 11.36, 11.4, 9.93 * 25 / 22])
def test_a_buffer_counts_with_and_without_the_way_through_the_router(answer):
    verdict = lessons.check("01.2", answer)
    assert verdict.ok, verdict


def test_the_rule_itself_answers_for_every_delay_that_is_asked():
    exercise = lessons.exercises()["01.2"]
    asked = range(4, 31)
    assert [n for n in asked if not exercise.verdict(n * 25 / 22, delay=n).ok] == []


def test_who_pays_for_a_guarantee_is_told():
    told = lessons.check("01.3", 25).text
    assert "NC loses 50 %" in told
    assert "BE loses 98.6 %" in told
    assert "CS2 loses 5.84 %" in told


@pytest.mark.parametrize("answer", [{"CS4": 0.1}, "m120", (1, 2), (m120.port(), {"CS4": 0.1})])
def test_a_port_without_its_streams_is_told_what_to_write(answer):
    told = lessons.check("01.5", answer).text
    assert told.endswith("write (m120.port(), m120.streams({...})).")


@pytest.mark.parametrize("share", ["10 %", None, True, [0.1]])
def test_a_share_that_is_no_number_is_named(share):
    with pytest.raises(ValueError, match=r"^the share of CS4 is .*; allowed: a number like 0\.1"):
        m120.streams({"CS4": share})
    with pytest.raises(ValueError, match=r"^shares is 'CS4'; allowed: a share for each class"):
        m120.streams("CS4")


def test_streams_keep_the_order_of_the_shares():
    assert [stream.name for stream in m120.streams({"BE": 1.2, "CS4": 0.1})] == ["BE", "CS4"]
    for each in m120.PLATFORM.experiments().values():
        assert [stream.name for stream in each.streams] == list(m120.CLASSES)


def test_a_start_with_some_of_the_classes_is_enough():
    streams = m120.streams({"CS4": 0.1, "BE": 1.2})
    assert lessons.check("01.5", (m120.port(), streams)).ok
    with pytest.raises(ValueError, match="class is 'EF'; allowed: CS4, NC"):
        m120.streams({"EF": 0.1})


def test_an_unknown_exercise_is_told_with_the_known_ones():
    with pytest.raises(ValueError, match=r"exercise is '99\.1'; allowed: 00\.1"):
        lessons.check("99.1", 1)


def test_every_lesson_has_exercises_whose_numbers_vary(tried):
    few = {lesson for lesson in lessons.LESSONS if sum(n[:2] == lesson for n in VARIED) < 2}
    assert not few
    assert set(VARIED) == set(tried.BY_HAND)


def test_the_check_knows_the_numbers_of_a_student(tried):
    def known(name, student):
        given = lessons.exercises()[name].given(student)
        assert all(f"{value:g}" in lessons.question(name, student) for value in given.values())
        verdict = lessons.check(name, tried.BY_HAND[name](**given), student=student)
        assert verdict.ok, (given, verdict)

    students = (7, 4711)
    hold(known, [(f"{name}, student {n}", name, n) for name in VARIED for n in students])


def test_students_have_different_numbers():
    def different(name):
        asked = [lessons.question(name, student) for student in range(1, 31)]
        assert len(set(asked)) > 10
        assert asked == [lessons.question(name, student) for student in range(1, 31)]

    hold(different, [(name, name) for name in VARIED])


def test_a_second_wrong_answer_gets_a_further_hint():
    lessons.check("00.1", 67.2)
    first, again, second = (lessons.check("00.1", each) for each in (10, 10, 11))
    assert "Hint:" not in first.text + again.text
    assert lessons.exercises()["00.1"].words["further"] in second.text
    assert "Hint:" not in lessons.check("00.1", ...).text
    assert lessons.check("00.1", 67.2).ok
    assert "Hint:" not in lessons.check("00.1", 10).text


def test_an_answer_of_the_wrong_type_is_no_try(tried):
    def no_try(name, answer):
        assert "Hint:" not in lessons.check(name, answer).text

    answers = ("ten", [], {}, object())
    hold(
        no_try, [(f"{name}, {answer}", name, answer) for name in tried.RIGHT for answer in answers]
    )


@pytest.mark.parametrize("student", [-1, 1.5, "7", True])
def test_what_is_no_student_number_is_told_so(student):
    for ask in (lessons.question, lessons.check):
        with pytest.raises(ValueError, match=r"student is .*; allowed: a whole number from 0"):
            ask("00.1", student=student)


@pytest.mark.parametrize(
    ("name", "answers", "told"),
    [
        ("00.1", (67, 2), "give one number, with a point and without commas: 1.25, or 25000."),
        ("01.5", (m120.port(), []), "put brackets around the port and its streams: (m120.port()"),
    ],
)
def test_a_comma_makes_neither_a_student_nor_an_error(name, answers, told):
    for _ in range(2):
        verdict = lessons.check(name, *answers)
        assert not verdict.ok
        assert told in verdict.text
        assert "Hint:" not in verdict.text


def test_seconds_in_place_of_milliseconds_are_named():
    told = lessons.check("02.3", 0.367).text
    assert told.startswith("0.367 ms is what comes out in seconds; give it in ms. Tokens leave")


def test_each_judge_says_what_it_asks():
    assert all(inspect.getdoc(each.judge) for each in lessons.exercises().values())
    for each in lessons.exercises().values():
        further = each.further(**each.given())
        assert further.endswith(".")
        assert not re.search(r"{\w", further), "the numbers of the question stand in it"
