"""One look per kind of thing, one colour and symbol per traffic class, in every figure."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

__all__ = [
    "DARK",
    "KINDS",
    "LIKE",
    "LOOKS",
    "MOST_PANELS",
    "Look",
    "bars",
    "beside",
    "bound",
    "curve",
    "decades",
    "ghost",
    "key",
    "keys",
    "layout",
    "line",
    "look",
    "looks",
    "nice",
    "points",
    "upright",
    "variant",
]

#: Okabe and Ito's colours, distinct with any colour vision; black is left to text. Three of them
#: are darker than theirs, so that all are seen on white: a test holds contrast and distance.
ORANGE, SKY, GREEN, BLUE, RED, PINK = (
    "#D08200",
    "#4699DF",
    "#009E73",
    "#0072B2",
    "#C65400",
    "#CC79A7",
)
INK, PALE, CLEAR = "#444444", "#DDDDDD", "rgba(0, 0, 0, 0)"
#: Grid, thin bars beside the point, and what a symbol stands out from.
GRID, RIM, GROUND = "#EEEEEE", "#BBBBBB", "#FFFFFF"
#: The ground of a figure: a white that no one else has, by which `theme` knows our figures.
PAPER = "#FFFFFE"
#: Colours of the classes on a dark ground: the same hues, brighter.
DARK = {
    ORANGE: "#FFB84D",
    SKY: "#8CCBFF",
    GREEN: "#3CCFA0",
    BLUE: "#4DA3E8",
    RED: "#FF9152",
    PINK: "#E79BCB",
}
#: A trace or a layout as plotly reads it.
Json: TypeAlias = dict[str, Any]
#: plotly's template "none"; by its name it would have to be looked up for each figure. A mark on an
#: axis or at its end is drawn whole.
_TEMPLATE = {"data": {"scatter": [{"type": "scatter", "cliponaxis": False}]}}


class Look(NamedTuple):
    """Colour, and a symbol that tells the class without colour."""

    colour: str
    symbol: str


#: The look of each traffic class; one that is neither here nor in `LIKE` takes a look by its place.
LOOKS = {
    "CS4": Look(RED, "diamond"),
    "NC": Look(PINK, "star"),
    "CS3": Look(GREEN, "triangle-down"),
    "CS1": Look(ORANGE, "square"),
    "CS2": Look(SKY, "triangle-up"),
    "BE": Look(BLUE, "circle"),
}

#: Other names of classes, in small letters, and whose look they have.
LIKE = {
    **{"ef": "CS4", "voice": "CS4", "video": "CS3", "business": "CS3", "control": "NC"},
    **{"default": "BE", "best effort": "BE", "data": "BE"},
}

#: What each kind of thing is called in the key of a figure.
KINDS = {
    "fluid": "fluid model",
    "packets": "packet model",
    "tcp": "TCP model",
    "measured": "published",
    "bound": "bound",
    "now": "at the sliders",
}

#: What a reader's own guess is called.
GUESS = "your guess"
#: What a published value is called besides where the settings are not its own, and how pale it is.
OTHERWISE, FADED = ", with other settings", 0.45
#: Kinds that leave a pale trace of where they were when a control moves.
MOVING = ("fluid", "tcp", "now")
#: A key without anything to hide.
STILL = {"itemclick": False, "itemdoubleclick": False}

_MARKER: dict[str, Json] = {
    "fluid": {"size": 12, "line": {"width": 0}},
    "now": {"size": 12, "line": {"width": 2, "color": INK}},
    # Small, dark and round whatever the class, to be seen on the fluid symbol or line below.
    "packets": {
        "size": 6,
        "line": {"width": 1, "color": GROUND},
        "color": INK,
        "symbol": "circle",
    },
    "tcp": {"size": 8, "line": {"width": 0}},
    "measured": {"size": 16, "line": {"width": 2}},
}
_LINE: dict[str, Json] = {
    "fluid": {"width": 2.5},
    "packets": {"width": 1},
    "tcp": {"width": 1.5},
    "bound": {"width": 1.5, "dash": "dash"},
}


@lru_cache(maxsize=1000)
def look(name: str, place: int = -1) -> Look:
    """The look of a class, the same in every figure; by its place where it is not listed."""
    return _listed(name) or list(LOOKS.values())[place % len(LOOKS)]


def _listed(name: str) -> Look | None:
    return LOOKS.get(LIKE.get(name.lower(), name))


def looks(names: Iterable[str], first: int = -1) -> dict[str, Look]:
    """The looks of classes in one figure: no two alike as long as there are enough."""
    names, each = list(dict.fromkeys(names)), list(LOOKS.values())
    found: dict[str, Look] = {}
    for name in names:
        listed = _listed(name)
        if listed and listed not in found.values():
            found[name] = listed
    for place, name in enumerate(names, first):
        in_turn = [each[(place + more) % len(each)] for more in range(len(each))]
        free = (look for look in in_turn if look not in found.values())
        found.setdefault(name, next(free, in_turn[0]))
    return found


@lru_cache(maxsize=1000)
def _marker(kind: str, names: tuple[str, ...]) -> Json:
    found = looks(names)
    shown = [found[name] for name in names]
    opened = "-open" if kind == "measured" else ""
    symbols = [each.symbol + opened for each in shown]
    return {"color": [each.colour for each in shown], "symbol": symbols, **_MARKER[kind]}


def points(
    kind: str,
    names: Sequence[str],
    x: Iterable[Any],
    y: Iterable[float],
    panel: int,
    *,
    half_width: Iterable[float] | None = None,
    faded: bool = False,
    **more: Any,
) -> Json:
    """Markers, one a class, with the half width of the rounding as bars where it is given.

    Faded are published values whose settings are not those of the rest of the figure.
    """
    trace: Json = {
        "type": "scatter",
        "mode": "markers",
        "x": list(x),
        "y": np.array([*y], dtype=float),
        "marker": dict(_marker(kind, tuple(names))),
        "name": KINDS[kind] + (OTHERWISE if faded else ""),
        "opacity": FADED if faded else 1.0,
        "meta": kind,
        # A click on the entry of a kind in the key hides all that is of it.
        "legendgroup": kind,
        "showlegend": False,
        **_PLACES[panel],
        **more,
    }
    if half_width is not None:
        trace["error_y"] = {
            "type": "data",
            "array": np.array([*half_width], dtype=float),
            "color": INK,
            "width": 3,
        }
    return trace


def variant(name: str, place: int) -> Look:
    """The look of another answer about the same class: grey, and a symbol of its own."""
    return look(name) if place == 0 else Look(INK, list(LOOKS.values())[place % len(LOOKS)].symbol)


def line(
    kind: str,
    name: str,
    x: Iterable[Any],
    y: Iterable[float],
    panel: int,
    *,
    as_look: Look | None = None,
    **more: Any,
) -> Json:
    """A line of one class over a continuous axis, with a few symbols to recognise it in grey."""
    colour, symbol = as_look or look(name)
    return {
        "type": "scatter",
        "mode": "lines+markers" if kind == "fluid" else "lines",
        "x": np.array([*x], dtype=float),
        "y": np.array([*y], dtype=float),
        "line": {**_LINE[kind], "color": colour},
        "marker": {"color": colour, "symbol": symbol, "size": 7, "maxdisplayed": 6},
        "name": name,
        "legendgroup": name,
        "showlegend": panel == 0,
        "meta": kind,
        **_PLACES[panel],
        **more,
    }


def curve(
    kind: str, name: str, x: Iterable[float], y: Iterable[float], panel: int, **more: Any
) -> Json:
    """A line without symbols."""
    return line(kind, name, x, y, panel, **more) | {"mode": "lines"}


def bars(names: Sequence[str], y: Iterable[float], panel: int = 0, **more: Any) -> Json:
    """Pale bars of what is offered to each class."""
    look = {"name": "offered", "legendgroup": "offered", "showlegend": panel == 0}
    drawn = {
        "type": "bar",
        "x": list(names),
        "y": np.array([*y], dtype=float),
        "marker": {"color": PALE},
    }
    return drawn | look | {"width": 0.8, "uid": "offered", "zorder": -2, **_PLACES[panel], **more}


def keys(*kinds: str) -> list[Json]:
    """Entries of the key, one a kind of thing."""
    return list(map(key, kinds))


def key(kind: str) -> Json:
    """An entry of the key that stands for a kind of thing, whatever the class."""
    marker: dict[str, Any] = {**_MARKER[kind], "color": INK, "symbol": "circle"}
    if kind == "measured":
        marker |= {"symbol": "circle-open", "size": 12}
    entry = {"x": [None], "y": [None], "mode": "markers", "marker": marker, "legendgroup": kind}
    return {"type": "scatter", "name": KINDS[kind], "uid": f"key-{kind}", **entry}


def bound(name: str, x: Iterable[Any], y: Iterable[float], panel: int, **more: Any) -> Json:
    """A dashed grey line."""
    return line("bound", name, x, y, panel, as_look=Look(INK, "circle"), **more)


def upright(name: str, x: float | None, top: float, panel: int, side: str, uid: str) -> Json:
    """A dashed line from the x axis up, named at its top; nothing where `x` is None."""
    at: list[float] = [] if x is None else [x, x]
    trace = bound(name, at, [0, top][: len(at)], panel, uid=uid)
    # With `maxdisplayed` plotly leaves out the texts of short traces.
    trace["marker"] = {"color": INK}
    text = {"mode": "lines+text", "text": ["", name], "textposition": f"top {side}"}
    return trace | text | {"showlegend": False}


def ghost(
    x: Sequence[Any],
    y: Sequence[Any],
    panel: int,
    said: Sequence[str],
    faded: bool,
    side: str,
    uid: str,
) -> Json:
    """What a reader guessed: a dotted line, or a mark where it is one point; named at its end."""
    line = len(x) > 1
    name = GUESS + (OTHERWISE if faded else "")
    return {
        "type": "scatter",
        "mode": "lines+text" if line else "markers+text",
        "x": list(x),
        "y": list(y),
        "text": [""] * (len(x) - 1) + [GUESS] * bool(x),
        "textposition": f"top {side}",
        "textfont": {"size": 11, "color": INK},
        "line": {"color": INK, "width": 2.5, "dash": "dot"},
        "marker": {"color": INK, "symbol": "asterisk-open", "size": 10, "line": {"width": 2}},
        "opacity": FADED if faded else 1.0,
        "name": name,
        "customdata": list(said),
        "hovertemplate": f"%{{customdata}}<extra>{name}</extra>",
        "showlegend": False,
        "uid": uid,
        # In the middle of its class, whatever stands beside each other there.
        "alignmentgroup": uid,
        "offsetgroup": uid,
        **_PLACES[panel],
    }


def beside(traces: Sequence[Json], layout: Json, classes: int) -> None:
    """Set the marks of a class beside each other, a place for each kind, in panels of classes."""
    # Near each other, however few classes share the axis.
    layout |= {"scattermode": "group", "scattergap": max(0.1, 1 - 0.17 * classes)}
    for trace in traces:
        kind = trace.get("meta")
        if trace["type"] == "scatter" and "xaxis" in trace:
            alone = kind not in _BESIDE or trace["mode"] != "markers"
            group = {"alignmentgroup": trace["uid"]} if alone else {"alignmentgroup": "marks"}
            trace |= {"offsetgroup": kind or "alone", **group}
        if kind == "measured":
            trace["marker"]["size"] = 12


#: Kinds that stand beside each other.
_BESIDE = ("measured", "fluid", "packets")


def nice(top: float) -> float:
    """The next round number: axes that end at one stay still while the values below it change."""
    size = 10.0 ** np.floor(np.log10(top)) if top > 0 else 1.0
    return float(next(step * size for step in _STEPS if step * size >= top * (1 - 1e-9)))


_STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
#: As many panels as a figure may have.
_NUMBERS = ("", "2", "3", "4")
MOST_PANELS = len(_NUMBERS)
_PLACES = [{"xaxis": f"x{number}", "yaxis": f"y{number}"} for number in _NUMBERS]


def decades(low: float, high: float) -> Json:
    """A logarithmic axis between two powers of ten."""
    return {"type": "log", "range": [low, high], "dtick": 1, "exponentformat": "none"}


def page() -> Json:
    """What every figure has: its size, its ground, and a key above it."""
    return {
        "template": _TEMPLATE,
        "height": 330,
        "autosize": True,
        "margin": {"l": 55, "r": 10, "t": 40, "b": 45},
        "font": {"size": 12, "color": INK},
        "paper_bgcolor": PAPER,
        "plot_bgcolor": CLEAR,
        # Without a ground of its own it covers no tick label of a high axis.
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "bgcolor": CLEAR},
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": GROUND, "bordercolor": INK, "font": {"color": INK}},
    }


def layout(
    y_titles: Sequence[str],
    x_title: str | Sequence[str] = "",
    y_axes: Sequence[Any] = (),
    **x_axis: Any,
) -> Json:
    """Panels side by side on white, each y axis with its title and unit; the key above them.

    `y_axes` has a mapping with what else each of the y axes has; one for all if it is only one.
    """
    # Tick labels and a title fit between three panels on a page of half a screen.
    gap = 0.13 if len(y_titles) == 3 else 0.1
    width = (1 - gap * (len(y_titles) - 1)) / len(y_titles)
    x_titles = [x_title] * len(y_titles) if isinstance(x_title, str) else x_title
    more = list(y_axes) * len(y_titles) if len(y_axes) == 1 else y_axes or [{}] * len(y_titles)
    made: Json = {}
    for panel, (title, number) in enumerate(zip(y_titles, _NUMBERS, strict=False)):
        low = panel * (width + gap)
        drawn = {"showline": True, "linecolor": INK, "ticks": "outside", "gridcolor": GRID}
        drawn |= {"separatethousands": True}
        made[f"xaxis{number}"] = {
            **drawn,
            "zeroline": False,
            "domain": [low, min(1.0, low + width)],
            "anchor": f"y{number}",
            "title": {"text": x_titles[panel], "standoff": 6},
            **x_axis,
        }
        made[f"yaxis{number}"] = {
            **drawn,
            "anchor": f"x{number}",
            "title": {"text": title, "standoff": 4},
            "zeroline": False,
            **more[panel],
        }
    return page() | made
