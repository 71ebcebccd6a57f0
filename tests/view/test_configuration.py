"""The explorer of a configuration: what is read, said, asked for and kept."""

import math

import pytest

from qoslib import Scenario, explore
from qoslib.explore.presets import PRESETS
from qoslib.findings import check

TEXT = PRESETS["IOS XE branch edge"].text
FACTS = {"line_rate_bps": 1e8}
TRAFFIC = 'VOICE = "40 calls G.711"\nVIDEO = "10 Mb/s"\nBULK = "20 Mb/s"\nclass-default = "30 Mb/s"'

OUT = "interface GigabitEthernet0/0/1\n speed 100\n service-policy output P\n"

STATES = "before", "after"


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
    app.figure.widget._reset()
    assert app.figure.values["load_4"] == 100


def test_a_line_that_a_device_refuses_is_noted_and_one_unreadable_text_leaves_the_port(app):
    line = TEXT.split("\n").index("  bandwidth percent 30") + 1
    app.sheet.text = TEXT.replace("bandwidth percent 30", "bandwidth percent 130")
    assert ("error", line) in [(note["severity"], note["line"]) for note in app.sheet.notes]
    port = app.configured.port
    assert [queue.guaranteed_bps for queue in port.queues if queue.name == "VIDEO"] == [0]
    app.sheet.text = "hello"
    assert app.configured.port == port
    assert "no dialect is recognised" in app.sheet.said
    app.sheet.text = TEXT
    assert "line" not in app.sheet.said


@pytest.mark.parametrize(
    ("trip", "said"),
    [
        ("20 ms", ""),
        # A run has no more than 20 s.
        ("2 s", "BULK: round trip and number of connections not used: 1 TCP, 2 s. A stream that"),
    ],
)
def test_tcp_below_a_shaper_runs_or_else_a_stream_stands_for_it_and_that_is_said(trip, said):
    traffic = TRAFFIC.replace("20 Mb/s", f"bulk TCP, {trip}")
    made = explore.configuration(TEXT, facts=FACTS, traffic=traffic)
    row = made.figure.table.loc["BULK"]
    # 40 calls, 10 and 30 Mb/s are offered to the shaper's 50, and BULK takes what is left.
    assert row["sent after [Mb/s]"] > 5
    assert math.isnan(row["lost after [%]"])
    assert "Mb/s of TCP" in made.figure.summary
    assert made.figure.remark.startswith(said)
    assert bool(made.figure.remark) == bool(said)
    (same,) = [
        each
        for each in check(TEXT, facts=FACTS, traffic=traffic, full=True).ports[0].runs
        if (each.name, each.load_ratio, each.model) == ("BULK", 1, "packets")
    ]
    # The explorer runs once where the check takes the mean of several settled runs.
    assert row["sent after [Mb/s]"] == pytest.approx(same.sent_bps / 1e6, rel=5e-3)
    made.close()


def test_tcp_above_one_queue_runs():
    text = PRESETS["one queue, to fill yourself"].text
    made = explore.configuration(text, facts=FACTS, traffic='class-default = "2 TCP, 20 ms"')
    assert 80 < made.figure.table.loc["class-default", "sent after [Mb/s]"] <= 100
    assert made.figure.remark == ""
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


def test_the_figure_holds_what_the_classes_get_before_and_after(app):
    before, after = (app.figure.table[f"lost {which} [%]"].tolist() for which in STATES)
    for which, losses in zip(STATES, (before, after), strict=True):
        (trace,) = [each for each in app.figure.figure.data if each["uid"] == f"{which}-1"]
        assert list(trace["y"]) == pytest.approx(losses, abs=0.01)
    assert "VOICE loses" in app.figure.summary


EIGHT = """\
class-map match-any EF
 match dscp ef
{maps}
policy-map EIGHT
 class EF
  priority
  police 20000000 250000
 class C1
  bandwidth 10000
  queue-limit 64 packets
 class C2
  bandwidth 10000
  queue-limit 96000 bytes
 class C3
  bandwidth 10000
  queue-limit 20 ms
 class C4
  bandwidth 10000
  random-detect
 class C5
  shape average 5000000
 class C6
  bandwidth 10000
policy-map PARENT
 class class-default
  shape average 90000000
   service-policy EIGHT
interface FastEthernet0/1
 service-policy output PARENT
"""


def test_eight_classes_with_all_that_a_queue_may_have():
    maps = "\n".join(f"class-map match-any C{n}\n match dscp cs{n}" for n in range(1, 7))
    made = explore.configuration(EIGHT.format(maps=maps))
    queues = {queue.name: queue for queue in made.scenario.network.queues}
    assert len(queues) == 8
    assert [type(queues[f"C{n}"].limit).__name__ for n in (1, 2)] == ["PacketLimit", "ByteLimit"]
    assert queues["EF"].policer.rate_bps == 20e6
    assert type(queues["C4"].dropper).__name__ == "Red"
    assert queues["C5"].shaper is not None
    (saved,) = made.figure._call.scenarios(made.figure.values)
    assert Scenario.from_json(saved.to_json()) == made.scenario
    visible = [each for each in made.figure.widget.controls.values() if each.layout.display is None]
    assert len(visible) == 8
    made.close()


def test_a_text_that_cannot_be_read_at_first_leaves_room_for_before_and_after():
    made = explore.configuration("! nothing")
    assert "text before" not in made.sheet.said
    for text, classes in ((TEXT, 4), ("policy-map P\n class class-default\n" + OUT, 1)):
        made.sheet.text = text
        assert len(made.figure.table) == classes
        # The wider the gap between classes, the nearer are before and after of one.
        assert made.figure.figure.layout.scattergap == pytest.approx(1 - 0.17 * classes)
    made.close()


def test_without_a_port_there_is_no_scenario():
    made = explore.configuration("! nothing")
    with pytest.raises(ValueError, match="no port is shown; allowed: a text with one"):
        made.scenario  # noqa: B018
    made.close()


#: VOICE matches nothing that is understood: its packets are in class-default.
SLIP = """class-map match-any VOICE
 match dcsp ef
policy-map EDGE
 class VOICE
  priority 1000
 class class-default
  queue-limit 64 packets
interface GigabitEthernet0/1
 bandwidth 10000
 service-policy output EDGE
"""


def test_the_explorer_and_the_check_give_the_same_figures():
    facts, traffic = {"line_rate_bps": 1e7}, 'VOICE = "0.9 Mb/s"\nclass-default = "12 Mb/s"'
    checked = check(SLIP, facts=facts, traffic=traffic)
    runs = {each.name: each for each in checked.ports[0].runs if each.model == "packets"}
    made = explore.configuration(SLIP, facts=facts, traffic=traffic)
    for name, run in runs.items():
        assert lost(made, name) == pytest.approx(100 * run.drop_ratio, rel=0.1, abs=0.1)
    assert 15 < lost(made, "VOICE") < 30
    made.close()
