"""A figure as a plain record that can also be read: as a paragraph and as a table."""

import html
import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from qoslib.plots.columns import MISSING, Columns
from qoslib.plots.style import Json
from qoslib.plots.theme import sheet
from qoslib.record import checked, fail

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

__all__ = ["CONFIG", "Figure", "checked_results", "page"]

#: Behaviour of every figure. plotly shows a button that uploads the chart by default.
CONFIG: dict[str, Any] = {"showSendToCloud": False, "displaylogo": False, "responsive": True}
#: Buttons that select nothing here, or do what the others do: they covered the key.
CONFIG["modeBarButtonsToRemove"] = ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"]

MIME = "application/vnd.plotly.v1+json"


class Figure:
    """What plotly draws, with a one-paragraph `summary` and a data `table`.

    It is a plain record. In a notebook it shows itself as plotly's JSON, which JupyterLab draws
    with the plotly it has: nothing is fetched and no second copy of plotly is put into the
    notebook. Its words and its table are one click below.

    Parameters
    ----------
    data : iterable of dict
        The traces, each as plotly reads it.
    layout : dict, optional
    summary : str
    table : Columns or DataFrame, optional

    Attributes
    ----------
    data : list of dict
    layout : dict
    summary : str
    remark : str
        Where the models in it part, or where the only one is valid.
    """

    def __init__(
        self,
        data: Iterable[Json] = (),
        layout: Json | None = None,
        *,
        summary: str = "",
        table: "Columns | pd.DataFrame | None" = None,
    ) -> None:
        # Names of streams may hold what plotly would take for markup, and a link would be live.
        drawn = _plain({"data": list(data), "layout": layout or {}})
        self.layout: Json = drawn["layout"]
        self.data: list[Json] = _with_units(drawn["data"], self.layout)
        self.summary, self.remark = summary, ""
        self._table = Columns({}) if table is None else table

    @property
    def table(self) -> "pd.DataFrame":
        """The numbers of the figure, as a DataFrame."""
        if isinstance(self._table, Columns):
            self._table = self._table.to_frame()
        return self._table

    def table_html(self) -> str:
        """The same as a table of HTML, which needs no pandas.

        Returns
        -------
        str

        Examples
        --------
        >>> "<td>2.5</td>" in Figure(table=Columns({"y": [2.5]}, ["a"])).table_html()
        True
        """
        if isinstance(self._table, Columns):
            return self._table.to_html()
        return str(self._table.to_html(border=0, na_rep=MISSING))

    def add_traces(self, traces: Iterable[Json]) -> "Figure":
        """Draw these, too.

        Parameters
        ----------
        traces : iterable of dict
            Each as plotly reads it.

        Returns
        -------
        Figure
            The same.

        Examples
        --------
        >>> len(Figure().add_traces([{"type": "scatter", "x": [1], "y": [2]}]).data)
        1
        """
        self.data += _plain({"data": list(traces)})["data"]
        return self

    def to_dict(self) -> Json:
        """Return traces as `data`, and the `layout`, as JSON has them: null stands for NaN.

        Returns
        -------
        dict

        Examples
        --------
        >>> Figure([{"type": "scatter", "y": np.array([1, np.nan])}]).to_dict()["data"][0]["y"]
        [1.0, None]
        """
        return {"data": list(map(dict, self.data)), "layout": dict(self.layout)}

    def to_plotly(self) -> "go.Figure":
        """Return the same as a figure of plotly, to be styled further or saved as a picture.

        Returns
        -------
        plotly.graph_objects.Figure

        Raises
        ------
        ValueError
            If plotly does not know a property of it.

        Examples
        --------
        >>> Figure([{"type": "scatter", "y": [1, 2]}]).to_plotly().data[0].y
        (1, 2)
        """
        from qoslib.plots.plotly_alone import go

        return go.Figure(self.to_dict())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Json:
        drawn = self.to_dict()
        for trace in drawn["data"]:
            # By it a widget knows its traces; here nothing follows.
            trace.pop("uid", None)
        # JupyterLab fits what it draws; if plotly did the same, it would forget the height.
        drawn["config"] = CONFIG | {"responsive": False}
        return {MIME: drawn, "text/plain": self.summary}

    def _ipython_display_(self) -> None:
        """Two outputs, since a page shows one kind of each alone."""
        from IPython.display import display

        words, table = html.escape(self.summary), self.table_html()
        folded = f"<summary>The same in words and as a table</summary><p>{words}</p>{table}"
        page = f"<details>{folded}</details><style>{sheet()}</style>"
        read = {"text/html": page, "text/plain": str(self.table)}
        for output in (self._repr_mimebundle_(), read):
            display(output, raw=True)  # type: ignore[no-untyped-call]  # IPython's has no types


