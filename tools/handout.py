"""Make of each lesson a copy for students, without solutions, and one for the instructor.

python tools/handout.py [--student NUMBER ...] [--into FOLDER]

A student's copy has no outputs, and its set has a folder for predictions. A student with a number
gets numbers of their own in the exercises whose numbers may vary, and `check` is told whose they
are.
"""

import argparse
import copy
import re
import shutil
from pathlib import Path

import nbformat

from qoslib import lessons
from qoslib.lessons.copies import working_copy

ROOT = Path(__file__).resolve().parent.parent
LESSONS = tuple(sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")))
GLOSSARY, LICENCE = ROOT / "notebooks" / "glossary.ipynb", ROOT / "notebooks" / "LICENSE"
ASKED = re.compile(r'check\("(\d\d\.\d)", \.\.\.\)')
#: The question of exercise n: from its number to the end of its cell.
QUESTION = r"\*\*{}\.\*\* .*"


def is_solution(cell):
    return "solution" in cell.metadata.get("tags", [])


def asked(cell):
    """The number of the exercise that a cell leaves open, or ""."""
    found = ASKED.fullmatch(cell.source.strip()) if cell.cell_type == "code" else None
    return found.group(1) if found else ""


def for_students(lesson, student=0):
    """A copy without solutions; with a student's number, with that student's numbers in it."""
    made = copy.deepcopy(lesson)
    made.cells = [cell for cell in made.cells if not is_solution(cell)]
    if student:
        for before, cell in zip(made.cells, made.cells[1:], strict=False):
            if asked(cell):
                _ask(before, cell, student)
    return made


def _ask(text, cell, student):
    name = asked(cell)
    question = lessons.question(name, student)
    if question:
        number = name.partition(".")[2]
        pattern = re.compile(QUESTION.format(number), re.DOTALL)
        text.source = pattern.sub(lambda _: f"**{number}.** {question}", text.source)
        cell.source = f'check("{name}", ..., student={student})'
        cell.outputs = []


def to_work_in(lesson, student=0):
    """A student's copy as it is handed out: nothing stands under a prediction."""
    return working_copy(for_students(lesson, student))


def for_the_instructor(lesson):
    """A copy in which its solution answers each exercise and shows what the check says."""
    made = copy.deepcopy(lesson)
    made.cells = [cell for cell in made.cells if not asked(cell)]
    for cell in filter(is_solution, made.cells):
        cell.metadata.pop("jupyter", None)
        cell.source += "\nsolved"
    return made


def write(folder, make):
    folder.mkdir(parents=True, exist_ok=True)
    for path in LESSONS:
        nbformat.write(make(nbformat.read(path, as_version=4)), folder / path.name)
    # The lessons link to the glossary and show the pictures, and a licence goes with each copy.
    for path in (GLOSSARY, LICENCE, *GLOSSARY.parent.glob("*.svg")):
        shutil.copy(path, folder)
    print(f"{len(LESSONS)} lessons in {folder}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--student", type=int, nargs="*", default=[], help="student numbers")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "handout")
    wanted = parser.parse_args()
    for number in (0, *wanted.student):
        folder = wanted.into / (f"student-{number}" if number else "student")
        write(folder, lambda lesson, n=number: to_work_in(lesson, n))
        # Predictions are kept here.
        (folder / ".answers").mkdir(exist_ok=True)
    write(wanted.into / "instructor", for_the_instructor)


if __name__ == "__main__":
    main()
