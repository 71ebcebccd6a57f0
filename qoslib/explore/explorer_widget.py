"""An explorer in a notebook: its controls, one live figure and its words, kept together."""

import gc
import html
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NoReturn

import ipywidgets as widgets

from qoslib.explore.control_widgets import Rows, control_widget
from qoslib.explore.page_glue import PageGlue
from qoslib.explore.redraw import Debounced
from qoslib.explore.save_buttons import save_buttons
from qoslib.explore.upload_widget import Loader
from qoslib.explore.waiting import ProgressWidget
from qoslib.plots import Figure
from qoslib.plots.live_figure import live, refresh

if TYPE_CHECKING:
    from qoslib.explore.explorer import Explorer

__all__ = ["ExplorerWidget"]

#: How far a page may be from a step of its slider, in steps.
ROUNDED = 1e-6


class ExplorerWidget(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """An explorer's controls, its figure, and its summary and table below.

    Attributes
    ----------
    controls : dict of str to widget
    figure : plots.LiveFigure
        Made once, then updated in place.
    """

    def __init__(self, explorer: "Explorer") -> None:
        self._explorer, self._rest = explorer, Debounced(self._work, self._shown)
        self.controls = {name: control_widget(each) for name, each in explorer.controls.items()}
        drawn, self._exact = explorer.drawn, explorer.values
        self._held = False
        self._put(self._exact)
        # A page speaks to a kernel in one thread, and a cell runs in another.
        self._lock = threading.RLock()
        self._shown_at: dict[str, Any] | None = self.values
        self.figure = live(drawn)
        self._bar = ProgressWidget()
        self._words, self._alert = widgets.HTML(), widgets.HTML(layout={"display": "none"})
        self._words.add_class("qoslib-words")
        self._write(drawn, self.values)
        for control in self.controls.values():
            control.observe(self._changed, "value")
        super().__init__(self._children())
        self.add_class("qoslib-explorer")
        _look_for_garbage_once()

    def _children(self) -> list[widgets.Widget]:
        explorer, glue = self._explorer, PageGlue()
        files = explorer.files
        self._loader = Loader(self._load) if files else None
        rows = Rows(self.controls, self._reset, self._loader).made(explorer.rows)
        save = []
        if explorer._call:
            save = [save_buttons(explorer._call, glue, lambda: (explorer.drawn, self.values))]
            save[0].add_class("qoslib-not-projected")
        return [*rows, self._alert, self.figure, self._bar, *save, self._words, glue]

    def close(self) -> None:
        """Close it with all that it holds: the page keeps a widget until it is closed itself."""
        self._rest.close()
        for widget in _within(self, {}):
            if widget is not self:
                widget.close()
        super().close()

    @property
    def values(self) -> dict[str, Any]:
        """What the controls stand at."""
        values = {}
        for name, each in self.controls.items():
            value, exact = each.value, self._exact[name]
            if value != exact and isinstance(each, widgets.FloatSlider):
                value = _meant(each, exact)
            values[name] = value
        return values

    def move(self, values: dict[str, Any]) -> None:
        """Set several controls, draw once, and wait for what takes a moment."""
        with self._lock:
            self._put(values)
            self._rest.cancel()
            self._show(self.values)
            self._work(lambda: True)()

    def _put(self, values: dict[str, Any]) -> None:
        """Set several controls, and draw nothing."""
        self._exact = self._exact | values
        self._held = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._held = False

    def _load(self, name: str, raw: bytes) -> str:
        """Take a reader's file and draw what it holds; one that cannot be drawn changes nothing."""
        files = self._explorer.files
        assert files is not None
        before = files.kept()
        text = files.take(name, raw)
        try:
            self.move({})
        except Exception as error:
            # Whatever is wrong, a figure that stays as it was is worth more than the reason.
            files.back_to(before)
            with suppress(Exception):
                self.move({})
            why = error if isinstance(error, ValueError) else f"{type(error).__name__} {error}"
            raise ValueError(f"{name} is well-formed, but cannot be drawn: {why}") from error
        return text + files.note(self.values)

    def _reset(self) -> None:
        if self._loader is not None and self._explorer.files is not None:
            self._explorer.files.forget()
            self._loader.clear()
        with self._lock:
            self._put(self._explorer.begun(self.values))
            self._moved(self.values, time.monotonic())

    def _changed(self, change: Any) -> None:
        moved_s, preset = time.monotonic(), self._explorer.preset
        with self._lock:
            # A page also says where it has put a slider when it shows it: that is no move.
            if self._held or (values := self.values) == self._shown_at:
                return
            if preset and change["owner"] is self.controls[preset]:
                self._put(self._explorer.begun(values))
                values = self.values
            self._moved(values, moved_s)

    def _moved(self, values: dict[str, Any], moved_s: float) -> None:
        """The controls have moved: draw at once what is found at once, and the rest at rest."""
        self._rest.cancel()
        if self._shown(partial(self._show, values)):
            self._rest.request(moved_s)

    def _shown(self, show: Callable[[], None]) -> bool:
        """Whether what the controls describe could be shown; if not, the page says why."""
        try:
            with self._lock:
                show()
        except ValueError:
            return False
        return True

    def _work(self, wanted: Callable[[], bool]) -> Callable[[], None]:
        """Find what takes a moment, for as long as it is wanted; how to draw it."""
        values, simulate = self.values, self._explorer._simulate

        def progress(done_s: float, total_s: float) -> None:
            if not wanted():
                raise KeyboardInterrupt
            self._bar(done_s, total_s)

        self._bar.begin()
        try:
            found = simulate(values, progress) if simulate else None
        except KeyboardInterrupt:
            if wanted():
                raise
            return lambda: None
        except Exception as error:
            return partial(self._fail, error)
        finally:
            self._bar.end()
        return lambda: self._settle(values, found)

    def _settle(self, values: dict[str, Any], found: Any) -> None:
        """Draw what took a moment to find, unless the controls have moved on."""
        if self.values == values:
            if self._explorer.simulates:
                self._show(values, found)
            self._explorer._rest()

    def _show(self, values: dict[str, Any], found: Any = None) -> None:
        """Draw again. An error is shown between the controls and the figure."""
        explorer = self._explorer
        try:
            drawn = explorer._show(values, found)
            refresh(self.figure, drawn, explorer.rested)
        except Exception as error:
            self._fail(error)
        self._shown_at = values
        self._write(drawn, values)

    def _fail(self, error: Exception) -> NoReturn:
        """Say in the page what is wrong, and raise it."""
        said = f"{html.escape(str(error))} The figure is that of the settings before."
        self._alert.value = f'<p role="alert" style="line-height: 1.4"><b>{said}</b></p>'
        self._alert.layout.display = None
        self._shown_at = None
        raise error

    def _write(self, drawn: Figure, values: dict[str, Any]) -> None:
        explorer = self._explorer
        self._alert.value, self._alert.layout.display = "", "none"
        said, summary = html.escape(explorer.cause), html.escape(drawn.summary)
        parts = [f'<p class="qoslib-cause"><b>{said}</b></p>']
        parts.append(f'<p role="status" style="line-height: 1.4; margin: 0">{summary}</p>')
        if drawn.remark:
            remark = html.escape(drawn.remark)
            parts.append(f'<p style="line-height: 1.4; margin: 4px 0 0"><i>{remark}</i></p>')
        table = drawn.table_html()
        parts.append(f"<details><summary>The same as a table</summary>{table}</details>")
        if made := explorer.python_of(values):
            code = f"<pre>{html.escape(made)}</pre>"
            parts.append(f"<details><summary>The same in Python</summary>{code}</details>")
        self._words.value = "".join(parts)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget; for a viewer without a kernel also the figure as it stands, and its words."""
        shown = super()._repr_mimebundle_(**kwargs)
        return {**shown, **self._explorer.drawn._repr_mimebundle_()}


def _meant(control: widgets.FloatSlider, exact: float) -> float:
    """What a slider says, where a page can only say its nearest step.

    As soon as it shows a slider at 3.686, it says 3.7, unasked; and of 124 it makes
    124.00000000000001.
    """
    value: float = control.value
    nearest = control.min + math.floor((exact - control.min) / control.step + 0.5) * control.step
    is_there = math.isclose(value, nearest, abs_tol=ROUNDED * control.step)
    return exact if is_there else float(f"{value:.12g}")


@cache
def _look_for_garbage_once() -> None:
    """Python looks through all objects now and then; those of libraries stay: 0.2 s of a redraw.

    Once for the first explorer, whose libraries are loaded by then: what is frozen is never looked
    at again, and further explorers would never be freed.
    """
    gc.collect()
    gc.freeze()


def _within(value: object, found: dict[int, widgets.Widget]) -> list[widgets.Widget]:
    """A widget and all that hang on it, each once: layouts and styles are widgets too."""
    if isinstance(value, widgets.Widget) and id(value) not in found:
        found[id(value)] = value
        for name in value.keys:
            _within(getattr(value, name), found)
    elif isinstance(value, list | tuple):
        for each in value:
            _within(each, found)
    return list(found.values())
