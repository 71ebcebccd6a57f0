"""Algorithmic droppers (RFC 3290, section 7.1.3; RFC 7567): which packet goes, and when."""

from typing import Literal

from qoslib.port.averaging import Averaging, Ewma, Sampled
from qoslib.port.thresholds import RedProfile, Thresholds
from qoslib.record import NotNegative, Positive, Record, Share, fail, record

__all__ = [
    "Cobalt",
    "Codel",
    "DropProfile",
    "Dropper",
    "DualPi2",
    "HeadDrop",
    "Pie",
    "Red",
    "TailDrop",
]


class Dropper(Record, family=True):
    """Base of all droppers."""

    @property
    def drops_head(self) -> bool:
        """Whether the oldest packet goes where one has to, not the one that arrives."""
        return False


@record
class TailDrop(Dropper):
    """A packet that finds no room is dropped."""


@record
class HeadDrop(Dropper):
    """A packet that finds no room pushes out the oldest ones."""

    @property
    def drops_head(self) -> bool:
        """Whether the oldest packet goes: always."""
        return True


@record
class Red(Dropper):
    """Random early detection, with a profile for each mark where wanted (WRED).

    Parameters
    ----------
    profile : RedProfile, ByteRedProfile, TimeRedProfile or ShareRedProfile
        For packets whose mark is not listed in `profiles`.
    profiles : tuple of (str, RedProfile)
        Mark and profile, of the same kind.
    averaging : Ewma, Instantaneous, TruncatingEwma, AsymmetricEwma or Sampled
        The queue length the profiles look at. `Sampled` is itself the decision: packets are
        dropped while its relay is on, if the profile's maximum is at most its high threshold.
    ecn : bool
        Mark packets of ECN-capable streams instead of dropping them (RFC 3168), up to the maximum.
    """

    profile: Thresholds
    profiles: tuple[tuple[str, Thresholds], ...] = ()
    averaging: Averaging = Ewma()
    ecn: bool = False

    def check(self) -> None:
        marks = [mark for mark, _ in self.profiles]
        if len(set(marks)) != len(marks):
            fail("Red.profiles", marks, "each mark once")
        for _, profile in self.profiles:
            if type(profile) is not type(self.profile):
                fail("Red.profiles", profile, f"a {type(self.profile).__name__}, as the profile is")
        by_packets = isinstance(self.averaging, Sampled) or getattr(
            self.averaging, "counts_ring", False
        )
        if by_packets and not isinstance(self.profile, RedProfile):
            fail("Red.averaging", self.averaging, "one that counts no packets itself")


@record
class DropProfile(Dropper):
    """Drop probability by fill level of the buffer (Junos drop profile).

    Parameters
    ----------
    points : tuple of (float, float)
        Fill level, ascending, and probability, which does not fall; both from 0 to 1.
    shape : {'segmented', 'interpolated'}
        Steps at the points, or straight lines from (0, 0) from point to point; beyond the last
        point, its probability.
    drop_at : {'head', 'tail'}
        Which end of the queue loses a packet; head on the M120 (source m120).
    ecn : bool
        Mark packets of ECN-capable streams instead of dropping them (RFC 3168), below a
        probability of 1. The packet that arrives is marked, so it goes with ``drop_at="tail"``.
        The fluid model runs it where no stream of the queue is ECN-capable.
    profiles : tuple of (str, tuple of (float, float))
        Mark and its own points (`drop-profile-map` by loss priority), with ``drop_at="tail"``;
        in the packet model only.
    """

    points: tuple[tuple[Share, Share], ...]
    shape: Literal["segmented", "interpolated"] = "segmented"
    drop_at: Literal["head", "tail"] = "head"
    ecn: bool = False
    profiles: tuple[tuple[str, tuple[tuple[Share, Share], ...]], ...] = ()

    @property
    def drops_head(self) -> bool:
        """Whether the oldest packet goes: `drop_at`."""
        return self.drop_at == "head"

    def check(self) -> None:
        marks = [mark for mark, _ in self.profiles]
        if len(set(marks)) != len(marks):
            fail("DropProfile.profiles", marks, "each mark once")
        for points in (self.points, *(points for _, points in self.profiles)):
            fills = [fill for fill, _ in points]
            if not fills or sorted(set(fills)) != fills:
                fail("DropProfile.points", points, "at least one point, fill levels ascending")
            probabilities = [probability for _, probability in points]
            if sorted(probabilities) != probabilities:
                fail("DropProfile.points", points, "probabilities that do not fall")
        if self.profiles and self.drop_at == "head":
            allowed = "'tail' with profiles, which look at the mark of what arrives"
            fail("DropProfile.drop_at", self.drop_at, allowed)
        if self.ecn and self.drop_at == "head":
            fail("DropProfile.drop_at", self.drop_at, "'tail' with ecn, which marks what arrives")


