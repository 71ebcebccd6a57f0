"""The stored scoreboard, and what is drawn of it."""

import dataclasses

import pytest

from qoslib import compare, lessons
from qoslib.compare.store import stored, written
from qoslib.lessons.evidence.sliders import chosen

ROWS = compare.stored()
DRAWN = [f"{verdict}-{panel}" for panel in (0, 1) for verdict in ("within", "misfit")]


def points(app):
    return {trace["uid"]: len(trace["x"]) for trace in app.figure.data}


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text(written(ROWS), encoding="utf-8")
    assert stored(path) == ROWS
    assert compare.differences(ROWS) == []


def test_each_kind_of_difference_is_told():
    first, second, *rest = ROWS
    off = dataclasses.replace(first, modelled=first.modelled * 1.01 + 1)
    new = dataclasses.replace(second, experiment="never_made")
    said = compare.differences([off, new, *rest])
    assert said == [
        f"{new.title}: not in scoreboard.csv",
        f"{second.title}: only in scoreboard.csv",
        f"{first.title}: modelled",
    ]


def test_a_number_that_another_machine_rounds_otherwise_is_no_difference():
    first, *rest = ROWS
    near = dataclasses.replace(first, modelled=first.modelled * (1 + 1e-7))
    assert compare.differences([near, *rest]) == []


def test_a_table_has_four_digits_of_each_value():
    row = dataclasses.replace(ROWS[0], published=1234567.0, modelled=0.0123456)
    table = compare.to_frame([row, dataclasses.replace(row, modelled=None)])
    assert list(table["published"]) == ["1,235,000"] * 2
    assert list(table["modelled"]) == ["0.01235", ""]


def test_every_misfit_is_explained():
    told = compare.explained(ROWS)
    assert told["rows"].sum() == sum(row.verdict == "misfit" for row in ROWS)
    assert told["why"].str.len().min() > 20


def test_the_figure_has_every_value_that_has_a_ratio():
    app = lessons.evidence.explorer()
    app.move(rivals=True)
    assert list(points(app)) == DRAWN
    assert sum(points(app).values()) == sum(row.published > 0 for row in ROWS)
    assert len(app.table) == len(ROWS)


def test_predictions_stand_apart_from_fits():
    app = lessons.evidence.explorer()
    fitted = [r for r in ROWS if r.fitted and r.published > 0 and r.assumptions == "base"]
    assert points(app)["within-1"] + points(app)["misfit-1"] == len(fitted)


def test_no_lane_depends_on_how_many_platforms_there_are():
    more = [dataclasses.replace(row, platform="another") for row in ROWS[:9]]
    assert "another carried" in lessons.evidence.lanes_of([*ROWS, *more])
    app = lessons.evidence.explorer([*ROWS, *more])
    app.move(platform="another")
    assert len(app.table) == 9


@pytest.mark.parametrize("platform", dict.fromkeys(row.platform for row in ROWS))
def test_the_controls_leave_what_they_name(platform):
    left = chosen(ROWS, platform, "fluid", rivals=False, misfits=False)
    assert {(row.platform, row.model, row.assumptions) for row in left} == {
        (platform, "fluid", "base")
    }
    assert all(
        row.verdict == "misfit" for row in chosen(ROWS, platform, "all", rivals=True, misfits=True)
    )


def test_each_count_leaves_out_more_than_the_one_before():
    base = [row for row in ROWS if row.assumptions == "base"]
    every, fair, positive, once = (
        lessons.evidence.counted(base, count) for count in lessons.evidence.COUNTS
    )
    assert every == base
    assert fair == [row for row in every if not row.fitted]
    assert positive == [row for row in fair if row.published > 0]
    assert set(map(id, once)) < set(map(id, positive))
    assert {row.misfit for row in once} == {row.misfit for row in positive}
    app = lessons.evidence.explorer()
    app.move(count="each counter once")
    assert points(app)["within-1"] + points(app)["misfit-1"] == 0
    assert sum(points(app).values()) == len(once)


def test_a_counter_in_packets_bytes_and_bits_is_one_counter():
    units = ("sent_packets", "sent_bytes", "sent_bits", "sent")
    repeated = [dataclasses.replace(ROWS[0], quantity=quantity) for quantity in units]
    repeated[2] = dataclasses.replace(repeated[2], verdict="misfit")
    other = dataclasses.replace(ROWS[0], quantity="dropped_packets")
    left = lessons.evidence.counted([*repeated, other], "each counter once")
    assert left == [repeated[2], other]
    with pytest.raises(ValueError, match="count is 'twice'; allowed: every row"):
        lessons.evidence.counted(ROWS, "twice")


def test_a_choice_that_leaves_nothing_is_drawn_as_nothing():
    figure = lessons.evidence.figure([], lessons.evidence.lanes_of(ROWS))
    assert figure.summary == "No value is left."
    assert all(len(trace["x"]) == 0 for trace in figure.data)


def test_a_ratio_beyond_the_axis_stands_at_its_end():
    row = dataclasses.replace(ROWS[0], modelled=0.0)
    (trace,) = (t for t in lessons.evidence.figure([row]).data if len(t["x"]))
    low, _ = lessons.evidence.figure([row]).layout["xaxis"]["range"]
    assert low <= trace["x"][0] < low + 0.2
