"""From the event records of a TCP run to what a picture of it needs.

To the packets of the port come, for each sender: what it sent, the segment and how often; and what
it was told, an acknowledgement or the end of its timer, with its window after that.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qoslib.explore.lane_description import Lane
from qoslib.explore.packet_scene import Scene, packed, scene_of, unpacked
from qoslib.flows import Flow, Host
from qoslib.port import Port
from qoslib.results import FlowEvents
from qoslib.tcp import bandwidth_delay_bytes

__all__ = ["TcpLane", "TcpPath", "paths_of", "tcp_scene_of"]

#: Ticks of the clock that the columns have room for.
LAST_TICK = 2**32 - 2
STATES = ("open", "recovery", "loss")


class TcpLane(NamedTuple):
    """A lane, its hosts, and what their flows did."""

    lane: Lane
    hosts: tuple[Host, ...]
    record: FlowEvents


class TcpPath(NamedTuple):
    """From the port to the receiver and back to the sender [s]; and what fits [packets]."""

    flow: Flow
    forth_s: float
    back_s: float
    holds_packets: float


def paths_of(lane: TcpLane) -> list[TcpPath]:
    """The path of each flow; the engine knows only there and back, of which each is half."""
    port, found = lane.lane.at, []
    assert isinstance(port, Port)
    for host in lane.hosts:
        before_s = host.queue.delay_s if host.queue else 0.0
        for flow in host.flows:
            rest_s = flow.round_trip_s - before_s
            packet_bytes = flow.frame_bytes + port.overhead_bytes
            product_bytes = bandwidth_delay_bytes(port.rate_bps, flow.round_trip_s)
            found.append(TcpPath(flow, rest_s / 2, rest_s / 2, product_bytes / packet_bytes))
    return found


def tcp_scene_of(lanes: Sequence[TcpLane], start_s: float, end_s: float, **words: Any) -> Scene:
    """The scene of one or more lanes between two times."""
    scene = scene_of([each.lane for each in lanes], start_s, end_s, **words)
    data = bytearray(scene.data)
    for each, described in zip(lanes, scene.spec["lanes"], strict=True):
        paths = paths_of(each)
        number = unpacked(scene.data, described["columns"]["number"]).astype(np.int64)
        stream = unpacked(scene.data, described["columns"]["stream"])
        nth = _places(each.lane)[number + described["first"]]
        described["senders"] = [
            _sender(each.record, index, path, nth[stream == index], scene.spec, data)
            for index, path in enumerate(paths)
        ]
        firsts = [sender.pop("first") for sender in described["senders"]]
        for index, first in enumerate(firsts):
            nth[stream == index] -= first
        nth[stream >= len(paths)] = 0
        steps = [np.diff(nth[stream == index], prepend=-1) for index in range(len(paths))]
        if any((step != 1).any() for step in steps):
            described["columns"] |= packed({"nth": _narrow(nth)}, data)
        described["path_packets"] = float(np.mean([path.holds_packets for path in paths]))
        # Only the wall is there to be moved.
        for queue in described["queues"]:
            queue["dropper"] = ""
    return Scene(scene.spec, bytes(data))


def _places(lane: Lane) -> NDArray[np.int64]:
    """The place of each packet of the record among those of its stream, in order of arrival."""
    first = np.unique(lane.events.packet, return_index=True)[1]
    stream = lane.events.stream[first]
    place = np.zeros(len(first), np.int64)
    for each in np.unique(stream):
        mine = stream == each
        place[mine] = np.arange(mine.sum(), dtype=np.int64)
    return place


def _sender(
    record: FlowEvents,
    index: int,
    path: TcpPath,
    nth: NDArray[np.int64],
    spec: Mapping[str, Any],
    data: bytearray,
) -> dict[str, Any]:
    """A sender: columns of what it sends and is told, from the packets of the window on."""
    tick_s, zero_s, start_s = spec["tick_s"], spec["zero_s"], spec["start_s"]
    mine = record.flow == index
    ticks = np.rint((record.time_s - start_s - zero_s) / tick_s)
    mine &= ticks <= LAST_TICK
    ticks = np.clip(ticks, 0, LAST_TICK).astype("<u4")
    sends, told = mine & (record.kind == "send"), mine & (record.kind != "send")
    before = np.cumsum(mine & (record.kind == "send"))
    # The last that was told before the window says how it begins.
    known = np.flatnonzero(told)
    known = known[max(int((record.time_s[known] <= start_s).sum()) - 1, 0) :]
    first = int(min(nth.min(initial=before[-1]), before[known].min(initial=before[-1])))
    sent = np.flatnonzero(sends)[first:]
    columns = {
        "at": ticks[sent],
        "segment": _narrow(record.segment[sent]),
        "tries": np.minimum(record.tries[sent], 255).astype("u1"),
    }
    flow = path.flow
    return {
        "name": flow.name,
        "limit": flow.window_bytes and flow.window_bytes // flow.mss_bytes,
        "began": flow.slow_start.initial_window_packets,
        "forth_s": path.forth_s,
        "back_s": path.back_s,
        "first": first,
        "sends": packed(columns, data),
        "told": packed(_told(record, known, ticks, before - first), data),
    }


def _told(
    record: FlowEvents,
    known: NDArray[np.int64],
    ticks: NDArray[np.uint32],
    sends: NDArray[np.int64],
) -> dict[str, NDArray[Any]]:
    """What a sender is told in these rows of its record, and its window after that."""
    return {
        "at": ticks[known],
        "kind": (record.kind[known] == "timeout").astype("u1"),
        "window": record.window_packets[known].astype("<f4"),
        "ssthresh": record.ssthresh_packets[known].astype("<f4"),
        "flight": _narrow(record.in_flight_packets[known]),
        "una": _narrow(record.acknowledged[known]),
        "sends": _narrow(sends[known]),
        "state": np.array([STATES.index(state) for state in record.state[known]], "u1"),
    }


def _narrow(values: NDArray[np.int64]) -> NDArray[Any]:
    return values.astype("<u2" if values.max(initial=0) < 2**16 else "<u4")
