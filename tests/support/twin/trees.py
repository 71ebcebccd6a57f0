"""Trees of schedulers, by brute force: every choice asks the whole tree anew."""

from fractions import Fraction
from math import nan

from qoslib.port import HierarchicalTokenBucket
from qoslib.port.nodes import outline
from twin.clock import FINE, PS, floor_ps
from twin.meters import Bucket
from twin.queues import SAVED_PACKETS

STRICT, WITHIN, BEYOND = range(3)
MINUTE_PS = 60 * PS


class Place:
    """A queue or a node, with what is below and above it."""

    def __init__(self, made, queue=None):
        self.made, self.queue, self.parent, self.children = made, queue, None, []
        self.turn, self.reached, self.sizes = {}, {}, []

    def below(self):
        return [q for child in self.children for q in child.below()] or [self.queue]

    def above(self):
        return [self, *self.parent.above()] if self.parent else [self]

    def guarantee(self):
        return self.made.guaranteed_bps or sum(child.guarantee() for child in self.children)


def saved_ps(made, port, sizes):
    """How much of its guaranteed rate a queue or node saves up."""
    rate_bps = Fraction(made.guaranteed_bps)
    if made.guaranteed_burst_bytes:
        return int(8 * PS * made.guaranteed_burst_bytes / rate_bps)
    longest = max((int(8 * PS * port.on_line(size) / rate_bps) for size in sizes), default=0)
    return SAVED_PACKETS * (longest + 1)


class Tree:
    def __init__(self, where, queues, sizes):
        self.where, self.queues = where, queues
        made = {q.queue.name: Place(q.queue, q) for q in queues}
        made |= {node.name: Place(node) for node in where.scheduler.nodes}
        for node in where.scheduler.nodes:
            made[node.name].children = [made[name] for name in node.children]
            for name in node.children:
                made[name].parent = made[node.name]
        self.places = list(made.values())
        self.leaf = {id(place.queue): place for place in self.places if place.queue}
        for queue, mine in zip(queues, sizes, strict=True):
            for place in self.leaf[id(queue)].above():
                place.sizes = place.sizes + mine
        self.root = next(place for place in self.places if not place.parent)
        port = queues[0].port
        for place in self.places:
            shaper, rate_bps = place.made.shaper, place.made.guaranteed_bps
            place.shaper = Bucket.of(shaper) if shaper and not place.queue else None
            if place.queue:
                place.shaper = place.queue.shaper
            place.credit = None
            if rate_bps:
                place.credit = Bucket(rate_bps, saved_ps(place.made, port, place.sizes))

        self.ordered = [made[q.queue.name] for q in queues]
        made_of = outline([q.queue for q in queues], where.scheduler.nodes)
        self.ordered += [made[node.name] for node in made_of.nodes]

    def looks(self):
        """A queue looks whose turn it is when it has changed, or was chosen."""

    def changed(self, queue):
        """What HTB asks when it has chosen, if at all."""

    def full(self):
        """When the buckets of each queue and node would be full again [s]."""
        # As the engine: to a float first, which matters beyond 2**53 ps.
        both = ((each.credit, each.shaper) for each in self.ordered)
        return [[float(floor_ps(b.tat)) / PS if b else nan for b in buckets] for buckets in both]

    def turn(self, now):
        """Number of the child of each node whose turn it is, or -1."""
        inner = [place for place in self.ordered if not place.queue]
        found = [self.next_child(place, now) for place in inner]
        return [self.ordered.index(child) if child else -1 for child in found]

    def emptied(self, queue):
        """Nothing is kept of that."""

    def wake(self, now):
        """No later than anything changes: when some bucket has what some packet needs."""
        times = []
        for place in self.places:
            for queue in place.below():
                if queue.packets:
                    times += self.ready_times(place, queue.packets[0].size)
        return min(time for time in times if time > now)


