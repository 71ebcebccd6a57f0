"""A figure that can also be read: as a paragraph and as a table."""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import pandas as pd
import traitlets
from IPython.display import display

from qoslib.plots import style
from qoslib.plots.patient import WAITING, Patient, patient
from qoslib.plots.plotly_alone import go
from qoslib.plots.theme import sheet
from qoslib.record import checked, fail

__all__ = [
    "CONFIG",
    "Figure",
    "LiveFigure",
    "checked_results",
    "live",
    "page",
    "refresh",
    "rounded",
]

#: Behaviour of every figure. plotly shows a button that uploads the chart by default.
CONFIG: dict[str, Any] = {"showSendToCloud": False, "displaylogo": False, "responsive": True}
#: Buttons that select nothing here, or do what the others do: they covered the key.
CONFIG["modeBarButtonsToRemove"] = ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"]

MIME = "application/vnd.plotly.v1+json"
#: What an update may change in a trace; everything else is decided when the figure is made.
_CHANGING: tuple[str, ...] = (
    "x",
    "y",
    "text",
    "error_x",
    "error_y",
    "marker",
    "customdata",
    "opacity",
    "name",
)
_CHANGING += ("hovertemplate", "textposition", "mode")
#: What the state before the last move is called, how a uid of it begins, and how pale it is.
BEFORE, _BEFORE, _PALE = "before your move", "before-", 0.4


_UID = attrgetter("uid")


class Figure(go.Figure):  # type: ignore[misc]  # plotly has no types
    """A plotly figure with a one-paragraph `summary` and a data `table`.

    Its `remark` says where the models in it part, or where the only one is valid.

    In a notebook it shows itself as plotly's JSON, which JupyterLab draws with the plotly it has:
    nothing is fetched and no second copy of plotly is put into the notebook. Its words and its
    table are one click below.
    """

    summary: str = ""
    table: pd.DataFrame = pd.DataFrame()
    remark: str = ""

    def __init__(
        self, *args: Any, summary: str = "", table: pd.DataFrame | None = None, **kwargs: Any
    ) -> None:
        # Names of streams may hold what plotly would take for markup, and a link would be live.
        kwargs = _with_units(_as_text(kwargs))
        # plotly looks at every property for longer (2.5 to 10 ms) than many models take to answer.
        # What is drawn by our own functions is looked at by a test, and whenever it becomes live.
        super().__init__(*args, _validate=False, **kwargs)
        self._validate = True
        self.summary = summary
        self.table = pd.DataFrame() if table is None else table

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None, validate: bool = True, **kwargs: Any
    ) -> dict[str, Any]:
        # Through plotly's own JSON, which has null where a value is missing; NaN is no JSON.
        # JupyterLab fits what it draws; if plotly did the same, it would forget the height.
        config = CONFIG | {"responsive": False}
        return {MIME: {**json.loads(self.to_json()), "config": config}, "text/plain": self.summary}

    def _repr_html_(self) -> None:
        """Nothing: plotly's own answer loads a script from the network."""

    def _ipython_display_(self) -> None:
        """In place of plotly's own: two outputs, since a page shows one kind of each alone."""
        words, table = html.escape(self.summary), self.table.to_html(border=0, na_rep="–")
        folded = f"<summary>The same in words and as a table</summary><p>{words}</p>{table}"
        page = f"<details>{folded}</details><style>{sheet()}</style>"
        read = {"text/html": page, "text/plain": str(self.table)}
        for output in (self._repr_mimebundle_(), read):
            display(output, raw=True)  # type: ignore[no-untyped-call]  # IPython's has no types


#: The tags of a template of what is read at the pointer, once they have been escaped.
_TAGS = re.compile(r"&lt;(br|/?extra)&gt;")


def _as_text(given: dict[str, Any]) -> dict[str, Any]:
    """What is drawn, with each text as it is: plotly reads HTML in any of them.

    One loop over all that is nested: thousands of numbers must not cost a call each.
    """
    made = dict(given)
    left: list[Any] = [made]
    while left:
        inside = left.pop()
        for at, value in inside.items() if isinstance(inside, dict) else enumerate(inside):
            if isinstance(value, str):
                inside[at] = html.escape(value, quote=False)
                if at == "hovertemplate":
                    # Its line breaks, and the tags around its name, are no one's text.
                    inside[at] = _TAGS.sub(r"<\1>", inside[at])
            elif isinstance(value, dict | list | tuple):
                inside[at] = dict(value) if isinstance(value, dict) else list(value)
                left.append(inside[at])
    return made


