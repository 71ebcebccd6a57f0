"""Write NOMENCLATURE.md and the entries of notebooks/glossary.ipynb from data/words.toml.

python tools/nomenclature.py
"""

import base64
import tomllib
from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell

from qoslib.lessons.glossary_pictures import PICTURES, drawn

ROOT = Path(__file__).resolve().parent.parent
WORDS = ROOT / "data" / "words.toml"
PAGE = ROOT / "NOMENCLATURE.md"
GLOSSARY = ROOT / "notebooks" / "glossary.ipynb"
NO_WORD = "—"
#: Fields of a word and the headings of their columns, by what the words of a group have.
COLUMNS = {
    "junos": ("term", "junos", "ios", "linux", "qoslib", "lesson"),
    "elsewhere": ("term", "elsewhere", "qoslib", "lesson"),
    "means": ("name", "means", "lesson"),
}
HEADS = {
    "term": "general term",
    "junos": "Junos",
    "ios": "IOS, IOS XE",
    "linux": "Linux",
    "qoslib": "in qoslib",
    "lesson": "lesson",
    "elsewhere": "elsewhere",
    "name": "word",
    "means": "meaning",
}


def page():
    """The text of the page."""
    data = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    parts = ["# Words", data["intro"].strip()]
    for group in data["group"]:
        parts += [f"## {group['title']}", table(group["word"])]
        parts += [group["after"].strip()] if group["after"] else []
    return "\n\n".join(parts) + "\n"


def table(words):
    fields = next(fields for kind, fields in COLUMNS.items() if kind in words[0])
    lines = [[HEADS[field] for field in fields], ["---"] * len(fields)]
    lines += [[word[field] for field in fields] for word in words]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def glossary():
    """The glossary: its search as it is stored, and a heading for each word that links lead to."""
    notebook = nbformat.read(GLOSSARY, as_version=4)
    search = next(n for n, cell in enumerate(notebook.cells, 1) if cell.cell_type == "code")
    texts = []
    for group in tomllib.loads(WORDS.read_text(encoding="utf-8"))["group"]:
        texts += [f"## {group['title']}", *map(entry, group["word"])]
        texts += [group["after"].strip()] if group["after"] else []
    cells = [new_markdown_cell(text, id=f"word-{n}") for n, text in enumerate(texts)]
    notebook.cells = [*notebook.cells[:search], *cells]
    return notebook


def entry(word):
    """A word: its meaning, a picture where it moves, what others call it, and its lesson."""
    heads = HEADS | {"term": "Term", "qoslib": "In qoslib"}
    heads = {f: head for f, head in heads.items() if f not in ("name", "means", "lesson")}
    called = {head: word.get(field, NO_WORD) for field, head in heads.items()}
    lines = [f"- {head}: {text}" for head, text in called.items() if text != NO_WORD]
    lesson = next(GLOSSARY.parent.glob(f"{word['lesson']}_*.ipynb")).name
    lines += [f"- Lesson: [{word['lesson']}]({lesson})"]
    parts = [f"### {word['name']}", word["means"], picture(word["name"]), "\n".join(lines)]
    return "\n\n".join(filter(None, parts))


def picture(name):
    """The picture of a word inside the page, so that the page stays one file."""
    if name not in PICTURES:
        return ""
    held = base64.b64encode(drawn(PICTURES[name]).encode()).decode()
    return f"![{PICTURES[name].said}](data:image/svg+xml;base64,{held})"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    nbformat.write(glossary(), GLOSSARY)
