"""Exercises of lesson 00: one queue."""

from typing import Any

from qoslib import fluid, measurements, packets, units
from qoslib.lessons.exercise import (
    Exercise,
    Number,
    Verdict,
    close,
    described,
    number,
    right,
    wrong,
)
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


def _serialisation(answer: Any, frame: float, line: float) -> Verdict:
    """Time of a frame [B] on a line [Gb/s], in nanoseconds."""
    answer = number(answer, "ns")
    expected, bare = (
        units.convert(units.serialisation_s(frame, units.gbps(line), extra), "s", "ns")
        for extra in (PREAMBLE_AND_GAP_BYTES, 0)
    )
    slips = [
        (bare, "without the 20 B that the line adds"),
        (units.octets(expected), "when bytes are taken for bits"),
    ]
    hint = "Time is bits on the line over the line rate; serialisation_s() does it."
    shows = f"So a router has no more than {expected:.3g} ns for a decision about each such packet."
    return close(answer, expected, "ns", hint, shows, slips, within=0.005)


def _buffer(answer: Any, late: float) -> Verdict:
    """The largest buffer whose delay stays at or below so many ms, in packets."""
    answer = number(answer, "packets")
    if answer < 1 or answer != int(answer):
        return wrong(f"{answer:g} is no buffer; give a whole number of packets from 1.")
    delay, larger = (_delay_ms(int(answer) + more) for more in (0, 1))
    if delay > late:
        return wrong(f"a full buffer of {answer:g} packets costs {delay:.4g} ms: too late.")
    if larger <= late:
        return wrong(f"{answer:g} packets cost {delay:.4g} ms: there is room for more.")
    return right(f"{answer:g} packets cost {delay:.4g} ms. A buffer is a promise about delay.")


def _delay_ms(packets):
    queue = Queue("all", PacketLimit(packets))
    port = Port("line", units.mbps(100), (queue,), overhead_bytes=ON_THE_LINE_BYTES)
    stream = Stream("all", units.mbps(150), FRAME_BYTES)
    return units.convert(float(fluid.solve(port, [stream]).delay_mean_s[0]), "s", "ms")


def _load(answer: Any, most: float) -> Verdict:
    """The highest load at which random packets take at most so many ms on average, in per cent."""
    answer = number(answer, "% of the line")
    if answer < 1:
        return wrong(f"at {answer:g} % there is hardly a packet to wait: the load may be higher.")
    if answer > 120:
        return wrong(f"{answer:g} % is more than the line carries: the queue stands full.")
    late, later = (_random_ms(answer + more) for more in (0, 2))
    if late > 1.05 * most:
        return wrong(f"at {answer:.4g} % a packet takes {late:.3g} ms on average: too late.")
    if later <= 1.05 * most:
        return wrong(f"at {answer:.4g} % a packet takes {late:.3g} ms: the load may be higher.")
    return right(
        f"at {answer:.4g} % a packet takes {late:.3g} ms. Theory (M/D/1) says D (1 + r / 2 (1 - r))"
        " for a load r and D for a packet alone; the packet model has never heard of it."
    )


def _random_ms(percent):
    """Mean latency of packets that come at random at this load [ms]."""
    port = Port(
        "line", units.mbps(100), (Queue("all", PacketLimit(512)),), overhead_bytes=ON_THE_LINE_BYTES
    )
    pps = units.rate_pps(port.rate_bps, FRAME_BYTES + ON_THE_LINE_BYTES)
    rate_bps = units.convert(percent, "%", "1") * units.rate_bps(pps, FRAME_BYTES)
    stream = Stream("all", rate_bps, FRAME_BYTES, Poisson())
    latency_s = packets.simulate(port, [stream], SIMULATED_S, seed=1, bins=1).delay_mean_s[0]
    return units.convert(float(latency_s), "s", "ms")


def _held(answer: Any) -> Verdict:
    """How many packets the queue still held when the sender stopped."""
    answer = number(answer, "packets")
    seen = measurements.load("isr4331_iperf3").query("experiment == 'unmarked_alone'")
    value = seen.groupby("quantity")["value"].last()
    received = value["numbered_packets"] - value["dropped_packets"]
    on_line = FRAME_BYTES + ON_THE_LINE_BYTES
    carried = value["sender_duration"] * units.rate_pps(units.mbps(100), on_line)
    slips = [
        (received, "when nothing is sent during the ten seconds"),
        (value["dropped_packets"], "as the packets lost, which were never in the queue"),
    ]
    hint = "Take what arrived in all, less what the line can send in the 10.00 s of the test."
    shows = (
        "So the lesson's 512 packets fit, and a limit of 416 does not. The duration is published to"
        " 0.01 s, which is 41 packets either way, so this cannot give the limit to the packet."
    )
    return close(answer, received - carried, "packets", hint, shows, slips, within=0.01)


def _own(answer: Any) -> Verdict:
    """A line of one's own, overloaded, whose full buffer costs between 5 and 50 ms."""
    port, streams = described(answer)
    if len(port.queues) != 1:
        return wrong(f"your port has {len(port.queues)} queues; this exercise is about one.")
    result = fluid.solve(port, streams)
    lost = 1 - result.sent_bps.sum() / max(result.offered_bps.sum(), 1)
    if lost <= 0:
        return wrong("your line keeps up and loses nothing. Offer more than it carries.")
    delay_ms = units.convert(float(max(result.delay_mean_s)), "s", "ms")
    if not 5 <= delay_ms <= 50:
        side = "Less" if delay_ms > 50 else "More"
        return wrong(f"the full buffer costs {delay_ms:.3g} ms. {side} buffer, please.")
    return right(
        f"your line loses {lost:.1%} of the load, and a full buffer costs {delay_ms:.3g} ms."
    )


EXERCISES = {
    "00.1": Exercise(
        _serialisation,
        "write the bits of frame and overhead down, divide by the bits a second, and count in ns:"
        " a nanosecond at 1 Gb/s is one bit.",
        "How long does an Ethernet frame of {frame} bytes (with its checksum; preamble and gap add"
        " 20) occupy a line of {line} Gb/s, in ns?",
        {"frame": Number(64, 64, 512, 4), "line": Number(10, 10, 101, 10)},
    ),
    "00.2": Exercise(
        _buffer,
        "a packet that gets in waits for those before it, and is then sent itself: one packet of"
        " the time belongs to it.",
        "On the 100 Mb/s line above: how many packets of 1490 bytes may the buffer hold so that the"
        " model's delay is not more than {late} ms?",
        {"late": Number(20, 5, 45, 0.5)},
    ),
    "00.3": Exercise(
        _load,
        "try 80, 90 and 95 % in the explorer, with packets at random, and close in by halves.",
        "Packets of 1490 bytes come at random to the 100 Mb/s line above, with room for 512 of"
        " them. Which load (in % of the line) is the most at which a packet takes no more than"
        " {most} ms on average? Use the explorer, or `packets.simulate`.",
        {"most": Number(1, 0.5, 2, 0.1)},
    ),
    "00.4": Exercise(
        _held,
        "129,472 less 46,396 arrived. The line sends one packet every 121.12 us, so it sent fewer"
        " than that in ten seconds; the others came after.",
    ),
    "00.5": Exercise(
        _own,
        "take Port('mine', units.mbps(50), (Queue('all', PacketLimit(100)),)) and offer it more"
        " than 50 Mb/s; then change the limit.",
    ),
}
