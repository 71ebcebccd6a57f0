"""What stands in the exam's answers on lessons 06 to 13: text by text, and its value."""

import math

import pytest

from exam_00_to_02 import at, bursts, lost_percent, mbps, ms, of
from qoslib import (
    ByteLimit,
    Classifier,
    Codel,
    Flow,
    FqPacing,
    Host,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Reno,
    Scenario,
    Shaper,
    Stream,
    StrictPriority,
    run,
    tcp,
    units,
)


@of(21)
def a_window_too_small():
    product = tcp.bandwidth_delay_bytes(units.gbps(1), units.ms(80))
    waits = tcp.loss_free_buffer_bytes(units.megabytes(12), units.gbps(1), units.ms(80))
    return {
        "10 MB.": units.convert(product, "B", "MB"),
        "400 Mb/s": mbps(tcp.window_limited_bps(units.megabytes(4), units.ms(80))),
        "other 2 MB": units.convert(waits, "B", "MB"),
    }


@of(22)
def two_transfers():
    rate_bps, trip_s = units.mbps(210), units.ms(40)
    window = tcp.bandwidth_delay_bytes(rate_bps, trip_s) / 1448
    share = 1.5 / window**2
    assert tcp.aimd_window_packets(share) == pytest.approx(window)
    sent = units.rate_pps(rate_bps, 1448) * 60
    assert mbps(tcp.window_limited_bps(2**20, trip_s)) == pytest.approx(210, abs=0.5)
    return {
        "1.05 MB": units.convert(tcp.bandwidth_delay_bytes(rate_bps, trip_s), "B", "MB"),
        "1,048,576 bytes": 2**20,
        "5 MB": units.convert(tcp.bandwidth_delay_bytes(units.gbps(1), trip_s), "B", "MB"),
        "725 segments": window,
        "2.9 in a million": units.convert(share, "1", "ppm"),
        "1.09 million": units.convert(sent, "packets/s", "Mpackets/s"),
        "3.1 losses": share * sent,
    }


@of(23)
def how_much_buffer():
    def room_mb(flows):
        room = tcp.desynchronised_buffer_bytes(units.gbps(10), units.ms(50), flows)
        return units.convert(room, "B", "MB")

    return {
        "62.5 MB": room_mb(1),
        "= 20,": math.sqrt(400),
        "3.1 MB": room_mb(400),
        "2.5 ms": 50 / math.sqrt(400),
        "44.2 MB": room_mb(2),
    }


@of(24)
def a_burst_at_the_bottleneck():
    load = bursts(10, units.us(640), 64, 1000, units.gbps(10), 0)

    def sent(room):
        port = Port("x", units.gbps(1), (Queue("q", PacketLimit(room)),))
        return at(port, load, model="packets", duration_s=0.0064)

    roomy, small = sent(58), sent(30)
    assert roomy.packets.lost[0] == 0
    assert mbps(units.rate_bps(64 / units.us(640), 1000)) == pytest.approx(800)
    return {
        "58 wait": 64 * (1 - 1 / 10),
        "0.46 ms": ms(roomy["bursts"].delay_max_s),
        "6.4": 64 / 10,
        "27.6": 64 - 6.4 - 30,
        "27 packets": small.packets.lost[0] / 10,
        "42 %": lost_percent(small)[0],
    }


@of(25)
def a_policed_access():
    flow = Flow("a", units.ms(30), Reno(), mss_bytes=1448, frame_bytes=1500)
    product = tcp.bandwidth_delay_bytes(units.mbps(50), units.ms(30))
    policed = Queue("q", ByteLimit(1_000_000), policer=Policer(units.mbps(50), 30_000))

    def goodput(queue, pacing=None, **kwargs):
        port = Port("x", units.gbps(1), (queue,), overhead_bytes=38, **kwargs)
        hosts = (Host("fast", units.gbps(1), (flow,), pacing=pacing),)
        result = run(Scenario("exam", port, (), duration_s=60, seed=1, hosts=hosts))
        return mbps(result.tcp.goodput_bps[0]), result.packets.lost[0]

    paced, lost = goodput(policed, FqPacing(units.mbps(47.5)))
    assert lost == 0
    shaper = Shaper(units.mbps(49), 3000)
    needed = tcp.policer_burst_bytes(units.mbps(50), units.ms(30), 1500)
    return {
        "6.5 Mb/s": goodput(policed)[0],
        "125 packets": product / 1500,
        "1.3 MB": units.convert(needed, "B", "MB"),
        "43 times": needed / 30_000,
        "47.5 Mb/s": 50 * 0.95,
        "45.4 Mb/s": paced,
        "187.5 kB": units.convert(product, "B", "kB"),
        "49 Mb/s": mbps(shaper.rate_bps),
        "47.2 Mb/s": goodput(Queue("q", ByteLimit(187_500)), shaper=shaper)[0],
        "31 ms": ms(units.serialisation_s(187_500, units.mbps(49))),
    }


