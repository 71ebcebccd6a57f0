"""Controls, one live figure and its words, kept together."""

import gc
import html
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cache, partial
from typing import Any, NoReturn

import ipywidgets as widgets
import pandas as pd

from qoslib import plots
from qoslib.explore.change_summary import cause
from qoslib.explore.controls import stacked
from qoslib.explore.export import Call, buttons, lines
from qoslib.explore.page_code import PageGlue
from qoslib.explore.redraw import Debounced, ProgressWidget
from qoslib.packets.progress import Progress, ProgressBar

__all__ = ["Explorer"]

#: How far a page may be from a step of its slider, in steps.
ROUNDED = 1e-6


class Explorer(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Sliders and switches around one figure, with its summary and table below.

    Parameters
    ----------
    controls : mapping of str to widget
        Each has a `value`; a change draws the figure again.
    draw : callable
        From the controls' values by name, and what `simulate` found or None, to a `plots.Figure`,
        always with the same traces.
    simulate : callable, optional
        From the values, and a callback for its progress, to something that takes a moment to find,
        as a packet model does. The figure is drawn without it at once, and with it when the
        controls have come to rest; a bar shows in between if that takes over a second. It runs in
        a thread of its own, and may be stopped by its progress.
    call : Call, optional
        How this explorer is made, for what can be taken along of it.
    layout : callable, optional
        From a function that moves the controls back to the rows above the figure; by default a
        line for each slider, and one for all else.
    preset : (str, callable), optional
        A control whose value decides where others begin, and a function from that value to where.

    Attributes
    ----------
    controls : dict
    figure : plots.LiveFigure
        Made once, then updated in place.
    """

    def __init__(
        self,
        controls: Mapping[str, widgets.Widget],
        draw: Callable[[dict[str, Any], Any], plots.Figure],
        simulate: Callable[[dict[str, Any], Progress], Any] | None = None,
        call: Call | None = None,
        layout: Callable[[Callable[[], None]], Sequence[widgets.Widget]] | None = None,
        preset: tuple[str, Callable[[Any], dict[str, Any]]] | None = None,
    ) -> None:
        self.controls, self._call, self._preset = dict(controls), call, preset
        self._start = {name: control.value for name, control in self.controls.items()}
        self._exact = self._start
        self._draw, self._simulate, self._held = draw, simulate, False
        # A page speaks to a kernel in one thread, and a cell runs in another.
        self._lock = threading.RLock()
        self._rest = Debounced(self._work, self._shown)
        self._shown_at: dict[str, Any] | None = self.values
        with closing(ProgressBar()) as bar:
            self._drawn = draw(self.values, simulate and simulate(self.values, bar))
        self.figure = plots.live(self._drawn)
        self._rested, self._rested_at = self._drawn, self.values
        self._bar = ProgressWidget()
        self._cause = ""
        self._words, self._alert = widgets.HTML(), widgets.HTML(layout={"display": "none"})
        self._words.add_class("qoslib-words")
        self._write(self.values)
        for control in self.controls.values():
            control.observe(self._changed, "value")
        glue = PageGlue()
        save = [buttons(call, glue, lambda: (self._drawn, self.values))] if call else []
        for each in save:
            each.add_class("qoslib-not-projected")
        rows = (layout or partial(stacked, self.controls))(self._reset)
        super().__init__([*rows, self._alert, self.figure, self._bar, *save, self._words, glue])
        self.add_class("qoslib-explorer")
        _look_for_garbage_once()

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

    @property
    def python(self) -> str:
        """Three lines of Python that make what is on screen again; empty where none do."""
        return lines(self._call, self.values, self._begun()) if self._call else ""

    @property
    def summary(self) -> str:
        """The paragraph below the figure."""
        return self._drawn.summary

    @property
    def remark(self) -> str:
        """Where the models in the figure part, or where the only one is valid; mostly empty."""
        return self._drawn.remark

    @property
    def table(self) -> pd.DataFrame:
        """The numbers in the figure, as a DataFrame."""
        return self._drawn.table

    def move(self, **values: Any) -> None:
        """Set several controls, draw once, and wait for what takes a moment.

        Parameters
        ----------
        **values
            Names of controls, and what each is set to.

        Raises
        ------
        ValueError
            If there is no such control, or what the controls describe cannot be shown.
        """
        for name in values:
            if name not in self.controls:
                raise ValueError(f"control is {name!r}; allowed: {', '.join(self.controls)}")
        if self._preset and self._preset[0] in values:
            values = self._preset[1](values[self._preset[0]]) | values
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

    def _begun(self) -> dict[str, Any]:
        """Where the controls began, or where they begin at what the preset stands at."""
        if self._preset is None:
            return self._start
        name, begins = self._preset
        chosen = self.controls[name].value
        return {**self._start, name: chosen, **begins(chosen)}

    def _reset(self) -> None:
        with self._lock:
            self._put(self._begun())
            self._moved(self.values, time.monotonic())

    def _changed(self, change: Any) -> None:
        moved_s = time.monotonic()
        with self._lock:
            # A page also says where it has put a slider when it shows it: that is no move.
            if self._held or (values := self.values) == self._shown_at:
                return
            if self._preset and change["owner"] is self.controls[self._preset[0]]:
                self._put(self._begun())
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
        values, simulate = self.values, self._simulate

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
            if self._simulate:
                self._show(values, found)
            # What the next move leaves as a pale trace.
            self._rested, self._rested_at = self._drawn, values

    def _show(self, values: dict[str, Any], found: Any = None) -> None:
        """Draw again. An error is shown between the controls and the figure."""
        try:
            self._drawn = self._draw(values, found)
            plots.refresh(self.figure, self._drawn, self._rested)
            # While a slider moves there is no time to read it, nor to look for it.
            settled = found is not None or not self._simulate
            moved = (self._rested_at, self._rested.summary), (values, self._drawn.summary)
            self._cause = cause(self.controls, *moved) if settled else ""
        except Exception as error:
            self._fail(error)
        self._shown_at = values
        self._write(values)

    def _fail(self, error: Exception) -> NoReturn:
        """Say in the page what is wrong, and raise it."""
        said = f"{html.escape(str(error))} The figure is that of the settings before."
        self._alert.value = f'<p role="alert" style="line-height: 1.4"><b>{said}</b></p>'
        self._alert.layout.display = None
        self._shown_at = None
        raise error

    def _write(self, values: dict[str, Any]) -> None:
        self._alert.value, self._alert.layout.display = "", "none"
        said = html.escape(self._cause)
        summary = html.escape(self._drawn.summary)
        table = self._drawn.table_html()
        parts = [f'<p class="qoslib-cause"><b>{said}</b></p>']
        parts.append(f'<p role="status" style="line-height: 1.4; margin: 0">{summary}</p>')
        if self._drawn.remark:
            remark = html.escape(self._drawn.remark)
            parts.append(f'<p style="line-height: 1.4; margin: 4px 0 0"><i>{remark}</i></p>')
        parts.append(f"<details><summary>The same as a table</summary>{table}</details>")
        if self._call:
            made = lines(self._call, values, self._begun())
            code = f"<pre>{html.escape(made)}</pre>"
            parts.append(f"<details><summary>The same in Python</summary>{code}</details>")
        self._words.value = "".join(parts)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget; for a viewer without a kernel also the figure as it stands, and its words."""
        shown = super()._repr_mimebundle_(**kwargs)
        return {**shown, **self._drawn._repr_mimebundle_()}


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
