"""A saved scenario gives the same answers when it is read back."""

import numpy as np
import pytest

from qoslib import fluid, packets, tcp
from qoslib.flows import Flow, Host
from qoslib.platforms import m120, mx80
from qoslib.port import PacketLimit, Port, Queue
from qoslib.scenario import Scenario
from qoslib.traffic import Stream


def test_a_published_experiment_is_saved_and_run_again():
    experiment = m120.PLATFORM.experiments()["base"]
    scenario = experiment.scenario
    again = Scenario.from_json(scenario.to_json())
    assert again == scenario
    first, second = (fluid.solve(s.network, s.streams) for s in (scenario, again))
    assert np.array_equal(first.sent_bps, second.sent_bps)
    first, second = (packets.simulate(s.network, s.streams, 0.01) for s in (scenario, again))
    assert np.array_equal(first.packets.sent, second.packets.sent)
    assert np.array_equal(first.histogram.counts, second.histogram.counts)


def test_tcp_senders_are_saved_too():
    scenario = mx80.PLATFORM.experiments()["pace_6G_bg_2G"].scenario
    again = Scenario.from_json(scenario.to_json())
    assert again == scenario
    assert again.hosts[0].flows[1].name == "tcp 2"
    result = tcp.solve(again.network, again.hosts, 1.0, streams=again.streams)
    assert result.streams == ("tcp 1", "tcp 2", "udp")


@pytest.mark.parametrize(
    ("streams", "extra", "named"),
    [
        ((), {}, "names"),
        ((Stream("a"), Stream("a")), {}, "names"),
        ((Stream("a"),), {"hosts": (Host("h", 1e6, (Flow("a", 0.1),)),)}, "names"),
        ((Stream("a"),), {"warmup_s": 2.0}, "warmup_s"),
        ((Stream("x"),), {}, "queue of stream 'x'"),
    ],
)
def test_what_cannot_run_is_refused(streams, extra, named):
    queues = (Queue("a", PacketLimit(1)), Queue("b", PacketLimit(1)))
    port = Port("p", 1e6, queues, m120.port().scheduler)
    with pytest.raises(ValueError, match=named):
        Scenario("s", port, streams, **extra)
