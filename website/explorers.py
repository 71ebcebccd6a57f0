"""What an explorer of a lesson answers a page: the same figure as in a notebook, as plain data."""

import html
import math
from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets

from qoslib.explore import Explorer
from qoslib.explore.change_summary import cause
from qoslib.explore.export import lines
from qoslib.front.workers import silent
from qoslib.packets.progress import Progress
from qoslib.plots import Columns, Figure
from website import made

__all__ = ["answer", "begun", "described", "state", "with_cause"]

#: A page's numbers may be this far from an end of a slider, relative to its reach.
ROUNDED = 1e-9
Json = dict[str, Any]


def answer(message: Mapping[str, Any], progress: Progress = silent) -> Json:
    """Answer ``{lesson, number, values, packets, before}``.

    `values` may name some controls; all others stand where they begin. `before` are the values and
    the summary of the figure that the page showed at rest, if any.

    Raises
    ------
    ValueError
        If there is no such explorer or control, or what the values describe cannot be shown.
    """
    explorer = made.again(message.get("lesson", ""), "explorer", message.get("number", 0))
    values = _checked(explorer, message.get("values") or {})
    shown = state(explorer, values, bool(message.get("packets")), progress)
    return with_cause(explorer, shown, values, message.get("before"))


def state(
    explorer: Explorer, values: dict[str, Any], packets: bool, progress: Progress = silent
) -> Json:
    """The figure, its words, its table, and the lines of Python that make it again."""
    simulate = explorer._simulate if packets else None
    figure = explorer._draw(values, simulate and simulate(values, progress))
    call = explorer._call
    return {
        **figure.to_dict(),
        "summary": figure.summary,
        "remark": figure.remark,
        "cause": "",
        "table": _table(figure),
        "python": lines(call, values, begun(explorer, values)) if call else "",
        "values": values,
        "packets": packets or not explorer._simulate,
    }


def with_cause(
    explorer: Explorer, shown: Json, values: Mapping[str, Any], before: Mapping[str, Any] | None
) -> Json:
    """A state with one sentence on what the move from `before` did; without one while it moves."""
    if not before or not shown["packets"]:
        return shown
    old = {**values, **before["values"]}, before["summary"]
    return {**shown, "cause": cause(explorer.controls, old, (values, shown["summary"]))}


def begun(explorer: Explorer, values: Mapping[str, Any]) -> dict[str, Any]:
    """Where the controls begin, at what a preset stands at where there is one."""
    if explorer._preset is None:
        return dict(explorer._start)
    name, begins = explorer._preset
    return {**explorer._start, name: values[name], **begins(values[name])}


def described(explorer: Explorer) -> Json:
    """The controls for a page: each with its label, its range or options, and where it begins."""
    preset = explorer._preset
    starts = []
    if preset is not None:
        options = _options(explorer.controls[preset[0]])
        starts = [[value, begun(explorer, {preset[0]: value})] for _, value in options]
    return {
        "controls": [_control(name, each) for name, each in explorer.controls.items()],
        "rows": _rows(explorer),
        "start": dict(explorer._start),
        "preset": preset and {"name": preset[0], "starts": starts},
    }


def _rows(explorer: Explorer) -> list[Json]:
    """The rows above the figure: names of controls, headings, a button, and rows to unfold."""
    names = {id(each): name for name, each in explorer.controls.items()}
    above = explorer.children[: explorer.children.index(explorer._alert)]
    return [_row(each, names) for each in above]


def _row(widget: widgets.Widget, names: Mapping[int, str]) -> Json:
    if id(widget) in names:
        return {"control": names[id(widget)], "bare": "qoslib-bare" in widget._dom_classes}
    if isinstance(widget, widgets.HTML):
        return {"heading": html.unescape(widget.value.removeprefix("<b>").removesuffix("</b>"))}
    if isinstance(widget, widgets.Box):
        kind = "more" if isinstance(widget, widgets.VBox) else "row"
        return {kind: [_row(each, names) for each in widget.children]}
    return {"button": widget.description}


def _control(name: str, control: widgets.Widget) -> Json:
    label, _, unit = control.description.rstrip("]").partition(" [")
    told = {"name": name, "label": label, "unit": unit}
    if isinstance(control, widgets.FloatSlider):
        digits = int(control.readout_format.strip(".f") or 0)
        ends = {"min": control.min, "max": control.max, "step": control.step, "digits": digits}
        return {**told, "kind": "slider", **ends}
    if isinstance(control, widgets.Checkbox):
        return {**told, "kind": "switch"}
    return {**told, "kind": "choice", "options": _options(control)}


def _options(control: widgets.Widget) -> list[tuple[str, Any]]:
    every = control.options
    return [each if isinstance(each, tuple) else (str(each), each) for each in every]


def _checked(explorer: Explorer, given: Mapping[str, Any]) -> dict[str, Any]:
    """All values of the controls, from those that a page has given."""
    for name, value in given.items():
        if name not in explorer.controls:
            raise ValueError(f"control is {name!r}; allowed: {', '.join(explorer.controls)}")
        _fits(name, _control(name, explorer.controls[name]), value)
    values = {**explorer._start, **given}
    return {**begun(explorer, values), **given}


def _fits(name: str, control: Json, value: Any) -> None:
    if control["kind"] == "slider":
        low, high = control["min"], control["max"]
        near = ROUNDED * (high - low)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and math.isfinite(value) and low - near <= value <= high + near):
            raise ValueError(f"{name} is {value!r}; allowed: {low:g} to {high:g}")
    elif control["kind"] == "switch" and not isinstance(value, bool):
        raise ValueError(f"{name} is {value!r}; allowed: true, false")
    elif control["kind"] == "choice" and value not in [each for _, each in control["options"]]:
        labels = ", ".join(label for label, _ in control["options"])
        raise ValueError(f"{name} is {value!r}; allowed: {labels}")


def _table(figure: Figure) -> Json:
    """The head and the name of each row, and the columns by their heads."""
    table = Columns.of(figure._table)
    cells = [table.index.tolist(), *(each.tolist() for each in table.columns.values())]
    return {
        "heads": [table.name, *map(_head, table.columns)],
        "rows": [list(map(_cell, row)) for row in zip(*cells, strict=True)],
    }


def _head(name: Any) -> str:
    return ", ".join(name) if isinstance(name, tuple) else str(name)


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int | str) else str(value)
