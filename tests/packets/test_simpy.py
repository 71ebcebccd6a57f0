"""SimPy, a simulator not ours, sees the same arrivals and lets every packet go at the same time."""

import itertools

import numpy as np
import pytest
import simpy

from outcomes import outcomes, picoseconds
from qoslib import port as p
from qoslib.traffic import Cbr, OnOff, Poisson, Stream, TickedBursts, imix

#: On a line of 1 Gb/s a byte takes 8 ns, so that every time is a whole number of picoseconds.
LINE_BPS, BYTE_PS = 1e9, 8000
LIMITS, QUANTA = (100_000, 20), (1500, 3000, 4500)


class Line:
    """Who waits in which queue, and when each packet left; `None` where it was dropped."""

    def __init__(self, env, limit):
        self.env, self.limit = env, limit
        self.waiting = [0] * len(QUANTA)
        self.left = []

    def admits(self, queue):
        """Whether there is room: note a packet that waits, or one that is dropped."""
        room = self.waiting[queue] < self.limit
        self.waiting[queue] += room
        self.left.append(None)
        return room

    def send(self, key, queue, size):
        self.waiting[queue] -= 1
        yield self.env.timeout(BYTE_PS * size)
        self.left[key] = self.env.now


class FirstCome(Line):
    """A resource that serves whoever asked first."""

    def __init__(self, env, limit):
        super().__init__(env, limit)
        self.resource = simpy.Resource(env)

    def arrives(self, key, queue, size):
        self.env.process(self.waits(self.resource.request(), key, queue, size))

    def waits(self, request, key, queue, size):
        with request as turn:
            yield turn
            yield from self.send(key, queue, size)


class ByPriority(FirstCome):
    """A resource that serves the lowest priority number first, and interrupts nobody."""

    def __init__(self, env, limit):
        super().__init__(env, limit)
        self.resource = simpy.PriorityResource(env)

    def arrives(self, key, queue, size):
        self.env.process(self.waits(self.resource.request(queue), key, queue, size))


class RoundRobin(Line):
    """Deficit round robin as its authors print it: visit, add the quantum, send what it covers."""

    def __init__(self, env, limit):
        super().__init__(env, limit)
        self.queues = [[] for _ in QUANTA]
        self.bell = simpy.Store(env)
        env.process(self.serves())

    def arrives(self, key, queue, size):
        self.queues[queue].append((key, size))
        self.bell.put(key)

    def serves(self):
        deficits = [0] * len(QUANTA)
        for i in itertools.cycle(range(len(QUANTA))):
            while not any(self.queues):
                yield self.bell.get()
            if self.queues[i]:
                deficits[i] += QUANTA[i]
            while self.queues[i] and self.queues[i][0][1] <= deficits[i]:
                key, size = self.queues[i].pop(0)
                deficits[i] = deficits[i] - size if self.queues[i] else 0
                yield from self.send(key, i, size)


DISCIPLINES = {"fifo": p.Fifo(), "strict": p.StrictPriority(), "round robin": p.DeficitRoundRobin()}
LINES = {"fifo": FirstCome, "strict": ByPriority, "round robin": RoundRobin}


def port_of(scheduler, limit):
    queues = tuple(
        p.Queue(name, p.PacketLimit(limit), priority=i, quantum_bytes=QUANTA[i])
        for i, name in enumerate("abc")
    )
    if isinstance(scheduler, p.Fifo):
        queues = (p.Queue("all", p.PacketLimit(limit)),)
    return p.Port("line", LINE_BPS, queues, scheduler)


#: How three streams send for 10 ms, each by a link of 9.7 Gb/s (10 would make arrivals
#: and departures meet); then what waits drains.
TRAFFIC = {
    "poisson": [(0.32e9, imix(), Poisson())] * 3,
    "bursts": [
        (0.3e9, 700, OnOff(1e-4, 3e-4)),
        (0.3e9, imix(), TickedBursts(1.01e-3)),
        (0.3e9, 1500, Cbr(3e-6)),
    ],
    "too much": [(0.2e9, imix(), Poisson()), (0.9e9, 333, Poisson()), (0.9e9, imix(), Cbr())],
}


def streams_of(traffic):
    return [
        Stream(name, *how, jitter_s=1e-5, stop_s=0.01, access_bps=9.7e9)
        for name, how in zip("abc", TRAFFIC[traffic], strict=True)
    ]


def departures(make, limit, arrivals):
    """Let SimPy run: when each arrival of (time, queue, size) left, None if dropped."""
    env = simpy.Environment()
    line = make(env, limit)

    def source():
        for key, (time, queue, size) in enumerate(arrivals):
            yield env.timeout(time - env.now)
            if line.admits(queue):
                line.arrives(key, queue, size)

    env.process(source())
    env.run()
    return line.left


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("traffic", TRAFFIC)
@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_every_packet_leaves_when_simpy_says(discipline, traffic, limit, seed):
    port, streams = port_of(DISCIPLINES[discipline], limit), streams_of(traffic)
    seen = outcomes(port, streams, 0.2, seed=seed)
    assert seen.result.packets.queued.sum() == 0
    trace = seen.result.trace
    order = np.lexsort((trace.stream, trace.arrival_s))
    times = picoseconds(trace.arrival_s[order]).tolist()
    assert len(times) == seen.result.packets.offered.sum() > 1000
    assert not set(times) & set(seen.departure.tolist()), "an arrival as another leaves: a tie"
    queue_of = np.array([port.queue_of(stream) for stream in streams])
    queues = queue_of[trace.stream[order]].tolist()
    arrivals = list(zip(times, queues, trace.frame_bytes[order].tolist(), strict=True))
    sent = picoseconds(np.nan_to_num(trace.departure_s[order])).tolist()
    assert departures(LINES[discipline], limit, arrivals) == [at or None for at in sent]
    assert (0 in sent) == (limit < 100_000)
