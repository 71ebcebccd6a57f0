"""Measurements of one's own over both models: each statistic in a panel of its own."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from qoslib import units
from qoslib.compare import Overlay, Published, Row
from qoslib.plots import style
from qoslib.plots.columns import Columns
from qoslib.plots.figure import Figure
from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.units import Floats

__all__ = ["PANELS", "overlay"]


class _Panel(NamedTuple):
    """What a panel shows: its title, its unit, what is drawn there, and a model's values of it."""

    title: str
    unit: str
    quantities: tuple[str, ...]
    #: What a `Result` calls it; empty where only the values that were compared are known.
    of_result: str = ""


#: The panels by name; a mean, a percentile and a maximum never share one.
PANELS = {
    "sent": _Panel("sent [Mb/s of frames]", "Mbit/s", ("sent",), "sent_bps"),
    "throughput": _Panel("throughput [Mb/s of payload]", "Mbit/s", ("throughput",)),
    "lost": _Panel("lost [% of offered]", "%", ("drop_ratio",), "drop_ratio"),
    "mean": _Panel("mean delay [ms]", "ms", ("latency_average",), "delay_mean_s"),
    "p50": _Panel("median delay [ms]", "ms", ("latency_p50",), "delay_p50_s"),
    "p95": _Panel("95 % delay [ms]", "ms", ("latency_p95",), "delay_p95_s"),
    "p99": _Panel("99 % delay [ms]", "ms", ("latency_p99",), "delay_p99_s"),
    "maximum": _Panel("largest delay [ms]", "ms", ("latency_maximum",), "delay_max_s"),
    "minimum": _Panel("least delay [ms]", "ms", ("latency_minimum",), "delay_min_s"),
    "round_trip": _Panel(
        "mean round trip [ms]", "ms", ("round_trip_average", "smoothed_round_trip_average")
    ),
}
#: What is drawn where nothing was measured that has a panel.
USUAL = ("sent", "lost", "mean")
_BASES = {"bps": "bit/s", "ratio": "1", "s": "s"}
_MODELS = ("fluid", "packets")
#: How pale measured values are that were made at another load: less so than what has moved.
OTHER_LOAD = 0.75
#: As many measured values are named of those that no panel shows.
MOST_NAMED = 8


def overlay(laid: Overlay, panels: Sequence[str] = (), faded: bool = False) -> Figure:
    """Draw measured values over what the models say, each statistic in a panel of its own.

    Pale bars are the offered load. What no panel shows is named in the summary.

    Parameters
    ----------
    laid : Overlay
        Of `compare.overlay`.
    panels : sequence of str
        Names of `PANELS`, at most four; by default those that something was measured of.
    faded : bool
        Whether the measurements were made at another load: they are drawn pale and not scored.

    Returns
    -------
    Figure
        A panel for each statistic over the streams.

    Raises
    ------
    ValueError
        If no model said anything, or there is no such panel.

    Examples
    --------
    >>> import pandas as pd
    >>> from qoslib import PacketLimit, Port, Queue, Scenario, Stream, compare, measurements
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> office = Scenario("office", port, (Stream("data", 120e6),))
    >>> seen = {"stream": ["data"], "quantity": ["latency"], "statistic": ["p99"]}
    >>> seen |= {"value": [8.1], "unit": ["ms"]}
    >>> figure = overlay(compare.overlay(office, measurements.load(pd.DataFrame(seen))))
    >>> figure.layout["yaxis"]["title"]["text"]
    '99 % delay [ms]'
    """
    checked(Overlay, laid, "laid")
    results = {model: laid.result(model) for model in _MODELS}
    first = next((result for result in results.values() if result is not None), None)
    if first is None:
        fail("the results of laid", (), "what at least one model says", verb="are")
    drawn = _Drawn(laid, first, _chosen(laid, first, panels))
    names = list(first.streams)
    offered = units.convert(first.offered_bps, "bit/s", "Mbit/s")
    traces: list[style.Json] = []
    if "sent" in drawn.panels:
        place = drawn.panels.index("sent")
        traces.append(style.bars(names, offered, place, width=0.6))
    for place, name in enumerate(drawn.panels):
        for model, result in results.items():
            y = drawn.modelled(name, model, result)
            uid = f"{model}-{place}"
            traces.append(style.points(model, names, names, y, place, uid=uid))
        traces.append(drawn.measured(name, place, faded))
    table = drawn.table(offered, results, faded)
    layout = style.layout(
        [PANELS[name].title for name in drawn.panels],
        y_axes=_axes(drawn.panels, traces, len(names)),
    )
    traces += [*style.keys(*_MODELS), style.key("measured") | {"name": "measured"}]
    style.beside(traces, layout, max(len(names), 2))
    for trace in traces:
        if trace.get("meta") == "packets":
            # It stands beside the fluid's, not on it.
            trace["marker"] |= {"size": 8}
    return Figure(data=traces, layout=layout, summary=drawn.summary(faded), table=table)


