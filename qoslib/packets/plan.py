"""From descriptions to tables: every division is done here, exactly, before anything runs."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from qoslib.memory import Need, within_budget
from qoslib.packets.kernels import codes, tables
from qoslib.packets.kernels.clock import (
    HORIZON_PS,
    NEVER,
    numbers_of,
    picoseconds,
)
from qoslib.packets.kernels.counters import BINS
from qoslib.packets.kernels.draws import key
from qoslib.packets.kernels.schedulers import DISPATCHED
from qoslib.packets.plan_classes import class_rows, is_tree, lends
from qoslib.packets.plan_flows import flow_needs
from qoslib.packets.plan_marks import Kind, kinds_of
from qoslib.packets.plan_queues import (
    fill_pools,
    fill_queue,
    fill_shaper,
    profile_points,
)
from qoslib.packets.plan_streams import recorded, stream_rows
from qoslib.packets.plan_tree import tree_needs
from qoslib.port import (
    ByteLimit,
    Forwarder,
    ModifiedDrr,
    Port,
    Queue,
    WeightedRoundRobin,
)
from qoslib.record import Count, NotNegative, Positive, Within, checked, fail, rule_of
from qoslib.traffic import Stream

__all__ = ["Run", "as_port", "planned"]

#: Most bins, or rows of a record of packets or events.
MOST_KEPT = 10_000_000
#: So many packets that have left are counted at a time.
_AT_A_TIME = 256
Kept = Annotated[int, Within(0, MOST_KEPT)]


class Run:
    """The options of a run, in picoseconds.

    Parameters
    ----------
    duration_s, warmup_s : float
        Length of the run, and what is left out of the record at its start [s].
    seed : int
    bins : int
        Bins of the history.
    log_packets : int
        How many packets' outcomes are kept one by one.
    events : int
        Most rows of the event record.

    Attributes
    ----------
    needs : list of (str, object, int)
        What its tables take so far, as `qoslib.memory.within_budget` reads it.
    """

    def __init__(
        self,
        duration_s: float,
        warmup_s: float = 0.0,
        seed: int = 0,
        bins: int = 200,
        log_packets: int = 0,
        events: int = 0,
    ) -> None:
        with numbers_of("duration_s"):
            self.end_ps = picoseconds(checked(Positive, duration_s, "duration_s"))
        with numbers_of("warmup_s"):
            self.warm_ps = picoseconds(checked(NotNegative, warmup_s, "warmup_s"))
        if self.end_ps == 0:
            fail("duration_s", duration_s, "at least a picosecond")
        if self.warm_ps >= self.end_ps:
            fail("warmup_s", warmup_s, f"below the duration, {duration_s}")
        self.seed: int = checked(Count, seed, "seed")
        self.bins = checked(Annotated[int, Within(1, MOST_KEPT)], bins, "bins")
        self.events: int = checked(Kept, events, "events")
        self.log_packets: int = checked(Kept, log_packets, "trace_packets")
        self.log_name = "trace_packets"
        self.needs: list[Need] = []

    def edges_ps(self) -> NDArray[np.int64]:
        """Ends of the bins [ps], and a last one that never comes."""
        span_ps = self.end_ps - self.warm_ps
        whole_ps, rest_ps = divmod(span_ps, self.bins)
        bins = np.arange(1, self.bins + 1, dtype=np.int64)
        ends = self.warm_ps + whole_ps * bins + rest_ps * bins // self.bins
        return np.append(ends, NEVER)


def as_port(where: Port | Forwarder) -> tuple[tuple[Queue, ...], int]:
    """The queues and the number of places in the ring, of a port or a forwarder."""
    if isinstance(where, Forwarder):
        return (where.queue,), 0
    return where.queues, where.transmit_ring_packets


def planned(
    where: Port | Forwarder,
    streams: Sequence[Stream],
    run: Run,
    hop: int = 0,
    owners: Sequence[int] | None = None,
    kinds: Sequence[Kind] | None = None,
) -> tables.State:
    """The tables of a port or forwarder and its streams, ready to run.

    Draws belong to hop `hop` of a chain, and to the streams' places `owners` in the whole list.
    The packet classes are `kinds`, by default those of streams that come with their own marks.
    """
    queues, ring = as_port(where)
    each_stream = 2 * tables.STREAM.itemsize + 8 * BINS
    run.needs.append(("the number of streams", len(streams), each_stream * len(streams)))
    within_budget(run.needs)
    rows = stream_rows(streams, run.seed, range(len(streams)) if owners is None else owners)
    kinds = kinds_of(where, streams) if kinds is None else kinds
    classes = class_rows(where, streams, rows, kinds)
    queue_rows = np.zeros(len(queues), tables.QUEUE)
    line_bps = None if isinstance(where, Forwarder) else where.rate_bps
    for i, (row, queue) in enumerate(zip(queue_rows, queues, strict=True)):
        with numbers_of(f"Queue {queue.name!r}"):
            mine = classes[classes["queue"] == i]
            fill_queue(row, queue, line_bps, mine, ring, overdraws=lends(where))
        row["key"] = key(run.seed, 1, hop, i)
    run.needs += _needs(where, len(streams), run, classes, queue_rows)
    within_budget(run.needs)
    _check_ring(where, ring, classes)
    slots = _placed(queue_rows)
    levels, order = _levels(where, queue_rows, queues)
    if not is_tree(where):
        _check_turns(queues, run)
    with numbers_of(f"{type(where).__name__} {where.name!r}"):
        port = _port_row(where, queues, run, queue_rows)
    return tables.State(
        port=port,
        streams=rows,
        tree=np.zeros(2 * len(rows), np.uint32),
        classes=classes,
        queues=queue_rows,
        slots=np.zeros(slots, tables.SLOT),
        levels=levels,
        order=order,
        pools=_pools(where, queue_rows, queues, classes),
        orders_ps=_orders(where, queue_rows, queues, classes, run),
        points=profile_points(classes, kinds, queue_rows, queues),
        feed=_feed(where, streams, rows),
        handed=np.zeros(ring + 1, tables.HANDED),
        left=np.zeros(_AT_A_TIME, tables.LEFT),
        counts=np.zeros((len(classes), 3), np.int64),
        drops=_drop_rows(len(classes)),
        delays=_delay_rows(len(streams)),
        histogram=np.zeros((len(streams), BINS), np.int64),
        edges_ps=run.edges_ps(),
        past_counts=np.zeros((run.bins, len(classes), 3), np.int64),
        past_peaks=np.zeros((run.bins, len(queues)), np.int64),
        past_spent_ps=np.zeros((run.bins, len(queues)), np.int64),
        log=np.zeros(run.log_packets, tables.OUTCOME),
        events=np.zeros(run.events, tables.EVENT),
        event_values=np.zeros((run.events, _noted(where)), np.int64),
    )


def _noted(where: Port | Forwarder) -> int:
    """How many values the event record notes at a choice: of queues, a tree's buckets, turns."""
    queues = len(as_port(where)[0])
    if type(getattr(where, "scheduler", None)) not in codes.TREES:
        return queues
    assert isinstance(where, Port)
    nodes = len(getattr(where.scheduler, "nodes", ()))
    return queues + 2 * (queues + nodes) + nodes


