"""Hold each packet from one device back for a while, and send it to another: a delay line.

Netem does this in the kernel; many kernels have none. Only acknowledgements come this way, so that
the data take the kernel's own path. Input is one JSON document; output says how late packets were.
"""

import contextlib
import json
import os
import select
import socket
import sys
import time
from collections import deque

ETH_P_ALL, PACKET_OUTGOING = 3, 4
MOST_BYTES = 2048


def main() -> None:
    """Forward packets until the time is over."""
    order = json.load(sys.stdin)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
    taken, given = (
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(number))
        for number in (ETH_P_ALL, 0)
    )
    taken.bind((order["from"], ETH_P_ALL))
    given.bind((order["to"], 0))
    taken.setblocking(False)
    waiting: deque[tuple[float, bytes]] = deque()
    lateness: list[float] = []
    end = time.monotonic() + order["time_s"]
    while (now := time.monotonic()) < end:
        while waiting and waiting[0][0] <= now:
            due, packet = waiting.popleft()
            given.send(packet)
            lateness.append(now - due)
        left = waiting[0][0] - time.monotonic() if waiting else 0.1
        if select.select([taken], [], [], max(0.0, min(left, 0.1)))[0]:
            with contextlib.suppress(BlockingIOError):
                packet, source = taken.recvfrom(MOST_BYTES)
                if source[2] != PACKET_OUTGOING:
                    waiting.append((time.monotonic() + order["delay_s"], packet))
    lateness.sort()
    late = lateness[int(0.99 * len(lateness))] if lateness else 0.0
    json.dump({"packets": len(lateness), "lateness_p99_s": late}, sys.stdout)


if __name__ == "__main__":
    main()
