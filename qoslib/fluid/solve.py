"""The fluid model: what a port does to its streams in the long run."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qoslib import units
from qoslib.fluid.chain import through
from qoslib.fluid.colours import Parts, coloured
from qoslib.fluid.delay import together, waiting_s
from qoslib.fluid.drr import per_visit, shorter_s
from qoslib.fluid.flow_queues import flow_notes, shared_by_flow
from qoslib.fluid.flow_waits import flow_waits_s
from qoslib.fluid.forwarder import as_line, held_back
from qoslib.fluid.metering import policed, shaped_bps
from qoslib.fluid.paths import Paths, ratio
from qoslib.fluid.record import anywhere, causes_of, recorded
from qoslib.fluid.red import by_limit, red_minimum_packets, shared_by_profile
from qoslib.fluid.refusals import refuse, refuse_marking
from qoslib.fluid.shared_memory import Line, room_bytes, side_by_side
from qoslib.fluid.sharing import (
    cake_tins,
    deficit_round_robin,
    in_proportion,
    modified_drr,
    priority_levels,
    strict_priority,
)
from qoslib.fluid.trees import lent, mean_packets, through_tree
from qoslib.fluid.turns import Counted, in_turns
from qoslib.port import (
    CakeTins,
    Chain,
    DeficitRoundRobin,
    Fifo,
    Forwarder,
    HierarchicalTokenBucket,
    ModifiedDrr,
    Port,
    PriorityLevels,
    Queue,
    Scheduler,
    SchedulerTree,
    StartTimeFairQueueing,
    StrictPriority,
    Switch,
    WeightedRoundRobin,
)
from qoslib.record import checked, fail, rule_of
from qoslib.results import Result
from qoslib.tolerances import ROUNDING
from qoslib.traffic import MOST_BPS, Stream
from qoslib.units import Floats

__all__ = ["SHARINGS", "solve"]

#: What a dropper may do to a queue of a round robin.
SHORT = (
    "Queue {!r} may be kept shorter than its quantum by its dropper, or by a limit that follows"
    " the served rate. It then sends less than said here, and the others send more: run the"
    " packet model."
)

#: The part of what is offered from which two answers are told apart [ratio].
MUCH = 0.1

#: Halvings that find the line rate a shaped port uses, to the last bit of a float.
HALVINGS = 60


class Sharing(NamedTuple):
    """How a scheduler shares a line in the long run.

    `rates` is what each queue sends, of a port, demands, a capacity and weights; `weights` what
    the queues share by, of a port, what is put into them and their mean packets.
    """

    rates: Callable[[Port, Floats, Floats, Floats], Floats]
    weights: Callable[[Port, Floats, Floats], Floats]


def _fifo(port: Port, demand_bps: Floats, capacity_bps: Floats, weights: Floats) -> Floats:
    return in_proportion(demand_bps, capacity_bps)


def _by_weight(port: Port, put_in_bps: Floats, packet_bytes: Floats) -> Floats:
    weights = [queue.weight or 1.0 for queue in port.queues]
    return np.broadcast_to(weights, packet_bytes.shape[:-1])


def _by_packet(port: Port, put_in_bps: Floats, packet_bytes: Floats) -> Floats:
    return packet_bytes[..., 1]


#: A scheduler's own line here is all that the fluid model needs to know of it.
SHARINGS: dict[type[Scheduler], Sharing] = {
    Fifo: Sharing(_fifo, _by_weight),
    StrictPriority: Sharing(strict_priority, _by_packet),
    PriorityLevels: Sharing(priority_levels, _by_weight),
    StartTimeFairQueueing: Sharing(strict_priority, _by_weight),
    CakeTins: Sharing(cake_tins, _by_packet),
    WeightedRoundRobin: Sharing(strict_priority, per_visit),
    DeficitRoundRobin: Sharing(deficit_round_robin, per_visit),
    ModifiedDrr: Sharing(modified_drr, per_visit),
    SchedulerTree: Sharing(through_tree, mean_packets),
    HierarchicalTokenBucket: Sharing(lent, mean_packets),
}


def _sharing(port: Port) -> Sharing:
    where, others = f"Port {port.name!r} scheduler", "the packet model may run others"
    return rule_of(where, port.scheduler, SHARINGS, others)


def _in_rounds(port: Port) -> bool:
    """Whether queues are visited in turn, so that a short one sends less than its quantum."""
    return _sharing(port).weights is per_visit


def solve(
    network: Port | Forwarder | Chain | Switch,
    streams: Sequence[Stream],
    offered_bps: ArrayLike | None = None,
) -> Result:
    """Steady rates, losses and waiting times of the streams at a port, forwarder or chain.

    Streams of one queue share what it gets in proportion to what they put in; with WRED those of
    the lower profile lose first (`qoslib.fluid.red`). A queue that gets less than is put in stays
    full; see `qoslib.fluid.delay.waiting_s` for how long that takes. Of a queue with `FlowQueues`
    each flow gets a fair share; see `qoslib.fluid.flow_queues` and `qoslib.fluid.flow_waits`.
    A forwarder shares its time likewise; see `qoslib.fluid.forwarder`.

    Parameters
    ----------
    network : Port, Forwarder, Chain or Switch
    streams : sequence of Stream
    offered_bps : ndarray, shape (..., streams), optional
        Offered rates in bits of frames [bit/s], in place of the streams' own; many sets of
        loads are answered in one call.

    Returns
    -------
    Result
        Arrays of shape (..., streams).

    Raises
    ------
    ValueError
        If there is no stream, two have one name, a rate is negative or above 1e18, a stream
        leads to no queue, or the port has what no closed form here speaks of: a PIE dropper, or a
        CoDel one without `FlowQueues`, WRED profiles that overlap, a memory pool without dynamic
        thresholds, a PAUSE of a port that senders obey. The packet model runs them.

    Notes
    -----
    A queue of a round robin that has room for less than its quantum sends less per visit: see
    `qoslib.fluid.drr.per_visit`. Where a dropper keeps it short, `notes` says so. Where single
    packets decide which class of HTB borrows, the rates are counted over packets and `notes` says
    so: see `qoslib.fluid.turns`.
    A transmit ring is full while the port is overloaded, and else empty. A stream whose queue a
    RED dropper holds down has no latency here; the result says why. The times at
    which streams start and stop are left out: see `qoslib.fluid.over_time`.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> print(solve(port, [Stream("a", 90e6), Stream("b", 30e6)]).sent_bps)
    [75000000. 25000000.]
    """
    network = checked(Port | Forwarder | Chain | Switch, network, "network")
    streams = checked(tuple[Stream, ...], streams, "streams")
    offered = _offered(streams, offered_bps)
    if isinstance(network, Chain):
        return through(network, streams, offered, _at)
    if isinstance(network, Switch):
        return _at_switch(network, streams, offered)
    return _at(network, Parts.whole(streams, offered))[0]


def _at(network: Port | Forwarder, parts: Parts) -> tuple[Result, Parts]:
    """The result at a port or forwarder, and what it sends by stream and mark."""
    if isinstance(network, Forwarder):
        line, paths = as_line(network, parts.streams)
        offered, held_s = held_back(network, parts.bps, paths)
        return _at_line(line, replace(parts, bps=offered), paths, held_s)
    return _at_line(network, parts, Paths.of(network, parts.streams), 0.0)


def _at_line(port: Port, came: Parts, of: Paths, held_s: Floats | float) -> tuple[Result, Parts]:
    """The result at one line, whose senders' packets wait `held_s` more, and what it sends."""
    line = _loaded(port, came, of)
    (room,) = room_bytes([line])
    return _answer(line, room, came, held_s)


