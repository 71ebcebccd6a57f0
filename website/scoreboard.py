"""Make the page of the scoreboard: a row for each value and model, its source and its lesson."""

import html
from typing import Any

from qoslib import compare
from website.passports import place_of

__all__ = ["parts"]

#: Beginning of a platform's or experiment's name -> the lesson that explains it; the first fits.
LESSONS = {
    "m120": "01_head_drop",
    "gsr12000 latency": "03_round_robin",
    "gsr12000": "04_early_drop",
    "isr4331 unmarked_alone": "00_one_queue",
    "isr4331 default_alone": "00_one_queue",
    "isr4331 ef_alone": "00_one_queue",
    "isr4331": "02_llq_policing",
    "mx150": "05_packet_rate",
    "mx80 buffer": "06_tcp_buffers",
    "mx80": "07_pacing",
    "catalyst6506 hold_queue": "06_tcp_buffers",
    "catalyst6506": "07_pacing",
}
COLUMNS = ("Test", "Stream", "Quantity", "Published", "Modelled", "Error", "Model", "Verdict")
#: What can be chosen, beside any word: the name of a row's field, and what the page calls it.
CHOICES = {
    "platform": "Device",
    "model": "Model",
    "assumptions": "Assumptions",
    "verdict": "Verdict",
}


def parts() -> dict[str, str]:
    """What the page says of the rows, and the rows."""
    rows = list(compare.stored())
    table = compare.to_frame(rows).to_dict("records")
    tables = {each.name: each.table for each in compare.published().results}
    lines = [_row(row, said, tables[row.name]) for row, said in zip(rows, table, strict=True)]
    head = "".join(map(_heading, COLUMNS)) + '<th scope="col">More</th>'
    made = [
        "```{raw} html",
        _controls(rows),
        '<div class="pst-scrollable-table-container qoslib-scoreboard">',
        f'<table class="table" id="scoreboard-rows"><thead><tr>{head}</tr></thead><tbody>',
        *lines,
        "</tbody></table></div>\n```",
    ]
    within = sum(row.verdict == "within" for row in rows)
    return {
        "rows": f"{len(rows):,}",
        "within": f"{within:,}",
        "misfits": f"{len(rows) - within:,}",
        "table": "\n".join(made),
        "explained": _explained(rows),
    }


def _row(row: Any, said: dict[Any, str], table: str) -> str:
    unit = f" {said['unit']}" if said["unit"] != "1" else ""
    lesson = _lesson(row)
    shown = {
        "Test": f"{row.platform} {row.experiment}",
        "Stream": row.stream or "all",
        "Quantity": row.quantity.replace("_", " "),
        "Published": said["published"] + unit,
        "Modelled": said["modelled"] + unit,
        "Error": said["error"],
        "Model": row.model + ("" if row.assumptions == "base" else f", {row.assumptions}"),
    }
    numbers = {"Published": row.published, "Modelled": row.modelled, "Error": abs(row.error)}
    cells = [
        f'<td data-sort="{numbers[title]:.6g}">{html.escape(text)}</td>'
        if title in numbers
        else f"<td>{html.escape(text)}</td>"
        for title, text in shown.items()
    ]
    verdict = f'<a href="#{_anchor(row.misfit)}">misfit</a>' if row.misfit else "within"
    fitted = " <em>fitted</em>" if row.fitted else ""
    links = (
        f'<a href="lessons/{lesson}.html">lesson {lesson[:2]}</a> '
        f'<a href="{place_of(table)}.html">source</a>'
    )
    data = " ".join(f'data-{name}="{html.escape(getattr(row, name))}"' for name in CHOICES)
    return f"<tr {data}>{''.join(cells)}<td>{verdict}{fitted}</td><td>{links}</td></tr>"


def _lesson(row: Any) -> str:
    named = (f"{row.platform} {row.experiment}", f"{row.platform} {row.quantity}")
    return next(LESSONS[key] for key in LESSONS if any(name.startswith(key) for name in named))


def _heading(title: str) -> str:
    return f'<th scope="col"><button type="button">{title}</button></th>'


def _controls(rows: list[Any]) -> str:
    """A field for words, and a list for each field of few values."""
    lists = []
    for name, title in CHOICES.items():
        values = dict.fromkeys(getattr(row, name) for row in rows)
        options = "".join(f"<option>{html.escape(value)}</option>" for value in values)
        lists.append(
            f'<label>{title} <select name="{name}"><option value="">all</option>{options}</select>'
            "</label>"
        )
    return (
        '<form class="qoslib-filter pst-js-only" role="search" aria-label="Rows of the scoreboard">'
        '<label>Find <input type="search" placeholder="CS1 latency"></label>'
        f'{"".join(lists)}<output aria-live="polite"></output></form>'
    )


def _explained(rows: list[Any]) -> str:
    """Each misfit: its name, its rows, and why we think so."""
    found = compare.explained(rows)
    parts = []
    for name, each in found.iterrows():
        count = "1 row" if each["rows"] == 1 else f"{each['rows']} rows"
        parts.append(
            f"({_anchor(str(name))})=\n### {name}\n\n{count}, {each['errors']}. {each['why']}"
        )
    return "\n\n".join(parts)


def _anchor(misfit: str) -> str:
    return misfit.replace("_", "-").lower()
