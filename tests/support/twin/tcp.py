"""TCP by the book, slowly: what was sent and what has arrived are lists and sets, looked through.

It follows the docstrings of `qoslib.flows` and the RFCs. Losses are found by counting, for every
packet in flight, those sent after it that are known to have arrived.
"""

import math
from collections import deque
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

from qoslib import flows as f
from qoslib.flows import actual_rate_bps, burst_bytes
from qoslib.port import Chain, Hop, Switch
from qoslib.traffic import Stream
from twin.chain import record_of
from twin.clock import FINE, NEVER, PS, cost, floor_ps, whole_ps
from twin.draws import Draws
from twin.laws import BbrLaw, CubicLaw, DctcpLaw, HTcpLaw, HyStartTwin, PragueLaw, RenoLaw
from twin.port import PortTwin
from twin.traffic import Packet, Sender

LAWS = {f.Reno: RenoLaw, f.Cubic: CubicLaw, f.HTcp: HTcpLaw, f.Bbr: BbrLaw}
LAWS |= {f.Dctcp: DctcpLaw, f.Prague: PragueLaw}


class WireTwin:
    """Packets on their way to a port, in order."""

    def __init__(self):
        self.packets, self.told_ps = deque(), 0

    @property
    def next(self):
        return self.packets[0][0] if self.packets else NEVER

    def arrive(self, now):
        _, packet = self.packets.popleft()
        packet.arrival = now
        if packet.sent_first < 0:
            packet.sent_first = now
        return packet


class HostTwin:
    """A line, a queue and a pacer, all first in, first out; `wires` lead to first hops."""

    def __init__(self, index, host, seed):
        self.host, self.wires = host, {}
        self.draws = Draws(seed, 2, index)
        self.line, self.free, self.last, self.ends = 0, 0, 0, []
        self.delay = whole_ps(host.queue.delay_s) if host.queue else 0

    def takes(self, now, took):
        """A burst comes down, and takes so long at the pacer; whether there is room for it."""
        host = self.host
        self.ends = [end for end in self.ends if end > now]
        if host.queue and len(self.ends) >= host.queue.limit_bursts:
            return False
        if isinstance(host.pacing, f.HtbPacing):
            now = max(now, self.free)
            self.free = now + took
        self.line = max(self.line, now * FINE)
        self.ends.append(floor_ps(self.line) + self.delay)
        return True

    def put(self, flow, number, tries, cwr):
        size = flow.flow.frame_bytes
        self.line += cost(size + flow.overhead, self.host.access_bps)
        late = int(self.draws.uniform() * whole_ps(self.host.jitter_s)) if self.host.jitter_s else 0
        self.last = max(self.last, floor_ps(self.line) + self.delay + late)
        ecn = "no" if flow.feedback == "until CWR" and tries > 1 else flow.flow.ecn
        packet = Packet(flow.index, size, flow.flow.label, ecn)
        packet.segment = flow, number, tries, cwr
        self.wires[flow.hops[0]].packets.append((self.last, packet))


