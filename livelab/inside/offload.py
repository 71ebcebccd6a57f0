"""Switch off what network cards do for TCP, so that each segment is a packet with its checksum."""

import contextlib
import ctypes
import fcntl
import socket
import struct
import sys

SIOCETHTOOL = 0x8946
#: Checksums when sending, TSO, GSO and GRO: the numbers of what sets them.
SET = (0x17, 0x1F, 0x24, 0x2C)


def main() -> None:
    """Switch them off for each device that is named."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        for device in sys.argv[1:]:
            for command in SET:
                value = ctypes.create_string_buffer(struct.pack("@II", command, 0))
                request = struct.pack("@16sP", device.encode(), ctypes.addressof(value))
                with contextlib.suppress(OSError):
                    fcntl.ioctl(made, SIOCETHTOOL, request.ljust(40, b"\0"))


if __name__ == "__main__":
    main()