def _at_switch(switch: Switch, streams: Sequence[Stream], offered: Floats) -> Result:
    """Each port by itself, but for the memory that its queues have."""
    members = switch.members(streams)
    came = [Parts.whole([streams[i] for i in mine], offered[..., mine]) for mine in members]
    lines = [
        _loaded(port, parts, Paths.of(port, parts.streams))
        for port, parts in zip(switch.ports, came, strict=True)
    ]
    rooms = room_bytes(lines)
    hops = [_answer(*each, 0.0)[0] for each in zip(lines, rooms, came, strict=True)]
    return side_by_side(switch, streams, hops)


def _loaded(port: Port, came: Parts, of: Paths) -> Line:
    """What a line carries of what it is offered; its memory has no say in that."""
    refuse(port)
    parts, paths = coloured(port, came, of)
    streams = parts.streams
    refuse_marking(port, streams, paths)
    entered = policed(port, parts.bps, paths)
    put_in = paths.into_queues(entered * paths.on_line)
    packet = paths.packet_bytes(entered)
    weights = _sharing(port).weights(port, put_in, packet)
    served, notes = _served(port, put_in, packet, weights)
    return Line(port, parts, paths, entered, put_in, served, packet, weights, notes)


def _answer(line: Line, room: Floats, came: Parts, held_s: Floats | float) -> tuple[Result, Parts]:
    """The result at one line, whose queues have so much room of a shared memory; what it sends."""
    port, parts, paths, entered, put_in, served, packet, weights, notes = line
    streams = parts.streams
    sent = entered * paths.of_queue(np.minimum(ratio(served, put_in), 1))
    sent = shared_by_profile(port, streams, paths, entered, served, sent)
    sent = shared_by_flow(line, sent)
    held = _held_queues(port, streams, paths, entered, sent)
    latency_s = _latency(line, room, held) + held_s
    offered, policed_bps = came.total(came.bps), came.total(came.bps) - parts.total(entered)
    causes = causes_of(line, policed_bps, entered - sent, room)
    notes += _short(port, streams, paths, put_in, served, packet, weights)
    notes += tuple(flow_notes(line))
    remarked = parts is not came or len(parts.streams) > len(parts.names)
    result = recorded(port, parts, paths, offered, sent, latency_s, causes, notes, remarked)
    return result, replace(parts, bps=sent)


