"""What a packet view shows: its lanes, their window, and the run of each."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from qoslib import units
from qoslib.explore.lane_description import Lane
from qoslib.explore.packet_scene import MOST_PACKETS
from qoslib.explore.scale_model import divided
from qoslib.front import run
from qoslib.front.workers import silent
from qoslib.port import (
    ByteLimit,
    Chain,
    Classifier,
    Fifo,
    Forwarder,
    Hop,
    PacketLimit,
    Port,
    Queue,
    StrictPriority,
    Switch,
    TimeLimit,
)
from qoslib.record import fail
from qoslib.results import Events, Result
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["MARGIN", "Shown", "Window", "lane_of", "shown_of", "window_of"]

#: A run goes on for this share of the window: packets that arrive after it are seen to come.
MARGIN = 0.6
#: How many packets arrive in a window of which nothing is said.
LEAST_WATCHED, MOST_WATCHED = 400, 2000
#: A TCP segment, where only hosts say how fast packets come [B].
SEGMENT_BYTES = 1500.0
#: Most ports one above the other.
MOST_LANES = 4
#: Most rows of an event record that a view asks for.
MOST_EVENTS = 2_000_000


class Shown(NamedTuple):
    """A lane before it runs; where it has a `result`, little is known of its port."""

    title: str
    scenario: Scenario
    hop: str = ""
    result: Result | None = None

    @property
    def at(self) -> Port | Forwarder:
        """The port or forwarder that is shown."""
        network = self.scenario.network
        if not isinstance(network, Chain | Switch):
            return network
        hops = {hop.at.name: hop.at for hop in network.hops}
        if self.hop not in hops:
            fail("hop", self.hop, ", ".join(hops))
        return hops[self.hop]

    @property
    def queues(self) -> tuple[Queue, ...]:
        """Its queues."""
        return (self.at.queue,) if isinstance(self.at, Forwarder) else self.at.queues

    def streams_of(self, place: int) -> list[str]:
        """Names of the streams that go to the queue at a place."""
        at = self.at
        return [
            stream.name
            for stream in self.scenario.streams
            if isinstance(at, Forwarder) or at.queue_of(stream) == place
        ]

    def with_queue(self, place: int, queue: Queue) -> "Shown":
        """The same with another queue in a place."""
        at = self.at
        if isinstance(at, Forwarder):
            return self._with(at.replace(queue=queue))
        return self._with(at.replace(queues=(*at.queues[:place], queue, *at.queues[place + 1 :])))

    def _with(self, at: Port | Forwarder) -> "Shown":
        network = self.scenario.network
        if not isinstance(network, Chain | Switch):
            return self._replace(scenario=self.scenario.replace(network=at))
        hops = tuple(
            Hop(at, hop.streams) if hop.at.name == self.hop else hop for hop in network.hops
        )
        return self._replace(scenario=self.scenario.replace(network=network.replace(hops=hops)))


class Window(NamedTuple):
    """From when to when in the run [s]."""

    start_s: float
    end_s: float


def shown_of(given: Any, hop: str, by: float) -> list[Shown]:
    """The scenarios or results that are shown, each with a title."""
    kinds = f"a Scenario, a Result with events, or up to {MOST_LANES} of them in a list or dict"
    if isinstance(given, Scenario | Result):
        given = [given]
    if isinstance(given, str) or not isinstance(given, Mapping | Sequence):
        fail("what is shown", given, kinds)
    pairs = given.items() if isinstance(given, Mapping) else (("", each) for each in given)
    found = [
        _one(str(title), each, name, by, kinds)
        for title, each in pairs
        for name in _hops_of(each, hop)
    ]
    if not 1 <= len(found) <= MOST_LANES:
        fail("the number of ports shown", len(found), f"1 to {MOST_LANES}")
    return found


def _hops_of(each: Any, hop: str) -> Sequence[str]:
    """The ports of a switch, where none is named; else what was asked for."""
    if hop or not isinstance(each, Scenario) or not isinstance(each.network, Switch):
        return [hop]
    return [port.name for port in each.network.ports]


def _one(title: str, each: Any, hop: str, by: float, kinds: str) -> Shown:
    if isinstance(each, Result):
        if by != 1:
            fail("rates_divided_by", by, "1 with a Result, which has run already")
        return _finished(title, each, hop)
    if not isinstance(each, Scenario):
        fail(f"what is shown as {title!r}" if title else "what is shown", each, kinds)
    name = hop if isinstance(each.network, Switch) else each.name
    shown = Shown(title or name, divided(each, by) if by != 1 else each, hop)
    _ = shown.at
    return shown


def _finished(title: str, result: Result, hop: str) -> Shown:
    if result.hops:
        numbers = [str(number) for number in range(len(result.hops))]
        if hop not in numbers:
            fail("hop", hop, ", ".join(numbers) + ", the place of the hop in the Result")
        result = result.hops[int(hop)]
    if result.events is None or not len(result.events):
        fail("Result.events", result.events, "an event record: run(scenario, events=10_000)")
    return Shown(title or "one run", _told_by(result), result=result)


def _told_by(result: Result) -> Scenario:
    """As much of the port as its events tell: who goes where, and how fast the line is."""
    events = result.events
    assert events is not None
    count = int(events.packet.max()) + 1
    start_s, end_s = np.full(count, np.nan), np.full(count, np.nan)
    for times_s, kind in ((start_s, "start"), (end_s, "departure")):
        at = events.kind == kind
        times_s[events.packet[at]] = events.time_s[at]
    sizes = np.zeros(count)
    sizes[events.packet] = events.frame_bytes
    gone = ~np.isnan(end_s - start_s)
    if not gone.any():
        fail("Result.events", len(events), "a record in which at least one packet departs")
    line_bps = units.bits(float(sizes[gone].sum())) / float((end_s - start_s)[gone].sum())
    rules = tuple(
        (name, result.queues[int(events.queue[events.stream == number][0])])
        for number, name in enumerate(result.streams)
        if (events.stream == number).any()
    )
    queues = tuple(Queue(name, PacketLimit(1)) for name in result.queues)
    scheduler = StrictPriority() if len(queues) > 1 else Fifo()
    classifier = Classifier(rules, result.queues[0])
    port = Port("port", line_bps, queues, scheduler, classifier=classifier)
    return Scenario("result", port, tuple(Stream(name) for name in result.streams))


def window_of(
    shown: Sequence[Shown], packets: int | None, start_s: float | None, duration_s: float | None
) -> Window:
    """The window in which about so many packets arrive; a finished run's ends where it does."""
    scenario, result = shown[0].scenario, shown[0].result
    packets = packets or _watched(shown)
    begin_s = scenario.warmup_s if start_s is None else start_s
    if result is not None:
        events = result.events
        assert events is not None
        records = [each.result.events for each in shown if each.result is not None]
        last_s = min(float(record.time_s[-1]) for record in records if record is not None)
        arrivals = np.unique(events.packet, return_index=True)[1]
        times_s = events.time_s[arrivals]
        after = times_s[times_s >= begin_s]
        end_s = float(after[min(packets, len(after)) - 1]) if len(after) else last_s
        end_s = begin_s + duration_s if duration_s else end_s
        if not begin_s < min(end_s, last_s):
            fail("start_s", begin_s, f"below {last_s:g}, where the event record ends")
        return Window(begin_s, min(end_s, last_s))
    pps = _arriving_pps(shown[0])
    if duration_s and duration_s * pps > MOST_PACKETS:
        title = f"the packets of {shown[0].title!r} in the window"
        fail(title, round(duration_s * pps), f"at most {MOST_PACKETS}")
    return Window(begin_s, begin_s + (duration_s or packets / pps))


