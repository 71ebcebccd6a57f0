"""Token buckets that count time: the bucket is full when its `tat` is not after now.

The tokens at time t are ``burst - max(tat - t, 0)`` in the time they take to arrive (GCRA,
ITU-T I.371 annex A); a packet fits if that covers its own time at the bucket's rate, all in whole
picoseconds and rounded down, so that a stream at just the bucket's rate fits. What it takes has
its fraction.
"""

from qoslib.packets.kernels.clock import NEVER, add_from
from qoslib.packets.kernels.codes import (
    EXCESS_RATE,
    GREEN,
    ONE_BUCKET,
    RED_COLOUR,
    SINGLE_RATE,
    TWO_RATES,
    YELLOW,
)
from qoslib.packets.kernels.compiling import kernel, rare_kernel
from qoslib.packets.kernels.ring_buffer import head_slot


@kernel
def _conforms(tat_ps, cost_ps, burst_ps, now_ps):
    return max(tat_ps, now_ps) + cost_ps <= now_ps + burst_ps


@kernel
def _congested(queue, port):
    """Whether a conditional policer drops: enough packets wait, or some do and one was dropped."""
    if port.waiting >= queue.congestion:
        return True
    return queue.sees_drops == 1 and port.dropped == 1 and port.waiting > 0


@kernel
def policed(queue, kind, now_ps, port):
    """Whether the policer drops a packet of this class.

    A packet that exceeds passes while the port is not congested, and takes what tokens there are.
    """
    congested = _congested(queue, port)
    if not congested and not queue.drains:
        return False
    if _conforms(queue.police_tat, kind.police_ps, queue.police_burst_ps, now_ps):
        tat, fraction = queue.police_tat, queue.police_tat_fraction
        queue.police_tat, queue.police_tat_fraction = add_from(
            now_ps, tat, fraction, kind.police_ps, kind.police_fraction
        )
        return False
    if not congested:
        queue.police_tat, queue.police_tat_fraction = now_ps + queue.police_burst_ps, 0
    return congested


@kernel
def _take_committed(queue, kind, now_ps):
    queue.police_tat, queue.police_tat_fraction = add_from(
        now_ps, queue.police_tat, queue.police_tat_fraction, kind.police_ps, kind.police_fraction
    )


@kernel
def _take_excess(queue, kind, now_ps):
    queue.excess_tat, queue.excess_tat_fraction = add_from(
        now_ps, queue.excess_tat, queue.excess_tat_fraction, kind.excess_ps, kind.excess_fraction
    )


@kernel
def _excess_covers(queue, kind, now_ps):
    """Whether the second bucket covers a packet of this class.

    Of a single rate the first bucket fills until its `tat`, and only then the second one until its
    own: that one's is when both are full. What lies between is what the second one lacks.
    """
    tat_ps = queue.excess_tat
    if queue.meter != SINGLE_RATE:
        return _conforms(tat_ps, kind.excess_ps, queue.excess_burst_ps, now_ps)
    from_ps, from_fraction = now_ps, 0
    if queue.police_tat >= now_ps:
        from_ps, from_fraction = queue.police_tat, queue.police_tat_fraction
    lacks_ps = tat_ps - from_ps
    if queue.excess_tat_fraction < from_fraction:
        lacks_ps -= 1
    return max(lacks_ps, 0) + kind.excess_ps <= queue.excess_burst_ps


@kernel
def _colour(queue, kind, now_ps):
    """The colour of a packet of this class, whose tokens are taken."""
    fits = kind.colour == GREEN
    fits = fits and _conforms(queue.police_tat, kind.police_ps, queue.police_burst_ps, now_ps)
    if queue.meter == ONE_BUCKET:
        if fits:
            _take_committed(queue, kind, now_ps)
        return GREEN if fits else YELLOW
    second = not fits or queue.meter == TWO_RATES
    if second and (kind.colour == RED_COLOUR or not _excess_covers(queue, kind, now_ps)):
        return RED_COLOUR
    if fits:
        _take_committed(queue, kind, now_ps)
    if not fits or queue.meter != EXCESS_RATE:
        _take_excess(queue, kind, now_ps)
    return GREEN if fits else YELLOW


@rare_kernel
def goes_on_as(queue, kind, now_ps):
    """The packet class that a packet of this class becomes by its colour; -1 if it is dropped."""
    queue.colour = _colour(queue, kind, now_ps)
    if queue.colour == GREEN:
        return kind.conform
    return kind.exceed if queue.colour == YELLOW else kind.violate


@kernel
def shaped_until(row, cost_ps):
    """When the shaper of a queue or port lets a packet of this cost go [ps]."""
    return row.shape_tat + cost_ps - row.shape_burst_ps


@kernel
def ready_at(queue, classes, slots):
    """When the queue's oldest packet may go: 0 for at once, `NEVER` where it is empty."""
    if queue.length == 0:
        return NEVER
    if not queue.shaped:
        return 0
    return shaped_until(queue, classes[slots[head_slot(queue)].packet_class].shape_ps)


@kernel
def take_shaped(row, cost_ps, cost_fraction, now_ps):
    """Take a packet's tokens from the shaper of a queue or port."""
    row.shape_tat, row.shape_tat_fraction = add_from(
        now_ps, row.shape_tat, row.shape_tat_fraction, cost_ps, cost_fraction
    )
