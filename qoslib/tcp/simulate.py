"""Run TCP connections, and streams beside them, through a port or several packet by packet."""

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qoslib import units
from qoslib.flows import Host
from qoslib.packets.collect import collected
from qoslib.packets.kernels.clock import NEVER, PS_PER_S
from qoslib.packets.kernels.loop import affordable
from qoslib.packets.loops import beside
from qoslib.packets.plan import Run
from qoslib.packets.plan_marks import kinds_of
from qoslib.packets.progress import Chunk, Progress, Watch, play
from qoslib.packets.whole import Whole
from qoslib.port import Chain, Forwarder, Port, Switch
from qoslib.record import checked
from qoslib.results import FlowEvents, FlowRecord, Result
from qoslib.tcp.kernels.loop import run as run_flat
from qoslib.tcp.kernels.loop import run_flows, run_tree
from qoslib.tcp.kernels.network import run_any_network, run_network
from qoslib.tcp.kernels.receiver import count_received
from qoslib.tcp.kernels.tables import Senders
from qoslib.tcp.places import lengthened
from qoslib.tcp.plan import names_of, plan, sources_of
from qoslib.tcp.plan_network import plan_network
from qoslib.traffic import Stream

__all__ = ["simulate"]

#: Events between two looks at the bar and the stop button.
CHUNK_EVENTS = 500_000
#: Names of what the kernels record as numbers.
KINDS, STATES = (
    np.array(["send", "ack", "timeout"], dtype=str),
    np.array(["open", "recovery", "loss"], dtype=str),
)


def simulate(
    network: Port | Forwarder | Chain | Switch,
    hosts: Sequence[Host],
    duration_s: float,
    *,
    streams: Sequence[Stream] = (),
    seed: int = 0,
    warmup_s: float = 0.0,
    bins: int = 200,
    events: int = 0,
    progress: Progress | None = None,
    chunk_events: int = CHUNK_EVENTS,
) -> Result:
    """Send TCP connections through a port or network packet by packet; record what happened.

    The same description and seed give the same record, bit for bit. Stopping it (Ctrl-C, the
    notebook's stop button) ends it early, with a warning and the record of a run that ends there.

    Parameters
    ----------
    network : Port, Forwarder, Chain or Switch
        Without PAUSE; all else as in `packets.simulate`. Hops name flows as they name streams.
    hosts : sequence of Host
        At least one.
    duration_s : float
        Simulated time [s].
    streams : sequence of Stream
        What is sent beside them and answers to nothing.
    seed : int
        Of all draws; 0 or more.
    warmup_s : float
        What happens before this is left out of the record [s].
    bins : int
        Number of bins of the histories.
    events : int
        Most entries of the event records of each port and of the flows, from the first on; 0 for
        none.
    progress : callable, optional
        Called with simulated time done and in all [s]; by default a bar after two seconds.
    chunk_events : int
        About so many events are played between two calls of `progress`; it does not change the
        record.

    Returns
    -------
    Result
        Of the flows, in the order of their hosts, and then the streams; what the connections
        did is its `tcp`.

    Raises
    ------
    ValueError
        If a description cannot run, or its tables would take more than 4 GB, or what the
        environment sets as `QOSLIB_MEMORY_GB`. Those of windows grow with what is under way, so
        that these may be refused during the run.
    KeyboardInterrupt
        If it is stopped before the warm-up is over, or stopped twice.

    Notes
    -----
    In a `Chain` a flow passes the hops that name it, in order, and of a `Switch` one port. `hops`
    of the result has what happened at each.

    A packet takes its time on the host's line, then waits at the port; the rest of the round trip
    passes between the end of its last bit on the port's line and the ACK's arrival. A flow may lose
    some of its packets on that way (`Flow.lost_share`). ACKs are neither lost nor delayed further.
    The receiver keeps up, and has all its buffer to offer. Each ACK tells which packet made it
    leave, so that the sender's scoreboard is complete. There is no tail loss probe (RFC 8985) and
    no undoing of what turns out not to have been a loss.

    Examples
    --------
    >>> from qoslib.flows import Flow, Host, Reno
    >>> from qoslib.port import ByteLimit, Queue
    >>> port = Port("access", 100e6, (Queue("all", ByteLimit(250_000)),))
    >>> flow = Flow("a", 0.02, Reno(), mss_bytes=1448, frame_bytes=1500)
    >>> result = simulate(port, [Host("h", 1e9, (flow,))], 10.0)
    >>> round(float(result.tcp.goodput_bps[0]) / 1e6, 1)
    95.9
    """
    network = checked(Port | Forwarder | Chain | Switch, network, "network")
    hosts = checked(tuple[Host, ...], hosts, "hosts")
    streams = checked(tuple[Stream, ...], streams, "streams")
    names = names_of(hosts, streams)
    checked(Chunk, chunk_events, "chunk_events")
    options = Run(duration_s, warmup_s, seed, bins, events=events)
    of_run: _AtPort | _InNetwork
    if isinstance(network, Port):
        of_run = _AtPort(network, hosts, streams, options, chunk_events)
    else:
        of_run = _InNetwork(network, hosts, streams, options, chunk_events)

    def advance(watch: Watch) -> int:
        done_ps = of_run.advance()
        of_run.senders = lengthened(of_run.senders, hosts, options.needs)
        return done_ps

    done_ps = play(advance, options, progress)
    result = of_run.record(names, done_ps)
    if result.interrupted:
        warnings.warn(f"stopped after {result.duration_s:.6g} s simulated", stacklevel=2)
    senders = of_run.senders
    count_received(senders.flows, senders.segments, done_ps)
    record = _flow_record(senders, hosts, result)
    if events:
        record = replace(record, events=_flow_events(senders, done_ps))
    return replace(result, model="tcp", tcp=record)


