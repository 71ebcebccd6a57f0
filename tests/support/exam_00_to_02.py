"""What stands in the exam's answers on lessons 00 to 02: text by text, and its value."""

import pytest

from qoslib import (
    Cbr,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Scenario,
    Stream,
    StrictPriority,
    TimeLimit,
    run,
    units,
)
from qoslib.port import HeadDrop, PriorityLevels, TailDrop
from qoslib.traffic import Trace

#: Number of a question to a function; it gives the texts and their values.
COMPUTED = {}


def of(question):
    def keep(compute):
        COMPUTED[question] = compute
        return compute

    return keep


def at(port, *streams, model="fluid", **kwargs):
    return run(Scenario("exam", port, streams, **kwargs), model)


def lost_percent(result):
    return units.convert(1 - result.sent_pps / result.offered_pps, "1", "%")


def ms(seconds):
    return units.convert(seconds, "s", "ms")


def us(seconds):
    return units.convert(seconds, "s", "us")


def mbps(rate_bps):
    return units.convert(rate_bps, "bit/s", "Mbit/s")


def gbps(rate_bps):
    return units.convert(rate_bps, "bit/s", "Gbit/s")


def bursts(count, every_s, size, frame_bytes, arrive_bps, overhead_bytes):
    gap_s = units.serialisation_s(frame_bytes, arrive_bps, overhead_bytes)
    times = tuple(n * every_s + i * gap_s for n in range(count) for i in range(size))
    return Stream("bursts", arrivals=Trace(times, (frame_bytes,) * len(times)))


@of(1)
def more_arrives_than_leaves():
    packet_s = units.serialisation_s(1000, units.mbps(50), 20)
    stream = Stream("all", units.mbps(60), 1000)
    small, large = (
        at(Port("x", units.mbps(50), (Queue("q", PacketLimit(n)),), overhead_bytes=20), stream)
        for n in (200, 400)
    )
    assert lost_percent(small) == lost_percent(large)
    return {
        "1,020 bytes": 1000 + 20,
        "163.2 µs": us(packet_s),
        "6,127 packets": small.sent_pps[0],
        "7,500 packets": small.offered_pps[0],
        "18.3 %": lost_percent(small)[0],
        "32.8 ms": ms(small["all"].delay_mean_s),
        "65.4 ms": ms(large["all"].delay_mean_s),
    }


@of(2)
def spaced_in_two_ways():
    port = Port("x", units.gbps(1), (Queue("q", PacketLimit(100)),))
    even = at(port, Stream("all", units.gbps(0.9), 1250), model="packets", duration_s=0.01)
    waits = 0.9 / (2 * (1 - 0.9))
    return {
        "10 µs": us(even["all"].delay_max_s),
        "0.9": 90 / 100,
        "0.1": 1 - 0.9,
        "4.5 packet times": waits,
        "55 µs": 10 * (waits + 1),
    }


@of(3)
def half_lost_at_ten_per_cent():
    load = bursts(10, 0.1, 150, 1518, units.gbps(1), 20)
    runs = {}
    for room in (64, 134, 135):
        queue = Queue("q", PacketLimit(room))
        port = Port("x", units.mbps(100), (queue,), overhead_bytes=20)
        runs[room] = at(port, load, model="packets", duration_s=1)
    lost = {room: result.packets.lost[0] for room, result in runs.items()}
    assert lost[134] > 0 == lost[135]
    sent = runs[64].packets.offered[0] - lost[64]
    return {
        "710 packets": lost[64],
        "1,500 frames": runs[64].packets.offered[0],
        "790 are": sent,
        "9.7 %": units.convert(units.rate_bps(sent, 1538) / units.mbps(100), "1", "%"),
        "1.85 ms": ms(150 * units.serialisation_s(1518, units.gbps(1), 20)),
        "15. ": 150 / 10,
        "71 are": lost[64] / 10,
        "135 packets": 150 - 150 / 10,
        "16.6 ms": ms(runs[135]["bursts"].delay_max_s),
    }


@of(4)
def little():
    return {"20 ms": ms(240 / 12_000)}


@of(6)
def loss_shortens_delay():
    def both(offered, dropper):
        queue = Queue("q", TimeLimit(0.1, "line"), dropper=dropper)
        return at(Port("x", units.mbps(30), (queue,)), Stream("s", units.mbps(offered), 100))

    a, b = both(40, HeadDrop()), both(90, HeadDrop())
    for head, tail in ((a, both(40, TailDrop())), (b, both(90, TailDrop()))):
        assert lost_percent(head) == lost_percent(tail)
        assert round(ms(tail["s"].delay_mean_s)) == 100
    return {
        "25 %": lost_percent(a)[0],
        "67 %": lost_percent(b)[0],
        "75 ms": ms(a["s"].delay_mean_s),
        "33 ms": ms(b["s"].delay_mean_s),
        "3 Mb.": 30 * 0.1,
    }


