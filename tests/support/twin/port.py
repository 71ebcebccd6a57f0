"""A port or forwarder, event by event."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, nan

from qoslib.port import Forwarder
from twin.clock import FINE, HORIZON, NEVER, PS, cost, fine, floor_ps, whole_ps
from twin.draws import Draws
from twin.droppers import chosen, thresholds
from twin.meters import Bucket
from twin.queues import QueueTwin
from twin.schedulers import scheduler
from twin.traffic import sizes_of


@dataclass
class Outcome:
    """What became of a packet; `departure` is None where it was dropped."""

    packet: object
    departure: int | None
    cause: str
    at: int


@dataclass
class Notes:
    """All that happened, as it happened."""

    offered: list = field(default_factory=list)
    outcomes: list = field(default_factory=list)
    marked: list = field(default_factory=list)
    peaks: list = field(default_factory=list)
    tokens: list = field(default_factory=list)
    pauses: list = field(default_factory=list)
    #: Arrivals and losses in order: time, whether it is a loss, packet.
    in_order: list = field(default_factory=list)
    events: list = field(default_factory=list)


@dataclass
class Event:
    """One entry of the event record; times in picoseconds."""

    time: int
    kind: str
    packet: object
    queue: int
    position: int
    length: int
    cause: str = ""
    values: list = None
    guaranteed: bool = False
    tokens: float = nan
    excess: float = nan
    colour: str = ""
    mark: str = ""
    early: float = nan
    strict: bool = False
    lender: int = -1
    full: list = None
    turn: list = None
    marked: bool = False
    closed: bool = False
    asked: bool = False
    order: float = nan


class PortTwin:
    def __init__(self, where, streams, senders, run, hop=0, labels=None):
        self.labels = labels or [[stream.label] for stream in streams]
        self.where, self.streams, self.senders, self.run_ = where, streams, senders, run
        self.forwards = isinstance(where, Forwarder)
        #: Queue by the name of a stream and a mark.
        self.indices = {}
        self.now, self.line, self.leaving, self.wake = 0, 0, [], 0
        self.dropped = False
        self.streams_by_index = {s.index: s.stream for s in senders if hasattr(s, "index")}
        self.notes, self.times = Notes(), {}
        #: When packets that were handed over start and depart: time, whether it is not the end of
        #: a service, number, whether it departs, packet, queue.
        self.to_come = []
        self.edges = list(run.edges)
        #: What queues have asked of their senders: when it takes effect, the queue, stop or go.
        self.orders = []
        queues = (where.queue,) if self.forwards else where.queues
        sizes = [
            [
                size
                for stream, labels in zip(streams, self.labels, strict=True)
                for label in labels
                if self.queue_index(stream, label) == i
                for size in sizes_of(stream)
            ]
            for i in range(len(queues))
        ]
        self.queues = [
            QueueTwin(queue, self, sizes[i], Draws(run.seed, 1, hop, i))
            for i, queue in enumerate(queues)
        ]
        self.scheduler = scheduler(where, self.queues, sizes)
        shaper = None if self.forwards else where.shaper
        self.shaper = Bucket.of(shaper) if shaper else None
        self.ring = 0 if self.forwards else where.transmit_ring_packets
        self.closed_pools = set()
        self.pools = {pool.name: pool for pool in getattr(where, "pools", ())}
        #: All queues that may take memory of these pools.
        self.sharing = self.queues

    def queue_index(self, stream, label):
        if self.forwards:
            return 0
        asked = stream.name, label
        if asked not in self.indices:
            self.indices[asked] = self.where.queue_of(stream.replace(mark=label))
        return self.indices[asked]

    def labels_after(self, stream, labels):
        """With which marks a stream's packets may leave that come with these."""
        queues = [self.queues[self.queue_index(stream, label)].queue for label in labels]
        policers = [queue.policer for queue in queues if queue.policer]
        actions = [(each.conform, each.exceed, each.violate) for each in policers]
        new = [action for each in actions for action in each if action not in ("pass", "drop")]
        return list(dict.fromkeys([*labels, *new]))

    def on_line(self, size):
        return Fraction(size) + Fraction(getattr(self.where, "overhead_bytes", 0))

    def service(self, size):
        """Time on the line, or in the engine, fine."""
        if size not in self.times:
            self.times[size] = self.exact_time(size)
        return self.times[size]

    def exact_time(self, size):
        if not self.forwards:
            return cost(self.on_line(size), self.where.rate_bps)
        seconds = Fraction(self.where.packet_s) + Fraction(self.where.byte_s) * size
        return fine(seconds * PS)

    @property
    def waiting(self):
        return sum(len(queue.packets) for queue in self.queues)

    def ios_ring(self):
        """The transmit ring of IOS for this line rate [packets] (Cisco, Document ID 6142)."""
        rate_mbps = inf if self.forwards else self.where.rate_bps / 1e6
        return next((2 << i for i, most in enumerate((2, 10, 20, 30, 40)) if rate_mbps < most), 64)

    def in_ring(self, now):
        """Packets handed over and not gone, with that on the line."""
        return sum(departure > now for departure in self.leaving)

    def next_ask(self):
        """When the scheduler is asked next: a packet waits, the ring has a place, tokens."""
        if not self.waiting:
            return NEVER
        places = sorted(self.leaving)[-self.ring - 1 :]
        free = places[0] if len(places) > self.ring else 0
        return max(free, self.now, self.wake)

    def run(self, end_ps):
        while self.coming() < end_ps:
            self.play()
        self.settle(end_ps)

    def first_sender(self):
        return min(((s.next, i) for i, s in enumerate(self.senders)))

    def coming(self):
        """When the next event is, after what takes effect at senders by then."""
        while True:
            now = min(self.first_sender()[0], self.next_ask())
            due = [order for order in self.orders if order[0] <= now]
            if not due:
                return now
            first = min(due, key=lambda order: order[0])
            self.orders.remove(first)
            time, queue, stop = first
            for sender, stream in zip(self.senders, self.streams, strict=True):
                if self.queues[self.queue_index(stream, stream.label)] is queue:
                    sender.tell(time, HORIZON if stop else time, True)

    def settle(self, now):
        """What timers do, and what leaves the line, up to a time."""
        self.tick(now)
        self.note_line(now)

    def play(self):
        """The next event, as `coming` says; of a departure and an arrival the departure."""
        (arrival, index), ask = self.first_sender(), self.next_ask()
        now = min(arrival, ask)
        self.settle(now)
        self.now = now
        if ask <= arrival:
            self.ask(now)
        else:
            self.arrive(index, now)

    def tick(self, now):
        for queue in self.queues:
            while queue.early.timer_ps <= now:
                queue.early.tick()
        while self.edges and self.edges[0] <= now:
            edge = self.edges.pop(0)
            self.notes.peaks.append([queue.peak for queue in self.queues])
            self.notes.tokens.append(
                [
                    queue.policer.bucket.share(edge) if queue.policer else nan
                    for queue in self.queues
                ]
            )
            for queue in self.queues:
                queue.peak = len(queue.packets)

    def note(self, now, kind, packet, queue, position, arrives=False, **more):
        index, length = self.queues.index(queue), len(queue.packets)
        if kind in ("enqueue", "drop"):
            if queue.policer:
                more["tokens"] = queue.policer.bucket.share(now)
                more["excess"] = queue.policer.excess_share(now)
                more["colour"] = queue.policer.given if arrives else ""
            more["early"] = queue.early.goes_by()
        more["mark"] = packet.label
        if kind in ("enqueue", "drop", "choice"):
            at_head = hasattr(queue.early, "at_head")
            more["marked"] = packet.marked and kind == ("choice" if at_head else "enqueue")
            more["closed"] = queue.closed
            more["asked"], more["order"] = queue.asked, float(queue.order) / PS
            if self.where.pause:
                told = max(sender.told_ps for sender in self.senders)
                more["asked"], more["order"] = told > now, float(told) / PS
        self.notes.events.append(Event(now, kind, packet, index, position, length, **more))

    def note_line(self, now):
        """Starts and departures up to a time; of equal times departures come first."""
        for event in sorted(e for e in self.to_come if e[0] <= now):
            self.to_come.remove(event)
            time, _, _, departs, packet, queue = event
            self.note(time, "departure" if departs else "start", packet, queue, -1)

    def lose(self, queue, packet, cause, now, position, arrives=False):
        self.note(now, "drop", packet, queue, position, arrives, cause=cause)
        self.notes.outcomes.append(Outcome(packet, None, cause, now))
        self.notes.in_order.append((now, True, packet))
        self.dropped = self.dropped or cause != "policer"

    def arrive(self, index, now):
        packet = self.senders[index].arrive(now)
        self.notes.offered.append(packet)
        self.notes.in_order.append((now, False, packet))
        queue = self.queues[self.queue_index(self.streams[index], packet.label)]
        was_empty = not queue.packets
        if queue.queue.flows is not None:
            self.arrive_at_flows(queue, packet, now)
            return
        cause = self.refusal(queue, packet, now)
        if cause:
            self.lose(queue, packet, cause, now, len(queue.packets), arrives=True)
            if not queue.packets and not was_empty:
                self.emptied(queue, now)
            return
        queue.packets.append(packet)
        self.note(now, "enqueue", packet, queue, len(queue.packets) - 1, arrives=True)
        if packet.marked:
            self.notes.marked.append((now, packet))
        if was_empty:
            self.scheduler.filled(queue)
        queue.peak = max(queue.peak, len(queue.packets))
        self.wake = 0
        self.may_ask(queue, packet, now)
        pause = self.where.pause
        free = any(sender.told_ps <= now for sender in self.senders)
        if pause and free and self.waiting >= pause.high_packets:
            self.tell(now, stop=True)

    def arrive_at_flows(self, queue, packet, now):
        """A queue of its own for the packet's flow; where all is full another packet may go."""
        was_empty, cause = not queue.packets, None
        if queue.policer and queue.policer.drops(packet, now):
            cause = "policer"
        elif queue.packets.refuses(packet, now):
            cause = "tail"
        elif queue.queue.pool and not self.has_memory(queue, packet):
            cause = "pool"
        if cause:
            self.lose(queue, packet, cause, now, len(queue.packets), arrives=True)
            return
        queue.packets.join(packet, now)
        self.note(now, "enqueue", packet, queue, len(queue.packets) - 1, arrives=True)
        if was_empty:
            self.scheduler.filled(queue)
        queue.peak = max(queue.peak, len(queue.packets))
        if queue.overfull():
            for lost, position in queue.packets.shed():
                self.lose(queue, lost, "tail", now, position)
        self.wake = 0
        self.scheduler.changed(queue)

    def refusal(self, queue, packet, now):
        """Policer, early drop, room in the queue, room in its pool."""
        if queue.policer and queue.policer.drops(packet, now):
            return "policer"
        for each in self.queues:
            if hasattr(each.early, "release"):
                each.early.release(self.waiting + self.in_ring(now))
        if packet.capable and queue.queue.marking:
            queue.early.observe(packet, now)
            packet.marked = chosen(*thresholds(queue.queue.marking, queue), queue.early.draws)
            return self.no_room(queue, packet, now)
        cause = queue.early.drops(packet, now)
        if cause == "profile" and queue.drops_head and queue.packets:
            self.push_out(queue, "profile", now)
        elif cause and queue.early.may_mark(packet):
            packet.marked = True
        elif cause:
            return cause
        return self.no_room(queue, packet, now)

    def push_out(self, queue, cause, now):
        self.lose(queue, queue.packets.popleft(), cause, now, 0)
        self.left()
        self.wake = 0

    def left(self):
        """A packet left its queue; where none waits, earlier drops no longer count."""
        self.dropped = self.dropped and self.waiting > 0

    def no_room(self, queue, packet, now):
        if queue.fill + queue.amount(packet.size) > queue.limit_for(packet.label, now):
            return "tail"
        while not queue.has_room(packet, now):
            if not queue.drops_head or not queue.packets:
                queue.closed = queue.queue.limit.resume is not None
                return "tail"
            self.push_out(queue, "head", now)
        return "pool" if queue.queue.pool and not self.has_memory(queue, packet) else None

    def has_memory(self, queue, packet):
        """The packet's cells fit into what is shared and free, and the queue is not too long."""
        pool = self.pools[queue.queue.pool]
        sharing = [q for q in self.sharing if q.queue.pool == pool.name]
        free = pool.limit_bytes - sum(q.queue.reserved_bytes + q.shared(pool) for q in sharing)
        held, more = queue.shared(pool), queue.shared(pool, packet) - queue.shared(pool)
        alpha, resume = queue.queue.alpha, pool.resume_bytes
        if resume is not None and sum(q.shared(pool) for q in sharing) <= resume:
            self.closed_pools.discard(pool.name)
        if more > free and resume is not None:
            self.closed_pools.add(pool.name)
        if more == 0:
            return True
        opened = pool.name not in self.closed_pools
        return opened and more <= free and (alpha is None or held < alpha * free)

    def emptied(self, queue, now):
        queue.empty_since = now
        self.scheduler.emptied(queue)

    def ask(self, now):
        self.scheduler.looks()
        queue = self.scheduler.choose(now)
        if queue is None:
            self.wake = self.scheduler.wake(now)
            return
        if queue.queue.flows is not None:
            queue.packets.settle()
        packet = queue.packets[0]
        if self.shaper and self.shaper.ready_at(packet.size) > now:
            self.wake = self.shaper.ready_at(packet.size)
            return
        dropper = queue.early if queue.queue.flows is None else queue.packets.chosen.codel
        if hasattr(dropper, "at_head"):
            if dropper.at_head(packet, now):
                queue.drop_first()
                self.lose(queue, packet, "codel", now, 0)
                self.left()
                if not queue.packets:
                    self.emptied(queue, now)
                self.scheduler.changed(queue)
                return
            if packet.marked:
                self.notes.marked.append((now, packet))
        self.send(queue, packet, now)

    def send(self, queue, packet, now):
        said = {"values": self.scheduler.values(), "guaranteed": self.scheduler.guaranteed()}
        shaper = queue.shaper or self.shaper
        said["tokens"] = shaper.share(now) if shaper else nan
        said |= self.scheduler.pays()
        self.scheduler.served(queue, packet, now)
        if queue.shaper:
            queue.shaper.take(queue.shaped(packet.size), now)
        if self.shaper:
            self.shaper.take(packet.size, now)
        queue.packets.popleft()
        self.scheduler.changed(queue)
        said |= {"full": self.scheduler.full(), "turn": self.scheduler.turn(now)}
        self.note(now, "choice", packet, queue, 0, **said)
        self.left()
        if not queue.packets:
            self.emptied(queue, now)
        queue.served.append((now, queue.amount(packet.size)))
        queue.early.delay = now - packet.arrival if queue.packets else 0
        start = max(floor_ps(self.line), now)
        self.line = max(self.line, now * FINE) + self.service(packet.size)
        departure = floor_ps(self.line)
        self.on_its_way(packet, queue, now, start, departure)
        self.leaving = [d for d in self.leaving if d > now] + [departure]
        self.notes.outcomes.append(Outcome(packet, departure, "", now))
        self.may_ask(queue, None, now)
        pause = self.where.pause
        held = any(sender.told_ps > now for sender in self.senders)
        if pause and held and self.waiting <= pause.low_packets:
            self.tell(now, stop=False)

    def on_its_way(self, packet, queue, now, start, departure):
        number = len(self.notes.outcomes)
        if start == now:
            self.note(start, "start", packet, queue, -1)
        else:
            self.to_come.append((start, True, number, False, packet, queue))
        if departure == now:
            self.note(departure, "departure", packet, queue, -1)
        else:
            self.to_come.append((departure, departure == start, number, True, packet, queue))

    def tell(self, now, stop):
        pause = self.where.pause
        self.notes.pauses.append(now)
        for sender in self.senders:
            rate_bps = sender.stream.access_bps or self.where.rate_bps
            wait_ps = int(512 * pause.quanta * PS / Fraction(rate_bps)) if stop else 0
            sender.tell(now, now + wait_ps, pause.obeyed)

    def may_ask(self, queue, packet, now):
        """Stop, after a frame that filled headroom, as of its first bit there; or go on."""
        pause = queue.queue.pause
        if pause is None:
            return
        held = sum(p.size for p in queue.packets)
        over = held - (queue.queue.limit.limit_bytes - pause.headroom_bytes)
        due = now + whole_ps(pause.response_s)
        if packet and not queue.asked and over > 0:
            access_bps = self.streams_by_index[packet.stream].access_bps
            access = int(8 * PS * packet.size / Fraction(access_bps)) if access_bps else 0
            due = max(due - int(access * (over / packet.size)), now)
        elif packet or not queue.asked or held > pause.resume_bytes:
            return
        queue.asked = not queue.asked
        last = [time for time, mine, _ in self.orders if mine is queue]
        queue.order = max([due, *last])
        self.orders.append((queue.order, queue, queue.asked))
        self.notes.pauses.append(now)

    @property
    def base_ps(self):
        return whole_ps(self.where.base_delay_s)
