"""Explorers of TCP draw what the models say, of any of three routers or a port of one's own."""

import dataclasses

import numpy as np
import pytest

from qoslib import lessons, plots, tcp, units
from qoslib.flows import Bbr, Cubic, Flow, FqPacing, Host
from qoslib.lessons.pacing.sliders import described as paced
from qoslib.lessons.pacing.sliders import settings as paced_settings
from qoslib.lessons.tcp_buffers import transfer
from qoslib.lessons.tcp_buffers.sliders import described, settings
from qoslib.platforms import catalyst6506, mlx, mx80
from qoslib.port import ByteLimit, PacketLimit, Port, Queue, TimeLimit
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

PORT = Port("uplink", 1e8, (Queue("all", ByteLimit(100_000)),), overhead_bytes=38)
FLOW = Flow("download", 0.02, Cubic(), mss_bytes=1448, frame_bytes=1500)
OWN = Scenario("mine", PORT, (Stream("u", 1e7),), 10.0, hosts=(Host("pc", 1e9, (FLOW,)),))
START = {
    "mx80": (mx80, "buffer_36MB", "pace_6G_bg_2G"),
    "catalyst6506": (catalyst6506, "hold_queue_4096", "pace_6G"),
    "mlx": (mlx, "queue_32MB", "queue_16MB"),
}


def drawn(app, uid):
    return list(next(each for each in app.figure.data if each.uid == uid).y)


def opacity(app, uid):
    return next(each for each in app.figure.data if each.uid == uid).opacity


def gbps(result):
    return result.tcp.goodput_bps.sum() / 1e9


@pytest.mark.parametrize("platform", START)
def test_unmoved_sliders_are_the_published_test(platform):
    module, unpaced, with_pacing = START[platform]
    known = module.PLATFORM.experiments("as_configured" if platform != "mlx" else "base")
    test = known[unpaced].scenario
    assert described(test, settings(test)) == test
    test = known[with_pacing].scenario
    again = paced(test, paced_settings(test))
    assert again.network == test.network
    assert again.streams == test.streams
    if platform != "mlx":
        assert again.hosts == test.hosts


@pytest.mark.parametrize("platform", START)
def test_a_buffer_is_drawn_as_both_models_say(platform):
    app = lessons.tcp_buffers.explorer(platform)
    app.move(buffer=18)
    (test,) = app._call.scenarios(app.values)
    solved = tcp.solve(test.network, test.hosts, 30.0, streams=test.streams)
    run = tcp.simulate(test.network, test.hosts, 30.0, streams=test.streams, seed=1)
    assert drawn(app, "now-0") == [pytest.approx(gbps(solved))]
    assert drawn(app, "packets-0") == [pytest.approx(gbps(run))]
    assert drawn(app, "packets-1") == [run.packets.lost[:2].sum()]
    found = tcp.over_time(test, run)
    assert drawn(app, "packets-queue") == pytest.approx((found.queue_bytes / 1e6).tolist())
    assert max(drawn(app, "fluid-queue")) <= 18.4


def test_a_move_of_each_control_is_a_move_of_the_test():
    app = lessons.tcp_buffers.explorer("mx80")
    moves = {"rtt": 100, "flows": 3, "window": 20, "congestion": "CUBIC", "recovery": "NewReno"}
    app.move(**moves)
    (test,) = app._call.scenarios(app.values)
    flows = test.hosts[0].flows
    assert len(flows) == 3
    assert {flow.round_trip_s for flow in flows} == {0.1}
    assert {flow.window_bytes for flow in flows} == {20_000_000}
    assert {type(flow.congestion).__name__ for flow in flows} == {"Cubic"}
    assert {type(flow.recovery).__name__ for flow in flows} == {"NewRenoRecovery"}
    assert len({flow.start_s for flow in flows}) == 3
    assert opacity(app, "measured-0-mx80") < 0.5


def test_a_small_effective_buffer_leaves_the_configured_one_on_the_axis():
    app = lessons.tcp_buffers.explorer("mx80")
    effects = [text for text, _ in app.controls["effect"].options]
    assert effects[1] == "1.9 MB up to 36 MB (fitted)"
    app.move(effect=effects[1])
    (test,) = app._call.scenarios(app.values)
    assert test.network == mx80.port(36e6, "base")
    marks = next(each for each in app.figure.data if each.uid == "now-0")
    assert list(marks.x) == [36]
    app.move(buffer=60)
    (test,) = app._call.scenarios(app.values)
    assert test.network.queues[0].limit == ByteLimit(60_000_000)


def test_published_points_are_drawn_and_impossible_ones_crossed():
    app = lessons.tcp_buffers.explorer("mx80")
    assert sorted(drawn(app, "measured-0-mx80")) == [2, 2, 2, 2, 8, 8]
    assert sorted(drawn(app, "measured-0-catalyst6506")) == [5, 8.5]
    app = lessons.pacing.explorer("mx80")
    assert drawn(app, "measured-0-mx80") == [1.5]
    assert drawn(app, "measured-0-impossible") == [8, 8, 8]
    app.move(background=3)
    assert sorted(drawn(app, "measured-0-mx80")) == [1.5, 2.5]
    assert opacity(app, "measured-0-mx80") == 1
    app.move(background=4)
    assert drawn(app, "measured-0-mx80") == [1.5]
    assert opacity(app, "measured-0-mx80") < 0.5


