"""Token buckets (RFC 2697; GCRA, ITU-T I.371): `tat` is when the bucket is full again, fine."""

from fractions import Fraction

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


class PolicerTwin:
    def __init__(self, policer, port):
        self.policer, self.port, self.bucket = policer, port, Bucket.of(policer)

    def congested(self):
        """Whether so many packets wait, or, where that is left open, the ring is full."""
        if self.policer.when == "always":
            return True
        if self.policer.congestion_packets is not None:
            return self.port.waiting >= self.policer.congestion_packets
        if self.port.waiting and self.port.dropped:
            return True
        return self.port.waiting >= (1 if self.port.ring else self.port.ios_ring())

    def drops(self, size, now):
        size += self.policer.overhead_bytes
        congested = self.congested()
        if not congested and self.policer.uncongested == "keeps":
            return False
        if self.bucket.holds(size, now):
            self.bucket.take(size, now)
            return False
        if not congested:
            self.bucket.take_all(now)
        return congested
