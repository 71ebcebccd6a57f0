"""A worksheet for a port of one's own: how large a buffer, and how to test it on a real switch."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from qoslib import tcp, units
from qoslib.flows import Cubic, Flow, Host
from qoslib.port import ByteLimit, Port, Queue
from qoslib.traffic import Stream

__all__ = ["MANY_FLOWS", "Rule", "Worksheet", "worksheet"]

#: From so many long-lived flows on their windows are taken not to fall together.
MANY_FLOWS = 100
#: IPv4, and TCP with time stamps; what Ethernet adds to a packet on the line [B].
HEADERS_BYTES, AROUND_BYTES = 52, 38
#: Length of the test, and most flows that the model plays in it.
TEST_S, MOST_MODELLED = 30.0, 16
#: tc netem drops what exceeds its limit: room for half as much again.
SPARE = 1.5


@dataclass(frozen=True)
class Rule:
    """A buffer by one rule.

    Attributes
    ----------
    name : str
    buffer_bytes : float
        As the queue counts packets [B].
    line_s : float
        How long the line takes for it: the longest wait [s].
    packets : int
    stable_bps : float
        What Reno's saw-tooth keeps of the line in the long run, the window allowing [bit/s].
    test_bps : float or None
        What a test of half a minute shows of CUBIC, start included [bit/s]; None where the model
        does not play it.
    note : str
    """

    name: str
    buffer_bytes: float
    line_s: float
    packets: int
    stable_bps: float
    test_bps: float | None
    note: str


@dataclass(frozen=True)
class Worksheet:
    """Rules, a policer's burst, and commands; printed as text, shown as a table.

    Attributes
    ----------
    title : str
    rules : tuple of Rule
    policer_bytes : float
        Burst that a policer of this rate would need instead of a buffer [B].
    commands : tuple of str
    """

    title: str
    rules: tuple[Rule, ...]
    policer_bytes: float
    commands: tuple[str, ...]

    def table(self) -> pd.DataFrame:
        """The rules as a table to read, one row a rule."""
        cells = [dict(zip(_HEAD, _cells(rule), strict=True)) for rule in self.rules]
        return pd.DataFrame(cells).set_index("rule")

    def __str__(self):
        lines = [_HEAD, *map(_cells, self.rules)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        burst = f"A policer instead of a buffer: a burst of {_megabytes(self.policer_bytes)} MB."
        tests = ["Test it:", *(f"  {command}" for command in self.commands)]
        return "\n".join([self.title, "", *rows, "", burst, "", *tests])


_HEAD = ("rule", "ms", "MB", "packets", "stable Mb/s", "30 s Mb/s", "note")


def _cells(rule):
    wait, size = units.convert(rule.line_s, "s", "ms"), _megabytes(rule.buffer_bytes)
    rates = ["–" if bps is None else _mbps(bps) for bps in (rule.stable_bps, rule.test_bps)]
    return (rule.name, f"{wait:.3g}", size, f"{rule.packets:,}", *rates, rule.note)


def _megabytes(size):
    three_digits = float(f"{units.convert(size, 'B', 'MB'):.3g}")
    return f"{three_digits:,.12g}"


def _mbps(rate):
    return f"{units.convert(rate, 'bit/s', 'Mbit/s'):,.0f}"


@dataclass(frozen=True)
class _Path:
    """What the worksheet is about."""

    rate_bps: float
    round_trip_s: float
    flows: int
    window_bytes: float | None
    background_bps: float
    packet_bytes: int

    @property
    def left_bps(self):
        return self.rate_bps - self.background_bps

    @property
    def payload(self):
        """Payload of a packet, as a share of what it takes on the line."""
        return (self.packet_bytes - HEADERS_BYTES) / (self.packet_bytes + AROUND_BYTES)


def worksheet(
    rate_bps: float,
    round_trip_s: float,
    flows: int = 1,
    *,
    window_bytes: float | None = None,
    background_bps: float = 0.0,
    packet_bytes: int = 1500,
) -> Worksheet:
    """How large a buffer a port needs, by each rule that holds, and how to test it.

    Parameters
    ----------
    rate_bps : float
        Line rate [bit/s].
    round_trip_s : float
        Round-trip time without any queue [s].
    flows : int
        Long-lived TCP connections.
    window_bytes : float or None
        Largest window of each, the smaller socket buffer [B]; None: no limit.
    background_bps : float
        Traffic that does not answer to loss [bit/s].
    packet_bytes : int
        IP packet, the MTU [B].

    Raises
    ------
    ValueError
        If a number is out of range; the message names it.

    Notes
    -----
    Rates are of payload, as iperf3 shows them. `stable_bps` is `qoslib.tcp.saw_tooth` of flows
    that lose together, the worst case; `test_bps` is `qoslib.tcp.solve` with CUBIC over 30 s.

    Examples
    --------
    The test of the MX80, with the windows of its time:

    >>> sheet = worksheet(
    ...     10e9, 0.050, 2, window_bytes=48e6, background_bps=2e9, packet_bytes=9000
    ... )
    >>> [(rule.name, round(rule.buffer_bytes / 1e6)) for rule in sheet.rules]
    [('one product', 50), ('windows fit', 58)]
    >>> sheet.table()[["ms", "MB", "packets", "stable Mb/s"]]
                 ms    MB packets stable Mb/s
    rule
    one product  40    50   5,556       7,920
    windows fit  46  57.5   6,389       7,920
    >>> print(sheet.commands[3])
    sender$   tc qdisc add dev ethN root netem delay 50ms limit 10417
    """
    if not (isinstance(flows, int) and flows > 0):
        raise ValueError(f"flows is {flows!r}; allowed: a whole number above 0")
    if not packet_bytes > HEADERS_BYTES:
        raise ValueError(f"packet_bytes is {packet_bytes!r}; allowed: above {HEADERS_BYTES}")
    path = _Path(rate_bps, round_trip_s, flows, window_bytes, background_bps, packet_bytes)
    rules = tuple(_rule(path, *each) for each in _sizes(path))
    burst = tcp.policer_burst_bytes(path.left_bps, round_trip_s, packet_bytes, flows)
    return Worksheet(_title(path), rules, burst, tuple(_commands(path)))


def _sizes(path) -> Iterator[tuple[str, float, str]]:
    """Each rule's name, buffer and note."""
    windows = None if path.window_bytes is None else path.flows * path.window_bytes
    fits = None
    if windows is not None:
        given = (windows, path.rate_bps, path.round_trip_s, path.background_bps)
        fits = tcp.loss_free_buffer_bytes(*given)
    product = tcp.bandwidth_delay_bytes(path.left_bps, path.round_trip_s)
    if windows is None or fits:
        yield "one product", product, "a single flow that halves leaves no gap"
    if path.flows >= MANY_FLOWS:
        small = tcp.desynchronised_buffer_bytes(path.left_bps, path.round_trip_s, path.flows)
        yield "product / sqrt(n)", small, "if the flows do not lose together"
    if fits is not None:
        note = "no loss, the windows stand still" if fits else "the path holds the windows"
        yield "windows fit", fits, note


