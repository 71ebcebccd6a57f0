"""The scoreboard as text."""

from collections.abc import Container, Iterable, Iterator, Sequence

import pandas as pd

from qoslib import units
from qoslib.compare.rows import Row
from qoslib.compare.scoreboard import Scoreboard
from qoslib.compare.tables import to_frame

__all__ = ["text"]

#: A longer line of a table is cut: reasons stand whole below it.
WIDEST = 198


def text(board: Scoreboard) -> str:
    """All scored rows of each platform, the reasons of the others, the summary, and what fails.

    Values that no parameter was fitted on come first. Behind the rows of a platform stand the
    predictions for experiments of which nothing at all is published.

    Parameters
    ----------
    board : Scoreboard
        Of `score`; or with the rows of some platforms and an empty summary.

    Returns
    -------
    str
        One line per row.

    Examples
    --------
    >>> from qoslib.compare.scoreboard import Scoreboard, score_platform
    >>> rows, predictions = score_platform("catalyst6506")
    >>> board = Scoreboard(tuple(rows), tuple(predictions), {}, ())
    >>> text(board).splitlines()[0]
    'catalyst6506'
    """
    lines: list[str] = []
    for name in sorted({row.platform for row in board.rows}):
        rows = [row for row in board.rows if row.platform == name]
        scored = sorted((row for row in rows if row.error is not None), key=lambda row: row.fitted)
        lines += _table(name, _with_tolerances(scored))
        lines += ["Not scored:", *_unscored(rows), ""]
        mine = [each for each in board.predictions if each["platform"] == name]
        lines += _predicted(mine, {row.experiment for row in rows})
    if board.summary:
        lines += _summary(board.summary)
    if board.failures:
        lines += ["This fails:", *(f"  {line}" for line in board.failures)]
    return "\n".join(lines)


def _table(title: str, frame: pd.DataFrame, index: bool = False) -> Iterator[str]:
    yield title
    for line in frame.to_string(index=index, float_format="{:.4g}".format).splitlines():
        line = line.rstrip()
        yield line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"
    yield ""


def _with_tolerances(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows, with their tolerances, and the intervals of random models."""
    frame = to_frame(rows).drop(columns=["platform", "verdict", "fitted", "misfit"])
    frame["stream"] = frame["stream"].replace("", "all")
    frame.insert(6, "interval", [_interval(row) for row in rows])
    frame.insert(9, "tolerance", [f"{row.tolerance:.2g}" for row in rows])
    notes = ((row.misfit or row.verdict, "fitted" if row.fitted else "") for row in rows)
    verdicts = pd.Series([" ".join(filter(None, note)) for note in notes])
    frame["verdict"] = verdicts.str.ljust(verdicts.str.len().max())
    return frame


def _interval(row):
    """The ends of the interval, as far as they differ in four digits."""
    low, high = (f"{end or 0.0:.4g}" for end in (row.low, row.high))
    return f"{low} to {high}" if low != high else ""


def _unscored(rows: Iterable[Row]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.verdict == "unscored":
            name = f"{row.experiment} {row.stream or 'all'} {row.quantity} ({row.assumptions})"
            reasons.setdefault(str(row.reason), []).append(name)
    for reason, names in reasons.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield from (f"  {', '.join(names[:3])}{more}:", f"    {reason}")


def _predicted(predictions: Iterable[dict], published: Container[str]) -> Iterator[str]:
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


def _summary(summary: dict) -> Iterator[str]:
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
    bands = pd.DataFrame(summary["bands"])
    bands["over"] = [f"{each[0]} to {each[-1]}" for each in bands["over"]]
    yield from _table("Predicted throughput:", bands)
    yield "Rows: " + ", ".join(f"{n} {verdict}" for verdict, n in summary["verdicts"].items())
