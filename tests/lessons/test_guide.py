"""The guide: a sheet for each lesson, and minutes that add up in sheets, plans and the day."""

import json
import re
from collections import Counter
from itertools import pairwise

import nbformat
import pytest

from places import ROOT
from qoslib import tcp, units

GUIDE = (ROOT / "course" / "README.md").read_text()
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
SHEETS = {path.stem: path.read_text() for path in (ROOT / "course" / "sheets").glob("*.md")}
FIELDS = ("Ask first", "Usual wrong answers", "Show", "Timing", "Exit question", "Watch out")
EACH_LESSON = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
#: What a lesson takes with its exercises, where it was measured: so many times the time in class.
FACTOR = 1.7
#: What takes longer than to run a cell: a prediction, a scene, an explorer.
SLOW = re.compile(r"^predict\(|^explore\.|\.(explorer|knife_edge|\w*scene)\(", re.MULTILINE)


def minutes(stem):
    """Minutes of a lesson in class, and with its exercises."""
    found = re.search(r"\*\*Minutes:\*\* (\d+) in class, (\d+) with exercises\.", SHEETS[stem])
    return int(found[1]), int(found[2])


def section(title):
    return re.split(r"^## ", GUIDE.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]


def rows(title):
    """The rows of the table in a section of the guide, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def parts(cell):
    """What a cell of a plan lists, with its minutes."""
    found = [re.fullmatch(r"(.+) \((\d+)\)", part) for part in cell.split(", ")]
    assert all(found), cell
    return [(match[1], int(match[2])) for match in found]


def test_each_lesson_has_a_sheet():
    assert set(SHEETS) == {path.stem for path in LESSONS}, "course/sheets/ has one per notebook"


@EACH_LESSON
def test_a_sheet_has_the_title_and_the_minutes_of_its_lesson(path):
    opening = "\n".join(c.source for c in nbformat.read(path, as_version=4).cells[:5])
    title = re.search(r"^# (.+)", opening, re.MULTILINE)[1]
    assert SHEETS[path.stem].splitlines()[0] == f"# {path.stem[:2]} {title}"
    said = re.search(r"\*\*Time:\*\* (.+)", opening)[1]
    assert set(map(int, re.findall(r"\d+", said))) <= set(minutes(path.stem))


@EACH_LESSON
def test_a_sheet_has_all_its_parts_and_its_minutes_add_up(path):
    sheet = " ".join(SHEETS[path.stem].split())
    places = [sheet.index(f"**{field}:**") for field in FIELDS]
    assert sheet.count(" - ", sheet.index("**Outcomes.**"), places[0]) >= 3
    for start, end in pairwise([*places, len(sheet)]):
        assert len(sheet[start:end].split()) >= 8
    timing = sheet[places[3] : places[4]]
    of_class, with_exercises = minutes(path.stem)
    assert sum(map(int, re.findall(r"(?:\*\* |, )(\d+) ", timing))) == of_class
    assert with_exercises > of_class


@EACH_LESSON
def test_the_readme_says_the_same_minutes(path):
    readme = (ROOT / "README.md").read_text()
    row = re.search(rf"^\| \[{path.stem}\].*\| (\d+) \| (\d+) \|$", readme, re.MULTILINE)
    assert (int(row[1]), int(row[2])) == minutes(path.stem)


@EACH_LESSON
def test_the_minutes_are_those_of_what_there_is_to_read_and_to_do(path):
    """As the guide says under Minutes. Trials differ from such an estimate by a quarter."""
    cells = nbformat.read(path, as_version=4).cells
    sources = [cell.source for cell in cells if "solution" not in cell.metadata.get("tags", [])]
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    exercises = sum(source.startswith("check(") for source in sources)
    slow = sum(bool(SLOW.search(source)) for source in sources)
    code = sum(cell.cell_type == "code" for cell in cells) - 2 * exercises - slow
    tasks = len(re.findall(r"^\d\. ", text, re.MULTILINE))
    words = len(re.sub(r"\]\([^)]*\)", "", text).split())
    alone = words / 180 + code + tasks + 3 * slow
    estimate = alone, alone + 6 * exercises
    for said, of in zip(minutes(path.stem), estimate, strict=True):
        assert 0.8 < said / of < 1.35, estimate


def test_the_table_of_minutes_is_that_of_the_sheets():
    table = {link: (int(a), int(b), how) for link, a, b, how in rows("Minutes")}
    assert list(table) == [f"[{path.stem[:2]}](sheets/{path.stem}.md)" for path in LESSONS]
    for path, (of_class, with_exercises, how) in zip(LESSONS, table.values(), strict=True):
        assert (of_class, with_exercises) == minutes(path.stem)
        estimate = 5 * round(FACTOR * of_class / 5)
        assert how == "measured once" or (how == "estimated" and with_exercises == estimate)


@pytest.mark.parametrize(("plan", "weeks"), [("Six weeks", 6), ("Ten weeks", 10)])
def test_a_plan_adds_up(plan, weeks):
    table = rows(plan)
    assert [row[0] for row in table] == [str(week) for week in range(1, weeks + 1)]
    spent = Counter()
    for week, in_class, at_home, total in table:
        assert sum(m for _, m in parts(in_class)) == 90, f"week {week}, in class"
        assert sum(m for _, m in parts(at_home)) == int(total), f"week {week}, at home"
        for what, lasts in parts(in_class) + parts(at_home):
            if re.match(r"\d\d ", what):
                spent[what[:2]] += lasts
    assert spent == {path.stem[:2]: minutes(path.stem)[1] for path in LESSONS}


def test_the_day_adds_up():
    times = [60 * int(at[:2]) + int(at[3:]) for at, _, _ in rows("One day")]
    lasts = [int(minutes) for _, _, minutes in rows("One day")]
    assert [end - start for start, end in pairwise(times)] == lasts[:-1]


def test_the_rubric_of_the_examination_adds_up():
    points = [int(re.search(r"\((\d+)\)", row[0])[1]) for row in rows("The final examination")]
    stated = re.search(r"for (\d+) points", section("The final examination"))
    assert sum(points) == int(stated[1])
    assert all(len(row) == 4 for row in rows("The final examination"))


def test_guesses_that_are_handed_in_become_one_picture(tmp_path, monkeypatch):
    """The guide's two programs, run as a class would."""
    hand_in, collect = re.findall(r"```python\n(.+?)```", GUIDE, re.DOTALL)
    (tmp_path / "handed_in").mkdir()
    for student, guess in (("4711", 20.0), ("4712", 500.0)):
        mine = tmp_path / student
        (mine / "my_lessons" / ".answers").mkdir(parents=True)
        kept = mine / "my_lessons" / ".answers" / "00.b.json"
        kept.write_text(json.dumps({"prediction": "00.b", "guess": guess}))
        monkeypatch.chdir(mine)
        exec(hand_in.replace("4711", student), {})
        (mine / f"{student}.zip").rename(tmp_path / "handed_in" / f"{student}.zip")
    monkeypatch.chdir(tmp_path)
    *_, last = collect.strip().splitlines()
    scope = {}
    exec(collect, scope)
    picture = eval(last, scope)
    assert picture.summary.startswith("2 guesses")
    assert picture.table["guesses"].sum() == 2


def test_the_numbers_of_the_exit_questions():
    told = {stem[:2]: " ".join(sheet.split()) for stem, sheet in SHEETS.items()}
    for lesson, text, value in (
        ("00", "30 ms and then 60 ms", units.convert(300 / 10_000, "s", "ms")),
        ("01", "80 ms and 20 ms", (1 - 0.20) * 100),
        (
            "05",
            "2.98 million",
            units.convert(units.rate_pps(units.gbps(10), 400 + 20), "packets/s", "Mpackets/s"),
        ),
        (
            "06",
            "2 MB",
            units.convert(tcp.bandwidth_delay_bytes(units.mbps(400), units.ms(40)), "B", "MB"),
        ),
    ):
        assert text in told[lesson]
        digits = re.match(r"[\d.]+", text)[0]
        assert f"{value:.{len(digits.partition('.')[2])}f}" == digits
