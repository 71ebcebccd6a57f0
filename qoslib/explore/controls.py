"""The controls that explorers share."""

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ipywidgets as widgets

__all__ = [
    "bare",
    "button",
    "choice",
    "flow",
    "heading",
    "more",
    "row",
    "slider",
    "stacked",
    "switch",
]

_LABELLED = {"description_width": "190px"}


def slider(
    name: str, value: float, low: float, high: float, step: float, digits: int = 0
) -> widgets.FloatSlider:
    """A slider with its name in front; it draws while it moves."""
    return widgets.FloatSlider(
        value,
        min=low,
        max=high,
        step=step,
        description=name,
        readout_format=f".{digits}f",
        style=_LABELLED,
        # Its margins are 2 px on either side: with them 100 % would need a scroll bar.
        layout=widgets.Layout(width="calc(100% - 4px)", max_width="620px"),
    )


def bare(control: widgets.Widget, size: str) -> widgets.Widget:
    """The same control for a grid of this column `size`: its name is in the page, not in sight."""
    control.layout.close()
    control.layout = _column(size)
    control.add_class("qoslib-bare")
    return control


def _column(size: str) -> widgets.Layout:
    return widgets.Layout(flex=size, width="auto", min_width="0", margin="0 6px 0 0")


def choice(name: str, options: Any, value: Any = None) -> widgets.Dropdown:
    """A list to choose from; `options` are texts, or pairs of text and value."""
    made = widgets.Dropdown(options=options, description=name, style={"description_width": "auto"})
    made.layout.width = "auto"
    if value is not None:
        made.value = value
    return made


def switch(name: str, value: bool = False) -> widgets.Checkbox:
    """An on-off switch."""
    return widgets.Checkbox(value=value, description=name, indent=False)


def button(name: str, pressed: Callable[[], object]) -> widgets.Button:
    """A button that calls `pressed` without arguments."""
    made = widgets.Button(description=name)
    made.on_click(lambda _: pressed())
    return made


def heading(text: str, size: str) -> widgets.HTML:
    """A heading of a column, or of a row, of this `size`."""
    return widgets.HTML(f"<b>{html.escape(text)}</b>", layout=_column(size))


def flow(*members: widgets.Widget) -> widgets.HBox:
    """Controls one after the other, on as many lines as the page needs."""
    return widgets.HBox(list(members), layout=widgets.Layout(width="100%", flex_flow="row wrap"))


def row(*members: widgets.Widget) -> widgets.HBox:
    """Controls side by side, as wide as the page."""
    return widgets.HBox(list(members), layout=widgets.Layout(width="100%"))


def more(*members: widgets.Widget) -> tuple[widgets.Widget, widgets.Widget]:
    """A button *More* that shows and hides these controls, and what holds them; hidden at first."""
    held = widgets.VBox(list(members), layout=widgets.Layout(display="none", width="100%"))
    toggle = widgets.ToggleButton(description="More")

    def show(change: Any) -> None:
        held.layout.display = None if change["new"] else "none"
        toggle.description = "Less" if change["new"] else "More"

    toggle.observe(show, "value")
    return toggle, held


def stacked(
    controls: Mapping[str, widgets.Widget], reset: Callable[[], object], first: Sequence[str] = ()
) -> list[widgets.Widget]:
    """A line for each slider, and one for all other controls with a button that moves all back.

    Where some are named as `first`, all others are below *More*.
    """
    rest = [each for name, each in controls.items() if first and name not in first]
    sliders, others = _apart(each for each in controls.values() if each not in rest)
    reset_all = button("Reset", reset)
    if not rest:
        return [*sliders, flow(*others, reset_all)]
    hidden, chosen = _apart(rest)
    toggle, held = more(*hidden, flow(*chosen))
    return [*sliders, flow(*others, toggle, reset_all), held]


def _apart(controls: Iterable[widgets.Widget]) -> tuple[list[Any], list[Any]]:
    """The sliders among some controls, and the others."""
    every = list(controls)
    sliders = [each for each in every if isinstance(each, widgets.FloatSlider)]
    return sliders, [each for each in every if each not in sliders]
