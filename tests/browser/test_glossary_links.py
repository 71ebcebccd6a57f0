"""The glossary in a real JupyterLab: links land on the word, pictures are there, search finds."""

from accessibility import barriers
from qoslib.lessons.glossary_pictures import PICTURES

#: Whether the heading of a word is on the screen.
IN_VIEW = """(word) => {
    const shown = document.querySelector(`.jp-Notebook h3[data-jupyter-id="${word}"]`);
    const box = shown?.getBoundingClientRect();
    return box?.height > 0 && box.top > 0 && box.bottom < innerHeight;
}"""


def test_a_link_lands_on_the_word_and_search_finds_it(page, jupyter_server):
    """JupyterLab looks for the word before it has drawn the page, so the first link opens it."""
    server = jupyter_server
    page.goto(f"{server.url}/lab/tree/00_one_queue.ipynb?token={server.token}&reset")
    for word in ("latency", "fluid-model", "backlog"):
        link = page.locator(f'.jp-RenderedMarkdown a[href*="#{word}"]').first
        link.click(timeout=60_000)
        if word == "latency":
            page.locator('.jp-Notebook h3[data-jupyter-id="scenario"]').wait_for(
                state="attached", timeout=60_000
            )
            page.wait_for_timeout(2_000)
        else:
            page.wait_for_function(IN_VIEW, arg=word, timeout=30_000)
        page.get_by_role("tab", name="00_one_queue.ipynb").click()
    page.get_by_role("tab", name="glossary.ipynb").click()
    search_finds_a_word_or_what_is_near(page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)"))


def search_finds_a_word_or_what_is_near(glossary):
    page = glossary.page
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    # A picture is inside the page, and JupyterLab draws it.
    drawn = glossary.locator(".jp-RenderedMarkdown img").first
    drawn.scroll_into_view_if_needed(timeout=30_000)
    assert drawn.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 520
    assert drawn.get_attribute("alt") in {picture.said for picture in PICTURES.values()}
    glossary.locator(".jp-CodeCell .jp-InputArea-editor").first.click()
    page.keyboard.press("Shift+Enter")
    line = page.get_by_label("Search the words")
    line.wait_for(timeout=60_000)
    found = glossary.locator(".jp-OutputArea-output")
    for typed, first in (
        ("jitter", "jitter"),
        ("bufferbloat", "bufferbloat"),
        ("head-of-line blocking", "head-of-line blocking"),
        ("jiter", "jitter"),
    ):
        line.fill(typed)
        found.locator(f"tbody tr:first-child b:text-is('{first}')").wait_for(timeout=30_000)
    found.get_by_text("No entry has “jiter”. Near it:").wait_for()
    page.wait_for_timeout(500)
    assert barriers(page, ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output") == []