def _rule(path, name, size, note):
    packets = max(round(size / path.packet_bytes), 1)
    wait = units.serialisation_s(size, path.rate_bps)
    return Rule(name, size, wait, packets, _stable(path, size), _tested(path, size), note)


def _stable(path, size):
    """The saw-tooth's rate, or the windows' if it is less [bit/s]."""
    packets = size / path.packet_bytes
    rate = units.rate_pps(path.left_bps, path.packet_bytes + AROUND_BYTES)
    tooth = tcp.saw_tooth(rate, path.round_trip_s, packets, path.flows)
    carried = tooth.utilisation * path.left_bps * path.payload
    if path.window_bytes is None:
        return carried
    most = path.flows * tcp.window_limited_bps(path.window_bytes, path.round_trip_s)
    fits = tcp.loss_free_buffer_bytes(
        path.flows * path.window_bytes, path.rate_bps, path.round_trip_s, path.background_bps
    )
    full = path.left_bps * path.payload
    return min(most, full) if size >= fits else min(most, carried)


def _tested(path, size):
    """What a model of CUBIC shows in a test [bit/s], None for too many flows."""
    if path.flows > MOST_MODELLED:
        return None
    limit = ByteLimit(max(math.ceil(size), path.packet_bytes))
    port = Port("port", path.rate_bps, (Queue("all", limit),), overhead_bytes=AROUND_BYTES)
    each = Flow(
        "flow",
        path.round_trip_s,
        Cubic(),
        window_bytes=None if path.window_bytes is None else int(path.window_bytes),
        mss_bytes=path.packet_bytes - HEADERS_BYTES,
        frame_bytes=path.packet_bytes,
    )
    flows = tuple(each.replace(name=f"flow {n + 1}") for n in range(path.flows))
    beside = [Stream("background", path.background_bps, path.packet_bytes)]
    result = tcp.solve(port, [Host("sender", path.rate_bps, flows)], TEST_S, streams=beside)
    return float(result.tcp.goodput_bps.sum()) if result.tcp else None


def _title(path):
    rate = units.convert(path.rate_bps, "bit/s", "Gbit/s")
    wait = units.convert(path.round_trip_s, "s", "ms")
    several = f"{path.flows} flows" if path.flows > 1 else "1 flow"
    beside = units.convert(path.background_bps, "bit/s", "Gbit/s")
    return f"{rate:g} Gb/s, {wait:g} ms, {several}" + (
        f", {beside:g} Gb/s beside them" if beside else ""
    )


def _commands(path) -> Iterator[str]:
    """For two hosts, and two more for the background; ethN and the names are the reader's."""
    wait = units.convert(path.round_trip_s, "s", "ms")
    window = path.window_bytes or 2 * tcp.bandwidth_delay_bytes(path.left_bps, path.round_trip_s)
    under_way = units.rate_pps(path.rate_bps, path.packet_bytes) * path.round_trip_s
    paced = _mbps(path.left_bps / path.flows).replace(",", "")
    yield "receiver$ iperf3 -s"
    yield f"sender$   sysctl -w net.ipv4.tcp_wmem='4096 65536 {math.ceil(window)}'"
    yield f"receiver$ sysctl -w net.ipv4.tcp_rmem='4096 131072 {math.ceil(window)}'"
    yield (
        f"sender$   tc qdisc add dev ethN root netem delay {wait:g}ms"
        f" limit {math.ceil(SPARE * under_way)}"
    )
    if path.background_bps:
        rate = _mbps(path.background_bps).replace(",", "")
        yield f"other$    iperf3 -c other-receiver -u -b {rate}M -t {TEST_S + 10:g}"
    yield f"sender$   iperf3 -c receiver -P {path.flows} -t {TEST_S:g}"
    yield f"sender$   iperf3 -c receiver -P {path.flows} -t {TEST_S:g} --fq-rate {paced}M"
