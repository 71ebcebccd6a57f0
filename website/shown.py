"""Which explorers and scenes a lesson shows, in order of display, and how each is made.

A cell shows one if its last expression calls a function whose annotation says that it returns one.
Of the lesson nothing is run but what the call's arguments depend on.
"""

import ast
import inspect
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qoslib.measurements.measured import Measurements, is_frame
from website import needed
from website.made import Kept, Made

__all__ = ["LESSONS", "lessons", "pickled", "shown"]

LESSONS = Path(__file__).resolve().parent.parent / "notebooks"
#: What a function says it returns -> what kind of thing the page makes live.
_RETURNED = {"Explorer": "explorer", "PacketView": "scene", "TcpView": "scene"}


def lessons() -> list[Path]:
    """The notebooks of all lessons."""
    return sorted(LESSONS.glob("[0-9]*.ipynb"))


def pickled(notebook: Path) -> bytes:
    """What `website.made.keep` takes."""
    cells = (
        cell for _, cell in _code(notebook) if "solution" not in cell["metadata"].get("tags", ())
    )
    return pickle.dumps(Kept(shown(notebook), ["".join(cell["source"]) for cell in cells]))


def shown(notebook: Path) -> list[Made]:
    """The calls of a lesson that make explorers and scenes.

    >>> [(each.kind, each.function) for each in shown(LESSONS / "00_one_queue.ipynb")]
    [('scene', 'scene'), ('scene', 'spacing_scene'), ('explorer', 'explorer')]
    """
    before: list[ast.stmt] = []
    imported: dict[str, Any] = {}
    found = []
    for cell, body in _cells(notebook):
        imports = [each for each in body if isinstance(each, ast.Import | ast.ImportFrom)]
        needed.run(imports, imported)
        call = body[-1].value if body and isinstance(body[-1], ast.Expr) else None
        before += body
        if isinstance(call, ast.Call) and (known := _maker(call, imported)):
            kind, function = known
            arguments, keywords = _arguments(call, before[:-1])
            module, name = function.__module__, function.__name__
            found.append(Made(kind, module, name, arguments, keywords, cell))
    return found


def _cells(notebook: Path) -> Iterator[tuple[int, list[ast.stmt]]]:
    for number, cell in _code(notebook):
        yield number, ast.parse("".join(cell["source"])).body


def _code(notebook: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The cells of code, by their place among all."""
    for number, cell in enumerate(json.loads(notebook.read_text("utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            yield number, cell


def _maker(call: ast.Call, imported: dict[str, Any]) -> tuple[str, Any] | None:
    """The kind that a call makes, and its function; None if it makes something else."""
    function: Any = None
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        function = getattr(imported.get(call.func.value.id), call.func.attr, None)
    if not inspect.isfunction(function):
        return None
    returned = function.__annotations__.get("return")
    kind = _RETURNED.get(getattr(returned, "__name__", str(returned)))
    return (kind, function) if kind else None


def _arguments(call: ast.Call, before: list[ast.stmt]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The values of a call's arguments, from the statements before it that they depend on."""
    taker = ast.Lambda(
        ast.arguments([], [], ast.arg("all"), [], [], ast.arg("named"), []),
        ast.parse("(all, named)", mode="eval").body,
    )
    asked = ast.fix_missing_locations(ast.Call(taker, call.args, call.keywords))
    namespace = needed.namespace(before, [ast.Expr(asked)])
    every, named = eval(compile(ast.Expression(asked), "<lesson>", "eval"), namespace)
    return tuple(map(_plain, every)), {name: _plain(each) for name, each in named.items()}


def _plain(value: Any) -> Any:
    """Measured values as records, which a page reads without pandas; all else as it is."""
    return Measurements.of(value, "measured") if is_frame(value) else value