class _AtPort:
    """A port and its senders under way."""

    def __init__(
        self,
        port: Port,
        hosts: Sequence[Host],
        streams: Sequence[Stream],
        options: Run,
        chunk_events: int,
    ) -> None:
        self.port, self.options = port, options
        self.kinds = kinds_of(port, [*sources_of(hosts), *streams])
        self.state, self.senders = plan(port, hosts, streams, options)
        self.parts = beside(port, self.state, options.end_ps)
        self.events = affordable(self.state, chunk_events)

    def advance(self) -> int:
        """Play about so many events, by the loop that the port needs; how far all is done [ps]."""
        parts, more = self.parts, (self.senders, self.options.end_ps, self.events)
        if parts.flows is not None:
            return int(run_flows(self.state, parts.tree, parts.flows, *more))
        if parts.tree is not None:
            return int(run_tree(self.state, parts.tree, *more))
        return int(run_flat(self.state, *more))

    def record(self, names: tuple[str, ...], done_ps: int) -> Result:
        """What happened to the packets."""
        marks = [kind.mark for kind in self.kinds]
        queues = self.port.queue_names
        return collected(self.state, names, queues, self.options, done_ps, marks=marks)


class _InNetwork:
    """Several hops and their senders under way."""

    def __init__(
        self,
        network: Forwarder | Chain | Switch,
        hosts: Sequence[Host],
        streams: Sequence[Stream],
        options: Run,
        chunk_events: int,
    ) -> None:
        self.streams, self.options = [*sources_of(hosts), *streams], options
        self.planned = plan_network(network, hosts, streams, options)
        self.senders = self.planned.senders
        stations = self.planned.stations
        self.next_ps = np.zeros(len(stations), np.int64)
        self.events = min(affordable(each.state, chunk_events) for each in stations)

    def advance(self) -> int:
        """Play about so many events, by the loop that the hops need; how far all is done [ps]."""
        state, at, tree, tree_at, flows, flows_at = self.planned.ports
        more = self.planned.network, self.senders, self.next_ps, self.options.end_ps, self.events
        if tree is None:
            return int(run_network(state, at, *more))
        return int(run_any_network(state, tree, flows, at, tree_at, flows_at, *more))

    def record(self, names: tuple[str, ...], done_ps: int) -> Result:
        """What happened to the packets; of a forwarder alone that is what happened there."""
        stations, routes = self.planned.stations, self.planned.routes
        for k, station in enumerate(stations):
            station.state = self.planned.ports.part(k, station.state)
        return Whole(stations, self.streams, routes, self.options).record(
            done_ps, self.planned.through
        )


def _flow_record(senders: Senders, hosts: Sequence[Host], result: Result) -> FlowRecord:
    """What the flows did, in the time and at the ends of the bins of their packets' record."""
    assert result.history is not None, "a packet run has one"
    assert result.duration_s is not None, "a packet run has an end"
    time_s, seconds = result.history.time_s, result.duration_s
    flows = [flow for host in hosts for flow in host.flows]
    rows, notes = senders.flows, senders.notes[: len(time_s) - 1].T
    mss_bytes = np.array([flow.mss_bytes for flow in flows], dtype=np.int64)
    goodput_bytes = (rows["received"] - rows["received_before"]) * mss_bytes
    steps = np.diff(notes["received"], prepend=rows["received_before"][:, None])
    return FlowRecord(
        flows=tuple(flow.name for flow in flows),
        goodput_bps=units.bits(goodput_bytes) / seconds,
        goodput_bytes=goodput_bytes,
        retransmitted=rows["retransmitted"].copy(),
        timeouts=rows["timeouts"].copy(),
        fast_recoveries=rows["recoveries"].copy(),
        dropped_in_host=rows["dropped_in_host"].copy(),
        first_send_drops=rows["first_send_drops"].copy(),
        retransmit_drops=rows["retransmit_drops"].copy(),
        finished_s=np.where(rows["finished_ps"] < NEVER, rows["finished_ps"] / PS_PER_S, np.nan),
        time_s=time_s,
        window_packets=notes["cwnd"].copy(),
        ssthresh_packets=notes["ssthresh"].copy(),
        in_flight_packets=notes["flight"].copy(),
        round_trip_s=np.where(notes["last_rtt_ps"] > 0, notes["last_rtt_ps"] / PS_PER_S, np.nan),
        received_bytes=steps * mss_bytes[:, None],
    )


def _flow_events(senders: Senders, done_ps: int) -> FlowEvents:
    """The events of the flows up to a time, in the order in which they happened."""
    rows = senders.events[: len(senders.events) - int(senders.room[0]["left"])]
    rows = rows[rows["time_ps"] <= done_ps]
    return FlowEvents(
        time_s=rows["time_ps"] / PS_PER_S,
        kind=KINDS[rows["kind"]],
        flow=rows["flow"].copy(),
        segment=rows["segment"].copy(),
        tries=rows["tries"].copy(),
        acknowledged=rows["una"].copy(),
        in_flight_packets=rows["flight"].copy(),
        window_packets=rows["cwnd"].copy(),
        ssthresh_packets=rows["ssthresh"].copy(),
        state=STATES[rows["state"]],
    )
