"""A sweep is as many runs as there are loads, in one record."""

import numpy as np
import pytest

from qoslib import packets, units
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Poisson, Stream

PORT = Port("line", units.mbps(10), (Queue("all", PacketLimit(20)),))
STREAMS = (Stream("a", arrivals=Poisson()), Stream("b"))
OFFERED = np.array([[2e6, 1e6], [4e6, 0.0], [8e6, 8e6]])


def test_each_load_is_a_run_of_its_own():
    swept = packets.sweep(PORT, STREAMS, OFFERED, 1.0, seed=3)
    for load, rates in enumerate(OFFERED):
        streams = [s.replace(rate_bps=r) for s, r in zip(STREAMS, rates, strict=True)]
        one = packets.simulate(PORT, streams, 1.0, seed=3)
        for name in ("sent_pps", "dropped_pps", "delay_mean_s"):
            np.testing.assert_array_equal(getattr(swept, name)[load], getattr(one, name))
    assert (swept.model, swept.seed, swept.packets) == ("packets", 3, None)


@pytest.mark.parametrize("offered", [np.zeros(2), np.zeros((0, 2)), np.zeros((3, 1))])
def test_loads_of_another_shape_are_refused(offered):
    with pytest.raises(ValueError, match="offered_bps"):
        packets.sweep(PORT, STREAMS, offered, 1.0)
