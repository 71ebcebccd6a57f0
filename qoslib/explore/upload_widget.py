"""A button that loads a reader's file."""

import html
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

__all__ = ["Loader"]


class Loader(widgets.HBox):  # type: ignore[misc]  # ipywidgets has no types
    """A button that loads a file, and a line with the outcome."""

    def __init__(
        self,
        load: Callable[[str, bytes], str],
        name: str = "Load JSON, CSV or counters",
        accept: str = ".json,.csv,.txt,.log,.xml,.flent,.gz",
    ) -> None:
        self._load, self._said = load, widgets.HTML()
        self._pick = widgets.FileUpload(
            description=name,
            accept=accept,
            layout=widgets.Layout(width="auto", flex="0 0 auto"),
        )
        self._pick.observe(self._taken, "value")
        super().__init__([self._pick, self._said])

    def clear(self) -> None:
        """As if no file had been chosen."""
        self._pick.value, self._said.value = (), ""

    def _taken(self, change: Any) -> None:
        for file in change["new"]:
            try:
                self._said.value = _line("status", self._load(file.name, bytes(file.content)))
            except ValueError as error:
                self._said.value = _line("alert", str(error))


def _line(role: str, text: str) -> str:
    weight = "bold" if role == "alert" else "normal"
    style = f"line-height: 1.4; margin: 0; font-weight: {weight}"
    return f'<p role="{role}" style="{style}">{html.escape(text)}</p>'
