"""plotly, loaded without a check of addresses that it never asks for and that takes a second."""

import sys
from types import ModuleType
from typing import Any

__all__ = ["go"]

#: A grammar for addresses in letters of any script, which jsonschema builds where it is installed.
#: plotly loads nbformat to look at its version, and nbformat loads jsonschema.
_GRAMMAR = "rfc3987_syntax"


def _alone() -> Any:
    """plotly's objects; while they are loaded the grammar seems not to be installed."""
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    away = _GRAMMAR not in modules
    if away:
        modules[_GRAMMAR] = None
    try:
        import plotly.graph_objects
        import plotly.io._renderers
    finally:
        if away:
            del modules[_GRAMMAR]
    return plotly.graph_objects


go = _alone()
