"""Make the slides of the lessons: a claim, a figure and a question on each.

python tools/slides.py [DECK ...]

A deck is a Markdown file in course/slides. Its first heading is the title, and each heading begins
a slide with what the slide claims. Below it stand, where there are any: code in a fence, whose
last expression is the figure; the figure's description, quoted, for those who do not see it; a
question in bold; and notes for the lecturer. The code of a deck runs from top to bottom and knows
what slide_figures.py has. Each deck becomes one HTML file that fetches nothing.
"""

import argparse
import ast
import html
import re
from pathlib import Path
from typing import Any, NamedTuple

from nbconvert.filters import markdown2html

import slide_figures

ROOT = Path(__file__).resolve().parent.parent
INTO = ROOT / "build" / "slides"
PAGE = Path(__file__).with_name("slides.html")
DECKS = sorted((ROOT / "course" / "slides").glob("*.md"))
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Slide(NamedTuple):
    """What a deck says about a slide; the code makes its figure."""

    claim: str
    code: str = ""
    description: str = ""
    question: str = ""
    notes: str = ""


def read(path: Path) -> list[Slide]:
    """The slides of a deck; the first one has its title."""
    text = path.read_text(encoding="utf-8")
    return [_slide(part) for part in re.split(r"^##? ", text, flags=re.MULTILINE)[1:]]


def _slide(text: str) -> Slide:
    claim, _, rest = text.partition("\n")
    code, kinds = "\n".join(FENCE.findall(rest)), {"description": "", "question": "", "notes": ""}
    for block in FENCE.sub("", rest).split("\n\n"):
        words = " ".join(line.removeprefix(">").strip() for line in block.strip().splitlines())
        if block.strip().startswith(">"):
            kinds["description"] += words
        elif words.startswith("**") and words.endswith("**"):
            kinds["question"] += words.strip("*")
        elif words:
            kinds["notes"] += f"{words}\n\n"
    return Slide(claim.strip(), code, **kinds)


def made(slides: list[Slide]) -> str:
    """The page of a deck."""
    known = {name: getattr(slide_figures, name) for name in slide_figures.__all__}
    parts = [_section(slide, run(slide.code, known), n) for n, slide in enumerate(slides, 1)]
    page = PAGE.read_text(encoding="utf-8").replace("TITLE", html.escape(slides[0].claim))
    return page.replace("SLIDES", "\n".join(parts))


def run(code: str, known: dict[str, Any]) -> Any:
    """Run a slide's code, and return the value of its last expression."""
    lines = ast.parse(code).body
    last = lines.pop() if lines and isinstance(lines[-1], ast.Expr) else None
    exec(compile(ast.Module(lines, []), "slide", "exec"), known)
    return last and eval(compile(ast.Expression(last.value), "slide", "eval"), known)


def _section(slide: Slide, figure: Any, number: int) -> str:
    level = "h1" if number == 1 else "h2"
    parts = [f"<{level}>{_inline(slide.claim)}</{level}>"]
    if figure is not None:
        drawn = figure.fragment() if hasattr(figure, "fragment") else figure
        if not isinstance(drawn, str):
            raise ValueError(f"slide {slide.claim!r} shows a {type(figure).__name__}, no figure")
        kind = "scene" if hasattr(figure, "fragment") else "drawn"
        said = html.escape(slide.description, quote=True)
        parts.append(f'<figure class="{kind}" role="group" aria-label="{said}">{drawn}</figure>')
    if slide.question:
        parts.append(f'<p class="ask">{_inline(slide.question)}</p>')
    if slide.notes:
        parts.append(f'<aside aria-label="notes">{markdown2html(slide.notes)}</aside>')
    return f'<section aria-label="slide {number}">{"".join(parts)}</section>'


def _inline(text: str) -> str:
    """A line of Markdown without its paragraph."""
    return markdown2html(text).strip().removeprefix("<p>").removesuffix("</p>")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("decks", type=Path, nargs="*", default=DECKS)
    wanted = parser.parse_args()
    INTO.mkdir(parents=True, exist_ok=True)
    for path in wanted.decks:
        (INTO / f"{path.stem}.html").write_text(made(read(path)), encoding="utf-8")
        print(f"{INTO / path.stem}.html")


if __name__ == "__main__":
    main()
