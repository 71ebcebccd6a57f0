"""Make pages of the lessons: their texts and stored outputs, with places for what moves.

Nothing is run but the solutions, by `website.solutions`. A notebook becomes Markdown: a scene or an
explorer stands in a place of its own, which a script of the page fills, with the stored picture in
it for those who have no script. So does the box for the answer to an exercise. What answers a
prediction, explains it, or solves an exercise is folded.
"""

import base64
import html
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from website import exercises, solutions
from website.phrases import on_a_page
from website.shown import LESSONS, shown

__all__ = ["Lesson", "page", "read"]

#: Outputs by what a page prefers.
KINDS = ("image/svg+xml", "image/png", "text/html", "text/markdown", "text/plain")
ENDINGS = {"image/svg+xml": "svg", "image/png": "png"}
#: The cell of an exercise that waits for the reader's answer.
OPEN = re.compile(r'check\("([\d.]+)", \.\.\.\)')
#: Code in a text before such a cell, which the answer begins with.
BEGUN = re.compile(r"```python\n(.*?)```", re.DOTALL)
ASKED = re.compile(r'predict\("([\d.]+\w)"\)')
REVEALED = re.compile(r'reveal\("([\d.]+\w)"')
#: A picture that a text holds in itself: a page takes such an address of none but PNG and JPEG.
HELD = re.compile(r"(?<=\]\()data:image/svg\+xml;base64,([^)]+)(?=\))")
#: What stands in place of an explorer that edits a configuration.
CHECKED = """<div class="qoslib-check" data-example="lesson_%s">

This explorer needs JavaScript. The page [Check a configuration](../check/index.md)
runs the same check.

</div>"""
#: A block of code in Markdown, and a heading outside of one.
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
#: How to run a lesson, for its head.
RUN = (
    "To run it, type <code>make lab</code> in qoslib's folder (<a href=\"../docs/overview.html"
    '#two-commands">two commands</a>)'
)
#: What stands in place of an exercise for those who have no script.
UNSCRIPTED = "This page needs JavaScript to check an answer."
#: What stands before the code of an exercise that no page can run.
ELSEWHERE = """<div class="qoslib-said">

This exercise works in JupyterLab only, because it needs packages that a web page does not have.
Type `make lab` in qoslib's folder and open this lesson there.

</div>"""
#: What pandas says below a column of values.
DTYPE = re.compile(r"\n(Name: .*, )?dtype: \w+\s*$")
#: A picture in an opening, and headings of sections whose answers no fold keeps back.
STILL = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n+", re.MULTILINE)
OPENED = re.compile(r"^## (Move it yourself|Exercises)$", re.MULTILINE)
#: A prediction without a place on the page, or one that was revealed: it ends at the explanation.
ALOUD = "aloud"
PREDICT = re.compile(r"^> \*\*Predict", re.MULTILINE)
TIME = re.compile(r"\*\*Time:\*\* (\d+) minutes, (\d+) with the exercises")


class Lesson(NamedTuple):
    """A notebook: the name of its file, its title, its minutes and its cells."""

    name: str
    title: str
    minutes: tuple[int, int] | None
    cells: list[dict[str, Any]]

    @property
    def number(self) -> str:
        """The two digits that its name begins with; of the glossary, nothing."""
        return self.name[:2] if self.name[:2].isdigit() else ""


