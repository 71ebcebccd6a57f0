"""Each lesson in a real JupyterLab and a real browser: run, and moved with the keyboard."""

import json

import nbformat
import pytest

from jupyter_pages import (
    complaints,
    drawn_when_there,
    open_and_run,
    press,
    show,
    wait_until_dots,
    wait_until_drawn,
)
from qoslib import fluid, packets, units
from qoslib.lessons.one_queue.sliders import SIMULATED, SPACINGS, simulated
from qoslib.packets.phases import random_phases
from qoslib.platforms import m120
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream


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
app.figure
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
