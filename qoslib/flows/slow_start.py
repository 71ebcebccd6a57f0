"""Slow start: the first window, its growth, and whether it stops before the first loss."""

from typing import Literal

from qoslib.record import AtLeastOne, Positive, Record, Share, fail, record

__all__ = ["HyStart", "SlowStart"]


@record
class HyStart(Record):
    """Leave slow start before a loss (Ha and Rhee 2011, doi:10.1016/j.comnet.2011.01.014).

    Either of two signs ends slow start. The shortest of a round's first `samples` round trips
    exceeds the shortest ever seen by a share of it, within two limits. Or a round's ACKs, each soon
    after the one before, go on for a share of the shortest round trip. Windows below `low_packets`
    are left alone.

    Parameters
    ----------
    delay, train : bool
        Which of the two signs to look for.
    low_packets : int
        Smallest window that it acts on.
    samples : int
        Round trips measured in each round.
    share : float
        Rise of the round trip, as a share of the shortest one.
    low_s, high_s : float
        Limits of the rise [s].
    gap_s : float
        Largest time between two ACKs of a train [s].
    train_share : float
        How long a train of ACKs has to last, as a share of the shortest round trip.

    Notes
    -----
    In the paper a train has to last half a round trip, as long as the way to the receiver takes.
    The window is then two to three times the packets of half a round trip. In Linux
    (`hystart_update`) the same holds for a socket that is not paced. A paced socket sends twice its
    window per round trip in slow start, so every train lasts half a round trip. Since Linux 5.6 its
    train therefore has to last a whole round trip (`train_share` 1) and up to 1 ms more
    (`hystart_ack_delay`). The extra time is left out here. RFC 9406 (HyStart++) looks for no train.
    """

    delay: bool = True
    train: bool = True
    low_packets: AtLeastOne = 16
    samples: AtLeastOne = 8
    share: Share = 0.125
    low_s: Positive = 4e-3
    high_s: Positive = 16e-3
    gap_s: Positive = 2e-3
    train_share: Positive = 0.5

    def check(self) -> None:
        if self.low_s > self.high_s:
            fail("HyStart.low_s", self.low_s, f"at most high_s, {self.high_s}")


@record
class SlowStart(Record):
    """Growth up to the threshold (RFC 5681, section 3.1).

    Only a window that is used may grow, with every congestion control but BBR. In slow start it
    grows while it is less than twice the most packets that were outstanding in the last window.
    After slow start it grows while nothing but the window holds the flow back. Pacing, the sockets'
    buffers and a lack of data can all hold it back.

    Parameters
    ----------
    initial_window_packets : int
        RFC 6928: 10.
    counts : {'bytes', 'acks'}
        The window grows by what is acknowledged (RFC 3465 without its limit), or by one packet
        for each ACK.
    initial_threshold_packets : int or None
        Window at which slow start ends at the latest; None: at the first loss.
    hystart : HyStart or None
    validation : {'round', 'ack'}
        How often the use of the window is checked. 'round' is once per round trip, as above and in
        Linux since 3.16. 'ack' is at each ACK, which has to find the window full in slow start too,
        as in RFC 2861 and in Linux before. A flow that fq paces then hardly ever outgrows its first
        windows.

    Notes
    -----
    The rule is that of Linux 6.1 (`tcp_cwnd_validate` and `tcp_is_cwnd_limited`). With 'ack',
    Linux also called a window full if it lacked no more than a burst of segmentation offload. RFC
    7661 (sections 4.2 to 4.4) has another rule for slow start and congestion avoidance. Both go on
    while at least half of the window was acknowledged in one of the last three round trips, or of
    those of the last second. After a loss, a window that was not used starts from the part that
    was. Linux also lowers a window that was not used for the time of a timeout, if the application
    has no more to send (`tcp_cwnd_application_limited`). Neither is modelled.
    """

    initial_window_packets: AtLeastOne = 10
    counts: Literal["bytes", "acks"] = "bytes"
    initial_threshold_packets: AtLeastOne | None = None
    hystart: HyStart | None = None
    validation: Literal["round", "ack"] = "round"