class FlowTwin:
    def __init__(self, index, flow, host, hops, limit, seed):
        self.hops, self.overhead = hops, Fraction(getattr(hops[0].at, "overhead_bytes", 0))
        self.draws = Draws(seed, 3, index)
        self.index, self.flow, self.host, self.limit = index, flow, host, limit
        self.stream = Stream(flow.name, 0.0, flow.frame_bytes, mark=flow.label, ecn=flow.ecn)
        self.told_ps = 0
        self.start = whole_ps(flow.start_s)
        self.stop = NEVER if flow.stop_s is None else whole_ps(flow.stop_s)
        self.end = math.ceil(flow.transfer_bytes / flow.mss_bytes) if flow.transfer_bytes else NEVER
        before = sum(whole_ps(hop.at.base_delay_s) for hop in hops[:-1])
        self.back = whole_ps(flow.round_trip_s) - host.delay - before
        self.una = self.new = 0
        self.known, self.tries, self.order, self.left_at = {}, {}, {}, {}
        self.orders, self.arrived, self.forgotten = 0, set(), 0
        start = flow.slow_start
        self.cwnd = float(start.initial_window_packets)
        self.ssthresh = float(start.initial_threshold_packets or math.inf)
        self.law = LAWS[type(flow.congestion)](flow.congestion, self)
        self.hystart = HyStartTwin(start.hystart, self) if start.hystart else None
        self.phase, self.recover, self.reduced, self.duplicates = "open", 0, -1, 0
        exact = {f.Dctcp: "exactly", f.Prague: "counted"}
        self.feedback = exact.get(type(flow.congestion), "until CWR")
        self.reports, self.most_at_once = 0, math.inf
        self.gave_up, self.lost_here = False, 0
        self.limited, self.most_out, self.used_upto = False, 0, 0
        self.srtt = self.var = self.backoff = self.last_rtt = self.gap = 0
        self.by_rate = isinstance(flow.congestion, f.Bbr)
        self.counts_marks = isinstance(self.law, DctcpLaw)
        self.least_rtt = NEVER
        self.rto, self.wake, self.pace = NEVER, self.start, 0
        self.got, self.expected, self.unacked, self.acks, self.held = set(), 0, 0, deque(), None
        self.advances = [(-1, 0)]
        self.again = self.timeouts = self.recoveries = 0
        self.in_host = self.lost_first = self.lost_again = 0
        self.finished = None
        self.sack = isinstance(
            flow.recovery, f.SackRecovery | f.RateHalving | f.PathologicalRecovery
        )

    @property
    def next(self):
        return min(self.rto, self.wake, self.acks[0].at if self.acks else NEVER)

    def count(self, what):
        return sum(state == what for state in self.known.values())

    def burst(self):
        return min(self.host.host.burst_packets, self.limit, self.most_at_once)

    # The receiver.

    def echo(self, cwr, marked, held):
        """ECE from a mark until CWR, ECE with a mark, or how many marks."""
        if self.feedback == "until CWR":
            self.reports = int(marked or (self.reports and not cwr))
        elif self.feedback == "counted" and held:
            self.reports += marked
        else:
            self.reports = int(marked)
        return self.reports

    def receive(self, number, tries, cwr, marked, at):
        held, self.held = self.held, None
        if held and held.at <= at + self.back:
            held, self.unacked = None, 0
        turns = self.feedback == "exactly" and marked != self.reports
        if turns and held:
            held.at, held = at + self.back, None
        if not held:
            self.unacked = 0
        in_order = number == self.expected
        if number >= self.expected:
            self.got.add(number)
        holes = False
        if in_order:
            self.expected += 1
            holes = max(self.got) >= self.expected
            while self.expected in self.got:
                self.expected += 1
            self.unacked += 1
            self.advances.append((at, self.expected))
        holds = in_order and not holes and self.unacked < self.flow.segments_per_ack and not turns
        due = at + self.back + (whole_ps(self.flow.ack_delay_s) if holds else 0)
        ack = held or SimpleNamespace()
        if not held:
            self.acks.append(ack)
        if not (held and in_order):
            ack.number, ack.tries = number, tries
        ack.at, ack.upto = held.at if held and holds else due, self.expected
        ack.echo = self.echo(cwr, marked, held)
        self.held = ack if holds else None

    def received(self, time):
        """Segments that had arrived in order by a time: their last bits had left the port."""
        return max(expected for at, expected in self.advances if at <= time)

    # The sender.

    def event(self, now):
        if self.rto <= now:
            self.rto = NEVER
            if self.new > self.una:
                self.time_out(now)
        elif self.acks and self.acks[0].at <= now:
            ack = self.acks.popleft()
            if ack is self.held:
                self.held = None
            self.take(ack, now)
        self.send(now)

    def timeout(self):
        base = PS
        if self.srtt:
            base = self.srtt + max(4 * self.var, whole_ps(self.flow.minimum_timeout_s))
        return min(base * 2**self.backoff, 120 * PS)

    def arm(self, now):
        self.rto = now + self.timeout() if self.new > self.una else NEVER

    def measure(self, rtt):
        self.least_rtt, self.last_rtt = min(self.least_rtt, rtt), rtt
        if not self.srtt:
            self.srtt, self.var = rtt, rtt // 2
            return
        error = rtt - self.srtt
        self.var += (abs(error) - self.var) // 4
        self.srtt += error // 8

    def arrives(self, number):
        """A segment is known to be there; whether that is news."""
        state = self.known[number]
        if state == "flight" and self.tells(number) and self.order[number] >= self.forgotten:
            self.arrived.add(self.order[number])
        return state != "there"

    def take(self, ack, now):
        rtt = 0
        if ack.number >= self.una and self.tries[ack.number] == ack.tries:
            rtt = now - self.left_at[ack.number]
            self.measure(rtt)
        acked, news, flight = max(ack.upto - self.una, 0), [], self.count("flight")
        while self.una < ack.upto:
            news += [self.una] * self.arrives(self.una)
            del self.known[self.una]
            self.una += 1
        if self.sack and ack.number >= self.una:
            news += [ack.number] * self.arrives(ack.number)
            self.known[ack.number] = "there"
        delivered = len(news)
        found = self.find_lost() if self.sack else 0
        self.law.on_ack(acked, now)
        if self.counts_marks:
            self.law.on_marks(delivered, ack.echo, now)
        before = self.phase
        self.recovery(delivered, acked, found, now)
        if self.by_rate:
            self.law.look(rtt, news, found, flight, now)
        else:
            clean = acked - ack.echo if self.feedback == "counted" else acked * (not ack.echo)
            if clean > 0 and before == self.phase != "recovery" and self.may_grow():
                self.grow(clean, rtt, now)
        if ack.echo and self.una > self.reduced:
            self.shrink_once(now)
        if isinstance(self.law, PragueLaw):
            self.law.pace()
        if acked and not self.gave_up:
            self.backoff = 0
            self.arm(now)
            if self.una == self.end:
                self.finished = now

    def tells(self, number):
        """Whether it takes part in finding losses."""
        return self.tries[number] == 1 or getattr(self.flow.recovery, "finds_repeats", True)

    def find_lost(self):
        need = getattr(self.flow.recovery, "duplicate_packets", 3)
        found = 0
        for number, state in self.known.items():
            if state == "flight" and self.tells(number):
                later = sum(order > self.order[number] for order in self.arrived)
                if later >= need and self.order[number] >= self.forgotten:
                    self.known[number] = "lost"
                    found += 1
        return found

    def may_grow(self):
        """`tcp_is_cwnd_limited`."""
        return self.limited or self.cwnd < min(self.ssthresh, 2 * self.most_out)

    def grow(self, acked, rtt, now):
        left = float(acked)
        if self.cwnd < self.ssthresh:
            if self.hystart and self.hystart.ends(rtt, now):
                self.ssthresh = self.cwnd
            else:
                self.cwnd += 1.0 if self.flow.slow_start.counts == "acks" else left
                left = max(self.cwnd - self.ssthresh, 0.0)
                self.cwnd -= left
        if left > 0:
            self.law.grow(left, now)

    def shrink(self, timeout, now):
        if self.by_rate:
            self.law.keep_window(timeout)
            return
        self.ssthresh = max(self.law.after_loss(timeout, now), 2.0)

    def shrink_once(self, now):
        if self.phase == "open" and self.una >= self.reduced:
            if self.counts_marks:
                self.ssthresh = max(self.law.after_marks(now), 2.0)
            else:
                self.shrink(False, now)
            self.reduced = self.new
            if not self.by_rate:
                self.cwnd = min(self.cwnd, self.ssthresh)

    def recovery(self, delivered, acked, found, now):
        how = self.flow.recovery
        if self.phase != "open" and self.una >= self.recover:
            self.leave(now)
            found += self.count("lost")
        elif self.phase == "open" and not acked and delivered:
            found += self.una < self.new and self.tries[self.una] > 1
        if self.sack:
            starts = found > 0
        else:
            same = not acked and self.new > self.una
            self.duplicates = self.duplicates + 1 if same else 0
            starts = isinstance(how, f.NewRenoRecovery) and self.duplicates == how.duplicate_packets
        if self.phase == "open" and starts:
            self.shrink(False, now)
            self.phase, self.recover, self.reduced, self.lost_here = (
                "recovery",
                self.new,
                self.new,
                0,
            )
            self.recoveries += 1
            self.prr_there = self.prr_out = 0
            self.prr_flight = self.count("flight") + self.count("lost") + delivered
            if isinstance(how, f.NewRenoRecovery):
                if not self.by_rate:
                    self.cwnd = self.ssthresh + how.duplicate_packets
                self.known[self.una] = "lost"
                return
        if self.phase == "recovery":
            self.lost_here += found
            self.repair(how, delivered, acked, found, now)

    def repair(self, how, delivered, acked, found, now):
        flight = self.count("flight")
        critical = getattr(how, "critical_packets", math.inf)
        if self.lost_here >= critical and not self.gave_up:
            self.gave_up, self.rto = True, now + self.timeout()
        if isinstance(how, f.NewRenoRecovery):
            if not self.by_rate:
                self.cwnd = max(self.cwnd - acked + 1, 1.0) if acked else self.cwnd + 1
            if acked and not self.count("lost"):
                self.known[self.una] = "lost"
        elif self.by_rate:
            return
        elif isinstance(how, f.RateHalving):
            if self.cwnd > self.ssthresh:
                self.cwnd = max(self.cwnd - delivered / 2, self.ssthresh)
            self.cwnd = min(self.cwnd, flight + 1.0)
        else:
            self.cwnd = float(flight + max(self.proportional(delivered, acked, found, flight), 0))

    def proportional(self, delivered, acked, found, flight):
        """RFC 9937, section 6."""
        self.prr_there += delivered
        if flight > self.ssthresh:
            all_of_it = max(self.prr_flight, 1)
            sends = math.ceil(self.prr_there * self.ssthresh / all_of_it) - self.prr_out
        else:
            bound = getattr(self.flow.recovery, "bound", "safe")
            limit = self.prr_there - self.prr_out
            if bound != "conservative":
                limit = max(limit, delivered)
                if bound == "slow_start" or (acked and not found):
                    limit += 1
            sends = min(int(self.ssthresh) - flight, limit)
        return max(sends, 1) if self.prr_out == 0 else sends

    def leave(self, now):
        how = self.flow.recovery
        if self.phase == "recovery" and not self.by_rate:
            if isinstance(how, f.NewRenoRecovery):
                self.cwnd = min(self.ssthresh, max(float(self.count("flight")), 1.0) + 1)
            elif isinstance(how, f.RateHalving):
                self.cwnd = min(self.cwnd, self.ssthresh)
            else:
                self.cwnd = self.ssthresh
        self.phase, self.duplicates = "open", 0
        self.law.resume(now)

    def time_out(self, now):
        self.timeouts += 1
        if self.phase != "loss":
            self.shrink(True, now)
        if self.gave_up:
            self.ssthresh, self.gave_up = float(self.flow.recovery.threshold_packets), False
        self.phase, self.recover, self.reduced, self.duplicates = "loss", self.new, self.new, 0
        self.cwnd = 1.0
        for number, state in self.known.items():
            if state == "flight":
                self.known[number] = "lost"
        self.arrived, self.forgotten = set(), self.orders
        self.backoff = min(self.backoff + 1, 6)
        self.arm(now)

    def send(self, now):
        self.wake, first = NEVER, self.new
        limited, out = self.send_all(now), self.new - self.una
        if self.flow.slow_start.validation == "ack":
            self.limited = limited
            return
        if limited:
            self.limited = True
        elif self.new > first and self.una >= self.used_upto:
            self.limited = False
        elif self.new == first or self.limited or out <= self.most_out:
            return
        self.most_out, self.used_upto = out, self.new

    def send_all(self, now):
        """Whether it was the window that ended it."""
        while not self.gave_up:
            lost, flight = self.count("lost"), self.count("flight")
            has = lost
            if not lost:
                has = 0 if now >= self.stop else min(self.end, self.una + self.limit) - self.new
            room = int(self.cwnd) - flight
            if has <= 0:
                return False
            size = min(room, has, self.burst())
            waits = size < min(self.end - self.new, self.burst()) and flight
            waits = waits and 3 * size < min(self.cwnd, self.limit)
            if room <= 0 or (waits and self.phase == "open" and not lost):
                return room < has
            if self.pace > now:
                self.wake = self.pace
                return False
            size = 1 if lost else size
            if not self.hand_down(size, now):
                return False
        return False

    def hand_down(self, size, now):
        pacing, took = self.host.host.pacing, 0
        if pacing:
            rate_bps = actual_rate_bps(pacing, self.flow.mss_bytes, size)
            took = floor_ps(cost(burst_bytes(self.flow.mss_bytes, size), rate_bps))
        if not self.host.takes(now, took):
            self.in_host += size
            self.shrink_once(now)
            if self.rto == NEVER:
                self.rto = now + whole_ps(self.flow.minimum_timeout_s)
            return False
        for _ in range(size):
            self.transmit(now)
        if isinstance(pacing, f.FqPacing) or self.by_rate or isinstance(self.law, PragueLaw):
            self.pace = max(self.pace, now) + max(took, size * self.gap)
        if self.rto == NEVER:
            self.arm(now)
        return True

    def transmit(self, now):
        lost = [number for number, state in self.known.items() if state == "lost"]
        number = min(lost, default=self.new)
        if lost:
            self.again += 1
            self.tries[number] = min(self.tries[number] + 1, 255)
        else:
            self.tries[number] = 1
            self.new += 1
        cwr = self.tries[number] == 1 and number == self.reduced
        self.law.on_send(number, now)
        self.known[number], self.order[number], self.left_at[number] = "flight", self.orders, now
        self.orders += 1
        self.prr_out = getattr(self, "prr_out", 0) + 1
        self.host.put(self, number, self.tries[number], cwr)


