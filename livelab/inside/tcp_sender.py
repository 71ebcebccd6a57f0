"""Send over TCP connections for a time, and look at each every 100 ms (TCP_INFO).

Input is one JSON document; output has, of each connection, the bytes acknowledged, the packets sent
again, the window and the round trip over time.
"""

import contextlib
import json
import os
import select
import socket
import struct
import sys
import time
from typing import Any

SO_MAX_PACING_RATE = 47
#: struct tcp_info: 8 octets, 24 numbers of 32 bits, and three of 64 bits.
INFO = struct.Struct("@8B24I3Q")
TIME, WINDOW, AGAIN, ACKNOWLEDGED = 8 + 15, 8 + 18, 8 + 23, 8 + 24 + 2
EVERY_S, CHUNK = 0.1, bytes(1 << 16)


def main() -> None:
    """Connect all, and keep each socket's buffer full until the time is over."""
    order = json.load(sys.stdin)
    # A program that waits for the processor while it holds its socket makes clumps of what arrives.
    # So this one does not wait, where the rights are there for it.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(3))
    begin = time.monotonic() + order["delay_s"]
    time.sleep(order["delay_s"])
    made = []
    for flow in order["flows"]:
        each = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, flow["congestion"].encode())
        if flow["pacing_bytes_per_s"]:
            rate = struct.pack("@I", int(flow["pacing_bytes_per_s"]))
            each.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, rate)
        each.connect((order["address"], order["port"]))
        each.setblocking(False)
        made.append(each)
    seen: list[list[Any]] = [[] for _ in made]
    look, end = begin, begin + order["time_s"]
    while (now := time.monotonic()) < end:
        if now >= look:
            look += EVERY_S
            for each, rows in zip(made, seen, strict=True):
                info = INFO.unpack(each.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, INFO.size))
                row = [now - begin, info[ACKNOWLEDGED], info[AGAIN], info[WINDOW], info[TIME]]
                rows.append(row)
        for each in select.select([], made, [], max(0.0, min(look, end) - time.monotonic()))[1]:
            try:
                each.send(CHUNK)
            except BlockingIOError:
                continue
    names = ["time_s", "acknowledged_bytes", "again_packets", "window_packets", "round_trip_us"]
    json.dump({"columns": names, "flows": seen}, sys.stdout)


if __name__ == "__main__":
    main()
