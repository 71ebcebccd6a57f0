"""Stored answers of explorers: one control moved from where it begins, so that a page can begin.

python -m website.grids [FOLDER]

A lesson's file holds, of each explorer, its controls, its figure at the start, and the figure at
each stop of each control as differences to that. Numbers have four significant digits. What has
been worked out before is kept by a hash of the package's sources and the lesson's code.
"""

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from website import explorers, grid_files, made, shown

__all__ = ["differences", "grid", "key", "stops", "with_differences", "write"]

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "grids"
#: As many stops has a slider, and as many significant digits has a number.
STOPS, DIGITS = 21, 4
PROCESSES = 2
#: A number in the text of a notebook that moves one slider: its explorer, its name, and where to.
NUMBERS = re.compile(r'<data value=\\"e(\d+)=([^,:"]+):([^,:"]+)\\">')
#: A page may load a script from a file, too, where it may fetch nothing.
SCRIPT = "(window.qoslibGrids ??= {{}})[{!r}] = {};\n"
Json = dict[str, Any]


def write(folder: Path, progress: Any = print) -> list[Path]:
    """Write each lesson's file to a folder; `progress` is called with a line for each."""
    folder.mkdir(parents=True, exist_ok=True)
    with_explorers = [
        each for each in shown.lessons() if any(m.kind == "explorer" for m in shown.shown(each))
    ]
    keys = {lesson: key(lesson) for lesson in with_explorers}
    missing = [each for each in with_explorers if not (KEPT / keys[each]).exists()]
    if missing:
        KEPT.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
            for lesson, text in zip(missing, _worked_out(missing, pool), strict=True):
                (KEPT / keys[lesson]).write_text(text, encoding="utf-8")
                progress(f"grid of {lesson.stem}: {len(text) / 1e3:.0f} kB")
    kept = {each.stem: json.loads((KEPT / key).read_text("utf-8")) for each, key in keys.items()}
    for name, made_small in grid_files.packed(kept).items():
        script = SCRIPT.format(name, grid_files.text(made_small))
        (folder / f"{name}.js").write_text(script, encoding="utf-8")
    return [folder / f"{name}.js" for name in kept]


def _worked_out(lessons: list[Path], pool: ProcessPoolExecutor) -> Iterator[str]:
    """The files' texts, in order; a control is worked out beside others."""
    tasks = []
    for lesson in lessons:
        count = sum(each.kind == "explorer" for each in shown.shown(lesson))
        opened = [pool.submit(_start, lesson, number) for number in range(count)]
        tasks.append((lesson, opened))
    moves = {}
    for lesson, opened in tasks:
        for number, start in enumerate(opened):
            for control in start.result()["controls"]:
                name = control["name"]
                moves[lesson, number, name] = pool.submit(_moves, lesson, number, name)
    for lesson, opened in tasks:
        every = []
        for number, start in enumerate(opened):
            begin = start.result()
            names = [each["name"] for each in begin["controls"]]
            states = {name: moves[lesson, number, name].result() for name in names}
            every.append({**begin, "states": states})
        yield _text({"explorers": every})


def grid(lesson: Path, number: int) -> Json:
    """The grid of one explorer of a lesson, worked out here and now."""
    begin = _start(lesson, number)
    names = [each["name"] for each in begin["controls"]]
    return {**begin, "states": {name: _moves(lesson, number, name) for name in names}}


def _start(lesson: Path, number: int) -> Json:
    """An explorer's controls, and its figure where they begin."""
    explorer = _explorer(lesson, number)
    return {**explorers.described(explorer), "first": _first(lesson, number)}


@cache
def _first(lesson: Path, number: int) -> Json:
    explorer = _explorer(lesson, number)
    first: Json = _short(explorers.state(explorer, dict(explorer.start), packets=True))
    return first


def _moves(lesson: Path, number: int, name: str) -> list[list[Any]]:
    """The stops of a control, each with its differences to the start, or with why it is refused."""
    explorer, first = _explorer(lesson, number), _first(lesson, number)
    start = dict(explorer.start)
    begin = {"values": start, "summary": first["summary"]}
    found: list[list[Any]] = []
    told = [float(each) for each in _named(lesson, number).get(name, ())]
    for value in stops(explorers.control_of(name, explorer.controls[name]), start[name], told):
        values = explorers.values_of(explorer, {name: value})
        try:
            state = explorers.state(explorer, values, packets=True)
        except ValueError as error:
            found.append([value, None, str(error)])
            continue
        state = explorers.with_cause(explorer, state, values, begin)
        found.append([value, list(differences(first, _short(state)))])
    return found


