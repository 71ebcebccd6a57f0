"""One moment of a packet view as an SVG of a few kilobytes, for where no program runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from qoslib.explore import svg
from qoslib.explore.lane_description import Lane
from qoslib.explore.packet_scene import Scene
from qoslib.explore.packet_words import time_words
from qoslib.explore.svg import Shape, Stroke, alike, area, box, dot, rule, stem, text
from qoslib.port import Forwarder

__all__ = ["Moment", "finished", "moment", "still_svg"]

PAD, GATE, LEFT = 10, 566, 164
#: The largest packet is this wide, and a stem at most so long [px].
LARGEST, STEM = 40.0, 36.0
#: Above and between the rows of a lane, of one or two lanes and of more [px].
HEADINGS, BETWEEN = (58, 44), (46, 26)


class Moment(NamedTuple):
    """What stands at a port: packets as (number, stream, bytes), oldest first; and counters."""

    waiting: list[list[tuple[int, int, int]]]
    on_link: list[tuple[int, int, int, float, float]]
    sent: int
    dropped: list[int]


def still_svg(scene: Scene, lanes: Sequence[Lane], time_s: float) -> str:
    """The lanes of a scene at a time of the run [s], drawn as the view draws them."""
    described = scene.spec["lanes"]
    moments = [moment(lane, scene.spec["start_s"], time_s) for lane in lanes]
    scale = min(map(_scale, described, moments))
    shapes: list[Shape] = []
    y, many = 8.0, len(lanes) > 2
    for each, now in zip(described, moments, strict=True):
        drawn = _Lane(each, now, time_s, scale, _colours(scene), y, many)
        shapes += _shapes(drawn)
        y = drawn.rows[-1] + drawn.high + BETWEEN[many]
    y += 16 if many else 6
    return finished(shapes, scene, time_s - scene.spec["start_s"], GATE - 8, y, y + 10)


def finished(
    shapes: Iterable[Shape], scene: Scene, shown_s: float, badge: float, y: float, height: float
) -> str:
    """A still with its badge, and with the time that it shows."""
    said = f"At {time_words(shown_s)}. Run the cell to let it play."
    shapes = [*shapes, text(said, PAD, y, svg.MUTED)]
    if words := scene.spec.get("badge"):
        shapes.append(text(words, badge, 22, svg.MUTED, anchor="end", weight=600))
    return svg.document(shapes, height, scene.spec["summary"])


def _colours(scene: Scene) -> dict[str, str]:
    """The colour of each class; that of a rule for those whose queues are not drawn."""
    colours = {each["name"]: each["light"] for each in scene.spec["classes"]}
    for lane in scene.spec["lanes"]:
        others = {name for name, queue in lane["streams"] if queue not in lane["shown"]}
        colours |= dict.fromkeys(others, svg.RULE)
    return colours


def moment(lane: Lane, start_s: float, time_s: float) -> Moment:
    """What stands at a time; the counters begin at the start of the window."""
    events, queues = lane.events, 1 if isinstance(lane.at, Forwarder) else len(lane.at.queues)
    waiting: list[list[tuple[int, int, int]]] = [[] for _ in range(queues)]
    arrived: dict[int, float] = {}
    link: dict[int, tuple[int, int, int, float, float]] = {}
    sent, dropped = 0, [0] * queues
    columns = (events.time_s, events.kind, events.packet, events.stream, events.queue)
    rows = zip(*(each.tolist() for each in (*columns, events.frame_bytes)), strict=True)
    for at_s, kind, number, stream, queue, size in rows:
        if at_s > time_s:
            break
        first = number not in arrived
        arrived.setdefault(number, at_s)
        if kind == "enqueue":
            waiting[queue].append((number, stream, size))
        elif kind == "choice" or (kind == "drop" and not first):
            waiting[queue] = [each for each in waiting[queue] if each[0] != number]
        if kind == "drop" and at_s >= start_s:
            dropped[queue] += 1
        if kind == "start":
            link[number] = (number, stream, size, at_s, np.nan)
        if kind == "departure":
            link[number] = (*link[number][:3], at_s, at_s - arrived[number])
            sent += at_s >= start_s
    return Moment(waiting, list(link.values())[-80:], sent, dropped)


def _length(described: Mapping[str, Any], size: int) -> float:
    return float(described["extra"] + described["per_byte"] * size)


def _room(described: Mapping[str, Any], number: int, now: Moment) -> float:
    """How long the tray of a queue is drawn, in units: its limit, or what waits if that is far."""
    limit, largest = described["queues"][number]["limit"], _largest(described, now)
    held = sum(_length(described, size) for _, _, size in now.waiting[number])
    held = max(1.15 * held, 6 * largest)
    if limit is None:
        return held
    most = limit["most"]
    if changes := limit.get("over_time"):
        most = max(room for _, room in changes)
    scale = {"packets": largest, "bytes": described["per_byte"], "s": described["speed"]}
    return min(float(most * scale[limit["unit"]]), 4 * held)


def _largest(described: Mapping[str, Any], now: Moment) -> float:
    sizes = [size for queue in now.waiting for _, _, size in queue]
    sizes += [size for _, _, size, _, _ in now.on_link]
    return max((_length(described, size) for size in sizes), default=1.0)


def _scale(described: Mapping[str, Any], now: Moment) -> float:
    """Pixels per unit."""
    largest = _largest(described, now)
    longest = max(_room(described, number, now) for number in described["shown"]) + largest
    return float(min(LARGEST / largest, (GATE - 20 - LEFT) / longest))


class _Lane(NamedTuple):
    """A lane, what stands in it at a time, and where and how large it is drawn."""

    described: Mapping[str, Any]
    now: Moment
    time_s: float
    scale: float
    colours: Mapping[str, str]
    y: float
    many: bool

    @property
    def single(self) -> bool:
        return len(self.described["queues"]) == 1

    @property
    def high(self) -> int:
        return 30 if self.single else 18 if len(self.described["shown"]) > 3 else 22

    @property
    def rows(self) -> list[float]:
        """Where the packets of each queue have their upper edge."""
        apart = self.high + BETWEEN[self.many]
        first = self.y + HEADINGS[self.many]
        return [first + at * apart for at in range(len(self.described["shown"]))]

    @property
    def line(self) -> float:
        """The upper edge of packets on the link."""
        return (self.rows[0] + self.rows[-1]) / 2

    @property
    def head(self) -> float:
        """Where the oldest packet of a queue stands."""
        return GATE if self.single else GATE - 40

    def wide(self, size: int) -> float:
        return self.scale * _length(self.described, size)

    def colour(self, stream: int) -> str:
        return self.colours[self.described["streams"][stream][0]]


def _shapes(lane: _Lane) -> list[Shape]:
    boxes, stems, rest = _on_link(lane)
    shapes: list[Shape] = [text(lane.described["title"], PAD, lane.y + 14, weight=650, size=15)]
    for row, number in zip(lane.rows, lane.described["shown"], strict=True):
        shapes += _queue(lane, number, row)
        boxes += _waiting(lane, number, row, lane.head - (rest if lane.single else 0.0))
    floor = lane.line + lane.high + 4
    return [
        *shapes,
        *alike(boxes),
        *alike(stems),
        rule(GATE, lane.line - 5, GATE, floor + 4, svg.INK, 2.5),
        rule(GATE, floor, svg.WIDTH - PAD, floor),
        text(f"{lane.now.sent:,} sent", GATE + 4, floor + 16),
    ]


def _on_link(lane: _Lane) -> tuple[list[Stroke], list[Stroke], float]:
    """Packets on the link, the delays of those that were sent, and what waits of the other one.

    A packet that is being sent is cut by the gate; of several queues, what has not been sent yet
    is still with its queue.
    """
    boxes, stems, rest = [], [], 0.0
    pixels_per_s, foot = lane.scale * lane.described["speed"], lane.line - 5
    longest_s = max((delay for *_, delay in lane.now.on_link if delay == delay), default=1.0)
    for _, stream, size, at_s, delay_s in lane.now.on_link:
        wide, colour, sending = lane.wide(size), lane.colour(stream), np.isnan(delay_s)
        x = GATE + (lane.time_s - at_s) * pixels_per_s - (wide if sending else 0.0)
        if sending:
            rest = max(GATE - x, 0.0)
        if x + wide > svg.WIDTH - PAD:
            continue
        left = x if lane.single else max(x, GATE)
        boxes.append(box(left, lane.line, x + wide - left, lane.high, colour))
        if not sending and colour != svg.RULE:
            top = foot - STEM * delay_s / longest_s
            stems.append(stem(x + wide / 2, foot, top, colour))
            stems += [] if lane.many else [dot(x + wide / 2, top, colour)]
    return boxes, stems, rest


def _waiting(lane: _Lane, number: int, y: float, head: float) -> Iterator[Stroke]:
    """The packets of a queue; neighbours too narrow to be told apart are one."""
    runs: list[tuple[int, float]] = []
    for _, stream, size in lane.now.waiting[number]:
        wide = lane.wide(size)
        if wide < 3 and runs and runs[-1][0] == stream:
            wide += runs.pop()[1]
        runs.append((stream, wide))
    for stream, wide in runs:
        head -= wide
        yield box(head, y, wide, lane.high, lane.colour(stream))


def _queue(lane: _Lane, number: int, y: float) -> Iterator[Shape]:
    """What a queue has besides its packets: its room with a floor and a wall, and its counters."""
    described, now, head = lane.described, lane.now, lane.head
    floor, queue = y + lane.high + 4, described["queues"][number]
    wall = head - lane.scale * (_room(described, number, now) + _largest(described, now))
    yield area(wall, y - 4, head - wall, lane.high + 8)
    yield rule(wall, floor, head, floor)
    yield rule(wall, y - 7, wall, floor, svg.INK, 3)
    if not lane.single:
        yield text(queue["name"], PAD, y + lane.high / 2 + 4, weight=600)
    yield text(f"{len(now.waiting[number]):,} waiting", head, y - 9, anchor="end")
    if now.dropped[number]:
        x = head - 30 if queue["drops"] == "head" else wall - 8
        said = f"{now.dropped[number]:,} dropped"
        yield text(said, x, floor + 15, svg.RED, anchor="end", weight=600)
