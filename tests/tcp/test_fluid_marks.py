"""The fluid's queue marks: DCTCP's operating point, and the packets' shares of the line."""

import numpy as np
import pytest

from agreement import quiet
from qoslib import tcp
from qoslib.flows import Bbr, Cubic, Dctcp, Flow, Host, HTcp, Prague, Reno
from qoslib.port import (
    ByteRedProfile,
    PacketLimit,
    Port,
    Queue,
    RedProfile,
    ShareRedProfile,
    TimeRedProfile,
)

LINE_BPS, MSS, FRAME = 100e6, 1460, 1500
BITS = 8 * FRAME


def line(marking):
    return Port("line", LINE_BPS, (Queue("all", PacketLimit(2000), marking=marking),))


def senders(law, pipe, flows, ecn="classic"):
    """Hosts of one flow each, whose round trip holds so many packets."""
    trip_s = pipe * BITS / LINE_BPS
    one = Flow("f", trip_s, law, ecn=ecn, mss_bytes=MSS, frame_bytes=FRAME)
    each = [one.replace(name=f"f{i}") for i in range(flows)]
    return [Host(flow.name, 10 * LINE_BPS, (flow,), jitter_s=BITS / LINE_BPS) for flow in each]


def run(model, law, pipe, k, flows):
    seconds = 1500 * pipe * BITS / LINE_BPS
    hosts = senders(law, pipe, flows)
    return model(line(RedProfile(k, k)), hosts, seconds, warmup_s=seconds / 2, progress=quiet)


@pytest.mark.parametrize(
    ("pipe", "k", "flows"), [(83.3, 40, 2), (416.7, 65, 2), (416.7, 60, 1), (416.7, 60, 20)]
)
def test_dctcp_fills_the_line_with_k_and_n_packets(pipe, k, flows):
    """Alizadeh et al. 2010, equation 6."""
    result = run(tcp.solve, Dctcp(), pipe, k, flows)
    longest = result.delay_max_s.max() * LINE_BPS / BITS - 1
    assert longest == pytest.approx(k + flows, abs=1)
    assert result.sent_bps.sum() > 0.999 * LINE_BPS
    assert result.dropped_pps.sum() == 0


@pytest.mark.parametrize("law", [Reno(), Cubic(), HTcp(), Dctcp()], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize(("pipe", "k", "flows"), [(83.3, 40, 2), (200, 20, 1), (416.7, 60, 20)])
def test_marks_leave_as_much_of_the_line_used_as_in_packets(law, pipe, k, flows):
    fluid, packets = (run(model, law, pipe, k, flows) for model in (tcp.solve, tcp.simulate))
    used = [result.sent_bps.sum() / LINE_BPS for result in (fluid, packets)]
    assert used[0] == pytest.approx(used[1], abs=0.02)
    windows = [result.tcp.window_packets.mean() for result in (fluid, packets)]
    assert windows[0] == pytest.approx(windows[1], rel=0.06)


def test_flows_without_ecn_are_not_marked():
    hosts = senders(Reno(), 100, 2, ecn="no")
    marked, plain = (
        tcp.solve(line(marking), hosts, 5.0, progress=quiet) for marking in (RedProfile(5, 5), None)
    )
    assert np.array_equal(marked.tcp.window_packets, plain.tcp.window_packets)


@pytest.mark.parametrize(
    "marking",
    [
        ByteRedProfile(20 * FRAME, 60 * FRAME, 0.5),
        TimeRedProfile(20 * BITS / 50e6, 60 * BITS / 50e6, 50e6, 0.5),
        ShareRedProfile(0.01, 0.03, 0.5),
    ],
    ids=lambda marking: type(marking).__name__,
)
def test_thresholds_in_any_unit_are_the_same_lengths(marking):
    hosts = senders(Dctcp(), 100, 2)
    first, other = (
        tcp.solve(line(each), hosts, 5.0, progress=quiet)
        for each in (RedProfile(20, 60, 0.5), marking)
    )
    assert first.tcp.window_packets == pytest.approx(other.tcp.window_packets, rel=1e-6)


@pytest.mark.parametrize("law", [Bbr(), Prague()], ids=lambda law: type(law).__name__)
def test_senders_that_pace_by_rates_are_refused(law):
    said = r"congestion is .*; allowed: Reno, Cubic, HTcp or Dctcp; the packet model runs Bbr and"
    with pytest.raises(ValueError, match=said):
        tcp.solve(line(None), senders(law, 100, 1, ecn="l4s"), 1.0)
