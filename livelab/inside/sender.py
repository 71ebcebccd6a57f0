"""Send UDP streams in time, each packet with its stream, its number and the clock.

Input is one JSON document; output too: what was sent, and the greatest lateness.
"""

import contextlib
import ctypes
import heapq
import json
import math
import os
import random
import socket
import struct
import sys
import time
from typing import Any

HEADER = struct.Struct("!HIQ")
PR_SET_TIMERSLACK = 29
SECOND_NS, ROUNDING = 10**9, 1e-6
#: Beyond this a sender catches up in one go, so that a stall does not shift the rest [s].
ON_TIME = 0.005


def main() -> None:
    """Send all streams from one process, in the order in which packets are due."""
    _on_time()
    order = json.load(sys.stdin)
    streams, target = order["streams"], (order["address"], order["port"])
    sockets, fillers, draws = [], [], []
    for number, stream in enumerate(streams):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, stream["dscp"] << 2)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        made.connect(target)
        sockets.append(made)
        fillers.append(bytes(stream["payload_bytes"] - HEADER.size))
        draws.append(random.Random(f"{order['seed']}, {number}"))
    sent, refused = [0] * len(streams), 0
    due = [(stream["start_s"], number) for number, stream in enumerate(streams)]
    heapq.heapify(due)
    begin = time.monotonic() + order["delay_s"]
    begin_ns = time.time_ns() + int(order["delay_s"] * SECOND_NS)
    late, latest = 0, 0.0
    while due:
        when, number = due[0]
        stream = streams[number]
        left = begin + when - time.monotonic()
        if left > 0:
            time.sleep(left)
        else:
            latest = max(latest, -left)
            late += -left > ON_TIME
        packet = HEADER.pack(number, sent[number], time.time_ns()) + fillers[number]
        try:
            sockets[number].send(packet)
        except OSError:
            refused += 1
        sent[number] += 1
        gap = 1 / stream["rate_pps"]
        if stream["arrivals"] == "poisson":
            when += draws[number].expovariate(1.0) * gap
        elif stream["tick_s"]:
            # What is due since the last tick leaves at the tick.
            ticks = math.ceil(sent[number] * gap / stream["tick_s"] - ROUNDING)
            when = stream["start_s"] + ticks * stream["tick_s"]
        else:
            when = stream["start_s"] + sent[number] * gap
        if when < stream["stop_s"]:
            heapq.heapreplace(due, (when, number))
        else:
            heapq.heappop(due)
    answer: dict[str, Any] = {"begin_ns": begin_ns, "sent": sent, "refused": refused}
    json.dump(answer | {"lateness_s": latest, "late_packets": late}, sys.stdout)


def _on_time() -> None:
    """Wake when a packet is due, also on a busy machine where the rights are there for it.

    TCP's programs come after it: at first they fill their sockets, which takes 20 ms.
    """
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(4))


if __name__ == "__main__":
    main()
