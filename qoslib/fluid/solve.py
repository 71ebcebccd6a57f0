"""Rates as water: what a port does to its streams in the long run."""

import numpy as np

from qoslib import units
from qoslib.fluid.delay import drops_at_head, waiting_s
from qoslib.fluid.drr import deficit_round_robin, modified_drr
from qoslib.fluid.metering import policed_bps, shaped_bps
from qoslib.fluid.priority import priority_levels, strict_priority
from qoslib.fluid.sharing import in_proportion
from qoslib.port import (
    DeficitRoundRobin,
    DropProfile,
    Fifo,
    ModifiedDrr,
    Port,
    PriorityLevels,
    StrictPriority,
)
from qoslib.results import Result

__all__ = ["SHARINGS", "solve"]


def _fifo(port, demand_bps, capacity_bps, weights):
    return in_proportion(demand_bps, capacity_bps)


#: How each scheduler shares a line in the long run.
SHARINGS = {
    Fifo: _fifo,
    StrictPriority: strict_priority,
    PriorityLevels: priority_levels,
    DeficitRoundRobin: deficit_round_robin,
    ModifiedDrr: modified_drr,
}


def solve(port: Port, streams, offered_bps=None) -> Result:
    """Steady rates, losses and waiting times of the streams at a port.

    Streams of one queue share what it gets in proportion to what they put in. A queue that gets
    less than is put in stands full; see `qoslib.fluid.delay.waiting_s` for how long that takes.

    Parameters
    ----------
    port : Port
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
        If there is no stream, two have one name, a rate is negative or not finite, a stream
        leads to no queue, or a dropper has no closed form.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> print(solve(port, [Stream("a", 90e6), Stream("b", 30e6)]).sent_bps)
    [75000000. 25000000.]
    """
    streams = tuple(streams)
    offered = _offered(streams, offered_bps)
    frames = np.array([stream.mean_frame_bytes for stream in streams])
    on_line = (frames + port.overhead_bytes) / frames
    member = np.eye(len(port.queues))[[port.queue_of(stream) for stream in streams]]
    entered = _policed(port, offered, frames, on_line, member)
    demand = _shaped(port, entered, member) * on_line @ member
    packet = _mean_packet(entered, frames, on_line, member)
    capacity = np.full(demand.shape[:-1], port.rate_bps)
    if port.shaper is not None:
        capacity = np.minimum(capacity, port.shaper.rate_bps * _mean(demand, entered @ member))
    weights = _weights(port, packet)
    served = SHARINGS[type(port.scheduler)](port, demand, capacity, weights)
    put_in = (entered * on_line) @ member
    passed = np.divide(served, put_in, out=np.zeros_like(served), where=put_in > 0)
    wait = np.stack(
        [
            waiting_s(queue, port.rate_bps, put_in[..., i], served[..., i], packet[..., i, :])
            for i, queue in enumerate(port.queues)
        ],
        axis=-1,
    )
    sent = entered * (passed @ member.T)
    latency = _pick(wait, member) + port.base_delay_s
    latency = latency + units.serialisation_s(frames, port.rate_bps, port.overhead_bytes)
    causes = _causes(port, member, offered - entered, entered - sent, frames)
    return _result(
        port, streams, frames, offered, sent, np.where(sent > 0, latency, np.nan), causes
    )


def _offered(streams, offered_bps):
    names = [stream.name for stream in streams]
    if not names or len(set(names)) != len(names):
        raise ValueError(f"streams are {names}; allowed: at least one, each name once")
    if offered_bps is None:
        offered_bps = [stream.mean_rate_bps for stream in streams]
    offered = np.asarray(offered_bps, dtype=float)
    if offered.ndim == 0 or offered.shape[-1] != len(streams):
        raise ValueError(f"offered_bps has shape {offered.shape}; allowed: (..., {len(streams)})")
    if not np.isfinite(offered).all() or (offered < 0).any():
        raise ValueError(f"offered_bps has {np.min(offered)}; allowed: finite, not below 0")
    return offered


def _policed(port, offered, frames, on_line, member):
    """Per stream, after the policers: first the unconditional ones, which decide on congestion."""
    entered = offered
    for when in ("always", "congested"):
        congested = (entered * on_line).sum(-1) > port.rate_bps
        into = entered @ member
        packet = _mean_frame(entered, frames, member)
        through = into.copy()
        for i, queue in enumerate(port.queues):
            if queue.policer is not None and queue.policer.when == when:
                through[..., i] = policed_bps(
                    queue.policer, into[..., i], packet[..., i], congested
                )
        entered = entered * _pick(_ratio(through, into), member)
    return entered


def _shaped(port, entered, member):
    into = entered @ member
    shaped = np.stack(
        [shaped_bps(queue.shaper, into[..., i]) for i, queue in enumerate(port.queues)], axis=-1
    )
    return entered * _pick(_ratio(shaped, into), member)


def _ratio(part, whole):
    return np.divide(part, whole, out=np.ones_like(whole), where=whole > 0)


def _mean(demand, into):
    return _ratio(demand.sum(-1), into.sum(-1))


def _pick(per_queue, member):
    """A value of each stream's own queue; not a product, which would spread a NaN."""
    return per_queue[..., np.argmax(member, axis=1)]


def _mean_frame(rate_bps, frames, member):
    bits, packets = rate_bps @ member, units.rate_pps(rate_bps, frames) @ member
    some = member.sum(0) > 0
    fallback = np.divide(frames @ member, member.sum(0), out=np.ones(len(some)), where=some)
    mean = units.octets(np.divide(bits, packets, out=np.ones_like(bits), where=packets > 0))
    return np.where(packets > 0, mean, fallback)


def _mean_packet(entered, frames, on_line, member):
    """Mean packet of each queue, as a frame and on the line [B], shape (..., queues, 2)."""
    frame = _mean_frame(entered, frames, member)
    ratio = _ratio((entered * on_line) @ member, entered @ member)
    return np.stack([frame, frame * ratio], axis=-1)


def _weights(port, packet):
    if isinstance(port.scheduler, DeficitRoundRobin | ModifiedDrr):
        quanta = np.array([max(queue.quantum_bytes, 1) for queue in port.queues], dtype=float)
        return quanta * packet[..., 1] / packet[..., 0]
    return np.broadcast_to([queue.weight for queue in port.queues], packet.shape[:-1])


def _causes(port, member, policed, overflow, frames):
    names = [_cause(queue.dropper) for queue in port.queues]
    causes = {}
    for name in sorted(set(names)):
        mine = member @ np.array([float(n == name) for n in names])
        causes[name] = units.rate_pps(overflow * mine, frames)
    if any(queue.policer for queue in port.queues):
        causes["policer"] = units.rate_pps(policed, frames)
    return causes


def _cause(dropper):
    if isinstance(dropper, DropProfile):
        return "profile"
    return "head" if drops_at_head(dropper) else "tail"


def _result(port, streams, frames, offered, sent, latency, causes):
    dropped = np.maximum(offered - sent, 0)
    return Result(
        model="fluid",
        streams=tuple(stream.name for stream in streams),
        queues=port.queue_names,
        offered_pps=units.rate_pps(offered, frames),
        sent_pps=units.rate_pps(sent, frames),
        dropped_pps=units.rate_pps(dropped, frames),
        offered_bps=offered,
        sent_bps=sent,
        dropped_bps=dropped,
        latency_mean_s=latency,
        latency_min_s=latency,
        latency_max_s=latency,
        dropped_by_pps=causes,
    )