def _offered(streams: Sequence[Stream], offered_bps: ArrayLike | None) -> Floats:
    names = [stream.name for stream in streams]
    if not names or len(set(names)) != len(names):
        raise ValueError(f"streams are {names}; allowed: at least one, each name once")
    if offered_bps is None:
        offered_bps = [stream.mean_rate_bps for stream in streams]
    try:
        offered = np.asarray(offered_bps, dtype=float)
    except (TypeError, ValueError, OverflowError):
        fail("offered_bps", offered_bps, "numbers, one for each stream")
    if offered.ndim == 0 or offered.shape[-1] != len(streams):
        raise ValueError(f"offered_bps has shape {offered.shape}; allowed: (..., {len(streams)})")
    wrong = offered[~((offered >= 0) & (offered <= MOST_BPS))]
    if wrong.size:
        raise ValueError(f"offered_bps has {wrong[0]}; allowed: 0 to {MOST_BPS:g}")
    return offered


def _served(port: Port, put_in: Floats, packet: Floats, weights: Floats) -> Counted:
    """What each queue sends, and what there is to say of that."""
    on_line = packet[..., 1] / packet[..., 0]
    demand = put_in
    if not isinstance(port.scheduler, HierarchicalTokenBucket):
        demand = np.stack(
            [
                shaped_bps(queue.shaper, put_in[..., i], on_line[..., i])
                for i, queue in enumerate(port.queues)
            ],
            axis=-1,
        )
    capacity = _capacity(port, demand, weights, on_line)
    closed = _sharing(port).rates(port, demand, capacity, weights)
    return in_turns(port, demand, packet, closed, capacity)


