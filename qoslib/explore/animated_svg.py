"""A queue that fills and drops, as an SVG that moves by itself: no program, no kernel, no trust."""

import numpy as np

from qoslib import units
from qoslib.explore.packet_lanes import Shown, Window, lane_of
from qoslib.explore.packet_still import GATE, INK, MUTED, RED, WIDTH, document, rule, text
from qoslib.plots import style
from qoslib.port import PacketLimit, Port, TailDrop
from qoslib.record import Positive, checked, fail
from qoslib.scenario import Scenario

__all__ = ["packet_loop"]

#: Where the packets stand, how high they are, and how wide the largest is [px].
Y, HIGH, WIDE, ON_RAIL = 46.0, 40.0, 34.0, 0.4
#: Seconds before it arrives that a packet leaves its rail, and that a dropped one falls.
LANDING_S, FALL_S = 0.3, 1.1
BELOW, HEIGHT = Y + HIGH + 23, 150


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
    port = scenario.network
    if not isinstance(port, Port) or len(port.queues) != 1 or port.transmit_ring_packets:
        fail("the network of a packet loop", scenario.network, "a port with one queue, no ring")
    queue = port.queues[0]
    bare = queue.policer is None and queue.shaper is None and port.shaper is None
    bare &= isinstance(queue.limit, PacketLimit) and isinstance(queue.dropper, TailDrop)
    if not bare:
        fail("the queue of a packet loop", queue, "a limit in packets, tail drop, no token bucket")
    assert isinstance(queue.limit, PacketLimit)
    lane = lane_of(Shown(scenario.name, scenario), Window(0.0, duration_s / slowed), ())
    events = lane.events
    largest = float(events.frame_bytes.max()) + port.overhead_bytes
    scale = WIDE / largest
    pixels_per_s = scale * units.octets(port.rate_bps) / slowed
    wall = GATE - scale * largest * (queue.limit.packets + 1)
    first = np.unique(events.packet, return_index=True)[1]
    when = {kind: np.full(len(first), np.nan) for kind in ("drop", "departure")}
    for kind, times_s in when.items():
        at = events.kind == kind
        times_s[events.packet[at]] = events.time_s[at] * slowed
    colours = style.looks(stream.name for stream in lane.streams)
    parts, drops = [], []
    for number, at in enumerate(first):
        width = scale * (float(events.frame_bytes[at]) + port.overhead_bytes)
        colour = colours[lane.streams[int(events.stream[at])].name].colour
        arrival_s = float(events.time_s[at]) * slowed
        if arrival_s - LANDING_S > duration_s:
            break
        gone_s, lost_s = float(when["departure"][number]), float(when["drop"][number])
        rail = wall - 46.0
        if not np.isnan(lost_s):
            parts.append(_falls(rail, width, lost_s, pixels_per_s, duration_s, colour))
            drops.append(lost_s)
        elif not np.isnan(gone_s):
            parts.append(_passes(rail, width, arrival_s, gone_s, pixels_per_s, duration_s, colour))
    moving = [*parts, *_counts(drops, wall, duration_s)]
    said = f"{scenario.name}: packets arrive faster than the link carries them. The queue fills."
    said += f" Its limit is {queue.limit.packets} packets. Those that find it full are dropped."
    calm = "@media (prefers-reduced-motion:reduce){.m{display:none}.s{display:inline}}"
    shown = f"<style>.s{{display:none}}{calm}</style>"
    return document(
        [
            *_scenery(sum(stream.mean_rate_bps for stream in scenario.streams), port, wall),
            f'<g class="m">{"".join(moving)}</g>',
            f'<g class="s">{_full(wall, scale * largest, next(iter(colours.values())).colour)}</g>',
            rule(GATE, Y - 8, GATE, Y + HIGH + 10, INK, 2.5),
        ],
        HEIGHT,
        said,
        shown,
    )


def _scenery(offered_bps: float, port: Port, wall: float) -> list[str]:
    """What stands still: the rail, the tray with its wall, the link, and their names."""
    limit = port.queues[0].limit
    assert isinstance(limit, PacketLimit)
    floor = Y + HIGH + 4
    tray = f'<rect x="{wall:.1f}" y="{Y - 5}" width="{GATE - wall:.1f}" height="{HIGH + 9}"'
    rates = [
        units.convert(rate_bps, "bit/s", "Mbit/s") for rate_bps in (offered_bps, port.rate_bps)
    ]
    return [
        f'{tray} fill="#F2F3F4"/>',
        rule(10, floor, wall - 46, floor),
        rule(wall, floor, WIDTH - 10, floor),
        rule(wall, Y - 12, wall, floor, INK, 3.5),
        rule(wall - 46, floor, wall - 37, floor + 13, RED, 2.5),
        text(f"{rates[0]:g} Mb/s arrive", 12, Y - 16, MUTED, size=14),
        text(f"room for {limit.packets} packets", wall + 4, Y - 16, MUTED, size=14),
        text(f"link of {rates[1]:g} Mb/s", WIDTH - 12, Y - 16, MUTED, size=14, anchor="end"),
    ]


def _animated(name: str, keys: list[tuple[float, str]], duration_s: float, more: str = "") -> str:
    """An animation through these values at these times [s], those within the loop."""
    times = ";".join(f"{min(max(at / duration_s, 0), 1):.4g}" for at, _ in keys)
    values = ";".join(value for _, value in keys)
    kind = "animate" if name in ("x", "width", "opacity", "fill", "stroke") else "animateTransform"
    of = f'attributeName="{name if kind == "animate" else "transform"}"{more}'
    look = f'dur="{duration_s:g}s" repeatCount="indefinite"'
    return f'<{kind} {of} {look} keyTimes="{times}" values="{values}"/>'


