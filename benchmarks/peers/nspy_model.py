"""The workloads in ns.py: generators, a port or scheduler, a sink.

It reads a description on standard input (`benchmarks.workloads.described`) and prints results.
ns.py has a FIFO port with a limit, strict priority and deficit round robin without one, and RED
in a FIFO port only: `Limited` below adds a limit to its schedulers. Its generator stamps a packet
one inter-arrival time before it is sent, which the sink counts as waiting: `Sender` stamps it when
it is sent.
"""

import json
import random
import sys
from itertools import chain, repeat
from time import process_time

import simpy
from ns.packet.dist_generator import DistPacketGenerator
from ns.packet.sink import PacketSink
from ns.port.port import Port
from ns.scheduler.drr import DRRServer
from ns.scheduler.sp import SPServer


class Sender:
    """Between the generator and the port: the packet's time is the time it is sent."""

    def __init__(self, env, out, offered):
        self.env, self.out, self.offered = env, out, offered

    def put(self, packet):
        packet.time = self.env.now
        self.offered[packet.flow_id] += 1
        self.out.put(packet)


class Limited:
    """In front of a scheduler: a packet that finds its queue full is dropped."""

    def __init__(self, server, limits, waiting):
        self.server, self.limits, self.waiting = server, limits, waiting

    def put(self, packet):
        served = self.server.packet_in_service()
        in_service = served is not None and served.flow_id == packet.flow_id
        if self.waiting[packet.flow_id] - in_service < self.limits[packet.flow_id]:
            self.server.put(packet)


def server_of(env, port):
    """The scheduler, and what stands in front of it."""
    queues, rate_bps = port["queues"], port["rate_bps"]
    if port["scheduler"] == "Fifo":
        server = Port(env, rate_bps, qlimit=queues[0]["limit_packets"])
        return server, server
    limits = [queue["limit_packets"] for queue in queues]
    if port["scheduler"] == "StrictPriority":
        priorities = {i: len(queues) - queue["priority"] for i, queue in enumerate(queues)}
        server = SPServer(env, rate_bps, priorities)
        by_flow = {i: priorities[i] for i in priorities}
        waiting = _Renamed(server.prio_queue_count, by_flow)
        return server, Limited(server, limits, waiting)
    smallest = min(queue["quantum_bytes"] for queue in queues)
    server = DRRServer(env, rate_bps, [queue["quantum_bytes"] / smallest for queue in queues])
    server.quantum = {i: queue["quantum_bytes"] for i, queue in enumerate(queues)}
    return server, Limited(server, limits, server.flow_queue_count)


class _Renamed:
    """A queue's count by flow, where the server keeps it by priority."""

    def __init__(self, counts, names):
        self.counts, self.names = counts, names

    def __getitem__(self, flow):
        return self.counts[self.names[flow]]


def generator(env, stream, index, seed):
    """A stream's generator; it waits for a gap before its first packet too, so that gap is 0."""
    draws, gap_s = random.Random(f"{seed} {index}"), stream["gap_s"]
    sizes, shares = stream["sizes_bytes"], stream["shares"]

    gaps_s = chain([0.0], repeat(gap_s))

    def gap():
        return draws.expovariate(1 / gap_s) if stream["poisson"] else next(gaps_s)

    def size():
        return draws.choices(sizes, shares)[0] if len(sizes) > 1 else sizes[0]

    return DistPacketGenerator(env, index, gap, size, stream["phase_s"], flow_id=index)


def simulate(port, stamped=True):
    """Run it: seconds of the simulation phase, counts, and mean latencies."""
    env = simpy.Environment()
    sink = PacketSink(env)
    server, front = server_of(env, port)
    server.out = sink
    offered = [0] * len(port["streams"])
    for index, stream in enumerate(port["streams"]):
        source = generator(env, stream, index, port["seed"])
        source.out = Sender(env, front, offered) if stamped else front
    began_s = process_time()
    env.run(until=port["duration_s"])
    took_s = process_time() - began_s
    flows = range(len(offered))
    sent = [sink.packets_received[flow] for flow in flows]
    means_s = [sum(sink.waits[flow]) / max(sent[flow], 1) for flow in flows]
    return {"simulation_s": took_s, "offered": offered, "sent": sent, "delay_mean_s": means_s}


if __name__ == "__main__":
    print(json.dumps(simulate(json.load(sys.stdin), "unstamped" not in sys.argv)))
