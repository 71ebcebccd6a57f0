"""One moment of a TCP view as an SVG, and the whole window below it, for where nothing plays."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from qoslib import units
from qoslib.explore import svg
from qoslib.explore.packet_scene import Scene
from qoslib.explore.packet_still import Moment, finished, moment
from qoslib.explore.svg import WIDTH, Shape, Stroke, alike, area, box, rule, text
from qoslib.explore.tcp_scene import TcpLane, TcpPath, paths_of
from qoslib.port import Port

__all__ = ["still_of_tcp"]

PAD, GATE, LARGEST, HIGH, STRIP = 10, 492, 22.0, 22, 64
#: How high a packet of a window is, and how far apart the windows of two flows are [px].
IN_WINDOW, WINDOWS = 16, 44
GREY = "#DADDE1"
#: Points of the curves of all lanes at most.
POINTS = 240


def still_of_tcp(
    scene: Scene, lanes: Sequence[TcpLane], window: tuple[float, float], time_s: float
) -> str:
    """The lanes of a scene at a time of the run [s], drawn as the view draws them."""
    colours = {each["name"]: each["light"] for each in scene.spec["classes"]}
    shapes: list[Shape] = []
    y = 8.0
    for each, described in zip(lanes, scene.spec["lanes"], strict=True):
        drawn = _loop_of(each, colours, y, time_s)
        shapes.append(text(described["title"], PAD, y + 14, weight=650, size=15))
        shapes += _loop(drawn)
        y = drawn.slots(len(drawn.paths)) - 20
        shapes += _curves(each, colours, y, window, time_s, POINTS // len(lanes))
        y += STRIP + 26
    return finished(shapes, scene, time_s - window[0], WIDTH - PAD, y + 6, y + 16)


class _Loop(NamedTuple):
    """What stands between senders and receivers at a time, and where it is drawn."""

    lane: TcpLane
    paths: list[TcpPath]
    now: Moment
    time_s: float
    colours: Mapping[str, str]
    top: float
    #: Pixels per byte, and bytes on the line per second.
    scale: float
    speed: float
    overhead_bytes: float
    room: int

    @property
    def pitch(self) -> float:
        """How wide a packet of the first flow is."""
        return self.wide(self.paths[0].flow.frame_bytes)

    @property
    def wall(self) -> float:
        return GATE - self.room * self.pitch

    @property
    def receiver(self) -> float:
        return GATE + self.scale * self.speed * max(path.forth_s for path in self.paths)

    def slots(self, index: int) -> float:
        """Where the window of a flow has its upper edge."""
        return self.top + HIGH + 32 + WINDOWS * index

    def wide(self, frame_bytes: int) -> float:
        return self.scale * (frame_bytes + self.overhead_bytes)

    def packet(self, stream: int, x: float, size: int) -> Stroke:
        name = self.lane.lane.streams[stream].name
        return box(x, self.top, self.wide(size), HIGH, self.colours[name])


def _loop_of(each: TcpLane, colours: Mapping[str, str], y: float, time_s: float) -> _Loop:
    port, now, paths = each.lane.at, moment(each.lane, 0.0, time_s), paths_of(each)
    assert isinstance(port, Port)
    packet_bytes = paths[0].flow.frame_bytes + port.overhead_bytes
    speed = units.octets(port.rate_bps)
    room = getattr(port.queues[0].limit, "packets", len(now.waiting[0])) + 1
    scale = min(
        LARGEST / packet_bytes,
        0.8 * GATE / (room * packet_bytes),
        (WIDTH - GATE - 50) / (speed * max(path.forth_s for path in paths)),
    )
    return _Loop(each, paths, now, time_s, colours, y + 48, scale, speed, port.overhead_bytes, room)


def _loop(loop: _Loop) -> Iterator[Shape]:
    """Queue and path at the top, window and way back below them."""
    now, wall, receiver = loop.now, loop.wall, loop.receiver
    above, floor = loop.top - 9, loop.top + HIGH + 4
    yield area(wall, loop.top - 4, receiver - wall, HIGH + 8)
    yield rule(wall, loop.top - 7, wall, floor, svg.INK, 3)
    yield rule(GATE, loop.top - 7, GATE, floor + 3, svg.INK, 2.5)
    yield text(f"{len(now.waiting[0])} waiting", GATE - 4, above, anchor="end")
    if now.dropped[0]:
        yield text(f"{now.dropped[0]} dropped", wall - 6, above, svg.RED, anchor="end")
    yield text(f"the path holds {loop.paths[0].holds_packets:.0f} packets", GATE + 8, above)
    boxes = [*_on_path(loop)]
    for index in range(len(loop.paths)):
        yield from _window(loop, index)
        boxes += _way_back(loop, index)
    yield from alike(boxes)


def _on_path(loop: _Loop) -> Iterator[Stroke]:
    """Packets that wait, are being sent, or are on their way to the receiver."""
    x = float(GATE)
    for _, stream, size, at_s, delay_s in loop.now.on_link:
        wide = loop.wide(size)
        left = GATE + (loop.time_s - at_s) * loop.scale * loop.speed
        left -= wide if np.isnan(delay_s) else 0.0
        if left + wide <= loop.receiver:
            yield loop.packet(stream, left, size)
            x = min(x, left)
    for _, stream, size in loop.now.waiting[0]:
        x -= loop.wide(size)
        yield loop.packet(stream, x, size)


def _window(loop: _Loop, index: int) -> Iterator[Shape]:
    """The window of a flow with what is in flight, and its name."""
    record, path = loop.lane.record, loop.paths[index]
    mine = np.flatnonzero((record.flow == index) & (record.time_s <= loop.time_s))
    flight, window = 0, float(path.flow.slow_start.initial_window_packets)
    if len(mine):
        flight = int(record.in_flight_packets[mine[-1]])
        window = float(record.window_packets[mine[-1]])
    y, name = loop.slots(index), path.flow.name
    pitch = min(loop.pitch, (GATE - 2 * PAD) / max(window, flight, 8))
    edge = GATE - window * pitch
    yield rule(edge, y - 4, edge, y + IN_WINDOW + 4, svg.INK, 2)
    yield text(f"{name}: window {window:.1f}, {flight} in flight", PAD, y - 8)
    yield rule(GATE + 2, y + IN_WINDOW / 2, loop.receiver, y + IN_WINDOW / 2)
    for at in range(flight):
        yield box(GATE - (at + 1) * pitch, y, pitch, IN_WINDOW, loop.colours[name])


def _way_back(loop: _Loop, index: int) -> Iterator[Stroke]:
    """The acknowledgements of a flow that are on their way to its sender."""
    record, path = loop.lane.record, loop.paths[index]
    for at_s in record.time_s[(record.flow == index) & (record.kind == "ack")]:
        share = (at_s - loop.time_s) / path.back_s
        if 0 < share <= 1:
            x = GATE + (loop.receiver - GATE) * share
            yield box(x, loop.slots(index) + 3, 2, 10, loop.colours[path.flow.name])


def _curves(
    each: TcpLane,
    colours: Mapping[str, str],
    y: float,
    window: tuple[float, float],
    time_s: float,
    points: int,
) -> list[Shape]:
    """Windows and queue over the time that the view plays."""
    grid_s = np.linspace(*window, points)
    events = each.lane.events
    queue = _held(events.time_s, events.queue_packets, grid_s)
    curves = [_window_over_time(each, index, grid_s) for index in range(len(paths_of(each)))]
    top = 1.1 * max([float(queue.max()), *(float(held.max()) for held in curves), 1.0])
    floor = y + STRIP
    x = PAD + (WIDTH - 2 * PAD) * np.linspace(0, 1, points)

    def line(values: np.ndarray) -> str:
        high = floor - (STRIP - 4) * values / top
        return "".join(f"L{a:.0f} {b:.0f}" for a, b in zip(x, high, strict=True))[1:]

    area = f"M{PAD} {floor:.0f}L{line(queue)}L{x[-1]:.0f} {floor:.0f}z"
    shapes: list[Shape] = [f'<path fill="{GREY}" d="{area}"/>']
    for path, held in zip(paths_of(each), curves, strict=True):
        look = f'fill="none" stroke="{colours[path.flow.name]}" stroke-width="2"'
        shapes.append(f'<path {look} d="M{line(held)}"/>')
    now = PAD + (WIDTH - 2 * PAD) * (time_s - window[0]) / (window[1] - window[0])
    said = "Congestion window (line) and queue (grey) in packets"
    return [
        *shapes,
        rule(PAD, floor, WIDTH - PAD, floor),
        rule(now, floor - STRIP, now, floor, svg.INK),
        text(said, PAD, floor + 16, svg.MUTED, size=11.5),
    ]


def _window_over_time(each: TcpLane, index: int, grid_s: np.ndarray) -> np.ndarray:
    """The congestion window of a flow [packets], no more than its receiver lets it send."""
    record, flow = each.record, paths_of(each)[index].flow
    mine, limit = record.flow == index, flow.window_bytes
    held = _held(record.time_s[mine], record.window_packets[mine], grid_s)
    return np.asarray(np.minimum(held, limit // flow.mss_bytes if limit else np.inf))


def _held(times_s: np.ndarray, values: np.ndarray, at_s: np.ndarray) -> np.ndarray:
    """The last of the values at each time; 0 before the first."""
    place = np.searchsorted(times_s, at_s, side="right") - 1
    known = np.concatenate([[0.0], np.asarray(values, float)])
    return known[place + 1]
