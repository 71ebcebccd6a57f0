"""Lessons 03 and 04 in a real JupyterLab: the shared line follows the keyboard in both models."""

from jupyter_pages import (
    complaints,
    drawn_when_there,
    open_and_run,
    press,
    wait_until,
)
from qoslib import fluid, packets, units
from qoslib.lessons.round_robin.sliders import BINS, SEED, SIMULATED_S, described, settings
from qoslib.platforms import gsr12000

TEST_B = gsr12000.PLATFORM.experiments()["test_b"]


def lbe_mbps(result):
    sent_bps = sum(result[f"{port}/prec0"].sent_bps for port in gsr12000.PORTS)
    return units.convert(sent_bps, "bit/s", "Mbit/s")


def solved(**moved):
    now = described(TEST_B, settings(TEST_B) | moved)
    return fluid.solve(now.port, now.streams)


def simulated(**moved):
    now = described(TEST_B, settings(TEST_B) | moved)
    return packets.simulate(now.port, now.streams, SIMULATED_S, seed=SEED, bins=BINS)


def last(page, label, uid, wanted):
    """Wait until the last class of a trace, Less Than BE, is drawn as wanted."""
    wait_until(page, lambda: drawn_when_there(page, label, uid)[-1], wanted, rel=1e-6)


def test_the_quanta_and_the_ring_follow_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "03_round_robin")
    label = "Ring [packets]"
    press(page, label, "ArrowRight", 10)
    wanted = simulated(ring=28)
    waits_us = units.convert(wanted["1A/prec5"].delay_mean_s, "s", "us")
    assert waits_us > 120
    last(page, label, "packets-sent", lbe_mbps(wanted))
    assert complaints(page, watch) == []


def test_the_load_of_lbe_follows_the_keyboard(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "04_early_drop")
    label = "LBE [Mb/s]"
    last(page, label, "fluid-sent", lbe_mbps(solved()))
    press(page, label, "ArrowRight", 5)
    last(page, label, "fluid-sent", lbe_mbps(solved(load_prec0=60)))
    last(page, label, "packets-sent", lbe_mbps(simulated(load_prec0=60)))
    # The page makes 124.00000000000001 of this.
    press(page, "Updates [Mb/s]", "ArrowRight", 1)
    last(page, label, "packets-sent", lbe_mbps(simulated(load_prec0=60, load_prec6=124)))
    assert complaints(page, watch) == []
