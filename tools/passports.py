"""Rewrite `rows` and `sha256` of every file in data/sources.toml, and no other line.

python tools/passports.py
"""

import csv
import hashlib
import re
import sys
import tomllib
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"


def facts(path):
    """Return the number of data rows and the SHA-256 of a CSV file."""
    with open(path, encoding="utf-8", newline="") as lines:
        rows = sum(1 for _ in csv.DictReader(lines))
    return {"rows": str(rows), "sha256": f'"{hashlib.sha256(path.read_bytes()).hexdigest()}"'}


def rewritten(text):
    """Return the text of sources.toml with the facts of each file brought up to date."""
    found, lines = {}, []
    for line in text.split("\n"):
        if line.startswith("["):
            name = re.match(r'\[files\."(.+)"\]', line)
            found = facts(DATA / "measurements" / name[1]) if name else {}
        key = line.partition(" = ")[0]
        lines.append(f"{key} = {found[key]}" if key in found else line)
    return "\n".join(lines)


if __name__ == "__main__":
    passports = DATA / "sources.toml"
    text = passports.read_text(encoding="utf-8")
    try:
        files = tomllib.loads(text)["files"]
    except tomllib.TOMLDecodeError as error:
        sys.exit(f"{passports}: {error}")
    for name, passport in files.items():
        if lines := {"rows", "sha256"} - passport.keys():
            sys.exit(f'{passports}: [files."{name}"] has no line {" and ".join(sorted(lines))}')
    passports.write_text(new := rewritten(text), encoding="utf-8")
    changed = sum(a != b for a, b in zip(text.split("\n"), new.split("\n"), strict=True))
    print(f"{passports.name}: {len(files)} files, {changed} lines brought up to date")
