"""Make slides of the lessons: headings, predictions and figures; no exercises, no solutions.

python tools/slides.py [--reveal FOLDER_OR_ADDRESS] [NOTEBOOK ...]
"""

import argparse
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter

ROOT = Path(__file__).resolve().parent.parent
INTO = ROOT / "build" / "slides"
LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
#: Headings from which on a lesson is no longer for the projector, and where it is again.
LEFT_OUT, AGAIN = "## Exercises", "## In practice"


def tagged(lesson):
    """The lesson with the kind of slide of each cell in its metadata, as nbconvert reads it."""
    shown = True
    for cell in lesson.cells:
        shown = cell.source.startswith(AGAIN) or (shown and not cell.source.startswith(LEFT_OUT))
        cell.metadata["slideshow"] = {"slide_type": kind(cell) if shown else "skip"}
    return lesson


def kind(cell):
    """A heading begins a slide, prose and figures one below it; short code stays with its text."""
    if cell.cell_type == "markdown":
        if cell.source.startswith("#"):
            return "slide"
        return "fragment" if cell.source.startswith(">") else "subslide"
    pictured = any("image/png" in output.get("data", {}) for output in cell.outputs)
    return "subslide" if pictured else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reveal", default="", help="where reveal.js is; the network if not given")
    parser.add_argument("lessons", type=Path, nargs="*", default=LESSONS)
    wanted = parser.parse_args()
    settings = {"reveal_url_prefix": wanted.reveal} if wanted.reveal else {}
    exporter = SlidesExporter(exclude_input_prompt=True, exclude_output_prompt=True, **settings)
    INTO.mkdir(parents=True, exist_ok=True)
    for path in wanted.lessons:
        page, _ = exporter.from_notebook_node(tagged(nbformat.read(path, as_version=4)))
        (INTO / f"{path.stem}.slides.html").write_text(page, encoding="utf-8")
    print(f"{len(wanted.lessons)} slide sets in {INTO}")


if __name__ == "__main__":
    main()
