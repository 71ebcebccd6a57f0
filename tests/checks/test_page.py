"""docs/checking.md: each command prints what the page says, and its table has every rule."""

import contextlib
import doctest
import io
import json
import re

import pytest

from places import ROOT
from qoslib import __main__
from qoslib.checks import RULES
from qoslib.checks.runner import IGNORED
from qoslib.findings import MODEL_RULES

PAGE = (ROOT / "docs" / "checking.md").read_text()
FILES = dict(re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
FILES["serial.cfg"] = FILES["edge.cfg"].replace(
    "interface GigabitEthernet0/0/1\n speed 100\n", "interface Serial0/1/0\n"
)
COMMANDS = re.findall(
    r"^```console\n\$ python -m qoslib (.*?)\n(.*?)\n\$ echo \$\?\n(\d)\n```$",
    PAGE,
    re.MULTILINE | re.DOTALL,
)


def test_the_page_has_its_files_and_commands():
    texts = {"edge.cfg", "fixed.cfg", "serial.cfg", "sqm"}
    assert set(FILES) == {*texts, "branch.toml", "home.toml"}
    assert len(COMMANDS) == 5


@pytest.mark.parametrize(
    ("command", "printed", "status"), COMMANDS, ids=[c for c, _, _ in COMMANDS]
)
def test_a_command_prints_what_the_page_says(
    tmp_path, monkeypatch, capsys, command, printed, status
):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    assert __main__.main(command.split()) == int(status)
    got = "".join(capsys.readouterr()).rstrip("\n")
    same = doctest.OutputChecker().check_output(printed, got, doctest.ELLIPSIS)
    assert same, got


def described():
    """Object of the JSON report -> its keys, as the page has them."""
    table = PAGE.partition("| object | keys |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([^|]*) \| (.*) \|$", table, re.MULTILINE)[1:]
    # What stands in brackets is said about a key.
    return {
        " ".join(re.findall(r"\w+", name)): set(
            re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", keys))
        )
        for name, keys in rows
    }


def objects(value, name="report"):
    """Each object in a document, by the name that the page has for it."""
    if isinstance(value, dict):
        yield name, value
        for key, inside in value.items():
            yield from objects(inside, key if name == "report" else f"{name} {key}")
    elif isinstance(value, list):
        for each in value:
            yield from objects(each, name)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The JSON of reports that have something of everything."""
    home = tmp_path_factory.mktemp("reports")
    shown = "GigabitEthernet0/0/1\n  Service-policy output: WAN\n    Class-map: VIDEO (match-any)\n"
    shown += "      2000 packets, 2800000 bytes\n      30 second offered rate 24000000 bps\n"
    shown += "      queue limit 64 packets\n      (queue depth/total drops) 10/20\n"
    serial = FILES["serial.cfg"] + " fair-queue\n"
    for name, text in (FILES | {"shown.txt": shown, "serial.cfg": serial}).items():
        (home / name).write_text(text)
    arguments = ["fixed.cfg", "--traffic", "branch.toml", "--against", "edge.cfg"]
    made = []
    for command in (
        [*arguments, "--measured", "shown.txt"],
        ["serial.cfg"],
        ["edge.cfg", "--html", "page.html"],
    ):
        command = [str(home / each) if "." in each else each for each in command]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            __main__.main(["check", *command, "--json"])
        made += json.loads(out.getvalue())
    return made


def test_the_report_as_json_has_the_keys_of_the_page(reports):
    found = {}
    for name, each in objects(reports):
        assert set(each) == described()[name], name
        found.setdefault(name, []).append(each)
    assert set(found) == set(described())


def test_numbers_of_the_report_as_json_are_numbers_in_the_unit_of_their_key(reports):
    video = next(each for each in reports[0]["ports"][0]["classes"] if each["name"] == "VIDEO")
    # 49 % of 50 Mb/s, and 208 packets of 1,400 B at that rate.
    assert (video["offered_bps"], video["minimum_bps"], video["maximum_bps"]) == (
        24e6,
        24.5e6,
        50e6,
    )
    assert video["full_queue_s"] == pytest.approx(208 * 1400 * 8 / 24.5e6)
    bulk = next(each for each in reports[0]["ports"][0]["classes"] if each["name"] == "BULK")
    assert (bulk["tcp_flows"], bulk["offered_bps"]) == (3, 0)
    change = next(each for each in reports[0]["changes"] if each["name"] == "BULK")
    assert (change["minimum_after_bps"], change["maximum_after_bps"]) == (2e6, 50e6)
    for _, each in objects(reports):
        for key, value in each.items():
            if key.rpartition("_")[2] in ("bps", "s", "ratio"):
                assert value is None or type(value) in (int, float), key


def test_the_table_has_every_rule():
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (error|warning|info) \|", PAGE, re.MULTILINE))
    known = RULES | MODEL_RULES | {IGNORED.id: IGNORED}
    assert rows == {name: rule.severity for name, rule in known.items()}