def _capacity(port: Port, demand: Floats, weights: Floats, on_line: Floats) -> Floats:
    """The line rate, or the part of it at which the frames sent fit the port's shaper [bit/s]."""
    low, high = np.zeros(demand.shape[:-1]), np.full(demand.shape[:-1], port.rate_bps)
    if port.shaper is None:
        return high
    for step in range(HALVINGS):
        tried = (low + high) / 2 if step else high
        sent = _sharing(port).rates(port, demand, tried, weights)
        fits = (sent / on_line).sum(-1) <= port.shaper.rate_bps
        low, high = np.where(fits, tried, low), np.where(fits, high, tried)
    return low


def _short(
    port: Port,
    streams: Sequence[Stream],
    paths: Paths,
    put_in: Floats,
    served: Floats,
    packet: Floats,
    weights: Floats,
) -> tuple[str, ...]:
    """What no closed form here knows: queues of a round robin that may send less."""
    if not _in_rounds(port):
        return ()
    shortest = per_visit(port, put_in, packet, red_minimum_packets(port, streams, paths, packet))
    if np.array_equal(shortest, weights):
        return ()
    least = _served(port, put_in, packet, shortest).rate_bps
    apart = anywhere((served - least) > MUCH * put_in)
    return tuple(
        SHORT.format(queue.name) for queue, far in zip(port.queues, apart, strict=True) if far
    )


def _latency(
    line: Line,
    room: Floats,
    held: list[list[tuple[Queue, NDArray[np.bool_]]]],
) -> Floats:
    """From arrival to the last bit on the line [s]; NaN where nothing is sent."""
    port, paths, put_in, served = line.port, line.paths, line.put_in_bps, line.served_bps
    packet, weights = line.packet_bytes, line.weights
    wait = np.zeros(put_in.shape)
    for i, each in enumerate(held):
        rates = put_in[..., i], served[..., i]
        for queue, there in each:
            here_s = waiting_s(queue, port.rate_bps, *rates, packet[..., i, :], room[..., i])
            wait[..., i] = np.where(there, here_s, wait[..., i])
    if _in_rounds(port):
        # A visit sends at most what the queue holds, so that it halves the wait at most.
        shorter = np.minimum(shorter_s(port, put_in, packet, weights), wait / 2)
        wait = np.where(wait > 0, wait - shorter, wait)
    wait = together(port, wait)
    own = units.serialisation_s(paths.frames * paths.on_line, port.rate_bps)
    ring = _ring_s(port, put_in, served, packet)[..., None]
    return flow_waits_s(line, paths.of_queue(wait)) + ring + port.base_delay_s + own


def _held_queues(
    port: Port, streams: Sequence[Stream], paths: Paths, entered: Floats, sent: Floats
) -> list[list[tuple[Queue, NDArray[np.bool_]]]]:
    """Each queue with the limit at which it stays, and with which of the loads.

    With limits by mark that is the highest limit of a stream that loses. A queue that keeps flows
    apart is left to `qoslib.fluid.flow_waits`.
    """
    held: list[list[tuple[Queue, NDArray[np.bool_]]]] = []
    for index, queue in enumerate(port.queues):
        if queue.flows is not None:
            held.append([])
            continue
        each = [(queue.replace(limits=()), np.ones(sent.shape[:-1], bool))]
        if queue.limits:
            for limit, members in reversed(by_limit(queue, streams, paths.member[:, index] > 0)):
                lost = (entered - sent)[..., members].sum(-1)
                loses = lost > ROUNDING * entered[..., members].sum(-1)
                each.append((queue.replace(limit=limit, limits=()), loses))
        held.append(each)
    return held


def _ring_s(port: Port, put_in: Floats, served: Floats, packet: Floats) -> Floats:
    """Time through the transmit ring: full while more comes than the line takes [s]."""
    sent_bps = served.sum(-1)
    packets_pps = units.rate_pps(served, packet[..., 1]).sum(-1)
    mean_s = np.divide(sent_bps, packets_pps, out=np.zeros_like(sent_bps), where=packets_pps > 0)
    overloaded = put_in.sum(-1) > port.rate_bps * (1 + ROUNDING)
    return np.where(overloaded, port.transmit_ring_packets * mean_s / port.rate_bps, 0.0)
