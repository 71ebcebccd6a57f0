"""docs/checking.md: each command prints what the page says, and its table has every rule."""

import doctest
import re
from pathlib import Path

import pytest

from qoslib import __main__
from qoslib.config.rules import RULES
from qoslib.config.rules.find import IGNORED
from qoslib.findings import MODEL_RULES

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "checking.md").read_text()
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
    assert set(FILES) == {"edge.cfg", "branch.toml", "fixed.cfg", "serial.cfg"}
    assert len(COMMANDS) == 4


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


def test_the_table_has_every_rule():
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (error|warning|info) \|", PAGE, re.MULTILINE))
    known = RULES | MODEL_RULES | {IGNORED.id: IGNORED}
    assert rows == {name: rule.severity for name, rule in known.items()}
