"""Answers to the exercises: right ones, wrong ones with their hints, and other students' own."""

import math

import numpy as np

from qoslib import compare, findings, measurements, run, tcp, units
from qoslib.flows import Cubic, Flow, FqPacing, Host, HtbPacing, actual_rate_bps
from qoslib.lessons import your_network
from qoslib.lessons.same_traffic import same_line
from qoslib.platforms import isr4331, m120
from qoslib.port import (
    ByteLimit,
    Codel,
    DeficitRoundRobin,
    Forwarder,
    Instantaneous,
    PacketLimit,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    StrictPriority,
    TailDrop,
)
from qoslib.scenario import Scenario
from qoslib.traffic import Stream

LINE = Port("line", units.mbps(100), (Queue("all", PacketLimit(200)),))


def robin(first_mbps, second_mbps, quantum_bytes=3000):
    """A round robin of two queues and what it is offered."""
    queues = tuple(Queue(n, PacketLimit(100), quantum_bytes=quantum_bytes) for n in "ab")
    port = Port("robin", units.mbps(100), queues, DeficitRoundRobin())
    loads = (("a", first_mbps, 200), ("b", second_mbps, 1500))
    return port, [Stream(name, units.mbps(rate), size) for name, rate, size in loads]


def idle_robin(first_mbps):
    """Three queues with equal quanta, the second of which is nearly always empty."""
    queues = tuple(Queue(n, PacketLimit(100), quantum_bytes=1500) for n in "abc")
    port = Port("robin", units.mbps(100), queues, DeficitRoundRobin())
    loads = (("a", first_mbps), ("b", 1), ("c", 150))
    return port, [Stream(name, units.mbps(rate), 1500) for name, rate in loads]


FIRST = Queue("voice", PacketLimit(64), policer=Policer(units.mbps(10), 50_000), priority=0)
POLICED = Port(
    "uplink",
    units.mbps(50),
    (FIRST, Queue("data", PacketLimit(200), priority=1)),
    scheduler=StrictPriority(),
)


def unpoliced(policer=None):
    """The same without its policer, or with another one."""
    return POLICED.replace(queues=(FIRST.replace(policer=policer), POLICED.queues[1]))


def branch(shape_bps=19.4e6, against=50e6, edit=("", ""), **changes):
    """The report of lesson 13's change, with another shaper, no older text, or other traffic."""
    known = {"facts": your_network.FACTS, "traffic": your_network.traffic()} | changes
    older = against and your_network.configuration(against)
    text = your_network.configuration(shape_bps)
    for old, new in zip(edit[::2], edit[1::2], strict=True):
        text = text.replace(old, new) if old else text
    return findings.check(text, against=older, **known)


#: The first class is no voice, and is promised less than it is sent.
BULK_FIRST = ("dscp ef", "dscp af11", "priority 4000", "bandwidth 1000")
BULK = 'VOICE = "9 Mb/s"\nVIDEO = "6 Mb/s video"\nclass-default = "14 Mb/s"'
CALM = 'VOICE = "40 calls G.711"\nclass-default = "3 Mb/s"'

VOICE = (
    POLICED,
    [Stream("voice", units.mbps(80), 200), Stream("data", units.mbps(60), 1500)],
)
SMALL = Stream("calls", units.gbps(1), 64)
ENGINE = Forwarder("cpu", Queue("in", PacketLimit(100)), packet_s=1e-6)
ORDER = {"voice": 0, "control": 1, "business": 1, "best effort": 2}
THREE = Port(
    "three",
    same_line.LINE_BPS,
    tuple(Queue(name, PacketLimit(2000), priority=level) for name, level in ORDER.items()),
    StrictPriority(),
)


def foretold(percent):
    """Share of the predictions whose error is no larger [%]."""
    rows = [r for r in compare.stored() if r.assumptions == "base" and r.published > 0]
    errors = [abs(row.error) for row in rows if not row.fitted]
    return 100 * sum(error <= percent / 100 for error in errors) / len(errors)


def mine():
    """A table of one measurement, as if read from a file of one's own."""
    table = measurements.load("m120_latency").head(1).assign(half_width=0.5)
    table.attrs["source"] = {"file": "mine.csv", "title": "mine"}
    return table


