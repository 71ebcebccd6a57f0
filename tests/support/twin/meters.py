"""Token buckets (RFC 2697; GCRA, ITU-T I.371): `tat` is when the bucket is full again, fine."""

from fractions import Fraction
from math import nan

from qoslib.port import ExcessBurst, ExcessRate, PeakRate
from twin.clock import FINE, PS, cost, floor_ps


class Bucket:
    def __init__(self, rate_bps, burst_ps):
        self.rate_bps, self.burst_ps, self.tat = rate_bps, burst_ps, 0

    @classmethod
    def of(cls, meter):
        """Of a policer or shaper; its burst as the time it takes to fill."""
        return cls(meter.rate_bps, int(8 * PS * meter.burst_bytes / Fraction(meter.rate_bps)))

    def ready_at(self, size):
        """When the bucket holds the tokens of a packet."""
        return floor_ps(self.tat) + floor_ps(cost(size, self.rate_bps)) - self.burst_ps

    def holds(self, size, now):
        empty_below = max(floor_ps(self.tat), now)
        return empty_below + floor_ps(cost(size, self.rate_bps)) <= now + self.burst_ps

    def take(self, size, now):
        self.tat = max(self.tat, now * FINE) + cost(size, self.rate_bps)

    def take_all(self, now):
        self.tat = (now + self.burst_ps) * FINE

    def share(self, now):
        """The tokens, over the burst, which counts as 1 ps at least."""
        return 1 - max(floor_ps(self.tat) - now, 0) / max(self.burst_ps, 1)


class Overflow:
    """RFC 2697's second bucket: tokens that find the first one full fill it, one rate for both."""

    def __init__(self, first, burst_bytes):
        self.first, self.since, self.spent = first, 0, 0
        self.rate_bps = first.rate_bps
        self.burst_ps = int(8 * PS * burst_bytes / Fraction(self.rate_bps))

    def fill(self, now):
        """Before the first bucket is taken from."""
        began = max(self.first.tat, self.since)
        self.spent = max(self.spent - max(now * FINE - began, 0), 0)
        self.since = now * FINE

    def holds(self, size, now):
        return floor_ps(self.spent) + floor_ps(cost(size, self.rate_bps)) <= self.burst_ps

    def take(self, size, now):
        self.spent += cost(size, self.rate_bps)

    def share(self, now):
        self.fill(now)
        full = floor_ps(max(self.first.tat, now * FINE) + self.spent)
        lacks = max(full - max(floor_ps(self.first.tat), now), 0)
        return 1 - lacks / max(self.burst_ps, 1)


def second(policer, first):
    """The second bucket of a policer, as full as the first."""
    match policer.excess:
        case ExcessBurst(burst_bytes):
            return Overflow(first, burst_bytes)
        case PeakRate() | ExcessRate():
            return Bucket.of(policer.excess)
    return None


class ColourTwin:
    """RFC 2697, 2698 and 4115, and one bucket, colour-blind or colour-aware."""

    def __init__(self, policer):
        self.policer, self.bucket = policer, Bucket.of(policer)
        self.excess = second(policer, self.bucket)
        self.given = ""

    def colour(self, came, size, now):
        committed, excess = self.bucket, self.excess
        green = came == "green" and committed.holds(size, now)
        if excess is None:
            if green:
                committed.take(size, now)
            return "green" if green else "yellow"
        may_be_yellow = came != "red" and excess.holds(size, now)
        if isinstance(self.policer.excess, PeakRate):
            if not may_be_yellow:
                return "red"
            excess.take(size, now)
            if green:
                committed.take(size, now)
            return "green" if green else "yellow"
        if green:
            committed.take(size, now)
            return "green"
        if may_be_yellow:
            excess.take(size, now)
        return "yellow" if may_be_yellow else "red"

    def drops(self, packet, now):
        """Whether the packet is dropped; else it has the mark of its colour."""
        policer = self.policer
        if isinstance(self.excess, Overflow):
            self.excess.fill(now)
        came = dict(policer.colours).get(packet.label, "green")
        self.given = self.colour(came, packet.size + policer.overhead_bytes, now)
        actions = {"green": policer.conform, "yellow": policer.exceed, "red": policer.violate}
        action = actions[self.given]
        if action not in ("pass", "drop"):
            packet.label = action
        return action == "drop"

    def excess_share(self, now):
        return self.excess.share(now) if self.excess else nan


class PolicerTwin:
    given = ""

    def __init__(self, policer, port):
        self.policer, self.port, self.bucket = policer, port, Bucket.of(policer)

    def excess_share(self, now):
        return nan

    def congested(self):
        """Whether so many packets wait, or, where that is left open, the ring is full."""
        if self.policer.when == "always":
            return True
        if self.policer.congestion_packets is not None:
            return self.port.waiting >= self.policer.congestion_packets
        if self.port.waiting and self.port.dropped:
            return True
        return self.port.waiting >= (1 if self.port.ring else self.port.ios_ring())

    def drops(self, packet, now):
        size = packet.size + self.policer.overhead_bytes
        congested = self.congested()
        if not congested and self.policer.uncongested == "keeps":
            return False
        if self.bucket.holds(size, now):
            self.bucket.take(size, now)
            return False
        if not congested:
            self.bucket.take_all(now)
        return congested
