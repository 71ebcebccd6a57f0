"""What Sphinx is told besides its settings: scripts and policy of each page, and definitions."""

import inspect
import zlib
from pathlib import Path
from typing import Any

from website.build import SCRIPTS
from website.dark import in_both
from website.policy import POLICY
from website.words import defined

__all__ = ["setup"]

#: The sheets of all pages, besides that of the theme.
STYLES = ("scene.css", "predict.css", "exercise.css", "explorer.css", "figure.css", "check.css")
ROOT = Path(__file__).resolve().parent.parent


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("html-page-context", _add_scripts)
    app.connect("html-page-context", _add_definitions)
    app.connect("html-page-context", _add_dark_pictures)
    app.connect("html-page-context", _add_policy)
    app.connect("html-page-context", _keep_neighbours)
    # numpydoc writes the docstring anew before.
    app.connect("autodoc-process-docstring", _add_source, priority=900)
    # Pages are read anew where what makes them has changed.
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    safe = {"parallel_read_safe": True, "parallel_write_safe": True}
    return {"env_version": zlib.crc32(sources), **safe}


def _add_scripts(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Each page loads only the scripts that it has use for, in their order, once it is read."""
    for name, pages in SCRIPTS.items():
        if page.startswith(pages) and (app.srcdir / "_static/qoslib" / name).is_file():
            app.add_js_file(f"qoslib/{name}", defer="defer")
    for name in STYLES:
        if (app.srcdir / "_static/qoslib" / name).is_file():
            app.add_css_file(f"qoslib/{name}")


def _add_definitions(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """The glossary itself needs none."""
    if "body" in context and page != "lessons/glossary":
        context["body"] = defined(context["body"])


def _add_dark_pictures(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    if "body" in context:
        context["body"] = in_both(context["body"])


def _add_policy(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """It comes first in the head, since it holds for what comes after it."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    context["metatags"] = f"{policy}\n{context.get('metatags', '')}"


def _keep_neighbours(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """A page leads back and on within its folder alone."""
    for key in ("prev", "next"):
        if context.get(key) and "/" in context[key]["link"]:
            context[key] = None


def _add_source(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """A function or class ends with the file and the line where it is written."""
    if what not in ("function", "class"):
        return
    try:
        path = Path(inspect.getsourcefile(found) or "")
        line = inspect.getsourcelines(found)[1]
    except (OSError, TypeError):
        return
    if ROOT in path.parents:
        place = f"``{path.relative_to(ROOT).as_posix()}``, line {line}"
        lines += ["", f"*Source:* {place}", ""]
