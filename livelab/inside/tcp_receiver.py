"""Take whatever TCP connections bring, until the time is over."""

import contextlib
import json
import os
import select
import socket
import sys
import time


def main() -> None:
    """Accept every connection and read from all."""
    order = json.load(sys.stdin)
    # A program that waits for the processor while it holds its socket makes clumps of what arrives.
    # So this one does not wait, where the rights are there for it.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(3))
    listening = socket.create_server(("", order["port"]), backlog=64)
    made, end = [listening], time.monotonic() + order["time_s"]
    while (left := end - time.monotonic()) > 0:
        for each in select.select(made, [], [], left)[0]:
            if each is listening:
                made.append(listening.accept()[0])
                continue
            try:
                there = each.recv(1 << 18)
            except ConnectionError:
                there = b""
            if not there:
                made.remove(each)


if __name__ == "__main__":
    main()
