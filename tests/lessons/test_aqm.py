"""Lesson 08: what it says of droppers under constant streams and under TCP."""

import numpy as np
import pandas as pd
import pytest

from qoslib import Cubic, Flow, Host, Scenario, lessons, run, sweep, tcp, units
from qoslib.flows import FqPacing, HtbPacing
from qoslib.lessons.aqm.outcomes import used_share
from qoslib.lessons.aqm.sliders import BLAST, LINE, START, described, red
from qoslib.platforms import gsr12000, platform
from qoslib.port import Codel, Instantaneous, Pie, RedProfile, TailDrop
from qoslib.traffic import Poisson, Stream

DROPPER = "network.queues['all'].dropper"
DROPPERS = {"tail": TailDrop(), "harsh": red(1), "soft": red(64), "codel": Codel(), "pie": Pie()}
LOOK = "network.queues['queue0'].dropper.averaging"


@pytest.fixture(scope="module")
def tables():
    """The five droppers under a constant stream and under 16 TCP flows."""
    found = []
    for test in described(START):
        results = sweep(test, {DROPPER: DROPPERS.values()}).results
        found.append(lessons.aqm.outcomes(test, dict(zip(DROPPERS, results, strict=True))))
    return found


def test_the_winner_of_the_constant_stream_is_the_worst_with_tcp(tables):
    blasted, with_tcp = tables
    assert blasted["link used [%]"].min() > 99.9
    assert blasted["mean delay [ms]"].idxmin() == "harsh"
    assert with_tcp["link used [%]"].idxmin() == "harsh"
    assert with_tcp["link used [%]"]["harsh"] < 35
    assert with_tcp["link used [%]"].drop("harsh").min() > 99
    assert blasted["mean delay [ms]"]["codel"] > 100 > 10 > with_tcp["mean delay [ms]"]["codel"]
    assert with_tcp["fairness"]["tail"] < 0.8 < with_tcp["fairness"].drop("tail").min()


def test_a_constant_stream_loses_what_does_not_fit(tables):
    blasted, _ = tables
    excess = 1 - 100 / 168 * 1500 / 1538
    for name in ("tail", "harsh", "soft", "codel"):
        assert blasted["dropped [%]"][name] == pytest.approx(100 * excess, abs=0.05)


def test_codel_needs_as_long_as_its_law_says():
    """``2 interval^2`` times the excess: until then the buffer is full."""
    blast, _ = described(START | {"dropper": "CoDel"})
    result = run(blast.replace(duration_s=130.0, warmup_s=0.0), bins=260)
    shorter = np.flatnonzero(result.history.queue_packets[0][10:] < 990)[0] + 10
    excess_pps = 168e6 / 12_000 - 100e6 / 8 / 1538
    assert result.history.time_s[shorter + 1] == pytest.approx(0.02 * excess_pps, rel=0.03)
    figure = lessons.aqm.codel_over_time(blast, result, Codel())
    assert "5,873 packets per second are too many" in figure.summary
    assert "after 117 s" in figure.summary


def test_bursts_are_the_main_cause():
    _, test = described(START)
    site = test.hosts[0]

    def used(host):
        return used_share(LINE, run(test.replace(hosts=(host,))))

    alone = used(site.replace(flows=site.flows[:1]))
    each = used(site.replace(pacing=FqPacing(95e6 / 16)))
    whole = run(test.replace(hosts=(site.replace(pacing=HtbPacing(95e6)),)))
    assert used(site) < each < alone < used_share(LINE, whole)
    assert whole.dropped_pps.sum() == 0


def test_the_drops_alone_explain_the_rate():
    """The rate that Mathis and others give for the share of drops, within a quarter."""
    _, test = described(START)
    result = run(test)
    share = result.dropped_pps.sum() / result.offered_pps.sum()
    rate_bps = 16 * tcp.mathis_bps(1448, 0.042, share)
    assert rate_bps == pytest.approx(result.tcp.goodput_bps.sum(), rel=0.25)


def test_the_readings_that_ruin_tcp_do_not_fit_the_published_delay():
    looks = {"queue": Instantaneous()}
    looks |= {each: gsr12000.averaging(each, "e2") for each in ("textbook", "base", "truncating")}
    test = platform("gsr12000").experiments()["test_a"].scenario
    short = test.replace(duration_s=0.3, warmup_s=0.1)
    loaded = sweep(short, {LOOK: looks.values()}).results
    others = [stream for stream in test.streams if stream.mark != "prec1"]
    flow = Flow("0", 0.020, Cubic(), mss_bytes=948, frame_bytes=1000, mark="prec1")
    pcs = [
        Host(f"pc {n}", 1e9, (flow.replace(name=f"{n}", round_trip_s=0.020 + n * 1e-4),))
        for n in range(16)
    ]
    live = test.replace(streams=others, hosts=pcs, duration_s=6, warmup_s=2)
    for name, seen, result in zip(
        looks, loaded, sweep(live, {LOOK: looks.values()}).results, strict=True
    ):
        fits = abs(seen["1A/prec1"].delay_mean_s / 928e-6 - 1) < 0.05
        assert fits == (name in ("base", "truncating"))
        assert fits == (used_share(test.only_port, result) > 0.9)
        assert fits == (used_share(test.only_port, result) > 0.5)


def test_a_ramp_is_what_the_profile_says():
    table = lessons.aqm.ramps({"a": RedProfile(1, 3), "b": RedProfile(64, 128, 0.1)}).table
    assert table["a [%]"][[1, 2, 3]].tolist() == [0, 50, 100]
    assert table["b [%]"][[64, 128, 1000]].tolist() == [0, 100, 100]


