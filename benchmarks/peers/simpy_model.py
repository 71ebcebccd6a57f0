"""The workloads in SimPy with plain callbacks: every rule is the user's own code.

It reads a description on standard input (`benchmarks.workloads.described`) and prints results.
An event is a `Timeout` with a callback, which is the fastest way SimPy has; a process (a
generator) for each sender and for the line takes about twice as long.
"""

import json
import random
import sys
from collections import deque
from time import process_time

import simpy


class Sender:
    """Constant or Poisson spacing, one frame size or a mix."""

    def __init__(self, env, stream, line, index, seed):
        self.env, self.line, self.index = env, line, index
        self.draws = random.Random(f"{seed} {index}")
        self.gap_s, self.poisson = stream["gap_s"], stream["poisson"]
        self.sizes, self.shares = stream["sizes_bytes"], stream["shares"]
        self.sent = 0
        self.phase_s = stream["phase_s"]
        first_s = self.draws.expovariate(1 / self.gap_s) if self.poisson else self.phase_s
        self.env.timeout(first_s).callbacks.append(self.send)

    def send(self, event):
        self.sent += 1
        if self.poisson:
            wait_s = self.draws.expovariate(1 / self.gap_s)
        else:
            wait_s = self.phase_s + self.sent * self.gap_s - self.env.now
        self.env.timeout(wait_s).callbacks.append(self.send)
        size = self.sizes[0]
        if len(self.sizes) > 1:
            size = self.draws.choices(self.sizes, self.shares)[0]
        self.line.arrive(self.index, size)


class Queue:
    """Tail drop, or RED on an average of its length."""

    def __init__(self, queue, bit_s):
        self.packets = deque()
        self.limit = queue["limit_packets"]
        self.quantum, self.deficit, self.visited = queue["quantum_bytes"], 0, False
        self.red, self.weight = queue["red"], 2.0 ** -queue["red_exponent"]
        self.average, self.idle_since_s, self.bit_s = 0.0, 0.0, bit_s

    def drops_early(self, size, now_s, draws):
        if not self.packets:
            idle = (now_s - self.idle_since_s) // (size * self.bit_s * 8)
            self.average *= (1 - self.weight) ** idle
        self.average += (len(self.packets) - self.average) * self.weight
        low, high = self.red
        return draws.random() * (high - low) < self.average - low


class Line:
    """The scheduler and the wire, with counts and latencies by stream."""

    def __init__(self, env, port, queue_class):
        self.env, self.bit_s = env, 1 / port["rate_bps"]
        self.queues = [queue_class(queue, self.bit_s) for queue in port["queues"]]
        self.draws = random.Random(port["seed"])
        self.choose = getattr(self, port["scheduler"])
        self.busy, self.at, self.waiting = False, 0, 0
        self.fast = 0 if port["scheduler"] == "ModifiedDrr" else -1
        self.offered, self.sent, self.dropped = ([0] * len(self.queues) for _ in range(3))
        self.latency_s = [0.0] * len(self.queues)

    def arrive(self, index, size):
        queue, now_s = self.queues[index], self.env.now
        self.offered[index] += 1
        early = queue.red and queue.drops_early(size, now_s, self.draws)
        if early or len(queue.packets) >= queue.limit:
            self.dropped[index] += 1
            return
        queue.packets.append((now_s, size))
        self.waiting += 1
        if not self.busy:
            self.serve()

    def serve(self, event=None):
        self.busy = self.waiting > 0
        if not self.busy:
            return
        index = self.choose()
        queue = self.queues[index]
        arrival_s, size = queue.packets.popleft()
        self.waiting -= 1
        if index != self.fast:
            queue.deficit -= size
        self.taken(index, queue)
        done = self.env.timeout(size * 8 * self.bit_s, (index, arrival_s))
        done.callbacks += (self.gone, self.serve)

    def taken(self, index, queue):
        """A queue left empty is idle, and its visit ends."""
        if not queue.packets:
            queue.deficit, queue.idle_since_s = 0, self.env.now
            if self.at == index:
                self.move_on(queue)

    def gone(self, event):
        index, arrival_s = event.value
        self.sent[index] += 1
        self.latency_s[index] += self.env.now - arrival_s

    def move_on(self, queue):
        queue.visited = False
        self.at = (self.at + 1) % len(self.queues)

    def Fifo(self):
        return 0

    def StrictPriority(self):
        return next(i for i, queue in enumerate(self.queues) if queue.packets)

    def DeficitRoundRobin(self):
        return self.rounds(lambda queue: queue.packets[0][1] <= queue.deficit)

    def ModifiedDrr(self):
        if self.queues[0].packets:
            return 0
        return self.rounds(lambda queue: queue.deficit > 0)

    def rounds(self, may_send):
        while True:
            queue = self.queues[self.at]
            if queue.packets and self.at != self.fast:
                if not queue.visited:
                    queue.deficit, queue.visited = queue.deficit + queue.quantum, True
                if may_send(queue):
                    return self.at
            self.move_on(queue)


def simulate(port, queue_class=Queue, line_class=Line):
    """Run it: seconds of the simulation phase, counts, and mean latencies."""
    env = simpy.Environment()
    line = line_class(env, port, queue_class)
    for index, stream in enumerate(port["streams"]):
        Sender(env, stream, line, index, port["seed"])
    began_s = process_time()
    env.run(until=port["duration_s"])
    took_s = process_time() - began_s
    means_s = [total / max(n, 1) for total, n in zip(line.latency_s, line.sent, strict=True)]
    counts = {"offered": line.offered, "sent": line.sent}
    return {"simulation_s": took_s, **counts, "delay_mean_s": means_s}


if __name__ == "__main__":
    print(json.dumps(simulate(json.load(sys.stdin))))