def _watched(shown: Sequence[Shown]) -> int:
    """As many packets as take a minute or two to pass: more where a queue has room for many."""
    room = 0.0
    for each in shown if shown[0].result is None else ():
        frames = [stream.mean_frame_bytes for stream in each.scenario.streams]
        frame_bytes = sum(frames) / len(frames) if frames else SEGMENT_BYTES
        for queue in each.queues:
            room = max(room, _room_packets(each.at, queue, frame_bytes))
    return int(min(max(4 * room, LEAST_WATCHED), MOST_WATCHED))


def _room_packets(at: Port | Forwarder, queue: Queue, frame_bytes: float) -> float:
    """How many packets of a size a queue has room for: in its limit, and in its memory."""
    most = math.inf
    if queue.pool and isinstance(at, Port):
        (pool,) = (pool for pool in at.pools if pool.name == queue.pool)
        most = pool.limit_bytes / pool.taken_bytes(math.ceil(frame_bytes))
    match queue.limit:
        case PacketLimit():
            return min(queue.limit.packets, most)
        case ByteLimit():
            return min(queue.limit.limit_bytes / frame_bytes, most)
        case TimeLimit() if isinstance(at, Port):
            per_s = units.rate_pps(at.rate_bps, frame_bytes)
            return min(queue.limit.time_s * per_s, most)
    return 0.0


