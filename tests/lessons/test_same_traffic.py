"""The same traffic at four ports: one line, one mix, and what each port makes of it."""

import numpy as np
import pytest

from qoslib import Scenario, fluid, lessons, packets, run
from qoslib.explore.scale_model import divided
from qoslib.lessons.same_traffic import same_line
from qoslib.lessons.same_traffic.scenes import DIVIDED_BY, scaled, scene
from qoslib.lessons.same_traffic.sliders import COUNTED_S, WARMUP_S, simulated, start
from qoslib.platforms import gsr12000, isr4331, m120
from qoslib.port import PacketLimit


def solved(**loads):
    streams = same_line.streams(same_line.LOADS | loads)
    return {name: fluid.solve(port, streams) for name, port in same_line.ports().items()}


@pytest.mark.parametrize("name", same_line.ports())
def test_every_class_of_the_mix_finds_a_queue(name):
    port = same_line.ports()[name]
    found = [port.queue_of(stream) for stream in same_line.streams()]
    assert len(set(found)) == min(len(port.queues), {"ISR4331": 2}.get(name, 4))


def test_a_wider_line_keeps_buffers_in_time_and_shares():
    ports, times = same_line.ports(), same_line.LINE_BPS / isr4331.llq().rate_bps
    before, after = isr4331.llq().queues[0], ports["ISR4331"].queues[0]
    assert isinstance(after.limit, PacketLimit)
    assert after.limit.packets / before.limit.packets == pytest.approx(times, rel=1e-3)
    assert after.policer.rate_bps / same_line.LINE_BPS == pytest.approx(0.2)
    assert after.policer.burst_bytes / before.policer.burst_bytes == pytest.approx(times)
    shares = [queue.guaranteed_bps / same_line.LINE_BPS for queue in ports["M120"].queues]
    assert shares == pytest.approx([q.guaranteed_bps / 10e9 for q in m120.port().queues])
    assert ports["Cisco 12000"].queues == gsr12000.engine3().queues


def test_every_port_throws_away_the_same_share_of_the_line():
    for result in solved().values():
        on_line = [8 * (frame + 20) for frame in same_line.MIX.values()]
        lost = float(result.dropped_pps @ on_line) / same_line.LINE_BPS
        assert lost == pytest.approx(0.19, abs=0.001)


def test_one_queue_takes_from_all_and_the_others_from_the_last():
    share = {name: r.dropped_pps / r.offered_pps for name, r in solved().items()}
    assert share["one queue"] == pytest.approx([19 / 119] * 4)
    for name in ("M120", "Cisco 12000"):
        assert share[name] == pytest.approx([0, 0, 0, 19 / 60], abs=1e-3)
    assert share["ISR4331"] == pytest.approx([0, *[19 / 111] * 3], abs=1e-3)


def test_who_keeps_up_loses_nothing_anywhere():
    for result in solved(business=0.2, **{"best effort": 0.3}).values():
        assert np.allclose(result.dropped_pps, 0, atol=1e-6)


def test_every_port_gets_the_same_packets_and_a_seed_gives_the_same_again():
    first, again = simulated(start()), simulated(start())
    offered = {name: tuple(result.packets.offered) for name, result in first.items()}
    assert len(set(offered.values())) == 1
    for name in first:
        assert (first[name].packets.lost == again[name].packets.lost).all()
    other = simulated(start() | {"seed": 2})
    assert tuple(other["M120"].packets.offered) != offered["M120"]


def test_a_small_bucket_loses_bursts_of_the_best_class():
    streams = same_line.streams(spacing="in bursts of 1 ms")
    lost = {
        name: packets.simulate(
            port, streams, WARMUP_S + COUNTED_S, warmup_s=WARMUP_S, seed=1, bins=1
        ).packets.lost[0]
        for name, port in same_line.ports().items()
    }
    assert lost["Cisco 12000"] > 10_000
    assert lost["M120"] == lost["ISR4331"] == 0


def test_the_explorer_says_who_starves():
    app = lessons.same_traffic.explorer()
    assert "starves" not in app.summary
    app.move(business=100)
    assert "best effort starves" in app.summary
    assert set(app.table.columns.get_level_values(0)) == set(same_line.ports())


def test_a_scale_model_has_the_delays_and_losses_of_its_port():
    for name in ("one queue", "M120", "ISR4331"):
        full = run(Scenario(name, same_line.ports()[name], same_line.streams(), 1), "fluid")
        small = run(divided(scaled(name), DIVIDED_BY), "fluid")
        assert small.delay_mean_s == pytest.approx(full.delay_mean_s, rel=0.02, abs=3e-3)
        assert small.drop_ratio == pytest.approx(full.drop_ratio, abs=1e-3)


def test_a_scale_model_of_the_line_card_has_its_delay_and_losses():
    full = simulated(start())["Cisco 12000"]
    small = run(divided(scaled("Cisco 12000"), DIVIDED_BY).replace(duration_s=40.0, warmup_s=1.0))
    # Random arrivals, and a few packets where there were thousands: a packet on the link of the
    # model takes 1.6 ms, and six of best effort wait in place of 2,001.
    assert small.drop_ratio == pytest.approx(full.drop_ratio, abs=0.01)
    rest = full["best effort"].delay_mean_s
    assert small["best effort"].delay_mean_s == pytest.approx(rest, abs=6e-3)
    assert small["voice"].delay_mean_s == pytest.approx(full["voice"].delay_mean_s, abs=1.6e-3)


def test_a_scene_shows_the_same_packets_at_the_ports_that_are_named():
    with pytest.raises(ValueError, match="port is 'MX480'; allowed: one queue, M120, Cisco 12000"):
        scene("MX480")
    said = scene().spec["summary"]
    assert all(f"{name}: " in said for name in same_line.ports())
    assert "M120" not in scene("one queue", "ISR4331").spec["summary"]