@of(26)
def three_settings():
    packet_ms = ms(units.serialisation_s(1518, units.mbps(10), 20))
    tail, long_tail = Queue("q", PacketLimit(20)), Queue("q", PacketLimit(500))
    codel = long_tail.replace(dropper=Codel())

    def backup(queue, trip_ms, flows=1):
        """Share of the link that the flows use [%], and the mean wait of a packet [ms]."""
        port = Port("home", units.mbps(10), (queue,), overhead_bytes=20)
        trip_s = units.ms(trip_ms)
        each = [
            Flow(f"flow {n}", trip_s, Reno(), mss_bytes=1460, frame_bytes=1518, start_s=0.37 * n)
            for n in range(flows)
        ]
        hosts = tuple(Host(flow.name, units.gbps(1), (flow,)) for flow in each)
        result = run(Scenario("exam", port, (), duration_s=120, warmup_s=20, seed=1, hosts=hosts))
        used = units.convert(result.sent_pps.sum() / units.rate_pps(units.mbps(10), 1538), "1", "%")
        return used, ms(result.delay_mean_s[0]) - packet_ms

    for trip_ms, flows in ((40, 1), (200, 1), (200, 8)):
        assert backup(long_tail, trip_ms, flows)[0] == pytest.approx(100, abs=0.5)
    short, far, many = ((40, 1), (200, 1), (200, 8))
    return {
        "98 % | 87 %": backup(tail, *short)[0],
        "87 % | | one flow | 200 ms": backup(codel, *short)[0],
        "84 % | 77 %": backup(tail, *far)[0],
        "77 % | | eight": backup(codel, *far)[0],
        "87 % | 89 %": backup(tail, *many)[0],
        "89 % | (a)": backup(codel, *many)[0],
        "13 % instead": 100 - backup(codel, *short)[0],
        "2 % at 40": 100 - backup(tail, *short)[0],
        "23 % instead": 100 - backup(codel, *far)[0],
        "16 % at 200": 100 - backup(tail, *far)[0],
        "2 ms instead": backup(codel, *short)[1],
        "11 ms (modelled)": backup(tail, *short)[1],
        "1.23 ms": packet_ms,
        "615 ms": 500 * packet_ms,
        "24.6 ms": 20 * packet_ms,
        "5 ms for": ms(Codel().target_s),
        "100 ms, it": ms(Codel().interval_s),
    }


@of(27)
def who_pays():
    offered = {"voice": 10, "control": 2, "business": 60, "best effort": 50}
    streams = [Stream(name, units.mbps(rate), 1000) for name, rate in offered.items()]
    room = PacketLimit(100)
    one = (Queue("all", room),)
    levels = tuple(Queue(name, room, priority=n) for n, name in enumerate(offered))
    two = (Queue("voice", room), Queue("rest", room, priority=1))
    others = Classifier((("voice", "voice"),), "rest")
    results = [
        at(Port("one", units.mbps(100), one), *streams),
        at(Port("levels", units.mbps(100), levels, StrictPriority()), *streams),
        at(Port("two", units.mbps(100), two, StrictPriority(), classifier=others), *streams),
    ]
    for result in results:
        assert mbps(units.rate_bps(result.dropped_pps.sum(), 1000)) == pytest.approx(22)
    same, last, rest = map(lost_percent, results)
    assert same == pytest.approx(same[0])
    assert last[:3] == pytest.approx(0)
    assert rest == pytest.approx([0, *[rest[1]] * 3])
    return {
        "122 %": sum(offered.values()),
        "18.0 %": same[0],
        "22 of 50": sum(offered.values()) - 100,
        "44 %": last[3],
        "112 %": 122 - 10,
        "90 %": 100 - 10,
        "19.6 %": rest[1],
    }


@of(31)
def two_runs():
    packet_bits = units.bits(1250)
    tail, head = (ms(60 * packet_bits / units.mbps(rate)) for rate in (5, 15))
    assert abs(119 / tail - 1) < 0.01
    return {"120 ms": tail, "40 ms": head, "1 %": 1}


@of(32)
def four_numbers():
    line_bps = units.mbps(200)

    def kb(bits):
        return units.convert(units.octets(bits), "B", "kB")

    room = kb(units.mbps(120) * units.ms(25))
    share = units.rate_bps(units.rate_pps(units.mbps(8), 200), 200 + 20)
    sent = units.octets(line_bps * units.us(50))
    return {
        "100 kB": kb(line_bps * units.ms(4)),
        "10 kB": kb(units.mbps(20) * units.ms(4)),
        "90 kB": kb((line_bps - units.mbps(20)) * units.ms(4)),
        "375 kB": room,
        "243 frames": math.floor(units.convert(room, "kB", "B") / 1538),
        "1,538 bytes": 1518 + 20,
        "8.8 Mb/s": mbps(share),
        "4.4 %": units.convert(share / line_bps, "1", "%"),
        "5 %,": math.ceil(units.convert(share / line_bps, "1", "%")),
        "1,250 bytes": sent,
        "1,230 bytes": sent - 20,
    }


@of(30)
def twelve_values():
    left = 12 - 3
    return {"9 values": left, "2, so": 6 / 3, "5 predictions": left - 6 + 6 / 3}


@of(29)
def one_number():
    rate_bps, more_bps = units.mbps(4), units.mbps(9 - 4)
    bucket_bits, queue_bits = rate_bps * units.ms(200), units.bits(64 * 1500)
    return {
        "4 Mb/s are": mbps(rate_bps),
        "100 kB": units.convert(units.octets(bucket_bits), "B", "kB"),
        "5 Mb/s more": mbps(more_bps),
        "160 ms": ms(bucket_bits / more_bps),
        "768,000 bits": queue_bits,
        "192 ms": ms(queue_bits / rate_bps),
    }