class Bands(Tree):
    """Strict priority, guarantees, excess; within a band the child that got least."""

    def __init__(self, where, queues, sizes):
        super().__init__(where, queues, sizes)
        self.band = None
        levels = {q.queue.priority for q in queues} | {q.queue.excess_priority for q in queues}
        numbers = {(n, light) for n in levels - {None} for light in (False, True)}
        self.bands = [(kind, number) for kind in range(3) for number in numbers]
        for place in self.places:
            place.turn, place.reached = dict.fromkeys(self.bands, 0), dict.fromkeys(self.bands, 0)

    def changed(self, queue):
        if queue.queue.flows is not None and queue.packets:
            queue.packets.settle()

    def ready_times(self, place, size):
        times = [place.shaper.ready_at(size)] if place.shaper else []
        if place.credit:
            port = self.queues[0].port
            times.append(place.credit.ready_at(port.on_line(size)))
        return times

    def covers(self, place, size, now):
        return place.credit.holds(self.queues[0].port.on_line(size), now)

    def best(self, place, now, guarantees):
        """Band and queue of the packet that would go from below a place, or None."""
        if place.queue:
            return self.of_queue(place, now, guarantees)
        found = self.counted(place, now, guarantees)
        if found and place.shaper and place.shaper.ready_at(found[1].packets[0].size) > now:
            return None
        return found

    def counted(self, place, now, guarantees):
        """The best of the children, by the node's own guarantee where it covers the packet."""
        found = self.of_children(place, now, guarantees)
        counts = found and found[0][0] == WITHIN and place.credit
        if counts and not self.covers(place, found[1].packets[0].size, now):
            found = self.of_children(place, now, False)
        return found

    def next_child(self, place, now):
        found = self.counted(place, now, True)
        return found and next(c for c in place.children if c in self.leaf[id(found[1])].above())

    def of_children(self, place, now, guarantees):
        found = [(child, self.best(child, now, guarantees)) for child in place.children]
        able = [(b[0], self.order(child, *b), i, b) for i, (child, b) in enumerate(found) if b]
        return min(able, key=lambda each: each[:3])[3] if able else None

    def order(self, child, band, queue):
        """What a child got so far, or when its packet came where that is the order."""
        in_order = band[0] == STRICT and band[1][0] < self.where.scheduler.fifo_levels
        return queue.packets[0].arrival if in_order else child.turn[band]

    def of_queue(self, place, now, guarantees):
        queue, made = place.queue, place.made
        if not queue.ready(now):
            return None
        if made.priority < self.where.scheduler.strict_levels:
            return (STRICT, (made.priority, False)), queue
        if guarantees and place.credit and self.covers(place, queue.packets[0].size, now):
            return (WITHIN, (made.priority, False)), queue
        excess = made.priority if made.excess_priority is None else made.excess_priority
        return (BEYOND, (excess, made.weight == 0)), queue

    def choose(self, now):
        found = self.best(self.root, now, True)
        if found is None:
            return None
        self.band = found[0]
        return found[1]

    def values(self):
        return [float(self.leaf[id(queue)].turn[self.band]) / PS for queue in self.queues]

    def guaranteed(self):
        return self.band[0] == WITHIN

    def pays(self):
        return {"strict": self.band[0] == STRICT}

    def served(self, queue, packet, now):
        service_ps = floor_ps(queue.service(packet.size))
        for place in self.leaf[id(queue)].above():
            if not place.queue and place.shaper:
                place.shaper.take(packet.size, now)
            self.take_credit(place, queue.port.on_line(packet.size), now)
            if place.parent:
                had, reached = place.turn[self.band], place.parent.reached
                reached[self.band] = max(reached[self.band], had)
                place.turn[self.band] = had + max(int(service_ps * self.share(place)), 1)

    def take_credit(self, place, size, now):
        strict = self.band[0] == STRICT and not place.queue
        if place.credit and (self.band[0] == WITHIN or strict):
            place.credit.take(size, now)
            most = now + place.credit.burst_ps + 1
            if floor_ps(place.credit.tat) > most:
                place.credit.tat = most * FINE

    def share(self, place):
        """The largest weight among its siblings over its own, in the band that is served."""
        if self.band[0] == STRICT:
            return 1
        weigh = Place.guarantee if self.band[0] == WITHIN else self.excess_weight
        most = max(map(weigh, place.parent.children))
        return most / weigh(place) if weigh(place) else 1

    def excess_weight(self, place):
        """Nothing where all below it is strict priority."""
        levels = self.where.scheduler.strict_levels
        takes = any(queue.queue.priority >= levels for queue in place.below())
        return place.made.weight if takes else 0

    def filled(self, queue):
        for place in self.leaf[id(queue)].above()[:-1]:
            for band in self.bands:
                place.turn[band] = max(place.turn[band], place.parent.reached[band])
            if any(each.packets for each in place.parent.below() if each is not queue):
                return


