"""Congestion control: how far a window falls at a loss, and how it grows again.

Which packets are lost, and how they are repaired, is the business of `qoslib.flows.recovery`.
"""

from typing import Annotated, ClassVar

from qoslib.record import (
    ECN_WORDS,
    AtLeastOne,
    Count,
    NotNegative,
    Positive,
    Record,
    Share,
    Within,
    fail,
    record,
)

__all__ = ["Bbr", "Congestion", "Cubic", "Dctcp", "HTcp", "Prague", "Reno"]

#: What is left of a window after a loss.
Kept = Annotated[float, Within(0, 1, open_low=True, open_high=True)]
Gain = Annotated[float, Within(1, open_low=True)]


class Congestion(Record, family=True):
    """Base of all congestion controls."""

    #: What a flow's packets may say in the ECN field; see `qoslib.flows.Flow.ecn`.
    ecn: ClassVar[tuple[str, ...]] = ECN_WORDS


@record
class Reno(Congestion):
    """One packet more per round trip, a share less at a loss (RFC 5681, section 3.1).

    Parameters
    ----------
    beta : float
        Share of the window that is left after a loss.
    """

    beta: Kept = 0.5


@record
class Cubic(Congestion):
    """A cubic function of the time since the last loss (RFC 9438).

    Parameters
    ----------
    c : float
        Its steepness [packets/s^3] (section 4.1).
    beta : float
        Share of the window that is left after a loss (section 4.6).
    fast_convergence : bool
        Give room to newer flows when the window did not regain its last peak (section 4.7).
    friendly : bool
        Never grow slower than Reno would (section 4.3).
    """

    c: Positive = 0.4
    beta: Kept = 0.7
    fast_convergence: bool = True
    friendly: bool = True


@record
class HTcp(Congestion):
    """H-TCP: growth by the time since the last loss (Leith and Shorten, PFLDnet 2004).

    With Linux's constants: ``alpha = 2 (1 - beta) f`` packets per round trip, f = 1 for the first
    `low_s` after a loss and then ``1 + 10 (t - low) + (t - low)^2 / 4``.

    Parameters
    ----------
    low_s : float
        Time after a loss without faster growth [s].
    beta_low, beta_high : float
        Limits of the share that is left after a loss, ``RTT min / RTT max`` between them.
    rtt_scaling : bool
        Growth in real time is alike for all round trips: f times ``RTT min / 0.1 s``, this
        factor within 1/10 and 2, and f not below 1.
    switch : float
        `beta_low` is used after the throughput of two epochs differed by more than this share.
    """

    low_s: NotNegative = 1.0
    beta_low: Kept = 0.5
    beta_high: Kept = 0.8
    rtt_scaling: bool = True
    switch: Kept = 0.2

    def check(self) -> None:
        if self.beta_low > self.beta_high:
            fail("HTcp.beta_low", self.beta_low, f"at most beta_high, {self.beta_high}")


@record
class Dctcp(Congestion):
    """DCTCP: the window shrinks by as much as packets are marked (RFC 8257).

    The sender averages the share of packets that were marked, once for each window of data:
    ``share = (1 - gain) share + gain marked / delivered``. After a mark the window shrinks to
    ``1 - share / 2`` of itself, once per window of data. It grows as Reno's does, by packets whose
    ACKs report no mark, and a loss leaves `beta` of it. Flows need `ecn`.

    The receiver says which packets were marked. If it holds ACKs back, the first packet with a
    mark, and the first without one, makes two ACKs leave at once: one for the packets before it
    and one for itself (RFC 8257, section 3.2).

    Parameters
    ----------
    gain : float
        Weight of the newest window in the average, g (section 4).
    initial_share : float
        The average at the start (section 4). With 1 the first mark halves the window.
    beta : float
        Share of the window that is left after a loss (section 3.5).

    Notes
    -----
    A queue for DCTCP marks all packets that find it longer than a threshold K:
    ``Queue(..., marking=RedProfile(K, K))``. With N flows in step, whose windows are together
    ``rate round_trip + K``, the longest queue is K + N packets (Alizadeh et al. 2010,
    doi:10.1145/1851182.1851192).

    Examples
    --------
    >>> Dctcp().gain
    0.0625
    """

    gain: Annotated[float, Within(0, 1, open_low=True)] = 1 / 16
    initial_share: Share = 1.0
    beta: Kept = 0.5

    ecn: ClassVar[tuple[str, ...]] = ("classic", "l4s")


