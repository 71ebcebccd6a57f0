"""Write NOMENCLATURE.md from data/words.toml.

python tools/nomenclature.py
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORDS = ROOT / "data" / "words.toml"
PAGE = ROOT / "NOMENCLATURE.md"
#: Fields of a word and the headings of their columns, by what the words of a group have.
COLUMNS = {
    "junos": ("rfc", "junos", "ios", "linux", "qoslib", "lesson"),
    "elsewhere": ("rfc", "elsewhere", "qoslib", "lesson"),
    "means": ("name", "means", "lesson"),
}
HEADS = {
    "rfc": "RFC word",
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


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
