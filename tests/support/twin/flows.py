"""A queue that keeps flows apart: lists of lists, as RFC 8290 tells it."""

from collections import deque

from qoslib.port import ByteLimit, Codel, PacketLimit
from twin.clock import whole_ps
from twin.draws import WORD, Draws
from twin.droppers import early


def mixed(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def scrambled(key, number):
    golden = 0x9E3779B97F4A7C15
    return mixed(mixed((key + golden) % WORD) ^ (number * golden % WORD))


class Row:
    """One flow's queue."""

    def __init__(self, number, codel):
        self.number, self.packets, self.deficit, self.codel = number, deque(), 0, codel
        self.owner = self.source = self.destination = None

    @property
    def bytes(self):
        return sum(packet.size for packet in self.packets)


class FlowPackets:
    """All packets of a queue with `FlowQueues`, in place of a list of them.

    Its first one is that which goes next, once `settle` has looked.
    """

    def __init__(self, queue, port, seed, draws):
        self.queue, self.port, self.own, self.seed = queue, port, queue.queue.flows, seed
        self.draws = draws
        self.rows, self.new, self.old, self.chosen = {}, deque(), deque(), None
        #: Rows that are old and hold packets: these count for their hosts.
        self.bulk = set()

    def __len__(self):
        return sum(len(row.packets) for row in self.rows.values())

    def __iter__(self):
        return (packet for row in self.rows.values() for packet in row.packets)

    def __getitem__(self, index):
        assert index == 0, "only the first"
        if self.chosen is None or not self.chosen.packets:
            return next(iter(self))
        return self.chosen.packets[0]

    def row(self, number):
        if number not in self.rows:
            dropper = self.queue.queue.dropper
            codel = early(dropper, self.queue, self.draws) if isinstance(dropper, Codel) else None
            self.rows[number] = Row(number, codel)
        return self.rows[number]

    def flow(self, packet):
        stream = self.port.streams_by_index[packet.stream]
        key, tag = Draws(self.seed, 0, packet.stream).key, packet.sent_first
        if stream.flows == 1:
            return key
        number, life = scrambled(key, tag) % stream.flows, 0
        if stream.flow_s is not None:
            lasts = max(whole_ps(stream.flow_s), stream.flows)
            life = (tag + number * (lasts // stream.flows)) // lasts
        return scrambled((key + number + 1) % WORD, life)

    def place(self, packet, now):
        flow, ways = self.flow(packet), self.own.ways
        epoch = 0
        if self.own.rehash_s is not None:
            epoch = now // max(whole_ps(self.own.rehash_s), 1)
        number = scrambled(self.draws.key ^ flow, epoch) % self.own.queues
        if ways == 1:
            return self.row(number)
        some = [self.row(n) for n in range(number // ways * ways, (number // ways + 1) * ways)]
        mine = [row for row in some if self.listed(row) and row.owner == flow]
        free = [row for row in some if not self.listed(row)]
        row = (mine or free or [self.row(number)])[0]
        row.owner = flow
        return row

    def listed(self, row):
        return row in self.new or row in self.old

    def quantum(self, row):
        of = [each for each in self.bulk if each.source == row.source]
        to = [each for each in self.bulk if each.destination == row.destination]
        share = {
            "flows": 1,
            "source": len(of),
            "destination": len(to),
            "hosts": max(len(of), len(to)),
        }[self.own.isolation]
        return max(self.own.quantum_bytes // max(share, 1), 1)

    def hosts(self, packet):
        stream = self.port.streams_by_index[packet.stream]
        alone = f"of stream {packet.stream}"
        return stream.source or alone, stream.destination or alone

    def refuses(self, packet, now):
        """Whether the flow's own limit, or that of all, refuses it."""
        row, limit = self.place(packet, now), self.own.flow_limit
        if isinstance(limit, PacketLimit) and len(row.packets) >= limit.packets:
            return True
        if isinstance(limit, ByteLimit) and row.bytes + packet.size > limit.limit_bytes:
            return True
        return self.own.overflow == "arriving" and not self.queue.has_room(packet, now)

    def join(self, packet, now):
        row = self.place(packet, now)
        row.packets.append(packet)
        if not self.listed(row):
            row.source, row.destination = self.hosts(packet)
            if not self.own.sparse_first:
                self.bulk.add(row)
            row.deficit = self.quantum(row)
            (self.new if self.own.sparse_first else self.old).append(row)
        elif row in self.old:
            self.bulk.add(row)

    def shed(self):
        """The packets that go, one after the other, each with its place in its flow's queue."""
        by_bytes = self.own.overflow == "fattest"
        size = (lambda row: row.bytes) if by_bytes else (lambda row: len(row.packets))
        row = min(self.rows.values(), key=lambda row: (-size(row), row.number))
        half, lost, lost_bytes = row.bytes / 2, 0, 0
        while lost < (self.own.batch_packets if by_bytes else 1) and (
            lost == 0 or lost_bytes < half
        ):
            head = self.own.drop_at == "head"
            position = 0 if head else len(row.packets) - 1
            packet = row.packets[position]
            del row.packets[position]
            yield packet, position
            lost, lost_bytes = lost + 1, lost_bytes + packet.size
        if by_bytes and row.codel:
            row.codel.count += lost

    def rest(self, row):
        if row.codel:
            row.codel.rest()

    def settle(self):
        while True:
            front = self.new or self.old
            row = front[0]
            if row.deficit <= 0:
                if row.packets:
                    self.bulk.add(row)
                row.deficit += self.quantum(row)
                self.old.append(front.popleft())
            elif row.packets:
                self.chosen = row
                return
            else:
                self.rest(row)
                was_new = front is self.new
                front.popleft()
                if was_new and self.old and not self.own.renews:
                    self.old.append(row)
                else:
                    self.bulk.discard(row)

    def popleft(self):
        """The chosen packet is sent."""
        row = self.chosen
        packet = row.packets.popleft()
        row.deficit -= packet.size
        if not row.packets and not self.own.sparse_first:
            self.rest(row)
            self.old.popleft()
            self.bulk.discard(row)
        return packet

    def lose_first(self):
        """The chosen packet is dropped."""
        row = self.chosen
        packet = row.packets.popleft()
        if not row.packets:
            row.codel.first_above, row.codel.again = None, False
            self.rest(row)
        return packet
