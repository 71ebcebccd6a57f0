"""Early droppers, each from its paper or RFC."""

import math

from qoslib.port import (
    AsymmetricEwma,
    ByteRedProfile,
    Codel,
    DropProfile,
    Ewma,
    Pie,
    Red,
    RedProfile,
    Sampled,
    ShareRedProfile,
    TimeLimit,
    TimeRedProfile,
    TruncatingEwma,
)
from twin.clock import NEVER, PS, floor_ps, whole_ps


def power(base, exponent):
    """``base**exponent`` by squaring, from the lowest bit on."""
    result = 1.0
    while exponent:
        exponent, bit = divmod(exponent, 2)
        if bit:
            result *= base
        base *= base
    return result


def thresholds(profile, queue):
    """What a profile counts of a queue, its thresholds in that, and the probability."""
    chance = profile.maximum_probability
    held_bytes = sum(packet.size for packet in queue.packets)
    match profile:
        case RedProfile(low, high):
            return len(queue.packets), low, high, chance
        case ByteRedProfile(low, high):
            return held_bytes, low, high, chance
        case TimeRedProfile(low, high, rate_bps):
            return held_bytes, low * rate_bps / 8, high * rate_bps / 8, chance
    limit = queue.limit(0)
    return queue.fill, profile.minimum_share * limit, profile.maximum_share * limit, chance


def chosen(seen, low, high, chance, draws):
    """Whether thresholds pick a packet that finds this length, or this average."""
    if seen < low:
        return False
    return seen >= high or draws.uniform() < (seen - low) * (chance / (high - low))


class Early:
    """No early drop; what a queue asks its dropper."""

    timer_ps = NEVER
    ecn = False

    def __init__(self, dropper, queue, draws):
        self.dropper, self.queue, self.draws = dropper, queue, draws
        self.ecn = getattr(dropper, "ecn", False)

    def drops(self, packet, now):
        return None

    def observe(self, packet, now):
        """A packet arrives that the dropper itself has no say about."""

    def may_mark(self, packet):
        return False

    def tick(self):
        raise AssertionError("no timer")

    def goes_by(self):
        """What the event record says of it."""
        return math.nan


class RedTwin(Early):
    """Random early detection by Floyd and Jacobson 1993, with the averages of `qoslib.port`."""

    def __init__(self, dropper, queue, draws):
        super().__init__(dropper, queue, draws)
        self.how = dropper.averaging
        self.average = 0
        self.seen = 0.0
        self.relay = False
        self.period_ps = whole_ps(getattr(self.how, "period_s", 0.0))
        if isinstance(self.how, Sampled):
            self.period_ps = max(self.period_ps, 1)
        self.timer_ps = self.period_ps or NEVER

    def profile(self, packet):
        for mark, profile in self.dropper.profiles:
            if mark == packet.label:
                return profile
        return self.dropper.profile

    def counted(self):
        return thresholds(self.dropper.profile, self.queue)[0]

    def observe(self, packet, now):
        length = self.counted()
        weight = 2.0 ** -getattr(self.how, "exponent", 0)
        match self.how:
            case Ewma():
                if not self.queue.packets:
                    one_ps = max(floor_ps(self.queue.service(packet.size)), 1)
                    idle = (now - self.queue.empty_since) // one_ps
                    self.average *= power(1.0 - weight, idle)
                self.average += (length - self.average) * weight
            case TruncatingEwma(exponent, counts_ring):
                in_ring = self.queue.port.in_ring(now) if counts_ring else 0
                self.average += (length + in_ring - self.average) // 2**exponent
            case AsymmetricEwma():
                if not self.period_ps:
                    self.up_or_down(length)
            case _:
                self.average = length
        if not self.period_ps:
            self.seen = float(self.average)

    def up_or_down(self, length):
        weight = 2.0**-self.how.exponent
        self.average = min(self.average + (length - self.average) * weight, length)

    def tick(self):
        length = self.counted()
        if isinstance(self.how, AsymmetricEwma):
            self.up_or_down(length)
            self.seen = float(self.average)
        else:
            self.seen = float(length)
            if length >= self.how.high_packets:
                self.relay = True
            elif length <= self.how.low_packets:
                self.relay = False
        wait_ps = self.period_ps
        if getattr(self.how, "jitter", 0.0) > 0:
            wait_ps = int(self.period_ps * (1.0 + self.how.jitter * (self.draws.uniform() - 0.5)))
        self.timer_ps += max(wait_ps, 1)

    def release(self, held):
        """Go off at once when the whole port holds so few."""
        release = getattr(self.how, "release_packets", None)
        if release is not None and held <= release:
            self.relay = False
            if isinstance(self.how, AsymmetricEwma):
                self.average, self.seen = 0, 0.0

    def goes_by(self):
        """Shares of a limit by time are of seconds."""
        limit, profile = self.queue.queue.limit, self.dropper.profile
        by_time = isinstance(profile, ShareRedProfile) and isinstance(limit, TimeLimit)
        return self.seen / PS if by_time else self.seen

    def drops(self, packet, now):
        self.observe(packet, now)
        _, low, high, chance = thresholds(self.profile(packet), self.queue)
        if isinstance(self.how, Sampled) and high <= self.how.high_packets:
            return "red" if self.relay else None
        return "red" if chosen(self.seen, low, high, chance, self.draws) else None

    def may_mark(self, packet):
        below = self.seen < thresholds(self.profile(packet), self.queue)[2]
        return self.ecn and packet.capable and below


