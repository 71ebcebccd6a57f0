"""Every lesson has the same opening and close, short cells, and outputs that can be compared."""

import base64
import re

import nbformat
import pytest

from places import ROOT
from qoslib.lessons import LESSONS as FOLDERS
from qoslib.lessons import predictions

LESSONS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
IGNORED = re.compile(r"NBVAL_IGNORE_OUTPUT|nbval-ignore-output")
#: A figure, and what this machine's kernel offers, which is another table on every machine.
DRAWN = re.compile(
    rf"\b((plots|explore|{'|'.join(FOLDERS.values())})\.\w+|lesson\.(picture|kernel))\("
)
ASKED = re.compile(r'predict\("\d\d\.[a-c]"\)\Z')
REVEALED = re.compile(r'\breveal\("(\d\d\.[a-c])"')
#: What is alive where there is a kernel, and has its words and its table below it there.
ALIVE = re.compile(r"^explore\.|\.(explorer|knife_edge|\w*scene)\(", re.MULTILINE)
KEPT = {"text/plain", "text/html", "text/markdown", "text/latex", "image/png", "image/svg+xml"}


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def lesson(request):
    return nbformat.read(request.param, as_version=4)


def code(lesson):
    return [cell for cell in lesson.cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def ignored(cell):
    return bool(IGNORED.search("\n".join([cell.source, *tags(cell)])))


def opening(lesson):
    """The text up to the honest time: what moves may come before what is promised."""
    first = [cell.source for cell in lesson.cells[:5] if cell.cell_type == "markdown"]
    ends = next(n for n, text in enumerate(first, 1) if "**Time:**" in text)
    return "\n\n".join(first[:ends])


def curve(cell):
    """Whether a cell sets a curve that the reader drew beside another; words are compared."""
    found = REVEALED.search(cell.source)
    return found and predictions()[found.group(1)].kind == "curve"


def data(cell):
    """The mime bundles that a cell shows."""
    return [output.data for output in cell.outputs if "data" in output]


def shown(cell):
    """The text that a cell shows."""
    printed = [output.text for output in cell.outputs if "text" in output]
    return "\n".join([*printed, *(bundle.get("text/plain", "") for bundle in data(cell))])


def test_the_first_lesson_is_where_make_lab_opens_it():
    assert "00_one_queue" in [path.stem for path in LESSONS]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_stays_small(path):
    assert path.stat().st_size < 200_000


def test_it_opens_with_what_the_reader_gets(lesson):
    assert lesson.cells[0].cell_type == "markdown"
    assert lesson.cells[0].source.startswith("# ")
    for word in ("will do:", "will learn:", "need:", "time:"):
        assert re.search(rf"\b{word}", opening(lesson), re.IGNORECASE), word


def test_it_closes_with_exercises_practice_and_sources(lesson):
    headings = re.findall(r"^#+ (.+)$", "\n".join(c.source for c in lesson.cells), re.MULTILINE)
    for heading in ("Exercises", "In practice", "Sources"):
        assert any(found.startswith(heading) for found in headings), heading


def test_cells_read_as_sentences(lesson):
    for cell in code(lesson):
        assert len(cell.source.splitlines()) <= 12, cell.source
    lines = [line for cell in code(lesson) for line in cell.source.splitlines()]
    assert sum(line.startswith(("import ", "from ")) for line in lines) <= 6
    assert not re.search(r"^(import|from) (plotly|ipywidgets|matplotlib)", "\n".join(lines), re.M)


def test_nothing_is_stored_but_text_and_small_pictures(lesson):
    assert "widgets" not in lesson.metadata
    for cell in code(lesson):
        for bundle in data(cell):
            assert set(bundle) <= KEPT, cell.source
            assert len(base64.b64decode(bundle.get("image/png", ""))) <= 40_000, cell.source
            assert len(bundle.get("image/svg+xml", "")) <= 12_000, cell.source


def test_it_was_run_from_top_to_bottom(lesson):
    counts = [cell.execution_count for cell in code(lesson)]
    assert counts == list(range(1, len(counts) + 1))


def test_only_figures_and_widgets_escape_the_comparison(lesson):
    for cell in code(lesson):
        drawn = DRAWN.search(cell.source) or ASKED.match(cell.source) or curve(cell)
        assert not ignored(cell) or drawn, cell.source
        assert not re.search("nbval.(skip|raises)", "\n".join([cell.source, *tags(cell)]), re.I)


def test_five_outputs_are_compared_and_show_published_modelled_and_error(lesson):
    compared = [shown(cell) for cell in code(lesson) if cell.outputs and not ignored(cell)]
    assert len(compared) >= 5
    # A table of the reader's own values calls them measured.
    for word in ("published|measured", "modelled", "error"):
        assert re.search(word, "\n".join(compared).lower()), word


def test_solutions_are_tagged_and_collapsed(lesson):
    solutions = [cell for cell in lesson.cells if "solution" in tags(cell)]
    assert len(solutions) >= 3
    assert all(cell.metadata.get("jupyter", {}).get("source_hidden") for cell in solutions)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_links_what_it_needs_and_what_comes_next(path):
    lesson = nbformat.read(path, as_version=4)
    linked = re.findall(r"\]\((\d\d_\w+\.ipynb)\)", "\n".join(c.source for c in lesson.cells))
    assert set(linked) <= {each.name for each in LESSONS}
    following = LESSONS[LESSONS.index(path) + 1 :]
    assert not following or following[0].name in linked
    needed = re.search(r"You need:.*?\n- ", opening(lesson), re.DOTALL)[0]
    assert not re.search(r"\d\d", re.sub(r"\[[^]]*\]\([^)]*\)", "", needed))


def test_a_figure_has_its_words_and_its_table_one_click_below(lesson):
    for cell in code(lesson):
        pictures = [bundle for bundle in data(cell) if "image/png" in bundle]
        folded = [b for b in data(cell) if b.get("text/html", "").startswith("<details>")]
        # An explorer has both below its sliders, where there is a kernel.
        assert len(folded) == len(pictures) or ALIVE.search(cell.source), cell.source
