"""Lesson 10: what it says of two configurations, and of what the models make of them."""

import nbformat
import pytest

from places import ROOT
from qoslib import config, lessons, run, units
from qoslib.lessons import configuration
from qoslib.lessons.configuration.scenes import loaded
from qoslib.platforms import isr4331, m120

LESSON = ROOT / "notebooks" / "10_configuration.ipynb"
FACTS = {"line_rate_bps": 100e6, "overhead_bytes": 24}


def texts():
    """The source of each cell of the lesson."""
    return [cell.source for cell in nbformat.read(LESSON, as_version=4).cells]


@pytest.fixture(scope="module")
def edges():
    return {
        word: configuration.port_of(configuration.edge(word)) for word in ("priority", "bandwidth")
    }


def read_m120(text):
    return config.read(text, facts=configuration.M120_FACTS).ports[0]


def test_the_facts_of_the_lesson_are_those_of_its_cells():
    assert configuration.FACTS == FACTS


def test_the_text_gives_the_numbers_of_the_router(edges):
    published, queue = isr4331.llq(), edges["priority"].queues[0]
    policer = published.queues[0].policer
    assert (queue.policer.rate_bps, queue.policer.burst_bytes) == (
        policer.rate_bps,
        policer.burst_bytes,
    )
    assert [each.limit for each in edges["priority"].queues] == [
        each.limit for each in published.queues
    ]
    assert configuration.shown(edges["priority"])["error [%]"].tolist() == [0, 0, 0]


def test_two_numbers_of_eight_have_a_line():
    read = config.read(configuration.edge(), facts=FACTS).ports[0]
    numbers = configuration.numbers(read, configuration.edge())
    assert len(numbers) == 8
    assert numbers["from"].str.startswith("line 6: priority 20000").sum() == 2
    assert numbers["from"].str.startswith("default").sum() == 4


def test_only_four_bytes_are_ef():
    read = config.read(configuration.edge(), facts=FACTS).ports[0]
    joined = configuration.sorted_by(read, range(256))
    assert joined.index[joined["class"] == "DSCP_EF"].tolist() == [184, 185, 186, 187]
    assert joined.loc[46, "DSCP"] == 11


def test_the_bucket_lasts_400_ms(edges):
    assert configuration.first_drop_ms(edges["priority"]) == pytest.approx(400, rel=0.01)


def test_one_word_is_delay_or_rate(edges):
    results = {word: run(loaded(port)) for word, port in edges.items()}
    sent = {word: result["EF"].sent_bps for word, result in results.items()}
    assert sent["priority"] == pytest.approx(20e6, rel=0.01)
    assert sent["bandwidth"] == pytest.approx(30e6, rel=0.01)
    delay_s = {word: result["EF"].delay_p99_s for word, result in results.items()}
    assert delay_s["priority"] < 0.7 * delay_s["bandwidth"]
    for port in edges.values():
        half = run(loaded(port, units.mbps(15)))["EF"]
        assert half.drop_ratio == 0


def test_what_is_left_is_shared_by_a_default(edges):
    sent = configuration.rising(edges, (10, 100))
    assert sent.loc[10].tolist() == pytest.approx([10, 10], rel=0.03)
    # (20 + 40) Mb/s on the line, of which 24 B of 1524 are not counted.
    assert sent.loc[100, "bandwidth"] == pytest.approx(60 * 1500 / 1524, rel=0.01)
    assert sent.loc[100, "priority"] == pytest.approx(20, rel=0.01)


def test_the_m120_of_the_text_has_other_buffers_and_nothing_else():
    text, ours = read_m120(configuration.m120_text()).port, m120.port()
    same = configuration.same_port(text, ours)
    for column in ("priority", "guaranteed [Gb/s]", "drops"):
        assert not same[column].astype(str).str.contains("not").any()
    assert not (same["limit from the text"] == same["limit of m120.port()"]).any()
    held = {queue.name: queue.limit for queue in text.queues}
    assert held["BE"].limit_bytes == 0.95 * 0.1 * 10e9 / 8


