"""Lesson 02: its figures and its explorer."""

import pytest

from qoslib import compare, fluid, lessons, packets, run
from qoslib.lessons.llq_policing.sliders import POLICERS, START, described, simulated
from qoslib.platforms import isr4331


@pytest.fixture(scope="module")
def app():
    return lessons.llq_policing.explorer()


def trace(figure, uid):
    return next(each for each in figure.data if each["uid"] == uid)


def share(result):
    return (100 * result.drop_ratio).tolist()


def test_it_begins_at_the_published_run(app):
    app.move(**START)
    assert trace(app.figure, "measured-1")["y"] == pytest.approx([32.46, 4.318], abs=0.01)
    assert trace(app.figure, "packets-1")["y"] == pytest.approx([32.46, 4.4], abs=0.2)


@pytest.mark.parametrize(
    "moved",
    [{"ef": 300}, {"default": 40}, {"rate": 40}, {"llq": False}, {"policer": list(POLICERS)[-1]}],
    ids=str,
)
def test_each_control_moves_the_marks_as_the_models_say(app, moved):
    app.move(**(START | moved))
    values = app.values
    assert trace(app.figure, "now-1")["y"] == pytest.approx(share(run(described(values), "fluid")))
    assert trace(app.figure, "packets-1")["y"] == pytest.approx(share(simulated(values)))


def test_the_burst_moves_the_packets_alone(app):
    app.move(**START)
    before = [trace(app.figure, f"{kind}-1")["y"] for kind in ("now", "packets")]
    app.move(burst=2000)
    after = [trace(app.figure, f"{kind}-1")["y"] for kind in ("now", "packets")]
    assert after[0] == before[0]
    assert after[1][0] < before[1][0] - 2


def test_published_rings_fade_when_the_test_is_another_one(app):
    for rate, faded in ((START["rate"], False), (25, True)):
        app.move(**(START | {"rate": rate}))
        rings = trace(app.figure, "measured-0")
        assert (rings.opacity < 0.5) is ("with other settings" in rings.hovertemplate) is faded
        assert ("Published, with other settings for 30 Mb/s" in app.summary) is faded


def test_without_a_policer_the_rest_starves():
    test = described(START | {"ef": 110, "policer": "no policer (what if)"})
    assert fluid.solve(test.network, test.streams).sent_pps[1] == pytest.approx(0, abs=1e-6)


def test_the_published_pair_is_marked_among_the_runs():
    both = isr4331.PLATFORM.experiments()["no_llq"]
    runs = [packets.simulate(both.port, both.streams, 1.0, seed=seed) for seed in (1, 2)]
    solved = fluid.solve(both.port, both.streams)
    figure = lessons.llq_policing.phase_scatter(runs, solved, (0.27, 0.066), (0.005, 0.0005))
    marked = trace(figure, "measured-0")
    assert (marked["x"][0], marked["y"][0]) == pytest.approx((27, 6.6))
    assert len(trace(figure, "packets-0")["x"]) == 2
    for kind in ("fluid", "measured"):
        keyed = trace(figure, f"key-{kind}")["marker"]
        drawn = trace(figure, f"{kind}-0")["marker"]
        assert [drawn[look] for look in ("symbol", "color")] == [
            keyed[look] for look in ("symbol", "color")
        ]
        assert trace(figure, f"{kind}-1")["text"][-1] == trace(figure, f"key-{kind}")["name"]
    assert "published 27 %" in figure.summary


def test_its_part_of_the_scoreboard_leaves_nothing_unexplained(answered_once):
    assert "not explained" not in compare.misfit_summary("isr4331").index


def test_the_bucket_over_time_empties_as_fast_as_the_loads_say():
    """A full bucket lasts ``8 burst / (offered - rate)``, from congestion or from the start on."""
    both = isr4331.PLATFORM.experiments()["llq"]
    results = {
        reading: packets.simulate(isr4331.llq(reading), both.streams, 2, seed=1)
        for reading in ("keeps", "drains")
    }
    figure = lessons.llq_policing.bucket_over_time(both.scenario, results, "EF")
    lasts_s = 8 * 500_000 / (both.streams[0].rate_bps - 20e6)
    begins_s = {"keeps": both.streams[1].start_s, "drains": 0.0}
    for reading, begin_s in begins_s.items():
        tokens = trace(figure, f"{reading}-0")
        for share in (0.5, 0.99):
            left = 500 * (1 - share)
            below = next(x for x, kb in zip(tokens["x"], tokens["y"], strict=True) if kb <= left)
            assert below == pytest.approx(1000 * (begin_s + share * lasts_s), abs=30)
        assert f"({reading}) is empty from {below:.3g} ms on" in figure.summary
    assert trace(figure, "burst")["y"] == [500, 500]
    with pytest.raises(ValueError, match="allowed: one with a policer"):
        lessons.llq_policing.bucket_over_time(both.scenario, results, "default")