class ProfileTwin(Early):
    """Junos drop profile."""

    def probability(self, fill, mark):
        mine = dict(self.dropper.profiles).get(mark, self.dropper.points)
        points = ((0.0, 0.0), *mine)
        if points[1][0] == 0.0:
            points = points[1:]
        below = [point for point in points if point[0] <= fill]
        above = [point for point in points if point[0] > fill]
        low, chance = below[-1]
        if self.dropper.shape == "segmented" or not above:
            return chance
        high, next_chance = above[0]
        return chance + (fill - low) * ((next_chance - chance) / (high - low))

    def drops(self, packet, now):
        chance = self.probability(
            float(self.queue.fill) / float(self.queue.limit(now)), packet.label
        )
        self.certain = chance >= 1.0
        if chance <= 0.0:
            return None
        return "profile" if chance >= 1.0 or self.draws.uniform() < chance else None

    def may_mark(self, packet):
        return self.ecn and packet.capable and not self.certain


class PieTwin(Early):
    """RFC 8033, sections 4 and 5, with the delay measured by timestamps."""

    def __init__(self, dropper, queue, draws):
        super().__init__(dropper, queue, draws)
        self.target, self.burst = whole_ps(dropper.target_s), whole_ps(dropper.burst_s)
        self.update = max(whole_ps(dropper.update_s), 1)
        self.timer_ps = self.update
        self.drop_prob = self.accu_prob = 0.0
        self.burst_allowance = self.burst
        self.delay = self.delay_old = 0

    def tick(self):
        p = (self.delay - self.target) * (self.dropper.alpha_hz / PS)
        p = p + (self.delay - self.delay_old) * (self.dropper.beta_hz / PS)
        for below, divisor in (
            (0.000001, 2048.0),
            (0.00001, 512.0),
            (0.0001, 128.0),
            (0.001, 32.0),
            (0.01, 8.0),
            (0.1, 2.0),
        ):
            if self.drop_prob < below:
                p = p / divisor
                break
        if self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        self.drop_prob += p
        if self.delay == 0 and self.delay_old == 0:
            self.drop_prob *= 0.98
        self.drop_prob = min(max(self.drop_prob, 0.0), 1.0)
        self.burst_allowance = max(0, self.burst_allowance - self.update)
        calm = 2 * self.delay < self.target and 2 * self.delay_old < self.target
        if self.drop_prob == 0 and calm:
            self.burst_allowance = self.burst
        self.delay_old = self.delay
        self.timer_ps += self.update

    def goes_by(self):
        return self.drop_prob

    def drops(self, packet, now):
        if self.burst_allowance > 0:
            return None
        if 2 * self.delay_old < self.target and self.drop_prob < 0.2:
            return None
        if sum(p.size for p in self.queue.packets) <= 2 * self.queue.largest:
            return None
        if self.drop_prob == 0:
            self.accu_prob = 0.0
        self.accu_prob += self.drop_prob
        if self.accu_prob < 0.85:
            return None
        if self.accu_prob >= 8.5 or self.draws.uniform() < self.drop_prob:
            self.accu_prob = 0.0
            return "pie"
        return None

    def may_mark(self, packet):
        return self.ecn and packet.capable and self.drop_prob < 0.1


class CodelTwin(Early):
    """RFC 8289, section 5: `deque` of its pseudocode, asking for packets as it goes."""

    def __init__(self, dropper, queue, draws):
        super().__init__(dropper, queue, draws)
        self.target, self.interval = whole_ps(dropper.target_s), whole_ps(dropper.interval_s)
        self.first_above = None
        self.dropping, self.count, self.lastcount, self.drop_next = False, 0, 0, 0
        #: Whether the last packet was dropped, or marked, in the dropping state.
        self.again = False
        self.begin()

    def begin(self):
        self.deque = self.pseudocode()
        next(self.deque)

    def rest(self):
        """It is asked for a packet, and there is none."""
        if self.again:
            self.drop_next = self.control_law(self.drop_next, self.count)
        self.dropping = self.again = False
        self.begin()

    def ok_to_drop(self, head, now):
        behind = sum(p.size for p in self.queue.packets) - head.size
        if now - head.arrival < self.target or behind <= self.queue.largest:
            self.first_above = None
        elif self.first_above is None:
            self.first_above = now + self.interval
        else:
            return now >= self.first_above
        return False

    def control_law(self, t, count):
        return t + int(self.interval / math.sqrt(count))

    def pseudocode(self):
        """Yield "send" or "drop" for the head that was sent in with the time."""
        head, now = yield "begin"
        while True:
            ok = self.ok_to_drop(head, now)
            if self.dropping:
                self.dropping = ok
                while self.dropping and now >= self.drop_next:
                    self.count += 1
                    self.again = True
                    head, now = yield "drop"
                    self.again = False
                    self.dropping = self.ok_to_drop(head, now)
                    if self.dropping:
                        self.drop_next = self.control_law(self.drop_next, self.count)
            elif ok:
                delta = self.count - self.lastcount
                self.dropping, self.count = True, 1
                if delta > 1 and now - self.drop_next < 16 * self.interval:
                    self.count = delta
                self.drop_next, self.lastcount = self.control_law(now, self.count), self.count
                head, now = yield "drop"
                continue
            head, now = yield "send"

    def goes_by(self):
        return float(self.count if self.dropping else 0)

    def at_head(self, packet, now):
        """Whether the packet that the scheduler chose is dropped; it may be marked instead."""
        drop = self.deque.send((packet, now)) == "drop"
        if drop and self.ecn and packet.capable:
            packet.marked = True
            return False
        above_s = self.dropper.ce_threshold_s
        if not drop and packet.capable and above_s is not None:
            packet.marked = now - packet.arrival > whole_ps(above_s)
        return drop


KINDS = {Red: RedTwin, DropProfile: ProfileTwin, Pie: PieTwin, Codel: CodelTwin}


def early(dropper, queue, draws):
    return KINDS.get(type(dropper), Early)(dropper, queue, draws)