def _cut(keys: list[tuple[float, float]], duration_s: float) -> list[tuple[float, str]]:
    """A broken line from the start of the loop to its end."""
    inside = [at for at, _ in keys if 0 < at < duration_s]
    chosen = [0.0, *inside, duration_s]
    return [(at, f"{round(_on(keys, at), 1):g}") for at in chosen]


def _on(keys: list[tuple[float, float]], time_s: float) -> float:
    """A broken line's value at a time."""
    times, values = zip(*keys, strict=True)
    return float(np.interp(time_s, times, values))


def _passes(
    rail: float,
    width: float,
    arrival_s: float,
    gone_s: float,
    pixels_per_s: float,
    duration_s: float,
    colour: str,
) -> str:
    """A packet that is sent: along the rail, into the queue, and through the gate."""
    narrow, leap_s = ON_RAIL * width, arrival_s - LANDING_S
    x = [
        (leap_s - (rail + 20) / pixels_per_s, -narrow - 20),
        (leap_s, rail - narrow),
        (arrival_s, GATE - pixels_per_s * (gone_s - arrival_s)),
        (gone_s + (WIDTH - GATE) / pixels_per_s, float(WIDTH)),
    ]
    wide = [(leap_s, narrow), (arrival_s, width - 1)]
    moves = _animated("x", _cut(x, duration_s), duration_s)
    grows = _animated("width", _cut(wide, duration_s), duration_s)
    return f'<rect y="{Y:g}" height="{HIGH:g}" rx="4" fill="{colour}">{moves}{grows}</rect>'


def _falls(
    rail: float, width: float, lost_s: float, pixels_per_s: float, duration_s: float, colour: str
) -> str:
    """A packet that finds no room: along the rail, and down, hollow and red."""
    narrow, leap_s, end_s = ON_RAIL * width, lost_s - LANDING_S, lost_s + FALL_S
    edge = rail + 14
    x = [(leap_s - (rail + 20) / pixels_per_s, -narrow - 20), (leap_s, rail - narrow)]
    x += [(lost_s, edge), (end_s, edge + 20)]
    y = [(lost_s + share * FALL_S, Y + 86 * share**2) for share in (0.0, 0.4, 0.7, 1.0)]
    at = sorted({time_s for time_s, _ in (*x, *y) if 0 < time_s < duration_s} | {0.0, duration_s})
    path = [(t, f"{round(_on(x, t), 1):g} {round(_on(y, t), 1):g}") for t in at]
    turn = _cut([(lost_s, 0.0), (end_s, 70.0)], duration_s)
    fade = _cut([(lost_s + 0.3, 1.0), (end_s, 0.0)], duration_s)
    begin = min(lost_s / duration_s, 1.0)
    hollow = f'dur="{duration_s:g}s" repeatCount="indefinite" calcMode="discrete"'
    hollow += f' keyTimes="0;{begin:.4g}"'
    bare = f'height="{HIGH:g}" rx="4" fill="{colour}" stroke="{RED}"'
    return (
        f"<g>{_animated('translate', path, duration_s, ' type=' + _quoted('translate'))}"
        f'<rect width="{narrow:.1f}" {bare}>'
        f"{_animated('rotate', turn, duration_s, ' type=' + _quoted('rotate'))}"
        f"{_animated('opacity', fade, duration_s)}"
        f'<animate attributeName="fill" {hollow} values="{colour};#FBE9E7"/>'
        f'<animate attributeName="stroke-width" {hollow} values="0;1.8"/></rect></g>'
    )


def _quoted(word: str) -> str:
    return f'"{word}"'


def _counts(drops: list[float], wall: float, duration_s: float) -> list[str]:
    """How many have been dropped, from one drop to the next."""
    ends = [*drops[1:], duration_s]
    found = []
    for number, (begin_s, end_s) in enumerate(zip(drops, ends, strict=True), 1):
        if begin_s >= duration_s:
            break
        last = min(end_s / duration_s, 1.0)
        keys = f'keyTimes="0;{begin_s / duration_s:.4g};{last:.4g}"'
        shown = f'dur="{duration_s:g}s" repeatCount="indefinite" calcMode="discrete" {keys}'
        said = text(f"{number} dropped", wall - 58, BELOW, RED, anchor="end", weight=700, size=15)
        blink = f'<animate attributeName="opacity" {shown} values="0;1;{int(last == 1)}"/></text>'
        found.append(said.replace("<text ", '<text opacity="0" ').replace("</text>", blink))
    return found


def _full(wall: float, width: float, colour: str) -> str:
    """One moment, for those who want no motion: the queue is full, and a packet falls."""
    count = round((GATE - wall) / width)
    boxes = [
        f'<rect x="{wall + at * width:.1f}" y="{Y:g}" width="{width - 1:.1f}" height="{HIGH:g}"'
        f' rx="4" fill="{colour}"/>'
        for at in range(count)
    ]
    fallen = f'<rect x="{wall - 34:.1f}" y="{Y + 38}" width="{0.4 * width:.1f}" height="{HIGH:g}"'
    turned = f' rx="4" fill="#FBE9E7" stroke="{RED}" stroke-width="2"'
    turned += f' transform="rotate(24 {wall - 27:.1f} {Y + 58})"/>'
    return "".join([*boxes, fallen, turned])
