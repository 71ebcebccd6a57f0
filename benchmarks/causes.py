"""Where a peer's answer differs: each cause that is named is shown by switching it off."""

from dataclasses import replace

import numpy as np

from benchmarks.side_by_side import SIMULATORS, played

__all__ = ["causes_shown"]

BY_NAME = {simulator.name: simulator for simulator in SIMULATORS}
BY_NAME["spaced"] = replace(BY_NAME["SimPy"], program="simpy_spaced.py")
BY_NAME["late"] = replace(BY_NAME["SimPy"], program="simpy_late.py")
SEEDS = 3


def _latency_s(pythons, name, workload, packets, variant, *options, stream=-1):
    """Mean latency of the last stream, or another, over some seeds [s]."""
    simulator = BY_NAME[name]
    python = pythons[simulator.environment]
    runs = [
        played(simulator, python, workload, seed, packets, variant, *options)
        for seed in range(SEEDS)
    ]
    return float(np.mean([run["delay_mean_s"][stream] for run in runs]))


def causes_shown(pythons, packets=200_000):
    """A list of texts: what differs, with the cause and without it.

    Parameters
    ----------
    pythons : dict
        Environment -> interpreter; those of peers that are missing are None.
    """
    shown = []
    if pythons.get("ns3"):
        shown.append(_spaced_drops(pythons, packets))
        shown.append(_rounded_clock(pythons, packets))
    if pythons.get("simpy"):
        shown.append(_early_stamps(pythons, packets))
        shown.append(_late_end(pythons, packets))
    return shown


def _spaced_drops(pythons, packets):
    mine = _latency_s(pythons, "qoslib", "W3", packets, "strict ring")
    theirs = _latency_s(pythons, "ns-3", "W3", packets, "strict ring")
    text = (
        "W3, best effort: ns-3's RED spaces its drops (`Wait`: none before 1 / p packets), so its"
        f" average stands higher: {theirs * 1e3:.2f} ms against {mine * 1e3:.2f} ms in qoslib."
    )
    if pythons.get("simpy"):
        plain = _latency_s(pythons, "SimPy", "W3", packets, "strict")
        spaced = _latency_s(pythons, "spaced", "W3", packets, "strict")
        text += (
            f" ns-3 cannot switch it off; the SimPy model has {plain * 1e3:.2f} ms without this"
            f" rule and {spaced * 1e3:.2f} ms with it."
        )
    return text


def _rounded_clock(pythons, packets):
    asked = (pythons, "ns-3", "W2", packets, "strict ring")
    mine = _latency_s(pythons, "qoslib", *asked[2:], stream=0)
    rough = _latency_s(*asked, "ps", stream=0)
    fine = _latency_s(*asked, stream=0)
    return (
        "W2, low-latency queue: a frame takes 3,338,898.16 ps. With its clock in picoseconds ns-3"
        f" rounds that down and gains on the line: {(rough - mine) * 1e9:+.2f} ns in"
        f" {packets:,} packets; in femtoseconds, as it runs here, {(fine - mine) * 1e9:+.2f} ns."
        " qoslib carries the remainder."
    )


def _early_stamps(pythons, packets):
    mine = _latency_s(pythons, "qoslib", "W1", packets, "same")
    early = _latency_s(pythons, "ns.py", "W1", packets, "same", "unstamped")
    stamped = _latency_s(pythons, "ns.py", "W1", packets, "same")
    return (
        "W1: ns.py's generator stamps a packet one inter-arrival time before it sends it, and its"
        f" sink counts that as waiting: {early * 1e6:.1f} us; stamped when sent"
        f" {stamped * 1e6:.1f} us, qoslib {mine * 1e6:.1f} us (8.9 us is the mean gap)."
    )


def _late_end(pythons, packets):
    names = "qoslib", "ns.py", "SimPy", "late"
    means_us = [_latency_s(pythons, name, "W4", packets, "same") * 1e6 for name in names]
    mine, theirs, plain, late = means_us
    return (
        "W4, the class with the least load for its weight: ns.py ends a queue's visit when its last"
        " packet has been sent, not when it is taken, so a packet that comes meanwhile need not"
        f" wait for a round: {theirs:.2f} us against {mine:.2f} us in qoslib. The SimPy model has"
        f" {plain:.2f} us without this rule and {late:.2f} us with it."
    )
