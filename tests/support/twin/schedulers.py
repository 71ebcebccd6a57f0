"""Which queue sends next: `choose` a ready queue, `served` when its packet goes."""

from fractions import Fraction

from qoslib.port import (
    CakeTins,
    DeficitRoundRobin,
    Forwarder,
    HierarchicalTokenBucket,
    ModifiedDrr,
    PriorityLevels,
    SchedulerTree,
    StartTimeFairQueueing,
    StrictPriority,
    WeightedRoundRobin,
)
from twin.clock import PS, floor_ps
from twin.trees import tree


class First:
    """One queue."""

    def __init__(self, where, queues, sizes):
        self.where, self.queues = where, queues

    def choose(self, now):
        return self.queues[0] if self.queues[0].ready(now) else None

    def served(self, queue, packet, now):
        pass

    def values(self):
        """What the event record says of each queue: bytes, or seconds."""
        return [0] * len(self.queues)

    def guaranteed(self):
        """Whether the queue was chosen within its guaranteed rate."""
        return False

    def pays(self):
        """What a tree's event says of a choice, besides."""
        return {}

    def full(self):
        """When a tree's buckets would be full again."""
        return None

    def turn(self, now):
        """Whose turn it is at each node of a tree."""
        return None

    def looks(self):
        """The line is free: queues that keep flows apart look whose turn it is."""
        for queue in self.queues:
            if queue.queue.flows is not None and queue.packets:
                queue.packets.settle()

    def changed(self, queue):
        """Something happened at a queue; a tree of bands asks at once what would go next."""

    def filled(self, queue):
        """A queue that was empty holds a packet."""

    def emptied(self, queue):
        """A queue that held packets is empty."""

    def wake(self, now):
        """When to ask again, where no queue may send."""
        return min(queue.ready_at() for queue in self.queues if queue.packets)


def by_level(queues):
    """Lists of the queues of each priority, the first served first."""
    numbers = sorted({queue.queue.priority for queue in queues})
    return [[q for q in queues if q.queue.priority == number] for number in numbers]


def by_weight(queues):
    """The same, and those of a level that have no weight behind the others."""
    for level in by_level(queues):
        heavy = [queue for queue in level if queue.queue.weight > 0]
        light = [queue for queue in level if queue.queue.weight == 0]
        yield from (some for some in (heavy, light) if some)


def turn_ps(queue, packet, heaviest):
    """What a packet costs its queue: its time on the line over the weight; 0 counts as most."""
    service_ps = floor_ps(queue.service(packet.size))
    if not queue.queue.weight:
        return max(service_ps, 1)
    return max(int(service_ps * heaviest / queue.queue.weight), 1)


class Strict(First):
    """The first level with a ready queue; equals take turns."""

    def __init__(self, where, queues, sizes):
        super().__init__(where, queues, sizes)
        self.levels = by_level(queues)

    def choose(self, now):
        ready = (queue for level in self.levels for queue in level if queue.ready(now))
        return next(ready, None)

    def served(self, queue, packet, now):
        for number, level in enumerate(self.levels):
            if queue in level:
                after = level.index(queue) + 1
                self.levels[number] = level[after:] + level[:after]