def _check_ring(where: Port | Forwarder, ring: int, classes: NDArray[np.void]) -> None:
    """All that the ring hands over before the first of it has left ends within the clock."""
    longest_ps = max(int(classes["service_ps"].max()), 1)
    if ring * longest_ps >= HORIZON_PS:
        allowed = f"at most {HORIZON_PS // longest_ps} packets, which take 13 days"
        fail(f"Port {where.name!r} transmit_ring_packets", ring, allowed)


def _needs(
    where: Port | Forwarder,
    streams: int,
    run: Run,
    classes: NDArray[np.void],
    queue_rows: NDArray[np.void],
) -> Iterator[Need]:
    """What the tables of a port take [B], by the field that makes them large."""
    queues, ring = as_port(where)
    # What is kept for each bin, and what its record is made from.
    each_bin = 8 * (6 * len(classes) + 4 * streams + 4 * len(queues) + 3)
    yield "bins", run.bins, each_bin * run.bins
    yield run.log_name, run.log_packets, 2 * tables.OUTCOME.itemsize * run.log_packets
    # A row of the kernels becomes up to three events, each with all values.
    yield "events", run.events, 4 * (tables.EVENT.itemsize + 8 * _noted(where)) * run.events
    yield f"Port {where.name!r} transmit_ring_packets", ring, tables.HANDED.itemsize * ring
    if isinstance(where, Port):
        yield from tree_needs(where, classes)
        yield from flow_needs(where)
    for queue, row in zip(queues, queue_rows, strict=True):
        slots = int(row["mask"]) + 1
        yield f"Queue {queue.name!r} limit", queue.limit, tables.SLOT.itemsize * slots


