"""Figures of the slides: bars, lines and tables in type that can be read from the last row."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qoslib import compare
from qoslib.plots import style

__all__ = ["bars", "lines", "listing", "scored", "table"]

#: Colours of series, in the order in which they come; grey is for what is compared with.
COLOURS = (style.BLUE, style.RED, style.GREEN, style.PINK, style.ORANGE)
MUTED, RULE = "#59636e", "#d0d7de"
WIDTH, HEIGHT, SIZE = 1150, 430, 27
LEFT, RIGHT, TOP, BOTTOM = 110, 30, 48, 76


def bars(values: Any, unit: str) -> str:
    """Bars with their values, one row for each label and one colour for each column.

    Parameters
    ----------
    values : mapping, Series or DataFrame
        Label -> number; a DataFrame has labels in its index and a series in each column.
    unit : str
        Behind each number.

    Returns
    -------
    str
        An HTML table.
    """
    frame = _frame(values)
    most, many = float(frame.max(axis=None)), frame.shape[1] > 1
    rows = []
    for label, row in frame.iterrows():
        tracks = "".join(_bar(float(v), float(v) / most, n, unit) for n, v in enumerate(row))
        rows.append(f'<tr><th scope="row">{html.escape(str(label))}</th><td>{tracks}</td></tr>')
    key = "".join(
        f'<span><i style="background:{COLOURS[n]}"></i>{html.escape(str(name))}</span>'
        for n, name in enumerate(frame.columns)
    )
    above = f'<div class="key">{key}</div>' if many else ""
    high = f"--high:{min(2.2, 10 / (len(frame) * frame.shape[1])):.2f}rem"
    return f'{above}<table class="bars" style="{high}">{"".join(rows)}</table>'


def _frame(values: Any) -> pd.DataFrame:
    """Labels in the index, a series in each column, in the order in which they were given."""
    if isinstance(values, Mapping) and isinstance(next(iter(values.values())), Mapping | pd.Series):
        return pd.DataFrame({name: pd.Series(each) for name, each in values.items()})
    return values if isinstance(values, pd.DataFrame) else pd.DataFrame({"": pd.Series(values)})


def _bar(value: float, share: float, number: int, unit: str) -> str:
    said = f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:g}"
    said = said if len(said) < 6 or "," in said else f"{value:.3g}"
    look = f"width:max(3px,{62 * share:.1f}%);background:{COLOURS[number]}"
    bar = f'<span class="bar" style="{look}"></span>' if value else ""
    return f'<div class="track">{bar}{said} {html.escape(unit)}</div>'


def scored(
    platform: str, rows: Mapping[str, str], model: str = "fluid", assumptions: str = "base"
) -> pd.DataFrame:
    """Published values and what a model gives for them, from the stored scoreboard.

    Parameters
    ----------
    platform : str
    rows : mapping of str to str
        Label of each to "experiment/stream/quantity", or without a stream.
    model, assumptions : str

    Returns
    -------
    DataFrame
        A row for each label, in the unit of the published value.
    """
    kept = {
        "/".join(filter(None, (row.experiment, row.stream, row.quantity))): row
        for row in compare.stored()
        if (row.platform, row.model, row.assumptions) == (platform, model, assumptions)
    }
    names = ["published", "fluid model" if model == "fluid" else "packet model"]
    found = [kept[row] for row in rows.values()]
    return pd.DataFrame([(r.published, r.modelled) for r in found], list(rows), names)


def listing(text: str) -> str:
    """Lines of a configuration or of a program."""
    return f"<pre>{html.escape(text.strip())}</pre>"


def table(rows: Sequence[Sequence[Any]], head: Sequence[str] = ()) -> str:
    """A few rows of text.

    Parameters
    ----------
    rows : sequence of sequences
    head : sequence of str
        What the columns are called.

    Returns
    -------
    str
        An HTML table.
    """
    names = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in head)
    lines = [
        f'<tr><th scope="row">{html.escape(str(first))}</th>'
        + "".join(f"<td>{html.escape(_percent(str(each)))}</td>" for each in rest)
        for first, *rest in rows
    ]
    above = f"<thead><tr>{names}</tr></thead>" if names else ""
    return f'<table class="cells">{above}<tbody>{"".join(lines)}</tbody></table>'


def _percent(text: str) -> str:
    """A number of per cent as text has it, with a space."""
    return re.sub(r"(\d)%", "\\1 %", text)


def lines(
    curves: pd.DataFrame | Mapping[str, Mapping[float, float]],
    x: str,
    y: str,
) -> str:
    """Curves with their names at their right ends.

    Parameters
    ----------
    curves : DataFrame or mapping
        Name -> curve; places along the axis are the index of the DataFrame, or the keys.
    x, y : str
        What the axes show, with units.

    Returns
    -------
    str
        An SVG.
    """
    frame = _frame(curves).sort_index()
    named = [str(name) for name in frame.columns if name]
    right = WIDTH - RIGHT - 17 * max(map(len, named), default=0)
    levels = _round(min(float(frame.min(axis=None)), 0.0), float(frame.max(axis=None)))
    first, last = float(frame.index[0]), float(frame.index[-1])

    def across(value: float) -> float:
        return LEFT + (right - LEFT) * (value - first) / (last - first)

    def up(value: float) -> float:
        share = (value - levels[0]) / (levels[-1] - levels[0])
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share

    parts = [_text(y, 4, 26), _text(x, (LEFT + right) / 2, HEIGHT - 8, anchor="middle")]
    for level in levels:
        parts.append(f'<path d="M{LEFT} {up(level):.1f}H{right}" stroke="{RULE}"/>')
        parts.append(_text(f"{level:,g}", LEFT - 12, up(level) + 9, anchor="end"))
    for tick in _round(first, last):
        if first <= tick <= last:
            parts.append(_text(f"{tick:,g}", across(tick), HEIGHT - 42, anchor="middle"))
    ends = []
    for n, name in enumerate(frame.columns):
        points = "L".join(f"{across(at):.1f} {up(value):.1f}" for at, value in frame[name].items())
        look = f'fill="none" stroke="{COLOURS[n]}" stroke-width="4" stroke-linejoin="round"'
        parts.append(f'<path d="M{points}" {look}/>')
        ends.append((up(float(frame[name].iloc[-1])) + 9, n, str(name)))
    # A name stands where its curve ends, or below the name above it.
    lowest = 0.0
    for end, n, name in sorted(ends):
        lowest = max(end, lowest + SIZE + 4)
        parts.append(_text(name, right + 12, lowest, COLOURS[n], weight=600))
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(parts)}</svg>'


def _text(
    said: str, x: float, y: float, colour: str = MUTED, anchor: str = "start", weight: int = 400
) -> str:
    look = f'font-size="{SIZE}" font-weight="{weight}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{html.escape(said)}</text>'


def _round(low: float, high: float) -> list[float]:
    """About five round numbers from below the least to above the largest."""
    rough = (high - low) / 4 or 1.0
    scale = 10 ** np.floor(np.log10(rough))
    step = next(each * scale for each in (1, 2, 2.5, 5, 10) if each * scale >= rough * 0.999)
    return [
        float(n * step) for n in range(int(np.floor(low / step)), int(np.ceil(high / step)) + 1)
    ]
