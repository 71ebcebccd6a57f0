"""A saved scenario: loaded, run by both models, measured and scored."""

import html
import re
import sys

import numpy as np
import pytest

from qoslib import compare, explore, fluid, lessons, measurements, packets, telemetry, units
from qoslib.explore.upload import MOST_BYTES, Loaded
from qoslib.flows import Flow, Host
from qoslib.platforms import PLATFORMS, platform
from qoslib.port import (
    Codel,
    DeficitRoundRobin,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    StrictPriority,
    TailDrop,
)
from qoslib.scenario import Scenario
from qoslib.traffic import Stream
from saved import CSV, HEADER, LINES, OFFICE, loader, upload

CODEL = Scenario(
    "codel",
    Port("p", 1e7, (Queue("q", PacketLimit(50), Codel()),)),
    (Stream("a", 2e7),),
)


def drawn(app, uid):
    return list(next(each for each in app.figure.data if each.uid == uid).y)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((CODEL.network,), r"^scenario is Port\(.*; allowed: .*Scenario"),
        (("x",), r"^scenario is 'x'; allowed: .*Scenario"),
        ((CODEL, "my.csv"), r"^measured is 'my.csv'; allowed: a DataFrame"),
    ],
)
def test_an_argument_of_another_kind_is_named(given, said):
    with pytest.raises(ValueError, match=said):
        lessons.your_network.explorer(*given)


def test_a_burst_that_no_frame_fits_into_is_said():
    policed = CODEL.network.queues[0].replace(policer=Policer(5e6, 100), dropper=TailDrop())
    mine = CODEL.replace(network=CODEL.network.replace(queues=(policed,)))
    app = lessons.your_network.explorer(mine)
    assert "burst of 100 B, and its frames have up to 1,000 B: no frame" in app.remark
    assert app.remark in html.unescape(app.widget._words.value)
    fits = mine.replace(streams=(Stream("a", 2e7, 100),))
    assert "burst of 100 B" not in lessons.your_network.explorer(fits).remark


def test_what_is_loaded_is_what_is_drawn_and_saved():
    app = lessons.your_network.explorer(OFFICE)
    answer = fluid.solve(OFFICE.network, OFFICE.streams)
    assert drawn(app, "fluid-0") == pytest.approx(answer.sent_bps / 1e6)
    (saved,) = app._call.scenarios(app.values)
    assert Scenario.from_json(saved.to_json()) == OFFICE


def test_the_scenario_of_a_configuration_can_be_opened():
    branch = lessons.your_network
    edited = explore.configuration(
        branch.configuration(), facts=branch.FACTS, traffic=branch.traffic()
    )
    assert edited.scenario.streams == branch.router(branch.configuration()).streams
    app = branch.explorer(edited.scenario, telemetry.read(branch.counters()))
    assert list(app.table.index) == ["VOICE", "VIDEO", "class-default"]
    assert "within tolerance" in app.summary


def test_a_scenario_with_tcp_hosts_is_refused():
    """Its streams would be shown without the losses that TCP makes."""
    hosts = (Host("pc", 1e9, (Flow("tcp", 0.02),)),)
    port = Port("p", 1e8, (Queue("q", PacketLimit(50)),))
    mixed = Scenario("mixed", port, (Stream("udp", 2e7),), hosts=hosts)
    with pytest.raises(ValueError, match=r"'mixed' has the TCP hosts pc.*qoslib\.run"):
        lessons.your_network.explorer(mixed)
    app = lessons.your_network.explorer(OFFICE)
    before = app.summary
    upload(app, "mixed.json", mixed.to_json().encode())
    assert "has the TCP hosts pc" in loader(app).children[1].value
    assert app.summary == before