@record
class Prague(Congestion):
    """Prague, the scalable congestion control of L4S (RFC 9330; De Schepper et al., below).

    It answers marks as DCTCP does, with these differences:

    - the average starts at 0, and the first mark halves the window;
    - the window grows by each packet that was not marked, in windows with marks as well, so that
      n packets per round trip with a share p of marks make it grow by 1 - p;
    - the receiver says how many packets were marked (accurate ECN), and holds ACKs back as ever;
    - a round trip that is shorter than `least_round_trip_s` counts as that long. The window grows
      by ``(round trip / least)^2`` packets per round trip, so that the rate grows by as much as a
      longer flow's. The average is taken, and the window shrinks, once in that time. This begins
      `transition_rounds` windows after slow start;
    - packets are paced at a window per smoothed round trip, in slow start at twice that as long as
      the window is below half of the threshold. A burst has no more than 2^-12 s at that rate.

    Packets carry ECT(1): flows need ``ecn="l4s"``.

    Parameters
    ----------
    gain : float
        Weight of the newest share of marks in the average.
    least_round_trip_s : float
        Flows with a shorter round trip behave as if it were this [s].
    transition_rounds : int
        Windows of data after slow start until they do.
    beta : float
        Share of the window that is left after a loss.

    Notes
    -----
    Where each round trip has marks and p is their share, the window is ``2 (1 - p) / p`` packets.
    If packets are marked at random, it is ``(1 + sqrt 3) (1 - p) / p``, as a reduction then waits
    for the next mark. Flows with shorter round trips than the least have the rate of this one.

    Left out are what Linux does with windows of four packets and fewer (rates in place of
    windows, smaller packets), windows below two packets, and the fall-back where a queue marks by
    RFC 3168, which Linux has not switched on.

    References
    ----------
    De Schepper, Tilmans, Briscoe and Goel, draft-briscoe-iccrg-prague-congestion-control-04;
    Linux with L4S, net/ipv4/tcp_prague.c, version 0.7.

    Examples
    --------
    >>> Prague().least_round_trip_s
    0.025
    """

    gain: Annotated[float, Within(0, 1, open_low=True)] = 1 / 16
    least_round_trip_s: NotNegative = 0.025
    transition_rounds: Count = 4
    beta: Kept = 0.5

    ecn: ClassVar[tuple[str, ...]] = ("l4s",)


@record
class Bbr(Congestion):
    """BBR, version 1, as Linux has it (Cardwell et al. 2016, doi:10.1145/3012426.3022184).

    BBR keeps two numbers about the path. The bandwidth is the largest delivery rate of the last
    `rounds`. The round trip is the shortest of the last `probe_s`. Every ACK samples the rate over
    the flight of the packet that it reports: the packets delivered since that packet left, divided
    by the longer of the time that sending them took and the time until this ACK. A round is over
    when a packet that was sent in it is delivered.

    BBR paces at 99 % of a gain times the bandwidth. The window grows by what is delivered, up to a
    gain times bandwidth times round trip plus three of the host's bursts, rounded up to an even
    number. It is at least 4 packets. Once start-up is over, it also allows for ACKs that come in
    bunches: for the most packets that were delivered beyond the bandwidth in the last 5 to 10
    rounds, and at most for 0.1 s of the bandwidth. They are counted from an ACK on until no more
    have been delivered than the bandwidth explains, and up to the window. The phases:

    - start-up, with `startup_gain` for both, until the bandwidth has grown by less than a quarter
      in each of three rounds;
    - drain, paced at ``1 / startup_gain``, until no more packets are in flight than the path holds;
    - a cycle with `window_gain`, paced at 1.25, 0.75 and six times 1, each for one shortest round
      trip. The 1.25 lasts until so much is in flight or packets are lost, and the 0.75 no longer
      than it takes to drain. The first phase is drawn at random, but is never 0.75;
    - after `probe_s` without a round trip as short as the shortest, `probe_packets` in flight for
      0.2 s and one round. Rates sampled there count as limited by the application: only a larger
      one replaces the bandwidth.

    A loss does not lower the bandwidth. In the first round of a recovery the window is what is in
    flight. Then it grows again, and after the recovery it is restored. BBR ignores marks (ECN).

    Parameters
    ----------
    startup_gain, window_gain : float
        2 / ln 2 and 2 in the paper.
    rounds : int
        Rounds before the current one over which the largest rate is kept.
    probe_s : float
        How long a shortest round trip is kept [s].
    probe_packets : int
        Window while a new shortest round trip is measured.

    Notes
    -----
    A flow that joins a full link carries little at first. It gets its share only after a probe has
    let all flows measure the shortest round trip. In one test, four flows started 1 s apart
    (20 Mb/s, 50 ms, 1 BDP of buffer). Over the next 20 s the last carried 0.7 to 3 Mb/s in Linux
    6.18 and 0.5 to 9 Mb/s here. After a minute all carried nearly the same.

    Two parts of Linux's BBR are left out: the long-term rate behind a policer, and the restart from
    idle, as no flow here is idle. Behind a policer two flows lost 11 % in the model and 8 % in
    Linux. `Flow.window_bytes` counts as the receiver's window, so it limits the measured rate.

    The allowance for bunched ACKs is that of Linux 5.1 and later. Here it does little. In 32
    settings beside 1 and 16 CUBIC flows (2, 8 and 32 BDP of buffer, 20 and 50 Mb/s) BBR's share
    of the line changed by -0.02 to +0.07. BBR flows alone lose as much as without it to within 2 %,
    as losses and pacing hold their window, not this bound.

    References
    ----------
    Cardwell, Cheng, Hassas Yeganeh and Jacobson, draft-cardwell-iccrg-bbr-congestion-control-00;
    Cheng, Cardwell, Hassas Yeganeh and Jacobson, draft-cheng-iccrg-delivery-rate-estimation-00;
    Linux, net/ipv4/tcp_bbr.c and net/ipv4/tcp_rate.c.

    Examples
    --------
    >>> Bbr().rounds
    10
    """

    startup_gain: Gain = 2.885
    window_gain: Gain = 2.0
    rounds: AtLeastOne = 10
    probe_s: Positive = 10.0
    probe_packets: AtLeastOne = 4
