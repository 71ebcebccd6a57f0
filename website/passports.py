"""Make a page of each data set: its passport, as it is kept beside the numbers, and the numbers."""

import csv
import html
import json
import tomllib
from pathlib import Path
from typing import Any

__all__ = ["pages", "parts", "place_of"]

DATA = Path(__file__).resolve().parent.parent / "data"
#: Columns of a table of values that a reader needs first; the file has all.
SHOWN = ("experiment", "stream", "quantity", "statistic", "as_printed", "unit", "place", "status")
#: Keys of a source, and what a page calls them.
FACTS = {
    "authors": "Authors",
    "publisher": "Publisher",
    "date": "Date",
    "reference": "Reference",
    "kind": "Kind",
    "licence": "Licence",
}


def place_of(table: str) -> str:
    """The page of a table, below the site's root, without its ending."""
    return f"data/{table}"


def pages() -> dict[str, str]:
    """Name of each page -> its text."""
    known = tomllib.loads((DATA / "sources.toml").read_text(encoding="utf-8"))
    files, sources = known["files"], known["sources"]
    made = {}
    for name, passport in files.items():
        made[f"{place_of(Path(name).stem)}.md"] = _page(name, passport, sources[passport["source"]])
    live = sorted((DATA / "live").glob("*.json"))
    made |= {f"{place_of(f'live_{path.stem}')}.md": _live(path) for path in live}
    return made


def parts() -> dict[str, str]:
    """What the page of all data sets lists."""
    known = tomllib.loads((DATA / "sources.toml").read_text(encoding="utf-8"))
    listed = []
    for key, source in known["sources"].items():
        mine = [(n, each) for n, each in known["files"].items() if each["source"] == key]
        rows = {Path(name).stem: each["rows"] for name, each in mine}
        facts = [source[each] for each in ("publisher", "date", "reference")]
        told = "; ".join(fact for fact in facts if not fact.startswith("not stated"))
        lines = [f"- [{name}]({name}.md): {count} rows" for name, count in rows.items()]
        listed += [f"## {source['title']}", told, "\n".join(lines), _toctree(list(rows))]
    names = [f"live_{path.stem}" for path in sorted((DATA / "live").glob("*.json"))]
    live = "\n".join(f"- [{name[5:]}]({name}.md)" for name in names)
    return {
        "sources": "\n\n".join(listed),
        "live": f"{live}\n\n{_toctree(names)}",
        "columns": _facts(known["columns"]),
    }


def _page(name: str, passport: dict[str, Any], source: dict[str, str]) -> str:
    stem = Path(name).stem
    rows = _rows(DATA / "measurements" / name)
    facts = {title: source[key] for key, title in FACTS.items()}
    facts |= {"Places": "; ".join(passport["places"]), "Transcribed": passport["transcribed"]}
    facts |= {"Rows": str(passport["rows"]), "SHA-256": f"`{passport['sha256']}`"}
    notes = "\n".join(f"- {note}" for note in passport["notes"])
    parts = [
        f"# {stem}",
        f"*{source['title']}*",
        _facts(facts),
        f'```python\nfrom qoslib import measurements\n\nmeasurements.load("{stem}")\n```',
        f"[Download {name}](measurements/{name})",
        "## Notes",
        notes,
        "## Values",
        "The values are as published. The file has [all columns](index.md#columns).",
        _table(rows),
    ]
    return "\n\n".join(parts) + "\n"


def _live(path: Path) -> str:
    """A measurement that the live lab took on a Linux kernel."""
    run = json.loads(path.read_text(encoding="utf-8"))
    on = run["on"]
    machine = f"{on['system']} {on['kernel']}, {on['machine']}, {on['tc']}"
    facts = {"Kind": "measurement of the live lab", "Machine": machine, "Date": on["date"]}
    facts |= {"Modelled on": run["source"]} if run.get("source") else {}
    rows = _rows(path.with_suffix(".csv"))
    commands = [f"# {each['point']}\n" + "\n".join(each["commands"]) for each in run["points"]]
    files = ", ".join(f"[{each.name}](live/{each.name})" for each in _both(path))
    parts = [
        f"# live: {path.stem}",
        "The lessons use this experiment of [the live lab](../docs/live_lab.md).",
        _facts(facts),
        f"Download {files}",
        "## Commands",
        "```console\n" + "\n\n".join(commands) + "\n```",
        "## Values",
        _table(rows),
    ]
    return "\n\n".join(parts) + "\n"


def _both(path: Path) -> tuple[Path, Path]:
    return path.with_suffix(".csv"), path


def _toctree(names: list[str]) -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```"


def _facts(facts: dict[str, str]) -> str:
    """Terms and what is said of each."""
    return "\n\n".join(f"{title}\n: {said}" for title, said in facts.items() if said)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _table(rows: list[dict[str, str]]) -> str:
    """A table of values; what no row has is left out."""
    shown = [name for name in SHOWN if any(row[name] for row in rows)]
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in shown)
    lines = []
    for row in rows:
        odd = ' class="odd-value"' if row["status"] != "ok" else ""
        said = f' title="{html.escape(row["reason"], quote=True)}"' if row["reason"] else ""
        cells = "".join(f"<td>{html.escape(row[name])}</td>" for name in shown)
        lines.append(f"<tr{odd}{said}>{cells}</tr>")
    return (
        '```{raw} html\n<div class="pst-scrollable-table-container"><table class="table">'
        f"<thead><tr>{head}</tr></thead><tbody>\n"
        + "\n".join(lines)
        + "\n</tbody></table></div>\n```"
    )