@record
class Codel(Dropper):
    """Controlled delay, RFC 8289: the sojourn time kept near a target.

    After a drop the port's scheduler chooses again. A packet marked instead of dropped is sent.
    With `ce_threshold_s`, each packet of an ECN-capable stream that has waited longer is marked as
    well, whatever `ecn` is, and nothing is dropped for that (Linux, `ce_threshold`).
    """

    target_s: Positive = 5e-3
    interval_s: Positive = 100e-3
    ecn: bool = False
    ce_threshold_s: NotNegative | None = None


@record
class Cobalt(Dropper):
    """The dropper of CAKE: CoDel that falls back step by step, and BLUE against floods.

    Of a queue with `FlowQueues` only, of each flow by itself. A flow is over the target if its
    packet has waited longer than `target_s`, than four packets of `packet_s`, and than two for each
    flow that holds packets. Packets of ECN-capable streams are marked; the last packet of a flow is
    never dropped. BLUE drops with a probability that grows by 1/256 where the flow loses packets to
    a full buffer, and falls by 1/4096 while it has none, at most once in `target_s`.

    Parameters
    ----------
    target_s, interval_s : float
        As CoDel's [s].
    packet_s : float
        Time of the largest packet at the rate of its tin [s].

    References
    ----------
    Høiland-Jørgensen, Täht and Morton 2018, doi:10.1109/LANMAN.2018.8475045; `sch_cake.c` of Linux.
    BLUE: Feng, Shin, Kandlur and Saha 2002, doi:10.1109/TNET.2002.801399.
    """

    target_s: Positive = 5e-3
    interval_s: Positive = 100e-3
    packet_s: NotNegative = 0.0


@record
class DualPi2(Dropper):
    """Dual-queue coupled AQM, RFC 9332, as Linux's `dualpi2` runs it: two queues, one controller.

    Packets with ECT(1) wait in the L queue, all others in the C queue. Every `update_s` the
    probability p' moves with the longer of the delays of the two oldest packets,

        ``p' += alpha (delay - target) + beta (delay - delay before)``.

    As it leaves, a packet of C is dropped, or marked if it may be, with p'^2; one of L is marked
    with k p', or where it has waited longer than the step. Where k p' is 1 or more, C marks
    nothing and L drops with p'^2 as well. Nothing happens while less than two packets wait.

    Parameters
    ----------
    target_s, update_s : float
        Of the controller [s].
    alpha_hz, beta_hz : float
        Of one update, for a second of delay [1/s].
    coupling : float
        k, by which L is marked more than p' says.
    step_s : float
        Delay from which on packets of L are marked [s].
    classic_share : float
        The least share of the bytes that C gets while both hold packets.

    References
    ----------
    RFC 9332, section 2.5 and appendix A; De Schepper and others 2016,
    doi:10.1145/2999572.2999578 (PI2); `sch_dualpi2.c` of Linux, whose defaults these are.
    """

    target_s: Positive = 15e-3
    update_s: Positive = 16e-3
    alpha_hz: Positive = 0.16
    beta_hz: Positive = 3.2
    coupling: Positive = 2.0
    step_s: NotNegative = 1e-3
    classic_share: Share = 0.1


@record
class Pie(Dropper):
    """Proportional integral controller enhanced, RFC 8033, all of its sections 4 and 5.

    The delay is that of the packet taken last, 0 where it left the queue empty; a mean packet is
    taken to be as large as the queue's largest, and PIE is never switched off.
    """

    target_s: Positive = 15e-3
    update_s: Positive = 15e-3
    alpha_hz: Positive = 0.125
    beta_hz: Positive = 1.25
    burst_s: NotNegative = 150e-3
    ecn: bool = False
