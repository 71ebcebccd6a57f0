"""What meters, trees, shared memories and thresholds hold at 500 times of a packet view."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_packet_view import replayed
from twin.clock import PS
from twin.meters import ColourTwin

from qoslib import explore
from qoslib.explore.packet_lanes import Shown, Window, lane_of
from qoslib.port import (
    ByteLimit,
    DropProfile,
    ExcessBurst,
    ExcessRate,
    Instantaneous,
    PacketLimit,
    PeakRate,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
)
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream

WINDOW = Window(0.004, 0.02)
LETTERS = ("green", "yellow", "red")


def shown(tmp_path, scenario, window=WINDOW, times=500):
    """A lane per port, and the state of the picture at so many times of the window [s]."""
    lanes = [lane_of(Shown(name, scenario, name), window, ()) for name in ports(scenario)]
    return lanes, replayed(tmp_path, lanes, window, times, states=True)


def ports(scenario):
    return [hop.at.name for hop in getattr(scenario.network, "hops", ())] or [""]


def coloured(second, **actions):
    policer = Policer(40e6, 6000, excess=second, exceed="high", **actions)
    red = Red(RedProfile(8, 14, 0.2), (("high", RedProfile(3, 8, 0.5)),), Instantaneous())
    queue = Queue("all", PacketLimit(16), red, policer, limits=(("high", PacketLimit(10)),))
    port = Port("access", 100e6, (queue,))
    return Scenario("colours", port, (Stream("data", 120e6, 1000, Poisson()),), seed=3)


METERS = {
    "one bucket": coloured(None),
    "RFC 2697": coloured(ExcessBurst(8000), violate="high"),
    "RFC 2698": coloured(PeakRate(80e6, 8000)),
    "RFC 4115": coloured(ExcessRate(30e6, 8000)),
}


@pytest.mark.parametrize("name", METERS)
def test_buckets_and_colours_are_those_of_the_twin_at_500_times(tmp_path, name):
    scenario = METERS[name]
    (lane,), found = shown(tmp_path, scenario)
    events, twin = lane.events, ColourTwin(scenario.only_port.queues[0].policer)
    arrives = np.sort(np.unique(events.packet, return_index=True)[1])
    at_s, sizes = events.time_s[arrives], events.frame_bytes[arrives]
    number, counts = 0, dict.fromkeys(LETTERS, 0)
    for t, (state,) in zip(found["times_s"], found["states"], strict=True):
        while number < len(arrives) and at_s[number] <= WINDOW.start_s + t:
            packet = Packet(int(sizes[number]))
            twin.drops(packet, round(at_s[number] * PS))
            assert packet.label in (events.mark[arrives][number], "")
            counts[twin.given] += at_s[number] >= WINDOW.start_s
            number += 1
        now = round((WINDOW.start_s + t) * PS)
        queue = state["queues"][0]
        assert queue["coloured"] == list(counts.values())
        assert_allclose(queue["policer"], twin.bucket.share(now), atol=1e-4)
        if hasattr(twin.excess, "fill"):
            twin.excess.fill(now)
        second = queue["excess"] if queue["excess"] is not None else math.nan
        assert_allclose(second, twin.excess_share(now), atol=1e-4)
    assert sum(counts.values()) > 100


class Packet:
    label = ""

    def __init__(self, size):
        self.size = size


def test_a_limit_or_threshold_of_a_mark_has_the_letter_of_its_colour():
    (lane,) = explore.packet_view(METERS["RFC 2697"]).spec["lanes"]
    assert lane["queues"][0]["lines"] == [
        [8, "packets", "", 0],
        [14, "packets", "", 0],
        [3, "packets", "Y", 0],
        [8, "packets", "Y", 0],
        [10, "packets", "Y", 1],
    ]
    assert lane["marks"] == ["high"]
    points = ((0.0, 0.0), (0.5, 0.1), (0.9, 1.0))
    for shape, begins in (("segmented", [10_000]), ("interpolated", [])):
        dropper = DropProfile(points, shape, "tail", profiles=(("AF12", ((0.25, 0.5),)),))
        port = Port("core", 100e6, (Queue("all", ByteLimit(20_000), dropper),))
        scenario = Scenario("profiles", port, (Stream("data", 90e6, mark="AF12"),))
        (lane,) = explore.packet_view(scenario).spec["lanes"]
        assert lane["queues"][0]["lines"] == [
            *([value, "bytes", "", 0] for value in (*begins, 18_000)),
            *([5000, "bytes", "AF12", 0] for _ in range(1 + (shape == "segmented"))),
        ]
