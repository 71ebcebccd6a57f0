"""A queue: a list of packets, its limit, its early dropper, its token buckets."""

import math
from collections import deque
from fractions import Fraction
from math import inf

from qoslib.port import (
    ByteLimit,
    DropProfile,
    HeadDrop,
    HierarchicalTokenBucket,
    PacketLimit,
    Policer,
)
from twin.clock import PS, floor_ps, whole_ps
from twin.draws import Draws
from twin.droppers import early
from twin.flows import FlowPackets
from twin.meters import Bucket, ColourTwin, PolicerTwin

#: How many of its largest packets a queue may save up of its guaranteed rate.
SAVED_PACKETS = 10


class QueueTwin:
    def __init__(self, queue, port, sizes, draws: Draws):
        self.queue, self.port = queue, port
        self.packets = deque()
        if queue.flows is not None:
            self.packets = FlowPackets(self, port, port.run_.seed, draws)
        self.largest = max(sizes, default=1)
        self.empty_since = 0
        self.service = port.service
        self.policer = None
        if queue.policer:
            plain = queue.policer.replace(when="always", congestion_packets=None)
            plain = plain.replace(uncongested="drains", overhead_bytes=0)
            if plain.excess is None:
                plain = plain.replace(violate="drop")
            coloured = plain != Policer(plain.rate_bps, plain.burst_bytes)
            self.policer = (
                ColourTwin(queue.policer) if coloured else PolicerTwin(queue.policer, port)
            )
        self.shaper = Bucket.of(queue.shaper) if queue.shaper else None
        self.early = early(queue.dropper, self, draws)
        drops_profile_head = isinstance(queue.dropper, DropProfile)
        drops_profile_head = drops_profile_head and queue.dropper.drop_at == "head"
        self.drops_head = isinstance(queue.dropper, HeadDrop) or drops_profile_head
        self.served = []
        self.closed = False
        self.asked, self.order = False, 0
        self.largest_amount = max(map(self.amount, sizes), default=1)
        self.peak = 0

    def amount(self, size):
        """What a packet takes of the limit: one, its bytes, or its time on the line."""
        match self.queue.limit:
            case PacketLimit():
                return 1
            case ByteLimit():
                return size
        return max(floor_ps(self.service(size)), 1)

    @property
    def fill(self):
        if isinstance(self.queue.limit, PacketLimit):
            return len(self.packets)
        return sum(self.amount(packet.size) for packet in self.packets)

    def has_room(self, packet, now):
        """Every limit lets the packet in, and the queue has drained since one did not."""
        limit = self.queue.limit
        held = sum(p.size for p in self.packets)
        most = limit.resume_bytes if isinstance(limit, PacketLimit) else None
        if self.closed and self.fill <= limit.resume and (most is None or held <= most):
            self.closed = False
        if self.closed or self.fill + self.amount(packet.size) > self.limit(now):
            return False
        joint = isinstance(limit, PacketLimit) and limit.limit_bytes is not None
        return not joint or sum(p.size for p in (*self.packets, packet)) <= limit.limit_bytes

    def overfull(self):
        """Whether all its flows' queues together hold more than it may."""
        limit = self.queue.limit
        joint = isinstance(limit, PacketLimit) and limit.limit_bytes is not None
        if joint and sum(p.size for p in self.packets) > limit.limit_bytes:
            return True
        return self.fill > self.limit(0)

    def drop_first(self):
        if self.queue.flows is None:
            self.packets.popleft()
        else:
            self.packets.lose_first()

    def limit_for(self, mark, now):
        """The limit of a mark of its own; infinite for others."""
        limit = dict(self.queue.limits).get(mark)
        return inf if limit is None else self.limit(now, limit)

    def limit(self, now, limit=None):
        limit = limit or self.queue.limit
        match limit:
            case PacketLimit(packets):
                return packets
            case ByteLimit(limit_bytes):
                return limit_bytes
        time_ps = whole_ps(limit.time_s)
        if limit.at == "line":
            return time_ps
        share = Fraction(self.queue.guaranteed_bps) / Fraction(self.port.where.rate_bps)
        guaranteed = int(time_ps * share)
        return guaranteed if limit.at == "guaranteed" else self.served_limit(guaranteed, now)

    def served_limit(self, guaranteed, now):
        """What was served in the last whole window; never less than guaranteed or a packet."""
        window_ps = whole_ps(self.queue.limit.time_s)
        end = now // window_ps * window_ps
        served = sum(amount for at, amount in self.served if end - window_ps <= at < end)
        return max(guaranteed, self.largest_amount, served)

    def ready_at(self):
        """When its shaper lets the oldest packet go."""
        return self.shaper.ready_at(self.shaped(self.packets[0].size)) if self.shaper else 0

    def shaped(self, size):
        """What its shaper counts: a ceil of HTB counts what the line does."""
        lends = isinstance(getattr(self.port.where, "scheduler", None), HierarchicalTokenBucket)
        return self.port.on_line(size) if lends else size

    def ready(self, now):
        return bool(self.packets) and self.ready_at() <= now

    def credit(self, sizes):
        """The bucket of the guaranteed rate, counted as the line counts."""
        rate_bps = self.queue.guaranteed_bps
        if not rate_bps:
            return None
        if self.queue.guaranteed_burst_bytes:
            saved = 8 * PS * self.queue.guaranteed_burst_bytes / Fraction(rate_bps)
            return Bucket(rate_bps, int(saved))
        longest = max(
            (int(8 * PS * self.port.on_line(size) / Fraction(rate_bps)) for size in sizes),
            default=0,
        )
        return Bucket(rate_bps, SAVED_PACKETS * (longest + 1))

    def shared(self, pool, *more):
        """What its packets, and perhaps one more, take of the pool beyond its reserved part."""
        cells = [
            math.ceil(Fraction(p.size + pool.header_bytes, pool.cell_bytes))
            for p in (*self.packets, *more)
        ]
        return max(sum(cells) * pool.cell_bytes - self.queue.reserved_bytes, 0)