def test_the_delays_of_the_text_by_hand():
    text, temporal = (
        read_m120(configuration.m120_text(*more)).port for more in ((), ("temporal 5k",))
    )
    delays = configuration.delays(text, temporal)
    modelled = delays["modelled from the text [ms]"]
    # Each fills its buffer with a quarter of the line, less the gap that a share does not count.
    transit_ms = 0.07
    expected = [4 * 0.95 * 100, 4 * 0.24 * 100, 4 * 5]
    assert modelled.tolist() == pytest.approx([each + transit_ms for each in expected], rel=0.03)
    assert delays["published [ms]"].tolist() == [4, 84, 3.2]
    assert delays.loc["BE", "m120.port() [ms]"] == pytest.approx(4, rel=0.03)


def test_loss_priority_and_rewrite_rules_change_nothing_in_this_port():
    text = configuration.m120_text()
    plain = text.replace("loss-priority high", "loss-priority low")
    assert read_m120(plain).port == read_m120(text).port
    without = text.replace("rewrite-rules { inet-precedence NEW-MARKS; }", "")
    assert read_m120(without).port == read_m120(text).port


def test_the_translation_loses_the_policer(edges):
    linux = config.write(edges["priority"], "tc")
    assert linux.lost[0].startswith("The policer of queue 'DSCP_EF'")
    again = config.read(linux.text, facts=dict(linux.facts)).ports[0].port
    sent = configuration.rising({"here": edges["priority"], "linux": again}, (80,))
    assert sent.loc[80, "here"] == pytest.approx(20, rel=0.01)
    assert sent.loc[80, "linux"] == pytest.approx(80, rel=0.01)
    rest = run(loaded(again, units.mbps(80), units.mbps(100)))["unmarked"].sent_bps
    assert rest == pytest.approx(18.4e6, rel=0.02)


def test_the_counters_of_the_fault_name_it():
    counted = configuration.counters()
    assert counted["class VOICE: packets"] == "0"
    assert counted["class-default: drops"] != "0"


def test_the_tasks_of_the_explorer_show_what_they_ask_for():
    app = configuration.explorer()
    text = app.sheet.text

    lost, p99 = "lost after [%]", "delay p99 after [ms]"
    table = app.figure.table
    assert table.loc["DSCP_EF", lost] == pytest.approx(33, abs=2)
    rest_ms = table.loc["class-default", p99]
    app.sheet.text = text.replace("priority", "bandwidth")
    table = app.figure.table
    assert table.loc["DSCP_EF", lost] == 0
    assert table.loc["class-default", lost] > 10
    app.sheet.text = text.replace("20000", "32000")
    table = app.figure.table
    assert table.loc["DSCP_EF", lost] < 1
    assert table.loc["class-default", lost] > 10
    short = "priority 20000\n class class-default\n  queue-limit 64 packets"
    app.sheet.text = text.replace("priority 20000", short)
    table = app.figure.table
    assert table.loc["class-default", p99] < rest_ms / 4
    app.sheet.text = text.replace("20000", "2000x")
    assert [note["line"] for note in app.sheet.notes if note["severity"] == "error"] == [6]
    assert [queue.name for queue in app.configured.port.queues] == ["class-default"]
    app.sheet.text = "nothing that a router knows"
    assert app.sheet.said.endswith(". The port is that of the text before.")
    app.close()


def test_the_scene_has_the_delays_that_the_lesson_says():
    for scenario, delay_ms, other in zip(
        lessons.configuration.scene().scenarios,
        (4.0, 5.1),
        ("drops EF", "drops the rest"),
        strict=True,
    ):
        seen = run(scenario.replace(warmup_s=0.9, duration_s=0.9 + 0.349))
        assert units.convert(seen["EF"].delay_mean_s, "s", "ms") == pytest.approx(
            delay_ms, abs=0.05
        )
        assert (seen["EF"].drop_ratio > 0.4) == (other == "drops EF")
    assert any("from 4.0 to 5.1 ms on average" in " ".join(text.split()) for text in texts())


def test_nothing_before_10_c_says_how_much_ef_gets():
    asked = next(n for n, text in enumerate(texts()) if 'predict("10.c")' in text)
    before = "\n".join(texts()[:asked])
    assert "configuration.promised(softer)" not in before
    assert "at least 60" not in before


def test_the_scene_has_both_words_and_the_same_packets():
    view = lessons.configuration.scene()
    assert [lane["title"] for lane in view.spec["lanes"]] == ["priority 20000", "bandwidth 20000"]
    assert view.spec["badge"] == "rates divided by 20"
    assert view.scenarios[0].streams == view.scenarios[1].streams