@pytest.mark.parametrize(("rates", "index"), [([3, 3, 3], 1), ([5, 0, 0, 0], 0.25), ([1, 3], 0.8)])
def test_the_fairness_index_by_hand(rates, index):
    assert lessons.aqm.jain_index(np.array(rates, float)) == pytest.approx(index)


def test_a_flow_that_gets_nothing_through_has_a_row():
    _, test = described(START)
    starved = Flow("never", 0.04, mss_bytes=1448, frame_bytes=1500, start_s=5.0)
    hosts = (*test.hosts, Host("late", 1e9, (starved,)))
    begun = Scenario("begun", LINE, (), 4.0, hosts=hosts)
    row = lessons.aqm.outcomes(begun, {"run": run(begun)}).loc["run"]
    assert row["slowest flow [Mb/s]"] == 0
    assert row["mean delay [ms]"] > 0


def test_the_counters_of_the_fault_name_it():
    counters = lessons.aqm.fault()
    assert counters["dropped because the queue was full"] == "0"
    arrived, early = (
        int(counters[name].replace(",", ""))
        for name in ("packets arrived", "dropped by the WRED profile")
    )
    assert round(arrived / early) == 36
    assert int(counters["link used, mean of 60 s"].split()[0]) in range(45, 55)


def test_the_explorer_follows_its_controls():
    app = lessons.aqm.explorer()
    assert app.summary.startswith("RED with 16 TCP flows: 29 % of the link used")
    app.move(minimum=64)
    assert app.summary.startswith("RED with 16 TCP flows: 100 % of the link used")
    app.move(dropper="CoDel", flows=4)
    _, test = described(app.values)
    expected = used_share(LINE, run(test))
    assert app.table["link used [%]"]["CoDel"] == pytest.approx(100 * expected, abs=0.006)
    assert len(next(each for each in app.figure.data if each.uid == "flows").y) == 4
    # Reading it back to the tester: what a constant stream gets does not depend on the flows.
    assert "under the constant stream: 100 % and 121 ms" in app.summary.lower()
    app.close()


def test_the_scene_has_both_loads():
    view = lessons.aqm.scene()
    assert [lane["title"] for lane in view.spec["lanes"]] == ["constant stream", "16 TCP flows"]
    loads = [load for lane in view.spec["lanes"] for load in lane["loads"]]
    assert [units.convert(bps, "bit/s", "Mbit/s") for bps, _ in loads] == pytest.approx(
        [168, 26.5], rel=2e-3
    )
    # What was recorded cannot be made faster.
    assert [times for _, times in loads] == [1.0, 0.0]
    assert units.convert(BLAST.mean_rate_bps, "bit/s", "Mbit/s") == pytest.approx(168)


def harsh(hosts=(), streams=()):
    """The port with RED 1/2 after the slow start: packets lost, their share, link used."""
    port = LINE.replace(queues=(LINE.queues[0].replace(dropper=red(1)),))
    result = run(Scenario("harsh", port, streams, 20, warmup_s=8, hosts=hosts))
    return result.packets.lost.sum(), result.drop_ratio, used_share(port, result)


def flows_of_a_site(count, **pacing):
    flows = tuple(
        Flow(f"flow {n}", 0.040 + n * 0.00025, mss_bytes=1448, frame_bytes=1500)
        for n in range(count)
    )
    return (Host("site", 1e9, flows, **pacing),)


def test_bursts_cause_the_drops_and_window_reductions_the_idle_time():
    """Each alone leaves the link less idle than both together; pacing takes away both."""
    _, ratio, used = harsh(streams=(Stream("random", 60e6, 1500, Poisson()),))
    offered = 60e6 * 1538 / 1500 / 100e6
    assert ratio == pytest.approx(0.05, abs=0.005)
    assert used == pytest.approx(0.95 * offered, abs=0.005)
    alone, two = harsh(flows_of_a_site(1)), harsh(flows_of_a_site(2))
    assert (alone[0], two[0]) == (3, 30)
    assert (alone[2], two[2]) == pytest.approx((0.79, 0.39), abs=0.005)
    paced = harsh(flows_of_a_site(2, pacing=HtbPacing(95e6)))
    assert paced[0] == 0
    assert paced[2] == pytest.approx(0.965, abs=0.005)


def test_a_dropper_has_the_same_colour_in_every_figure_of_the_lesson():
    table = pd.DataFrame(
        {"link used [%]": 50.0, "mean delay [ms]": 5.0},
        index=["tail drop", "RED 1/2", "RED 64/128", "CoDel", "PIE"],
    )
    bars = lessons.aqm.both_loads(table, table)
    there = {line["uid"].rpartition("-")[0]: line["marker"]["color"] for line in bars.data}
    app = lessons.aqm.explorer()
    here = {line.uid.rpartition("-")[0]: line.marker.color for line in app.figure.data}
    for name in ("tail drop", "CoDel", "PIE"):
        assert here[name] == there[name]
    assert here["RED"] == there["RED 1/2"]
    ramps = lessons.aqm.ramps({"RED 1/2": RedProfile(1, 2), "RED 64/128": RedProfile(64, 128)})
    assert [line["line"]["color"] for line in ramps.data] == [there["RED 1/2"], there["RED 64/128"]]
    app.close()


def test_a_packet_takes_longer_than_codels_target_below_2_5_mbps():
    assert units.serialisation_s(1500, units.mbps(2.5), 38) == pytest.approx(5e-3, rel=0.02)
    assert Codel().target_s == pytest.approx(5e-3)
