"""A link into the glossary, in a real JupyterLab: it lands on the word."""

#: Whether the heading of a word is on the screen.
IN_VIEW = """(word) => {
    const shown = document.querySelector(`.jp-Notebook h3[data-jupyter-id="${word}"]`);
    const box = shown?.getBoundingClientRect();
    return box?.height > 0 && box.top > 0 && box.bottom < innerHeight;
}"""


def test_a_link_lands_on_the_word(page, jupyter_server):
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
