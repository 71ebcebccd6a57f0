"""Token buckets: a policer drops or remarks what exceeds them, a shaper makes it wait."""

from typing import Literal

from qoslib import units
from qoslib.record import AtLeastOne, Count, Positive, Record, checked, fail, record

__all__ = ["ExcessBurst", "ExcessRate", "PeakRate", "Policer", "Shaper", "ios_ring_packets"]

#: What a policer says of green, yellow and red packets.
ACTIONS = ("conform", "exceed", "violate")

#: Line rate [Mb/s] below which the transmit ring of IOS holds so many packets.
_IOS_RINGS = ((2, 2), (10, 4), (20, 8), (30, 16), (40, 32))
#: The transmit ring of IOS at faster lines.
_LONGEST_RING_PACKETS = 64


@record
class ExcessBurst(Record):
    """Second bucket of a single-rate three-colour policer (srTCM, RFC 2697): EBS [B].

    What the full committed bucket has no room for fills it. A packet is green if the committed
    bucket covers it, else yellow if this one does, else red.
    """

    burst_bytes: AtLeastOne


@record
class PeakRate(Record):
    """Second bucket of a two-rate three-colour policer (trTCM, RFC 2698): PIR [bit/s], PBS [B].

    A packet that this bucket does not cover is red. Else it is yellow if the committed bucket does
    not cover it, and takes from this one; else it is green and takes from both.
    """

    rate_bps: Positive
    burst_bytes: AtLeastOne


@record
class ExcessRate(Record):
    """Second bucket of the two-rate policer of RFC 4115: EIR [bit/s], EBS [B].

    A packet is green if the committed bucket covers it, else yellow if this one does, else red.
    Each takes from its own bucket alone, so that yellow packets cost green ones nothing.
    """

    rate_bps: Positive
    burst_bytes: AtLeastOne


@record
class Policer(Record):
    """Token bucket in front of a queue (RFC 2697 with two colours): exceeding packets are dropped.

    With a second bucket there are three colours: green packets conform, yellow ones exceed and red
    ones violate. Each colour passes, is dropped, or passes with another mark. What stands behind
    the policer goes by the new mark: RED profiles and limits by mark in its queue, and the
    classifiers of later hops. Buckets start full. A packet larger than a bucket never conforms to
    it.

    Parameters
    ----------
    rate_bps : float
        Committed information rate [bit/s].
    burst_bytes : int
        Committed burst size [B].
    when : {'always', 'congested'}
        `congested` is the conditional policer of a low-latency queue: a packet that exceeds is
        dropped only if the port is congested as it arrives.
    congestion_packets : int or None
        The port is congested while at least so many packets wait in its queues. Those already
        handed to the transmit ring do not count. None: while the transmit ring is full.
    uncongested : {'drains', 'keeps'}
        Whether a packet that passes without congestion takes tokens, as far as there are any.
    overhead_bytes : int
        What the policer counts on top of each frame [B].
    excess : ExcessBurst, PeakRate, ExcessRate or None
        The second bucket; without one there is no red, and yellow packets exceed.
    conform, exceed, violate : str
        What becomes of green, yellow and red packets: ``"pass"``, ``"drop"``, or their new mark.
    colours : tuple of (str, str)
        Mark and the colour that a packet with it comes with: ``"green"``, ``"yellow"`` or
        ``"red"``; others come green. Colour-aware metering never makes a packet's colour better;
        where the tuple is empty it is colour-blind.

    Notes
    -----
    IOS counts an interface as congested while its transmit ring is full. Only then do packets wait
    in the queues of a policy, and only then does the policer of `priority` drop. So a port that
    states its ring is congested while a packet waits. A port that states none is assumed to be
    congested while as many packets wait as `ios_ring_packets` says. A short queue never holds so
    many. So the port is also congested while packets wait, once a queue, not a policer, has dropped
    one since the queues were last empty.

    References
    ----------
    Cisco, Document IDs 10107 (what congestion is) and 110850 (which packets the policer sees).
    """

    rate_bps: Positive
    burst_bytes: AtLeastOne
    when: Literal["always", "congested"] = "always"
    congestion_packets: AtLeastOne | None = None
    uncongested: Literal["drains", "keeps"] = "drains"
    overhead_bytes: Count = 0
    excess: ExcessBurst | PeakRate | ExcessRate | None = None
    conform: str = "pass"
    exceed: str = "drop"
    violate: str = "drop"
    colours: tuple[tuple[str, Literal["green", "yellow", "red"]], ...] = ()

    def check(self) -> None:
        for name, action in zip(ACTIONS, self.actions, strict=True):
            if not action:
                fail(f"Policer.{name}", action, "'pass', 'drop' or a mark")
        marks = [mark for mark, _ in self.colours]
        if len(set(marks)) != len(marks):
            fail("Policer.colours", marks, "each mark once")
        if isinstance(self.excess, PeakRate) and self.excess.rate_bps < self.rate_bps:
            allowed = f"at least the committed rate, {self.rate_bps:g}"
            fail("PeakRate.rate_bps", self.excess.rate_bps, allowed)
        if self.when == "congested" and self.marks_colours:
            fail("Policer.when", self.when, "'always' where packets have colours or new marks")

    @property
    def actions(self) -> tuple[str, str, str]:
        """What becomes of green, yellow and red packets."""
        return self.conform, self.exceed, self.violate

    @property
    def marks_colours(self) -> bool:
        """Whether it does more than drop what exceeds one bucket."""
        plain = self.excess is None and not self.colours
        return not plain or self.conform != "pass" or self.exceed != "drop"

    @property
    def new_marks(self) -> tuple[str, ...]:
        """The marks that it may give packets."""
        return tuple(action for action in self.actions if action not in ("pass", "drop"))


@record
class Shaper(Record):
    """Token bucket behind a queue or a port: a packet waits until its tokens are there."""

    rate_bps: Positive
    burst_bytes: AtLeastOne


def ios_ring_packets(line_bps: float | None) -> int:
    """How many packets IOS's transmit ring holds by default: a power of 2 set by the line rate.

    References
    ----------
    Cisco, Document ID 6142, table of line rates and `txcount`.

    >>> ios_ring_packets(1.5e6), ios_ring_packets(100e6)
    (2, 64)
    """
    line_bps = checked(Positive | None, line_bps, "line_bps")
    for below_mbps, packets in _IOS_RINGS:
        if line_bps is not None and line_bps < units.mbps(below_mbps):
            return packets
    return _LONGEST_RING_PACKETS
