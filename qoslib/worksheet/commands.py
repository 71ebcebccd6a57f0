"""Commands that test a worksheet on real hosts: Linux, tc and iperf3."""

import math
from collections.abc import Iterator

from qoslib import tcp, units
from qoslib.worksheet.path import TEST_S, Path

__all__ = ["commands"]

#: tc netem drops what exceeds its limit: room for half as much again, and for its own default.
SPARE, LEAST_LIMIT = 1.5, 1000
#: Linux offers half of a socket buffer as a window (tcp_adv_win_scale), since 6.6 about half.
BUFFER_A_WINDOW = 2


def commands(path: Path) -> Iterator[str]:
    """For two hosts, and two more for the background; ethN and the names are the reader's."""
    wait = units.convert(path.round_trip_s, "s", "ms")
    window = path.window_bytes or 2 * tcp.bandwidth_delay_bytes(path.left_bps, path.round_trip_s)
    room = math.ceil(BUFFER_A_WINDOW * window)
    under_way = units.rate_pps(path.rate_bps, path.packet_bytes) * path.round_trip_s
    limit = max(math.ceil(SPARE * under_way), LEAST_LIMIT)
    test = f"sender$   iperf3 -c receiver -P {path.flows} -t {TEST_S:g}"
    yield "receiver$ iperf3 -s"
    yield f"sender$   sysctl -w net.ipv4.tcp_wmem='4096 {min(65_536, room)} {room}'"
    yield f"receiver$ sysctl -w net.ipv4.tcp_rmem='4096 {min(131_072, room)} {room}'"
    yield f"sender$   tc qdisc add dev ethN root netem delay {wait:g}ms limit {limit}"
    if path.background_bps:
        rate = _iperf(path.background_bps)
        yield f"other$    iperf3 -c other-receiver -u -b {rate} -t {TEST_S + 10:g}"
    yield test
    yield f"{test} --fq-rate {_iperf(path.left_bps / path.flows)}"


def _iperf(rate):
    """A rate as iperf3 reads it, in whole Mb/s or kb/s: never 0, which it takes for no limit."""
    unit, letter = ("Mbit/s", "M") if rate >= units.mbps(10) else ("kbit/s", "K")
    return f"{max(units.convert(rate, 'bit/s', unit), 1):.0f}{letter}"