def test_the_band_of_the_mlx_lies_between_its_two_sets():
    app, size = lessons.tcp_buffers.explorer("mlx"), mlx.SIZES.index(4)
    said = []
    for name in mlx.PLATFORM.assumptions:
        test = mlx.PLATFORM.experiments(name)["queue_4MB"].scenario
        said.append(gbps(tcp.solve(test.network, test.hosts, 30.0, streams=test.streams)))
    both = [drawn(app, f"band-{end}")[size] for end in ("low", "high")]
    assert both == pytest.approx(sorted(said))


def test_the_cliff_moves_with_the_rate_table():
    app = lessons.pacing.explorer("mx80")
    app.move(paced=6)
    assert drawn(app, "now-1")[0] > 100
    assert drawn(app, "now-2") == [pytest.approx(8.22, abs=0.01)]
    app.move(table="nominal (exact)")
    assert drawn(app, "now-1") == [0]
    assert drawn(app, "now-2") == [6]
    assert drawn(app, "packets-1") == [0]


def test_a_port_of_ones_own_has_nothing_published():
    for make in (lessons.tcp_buffers.explorer, lessons.pacing.explorer):
        app = make(OWN)
        assert drawn(app, "measured-0-mx80") == []
        (test,) = app._call.scenarios(app.values)
        assert test.network == PORT
        assert test.hosts[0].flows == OWN.hosts[0].flows
        app.move(buffer=0.2)
        (test,) = app._call.scenarios(app.values)
        assert test.network.queues[0].limit == ByteLimit(200_000)
        assert "Gb/s" in app.summary


def test_a_limit_in_packets_stays_one():
    port = PORT.replace(queues=(Queue("all", PacketLimit(100)),))
    app = lessons.tcp_buffers.explorer(OWN.replace(network=port))
    app.move(buffer=0.3)
    (test,) = app._call.scenarios(app.values)
    assert test.network.queues[0].limit == PacketLimit(200)


@pytest.mark.parametrize("make", [lessons.tcp_buffers.explorer, lessons.pacing.explorer])
@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("m120", "platform is 'm120'; allowed: mx80, catalyst6506, mlx, or a Scenario"),
        (OWN.replace(hosts=()), "allowed: at least one"),
        (
            OWN.replace(network=PORT.replace(queues=(Queue("all", TimeLimit(0.01, "line")),))),
            "allowed: a ByteLimit or a PacketLimit",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told(make, where, told):
    with pytest.raises(ValueError, match=told):
        make(where)


def test_what_only_packets_can_run_is_told():
    host = Host("pc", 1e9, (FLOW.replace(congestion=Bbr()),), pacing=FqPacing(5e7))
    with pytest.raises(ValueError, match="Bbr is of the packet model only"):
        lessons.tcp_buffers.explorer(OWN.replace(hosts=(host,)))


def test_a_figure_over_time_says_and_tabulates_the_same():
    test = mx80.PLATFORM.experiments("as_configured")["buffer_12MB"].scenario
    run = tcp.solve(test.network, test.hosts, 5.0, streams=test.streams)
    figure = plots.tcp_over_time(test, {"solved": run})
    assert [each["uid"] for each in figure.data] == [f"solved-{n}" for n in range(4)]
    assert f"{max(figure.data[2]['y']):.3g} MB wait" in figure.summary
    assert len(figure.table) >= 10
    rates = tcp.over_time(test, run).carried_bps
    assert units.convert(np.mean(rates), "bit/s", "Gbit/s") == pytest.approx(gbps(run), rel=0.05)


def test_goodput_over_burst_says_and_tabulates_the_same():
    given = {"policer": [1e6, 5e6], "shaper": [8e6, 9e6]}
    figure = lessons.pacing.goodput_over_burst([1e4, 1e6], given, 1e7, {"BDP": 6e4})
    assert "Policer: from 1 to 5 of 10 Mb/s" in figure.summary
    assert "BDP 60 kB" in figure.summary
    assert figure.table["shaper [Mb/s]"].tolist() == [8, 9]


def test_a_stopped_run_is_not_remembered(monkeypatch):
    test = mx80.PLATFORM.experiments("as_configured")["buffer_12MB"].scenario
    whole = tcp.solve(test.network, test.hosts, 0.1, streams=test.streams)
    stopped = dataclasses.replace(whole, interrupted=True)
    transfer.solved.cache_clear()
    monkeypatch.setattr(transfer, "run", lambda *given: stopped)
    with pytest.raises(KeyboardInterrupt):
        transfer.solved(test)
    monkeypatch.setattr(transfer, "run", lambda *given: whole)
    assert transfer.solved(test) is whole
    transfer.solved.cache_clear()
