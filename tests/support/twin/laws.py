"""Congestion controls from their papers and RFCs, with the engine's order of operations.

- Reno ``w + n / w``; CUBIC ``c (d d d) + w_max`` with d = t - K, ``K = ((w_max - w) / c)**(1/3)``,
  ``w + (target - w) / w * n``, its Reno ``w_est + alpha n / w``;
- H-TCP ``w + n alpha / w``, ``alpha = 2 f (1 - beta)``, rates in packets per picosecond.
"""

import math

from twin.clock import NEVER, PS, whole_ps


class RenoLaw:
    def __init__(self, law, flow):
        self.law, self.flow = law, flow

    def on_ack(self, acked, now):
        """Look, whatever the window does."""

    def on_send(self, number, now):
        """A packet leaves."""

    def grow(self, acked, now):
        self.flow.cwnd += acked / self.flow.cwnd

    def after_loss(self, timeout, now):
        return self.flow.cwnd * self.law.beta

    def resume(self, now):
        """A recovery is over."""


class CubicLaw(RenoLaw):
    w_max = w_est = k = prior = 0.0
    epoch = None

    def curve(self, age):
        late = age - self.k
        return self.law.c * (late * late * late) + self.w_max

    def grow(self, acked, now):
        flow, law = self.flow, self.law
        if self.epoch is None:
            self.epoch = now
            if self.w_max < flow.cwnd:
                self.w_max = flow.cwnd
            self.k = ((self.w_max - flow.cwnd) / law.c) ** (1 / 3)
            self.w_est = flow.cwnd
        age = (now - self.epoch) / PS
        if law.friendly:
            alpha = 3 * (1 - law.beta) / (1 + law.beta) if self.w_est < self.prior else 1.0
            self.w_est += alpha * acked / flow.cwnd
            if self.curve(age) < self.w_est:
                flow.cwnd = max(flow.cwnd, self.w_est)
                return
        target = self.curve(age + flow.srtt / PS)
        target = min(max(target, flow.cwnd), 1.5 * flow.cwnd)
        flow.cwnd += (target - flow.cwnd) / flow.cwnd * acked

    def after_loss(self, timeout, now):
        cwnd = self.flow.cwnd
        again = self.law.fast_convergence and cwnd < self.w_max
        self.w_max = cwnd * (1 + self.law.beta) / 2 if again else cwnd
        if timeout:
            self.w_max = 0.0
        self.prior, self.epoch = cwnd, None
        return cwnd * self.law.beta