def test_what_the_fluid_model_says_of_itself_is_shown():
    queues = (
        Queue("a", PacketLimit(150), Red(RedProfile(5, 15)), quantum_bytes=15_000),
        Queue("b", PacketLimit(1000), quantum_bytes=15_000),
    )
    port = Port("p", 1e9, queues, DeficitRoundRobin())
    streams = Stream("a", 4e8, 64), Stream("b", 9e8, 1500)
    app = lessons.your_network.explorer(Scenario("robin", port, streams, duration_s=0.01))
    assert "Of the fluid model: Queue 'a' may be kept shorter than its quantum" in app.summary


@pytest.mark.parametrize("name", PLATFORMS)
def test_any_published_experiment_without_tcp_can_be_loaded(name):
    experiment = next(iter(platform(name).experiments().values()))
    if experiment.scenario.hosts:
        with pytest.raises(ValueError, match="has the TCP hosts"):
            lessons.your_network.explorer(experiment.scenario)
        return
    app = lessons.your_network.explorer(experiment.scenario)
    assert list(app.table.index) == [stream.name for stream in experiment.streams]


def test_a_port_without_closed_form_is_played():
    app = lessons.your_network.explorer(CODEL)
    assert "The fluid model says nothing" in app.summary
    assert drawn(app, "fluid-1") == [None]
    assert drawn(app, "packets-1")[0] == pytest.approx(50, abs=3)


def test_one_slider_moves_all_loads_of_a_loaded_scenario():
    app = lessons.your_network.explorer(CODEL)
    app.move(all=50)
    assert app.table.loc["a", "offered [Mb/s]"] == pytest.approx(10, rel=0.02)


def test_measurements_are_drawn_and_scored():
    held = Loaded()
    assert "4 values" in held.take("mine.csv", CSV)
    app = lessons.your_network.explorer(OFFICE, held.measured)
    assert drawn(app, "measured-0") == [pytest.approx(39.3)]
    assert drawn(app, "measured-1") == [pytest.approx(29)]
    assert drawn(app, "measured-2") == [pytest.approx(0.08)]
    assert "of 6 scored values are within tolerance" in app.summary
    rows = compare.score_measurements(held.measured, OFFICE, [fluid.solve(*described())])
    assert [row.verdict for row in rows] == ["misfit", "within", "within"]


def test_a_maximum_is_not_drawn_among_the_means():
    longest = "mine,voice,latency,maximum,2 ms,2,ms,0.1,,,page 1,ok,,"
    held = Loaded()
    held.take("mine.csv", "\n".join((HEADER, longest, *LINES[1:])).encode())
    app = lessons.your_network.explorer(OFFICE, held.measured)
    assert drawn(app, "measured-2") == []
    assert drawn(app, "measured-1") == [pytest.approx(29)]
    assert "Not drawn: latency_maximum of voice." in app.summary
    assert app.table.loc["voice", "latency_maximum measured [ms]"] == 2
    rows = compare.score_measurements(held.measured, OFFICE, [packets.simulate(*described(), 0.1)])
    assert rows[0].quantity == "latency_maximum"
    held.take("mine.csv", CSV)
    assert "Not drawn" not in lessons.your_network.explorer(OFFICE, held.measured).summary


def described():
    scenario = OFFICE
    return scenario.network, scenario.streams


def test_what_a_device_wrote_is_measurements_too():
    held = Loaded()
    shown = "class htb 1:10 root\n Sent 9000 bytes 90 pkt (dropped 10, overlimits 0)\n"
    assert held.take("shown.txt", shown.encode()) == (
        "shown.txt: 4 values of tc compared with the models."
    )
    assert {row.stream for row in held.measured} == {"1:10"}
    told = b'{"end": {"sum_received": {"seconds": 10, "bits_per_second": 94.1e6}}}'
    assert "2 values of iperf3" in held.take("told.json", told)
    with pytest.raises(ValueError, match=r"bad\.json, line 1: not JSON"):
        held.take("bad.json", told[:-9])


