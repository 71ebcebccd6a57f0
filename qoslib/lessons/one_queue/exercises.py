"""Exercises of lesson 00: one queue."""

from qoslib import fluid, measurements, packets, units
from qoslib.lessons.exercise import edge, read
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Poisson, Stream

__all__ = ["EXERCISES"]

#: What Ethernet adds to a frame with its check sequence: preamble and gap [B].
PREAMBLE_AND_GAP_BYTES = 20
#: The same for a frame counted without its check sequence [B].
ON_THE_LINE_BYTES = 24
FRAME_BYTES = 1490
#: Simulated time of the packet model: long enough for a mean within two per cent or so [s].
SIMULATED_S = 120.0


def _line(buffer_packets):
    queue = Queue("all", PacketLimit(buffer_packets))
    return Port("line", units.mbps(100), (queue,), overhead_bytes=ON_THE_LINE_BYTES)


def _ms(delay_s):
    return units.convert(float(delay_s[0]), "s", "ms")


def serialisation(frame, line):
    """Time of a frame [B] on a line [Gb/s], in nanoseconds."""
    expected, bare = (
        units.convert(units.serialisation_s(frame, units.gbps(line), extra), "s", "ns")
        for extra in (PREAMBLE_AND_GAP_BYTES, 0)
    )
    return expected, {"bare": bare, "octets": units.octets(expected)}


def largest_buffer(answer, most):
    """The largest buffer whose delay stays at or below so many ms, in packets."""
    stream = Stream("all", units.mbps(150), FRAME_BYTES)
    delay, larger = (
        _ms(fluid.solve(_line(int(answer) + more), [stream]).delay_mean_s) for more in (0, 1)
    )
    return edge(delay <= most, larger <= most, delay=delay)


def highest_load(answer, most):
    """The highest load at which random packets take at most so many ms on average, in per cent."""
    delay, larger = (_random_ms(answer + more) for more in (0, 2))
    return edge(delay <= 1.05 * most, larger <= 1.05 * most, delay=delay)


def _random_ms(percent):
    """Mean delay of packets that come at random at this load [ms]."""
    port = _line(512)
    pps = units.rate_pps(port.rate_bps, FRAME_BYTES + ON_THE_LINE_BYTES)
    rate_bps = units.convert(percent, "%", "1") * units.rate_bps(pps, FRAME_BYTES)
    stream = Stream("all", rate_bps, FRAME_BYTES, Poisson())
    return _ms(packets.simulate(port, [stream], SIMULATED_S, seed=1, bins=1).delay_mean_s)


def held():
    """How many packets the queue still held when the sender stopped."""
    seen = measurements.load("isr4331_iperf3").query("experiment == 'unmarked_alone'")
    value = seen.groupby("quantity")["value"].last()
    received = value["numbered_packets"] - value["dropped_packets"]
    on_line = FRAME_BYTES + ON_THE_LINE_BYTES
    carried = value["sender_duration"] * units.rate_pps(units.mbps(100), on_line)
    return received - carried, {"none_sent": received, "dropped": value["dropped_packets"]}


def own(answer):
    """A line of one's own, overloaded, whose full buffer costs between 5 and 50 ms."""
    port, streams = answer
    if len(port.queues) != 1:
        return "queues", {"queues": len(port.queues)}
    result = fluid.solve(port, streams)
    lost = 1 - result.sent_bps.sum() / max(result.offered_bps.sum(), 1)
    if lost <= 0:
        return "idle", {}
    delay_ms = units.convert(float(max(result.delay_mean_s)), "s", "ms")
    values = {"lost": lost, "delay": delay_ms, "side": "Less" if delay_ms > 50 else "More"}
    return ("right" if 5 <= delay_ms <= 50 else "delay"), values


EXERCISES = read(__file__, serialisation, largest_buffer, highest_load, held, own)