class Levels(First):
    """Junos: first within the guarantees, level by level, then beyond them, level by level.

    Within a level the queue comes first that had least for its weight, counted for itself within
    and beyond the guarantees; a queue that was empty starts where its level stands.
    """

    def __init__(self, where, queues, sizes):
        super().__init__(where, queues, sizes)
        self.levels = list(by_weight(queues))
        self.credit = {id(q): q.credit(sizes[i]) for i, q in enumerate(queues)}
        self.had = {(id(q), within): 0 for q in queues for within in (True, False)}
        self.stands = {(n, within): 0 for n in range(len(queues)) for within in (True, False)}
        self.heaviest = max(queue.queue.weight for queue in queues)
        self.within = True

    def has_credit(self, queue, now):
        credit = self.credit[id(queue)]
        if credit is None:
            return False
        return credit.holds(queue.port.on_line(queue.packets[0].size), now)

    def choose(self, now):
        for within in (True, False):
            for level in self.levels:
                able = [q for q in level if q.ready(now)]
                able = [q for q in able if not within or self.has_credit(q, now)]
                if able:
                    self.within = within
                    return min(able, key=lambda q: self.had[id(q), within])
        return None

    def level_of(self, queue):
        return next(n for n, level in enumerate(self.levels) if queue in level)

    def values(self):
        return [float(self.had[id(queue), self.within]) / PS for queue in self.queues]

    def guaranteed(self):
        return self.within

    def served(self, queue, packet, now):
        mine = id(queue), self.within
        self.stands[self.level_of(queue), self.within] = self.had[mine]
        self.had[mine] += turn_ps(queue, packet, self.heaviest)
        if self.within:
            self.credit[id(queue)].take(queue.port.on_line(packet.size), now)

    def filled(self, queue):
        for within in (True, False):
            mine = id(queue), within
            self.had[mine] = max(self.had[mine], self.stands[self.level_of(queue), within])


class StartTime(First):
    """Goyal, Vin and Cheng 1996, level by level: the least start tag first.

    Of each queue: the start tag of its oldest packet, or the finish tag of the last one sent.
    """

    def __init__(self, where, queues, sizes):
        super().__init__(where, queues, sizes)
        self.levels = list(by_weight(queues))
        self.tag = {id(queue): 0 for queue in queues}
        self.virtual = [0] * len(self.levels)
        self.heaviest = max(queue.queue.weight for queue in queues)

    def choose(self, now):
        for level in self.levels:
            able = [queue for queue in level if queue.ready(now)]
            if able:
                return min(able, key=lambda queue: self.tag[id(queue)])
        return None

    def level_of(self, queue):
        return next(n for n, level in enumerate(self.levels) if queue in level)

    def values(self):
        return [float(self.tag[id(queue)]) / PS for queue in self.queues]

    def served(self, queue, packet, now):
        number = self.level_of(queue)
        self.virtual[number] = max(self.virtual[number], self.tag[id(queue)])
        self.tag[id(queue)] += turn_ps(queue, packet, self.heaviest)

    def filled(self, queue):
        port = queue.port
        if port.waiting == 1 and floor_ps(port.line) <= port.now:
            for number, level in enumerate(self.levels):
                finished = [self.tag[id(each)] for each in level]
                self.virtual[number] = max(self.virtual[number], *finished)
        virtual = self.virtual[self.level_of(queue)]
        self.tag[id(queue)] = max(self.tag[id(queue)], virtual)


class Drr(First):
    """Shreedhar and Varghese 1996, the queues in a circle.

    A visit begins with a quantum and ends when the deficit does not cover the next packet, when
    the queue is empty, or when its shaper stops it; the last two leave nothing of the quantum.
    """

    resets = True

    def __init__(self, where, queues, sizes):
        super().__init__(where, queues, sizes)
        self.circle = list(queues)
        self.deficit = {id(queue): 0 for queue in queues}
        self.visiting = False

    def values(self):
        return [self.deficit.get(id(queue), 0) for queue in self.queues]

    def may_send(self, queue):
        return queue.packets[0].size <= self.deficit[id(queue)]

    def begin_visit(self, queue):
        self.deficit[id(queue)] += queue.queue.quantum_bytes

    def end_visit(self):
        self.visiting = False
        self.circle = self.circle[1:] + self.circle[:1]

    def choose(self, now):
        if not any(queue.ready(now) for queue in self.circle):
            return None
        while True:
            queue = self.circle[0]
            if queue.ready(now):
                if not self.visiting:
                    self.begin_visit(queue)
                    self.visiting = True
                if self.may_send(queue):
                    return queue
            elif self.visiting:
                self.deficit[id(queue)] = min(self.deficit[id(queue)], 0)
            self.end_visit()

    def served(self, queue, packet, now):
        if id(queue) in self.deficit:
            self.deficit[id(queue)] -= packet.size

    def emptied(self, queue):
        if id(queue) not in self.deficit:
            return
        if self.resets:
            self.deficit[id(queue)] = 0
        if self.circle[0] is queue:
            self.end_visit()


