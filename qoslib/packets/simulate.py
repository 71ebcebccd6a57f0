"""Run a port packet by packet."""

import warnings
from collections.abc import Sequence

from qoslib.packets.chain import run_chain
from qoslib.packets.collect import collected, trace_of
from qoslib.packets.kernels.loop import affordable
from qoslib.packets.loops import beside, run
from qoslib.packets.plan import Run, as_port, planned
from qoslib.packets.plan_marks import kinds_of
from qoslib.packets.progress import Chunk, Progress, play
from qoslib.packets.switch import run_switch
from qoslib.port import Chain, Forwarder, Port, Switch
from qoslib.record import checked, fail
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["simulate"]

#: Events between two looks at the bar and the stop button.
CHUNK_PACKETS = 400_000


def simulate(
    network: Port | Forwarder | Chain | Switch,
    streams: Sequence[Stream],
    duration_s: float,
    *,
    seed: int = 0,
    warmup_s: float = 0.0,
    bins: int = 200,
    trace_packets: int = 0,
    events: int = 0,
    progress: Progress | None = None,
    chunk_packets: int = CHUNK_PACKETS,
) -> Result:
    """Send streams through a port packet by packet, and record what happened.

    The same description and seed give the same record, bit for bit. Stopping it (Ctrl-C, the
    notebook's stop button) ends it early, with a warning and the record of a run that ends there.

    Parameters
    ----------
    network : Port, Forwarder, Chain or Switch
    streams : sequence of Stream
    duration_s : float
        Simulated time [s].
    seed : int
        Of all draws; 0 or more.
    warmup_s : float
        What happens before this is left out of the record [s]; 0 keeps the cold start. What then
        waits is not offered again: `queued` is by how much the queues have grown since.
    bins : int
        Number of bins of the history.
    trace_packets : int
        How many packets are recorded one by one, from the first on; 0 for none.
    events : int
        Most entries of the event record, from the first on, of each hop where it is a chain; 0 for
        none. For pictures and for finding errors: `qoslib.results.Events`.
    progress : callable, optional
        Called with simulated time done and in all [s]; by default a bar after two seconds.
    chunk_packets : int
        About so many arrivals, departures and timers together are played between two calls of
        `progress`; it does not change the record.

    Returns
    -------
    Result
        With counts, delay histogram and history; its rates are over ``duration - warmup``.

    Raises
    ------
    ValueError
        If a description cannot run: see `qoslib.packets.plan`; or if its tables would take more
        than 4 GB, or what the environment sets as `QOSLIB_MEMORY_GB`.
    KeyboardInterrupt
        If it is stopped before the warm-up is over, or stopped twice.

    Notes
    -----
    Latency is from a packet's arrival to the last bit on the line, plus the port's base delay.
    Of a departure and an arrival at the same time the departure comes first, of two arrivals that
    of the stream listed first. Sent are the packets whose last bit leaves between the warm-up and
    the end.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> result = simulate(port, [Stream("a", 120e6)], 1.0)
    >>> int(result.packets.offered[0]), int(result.packets.sent[0])
    (15000, 12500)
    """
    network = checked(Port | Forwarder | Chain | Switch, network, "network")
    streams = checked(tuple[Stream, ...], streams, "streams")
    _check(streams, chunk_packets)
    options = Run(duration_s, warmup_s, seed, bins, trace_packets, events)
    if isinstance(network, Chain):
        result = run_chain(network, streams, options, progress, chunk_packets)
    elif isinstance(network, Switch):
        result = run_switch(network, streams, options, progress, chunk_packets)
    else:
        result = _run_one(network, streams, options, progress, chunk_packets)
    if result.interrupted:
        warnings.warn(f"stopped after {result.duration_s:.6g} s simulated", stacklevel=2)
    return result


def _check(streams: Sequence[Stream], chunk_packets: int) -> None:
    names = [stream.name for stream in streams]
    if not names or len(set(names)) != len(names):
        fail("the streams' names", names, "at least one, each name once", "are")
    checked(Chunk, chunk_packets, "chunk_packets")


def _run_one(
    network: Port | Forwarder,
    streams: Sequence[Stream],
    options: Run,
    progress: Progress | None,
    chunk_packets: int,
) -> Result:
    kinds = kinds_of(network, streams)
    state = planned(network, streams, options, kinds=kinds)
    chunk = affordable(state, chunk_packets)
    parts = beside(network, state, options.end_ps)
    done_ps = play(lambda watch: run(state, parts, options.end_ps, chunk), options, progress)
    names = tuple(stream.name for stream in streams)
    queues = tuple(queue.name for queue in as_port(network)[0])
    trace = None
    if options.log_packets:
        trace = trace_of(state.log[: int(state.port[0]["logged"])], state.classes)
    marks = [kind.mark for kind in kinds]
    return collected(state, names, queues, options, done_ps, trace, marks)