class Htb(Tree):
    """sch_htb.c: the deepest lender, then the lowest prio, then in turn, by deficits."""

    def __init__(self, where, queues, sizes):
        super().__init__(where, queues, sizes)
        inner = [place for place in self.places if not place.queue]
        deepest = max(len(place.above()) for place in inner)
        for place in self.places:
            place.level = 0 if place.queue else deepest - len(place.above()) + 1
        self.levels = [[] for _ in range(deepest + 1)]
        self.list_levels(self.root)
        self.at = {}
        self.deficit = {(id(q), n): 0 for q in queues for n in range(deepest + 1)}
        self.lender = None

    def list_levels(self, place):
        self.levels[place.level].append(place)
        for child in place.children:
            self.list_levels(child)

    def ready_times(self, place, size):
        buckets = [bucket for bucket in (place.shaper, place.credit) if bucket]
        return [floor_ps(bucket.tat) - bucket.burst_ps for bucket in buckets]

    def has(self, bucket, now):
        return floor_ps(bucket.tat) - bucket.burst_ps <= now

    def held(self, place, now):
        return place.shaper is not None and not self.has(place.shaper, now)

    def within(self, place, now):
        return place.credit is not None and self.has(place.credit, now)

    def wanted(self, place, now):
        """The lowest prio that would go through a place, or None."""
        if place.queue:
            return place.made.priority if place.queue.packets else None
        asking = [self.borrows(child, now) for child in place.children]
        return min((prio for prio in asking if prio is not None), default=None)

    def borrows(self, place, now):
        stays = self.held(place, now) or self.within(place, now)
        return None if stays else self.wanted(place, now)

    def lends(self, place, now):
        able = self.within(place, now) and not self.held(place, now)
        return self.wanted(place, now) if able else None

    def in_turn(self, places, asks, where, prio, now):
        """The first from its turn on that asks at this prio."""
        at = self.at.get((id(where), prio), 0)
        able = [i for i, place in enumerate(places) if asks(place, now) == prio]
        return places[next((i for i in able if i >= at), able[0])]

    def next_child(self, place, now):
        prio = self.wanted(place, now)
        return (
            None if prio is None else self.in_turn(place.children, self.borrows, place, prio, now)
        )

    def choose(self, now):
        for level in self.levels:
            able = [prio for p in level if (prio := self.lends(p, now)) is not None]
            if able:
                prio = min(able)
                place = self.lender = self.in_turn(level, self.lends, level, prio, now)
                while not place.queue:
                    place = self.in_turn(place.children, self.borrows, place, prio, now)
                return place.queue
        return None

    def values(self):
        return [self.deficit[id(queue), self.lender.level] for queue in self.queues]

    def guaranteed(self):
        return self.lender.queue is not None

    def pays(self):
        return {"lender": self.ordered.index(self.lender)}

    def served(self, queue, packet, now):
        leaf, level, mine = self.leaf[id(queue)], self.lender.level, self.levels[self.lender.level]
        prio, way = leaf.made.priority, leaf.above()
        way_down = way[: way.index(self.lender)]
        for place in way_down:
            self.at[id(place.parent), prio] = place.parent.children.index(place)
        self.at[id(mine), prio] = mine.index(self.lender)
        self.deficit[id(queue), level] -= packet.size
        if self.deficit[id(queue), level] < 0:
            self.deficit[id(queue), level] += leaf.made.quantum_bytes
            self.next_turn(way_down, prio, mine, now)
        for place in way[1:]:
            self.take(place.shaper, queue.port.on_line(packet.size), now)
        for place in way[way.index(self.lender) :]:
            self.take(place.credit, queue.port.on_line(packet.size), now)

    def next_turn(self, way_down, prio, lenders, now):
        for place in way_down:
            siblings = place.parent.children
            after = range(siblings.index(place) + 1, len(siblings))
            then = next((i for i in after if self.borrows(siblings[i], now) == prio), None)
            self.at[id(place.parent), prio] = then or 0
            if then is not None:
                return
        self.at[id(lenders), prio] = lenders.index(self.lender) + 1

    def take(self, bucket, size, now):
        if bucket:
            bucket.take(size, now)
            most = now + bucket.burst_ps + MINUTE_PS
            if floor_ps(bucket.tat) > most:
                bucket.tat = most * FINE

    def filled(self, queue):
        """A class that wakes up has no turn saved."""


def tree(where, queues, sizes):
    kind = Htb if isinstance(where.scheduler, HierarchicalTokenBucket) else Bands
    return kind(where, queues, sizes)
