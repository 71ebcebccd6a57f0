"""One moment of a TCP view as an SVG, and the whole window below it, for where nothing plays."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.explore.packet_scene import Scene
from qoslib.explore.packet_still import INK, MUTED, RED, document, moment, rule, text
from qoslib.explore.packet_words import time_words
from qoslib.explore.tcp_scene import TcpLane, paths_of
from qoslib.port import Port

__all__ = ["still_of_tcp"]

WIDTH, PAD, GATE, LARGEST, HIGH, STRIP = 820, 10, 492, 22.0, 22, 64
GREY, TRAY = "#DADDE1", "#F2F3F4"
#: Points of the curves of all lanes at most.
POINTS = 240


def still_of_tcp(
    scene: Scene, lanes: Sequence[TcpLane], window: tuple[float, float], time_s: float
) -> str:
    """The lanes of a scene at a time of the run [s], drawn as the view draws them."""
    colours = {each["name"]: each["light"] for each in scene.spec["classes"]}
    parts: list[str] = []
    y = 8.0
    for each, described in zip(lanes, scene.spec["lanes"], strict=True):
        y = _loop(parts, each, described["title"], colours, y, time_s)
        y = _curves(parts, each, colours, y, window, time_s, POINTS // len(lanes))
    if badge := scene.spec.get("badge"):
        parts.append(text(badge, WIDTH - PAD, 22, MUTED, anchor="end", weight=600))
    shown = time_words(time_s - window[0])
    parts.append(text(f"At {shown}. Run the cell to let it play.", PAD, y + 6, MUTED))
    return document(parts, y + 16, scene.spec["summary"])


def _loop(
    parts: list[str],
    each: TcpLane,
    title: str,
    colours: dict[str, str],
    y: float,
    time_s: float,
) -> float:
    """Queue and path at the top, window and way back below them."""
    port, lane, record = each.lane.at, each.lane, each.record
    assert isinstance(port, Port)
    now, paths = moment(lane, 0.0, time_s), paths_of(each)
    names = [stream.name for stream in lane.streams]
    packet_bytes = paths[0].flow.frame_bytes + port.overhead_bytes
    per_s = units.octets(port.rate_bps)
    room = getattr(port.queues[0].limit, "packets", len(now.waiting[0])) + 1
    k = min(
        LARGEST / packet_bytes,
        0.8 * GATE / (room * packet_bytes),
        (WIDTH - GATE - 50) / (per_s * max(path.forth_s for path in paths)),
    )
    receiver = GATE + k * per_s * max(path.forth_s for path in paths)
    top = y + 48
    boxes: dict[str, list[str]] = {name: [] for name in names}
    wall, x = GATE - k * room * packet_bytes, float(GATE)
    for _, stream, size, at_s, delay_s in now.on_link:
        w = k * (size + port.overhead_bytes)
        left = GATE + (time_s - at_s) * k * per_s - (w if np.isnan(delay_s) else 0.0)
        if left + w <= receiver:
            boxes[names[stream]].append(_box(left, top, w, HIGH))
            x = min(x, left)
    for _, stream, size in now.waiting[0]:
        x -= k * (size + port.overhead_bytes)
        boxes[names[stream]].append(_box(x, top, k * (size + port.overhead_bytes), HIGH))
    parts.append(text(title, PAD, y + 14, weight=650, size=15))
    tray = f'y="{top - 4}" height="{HIGH + 8}" fill="{TRAY}"/>'
    parts.append(f'<rect x="{wall:.1f}" width="{receiver - wall:.1f}" {tray}')
    parts.append(rule(wall, top - 7, wall, top + HIGH + 4, INK, 3))
    parts.append(rule(GATE, top - 7, GATE, top + HIGH + 7, INK, 2.5))
    parts.append(text(f"{len(now.waiting[0])} waiting", GATE - 4, top - 9, anchor="end"))
    if now.dropped[0]:
        parts.append(text(f"{now.dropped[0]} dropped", wall - 6, top - 9, RED, anchor="end"))
    parts.append(text(f"the path holds {paths[0].holds_packets:.0f} packets", GATE + 8, top - 9))
    slots = top + HIGH + 32
    for index, path in enumerate(paths):
        mine = np.flatnonzero((record.flow == index) & (record.time_s <= time_s))
        last = mine[-1] if len(mine) else None
        flight = 0 if last is None else int(record.in_flight_packets[last])
        window = float(path.flow.slow_start.initial_window_packets)
        if last is not None:
            window = float(record.window_packets[last])
        pitch = min(k * packet_bytes, (GATE - 2 * PAD) / max(window, flight, 8))
        filled = [_box(GATE - (at + 1) * pitch, slots, pitch, 16) for at in range(flight)]
        boxes[path.flow.name] += filled
        edge = GATE - window * pitch
        parts.append(rule(edge, slots - 4, edge, slots + 20, INK, 2))
        said = f"{path.flow.name}: window {window:.1f}, {flight} in flight"
        parts.append(text(said, PAD, slots - 8))
        parts.append(rule(GATE + 2, slots + 8, receiver, slots + 8))
        for at_s in record.time_s[(record.flow == index) & (record.kind == "ack")]:
            if time_s < at_s <= time_s + path.back_s:
                place = GATE + (receiver - GATE) * (at_s - time_s) / path.back_s
                boxes[path.flow.name].append(_box(place, slots + 3, 2, 10))
        slots += 44
    for name, found in boxes.items():
        if found:
            parts.append(f'<path fill="{colours[name]}" d="{"".join(found)}"/>')
    return slots - 20


def _curves(
    parts: list[str],
    each: TcpLane,
    colours: dict[str, str],
    y: float,
    window: tuple[float, float],
    time_s: float,
    points: int,
) -> float:
    """Windows and queue over the time that the view plays."""
    record, events = each.record, each.lane.events
    grid_s = np.linspace(*window, points)
    queue = _held(events.time_s, events.queue_packets, grid_s)
    curves = []
    for index, path in enumerate(paths_of(each)):
        mine, limit = record.flow == index, path.flow.window_bytes
        held = _held(record.time_s[mine], record.window_packets[mine], grid_s)
        most = limit // path.flow.mss_bytes if limit else np.inf
        curves.append((path.flow.name, np.minimum(held, most)))
    top = 1.1 * max([float(queue.max()), *(float(held.max()) for _, held in curves), 1.0])
    floor = y + STRIP
    x = PAD + (WIDTH - 2 * PAD) * np.linspace(0, 1, points)

    def line(values: np.ndarray) -> str:
        high = floor - (STRIP - 4) * values / top
        return "".join(f"L{a:.0f} {b:.0f}" for a, b in zip(x, high, strict=True))[1:]

    area = f"M{PAD} {floor:.0f}L{line(queue)}L{x[-1]:.0f} {floor:.0f}z"
    parts.append(f'<path fill="{GREY}" d="{area}"/>')
    for name, held in curves:
        look = f'fill="none" stroke="{colours[name]}" stroke-width="2"'
        parts.append(f'<path {look} d="M{line(held)}"/>')
    parts.append(rule(PAD, floor, WIDTH - PAD, floor))
    now = PAD + (WIDTH - 2 * PAD) * (time_s - window[0]) / (window[1] - window[0])
    parts.append(rule(now, floor - STRIP, now, floor, INK, 1.5))
    said = "Congestion window (line) and queue (grey) in packets"
    parts.append(text(said, PAD, floor + 16, MUTED, size=11.5))
    return floor + 26


def _box(x: float, y: float, w: float, h: float) -> str:
    """A box as a piece of a path, with a gap to the next one."""
    gap = 1 if w > 4 else 0
    wide = max(w - gap, 0.5)
    return f"M{x + gap / 2:.1f} {y:.1f}h{wide:.1f}v{h:g}h-{wide:.1f}z"


def _held(times_s: np.ndarray, values: np.ndarray, at_s: np.ndarray) -> np.ndarray:
    """The last of the values at each time; 0 before the first."""
    place = np.searchsorted(times_s, at_s, side="right") - 1
    known = np.concatenate([[0.0], np.asarray(values, float)])
    return known[place + 1]
