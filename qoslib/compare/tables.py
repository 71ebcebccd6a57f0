"""Rows as tables to read: published values and what a model gives, and the known misfits."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from qoslib import units
from qoslib.compare.observe import View
from qoslib.compare.rows import Row, grouped, rows_of, views_of
from qoslib.compare.run import model_of
from qoslib.compare.scoreboard import KINDS, Scoreboard
from qoslib.compare.store import known_misfits, misfit_of
from qoslib.platforms import platform as platform_named
from qoslib.record import checked, fail

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "compare_experiment",
    "explained",
    "misfit_summary",
    "relative_error",
    "text",
    "to_frame",
]

#: A longer line of a table is cut: reasons stand whole below it.
WIDEST = 198

_NAMES = ("platform", "experiment", "stream", "quantity", "model", "assumptions")


def to_frame(rows: Iterable[Row], kernel: "pd.DataFrame | None" = None) -> "pd.DataFrame":
    """A table of rows: names, published, modelled, error in per cent, verdict, fitted, misfit.

    Of measurements of one's own, the value is called measured.

    Parameters
    ----------
    rows : iterable of Row
    kernel : DataFrame, optional
        What a kernel of one's own does in the published tests: platform, experiment, stream,
        quantity as rows have it, and value, low and high in the unit of the row. It becomes the
        last column, ``your kernel``: no published value, error or verdict depends on it. A mean
        stands in no row of a maximum or a percentile, which says so.

    Returns
    -------
    DataFrame
        One line per row, values as texts of four digits.

    Raises
    ------
    ValueError
        If they are no rows.

    Examples
    --------
    >>> from qoslib.compare import stored
    >>> mine = [row for row in stored() if row.platform == "m120" and row.stream == "CS1"]
    >>> to_frame(mine).columns.tolist()[:4]
    ['platform', 'experiment', 'stream', 'quantity']
    """
    import pandas as pd

    rows = checked(tuple[Row, ...], rows, "rows")
    found = pd.DataFrame(lines(rows))
    if kernel is not None:
        found["your kernel"] = [_on_kernel(row, kernel) for row in rows]
    return found


def lines(rows: Iterable[Row]) -> list[dict[str, str]]:
    """The rows as texts by the names of the columns of `to_frame`."""
    return [
        {name: getattr(row, name) for name in _NAMES}
        | {"measured" if row.platform == "own" else "published": _digits(row.published, 4)}
        | {"modelled": _digits(row.modelled, 4), "unit": units.symbol(row.unit)}
        | {"error": relative_error(row, ".2f"), "verdict": row.verdict}
        | {"fitted": "fitted" if row.fitted else "", "misfit": row.misfit or ""}
        for row in rows
    ]


def _on_kernel(row: Row, kernel: "pd.DataFrame") -> str:
    """The value of a row on a kernel with its least and most; empty where it was not repeated."""
    said = ""
    for own in kernel.to_dict("records"):
        if any(own[name] != getattr(row, name) for name in _NAMES[:3]):
            continue
        if own["quantity"] == row.quantity:
            value, low, high = (_digits(own[each], 4) for each in ("value", "low", "high"))
            return f"{value} ({low} - {high})"
        stem, _, statistic = own["quantity"].rpartition("_")
        if statistic == "average" and row.quantity.rpartition("_")[0] == stem:
            said = "only its mean is known"
    return said


def compare_experiment(
    platform: str,
    experiment: str,
    *quantities: str,
    model: str = "fluid",
    assumptions: str = "base",
) -> "pd.DataFrame":
    """Compare what was published about an experiment with what a model gives.

    Parameters
    ----------
    platform, experiment : str
        As on the scoreboard.
    *quantities : str
        Which quantities, like ``"latency"``, ``"sent"``; all if none is named.
    model, assumptions : str

    Returns
    -------
    DataFrame
        Texts to be read, one row a value: published, modelled to five digits, so that
        the error follows from what is shown. The scoreboard has the numbers in full.

    Raises
    ------
    ValueError
        If there is nothing of one of these names.

    Examples
    --------
    >>> compare_experiment("m120", "base", "latency")
                           published   modelled   error
    stream quantity
    CS1    latency_maximum     84 ms  88.072 ms  +4.8 %
    BE     latency_average      4 ms  4.0722 ms  +1.8 %
    """
    import pandas as pd

    views = _views(platform, experiment, model, assumptions)
    rows = rows_of(views, checked(tuple[str, ...], quantities, "quantities"))
    if not rows:
        there = dict.fromkeys(row.quantity for row in rows_of(views))
        fail("quantities", quantities, ", ".join(there) or "none, as nothing is published of it")
    lines = [
        {
            "stream": row.stream or "all",
            "quantity": row.quantity,
            "published": f"{row.published:,.10g} {unit}",
            "modelled": f"{_digits(row.modelled, 5)} {unit}" if row.error is not None else "–",
            "error": relative_error(row, ".1f") or "–",
        }
        for row in rows
        for unit in [units.symbol(row.unit)]
    ]
    return pd.DataFrame(lines).set_index(["stream", "quantity"])


def misfit_summary(
    platform: str, model: str = "fluid", assumptions: str = "base"
) -> "pd.DataFrame":
    """Count the values that a model gives: those within tolerance, and each known misfit.

    Parameters
    ----------
    platform, model, assumptions : str
        As on the scoreboard.

    Returns
    -------
    DataFrame
        One row for the values within their tolerance, one for each misfit, with its errors.

    Raises
    ------
    ValueError
        If there is nothing of one of these names.

    Examples
    --------
    >>> misfit_summary("m120", assumptions="generator").columns.tolist()
    ['values', 'error']
    """
    import pandas as pd

    known = known_misfits()
    scored = [
        row
        for name in platform_named(platform).experiments(assumptions)
        for row in rows_of(_views(platform, name, model, assumptions))
        if row.verdict != "unscored"
    ]
    kinds: dict[str, list[Row]] = {"within": []}
    kinds |= grouped(
        scored, lambda row: misfit_of(row, known) or "not explained" if row.is_misfit else "within"
    )
    lines = [
        {"values": len(rows), "error": errors.replace(" % to ", " to ") or "–"}
        for rows in kinds.values()
        for errors in [_range([row for row in rows if row.published], ".0f")]
    ]
    return pd.DataFrame(lines, index=pd.Index(kinds, name=f"{platform}, {model} model"))


def _views(platform: str, experiment: str, model: str, assumptions: str) -> list[View]:
    """What a model, run just now, gives for an experiment."""
    router, run = platform_named(platform), model_of(model)
    known = router.experiments(assumptions)
    if checked(str, experiment, "experiment") not in known:
        fail("experiment", experiment, ", ".join(known))
    models = known[experiment].models or router.models
    if model not in models:
        fail(f"model of {platform} {experiment}", model, ", ".join(models))
    return views_of(router, known[experiment], run(known[experiment]))


def explained(rows: Iterable[Row]) -> "pd.DataFrame":
    """The known misfits that rows belong to: how many, how far off, and why we think so.

    Parameters
    ----------
    rows : iterable of Row

    Returns
    -------
    DataFrame
        One line a misfit, the reason in full.

    Raises
    ------
    ValueError
        If they are no rows.

    Examples
    --------
    >>> from qoslib.compare import stored
    >>> explained(stored()).columns.tolist()
    ['rows', 'errors', 'why']
    """
    import pandas as pd

    given = checked(tuple[Row, ...], rows, "rows")
    found = grouped((row for row in given if row.misfit), lambda row: row.misfit)
    known = {misfit.key: misfit for misfit in known_misfits()}
    lines = [
        {"rows": len(mine), "errors": _range(mine, ".2f"), "why": " ".join(known[key].why.split())}
        for key, mine in sorted(found.items())
    ]
    return pd.DataFrame(lines, index=pd.Index(sorted(found), name="misfit"))


def _digits(value: float | None, count: int) -> str:
    return "" if value is None else f"{float(f'{value:.{count}g}'):,.12g}"


def relative_error(row: Row, form: str) -> str:
    """The error of a row in per cent, or in its unit where 0 is published; empty without one."""
    if row.error is None:
        return ""
    if row.error_kind == "absolute":
        return f"{row.error:+.3g} {units.symbol(row.unit)}"
    percent = f"{units.convert(row.error, '1', '%'):+{form}}"
    # A rounded -0.0 is written as 0.0 is, the same on every machine.
    return f"{percent if float(percent) else percent.replace('-', '+')} %"


def _range(rows: Sequence[Row], form: str) -> str:
    """From the least error to the largest, in words."""
    if not rows:
        return ""
    order = sorted(rows, key=lambda row: row.error or 0.0)
    low, high = (relative_error(row, form) for row in (order[0], order[-1]))
    return low if low == high else f"{low} to {high}"


def text(board: Scoreboard) -> str:
    """All scored rows of each platform, the reasons of the others, the summary, and what fails.

    Values that no parameter was fitted on come first. Behind the rows of a platform stand the
    predictions for experiments of which nothing at all is published.

    Parameters
    ----------
    board : Scoreboard
        Of `score`.

    Returns
    -------
    str
        One line per row.

    Raises
    ------
    ValueError
        If it is no scoreboard.

    Examples
    --------
    >>> from qoslib.compare import score
    >>> text(score(platforms=["catalyst6506"])).splitlines()[0]
    'catalyst6506'
    """
    checked(Scoreboard, board, "board")
    lines: list[str] = []
    for name, rows in sorted(grouped(board.rows, lambda row: row.platform).items()):
        scored = sorted((row for row in rows if row.error is not None), key=lambda row: row.fitted)
        lines += _table(name, _with_tolerances(scored))
        unscored = list(_unscored(rows))
        lines += ["Not scored:", *unscored, ""] if unscored else []
        mine = [each for each in board.predictions if each["platform"] == name]
        lines += _predicted(mine, {row.experiment for row in rows})
    lines += _summary(board.summary)
    if board.failures:
        lines += ["This fails:", *(f"  {line}" for line in board.failures)]
    return "\n".join(lines)


def _table(title: str, frame: "pd.DataFrame", index: bool = False) -> Iterator[str]:
    if frame.empty:
        return
    yield title
    for line in frame.to_string(index=index, float_format="{:.4g}".format).splitlines():
        line = line.rstrip()
        yield line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"
    yield ""


def _with_tolerances(rows: Sequence[Row]) -> "pd.DataFrame":
    """The rows, with their tolerances, and the intervals of random models."""
    import pandas as pd

    frame = to_frame(rows).drop(columns=["platform", "verdict", "fitted", "misfit"])
    frame["stream"] = frame["stream"].replace("", "all")
    frame.insert(6, "interval", [_interval(row) for row in rows])
    frame.insert(9, "tolerance", [f"{row.tolerance:.2g}" for row in rows])
    notes = ((row.misfit or row.verdict, "fitted" if row.fitted else "") for row in rows)
    verdicts = pd.Series([" ".join(filter(None, note)) for note in notes])
    frame["verdict"] = verdicts.str.ljust(verdicts.str.len().max())
    return frame


def _interval(row: Row) -> str:
    """The ends of the interval, as far as they differ in four digits."""
    low, high = (f"{end or 0.0:.4g}" for end in (row.low, row.high))
    return f"{low} to {high}" if low != high else ""


def _unscored(rows: Iterable[Row]) -> Iterator[str]:
    unscored = (row for row in rows if row.verdict == "unscored")
    for reason, mine in grouped(unscored, lambda row: row.reason).items():
        names = [
            f"{row.experiment} {row.stream or 'all'} {row.quantity} ({row.assumptions})"
            for row in mine[:3]
        ]
        more = f" and {len(mine) - 3} more" if len(mine) > 3 else ""
        yield from (f"  {', '.join(names)}{more}:", f"    {reason}")


def _predicted(predictions: Iterable[dict[str, Any]], published: Collection[str]) -> Iterator[str]:
    """One line for each stream that sends something, a model and a set of assumptions."""
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for each in predictions:
        if each["experiment"] not in published and each["modelled"] is not None:
            key = tuple(each[name] for name in ("experiment", "stream", "model", "assumptions"))
            found.setdefault(key, {})[each["quantity"]] = each["modelled"]
    lines = [
        f"  {' '.join(key)}: {units.convert(given['throughput'], 'bit/s', 'Mbit/s'):.4g}"
        f" Mbit/s, {given['drop_ratio']:.2%} lost"
        for key, given in found.items()
        if given.get("throughput") and "drop_ratio" in given
    ]
    if lines:
        yield from ("Predicted, nothing is published:", *lines, "")


def _summary(summary: dict[str, Any]) -> Iterator[str]:
    import pandas as pd

    values = summary["published"]
    yield (
        f"Published results: {values['values']}, of which {values['inconsistent']} are"
        f" inconsistent in the source; inputs not counted: {values['inputs_not_counted']}"
    )
    close = pd.DataFrame({"any model": summary["spoken_to"], **summary["models"]}).T
    yield from _table("Values that a model gives, and how close it comes:", close, index=True)
    silent = summary["not_spoken_to"]
    yield from _table(f"Values of no model: {silent['values']}", pd.DataFrame(silent["reasons"]))
    fitted = pd.DataFrame(summary["fitted"]).drop(columns="on")
    yield from _table("Fitted parameters, and on how many values:", fitted)
    yield from _table("Rival sets, packets alone:", pd.DataFrame(summary["sets"]))
    ticks = pd.DataFrame(summary["ticks"])
    yield from _table("Throughputs within 15 % and drops within a factor of two:", ticks)
    bands = [
        each | {"over": f"{each['over'][0]} to {each['over'][-1]}"} for each in summary["bands"]
    ]
    yield from _table("Predicted throughput:", pd.DataFrame(bands))
    counts = ", ".join(f"{count} {verdict}" for verdict, count in summary["verdicts"].items())
    yield f"Rows, one for each value, model and set of assumptions: {counts}"
    yield f"They are of {KINDS[summary['kind']]}."