def _arriving_pps(shown: Shown) -> float:
    streams, hosts = shown.scenario.streams, shown.scenario.hosts
    found = sum(units.rate_pps(s.mean_rate_bps, s.mean_frame_bytes) for s in streams)
    if hosts and isinstance(shown.at, Port):
        found += units.rate_pps(shown.at.rate_bps, SEGMENT_BYTES)
    if not found > 0:
        fail("the streams' rates", found, "above 0 in total")
    return float(found)


def lane_of(shown: Shown, window: Window, queues: Sequence[str]) -> Lane:
    """The lane with what happened there: the packet model runs to a little after the window."""
    names = [queue.name for queue in shown.queues]
    drawn = tuple(names.index(name) for name in queues)
    if shown.result is not None:
        assert shown.result.events is not None
        _refuse_rows(shown.title, shown.result.events)
        return Lane(
            shown.title, shown.at, shown.scenario.streams, shown.result.events, drawn, False
        )
    end_s = window.end_s + MARGIN * (window.end_s - window.start_s)
    rows = int(4.5 * _arriving_pps(shown) * end_s) + 2000
    if rows > MOST_EVENTS:
        fail("the packets up to the window's end", rows // 4, f"at most {MOST_EVENTS // 4}")
    scenario = shown.scenario.replace(duration_s=end_s, warmup_s=0.0)
    result = run(scenario, events=rows, bins=1, progress=silent)
    streams: tuple[Any, ...] = scenario.streams
    sharing: tuple[Any, ...] = ()
    if isinstance(scenario.network, Switch):
        pairs = zip(scenario.network.ports, result.hops, strict=True)
        sharing = tuple((port, hop.events) for port, hop in pairs)
    if isinstance(scenario.network, Chain | Switch):
        place = [hop.at.name for hop in scenario.network.hops].index(shown.hop)
        only = scenario.network.hops[place].streams
        result = result.hops[place]
        streams = tuple(stream for stream in streams if not only or stream.name in only)
    if scenario.hosts:
        streams = (*(flow for host in scenario.hosts for flow in host.flows), *streams)
    assert result.events is not None
    _refuse_rows(shown.title, result.events)
    return Lane(shown.title, shown.at, streams, result.events, drawn, sharing=sharing)


def _refuse_rows(title: str, events: Events) -> None:
    """A lane is one line of packets, in order of arrival: queues within a queue have several."""
    if (events.flow_queue >= 0).any():
        used = np.unique(events.flow_queue[events.flow_queue >= 0]).tolist()
        allowed = "none: a packet view draws queues whose packets leave in order of arrival"
        fail(f"the flows' own queues of {title!r}", used, allowed, "are")
