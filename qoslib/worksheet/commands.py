"""Commands that test a worksheet on real hosts: Linux, tc and iperf3."""

import math
from collections.abc import Iterator

from qoslib import tcp, units
from qoslib.worksheet.carried import TEST_S
from qoslib.worksheet.path import Path
from qoslib.worksheet.sheet import Advice

__all__ = ["commands"]

#: tc netem drops what exceeds its limit: room for half as much again, and for its own default.
SPARE, LEAST_LIMIT = 1.5, 1000
#: Linux offers half of a socket buffer as a window (tcp_adv_win_scale), since 6.6 about half.
BUFFER_A_WINDOW = 2
#: Largest socket buffer that Linux allows by default, and that it accepts [B].
USUAL_BYTES, MOST_BYTES = 6_291_456, 2**31 - 1
#: Most streams of one iperf3 process, and the port that it listens on (iperf3, src/iperf.h).
MOST_STREAMS, FIRST_PORT = 128, 5201
#: The background begins before the test and ends after it [s].
AROUND_S = 10.0


def commands(path: Path) -> tuple[tuple[Advice, ...], tuple[Advice, ...]]:
    """Commands of a test, for a path that has its delay, and for hosts side by side.

    Two hosts are at the ends, and two more send the background. In a laboratory netem adds the
    delay of the path.
    """
    wait = units.convert(path.round_trip_s, "s", "ms")
    limit = max(math.ceil(SPARE * path.packets_pps * path.round_trip_s), LEAST_LIMIT)
    delay = Advice(
        f"sender$   tc qdisc add dev ethN root netem delay {wait:g}ms limit {limit}",
        "one round trip, and 1.5 times its packets",
    )
    undo = Advice("sender$   tc qdisc del dev ethN root", "remove the delay after the test")
    sockets, tests = tuple(_sockets(path)), tuple(_tests(path))
    return (*sockets, *tests), (*sockets, delay, *tests, undo)


def _sockets(path: Path) -> Iterator[Advice]:
    if path.window_bytes is None:
        product = tcp.bandwidth_delay_bytes(path.left_bps, path.round_trip_s)
        room = 2 * BUFFER_A_WINDOW * product
        why = "four bandwidth-delay products: Linux offers half"
        if room < USUAL_BYTES:
            room, why = USUAL_BYTES, "what Linux allows by default"
    else:
        room, why = BUFFER_A_WINDOW * path.window_bytes, "twice the window, since Linux offers half"
    if room > MOST_BYTES:
        room, why = MOST_BYTES, "the most that Linux accepts"
    room = math.ceil(max(room, 4096))
    yield Advice(
        "both$     sysctl net.ipv4.tcp_wmem net.ipv4.tcp_rmem",
        "note the values, to restore them later",
    )
    yield _server(path)
    yield Advice(f"sender$   sysctl -w net.ipv4.tcp_wmem='4096 {min(65_536, room)} {room}'", why)
    yield Advice(f"receiver$ sysctl -w net.ipv4.tcp_rmem='4096 {min(131_072, room)} {room}'", why)


def _tests(path: Path) -> Iterator[Advice]:
    if path.background_bps:
        rate = _iperf(path.background_bps)
        yield Advice(
            f"other$    iperf3 -c other-receiver -u -b {rate} -t {TEST_S + AROUND_S:g}",
            "the other traffic outlasts the test",
        )
    yield Advice(_test(path), "unpaced, half a minute")
    if path.paced_bps is not None:
        paced = _test(path, f" --fq-rate {_iperf(path.paced_bps)}")
        yield Advice(paced, "paced below the flow's share")


def _server(path: Path) -> Advice:
    """The other end; a server has one test at a time, so that each process needs its own port."""
    if path.flows <= MOST_STREAMS:
        return Advice("receiver$ iperf3 -s", "the other end of the test")
    why = f"the other ends: a process of iperf3 has at most {MOST_STREAMS} streams"
    return Advice(f"receiver$ {_ports(path)}; do iperf3 -s -D -p $p; done", why)


def _test(path: Path, paced: str = "") -> str:
    """The command that sends, in as many processes as the flows take."""
    if path.flows <= MOST_STREAMS:
        return f"sender$   iperf3 -c receiver -P {path.flows} -t {TEST_S:g}{paced}"
    each = round(path.flows / _processes(path))
    command = f"iperf3 -c receiver -p $p -P {each} -t {TEST_S:g}{paced}"
    return f"sender$   {_ports(path)}; do {command} & done; wait"


def _processes(path: Path) -> int:
    return math.ceil(path.flows / MOST_STREAMS)


def _ports(path: Path) -> str:
    return f"for p in $(seq {FIRST_PORT} {FIRST_PORT + _processes(path) - 1})"


def _iperf(rate: float) -> str:
    """A rate as iperf3 reads it, in whole Mb/s or kb/s, rounded down but never to 0 (no limit)."""
    unit, letter = ("Mbit/s", "M") if rate >= units.mbps(10) else ("kbit/s", "K")
    return f"{max(math.floor(units.convert(rate, 'bit/s', unit)), 1)}{letter}"
