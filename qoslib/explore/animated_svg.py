"""A queue that fills and drops, as an SVG that moves by itself: no program, no kernel, no trust."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from qoslib import units
from qoslib.explore import svg
from qoslib.explore.lane_description import Lane
from qoslib.explore.packet_lanes import Shown, Window, lane_of
from qoslib.explore.packet_still import GATE
from qoslib.explore.svg import WIDTH, Loop, Shape, area, rule, text
from qoslib.plots import style
from qoslib.port import PacketLimit, Port, TailDrop
from qoslib.record import Positive, checked, fail
from qoslib.scenario import Scenario

__all__ = ["packet_loop"]

#: Where the packets stand, how high they are, and how wide the largest is [px].
Y, HIGH, WIDE, ON_RAIL = 46.0, 40.0, 34.0, 0.4
#: From the end of the rail to the wall, and the inside of a packet that is dropped.
HOLE, HOLLOW = 46.0, "#FBE9E7"
#: Seconds before it arrives that a packet leaves its rail, and that a dropped one falls.
LANDING_S, FALL_S = 0.3, 1.1
FLOOR, BELOW, HEIGHT = Y + HIGH + 4, Y + HIGH + 23, 150


def packet_loop(scenario: Scenario, *, duration_s: float = 10.0, slowed: float = 2500.0) -> str:
    """Draw the beginning of a run as an SVG that plays over and over.

    Each packet moves as the event record of the packet model says: it arrives, joins the queue and
    leaves by the link, or is dropped. Where reduced motion is asked for it shows one moment.

    Parameters
    ----------
    scenario : Scenario
        A port with one queue that has a limit in packets and drops at the tail.
    duration_s : float
        How long it plays before it begins again [s].
    slowed : float
        Seconds of the reader per second of the run.

    Returns
    -------
    str
        An SVG document.

    Raises
    ------
    ValueError
        If the port has more than such a queue, or the numbers are not above 0.

    Examples
    --------
    >>> from qoslib import Cbr, PacketLimit, Port, Queue, Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(8)),))
    >>> drawn = packet_loop(Scenario("one queue", port, (Stream("data", 150e6),)))
    >>> drawn.startswith("<svg"), len(drawn) < 40_000
    (True, True)
    """
    duration_s = checked(Positive, duration_s, "duration_s")
    slowed = checked(Positive, slowed, "slowed")
    port, room = _bare(scenario)
    lane = lane_of(Shown(scenario.name, scenario), Window(0.0, duration_s / slowed), ())
    largest = float(lane.events.frame_bytes.max()) + port.overhead_bytes
    scale, loop = WIDE / largest, Loop(duration_s, 4)
    wall = GATE - WIDE * (room + 1)
    pixels_per_s = scale * units.octets(port.rate_bps) / slowed
    packets = [
        each
        for each in _packets(lane, scale, port.overhead_bytes, slowed)
        if each.arrival_s - LANDING_S <= duration_s
    ]
    moving = [_path(each, wall - HOLE, pixels_per_s, loop) for each in packets]
    dropped_s = [each.lost_s for each in packets if not np.isnan(each.lost_s)]
    moving += _counts(dropped_s, wall, loop)
    colours = style.looks(stream.name for stream in lane.streams)
    standing = svg.printed(_full(wall, room + 1, next(iter(colours.values())).colour))
    offered_bps = sum(stream.mean_rate_bps for stream in scenario.streams)
    shapes: list[Shape] = [
        *_scenery(offered_bps, port.rate_bps, room, wall),
        svg.moves_or_stands("".join(moving), standing),
        rule(GATE, Y - 8, GATE, Y + HIGH + 10, svg.INK, 2.5),
    ]
    said = f"{scenario.name}: packets arrive faster than the link carries them. The queue fills."
    said += f" Its limit is {room} packets. Those that find it full are dropped."
    return svg.document(shapes, HEIGHT, said)


def _bare(scenario: Scenario) -> tuple[Port, int]:
    """The port of a scenario, of one queue without anything else, and its limit [packets]."""
    port = scenario.network
    if not isinstance(port, Port) or len(port.queues) != 1 or port.transmit_ring_packets:
        fail("the network of a packet loop", scenario.network, "a port with one queue, no ring")
    queue = port.queues[0]
    bare = queue.policer is None and queue.shaper is None and port.shaper is None
    if bare and isinstance(queue.limit, PacketLimit) and isinstance(queue.dropper, TailDrop):
        return port, queue.limit.packets
    fail("the queue of a packet loop", queue, "a limit in packets, tail drop, no token bucket")


class _Packet(NamedTuple):
    """How wide a packet is, and when it arrives, leaves and is lost, as it is shown; NaN: never."""

    width: float
    colour: str
    arrival_s: float
    gone_s: float
    lost_s: float


def _packets(lane: Lane, scale: float, overhead_bytes: float, slowed: float) -> Iterator[_Packet]:
    """The packets of the record, in order of arrival."""
    events = lane.events
    first = np.unique(events.packet, return_index=True)[1]
    when = {}
    for kind in ("departure", "drop"):
        when[kind] = np.full(len(first), np.nan)
        mine = events.kind == kind
        when[kind][events.packet[mine]] = events.time_s[mine] * slowed
    colours = style.looks(stream.name for stream in lane.streams)
    for at, gone_s, lost_s in zip(first, when["departure"], when["drop"], strict=True):
        width = scale * (float(events.frame_bytes[at]) + overhead_bytes)
        colour = colours[lane.streams[int(events.stream[at])].name].colour
        yield _Packet(width, colour, float(events.time_s[at]) * slowed, gone_s, lost_s)


def _scenery(offered_bps: float, rate_bps: float, room: int, wall: float) -> Iterator[Shape]:
    """What stands still: the rail, the tray with its wall, the link, and their names."""
    offered, rate = (units.convert(each, "bit/s", "Mbit/s") for each in (offered_bps, rate_bps))
    end, above, link = wall - HOLE, Y - 16, f"link of {rate:g} Mb/s"
    yield area(wall, Y - 5, GATE - wall, HIGH + 9)
    yield rule(10, FLOOR, end, FLOOR)
    yield rule(wall, FLOOR, WIDTH - 10, FLOOR)
    yield rule(wall, Y - 12, wall, FLOOR, svg.INK, 3.5)
    yield rule(end, FLOOR, end + 9, FLOOR + 13, svg.RED, 2.5)
    yield text(f"{offered:g} Mb/s arrive", 12, above, svg.MUTED, size=14)
    yield text(f"room for {room} packets", wall + 4, above, svg.MUTED, size=14)
    yield text(link, WIDTH - 12, above, svg.MUTED, size=14, anchor="end")


def _path(packet: _Packet, rail: float, pixels_per_s: float, loop: Loop) -> str:
    """A packet from the end of its rail on; nothing of one that is neither sent nor dropped."""
    leap_s = packet.arrival_s - LANDING_S
    narrow = ON_RAIL * packet.width
    arrives = [
        (leap_s - (rail + 20) / pixels_per_s, -narrow - 20),
        (leap_s, rail - narrow),
    ]
    if not np.isnan(packet.lost_s):
        return _falls(packet, arrives, rail + 14, loop)
    if np.isnan(packet.gone_s):
        return ""
    arrival_s, gone_s = packet.arrival_s, packet.gone_s
    x = [
        *arrives,
        (arrival_s, GATE - pixels_per_s * (gone_s - arrival_s)),
        (gone_s + (WIDTH - GATE) / pixels_per_s, float(WIDTH)),
    ]
    moves = _animated(loop, "x", x)
    moves += _animated(loop, "width", [(leap_s, narrow), (arrival_s, packet.width - 1)])
    look = f'y="{Y:g}" height="{HIGH:g}" rx="4" fill="{packet.colour}"'
    return f"<rect {look}>{moves}</rect>"


def _falls(packet: _Packet, arrives: list[tuple[float, float]], edge: float, loop: Loop) -> str:
    """A packet that finds no room: along the rail, and down, hollow and red."""
    lost_s, end_s = packet.lost_s, packet.lost_s + FALL_S
    falls: list[tuple[float, ...]] = [(at, x, Y) for at, x in arrives]
    falls += [
        (lost_s + share * FALL_S, edge + 20 * share, Y + 86 * share**2)
        for share in (0.0, 0.4, 0.7, 1.0)
    ]
    turns = _animated(loop, "rotate", [(lost_s, 0.0), (end_s, 70.0)])
    fades = _animated(loop, "opacity", [(lost_s + 0.3, 1.0), (end_s, 0.0)])
    fills = loop.animated("fill", [(0, packet.colour), (lost_s, HOLLOW)], discrete=True)
    edges = loop.animated("stroke-width", [(0, "0"), (lost_s, "1.8")], discrete=True)
    size = f'width="{ON_RAIL * packet.width:.1f}" height="{HIGH:g}" rx="4"'
    rect = f'<rect {size} fill="{packet.colour}" stroke="{svg.RED}">{turns}{fades}{fills}{edges}'
    return f"<g>{_animated(loop, 'translate', falls)}{rect}</rect></g>"


def _animated(loop: Loop, name: str, keys: Sequence[tuple[float, ...]]) -> str:
    """Numbers along a broken line, to a tenth of a pixel."""
    found = [
        (at, " ".join(f"{round(value, 1):g}" for value in values))
        for at, *values in loop.within(keys)
    ]
    return loop.animated(name, found)


def _counts(dropped_s: list[float], wall: float, loop: Loop) -> list[str]:
    """How many have been dropped, from one drop to the next."""
    found = []
    ends_s = [*dropped_s[1:], loop.lasts_s]
    for number, (begin_s, end_s) in enumerate(zip(dropped_s, ends_s, strict=True), 1):
        if begin_s >= loop.lasts_s:
            break
        stays = "1" if end_s >= loop.lasts_s else "0"
        keys = [(0.0, "0"), (begin_s, "1"), (end_s, stays)]
        blinks = loop.animated("opacity", keys, discrete=True)
        said, x = f"{number} dropped", wall - 58
        found.append(
            text(said, x, BELOW, svg.RED, anchor="end", weight=700, size=15, blinks=blinks)
        )
    return found


def _full(wall: float, count: int, colour: str) -> Iterator[Shape]:
    """One moment, for those who want no motion: the queue is full, and a packet falls."""
    for at in range(count):
        yield area(wall + at * WIDE, Y, WIDE - 1, HIGH, colour, corner=4)
    fallen = f'<rect x="{wall - 34:.1f}" y="{Y + 38}" width="{ON_RAIL * WIDE:.1f}"'
    look = f'height="{HIGH:g}" rx="4" fill="{HOLLOW}" stroke="{svg.RED}" stroke-width="2"'
    yield f'{fallen} {look} transform="rotate(24 {wall - 27:.1f} {Y + 58})"/>'
