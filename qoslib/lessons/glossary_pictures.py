"""Small moving pictures of the glossary: a few packets at a port, as the event record has them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from qoslib import units
from qoslib.explore import svg
from qoslib.explore.lane_description import Lane
from qoslib.explore.packet_lanes import Shown, Window, lane_of
from qoslib.explore.svg import Loop, Shape, area, rule, text
from qoslib.plots import style
from qoslib.port import (
    ByteLimit,
    Codel,
    DeficitRoundRobin,
    HeadDrop,
    Instantaneous,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    Shaper,
    StrictPriority,
)
from qoslib.scenario import Scenario
from qoslib.traffic import OnOff, Poisson, Stream

__all__ = ["PICTURES", "Picture", "drawn"]

#: Where the heads of several queues and the gate of the link are, and the sizes [px].
HEAD, GATE, WIDTH, HIGH, ROW, TOP = 330, 370, 520, 18, 34, 26
#: From the end of a rail to the wall of its queue, and how tall a full bucket is [px].
HOLE, BUCKET = 30, 22
#: A packet of the largest size, and how long the link takes for it as it is shown [px, s].
LARGEST, SENDING_S = 20.0, 0.7
SPEED = LARGEST / SENDING_S
LASTS_S, RAIL_PX_PER_S, GLIDE_S, FALL_S = 9.0, 60.0, 0.15, 0.8
LOOP = Loop(LASTS_S, 3)

LINK_BPS, FRAME = units.mbps(10), 1250


class Picture(NamedTuple):
    """A port and what it is offered, and what can be seen there."""

    said: str
    port: Port
    streams: tuple[Stream, ...]


def _port(*queues, **given):
    return Port("port", LINK_BPS, queues, **given)


def _one(limit=4, **given):
    return _port(Queue("all", PacketLimit(limit), **given))


def _data(mbps, **given):
    return Stream("data", units.mbps(mbps), FRAME, **given)


_TWO = (
    Queue("voice", PacketLimit(4), priority=0, quantum_bytes=FRAME),
    Queue("data", PacketLimit(4), priority=1, quantum_bytes=2 * FRAME),
)
_VOICE = Stream("voice", units.mbps(4), FRAME, start_s=units.ms(0.4))
_BURSTS = OnOff(on_s=units.ms(2), off_s=units.ms(4), periods="constant")
_RATE_BPS, _BURST = units.mbps(4), 2 * FRAME

#: Word -> its picture.
PICTURES = {
    "policer": Picture(
        "Bursts arrive. Packets pass while the bucket has tokens, and the others are dropped.",
        _one(policer=Policer(_RATE_BPS, _BURST)),
        (_data(6, arrivals=_BURSTS),),
    ),
    "shaper": Picture(
        "Bursts arrive. Packets wait in the queue until the bucket has tokens for them.",
        _one(shaper=Shaper(_RATE_BPS, _BURST)),
        (_data(4, arrivals=_BURSTS),),
    ),
    "tail drop": Picture(
        "The queue is full. The packet that has just arrived is dropped.",
        _one(3),
        (_data(16),),
    ),
    "head drop": Picture(
        "The queue is full. The oldest packet at its front is dropped, and the new one joins.",
        _one(3, dropper=HeadDrop()),
        (_data(16),),
    ),
    "RED": Picture(
        "The longer the queue, the more arriving packets are dropped at random before it is full.",
        _one(9, dropper=Red(RedProfile(1, 7, 0.6), averaging=Instantaneous())),
        (_data(15),),
    ),
    "CoDel": Picture(
        "The wait stays above the target for an interval, and the packet at the head is dropped.",
        _one(7, dropper=Codel(target_s=units.ms(1.5), interval_s=units.ms(3))),
        (_data(13),),
    ),
    "strict priority": Picture(
        "Voice always goes first. Data is sent only while the queue of voice is empty.",
        _port(*_TWO, scheduler=StrictPriority()),
        (_VOICE, _data(10)),
    ),
    "deficit round robin": Picture(
        "The queues take turns: one packet of voice, then two packets of data.",
        _port(*_TWO, scheduler=DeficitRoundRobin()),
        (_VOICE.replace(rate_bps=units.mbps(8)), _data(12)),
    ),
    "starvation": Picture(
        "Voice arrives as fast as the link sends. Nothing of data gets through.",
        _port(*_TWO, scheduler=StrictPriority()),
        (_VOICE.replace(rate_bps=units.mbps(11), start_s=0.0), _data(8, start_s=units.ms(0.3))),
    ),
    "serialisation": Picture(
        "A large packet takes the link longer than a small one.",
        _one(),
        (Stream("data", units.mbps(4), FRAME), Stream("voice", units.mbps(1), 300)),
    ),
    "Poisson": Picture(
        "Packets arrive at random: two close together, then a gap. Some wait on a link with room.",
        _one(),
        (_data(7, arrivals=Poisson()),),
    ),
    "CBR": Picture(
        "Packets arrive evenly, and none waits.",
        _one(),
        (_data(7),),
    ),
    "burst": Picture(
        "Four packets arrive close together and wait, and then none arrives for a while.",
        _one(),
        (_data(8, arrivals=OnOff(units.ms(1.25), units.ms(3.75), "constant")),),
    ),
    "jitter": Picture(
        "Packets of voice arrive evenly. Behind data, some of them wait longer than others.",
        _one(9),
        (
            Stream("voice", units.mbps(1.2), 300),
            _data(6, arrivals=OnOff(on_s=units.ms(3), off_s=units.ms(3))),
        ),
    ),
    "head-of-line blocking": Picture(
        "A small packet of voice waits behind large packets of data in the same queue.",
        _port(Queue("all", ByteLimit(6 * FRAME))),
        (Stream("voice", units.mbps(0.6), 300, start_s=units.ms(2)), _data(11)),
    ),
}


@dataclass(eq=False)
class _Packet:
    """Where a packet is over time [s, px], how long it is, its colour, and when it is dropped."""

    keys: list[tuple[float, float, float]]
    long: float
    colour: str
    lost_s: float | None = None

    @property
    def width(self) -> float:
        """With a gap to the next one."""
        return max(self.long - 1, 3)

    def rests(self, until_s: float) -> None:
        """Let it stand where it is; it may have a way to go until later than that."""
        self.keys.append((max(until_s, self.keys[-1][0]), *self.keys[-1][1:]))


def drawn(picture: Picture) -> str:
    """An SVG that plays over and over, and shows one moment where no motion is wanted."""
    largest = max(stream.mean_frame_bytes for stream in picture.streams)
    slowed = SENDING_S / units.serialisation_s(largest, LINK_BPS, 0)
    scenario = Scenario("picture", picture.port, picture.streams, seed=2)
    lane = lane_of(Shown("picture", scenario), Window(0.0, LASTS_S / slowed), ())
    packets = _packets(lane, LARGEST / largest, slowed)
    moving = "".join(_moving(each) for each in packets) + _bucket(picture, lane, slowed)
    still = "".join(_still(each, 0.7 * LASTS_S) for each in packets)
    shapes = list(_scenery(picture, LARGEST / largest))
    shapes.append(svg.moves_or_stands(moving, still, f".m>rect{{height:{HIGH}px;rx:3px}}"))
    height = TOP + ROW * len(picture.port.queues) + 12
    return svg.document(shapes, height, picture.said, WIDTH, "sans-serif", 16)


def _row(queue: int) -> float:
    return TOP + ROW * queue


def _line(queues: int) -> float:
    """Where the link is: in the middle of the queues."""
    return (_row(0) + _row(queues - 1)) / 2


def _scenery(picture: Picture, scale: float) -> Iterator[Shape]:
    queues = picture.port.queues
    line, head = _line(len(queues)), _head(queues)
    x = 6
    for name, look in style.looks(stream.name for stream in picture.streams).items():
        yield area(x, 6, 10, 10, look.colour, corner=2)
        yield text(name, x + 15, 15, svg.MUTED)
        x += 30 + 8 * len(name)
    places = [(_wall(queues, number, scale), _row(number)) for number in range(len(queues))]
    for wall, y in places:
        yield area(wall, y - 3, head - wall, HIGH + 6)
        yield rule(wall, y - 6, wall, y + HIGH + 3, svg.INK, 2.5)
    yield rule(GATE, line - 6, GATE, line + HIGH + 6, svg.INK, 2)
    yield rule(GATE, line + HIGH + 3, WIDTH, line + HIGH + 3)
    for wall, y in places:
        yield rule(0, y + HIGH + 3, wall - HOLE, y + HIGH + 3)
        yield rule(wall, y + HIGH + 3, head, y + HIGH + 3)


def _wall(queues: Sequence[Queue], number: int, scale: float) -> float:
    """The left end of a queue; one that is alone has its packet on the link before its limit."""
    room = queues[number].limit
    assert isinstance(room, ByteLimit | PacketLimit)
    room_px = scale * room.limit_bytes if isinstance(room, ByteLimit) else LARGEST * room.packets
    return _head(queues) - room_px - LARGEST * (len(queues) == 1)


def _head(queues: Sequence[Queue]) -> float:
    return GATE if len(queues) == 1 else HEAD


def _packets(lane: Lane, scale: float, slowed: float) -> list[_Packet]:
    """Follow the record, and note where each packet is whenever it begins or ends to move."""
    events, names = lane.events, [stream.name for stream in lane.streams]
    assert isinstance(lane.at, Port)
    looks, play, packets = style.looks(names), _Play(lane.at.queues), {}
    columns = (events.time_s * slowed, events.kind, events.packet, events.stream, events.queue)
    rows = zip(*(each.tolist() for each in (*columns, events.frame_bytes)), strict=True)
    for at_s, kind, number, stream, queue, size in rows:
        if number not in packets:
            colour, rail = looks[names[stream]].colour, _wall(play.queues, queue, scale) - HOLE
            packets[number] = _arriving(scale * size, colour, rail, at_s, _row(queue))
        play.on(kind, packets[number], queue, at_s)
    return [each for each in packets.values() if each.keys[0][0] < LASTS_S]


def _arriving(long: float, colour: str, rail: float, at_s: float, y: float) -> _Packet:
    keys = [(at_s - rail / RAIL_PX_PER_S, -long, y), (at_s, rail - long, y)]
    return _Packet(keys, long, colour)


class _Play:
    """The queues of a port and its link, on which packets move as the record has it."""

    def __init__(self, queues: Sequence[Queue]) -> None:
        self.queues, self.alone = queues, len(queues) == 1
        self.waiting: list[list[_Packet]] = [[] for _ in queues]
        #: How much of the only queue's place the packet has that is being sent.
        self.sending = 0.0

    def on(self, kind: str, packet: _Packet, queue: int, at_s: float) -> None:
        """What an event of the record moves."""
        waiting = self.waiting[queue]
        if kind == "enqueue":
            waiting.append(packet)
            self.settle(queue, at_s)
        elif kind == "drop":
            if packet in waiting:
                waiting.remove(packet)
                self.settle(queue, at_s)
            packet.lost_s = at_s
            packet.rests(at_s)
            packet.keys.append((at_s + FALL_S, packet.keys[-1][1] + 8, _row(queue) + 60))
        elif kind == "choice":
            waiting.remove(packet)
        elif kind == "start":
            self.send(packet, at_s)
            self.settle(queue, at_s, GLIDE_S * (not self.alone))
        elif kind == "departure" and self.alone:
            self.sending = 0.0
            self.settle(queue, at_s, 0.0)

    def send(self, packet: _Packet, at_s: float) -> None:
        """Let a packet go to the gate, and on as the link takes it."""
        packet.rests(at_s)
        began_s, line = packet.keys[-1][0] + GLIDE_S * (not self.alone), _line(len(self.queues))
        x = GATE - packet.long + SPEED * (began_s - at_s)
        packet.keys += [(began_s, x, line), (began_s + (WIDTH - x) / SPEED, WIDTH, line)]
        self.sending = packet.long if self.alone else 0.0

    def settle(self, queue: int, at_s: float, glide_s: float = GLIDE_S) -> None:
        """Let those that wait in a queue stand behind one another."""
        x = _head(self.queues) - self.sending
        for packet in self.waiting[queue]:
            x -= packet.long
            at, moved = packet.keys[-1][0], abs(packet.keys[-1][1] - x) > 0.5
            if glide_s and moved and at < at_s:
                packet.rests(at_s)
            packet.keys.append((max(at_s, at) + glide_s, x, _row(queue)))


def _bucket(picture: Picture, lane: Lane, slowed: float) -> str:
    """The tokens of a policer or a shaper, as a bucket whose level moves."""
    (queue, *_), events = picture.port.queues, lane.events
    meter = queue.policer or queue.shaper
    if meter is None:
        return ""
    known = ~np.isnan(events.tokens_share) & (events.time_s * slowed < LASTS_S)
    times = [0.0, *(events.time_s[known] * slowed), LASTS_S]
    shares = [1.0, *events.tokens_share[known]]
    shares.append(shares[-1])
    size = max(stream.mean_frame_bytes for stream in picture.streams) / meter.burst_bytes
    # Tokens flow in evenly; a packet that passes takes its own at once.
    keys, gain = [(0.0, 1.0)], meter.rate_bps / units.bits(meter.burst_bytes) / slowed
    for at_s, share in zip(times[1:-1], shares[1:-1], strict=True):
        came = min(1.0, keys[-1][1] + gain * (at_s - keys[-1][0]))
        keys.append((at_s, came))
        keys.append((at_s + 0.02, share - size if queue.shaper else share))
    keys.append((LASTS_S, min(1.0, keys[-1][1] + gain * (LASTS_S - keys[-1][0]))))
    x, foot = (GATE - 14, TOP - 6) if queue.shaper else (GATE - 190, TOP - 6)
    level = LOOP.animated("y", [(at_s, f"{1 - share:.2f}") for at_s, share in keys])
    return text("tokens", x + 18, foot, svg.MUTED) + (
        f'<path d="M{x} {foot - BUCKET}v{BUCKET}h12v-{BUCKET}" fill="none" stroke="{svg.INK}"/>'
        f'<svg x="{x + 1}" y="{foot - BUCKET}" width="10" height="{BUCKET}" viewBox="0 0 1 1" '
        f'preserveAspectRatio="none"><rect width="1" height="1" fill="{svg.MUTED}">'
        f"{level}</rect></svg>"
    )


def _moving(packet: _Packet) -> str:
    places = _bends(LOOP.within(packet.keys))
    body = LOOP.animated("translate", [(at_s, f"{x:.0f} {y:.0f}") for at_s, x, y in places])
    if packet.lost_s is not None and packet.lost_s < LASTS_S:
        lost_s, end_s = packet.lost_s, packet.lost_s + FALL_S
        fills = [(0.0, packet.colour), (lost_s, svg.RED)]
        fades = [(0.0, "1"), (lost_s, "1"), (end_s, "0"), (LASTS_S, "0")]
        body += LOOP.animated("fill", fills, discrete=True) + LOOP.animated("opacity", fades)
    return f'<rect width="{packet.width:.0f}" fill="{packet.colour}">{body}</rect>'


def _bends(places: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """A path without the places that lie on the way between their neighbours."""
    kept = places[:1]
    for place, after in pairwise(places[1:]):
        before = kept[-1]
        share = (place[0] - before[0]) / max(after[0] - before[0], 1e-9)
        off = max(abs(before[n] + share * (after[n] - before[n]) - place[n]) for n in (1, 2))
        if off > 0.7:
            kept.append(place)
    return [*kept, places[-1]]


def _still(packet: _Packet, at_s: float) -> str:
    times, xs, ys = zip(*packet.keys, strict=True)
    gone = packet.lost_s is not None and at_s > packet.lost_s + FALL_S
    if at_s < times[0] or at_s > times[-1] or gone:
        return ""
    place = f'x="{np.interp(at_s, times, xs):.0f}" y="{np.interp(at_s, times, ys):.0f}"'
    colour = svg.RED if packet.lost_s is not None and at_s > packet.lost_s else packet.colour
    return f'<rect {place} width="{packet.width:.0f}" height="{HIGH}" fill="{colour}"/>'