def test_a_stream_that_is_not_there_is_not_scored():
    table = Loaded()
    table.take("x.csv", CSV.replace(b"mine,voice", b"mine,nobody"))
    (first, *_) = compare.score_measurements(table.measured, OFFICE, [fluid.solve(*described())])
    assert (first.verdict, first.modelled) == ("unscored", None)
    assert first.reason == "No class is called 'nobody'; yours are voice, video, data"


BAD = [
    ("x.csv", CSV.replace(b",ms,", b",parsecs,"), "x.csv, line 2, column unit"),
    ("x.csv", b"a,b\n1,2\n", "column"),
    ("x.csv", b"\xff\xfe", "not UTF-8"),
    ("x.csv", CSV + b"\nmine," + b"x" * 5000, "line 6"),
    ("x.json", b"\xff", "not UTF-8"),
    ("x.json", b"[" * 10_000, "nested"),
    ("x.json", b'{"schema": "qoslib/1"}', "allowed"),
    ("x.json", CODEL.to_json().replace("20000000.0", "1e30").encode(), "rate_bps is 1e[+]30; all"),
    ("x.json", b"x" * (MOST_BYTES + 1), "allowed: up to"),
    ("words.txt", b"some words", "words.txt is neither JSON nor CSV; allowed: .*json.*csv"),
    ("x.csv", b"x" * (MOST_BYTES + 1), "allowed: up to"),
]


@pytest.mark.parametrize(("name", "raw", "message"), BAD)
def test_a_bad_file_is_told_in_one_error_and_changes_nothing(name, raw, message):
    held = Loaded()
    held.take("mine.csv", CSV)
    held.take("mine.json", CODEL.to_json().encode())
    before = held.scenario, held.measured
    with pytest.raises(ValueError, match=message) as caught:
        held.take(name, raw)
    assert len(str(caught.value)) < 2_000
    assert "/" not in str(caught.value).split(",")[0]
    assert (held.scenario, held.measured) == before or held.measured is before[1]


def test_a_table_with_too_many_rows_is_refused():
    rows = [LINES[0].replace("page 1", f"page {number}") for number in range(2001)]
    with pytest.raises(ValueError, match="2,001 rows; allowed: up to 2,000"):
        Loaded().take("long.csv", "\n".join((HEADER, *rows)).encode())


def test_what_was_loaded_is_forgotten_by_reset():
    held = Loaded()
    held.take("mine.json", CODEL.to_json().encode())
    held.forget()
    assert held.scenario is None


def test_a_long_scenario_is_played_in_part():
    queue = Queue("q", PacketLimit(100), policer=Policer(1e9, 10_000))
    port = Port("fast", units.gbps(10), (queue,), StrictPriority())
    long = Scenario("long", port, (Stream("a", units.gbps(9), 200),), duration_s=1000)
    assert np.isfinite(drawn(lessons.your_network.explorer(long), "packets-1")[0])


def test_a_stream_that_is_not_there_is_told_on_the_page():
    held = Loaded()
    held.take("x.csv", CSV.replace(b"mine,voice", b"mine,nobody"))
    summary = lessons.your_network.explorer(OFFICE, held.measured).summary
    assert "of nobody: No class is called 'nobody'; yours are voice, video, data" in summary
    app = lessons.your_network.explorer(OFFICE)
    upload(app, "x.csv", CSV.replace(b"mine,voice", b"mine,date"))
    said = html.unescape(loader(app).children[1].value)
    assert "No class is called 'date'; yours are voice, video, data." in said
    upload(app, "mine.csv", CSV)
    assert "No class" not in loader(app).children[1].value


def test_reset_takes_the_message_of_the_last_file_away():
    app = lessons.your_network.explorer(OFFICE)
    said = loader(app).children[1]
    upload(app, "words.txt", b"some words")
    assert "words.txt is neither JSON nor CSV" in said.value
    upload(app, "mine.csv", CSV)
    assert "4 values" in said.value
    app.widget.children[0].children[1].click()
    assert said.value == ""
    upload(app, "mine.csv", CSV)
    assert "4 values" in said.value


