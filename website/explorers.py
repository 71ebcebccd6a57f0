"""What an explorer of a lesson answers a page: the same figure as in a notebook, as plain data."""

import math
from collections.abc import Mapping
from typing import Any

from qoslib.explore import Explorer
from qoslib.explore.controls import (
    Bare,
    Button,
    Choice,
    Control,
    Heading,
    Hidden,
    Member,
    Row,
    Slider,
    Upload,
)
from qoslib.front.workers import silent
from qoslib.packets.progress import Progress
from qoslib.plots import Figure
from qoslib.plots.columns import Columns
from website import made

__all__ = ["answer", "control_of", "described", "state", "values_of", "with_cause"]

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
    values = values_of(explorer, message.get("values") or {})
    shown = state(explorer, values, bool(message.get("packets")), progress)
    return with_cause(explorer, shown, values, message.get("before"))


def state(
    explorer: Explorer, values: dict[str, Any], packets: bool, progress: Progress = silent
) -> Json:
    """The figure, its words, its table, and the lines of Python that make it again."""
    figure = explorer.answer(values, packets, progress)
    return {
        **figure.to_dict(),
        "summary": figure.summary,
        "remark": figure.remark,
        "cause": "",
        "table": _table(figure),
        "python": explorer.python_of(values),
        "values": values,
        "packets": packets or not explorer.simulates,
    }


def with_cause(
    explorer: Explorer, shown: Json, values: Mapping[str, Any], before: Mapping[str, Any] | None
) -> Json:
    """A state with one sentence on what the move from `before` did; without one while it moves."""
    if not before or not shown["packets"]:
        return shown
    old = {**values, **before["values"]}, before["summary"]
    return {**shown, "cause": explorer.cause_of(old, (values, shown["summary"]))}


def described(explorer: Explorer) -> Json:
    """The controls for a page: each with its label, its range or options, and where it begins."""
    preset = explorer.preset
    starts = []
    if preset:
        options = control_of(preset, explorer.controls[preset])["options"]
        starts = [[value, explorer.begun({preset: value})] for _, value in options]
    return {
        "controls": [control_of(name, each) for name, each in explorer.controls.items()],
        "rows": list(map(_row, explorer.rows)),
        "start": dict(explorer.start),
        "preset": {"name": preset, "starts": starts} if preset else None,
    }


def _row(member: Member) -> Json:
    """A part of the rows above the figure: a control, a heading, a button, or rows to unfold."""
    match member:
        case str(name):
            return {"control": name, "bare": False}
        case Bare(name):
            return {"control": name, "bare": True}
        case Heading(text):
            return {"heading": text}
        case Button(label):
            return {"button": label}
        case Row(members):
            # A file is loaded in a notebook alone.
            return {"row": [_row(each) for each in members if not isinstance(each, Upload)]}
        case Hidden(members):
            return {"more": list(map(_row, members))}
    raise TypeError(f"member is {member!r}")


def control_of(name: str, control: Control) -> Json:
    """A control for a page."""
    label, _, unit = control.label.rstrip("]").partition(" [")
    told = {"name": name, "label": label, "unit": unit}
    match control:
        case Slider(min=low, max=high, step=step, digits=digits):
            return {
                **told,
                "kind": "slider",
                **{"min": low, "max": high, "step": step, "digits": digits},
            }
        case Choice(options=options):
            return {**told, "kind": "choice", "options": list(options)}
    return {**told, "kind": "switch"}


def values_of(explorer: Explorer, given: Mapping[str, Any]) -> dict[str, Any]:
    """All values of the controls, from those that a page has given."""
    moved = explorer.asked(**given)
    return {**explorer.begun({**explorer.start, **moved}), **moved}


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
