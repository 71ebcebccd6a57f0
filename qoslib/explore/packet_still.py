"""One moment of a packet view as an SVG of a few kilobytes, for where no program runs."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from qoslib.explore.lane_description import Lane
from qoslib.explore.packet_scene import Scene
from qoslib.explore.packet_words import time_words
from qoslib.port import Forwarder

__all__ = ["INK", "MUTED", "RED", "document", "still_svg", "text"]

INK, MUTED, RULE, TRAY, RED = "#1F2328", "#59636E", "#B4BBC4", "#F2F3F4", "#B3261E"
WIDTH, PAD, GATE, LEFT = 820, 10, 566, 164
FONT = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"
#: The largest packet is this wide, and at most so many stand on the link [px].
LARGEST, STEM = 40.0, 36.0
#: Above and between the rows of a lane, of one or two lanes and of more [px].
HEADINGS, BETWEEN = (58, 44), (46, 26)
SIZE = 12.5


class Moment(NamedTuple):
    """What stands at a port: packets as (number, stream, bytes), oldest first; and counters."""

    waiting: list[list[tuple[int, int, int]]]
    on_link: list[tuple[int, int, int, float, float]]
    sent: int
    dropped: list[int]


def still_svg(scene: Scene, lanes: Sequence[Lane], time_s: float) -> str:
    """The lanes of a scene at a time of the run [s], drawn as the view draws them."""
    colours = {each["name"]: each["light"] for each in scene.spec["classes"]}
    for lane in scene.spec["lanes"]:
        others = {name for name, queue in lane["streams"] if queue not in lane["shown"]}
        colours |= dict.fromkeys(others, RULE)
    moments = [moment(lane, scene.spec["start_s"], time_s) for lane in lanes]
    scale = min(_scale(d, m) for d, m in zip(scene.spec["lanes"], moments, strict=True))
    parts: list[str] = []
    y, many = 8.0, len(lanes) > 2
    for described, lane, now in zip(scene.spec["lanes"], lanes, moments, strict=True):
        y = _lane(parts, described, lane, now, scale, colours, y, time_s, many)
    if badge := scene.spec.get("badge"):
        parts.append(text(badge, GATE - 8, 22, MUTED, anchor="end", weight=600))
    shown = time_words(time_s - scene.spec["start_s"])
    y += 16 if many else 6
    parts.append(text(f"At {shown}. Run the cell to let it play.", PAD, y, MUTED))
    return document(parts, y + 10, scene.spec["summary"])


def moment(lane: Lane, start_s: float, time_s: float) -> Moment:
    """What stands at a time; the counters begin at the start of the window."""
    events, queues = lane.events, len(_names(lane))
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


def _names(lane: Lane) -> list[str]:
    at = lane.at
    return [at.queue.name] if isinstance(at, Forwarder) else list(at.queue_names)


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


def _lane(
    parts: list[str],
    described: Mapping[str, Any],
    lane: Lane,
    now: Moment,
    scale: float,
    colours: Mapping[str, str],
    y: float,
    time_s: float,
    many: bool,
) -> float:
    parts.append(text(described["title"], PAD, y + 14, weight=650, size=15))
    names = [name for name, _ in described["streams"]]
    single, shown = len(described["queues"]) == 1, described["shown"]
    high = 30 if single else 18 if len(shown) > 3 else 22
    head = GATE if single else GATE - 40
    headings, between = HEADINGS[many], BETWEEN[many]
    rows = [y + headings + at * (high + between) for at in range(len(shown))]
    largest = _largest(described, now)
    boxes: dict[str, list[str]] = {name: [] for name in names}
    # A packet that is being sent is cut by the gate, and those that wait stand behind it.
    line = (rows[0] + rows[-1]) / 2
    pixels_per_s = scale * described["speed"]
    stems, rest = [], 0.0
    longest_s = max((delay for *_, delay in now.on_link if delay == delay), default=1.0)
    for _, stream, size, at_s, delay_s in now.on_link:
        w = scale * _length(described, size)
        x = GATE + (time_s - at_s) * pixels_per_s - (w if np.isnan(delay_s) else 0.0)
        if np.isnan(delay_s):
            rest = max(GATE - x, 0.0)
        if x + w > WIDTH - PAD:
            continue
        # Of several queues, what has not been sent yet is still with its queue.
        left = x if single else max(x, GATE)
        boxes[names[stream]].append(_box(left, line + high / 2, x + w - left))
        if not np.isnan(delay_s) and colours[names[stream]] != RULE:
            stems.append((x + w / 2, line - 5 - STEM * delay_s / longest_s, names[stream]))
    for row, number in zip(rows, shown, strict=True):
        _queue(parts, described, now, number, row, high, head, scale, largest)
        x = head - (rest if single else 0.0)
        runs = _runs(
            [(stream, scale * _length(described, size)) for _, stream, size in now.waiting[number]]
        )
        for stream, w in runs:
            x -= w
            boxes[names[stream]].append(_box(x, row + high / 2, w))
    for name, found in boxes.items():
        if found:
            look = f'stroke="{colours[name]}" stroke-width="{high}"'
            parts.append(f'<path {look} d="{"".join(found)}"/>')
    for name in names:
        mine = [f"M{x:.1f} {line - 5:g}V{top:.1f}" for x, top, of in stems if of == name]
        if mine:
            parts.append(f'<path stroke="{colours[name]}" stroke-width="1.5" d="{"".join(mine)}"/>')
            if many:
                continue
            dots = "".join(f"M{x:.1f} {top:.1f}h0" for x, top, of in stems if of == name)
            look = f'stroke="{colours[name]}" stroke-width="5" stroke-linecap="round"'
            parts.append(f'<path {look} d="{dots}"/>')
    parts.append(rule(GATE, line - 5, GATE, line + high + 8, INK, 2.5))
    parts.append(rule(GATE, line + high + 4, WIDTH - PAD, line + high + 4))
    parts.append(text(f"{now.sent:,} sent", GATE + 4, line + high + 20))
    return rows[-1] + high + between


def _runs(packets: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Neighbours of one class that are too narrow to be told apart, as one bar."""
    runs: list[tuple[int, float]] = []
    for stream, w in packets:
        if w < 3 and runs and runs[-1][0] == stream:
            runs[-1] = (stream, runs[-1][1] + w)
        else:
            runs.append((stream, w))
    return runs


