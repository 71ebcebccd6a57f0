"""Where slow start ends before a loss."""

import math

import pytest
from test_packets_twin import quiet

from qoslib import tcp
from qoslib.flows import Flow, Host, HyStart, Reno, SlowStart
from qoslib.port import PacketLimit, Port, Queue

MSS_BYTES, FRAME_BYTES, ON_LINE_BYTES = 1448, 1500, 38
LINE_BPS, ROUND_TRIP_S = 1e9, 0.010


@pytest.mark.parametrize("share", [0.5, 1.0])
@pytest.mark.parametrize("initial_packets", [7, 8, 10, 12])
def test_a_train_of_acks_ends_slow_start_at_two_to_three_times_its_share(share, initial_packets):
    """In the first round whose window w is above s BDP: from there it has grown by s BDP more."""
    hystart = HyStart(delay=False, train_share=share)
    start = SlowStart(initial_packets, hystart=hystart)
    product = tcp.bandwidth_delay_bytes(LINE_BPS, ROUND_TRIP_S) / (FRAME_BYTES + ON_LINE_BYTES)
    sizes = {"mss_bytes": MSS_BYTES, "frame_bytes": FRAME_BYTES}
    flow = Flow("f", ROUND_TRIP_S, Reno(), slow_start=start, **sizes)
    port = Port("line", LINE_BPS, (Queue("all", PacketLimit(10_000)),), overhead_bytes=38)
    hosts = [Host("h", 10 * LINE_BPS, (flow,))]
    record = tcp.simulate(port, hosts, 20 * ROUND_TRIP_S, progress=quiet).tcp
    window = initial_packets * 2 ** math.ceil(math.log2(share * product / initial_packets))
    assert record.threshold_packets[0, -1] == pytest.approx(window + share * product, rel=0.02)
