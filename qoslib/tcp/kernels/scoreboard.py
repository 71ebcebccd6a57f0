"""What the sender knows of each segment it has sent (RFC 6675, section 3).

A log in the order of sending finds losses: a packet is lost when enough of those sent after it
have arrived. Each entry is passed once, so that a loss costs the same in a window of any size.
"""

from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import FREE, IN_FLIGHT, LOST, MOST_TRIES, SACKED, TRIES_BITS


@kernel
def segment_of(flow, segments, number):
    """The row of a segment."""
    return segments[flow.first + (number & flow.mask)]


@kernel
def _tells(flow, tries):
    """Whether a packet sent so often tells of losses, and can be found lost."""
    return tries == 1 or flow.repeats


@kernel
def _arrived(flow, segment):
    """A segment is known to have arrived; 1 if that is news."""
    if segment.state == SACKED:
        return 0
    if segment.state == LOST:
        flow.lost -= 1
        return 1
    flow.flight -= 1
    if segment.order >= flow.scan and _tells(flow, segment.tries):
        flow.after += 1
    return 1


@kernel
def acknowledge(flow, segments, upto):
    """All before `upto` have arrived; how many of them is news."""
    news = 0
    while flow.una < upto:
        segment = segment_of(flow, segments, flow.una)
        news += _arrived(flow, segment)
        segment.state = FREE
        flow.una += 1
    return news


@kernel
def sacked(flow, segments, number):
    """One segment beyond the acknowledged ones has arrived; 1 if that is news."""
    segment = segment_of(flow, segments, number)
    news = _arrived(flow, segment)
    segment.state = SACKED
    return news


@kernel
def lose(flow, segment, number):
    """A segment in flight counts as lost."""
    segment.state = LOST
    flow.flight -= 1
    flow.lost += 1
    flow.again = min(flow.again, number)


@kernel
def find_lost(flow, segments, log):
    """Look from the oldest packet on that is not known to have arrived; how many are lost."""
    found = 0
    while flow.scan < flow.order:
        tag = log[flow.log_first + (flow.scan & flow.log_mask)]
        number, tells = tag >> TRIES_BITS, _tells(flow, tag & MOST_TRIES)
        segment = segment_of(flow, segments, number)
        waits = number >= flow.una and segment.state == IN_FLIGHT and segment.order == flow.scan
        if not waits:
            flow.after -= 1 if tells else 0
        elif flow.after < flow.duplicate:
            break
        elif tells:
            lose(flow, segment, number)
            found += 1
        flow.scan += 1
    return found


@kernel
def lose_all(flow, segments):
    """After a timeout: whatever is not known to have arrived is lost."""
    for number in range(flow.una, flow.next):
        segment = segment_of(flow, segments, number)
        if segment.state == IN_FLIGHT:
            lose(flow, segment, number)
    flow.again = flow.una
    flow.scan, flow.after = flow.order, 0


@kernel
def next_lost(flow, segments):
    """The first lost segment; there is one."""
    number = max(flow.again, flow.una)
    while segment_of(flow, segments, number).state != LOST:
        number += 1
    flow.again = number
    return number
