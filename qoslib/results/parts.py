"""The parts of a result: whole numbers, delays, what happened over time, packets, TCP flows."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from qoslib.record import Share, checked
from qoslib.results.array_record import ArrayRecord

__all__ = [
    "Counts",
    "Events",
    "FlowEvents",
    "FlowRecord",
    "Heard",
    "Histogram",
    "History",
    "PacketTrace",
]


@dataclass(frozen=True, eq=False, repr=False)
class Counts(ArrayRecord):
    """Whole numbers a stream, of packets or of bytes: offered = sent + dropped + queued.

    Attributes
    ----------
    offered, sent : ndarray of int64, shape (streams,)
    queued : ndarray of int64, shape (streams,)
        By how much the queues grew; what waits at the end, if they were empty at the start.
    dropped : mapping of cause to ndarray of int64, shape (streams,)
    marked : ndarray of int64, shape (streams,)
        Marked instead of dropped (RFC 3168).
    """

    offered: np.ndarray
    sent: np.ndarray
    queued: np.ndarray
    dropped: Mapping[str, np.ndarray]
    marked: np.ndarray

    @property
    def lost(self) -> np.ndarray:
        """Dropped for any cause, shape (streams,).

        Examples
        --------
        >>> one, none = np.array([1]), np.array([0])
        >>> Counts(one, none, none, {"tail": one}, none).lost
        array([1])
        """
        return sum(self.dropped.values(), np.zeros_like(self.offered))


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(ArrayRecord):
    """Delays of sent packets in log-spaced bins.

    Attributes
    ----------
    edges_s : ndarray, shape (bins + 1,)
        Bin edges [s].
    counts : ndarray of int64, shape (streams, bins)
    """

    edges_s: np.ndarray
    counts: np.ndarray

    def quantile_s(self, share: float) -> np.ndarray:
        """Delay [s] that `share` of each stream's packets do not exceed, shape (streams,).

        Within a bin the packets are taken as spread evenly in the logarithm.

        Parameters
        ----------
        share : float
            From 0 to 1.

        Returns
        -------
        ndarray, shape (streams,)
            NaN where nothing was sent.

        Raises
        ------
        ValueError
            If the share is not from 0 to 1.

        Examples
        --------
        >>> Histogram(np.array([0.0, 1.0, 4.0]), np.array([[4, 4]])).quantile_s(0.75)
        array([2.])
        """
        share = checked(Share, share, "share")
        return np.array([self._one(row, share) for row in self.counts], dtype=float)

    def _one(self, row: np.ndarray, share: float) -> float:
        total = row.sum()
        if total == 0:
            return math.nan
        filled, upto = np.flatnonzero(row), np.cumsum(row)
        target = share * total
        at = filled[np.searchsorted(upto[filled], target)]
        part = 1 - (upto[at] - target) / row[at]
        low, high = self.edges_s[at], self.edges_s[at + 1]
        return float(low * (high / low) ** part if low > 0 else high * part)


@dataclass(frozen=True, eq=False, repr=False)
class Heard(ArrayRecord):
    """What a listener at the far end notices of each stream, besides delay and loss.

    Attributes
    ----------
    jitter_s : ndarray, shape (streams,)
        How much the delays of two packets that follow one another differ, on the mean: what the
        interarrival jitter of RFC 3550, section 6.4.1, is a running mean of [s]. NaN below two
        packets.
    loss_runs : ndarray of int64, shape (streams,)
        Runs of losses: a drop begins one unless the arrival before, of the same stream and frame
        size, ended in a drop as well. In a chain each hop counts its own.

    Notes
    -----
    The difference between the first packet's delay and the least one is not known. It counts as
    0, which is at most the range of the delays divided by the packets.
    """

    jitter_s: np.ndarray
    loss_runs: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class History(ArrayRecord):
    """What happened over time, in a bounded number of equal bins.

    Attributes
    ----------
    time_s : ndarray, shape (bins + 1,)
        Bin edges [s].
    queue_packets : ndarray, shape (queues, bins)
        Largest number of packets held within the bin.
    tokens_share : ndarray, shape (queues, bins)
        What a queue's policer has in tokens at the end of the bin, over its burst; NaN without a
        policer.
    offered_packets, sent_packets, dropped_packets : ndarray of int64, shape (streams, bins)
    sent_bytes : ndarray of int64, shape (streams, bins)
    """

    time_s: np.ndarray
    queue_packets: np.ndarray
    tokens_share: np.ndarray
    offered_packets: np.ndarray
    sent_packets: np.ndarray
    dropped_packets: np.ndarray
    sent_bytes: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class PacketTrace(ArrayRecord):
    """The first packets one by one, in order of their fate.

    Attributes
    ----------
    stream : ndarray of int
        Index of the stream.
    arrival_s, departure_s : ndarray
        Times [s]; the departure is NaN for a dropped packet.
    frame_bytes : ndarray of int
    cause : ndarray of str
        Empty for a sent packet.
    """

    stream: np.ndarray
    arrival_s: np.ndarray
    departure_s: np.ndarray
    frame_bytes: np.ndarray
    cause: np.ndarray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Events(ArrayRecord):
    """What happened to the first packets of a run at one port, event by event.

    A packet that finds room is enqueued, chosen by the scheduler, started on the line, and departs
    with its last bit; or it is dropped, on arrival or from its queue.

    Attributes
    ----------
    time_s : ndarray
        Ascending [s], from the start of the run.
    kind : ndarray of str
        ``enqueue``, ``choice``, ``start``, ``departure`` or ``drop``.
    packet : ndarray of int
        Number of the packet, in the order of arrival at this port.
    stream, queue : ndarray of int
        Indices of its stream and queue.
    position : ndarray of int
        How many packets of its queue are before it as it is enqueued, chosen or dropped; -1 for
        the others. A packet that is dropped on arrival has them all before it.
    queue_packets : ndarray of int
        Length of its queue after the event.
    frame_bytes : ndarray of int
    cause : ndarray of str
        Of a drop; else empty.
    scheduler : ndarray, shape (events, queues)
        At a choice the scheduler's state just after it, before the packet is paid for, else NaN:
        the deficits of round robins and, at the lender's level, of HTB [B]; of a weighted round
        robin what is left of a queue's turn [packets]; start tags of
        start-time fair queueing, and what queues of priority levels or of a tree have had in the
        band that is served, within or beyond the guarantees as `guaranteed` says, all in time on
        the line over the weight, that of the largest being 1 [s]; 0 of other schedulers.
    tokens_share : ndarray
        What a queue's policer has in tokens after an arrival, and what its shaper, or that of the
        port where it has none, has at a choice, before the packet is paid for, over the burst;
        else NaN.
    excess_share : ndarray
        What the second bucket of a policer has in tokens after an arrival, over its burst; NaN
        without one.
    colour : ndarray of str
        ``green``, ``yellow`` or ``red``, of an arriving packet that a policer has given a colour;
        else empty.
    mark : ndarray of str
        The packet's mark behind the policer.
    dropper : ndarray
        What an early dropper goes by, as a packet is enqueued or dropped: RED's average in what
        its thresholds count [packets, B or, as shares of a limit in time, s], PIE's probability,
        CoDel's count while it drops and 0 while it does not; NaN of others.
    guaranteed : ndarray of bool
        Whether priority levels or a tree chose the queue within its guaranteed rate.
    strict : ndarray of bool
        Whether a tree chose the queue by strict priority, ahead of all guarantees.
    lender : ndarray of int
        Of HTB at a choice, the queue or node whose rate pays for the packet: queues by their
        index, then nodes as `qoslib.port.nodes.outline` orders them; else -1.
    full_s : ndarray, shape (events, queues + nodes, 2)
        Of a tree at a choice, once the packet is paid for: when the bucket of each queue's and
        node's guaranteed rate, and that of its shaper, would be full again [s]. Bursts less the
        tokens that arrive until then are left. NaN without a bucket or a tree.
    turn : ndarray of int, shape (events, nodes)
        Of a tree at a choice, once the packet has left: the child of each node whose turn it is,
        numbered as `lender` is. It is the one whose packet the node would let go next, in HTB the
        one that would borrow through it; else -1.
    marked : ndarray of bool
        Whether the packet is marked (RFC 3168) as it is enqueued, or by CoDel as it is chosen.
    closed : ndarray of bool
        Whether the queue refuses what arrives until it has drained to its limit's resume threshold.
    asked : ndarray of bool
        Whether the queue had asked its senders to stop (`PriorityPause`) before the event, or the
        port all of its senders (`Pause`).
    order_s : ndarray
        When what the queue had last asked its senders takes effect [s], or until when the port
        had told its senders to stop; 0 before that, NaN for
        starts and departures.
    flow_queue : ndarray of int
        Of a queue with `FlowQueues` the number of the flow's queue, as its packet is enqueued,
        chosen or dropped; else -1. The `position` of a packet dropped from there is that in the
        flow's queue.
    new_flow : ndarray of bool
        Whether that is the first of the new queues, which are served before the old ones.

    Examples
    --------
    >>> from qoslib.packets import simulate
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> print(*simulate(port, [Stream("a", 120e6)], 1.0, events=6).events.kind)
    enqueue choice start enqueue departure choice
    """

    time_s: np.ndarray
    kind: np.ndarray
    packet: np.ndarray
    stream: np.ndarray
    queue: np.ndarray
    position: np.ndarray
    queue_packets: np.ndarray
    frame_bytes: np.ndarray
    cause: np.ndarray
    scheduler: np.ndarray
    tokens_share: np.ndarray
    excess_share: np.ndarray
    colour: np.ndarray
    mark: np.ndarray
    dropper: np.ndarray
    guaranteed: np.ndarray
    strict: np.ndarray
    lender: np.ndarray
    full_s: np.ndarray
    turn: np.ndarray
    marked: np.ndarray
    closed: np.ndarray
    asked: np.ndarray
    order_s: np.ndarray
    flow_queue: np.ndarray
    new_flow: np.ndarray

    def __len__(self) -> int:
        return len(self.time_s)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FlowEvents(ArrayRecord):
    """What TCP senders did and were told, event by event, from the start of a run.

    The segments of a flow reach the port in the order in which they are sent, so that the n-th
    that is sent is the n-th packet of its stream in the `Events` of the port.

    Attributes
    ----------
    time_s : ndarray
        Ascending [s], from the start of the run.
    kind : ndarray of str
        ``send``: a segment leaves the socket. ``ack``: an acknowledgement comes in. ``timeout``:
        the retransmission timer runs out.
    flow : ndarray of int
        Index of the flow.
    segment : ndarray of int
        The segment that is sent, that the acknowledgement reports, or that is not acknowledged
        as the timer runs out; from 0.
    tries : ndarray of int
        How often that segment had been sent, this time included, up to 255; 0 at a timeout.
    acknowledged : ndarray of int
        All segments before this one are acknowledged, after the event.
    in_flight_packets : ndarray of int
        After the event, as the sender sees it.
    window_packets, ssthresh_packets : ndarray
        Congestion window and slow start threshold after the event.
    state : ndarray of str
        What the flow does about losses after the event: ``open``, ``recovery`` or, after a
        timeout, ``loss``.

    Examples
    --------
    >>> from qoslib import tcp
    >>> from qoslib.flows import Flow, Host
    >>> from qoslib.port import ByteLimit, Port, Queue
    >>> port = Port("access", 10e6, (Queue("all", ByteLimit(30_000)),))
    >>> result = tcp.simulate(port, [Host("h", 1e9, (Flow("a", 0.02),))], 0.1, events=1000)
    >>> events = result.tcp.events
    >>> print(*events.kind[9:14], *events.window_packets[9:14])
    send ack send send ack 10.0 11.0 11.0 11.0 12.0
    """

    time_s: np.ndarray
    kind: np.ndarray
    flow: np.ndarray
    segment: np.ndarray
    tries: np.ndarray
    acknowledged: np.ndarray
    in_flight_packets: np.ndarray
    window_packets: np.ndarray
    ssthresh_packets: np.ndarray
    state: np.ndarray

    def __len__(self) -> int:
        return len(self.time_s)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FlowRecord(ArrayRecord):
    """What TCP connections did, beside what their packets met; counts from the warm-up on.

    Attributes
    ----------
    flows : tuple of str
        Names; the first streams of the result are these flows.
    goodput_bps : ndarray, shape (flows,)
        Payload that the receiver could hand on in order [bit/s].
    goodput_bytes : ndarray of int64, shape (flows,)
    retransmitted : ndarray of int64, shape (flows,)
        Segments sent more than once, each time.
    timeouts, fast_recoveries : ndarray of int64, shape (flows,)
    dropped_in_host, first_send_drops, retransmit_drops : ndarray of int64, shape (flows,)
        Packets lost in the sending host; at the port on their first way; sent again and lost.
    finished_s : ndarray, shape (flows,)
        When the last byte of a transfer was acknowledged [s]; NaN where it was not.
    time_s : ndarray, shape (bins + 1,)
        Bin edges [s].
    window_packets, ssthresh_packets : ndarray, shape (flows, bins)
        Congestion window and slow start threshold at the end of each bin.
    in_flight_packets : ndarray of int64, shape (flows, bins)
    round_trip_s : ndarray, shape (flows, bins)
        The last one measured [s]; NaN before the first.
    received_bytes : ndarray of int64, shape (flows, bins)
        Payload handed on in order within each bin.
    events : FlowEvents or None
        Of a packet run that was asked for its events.
    """

    flows: tuple[str, ...]
    goodput_bps: np.ndarray
    goodput_bytes: np.ndarray
    retransmitted: np.ndarray
    timeouts: np.ndarray
    fast_recoveries: np.ndarray
    dropped_in_host: np.ndarray
    first_send_drops: np.ndarray
    retransmit_drops: np.ndarray
    finished_s: np.ndarray
    time_s: np.ndarray
    window_packets: np.ndarray
    ssthresh_packets: np.ndarray
    in_flight_packets: np.ndarray
    round_trip_s: np.ndarray
    received_bytes: np.ndarray
    events: FlowEvents | None = None