def transfer(buffer_bytes, pacing=None, duration_s=30):
    """A TCP connection over an uplink of 100 Mb/s and 20 ms."""
    uplink = Port("uplink", 1e8, (Queue("all", ByteLimit(buffer_bytes)),), overhead_bytes=38)
    flow = Flow("a", 0.020, Cubic(), mss_bytes=1448, frame_bytes=1500)
    return Scenario(
        "mine", uplink, (), duration_s, hosts=(Host("pc", 1e9, (flow,), pacing=pacing),)
    )


def dropping(dropper):
    """Four TCP connections over an uplink of 50 Mb/s and 30 ms."""
    uplink = Port("uplink", 5e7, (Queue("all", PacketLimit(400), dropper),), overhead_bytes=38)
    flows = [Flow(f"flow {n}", 0.030, mss_bytes=1448, frame_bytes=1500) for n in range(4)]
    return Scenario("mine", uplink, (), duration_s=10, hosts=(Host("pc", 1e9, flows),))


def reserved(line):
    """A configuration whose first class has these lines."""
    policy = f"class-map A\n match dscp ef\npolicy-map P\n class A\n  {line}\n"
    return f"{policy}interface GigabitEthernet0/0/1\n speed 100\n service-policy output P\n"


def passport(experiment, inconclusive="", slower=1.0):
    """What is kept of runs of the live lab, as far as an exercise looks at it."""
    points = [
        {
            "point": name,
            "runs": [
                {"inconclusive": inconclusive, "values": {"all/latency": delay_ms + more}}
                for more in (-0.1, 0.0, 0.2)
            ],
        }
        for name, delay_ms in (("tail_200", 83.2), ("head_200", 41.5 * slower))
    ]
    on = {"system": "Linux", "kernel": "6.1", "date": "2026-11-23"}
    return {"experiment": experiment, "on": on, "points": points}


def softly(minimum, trip):
    """How much of 100 Mb/s 16 flows use over so many ms, where RED's minimum is this, in %."""
    red = Red(RedProfile(minimum, 2 * minimum), averaging=Instantaneous())
    port = Port("line", 1e8, (Queue("all", PacketLimit(1000), red),), overhead_bytes=38)
    trips_s = [trip / 1000 * (1 + n / 160) for n in range(16)]
    flows = [Flow(f"{n}", s, mss_bytes=1448, frame_bytes=1500) for n, s in enumerate(trips_s)]
    test = Scenario("test", port, (), 20, 8, hosts=(Host("site", 1e9, flows),))
    return 100 * run(test).sent_packets.sum() * 1538 * 8 / 12 / 1e8


def sent(gbps):
    """What an old rate table makes of a rate, in Gb/s."""
    return actual_rate_bps(HtbPacing(gbps * 1e9, "legacy"), 8948, 7) / 1e9


def saw_tooth_kb(busy):
    """The least buffer that keeps 20 Mb/s busy so many per cent of the time over 40 ms, in kB."""
    return next(
        size / 10
        for size in range(10, 2000)
        if tcp.saw_tooth(20e6 / 8 / 1538, 0.04, size * 100 / 1538).utilisation >= busy / 100
    )


