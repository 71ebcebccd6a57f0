"""Lesson 11 in a real JupyterLab: the scoreboard follows its choices."""

from jupyter_pages import (
    complaints,
    open_and_run,
)
from qoslib import compare
from qoslib.lessons.evidence.sliders import chosen

#: How many points the figure of the scoreboard has.
POINTS = """() => [...document.querySelectorAll('.qoslib-explorer .js-plotly-plot')]
    .map((plot) => plot.data.reduce((sum, trace) => sum + trace.x.length, 0))[0]"""


def wanted(**values):
    at = {"platform": "all", "model": "all", "rivals": False, "misfits": False} | values
    return sum(row.published > 0 for row in chosen(compare.stored(), **at))


def test_the_scoreboard_follows_its_choices(page, watch, jupyter_server):
    open_and_run(page, jupyter_server, "11_evidence")
    values: dict = {}
    moves = (
        ("Count", "count", "each counter once"),
        ("Platform", "platform", "m120"),
        ("Model", "model", "packets"),
    )
    page.get_by_label("Platform", exact=True).scroll_into_view_if_needed(timeout=30_000)
    page.wait_for_function(f"({POINTS})() === {wanted()}", timeout=30_000)
    for label, name, value in moves:
        page.get_by_label(label, exact=True).select_option(value)
        values[name] = value
        page.wait_for_function(f"({POINTS})() === {wanted(**values)}", timeout=30_000)
    for label, name in (("Rival assumptions too", "rivals"), ("Misfits alone", "misfits")):
        page.get_by_label(label, exact=True).check()
        values[name] = True
        page.wait_for_function(f"({POINTS})() === {wanted(**values)}", timeout=30_000)
    assert complaints(page, watch) == []