def _queue(
    parts: list[str],
    described: Mapping[str, Any],
    now: Moment,
    number: int,
    y: float,
    high: float,
    head: float,
    scale: float,
    largest: float,
) -> None:
    wall = head - scale * (_room(described, number, now) + largest)
    tray = f'<rect x="{wall:.1f}" y="{y - 4:.1f}" width="{head - wall:.1f}"'
    parts.append(f'{tray} height="{high + 8}" fill="{TRAY}"/>')
    parts.append(rule(wall, y + high + 4, head, y + high + 4))
    parts.append(rule(wall, y - 7, wall, y + high + 4, INK, 3))
    queue = described["queues"][number]
    if len(described["queues"]) > 1:
        parts.append(text(queue["name"], PAD, y + high / 2 + 4, weight=600))
    parts.append(text(f"{len(now.waiting[number]):,} waiting", head, y - 9, anchor="end"))
    if now.dropped[number]:
        said, at_head = f"{now.dropped[number]:,} dropped", queue["drops"] == "head"
        x = head - 30 if at_head else wall - 8
        parts.append(text(said, x, y + high + 19, RED, anchor="end", weight=600))


def _box(x: float, y: float, w: float) -> str:
    """A box as a piece of a path with a wide stroke, with a gap to the next one."""
    gap = 1 if w > 4 else 0
    return f"M{round(x + gap / 2, 1):g} {round(y, 1):g}h{round(max(w - gap, 0.5), 1):g}"


def rule(x0: float, y0: float, x1: float, y1: float, colour: str = RULE, width: float = 1.5) -> str:
    """A line."""
    ends = f"M{x0:.0f} {y0:.0f}L{x1:.0f} {y1:.0f}"
    return f'<path d="{ends}" stroke="{colour}" stroke-width="{width}"/>'


def text(
    said: str,
    x: float,
    y: float,
    colour: str = INK,
    *,
    anchor: str = "start",
    weight: int = 400,
    size: float = SIZE,
) -> str:
    """A line of text."""
    look = "" if size == SIZE else f' font-size="{size}"'
    look += "" if weight == 400 else f' font-weight="{weight}"'
    look += "" if anchor == "start" else f' text-anchor="{anchor}"'
    look += "" if colour == INK else f' fill="{colour}"'
    return f'<text x="{x:.0f}" y="{y:.0f}"{look}>{html.escape(said)}</text>'


def document(parts: Iterable[str], height: float, summary: str, style: str = "") -> str:
    """An SVG with a white ground and a description."""
    size = f'viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" fill="{INK}"'
    head += f' font-family="{FONT}" font-size="{SIZE}">'
    ground = f'<rect width="{WIDTH}" height="{height:.0f}" rx="8" fill="#fff"/>'
    said = f"<title>{html.escape(summary)}</title>"
    return "".join([head, said, style, ground, *parts, "</svg>"])
