"""The engines of the site's pages: Pyodide with numpy, the kernels and qoslib, in live/.

No registry that the build uses has numpy for WebAssembly. ``NUMPY_WHEEL`` names the file, which
must be the one that Pyodide's own lock file has by its hash. Where something is missing the
site is made without engines, and its pages say so.
"""

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from website import wasm

__all__ = ["LACKING", "Sources", "sources", "write"]

ROOT = Path(__file__).resolve().parent.parent
#: Python for a page, as `make site` installs it; ``PYODIDE`` names another.
PYODIDE = ROOT / "build" / "npm" / "node_modules" / "pyodide"
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
WORKER = ROOT / "website" / "worker" / "worker.js"
#: Modules of this folder that answer in a page.
ANSWERING = (
    *("__init__", "answers", "checking", "exercises", "explorers"),
    *("made", "needed", "scenes"),
)
#: The archive that a page unpacks: folder -> the kinds of files that it needs of it.
PACKAGE = {"qoslib": {".py", ".toml"}, "data": {".csv", ".toml"}}
LACKING = {
    "pyodide": "it was built without Pyodide (`make build/npm/node_modules` installs it)",
    "kernels": "it was built without zig, which links the kernels (`make wasm` installs it)",
    "numpy": "it was built without numpy for WebAssembly (`make site NUMPY_WHEEL=FILE`)",
}
#: Of all files in an archive, so that the same files make the same one.
_DAY = (2020, 1, 1, 0, 0, 0)


class Sources(NamedTuple):
    """Files that the engines are made of; None where one is lacking, or another before it."""

    pyodide: Path | None
    numpy: Path | None
    kernels: Path | None

    @property
    def lacks(self) -> str:
        """What is lacking, and how to get it; empty where nothing is."""
        lacking = (LACKING[name] for name, path in self._asdict().items() if path is None)
        return next(lacking, "")


def sources() -> Sources:
    """What is there to make the engines of.

    Raises
    ------
    ValueError
        If ``NUMPY_WHEEL`` is not the file of Pyodide's lock.
    """
    pyodide = Path(os.environ.get("PYODIDE") or PYODIDE)
    wheel = os.environ.get("NUMPY_WHEEL")
    if not (pyodide / "pyodide.js").is_file():
        return Sources(None, None, None)
    if not wheel:
        return Sources(pyodide, None, None)
    _check_wheel(Path(wheel), pyodide)
    try:
        wasm.build()
    except wasm.MissingTool:
        return Sources(pyodide, Path(wheel), None)
    return Sources(pyodide, Path(wheel), wasm.FOLDER / "kernels.so")


def write(folder: Path, found: Sources, lessons: dict[str, bytes]) -> dict[str, Any]:
    """Write the engines to a folder; the list of their files that is written there too.

    Parameters
    ----------
    folder : Path
        It is emptied before.
    found : Sources
        From `sources`.
    lessons : dict of str to bytes
        What each lesson shows, as `website.shown` pickles it.

    Returns
    -------
    dict
        ``lacks``, a text, empty where nothing is; ``sizes``, bytes by file; and ``archives``.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files: dict[str, Any] = {"lacks": found.lacks}
    if found.pyodide and found.numpy and found.kernels:
        files |= _written(folder, found.pyodide, found.numpy, found.kernels)
        shutil.copy(WORKER, folder)
        (folder / "lessons").mkdir()
        for name, raw in lessons.items():
            (folder / "lessons" / f"{name}.pickle").write_bytes(raw)
    (folder / "files.json").write_text(json.dumps(files, indent=1) + "\n", encoding="utf-8")
    return files


def _written(folder: Path, pyodide: Path, numpy: Path, kernels: Path) -> dict[str, Any]:
    """The core of Pyodide, and two archives that a page unpacks."""
    core = folder / "pyodide"
    core.mkdir()
    for name in CORE:
        if (pyodide / name).is_file():
            shutil.copy(pyodide / name, core)
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    small = {"info": lock["info"], "packages": {}}
    (core / "pyodide-lock.json").write_text(json.dumps(small), encoding="utf-8")
    # A wheel is an archive; its name need not say for what.
    shutil.copy(numpy, folder / "numpy.zip")
    _pack(folder / "qoslib.zip", kernels)
    archives = ["numpy.zip", "qoslib.zip"]
    loaded = [*(f"pyodide/{each.name}" for each in core.iterdir()), *archives]
    # What a page counts as it arrives: scripts come by themselves.
    counted = [name for name in loaded if not name.endswith(("js", "json"))]
    sizes = {name: (folder / name).stat().st_size for name in sorted(counted)}
    return {"sizes": sizes, "archives": archives, "pyodide": lock["info"]}


def _pack(path: Path, kernels: Path) -> None:
    """qoslib as in a wheel, with its data and kernels inside, and what answers a page."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, file in (*_packed(), ("qoslib/packets/kernels/kernels.so", kernels)):
            archive.writestr(zipfile.ZipInfo(name, _DAY), file.read_bytes(), zipfile.ZIP_DEFLATED)


def _packed() -> Iterator[tuple[str, Path]]:
    """Name in the archive, and file."""
    for name, kinds in PACKAGE.items():
        for path in sorted((ROOT / name).rglob("*.*")):
            if path.suffix in kinds:
                within = path.relative_to(ROOT).as_posix()
                yield within if name == "qoslib" else f"qoslib/{within}", path
    for name in ANSWERING:
        path = ROOT / "website" / f"{name}.py"
        if path.is_file():
            yield f"website/{name}.py", path


def _check_wheel(wheel: Path, pyodide: Path) -> None:
    """Raise an error where a wheel is not the one that Pyodide was tested with."""
    if not wheel.is_file():
        raise ValueError(f"NUMPY_WHEEL is {str(wheel)!r}; allowed: an existing file")
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    wanted = lock["packages"]["numpy"]
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != wanted["sha256"]:
        raise ValueError(
            f"NUMPY_WHEEL is {str(wheel)!r}, whose hash is not the one in Pyodide's lock file;"
            f" allowed: {wanted['file_name']}"
        )
