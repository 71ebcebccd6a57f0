"""Each QoS command of a dialect's reference is understood or listed, wherever it may stand.

`tests/cases/commands/<dialect>.toml` has the commands, each with the places where it may stand and
the vendor's reference, and for each place a small configuration with `<line>` for the command.
Nonsense beside it is listed as unknown. `nonsense` of a place is by default `frobnicate 7`; where
only a word of QoS tells that a line is about it, the place has its own. `commands_of` is the place
whose commands stand here too, in another form of the text.
"""

import re
import tomllib

import pytest

from places import CASES
from qoslib.config import read

FOLDER = CASES / "commands"
TABLES = {path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
COMMANDS = [
    pytest.param(dialect, place, id=f"{dialect}-{place}")
    for dialect, table in TABLES.items()
    for place in table["places"]
]
NONSENSE = "frobnicate 7"
#: Comments, brackets alone, and the ends of blocks.
SILENT = re.compile(r"\s*([!#].*|[\[\](){};,]*|end|exit|end-\S+|exit-\S+|/\*.*)\s*")


def commands(dialect, place):
    """The commands that may stand at a place."""
    of = TABLES[dialect]["places"][place].get("commands_of", place)
    return [each for each in TABLES[dialect]["command"] if of in each["places"]]


def problem(dialect, place, command):
    """What is wrong with the reading of one command, or nothing."""
    table = TABLES[dialect]["places"][place]
    nonsense = table.get("nonsense", NONSENSE)
    lines = []
    for line in table["text"].strip("\n").split("\n"):
        if "<line>" in line:
            at = len(lines) + 1
            lines += [line.replace("<line>", command["line"]), line.replace("<line>", nonsense)]
        else:
            lines.append(line)
    text = "\n".join(lines)
    try:
        found = read(text, facts=table.get("facts"), dialect=dialect)
    except ValueError as error:
        return f"not read: {error}"
    listed = {}
    for each in found.remarks:
        listed.setdefault(each.line, set()).add(each.kind)
    understood = {each.line for each in found.statements}
    say = {number for number, line in enumerate(lines, 1) if not SILENT.fullmatch(line)}
    if at not in understood | set(listed):
        return "neither understood nor listed"
    if listed.get(at, set()) - {"not modelled"}:
        return f"listed as {sorted(listed[at])}"
    # What a kernel refuses, such as a filter of no kind that there is, is listed as that.
    if not {"unknown", "refused"} & listed.get(at + 1, set()):
        return f"the nonsense behind it is not unknown but {listed.get(at + 1, 'not listed')}"
    if found.understood + found.listed + found.elsewhere != len(say):
        return f"{found.understood} + {found.listed} + {found.elsewhere} are not {len(say)} lines"
    return ""


@pytest.mark.parametrize(("dialect", "place"), COMMANDS)
def test_each_command_is_understood_or_listed_and_nonsense_is_unknown(dialect, place):
    problems = {each["line"]: problem(dialect, place, each) for each in commands(dialect, place)}
    assert problems, f"no command stands at {place}"
    wrong = [f"{line}: {what}" for line, what in problems.items() if what]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dialect", TABLES)
def test_each_command_has_a_place_and_a_reference(dialect):
    table = TABLES[dialect]
    for each in table["command"]:
        assert each["places"], each["line"]
        assert set(each["places"]) <= set(table["places"]), each["line"]
        assert len(each["reference"]) > 10, each["line"]
    said = [(each["line"], place) for each in table["command"] for place in each["places"]]
    assert len(said) == len(set(said))
