"""Lessons 02 and 05 in a real browser: run, and every slider moved with the keyboard."""

import pytest

from jupyter_pages import (
    complaints,
    drawn_when_there,
    open_and_run,
    press,
    wait_until_dots,
    wait_until_drawn,
)
from qoslib import fluid, run, units
from qoslib.lessons.llq_policing.sliders import POLICERS, START, described, simulated
from qoslib.platforms import mx150


def forwarded(frame, cap, byte_ns, load):
    """Gb/s on the line, frames and million packets a second, of frames of one size."""
    chain = mx150.router(1 / (cap * 1e6), byte_ns * 1e-9)
    pps = fluid.solve(chain, mx150.streams(frame, load / 100)).sent_pps.sum()
    return units.convert(units.rate_bps(pps, frame + 20), "bit/s", "Gbit/s")


def lost(**moved):
    return share(run(described(START | moved), "fluid"))


def share(result):
    return (100 * result.drop_ratio).tolist()


def wait_until_played(page, label, **moved):
    """Until the packet model's marks are drawn for these settings."""
    values = START | moved
    wait_until_dots(page, label, "packets-1", share(simulated(values)))


def test_counted_packets_follow_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "05_packet_rate")
    drawn_when_there(page, "Frame [bytes]", "now-0")
    moves = (
        ("Frame [bytes]", "ArrowRight", (66, 7.545, 0, 100)),
        ("Cap [million packets/s]", "ArrowLeft", (66, 7.54, 0, 100)),
        ("Cost of a byte [ns]", "ArrowRight", (66, 7.54, 0.05, 100)),
        ("Offered load [% of the links]", "Home", (66, 7.54, 0.05, 1)),
    )
    for label, key, values in moves:
        press(page, label, key, 1)
        wait_until_drawn(page, label, "now-0", [forwarded(*values)])
    assert complaints(page, watch) == []


def test_the_policer_follows_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "02_llq_policing")
    drawn_when_there(page, "EF load [Mb/s of data]", "now-1")
    moves = (
        ("EF load [Mb/s of data]", {"ef": 35}),
        ("Default load [Mb/s of data]", {"ef": 35, "default": 85}),
        ("Priority rate [Mb/s]", {"ef": 35, "default": 85, "rate": 21}),
    )
    for label, values in moves:
        press(page, label, "ArrowRight", 1)
        wait_until_drawn(page, label, "now-1", lost(**values))
    before = drawn_when_there(page, "Burst [kB]", "packets-1")
    press(page, "Burst [kB]", "End", 1)
    moved = {"ef": 35, "default": 85, "rate": 21, "burst": 2000}
    wait_until_played(page, "Burst [kB]", **moved)
    assert drawn_when_there(page, "Burst [kB]", "packets-1")[0] < before[0]
    choose_policers(page, moved)
    switch_priority_off(page, moved)
    assert complaints(page, watch) == []


def choose_policers(page, moved):
    """Each of the list: the packet model tells all of them apart, the fluid model only the last."""
    for policer in POLICERS:
        page.get_by_label("Policer", exact=True).select_option(policer)
        wait_until_drawn(page, "Burst [kB]", "now-1", lost(**moved, policer=policer))
        wait_until_played(page, "Burst [kB]", **moved, policer=policer)


def switch_priority_off(page, moved):
    last = {**moved, "policer": list(POLICERS)[-1], "llq": False}
    before = lost(**last | {"llq": True})
    assert before != pytest.approx(lost(**last))
    page.get_by_label("LLQ", exact=True).uncheck()
    wait_until_drawn(page, "Burst [kB]", "now-1", lost(**last))
    wait_until_played(page, "Burst [kB]", **last)
