"""List what is in the site and is not ours: its version, its licence and the licence's text."""

import importlib.metadata
import json
import sysconfig
from pathlib import Path
from typing import NamedTuple

__all__ = ["files", "parts"]

ROOT = Path(__file__).resolve().parent.parent
NPM = ROOT / "build" / "npm" / "node_modules"
MUSL = ROOT / "build" / "zig" / "ziglang" / "lib" / "libc" / "musl" / "COPYRIGHT"
#: How the file with the text of a licence is called, in a package of Python's or of npm's.
TEXTS = ("LICENSE", "LICENSE.txt", "LICENSE.rst", "COPYING")


class Part(NamedTuple):
    """Something that the site is made of: what it does there, and where its source is."""

    name: str
    licence: str
    what: str
    source: str = ""


#: Packages of Python's that leave something in the pages.
FOR_PAGES = (
    Part("sphinx", "BSD-2-Clause", "search, and the layout of each page"),
    Part("pydata-sphinx-theme", "BSD-3-Clause", "the design of each page"),
    Part("sphinx-copybutton", "MIT", "the button that copies code"),
    Part("snowballstemmer", "BSD-3-Clause", "word stems for the search"),
    Part("accessible-pygments", "BSD-3-Clause", "syntax colours"),
)
#: Packages of npm's.
FROM_NPM = (
    Part("plotly.js-basic-dist-min", "MIT", "figures", "plotly/plotly.js"),
    Part("pyodide", "MPL-2.0", "Python in the browser", "pyodide/pyodide"),
)
#: Inside of these, or of what is compiled.
INSIDE = (
    Part("Bootstrap", "MIT", "menus, in the theme"),
    Part("Font Awesome Free", "CC BY 4.0, SIL OFL 1.1 and MIT", "icons, in the theme"),
    Part("clipboard.js", "MIT", "in the button that copies code"),
    Part("CPython", "PSF-2.0", "the language and its library, in Pyodide"),
    Part("Emscripten", "MIT", "the C library and the loader, in Pyodide"),
    Part("numpy", "BSD-3-Clause", "arrays, in the engine of a page", "numpy/numpy"),
    Part("musl", "MIT", "`log` and `pow`, in the compiled kernels"),
    Part("numba", "BSD-2-Clause", "the compiler of the kernels", "numba/numba"),
)


def parts() -> dict[str, str]:
    """What the page says: a row for each part, with a link to the text of its licence."""
    there = files()
    lines = ["| part | licence | purpose | source |", "| --- | --- | --- | --- |"]
    for part in (*FOR_PAGES, *FROM_NPM, *INSIDE):
        version = "" if part in INSIDE else _version(part.name)
        name = f"licences/{part.name}.txt"
        licence = f"[{part.licence}]({name})" if name in there else part.licence
        source = f"`{part.source}` on GitHub" if part.source else ""
        lines.append(f"| {f'{part.name} {version}'.strip()} | {licence} | {part.what} | {source} |")
    return {"notices": "\n".join(lines)}


def files() -> dict[str, bytes]:
    """Texts of the licences that are found on this machine."""
    found: dict[str, bytes] = {}
    for part in (*FOR_PAGES, *INSIDE, *FROM_NPM):
        path = _text(part.name)
        if path and path.is_file():
            found[f"licences/{part.name}.txt"] = path.read_bytes()
    return found


def _text(name: str) -> Path | None:
    """The file with the text of a licence."""
    if name == "musl":
        return MUSL
    if name == "CPython":
        return Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    if (NPM / name).is_dir():
        return next((NPM / name / text for text in TEXTS if (NPM / name / text).is_file()), None)
    try:
        listed = importlib.metadata.files(name) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    texts = [file for file in listed if file.name in TEXTS and ".dist-info" in str(file)]
    return Path(str(texts[0].locate())) if texts else None


def _version(name: str) -> str:
    if (NPM / name).is_dir():
        return str(json.loads((NPM / name / "package.json").read_text())["version"])
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
