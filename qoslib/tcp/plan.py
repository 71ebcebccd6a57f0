"""From descriptions to tables: flows and hosts become sources of a port."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.flows import (
    Bbr,
    Cubic,
    Dctcp,
    Flow,
    Host,
    HtbPacing,
    HTcp,
    NewRenoRecovery,
    Pacing,
    PathologicalRecovery,
    Prague,
    RateHalving,
    Recovery,
    Reno,
    SackRecovery,
    SlowStart,
    TimeoutOnly,
    actual_rate_bps,
    burst_bytes,
)
from qoslib.memory import Need, within_budget
from qoslib.packets.kernels.clock import (
    NEVER,
    PS_PER_S,
    interval_ps,
    numbers_of,
    picoseconds,
    split,
)
from qoslib.packets.kernels.draws import key
from qoslib.packets.kernels.tables import OUTCOME, State
from qoslib.packets.plan import Run, as_port, planned
from qoslib.port import Forwarder, Port
from qoslib.record import fail, rule_of
from qoslib.tcp.kernels import codes, tables
from qoslib.tcp.places import first_places, lengthened
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = [
    "LAWS",
    "RECOVERIES",
    "Passed",
    "fill_choices",
    "fill_law",
    "names_of",
    "plan",
    "planned_senders",
    "refuse_pause",
    "sources_of",
    "with_sources",
]

#: The rule that each congestion control and each recovery becomes.
LAWS = {
    Reno: codes.RENO,
    Cubic: codes.CUBIC,
    HTcp: codes.HTCP,
    Bbr: codes.BBR,
    Dctcp: codes.DCTCP,
    Prague: codes.PRAGUE,
}
#: How the receivers of some report marks; others do as RFC 3168 says.
FEEDBACKS = {Dctcp: codes.EXACTLY, Prague: codes.COUNTED}
RECOVERIES = {
    SackRecovery: codes.SACK,
    RateHalving: codes.HALVING,
    PathologicalRecovery: codes.PATHOLOGICAL,
    NewRenoRecovery: codes.NEW_RENO,
    TimeoutOnly: codes.TIMEOUT,
}
_BOUNDS = {
    "safe": codes.SAFE,
    "slow_start": codes.SLOW_START,
    "conservative": codes.CONSERVATIVE,
}
#: Most packets of a window: at 1 KiB each those of the largest there is (RFC 7323, section 2.3).
MOST_PACKETS = 1 << 20


def names_of(hosts: Sequence[Host], streams: Sequence[Stream]) -> tuple[str, ...]:
    """Names of all flows and then of the streams; at least one flow, and each name once."""
    flows = [flow.name for host in hosts for flow in host.flows]
    names = (*flows, *(stream.name for stream in streams))
    if not flows or len(set(names)) != len(names):
        fail("the names of flows and streams", names, "at least one flow, each name once", "are")
    return names


class Passed(NamedTuple):
    """A hop that a flow passes: its tables, and the flow's row and packet class there."""

    where: Port | Forwarder
    state: State
    row: int


def plan(
    port: Port, hosts: Sequence[Host], streams: Sequence[Stream], run: Run
) -> tuple[State, tables.Senders]:
    """Tables of a port and all its senders, ready to run."""
    refuse_pause(port)
    sources = sources_of(hosts)
    state = planned(port, [*sources, *streams], run)
    first_wire = len(sources) + len(streams)
    wires = np.zeros(len(hosts), tables.WIRE)
    wires["row"] = first_wire + np.arange(len(hosts), dtype=np.int64)
    wires["from_host"] = 1
    passed = [[Passed(port, state, row)] for row in range(len(sources))]
    senders = planned_senders(hosts, passed, wires, run)
    senders.flows["wire"] = senders.flows["host"]
    begun = dict(enumerate(senders.flows["start_ps"].tolist()))
    state = with_sources(port, state, first_wire, len(hosts), begun)
    return state, lengthened(senders, hosts, run.needs)


def refuse_pause(where: Port | Forwarder) -> None:
    """Refuse a hop that pauses its senders: TCP's hosts know no PAUSE."""
    allowed = "None: TCP's hosts know no PAUSE"
    for queue in as_port(where)[0]:
        if queue.pause is not None:
            fail(f"Queue {queue.name!r} pause", queue.pause, allowed)
    if where.pause is not None:
        fail(f"{type(where).__name__} {where.name!r} pause", where.pause, allowed)


