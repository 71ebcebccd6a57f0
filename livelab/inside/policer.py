"""A policer as a BPF program in front of the router's queues, where the kernel has no act_police.

It counts in time. A clock is ahead of now by what the bucket lacks: a packet conforms if that and
its own bytes fit the burst. A second such clock runs at the line rate over all packets: it stands
for the queue, which a program in front of it cannot see, and says when the port is congested.

Input is one JSON document. Without ``priority_ns`` the counter of dropped packets is read.
"""

import contextlib
import ctypes
import json
import os
import struct
import subprocess
import sys

#: bpf(2): its number by machine, and its commands.
CALL = {"x86_64": 321, "aarch64": 280}
CREATE, LOOKUP, LOAD, PIN, GET = 0, 1, 5, 6, 7
ARRAY, SCHED_CLS = 2, 3
FOLDER = "/run/bpf"
#: What the map holds: the bucket's clock, the line's clock, and dropped packets.
BUCKET, LINE, DROPPED, VALUE_BYTES = 0, 8, 16, 24
PASS, SHOT = 0, 2
#: The octet of the DSCP in a frame, and the bits of it.
FIELD, BITS = 15, 0xFC


def instruction(code: int, target: int = 0, source: int = 0, off: int = 0, value: int = 0) -> bytes:
    """One instruction of eBPF."""
    return struct.pack("<BBhi", code, target | source << 4, off, value)


def program(table: int, order: dict[str, int]) -> bytes:
    """The policer; registers: 3 the line's clock, 4 the bucket's, 7 the map, 8 now, 9 the size."""
    begin = [
        instruction(0xBF, 6, 1),  # r6 = the packet
        instruction(0x62, 10, 0, -4, 0),  # key = 0
        instruction(0x18, 1, 1, 0, table),  # r1 = the map
        instruction(0),
        instruction(0xBF, 2, 10),
        instruction(0x07, 2, 0, 0, -4),  # r2 = &key
        instruction(0x85, 0, 0, 0, 1),  # r0 = lookup
        instruction(0x55, 0, 0, 2, 0),  # if r0 != 0 go on
        instruction(0xB7, 0, 0, 0, PASS),
        instruction(0x95),
        instruction(0xBF, 7, 0),
        instruction(0x85, 0, 0, 0, 5),  # r0 = time in ns
        instruction(0xBF, 8, 0),
        instruction(0x61, 9, 6, 0),  # r9 = size
        instruction(0x30, 0, 0, 0, FIELD),  # r0 = the octet of the DSCP
        instruction(0x57, 0, 0, 0, BITS),
        instruction(0x79, 3, 7, LINE),
        instruction(0x3D, 3, 8, 1),  # r3 = max(line, now)
        instruction(0xBF, 3, 8),
    ]
    accept = [
        instruction(0xBF, 1, 9),
        instruction(0x07, 1, 0, 0, order["overhead_bytes"]),
        instruction(0x27, 1, 0, 0, order["line_ns"]),
        instruction(0x0F, 3, 1),  # the line is busy for this packet, too
        instruction(0xBF, 1, 8),
        instruction(0x07, 1, 0, 0, order["full_ns"]),
        instruction(0xBD, 3, 1, 1),  # but never longer than the queue is
        instruction(0xBF, 3, 1),
        instruction(0x7B, 7, 3, LINE),
        instruction(0xB7, 0, 0, 0, PASS),
        instruction(0x95),
    ]
    drop = [
        instruction(0x79, 1, 7, DROPPED),
        instruction(0x07, 1, 0, 0, 1),
        instruction(0x7B, 7, 1, DROPPED),
        instruction(0xB7, 0, 0, 0, SHOT),
        instruction(0x95),
    ]
    meter = [
        instruction(0xBF, 4, 3),
        instruction(0x1F, 4, 8),
        instruction(0xA5, 4, 0, 11, order["congested_ns"]),  # no congestion: accept
        instruction(0x79, 4, 7, BUCKET),
        instruction(0x3D, 4, 8, 1),  # r4 = max(bucket, now)
        instruction(0xBF, 4, 8),
        instruction(0xBF, 1, 9),
        instruction(0x27, 1, 0, 0, order["priority_ns"]),
        instruction(0x0F, 4, 1),  # with this packet
        instruction(0xBF, 5, 4),
        instruction(0x1F, 5, 8),
        instruction(0x25, 5, 0, 1 + len(accept), order["burst_ns"]),  # too much: drop
        instruction(0x7B, 7, 4, BUCKET),
    ]
    # Where there is no congestion the store is passed over, too: such a packet takes no tokens.
    meter[2] = instruction(0xA5, 4, 0, len(meter) - 3, order["congested_ns"])
    begin.append(instruction(0x55, 0, 0, len(meter), order["field"]))  # another class: accept
    return b"".join([*begin, *meter, *accept, *drop])


def call(command: int, attributes: bytes) -> int:
    """The bare system call."""
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    made = ctypes.CDLL(None, use_errno=True).syscall
    found: int = made(CALL[os.uname().machine], command, buffer, len(attributes))
    if found < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found


def pinned(name: str) -> tuple[ctypes.Array[ctypes.c_char], int]:
    """A path as the system call wants it; the buffer has to live as long as its address."""
    path = ctypes.create_string_buffer(f"{FOLDER}/{name}".encode())
    return path, ctypes.addressof(path)


def load(order: dict[str, int]) -> None:
    """Make map and program, and pin them."""
    os.makedirs(FOLDER, exist_ok=True)
    if not os.path.ismount(FOLDER):
        subprocess.run(["mount", "-t", "bpf", "bpf", FOLDER], check=True)
    for name in ("counters", "policer"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{FOLDER}/{name}")
    table = call(CREATE, struct.pack("<IIII", ARRAY, 4, VALUE_BYTES, 1).ljust(48, b"\0"))
    code = ctypes.create_string_buffer(program(table, order))
    licence, log = ctypes.create_string_buffer(b"GPL"), ctypes.create_string_buffer(1 << 16)
    size = (len(code) - 1) // 8
    head = struct.pack("<IIQQ", SCHED_CLS, size, ctypes.addressof(code), ctypes.addressof(licence))
    head += struct.pack("<IIQ", 1, len(log), ctypes.addressof(log))
    try:
        made = call(LOAD, head.ljust(120, b"\0"))
    except OSError as error:
        raise OSError(f"{error}: {log.value.decode()[-500:]}") from None
    for name, number in (("counters", table), ("policer", made)):
        path, address = pinned(name)
        call(PIN, struct.pack("<QI", address, number).ljust(24, b"\0"))
        del path


def dropped() -> int:
    """The counter of dropped packets."""
    path, address = pinned("counters")
    table = call(GET, struct.pack("<QI", address, 0).ljust(24, b"\0"))
    del path
    key, value = ctypes.create_string_buffer(4), ctypes.create_string_buffer(VALUE_BYTES)
    where = ctypes.addressof(key), ctypes.addressof(value)
    call(LOOKUP, struct.pack("<IIQQQ", table, 0, *where, 0))
    found: int = struct.unpack_from("<Q", value, DROPPED)[0]
    return found


def main() -> None:
    """Load the policer, or read its counter."""
    order = json.load(sys.stdin)
    if "priority_ns" in order:
        load(order)
    json.dump({"dropped": dropped()}, sys.stdout)


if __name__ == "__main__":
    main()
