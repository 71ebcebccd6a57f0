"""A lesson in a real JupyterLab: run, moved with the keyboard, and what went wrong there."""

import re

import pytest

from accessibility import OURS, barriers

#: JupyterLab says these to the console although nothing is wrong with a lesson.
HARMLESS = (
    # It asks for a setting or a workspace that nobody has saved yet.
    r"/(api/workspaces|lab/api/settings|lab/api/workspaces)/.*404",
    # Its extension manager and its news look outward, and these tests have no way out.
    r"(ERR_INTERNET_DISCONNECTED|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION_REFUSED)",
    # The first modules of a page came late. Their widgets hear the kernel again when they come;
    # one that does not is found empty, and that is a complaint.
    r"\[anywidget\] Failed to initialize model\.",
)
#: A widget whose module has not come.
EMPTY = ".qoslib-waits:empty"
RUN_STATE = ".jp-NotebookPanel .jp-Notebook-ExecutionIndicator"
#: How many cells wait or run; each shows a star for its number until it is done.
STARS = """() => [...document.querySelectorAll('.jp-InputPrompt')]
    .filter((prompt) => prompt.textContent.includes('*')).length"""
#: What plotly draws: the y values of one trace of the explorer that holds a control.
DRAWN = """([label, uid]) => {
    const handle = document.querySelector(`[aria-label="${label}"]`);
    const figure = handle.closest('.qoslib-explorer').querySelector('.js-plotly-plot');
    // A slow page has the slider before it has drawn the figure.
    const trace = (figure?.data ?? []).find((each) => each.uid === uid);
    return Array.from(trace?.y ?? [], (y) => Number.isFinite(y) ? y : null);
}"""
#: The page gets the model's own numbers; only a slider's position is rounded by the browser.
CLOSE = 1e-6


class Watch:
    """Everything that goes wrong while a page is open, wherever it is said."""

    def __init__(self, page):
        self.wrong = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._note(str(error)))
        page.on("websocket", self._listen)

    def _listen(self, socket):
        socket.on("framereceived", self._frame)
        socket.on("framesent", self._sent)

    def _console(self, message):
        said = f"{message.text} {message.location.get('url', '')}"
        if message.type == "error":
            self._note(said)

    def _note(self, said):
        if not any(re.search(each, said) for each in HARMLESS):
            self.wrong.append(said)

    def _sent(self, payload):
        """The next move of a slider would wait for what plotly's widget tells the kernel."""
        raw = payload if isinstance(payload, bytes) else payload.encode()
        if found := re.search(rb"_js2py_\w*(Delta|Callback)", raw):
            self.wrong.append(f"the page says {found.group().decode()} to the kernel")

    def _frame(self, payload):
        """A callback that raises tells nobody but the kernel's message channel."""
        raw = payload if isinstance(payload, bytes) else payload.encode()
        if re.search(rb'"msg_type": ?"error"', raw):
            name = re.search(rb'"evalue": ?"([^"]*)"', raw)
            self.wrong.append(f"the kernel: {name.group(1).decode() if name else raw[:500]!r}")


def open_and_run(page, server, name):
    """Open a notebook and run it as a student would, from the menu."""
    page.goto(f"{server.url}/lab/tree/{name}.ipynb?token={server.token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    # To look at each frame of the page would draw a frame for each look.
    page.wait_for_function(f"({STARS})() > 0", timeout=60_000, polling=20)
    page.wait_for_function(f"({STARS})() === 0", timeout=120_000, polling=100)
    page.wait_for_selector(f"{RUN_STATE}[data-status=idle]", timeout=60_000, state="attached")


def show(page, name):
    """Bring a slider into view, found by the name that assistive technology reads."""
    slider = page.get_by_role("slider", name=name, exact=True)
    handle = page.locator(f'[aria-label="{name}"]')
    handle.first.wait_for(state="attached", timeout=30_000)
    if not slider.count():
        explorer = page.locator(".qoslib-explorer").filter(has=handle)
        explorer.get_by_role("button", name="More", exact=True).click()
    slider.scroll_into_view_if_needed(timeout=30_000)
    return slider


def drawn(page, label, uid):
    return page.evaluate(DRAWN, [label, uid])


def wait_until(page, look, wanted, rel=CLOSE):
    """Look until it is as wanted; the assertion says what is there otherwise, after a minute."""
    for _ in range(600):
        shown = look()
        if shown == pytest.approx(wanted, rel=rel):
            return
        page.wait_for_timeout(100)
    assert shown == pytest.approx(wanted, rel=rel)


def wait_until_drawn(page, label, uid, wanted):
    """Wait until a trace shows the values."""
    wait_until(page, lambda: drawn(page, label, uid), wanted)


def wait_until_dots(page, label, uid, wanted):
    """The same for the packet model's dots, the first of them as many as are wanted."""
    wait_until(page, lambda: drawn(page, label, uid)[: len(wanted)], wanted)


def drawn_when_there(page, label, uid):
    show(page, label)
    page.wait_for_function(f"(asked) => ({DRAWN})(asked).length > 0", arg=[label, uid])
    return drawn(page, label, uid)


def press(page, label, key, times):
    show(page, label).focus()
    for _ in range(times):
        page.keyboard.press(key)


def complaints(page, watch):
    """What went wrong, what a cell said on its standard error, and what keeps somebody out."""
    page.wait_for_timeout(2000)  # what the kernel says of the last move may still be on its way
    page.wait_for_function(f"!document.querySelector('{EMPTY}')")
    stderr = page.locator("[data-mime-type='application/vnd.jupyter.stderr']").all_inner_texts()
    return [*watch.wrong, *stderr, *barriers(page, OURS)]