def _chosen(laid: Overlay, first: Result, panels: Sequence[str]) -> tuple[str, ...]:
    """The panels that were asked for, or else those that something was measured of."""
    asked: tuple[str, ...] = checked(tuple[str, ...], panels, "panels")
    unknown = [name for name in asked if name not in PANELS]
    if unknown or len(asked) > style.MOST_PANELS:
        fail("panels", asked, f"at most {style.MOST_PANELS} of {', '.join(PANELS)}", verb="are")
    found = {name for value, _ in laid.by_value() for name in [_panel_of(laid, value)] if name}
    used = [name for name in PANELS if name in found]
    return asked or tuple(used[: style.MOST_PANELS]) or USUAL


def _panel_of(laid: Overlay, value: Published | Row) -> str:
    """The panel that a measured quantity belongs to; empty where none does."""
    if value.quantity == "throughput" and not _is_payload(laid, value.stream):
        # Without a size of its payload, a stream's throughput is that of its frames.
        return "sent"
    of = (name for name, panel in PANELS.items() if value.quantity in panel.quantities)
    return next(of, "")


def _is_payload(laid: Overlay, stream: str) -> bool:
    flows = [flow for host in laid.scenario.hosts for flow in host.flows]
    known = any(
        value.quantity == "payload_size" and value.stream in (stream, "") for value in laid.inputs
    )
    return known or any(stream in ("", flow.name, flow.label) for flow in flows)


class _Drawn:
    """What is drawn of an overlay: the panels, and the values in their units."""

    def __init__(self, laid: Overlay, first: Result, panels: tuple[str, ...]) -> None:
        self.laid, self.panels = laid, panels
        self.names = list(first.streams)
        flows = [flow for host in laid.scenario.hosts for flow in host.flows]
        self.frames_bytes = {flow.name: float(flow.frame_bytes) for flow in flows}
        self.frames_bytes |= {each.name: each.mean_frame_bytes for each in laid.scenario.streams}
        labels = {flow.label: flow.name for flow in flows}
        labels |= {stream.label: stream.name for stream in laid.scenario.streams}
        self.name_of = labels | {name: name for name in self.names}
        if len(self.names) == 1:
            self.name_of[""] = self.names[0]

    def modelled(self, panel: str, model: str, result: Result | None) -> Floats:
        """A model's values of a panel, NaN where it has none."""
        values = np.full(len(self.names), math.nan)
        how = PANELS[panel]
        steady = result is not None and result.seed is None and result.duration_s is None
        if steady and panel in ("maximum", "minimum"):
            # A fluid has one delay a stream, which is its mean.
            return values
        if result is not None and how.of_result:
            base = _BASES[how.of_result.rsplit("_", 1)[-1]]
            return units.convert(np.array(getattr(result, how.of_result)), base, how.unit)
        for value, rows in self.laid.by_value():
            row = rows.get(model)
            at = self._at(value)
            if at is not None and _panel_of(self.laid, value) == panel and row is not None:
                said = row.modelled
                values[at] = math.nan if said is None else units.convert(said, row.unit, how.unit)
        return values

    def _at(self, value: Published) -> int | None:
        name = self.name_of.get(value.stream)
        return self.names.index(name) if name in self.names else None

    def measured(self, panel: str, place: int, faded: bool) -> style.Json:
        """The measured values of a panel with their half widths."""
        found = {}
        for value, _ in self.laid.by_value():
            at = self._at(value)
            if at is not None and _panel_of(self.laid, value) == panel:
                both = self._converted(value, self.names[at], PANELS[panel].unit)
                found[self.names[at], value.quantity] = both
        names = [name for name, _ in found]
        both = np.array(list(found.values()), dtype=float).reshape(-1, 2)
        trace = style.points(
            "measured",
            names,
            names,
            both[:, 0],
            place,
            uid=f"measured-{place}",
            half_width=both[:, 1],
            faded=faded,
        )
        # The look of a class follows its place among all of them, not among those measured.
        whole = style.points("measured", self.names, self.names, [], place)["marker"]
        trace["marker"] = _of(whole, [self.names.index(name) for name in names])
        trace["opacity"] = OTHER_LOAD if faded else 1.0
        return trace | {"name": trace["name"].replace("published", "measured")}

    def _converted(self, value: Published, name: str, unit: str) -> Floats:
        """A measured value and its half width, in the unit that is drawn."""
        kind, size = units.UNITS[value.unit]
        both = np.array([value.value, value.half_width]) * size
        if kind == "packet rate":
            both, kind = units.rate_bps(both, self.frames_bytes[name]), "data rate"
        base = {"data rate": "bit/s", "ratio": "1", "time": "s"}[kind]
        return units.convert(both, base, unit)

    def table(self, offered: Floats, results: dict[str, Result | None], faded: bool) -> Columns:
        """A row a stream: what is drawn, and every measured value with its errors."""
        columns: dict[str, Floats] = {"offered [Mb/s]": offered}
        for panel in self.panels:
            title = _column(panel)
            for model, result in results.items():
                columns[f"{title} {model}"] = self.modelled(panel, model, result)
        made = Columns(columns, self.names, "stream").significant(4)
        seen: dict[str, list[float | str | None]] = {}
        for value, rows in self.laid.by_value():
            at = self._at(value)
            if at is None:
                continue
            mine: dict[str, float | str] = {
                f"{value.quantity} measured [{value.unit}]": value.value
            }
            for row in () if faded else rows.values():
                mine[f"{value.quantity} error, {row.model}"] = _error(row)
            for title, said in mine.items():
                seen.setdefault(title, [None] * len(self.names))[at] = said
        return Columns({**made.columns, **seen}, self.names, "stream")

    def summary(self, faded: bool) -> str:
        """What each stream loses and waits for, how many values fit, and what is not drawn."""
        judged = [row for row in self.laid.rows if row.verdict != "unscored"]
        within = sum(row.verdict == "within" for row in judged)
        score = f" {within} of {len(judged)} scored values are within tolerance." if judged else ""
        score += _unscored(self.laid.rows)
        if faded and self.laid.rows:
            score = " Measured values are not scored: they were made at another load."
        said = "; ".join(self._sentences())
        return f"{said}.{score}{self._not_drawn()}"

    def _sentences(self) -> Iterable[str]:
        """One for each stream, by the packets where they were played."""
        model = next(each for each in _MODELS[::-1] if self.laid.result(each) is not None)
        result = self.laid.result(model)
        lost, delay = (self.modelled(panel, model, result) for panel in ("lost", "mean"))
        for name, share, wait in zip(self.names, lost, delay, strict=True):
            waits = "" if math.isnan(wait) else f" and takes {wait:.3g} ms"
            yield f"{name} loses {share:.3g} %{waits}"

    def _not_drawn(self) -> str:
        """The measured values that no panel shows, each once."""
        left = [
            value
            for value, _ in self.laid.by_value()
            if _panel_of(self.laid, value) not in self.panels or self._at(value) is None
        ]
        each = list(dict.fromkeys(f"{v.quantity} of {v.stream or 'all'}" for v in left))
        if len(each) > MOST_NAMED:
            each[MOST_NAMED:] = [f"and {len(each) - MOST_NAMED} more"]
        return f" Not drawn: {', '.join(each)}." if each else ""


