"""Read what a device or a tester wrote: recognise it, and hand it to the reader of its kind."""

import gzip
import os
import re
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from qoslib.measurements import MeasurementError, Measurements
from qoslib.measurements.table import MAX_BYTES, text_of
from qoslib.record import AtLeastOne, checked, fail
from qoslib.telemetry import flent, iperf3, junos, junos_cos, policy_map, tc
from qoslib.telemetry.values import Values, short

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS", "kind_of", "read", "rows"]

#: How a file of gzip begins (RFC 1952).
GZIP = b"\x1f\x8b"
#: As much of a file is looked at to recognise it [characters].
LOOKED_AT = 200_000
#: When counters were read: `terminal exec prompt timestamp` of IOS, and each command of IOS-XR.
TAKEN = (
    re.compile(r"^Time source is [\w ]+, \*?(\d+:\d+:\d+\.\d+) \S+ \w+ (\w+ +\d+ \d{4})", re.M),
    re.compile(r"^\w{3} (\w{3} +\d+) (\d+:\d+:\d+\.\d+) \w+ *$", re.M),
)


class Kind(NamedTuple):
    """A kind of output: what it has in it, and what reads it into `Values`."""

    signs: re.Pattern[str]
    read: Callable[[str, Values, int], None]


def _kind(signs: str, reader: Callable[[str, Values], None]) -> Kind:
    return Kind(re.compile(signs, re.MULTILINE), lambda text, values, _: reader(text, values))


#: By the command that writes it; the first whose signs are there is taken.
_KINDS = {
    "flent": _kind(r'"(x_values|raw_values|SERIES_META)"\s*:', flent.read),
    "tc": _kind(r'^(qdisc|class) [a-z_]+ \S*:|"(kind|class)"\s*:\s*"', tc.read),
    "iperf3": Kind(re.compile(r'"(end|error|event)"\s*:'), iperf3.read),
    "show class-of-service interface": _kind(
        r"^[ \t]*Queues supported: |<cos-interface-information", junos_cos.read
    ),
    "show interfaces queue": _kind(
        r"^[ \t]*Queue: \d+, Forwarding class|<queue-counters\b", junos.read
    ),
    "show policy-map interface": _kind(
        r"^[ \t]*Class-map:|^[ \t]*Classification statistics ", policy_map.read
    ),
}
#: The kinds of output that are read.
KINDS = tuple(_KINDS)


def read(
    source: str | bytes | os.PathLike[str] | IO[Any],
    kind: str | None = None,
    *,
    interface: str | None = None,
    streams: str | Mapping[str, str] | None = None,
    mtu_bytes: int = 1500,
) -> "pd.DataFrame":
    """Read counters or measurements that a device or a tester wrote, as a table of measurements.

    It is data: nothing in it is run. Whatever is wrong with it is one error.

    Parameters
    ----------
    source : str, bytes, Path or file
        The text itself, a path, or an open file; at most 10 million bytes, packed and unpacked. A
        text of one line that is no JSON is a path.
    kind : str, optional
        A name of `KINDS`; recognised by default.
    interface : str, optional
        Only this one, as it stands in the file, with a direction where there are two:
        ``"GigabitEthernet0/0/1"`` or ``"GigabitEthernet0/0/1 output"``.
    streams : str or mapping of str to str, optional
        What a scenario calls the streams of the file: ``{"VOICE": "voice", "1:10": "data"}``. A
        single name is that of what concerns all, as all values of iperf3 do.
    mtu_bytes : int
        Largest IP packet on the path [B]: iperf3's UDP datagrams above it travel in fragments.

    Returns
    -------
    DataFrame
        One row a value, with all of `measurements.COLUMNS`, of which `place` is its line or its
        path in a document, and `interval_s`, the time that it was taken over [s].
        ``attrs["notes"]`` are sentences about what was read, ``attrs["experiments"]`` the
        interfaces.

    Raises
    ------
    MeasurementError
        If the file is none of these kinds, or the first thing that is wrong in it, with its line.
    ValueError
        If an argument is of another kind.

    Examples
    --------
    >>> told = '{"end": {"sum_received": {"seconds": 10, "bits_per_second": 94.1e6}}}'
    >>> throughput, _ = read(told, streams="data").to_dict("records")
    >>> throughput["stream"], throughput["quantity"], throughput["value"], throughput["place"]
    ('data', 'throughput', 94100000.0, 'end.sum_received.bits_per_second')
    """
    found = rows(source, kind, interface=interface, streams=streams, mtu_bytes=mtu_bytes)
    return found.to_frame()


