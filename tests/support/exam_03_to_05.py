"""What stands in the exam's answers on lessons 03 to 05: text by text, and its value."""

import re

import numpy as np
import pytest

from exam_00_to_02 import at, gbps, lost_percent, mbps, ms, of, us
from qoslib import (
    DeficitRoundRobin,
    Forwarder,
    PacketLimit,
    Port,
    Queue,
    Stream,
    StrictPriority,
    fluid,
    measurements,
    packets,
    units,
)
from qoslib.fluid.drr import round_s
from qoslib.port import ModifiedDrr
from qoslib.traffic import FrameMix


def round_robin(scheduler, line_mbps, *quanta):
    queues = tuple(Queue(str(n), PacketLimit(999), quantum_bytes=q) for n, q in enumerate(quanta))
    return Port("x", units.mbps(line_mbps), queues, scheduler)


@of(13)
def shares_and_turns():
    def rates(port):
        streams = (Stream(queue.name, units.mbps(99), 1500) for queue in port.queues)
        return mbps(units.rate_bps(at(port, *streams).sent_pps, 1500))

    ports = [round_robin(DeficitRoundRobin(), 100, 3000 * n, 6000 * n, 1500 * n) for n in (1, 10)]
    first, _ = sent = [rates(port) for port in ports]
    assert np.allclose(*sent)
    one_s, ten_s = (round_s(port, units.mbps(100)) for port in ports)
    wait_s = units.serialisation_s(9000, units.mbps(100))
    return {
        "28.6": first[0],
        "57.1": first[1],
        "14.3 Mb/s": first[2],
        "10,500 bytes": 3000 + 6000 + 1500,
        "840 µs": us(one_s),
        "9,000 bytes": 3000 + 6000,
        "720 µs": us(wait_s),
        "8.4 ms": ms(ten_s),
        "7.2 ms": ms(10 * wait_s),
    }


@of(14)
def save_or_overdraw():
    def turns(scheduler):
        """Packets that the second queue sends per turn; the first finds an idle port."""
        port = round_robin(scheduler, 10, 1000, 1000)
        load = [Stream(name, units.mbps(20), 700) for name in "01"]
        trace = packets.simulate(port, load, 0.05, trace_packets=200).trace
        sent = trace.departure_s > 0
        order = np.argsort(trace.departure_s[sent], kind="stable")
        text = "".join(str(n) for n in trace.stream[sent][order])
        return [len(turn) for turn in re.findall("1+", text)]

    saved, overdrawn = turns(DeficitRoundRobin()), turns(ModifiedDrr())
    assert saved[:3] == [1, 1, 2]
    assert overdrawn[:3] == [2, 1, 2]
    assert np.mean(saved[:14]) == pytest.approx(np.mean(overdrawn[:14]), abs=0.08)
    accounts = np.cumsum([1000 - 700 * n for n in saved[:3]])
    overdrafts = -np.cumsum([1000 - 700 * n for n in overdrawn[:3]])
    texts = ("300,", "600 and", "200 bytes", "400,", "100 and", "500 bytes")
    return {
        "1, 1 and": saved[0],
        "2, 1 and": overdrawn[0],
        **dict(zip(texts, (*accounts, *overdrafts), strict=True)),
        "1.43 packets": 1000 / 700,
    }


@of(15)
def an_empty_queue():
    def delay_ms(ring):
        queues = (Queue("voice", PacketLimit(50)), Queue("data", PacketLimit(200), priority=1))
        port = Port("x", units.mbps(10), queues, StrictPriority(), overhead_bytes=20)
        port = port.replace(transmit_ring_packets=ring)
        voice = Stream("voice", units.rate_bps(50, 200), 200)
        load = (voice, Stream("data", units.mbps(20), 1518))
        return ms(at(port, *load, model="packets", duration_s=20, warmup_s=2)["voice"].delay_mean_s)

    frame_ms = ms(units.serialisation_s(1518, units.mbps(10), 20))
    return {
        "76 ms whenever": delay_ms(64),
        "1.23 ms": frame_ms,
        "62 frames": 76 / frame_ms,
        "3.3 ms": delay_ms(2),
        "2.5 to": 2 * frame_ms,
        "3.7 ms": 3 * frame_ms,
    }