RIGHT = {
    "00.1": 67.2,
    "00.2": 164,
    "00.3": 170,
    "00.4": 513,
    "00.5": (LINE, [Stream("a", units.mbps(120), 1000)]),
    "01.1": 100,
    "01.2": 11.25,
    "01.3": 25,
    "01.4": 111,
    "01.5": (m120.port(), m120.PLATFORM.experiments()["base"].streams),
    "03.1": 1.526,
    "03.2": 6,
    "03.3": 4,
    "03.4": 25_000,
    "03.5": robin(10, 150),
    "04.1": 6150,
    "04.2": 200,
    "04.3": 450,
    "04.4": 5936,
    "04.5": idle_robin(45),
    "02.1": 95.64,
    "02.2": 25,
    "02.3": 368,
    "02.4": 31,
    "02.5": VOICE,
    "05.1": 8.446,
    "05.2": 10,
    "05.3": 145.7,
    "05.4": 83,
    "06.1": 43.75,
    "06.2": 1.5,
    "06.3": 123.9,
    "06.4": 43.5,
    "06.5": transfer(80_000),
    "07.1": 5.45,
    "07.2": 8.6,
    "07.3": 5.4,
    "07.4": 578.7,
    "07.5": transfer(80_000, FqPacing(95e6)),
    "08.1": 54.1,
    "08.2": 8,
    "08.3": "c",
    "08.4": 24.4,
    "08.5": dropping(Codel()),
    "10.1": 102.4,
    "10.2": "b",
    "10.3": 118.75,
    "10.4": reserved("priority 20000\n  queue-limit 64 packets"),
    "12.1": 16.67,
    "12.2": "c",
    "12.3": 0.3334,
    "12.4": passport("head_tail"),
    "13.1": 225,
    "13.2": 64,
    "13.3": 980,
    "13.4": 18.32,
    "13.5": branch(),
    "11.1": 6.667,
    "11.2": 7.143,
    "11.3": foretold(1),
    "11.4": mine(),
    "09.1": 100 * 39 / 139,
    "09.2": 61,
    "09.3": 27.5,
    "09.4": 80,
    "09.5": (THREE, same_line.streams()),
    "05.5": (ENGINE, [SMALL]),
}
WRONG = [
    ("00.1", 51.2, "without the 20 B"),
    ("00.1", 8.4, "bytes are taken for bits"),
    ("00.1", 1e6, "too large"),
    ("00.2", 165, "too long"),
    ("00.2", 100, "room for more"),
    ("00.2", 1.5, "whole number"),
    ("00.3", 120, "still dropped"),
    ("00.3", 512, "a smaller buffer would do"),
    ("00.3", 0, "is no buffer"),
    ("00.3", 200_000, "far more than one burst"),
    ("00.4", 46396, "never in the queue"),
    ("00.4", 512, "from the counts"),
    ("00.5", (LINE, [Stream("a", units.mbps(20), 1000)]), "keeps up"),
    ("00.5", (LINE, [Stream("a", units.mbps(120), 10)]), "More buffer"),
    ("00.5", (m120.port(), m120.PLATFORM.experiments()["base"].streams), "6 queues"),
    ("01.1", 25, "drops already"),
    ("01.1", 33.33, "that are dropped"),
    ("01.2", 20, "too long"),
    ("01.2", 11.5, "too long"),
    ("01.2", 5, "less than asked for"),
    ("01.3", 10, "still loses"),
    ("01.3", 60, "a little less would do"),
    ("01.4", 200, "Less load"),
    ("01.4", 105, "not 90"),
    ("01.4", 50, "keeps up"),
    ("01.5", (LINE, [Stream("a", units.mbps(20), 1000)]), "drops nothing"),
    (
        "01.5",
        (m120.port(), tuple(reversed(m120.PLATFORM.experiments()["base"].streams))),
        "BE loses",
    ),
    ("03.1", 1.397, "Premium is left out"),
    ("03.1", 1.22, "quanta of test B"),
    ("03.2", 18, "too long"),
    ("03.2", 2, "room for more"),
    ("03.2", 0, "no size of a ring"),
    ("03.3", 18, "for 20 minutes"),
    ("03.3", 8, "one of the two inputs"),
    ("03.3", 0.0004, "in per cent"),
    ("03.4", 200_000, "bits are taken for bytes"),
    ("03.4", 50_000, "half of the longest"),
    ("03.5", (LINE, [Stream("a", units.mbps(20), 1000)]), "no round robin"),
    ("03.5", robin(10, 20), "drops nothing"),
    ("03.5", robin(90, 150), "a loses packets"),
    ("03.5", robin(10, 150, 30_000), "smaller quanta"),
    ("03.5", robin(0, 0), "offer nothing"),
    ("04.1", 0, "never served"),
    ("04.1", 3686, "loses 4"),
    ("04.1", 9000, "smaller quantum would do"),
    ("04.2", 125, "began at 0"),
    ("04.2", 233.3, "not of the 200 that arrive"),
    ("04.3", 225, "half of the longest"),
    ("04.3", 3600, "bytes are taken for bits"),
    ("04.4", 2968, "half of the round-trip time"),
    ("04.4", 47_490, "bytes are taken for bits"),
    ("04.5", (LINE, [Stream("a", units.mbps(20), 1000)]), "no round robin"),
    ("04.5", robin(10, 20), "drops nothing"),
    ("04.5", robin(90, 150), "a loses packets"),
    ("04.5", robin(10, 150), "smaller quantum"),
    ("04.5", robin(0, 0), "offer nothing"),
    ("02.1", 100, "takes the link only for its data"),
    ("02.1", 60, "too small"),
    ("02.2", 24.29, "data is counted"),
    ("02.2", 5.87, "for what was dropped"),
    ("02.2", 20, "too small"),
    ("02.3", 129.6, "nothing flows into the bucket"),
    ("02.3", 400, "headers are left out"),
    ("02.3", 10, "too small"),
    ("02.4", 30, "counts headers too"),
    ("02.4", 30.87, "Round it up"),
    ("02.4", 40, "half a Mb/s less"),
    ("02.4", 200, "no rate for this link"),
    ("02.5", (unpoliced(), VOICE[1]), "Put a Policer"),
    ("02.5", (unpoliced(Policer(20, 6000)), VOICE[1]), "Rates are in bit/s"),
    ("02.5", isr4331.fifo(), "(port, streams)"),
    ("05.1", "14.88", "is no number"),
    ("05.1", 9.766, "without the 20 B"),
    ("05.1", 7, "too small"),
    ("05.2", 7.62, "preamble and gap"),
    ("05.2", 10.67, "frame check sequence"),
    ("05.2", 640, "in octets"),
    ("05.3", 311.3, "both links full"),
    ("05.3", 165.7, "with the gap still in it"),
    ("05.3", 100, "too small"),
    ("05.4", 85, "Take fewer"),
    ("05.4", 80, "room for more"),
    ("05.4", 100, "hardly a large frame"),
    ("05.5", (ENGINE, [SMALL.replace(rate_bps=2e10)]), "Offer it fewer bits"),
    ("05.5", (ENGINE, [SMALL.replace(rate_bps=1e8)]), "keeps up"),
    ("05.5", ENGINE, "(engine, [stream])"),
    ("05.5", (1, [SMALL]), "must be a Forwarder"),
    ("06.1", 350, "bits are taken for bytes"),
    ("06.1", 62.5, "UDP has its part"),
    ("06.2", 12, "bits are taken for bytes"),
    ("06.2", 7.5, "for the whole link"),
    ("06.3", 262.8, "for one flow"),
    ("06.3", 2478, "in round trips"),
    ("06.4", 30, "Give more"),
    ("06.4", 90, "less would do"),
    ("06.5", LINE, "no Scenario"),
    ("06.5", Scenario("s", LINE, (Stream("a"),)), "nobody sends TCP"),
    ("06.5", transfer(800_000), "less buffer"),
    ("06.5", transfer(3_000), "more buffer"),
    ("07.1", 4.5, "the table is exact"),
    ("07.2", 0.6, "for the excess alone"),
    ("07.2", 8.075, "without the 8"),
    ("07.3", 6, "is sent as 8.22"),
    ("07.3", 4, "a tenth more would"),
    ("07.3", 30, "is no rate"),
    ("07.4", 125, "which a shaper needs"),
    ("07.5", transfer(80_000), "not every host is paced"),
    ("07.5", transfer(80_000, FqPacing(200e6)), "are lost"),
    ("07.5", transfer(80_000, FqPacing(50e6)), "Pace faster"),
    ("08.1", 50, "38 bytes of overhead per frame are left out"),
    ("08.1", 216.7, "all the packets of the stream"),
    ("08.1", 27.06, "without the factor 2"),
    ("08.1", 100, "too large"),
    ("08.2", 4, "That is too little"),
    ("08.2", 16, "half as many are enough"),
    ("08.2", 6, "no power of two"),
    ("08.2", 1024, "cannot be set"),
    ("08.3", "a", "idle half of the time"),
    ("08.3", "b", "the queue was full"),
    ("08.3", "d", "lose nothing"),
    ("08.3", "e", "one letter"),
    ("08.4", 5873, "for the constant stream"),
    ("08.4", 240, "too large"),
    ("08.5", dropping(TailDrop()), "has TailDrop"),
    ("08.5", dropping(Codel(target_s=0.05)), "Let the dropper act sooner"),
    (
        "08.5",
        dropping(Red(RedProfile(1, 2), averaging=Instantaneous())),
        "Let the dropper act later",
    ),
    ("10.1", 51.2, "of the line rate"),
    ("10.1", 30.72, "at the shaper's whole rate"),
    ("10.1", 12.8, "bytes are taken for bits"),
    ("10.1", 90, "too small"),
    ("10.2", "a", "no packet came to it"),
    ("10.2", "c", "should not be in this queue"),
    ("10.2", "d", "empty all the time"),
    ("10.2", "e", "one letter"),
    ("10.3", 1.25, "what the other schedulers leave"),
    ("10.3", 125, "the whole buffer"),
    ("10.3", 950, "in megabits"),
    ("10.3", 50, "too small"),
    ("10.4", 5, "a configuration as a text"),
    ("10.4", "hello", "a configuration as a text"),
    ("10.4", "hello\nworld", "cannot be read"),
    ("10.4", reserved("priority 20000\n  frobnicate 3"), "line 6 is not known"),
    ("10.4", "policy-map P\n class class-default\n  queue-limit 64 packets\n", "line_rate_bps"),
    (
        "10.4",
        reserved("bandwidth percent 60\n class class-default\n  bandwidth percent 60"),
        "an error in line",
    ),
    # 1200 full frames at the 20 Mb/s that are guaranteed and half of the 80 that are left.
    ("10.4", reserved("bandwidth 20000\n  queue-limit 1200 packets"), "lasts 243 ms"),
    ("12.1", 41.68, "for tail drop"),
    ("12.1", 16.29, "24 B that the line adds"),
    ("12.1", 30, "too large"),
    ("12.2", "a", "cannot add 6 Mb/s"),
    ("12.2", "b", "conclusive about the commands"),
    ("12.2", "d", "not 60 %"),
    ("12.2", 3, "one letter"),
    ("12.2", "(A)", "cannot add 6 Mb/s"),
    ("12.3", 0.3258, "24 B that the line adds"),
    ("12.3", 0.0417, "bytes are taken for bits"),
    ("12.4", 83, "what lesson.measured returns"),
    ("12.4", passport("six_classes"), "another experiment"),
    ("12.4", passport("head_tail", inconclusive="too busy"), "has no run that passed"),
    ("12.4", passport("head_tail", slower=1.2), "The rule says 2"),
    ("13.1", 250, "nothing flows into the bucket"),
    ("13.2", 65, "costs 8.121 ms, which is too long"),
    ("13.2", 63, "room for more"),
    ("13.2", 64.5, "whole number"),
    ("13.3", 1000, "still in it"),
    ("13.4", 20, "when both count the same bytes"),
    ("13.4", 18.17, "taken off the frame"),
    ("13.5", your_network.configuration(), "findings.check(new, traffic=..., against=old)"),
    (
        "13.5",
        branch(edit=("GigabitEthernet0/0/1", "Serial0/1/0", " speed 100\n", "")),
        "lacks a fact: Serial0/1/0.line_rate_bps",
    ),
    ("13.5", branch(traffic=None), "nobody said what is sent"),
    ("13.5", branch(against=None), "Give the older text"),
    ("13.5", branch(shape_bps=30e6), "an error in line 23: shaper-over-contract"),
    ("13.5", branch(edit=BULK_FIRST, traffic=BULK), "VOICE stands first and loses"),
    ("13.5", branch(traffic=CALM), "no other class loses anything"),
    ("11.1", 6.25, "in per cent of the model"),
    ("11.2", 14.29, "for a whole unit"),
    ("11.3", 99.9, "too large"),
    ("11.4", measurements.load("m120_latency"), "comes with the package"),
    ("09.1", 39, "not of the offered load"),
    ("09.2", 70, "more than 50"),
    ("09.2", 40, "room for more"),
    ("09.3", 22, "Offer more"),
    ("09.3", 40, "Offer less"),
    ("09.4", 4, "must fit into the bucket"),
    ("09.4", 400, "would do too"),
    ("09.5", (same_line.ports()["one queue"], same_line.streams()), "voice loses"),
    ("09.5", (LINE, [Stream("a", units.mbps(20), 1000)]), "the mix as it is"),
]

