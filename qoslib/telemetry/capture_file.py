"""The frames of pcap and pcapng files: when each was seen, how long it was, what was kept.

dpkt's readers give what was kept of a frame, which a capture may cut short, and round times to a
quarter of a microsecond. A trace needs the length on the wire and the exact time.
"""

import struct
from collections.abc import Iterator
from typing import IO, NamedTuple

from qoslib.measurements import MeasurementError

__all__ = ["Frame", "frames"]

#: How a pcap file begins: byte order, and ticks in a second.
PCAP = {
    b"\xd4\xc3\xb2\xa1": ("<", 10**6),
    b"\xa1\xb2\xc3\xd4": (">", 10**6),
    b"\x4d\x3c\xb2\xa1": ("<", 10**9),
    b"\xa1\xb2\x3c\x4d": (">", 10**9),
}
#: Blocks of pcapng (draft-ietf-opsawg-pcapng): section, interface, packet; and its byte order.
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
PCAPNG, ORDERS = b"\x0a\x0d\x0d\x0a", {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
#: Option of an interface that holds its resolution: a power of ten, or of two with the high bit.
RESOLUTION, OF_TWO, USUAL = 9, 0x80, 6
#: More than any link carries in one frame [B].
LARGEST_BYTES = 2**24
NS_PER_S = 10**9
END = "the file ends within a frame"


class Frame(NamedTuple):
    """A frame: when it was seen [ns], its length on the wire [B], its link layer, its bytes."""

    at: int
    wire_bytes: int
    link_type: int
    data: bytes


def frames(file: IO[bytes], name: str) -> Iterator[Frame]:
    """Each frame of a capture, in the order of the file."""
    begin = file.read(4)
    if begin in PCAP:
        yield from _pcap(_File(file, name), *PCAP[begin])
    elif begin == PCAPNG:
        yield from _pcapng(_File(file, name))
    else:
        problem = "neither pcap nor pcapng; allowed: what tcpdump or Wireshark saved, unpacked"
        raise MeasurementError(name, problem, None, None)


class _File:
    """A file that is read whole piece by whole piece."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.file, self.name = file, name
        self.order = "<"

    def fail(self, problem: str) -> MeasurementError:
        return MeasurementError(self.name, f"{problem}; allowed: a whole capture", None, None)

    def read(self, octets: int, may_end: bool = False) -> bytes:
        if not 0 <= octets <= LARGEST_BYTES:
            raise self.fail(f"a frame or block of {octets:,} bytes")
        found = self.file.read(octets)
        if len(found) < octets and not (may_end and not found):
            raise self.fail(END)
        return found

    def unpack(self, form: str, raw: bytes, at: int = 0) -> tuple[int, ...]:
        try:
            return struct.unpack_from(self.order + form, raw, at)
        except struct.error:
            raise self.fail("a block that is too short") from None


def _pcap(file: _File, order: str, ticks: int) -> Iterator[Frame]:
    file.order = order
    *_, link_type = file.unpack("HHiIII", file.read(20))
    while head := file.read(16, may_end=True):
        seconds, part, kept, whole = file.unpack("IIII", head)
        time = seconds * NS_PER_S + part * (NS_PER_S // ticks)
        yield Frame(time, whole, link_type & 0xFFFF, file.read(kept))


def _pcapng(file: _File) -> Iterator[Frame]:
    interfaces: list[tuple[int, int]] = []
    kind, raw = SECTION, _section(file)
    while True:
        if kind == SECTION:
            interfaces = []
        elif kind == INTERFACE:
            interfaces.append((file.unpack("H", raw)[0], _ticks(file, raw)))
        elif kind == PACKET:
            number, high, low, kept, whole = file.unpack("IIIII", raw)
            if number >= len(interfaces) or kept > len(raw) - 20:
                raise file.fail("a frame of an unknown interface, or longer than its block")
            link_type, ticks = interfaces[number]
            time = ((high << 32) | low) * NS_PER_S // ticks
            yield Frame(time, whole, link_type, raw[20 : 20 + kept])
        head = file.read(8, may_end=True)
        if not head:
            return
        if head[:4] == PCAPNG:
            kind, raw = SECTION, _section(file, head[4:])
            continue
        kind, size = file.unpack("II", head)
        raw = file.read(size - 12)
        file.read(4)


def _section(file: _File, size: bytes = b"") -> bytes:
    """The rest of a section's header, which holds the byte order of all that follows."""
    size = size or file.read(4)
    order = ORDERS.get(file.read(4))
    if order is None:
        raise file.fail("an unknown byte order")
    file.order = order
    return file.read(file.unpack("I", size)[0] - 12)


def _ticks(file: _File, raw: bytes) -> int:
    """Ticks in a second of an interface's clock."""
    at = 8
    while at + 4 <= len(raw):
        option, size = file.unpack("HH", raw, at)
        if option == RESOLUTION and size == 1:
            (power,) = file.unpack("B", raw, at + 4)
            return int(2 ** (power & ~OF_TWO) if power & OF_TWO else 10 ** min(power, 18))
        if option == 0:
            break
        at += 4 + size + -size % 4
    return int(10**USUAL)