RING = CODEL.replace(network=CODEL.network.replace(transmit_ring_packets=10**15))
NOT_DRAWN = {
    "unit.csv": CSV.replace(b",ms,", b",Mbit/s,"),
    "ring.json": RING.to_json().encode(),
    "large.csv": CSV.replace(b"39.3,Mbit/s", b"1e308,Gbit/s"),
}


@pytest.mark.parametrize("name", NOT_DRAWN)
def test_a_file_that_cannot_be_drawn_changes_nothing_either(name):
    app = lessons.your_network.explorer(OFFICE)
    before = app.summary
    said = loader(app).children[1]
    upload(app, name, NOT_DRAWN[name])
    assert f"{name} is well-formed, but cannot be drawn: " in said.value
    assert app.summary == before
    assert "; allowed: " in said.value
    assert app.widget._alert.value == ""
    app.move(all=10)
    assert app.summary != before


def test_a_name_that_no_page_can_show_changes_nothing():
    app = lessons.your_network.explorer(OFFICE)
    before = app.summary
    upload(app, "name.json", CODEL.to_json().replace('"a"', r'"\ud800"').encode())
    assert "allowed: a text without lone surrogates" in loader(app).children[1].value
    assert app.summary == before
    app.move(all=10)
    assert app.summary != before


def test_whatever_goes_wrong_with_a_file_is_said_and_changes_nothing(monkeypatch):
    app = lessons.your_network.explorer(OFFICE)
    before = app.summary
    simulate = packets.simulate

    def once(*_, **__):
        monkeypatch.setattr(packets, "simulate", simulate)
        return [][0]

    monkeypatch.setattr(packets, "simulate", once)
    upload(app, "mine.json", CODEL.to_json().encode())
    said = loader(app).children[1].value
    assert "mine.json is well-formed, but cannot be drawn: IndexError" in said
    assert app.summary == before
    app.move(all=10)
    assert app.summary != before
    assert app.widget._alert.value == ""


@pytest.mark.parametrize("row", ["drop_rate_ratio", "dropped_bytes", "throughput", "payload_share"])
def test_a_quantity_that_needs_more_than_is_known_is_not_scored(row):
    cells = f"mine,voice,{row},average,2,2,B,0.5,,,page 3,ok,,"
    unit = {"drop_rate_ratio": "1", "throughput": "Mbit/s", "payload_share": "%"}.get(row, "B")
    held = Loaded()
    held.take("x.csv", f"{HEADER}\n{cells.replace(',B,', f',{unit},')}\n".encode())
    app = lessons.your_network.explorer(OFFICE, held.measured)
    assert "Not scored: 2" in app.summary or row == "throughput"
    app.move(all=50)


@pytest.mark.parametrize("name", ["m120_counters", "gsr12000_results"])
def test_a_published_table_can_be_set_beside_a_port(name):
    summary = lessons.your_network.explorer(OFFICE, measurements.load(name)).summary
    assert re.search(r"Not drawn: ([^,]+, ){8}and \d+ more\.", summary)


def test_more_streams_than_can_be_drawn_are_refused():
    port = Port("p", 1e7, (Queue("q", PacketLimit(50)),))
    many = Scenario("many", port, tuple(Stream(f"s{number}") for number in range(201)))
    with pytest.raises(ValueError, match=r"many\.json has 201 streams; allowed: up to 200"):
        Loaded().take("many.json", many.to_json().encode())


def test_packets_that_take_too_long_are_refused(monkeypatch):
    monkeypatch.setattr(sys.modules["qoslib.lessons.your_network.sliders"], "MOST_S", -1.0)
    with pytest.raises(
        ValueError, match="the packets take more than -1 s to simulate; allowed: a sh"
    ):
        lessons.your_network.explorer(CODEL)
