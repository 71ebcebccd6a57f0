"""Small configurations of `tests/cases/<dialect>/`, each with what must be found in it.

Beside `<name>.conf` stands `<name>.toml`, in which each key is optional:

    facts = { line_rate_bps = 1e9 }              what the reader says
    dialect = "ios-xe"                           otherwise it is the folder's name
    traffic = 'VOICE = "1 Mb/s"'                 the text of traffic.toml
    must = ["rule-key at text"]                  a finding whose port or sentence has the text
    must_not = ["rule-key"]                      or "rule-key at text"
    remarks = ["refused: random-detect dscp"]    kind and text of a line that is listed
    assumed = ["is an MX"]                       what stands under "Assumed"
    doubts = ["minima of its 2 parts"]           what stands under "No all-clear"
    no_promise = ["Gi1/0/1 out"]                 a port of which no class is promised anything
    fixes = ["priority percent 33"]              what a printed fix has
    no_fixes = ["priority percent 33"]           what none may have
    [ports."GigabitEthernet0/0/1 out"]           what a class gets at least
    VOICE = "20 Mb/s"
"""

import tomllib

import pytest

from places import CASES
from qoslib.config import read
from qoslib.config.amounts import parse_amount
from qoslib.findings import check

FOLDER = CASES
FILES = [
    path
    for path in sorted(CASES.glob("*/*.toml"))
    if path.parent.name not in ("commands",) and path.with_suffix(".conf").exists()
]
KEYS = {
    "facts", "dialect", "traffic", "must", "must_not", "remarks", "assumed", "no_promise", "fixes",
    "no_fixes", "ports", "doubts",
}  # fmt: skip


#: What a reference begins with that is of devices of one vendor -> the dialects of that vendor.
VENDORS = {
    "Cisco": {"ios", "ios-xe", "ios-xr", "nxos"},
    "Arista": {"eos"}, "Juniper": {"junos"}, "Nokia": {"sros"}, "Linux": {"tc", "sqm"},
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=[f"{p.parent.name}-{p.stem}" for p in FILES])
def test_what_a_case_must_give_is_found(path):
    wanted = tomllib.loads(path.read_text())
    assert set(wanted) <= KEYS
    text = path.with_suffix(".conf").read_text()
    facts, dialect = wanted.get("facts"), wanted.get("dialect")
    found = read(text, facts=facts, dialect=dialect)
    assert found.dialect == (dialect or path.parent.name)
    report = check(text, facts=facts, dialect=dialect, traffic=wanted.get("traffic"))
    for each in report.findings:
        own = VENDORS.get(each.reference.split()[0].strip(","), {found.dialect})
        assert found.dialect in own, f"{each.id} cites {each.reference}"
    said = [f"{each.id} at {each.interface} {each.sentence}" for each in report.findings]
    for key in wanted.get("must", ()):
        assert any(map(of(key), said)), f"{key} is not among {said}"
    for key in wanted.get("must_not", ()):
        assert not any(map(of(key), said)), f"{key} is among {said}"
    listed = [f"{each.kind}: {each.text} {each.lost}" for each in report.remarks]
    for remark in wanted.get("remarks", ()):
        kind, text = remark.split(": ", 1)
        assert any(line.startswith(f"{kind}: ") and text in line for line in listed), (
            f"{remark} is not among {listed}"
        )
    for words in wanted.get("assumed", ()):
        assert any(words in each for each in report.assumed), f"{words} is not in {report.assumed}"
    for words in wanted.get("doubts", ()):
        assert any(words in each for each in report.doubts), f"{words} is not in {report.doubts}"
    fixes = [each.fix for each in report.findings]
    for fix in wanted.get("fixes", ()):
        assert any(fix in each for each in fixes), f"{fix} is not among {fixes}"
    for fix in wanted.get("no_fixes", ()):
        assert not any(fix in each for each in fixes), f"{fix} is among {fixes}"
    rows = {f"{each.interface} {each.direction}": each.rows for each in report.ports}
    for port in wanted.get("no_promise", ()):
        assert not rows[port]
    for port, classes in wanted.get("ports", {}).items():
        least = {row.name: row.minimum.value or 0.0 for row in rows[port]}
        rates = {name: parse_amount(rate, "bit/s") for name, rate in classes.items()}
        assert {name: least[name] for name in rates} == pytest.approx(rates, rel=0.005)


def of(key):
    """Whether a finding is the one of ``"rule-key at text"``."""
    rule, _, text = key.partition(" at ")
    return lambda said: said.startswith(f"{rule} at ") and text in said
