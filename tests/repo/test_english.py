"""Texts that people read keep to the field's words, and to sentences of at most 25 words."""

import re
import tomllib

import nbformat

from offenders import hold
from places import ROOT

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
    r"\b(falls?|fell) out\b": "is dropped",
    r"\bof the line\b(?! rate)|\bthe line carries\b": "the link; a line rate is its speed",
    r"\b(packets|frames|bits|bytes|drops) an? (second|round trip|turn)\b": "per",
    r"\bsome [\d,]+\b": "about",
    r"\b(it|them|this) beside\b": "compared with",
    r"\b(grey|next) box\b": "cell",
}
#: Words of a sentence at most, and where one ends: before a capital or a digit.
MOST_WORDS = 25
END = re.compile(r"(?<=[.?!])[\"”)]?\s+(?=[\"“(]?[A-Z0-9])")
#: Lessons of which the sentences are counted, up to their list of sources.
LESSONS = sorted(ROOT.glob("notebooks/[0-9][0-9]_*.ipynb"))
TEXTS = sorted(
    [
        *ROOT.glob("notebooks/*.ipynb"),
        *(path for path in ROOT.glob("course/**/*") if path.is_file()),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("qoslib/lessons/*/*.toml"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *ROOT.glob("data/*.toml"),
        *ROOT.glob("website/pages/**/*.md"),
        *ROOT.glob("website/templates/*.html"),
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


def named(paths):
    """Each path below its name in the checkout."""
    return [(path.relative_to(ROOT).as_posix(), path) for path in paths]


def other_words(path):
    # Links and code keep the names that they have.
    text = re.sub(r"\]\([^)]*\)|`[^`]*`", "", " ".join(text_of(path).split()))
    for word, better in WORDS.items():
        for m in re.finditer(word, text, re.IGNORECASE):
            yield f"{text[max(0, m.start() - 40) : m.end() + 30]!r}: write {better}"


def test_the_words_are_the_fields():
    hold(other_words, named(TEXTS))


def prose(source):
    """A Markdown text in paragraphs and items, without code, tables, links' addresses and marks."""
    source = re.sub(r"```.*?```", "", source, flags=re.DOTALL)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*>]|\d+\.) )|(?<=\n)(?=#)", source):
        if not block.lstrip().startswith("|"):
            text = re.sub(r"^\s*(?:[-*>]|\d+\.|#+)\s+", "", block)
            text = re.sub(r"`[^`]*`|\$[^$]*\$", "CODE", re.sub(r"\]\([^)]*\)|!?\[", "", text))
            yield " ".join(re.sub(r"\*+", "", text).split())


def too_long(text):
    """Sentences of more words than a reader takes in at once."""
    found = (sentence for block in prose(text) for sentence in END.split(block))
    return [sentence for sentence in found if len(sentence.split()) > MOST_WORDS]


def test_a_long_sentence_is_found_and_a_table_is_none():
    long = " ".join(["Word"] + 25 * ["word"]) + "."
    assert too_long(f"This is short. {long} So is [this](a b c).") == [long]
    assert too_long(f"| {long} |\n\n```\n{long}\n```\n\n- `{long}`\n- {long[5:]}") == []


def long_sentences(path):
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    return [s for text in texts for s in too_long(text.split("\n## Sources")[0])]


def test_a_sentence_has_at_most_25_words():
    hold(long_sentences, named(LESSONS))
