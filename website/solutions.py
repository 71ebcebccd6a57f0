"""What the checks of a lesson say to its solutions, worked out while the site is made."""

import ast
import json
import sys
import zlib
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from website import grids, needed

__all__ = ["Result", "results"]

ROOT = Path(__file__).resolve().parent.parent
#: What was worked out before, by a hash of all that it depends on.
KEPT = ROOT / "build" / "solutions"
#: What lessons use and the engines of a page do not have.
NOT_IN_A_PAGE = ("IPython", "livelab", "pandas", "plotly")


class Result(NamedTuple):
    """The words of the verdict, as Markdown, and whether a page can run the solution, too."""

    said: str
    in_a_page: bool


def results(notebook: Path) -> dict[int, Result]:
    """The result of each solution by the place of its cell.

    >>> from website.shown import LESSONS
    >>> results(LESSONS / "00_one_queue.ipynb")[41].said
    '**Right:** 67.2 ns. A router has no more than 67.2 ns to decide about each such packet.'
    """
    kept = KEPT / f"{zlib.crc32(Path(__file__).read_bytes()):08x}-{grids.key(notebook)}"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(_worked_out(notebook)), encoding="utf-8")
    return {int(n): Result(*each) for n, each in json.loads(kept.read_text("utf-8")).items()}


def _worked_out(notebook: Path) -> dict[int, Result]:
    found: dict[int, Result] = {}
    before: list[ast.stmt] = []
    for place, cell in enumerate(json.loads(notebook.read_text("utf-8"))["cells"]):
        if cell["cell_type"] != "code":
            continue
        code = ast.parse("".join(cell["source"])).body
        if "solution" in cell["metadata"].get("tags", ()):
            # The second run loads no module of qoslib for the first time.
            said = _solved(before, code)._repr_markdown_()
            found[place] = Result(said, _runs_in_a_page(before, code))
        else:
            before += code
    return found


def _solved(before: list[ast.stmt], code: list[ast.stmt]) -> Any:
    given = needed.namespace(before, code)
    needed.run(code, given)
    return given["solved"]


def _runs_in_a_page(before: list[ast.stmt], code: list[ast.stmt]) -> bool:
    with patch.dict(sys.modules, dict.fromkeys(NOT_IN_A_PAGE)):
        try:
            _solved(before, code)
        except ImportError:
            return False
    return True
