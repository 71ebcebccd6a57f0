"""The controls that explorers share."""

import html
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets

__all__ = ["bare", "button", "choice", "flow", "heading", "row", "slider", "stacked", "switch"]

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
        layout=widgets.Layout(width="100%", max_width="620px"),
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


def stacked(
    controls: Mapping[str, widgets.Widget], reset: Callable[[], object]
) -> list[widgets.Widget]:
    """A line for each slider, and one for all other controls with a button that moves all back."""
    sliders = [each for each in controls.values() if isinstance(each, widgets.FloatSlider)]
    others = [each for each in controls.values() if each not in sliders]
    return [*sliders, flow(*others, button("Reset", reset))]
