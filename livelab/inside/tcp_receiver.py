"""Take whatever TCP connections bring, until the time is over."""

import json
import select
import socket
import sys
import time


def main() -> None:
    """Accept every connection and read from all."""
    order = json.load(sys.stdin)
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
