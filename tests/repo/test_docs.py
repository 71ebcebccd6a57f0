"""What the guides say is there: files, rooms, and programs short enough to read."""

import re
from importlib import import_module

import pytest

from floors import FLOORS
from places import ROOT

GUIDES = sorted(
    [
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "course").rglob("*.md"),
        ROOT / "CONTRIBUTING.md",
        ROOT / "README.md",
    ]
)
FOLDERS = "benchmarks|course|data|docs|notebooks|qoslib|tests|tools"
MOST_LINES = 12


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_files_that_a_guide_names_are_there(guide):
    text = guide.read_text()
    named = re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", text)
    linked = re.findall(r"\]\(([\w./-]+)\)", text)
    missing = [name for name in named if not (ROOT / name).exists()]
    missing += [name for name in linked if not (guide.parent / name).exists()]
    assert missing == []


def test_the_architecture_names_every_room_in_the_order_of_imports():
    text = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    assert [set(re.findall(r"`(\w+)`", row)) for row in rows] == [set(row) for row in FLOORS]


def found(dotted):
    """What a dotted name stands for: a room, a lesson in it, and what is in that."""
    *modules, last = dotted.split(".")
    holder = import_module(".".join(["qoslib", *modules]))
    return hasattr(holder, last) or import_module(f"qoslib.{dotted}")


def test_names_in_the_change_log_are_there():
    text = (ROOT / "CHANGELOG.md").read_text()
    text = re.sub(r"^\| .+? \| ", "| ", text, flags=re.MULTILINE)
    rooms = "|".join(room for row in FLOORS for room in row)
    names = re.findall(rf"`((?:{rooms})\.[a-zA-Z_][\w.]+)", text)
    assert len(names) > 10
    assert not [name for name in names if not found(name)]


def programs():
    text = (ROOT / "docs" / "cookbook.md").read_text()
    return re.findall(r"^## \d+\. (.+)$[\s\S]*?^```python\n([\s\S]*?)^```$", text, re.MULTILINE)


@pytest.mark.parametrize(("title", "program"), programs(), ids=[title for title, _ in programs()])
def test_a_program_of_the_cookbook_is_short_and_complete(title, program):
    lines = [line[4:] for line in program.splitlines() if line.startswith((">>> ", "... "))]
    assert len(lines) <= MOST_LINES
    first = [line for line in lines if line.startswith(("from ", "import "))]
    assert lines[: len(first)] == first, "it imports what it uses, at its top"
