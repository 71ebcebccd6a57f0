"""Pages of lessons and texts, before Sphinx has them: nothing is lost, and links still lead on."""

import re
import sys
from types import SimpleNamespace

import pytest

from places import ROOT
from website import build, dark, lessons, reference, texts

WITH = (".md", ".ipynb")
NAMES = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def pages():
    read = {name: lessons.read(ROOT / f"notebooks/{name}.ipynb") for name in NAMES}
    return {name: (lesson, *lessons.page(lesson)) for name, lesson in read.items()}


def test_each_lesson_says_its_title_and_its_time(pages):
    for name, (lesson, text, _) in pages.items():
        assert text.startswith(f"# {lesson.title}\n")
        assert (f"{lesson.minutes[0]} min" in text) if lesson.number else name == "glossary"


def test_scenes_and_explorers_are_counted_in_order_of_display(pages):
    kinds = re.findall(r'data-kind="(\w+)" data-number="(\d)"', pages["00_one_queue"][1])
    assert kinds == [("scene", "0"), ("scene", "1"), ("explorer", "0")]


def test_a_place_of_a_live_thing_holds_its_stored_picture(pages):
    _, text, pictures = pages["00_one_queue"]
    inside = re.findall(r'<div class="qoslib-live".*?</div>', text, re.DOTALL)
    shown = [re.search(r"!\[(.+)\]\((.+)\)", each) for each in inside]
    assert [found[2].rpartition(".")[2] for found in shown] == ["svg", "svg", "png"]
    assert all(found[1] and pictures[found[2]] for found in shown)


def test_an_answer_is_folded_from_its_prediction_on(pages):
    _, text, _ = pages["00_one_queue"]
    for name in ("00.a", "00.b", "00.c"):
        before, _, after = text.partition(f'data-name="{name}"')
        assert before.endswith('<div class="qoslib-predict" ')
        assert f'qoslib-answer" data-name="{name}"' in after
    opened = re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL)
    assert "36.2% are lost" in text
    assert "36.2% are lost" not in opened


def test_what_follows_an_answer_is_folded_until_it_is_explained(pages):
    _, text, _ = pages["01_head_drop"]
    opened = re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL)
    assert "45 ms  50.072 ms" in text
    assert "45 ms  50.072 ms" not in opened


def test_a_solution_is_folded_and_a_waiting_check_says_nothing(pages):
    _, text, _ = pages["00_one_queue"]
    opened = re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL)
    assert 'data-name="00.4"' in opened
    assert "# Solution" in text
    assert "# Solution" not in opened
    assert "Not yet:" not in text


def test_each_explorer_has_a_place(pages):
    kinds = re.findall(r'data-kind="explorer" data-number="(\d)"', pages["01_head_drop"][1])
    assert kinds == ["0", "1"]


@pytest.mark.parametrize("name", ["10_configuration", "13_your_network"])
def test_a_configuration_is_edited_in_the_page(pages, name):
    _, text, _ = pages[name]
    assert 'data-kind="explorer"' not in text
    assert f'<div class="qoslib-check" data-example="lesson_{name[:2]}">' in text
    assert "On the left is the text" not in text
    assert "Edit the text. The report below it gives the rate of each class" in text
    scripts = [each for each, pages in build.SCRIPTS.items() if f"lessons/{name}".startswith(pages)]
    assert {"sheet.js", "check.js"} <= set(scripts)


def test_links_of_a_text_lead_to_pages():
    text = "[a](docs/tasks.md#x) [b](LICENSE) [c](course) [d](notebooks/glossary.ipynb#CBR)"
    made = texts.page("README.md", f"{text}\n\n```\n[e](docs/tasks.md)\n```\n")
    assert "[a](tasks.md#x) [b](../LICENSE) c [d](../lessons/glossary.md#cbr)" in made
    assert "[e](docs/tasks.md)" in made


def test_a_picture_for_two_themes_is_one_on_a_page():
    text = texts.page("README.md", (ROOT / "README.md").read_text())
    assert "<picture>" not in text
    assert re.search(r"!\[The first page [^\]]+\]\(front_page\.png\)", text)


def test_every_text_of_docs_and_course_has_a_page():
    folders = ("docs", "course", "course/sheets", "notebooks")
    found = {path for each in folders for path in (ROOT / each).glob("*") if path.suffix in WITH}
    assert {path.relative_to(ROOT).as_posix() for path in found} <= texts.PAGES.keys()