#: How a student with other numbers finds the answer of an exercise.
BY_HAND = {
    "00.1": lambda frame, line: 8 * (frame + 20) / line,
    "00.2": lambda most: int(most / 0.12112) - 1,
    "01.2": lambda delay: 0.99 * (delay - 0.07) * 25 / 22,
    "01.3": lambda load: load,
    "01.4": lambda delay: 1e4 / delay,
    "04.1": lambda load: 1.01 * 309_657 * load / (2374.3 - 200 - 120 - load),
    "04.2": lambda high: 100 + (high - 100) / 4,
    "04.3": lambda longest: longest / 0.08,
    "04.4": lambda rtt: 2374.6e3 * rtt / 8000,
    "03.2": lambda most: int(np.interp(most, [38.48, 71.94, 101.47, 121.21], [3, 13, 22, 28])),
    "03.3": lambda lost: 1e6 * lost / (25_000 * 5_400),
    "03.4": lambda most: 12_500 * most,
    "02.2": lambda dropped: (155_376 - dropped) * 1490 * 8 / 60e6,
    "02.3": lambda load: 4000 / (load * 1490 / 1448 - 20),
    "02.4": lambda load: math.ceil(2 * load * 1490 / 1448) / 2,
    "05.1": lambda frame: 1e4 / 8 / (frame + 20),
    "05.2": lambda octets: (octets - 32_000) / 64,
    "05.3": lambda load: 2 * load * 1e3 / 8 / 7.545 - 20,
    "06.1": lambda beside: (10 - beside) * 50 / 8,
    "06.2": lambda rate: rate * 0.06 / 8,
    "06.3": lambda after: (50e6 / 9000 / 2 - after) * 0.05,
    "06.4": saw_tooth_kb,
    "07.1": lambda paced: sent(paced),
    "07.2": lambda lasts: 8 + 96 / lasts,
    "07.3": lambda beside: max(n / 10 for n in range(10, 100) if sent(n / 10) <= 10 - beside),
    "08.1": lambda load: 2 * 0.1**2 * (load * 1e6 / 12_000 - 1e8 / 8 / 1538),
    "08.2": lambda trip: next(n for n in (1, 2, 4, 8, 16, 32, 64, 128) if softly(n, trip) >= 95),
    "10.3": lambda buffer: 0.95 * buffer * 1.25,
    "10.1": lambda shaped, percent, packets: packets * 1200 / (percent * shaped),
    "07.4": lambda rate: (rate * 50 / 8 / 1.5) ** 2 / 18 * 1.5,
    "12.1": lambda limit, line, load: limit * 833.6 / (line * load),
    "12.3": lambda line: 8.336 / line,
    "13.1": lambda rate, lasts: (100 - rate) * lasts / 8,
    "13.2": lambda most: int(most / 0.12304) - 1,
    "13.3": lambda most: 12.5 * most - 20,
    "13.4": lambda contract, frame: contract * frame / (frame + 20),
    "11.1": lambda counted: 100 * 4 / counted,
    "11.2": lambda published: 50 / published,
    "11.3": lambda tolerance: foretold(tolerance),
    "09.1": lambda business: 100 * (business - 31) / (business + 69),
    "09.2": lambda starved: 91 - 60 * (1 - starved / 100),
    "09.3": lambda lost: 22 / (1 - lost / 100),
    "09.4": lambda most: 1.04 * np.interp(most, [2.5, 4.6, 7.2, 11.4, 14.9], [100, 80, 60, 40, 30]),
    "05.4": lambda large: math.floor(100 * (large - 311) / (large - 64)),
}
