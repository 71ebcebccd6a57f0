"""From hosts, flows and a port to the tables of the fluid."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.flows import (
    Bbr,
    Dctcp,
    Flow,
    FqPacing,
    Host,
    HtbPacing,
    PathologicalRecovery,
    Prague,
    RateHalving,
    SackRecovery,
    actual_rate_bps,
    burst_bytes,
)
from qoslib.memory import within_budget
from qoslib.packets.kernels.clock import PS_PER_S, numbers_of
from qoslib.packets.kernels.draws import key
from qoslib.packets.plan import Run
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    HierarchicalTokenBucket,
    PacketLimit,
    Port,
    Queue,
    RedProfile,
    SchedulerTree,
    ShareRedProfile,
    TailDrop,
    TimeLimit,
    TimeRedProfile,
)
from qoslib.record import fail
from qoslib.tcp.fluid.kernels.tables import FLOW, HOST, LINE, State
from qoslib.tcp.kernels import codes
from qoslib.tcp.plan import RECOVERIES, fill_law
from qoslib.traffic import Stream

__all__ = ["planned"]

#: Steps in the shortest round trip, and most steps in all.
STEPS_A_ROUND, MOST_STEPS = 100, 500_000_000
BINS = 400

#: Most packets a flow puts into the network for each one acknowledged in a recovery.
REFILLED = {"safe": 2.0, "slow_start": 2.0, "conservative": 1.0}
#: Of an initial window: a float counts no more one by one.
MOST_PACKETS = 2**53
#: Without any limit.
ENDLESS = 2**62
REAL_BYTES = np.dtype(float).itemsize
#: Of each flow: what leaves a delay, ACKs, losses and marks.
RINGS = 4


def planned(port: Port, hosts: Sequence[Host], streams: Sequence[Stream], options: Run) -> State:
    """The tables of a run at its start."""
    _refuse(port)
    duration_s = options.end_ps / PS_PER_S
    _check_counts(port, hosts, streams, duration_s)
    flows = [(flow, at) for at, host in enumerate(hosts) for flow in host.flows]
    step_s = min(min(flow.round_trip_s for flow, _ in flows) / STEPS_A_ROUND, duration_s)
    if duration_s > MOST_STEPS * step_s:
        fail("duration_s", duration_s, f"at most {MOST_STEPS * step_s:g} with these round trips")
    line = _line(port, [flow for flow, _ in flows], streams, step_s, options)
    rows = np.zeros(len(flows) + len(streams), FLOW)
    for index, (flow, at) in enumerate(flows):
        with numbers_of(f"Flow {flow.name!r} of host {hosts[at].name!r}"):
            _fill_flow(rows[index], port, hosts[at], flow, at, step_s)
    for index, stream in enumerate(streams, len(flows)):
        _fill_stream(rows[index], port, stream, step_s)
    table = np.zeros(len(hosts), HOST)
    for index, host in enumerate(hosts):
        table[index]["step_bytes"] = _leaving_bps(port, host) / _BITS * step_s
        table[index]["limit_bytes"] = _host_limit_bytes(port, host)
    ring, bins = int(line[0]["ring"]), int(line[0]["bins"])
    leaving, acked, lost, marked = np.zeros((RINGS, len(flows), ring))
    past = np.zeros((codes.PAST, len(rows), bins))
    return State(line, table, rows, leaving, acked, lost, marked, past, np.zeros(bins))


_BITS = units.bits(1.0)


def _refuse(port: Port) -> None:
    if isinstance(port.scheduler, SchedulerTree | HierarchicalTokenBucket):
        allowed = "in TCP's fluid model one without a tree; its packets run through trees"
        fail(f"Port {port.name!r} scheduler", port.scheduler, allowed)
    if len(port.queues) != 1 or not isinstance(port.queues[0].dropper, TailDrop):
        allowed = "one queue with tail drop; the packet model runs others"
        fail(f"Port {port.name!r} queues", port.queues, allowed)
    queue = port.queues[0]
    if port.shaper is not None:
        fail(f"Port {port.name!r} shaper", port.shaper, "none; the packet model runs it")
    for name in ("policer", "shaper", "limits", "pool", "flows"):
        value = getattr(queue, name)
        if value:
            fail(f"Queue {queue.name!r} {name}", value, "none; the packet model runs it")
    if queue.limit.resume is not None:
        allowed = "one without a resume threshold; the packet model runs it"
        fail(f"Queue {queue.name!r} limit", queue.limit, allowed)


def _check_counts(
    port: Port, hosts: Sequence[Host], streams: Sequence[Stream], duration_s: float
) -> None:
    """What a run counts must fit 64 bits."""
    most_bps = units.bits(float(ENDLESS)) / duration_s
    rates = [(f"Port {port.name!r} rate_bps", port.rate_bps)]
    rates += [(f"Host {host.name!r} access_bps", host.access_bps) for host in hosts]
    rates += [(f"Stream {each.name!r} rate_bps", each.mean_rate_bps) for each in streams]
    total_bps = 0.0
    for name, rate_bps in rates:
        total_bps += rate_bps
        if not total_bps <= most_bps:
            fail(name, rate_bps, f"at most {most_bps:g} of port, hosts and streams in this time")


def _line(
    port: Port, flows: Sequence[Flow], streams: Sequence[Stream], step_s: float, options: Run
) -> NDArray[np.void]:
    line = np.zeros(1, LINE)
    row = line[0]
    sizes = [flow.frame_bytes for flow in flows] + [stream.mean_frame_bytes for stream in streams]
    frame = sum(sizes) / len(sizes)
    row["step_s"], row["flows"], row["key"] = step_s, len(flows), key(options.seed)
    row["step_bytes"] = port.rate_bps / _BITS * step_s
    with numbers_of(f"Queue {port.queues[0].name!r}"):
        row["limit_bytes"] = _limit_bytes(port, frame, frame + port.overhead_bytes)
        _fill_marking(row, port, frame)
    steps = math.ceil(options.end_ps / PS_PER_S / step_s)
    warm = min(round(options.warm_ps / PS_PER_S / step_s), steps - 1)
    row["steps"], row["warm_steps"] = steps, warm
    row["bin_steps"] = math.ceil((steps - warm) / BINS)
    row["bins"] = math.ceil((steps - warm) / row["bin_steps"])
    row["ring"] = _ring(port.queues[0], row, flows, len(sizes))
    return line


def _ring(queue: Queue, line: np.void, flows: Sequence[Flow], sources: int) -> int:
    """How many steps ahead something may be known; refused where the tables become too large."""
    longest = max(flows, key=lambda flow: flow.round_trip_s)
    trip = _steps(longest.round_trip_s, float(line["step_s"])) + 1
    wait = _steps(float(line["limit_bytes"]), float(line["step_bytes"])) + 1
    past_bytes = sources * int(line["bins"]) * codes.PAST * REAL_BYTES
    a_step_bytes = RINGS * len(flows) * REAL_BYTES
    within_budget(
        [
            ("the number of flows and streams", sources, past_bytes),
            (f"Flow {longest.name!r} round_trip_s", longest.round_trip_s, trip * a_step_bytes),
            (f"Queue {queue.name!r} limit", queue.limit, wait * a_step_bytes),
        ]
    )
    return trip + wait + 2


def _limit_bytes(port: Port, frame_bytes: float, line_bytes: float) -> float:
    """What the queue holds, as the line counts [B]."""
    queue = port.queues[0]
    match queue.limit:
        case PacketLimit():
            return queue.limit.held_bytes(frame_bytes) * line_bytes / frame_bytes
        case ByteLimit(limit_bytes):
            return limit_bytes * line_bytes / frame_bytes
        case TimeLimit(time_s, "guaranteed"):
            return units.octets(queue.guaranteed_bps * time_s)
        case TimeLimit(time_s):
            return units.octets(port.rate_bps * time_s)


def _fill_marking(row: np.void, port: Port, frame_bytes: float) -> None:
    """Lengths of the queue between which the share that is marked rises, as the line counts [B]."""
    marking = port.queues[0].marking
    on_line = frame_bytes + port.overhead_bytes
    match marking:
        case RedProfile(low, high):
            each = on_line
        case ByteRedProfile(low, high):
            each = on_line / frame_bytes
        case TimeRedProfile(low, high, rate_bps):
            each = units.octets(rate_bps) * on_line / frame_bytes
        case ShareRedProfile(low, high):
            each = float(row["limit_bytes"])
        case None:
            return
    row["marks"], row["mark_most"] = 1, marking.maximum_probability
    row["mark_low_bytes"], row["mark_high_bytes"] = low * each, high * each


def _leaving_bps(port: Port, host: Host) -> float:
    """What a host puts on its link at most, as the line counts [bit/s]."""
    if not isinstance(host.pacing, HtbPacing):
        return host.access_bps
    return min(host.access_bps, _paced_bps(port, host, host.flows[0]))


def _paced_bps(port: Port, host: Host, flow: Flow) -> float:
    """The rate of a pacing that counts bursts, as the line counts their frames [bit/s]."""
    burst = host.burst_packets
    rate_bps = actual_rate_bps(host.pacing, flow.mss_bytes, burst) or math.inf
    on_line = burst * (flow.frame_bytes + port.overhead_bytes)
    return rate_bps * on_line / burst_bytes(flow.mss_bytes, burst)


def _host_limit_bytes(port: Port, host: Host) -> float:
    if host.queue is None:
        return math.inf
    on_line = host.flows[0].frame_bytes + port.overhead_bytes
    return float(host.queue.limit_bursts) * host.burst_packets * on_line


def _steps(time_s: float | None, step_s: float) -> int:
    return round(min(time_s / step_s, ENDLESS)) if time_s is not None else ENDLESS


def _fill_flow(row: np.void, port: Port, host: Host, flow: Flow, at: int, step_s: float) -> None:
    row["line_bytes"] = flow.frame_bytes + port.overhead_bytes
    row["frame_bytes"] = flow.frame_bytes
    row["host"] = at
    row["start_step"] = _steps(flow.start_s, step_s)
    row["stop_step"] = _steps(flow.stop_s, step_s)
    before_s = host.queue.delay_s if host.queue else 0.0
    row["before_steps"] = round(before_s / step_s)
    row["after_steps"] = max(round(flow.round_trip_s / step_s) - row["before_steps"], 1)
    row["least_s"] = row["most_s"] = flow.round_trip_s
    row["paced"] = math.inf
    if isinstance(host.pacing, FqPacing):
        on_line_bps = _paced_bps(port, host, flow)
        row["paced"] = units.rate_pps(on_line_bps, row["line_bytes"]) * step_s
    window, whole = flow.window_bytes or math.inf, flow.transfer_bytes or math.inf
    row["finished_s"], row["until_s"] = math.nan, -math.inf
    row["most"], row["whole"] = window / flow.mss_bytes, whole / flow.mss_bytes
    if isinstance(flow.congestion, Bbr | Prague):
        allowed = "Reno, Cubic, HTcp or Dctcp; the packet model runs Bbr and Prague"
        fail("Flow.congestion", flow.congestion, allowed)
    if flow.lost_share:
        where = f"Flow {flow.name!r} lost_share"
        fail(where, flow.lost_share, "0; the packet model loses packets at random")
    row["c"], row["last_beta"] = 1.0, 0.5
    row["capable"] = flow.ecn != "no"
    fill_law(row, flow)
    if isinstance(flow.congestion, Dctcp):
        row["marked_share"] = flow.congestion.initial_share
    _fill_recovery(row, flow)
    _fill_slow_start(row, port, host, flow)


def _fill_recovery(row: np.void, flow: Flow) -> None:
    recovery = flow.recovery
    row["recovery"] = RECOVERIES[type(recovery)]
    row["timeout_s"] = flow.minimum_timeout_s
    row["refill"] = REFILLED[recovery.bound] if isinstance(recovery, SackRecovery) else 1.0
    if isinstance(recovery, PathologicalRecovery):
        row["refill"] = REFILLED["safe"]
        row["critical"] = recovery.critical_packets
        row["new_threshold"] = recovery.threshold_packets
    if isinstance(recovery, RateHalving):
        row["refill"] = math.inf


def _fill_slow_start(row: np.void, port: Port, host: Host, flow: Flow) -> None:
    start = flow.slow_start
    row["window"] = min(start.initial_window_packets, row["most"])
    if row["window"] > MOST_PACKETS:
        first = start.initial_window_packets
        fail(f"Flow {flow.name!r} initial_window_packets", first, f"at most {MOST_PACKETS}")
    row["threshold"] = start.initial_threshold_packets or math.inf
    row["by_round"] = start.validation == "round"
    row["slow_gain"] = 1.0 if start.counts == "bytes" else 1.0 / flow.segments_per_ack
    sign = start.hystart
    if sign is not None:
        row["delay_sign"], row["train_sign"] = sign.delay, sign.train
        row["rise_share"], row["rise_low_s"], row["rise_high_s"] = (
            sign.share,
            sign.low_s,
            sign.high_s,
        )
        row["rise_packets"] = max(
            _train_window(row, port, host, flow, sign.train_share), sign.low_packets
        )


def _train_window(row: np.void, port: Port, host: Host, flow: Flow, train_share: float) -> float:
    """The window where the first train of ACKs is long enough.

    ACKs come as fast as the line or the host lets packets pass. The first round with more packets
    than the least train begins with a window ``w0 (1 + g)**k``; the train adds g for each of its
    packets.
    """
    slower_bps = min(port.rate_bps, _leaving_bps(port, host))
    if isinstance(host.pacing, FqPacing):
        slower_bps = min(slower_bps, _paced_bps(port, host, flow))
    least_s = train_share * flow.round_trip_s
    train: float = min(units.rate_pps(slower_bps, row["line_bytes"]) * least_s, MOST_PACKETS)
    begins, gain = float(row["window"]), float(row["slow_gain"])
    if train > begins:
        each = math.log1p(gain)
        begins *= math.exp(math.ceil(math.log(train / begins) / each) * each)
    return begins + gain * train


def _fill_stream(row: np.void, port: Port, stream: Stream, step_s: float) -> None:
    row["frame_bytes"] = stream.mean_frame_bytes
    row["line_bytes"] = stream.mean_frame_bytes + port.overhead_bytes
    rate = units.rate_pps(stream.mean_rate_bps, stream.mean_frame_bytes)
    row["paced"] = rate * step_s
    row["start_step"] = _steps(stream.start_s, step_s)
    row["stop_step"] = _steps(stream.stop_s, step_s)