def planned_senders(
    hosts: Sequence[Host],
    passed: Sequence[Sequence[Passed]],
    wires: NDArray[np.void],
    run: Run,
    trips: int = 0,
) -> tables.Senders:
    """Tables of hosts and flows, which pass hops; with so many first places for trips."""
    rows = _flow_rows(hosts, passed, run.seed)
    host_rows = _host_rows(hosts, run.seed)
    run.needs += _needs(hosts, rows, passed, run)
    within_budget(run.needs)
    return tables.Senders(
        flows=rows,
        hosts=host_rows,
        segments=np.zeros(0, tables.SEGMENT),
        departures=np.zeros(0, tables.DEPARTURE),
        log=np.zeros(0, np.int64),
        acks=np.zeros(0, tables.ACK),
        wires=wires,
        ways=np.zeros(0, tables.WAY),
        trips=np.zeros(0, tables.TRIP),
        burst_ends_ps=np.zeros(0, np.int64),
        places=first_places(rows, host_rows, wires, trips),
        pace_ps=_pace_table(hosts, rows),
        rates=_rates(rows),
        notes=np.zeros((run.bins, len(rows)), tables.NOTE),
        events=np.zeros(run.events, tables.FLOW_EVENT),
        room=np.array([(run.events,)], tables.ROOM),
    )


def _needs(
    hosts: Sequence[Host], rows: NDArray[np.void], passed: Sequence[Sequence[Passed]], run: Run
) -> Iterator[Need]:
    """What the tables of flows take that do not grow [B], by the field that makes them large."""
    yield "bins", run.bins, 2 * tables.NOTE.itemsize * len(rows) * run.bins
    # What the kernels note, and the columns that this becomes.
    yield "events", run.events, 2 * tables.FLOW_EVENT.itemsize * run.events
    yield "the number of flows", len(rows), tables.FLOW.itemsize * len(rows)
    for (_, _, most), (host, _) in _bursts(hosts, rows).items():
        yield f"Host {host.name!r} burst_packets", host.burst_packets, 8 * most
    for (_, flow), rates in zip(_each_flow(hosts), rows["bandwidth_count"].tolist(), strict=True):
        yield f"Flow {flow.name!r} congestion", flow.congestion, 8 * rates
    for hop in {id(hop.state): hop for way in passed for hop in way}.values():
        for queue, row in zip(as_port(hop.where)[0], hop.state.queues, strict=True):
            if row["drops_head"]:
                yield (
                    f"Queue {queue.name!r} limit",
                    queue.limit,
                    OUTCOME.itemsize * int(row["mask"]),
                )


def _each_flow(hosts: Sequence[Host]) -> list[tuple[Host, Flow]]:
    return [(host, flow) for host in hosts for flow in host.flows]


def sources_of(hosts: Sequence[Host]) -> list[Stream]:
    """The flows of all hosts as the port sees them: streams without times of their own."""
    return [
        Stream(
            flow.name,
            0.0,
            flow.frame_bytes,
            mark=flow.label,
            ecn=flow.ecn,
            source=host.name,
        )
        for host in hosts
        for flow in host.flows
    ]


def with_sources(
    where: Port | Forwarder, state: State, members: int, wires: int, begun: dict[int, int]
) -> State:
    """Rows for wires behind those of flows and streams, and room for outcomes of an event.

    `begun` is when the flows of some rows begin [ps].
    """
    sources = members + wires
    rows = np.zeros(1 << max(sources - 1, 0).bit_length(), state.streams.dtype)
    rows["next_ps"] = NEVER
    rows[:members] = state.streams[:members]
    for row, start_ps in begun.items():
        rows["next_ps"][row] = start_ps
    shed = [queue.flows.batch_packets for queue in as_port(where)[0] if queue.flows]
    most = int((state.queues["mask"] * state.queues["drops_head"]).max()) + max(shed, default=0)
    return state._replace(
        streams=rows, tree=np.zeros(2 * len(rows), np.uint32), log=np.zeros(most + 2, OUTCOME)
    )


def _flow_rows(
    hosts: Sequence[Host], passed: Sequence[Sequence[Passed]], seed: int
) -> NDArray[np.void]:
    flows = [(i, host, flow) for i, host in enumerate(hosts) for flow in host.flows]
    rows = np.zeros(len(flows), tables.FLOW)
    for index, (row, (i, host, flow)) in enumerate(zip(rows, flows, strict=True)):
        way = passed[index]
        row["host"], row["key"], row["row"] = i, key(seed, 3, index), way[0].row
        with numbers_of(f"Flow {flow.name!r}"):
            _fill_times(row, host, flow, [hop.where.base_delay_s for hop in way])
            _fill_sizes(row, host, flow, sum(map(_held_packets, way)))
            fill_choices(row, flow)
            on_line_bytes = flow.frame_bytes + getattr(way[0].where, "overhead_bytes", 0)
            nic_ps = interval_ps(on_line_bytes, host.access_bps)
            row["nic_ps"], row["nic_fraction"] = split(nic_ps)
    return rows