@of(16)
def a_share_that_carries_more():
    def third_mbps(quantum):
        port = round_robin(DeficitRoundRobin(), 950, 5_000, 94_000, quantum)
        load = (Stream(str(n), units.mbps(rate)) for n, rate in enumerate((20, 1500, 30)))
        return mbps(units.rate_bps(at(port, *load).sent_pps[2], 1000))

    assert third_mbps(3_133) == pytest.approx(30, abs=0.01)
    mine = third_mbps(1_000)
    return {
        "930 Mb/s": 950 - 20,
        "95,": (94_000 + 1_000) / 1_000,
        "9.8 Mb/s": mine,
        "3,133 bytes": 94_000 * 30 / (930 - 30),
        "2.2 %": units.convert((30 - mine) / (930 - mine), "1", "%"),
    }


@of(17)
def a_dropper_that_rarely_looks():
    grows, shrinks = units.gbps(4.0 - 2.4), units.gbps(2.4 - 0.5)
    more = units.rate_pps(grows, 1000) * units.us(300)
    return {
        "1.6 Gb/s": gbps(grows),
        "60 packets": more,
        "1.9 Gb/s": gbps(shrinks),
        "62 packets": more + 2,
        "261 µs": us((more + 2) / units.rate_pps(shrinks, 1000)),
        "253 µs if": us(more / units.rate_pps(shrinks, 1000)),
    }


@of(18)
def packets_per_second():
    engine = Forwarder("engine", Queue("in", PacketLimit(100)), 1 / 4.2e6)
    lines_bps = 2 * units.gbps(10)

    def forwarded(frame, mean_bytes):
        pps = units.rate_pps(lines_bps, mean_bytes + 20)
        return at(engine, Stream("s", units.rate_bps(pps, mean_bytes), frame))

    small = forwarded(64, 64).sent_pps[0]
    mixed = forwarded(FrameMix((64, 1518), (0.5, 0.5)), 791)
    assert lost_percent(mixed)[0] == pytest.approx(0)
    return {
        "84 bytes": 64 + 20,
        "2.82 Gb/s": gbps(units.rate_bps(small, 84)),
        "2.15 Gb/s": gbps(units.rate_bps(small, 64)),
        "20 Gb/s divided": 10 + 10,
        "595 bytes": units.octets(lines_bps) / 4.2e6,
        "575 bytes": fluid.knee_bytes(engine, lines_bps, 20),
        "791 bytes": (64 + 1518) / 2,
        "811 on": 791 + 20,
        "3.08 million": units.convert(mixed.sent_pps[0], "packets/s", "Mpackets/s"),
        "73 %": units.convert(mixed.sent_pps[0] / 4.2e6, "1", "%"),
    }


@of(19)
def two_counters():
    rows = measurements.load("mx150_counters").query("experiment == 'before_fix'")
    seen = rows.set_index("quantity")["value"]
    accepted = seen["input_bytes"] / seen["input_packets"]
    received = seen["mac_received_octets"] / seen["mac_received_packets"]
    return {
        "9,949,048,500 input bytes": seen["input_bytes"],
        "165,817,475 input packets": seen["input_packets"],
        "63,999,999,936 octets": seen["mac_received_octets"],
        "999,999,999 packets": seen["mac_received_packets"],
        "60 bytes": accepted,
        "64, the": received,
        "4 bytes": received - accepted,
        "20 bytes": 8 + 12,
        "84 bytes": 64 + 20,
        "1.4.": (received + 20) / accepted,
    }


@of(20)
def pause_lost_nothing():
    stop_s = units.serialisation_s(units.octets(65_535 * 512), units.gbps(10))
    frames_s = units.serialisation_s(200_000_000 * 84, units.gbps(10))
    return {
        "140 million": 200 - 60,
        "3.36 ms": ms(stop_s),
        "13.4 s": frames_s,
        "46.6 s": 60 - frames_s,
        "93 µs": us((60 - frames_s) / 500_000),
    }
