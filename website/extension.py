"""What Sphinx is told besides its settings: scripts and policy of each page, and definitions."""

from typing import Any

from website.build import SCRIPTS
from website.policy import POLICY
from website.words import defined

__all__ = ["setup"]


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("html-page-context", _add_scripts)
    app.connect("html-page-context", _add_definitions)
    app.connect("html-page-context", _add_policy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _add_scripts(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Each page loads only the scripts that it has use for, in their order, once it is read."""
    for name, pages in SCRIPTS.items():
        if page.startswith(pages) and (app.srcdir / "_static/qoslib" / name).is_file():
            app.add_js_file(f"qoslib/{name}", defer="defer")
    for name in ("scene.css", "explorer.css", "figure.css", "check.css"):
        if (app.srcdir / "_static/qoslib" / name).is_file():
            app.add_css_file(f"qoslib/{name}")


def _add_definitions(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """The glossary itself needs none."""
    if "body" in context and page != "lessons/glossary":
        context["body"] = defined(context["body"])


def _add_policy(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """It comes first in the head, since it holds for what comes after it."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    context["metatags"] = f"{policy}\n{context.get('metatags', '')}"
