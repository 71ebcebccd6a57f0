"""The controls that explorers share."""

import ipywidgets as widgets

__all__ = ["bare", "button", "choice", "heading", "row", "slider", "switch"]

#: Hides a description from view where a grid has headings; it stays the control's name.
_HIDDEN = {"description_width": "0px"}
_LABELLED = {"description_width": "185px"}


def slider(
    name: str, value: float, low: float, high: float, step: float, digits: int = 0
) -> widgets.FloatSlider:
    """A slider with its name in front; it draws when it is let go or moved by a key."""
    return widgets.FloatSlider(
        value,
        min=low,
        max=high,
        step=step,
        description=name,
        readout_format=f".{digits}f",
        continuous_update=False,
        style=_LABELLED,
        layout=widgets.Layout(width="100%", max_width="620px"),
    )


def bare(control: widgets.Widget, width: str = "26%") -> widgets.Widget:
    """The same control for a grid: its name is in the page, but not in sight."""
    control.style.description_width = _HIDDEN["description_width"]
    control.layout = widgets.Layout(width=width, min_width="0", margin="0 4px 0 0")
    return control


def choice(name: str, options, value=None, label: str = "") -> widgets.Dropdown:
    """A list to choose from; `options` are texts, or pairs of text and value."""
    made = widgets.Dropdown(options=options, description=name, style={"description_width": "auto"})
    made.layout.width = "auto"
    if value is not None:
        made.value = value
    return made


def switch(name: str, value: bool = False) -> widgets.Checkbox:
    """An on-off switch."""
    return widgets.Checkbox(value=value, description=name, indent=False)


def button(name: str, pressed) -> widgets.Button:
    """A button that calls `pressed` without arguments."""
    made = widgets.Button(description=name)
    made.on_click(lambda _: pressed())
    return made


def heading(text: str, width: str) -> widgets.HTML:
    """A column heading of a grid."""
    layout = widgets.Layout(width=width, min_width="0", margin="0 4px 0 0")
    return widgets.HTML(f"<b>{text}</b>", layout=layout)


def row(*members: widgets.Widget) -> widgets.HBox:
    """Controls side by side, as wide as the page."""
    return widgets.HBox(list(members), layout=widgets.Layout(width="100%"))
