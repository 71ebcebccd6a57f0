"""What is counted as it happens: packets, latencies, and what stood in the queues over time."""

import numpy as np

from qoslib.packets.clock import NEVER
from qoslib.packets.kernel import kernel

__all__ = [
    "BINS",
    "FIRST_BIN",
    "bin_edges_ps",
    "count_latency",
    "forget",
    "log_fate",
    "snapshot",
]

#: Bins for each doubling of the latency, so each is less than 0.8 % wide.
_PER_DOUBLING_BITS = 7
_SHIFT = 52 - _PER_DOUBLING_BITS
#: Shortest latency told apart, 2**10 ps, about 1 ns.
FIRST_BIN = ((1023 + 10) << 52) >> _SHIFT
BINS = 52 << _PER_DOUBLING_BITS
_LOW_BITS = 40
_LOW = (1 << _LOW_BITS) - 1


def bin_edges_ps() -> np.ndarray:
    """Edges of the latency bins [ps], shape (BINS + 1,); the first bin starts at 0."""
    codes = (np.arange(BINS + 1, dtype=np.int64) + FIRST_BIN) << _SHIFT
    edges = codes.view(np.float64).copy()
    edges[0] = 0.0
    return edges


@kernel
def count_latency(tally, histogram, stream, latency_ps):
    """Add one latency; its bin are the leading bits of it as a floating-point number."""
    low = tally.latency_low + latency_ps
    tally.latency_high += low >> _LOW_BITS
    tally.latency_low = low & _LOW
    tally.latency_min = min(tally.latency_min, latency_ps)
    tally.latency_max = max(tally.latency_max, latency_ps)
    code = (np.float64(latency_ps).view(np.int64) >> _SHIFT) - FIRST_BIN
    histogram[stream, min(max(code, 0), BINS - 1)] += 1


@kernel
def log_fate(port, log, arrival_ps, departure_ps, packet_class, tag, cause):
    """Note what became of a packet, while there is room; the cause is -1 where it was sent."""
    if port.logged < len(log):
        fate = log[port.logged]
        fate.arrival_ps = arrival_ps
        fate.departure_ps = departure_ps
        fate.packet_class = packet_class
        fate.tag = tag
        fate.cause = cause
        port.logged += 1


@kernel
def forget(port, queues, counts, drops):
    """At the end of the warm-up: start anew all counters but those of sent packets.

    These count from the start only what departs after the warm-up.
    """
    counts[:, 0] = 0
    counts[:, 2] = 0
    drops[:, :] = 0
    port.pause_frames = 0
    port.forget_ps = NEVER
    for queue in queues:
        queue.peak = queue.length


@kernel
def snapshot(port, queues, counts, drops, edges_ps, past_counts, past_peaks, past_spent_ps):
    """At the end of a bin: copy the counters, and start the largest queue lengths anew.

    `counts` holds a row a packet class: offered, sent, marked; `drops` a row a class and a
    column a cause. `past_counts` is (bins, classes, 3): offered, sent, dropped so far;
    `past_spent_ps` is (bins, queues): how long policers' buckets take from then on to be full.
    """
    for packet_class in range(len(counts)):
        past = past_counts[port.edge, packet_class]
        past[0] = counts[packet_class, 0]
        past[1] = counts[packet_class, 1]
        past[2] = drops[packet_class].sum()
    for index in range(len(queues)):
        past_peaks[port.edge, index] = queues[index].peak
        queues[index].peak = queues[index].length
        past_spent_ps[port.edge, index] = max(queues[index].police_tat - port.edge_ps, 0)
    port.edge += 1
    port.edge_ps = edges_ps[port.edge]
