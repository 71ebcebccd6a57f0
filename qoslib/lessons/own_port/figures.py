"""A port of one's own: what each stream sends, loses and waits, with one's own measurements."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from qoslib import units
from qoslib.compare import Row
from qoslib.plots import style
from qoslib.plots.figure import Figure, rounded
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["figure"]

#: Titles of the panels, with units.
PANELS = ("sent [Mb/s of frames]", "lost [% of offered]", "mean delay [ms]")
COLUMNS = ("sent [Mb/s]", "lost [%]", "delay [ms]")
#: As many measured values are named of those that no panel shows.
MOST_NAMED = 8
#: Measured quantity -> its panel, and the unit that is drawn; the models' means are in the last.
DRAWN = {
    "sent": (0, "Mbit/s"),
    "throughput": (0, "Mbit/s"),
    "drop_ratio": (1, "%"),
    "latency_average": (2, "ms"),
}


def figure(
    streams: Sequence[Stream],
    fluid: Result | None,
    packets: Result | None = None,
    measured: Sequence[Row] = (),
    faded: bool = False,
) -> Figure:
    """Both models of each stream, with measured values and their half widths.

    What no panel shows, a maximum of the delay for example, is named in the summary.

    Parameters
    ----------
    streams : sequence of Stream
    fluid : Result or None
        None where no closed form speaks of the port.
    packets : Result, optional
    measured : sequence of Row
        What was measured of the streams, as `compare.score_measurements` gives it.
    faded : bool
        Whether that was measured under other loads.
    """
    names = [stream.name for stream in streams]
    first = next(result for result in (fluid, packets) if result is not None)
    offered = units.convert(first.offered_bps, "bit/s", "Mbit/s")
    numbers = {"fluid": _numbers(fluid, names), "packets": _numbers(packets, names)}
    traces = [style.bars(names, offered, width=0.6)]
    for panel in range(len(PANELS)):
        for kind, known in numbers.items():
            uid = f"{kind}-{panel}"
            traces.append(style.points(kind, names, names, known[panel], panel, uid=uid))
        traces.append(_measured(streams, measured, panel, faded))
    table = _table(names, offered, numbers, measured)
    decades = style.decades(-3.5, 3)
    sent = [value for trace in traces if trace["yaxis"] == "y" for value in trace["y"] if value]
    top = style.nice(1.05 * max([*sent, 1e-3]))
    y_axes: list[style.Json] = [
        {"rangemode": "tozero", "range": [-0.02 * top, top]},
        {"range": [-3, 103]},
        decades,
    ]
    layout = style.layout(PANELS, y_axes=y_axes)
    traces += [*style.keys("fluid", "packets"), style.key("measured") | {"name": "measured"}]
    style.beside(traces, layout, len(names))
    return Figure(data=traces, layout=layout, summary=_summary(table, measured), table=table)


def _numbers(result, names):
    """Sent, lost and delay of each stream; NaN where nothing is known."""
    if result is None:
        return np.full((len(PANELS), len(names)), np.nan)
    return np.array(
        [
            units.convert(result.sent_bps, "bit/s", "Mbit/s"),
            units.convert(result.drop_ratio, "1", "%"),
            units.convert(result.delay_mean_s, "s", "ms"),
        ]
    )


def _measured(streams, measured, panel, faded):
    """The measured values of a panel, each once, whichever model it was compared with."""
    frames = {stream.name: stream.mean_frame_bytes for stream in streams}
    found = {}
    for row in measured:
        if row.stream in frames and DRAWN.get(row.quantity, (None,))[0] == panel:
            found[row.stream, row.quantity] = _drawn(row, frames[row.stream])
    names = [name for name, _ in found]
    both = np.array(list(found.values()), dtype=float).reshape(-1, 2)
    uid = f"measured-{panel}"
    more = {"uid": uid, "half_width": both[:, 1], "faded": faded}
    drawn = style.points("measured", names, names, both[:, 0], panel, **more)
    return drawn | {"name": drawn["name"].replace("published", "measured")}


def _drawn(row, frame_bytes):
    """A measured value and its half width, in the unit that is drawn."""
    _, unit = DRAWN[row.quantity]
    kind, size = units.UNITS[row.unit]
    both = np.array([row.published, row.half_width]) * size
    if kind == "packet rate":
        both, kind = units.rate_bps(both, frame_bytes), "data rate"
    base = {"data rate": "bit/s", "ratio": "1", "time": "s"}[kind]
    return units.convert(both, base, unit)


def _table(names, offered, numbers, measured):
    columns = {"offered [Mb/s]": offered}
    for column, *both in zip(COLUMNS, *numbers.values(), strict=True):
        columns |= {f"{column} {kind}": y for kind, y in zip(numbers, both, strict=True)}
    table = rounded(pd.DataFrame(columns, index=pd.Index(names, name="stream")), 4)
    for row in measured:
        if row.stream in names:
            column = f"{row.quantity} measured [{row.unit}]"
            table.loc[row.stream, column] = row.published
            table.loc[row.stream, f"{row.quantity} error, {row.model}"] = _error(row)
    return table


def _error(row):
    if row.error is None:
        return "not scored"
    if row.error_kind == "absolute":
        return f"{row.error:+.3g} {row.unit}"
    return f"{units.convert(row.error, '1', '%'):+.1f} %"


def _summary(table, measured):
    model = "fluid" if table[f"{COLUMNS[0]} packets"].isna().all() else "packets"
    sentences = [_sentence(name, row, model) for name, row in table.iterrows()]
    scored = [row for row in measured if row.verdict != "unscored"]
    within = sum(row.verdict == "within" for row in scored)
    score = f" {within} of {len(scored)} scored values are within tolerance." if scored else ""
    return f"{'; '.join(sentences)}.{score}{_unscored(measured)}{_not_drawn(table.index, measured)}"


def _not_drawn(names, measured):
    """The measured values that no panel shows, each once."""
    left = [row for row in measured if row.quantity not in DRAWN or row.stream not in names]
    each = list(dict.fromkeys(f"{row.quantity} of {row.stream or 'all'}" for row in left))
    if len(each) > MOST_NAMED:
        each[MOST_NAMED:] = [f"and {len(each) - MOST_NAMED} more"]
    return f" Not drawn: {', '.join(each)}." if each else ""


def _unscored(measured):
    """Why the first of the values that no model speaks to is not scored, and how many there are."""
    left = [row for row in measured if row.verdict == "unscored"]
    if not left:
        return ""
    first = f"{left[0].quantity} of {left[0].stream or 'all'}: {left[0].reason}"
    return f" Not scored: {len(left)}, the first {first}."


def _sentence(name, row, model):
    lost, delay = (row[f"{column} {model}"] for column in COLUMNS[1:])
    waits = "" if np.isnan(delay) else f" and takes {delay:.3g} ms"
    return f"{name} loses {lost:.3g} %{waits}"
