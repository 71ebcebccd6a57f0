"""Loss recovery: what tells a loss, what is sent again, and how much while it lasts.

All fall back on the retransmission timer (RFC 6298). What is lost of one window lowers the next
once; what is sent in a recovery and lost in it lowers it again, and so does a timeout in a recovery
(RFC 5681, sections 4.3 and 3.1).
"""

from typing import Literal

from qoslib.record import AtLeastOne, Record, record

__all__ = [
    "NewRenoRecovery",
    "PathologicalRecovery",
    "RateHalving",
    "Recovery",
    "SackRecovery",
    "TimeoutOnly",
]


class Recovery(Record, family=True):
    """Base of all recoveries."""


@record
class SackRecovery(Recovery):
    """Selective acknowledgements (RFC 6675) with proportional rate reduction (RFC 9937).

    Parameters
    ----------
    duplicate_packets : int
        A packet is lost when so many sent after it have arrived (RFC 6675, section 2).
    bound : {'safe', 'slow_start', 'conservative'}
        How fast the window is refilled where more was lost than the window shrinks: by what is
        delivered, and one packet more for each ACK that moves on and shows no new loss (RFC 9937)
        or for each ACK (RFC 6937, PRR-SSRB); or by no more than what is delivered (PRR-CRB).
    finds_repeats : bool
        A packet sent again and lost again is found like any other, by what was sent after it and
        arrived, and its own arrival finds others (as in RFC 8985, by time). Otherwise only the
        timer finds it, and only packets above one find that lost (RFC 6675, section 4).
    """

    duplicate_packets: AtLeastOne = 3
    bound: Literal["safe", "slow_start", "conservative"] = "safe"
    finds_repeats: bool = True


@record
class RateHalving(Recovery):
    """Selective acknowledgements; the window shrinks by one packet for every second ACK.

    Down to the threshold, and never beyond one more than what is in flight: Linux before 3.2.

    Parameters
    ----------
    duplicate_packets : int
        As for `SackRecovery`.
    """

    duplicate_packets: AtLeastOne = 3


@record
class NewRenoRecovery(Recovery):
    """Without selective acknowledgements: one lost packet a round trip (RFC 6582).

    Every ACK that moves on restarts the timer (its "slow but steady" variant).

    Parameters
    ----------
    duplicate_packets : int
        Duplicate ACKs that start it.
    """

    duplicate_packets: AtLeastOne = 3


@record
class TimeoutOnly(Recovery):
    """No fast retransmit: every loss waits for the timer (RFC 6298, section 5)."""


@record
class PathologicalRecovery(Recovery):
    """A fitted rule, not a mechanism: many losses at once cost a timeout and most of the window.

    Meant for what guides of the time reported of Linux hosts with large windows, which fell back to
    a timeout when they had to repair many losses. Otherwise as `SackRecovery`.

    Parameters
    ----------
    critical_packets : int
        A flow that finds so many packets lost in one recovery gives up until its timer ends.
    threshold_packets : int
        The slow start threshold is then this, whatever the congestion control says.
    """

    critical_packets: AtLeastOne = 20
    threshold_packets: AtLeastOne = 320