class TcpTwin(PortTwin):
    """A hop whose sources are flows, streams, and wires from hosts and from other hops."""

    def arrive(self, index, now):
        source = self.senders[index]
        if isinstance(source, FlowTwin):
            source.event(now)
            return
        if isinstance(source, WireTwin):
            self.streams[index] = self.every[source.packets[0][1].stream]
        super().arrive(index, now)

    def send(self, queue, packet, now):
        super().send(queue, packet, now)
        departure = self.notes.outcomes[-1].departure
        out, marked = departure + self.base_ps, packet.marked or packet.marked_before
        if packet.stream in self.after:
            copy = replace(packet, marked=False, marked_before=marked)
            if hasattr(packet, "segment"):
                copy.segment = packet.segment
            self.after[packet.stream].packets.append((out, copy))
            return
        if departure <= self.run_.end_ps:
            self.through[packet.stream].append(out - packet.sent_first)
        if hasattr(packet, "segment"):
            flow, *segment = packet.segment
            if flow.flow.lost_share and flow.draws.uniform() < flow.flow.lost_share:
                return
            flow.receive(*segment, marked, departure)

    def lose(self, queue, packet, cause, now, position, **more):
        super().lose(queue, packet, cause, now, position, **more)
        if hasattr(packet, "segment"):
            flow, _, tries, _ = packet.segment
            flow.lost_again += tries > 1
            flow.lost_first += tries == 1


