"""The explorer of a configuration: what is read, said, asked for and kept."""

import math

import pytest

from qoslib import explore, plots, run
from qoslib.explore.presets import PRESETS
from qoslib.lessons.policing import sliders

TEXT = PRESETS["IOS XE branch edge"].text
FACTS = {"line_rate_bps": 1e8}
TRAFFIC = 'VOICE = "40 calls G.711"\nVIDEO = "10 Mb/s"\nBULK = "20 Mb/s"\nclass-default = "30 Mb/s"'


@pytest.fixture
def app():
    made = explore.configuration(TEXT, facts=FACTS, traffic=TRAFFIC)
    yield made
    made.close()


def lost(app, name):
    return app.figure.table.loc[name, "lost after [%]"]


def test_it_says_what_each_class_gets_and_what_is_wrong(app):
    assert [each.name for each in app.configured.classes if each.queue][:3] == [
        "VOICE",
        "VIDEO",
        "BULK",
    ]
    assert lost(app, "VOICE") == 0
    # 40 calls of 87.2 kb/s, 10 and 20 Mb/s leave 16.5 of the shaper's 50 for 30 Mb/s, at the least.
    assert 5 < lost(app, "class-default") < 60
    assert {note["severity"] for note in app.sheet.notes} <= {"error", "warning", "info"}
    assert "GigabitEthernet0/0/1 out" in app.sheet.port
    assert "at most 50 Mb/s" in app.sheet.port


def test_a_change_is_read_again_and_what_was_before_stays(app):
    before = app.figure.table["lost after [%]"].copy()
    app.sheet.text = TEXT.replace("priority percent 20", "priority percent 4")
    table = app.figure.table
    # A policer of 2 Mb/s in front of 40 x 87.2 kb/s.
    assert table.loc["VOICE", "lost after [%]"] == pytest.approx(100 * (1 - 2 / 3.488), abs=4)
    assert table["lost before [%]"].to_dict() == before.to_dict()
    assert any(note["severity"] == "error" for note in app.sheet.notes)
    assert "before)" in app.sheet.port


def test_what_is_offered_stays_when_a_guarantee_changes():
    made = explore.configuration(TEXT, facts=FACTS)
    offered = made.figure.table["offered [Mb/s]"].copy()
    made.sheet.text = TEXT.replace("bandwidth percent 30", "bandwidth percent 50")
    assert made.figure.table["offered [Mb/s]"].to_dict() == offered.to_dict()
    made.close()


def test_a_slider_moves_one_load_and_reset_brings_it_back(app):
    app.figure.move(load_4=300)
    assert lost(app, "class-default") > 60
    app.figure._reset()
    assert app.figure.values["load_4"] == 100


def test_a_text_that_cannot_be_read_leaves_the_port_and_names_its_line(app):
    port, line = app.configured.port, TEXT.split("\n").index("  bandwidth percent 30") + 1
    app.sheet.text = TEXT.replace("bandwidth percent 30", "bandwidth percent 130")
    assert app.configured.port == port
    assert app.sheet.notes[0]["line"] == line
    assert f"line {line}" in app.sheet.said
    app.sheet.text = "hello"
    assert "no dialect is recognised" in app.sheet.said
    app.sheet.text = TEXT
    assert "line" not in app.sheet.said


def test_tcp_is_named_as_left_out():
    made = explore.configuration(
        TEXT, facts=FACTS, traffic=TRAFFIC.replace("20 Mb/s", "bulk TCP, 20 ms")
    )
    assert "The TCP of BULK is left out here" in made.sheet.said
    made.close()


def test_compare_with_this_makes_what_is_there_the_state_before(app):
    app.sheet.text = TEXT.replace("priority percent 20", "priority percent 4")
    app._keep()
    table = app.figure.table
    assert table["lost before [%]"].to_dict() == table["lost after [%]"].to_dict()


def test_a_missing_fact_is_asked_for_and_what_is_typed_is_taken():
    text = TEXT.replace("interface GigabitEthernet0/0/1", "interface Dialer7")
    made = explore.configuration(text)
    assert made.configured is None
    box = made._asked.children[0]
    box.value = "fast"
    assert made.configured is None
    box.value = "20 Mb/s"
    assert made.configured.port.rate_bps == 20e6
    assert made._asked.children == ()
    made.close()


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_read_whole(name):
    made = explore.configuration()
    made._presets.value = name
    assert made.sheet.text == PRESETS[name].text
    assert made.configured.interface in PRESETS[name].text
    assert made.reading.missing == ()
    assert made.reading.remarks == ()
    losses = made.figure.table["lost after [%]"]
    assert len(losses)
    assert all(math.isfinite(each) for each in losses)
    made.close()


def test_names_of_a_configuration_are_never_markup(app):
    app.sheet.text = TEXT.replace("BULK", "<img/src=x>")
    assert "<img" not in app.sheet.port
    assert "&lt;img/src=x&gt;" in app.sheet.port


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"\xff\xfe\xfa", "no text in UTF-8"), (b"x" * 1_000_001, "allowed"), (b"x", "no dialect")],
)
def test_a_bad_file_changes_nothing(app, raw, said):
    with pytest.raises(ValueError, match=said):
        app._uploaded("edge.cfg", raw)
    assert app.sheet.text == TEXT


@pytest.mark.parametrize(
    "bad", [{"text": 1}, {"facts": {"speed": 1}, "text": TEXT}, {"traffic": "VOICE = 1"}]
)
def test_a_bad_argument_is_named(bad):
    with pytest.raises(ValueError, match="allowed"):
        explore.configuration(**bad)


def test_the_figure_holds_the_results_and_their_states():
    before, after = (run(sliders.described(sliders.START | {"ef": ef})) for ef in (30.0, 60.0))
    figure = plots.change(["EF", "default"], before, after, [20e6, 75e6])
    for which, result in (("before", before), ("after", after)):
        (trace,) = [each for each in figure.data if each["uid"] == f"{which}-1"]
        assert trace["y"] == pytest.approx(
            [100 * result[name].drop_ratio for name in ("EF", "default")]
        )
    assert "EF loses" in figure.summary