def stops(control: Json, start: Any, told: Sequence[float] = ()) -> list[Any]:
    """Where a control is looked at, but for where it begins; a slider also where it is told."""
    if control["kind"] == "switch":
        return [not start]
    if control["kind"] == "choice":
        return [value for _, value in control["options"] if value != start]
    low, step = control["min"], control["step"]
    last = round((control["max"] - low) / step)
    places = dict.fromkeys(np.linspace(0, last, STOPS).round().astype(int).tolist())
    values = {*told, *(float(f"{low + step * place:.12g}") for place in places)}
    return sorted(values - {start})


def _named(lesson: Path, number: int) -> dict[str, list[str]]:
    """Where numbers in the lesson's text move each of an explorer's controls, it alone."""
    found: dict[str, list[str]] = {}
    for of, name, place in NUMBERS.findall(lesson.read_text("utf-8")):
        if int(of) == number:
            found.setdefault(name, []).append(place)
    return found


@cache
def _explorer(lesson: Path, number: int) -> Any:
    made.keep(lesson.stem, shown.pickled(lesson))
    return made.again(lesson.stem, "explorer", number)


def _short(value: Any) -> Any:
    """Numbers with fewer digits; those of the controls stay as they are."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [_short(each) for each in value]
    if isinstance(value, dict):
        return {name: each if name == "values" else _short(each) for name, each in value.items()}
    return value


def differences(old: Any, new: Any, path: tuple[str | int, ...] = ()) -> Iterator[list[Any]]:
    """What changes from one state to another, as places and values; a value that is gone is null.

    >>> list(differences({"a": 1, "b": [{"c": 2}, 3]}, {"a": 1, "b": [{"c": 4}, 3]}))
    [[['b', 0, 'c'], 4]]
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*new, *(each for each in old if each not in new)]:
            yield from differences(old.get(name), new.get(name), (*path, name))
    elif _nested(old) and _nested(new) and len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, (*path, place))
    elif old != new:
        yield [list(path), new]


def _nested(value: Any) -> bool:
    """Whether it is a list of lists or records: one of numbers is replaced as a whole."""
    return isinstance(value, list) and any(isinstance(each, dict | list) for each in value)


def with_differences(state: Json, changes: list[list[Any]]) -> Json:
    """The other state again, as a page makes it.

    >>> with_differences({"a": 1, "b": [{"c": 2}, 3]}, [[["b", 0, "c"], 4]])
    {'a': 1, 'b': [{'c': 4}, 3]}
    """
    made: Json = json.loads(json.dumps(state))
    for path, value in changes:
        inside: Any = made
        for step in path[:-1]:
            inside = inside[step]
        inside[path[-1]] = value
    return made


def key(lesson: Path) -> str:
    """The name of a lesson's file among those that are kept."""
    text = lesson.read_text("utf-8")
    cells = (each for each in json.loads(text)["cells"] if each["cell_type"] == "code")
    code = "\n".join("".join(each["source"]) for each in cells)
    mixed = hashlib.sha256(_sources())
    mixed.update(json.dumps([code, NUMBERS.findall(text)]).encode())
    return f"{lesson.stem}-{mixed.hexdigest()[:16]}.json"


@cache
def _sources() -> bytes:
    """A hash of all that a figure may depend on."""
    mixed = hashlib.sha256()
    here = [
        ROOT / "website" / f"{name}.py"
        for name in ("made", "needed", "shown", "explorers", "grids")
    ]
    for path in sorted([*here, *ROOT.glob("qoslib/**/*"), *ROOT.glob("data/**/*")]):
        if path.suffix in (".py", ".toml", ".csv"):
            mixed.update(path.read_bytes())
    return mixed.digest()


def _text(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


if __name__ == "__main__":
    os.environ["TQDM_DISABLE"] = "1"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/site/_static/grids"
    write(target)