class HTcpLaw(RenoLaw):
    def __init__(self, law, flow):
        super().__init__(law, flow)
        self.beta, self.alpha = law.beta_low, 1.0
        self.since = self.rate_since = flow.start
        self.low, self.high = NEVER, 0
        self.packets, self.rate, self.max_rate, self.old_max = 0, 0.0, 0.0, 0.0
        self.steady = False

    def on_ack(self, acked, now):
        flow = self.flow
        self.low = min(self.low, flow.srtt)
        if flow.phase != "open":
            self.packets, self.rate_since = 0, now
            return
        self.high = max(self.high, self.low)
        if self.high < flow.srtt <= self.high + PS // 50:
            self.high = flow.srtt
        self.packets += acked
        passed = now - self.rate_since
        if self.packets < flow.cwnd - max(self.alpha, 1.0) or passed < self.low:
            return
        measured = self.packets / passed
        if now - self.since <= 3 * self.low:
            self.rate = self.max_rate = measured
        else:
            self.rate = (3 * self.rate + measured) / 4
            self.max_rate = max(self.max_rate, self.rate)
        self.packets, self.rate_since = 0, now

    def set_alpha(self, now):
        late = (now - self.since) / PS - self.law.low_s
        f = 1.0
        if late > 0:
            f += 10 * late + late * late / 4
        if self.law.rtt_scaling:
            f /= min(max((PS // 10) / self.low, 0.5), 10.0)
        self.alpha = 2 * max(f, 1.0) * (1 - self.beta)

    def grow(self, acked, now):
        self.flow.cwnd += acked * self.alpha / self.flow.cwnd
        self.set_alpha(now)

    def after_loss(self, timeout, now):
        law = self.law
        jumped = abs(self.max_rate - self.old_max) > law.switch * self.old_max
        self.old_max = self.max_rate
        self.beta = law.beta_low
        if not jumped and self.steady and self.low > PS // 100 and self.high:
            self.beta = min(max(self.low / self.high, law.beta_low), law.beta_high)
        self.steady = not jumped
        self.set_alpha(now)
        if self.high > self.low:
            self.high = self.low + (self.high - self.low) * 95 // 100
        self.since = now
        return self.flow.cwnd * self.beta

    def resume(self, now):
        self.since = now


class DctcpLaw(RenoLaw):
    """`qoslib.flows.Dctcp`."""

    seen = True

    def __init__(self, law, flow):
        super().__init__(law, flow)
        self.average = getattr(law, "initial_share", 0.0)
        self.window_end, self.packets, self.marks = 0, 0, 0

    def marked(self, delivered, echo):
        return delivered if echo else 0

    def waits(self, now):
        return False

    def on_marks(self, delivered, echo, now):
        self.packets += delivered
        self.marks += self.marked(delivered, echo)
        if self.flow.una > self.window_end and not self.waits(now):
            if self.seen:
                share = min(self.marks / max(self.packets, 1), 1.0)
                self.average = (1 - self.law.gain) * self.average + self.law.gain * share
            self.next_window(now)

    def next_window(self, now):
        self.window_end, self.packets, self.marks = self.flow.new, 0, 0

    def after_marks(self, now):
        return self.flow.cwnd * (1 - self.average / 2)


class PragueLaw(DctcpLaw):
    """`qoslib.flows.Prague`."""

    seen, rounds, averaged, reduced = False, 0, 0, 0

    @property
    def scales(self):
        return self.rounds >= self.law.transition_rounds

    @property
    def target(self):
        return whole_ps(self.law.least_round_trip_s)

    def marked(self, delivered, echo):
        return echo

    def waits(self, now):
        return self.scales and now < self.averaged + self.target

    def next_window(self, now):
        super().next_window(now)
        self.averaged = now if self.seen else self.averaged
        self.rounds += self.flow.cwnd >= self.flow.ssthresh

    def grow(self, acked, now):
        short = self.flow.srtt / self.target if self.scales and self.flow.srtt < self.target else 1
        self.flow.cwnd += acked * (short * short) / self.flow.cwnd

    def after_marks(self, now):
        if not self.seen:
            self.seen, self.reduced = True, now
            return self.flow.cwnd / 2
        if self.scales and now < self.reduced + self.target:
            return self.flow.cwnd
        self.reduced = now
        return super().after_marks(now)

    def pace(self):
        flow = self.flow
        rate = max(flow.cwnd, flow.count("flight")) / max(flow.srtt, 1)
        rate *= 2 if flow.cwnd < flow.ssthresh / 2 else 1
        flow.gap = int(1 / rate)
        flow.most_at_once = max(int(rate * (PS >> 12)), 1)


class BbrLaw(RenoLaw):
    """`qoslib.flows.Bbr`: sets the window and the time between packets on every ACK."""

    def __init__(self, law, flow):
        super().__init__(law, flow)
        self.phase, self.eighth, self.phase_at = "startup", 0, 0
        # Of each packet that left: when, and what was known then.
        self.left, self.delivered, self.last, self.first, self.app_limited = {}, 0, 0, 0, 0
        self.round, self.round_end, self.rates, self.rate = 0, 0, [], 0.0
        self.full, self.flat, self.is_full = 0.0, 0, False
        self.least, self.least_at = NEVER, flow.start
        self.probed_at, self.probed_round = None, False
        self.before, self.saved, self.conserves = "open", 0.0, False
        self.pace = 0.0
        # Packets since when, and each time how many there were too many, in which five rounds.
        self.since, self.many, self.bunches = 0, 0, []

    def on_send(self, number, now):
        if not self.flow.known:
            self.first = self.last = now
        known = self.delivered, self.last, self.first, self.app_limited > 0
        self.left[number] = self.flow.orders, now, known

    def look(self, rtt, news, found, was_in_flight, now):
        rate, prior, limited = self.sample(news, now)
        over = rate > 0 and prior >= self.round_end
        if over:
            self.round, self.round_end, self.conserves = self.round + 1, self.delivered, False
        if rate > 0 and (not limited or rate >= self.rate):
            self.rates.append((self.round, rate))
            young = [rate for at, rate in self.rates if at >= self.round - self.law.rounds]
            self.rate = max(young)
        if rate > 0:
            self.bunch(len(news))
        if self.phase == "cycle":
            self.cycle(found, was_in_flight)
        if over and not self.is_full and not limited:
            self.flat = 0 if self.rate >= 1.25 * self.full else self.flat + 1
            self.full = self.full if self.flat else self.rate
            self.is_full = self.flat >= 3
        if self.phase == "startup" and self.is_full:
            self.phase = "drain"
        if self.phase == "drain" and self.flow.count("flight") <= self.fits(1.0):
            self.start_cycle()
        self.round_trip(rtt, over, now)
        self.set_pace()
        if news:
            self.flow.cwnd = self.window(len(news), found)
        if self.phase == "probe":
            self.flow.cwnd = min(self.flow.cwnd, float(self.law.probe_packets))

    def sample(self, news, now):
        self.delivered += len(news)
        self.app_limited = self.app_limited if self.delivered <= self.app_limited else 0
        if not news:
            return 0.0, 0, False
        self.last = now
        _, at, (delivered, last, first, limited) = max(self.left[number] for number in news)
        self.first = at
        took = max(at - first, now - last)
        rate = (self.delivered - delivered) / took if took >= self.flow.least_rtt else 0.0
        return rate, delivered, limited

    def bunch(self, news):
        fair = int(self.rate * (self.last - self.since))
        if self.many <= fair or self.many + news >= 2**20:
            self.since, self.many, fair = self.last, 0, 0
        self.many += news
        extra = min(self.many - fair, int(self.flow.cwnd))
        self.bunches.append((self.round // 5, extra))

    def allowance(self):
        """Of these five rounds and the five before."""
        young = [extra for five, extra in self.bunches if five >= self.round // 5 - 1]
        return min(max(young, default=0), int(self.rate * (PS // 10))) if self.is_full else 0

    def fits(self, gain, more=0):
        pipe = 10 if self.least == NEVER else math.ceil(self.rate * self.least * gain)
        packets = pipe + more + 3 * self.flow.burst()
        packets += packets % 2
        return packets + 2 * (self.phase == "cycle" and self.eighth == 0)

    def start_cycle(self):
        self.phase, self.phase_at = "cycle", self.last
        self.eighth = [0, 7, 6, 5, 4, 3, 2][int(7 * self.flow.draws.uniform())]

    def cycle(self, found, was_in_flight):
        over = self.last - self.phase_at > self.least
        if self.eighth == 0 and not found:
            over = over and was_in_flight >= self.fits(1.25)
        if self.eighth == 1:
            over = over or was_in_flight <= self.fits(1.0)
        if over:
            self.eighth, self.phase_at = (self.eighth + 1) % 8, self.last

    def keep_window(self, timeout):
        out_of_order = self.before != "open" or self.phase == "probe"
        self.saved = max(self.saved if out_of_order else 0.0, self.flow.cwnd)
        if timeout:
            self.before, self.full = "loss", 0.0

    def round_trip(self, rtt, over, now):
        old = now - self.least_at > whole_ps(self.law.probe_s)
        if rtt > 0 and (rtt <= self.least or old):
            self.least, self.least_at = rtt, now
        if old and self.phase != "probe":
            self.keep_window(False)
            self.phase, self.probed_at = "probe", None
        if self.phase != "probe":
            return
        flight = self.flow.count("flight")
        self.app_limited = max(self.delivered + flight, 1)
        if self.probed_at is not None:
            self.probed_round = self.probed_round or over
            if self.probed_round and now > self.probed_at:
                self.least_at = now
                self.flow.cwnd = max(self.flow.cwnd, self.saved)
                self.phase = "startup"
                if self.is_full:
                    self.start_cycle()
        elif flight <= self.law.probe_packets:
            self.probed_at, self.probed_round = now + PS // 5, False
            self.round_end = self.delivered

    def set_pace(self):
        high = self.law.startup_gain
        cycle = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0][self.eighth]
        gain = {"startup": high, "drain": 1 / high, "cycle": cycle, "probe": 1.0}[self.phase]
        if not self.pace and self.flow.srtt:
            self.pace = high * self.flow.cwnd / self.flow.srtt * 0.99
        rate = gain * self.rate * 0.99
        self.pace = rate if self.is_full else max(self.pace, rate)
        if self.pace:
            self.flow.gap = int(1 / self.pace)

    def window(self, delivered, found):
        flow, before = self.flow, self.before
        cwnd = max(flow.cwnd - found, 1.0)
        kept = float(flow.count("flight") + delivered)
        self.before = flow.phase
        if flow.phase == "recovery" != before:
            self.conserves, self.round_end, cwnd = True, self.delivered, kept
        elif flow.phase == "open" != before:
            self.conserves, cwnd = False, max(cwnd, self.saved)
        if self.conserves:
            return max(cwnd, kept)
        gains = {"cycle": self.law.window_gain, "probe": 1.0}
        most = self.fits(gains.get(self.phase, self.law.startup_gain), self.allowance())
        if self.is_full:
            cwnd = min(cwnd + delivered, float(most))
        elif cwnd < most or self.delivered < 10:
            cwnd += delivered
        return max(cwnd, 4.0)


class HyStartTwin:
    """Both signs of Ha and Rhee 2011."""

    def __init__(self, rule, flow):
        self.rule, self.flow = rule, flow
        self.end = self.begin = self.last = self.seen = self.least = 0

    def ends(self, rtt, now):
        flow, rule = self.flow, self.rule
        if flow.una > self.end:
            self.end, self.begin, self.last, self.seen, self.least = flow.new, now, now, 0, NEVER
        if flow.cwnd < rule.low_packets:
            return False
        train = delay = False
        if rule.train and now - self.last <= int(PS * rule.gap_s):
            self.last = now
            train = now - self.begin > int(flow.least_rtt * rule.train_share)
        if rule.delay and rtt > 0 and self.seen < rule.samples:
            self.seen += 1
            self.least = min(self.least, rtt)
            rise = int(flow.least_rtt * rule.share)
            rise = min(max(rise, int(PS * rule.low_s)), int(PS * rule.high_s))
            delay = self.seen == rule.samples and self.least > flow.least_rtt + rise
        return train or delay
