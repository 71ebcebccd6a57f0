"""Texts that people read keep to the field's words: a list of those that should not be found."""

import re
import tomllib
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
#: What should not be found, and what to write.
WORDS = {
    r"\bwater\b": "the fluid model",
    r"\b(a|the|its|each|every|this|of|from) prints?\b": "the published value",
    r"\bforetold\b|\bforetells?\b": "predicted",
    r"\briddles?\b": "question",
    r"\blotter(y|ies)\b": "the standard term",
    r"\b(stands?|stood) full\b": "stays full",
    r"\bin the mean\b": "on average",
    r"\bin all\b(?! (\w+ ){0,2}"
    r"(queues|rows|ranges|cases|three|four|directions|panels|lessons|of))": "in total",
    r"\bwhoever\b|\bwho(so)?ever\b": "who is for people",
    r"\bthe later the\b|\b(is|are|was|were) (too )?late\b": "delayed",
    r"\bfalls? late\b|\b\d+ m?s late\b": "delayed",
}
TEXTS = sorted(
    [
        *ROOT.glob("notebooks/*.ipynb"),
        *(path for path in ROOT.glob("course/**/*") if path.is_file()),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("qoslib/lessons/*/*.toml"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "data" / "words.toml",
    ]
)


def strings(value):
    """All texts in a document, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def text_of(path):
    if path.suffix == ".ipynb":
        cells = nbformat.read(path, as_version=4).cells
        return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    if path.suffix == ".toml":
        return "\n\n".join(strings(tomllib.loads(path.read_text(encoding="utf-8"))))
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_words_are_the_fields(path):
    # Links and code keep the names that they have.
    text = re.sub(r"\]\([^)]*\)|`[^`]*`", "", " ".join(text_of(path).split()))
    found = [
        f"{text[max(0, m.start() - 40) : m.end() + 30]!r}: write {better}"
        for word, better in WORDS.items()
        for m in re.finditer(word, text, re.IGNORECASE)
    ]
    assert found == []
