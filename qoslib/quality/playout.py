"""What a telephone makes of a stream of packets: a playout buffer, losses, and a score."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qoslib.quality.emodel import G711, Codec, mean_opinion_score, transmission_rating
from qoslib.record import NotNegative, checked, fail
from qoslib.units import Floats

__all__ = ["Call", "interarrival_jitter_s", "played"]


@dataclass(frozen=True)
class Call:
    """A telephone call over a network, as its listener hears it.

    Attributes
    ----------
    codec : Codec
    buffer_s : float
        What the playout buffer adds to the shortest delay of the network [s].
    delay_s : float
        From mouth to ear: a packet's speech, lookahead, network, buffer, and what lies
        elsewhere [s].
    loss_ratio : float
        Share of the packets that are not played: dropped, or too late [ratio].
    late_ratio : float
        Share of the packets that come too late to be played [ratio].
    run_ratio : float
        Mean run of losses over that of losses by chance, BurstR of G.107; at least 1 [ratio].
    rating : float
        Transmission rating factor R.
    mos : float
        Mean opinion score, 1 to 4.5.
    """

    codec: Codec
    buffer_s: float
    delay_s: float
    loss_ratio: float
    late_ratio: float
    run_ratio: float
    rating: float
    mos: float


def played(
    edges_s: Floats,
    counts: NDArray[np.int64],
    lost_ratio: float,
    run_packets: float = 1.0,
    codec: Codec = G711,
    buffer_s: float | None = None,
    elsewhere_s: float = 0.0,
) -> Call:
    """A call of packets that are played a fixed time after they were sent.

    Parameters
    ----------
    edges_s : ndarray, shape (bins + 1,)
        Edges of the bins of network delays [s].
    counts : ndarray of int, shape (bins,)
        Packets in each bin; at least one in all.
    lost_ratio : float
        Share of the packets that the network drops [ratio].
    run_packets : float
        How many of them it drops one after the other, on the mean.
    codec : Codec
    buffer_s : float or None
        Playout buffer: how much later than the fastest packet a packet may come [s]. None takes
        the one with the best score, as a good telephone would.
    elsewhere_s : float
        Delay of the rest of the path [s].

    Returns
    -------
    Call

    Raises
    ------
    ValueError
        If there are no packets, or a time is negative.

    Notes
    -----
    Within a bin the packets count as those at its upper edge. Losses by lateness are taken to be
    spread by chance; the ratio of runs weighs them with the runs of those that were dropped.

    References
    ----------
    ITU-T G.107 (06/2015), clause 7.5, for the ratio of runs.

    Examples
    --------
    >>> call = played(np.array([0.0, 0.02, 0.06]), np.array([99, 1]), 0.0)
    >>> round(call.buffer_s, 3), round(call.delay_s, 3), round(call.mos, 2)
    (0.04, 0.08, 4.36)
    """
    codec = checked(Codec, codec, "codec")
    buffer_s = checked(NotNegative | None, buffer_s, "buffer_s")
    elsewhere_s = checked(NotNegative, elsewhere_s, "elsewhere_s")
    counts = np.asarray(counts)
    filled = np.flatnonzero(counts)
    if not filled.size:
        fail("counts", int(counts.sum()), "at least one packet")
    ends_s = np.asarray(edges_s)[filled + 1]
    upto = np.cumsum(counts[filled]) / counts.sum()
    if buffer_s is None:
        plays_s, late = ends_s, 1 - upto
    else:
        plays_s = np.array([ends_s[0] + buffer_s])
        late = 1 - upto[np.searchsorted(ends_s, plays_s, "right") - 1]
    late_ratio = (1 - lost_ratio) * late
    loss = np.clip(lost_ratio + late_ratio, 0.0, 1.0)
    # Losses by chance come in runs of 1 / (1 - p) packets.
    burst = max(run_packets * (1 - lost_ratio), 1.0)
    ratio = np.divide(lost_ratio * burst + late_ratio, loss, out=np.ones_like(loss), where=loss > 0)
    delay_s = codec.packet_s + codec.lookahead_s + elsewhere_s + plays_s
    rating = transmission_rating(delay_s, loss, codec, np.maximum(ratio, 1.0))
    best = int(np.argmax(rating))
    return Call(
        codec=codec,
        buffer_s=float(plays_s[best] - ends_s[0]),
        delay_s=float(delay_s[best]),
        loss_ratio=float(loss[best]),
        late_ratio=float(late_ratio[best]),
        run_ratio=float(max(ratio[best], 1.0)),
        rating=float(rating[best]),
        mos=float(mean_opinion_score(rating)[best]),
    )


def interarrival_jitter_s(sent_s: Floats, received_s: Floats) -> Floats:
    """The interarrival jitter that a receiver of RTP keeps (RFC 3550, section 6.4.1).

    Parameters
    ----------
    sent_s, received_s : array_like, shape (packets,)
        When each packet was sent and received [s], in the order of receipt.

    Returns
    -------
    ndarray, shape (packets,)
        The estimate after each packet [s]; 0 after the first.

    Raises
    ------
    ValueError
        If there are not as many times of receipt as of sending.

    Notes
    -----
    It is a running mean, over about 16 packets, of how much the delays of neighbours differ. It
    is no standard deviation, and a slow drift of the delay does not show in it.

    Examples
    --------
    Delays of 0 and 10 ms in turn.

    >>> sent_s = np.arange(17) * 0.02
    >>> delay_s = np.where(np.arange(17) % 2, 0.01, 0.0)
    >>> float(interarrival_jitter_s(sent_s, sent_s + delay_s)[-1].round(6))
    0.006439
    """
    sent, received = np.asarray(sent_s, float), np.asarray(received_s, float)
    if sent.shape != received.shape or sent.ndim != 1:
        fail("received_s", received.shape, f"times of shape {sent.shape}, one a packet")
    jitter_s, estimates_s = 0.0, np.zeros(len(sent))
    for at, change_s in enumerate(np.abs(np.diff(received - sent)), 1):
        jitter_s += (change_s - jitter_s) / 16
        estimates_s[at] = jitter_s
    return estimates_s