def read(path: Path) -> Lesson:
    """Read a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = [_source(cell) for cell in cells]
    title = texts[0].partition("\n")[0].removeprefix("# ")
    found = next(filter(None, map(TIME.search, texts)), None)
    minutes = (int(found[1]), int(found[2])) if found else None
    return Lesson(path.stem, title, minutes, cells)


def page(lesson: Lesson) -> tuple[str, dict[str, bytes]]:
    """The Markdown of a lesson, and its pictures by the names of their files."""
    made = _Page(lesson)
    return "\n\n".join(made.parts()) + "\n", made.pictures


class _Page:
    """A lesson on its way to a page: what has been asked, and how many live things it has had."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson, self.asked, self.last = lesson, "", ""
        self.pictures: dict[str, bytes] = {}
        notebook = LESSONS / f"{lesson.name}.ipynb"
        self.moving = {each.cell: each.kind for each in shown(notebook)}
        self.solved = solutions.results(notebook)
        self.shown = {"scene": 0, "explorer": 0}

    def parts(self) -> list[str]:
        made = []
        for n, cell in enumerate(self.lesson.cells):
            text, tags = _source(cell), cell["metadata"].get("tags", [])
            if cell["cell_type"] == "code":
                made += self.code(n, cell, text, tags)
                continue
            if self.asks_for_code(n + 1):
                text = BEGUN.sub("", text)
            text = HELD.sub(self.held, on_a_page(text))
            if "explanation" in tags:
                title = "Diagnosis" if text.startswith("**Diagnosis") else "Explanation"
                made += folded(title, [text], "explanation")
                self.asked = "" if self.asked == ALOUD else self.asked
            else:
                made += self.opening(text) if n == 0 else [text]
                self.last = "" if OPENED.search(text) else self.last
                self.asked = ALOUD if PREDICT.search(text) else self.asked
        return made

    def opening(self, text: str) -> list[str]:
        """The title, and under it what a reader wants to know before the first line."""
        title, _, rest = text.partition("\n")
        if 1 in self.moving:
            # The scene below is the same picture, and moves.
            rest = STILL.sub("", rest)
        name, minutes = self.lesson.name, self.lesson.minutes
        said = [f"Lesson {self.lesson.number}"] if self.lesson.number else []
        said += [f"{minutes[0]} min, {minutes[1]} with exercises"] if minutes else []
        said += [f'<a href="{name}.ipynb" download>Download this notebook</a>', RUN]
        facts = "".join(f"<li>{each}</li>" for each in said)
        return [title, f'<ul class="qoslib-facts">{facts}</ul>', rest.strip()]

    def code(self, n: int, cell: dict[str, Any], text: str, tags: list[str]) -> list[str]:
        if not self.lesson.number:
            # The glossary's search is the page's own.
            return []
        code = f"```python\n{text}\n```"
        if "solution" in tags:
            said = self.solved[n].said
            return folded(
                "Solution", [code, f'<div class="qoslib-said">\n\n{said}\n\n</div>'], "solution"
            )
        if asked := ASKED.fullmatch(text.strip()):
            self.asked = self.last = asked[1]
            question = _plain(cell["outputs"][0]["data"]["text/plain"])
            return [place("predict", {"name": asked[1]}, html.escape(question))]
        if kind := self.moving.get(n):
            return [self.live(kind, cell["outputs"]), *folded("In Python", [code], "code")]
        if waiting := OPEN.search(text):
            return [self.exercise(n, waiting[1])]
        outputs = [self.output(each) for each in cell["outputs"]]
        if self.asked and outputs:
            name = "" if self.asked == ALOUD else self.asked
            outputs = folded("Show the answer to the prediction", outputs, "answer", name)
        elif self.last and outputs:
            outputs = [place("after", {"name": self.last}, "\n\n".join(outputs))]
        if (revealed := REVEALED.search(text)) and revealed[1] == self.asked:
            self.asked = ALOUD
        return [code, *outputs]

    def asks_for_code(self, n: int) -> bool:
        """Whether a cell is that of an exercise whose answer is code."""
        waiting = OPEN.search(_source(self.lesson.cells[n])) if n < len(self.lesson.cells) else None
        return bool(waiting and exercises.asked(waiting[1])["kind"] == "code")

    def exercise(self, n: int, number: str) -> str:
        """The place of an exercise: it holds the code that an answer in code begins with."""
        if not self.asks_for_code(n):
            return place("exercise", self.named(number), UNSCRIPTED)
        begun = "\n".join(BEGUN.findall(_source(self.lesson.cells[n - 1])))
        code = f"```python\n{begun}{_source(self.lesson.cells[n])}\n```"
        if self.solved[n + 1].in_a_page:
            return place("exercise", self.named(number), code)
        return f"{ELSEWHERE}\n\n{code}"

    def named(self, number: str) -> dict[str, str]:
        return {"lesson": self.lesson.name, "name": number, **exercises.asked(number)}

    def live(self, kind: str, outputs: list[dict[str, Any]]) -> str:
        """The place of a scene or an explorer, with its picture."""
        named = {"lesson": self.lesson.name, "kind": kind, "number": str(self.shown[kind])}
        self.shown[kind] += 1
        return place("live", named, "\n\n".join(map(self.output, outputs)))

    def output(self, output: dict[str, Any]) -> str:
        data = output.get("data") or {"text/plain": output.get("text", "")}
        kind = next(each for each in KINDS if each in data)
        if kind in ENDINGS:
            return self.picture(kind, data)
        content = DTYPE.sub("", _plain(data[kind]))
        if content.startswith("ConfigurationExplorer("):
            return CHECKED % self.lesson.number
        if kind == "text/markdown":
            return f'<div class="qoslib-said">\n\n{without_sections(content)}\n\n</div>'
        if kind == "text/html":
            return f"```{{raw}} html\n{accessible(content)}\n```"
        return f'```{{raw}} html\n<pre class="qoslib-output">{html.escape(content)}</pre>\n```'

    def held(self, found: re.Match[str]) -> str:
        """The name of a file for a picture that a text holds."""
        name = f"{self.lesson.name}-{len(self.pictures)}.svg"
        self.pictures[name] = base64.b64decode(found[1])
        return name

    def picture(self, kind: str, data: dict[str, Any]) -> str:
        """Keep a picture, and show it with the words that were stored beside it."""
        name = f"{self.lesson.name}-{len(self.pictures)}.{ENDINGS[kind]}"
        content = _plain(data[kind]).replace(" Run the cell to let it play.", "")
        self.pictures[name] = base64.b64decode(content) if kind == "image/png" else content.encode()
        said = re.sub(r"([\[\]\\`*_<])", r"\\\1", " ".join(_plain(data["text/plain"]).split()))
        return f"![{said}]({name})"


