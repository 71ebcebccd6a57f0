"""Where the fluid and the packet model part, whoever shows both says so, and why."""

import dataclasses

import numpy as np
import pytest

from qoslib import compare, fluid, lessons, packets, run, units
from qoslib.platforms import mx150
from qoslib.port import PacketLimit, Port, Queue
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream

PORT = Port("line", units.mbps(100), (Queue("all", PacketLimit(100)),))
BUSY = Scenario("busy", PORT, (Stream("data", 0.9 * PORT.rate_bps, 1000, Poisson()),), 1.0)


def both(load, arrivals=None):
    streams = [Stream("data", load * PORT.rate_bps, 1000, arrivals or Poisson())]
    run = packets.simulate(PORT, streams, 2.0, warmup_s=0.2, seed=1, progress=lambda *_: None)
    return fluid.solve(PORT, streams), run


def test_waiting_by_chance_is_named_with_its_reason():
    text = compare.remark(*both(0.9))
    assert text.startswith("The models differ by more than 10 %: delay of data 80 µs (fluid), ")
    assert "no individual packets" in text


def test_an_overload_is_the_same_in_both():
    assert compare.remark(*both(1.5)) == ""


def test_the_fluid_model_alone_says_where_it_is_valid():
    answer, _ = both(0.9)
    assert "valid for averages" in compare.remark(answer, None)
    noted = dataclasses.replace(answer, notes=("Only above a tenth of a product.",))
    assert compare.remark(noted, None) == "Only above a tenth of a product."


def test_a_note_on_rates_leaves_the_reason_of_a_delay():
    answer, run = both(0.9)
    noted = dataclasses.replace(answer, notes=("The queues begin empty.",))
    text = compare.remark(noted, dataclasses.replace(run, sent_bps=0.5 * run.sent_bps))
    assert "The queues begin empty. The fluid model has no individual packets" in text
    assert "only long-run averages" not in text


def test_many_differences_are_counted():
    answer, run = both(0.9)
    wrong = dataclasses.replace(run, sent_bps=0.5 * run.sent_bps)
    text = compare.remark(answer, wrong)
    assert "carried rate of data 90 Mb/s (fluid), 44.9 Mb/s (packets)" in text
    assert "only long-run averages" in text


def test_the_scoreboards_values_that_part_have_a_reason():
    table = compare.model_differences(compare.stored())
    assert len(table) > 10
    assert (table["why"] != "").all()
    assert set(table["platform"]) >= {"gsr12000", "mx80"}


@pytest.mark.parametrize(
    "made",
    [
        lambda: lessons.head_drop.explorer("m120"),
        lambda: lessons.round_robin.explorer(),
        lambda: lessons.llq_policing.explorer(),
        lambda: lessons.same_traffic.explorer(),
        lambda: lessons.packet_rate.explorer(),
        lambda: lessons.one_queue.explorer(BUSY),
        lambda: lessons.your_network.explorer(BUSY),
        lambda: lessons.tcp_buffers.explorer(),
        lambda: lessons.pacing.explorer(),
    ],
    ids=[
        "priority",
        "share",
        "police",
        "same_traffic",
        "frame_size",
        "one_queue",
        "own_port",
        "buffer",
        "pacing",
    ],
)
def test_an_explorer_at_rest_says_where_its_models_part(made):
    app = made()
    shown = app.remark
    assert shown == "" or "differ by more than 10 %" in shown
    assert "alone" not in shown
    assert not shown or shown[:40] in app.widget._words.value.replace("&#x27;", "'")


def test_an_explorer_that_shows_chance_says_so_and_one_in_overload_does_not():
    app = lessons.one_queue.explorer(BUSY)
    assert "differ by more than 10 %" in app.remark
    app.move(load=150)
    assert app.remark == ""


def test_a_queue_that_is_starved_for_a_while_has_no_delay_in_the_fluid_model():
    """Its packets wait for seconds; the steady states know the moments without anybody else."""
    app = lessons.llq_policing.explorer()
    app.move(ef=300, policer="no policer (what if)")
    assert "delay of default" not in app.remark
    starved = lessons.llq_policing.sliders.described(app.values)
    solved = fluid.over_time(starved.network, starved.streams, 11.0)
    assert np.isnan(solved.delay_mean_s).tolist() == [False, True]
    assert solved.sent_pps[1] > 0


def test_two_directions_that_part_take_turns_in_a_longer_run():
    """At 200 B the streams are in step: both models lose a third, the packet model not of each."""
    app = lessons.packet_rate.explorer()
    app.move(frame=200)
    assert "the packet model loses 46.6 % of xe-0/0/12 and 20.6 % of xe-0/0/13" in app.remark
    assert "e+0" not in app.remark
    streams = mx150.streams(200)
    longer = Scenario("longer", mx150.router(), streams, 0.05, 0.01)
    lost = run(longer, bins=1, progress=lambda *_: None).drop_ratio
    assert lost[0] == pytest.approx(lost[1], rel=0.1)


def test_a_queue_that_is_still_filling_is_named_as_the_reason():
    app = lessons.packet_rate.explorer()
    app.move(frame=300)
    assert "loss of xe-0/0/12 3.42 % (fluid), 0 % (packets)" in app.remark
    assert app.remark.endswith("and nothing is lost until it is full.")


def test_a_remark_is_of_the_frame_that_is_set():
    app = lessons.packet_rate.explorer()
    app.move(frame=646)
    assert app.remark == ""