def _of(marker: style.Json, places: Sequence[int]) -> style.Json:
    """A look without what belongs to other places."""
    lists = {key: value for key, value in marker.items() if isinstance(value, list)}
    return marker | {key: [value[at] for at in places] for key, value in lists.items()}


def _column(panel: str) -> str:
    """The title of a panel as that of a column."""
    called = {"sent": "sent [Mb/s]", "lost": "lost [%]", "mean": "delay [ms]"}
    return called.get(panel, PANELS[panel].title)


def _axes(panels: Sequence[str], traces: Sequence[style.Json], streams: int) -> list[style.Json]:
    """Rates from 0, shares to 100 %, delays in decades; those of one stream from 0, too."""
    axes: list[style.Json] = []
    for place, panel in enumerate(panels):
        unit, axis = PANELS[panel].unit, f"y{place + 1 if place else ''}"
        shown = [value for t in traces if t.get("yaxis") == axis for value in t["y"] if value > 0]
        if unit == "ms" and streams > 1:
            ends = np.log10([min(shown, default=1.0), max(shown, default=1.0)])
            axes.append(style.decades(np.floor(ends[0] - 0.1), np.ceil(ends[1] + 0.1)))
        elif unit == "%":
            axes.append({"range": [-3, 103]})
        else:
            top = style.nice(1.05 * max([*shown, 1e-3]))
            axes.append({"rangemode": "tozero", "range": [-0.02 * top, top]})
    return axes


def _error(row: Row) -> str:
    if row.error is None:
        return "not scored"
    if row.error_kind == "absolute":
        return f"{row.error:+.3g} {row.unit}"
    return f"{units.convert(row.error, '1', '%'):+.1f} %"


def _unscored(rows: Sequence[Row]) -> str:
    """Why the first of the values that no model speaks to is not scored, and how many there are."""
    left = [row for row in rows if row.verdict == "unscored"]
    if not left:
        return ""
    first = f"{left[0].quantity} of {left[0].stream or 'all'}: {left[0].reason}"
    return f" Not scored: {len(left)}, the first {first}."