def test_the_reference_has_every_room_that_exports_names():
    rooms = {
        path.parent.name if path.name == "__init__.py" else path.stem
        for path in (*(ROOT / "qoslib").glob("*/__init__.py"), *(ROOT / "qoslib").glob("*.py"))
        if "__all__" in path.read_text(encoding="utf-8")
    }
    assert rooms == {room for group in reference.ROOMS.values() for room in group}


def test_a_page_gives_no_orders_for_jupyterlab(pages):
    for _, text, _ in pages.values():
        assert not re.search(r"Shift\s\+\sEnter|Restart Kernel|Run the cell", text)


def test_no_page_shows_how_python_writes_a_widget(pages):
    assert [name for name, (_, text, _) in pages.items() if "(children=(" in text] == []


def test_no_heading_of_an_output_begins_a_section(pages):
    """A section would end what encloses it, and all that follows would leave the article."""
    _, text, _ = pages["13_your_network"]
    assert "{rubric} edge.cfg: 0 errors, 1 warning" in text
    for _, text, _ in pages.values():
        without_code = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        opened = 0
        for line in without_code.splitlines():
            opened += len(re.findall(r"<(?:div|details)\b", line))
            opened -= len(re.findall(r"</(?:div|details)>", line))
            assert not (opened and line.startswith("#")), line
        assert opened == 0


def test_an_output_below_that_gives_an_answer_away_waits_for_the_guess(pages):
    _, text, _ = pages["05_packet_rate"]
    waits = re.findall(r'<div class="qoslib-after" data-name="05.a">.*?</div>', text, re.DOTALL)
    assert any("published: 20 Gb/s" in each for each in waits)
    assert "qoslib-after" not in text.partition("## Move it yourself")[2]


def test_a_scene_at_the_top_has_no_still_picture_above_it(pages):
    _, text, _ = pages["00_one_queue"]
    assert "one_queue.svg" not in text
    assert text.index("Packets arrive at 150 Mb/s") < text.index('data-kind="scene"')


def test_no_output_says_how_pandas_stores_it(pages):
    assert not [name for name, (_, text, _) in pages.items() if "dtype: " in text]


def test_code_of_an_output_keeps_its_comments():
    text = "# Port\n\n```\n# a comment\n```\n\n## Class\n"
    made = lessons.without_sections(text)
    assert "```\n# a comment\n```" in made
    assert re.findall(r"heading-level: (\d)", made) == ["3", "4"]


def test_a_picture_of_the_glossary_is_a_file(pages):
    _, text, pictures = pages["glossary"]
    assert "data:" not in text
    assert len(pictures) > 10
    assert all(f"]({name})" in text for name in pictures)
    assert all(raw.startswith(b"<svg") for raw in pictures.values())


def test_a_page_whose_text_has_gone_is_not_kept(tmp_path, monkeypatch):
    for name in ("SITE", "SOURCE"):
        monkeypatch.setattr(build, name, tmp_path / name)
    made = SimpleNamespace(build_main=lambda options: (tmp_path / "SITE").mkdir())
    monkeypatch.setitem(sys.modules, "sphinx.cmd.build", made)
    monkeypatch.setattr(build, "gather", dict)
    (tmp_path / "SITE/lessons").mkdir(parents=True)
    (tmp_path / "SITE/lessons/gone.html").write_text("old")
    monkeypatch.setattr(build, "_finish", lambda: None)
    build.make()
    assert not (tmp_path / "SITE/lessons").exists()


def test_each_drawn_picture_has_a_dark_form():
    files = build.gather()
    drawn = [name for name in files if name.endswith(".svg") and "_static" not in name]
    assert len(drawn) > 30
    for name in drawn:
        light = files[name].decode()
        made = files[f"{dark.FOLDER}/{name.rpartition('/')[2]}"].decode()
        # That of the architecture has colours of its own, on a ground of its own.
        assert (made == light) == (name == "docs/architecture.svg"), name
        assert len(made.split("<")) == len(light.split("<"))


def test_a_picture_on_a_page_is_shown_in_either_form():
    shown = dark.in_both('<p><img alt="a" src="../_images/b.svg" /><img src="c.png" /></p>')
    assert shown.count('alt="a"') == 2
    assert 'class="only-light" alt="a" src="../_images/b.svg"' in shown
    assert 'class="only-dark" alt="a" src="../_static/qoslib/dark/b.svg"' in shown
    assert shown.count("c.png") == 1
