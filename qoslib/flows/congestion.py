"""Congestion control: how far a window falls at a loss, and how it grows again.

Which packets are lost, and how they are repaired, is the business of `qoslib.flows.recovery`.
"""

from typing import Annotated

from qoslib.record import AtLeastOne, NotNegative, Positive, Record, Within, fail, record

__all__ = ["Bbr", "Congestion", "Cubic", "HTcp", "Reno"]

#: What is left of a window after a loss.
Kept = Annotated[float, Within(0, 1, open_low=True, open_high=True)]
Gain = Annotated[float, Within(1, open_low=True)]


@record
class Reno(Record):
    """One packet more each round trip, a share less at a loss (RFC 5681, section 3.1).

    Parameters
    ----------
    beta : float
        Share of the window that is left after a loss.
    """

    beta: Kept = 0.5


@record
class Cubic(Record):
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
class HTcp(Record):
    """H-TCP: growth by the time since the last loss (Leith and Shorten, PFLDnet 2004).

    With Linux's constants: ``alpha = 2 (1 - beta) f`` packets a round trip, f = 1 for the first
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

    def check(self):
        if self.beta_low > self.beta_high:
            fail("HTcp.beta_low", self.beta_low, f"at most beta_high, {self.beta_high}")


@record
class Bbr(Record):
    """A simplified BBR, version 1 (Cardwell et al. 2016, doi:10.1145/3012426.3022184).

    It paces at a gain times the largest rate of delivery of the last rounds, and keeps at most
    `window_gain` times rate times least round trip in flight. Phases: start-up until the rate
    stops growing, drain, then a cycle of eight round trips with gains 1.25, 0.75 and six times 1;
    every `probe_s` the window is `probe_packets` for 0.2 s and a round trip. It answers to no loss
    but a timeout. Left out: long-term rates of policers, application limits, quantum and version
    2's bounds on loss and inflight; the cycle begins at its start, not at a random phase.

    Parameters
    ----------
    startup_gain, window_gain : float
        2 / ln 2 and 2 in the paper.
    rounds : int
        Round trips over which the largest rate is kept.
    probe_s : float
        How long a least round trip is believed [s].
    probe_packets : int
        Window while a new one is looked for.
    """

    startup_gain: Gain = 2.885
    window_gain: Gain = 2.0
    rounds: AtLeastOne = 10
    probe_s: Positive = 10.0
    probe_packets: AtLeastOne = 4


Congestion = Reno | Cubic | HTcp | Bbr
