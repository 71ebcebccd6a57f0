"""What can be taken along from an explorer: files, and lines of Python that make it again."""

import io
from functools import cache

import pandas as pd
import pytest
from ipywidgets.widgets import widget

from qoslib import lessons, plots, scenario
from qoslib.explore.export import Call, files
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream

pytestmark = pytest.mark.newer


def given(app, kind):
    return files(kind, app._call, app.drawn, app.values)


def made_again(app, folder):
    """Run the explorer's own lines, with its scenario saved beside them."""
    lines = app.python
    for file in given(app, "json"):
        lines = lines.replace(f'"{file.name}"', repr(str(folder / file.name)))
        (folder / file.name).write_text(file.text)
    assert len(lines.splitlines()) == 3
    scope: dict = {}
    exec(lines, scope)
    return scope["app"]


LINE = Port("line", 1e8, (Queue("all", PacketLimit(300)),), overhead_bytes=24)

APPS = {
    "one_queue": (
        lambda: lessons.one_queue.explorer(
            scenario.Scenario("s", LINE, (Stream("s", 1.2e8, 1490),))
        ),
        {"buffer": 100, "spacing": "at random (Poisson)"},
    ),
    "buffer_size": (lessons.tcp_buffers.explorer, {"buffer": 12, "recovery": "rate halving"}),
    "pacing": (lessons.pacing.explorer, {"paced": 5, "table": "nominal (exact)"}),
    "knife_edge": (lessons.head_drop.knife_edge, {"change": -0.05}),
    "priority": (lessons.head_drop.explorer, {"experiment": "profile1", "offered_CS1": 9}),
    "share": (lessons.round_robin.explorer, {"experiment": "test_a", "ring": 30}),
    "police": (lessons.llq_policing.explorer, {"ef": 50, "rate": 30}),
    "aqm": (lessons.aqm.explorer, {"minimum": 20, "dropper": "CoDel"}),
    "frame_size": (lessons.packet_rate.explorer, {"frame": 200, "byte": 0.2, "load": 80}),
    "own_port": (
        lambda: lessons.your_network.explorer(
            scenario.Scenario("s", LINE, (Stream("s", 1.2e8, 1490),))
        ),
        {"all": 110},
    ),
    "shared_memory": (lessons.your_network.shared_memory, {"power": 3, "reserved": 0.4}),
    "same_traffic": (lessons.same_traffic.explorer, {"business": 70, "seed": 2}),
    "scores": (lessons.evidence.explorer, {"platform": "m120", "rivals": True}),
}


def moved(name):
    make, moves = APPS[name]
    made = make()
    if "experiment" in moves:
        made.widget.controls["experiment"].value = moves["experiment"]
    made.move(**moves)
    return made


@cache
def once(name):
    """The same for all tests that only read it."""
    return moved(name)


@pytest.fixture(params=APPS)
def app(request):
    return once(request.param)


@pytest.mark.parametrize("name", APPS)
def test_a_closed_explorer_leaves_no_widget(name):
    # The first figure of a kernel leaves plotly's own module there, for all that follow.
    plots.live(plots.Figure()).close()
    before = set(widget._instances)
    moved(name).close()
    assert [made for key, made in widget._instances.items() if key not in before] == []


def test_three_lines_of_python_make_the_same_again(app, tmp_path):
    again = made_again(app, tmp_path)
    for one, other in zip(app.figure.data, again.figure.data, strict=True):
        assert one.uid == other.uid
        # What one has moved through is not made again.
        if not one.uid.startswith("before-"):
            assert list(one.y) == list(other.y)


def test_the_table_is_a_csv(app):
    (file,) = given(app, "csv")
    assert len(pd.read_csv(io.StringIO(file.text))) >= len(app.table)


def test_the_page_holds_plotly_and_fetches_nothing(app):
    (file,) = given(app, "html")
    assert len(file.text) > 1_000_000
    assert 'src="http' not in file.text
    assert "<link" not in file.text.split("</script>")[-1]
    assert app.summary[:20] in file.text


def test_the_scenarios_can_be_loaded(app):
    for file in given(app, "json"):
        loaded = scenario.Scenario.from_json(file.text)
        assert loaded.streams or loaded.hosts


def test_every_button_says_what_it_saves():
    app = moved("own_port")
    row = next(c for c in app.widget.children if getattr(c, "children", ()) and c is not app.figure)
    assert row is not None
    saves = {b.description for c in app.widget.children for b in children(c)}
    assert {"PNG", "SVG", "HTML"} <= saves


def children(widget):
    return [c for c in getattr(widget, "children", ()) if hasattr(c, "on_click")]


def test_a_page_escapes_what_it_holds():
    figure = plots.Figure(summary="<script>", table=pd.DataFrame({"<b>": [1]}))
    text = plots.page(figure, "<title>").split("</script>")[-1]
    assert "<p>&lt;script&gt;</p>" in text
    assert "&lt;b&gt;" in text


LINK = '<a href="there">here</a>'


def test_a_name_is_drawn_as_it_is_and_never_as_markup():
    """plotly reads HTML in every text: a name in a file could be a live link."""
    streams = (Stream(LINK, 1e6), Stream("R&D", 1e6))
    app = lessons.your_network.explorer(scenario.Scenario("s", LINE, streams))
    (drawn,) = (each for each in app.figure.data if each.uid == "offered")
    assert list(drawn.x) == ['&lt;a href="there"&gt;here&lt;/a&gt;', "R&amp;D"]
    assert list(app.table.index) == [LINK, "R&D"]
    assert LINK not in app.figure.to_json()
    assert LINK not in app.widget._words.value
    (page,) = given(app, "html")
    assert LINK not in page.text


def test_a_queue_is_named_as_it_is_in_a_heading():
    port = LINE.replace(queues=(LINE.queues[0].replace(name=LINK),))
    app = lessons.head_drop.explorer(scenario.Scenario("s", port, (Stream(LINK, 1e6),)))
    found = [each for each in parts(app) if LINK in str(getattr(each, "value", ""))]
    assert found == []


def parts(widget):
    return [widget, *(p for each in getattr(widget, "children", ()) for p in parts(each))]


@pytest.mark.parametrize(
    ("cell", "saved"),
    [
        *((text, "'" + text) for text in ("=1+1", "@SUM(A1)", "-2+3", "+A1", "\t=1", "＝1")),
        *((text, "'" + text) for text in ('=HYPERLINK("there", "here")', "-1 +1", "+1 +A1")),
        *((text, text) for text in ("a=b", "+1.8 %", "-3.2 Mbit/s", "+1e-05 packets/s", "")),
        *((-1.5, -1.5), (0.0, 0.0)),
    ],
)
def test_a_spreadsheet_runs_no_cell_of_a_saved_table(cell, saved):
    table = pd.DataFrame({"a": [cell], "=b": [1.0]}, index=pd.Index(["@c"], name="stream"))
    (file,) = files("csv", Call("x"), plots.Figure(table=table), {})
    read = pd.read_csv(io.StringIO(file.text), index_col=0, keep_default_na=False)
    assert read.loc["'@c", "a"] == saved
    assert list(read.columns) == ["a", "'=b"]
