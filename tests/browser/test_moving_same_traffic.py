"""Lesson 09 in a real JupyterLab: every slider moves what both models say."""

import pytest

from jupyter_pages import (
    complaints,
    drawn_when_there,
    open_and_run,
    press,
    wait_until_dots,
    wait_until_drawn,
)
from qoslib import fluid
from qoslib.lessons.same_traffic import same_line
from qoslib.lessons.same_traffic.sliders import MOST, simulated, start

#: Trace of best effort: what it loses at each port.
BEST = "{}-0-3"


def lost(results):
    return [100 * r.dropped_pps[3] / r.offered_pps[3] for r in results]


def solved(values):
    loads = {name: values[name] / 100 for name in MOST}
    return [fluid.solve(p, same_line.streams(loads)) for p in same_line.ports().values()]


def test_the_mix_follows_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "09_same_traffic")
    values = start()
    drawn_when_there(page, "Business [% of the link]", BEST.format("fluid"))
    for name in MOST:
        label = f"{name.capitalize()} [% of the link]"
        press(page, label, "ArrowRight", 2)
        values[name] += 2
        wait_until_drawn(page, label, BEST.format("fluid"), lost(solved(values)))
    press(page, "Seed of the draws", "ArrowRight", 1)
    values["seed"] += 1
    dots = lost(simulated(values).values())
    assert dots != pytest.approx(lost(solved(values)), rel=1e-4)
    wait_until_dots(page, "Seed of the draws", BEST.format("packets"), dots)
    assert complaints(page, watch) == []
