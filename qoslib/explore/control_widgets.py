"""The controls and rows of explorers as widgets."""

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets as widgets

from qoslib.explore.controls import (
    MORE,
    RESET,
    Bare,
    Button,
    Choice,
    Control,
    Heading,
    Hidden,
    Member,
    Row,
    Slider,
)

__all__ = ["Rows", "button", "control_widget", "dropdown", "flow_of"]


def control_widget(control: Control) -> widgets.Widget:
    """The widget of a control."""
    if isinstance(control, Slider):
        return _slider(control)
    if isinstance(control, Choice):
        return dropdown(control.label, control.options, control.value)
    return widgets.Checkbox(value=control.value, description=control.label, indent=False)


def _slider(control: Slider) -> widgets.FloatSlider:
    """A slider with its name in front; it draws while it moves."""
    half = control.half
    # Its margins are 2 px on either side: with them 100 % would need a scroll bar.
    width = {"width": "50%" if half else "calc(100% - 4px)"}
    return widgets.FloatSlider(
        control.value,
        min=control.min,
        max=control.max,
        step=control.step,
        description=control.label,
        readout_format=f".{control.digits}f",
        style={"description_width": "132px" if half else "190px"},
        layout=widgets.Layout(**width, max_width="480px" if half else "620px"),
    )


def dropdown(label: str, options: Any, value: Any) -> widgets.Dropdown:
    """A list to choose from."""
    style = {"description_width": "auto"}
    made = widgets.Dropdown(options=options, value=value, description=label, style=style)
    made.layout.width = "auto"
    return made


def button(name: str, pressed: Callable[[], object]) -> widgets.Button:
    """A button that calls `pressed` without arguments."""
    made = widgets.Button(description=name)
    made.on_click(lambda _: pressed())
    return made


def flow_of(*members: widgets.Widget) -> widgets.HBox:
    """Widgets one after the other, on as many lines as the page needs."""
    return widgets.HBox(list(members), layout=widgets.Layout(width="100%", flex_flow="row wrap"))


class Rows:
    """The rows above a figure, made of the widgets of its controls."""

    def __init__(
        self,
        controls: Mapping[str, widgets.Widget],
        reset: Callable[[], object],
        loader: widgets.Widget | None = None,
    ) -> None:
        self._controls, self._loader, self._reset = controls, loader, reset
        self._held = widgets.VBox(layout=widgets.Layout(display="none", width="100%"))

    def made(self, members: Sequence[Member]) -> list[widgets.Widget]:
        """The widgets of members, in their order."""
        return [self._member(each) for each in members]

    def _member(self, member: Member) -> widgets.Widget:
        match member:
            case str(name):
                return self._controls[name]
            case Bare(name, size):
                return _bare(self._controls[name], size)
            case Heading(text, size):
                return widgets.HTML(f"<b>{html.escape(text)}</b>", layout=_column(size))
            case Button():
                return self._button(member)
            case Row(members, wraps):
                made = self.made(members)
                return flow_of(*made) if wraps else _row(made)
            case Hidden(members):
                self._held.children = self.made(members)
                return self._held
            case _:
                return self._loader

    def _button(self, member: Button) -> widgets.Widget:
        if member == RESET:
            return button(member.label, self._reset)
        assert member == MORE
        toggle = widgets.ToggleButton(description=member.label)

        def show(change: Any) -> None:
            self._held.layout.display = None if change["new"] else "none"
            toggle.description = "Less" if change["new"] else member.label

        toggle.observe(show, "value")
        return toggle


def _row(members: list[widgets.Widget]) -> widgets.HBox:
    """Widgets side by side, as wide as the page."""
    return widgets.HBox(members, layout=widgets.Layout(width="100%"))


def _bare(control: widgets.Widget, size: str) -> widgets.Widget:
    """The same control for a grid of this column `size`: its name is in the page, not in sight."""
    control.layout.close()
    control.layout = _column(size)
    control.add_class("qoslib-bare")
    return control


def _column(size: str) -> widgets.Layout:
    return widgets.Layout(flex=size, width="auto", min_width="0", margin="0 6px 0 0")
