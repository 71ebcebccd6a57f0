"""Each lesson in a real JupyterLab and a real browser: run, and moved with the keyboard."""

import json
import re

import nbformat
import pytest
from accessibility import OURS, barriers

from qoslib import fluid, packets, units
from qoslib.lessons.one_queue.sliders import SIMULATED, SPACINGS, simulated
from qoslib.packets.phases import random_phases
from qoslib.platforms import m120
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream

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


@pytest.fixture
def watch(page):
    return Watch(page)


def open_and_run(page, server, name):
    """Open a notebook and run it as a student would, from the menu."""
    page.goto(f"{server.url}/lab/tree/{name}.ipynb?token={server.token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_function(f"({STARS})() > 0", timeout=60_000)
    page.wait_for_function(f"({STARS})() === 0", timeout=120_000)
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


def one_queue(room):
    """Lesson 00's port with another buffer, and its stream."""
    port = Port("line", units.mbps(100), (Queue("all", PacketLimit(room)),), overhead_bytes=24)
    return port, Stream("iperf3", units.mbps(150) * 1490 / 1448, frame_bytes=1490)


def one_queue_delay_ms(room):
    port, stream = one_queue(room)
    answer = fluid.solve(port, [stream])
    return units.convert(answer["iperf3"].delay_mean_s, "s", "ms")


def one_queue_dots_ms(room, spacing):
    """The packet model's delays, but that of the slider's own load, which the page rounds."""
    port, stream = one_queue(room)
    result = simulated(port, stream.replace(arrivals=SPACINGS[spacing]))
    return units.convert(result.delay_mean_s[: len(SIMULATED), 0], "s", "ms").tolist()


def m120_packets_ms(port, streams):
    result = packets.simulate(port, random_phases(streams, 1), 1.5, warmup_s=1, seed=1)
    return units.convert(result.delay_mean_s, "s", "ms").tolist()


def m120_latencies_ms(port, streams):
    return units.convert(fluid.solve(port, streams).delay_mean_s, "s", "ms").tolist()


def test_one_queue_follows_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "00_one_queue")
    label = "Buffer [packets]"
    before = drawn_when_there(page, label, "now-2")
    press(page, label, "ArrowLeft", 10)
    wanted = one_queue_delay_ms(502)
    assert before != pytest.approx([wanted])
    wait_until_drawn(page, label, "now-2", [wanted])
    # The words are a widget of their own, and come after the figure.
    words = page.locator(".qoslib-explorer").get_by_role("status")
    words.get_by_text(f"a packet takes {wanted:.3g} ms").wait_for(timeout=20_000)
    page.get_by_label("Packets come").select_option("at random (Poisson)")
    wait_until_dots(page, label, "packets-2", one_queue_dots_ms(502, "at random (Poisson)"))
    assert complaints(page, watch) == []


def test_the_late_queue_follows_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "01_head_drop")
    move_a_load(page)
    choose_an_experiment(page)
    move_the_knife_edge(page)
    assert complaints(page, watch) == []


def move_a_load(page):
    label = "CS1 offered load [% of the link]"
    before = drawn_when_there(page, label, "fluid-delay")
    press(page, label, "ArrowRight", 5)
    wanted = m120_latencies_ms(m120.port(), m120.streams(m120.SHARES["base"] | {"CS1": 0.30}))
    assert before != pytest.approx(wanted)
    wait_until_drawn(page, label, "fluid-delay", wanted)
    moved = m120.streams(m120.SHARES["base"] | {"CS1": 0.30})
    wait_until_dots(page, label, "packets-delay", m120_packets_ms(m120.port(), moved))


def choose_an_experiment(page):
    page.get_by_label("Published experiment").focus()
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    last = list(m120.PLATFORM.experiments().values())[-1]
    wanted = m120_latencies_ms(last.port, last.streams)
    wait_until_drawn(page, "CS1 offered load [% of the link]", "fluid-delay", wanted)


def move_the_knife_edge(page):
    label = "All offered loads, ± [%]"
    assert drawn_when_there(page, label, "now-sent_pps") == [0, 0]
    press(page, label, "ArrowLeft", 4)
    base = m120.PLATFORM.experiments()["scenario1"]
    rates = [stream.rate_bps * (1 - 4 * 0.0025e-2) for stream in base.streams]
    answer = fluid.solve(base.port, base.streams, rates)
    wanted = [answer[name].sent_pps for name in ("CS2", "BE")]
    assert min(wanted) > 0
    wait_until_drawn(page, label, "now-sent_pps", wanted)


RAISES = """
from qoslib import lessons
app = lessons.head_drop.knife_edge("m120")
def draw(values, simulated):
    raise RuntimeError("raised on purpose")
app._draw = draw
app
"""


def test_a_callback_that_raises_is_noticed(page, watch, jupyter_server):
    """The proof that the tests above would fail: nothing but the page and the kernel can tell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(RAISES.strip())])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    (jupyter_server.root / "raises.ipynb").write_text(json.dumps(notebook))
    open_and_run(page, jupyter_server, "raises")
    assert watch.wrong == []
    show(page, "All offered loads, ± [%]").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("alert").get_by_text("raised on purpose").wait_for(timeout=20_000)
    for _ in range(100):
        if watch.wrong:
            break
        page.wait_for_timeout(200)
    assert any("raised on purpose" in wrong for wrong in watch.wrong)
