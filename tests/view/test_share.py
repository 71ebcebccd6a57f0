"""The explorer of a shared line: it starts as published and follows both models."""

import ipywidgets as widgets
import pytest

from qoslib import fluid, lessons, packets, units
from qoslib.lessons.round_robin.sliders import BINS, SEED, SIMULATED_S, described, settings
from qoslib.platforms import gsr12000

TESTS = ("test_a", "test_b")


def drawn(app, uid):
    return list(next(each for each in app.figure.data if each.uid == uid).y)


@pytest.mark.parametrize("name", TESTS)
def test_settings_describe_the_published_test_again(name):
    experiment = gsr12000.PLATFORM.experiments()[name]
    again = described(experiment, settings(experiment))
    assert again.port == experiment.port
    assert again.streams == experiment.streams


def test_the_controls_have_names_of_their_own():
    names = [control.label for control in lessons.round_robin.explorer().controls.values()]
    assert all(names)
    assert len(set(names)) == len(names)


def test_a_load_draws_what_both_models_say():
    app = lessons.round_robin.explorer("test_b")
    app.widget.controls["load_prec0"].value = 160
    now = described(gsr12000.PLATFORM.experiments()["test_b"], app.values)
    solved = fluid.solve(now.port, now.streams)
    simulated = packets.simulate(now.port, now.streams, SIMULATED_S, seed=SEED, bins=BINS)
    for uid, result in (("fluid-sent", solved), ("packets-sent", simulated)):
        sent_bps = sum(result[f"{port}/prec0"].sent_bps for port in gsr12000.PORTS)
        assert drawn(app, uid)[-1] == pytest.approx(units.convert(sent_bps, "bit/s", "Mbit/s"))


def test_each_control_changes_something():
    start = lessons.round_robin.explorer("test_b").values
    moved = {name: value / 2 for name, value in start.items() if isinstance(value, (int, float))}
    experiment = gsr12000.PLATFORM.experiments()["test_b"]
    before = described(experiment, start)
    for name, value in moved.items():
        after = described(experiment, start | {name: value})
        assert (after.port, after.streams) != (before.port, before.streams), name


def test_the_queues_of_the_template_give_test_a_four_latencies():
    app = lessons.round_robin.explorer("test_a")
    assert max(drawn(app, "packets-delay")[2:]) < 1.05 * min(drawn(app, "packets-delay")[2:])
    app.widget.controls["map"].value = "four, as in the template"
    assert drawn(app, "packets-delay")[-1] > 1.5 * drawn(app, "packets-delay")[2]


def test_choosing_a_test_and_resetting_bring_its_settings():
    app = lessons.round_robin.explorer("test_b")
    app.widget.controls["experiment"].value = "test_a"
    assert app.values["ring"] == gsr12000.engine2().transmit_ring_packets
    before = drawn(app, "packets-delay")
    app.widget.controls["ring"].value = 40
    assert drawn(app, "packets-delay") != before
    last = [row.children[-1] for row in app.widget.children if isinstance(row, widgets.HBox)]
    reset = next(each for each in last if isinstance(each, widgets.Button))
    reset.click()
    assert drawn(app, "packets-delay") == before


def test_the_largest_loads_fit_the_lines_of_the_tester():
    app = lessons.round_robin.explorer("test_b")
    app.move(**{n: c.max for n, c in app.controls.items() if n.startswith("load_")})
    assert app.widget._alert.value == ""


def test_a_wrong_name_is_told_with_the_right_ones():
    with pytest.raises(ValueError, match="experiment is 'test_c'; allowed: test_a, test_b"):
        lessons.round_robin.explorer("test_c")
