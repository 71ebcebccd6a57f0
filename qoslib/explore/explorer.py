"""Controls, one live figure and its words, kept together."""

import gc
import html
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache, partial
from typing import Any

import ipywidgets as widgets
import pandas as pd

from qoslib import plots
from qoslib.explore.controls import stacked
from qoslib.explore.export import Call, buttons, lines
from qoslib.explore.page_glue import PageGlue
from qoslib.explore.redraw import Debounce, ProgressWidget
from qoslib.packets.progress import Progress, ProgressBar

__all__ = ["Explorer"]


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
        controls have come to rest; a bar shows in between if that takes over two seconds.
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
        self._draw, self._simulate, self._held = draw, simulate, False
        self._debounce = Debounce(lambda: self._shown(self._settle))
        with closing(ProgressBar()) as bar:
            self._drawn = draw(self.values, simulate and simulate(self.values, bar))
        self.figure, self._rested = plots.live(self._drawn), self._drawn
        self._bar = ProgressWidget()
        self._words, self._alert = widgets.HTML(), widgets.HTML(layout={"display": "none"})
        self._write(self.values)
        for control in self.controls.values():
            control.observe(self._changed, "value")
        glue = PageGlue()
        save = [buttons(call, glue, lambda: (self._drawn, self.values))] if call else []
        rows = (layout or partial(stacked, self.controls))(lambda: self.move(**self._begun()))
        super().__init__([*rows, self._alert, self.figure, self._bar, *save, self._words, glue])
        self.add_class("qoslib-explorer")
        _look_for_garbage_once()

    def close(self) -> None:
        """Close it with all that it holds: the page keeps a widget until it is closed itself."""
        for widget in _within(self, {}):
            if widget is not self:
                widget.close()
        super().close()

    @property
    def values(self) -> dict[str, Any]:
        """What the controls stand at."""
        values: dict[str, Any] = {}
        for name, control in self.controls.items():
            value = control.value
            if isinstance(value, float) and value != self._start.get(name):
                # A page returns 124 as 124.00000000000001, but where it began is exact.
                value = float(f"{value:.12g}")
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
        with self._hold():
            for name, value in values.items():
                self.controls[name].value = value
        self._show()
        self._settle()

    def _begun(self) -> dict[str, Any]:
        """Where the controls began, or where they begin at what the preset stands at."""
        if self._preset is None:
            return self._start
        name, begins = self._preset
        chosen = self.controls[name].value
        return {**self._start, name: chosen, **begins(chosen)}

    @contextmanager
    def _hold(self) -> Iterator[None]:
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def _changed(self, change: Any) -> None:
        moved_s = time.monotonic()
        if self._held:
            return
        if self._preset and change["owner"] is self.controls[self._preset[0]]:
            self.move(**self._begun())
        elif self._shown(self._show):
            self._debounce.request(moved_s)

    def _shown(self, show: Callable[[], None]) -> bool:
        """Whether what the controls describe could be shown; if not, the page says why."""
        try:
            show()
        except ValueError:
            self._debounce.cancel()
            return False
        return True

    def _settle(self) -> None:
        self._debounce.cancel()
        if self._simulate:
            self._bar.begin()
            try:
                self._show(self._simulate)
            finally:
                self._bar.end()
        # What the next move leaves as a pale trace.
        self._rested = self._drawn

    def _show(self, simulate: Callable[[dict[str, Any], Progress], Any] | None = None) -> None:
        """Draw again. An error is shown between the controls and the figure."""
        try:
            values = self.values
            self._drawn = self._draw(values, simulate and simulate(values, self._bar))
            plots.refresh(self.figure, self._drawn, self._rested)
        except Exception as error:
            said = f"{html.escape(str(error))} The figure is that of the settings before."
            self._alert.value = f'<p role="alert" style="line-height: 1.4"><b>{said}</b></p>'
            self._alert.layout.display = None
            raise
        self._write(values)

    def _write(self, values: dict[str, Any]) -> None:
        self._alert.value, self._alert.layout.display = "", "none"
        summary = html.escape(self._drawn.summary)
        table = self._drawn.table.to_html(border=0, na_rep="–")
        parts = [f'<p role="status" style="line-height: 1.4; margin: 0">{summary}</p>']
        if self._drawn.remark:
            remark = html.escape(self._drawn.remark)
            parts.append(f'<p style="line-height: 1.4; margin: 4px 0 0"><i>{remark}</i></p>')
        parts.append(f"<details><summary>The same as a table</summary>{table}</details>")
        if self._call:
            code = f"<pre>{html.escape(self.python)}</pre>"
            parts.append(f"<details><summary>The same in Python</summary>{code}</details>")
        self._words.value = "".join(parts)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget; for a viewer without a kernel also the figure as it stands, and its words."""
        shown = super()._repr_mimebundle_(**kwargs)
        return {**shown, **self._drawn._repr_mimebundle_()}


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
