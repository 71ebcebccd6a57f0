"""Bursts and ACKs of Linux hosts, against what a kernel did on the live lab's path."""

import pytest

from qoslib.flows import Bbr, Cubic, Flow, FqPacing, Host, burst_segments, linux_host

#: Linux 6.18, TSO on: pacing rate (ss) [Mb/s], least round trip [ms], median burst [segments].
MEASURED = [
    (11.8, 20.1, 2),
    (22.9, 20.1, 2),
    (57.6, 20.1, 4),
    (114.8, 20.2, 9),
    (229.1, 20.2, 19),
    (458.6, 20.2, 38),
    (58.7, 2.1, 7),
    (229.0, 2.1, 21),
]


@pytest.mark.parametrize(("pace_mbps", "round_trip_ms", "measured"), MEASURED)
def test_bursts_are_those_that_a_kernel_sends(pace_mbps, round_trip_ms, measured):
    found = burst_segments(pace_mbps * 1e6, 1448, round_trip_ms * 1e-3)
    assert found == pytest.approx(measured, abs=1 if measured > 20 else 0)


def test_bursts_have_64_kB_at_most():
    assert burst_segments(1e12, 1448, 0.05) == burst_segments(1e6, 1448, 1e-5) == 45


def a_host(congestion, **more):
    flow = Flow("a", 0.02, congestion, mss_bytes=1448, frame_bytes=1514)
    return Host("sender", 1e9, (flow, flow.replace(name="b")), **more)


@pytest.mark.parametrize(
    ("congestion", "goodput_mbps", "measured"), [(Cubic(), 95.4, 9), (Bbr(), 191.1, 16)]
)
def test_a_host_paces_bursts_by_its_congestion_control(congestion, goodput_mbps, measured):
    made = linux_host(a_host(congestion), goodput_mbps * 1e6)
    assert made.burst_packets == measured
    assert {flow.segments_per_ack for flow in made.flows} == {measured}


def test_a_receiver_that_joins_nothing_acknowledges_every_second_segment():
    made = linux_host(a_host(Cubic()), 100e6, joins=False)
    assert {flow.segments_per_ack for flow in made.flows} == {2}
    assert made.burst_packets == linux_host(a_host(Cubic()), 100e6).burst_packets


def test_a_pace_that_is_set_bounds_a_burst():
    paced = a_host(Cubic(), pacing=FqPacing(50e6))
    assert linux_host(paced, 100e6).burst_packets == 4
    assert linux_host(paced, 1e6).burst_packets == 2


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan")])
def test_a_rate_is_positive(wrong):
    with pytest.raises(ValueError, match="allowed: "):
        linux_host(a_host(Cubic()), wrong)
    with pytest.raises(ValueError, match="allowed: "):
        burst_segments(wrong, 1448, 0.02)
