"""A figure as a widget in a notebook, which is brought to new data in place."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import traitlets

from qoslib.plots import style
from qoslib.plots.figure import CONFIG, Figure
from qoslib.plots.patient import WAITING, Patient, patient
from qoslib.plots.plotly_alone import go
from qoslib.record import checked

__all__ = ["LiveFigure", "live", "refresh"]

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
    >>> figure = Figure([{"type": "scatter", "x": [1, 2], "y": [3, 4], "uid": "line"}])
    >>> live(figure).data[0].uid
    'line'
    """
    made = checked(Figure, figure, "figure").to_dict()
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
    >>> widget = live(Figure([{"type": "scatter", "x": [1, 2], "y": [3, 4], "uid": "line"}]))
    >>> refresh(widget, Figure([{"type": "scatter", "x": [1, 2], "y": [3, 9], "uid": "line"}]))
    >>> widget.data[0].y
    (3, 9)
    """
    widget = checked(LiveFigure, widget, "widget")
    new = [each.get("uid") for each in checked(Figure, figure, "figure").data]
    live, pale = widget.data[: len(new)], widget.data[len(new) :]
    old = list(map(_UID, live))
    if old != new or (pale and not pale[0].uid.startswith(_BEFORE)):
        raise ValueError(f"traces are {new}; allowed: {old}, as in the live figure")
    with widget.batch_update():
        _bring(zip(live, figure.data, strict=True), _CHANGING)
        if before is not widget.before:
            widget.before = before
            _leave(pale, before)
        _fit(widget, figure.layout)


def _fit(widget: LiveFigure, layout: dict[str, Any]) -> None:
    """Bring what may change of a layout to this one."""
    gap = layout.get("scattergap")
    if gap != widget.layout.scattergap:
        # It goes with how many there are in a group.
        widget.layout.scattergap = gap
    for name, axis in layout.items():
        if not name.startswith(("xaxis", "yaxis")):
            continue
        on_screen = widget.layout[name]
        if axis.get("type") != on_screen.type:
            on_screen.update(axis)
        shown, wanted = on_screen.range, axis.get("range")
        room = shown and wanted and shown[0] <= wanted[0] < wanted[1] <= shown[1]
        if not room or shown[1] - shown[0] > 3 * (wanted[1] - wanted[0]):
            on_screen.range = wanted


def _bring(pairs: Iterable[tuple[Any, dict[str, Any]]], names: Sequence[str]) -> None:
    """Change what differs: plotly takes its time to look at each value that it is given."""
    for trace, wanted in pairs:
        shown, changed = trace.to_plotly_json(), {}
        for name in names:
            if name in wanted and shown.get(name) != wanted[name]:
                changed[name] = wanted[name]
        trace.update(changed)


def _leave(pale: Sequence[Any], before: Figure | None) -> None:
    """Draw what moved where it was before, and its entry of the key as soon as there is any."""
    known = {each["uid"]: each for each in before.data} if before else {}
    pairs = []
    for trace in pale:
        if trace.uid == f"{_BEFORE}key":
            trace.showlegend = bool(known)
        elif known:
            pairs.append((trace, known[trace.uid.removeprefix(_BEFORE)]))
        else:
            trace.update(x=[], y=[])
    _bring(pairs, ("x", "y", "marker"))
