"""Working copies of the lessons, without outputs, for a reader to predict, run and change.

A copy that is there stays as it is. Where its original has changed since, a cell at its top says
so; fresh copies keep the old ones in a folder of their own.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat

__all__ = ["copy_lessons", "originals", "working_copy"]

#: An explanation that follows a prediction, and what stands over it while it is folded.
EXPLANATION, FOLDED = "explanation", "Run the cell above first, then open this"
NOTICE = "moved-on"
MOVED_ON = """> **This lesson has a newer version.** Your copy is kept as it is.
> `make fresh-lessons`, or `qoslib lessons DIR --fresh`, makes new copies of all lessons and keeps
> yours in a backup folder; your predictions stay."""


def originals() -> Path:
    """The lessons: inside an installed package, or beside it in a checkout.

    >>> originals().name
    'notebooks'
    """
    package = Path(__file__).parents[1]
    inside = package / "notebooks"
    return inside if inside.is_dir() else package.parent / "notebooks"


def fingerprint(lesson: Any) -> str:
    """What the text of a lesson is known by: outputs and numbers of runs do not count."""
    cells = [[cell.cell_type, cell.source, cell.metadata.get("tags", [])] for cell in lesson.cells]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:16]


def working_copy(lesson: Any) -> Any:
    """A lesson without outputs, its explanations folded, that knows which original it is of."""
    made = nbformat.from_dict(lesson)
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        elif EXPLANATION in cell.metadata.get("tags", []):
            folded = f"<summary><b>{FOLDED}</b></summary>\n\n{cell.source}\n\n"
            cell.source = f"<details>{folded}</details>"
    made.metadata["qoslib"] = {"original": fingerprint(lesson)}
    return made


def noticed(copy: Any, original: str) -> tuple[bool, bool]:
    """The copy with the notice on top where its original has changed, and without it elsewhere."""
    wanted = copy.metadata.get("qoslib", {}).get("original") != original
    cells = [cell for cell in copy.cells if NOTICE not in cell.metadata.get("tags", [])]
    if wanted:
        notice = nbformat.v4.new_markdown_cell(MOVED_ON, metadata={"tags": [NOTICE]})
        notice.id = NOTICE
        cells.insert(0, notice)
    changed = len(cells) != len(copy.cells)
    copy.cells = cells
    return wanted, changed


def read(path: Path) -> Any:
    """A reader's copy; None where the file holds no notebook any more."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(raw, dict) or raw.get("nbformat") != 4:
            return None
        nbformat.validate(raw)
    except (ValueError, RecursionError, nbformat.ValidationError):
        return None
    return nbformat.from_dict(raw)


def write(lesson: Any, path: Path) -> None:
    """Write a notebook in one step: a reader's copy is never half there."""
    handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        nbformat.write(lesson, file)
    os.chmod(part, 0o644)
    os.replace(part, path)


def update(folder: Path, notebooks: Path) -> list[str]:
    """Make what is missing; return the names of copies whose originals have changed."""
    (folder / ".answers").mkdir(parents=True, exist_ok=True)
    moved_on = []
    for path in sorted(notebooks.iterdir()):
        mine = folder / path.name
        if path.suffix != ".ipynb":
            # Pictures that the texts show.
            if path.is_file():
                shutil.copy(path, mine)
            continue
        lesson = nbformat.read(path, as_version=4)
        if not mine.exists():
            write(working_copy(lesson), mine)
            continue
        copy = read(mine)
        if copy is None:
            # It is the reader's file, whatever is in it.
            moved_on.append(path.name)
            continue
        wanted, changed = noticed(copy, fingerprint(lesson))
        if changed:
            write(copy, mine)
        if wanted:
            moved_on.append(path.name)
    return moved_on


def set_aside(folder: Path) -> Path | None:
    """Move the copies to a backup folder; return it, or None where there was none to move."""
    mine = sorted(folder.glob("*.ipynb"))
    if not mine:
        return None
    backup = folder / time.strftime("backup-%Y-%m-%d-%H%M%S")
    backup.mkdir()
    for path in mine:
        path.rename(backup / path.name)
    return backup


def copy_lessons(folder: Path, fresh: bool = False) -> list[str]:
    """Copy the lessons that are not in a folder yet."""
    told = []
    if fresh and (backup := set_aside(folder)):
        told.append(f"your copies are in {backup}")
    if moved_on := update(folder, originals()):
        told.append(f"changed since your copy was made: {', '.join(moved_on)}")
    return told