def _held_packets(hop: Passed) -> int:
    kind = hop.state.classes[hop.row]
    return int(hop.state.queues[kind["queue"]]["limit"] // max(kind["amount"], 1))


def _fill_times(row: np.void, host: Host, flow: Flow, base_delays_s: Sequence[float]) -> None:
    before_s = Fraction(host.queue.delay_s if host.queue else 0)
    back_s = Fraction(flow.round_trip_s) - before_s
    if back_s < sum(map(Fraction, base_delays_s)):
        least_s = float(before_s) + sum(base_delays_s)
        fail(f"Flow {flow.name!r} round_trip_s", flow.round_trip_s, f"at least {least_s}")
    before_ps = sum(map(picoseconds, base_delays_s[:-1]))
    row["return_ps"] = max(round(back_s * PS_PER_S) - before_ps, 0)
    row["start_ps"] = row["wake_ps"] = picoseconds(flow.start_s)
    row["stop_ps"] = NEVER if flow.stop_s is None else picoseconds(flow.stop_s)
    row["ack_delay_ps"], row["lost_share"] = picoseconds(flow.ack_delay_s), flow.lost_share
    row["least_rto_ps"] = picoseconds(flow.minimum_timeout_s)
    for name in ("rto_ps", "finished_ps", "min_rtt_ps", "epoch_ps"):
        row[name] = NEVER


def _fill_sizes(row: np.void, host: Host, flow: Flow, held_packets: int) -> None:
    """The most in flight: the sockets', or twice what line, port and a first window hold."""
    if flow.window_bytes is None:
        on_way = host.access_bps * flow.round_trip_s / units.bits(flow.frame_bytes)
        first = flow.slow_start.initial_window_packets
        limit = min(2 * (int(on_way) + held_packets + first) + host.burst_packets, MOST_PACKETS)
    else:
        limit = flow.window_bytes // flow.mss_bytes
    if limit > MOST_PACKETS:
        fail(f"Flow {flow.name!r} window_bytes", flow.window_bytes, f"{MOST_PACKETS} packets")
    row["limit"], row["burst"] = limit, min(host.burst_packets, limit)
    row["per_ack"], row["reduced_upto"] = flow.segments_per_ack, -1
    row["end"] = NEVER
    if flow.transfer_bytes is not None:
        row["end"] = min(-(-flow.transfer_bytes // flow.mss_bytes), NEVER)


def _rates(rows: NDArray[np.void]) -> Floats:
    """Room for each BBR flow's rates of the last rounds."""
    sizes = np.where(rows["law"] == codes.BBR, rows["bandwidth_count"], 0)
    rows["bandwidths"] = np.cumsum(sizes) - sizes
    return np.zeros(int(sizes.sum()) + 1)


def _host_rows(hosts: Sequence[Host], seed: int) -> NDArray[np.void]:
    rows = np.zeros(len(hosts), tables.HOST)
    for i, (row, host) in enumerate(zip(rows, hosts, strict=True)):
        row["key"] = key(seed, 2, i)
        row["htb"] = isinstance(host.pacing, HtbPacing)
        with numbers_of(f"Host {host.name!r}"):
            row["jitter_ps"] = picoseconds(host.jitter_s)
            if host.queue:
                row["limit"] = host.queue.limit_bursts
                row["delay_ps"] = picoseconds(host.queue.delay_s)
    return rows


def _pace_table(hosts: Sequence[Host], rows: NDArray[np.void]) -> NDArray[np.int64]:
    """How long bursts of 1, 2, ... segments take at the rate they really leave at."""
    times_ps: list[int] = []
    first = {}
    for kind, (host, flow) in _bursts(hosts, rows).items():
        first[kind] = len(times_ps)
        with numbers_of(f"Host {host.name!r} pacing"):
            times_ps += [_burst_ps(host, flow, n + 1) for n in range(kind[-1])]
    for row, (host, flow) in zip(rows, _each_flow(hosts), strict=True):
        paced = host.pacing is not None and not isinstance(host.pacing, HtbPacing)
        row["paced"] = paced or row["law"] in (codes.BBR, codes.PRAGUE)
        row["pace_first"] = first[_kind_of_bursts(row, host, flow)]
    return np.array(times_ps, np.int64)


def _kind_of_bursts(row: np.void, host: Host, flow: Flow) -> tuple[Pacing | None, int, int]:
    """What the times of its bursts depend on: pacing, size of a segment, most segments."""
    return host.pacing, flow.mss_bytes, int(row["burst"])


def _bursts(
    hosts: Sequence[Host], rows: NDArray[np.void]
) -> dict[tuple[Pacing | None, int, int], tuple[Host, Flow]]:
    """One host and flow of each kind of bursts."""
    each = zip(rows, _each_flow(hosts), strict=True)
    return {_kind_of_bursts(row, *pair): pair for row, pair in each}


def _burst_ps(host: Host, flow: Flow, segments: int) -> int:
    rate_bps = actual_rate_bps(host.pacing, flow.mss_bytes, segments)
    if rate_bps is None or rate_bps == float("inf"):
        return 0
    return split(interval_ps(burst_bytes(flow.mss_bytes, segments), rate_bps))[0]


def fill_choices(row: np.void, flow: Flow) -> None:
    """Write what a flow has chosen into its row."""
    fill_law(row, flow)
    if flow.ecn != "no":
        row["feedback"] = FEEDBACKS.get(type(flow.congestion), codes.UNTIL_CWR)
    match flow.congestion:
        case HTcp():
            _fill_htcp(row, flow)
        case Dctcp() as law:
            row["marked_share"], row["saw_mark"] = law.initial_share, 1
        case Prague() as law:
            _fill_prague(row, law)
        case Bbr() as law:
            _fill_bbr(row, flow, law)
    _fill_slow_start(row, flow.slow_start)
    _fill_recovery(row, flow.recovery)


def fill_law(row: np.void, flow: Flow) -> None:
    """Write a flow's congestion control into its row, of this engine or of the fluid model."""
    law = flow.congestion
    where, others = f"Flow {flow.name!r} congestion", "no other runs with TCP"
    row["law"] = rule_of(where, law, LAWS, others)
    match law:
        case Reno(beta):
            row["beta"] = beta
        case Dctcp() | Prague():
            row["beta"], row["gain_share"] = law.beta, law.gain
        case Cubic():
            row["beta"], row["c"] = law.beta, law.c
            row["fast"], row["friendly"] = law.fast_convergence, law.friendly
        case HTcp():
            row["low_s"], row["switch"], row["scaling"] = law.low_s, law.switch, law.rtt_scaling
            row["beta"] = row["beta_low"] = law.beta_low
            row["beta_high"] = law.beta_high


def _fill_htcp(row: np.void, flow: Flow) -> None:
    row["alpha"], row["min_srtt_ps"] = 1.0, NEVER
    row["epoch_ps"] = row["bandwidth_ps"] = picoseconds(flow.start_s)


def _fill_bbr(row: np.void, flow: Flow, law: Bbr) -> None:
    row["gain"] = row["startup_gain"] = law.startup_gain
    row["window_gain"], row["probe_packets"] = law.window_gain, law.probe_packets
    row["probe_every_ps"], row["bandwidth_count"] = picoseconds(law.probe_s), law.rounds + 1
    row["min_at_ps"] = picoseconds(flow.start_s)
    row["least_ps"] = row["probed_ps"] = NEVER


def _fill_prague(row: np.void, law: Prague) -> None:
    row["target_ps"], row["transition"] = picoseconds(law.least_round_trip_s), law.transition_rounds
    row["most_burst"] = row["burst"]


def _fill_slow_start(row: np.void, start: SlowStart) -> None:
    row["cwnd"], row["counts_acks"] = start.initial_window_packets, start.counts == "acks"
    row["by_round"] = start.validation == "round"
    threshold = start.initial_threshold_packets
    row["ssthresh"] = float("inf") if threshold is None else threshold
    hystart = start.hystart
    if hystart:
        row["hystart"], row["delay_sign"], row["train_sign"] = 1, hystart.delay, hystart.train
        row["low"], row["samples"] = hystart.low_packets, hystart.samples
        row["share"], row["train_share"] = hystart.share, hystart.train_share
        row["low_ps"], row["high_ps"] = picoseconds(hystart.low_s), picoseconds(hystart.high_s)
        row["gap_ps"] = picoseconds(hystart.gap_s)


def _fill_recovery(row: np.void, recovery: Recovery) -> None:
    row["recovery"], row["repeats"] = RECOVERIES[type(recovery)], 1
    row["duplicate"] = getattr(recovery, "duplicate_packets", 3)
    if isinstance(recovery, SackRecovery):
        row["bound"], row["repeats"] = _BOUNDS[recovery.bound], recovery.finds_repeats
    if isinstance(recovery, PathologicalRecovery):
        row["critical"] = recovery.critical_packets
        row["threshold"] = recovery.threshold_packets