#: The tags of a template of what is read at the pointer, once they have been escaped.
_TAGS = re.compile(r"&lt;(br|/?extra)&gt;")


def _plain(given: Json) -> Json:
    """A copy that is JSON: lists, numbers or None, and each text as it is, where plotly reads HTML.

    One loop over all that is nested: thousands of numbers must not cost a call each.
    """
    made = dict(given)
    left: list[Any] = [made]
    while left:
        inside = left.pop()
        for at, value in inside.items() if isinstance(inside, dict) else enumerate(inside):
            if isinstance(value, str):
                inside[at] = html.escape(value, quote=False)
                if at == "hovertemplate":
                    # Its line breaks, and the tags around its name, are no one's text.
                    inside[at] = _TAGS.sub(r"<\1>", inside[at])
            elif isinstance(value, float):
                if not math.isfinite(value):
                    inside[at] = None
            elif isinstance(value, np.generic):
                inside[at] = value.item()
            elif isinstance(value, dict | list | tuple | np.ndarray):
                if isinstance(value, np.ndarray):
                    inside[at] = value.tolist()
                else:
                    inside[at] = dict(value) if isinstance(value, dict) else list(value)
                left.append(inside[at])
    return made


def _with_units(traces: list[Json], layout: Json) -> list[Json]:
    """Traces with what is read when the pointer is on them: their name, and values with units.

    The titles of the axes say what a value is: of ``delay [ms]`` it reads ``delay: 44.1 ms``.
    """
    axes, read = {}, ("", "", "")
    for name, axis in layout.items():
        if name[1:5] == "axis":
            label, _, unit = axis.get("title", {}).get("text", "").rstrip("]").partition(" [")
            value = f"%{{{name[0]}}}" if "ticktext" in axis else f"%{{{name[0]}:,.4~r}}"
            axes[name[0] + name[5:]] = (f"{label}: " if label else "", value, unit)
    for trace in traces:
        if "hovertemplate" in trace or "hoverinfo" in trace:
            continue
        said = "%{text}<br>" if trace.get("text") and "text" not in trace.get("mode", "") else ""
        for letter in "xy":
            label, value, unit = axes.get(trace.get(f"{letter}axis", letter), read)
            values = trace.get(letter)
            if values and isinstance(values[0], str):
                value = f"%{{{letter}}}"
            said += f"{label}{value} {unit}".strip() + ("<br>" if letter == "x" else "")
        trace["hovertemplate"] = f"{said}<extra>{trace.get('name', '')}</extra>"
    return traces


def page(figure: Figure, title: str) -> str:
    """The figure, its words and its table as one HTML page that fetches nothing.

    Parameters
    ----------
    figure : Figure
    title : str
        Of the page.

    Returns
    -------
    str
        An HTML document of about 5 MB, the drawing program among it.

    Raises
    ------
    ValueError
        If it is no Figure, or the title no text.

    Examples
    --------
    >>> document = page(Figure(summary="Nothing is lost."), "Losses")
    >>> "<title>Losses</title>" in document, "Nothing is lost." in document
    (True, True)
    """
    figure, title = checked(Figure, figure, "figure"), checked(str, title, "title")
    drawn = figure.to_plotly().to_html(include_plotlyjs=True, full_html=False, config=CONFIG)
    words, table = html.escape(figure.summary), figure.table_html()
    ground = (
        "body { font: 15px/1.5 system-ui, sans-serif; margin: 1em 2em; } h1 { font-size: 1.4em; }"
    )
    ground += (
        " @media (prefers-color-scheme: dark) { body { background: #111111; color: #E0E0E0; } }"
    )
    name = html.escape(title)
    head = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
        f"<style>{ground}\n{sheet()}</style>"
    )
    return f"{head}<body><h1>{name}</h1>{drawn}<p>{words}</p>{table}</body></html>"


def checked_results(results: Any, *kinds: type) -> dict[str, Any]:
    """Labels and their results, each of one of these kinds; or the error of `fail`."""
    if not isinstance(results, Mapping) or not results:
        fail("results", results, "a mapping of labels to results")
    for label, each in results.items():
        checked(str, label, "the label of a result")
        if not isinstance(each, kinds):
            fail(f"result {label!r}", each, " or ".join(kind.__name__ for kind in kinds))
    return dict(results)
