"""The table of a figure without pandas: the same rows, and the same HTML, as a DataFrame has."""

import numpy as np
import pandas as pd
import pytest

from qoslib import lessons
from qoslib.plots import Figure
from qoslib.plots.columns import Columns

TABLES = {
    "fractions": Columns({"a": [1.0, 2.25, None], "b <x>": [1, 2, 3]}, [0.5, 1.25, 2], "load [%]"),
    "texts": Columns({"c": ["x", None, "y & z"], "d": ["", "-", "q"]}, ["r", "s", "<t>"]),
    "tiny": Columns({"a": [1e-9, 1.0, -2.0]}, [1, 2, 3], "n"),
    "large": Columns({"a": [1234567.891, -2.0], "b": [12345678.9012, 1.0]}, ["r", "s"]),
    "whole": Columns({"a": [5000.0, 0.0], "b": [True, False], "c": [-0.5, np.nan]}, ["r", "s"]),
    "groups": Columns({("p", "a"): [1.0], ("p", "b"): [2], ("q", "a"): [3]}, ["r"], "stream"),
    "no rows": Columns({"a": []}),
    "nothing": Columns({}),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_html_is_that_of_a_data_frame(table):
    assert table.to_html() == table.to_frame().to_html(border=0, na_rep="–")
    assert Figure(table=table).table_html() == Figure(table=table.to_frame()).table_html()


def test_so_is_the_html_of_the_tables_of_lessons():
    apps = (lessons.one_queue, lessons.head_drop, lessons.same_traffic, lessons.evidence)
    scenario = lessons.one_queue.overload()
    for lesson in apps:
        app = lesson.explorer(*([scenario] if lesson is lessons.one_queue else []))
        drawn = app.drawn
        html = drawn.table_html()
        assert html == drawn.table.to_html(border=0, na_rep="–")
        assert html.count("<tr") > len(drawn.table)


def test_columns_with_other_rows_are_put_beside_each_other_as_series_are():
    given = {"a": ([1.0, 3.0, 2.0], [5.0, 6.0, 7.0]), "b": ([2.0, 0.5], [8.0, np.nan])}
    series = {name: pd.Series(y, index=x) for name, (x, y) in given.items()}
    expected = pd.DataFrame(series).sort_index().rename_axis("x")
    pd.testing.assert_frame_equal(Columns.aligned(given, "x").to_frame(), expected)


def test_numbers_are_rounded_by_place_or_by_digits():
    table = Columns({"a": [12.3456, 0.0], "n": [1234, 5]}, ["r", "s"])
    assert table.round(1)["a"].tolist() == [12.3, 0.0]
    assert table.round(1)["n"].tolist() == [1234, 5]
    assert table.significant()["n"].tolist() == [1230, 5]
    assert [name for name, _ in table.part(slice(1, None)).rows()] == ["s"]


def test_a_column_has_a_value_for_each_row():
    with pytest.raises(ValueError, match=r"column 'a' has 2 values; allowed: 1, as there are rows"):
        Columns({"a": [1, 2]}, ["r"])


def test_a_figure_is_plain_json():
    trace = {"type": "scatter", "x": np.array([1, 2]), "y": (1.0, np.inf), "text": ["a", None]}
    made = Figure([trace], {"height": np.float64(3.5)}).to_dict()
    assert made["data"][0]["x"] == [1, 2]
    assert made["data"][0]["y"] == [1.0, None]
    assert made["data"][0]["text"] == ["a", None]
    assert made["layout"] == {"height": 3.5}
