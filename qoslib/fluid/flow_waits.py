"""How long packets wait in queues that keep flows apart."""

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.fluid.flow_queues import Apart, apart, own_packets, whole_limits
from qoslib.fluid.paths import ratio
from qoslib.fluid.shared_memory import Line
from qoslib.fluid.sharing import fill
from qoslib.port import TailDrop
from qoslib.tolerances import ROUNDING
from qoslib.units import Floats

__all__ = ["flow_waits_s"]


def flow_waits_s(line: Line, wait_s: Floats) -> Floats:
    """How long each part of a stream waits [s], where queues keep flows apart.

    While the queue keeps up nobody waits. Else a flow that loses nothing waits as `_sparse_s` says,
    and one that loses as `_backlogged_s` says.
    """
    waits = wait_s.copy()
    for one in apart(line):
        loses = one.loses
        full = np.asarray(loses.any(-1))[..., None]
        here = np.where(loses, _backlogged_s(one), np.where(full, _sparse_s(one, line), 0.0))
        here = np.where(one.sent_bps > 0, here, np.nan)
        for number, rows in enumerate(one.rows):
            waits[..., rows] = here[..., number, None]
    return waits


def _sparse_s(one: Apart, line: Line) -> Floats:
    """Mean wait of a flow that loses nothing beside others that lose [s], for Poisson arrivals.

    With C the rate of the queue, R the mean rest of the packet that is being sent,
    ``sum p (L/C)^2 / 2`` over all streams of p packets per second, and rho the part of C that those
    that lose nothing take, a flow that is served first waits for ``a = R / (1 - rho)``. Where it is
    new again with its next packet (`FlowQueues.renews`) that is all.

    Else it then waits for a pass T through the queues of those that lose, in which p T of its
    packets arrive. With r the part of its share that it uses and k the packets of a turn, these
    wait for ``w = T / (2 (1 - r^k))``; the mean is ``(a + p T w) / (1 + p T)``. Where none is
    served first, a is T. That is an estimate: up to a quarter of its share, and with a quantum that
    is not below a packet, the packet model was within 15 % of it; near its share a flow waits
    longer.
    """
    rate_bps = line.served_bps[..., one.index, None]
    rate_bps = np.where(rate_bps > 0, rate_bps, np.inf)
    packet_bits = units.bits(one.frame_bytes * one.on_line)
    packets_pps = one.sent_bps / packet_bits
    rest_s = (packets_pps * (packet_bits / rate_bps) ** 2).sum(-1, keepdims=True) / 2
    kept = np.where(one.loses, 0, one.sent_bps / rate_bps).sum(-1, keepdims=True)
    free = np.maximum(1 - kept, ROUNDING)
    first_s: Floats = rest_s / free + 0 * packets_pps
    if one.flows.sparse_first and one.flows.renews:
        return first_s
    flow_pps = packets_pps / one.count
    pass_s = _pass_s(one, rate_bps) / free
    busy = one.share_used ** np.maximum(one.turn_bytes // one.frame_bytes, 1)
    pass_s = pass_s * np.maximum(one.frame_bytes // one.turn_bytes, 1)
    come = flow_pps * pass_s
    begins_s = first_s if one.flows.sparse_first else pass_s
    mean_s = (begins_s + come * pass_s / (2 * np.maximum(1 - busy, ROUNDING))) / (1 + come)
    # Its queue is not longer than it may be.
    return np.asarray(np.minimum(mean_s, own_packets(one) / np.maximum(flow_pps, ROUNDING)))


def _pass_s(one: Apart, rate_bps: Floats) -> Floats:
    """How long the turns of those that lose take before that of a flow that has come last [s].

    One of them is in the middle of its turn: anywhere, or at the end of a packet if the flow that
    comes last has just been served first.
    """
    turn_s = np.where(one.loses, units.bits(one.turn_bytes * one.on_line) / rate_bps, 0)
    round_s = (one.count * turn_s).sum(-1, keepdims=True)
    packet_s = np.minimum(units.bits(one.frame_bytes * one.on_line) / rate_bps, turn_s)
    gone_s = turn_s + packet_s if one.flows.sparse_first else turn_s
    mean_s = ratio((one.count * turn_s * gone_s).sum(-1, keepdims=True), 2 * round_s)
    return np.asarray(np.maximum(round_s - mean_s, 0))


def _backlogged_s(one: Apart) -> Floats:
    """Wait of a flow that loses [s]: what its queue holds, over the rate at which that moves.

    With B the bytes of its queue, E its rate into it and S the rate sent: ``B / E`` where a full
    queue loses its head, else ``B / S``. NaN behind CoDel and COBALT: what a flow that does not
    respond holds is neither their target nor the limit.
    """
    if not isinstance(one.queue.dropper, TailDrop):
        return np.full(one.sent_bps.shape, np.nan)
    held, at_limit, batch = _held_packets(one)
    passed = ratio(one.sent_bps, one.demand_bps)
    at_head = (one.flows.drop_at == "head") & ~at_limit
    # Of a batch that a tail loses, only what came first after the one before is sent.
    held = held - np.where(at_head | at_limit, 0, batch / 2 * (1 - passed))
    moving = np.where(at_head, one.demand_bps, one.sent_bps) / one.count
    held_bits = units.bits(np.maximum(held, 1) * one.frame_bytes * one.on_line)
    return np.divide(held_bits, moving, out=np.zeros_like(moving), where=moving > 0)


def _held_packets(one: Apart) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """What a flow that loses holds on average, whether that is its own limit, and a batch.

    Those that lose hold equal bytes where the fattest loses, else equal packets, of the limit of
    the whole queue, but no more than their own. The fattest loses packets in batches, so that the
    whole queue is half a batch below its limit on average.
    """
    flows, most = one.flows, own_packets(one)
    equal = 1 / one.frame_bytes if flows.overflow == "fattest" else np.ones_like(one.frame_bytes)
    losing = np.where(one.loses, one.count, 0.0)
    held, full = np.full(one.sent_bps.shape, np.inf), np.zeros(one.sent_bps.shape[:-1], bool)
    for size, limit in whole_limits(one):
        room = np.full(losing.shape[:-1], limit)
        shares = fill(most * losing * size, room, np.where(losing > 0, losing, 1) * equal * size)
        held = np.minimum(held, ratio(shares, losing * size))
        full |= (most * losing * size).sum(-1) > limit
    at_limit = (held >= most * (1 - ROUNDING)) | (flows.overflow == "arriving")
    if flows.overflow != "fattest":
        return held, at_limit, np.ones_like(held)
    batch = np.minimum(flows.batch_packets, np.ceil(held / 2))
    many = losing.sum(-1, keepdims=True)
    below = ratio((losing * batch).sum(-1, keepdims=True), 2 * many)
    share = ratio(below, (losing * held).sum(-1, keepdims=True))
    full_here = full[..., None] & ~at_limit
    return np.where(full_here, held * (1 - share), held), at_limit, batch
