"""Lesson 05: its figure and its explorer."""

import pytest

from qoslib import compare, fluid, lessons, units
from qoslib.lessons.packet_rate.sliders import SIMULATED, SIZES
from qoslib.platforms import mx150


@pytest.fixture(scope="module")
def app():
    return lessons.packet_rate.explorer()


def trace(figure, uid):
    return next(each for each in figure.data if each["uid"] == uid)


def solved(size, load=1.0, **engine):
    return fluid.solve(mx150.router(**engine), mx150.streams(size, load)).sent_pps.sum()


def test_the_rows_are_those_of_the_table():
    rows = lessons.packet_rate.published_rows("mx150_throughput")
    assert [row.frame_bytes for row in rows] == list(mx150.FRAMES)
    assert rows[0].rate_bps == units.gbps(5)
    assert {row.half_width_bps for row in rows} == {units.gbps(0.5)}


def test_a_figure_counts_in_three_ways():
    result = fluid.solve(mx150.router(), mx150.streams(64))
    forwarded = {"fluid": {64: result}}
    figure = lessons.packet_rate.figure(
        20, forwarded, lessons.packet_rate.published_rows("mx150_throughput")
    )
    drawn = [trace(figure, f"fluid-{panel}")["y"][0] for panel in range(3)]
    pps = result.sent_pps.sum()
    assert drawn == pytest.approx([pps * 84 * 8e-9, pps * 64 * 8e-9, pps * 1e-6])
    assert "published rows" in figure.summary
    assert len(figure.table) == len(mx150.FRAMES)


def test_the_explorer_begins_at_the_published_router(app):
    app.move(**{"frame": 64, "cap": 7.545, "byte": 0, "load": 100})
    assert "10 of the 10 published rows" in app.summary
    assert trace(app.figure, "measured-0")["y"][0] == 5
    assert list(trace(app.figure, "packets-0")["x"]) == list(SIMULATED)


def test_published_points_fade_where_the_load_is_another_one(app):
    for load, faded in ((100, False), (90, True)):
        app.move(**{"frame": 64, "cap": 7.545, "byte": 0, "load": load})
        assert (trace(app.figure, "measured-0")["opacity"] < 0.5) is faded


def test_each_slider_moves_the_line_as_the_model_says(app):
    app.move(frame=300, cap=5, byte=0.2, load=90)
    said = solved(300, 0.9, packet_s=1 / 5e6, byte_s=0.2e-9) * 1e-6
    assert trace(app.figure, "now-2")["y"][0] == pytest.approx(said)
    line = dict(zip(SIZES, trace(app.figure, "fluid-2")["y"], strict=True))
    assert line[300] == pytest.approx(said)


def test_the_packet_model_is_near_the_line(app):
    app.move(frame=64, cap=7.545, byte=0, load=100)
    line = dict(zip(SIZES, trace(app.figure, "fluid-0")["y"], strict=True))
    dots = trace(app.figure, "packets-0")
    for size, gbps in zip(dots.x, dots.y, strict=True):
        near = line.get(size) or solved(int(size)) * (size + 20) * 8e-9
        assert gbps == pytest.approx(near, rel=0.005)


def test_a_part_of_the_scoreboard_names_each_misfit(answered_once):
    table = compare.misfit_summary("mx150")
    assert table["values"].to_dict() == {"within": 21, "mx150_obeyed_pause": 6}
    assert table["error"].iloc[1] == "+502 to +503 %"
