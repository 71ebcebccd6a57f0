"""Make slides of the lessons: headings, predictions and figures; no exercises, no solutions.

python tools/slides.py [NOTEBOOK ...]

Each set is one HTML file that fetches nothing; nbconvert's own template needs a network.
"""

import argparse
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter

ROOT = Path(__file__).resolve().parent.parent
INTO = ROOT / "build" / "slides"
PAGE = Path(__file__).with_name("slides.html.j2")
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
#: Headings from which on a lesson is no longer for the projector, and where it is again.
LEFT_OUT, AGAIN = "## Exercises", "## In practice"
#: How a prediction begins: a quoted text, or a cell that asks.
PREDICTION = (">", "predict(")


def tagged(lesson):
    """The lesson with the kind of slide of each cell in its metadata, as nbconvert reads it."""
    lesson.cells = [part for cell in lesson.cells for part in parts(cell)]
    shown, guessed = True, False
    for cell in lesson.cells:
        shown = cell.source.startswith(AGAIN) or (shown and not cell.source.startswith(LEFT_OUT))
        cell.metadata["slideshow"] = {"slide_type": kind(cell, guessed) if shown else "skip"}
        guessed = cell.source.startswith(PREDICTION)
    return lesson


def parts(cell):
    """A text cut where a heading begins, and before and after a prediction."""
    if cell.cell_type != "markdown":
        return [cell]
    texts, cut = [], True
    for block in cell.source.split("\n\n"):
        if cut or block.startswith(("#", ">")):
            texts.append(block)
        else:
            texts[-1] += f"\n\n{block}"
        cut = block.startswith(">")
    return [nbformat.v4.new_markdown_cell(text) for text in texts]


def kind(cell, guessed):
    """A heading begins a slide; prose, figures and what answers a prediction begin one below it.

    Short code stays with its text, and a prediction comes when asked for.
    """
    if cell.source.startswith(PREDICTION):
        return "fragment"
    if cell.cell_type == "markdown":
        return "slide" if cell.source.startswith("#") else "subslide"
    pictured = any("image/png" in output.get("data", {}) for output in cell.outputs)
    return "subslide" if pictured or guessed else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", type=Path, nargs="*", default=LESSONS)
    wanted = parser.parse_args()
    exporter = SlidesExporter(
        template_file=str(PAGE),
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        embed_images=True,
    )
    INTO.mkdir(parents=True, exist_ok=True)
    for path in wanted.lessons:
        lesson, beside = tagged(nbformat.read(path, as_version=4)), {"path": str(path.parent)}
        page, _ = exporter.from_notebook_node(lesson, resources={"metadata": beside})
        (INTO / f"{path.stem}.slides.html").write_text(page, encoding="utf-8")
    print(f"{len(wanted.lessons)} slide sets in {INTO}")


if __name__ == "__main__":
    main()
