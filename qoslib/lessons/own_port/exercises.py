"""Exercises of lesson 13: a port of one's own."""

from qoslib import fluid, packets, units
from qoslib.lessons.exercise import edge, read
from qoslib.port import PacketLimit, Port, Queue, StrictPriority
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

__all__ = ["EXERCISES"]

LINE = 100.0
#: A full frame, and what Ethernet adds to it on the line [B].
FULL_BYTES, ADDED_BYTES = 1518, 20
#: The most that counts as no loss [ratio], and the most packets that a check simulates.
LOSSLESS, MOST_PACKETS = 1e-3, 400_000


def burst(rate, lasts):
    """Burst of a policer, in kB, that passes a line-rate burst of so many ms on 100 Mb/s."""
    expected, whole = (
        float(units.convert(units.octets(units.mbps(mbps) * units.ms(lasts)), "B", "kB"))
        for mbps in (LINE - rate, LINE)
    )
    return expected, {"whole": whole}


def largest_buffer(answer, most):
    """Largest buffer of a 100 Mb/s line, in full frames, that costs no more than so many ms."""
    costs, larger = (_full_ms(int(answer) + more) for more in (0, 1))
    return edge(costs <= most, larger <= most, delay=costs)


def _full_ms(buffer_packets):
    """Delay through a full buffer [ms]: that of the packets in front, and of the packet itself."""
    queue = Queue("all", PacketLimit(buffer_packets))
    port = Port("line", units.mbps(LINE), (queue,), overhead_bytes=ADDED_BYTES)
    full = Stream("all", 2 * port.rate_bps, FULL_BYTES)
    return units.convert(float(fluid.solve(port, [full]).delay_mean_s[0]), "s", "ms")


def largest_frame(most):
    """Largest frame, in bytes, that keeps another packet from waiting longer than so many µs."""
    on_line = float(units.octets(units.us(most) * units.mbps(LINE)))
    return on_line - ADDED_BYTES, {"on_line": on_line}


def own(answer):
    """A scenario of one's own, overloaded, whose first stream loses nothing in either model."""
    if not isinstance(answer, Scenario):
        return "scenario", {}
    if Scenario.from_json(answer.to_json()) != answer:
        return "saved", {}
    run = _simulated(answer)
    values = {"first": answer.streams[0].name}
    for model, result in (("fluid", fluid.solve(answer.network, answer.streams)), ("packet", run)):
        lost = result.drop_ratio
        values |= {"model": model, "lost": lost[0]}
        if lost.max() <= LOSSLESS:
            return "idle", values
        if lost[0] > LOSSLESS:
            reply, more = _why(answer)
            return reply, values | more
    return "right", {**values, "delay": units.convert(float(run.delay_mean_s[0]), "s", "ms")}


def _simulated(scenario):
    offered = sum(units.rate_pps(s.rate_bps, s.mean_frame_bytes) for s in scenario.streams)
    end_s = min(scenario.duration_s, MOST_PACKETS / max(offered, 1.0))
    return packets.simulate(scenario.network, scenario.streams, end_s, seed=scenario.seed, bins=1)


def _why(scenario):
    """The reply to a first stream that loses packets: at its policer, served first, or neither."""
    port, first = scenario.network, scenario.streams[0]
    if not isinstance(port, Port):
        return "loses", {}
    queue = port.queues[port.queue_of(first)]
    if (policer := queue.policer) is not None:
        open_to_all = (q.replace(policer=None) if q is queue else q for q in port.queues)
        run = _simulated(scenario.replace(network=port.replace(queues=tuple(open_to_all))))
        if run.drop_ratio[0] <= LOSSLESS:
            rate = units.convert(policer.rate_bps, "bit/s", "Mbit/s")
            return "policed", {"rate": rate, "burst": policer.burst_bytes}
    others = [q.priority for q in port.queues if q is not queue]
    urgent = isinstance(port.scheduler, StrictPriority) and queue.priority < min(others, default=0)
    return ("served" if urgent else "loses"), {}


EXERCISES = read(__file__, burst, largest_buffer, largest_frame, own)
