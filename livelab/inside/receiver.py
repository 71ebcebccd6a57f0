"""Receive the streams: of each packet its stream, its number, the sender's clock and the kernel's.

The kernel stamps a packet when it arrives (SO_TIMESTAMPNS), so that this program may lag behind.
Output is one JSON document with the columns as base64 of 64-bit integers.
"""

import base64
import json
import select
import socket
import struct
import sys
import time
from array import array

HEADER = struct.Struct("!HIQ")
#: struct timespec: the option as seen from user space, on every machine but the very old.
SO_TIMESTAMPNS, STAMP = 35, struct.Struct("@qq")
SO_RCVBUFFORCE = 33
BUFFER = 1 << 25


def main() -> None:
    """Receive until the time is over, or until a packet says so."""
    order = json.load(sys.stdin)
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    except OSError:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    made.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    made.bind(("", order["port"]))
    columns = [array("q") for _ in range(4)]
    end = time.monotonic() + order["time_s"]
    space = socket.CMSG_SPACE(STAMP.size)
    while (left := end - time.monotonic()) > 0:
        if not select.select([made], [], [], left)[0]:
            break
        data, ancillary, _, _ = made.recvmsg(HEADER.size, space)
        seconds, nanoseconds = STAMP.unpack(ancillary[0][2])
        row = (*HEADER.unpack(data), seconds * 10**9 + nanoseconds)
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    names = ("stream", "number", "sent_ns", "received_ns")
    texts = [base64.b64encode(column.tobytes()).decode() for column in columns]
    json.dump(dict(zip(names, texts, strict=True)), sys.stdout)


if __name__ == "__main__":
    main()
