"""What is on screen, to take along: figure, table, scenario, and the Python that makes it again."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from qoslib import plots
from qoslib.scenario import Scenario

__all__ = ["Call", "File", "files", "lines"]

#: How text begins that a spreadsheet takes for a formula.
FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
#: A signed number with its unit, as in the errors of our own tables, is none.
SIGNED = re.compile(r"[+-][\d.,]+(e[+-]?\d+)?( [a-zA-Z/%]+)?")


class Call(NamedTuple):
    """How an explorer is made: its lesson, its arguments as Python, and what its controls mean.

    The arguments may depend on the controls' values. Where they name ``saved``, that is the
    scenario on screen, saved as JSON. `function` makes the explorer.
    """

    lesson: str
    arguments: str | Callable[[dict[str, Any]], str] = ""
    scenarios: Callable[[dict[str, Any]], Sequence[Scenario]] | None = None
    function: str = "explorer"

    @property
    def name(self) -> str:
        """What its files are called."""
        return self.lesson if self.function == "explorer" else self.function


class File(NamedTuple):
    """A file to save."""

    name: str
    mime: str
    text: str


def files(kind: str, call: Call, figure: plots.Figure, values: dict[str, Any]) -> list[File]:
    """The files of a kind, ``html``, ``csv`` or ``json``, of what is on screen."""
    if kind == "html":
        return [File(f"{call.name}.html", "text/html", plots.page(figure, call.name))]
    if kind == "csv":
        table = figure.table.map(_as_cell).rename(index=_as_cell, columns=_as_cell)
        return [File(f"{call.name}.csv", "text/csv", table.to_csv())]
    scenarios = call.scenarios(values) if call.scenarios else ()
    single = len(scenarios) == 1
    return [
        File(
            f"{call.name}{'' if single else f'_{number}'}.json",
            "application/json",
            scenario.to_json(),
        )
        for number, scenario in enumerate(scenarios, 1)
    ]


def _as_cell(value: Any) -> Any:
    """A cell as it is; an apostrophe in front of text that a spreadsheet would run as a formula."""
    if isinstance(value, str) and FORMULA.match(value) and not SIGNED.fullmatch(value):
        return f"'{value}"
    return value


def lines(call: Call, values: dict[str, Any], start: dict[str, Any]) -> str:
    """Three lines of Python that make the same again."""
    arguments = call.arguments if isinstance(call.arguments, str) else call.arguments(values)
    moved = {name: at for name, at in values.items() if at != start.get(name, at)}
    made = f"app = lessons.{call.lesson}.{call.function}({arguments})"
    if "saved" in arguments:
        read = f'saved = scenario.Scenario.from_json(open("{call.name}.json").read())'
        return "\n".join(("from qoslib import lessons, scenario", read, made))
    moves = ", ".join(f"{name}={value!r}" for name, value in moved.items())
    return "\n".join(("from qoslib import lessons", made, f"app.move({moves})"))
