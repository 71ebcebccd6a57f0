"""From the kernels' rows to the event record: which packet it is, when it starts and departs."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qoslib.packets.kernels import tables
from qoslib.packets.kernels.clock import PS_PER_S, add
from qoslib.packets.kernels.codes import (
    BY_CODEL,
    BY_PIE,
    BY_PRIORITY,
    BY_RED,
    CAUSES,
    COLOUR_NAMES,
    COLOURS,
    DROP,
    DRR,
    ENQUEUE,
    HTB,
    KEEP,
    LEVELS,
    LINE_PS,
    MDRR,
    ONE_BUCKET,
    POLICER,
    SEND,
    SINGLE_RATE,
    TREE,
    UNPOLICED,
    WRR,
)
from qoslib.results import Events

__all__ = ["events_of"]

KINDS = np.array(["enqueue", "drop", "choice", "start", "departure"], dtype=str)
START, DEPARTURE = 3, 4


def events_of(state: tables.State, done_ps: int, marks: Sequence[str]) -> Events:
    """The events up to a time, in the order in which they happen, as many as the kernels' rows.

    Of events at the same time departures come first, then starts of packets chosen before; the
    rest is in the order of the engine.
    """
    rows = state.events[: len(state.events) - int(state.port[0]["events_left"])]
    row, kind, time_ps = _expanded(rows, *_on_line(rows, state.classes))
    upto = np.flatnonzero(time_ps <= done_ps)[: len(state.events)]
    row, kind, time_ps = row[upto], kind[upto], time_ps[upto]
    events = rows[row]
    keeps_flows = state.queues["keeps_flows"] == 1
    packet, length = _identified(events, kind, row, keeps_flows)
    chosen, causes = kind == SEND, np.array([*CAUSES, ""], dtype=str)
    at_queue = kind <= SEND
    by_flow = at_queue & keeps_flows[events["queue"]] & (events["cause"] != POLICER)
    values = np.where(chosen[:, None], state.event_values[row], np.nan)
    # Of each queue one, and of a tree two of each queue and three of each node.
    queues = len(state.queues)
    nodes = max(values.shape[1] // 3 - queues, 0)
    values, buckets, turns = np.split(values, [queues, values.shape[1] - nodes], axis=1)
    full_s = np.where(buckets < 0, np.nan, buckets / PS_PER_S).reshape(
        len(events), buckets.shape[1] // 2, 2
    )
    scheduler = state.port[0]["scheduler"]
    if scheduler not in (DRR, HTB, MDRR, WRR):
        values = values / PS_PER_S
    has_guarantees = scheduler in (LEVELS, TREE, HTB)
    return Events(
        time_s=time_ps / PS_PER_S,
        kind=KINDS[kind],
        packet=packet,
        stream=state.classes["stream"][events["packet_class"]].astype(np.int64),
        queue=events["queue"].copy(),
        position=np.where(at_queue, events["position"], -1),
        queue_packets=length,
        frame_bytes=state.classes["frame_bytes"][events["packet_class"]],
        cause=np.where(kind == DROP, causes[np.maximum(events["cause"], KEEP)], ""),
        scheduler=values,
        tokens_share=_tokens_share(state, events, kind),
        excess_share=_excess_share(state, events, kind),
        colour=_colours(state, events, kind),
        mark=np.array([*marks, ""], dtype=str)[events["packet_class"] if marks else -1 + 0 * row],
        dropper=np.where(kind <= DROP, _early(state, events), np.nan),
        guaranteed=chosen & has_guarantees & (events["in_profile"] == 1),
        strict=chosen & has_guarantees & (events["in_profile"] == BY_PRIORITY),
        lender=np.where(chosen & (scheduler == HTB), events["lender"], -1),
        full_s=full_s,
        turn=np.where(chosen[:, None], turns, -1).astype(np.int64),
        marked=at_queue & (events["marked"] == 1),
        closed=at_queue & (events["closed"] == 1),
        asked=at_queue & (events["asked"] == 1),
        order_s=np.where(at_queue, events["order_ps"] / PS_PER_S, np.nan),
        flow_queue=np.where(by_flow, events["flow"], -1),
        new_flow=by_flow & (events["new"] == 1),
    )


def _tokens_share(
    state: tables.State, events: NDArray[np.void], kind: NDArray[np.int64]
) -> NDArray[np.float64]:
    """What a policer's bucket holds after an arrival, a shaper's at a choice, over the burst."""
    queues, port, of = state.queues, state.port[0], events["queue"]
    arrives, own = kind <= DROP, queues["shaped"] == 1
    burst_ps = np.where(own, queues["shape_burst_ps"], port["shape_burst_ps"])
    burst_ps = np.where(arrives, queues["police_burst_ps"][of], burst_ps[of])
    spent_ps = np.maximum(events["tat_ps"] - events["time_ps"], 0)
    shaped = own | (port["shaped"] == 1)
    policed = queues["policed"] != UNPOLICED
    metered = np.where(arrives, policed[of], (kind == SEND) & shaped[of])
    return np.where(metered, 1 - spent_ps / np.maximum(burst_ps, 1), np.nan)


def _excess_share(
    state: tables.State, events: NDArray[np.void], kind: NDArray[np.int64]
) -> NDArray[np.float64]:
    """What the second bucket of a policer holds after an arrival, over its burst."""
    meter = state.queues["meter"][events["queue"]]
    burst_ps = np.maximum(state.queues["excess_burst_ps"], 1)[events["queue"]]
    first_ps = np.where(meter == SINGLE_RATE, events["tat_ps"], 0)
    lacks_ps = events["excess_tat_ps"] - np.maximum(first_ps, events["time_ps"])
    share = 1 - np.maximum(lacks_ps, 0) / burst_ps
    return np.where((kind <= DROP) & (meter != ONE_BUCKET), share, np.nan)


def _colours(
    state: tables.State, events: NDArray[np.void], kind: NDArray[np.int64]
) -> NDArray[np.str_]:
    """The colour that a policer gives a packet as it arrives; else empty."""
    given = (kind <= DROP) & (state.queues["policed"][events["queue"]] == COLOURS)
    names = np.array([*COLOUR_NAMES, ""], dtype=str)
    return np.where(given, names[events["colour"]], "")


def _early(state: tables.State, events: NDArray[np.void]) -> NDArray[np.float64]:
    """What RED, CoDel and PIE go by; NaN of other droppers."""
    goes_by = np.isin(state.queues["dropper"], (BY_RED, BY_CODEL, BY_PIE))
    in_time = state.queues["counted"] == LINE_PS
    of, early = events["queue"], events["early"]
    early = np.where(in_time[of], early / PS_PER_S, early)
    return np.where(goes_by[of], early, np.nan)


def _on_line(
    rows: NDArray[np.void], classes: NDArray[np.void]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """When each packet that is chosen starts on the line, and when its last bit departs [ps]."""
    columns = classes["service_ps"].tolist(), classes["service_fraction"].tolist()
    service = list(zip(*columns, strict=True))
    line: tuple[int, int] = (0, 0)
    starts_ps: list[int] = []
    departures_ps: list[int] = []
    sent = rows[rows["kind"] == SEND]
    for now_ps, each in zip(sent["time_ps"].tolist(), sent["packet_class"].tolist(), strict=True):
        line = max(line, (now_ps, 0))
        starts_ps.append(line[0])
        line = add.py_func(*line, *service[each])
        departures_ps.append(line[0])
    return np.array(starts_ps, np.int64), np.array(departures_ps, np.int64)


def _expanded(
    rows: NDArray[np.void], start_ps: NDArray[np.int64], departure_ps: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Row, kind and time of each event, in order; a packet that is sent has three."""
    number = np.arange(len(rows), dtype=np.int64)
    sent = np.flatnonzero(rows["kind"] == SEND)
    chosen_ps = rows["time_ps"][sent]
    waits, takes = start_ps > chosen_ps, departure_ps > start_ps
    start_rank = np.where(waits, 1, 2)
    row = np.concatenate([number, sent, sent])
    added = np.repeat(np.array([START, DEPARTURE], dtype=np.int64), len(sent))
    kind = np.concatenate([rows["kind"], added])
    time_ps = np.concatenate([rows["time_ps"], start_ps, departure_ps])
    rank = np.concatenate(
        [np.full(len(rows), 2, np.int64), start_rank, np.where(takes, 0, start_rank)]
    )
    order = np.lexsort((kind, row, rank, time_ps))
    return row[order], kind[order], time_ps[order]


def _identified(
    events: NDArray[np.void],
    kind: NDArray[np.int64],
    row: NDArray[np.int64],
    keeps_flows: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of each event's packet, in order of arrival; its queue's length after that."""
    waiting: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    held = [0] * len(keeps_flows)
    chosen: dict[int, int] = {}
    packets: list[int] = []
    lengths: list[int] = []
    arrived = 0
    own_flow = np.where(keeps_flows[events["queue"]], events["flow"], 0)
    values = kind, row, events["queue"], own_flow, events["position"]
    for what, which, queue, flow, position in zip(*(v.tolist() for v in values), strict=True):
        mine = waiting[queue, flow]
        if what == ENQUEUE or (what == DROP and position == held[queue]):
            packet = arrived
            arrived += 1
            if what == ENQUEUE:
                mine.append(packet)
                held[queue] += 1
        elif what in (DROP, SEND):
            packet = mine.pop(position if what == DROP else 0)
            held[queue] -= 1
            if what == SEND:
                chosen[which] = packet
        else:
            packet = chosen[which]
        packets.append(packet)
        lengths.append(held[queue])
    return np.array(packets, np.int64), np.array(lengths, np.int64)
