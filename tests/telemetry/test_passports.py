"""No table without a passport, and no passport that says something else than its table."""

import csv
import hashlib
import tomllib

import pytest

from places import ROOT

DATA = ROOT / "data"
PASSPORTS = tomllib.loads((DATA / "sources.toml").read_text(encoding="utf-8"))
TABLES = sorted((DATA / "measurements").glob("*.csv"))


def test_tables_and_passports_are_the_same_set():
    assert sorted(PASSPORTS["files"]) == [path.name for path in TABLES]


@pytest.mark.parametrize("name", PASSPORTS["sources"])
def test_a_source_says_who_published_what_and_under_which_licence(name):
    wanted = {"title", "authors", "publisher", "date", "reference", "licence", "kind"}
    assert wanted <= set(PASSPORTS["sources"][name])
    assert name in {each["source"] for each in PASSPORTS["files"].values()}


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_a_passport_fits_its_table(path):
    assert path.name in PASSPORTS["files"], f'data/sources.toml has no [files."{path.name}"]'
    passport = PASSPORTS["files"][path.name]
    text = path.read_bytes()
    rows = list(csv.DictReader(text.decode("utf-8").split("\n")))
    assert passport["rows"] == len(rows), "run tools/passports.py"
    assert passport["sha256"] == hashlib.sha256(text).hexdigest(), "run tools/passports.py"
    assert passport["source"] in PASSPORTS["sources"], path.name
    assert passport["places"]
    assert passport["transcribed"]
    assert list(rows[0]) == list(PASSPORTS["columns"])
    assert {row["quantity"] for row in rows} <= set(PASSPORTS["quantities"])
