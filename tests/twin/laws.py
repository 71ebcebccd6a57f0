"""Congestion controls from their papers and RFCs, with the engine's order of operations.

- Reno ``w + n / w``; CUBIC ``c (d d d) + w_max`` with d = t - K, ``K = ((w_max - w) / c)**(1/3)``,
  ``w + (target - w) / w * n``, its Reno ``w_est + alpha n / w``;
- H-TCP ``w + n alpha / w``, ``alpha = 2 f (1 - beta)``, rates in packets per picosecond.
"""

from twin.clock import NEVER, PS


class RenoLaw:
    def __init__(self, law, flow):
        self.law, self.flow = law, flow

    def on_ack(self, acked, now):
        """Look, whatever the window does."""

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


class BbrLaw(RenoLaw):
    """`qoslib.flows.Bbr`: sets the window and the time between packets on every ACK."""

    def __init__(self, law, flow):
        super().__init__(law, flow)
        self.phase, self.gain = "startup", law.startup_gain
        self.round_end = self.round_una = 0
        self.round_at = self.least_at = self.phase_at = flow.start
        self.rates, self.least, self.full, self.flat, self.eighth = [], NEVER, 0.0, 0, 0

    def look(self, rtt, now):
        if self.flow.una > self.round_end:
            self.round_end = self.flow.new
            self.end_round(now)
        self.round_trip(rtt, now)
        rate = max(self.rates[-self.law.rounds :], default=0.0)
        if not rate:
            return
        pipe = rate * self.least
        if self.phase == "drain" and self.flow.count("flight") <= pipe:
            self.cycle(now)
        if self.phase == "cycle" and now - self.phase_at > self.least:
            self.eighth, self.phase_at = (self.eighth + 1) % 8, now
            self.gain = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0][self.eighth]
        early = self.phase in ("startup", "drain")
        gain = self.law.startup_gain if early else self.law.window_gain
        self.flow.cwnd = max(gain * pipe, 4.0)
        if self.phase == "probe":
            self.flow.cwnd = float(self.law.probe_packets)
        self.flow.gap = int(1.0 / (self.gain * rate))

    def end_round(self, now):
        una = self.flow.una
        self.rates.append((una - self.round_una) / max(now - self.round_at, 1))
        self.round_una, self.round_at = una, now
        if self.phase == "startup":
            rate = max(self.rates[-self.law.rounds :])
            if rate > self.full * 1.25:
                self.full, self.flat = rate, 0
            else:
                self.flat += 1
            if self.flat == 3:
                self.phase, self.gain = "drain", 1.0 / self.law.startup_gain

    def cycle(self, now):
        self.phase, self.phase_at, self.eighth, self.gain = "cycle", now, 2, 1.0

    def round_trip(self, rtt, now):
        old = now - self.least_at > int(PS * self.law.probe_s)
        if rtt > 0 and (rtt <= self.least or old):
            self.least, self.least_at = rtt, now
        if old and self.phase in ("drain", "cycle"):
            self.phase, self.gain = "probe", 1.0
            self.phase_at = now + PS // 5 + self.flow.last_rtt
        elif self.phase == "probe" and now >= self.phase_at:
            self.least_at = now
            self.cycle(now)


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
            train = now - self.begin > flow.least_rtt // 2
        if rule.delay and rtt > 0 and self.seen < rule.samples:
            self.seen += 1
            self.least = min(self.least, rtt)
            rise = int(flow.least_rtt * rule.share)
            rise = min(max(rise, int(PS * rule.low_s)), int(PS * rule.high_s))
            delay = self.seen == rule.samples and self.least > flow.least_rtt + rise
        return train or delay
