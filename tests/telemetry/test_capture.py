"""A packet capture becomes a trace: the times and sizes that were on the wire."""

import io
import struct
import sys

import pytest

from qoslib import Port, Queue, Scenario, Stream, run, telemetry
from qoslib.measurements import MeasurementError
from qoslib.port import PacketLimit

ORDERS = {"<": b"\xd4\xc3\xb2\xa1", ">": b"\xa1\xb2\xc3\xd4"}


def pcap(frames, order="<", magic=None, link_type=1, ticks=10**6):
    """A pcap file of (ticks, wire length, kept bytes)."""
    made = (magic or ORDERS[order]) + struct.pack(f"{order}HHiIII", 2, 4, 0, 0, 65_535, link_type)
    for time, size, data in frames:
        made += struct.pack(f"{order}IIII", *divmod(time, ticks), len(data), size) + data
    return made


def block(kind, body, order="<"):
    body += bytes(-len(body) % 4)
    size = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + size + body + size


def pcapng(frames, order="<", resolution=None, link_type=1):
    """A pcapng file of the same, with one interface."""
    bom = struct.pack(f"{order}I", 0x1A2B3C4D)
    made = block(0x0A0D0D0A, bom + struct.pack(f"{order}HHq", 1, 0, -1), order)
    options = b""
    if resolution is not None:
        options = struct.pack(f"{order}HHB3xHH", 9, 1, resolution, 0, 0)
    made += block(1, struct.pack(f"{order}HHI", link_type, 0, 65_535) + options, order)
    made += block(5, bytes(12), order)
    for time, size, data in frames:
        head = struct.pack(f"{order}IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(data), size)
        made += block(6, head + data, order)
    return made


def ethernet(dscp=0, source="10.0.0.1", target="10.0.0.2", ports=(40_000, 5_201), vlan=False):
    """The first bytes of a UDP packet in a frame."""
    addresses = bytes(int(part) for each in (source, target) for part in each.split("."))
    udp = struct.pack(">HHHH", *ports, 8, 0)
    ip = struct.pack(">BBHHHBBH", 0x45, dscp << 2, 28, 0, 0, 64, 17, 0) + addresses + udp
    tag = b"\x81\x00\x00\x05" if vlan else b""
    return bytes(12) + tag + b"\x08\x00" + ip


THREE = [
    (1_000_000_000_000_000, 1500, b""),
    (1_000_000_000_000_500, 64, b"\0"),
    (10**15 + 2_000, 9, b""),
]


def read(raw, **arguments):
    return telemetry.arrivals(io.BytesIO(raw), **arguments)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("form", [pcap, pcapng])
def test_times_are_from_the_first_frame_and_sizes_those_of_the_wire(form, order):
    trace = read(form(THREE, order))
    assert trace.times_s == pytest.approx((0, 5e-4, 2e-3), abs=0)
    assert trace.frames_bytes == (1500, 64, 9)


def test_clocks_finer_than_a_microsecond_are_kept():
    first = 1_700_000_000 * 10**9
    frames = [(first + 1, 60, b""), (first + 4, 60, b"")]
    nano = pcap(frames, magic=b"\x4d\x3c\xb2\xa1", ticks=10**9)
    assert read(nano).times_s == pytest.approx((0, 3e-9), abs=1e-24)
    assert read(pcapng(frames, resolution=9)).times_s == pytest.approx((0, 3e-9), abs=1e-24)
    of_two = pcapng([(1 << 40, 60, b""), ((1 << 40) + 512, 60, b"")], resolution=0x80 | 10)
    assert read(of_two).times_s == (0, 0.5)


def test_frames_that_were_kept_out_of_order_are_put_into_it():
    assert read(pcap(THREE[::-1])).frames_bytes == (1500, 64, 9)


FRAMES = [
    (0, 100, ethernet(46)),
    (1, 200, ethernet(46, ports=(5_201, 7), vlan=True)),
    (2, 300, ethernet(0, source="192.168.7.9")),
    (3, 400, ethernet()[:20]),
    (4, 500, bytes(60)),
]


@pytest.mark.parametrize(
    ("chosen", "sizes"),
    [
        ({"dscp": 46}, (100, 200)),
        ({"dscp": 0}, (300,)),
        ({"port": 7}, (200,)),
        ({"address": "192.168.0.0/16"}, (300,)),
        ({"address": "10.0.0.2", "dscp": 46, "port": 40_000}, (100,)),
        ({}, (100, 200, 300, 400, 500)),
    ],
)
def test_frames_are_chosen_by_code_point_port_and_address(chosen, sizes):
    assert read(pcap(FRAMES), **chosen).frames_bytes == sizes


def test_other_link_layers():
    ip = ethernet(46)[14:]
    assert read(pcap([(0, 90, ip)], link_type=101), dscp=46).frames_bytes == (90,)
    cooked = struct.pack(">HHH8sH", 0, 1, 6, b"", 0x0800) + ip
    assert read(pcap([(0, 90, cooked)], link_type=113), dscp=46).frames_bytes == (90,)
    with pytest.raises(MeasurementError, match="no frame fits; allowed: a capture with some"):
        read(pcap([(0, 90, ip)], link_type=7), dscp=46)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "dpkt", None)
    with pytest.raises(ImportError, match="needs the package dpkt: pip install dpkt"):
        read(pcap(FRAMES), dscp=46)
    assert len(read(pcap(FRAMES)).times_s) == 5


def test_a_trace_is_played(tmp_path):
    path = tmp_path / "busy.pcap"
    path.write_bytes(pcap([(1_000 * n, 1_250, b"") for n in range(100)]))
    port = Port("access", 100e6, (Queue("all", PacketLimit(20)),))
    stream = Stream("mine", arrivals=telemetry.arrivals(path))
    assert run(Scenario("replay", port, (stream,), 0.2))["mine"].sent_packets == 100


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "neither pcap nor pcapng; allowed: what tcpdump or Wireshark saved"),
        (pcap(THREE)[:-3], "the file ends within a frame; allowed: a whole capture"),
        (pcap(THREE)[:10], "the file ends within a frame"),
        (pcap([]), "no frame fits"),
        (pcap(THREE)[:32] + b"\xff" * 8, "a frame or block of 4,294,967,295 bytes"),
        (pcapng(THREE)[:-1], "the file ends within a frame"),
        (pcapng(THREE)[:8] + b"abcd", "an unknown byte order"),
        (pcapng([])[:28] + block(6, bytes(20)), "a frame of an unknown interface"),
        (pcapng([])[:28] + block(6, b""), "a block that is too short"),
        (pcapng([]) + struct.pack("<II", 6, 4), "a frame or block of -8 bytes"),
    ],
)
def test_a_damaged_capture_is_one_error(raw, message):
    with pytest.raises(MeasurementError, match=message):
        read(raw)


def test_arguments_are_checked(tmp_path):
    for arguments in ({"dscp": 64}, {"port": -1}, {"address": "10.0.0"}, {"most_packets": 0}):
        with pytest.raises(ValueError, match="; allowed: "):
            read(pcap(THREE), **arguments)
    with pytest.raises(MeasurementError, match="more than 2 frames fit; allowed: fewer, or most_"):
        read(pcap(THREE), most_packets=2)
    with pytest.raises(MeasurementError, match=r"not readable .*; allowed: a file that you may"):
        telemetry.arrivals(tmp_path / "none.pcap")
    with pytest.raises(ValueError, match="capture is 3; allowed: a path, or an open binary file"):
        telemetry.arrivals(3)
