"""Put the pages' sources together, and let Sphinx make the site of them."""

import shutil
from pathlib import Path

from website import (
    contents,
    dark,
    drawing,
    lessons,
    notices,
    passports,
    questions,
    reference,
    scene_records,
    scoreboard,
    texts,
)

__all__ = ["SCRIPTS", "SITE", "SOURCE", "gather", "make"]

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "build" / "pages-source"
SITE = ROOT / "build" / "site"
TREES = ROOT / "build" / "pages-trees"
PAGES = ROOT / "website" / "pages"
IN_A_PAGE = ROOT / "website" / "page"
#: Script in website/page -> beginnings of the names of pages that load it, in this order.
SCRIPTS = {
    "site.js": ("",),
    "printing.js": ("",),
    "address.js": ("lessons/", "check/"),
    "engine.js": ("lessons/", "check/"),
    "scene_records.js": ("lessons/",),
    "scene.js": ("lessons/",),
    "figure.js": ("lessons/",),
    "controls.js": ("lessons/",),
    "explorer.js": ("lessons/",),
    "numbers.js": ("lessons/",),
    "questions.js": ("lessons/",),
    "zip.js": ("lessons/",),
    "predict.js": ("lessons/",),
    "exercise.js": ("lessons/",),
    "sheet.js": ("check/", "lessons/10", "lessons/13"),
    "check.js": ("check/", "lessons/10", "lessons/13"),
    "scoreboard.js": ("scoreboard",),
}
#: Pictures that texts show, and files that they offer.
BESIDE = (
    *("docs/*.svg", "docs/*.png", "notebooks/*.svg", "course/quiz.toml", "*/LICENSE"),
    *("data/measurements/*.csv", "data/live/*"),
    *("LICENSE", "LICENSES/*", "CITATION.cff"),
)


def make(strict: bool = True) -> Path:
    """Make all pages; the folder of the site.

    Parameters
    ----------
    strict : bool
        Whether a warning ends it.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    SystemExit
        If Sphinx is not installed, or finds fault.
    """
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        raise SystemExit("qoslib: Sphinx is not installed; `make site` installs it") from None
    _place(gather())
    # Nothing stays of pages whose text has gone.
    shutil.rmtree(SITE, ignore_errors=True)
    options = ["--quiet", "--write-all", "-j", "auto", "-c", str(ROOT / "website")]
    options += ["--fail-on-warning", "--keep-going"] if strict else []
    if build_main([*options, "-b", "html", "-d", str(TREES), str(SOURCE), str(SITE)]):
        raise SystemExit("qoslib: the pages were not made; see the warnings above")
    _finish()
    return SITE


def gather() -> dict[str, bytes]:
    """Name of each file of the source -> its content."""
    files = {f"_static/qoslib/{each.name}": each.read_bytes() for each in IN_A_PAGE.glob("*.*")}
    files |= {f"_static/qoslib/{name}": raw for name, raw in drawing.files().items()}
    files |= {f"_static/qoslib/{name}": raw for name, raw in scene_records.files().items()}
    files |= {f"_static/qoslib/{name}": raw for name, raw in questions.files().items()}
    for path in (path for pattern in BESIDE for path in ROOT.glob(pattern)):
        files[texts.place(path.relative_to(ROOT).as_posix())] = path.read_bytes()
    files |= notices.files()
    made = reference.pages() | passports.pages()
    for name in (name for name in texts.PAGES if name.endswith(".md")):
        made[texts.PAGES[name]] = texts.page(name, (ROOT / name).read_text(encoding="utf-8"))
    read = [lessons.read(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    first: dict[str, str] = {}
    for lesson in read:
        name = f"notebooks/{lesson.name}.ipynb"
        text, pictures = lessons.page(lesson)
        made[texts.PAGES[name]] = texts.page(name, text)
        files |= {f"lessons/{each}": raw for each, raw in pictures.items()}
        first[lesson.name] = next(iter(pictures), "")
    parts = {"lessons": contents.listed([each for each in read if each.number], first)}
    parts |= scoreboard.parts() | passports.parts() | reference.parts() | notices.parts()
    for path in PAGES.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        for key, said in parts.items():
            text = text.replace(f"%{key}%", said)
        made[path.relative_to(PAGES).as_posix()] = text
    for name in [name for name in files if name.endswith(".svg") and "_static" not in name]:
        picture = dark.dark(files[name].decode("utf-8"))
        files[f"{dark.FOLDER}/{Path(name).name}"] = picture.encode()
    return files | {name: text.encode() for name, text in made.items()}


def _place(files: dict[str, bytes]) -> None:
    """Write the source, without what it no longer has; what is the same stays as old as it was."""
    for path in SOURCE.rglob("*.*"):
        if path.is_file() and path.relative_to(SOURCE).as_posix() not in files:
            path.unlink()
    for name, raw in files.items():
        path = SOURCE / name
        if not path.is_file() or path.read_bytes() != raw:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)


def _finish() -> None:
    """Add what Sphinx does not bring, and take away what no page uses."""
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        shutil.copy(path, SITE / "lessons")
    for name in (".buildinfo", "objects.inv", "_static/webpack-macros.html"):
        (SITE / name).unlink(missing_ok=True)
    for path in SITE.rglob("*.map"):
        path.unlink()
