"""Rules for the buffer of a port of one's own, and what each of them is worth."""

import math
from collections.abc import Iterator

from qoslib import tcp, units
from qoslib.flows import Cubic, Flow, Host
from qoslib.port import ByteLimit, Port, Queue
from qoslib.traffic import Stream
from qoslib.worksheet.commands import commands
from qoslib.worksheet.path import AROUND_BYTES, HEADERS_BYTES, TEST_S, Path
from qoslib.worksheet.sheet import Rule, Worksheet

__all__ = ["MANY_FLOWS", "worksheet"]

#: From so many long-lived flows on their windows are taken not to fall together.
MANY_FLOWS = 100
#: Most flows that the model plays in a test.
MOST_MODELLED = 16


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
    path = Path(rate_bps, round_trip_s, flows, window_bytes, background_bps, packet_bytes)
    rules = tuple(_rule(path, *each) for each in _sizes(path))
    burst = tcp.policer_burst_bytes(path.left_bps, round_trip_s, packet_bytes, flows)
    return Worksheet(path.title, rules, burst, tuple(commands(path)))


def _sizes(path) -> Iterator[tuple[str, float, str]]:
    """Each rule's name, buffer and note."""
    fits = path.loss_free_bytes
    product = tcp.bandwidth_delay_bytes(path.left_bps, path.round_trip_s)
    if fits != 0:
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
    full = path.left_bps * path.payload
    return min(most, full) if size >= path.loss_free_bytes else min(most, carried)


def _tested(path, size):
    """What a model of CUBIC shows in a test [bit/s], None for too many flows or round trips."""
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
    try:
        result = tcp.solve(port, [Host("sender", path.rate_bps, flows)], TEST_S, streams=beside)
    except ValueError:
        # All of it is valid; but half a minute of short round trips has too many steps.
        return None
    return float(result.tcp.goodput_bps.sum()) if result.tcp else None