def rows(
    source: str | bytes | os.PathLike[str] | IO[Any],
    kind: str | None = None,
    *,
    interface: str | None = None,
    streams: str | Mapping[str, str] | None = None,
    mtu_bytes: int = 1500,
) -> Measurements:
    """Read what `read` reads as plain records, which need no pandas.

    Parameters
    ----------
    source, kind, interface, streams, mtu_bytes
        As of `read`.

    Returns
    -------
    Measurements
        One `Measurement` a value, and what `read` gives in ``attrs``.

    Raises
    ------
    MeasurementError
        If the file is none of these kinds, or the first thing that is wrong in it, with its line.
    ValueError
        If an argument is of another kind.

    Examples
    --------
    >>> told = '{"end": {"sum_received": {"seconds": 10, "bits_per_second": 94.1e6}}}'
    >>> [(row.quantity, row.value) for row in rows(told)]
    [('throughput', 94100000.0), ('duration', 10.0)]
    """
    kind = checked(str | None, kind, "kind")
    if kind is not None and kind not in _KINDS:
        fail("kind", kind, ", ".join(KINDS))
    checked(str | None, interface, "interface")
    mtu_bytes = checked(AtLeastOne, mtu_bytes, "mtu_bytes")
    names = _names(streams)
    text, file = _text(source)
    kind = kind or _recognised(text)
    if not kind:
        problem = f"not recognised; allowed: the output of {', '.join(KINDS)}"
        raise MeasurementError(file, problem, None, None)
    values = Values(file)
    values.taken = _taken(text)
    _KINDS[kind].read(text, values, mtu_bytes)
    if interface is not None:
        values.only(interface)
    values.rename(names)
    return values.measurements(kind)


def kind_of(source: str | bytes | os.PathLike[str] | IO[Any]) -> str:
    """The kind of output that a file seems to be; empty where it is none of `KINDS`.

    Parameters
    ----------
    source : str, bytes, Path or file
        As of `read`.

    Returns
    -------
    str
        A name of `KINDS`, or nothing.

    Raises
    ------
    MeasurementError
        If it is too large, no text in UTF-8 or damaged gzip.

    Examples
    --------
    >>> kind_of("qdisc fq_codel 0: dev eth0 root\\n Sent 0 bytes 0 pkt (dropped 0, overlimits 0)")
    'tc'
    """
    return _recognised(_text(source)[0])


def _text(source: object) -> tuple[str, str]:
    """The text of a source, with line ends of one kind, and what errors call it."""
    raw, file = _raw(source)
    text = text_of(_unpacked(raw, file) if isinstance(raw, bytes) else raw, file)
    return text.replace("\r\n", "\n").replace("\r", "\n"), file


def _names(streams: object) -> dict[str, str]:
    given = {"": streams} if isinstance(streams, str) else streams
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        fail("streams", given, "a name, or a mapping of names to names")
    names = {
        checked(str, name, "streams"): checked(str, other, "streams")
        for name, other in given.items()
    }
    return names


def _raw(source: object) -> tuple[bytes | str, str]:
    """What is to be read, and what errors call it."""
    if isinstance(source, bytes):
        return source, "bytes"
    if isinstance(source, str) and ("\n" in source or source.lstrip()[:1] in ("{", "[", "<")):
        return source, "text"
    if hasattr(source, "read"):
        return source.read(MAX_BYTES + 1), str(getattr(source, "name", type(source).__name__))
    if not isinstance(source, str | os.PathLike) or not str(source).strip():
        fail("source", source, "a path, a text of several lines, bytes or an open file")
    try:
        with open(Path(source), "rb") as file:
            return file.read(MAX_BYTES + 1), str(source)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no name of a file"
        problem = f"not readable ({why}); allowed: a file that you may read"
        raise MeasurementError(short(str(source)), problem, None, None) from None


def _unpacked(raw: bytes, file: str) -> bytes:
    """A file of gzip, unpacked as far as it may be."""
    if not raw.startswith(GZIP):
        return raw
    # 16 more: with the header and the check of gzip.
    unpack = zlib.decompressobj(zlib.MAX_WBITS + 16)
    try:
        plain = unpack.decompress(raw, MAX_BYTES + 1)
    except (zlib.error, gzip.BadGzipFile) as error:
        problem = f"damaged gzip ({error}); allowed: a whole file"
        raise MeasurementError(file, problem, None, None) from None
    if len(plain) <= MAX_BYTES and not unpack.eof:
        problem = "gzip that ends early; allowed: a whole file"
        raise MeasurementError(file, problem, None, None)
    return plain


def _recognised(text: str) -> str:
    begin = text[:LOOKED_AT]
    return next((name for name, kind in _KINDS.items() if kind.signs.search(begin)), "")


def _taken(text: str) -> str:
    found = (pattern.search(text[:LOOKED_AT]) for pattern in TAKEN)
    return next((" ".join(match.groups()) for match in found if match), "")
