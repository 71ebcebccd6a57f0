"""Make pages of the repository's texts: where each goes, and links that still lead there."""

import os
import re
from pathlib import Path, PurePosixPath

__all__ = ["PAGES", "page", "place", "slug"]

ROOT = Path(__file__).resolve().parent.parent
#: Text of the repository -> its page.
PAGES = {
    "README.md": "docs/overview.md",
    "CONTRIBUTING.md": "docs/contributing.md",
    "NOMENCLATURE.md": "docs/nomenclature.md",
    "CHANGELOG.md": "docs/changelog.md",
    "benchmarks/RESULTS.md": "docs/benchmarks.md",
    "course/README.md": "course/index.md",
    **{
        path.relative_to(ROOT).as_posix(): path.relative_to(ROOT).as_posix()
        for folder in ("docs", "course", "course/sheets")
        for path in sorted((ROOT / folder).glob("*.md"))
        if path.name != "README.md"
    },
    **{
        f"notebooks/{path.name}": f"lessons/{path.stem}.md"
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    },
}
#: Pages that others stand below.
ABOVE = {"course/index.md": ("sheets/*", "exam", "live_lab")}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
PICTURE = re.compile(r'<picture>\s*<source [^>]*>\s*<img alt="([^"]*)" src="([^"]*)">\s*</picture>')
CODE = re.compile(r"(^```[\s\S]*?^```$|^(?: {4}.*\n)+|`[^`\n]+`)", re.MULTILINE)


def page(name: str, text: str) -> str:
    """A text whose links lead to pages; what has no page is a file to download, or only named.

    Parameters
    ----------
    name : str
        Of `PAGES`.
    text : str
        Markdown.

    Returns
    -------
    str
        Markdown for the page.
    """
    # A page has one picture for both themes.
    parts = CODE.split(PICTURE.sub(r"![\1](\2)", text))
    parts[::2] = (LINK.sub(lambda found: _link(name, *found.groups()), part) for part in parts[::2])
    below = "\n".join(ABOVE.get(PAGES[name], ()))
    parts += [f"\n```{{toctree}}\n:hidden:\n:glob:\n\n{below}\n```\n"] if below else []
    return "".join(parts)


def _link(name: str, picture: str, words: str, target: str) -> str:
    """A link of a text, as its page has it."""
    path, mark, anchor = target.partition("#")
    if not path or ":" in path:
        return f"{picture}[{words}](#{slug(anchor)})" if mark else f"{picture}[{words}]({target})"
    found = os.path.normpath(PurePosixPath(name).parent / path)
    if found in PAGES:
        to = os.path.relpath(PAGES[found], PurePosixPath(PAGES[name]).parent)
        return f"[{words}]({to}{mark}{slug(anchor)})"
    if (ROOT / found).is_dir():
        return words
    if not (ROOT / found).exists():
        return f"{picture}[{words}]({target})"
    to = os.path.relpath(place(found), PurePosixPath(PAGES[name]).parent)
    return f"{picture}[{words}]({to})"


def place(name: str) -> str:
    """Where a file that is no page is put."""
    return name.replace("notebooks/", "lessons/")


def slug(heading: str) -> str:
    """The anchor of a heading, as a page has it: Jupyter keeps capitals and commas.

    >>> slug("Metering,-policing,-shaping")
    'metering-policing-shaping'
    """
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))