def _placed(rows: NDArray[np.void]) -> int:
    """Give each queue its stretch of slots; how many there are in all."""
    sizes = rows["mask"] + 1
    rows["first"] = np.cumsum(sizes) - sizes
    return int(sizes.sum())


def _levels(
    where: Port | Forwarder, rows: NDArray[np.void], queues: Sequence[Queue]
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    ranks = [0] * len(queues) if isinstance(where, Forwarder) else where.ranks
    order = sorted(range(len(queues)), key=lambda i: (ranks[i], i))
    levels = np.zeros(max(ranks) + 1, tables.LEVEL)
    for place, index in enumerate(order):
        level = ranks[index]
        if levels[level]["size"] == 0:
            levels[level]["first"] = place
        rows[index]["level"], rows[index]["place"] = level, levels[level]["size"]
        levels[level]["size"] += 1
    return levels, np.array(order, np.int64)


def _check_turns(queues: Sequence[Queue], run: Run) -> None:
    weights = [queue.weight for queue in queues if queue.weight] or [1.0]
    if run.end_ps * (max(weights) / min(weights)) >= HORIZON_PS:
        fail("the queues' weights", (min(weights), max(weights)), "closer, or a shorter run")


def _pools(
    where: Port | Forwarder,
    rows: NDArray[np.void],
    queues: Sequence[Queue],
    classes: NDArray[np.void],
) -> NDArray[np.void]:
    pools = getattr(where, "pools", ())
    table = np.zeros(len(pools), tables.POOL_ROW)
    fill_pools(table, pools)
    names = [pool.name for pool in pools]
    for i, queue in enumerate(queues):
        if queue.pool:
            rows[i]["pool"] = number = names.index(queue.pool)
            mine = classes["queue"] == i
            takes = [pools[number].taken_bytes(int(n)) for n in classes["frame_bytes"][mine]]
            classes["memory_bytes"][mine] = takes
            largest = max(takes, default=1)
            if pools[number].limit_bytes < largest:
                fail(f"MemoryPool {queue.pool!r} limit_bytes", queue.pool, f"at least {largest}")
            table[number]["limit_bytes"] -= queue.reserved_bytes
    return table


def _orders(
    where: Port | Forwarder,
    rows: NDArray[np.void],
    queues: Sequence[Queue],
    classes: NDArray[np.void],
    run: Run,
) -> NDArray[np.int64]:
    """Room for what queues have asked of their senders and has not taken effect.

    Between a stop and the next one at least one packet leaves.
    """
    total, ring = 0, as_port(where)[1]
    for row, queue in zip(rows, queues, strict=True):
        if queue.pause is None or not isinstance(queue.limit, ByteLimit):
            continue
        with numbers_of(f"Queue {queue.name!r} pause"):
            row["response_ps"] = picoseconds(queue.pause.response_s)
        row["pauses"], row["go_bytes"] = 1, queue.pause.resume_bytes
        row["pause_above_bytes"] = queue.limit.limit_bytes - queue.pause.headroom_bytes
        leaving = int(row["response_ps"]) // max(int(classes["service_ps"].min()), 1) + ring + 2
        room = 1 << (2 * leaving + 2).bit_length()
        run.needs.append(
            (f"Queue {queue.name!r} pause.response_s", queue.pause.response_s, 8 * room)
        )
        within_budget(run.needs)
        row["orders_first"], row["orders_mask"] = total, room - 1
        total += room
    return np.zeros(total, np.int64)


def _feed(
    where: Port | Forwarder, streams: Sequence[Stream], rows: NDArray[np.void]
) -> NDArray[np.void]:
    feeds = [np.zeros(0, tables.FEED)]
    at = 0
    for row, stream in zip(rows, streams, strict=False):
        feed = recorded(stream, int(row["first_class"]))
        if feed is not None:
            feeds.append(feed)
            row["feed_first"], row["feed_at"], row["feed_end"] = at, at, at + len(feed)
            at = int(row["feed_end"])
    return np.concatenate(feeds)


def _drop_rows(classes: int) -> NDArray[np.int64]:
    table = np.zeros((classes, codes.LAST_LOSS + 1), np.int64)
    table[:, codes.LAST_LOSS] = -1
    return table


def _delay_rows(streams: int) -> NDArray[np.void]:
    table = np.zeros(streams, tables.DELAY)
    table["delay_min"] = NEVER
    return table


def _port_row(
    where: Port | Forwarder, queues: Sequence[Queue], run: Run, queue_rows: NDArray[np.void]
) -> NDArray[np.void]:
    port = np.zeros(1, tables.PORT)
    row = port[0]
    row["queues"], row["fast"], row["resets"] = len(queues), -1, 1
    row["base_ps"] = picoseconds(where.base_delay_s)
    row["forget_ps"] = run.warm_ps or NEVER
    row["warm_ps"], row["events_left"] = run.warm_ps, run.events
    row["edge_ps"] = run.edges_ps()[0]
    row["timer_ps"] = min(run.warm_ps or NEVER, row["edge_ps"], queue_rows["timer_ps"].min())
    row["relays"] = any(_releases(queue) for queue in queues)
    if where.pause is not None:
        row["pauses"], row["obeyed"] = codes.BY_PORT, where.pause.obeyed
        row["pause_high"], row["pause_low"] = where.pause.high_packets, where.pause.low_packets
    if any(queue.pause for queue in queues):
        row["pauses"] = codes.BY_QUEUE
    if isinstance(where, Port):
        largest = queue_rows["largest_bytes"].max()
        fill_shaper(row, where.shaper, f"Port {where.name!r}", largest)
        _fill_scheduler(row, where, queue_rows)
    return port


def _releases(queue: Queue) -> bool:
    averaging = getattr(queue.dropper, "averaging", None)
    return getattr(averaging, "release_packets", None) is not None


def _fill_scheduler(row: np.void, port: Port, queue_rows: NDArray[np.void]) -> None:
    where, others = f"Port {port.name!r} scheduler", "the fluid model may run others"
    rules = codes.SCHEDULERS | codes.TREES
    row["scheduler"] = code = rule_of(where, port.scheduler, rules, others)
    if code not in DISPATCHED and type(port.scheduler) not in codes.TREES:
        allowed = (
            f"one with a rule in packets/kernels/schedulers.py, which has none for code {code}"
        )
        fail(where, port.scheduler, allowed)
    if isinstance(port.scheduler, ModifiedDrr):
        row["carries"] = port.scheduler.carry_deficit
        row["resets"] = port.scheduler.reset_on_empty
        if port.scheduler.low_latency:
            row["fast"] = port.queue_names.index(port.scheduler.low_latency)
    if isinstance(port.scheduler, WeightedRoundRobin):
        queue_rows["quantum"] = [queue.weight for queue in port.queues]
