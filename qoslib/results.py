"""One record of what happened to each stream, whichever model made it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

__all__ = ["Counts", "FlowRecord", "Histogram", "History", "PacketTrace", "Result"]


@dataclass(frozen=True, eq=False)
class Counts:
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
        """Dropped for any cause, shape (streams,)."""
        return sum(self.dropped.values(), np.zeros_like(self.offered))


@dataclass(frozen=True, eq=False)
class Histogram:
    """Latencies of sent packets in log-spaced bins.

    Attributes
    ----------
    edges_s : ndarray, shape (bins + 1,)
        Bin edges [s].
    counts : ndarray of int64, shape (streams, bins)
    """

    edges_s: np.ndarray
    counts: np.ndarray

    def quantile_s(self, share: float) -> np.ndarray:
        """Latency [s] that `share` of each stream's packets do not exceed, shape (streams,).

        Within a bin the packets are taken as spread evenly in the logarithm; NaN where nothing
        was sent.
        """
        if not 0 <= share <= 1:
            raise ValueError(f"share is {share!r}; allowed: 0 to 1")
        return np.array([self._one(row, share) for row in self.counts])

    def _one(self, row: np.ndarray, share: float) -> float:
        total = row.sum()
        if total == 0:
            return math.nan
        filled, upto = np.flatnonzero(row), np.cumsum(row)
        target = share * total
        at = filled[np.searchsorted(upto[filled], target)]
        part = 1 - (upto[at] - target) / row[at]
        low, high = self.edges_s[at], self.edges_s[at + 1]
        return low * (high / low) ** part if low > 0 else high * part


@dataclass(frozen=True, eq=False)
class History:
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


@dataclass(frozen=True, eq=False)
class PacketTrace:
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


@dataclass(frozen=True, eq=False, kw_only=True)
class FlowRecord:
    """What TCP connections did, beside what their packets met; counts from the warm-up on.

    Attributes
    ----------
    flows : tuple of str
        Names; the first streams of the result are these flows.
    goodput_bps : ndarray, shape (flows,)
        Payload that the receiver could hand on in order [bit/s].
    goodput_bytes : ndarray of int64, shape (flows,)
    sent_again : ndarray of int64, shape (flows,)
        Segments sent more than once, each time.
    timeouts, fast_recoveries : ndarray of int64, shape (flows,)
    dropped_in_host, dropped_first, dropped_again : ndarray of int64, shape (flows,)
        Packets lost in the sending host; at the port on their first way; sent again and lost.
    finished_s : ndarray, shape (flows,)
        When the last byte of a transfer was acknowledged [s]; NaN where it was not.
    time_s : ndarray, shape (bins + 1,)
        Bin edges [s].
    window_packets, threshold_packets : ndarray, shape (flows, bins)
        Congestion window and slow start threshold at the end of each bin.
    in_flight_packets : ndarray of int64, shape (flows, bins)
    round_trip_s : ndarray, shape (flows, bins)
        The last one measured [s]; NaN before the first.
    received_bytes : ndarray of int64, shape (flows, bins)
        Payload handed on in order within each bin.
    """

    flows: tuple[str, ...]
    goodput_bps: np.ndarray
    goodput_bytes: np.ndarray
    sent_again: np.ndarray
    timeouts: np.ndarray
    fast_recoveries: np.ndarray
    dropped_in_host: np.ndarray
    dropped_first: np.ndarray
    dropped_again: np.ndarray
    finished_s: np.ndarray
    time_s: np.ndarray
    window_packets: np.ndarray
    threshold_packets: np.ndarray
    in_flight_packets: np.ndarray
    round_trip_s: np.ndarray
    received_bytes: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """What a model says of each stream.

    The last axis of every array is the stream; a fluid model that was given arrays of offered
    loads has their other axes in front. A latency is NaN where nothing was sent, never 0.

    Attributes
    ----------
    model : str
        ``fluid``, ``packets`` or ``tcp``.
    streams, queues : tuple of str
        Names.
    offered_pps, sent_pps, dropped_pps : ndarray, shape (..., streams)
        Packet rates [packets/s].
    offered_bps, sent_bps, dropped_bps : ndarray, shape (..., streams)
        Rates of the frames' own bits [bit/s].
    latency_mean_s, latency_min_s, latency_max_s : ndarray, shape (..., streams)
        From arrival to the last bit on the line [s].
    dropped_by_pps : mapping of cause to ndarray, shape (..., streams)
        The dropped packets by cause [packets/s].
    without_latency : mapping of stream to str
        Why a stream that is sent has no latency here.
    duration_s : float or None
        Time the figures were taken over [s]; None for a steady state.
    seed : int or None
    packets, octets : Counts or None
        Whole numbers, of a packet model.
    histogram, history, trace : Histogram, History, PacketTrace or None
    tcp : FlowRecord or None
        Of the TCP connections among the streams.
    pause_frames : int
        IEEE 802.3 PAUSE frames sent to the senders.
    hops : tuple of Result
        Of a chain, the record of each port or forwarder.
    interrupted : bool
        Whether the run was stopped before its end; the figures then cover `duration_s`.
    notes : tuple of str
        What the model says about its own validity for this run, one plain sentence or two each;
        empty where it has nothing to say.
    """

    model: str
    streams: tuple[str, ...]
    queues: tuple[str, ...]
    offered_pps: np.ndarray
    sent_pps: np.ndarray
    dropped_pps: np.ndarray
    offered_bps: np.ndarray
    sent_bps: np.ndarray
    dropped_bps: np.ndarray
    latency_mean_s: np.ndarray
    latency_min_s: np.ndarray
    latency_max_s: np.ndarray
    dropped_by_pps: Mapping[str, np.ndarray] = field(default_factory=dict)
    without_latency: Mapping[str, str] = field(default_factory=dict)
    duration_s: float | None = None
    seed: int | None = None
    packets: Counts | None = None
    octets: Counts | None = None
    histogram: Histogram | None = None
    history: History | None = None
    trace: PacketTrace | None = None
    tcp: FlowRecord | None = None
    pause_frames: int = 0
    hops: tuple["Result", ...] = ()
    interrupted: bool = False
    notes: tuple[str, ...] = ()

    def of(self, stream: str, quantity: str) -> float | None:
        """One stream's value of a quantity, None where there is none.

        Raises
        ------
        ValueError
            If there is no such stream or quantity, or the result holds many sets of loads.
        """
        if stream not in self.streams:
            raise ValueError(f"stream is {stream!r}; allowed: {', '.join(self.streams)}")
        if quantity not in QUANTITIES:
            raise ValueError(f"quantity is {quantity!r}; allowed: {', '.join(QUANTITIES)}")
        values = getattr(self, quantity)
        if values.ndim != 1:
            raise ValueError(f"{quantity} has shape {values.shape}; allowed: one value a stream")
        value = float(values[self.streams.index(stream)])
        return None if math.isnan(value) else value

    def rows(self) -> list[dict]:
        """A row a stream, for a table: names and rates, latencies null where nothing was sent."""
        return [
            {"stream": name, **{q: self.of(name, q) for q in QUANTITIES}} for name in self.streams
        ]


QUANTITIES = tuple(
    f.name
    for f in fields(Result)
    if f.name.endswith(("_pps", "_bps", "_s")) and f.type is np.ndarray
)
