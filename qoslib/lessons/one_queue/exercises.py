"""Exercises of lesson 00: one queue."""

from qoslib import fluid, measurements, packets, units
from qoslib.lessons.exercise import edge, read
from qoslib.lessons.one_queue.scenes import bursts
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream

__all__ = ["EXERCISES"]

#: What Ethernet adds to a frame with its check sequence: preamble and gap [B].
PREAMBLE_AND_GAP_BYTES = 20
#: The same for a frame counted without its check sequence [B].
ON_THE_LINE_BYTES = 24
FRAME_BYTES = 1490
#: The limit of the queue that the lesson's text assumes.
ASSUMED_PACKETS = 512


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


def burst_buffer(answer):
    """The smallest buffer that loses nothing of bursts that end, in packets."""
    lost, less = (_lost_in_bursts(room) for room in (int(answer), int(answer / 1.03)))
    return edge(lost == 0, less == 0, lost=lost)


def _lost_in_bursts(room):
    """Share of the packets that is dropped where the port has room for so many."""
    scenario = bursts()
    queue = scenario.only_port.queues[0].replace(limit=PacketLimit(max(room, 1)))
    port = scenario.only_port.replace(queues=(queue,))
    counted = packets.simulate(port, scenario.streams, scenario.duration_s, bins=1)
    return float(counted.drop_ratio[0])


def held():
    """How many packets the queue still held when the sender stopped."""
    seen = [row for row in measurements.rows("isr4331_iperf3") if row.is_known]
    value = {row.quantity: row.value for row in seen if row.experiment == "unmarked_alone"}
    received = value["numbered_packets"] - value["dropped_packets"]
    on_line = FRAME_BYTES + ON_THE_LINE_BYTES
    carried = value["sender_duration"] * units.rate_pps(units.mbps(100), on_line)
    slips = {"none_sent": received, "dropped": value["dropped_packets"], "assumed": ASSUMED_PACKETS}
    return received - carried, slips


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


EXERCISES = read(__file__, serialisation, largest_buffer, burst_buffer, held, own)
