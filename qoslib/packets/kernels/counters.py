"""What is counted as it happens: packets, delays, and what stood in the queues over time."""

import numpy as np

from qoslib.packets.kernels.clock import NEVER
from qoslib.packets.kernels.codes import CAUSES, LAST_LOSS
from qoslib.packets.kernels.compiling import kernel, rare_kernel

#: Bins for each doubling of the delay, so each is less than 0.8 % wide.
_PER_DOUBLING_BITS = 7
_SHIFT = 52 - _PER_DOUBLING_BITS
#: Shortest delay with a bin of its own, 2**10 ps, about 1 ns.
FIRST_BIN = ((1023 + 10) << 52) >> _SHIFT
BINS = 52 << _PER_DOUBLING_BITS
_LOW_BITS = 40
_LOW = (1 << _LOW_BITS) - 1
#: Sums of delays are carried from here on, which is seldom.
_CARRIED = 1 << 62


def bin_edges_ps() -> np.ndarray:
    """Edges of the delay bins [ps], shape (BINS + 1,); the first bin starts at 0."""
    codes = (np.arange(BINS + 1, dtype=np.int64) + FIRST_BIN) << _SHIFT
    edges = codes.view(np.float64).copy()
    edges[0] = 0.0
    return edges


@kernel
def count_delay(row, histogram, stream, delay_ps):
    """Add one delay; its bin is the leading bits of it as a floating-point number."""
    row.delay_low += delay_ps
    if row.delay_low >= _CARRIED:
        row.delay_high += row.delay_low >> _LOW_BITS
        row.delay_low &= _LOW
    if delay_ps < row.delay_min:
        row.delay_min = delay_ps
    if delay_ps > row.delay_max:
        row.delay_max = delay_ps
    row.varied_ps += abs(delay_ps - row.last_ps)
    row.last_ps = delay_ps
    code = (np.float64(delay_ps).view(np.int64) >> _SHIFT) - FIRST_BIN
    histogram[stream, min(max(code, 0), BINS - 1)] += 1


@rare_kernel
def _count_left(port, left, counts, delays, histogram):
    """Count the packets that have left."""
    for at in range(port.left):
        packet = left[at]
        counts[packet.packet_class, 1] += 1
        count_delay(delays[packet.stream], histogram, packet.stream, packet.delay_ps)
    port.left = 0


@kernel
def _leaves(state, port, packet):
    """The last bit of a packet has left. It is counted later, with others.

    Each of a thousand streams is counted in other lines of memory than the last one, and the
    processor waits for many lines at once no longer than for one: measured, a quarter less.
    """
    if packet.departure_ps >= port.warm_ps:
        if port.left == len(state.left):
            _count_left(port, state.left, state.counts, state.delays, state.histogram)
        left = state.left[port.left]
        left.delay_ps = packet.delay_ps
        left.packet_class, left.stream = packet.packet_class, packet.stream
        port.left += 1


@kernel
def empty_ring(state, port, until_ps):
    """Packets whose last bit has left by a time are in the ring no longer."""
    while port.in_ring > 0:
        at = port.handed_at - port.in_ring
        packet = state.handed[at if at >= 0 else at + len(state.handed)]
        if packet.departure_ps > until_ps:
            return
        port.in_ring -= 1
        _leaves(state, port, packet)


@kernel
def count_sent(state, port, until_ps):
    """Count the packets whose last bit has left by a time."""
    empty_ring(state, port, until_ps)
    _count_left(port, state.left, state.counts, state.delays, state.histogram)


@kernel
def count_through(delays, histogram, counts, stream, feed, warm_ps):
    """Count the delays over a whole chain of packets that have left its last hop."""
    for packet in feed:
        if packet.arrival_ps >= warm_ps:
            counts[stream] += 1
            count_delay(delays[stream], histogram, stream, packet.arrival_ps - packet.tag)


@kernel
def hand_over(state, port, kind, packet_class, arrival_ps, departure_ps):
    """Note a packet for the ring or the line, in place of the one that has left."""
    packet = state.handed[port.handed_at]
    if port.in_ring == len(state.handed):
        _leaves(state, port, packet)
    else:
        port.in_ring += 1
    packet.departure_ps = departure_ps
    packet.delay_ps = departure_ps - arrival_ps + port.base_ps
    packet.packet_class, packet.stream = packet_class, kind.stream
    port.handed_at = port.handed_at + 1 if port.handed_at + 1 < len(state.handed) else 0


@kernel
def log_outcome(port, log, arrival_ps, departure_ps, packet_class, tag, cause):
    """Note what became of a packet, while there is room; the cause is -1 where it was sent."""
    if port.logged < len(log):
        outcome = log[port.logged]
        outcome.arrival_ps = arrival_ps
        outcome.departure_ps = departure_ps
        outcome.packet_class = packet_class
        outcome.tag = tag
        outcome.cause = cause
        port.logged += 1


@rare_kernel
def forget(port, queues, counts, drops):
    """At the end of the warm-up: start anew all counters but those of sent packets.

    These count from the start only what departs after the warm-up.
    """
    counts[:, 0] = 0
    counts[:, 2] = 0
    drops[:, :] = 0
    drops[:, LAST_LOSS] = -1
    port.pause_frames = 0
    port.forget_ps = NEVER
    for queue in queues:
        queue.peak = queue.length


@rare_kernel
def snapshot(state, port):
    """At the end of a bin: copy the counters, and start the largest queue lengths anew.

    `counts` holds a row a packet class: offered, sent, marked; `drops` a row a class, a column a
    cause, and two for the runs of losses. `past_counts` is (bins, classes, 3): offered, sent,
    dropped so far; `past_spent_ps` is (bins, queues): how long policers' buckets take from then
    on to be full.
    """
    count_sent(state, port, port.edge_ps)
    for packet_class in range(len(state.counts)):
        past = state.past_counts[port.edge, packet_class]
        past[0] = state.counts[packet_class, 0]
        past[1] = state.counts[packet_class, 1]
        past[2] = state.drops[packet_class, : len(CAUSES)].sum()
    for index in range(len(state.queues)):
        queue = state.queues[index]
        state.past_peaks[port.edge, index] = queue.peak
        queue.peak = queue.length
        state.past_spent_ps[port.edge, index] = max(queue.police_tat - port.edge_ps, 0)
    port.edge += 1
    port.edge_ps = state.edges_ps[port.edge]