def _with_units(given: dict[str, Any]) -> dict[str, Any]:
    """What is drawn, with what is read when the pointer is on it: its name, and values with units.

    The titles of the axes say what a value is: of ``delay [ms]`` it reads ``delay: 44.1 ms``.
    """
    axes, read = {}, ("", "", "")
    for name, axis in (given.get("layout") or {}).items():
        if name[1:5] == "axis":
            label, _, unit = axis.get("title", {}).get("text", "").rstrip("]").partition(" [")
            value = f"%{{{name[0]}}}" if "ticktext" in axis else f"%{{{name[0]}:,.4~r}}"
            axes[name[0] + name[5:]] = (f"{label}: " if label else "", value, unit)
    for trace in given.get("data") or ():
        if "hovertemplate" in trace or "hoverinfo" in trace:
            continue
        said = "%{text}<br>" if trace.get("text") and "text" not in trace.get("mode", "") else ""
        for letter in "xy":
            label, value, unit = axes.get(trace.get(f"{letter}axis", letter), read)
            values = trace.get(letter) or (None,)
            if isinstance(values[0], str):
                value = f"%{{{letter}}}"
            said += f"{label}{value} {unit}".strip() + ("<br>" if letter == "x" else "")
        trace["hovertemplate"] = f"{said}<extra>{trace.get('name', '')}</extra>"
    return given


class LiveFigure(Patient, go.FigureWidget):  # type: ignore[misc]  # plotly has no types
    """A figure as a widget, whose traces keep the names that were given to them as `uid`."""

    #: The text in place of a file: that would keep each widget, to notify it of an edit.
    _esm = patient(Path(__file__).with_name("live_figure.js").read_text(encoding="utf-8"))
    _css = WAITING
    #: Where the page finds plotly's own module.
    _plotly = traitlets.Unicode().tag(sync=True)
    #: plotly would give each trace a new random uid, and nothing could be recognised by it.
    _set_trace_uid = False
    #: The figure whose pale traces it has.
    before: Figure | None = None

    @traitlets.default("_plotly")
    def _the_same_for_all(self) -> str:
        return str(_sent_once().model_id)


class _Plotly(Patient, go.FigureWidget):  # type: ignore[misc]  # plotly has no types
    """Plotly's own module for the page. It is a figure only to be a widget, and never shown."""

    _esm = patient("export default {}")
    code = traitlets.Unicode(str(go.FigureWidget._esm)).tag(sync=True)


@cache
def _sent_once() -> _Plotly:
    """The one of this kernel, which serves all its figures."""
    return _Plotly()


def live(figure: Figure) -> LiveFigure:
    """Return the figure as a widget, to be updated in place by `refresh`.

    Parameters
    ----------
    figure : Figure

    Returns
    -------
    LiveFigure
        With the same traces and layout.

    Raises
    ------
    ValueError
        If it is no Figure.

    Examples
    --------
    >>> figure = Figure(data=[{"type": "scatter", "x": [1, 2], "y": [3, 4], "uid": "line"}])
    >>> live(figure).data[0].uid
    'line'
    """
    made = checked(Figure, figure, "figure").to_plotly_json()
    made["data"] += [*_before(made["data"])]
    widget = LiveFigure(made)
    # plotly has no public way to configure a widget; without this the upload button is back.
    widget._config = CONFIG
    # plotly keeps a copy of the start for pages, and sends them changes alone: one that is opened
    # again would show the start.
    widget._trait_values |= {"_widget_data": widget._data, "_widget_layout": widget._layout}
    return widget


def _before(traces: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """A pale trace, empty at first, for each that moves, and its entry of the key."""
    moving = [each for each in traces if each.get("meta") in style.MOVING]
    look = {"opacity": _PALE, "zorder": -1, "name": BEFORE, "legendgroup": BEFORE}
    for each in moving:
        there = {"x": [], "y": [], "uid": f"{_BEFORE}{each['uid']}", "showlegend": False}
        said = each.get("hovertemplate", "").partition("<extra>")[0]
        yield {**each, **look, **there, "hovertemplate": f"{said}<extra>{BEFORE}</extra>"}
    if moving:
        marker = {"color": style.INK, "size": 10, "symbol": "square"}
        shown = {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "marker": marker}
        yield {**shown, **look, "uid": f"{_BEFORE}key", "meta": None, "showlegend": False}


def page(figure: Figure, title: str) -> str:
    """The figure, its words and its table as one HTML page that fetches nothing.

    Parameters
    ----------
    figure : Figure
    title : str
        Of the page.

    Returns
    -------
    str
        An HTML document of about 5 MB, the drawing program among it.

    Raises
    ------
    ValueError
        If it is no Figure, or the title no text.

    Examples
    --------
    >>> document = page(Figure(summary="Nothing is lost."), "Losses")
    >>> "<title>Losses</title>" in document, "Nothing is lost." in document
    (True, True)
    """
    figure, title = checked(Figure, figure, "figure"), checked(str, title, "title")
    drawn = figure.to_html(include_plotlyjs=True, full_html=False, config=CONFIG)
    words, table = html.escape(figure.summary), figure.table.to_html(border=0, na_rep="–")
    ground = (
        "body { font: 15px/1.5 system-ui, sans-serif; margin: 1em 2em; } h1 { font-size: 1.4em; }"
    )
    ground += (
        " @media (prefers-color-scheme: dark) { body { background: #111111; color: #E0E0E0; } }"
    )
    name = html.escape(title)
    head = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
        f"<style>{ground}\n{sheet()}</style>"
    )
    return f"{head}<body><h1>{name}</h1>{drawn}<p>{words}</p>{table}</body></html>"


