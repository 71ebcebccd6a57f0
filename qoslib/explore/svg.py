"""Shapes, and how a list of them is printed as an SVG of a few kilobytes, still or moving."""

import html
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

__all__ = [
    *("INK", "MUTED", "RED", "RULE", "TRAY", "WIDTH"),
    *("Loop", "Shape", "Stroke"),
    *("alike", "area", "box", "document", "dot", "moves_or_stands", "printed"),
    *("rule", "stem", "text"),
]

INK, MUTED, RULE, TRAY, RED = "#1F2328", "#59636E", "#B4BBC4", "#F2F3F4", "#B3261E"
FONT = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"
#: How wide a picture is, and how large its letters are [px].
WIDTH, SIZE = 820, 12.5


class Stroke(NamedTuple):
    """A piece of a path, and the look that it has in common with others of that path."""

    look: str
    piece: str


#: What a picture is a list of; a string is an element of its own.
Shape = Stroke | str


def printed(shapes: Iterable[Shape]) -> str:
    """The shapes in order; strokes next to one another that look alike are one path.

    >>> printed([rule(0, 9, 5, 9), rule(6, 9, 8, 9), "<g/>"])
    '<path stroke="#B4BBC4" stroke-width="1.5" d="M0 9L5 9M6 9L8 9"/><g/>'
    """
    found: list[str] = []
    for look, same in groupby(shapes, _look):
        pieces = [each.piece for each in same if isinstance(each, Stroke)]
        found.append(f'<path {look} d="{"".join(pieces)}"/>' if pieces else look)
    return "".join(found)


def alike(strokes: Iterable[Stroke]) -> list[Stroke]:
    """Strokes with those that look alike behind one another, so that they are one path."""
    return sorted(strokes, key=lambda stroke: stroke.look)


def _look(shape: Shape) -> str:
    return shape if isinstance(shape, str) else shape.look


def _stroke(colour: str, width: float, piece: str, more: str = "") -> Stroke:
    return Stroke(f'stroke="{colour}" stroke-width="{width:g}"{more}', piece)


def rule(
    x0: float, y0: float, x1: float, y1: float, colour: str = RULE, width: float = 1.5
) -> Stroke:
    """A line between whole pixels: a floor, a wall, a gate."""
    return _stroke(colour, width, f"M{x0:.0f} {y0:.0f}L{x1:.0f} {y1:.0f}")


def box(x: float, y: float, width: float, height: float, colour: str) -> Stroke:
    """A packet, as a line through its middle that is as wide as it is high; with a gap."""
    gap = 1 if width > 4 else 0
    middle, long = round(y + height / 2, 1), round(max(width - gap, 0.5), 1)
    return _stroke(colour, height, f"M{round(x + gap / 2, 1):g} {middle:g}h{long:g}")


def stem(x: float, foot: float, top: float, colour: str) -> Stroke:
    return _stroke(colour, 1.5, f"M{x:.1f} {foot:g}V{top:.1f}")


def dot(x: float, y: float, colour: str) -> Stroke:
    return _stroke(colour, 5, f"M{x:.1f} {y:.1f}h0", ' stroke-linecap="round"')


def area(
    x: float, y: float, width: float, height: float, colour: str = TRAY, corner: float = 0
) -> str:
    """A filled rectangle, such as the room of a queue."""
    place = f'x="{round(x, 1):g}" y="{round(y, 1):g}" width="{round(width, 1):g}"'
    round_at = f' rx="{corner:g}"' if corner else ""
    return f'<rect {place} height="{height:g}"{round_at} fill="{colour}"/>'


def text(
    said: str,
    x: float,
    y: float,
    colour: str = INK,
    *,
    anchor: str = "start",
    weight: int = 400,
    size: float = SIZE,
    blinks: str = "",
) -> str:
    """A line of text; one that has an animation appears with it."""
    look = "" if size == SIZE else f' font-size="{size}"'
    look += "" if weight == 400 else f' font-weight="{weight}"'
    look += "" if anchor == "start" else f' text-anchor="{anchor}"'
    look += "" if colour == INK else f' fill="{colour}"'
    look += ' opacity="0"' if blinks else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{look}>{html.escape(said)}{blinks}</text>'


def document(
    shapes: Iterable[Shape],
    height: float,
    summary: str,
    width: float = WIDTH,
    font: str = FONT,
    size: float = SIZE,
) -> str:
    """An SVG with a white ground and a description."""
    box = f'viewBox="0 0 {width} {height:.0f}" width="{width}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" fill="{INK}"'
    head += f' font-family="{font}" font-size="{size}">'
    ground = f'<rect width="{width}" height="{height:.0f}" rx="8" fill="#fff"/>'
    return f"{head}<title>{html.escape(summary)}</title>{ground}{printed(shapes)}</svg>"


def moves_or_stands(moving: str, standing: str, style: str = "") -> str:
    """What moves, and in its place what is shown where no motion is wanted."""
    calm = "@media(prefers-reduced-motion:reduce){.m{display:none}.s{display:inline}}"
    look = f"<style>.s{{display:none}}{calm}{style}</style>"
    return f'{look}<g class="m">{moving}</g><g class="s">{standing}</g>'


class Loop(NamedTuple):
    """How long a picture plays before it begins again [s], and the digits of times within it."""

    lasts_s: float
    digits: int

    def within(self, keys: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
        """Broken lines, each key a time [s] and their values, from the loop's start to its end.

        >>> Loop(4.0, 3).within([(-1, 0), (1, 2), (5, 10)])
        [(0.0, 1.0), (1, 2.0), (4.0, 8.0)]
        """
        times, *lines = zip(*keys, strict=True)
        chosen = [0.0, *(at for at in times if 0 < at < self.lasts_s), self.lasts_s]
        return [
            (at, *(float(np.interp(at, times, line)) for line in lines))
            for at in dict.fromkeys(chosen)
        ]

    def animated(self, name: str, keys: Iterable[tuple[float, str]], discrete: bool = False) -> str:
        """An attribute, or a transform, that goes through values at times [s]."""
        times, values = zip(*keys, strict=True)
        look = f'dur="{self.lasts_s:g}s" repeatCount="indefinite"'
        look += ' calcMode="discrete"' if discrete else ""
        shares = ";".join(self._share(at) for at in times)
        kind, of = "animate", f'attributeName="{name}"'
        if name in ("translate", "rotate"):
            kind, of = "animateTransform", f'attributeName="transform" type="{name}"'
        return f'<{kind} {of} {look} keyTimes="{shares}" values="{";".join(values)}"/>'

    def _share(self, time_s: float) -> str:
        """A time as a share of the loop, in as few characters as it needs."""
        share = min(max(time_s / self.lasts_s, 0.0), 1.0)
        return f"{share:.{self.digits}f}".rstrip("0").rstrip(".").replace("0.", ".", 1)
