"""The scoreboard as one figure: modelled over published, by platform and by what was counted."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from qoslib import units
from qoslib.compare import Row
from qoslib.compare.tables import lines
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure

__all__ = ["family", "figure", "lanes_of"]

#: Titles of the panels: predictions, and what a number was fitted on.
PANELS = ("predictions: modelled / published", "fits: modelled / published")
#: Ratios that the axes name; between 1.001 and 0.999 they are linear, beyond it logarithmic.
TICKS = (0.1, 0.9, 0.99, 1, 1.01, 1.1, 10)
LINEAR = 0.001
LEAST, MOST = 0.05, 20.0
#: Verdict -> what the key calls it, colour and symbol.
VERDICTS = {
    "within": ("within its tolerance", style.Look(style.BLUE, "circle-open")),
    "misfit": ("known misfit", style.Look(style.RED, "x")),
}
#: How far the points of a lane are spread, so that they are not one point [lanes].
SPREAD = 0.32


def family(quantity: str) -> str:
    """What a quantity is about: ``delay``, ``lost`` or ``carried``."""
    if quantity.startswith("latency"):
        return "delay"
    return "lost" if "drop" in quantity else "carried"


def figure(rows: Sequence[Row], lanes: Sequence[str] = ()) -> Figure:
    """Every scored value as a point: left the predictions, right the fits.

    Bars are the rounding of the published value. A value published as 0 has no ratio; the table
    has it.

    Parameters
    ----------
    rows : sequence of Row
        Scored rows of a scoreboard.
    lanes : sequence of str
        Lanes of the figure, from the top; by default those of the rows.
    """
    names = list(lanes) or lanes_of(rows)
    traces = [
        _trace(rows, names, panel, fitted, verdict)
        for panel, fitted in enumerate((False, True))
        for verdict in VERDICTS
    ]
    table = Columns.of_rows(lines(rows))
    return Figure(data=traces, layout=_layout(names), summary=_summary(rows), table=table)


def lanes_of(rows: Sequence[Row]) -> list[str]:
    """The lanes of rows: platform and family, in the order in which they come."""
    found = dict.fromkeys((row.platform, family(row.quantity)) for row in rows)
    platforms = list(dict.fromkeys(platform for platform, _ in found))
    return [f"{p} {f}" for p in platforms for f in ("carried", "lost", "delay") if (p, f) in found]


def _trace(rows, lanes, panel, fitted, verdict):
    mine = [
        row for row in rows if (row.fitted, row.verdict) == (fitted, verdict) and row.published > 0
    ]
    ratio = np.array([(row.modelled or 0.0) / row.published for row in mine])
    half = np.array([row.half_width / row.published for row in mine])
    label, (colour, symbol) = VERDICTS[verdict]
    x = _place(ratio)
    return {
        "type": "scatter",
        "mode": "markers",
        "uid": f"{verdict}-{panel}",
        "name": label,
        "legendgroup": verdict,
        "showlegend": panel == 0,
        "x": x,
        "y": _lane(mine, lanes),
        "text": [f"{row.title}: {row.modelled:.4g} / {row.published:g} {row.unit}" for row in mine],
        "hoverinfo": "text",
        "marker": {"color": colour, "symbol": symbol, "size": 7},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": _place(ratio + half) - x,
            "arrayminus": x - _place(ratio - half),
            "color": style.RIM,
            "thickness": 1,
            "width": 0,
        },
        "xaxis": "x" if panel == 0 else "x2",
        "yaxis": "y" if panel == 0 else "y2",
    }


def _place(ratio):
    """Where a ratio stands on the axis: linear next to 1, logarithmic on both sides."""
    off = np.log(np.clip(ratio, LEAST, MOST))
    return np.sign(off) * np.log10(1 + np.abs(off) / LINEAR)


def _lane(rows, lanes):
    """Height of each row: its lane, from the top, and a little more or less."""
    at = np.array([lanes.index(f"{row.platform} {family(row.quantity)}") for row in rows])
    # By its name, so that a point stays where it is while others go.
    within = np.array([crc32(row.title.encode()) / 2**32 for row in rows])
    return -at.astype(float) + SPREAD * (2 * within - 1) if len(rows) else at


def _layout(lanes):
    x = {"tickvals": _place(np.array(TICKS)).tolist(), "ticktext": [f"{t:g}" for t in TICKS]}
    low, high = _place(np.array([LEAST, MOST])).tolist()
    ends = [low - 0.1, high + 0.1]
    layout = style.layout(["", ""], range=ends, tickangle=0, tickfont={"size": 10}, **x)
    layout |= {"height": 150 + 26 * len(lanes), "margin": {"l": 120, "r": 10, "t": 40, "b": 45}}
    for panel, title in enumerate(PANELS):
        number = "" if panel == 0 else "2"
        layout[f"xaxis{number}"]["title"] = {"text": title, "standoff": 6}
        layout[f"yaxis{number}"] |= {
            "tickvals": [-place for place in range(len(lanes))],
            "ticktext": list(lanes),
            "range": [-len(lanes) + 0.4, 0.6],
            "showticklabels": panel == 0,
        }
    return layout


def _summary(rows):
    parts = [[row for row in rows if row.fitted == fitted] for fitted in (False, True)]
    kinds = ("predicted", "fitted on")
    sentences = [_count(mine, name) for mine, name in zip(parts, kinds, strict=True)]
    none = sum(row.published == 0 for row in rows)
    zero = f" {none} values were published as 0 and have no ratio." if none else ""
    return f"{' '.join(filter(None, sentences))}{zero}" or "No value is left."


def _count(rows, name):
    if not rows:
        return ""
    within = sum(row.verdict == "within" for row in rows)
    share = units.convert(within / len(rows), "1", "%")
    off = len({row.misfit for row in rows if row.misfit})
    return (
        f"Of {len(rows)} values {name}, {within} ({share:.0f} %) are within their"
        f" tolerance; the others belong to {off} known misfits."
    )