def refresh(widget: LiveFigure, figure: Figure, before: Figure | None = None) -> None:
    """Bring a live figure to the data of a figure made anew by the same function.

    An axis stays as it is as long as it has room for the new values and they fill a third of it.

    Parameters
    ----------
    widget : LiveFigure
        What is on the screen.
    figure : Figure
        How it should look.
    before : Figure, optional
        How it looked before the last move: what moved leaves a pale trace of it.

    Raises
    ------
    ValueError
        If the two do not have the same traces.

    Examples
    --------
    >>> widget = live(Figure(data=[{"type": "scatter", "x": [1, 2], "y": [3, 4], "uid": "line"}]))
    >>> refresh(widget, Figure(data=[{"type": "scatter", "x": [1, 2], "y": [3, 9], "uid": "line"}]))
    >>> widget.data[0].y
    (3, 9)
    """
    widget = checked(LiveFigure, widget, "widget")
    new = list(map(_UID, checked(Figure, figure, "figure").data))
    live, pale = widget.data[: len(new)], widget.data[len(new) :]
    old = list(map(_UID, live))
    if old != new or (pale and not pale[0].uid.startswith(_BEFORE)):
        raise ValueError(f"traces are {new}; allowed: {old}, as in the live figure")
    with widget.batch_update():
        _bring(zip(live, figure.data, strict=True), _CHANGING)
        if before is not widget.before:
            widget.before = before
            _leave(pale, before)
        if figure.layout.scattergap != widget.layout.scattergap:
            # It goes with how many there are in a group.
            widget.layout.scattergap = figure.layout.scattergap
        for axis in figure.layout:
            if axis.startswith(("xaxis", "yaxis")):
                if figure.layout[axis].type != widget.layout[axis].type:
                    widget.layout[axis].update(figure.layout[axis].to_plotly_json())
                shown, wanted = widget.layout[axis].range, figure.layout[axis].range
                room = shown and wanted and shown[0] <= wanted[0] < wanted[1] <= shown[1]
                if not room or shown[1] - shown[0] > 3 * (wanted[1] - wanted[0]):
                    widget.layout[axis].range = wanted


def _bring(pairs: Iterable[tuple[Any, Any]], names: Sequence[str]) -> None:
    """Change what differs: plotly takes its time to look at each value that it is given."""
    for trace, made in pairs:
        shown, wanted, changed = trace.to_plotly_json(), made.to_plotly_json(), {}
        for name in names:
            if name in wanted and shown.get(name) != wanted[name]:
                changed[name] = wanted[name]
        trace.update(changed)


def _leave(pale: Sequence[Any], before: Figure | None) -> None:
    """Draw what moved where it was before, and its entry of the key as soon as there is any."""
    known = dict(zip(map(_UID, before.data), before.data, strict=True)) if before else {}
    pairs = []
    for trace in pale:
        if trace.uid == f"{_BEFORE}key":
            trace.showlegend = bool(known)
        elif known:
            pairs.append((trace, known[trace.uid.removeprefix(_BEFORE)]))
        else:
            trace.update(x=[], y=[])
    _bring(pairs, ("x", "y", "marker"))


def rounded(table: pd.DataFrame, digits: int = 3) -> pd.DataFrame:
    """The numbers with so many digits: what a reader compares, and the same on any machine."""
    return table.map(lambda value: float(f"{value:.{digits}g}"))


def checked_results(results: Any, *kinds: type) -> dict[str, Any]:
    """Labels and their results, each of one of these kinds; or the error of `fail`."""
    if not isinstance(results, Mapping) or not results:
        fail("results", results, "a mapping of labels to results")
    for label, each in results.items():
        checked(str, label, "the label of a result")
        if not isinstance(each, kinds):
            fail(f"result {label!r}", each, " or ".join(kind.__name__ for kind in kinds))
    return dict(results)