def simulate_tcp(where, hosts, duration_s, *, streams=(), seed=0, bins=7):
    """Records of the hops and delays through all of them, and the flows as they are at the end."""
    end_ps = whole_ps(duration_s)
    edges = [end_ps * (i + 1) // bins for i in range(bins)]
    run = SimpleNamespace(seed=seed, edges=edges, warm_ps=0, end_ps=end_ps)
    hops = where.hops if isinstance(where, Chain | Switch) else [Hop(where)]
    names = [each.name for host in hosts for each in host.flows] + [s.name for s in streams]
    routes = [[hop for hop in hops if not hop.streams or name in hop.streams] for name in names]
    machines = [HostTwin(i, host, seed) for i, host in enumerate(hosts)]
    flows = [
        FlowTwin(i, flow, machine, routes[i], flow.window_bytes // flow.mss_bytes, seed)
        for i, (flow, machine) in enumerate(
            (flow, machine) for machine in machines for flow in machine.host.flows
        )
    ]
    every = [*(flow.stream for flow in flows), *streams]
    sources = flows + [Sender(len(flows) + i, each, seed) for i, each in enumerate(streams)]
    for flow in flows:
        flow.host.wires.setdefault(flow.hops[0], WireTwin())
    between = {pair: WireTwin() for route in routes for pair in pairwise(route)}
    labels, twins, members = [[each.label] for each in every], [], []
    for number, hop in enumerate(hops):
        mine = [i for i, route in enumerate(routes) if hop in route]
        silent = SimpleNamespace(next=NEVER, told_ps=0)
        senders = [sources[i] if routes[i][0] == hop else silent for i in mine]
        wires = [machine.wires[hop] for machine in machines if hop in machine.wires]
        wires += [wire for (_, to), wire in between.items() if to == hop]
        described = [every[i] for i in mine] + [every[0]] * len(wires)
        own = [labels[i] for i in mine] + [[]] * len(wires)
        twin = TcpTwin(hop.at, described, [*senders, *wires], run, number, own)
        twin.every, twin.after = every, {}
        for i in mine:
            labels[i] = twin.labels_after(every[i], labels[i])
            for begin, end in pairwise(routes[i]):
                if begin == hop:
                    twin.after[i] = between[begin, end]
        twins.append(twin)
        members.append(mine)
    through = [[] for _ in every]
    for twin in twins:
        twin.through = through
        if isinstance(where, Switch):
            twin.sharing = [queue for each in twins for queue in each.queues]
            twin.closed_pools = twins[0].closed_pools
    while (first := min(twins, key=PortTwin.coming)).coming() < end_ps:
        first.play()
    for twin in twins:
        twin.settle(end_ps)
    records = [record_of(twin, mine, run) for twin, mine in zip(twins, members, strict=True)]
    return records, through, flows