@of(7)
def gold_complains():
    def queue(sent_pps, offered_pps, room):
        line_bps = units.rate_bps(sent_pps, 1000)
        port = Port("x", line_bps, (Queue("q", PacketLimit(room), dropper=HeadDrop()),))
        return at(port, Stream("s", units.rate_bps(offered_pps, 1000)))

    gold, bronze = queue(40_000, 52_000, 3_900), queue(4_000, 40_000, 390)
    alone, short = queue(44_000, 52_000, 3_900), queue(40_000, 52_000, 520)
    assert round(ms(alone["s"].delay_mean_s)) == round(ms(gold["s"].delay_mean_s)) == 75
    assert round(ms(short["s"].delay_mean_s)) == 10
    return {
        "12,000 |": gold.dropped_pps[0],
        "36,000 |": bronze.dropped_pps[0],
        "75 ms": ms(3_900 / 52_000),
        "23 %": lost_percent(gold)[0],
        "9.75 ms": ms(390 / 40_000),
        "90 %": lost_percent(bronze)[0],
        "44,000": 40_000 + 4_000,
        "8,000": alone.dropped_pps[0],
        "15 %": lost_percent(alone)[0],
        "520 packets": 52_000 * units.ms(10),
    }


@of(8)
def guarantees_first():
    def sent_and_lost(d_mbps):
        guaranteed = {"A": 150, "B": 100, "C": 350, "D": d_mbps}
        offered = {"A": 150, "B": 300, "C": 350, "D": 400}
        level = {"A": 0, "B": 1, "C": 2, "D": 2}
        queues = tuple(
            Queue(n, PacketLimit(100), priority=level[n], guaranteed_bps=units.mbps(g))
            for n, g in guaranteed.items()
        )
        streams = (Stream(name, units.mbps(rate)) for name, rate in offered.items())
        result = at(Port("x", units.gbps(1), queues, PriorityLevels()), *streams)
        return mbps(units.rate_bps(result.sent_pps, 1000)), lost_percent(result)

    (sent, lost), (then, pays) = sent_and_lost(300), sent_and_lost(400)
    assert sent[0] == pytest.approx(150)
    assert (lost[[0, 2]].max(), pays[[0, 2, 3]].max(), then[1]) == pytest.approx((0, 0, 100))
    return {
        "900 Mb/s": 150 + 100 + 350 + 300,
        "100 Mb/s that are left": 1000 - 900,
        "B 200": sent[1],
        "C 350": sent[2],
        "D 300 Mb/s": sent[3],
        "33 %": lost[1],
        "25 %": lost[3],
        "67 %": pays[1],
    }


@of(10)
def how_long_a_bucket_lasts():
    queue = Queue("q", PacketLimit(100), policer=Policer(units.mbps(5), 40_000))
    port = Port("x", units.mbps(100), (queue,))
    stream = Stream("s", units.mbps(12), 50)
    second = at(port, stream, model="packets", duration_s=1).packets
    lasts_s = units.bits(40_000) / units.mbps(12 - 5)
    return {
        "7 Mb/s": 12 - 5,
        "320 kb": units.bits(40),
        "45.7 ms": ms(lasts_s),
        "58.3 %": lost_percent(at(port, stream))[0],
        "0.32 Mb": units.bits(0.04),
        "5.32 of": 5 + units.bits(0.04),
        "44.3 %": units.convert(second.sent[0] / second.offered[0], "1", "%"),
        "457 ms": ms(lasts_s * 10),
    }


@of(11)
def calls_break_up():
    policer = Policer(units.mbps(3.2), 8_000, when="congested")
    voice = Queue("voice", PacketLimit(100), policer=policer, priority=0)
    queues = (voice, Queue("data", PacketLimit(100), priority=1))
    port = Port("x", units.mbps(20), queues, StrictPriority(), overhead_bytes=20)
    calls = Stream("voice", units.rate_bps(50 * 50, 160 + 58), 160 + 58)
    lost = {
        rate: lost_percent(at(port, calls, Stream("data", units.mbps(rate), 1500)))[0]
        for rate in (5, 30)
    }
    assert lost[5] == 0
    return {
        "3.2 Mb/s": mbps(50 * units.kbps(64)),
        "218 bytes": 160 + 58,
        "2,500 frames": 50 * 50,
        "4.36 Mb/s": mbps(calls.rate_bps),
        "26.6 %": lost[30],
        "238 bytes": 218 + 20,
        "4.76 Mb/s": mbps(units.rate_bps(50 * 50, 238)),
    }


@of(12)
def does_it_prefer_b():
    port = Port("x", units.mbps(100), (Queue("q", PacketLimit(100)),), overhead_bytes=20)

    def streams(phase_s):
        a = Stream("a", units.mbps(20), 1000, Cbr(phase_s))
        return a, Stream("b", units.mbps(90), 1000)

    lost = []
    for phase_us in (0, 200, 360):
        load = streams(units.us(phase_us))
        counts = at(port, *load, model="packets", duration_s=4, warmup_s=1).packets
        lost.append(units.convert(counts.lost / counts.offered, "1", "%"))
    carried = units.rate_bps(units.rate_pps(units.mbps(100), 1020), 1000)
    shares = zip(("4.9 %", "18.6 %", "34.3 %"), ("12.2 %", "9.2 %", "5.7 %"), lost, strict=True)
    fluid_lost = lost_percent(at(port, *streams(0)))
    assert fluid_lost[0] == pytest.approx(fluid_lost[1])
    return {
        **{text: value for a, b, both in shares for text, value in zip((a, b), both, strict=True)},
        "98.04 Mb/s": mbps(carried),
        "11.96 Mb/s": 110 - mbps(carried),
        "10.9 %": fluid_lost[0],
    }