class Wrr(First):
    """Packets are counted: each level is a circle, and its first queue has the turn.

    A turn begins when a queue is chosen and ends after so many packets as its weight says, when
    the queue is empty, or when its shaper stops it while another of the level is ready.
    """

    def __init__(self, where, queues, sizes):
        super().__init__(where, queues, sizes)
        self.circles = by_level(queues)
        self.left = {id(queue): 0 for queue in queues}

    def values(self):
        return [self.left[id(queue)] for queue in self.queues]

    def circle_of(self, queue):
        return next(circle for circle in self.circles if queue in circle)

    def end_turn(self, circle):
        self.left[id(circle[0])] = 0
        circle.append(circle.pop(0))

    def choose(self, now):
        for circle in self.circles:
            if any(queue.ready(now) for queue in circle):
                while not circle[0].ready(now):
                    self.end_turn(circle)
                queue = circle[0]
                self.left[id(queue)] = self.left[id(queue)] or int(queue.queue.weight)
                return queue
        return None

    def served(self, queue, packet, now):
        self.left[id(queue)] -= 1
        if self.left[id(queue)] == 0:
            self.end_turn(self.circle_of(queue))

    def emptied(self, queue):
        circle = self.circle_of(queue)
        if circle[0] is queue and self.left[id(queue)]:
            self.end_turn(circle)


class Tins(First):
    """`cake_dequeue`: the highest tin that is due, else that which is due first."""

    def __init__(self, where, queues, sizes):
        super().__init__(where, queues, sizes)
        self.due = dict.fromkeys(map(id, queues), 0)

    def choose(self, now):
        ready = [queue for queue in self.queues if queue.ready(now)]
        due = [queue for queue in ready if self.due[id(queue)] <= now]
        if due:
            return min(due, key=lambda queue: queue.queue.priority)
        return min(
            ready, key=lambda queue: (self.due[id(queue)], queue.queue.priority), default=None
        )

    def served(self, queue, packet, now):
        bits, rate_bps = 8 * queue.port.on_line(packet.size), Fraction(queue.queue.guaranteed_bps)
        takes, at = int(bits * PS / rate_bps), self.due[id(queue)]
        self.due[id(queue)] = at + takes if at < now else max(at, now + takes)

    def filled(self, queue):
        self.due[id(queue)] = max(self.due[id(queue)], queue.port.now)

    def values(self):
        return [float(self.due[id(queue)]) / PS for queue in self.queues]


class Mdrr(Drr):
    """Cisco 12000: the low-latency queue first; the others send while their deficit is above 0."""

    def __init__(self, where, queues, sizes):
        fast = where.scheduler.low_latency
        super().__init__(where, [q for q in queues if q.queue.name != fast], sizes)
        self.queues = queues
        self.fast = next((q for q in queues if q.queue.name == fast), None)
        self.resets = where.scheduler.reset_on_empty

    def may_send(self, queue):
        return self.deficit[id(queue)] > 0

    def begin_visit(self, queue):
        if not self.where.scheduler.carry_deficit:
            self.deficit[id(queue)] = max(self.deficit[id(queue)], 0)
        super().begin_visit(queue)

    def choose(self, now):
        if self.fast is not None and self.fast.ready(now):
            return self.fast
        return super().choose(now)


KINDS = {
    StrictPriority: Strict,
    CakeTins: Tins,
    WeightedRoundRobin: Wrr,
    PriorityLevels: Levels,
    StartTimeFairQueueing: StartTime,
    DeficitRoundRobin: Drr,
    ModifiedDrr: Mdrr,
    SchedulerTree: tree,
    HierarchicalTokenBucket: tree,
}


def scheduler(where, queues, sizes):
    if isinstance(where, Forwarder):
        return First(where, queues, sizes)
    return KINDS.get(type(where.scheduler), First)(where, queues, sizes)
