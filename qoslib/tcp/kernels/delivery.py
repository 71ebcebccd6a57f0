"""How fast packets are delivered, over the flight of each (Linux's tcp_rate.c).

Every packet takes along how many had been delivered when it left, when the last of them was, and
when the first of the flight left that was then under way. With its ACK this tells

    rate = delivered since / max(time that sending them took, time until the ACK)

which neither a repaired hole nor ACKs that arrive together can raise above the path's rate.
"""

from qoslib.packets.kernels.compiling import kernel
from qoslib.tcp.kernels.codes import LAST_SACK, SACKED, TRIES_BITS
from qoslib.tcp.kernels.scoreboard import segment_of


@kernel
def _departure_of(flow, departures, number):
    return departures[flow.departures + (number & flow.mask)]


@kernel
def note_sent(flow, departures, number, tries, now_ps):
    """A segment has left the socket."""
    if number == flow.una and number + 1 == flow.next and tries == 1:
        # Nothing else is out.
        flow.first_ps = flow.delivered_ps = now_ps
    departure = _departure_of(flow, departures, number)
    departure.delivered, departure.delivered_ps = flow.delivered, flow.delivered_ps
    departure.first_ps, departure.app_limited = flow.first_ps, flow.app_limited > 0


@kernel
def sent_last(flow, segments, upto, tag):
    """The segment sent last among those that an ACK is the first to report; -1 if it is none."""
    last, order = -1, -1
    for number in range(flow.una, upto):
        segment = segment_of(flow, segments, number)
        if segment.state != SACKED and segment.order > order:
            last, order = number, segment.order
    number = tag >> TRIES_BITS
    if flow.recovery <= LAST_SACK and number >= max(flow.una, upto):
        segment = segment_of(flow, segments, number)
        if segment.state != SACKED and segment.order > order:
            last = number
    return last


@kernel
def rate_sample(flow, senders, number, news, now_ps):
    """After an ACK that reports so many packets, `number` the one of them that was sent last.

    The rate [packets/ps], 0 where it tells none; how many packets had been delivered when that
    packet left; and whether the flow was app-limited then.
    """
    flow.delivered += news
    if flow.delivered > flow.app_limited:
        flow.app_limited = 0
    if news > 0:
        flow.delivered_ps = now_ps
    if number < 0:
        return 0.0, 0, 0
    departure = _departure_of(flow, senders.departures, number)
    flow.first_ps = segment_of(flow, senders.segments, number).sent_ps
    took_ps = max(flow.first_ps - departure.first_ps, now_ps - departure.delivered_ps)
    rate = 0.0
    if took_ps >= flow.min_rtt_ps:
        rate = (flow.delivered - departure.delivered) / took_ps
    return rate, departure.delivered, departure.app_limited
