"""The slides: a claim, a figure and a question on each, and the numbers of their lessons."""

import json
import re

import pytest

import slides
from places import ROOT

LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
EACH_DECK = pytest.mark.parametrize("path", slides.DECKS, ids=lambda path: path.stem)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def numbers(text):
    return {each.replace(",", "").rstrip(".") for each in NUMBER.findall(text)}


def said_in(lesson):
    """All that a lesson says: its notebook with the outputs, its sheet, and its questions."""
    cells = json.loads((ROOT / "notebooks" / f"{lesson}.ipynb").read_text())["cells"]
    parts = ["".join(cell["source"]) for cell in cells]
    for output in (each for cell in cells for each in cell.get("outputs", ())):
        parts += output.get("text", ())
        for kind in ("text/plain", "text/html"):
            parts += output.get("data", {}).get(kind, ())
        parts.append("\n")
    parts.append((ROOT / "course" / "sheets" / f"{lesson}.md").read_text())
    questions = (path for path in ROOT.glob("qoslib/lessons/*/predictions.toml"))
    parts += [text for path in questions if f'["{lesson[:2]}.' in (text := path.read_text())]
    return "".join(parts)


def test_every_lesson_has_a_deck():
    assert [path.stem for path in slides.DECKS] == LESSONS


@EACH_DECK
def test_a_slide_has_a_claim_a_figure_that_is_described_and_a_question(path):
    deck = slides.read(path)
    assert 8 <= len(deck) <= 14
    assert deck[0].claim.endswith("?")
    assert deck[0].code
    for slide in deck:
        assert slide.claim
        assert slide.question.endswith(("?", "."))
        assert bool(slide.code) == bool(slide.description)
        assert len(slide.description.split()) >= 8 or not slide.code
        assert len(f"{slide.claim} {slide.question}".split()) <= 40
        assert slide.notes, "the lecturer needs the answer"


@EACH_DECK
def test_the_title_is_that_of_the_lesson_and_its_numbers_are_too(path):
    deck = slides.read(path)
    lesson = said_in(path.stem)
    assert f"# {deck[0].claim}" in lesson
    known = numbers(lesson)
    for slide in deck:
        words = " ".join((slide.claim, slide.description, slide.question, slide.notes))
        assert numbers(words) - known == set(), slide.claim
