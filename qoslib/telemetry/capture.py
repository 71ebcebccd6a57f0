"""The arrivals in a packet capture as a trace that every packet model plays."""

import os
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import IO, Annotated, Any

from qoslib import units
from qoslib.measurements import MeasurementError
from qoslib.record import AtLeastOne, Within, checked, fail
from qoslib.telemetry.capture_file import Frame, frames
from qoslib.traffic import Trace

__all__ = ["MOST_PACKETS", "arrivals"]

#: A larger capture is refused unread [B].
MAX_BYTES = 2_000_000_000
#: A trace of more packets takes too much memory.
MOST_PACKETS = 2_000_000
#: Link layers (LINKTYPE_): no header, Ethernet, loopback, Linux "cooked" of two versions.
RAW, ETHERNET, LOOPBACK, SLL, SLL2 = (12, 14, 101, 228, 229), 1, (0, 108), 113, 276
Dscp = Annotated[int, Within(0, 63)]
PortNumber = Annotated[int, Within(0, 65_535)]
Network = IPv4Network | IPv6Network


def arrivals(
    capture: str | os.PathLike[str] | IO[bytes],
    *,
    dscp: int | None = None,
    port: int | None = None,
    address: str | None = None,
    most_packets: int = MOST_PACKETS,
) -> Trace:
    """The frames of a capture: times from the first of them, and sizes on the wire.

    Parameters
    ----------
    capture : str, Path or binary file
        A pcap or pcapng file of at most 2,000 million bytes.
    dscp : int, optional
        Only IP packets with this code point, 0 to 63 (RFC 2474).
    port : int, optional
        Only TCP and UDP packets from or to this port.
    address : str, optional
        Only IP packets from or to this address or network: ``"10.0.0.0/8"``.
    most_packets : int
        More frames that fit are refused.

    Returns
    -------
    Trace
        Times [s] from the first frame that fits, and frame sizes [B] as they were on the wire,
        also where the capture kept only the first bytes. Most cards keep no frame check sequence,
        so that an Ethernet frame has 4 B less than a switch counts.

    Raises
    ------
    ImportError
        If frames are to be chosen and the package dpkt is not installed.
    MeasurementError
        If it is no capture, is damaged or too large, or no frame fits.
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> import io, struct
    >>> head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    >>> kept = [struct.pack("<IIII", 7, 500 * n, 60, 60 + n) + bytes(60) for n in range(3)]
    >>> arrivals(io.BytesIO(head + b"".join(kept)))
    Trace(times_s=(0.0, 0.0005, 0.001), frames_bytes=(60, 61, 62))
    """
    dscp, port = checked(Dscp | None, dscp, "dscp"), checked(PortNumber | None, port, "port")
    most_packets = checked(AtLeastOne, most_packets, "most_packets")
    fits = _chooser(dscp, port, _network(address))
    file, name = _opened(capture)
    found: list[tuple[int, int]] = []
    try:
        for frame in frames(file, name):
            if not fits(frame):
                continue
            if len(found) >= most_packets:
                problem = f"more than {most_packets:,} frames fit; allowed: fewer, or most_packets"
                raise MeasurementError(name, problem, None, None)
            found.append((frame.at, frame.wire_bytes))
    finally:
        if file is not capture:
            file.close()
    if not found:
        raise MeasurementError(name, "no frame fits; allowed: a capture with some", None, None)
    # What comes in by several queues of a card is not always kept in order.
    found.sort()
    times_s = (units.convert(float(time - found[0][0]), "ns", "s") for time, _ in found)
    return Trace(tuple(times_s), tuple(max(size, 1) for _, size in found))


def _network(address: object) -> Network | None:
    if address is None:
        return None
    try:
        return ip_network(checked(str, address, "address"), strict=False)
    except ValueError:
        fail("address", address, "an IP address, or a network like '10.0.0.0/8'")


def _opened(capture: Any) -> tuple[IO[bytes], str]:
    if hasattr(capture, "read"):
        return capture, str(getattr(capture, "name", type(capture).__name__))
    if not isinstance(capture, str | os.PathLike):
        fail("capture", capture, "a path, or an open binary file")
    path = Path(capture)
    try:
        if path.stat().st_size > MAX_BYTES:
            problem = f"too large; allowed: up to {MAX_BYTES:,} bytes"
            raise MeasurementError(path, problem, None, None)
        return open(path, "rb"), str(path)
    except (OSError, ValueError) as error:
        if isinstance(error, MeasurementError):
            raise
        why = getattr(error, "strerror", None) or "no name of a file"
        problem = f"not readable ({why}); allowed: a file that you may read"
        raise MeasurementError(str(path)[:200], problem, None, None) from None


def _chooser(
    dscp: int | None, port: int | None, network: Network | None
) -> Callable[[Frame], bool]:
    """Whether a frame is wanted; without a filter all are, and nothing looks into them."""
    if dscp is None and port is None and network is None:
        return lambda frame: True
    try:
        import dpkt
    except ImportError:
        raise ImportError(
            "choosing frames by DSCP, port or address needs the package dpkt: pip install dpkt"
        ) from None

    def fits(frame: Frame) -> bool:
        packet = _packet(dpkt, frame)
        if packet is None:
            return False
        first = packet.tos if isinstance(packet, dpkt.ip.IP) else packet.fc
        if dscp is not None and first >> 2 != dscp:
            return False
        if network is not None and not any(
            ip_address(each) in network for each in (packet.src, packet.dst)
        ):
            return False
        ports = (getattr(packet.data, end, None) for end in ("sport", "dport"))
        return port is None or port in ports

    return fits


def _packet(dpkt: Any, frame: Frame) -> Any:
    """The IP packet in a frame, None where there is none or too little of it was kept."""
    data, kind = frame.data, frame.link_type
    try:
        if kind == ETHERNET:
            inside = dpkt.ethernet.Ethernet(data).data
        elif kind in (SLL, SLL2):
            inside = (dpkt.sll.SLL if kind == SLL else dpkt.sll2.SLL2)(data).data
        elif kind in LOOPBACK:
            inside = dpkt.loopback.Loopback(data).data
        elif kind in RAW and data:
            inside = (dpkt.ip.IP if data[0] >> 4 == 4 else dpkt.ip6.IP6)(data)
        else:
            return None
    except Exception:
        # A frame that dpkt cannot take apart, for whatever reason, is none that was asked for.
        return None
    return inside if isinstance(inside, dpkt.ip.IP | dpkt.ip6.IP6) else None