def place(kind: str, named: dict[str, str], content: str) -> str:
    """A place that a script of the page fills; until then it shows its content."""
    data = "".join(f' data-{key}="{html.escape(value)}"' for key, value in named.items())
    return f'<div class="qoslib-{kind}"{data}>\n\n{content}\n\n</div>'


def folded(title: str, parts: list[str], kind: str, name: str = "") -> list[str]:
    """Parts that a reader opens by a click on their title."""
    data = f' data-name="{name}"' if name else ""
    opening = f'<details class="qoslib-fold qoslib-{kind}"{data}><summary>{title}</summary>'
    return [opening, *parts, "</details>"]


def without_sections(text: str) -> str:
    """Markdown whose headings begin no section of the page, which would end what encloses them.

    >>> print(without_sections("# A port"))
    ```{rubric} A port
    :heading-level: 3
    ```
    """
    parts = FENCE.split(text)
    parts[::2] = [HEADING.sub(_rubric, each) for each in parts[::2]]
    return "".join(parts)


def _rubric(found: re.Match[str]) -> str:
    level = min(len(found[1]) + 2, 6)
    return f"```{{rubric}} {found[2]}\n:heading-level: {level}\n```"


def accessible(table: str) -> str:
    """HTML that was stored with an output: it may scroll, and no heading is empty."""
    table = table.replace("<th></th>", "<td></td>").replace(' border="1"', "")
    table = re.sub(r' style="text-align: \w+;"', "", table)
    table = re.sub(r"<style.*?</style>", "", table, flags=re.DOTALL)
    table = table.replace("<table", '<div class="pst-scrollable-table-container"><table')
    return table.replace("</table>", "</table></div>")


def _source(cell: dict[str, Any]) -> str:
    return _plain(cell["source"])


def _plain(text: str | list[str]) -> str:
    """A notebook keeps a text as one or as lines."""
    return text if isinstance(text, str) else "".join(text)
