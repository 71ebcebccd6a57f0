"""Explorers take any platform, and a port of one's own."""

import pytest

from qoslib import fluid, lessons, units
from qoslib.platforms import gsr12000, isr4331, m120
from qoslib.port import ByteLimit, Forwarder, PacketLimit, Port, Queue, StrictPriority
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

PORT = Port(
    "mine",
    units.mbps(100),
    (Queue("voice", PacketLimit(50)), Queue("data", ByteLimit(200_000), priority=1)),
    StrictPriority(),
    overhead_bytes=20,
)
STREAMS = (Stream("voice", units.mbps(10), 200), Stream("data", units.mbps(120), 1500))
MINE = Scenario("mine", PORT, STREAMS, 2.0, 0.5)


def drawn(app, uid):
    return list(next(each for each in app.figure.data if each.uid == uid).y)


@pytest.mark.parametrize("platform", ["m120", "isr4331", "gsr12000"])
def test_priority_takes_any_platform_with_one_port(platform):
    app = lessons.head_drop.explorer(platform)
    name = app.controls["experiment"].value
    module = {"m120": m120, "isr4331": isr4331, "gsr12000": gsr12000}[platform]
    experiment = module.PLATFORM.experiments()[name]
    answer = fluid.solve(experiment.port, experiment.streams)
    wanted = units.convert(answer.delay_mean_s, "s", "ms")
    shown = [float("nan") if y is None else y for y in drawn(app, "fluid-delay")]
    assert shown == pytest.approx(wanted.tolist(), nan_ok=True)


def test_priority_takes_a_port_of_ones_own():
    app = lessons.head_drop.explorer(MINE)
    assert "guaranteed_voice" not in app.controls
    assert app.controls["buffer_voice"].label == "voice buffer [packets]"
    assert app.controls["buffer_data"].label == "data buffer [kB]"
    app.move(offered_data=50, buffer_data=100)
    moved = app._call.scenarios(app.values)[0]
    assert moved.network.queues[1].limit == ByteLimit(100_000)
    on_line = moved.streams[1].rate_bps * 1520 / 1500
    assert on_line == pytest.approx(0.5 * units.mbps(100))
    assert moved.streams[0] == STREAMS[0]


def test_what_is_not_moved_stays_as_described():
    (scenario,) = lessons.head_drop.explorer(MINE)._call.scenarios(
        lessons.head_drop.explorer(MINE).values
    )
    assert scenario.network == PORT
    assert scenario.streams == STREAMS


def test_priority_tells_of_a_chain_that_it_has_no_one_port():
    with pytest.raises(ValueError, match="allowed: one Port"):
        lessons.head_drop.explorer("mx150")


@pytest.mark.parametrize("where", ["m120", "isr4331", "gsr12000", MINE])
def test_frame_size_takes_a_port_and_has_no_engine_to_slide(where):
    app = lessons.packet_rate.explorer(where)
    assert set(app.controls) == {"frame", "load"}
    app.move(load=10)
    assert "Gb/s on the line" in app.summary


def test_frame_size_slides_an_engine_of_ones_own():
    engine = Forwarder("cpu", Queue("in", PacketLimit(200)), packet_s=1e-6)
    app = lessons.packet_rate.explorer(Scenario("cpu", engine, (Stream("a", units.gbps(2), 64),)))
    assert app.values["cap"] == 1
    app.move(cap=2)
    assert drawn(app, "now-2") == [pytest.approx(2)]
    assert max(drawn(app, "packets-2")) == pytest.approx(2, rel=0.02)
