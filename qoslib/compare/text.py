"""The scoreboard as text."""

from collections.abc import Container, Iterable, Iterator, Sequence

from qoslib import units
from qoslib.compare.rows import Row
from qoslib.compare.scoreboard import Scoreboard

__all__ = ["text"]

HEAD = "experiment stream quantity model assumptions published unit modelled error tolerance"
HEAD += " verdict note"
#: A longer line of the table is cut: reasons stand whole below it.
WIDEST = 190
LEFT = frozenset({"experiment", "stream", "quantity", "model", "assumptions", "unit", "note"})


def text(board: Scoreboard) -> str:
    """All scored rows of each platform, the reasons of the others, the summary, and what fails.

    Values that no parameter was fitted on come first. Behind the rows of a platform stand the
    predictions for experiments of which nothing at all is published.
    """
    lines: list[str] = []
    for name in sorted({row.platform for row in board.rows}):
        rows = [row for row in board.rows if row.platform == name]
        scored = sorted((row for row in rows if row.error is not None), key=lambda row: row.fitted)
        lines += [name, *_table(scored), ""]
        lines += ["Not scored:", *_unscored(rows), ""]
        foretold = [p for p in board.predictions if p["platform"] == name]
        lines += _foretold(foretold, {row.experiment for row in rows})
    lines += _summary(board.summary)
    if board.failures:
        lines += ["", "This fails:", *(f"  {line}" for line in board.failures)]
    return "\n".join(lines)


def _table(rows: Sequence[Row]) -> Iterator[str]:
    columns = HEAD.split()
    cells = [columns, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        parts = zip(columns, line, widths, strict=True)
        padded = (cell.ljust(w) if name in LEFT else cell.rjust(w) for name, cell, w in parts)
        whole = (" " + " ".join(padded)).rstrip()
        yield whole if len(whole) <= WIDEST else f"{whole[: WIDEST - 1]}…"


def _cells(row: Row) -> list[str]:
    in_short = row.reason.partition(":")[0] if row.reason else None
    notes = [row.misfit, "fitted on it" if row.fitted else None, in_short]
    return [
        *(row.experiment, row.stream or "all", row.quantity, row.model, row.assumptions),
        *(f"{row.published:.10g}", row.unit, _modelled(row)),
        *(_error(row.error, row, "+"), _error(row.tolerance, row), row.verdict),
        "; ".join(note for note in notes if note),
    ]


def _modelled(row):
    modelled = _digits(row.modelled, 5)
    if row.low is None or _digits(row.low, 4) == _digits(row.high, 4):
        return modelled
    return f"{modelled} [{_digits(row.low, 5)}, {_digits(row.high, 5)}]"


def _digits(value, count):
    """So many digits that count, without an exponent where people would not write one."""
    return f"{float(f'{value:.{count}g}'):.12g}"


def _error(error, row, sign=""):
    if error is None:
        return ""
    return f"{error:{sign}.2%}" if row.error_kind == "relative" else f"{error:{sign}.3g} abs"


def _unscored(rows: Iterable[Row]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.verdict == "unscored":
            name = f"{row.experiment} {row.stream or 'all'} {row.quantity} ({row.assumptions})"
            reasons.setdefault(str(row.reason), []).append(name)
    for reason, names in reasons.items():
        yield f"  {_some(names, 3)}:"
        yield f"    {reason}"


def _foretold(predictions: Iterable[dict], published: Container[str]) -> Iterator[str]:
    """One line for each stream that sends something, a model and a set of assumptions."""
    told: dict[tuple[str, ...], dict[str, float]] = {}
    for each in predictions:
        if each["experiment"] not in published and each["modelled"] is not None:
            key = tuple(each[name] for name in ("experiment", "stream", "model", "assumptions"))
            told.setdefault(key, {})[each["quantity"]] = each["modelled"]
    lines = [
        f"  {' '.join(key)}: {_digits(units.convert(said['throughput'], 'bit/s', 'Mbit/s'), 4)}"
        f" Mbit/s, {said['drop_ratio']:.2%} lost"
        for key, said in told.items()
        if said.get("throughput") and "drop_ratio" in said
    ]
    if lines:
        yield from ("Predicted, nothing is published:", *lines, "")


def _some(names: Sequence[str], count: int = 2) -> str:
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return f"{', '.join(names[:count])}{more}"


def _summary(summary: dict) -> Iterator[str]:
    printed, spoken, silent = (summary[k] for k in ("published", "spoken_to", "not_spoken_to"))
    yield (
        f"Published results: {printed['values']}, of which {printed['inconsistent']} are"
        f" inconsistent in the source; inputs not counted: {printed['inputs_not_counted']}"
    )
    yield f"A model speaks to: {spoken['values']}; {_closeness(spoken)}"
    for model, counts in summary["models"].items():
        yield f"  {model}: {counts['values']}; {_closeness(counts)}"
    yield f"No model speaks to: {silent['values']}"
    for each in silent["reasons"]:
        yield f"  {each['platform']}: {each['values']}, {each['reason']}"
    for each in summary["fitted"]:
        yield (
            f"Fitted: {each['platform']} {each['parameter']} = {each['value']:.6g},"
            f" on {each['values']} values ({_some(each['on'])})"
        )
    for each in summary["sets"]:
        yield (
            f"Rivals: {each['platform']} {each['assumptions']}: {each['parameters']} fitted"
            f" parameters, {each['within']} within, {each['misfit']} off, packets alone"
        )
    yield from _ticks(summary["ticks"])
    yield from _bands(summary["bands"])
    yield "Rows: " + ", ".join(f"{n} {verdict}" for verdict, n in summary["verdicts"].items())


def _ticks(counts):
    """A line a set: throughputs within 15 %, drops within a factor of two."""
    for each in counts:
        held = each["possible"] - each["fitted_values"]
        line = (
            f"Ticks: {each['assumptions']} ({each['model']}): {each['ticks']} of"
            f" {each['possible']}, {each['throughput']} of throughput and {each['drops']} of drops"
        )
        if each["least"] < each["most"]:
            line += f" ({each['least']} by every seed, {each['most']} by any)"
        if each["parameters"]:
            line += (
                f"; fitted parameters: {each['parameters']}, {each['fitted_ticks']} of the"
                f" {each['fitted_values']} values they were fitted on,"
                f" {each['ticks'] - each['fitted_ticks']} of {held} held out"
            )
        without = each["without_fits"]
        yield line + (f"; {without} without its last fits" if without is not None else "")


def _bands(bands):
    """A line for each band that is wider than its digits."""
    for each in bands:
        ends = [units.convert(each[end], each["unit"], "Gbit/s") for end in ("low", "high")]
        low, high = (f"{end:.3g}" for end in ends)
        if low != high:
            yield (
                f"Predicted: {each['platform']} {each['stream']} throughput {low} to {high} Gbit/s"
                f" over {each['over'][0]} ... {each['over'][-1]}"
                f" ({each['model']}, {each['assumptions']})"
            )


def _closeness(counts):
    return (
        f"{counts['within_rounding']} within the print's rounding,"
        f" {counts['within_1_percent']} more within 1 %,"
        f" {counts['within_10_percent']} more within 10 %, {counts['beyond']} beyond"
    )
