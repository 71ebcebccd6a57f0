"""A run that is stopped ends soon, and its record is that of a run which ends there."""

import dataclasses
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given

from agreement import agree, quiet
from mechanisms import MECHANISMS
from outcomes import same
from qoslib import packets, tcp
from qoslib import port as p
from qoslib.flows import Flow, Host
from qoslib.front import each
from qoslib.packets.kernels import jit
from qoslib.traffic import Poisson, Stream, imix
from soak import SOAK, many

pytestmark = pytest.mark.soak


def stopped(run, calls):
    """The record of a run whose user presses stop at this call of its progress."""
    count = itertools.count(1)

    def tell(done_s, total_s):
        if next(count) >= calls:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="stopped after"):
        return run(tell)


def test_what_is_in_the_ring_has_not_been_sent():
    port = p.Port("p", 1e6, (p.Queue("q", p.PacketLimit(1000)),), transmit_ring_packets=1000)

    def run(tell):
        return packets.simulate(
            port, [Stream("a", 2e6, 1500)], 60.0, progress=tell, chunk_packets=300
        )

    assert stopped(run, 3).sent_bps[0] <= 1e6


@pytest.mark.parametrize("ring", [0, 64, 1000])
@pytest.mark.parametrize("duration_s", [2.0, 10.0])
def test_what_is_in_the_ring_has_not_been_received(ring, duration_s):
    """Data counts when the last bit of its packet has left the line; one frame takes 12 ms."""
    port = p.Port("p", 1e6, (p.Queue("q", p.PacketLimit(5000)),), transmit_ring_packets=ring)
    flow = Flow("f", 0.02, mss_bytes=1448, frame_bytes=1500, window_bytes=20_000_000)
    result = tcp.simulate(port, [Host("h", 1e9, (flow,))], duration_s, bins=20, progress=quiet)
    assert result.tcp.goodput_bytes[0] <= result.packets.sent[0] * 1448
    in_a_bin = duration_s / 20 * 1e6 * 1448 / 1500 / 8
    assert (result.tcp.received_bytes[0] <= in_a_bin + 1448).all()
    line_bps = 1e6 * 1448 / 1500
    assert 0.95 * line_bps < result.tcp.goodput_bps[0] <= line_bps


#: With links of their own, so that not even a PAUSE makes two arrivals of one time.
STREAMS = (
    Stream("poisson", 60e6, imix(), Poisson(), access_bps=1e9),
    Stream("other", 60e6, 500, Poisson(), access_bps=1e9, ecn=True),
)
QUEUES = (
    p.Queue("poisson", p.PacketLimit(50), quantum_bytes=3000),
    p.Queue("other", p.PacketLimit(40), p.Pie(1e-3, 1e-3, ecn=True), quantum_bytes=1000),
)
PORT = p.Port("access", 100e6, QUEUES, p.StrictPriority(), base_delay_s=1e-6)
RING = PORT.replace(name="ring", transmit_ring_packets=200)
ENGINE = p.Forwarder("engine", p.Queue("in", p.PacketLimit(30)), 5e-5)
CHAIN = p.Chain("path", (p.Hop(ENGINE), p.Hop(RING), p.Hop(PORT)))
#: The second hop has a stream of its own, and far more packets than the first.
BUSY_LATER = p.Chain(
    "path",
    (
        p.Hop(PORT.replace(rate_bps=1e5), ("other",)),
        p.Hop(RING.replace(transmit_ring_packets=9)),
    ),
)
PLACES = {
    "port": PORT,
    "ring": RING,
    "round robin": RING.replace(scheduler=p.DeficitRoundRobin()),
    "pause": PORT.replace(pause=p.Pause(30, 5, 1000)),
    "forwarder": ENGINE,
    "chain": CHAIN,
    "chain with a busy second hop": BUSY_LATER,
}
CALLS = pytest.mark.parametrize(("chunk", "calls"), [(10, 40), (300, 8), (300, 15)])
WARMUPS = pytest.mark.parametrize("warmup_s", [0.0, 1e-4])


def without_time(result):
    """The record without what its bins make of it."""
    return dataclasses.replace(result, history=None, interrupted=False, tcp=None)


def begins(part, whole):
    """The bins of a history are the first ones of another."""
    for field in dataclasses.fields(part):
        ours, theirs = getattr(part, field.name), getattr(whole, field.name)
        np.testing.assert_array_equal(ours, theirs[..., : ours.shape[-1]], field.name)


@CALLS
@WARMUPS
@pytest.mark.parametrize("name", PLACES)
def test_a_stopped_record_is_that_of_a_run_which_ends_there(name, chunk, calls, warmup_s):
    where = PLACES[name]

    def run(tell, duration_s=0.5, **more):
        options = {"seed": 3, "warmup_s": warmup_s, "bins": 1000, "progress": tell, **more}
        return packets.simulate(where, STREAMS, duration_s, **options)

    part = stopped(lambda tell: run(tell, chunk_packets=chunk), calls)
    whole = run(quiet, warmup_s + part.duration_s)
    assert part.interrupted
    assert 0 < part.duration_s < 0.5
    same(without_time(part), without_time(whole))
    for ours, theirs in zip(part.hops, whole.hops, strict=True):
        same(without_time(ours), without_time(theirs))
    begins(part.history, run(quiet).history)
    assert (part.history.sent_packets.sum(1) <= part.packets.sent).all()


FLOWS = tuple(Flow(name, 0.02, mss_bytes=1448, frame_bytes=1500) for name in ("a", "b"))
HOST = Host("host", 1e9, FLOWS)
LINE = p.Port("line", 50e6, (p.Queue("all", p.PacketLimit(60)),))
#: What a record of TCP has at the ends of bins.
OVER_TIME = ("time_s", "window_packets", "ssthresh_packets", "in_flight_packets", "round_trip_s")


@CALLS
@pytest.mark.parametrize("warmup_s", [0.0, 1e-3])
@pytest.mark.parametrize("ring", [0, 300])
def test_a_stopped_record_of_tcp_is_that_of_a_run_which_ends_there(ring, chunk, calls, warmup_s):
    port = LINE.replace(transmit_ring_packets=ring)
    udp = Stream("udp", 30e6, 500, Poisson())

    def run(tell, duration_s=2.0, **more):
        options = {"streams": [udp], "warmup_s": warmup_s, "progress": tell, **more}
        return tcp.simulate(port, [HOST], duration_s, **options)

    part = stopped(lambda tell: run(tell, chunk_events=chunk), calls)
    whole, full = run(quiet, warmup_s + part.duration_s), run(quiet)
    same(without_time(part), without_time(whole))
    begins(part.history, full.history)
    for field in dataclasses.fields(part.tcp):
        ours = getattr(part.tcp, field.name)
        if field.name in (*OVER_TIME, "received_bytes"):
            theirs = getattr(full.tcp, field.name)[..., : ours.shape[-1]]
        else:
            theirs = getattr(whole.tcp, field.name)
        np.testing.assert_array_equal(ours, theirs, field.name)


@pytest.mark.parametrize("simulate", ["port", "chain", "tcp"])
def test_a_run_that_is_stopped_in_its_warm_up_has_no_record(simulate):
    def stop(done_s, total_s):
        assert done_s < 0.4
        raise KeyboardInterrupt

    runs = {
        "port": lambda: packets.simulate(PORT, STREAMS, 0.5, chunk_packets=100, **options),
        "chain": lambda: packets.simulate(CHAIN, STREAMS, 0.5, chunk_packets=100, **options),
        "tcp": lambda: tcp.simulate(LINE, [HOST], 0.5, chunk_events=100, **options),
    }
    options = {"warmup_s": 0.4, "progress": stop}
    with pytest.raises(KeyboardInterrupt):
        runs[simulate]()


#: A timer for each picosecond: ten million in these runs.
TICKING = {
    "PIE": p.Pie(update_s=1e-12),
    "a relay": p.Red(p.RedProfile(1, 2), averaging=p.Sampled(2, 1e-12)),
    "an average": p.Red(p.RedProfile(1, 2), averaging=p.AsymmetricEwma(2, 1e-12)),
}


@pytest.mark.parametrize("dropper", TICKING)
@pytest.mark.parametrize("place", ["port", "second hop", "switch", "tcp"])
def test_timers_are_events(dropper, place):
    port = p.Port("p", 1e6, (p.Queue("q", p.PacketLimit(9), TICKING[dropper]),))
    streams = [Stream("udp", 1e6)]
    first = p.Port("first", 1e6, (p.Queue("q", p.PacketLimit(9)),))
    options = {"bins": 1}

    def run(tell):
        if place == "tcp":
            more = {"streams": streams, "progress": tell, "chunk_events": 1000}
            return tcp.simulate(port, [HOST], 1e-5, **options, **more)
        where = {
            "port": port,
            "second hop": p.Chain("c", (p.Hop(first), p.Hop(port))),
            "switch": p.Switch("s", (p.Hop(first, ("udp",)), p.Hop(port, ("other",)))),
        }[place]
        if place == "switch":
            streams.append(Stream("other", 1e6, start_s=1.0))
        return packets.simulate(where, streams, 1e-5, progress=tell, chunk_packets=1000, **options)

    assert stopped(run, 3).duration_s < 1e-6


#: Timers that run while nothing else happens at their port.
WAITING = {
    "PIE": p.Pie(),
    "sampled RED": p.Red(p.RedProfile(1, 3), averaging=p.Sampled(2, 1e-2)),
    "none but the ends of bins": p.TailDrop(),
}


@pytest.mark.parametrize("dropper", WAITING)
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("chunk", "calls"), [(2500, 1), (100, 7)])
def test_a_switch_ends_where_all_its_ports_are(dropper, first, chunk, calls):
    """One port waits for a stream that starts late, while the other is overloaded."""
    waits = p.Port("waits", 1e6, (p.Queue("q", p.PacketLimit(9), WAITING[dropper]),))
    works = p.Port("works", 1e6, (p.Queue("q", p.PacketLimit(9)),))
    hops = p.Hop(waits, ("late",)), p.Hop(works, ("busy",))
    switch = p.Switch("s", hops if first else hops[::-1])
    streams = Stream("late", 1e6, start_s=100.0), Stream("busy", 2e6)

    def run(tell, duration_s=300.0, **more):
        return packets.simulate(switch, streams, duration_s, progress=tell, bins=9, **more)

    part = stopped(lambda tell: run(tell, chunk_packets=chunk), calls)
    whole = run(quiet, part.duration_s)
    assert part["busy"].sent_bps <= 1e6 + 12_000 / part.duration_s
    for ours, theirs in zip((part, *part.hops), (whole, *whole.hops), strict=True):
        same(without_time(ours), without_time(theirs))


def test_rounds_without_a_packet_are_not_played_one_by_one():
    """8.6 thousand million rounds for each packet of 8.6 GB."""
    queues = tuple(p.Queue(name, p.PacketLimit(9), quantum_bytes=1) for name in "ab")
    streams = [Stream(name, 8e10, 2**33) for name in "ab"]
    for scheduler in (p.DeficitRoundRobin(), p.ModifiedDrr()):
        port = p.Port("p", 1e11, queues, scheduler)
        result = packets.simulate(port, streams, 10.0, progress=quiet)
        np.testing.assert_array_equal(result.packets.sent, [7, 7])


@many(20)
@given(MECHANISMS["deficit round robin"] | MECHANISMS["modified deficit round robin"])
def test_many_rounds_at_once_are_what_the_twin_plays_one_by_one(scene):
    """Up to 800 rounds for each packet."""
    queues = tuple(
        queue.replace(quantum_bytes=queue.quantum_bytes // 200 + 1) for queue in scene.where.queues
    )
    agree(dataclasses.replace(scene, where=scene.where.replace(queues=queues)), 200_000)


def test_a_long_ring_is_not_searched_at_each_packet():
    red = p.Red(p.RedProfile(1e6, 1e6 + 1), averaging=p.TruncatingEwma(9, counts_ring=True))

    def run(ring):
        queue = p.Queue("q", p.PacketLimit(9), red)
        port = p.Port("p", 1e9, (queue,), transmit_ring_packets=ring)
        return packets.simulate(port, [Stream("a", 0.9e9, 64, Poisson())], 0.2, progress=quiet)

    same(run(5_000_000), run(10_000))


def test_an_error_or_a_stop_ends_all_points(monkeypatch):
    """On two threads, where the second point never ends by itself."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    begun = []

    def run(point, tell):
        begun.append(point)
        while point:
            tell(0.0, 1.0)
        return point

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        each(run, range(9), progress=stop)
    assert begun in ([0, 1], [0, 1, 2])

    def fails(point, tell):
        return 1 / point if point != 1 else run(point, tell)

    with pytest.raises(ZeroDivisionError):
        each(fails, range(9), progress=quiet)


#: Calls that would last for hours. A child process makes them one after the other. Where the
#: signal is to come before a run, its tables are made only when the signal has come in; after
#: compilation, when a first piece has been played.
CHILD = """
import importlib, json, os, signal, sys, threading, time, warnings
from numba.core import event
from qoslib import Scenario, packets, run, sweep, tcp
from qoslib.flows import Flow, Host
from qoslib.port import ByteLimit, Port, Queue
from qoslib.traffic import Stream

warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.default_int_handler)
port, streams = Port("line", 1e8, (Queue("all", ByteLimit(99_000)),)), [Stream("a", 1.2e8)]
hosts, forever = [Host("h", 1e9, (Flow("f", 0.02),))], 1e5
calls = {
    "simulate": lambda: packets.simulate(port, streams, forever),
    "tcp.simulate": lambda: tcp.simulate(port, hosts, forever),
    "tcp.solve": lambda: tcp.solve(port, hosts, forever),
    "seeds": lambda: run(Scenario("s", port, streams, forever), seeds=range(4)),
    "sweep": lambda: sweep(Scenario("s", port, streams, forever), {"seed": range(4)}),
}
when, *names = sys.argv[1:]
spent_s = {}

def note(what):
    spent_s[what] = time.process_time()

def say(line):
    print(line, flush=True)

# The interpreter writes a byte as soon as a signal comes in, whatever its threads do.
reading, writing = os.pipe()
os.set_blocking(writing, False)
signal.set_wakeup_fd(writing)

def hear():
    while os.read(reading, 1):
        note("signal")

threading.Thread(target=hear, daemon=True).start()

class Compiled(event.Listener):
    def on_start(self, what):
        pass

    def on_end(self, what):
        note("compiled")

event.register("numba:compile", Compiled())

def before(planned):
    def wait(*arguments, **named):
        say("now")
        while "signal" not in spent_s:
            time.sleep(1e-3)
        return planned(*arguments, **named)
    return wait

def after(run):
    def played(*arguments):
        answer = run(*arguments)
        say("now")
        return answer
    return played

for room in ("packets.simulate", "tcp.simulate", "tcp.fluid.solve"):
    module = importlib.import_module(f"qoslib.{room}")
    if when == "before":
        name = "plan" if room == "tcp.simulate" else "planned"
        setattr(module, name, before(getattr(module, name)))
    elif when == "after":
        name = "run_flat" if room == "tcp.simulate" else "run"
        setattr(module, name, after(getattr(module, name)))

for name in names:
    spent_s.clear()
    try:
        result = calls[name]()
        said = "a record" if result.interrupted else "the end"
    except KeyboardInterrupt:
        said = "KeyboardInterrupt"
    note("stopped")
    while "signal" not in spent_s:
        time.sleep(1e-3)
    say(json.dumps({"name": name, "said": said, **spent_s}))
"""
CALLED = ("simulate", "seeds", "sweep", "tcp.simulate", "tcp.solve")
#: A long test compiles all kernels of all calls, and others the loop that plays one port, which
#: takes a second; they do without those of TCP, and files that are just being written.
COMPILED = CALLED if SOAK else CALLED[:1]
NOT_KEPT = shutil.ignore_patterns("packets.kernels.loop.run-*", "tcp.*", "*-*.*")


def interrupted(when, names, cache=None):
    """Interrupt each of these calls of a child process; what it says of them, by name."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": str(cache)} if cache else {})
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, when, *names],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    # Only where a call does not end at all.
    watchdog = threading.Timer(600, child.kill)
    watchdog.start()
    said, lines, waits = {}, [], True
    for line in child.stdout:
        lines.append(line)
        if line.startswith("{"):
            told = json.loads(line)
            said[told["name"]], waits = told, True
        elif waits and ("compiling" if when == "during" else "now") in line:
            child.send_signal(signal.SIGINT)
            waits = False
    watchdog.cancel()
    assert child.wait() == 0, "".join(lines)
    assert list(said) == list(names), "".join(lines)
    return said


@pytest.fixture(scope="module")
def said():
    """What a child said of each call that was interrupted before or after compilation."""
    return {when: interrupted(when, CALLED) for when in ("before", "after")}


def stops_soon(told):
    """Whether it took less than a second of the processor for each thread that ran.

    The child's own time of the processor: with other work on the machine it is what the clock
    would show without that.
    """
    threads = os.cpu_count() if told["name"] in ("seeds", "sweep") else 1
    return told["stopped"] - max(told["signal"], told.get("compiled", 0.0)) < 1.0 * threads


@pytest.mark.parametrize("name", CALLED)
def test_a_signal_before_a_run_ends_it(said, name):
    told = said["before"][name]
    assert told["said"] == "KeyboardInterrupt"
    assert stops_soon(told)


@pytest.mark.parametrize("name", CALLED)
def test_a_signal_during_a_run_ends_it(said, name):
    """One run keeps its record; some of many are no answer."""
    told = said["after"][name]
    alone = name not in ("seeds", "sweep")
    assert told["said"] == ("a record" if alone else "KeyboardInterrupt")
    assert stops_soon(told)


@pytest.mark.parametrize("name", COMPILED)
def test_a_signal_during_compilation_ends_the_run_after_it(tmp_path, name):
    if not SOAK:
        shutil.copytree(jit._folder(), tmp_path / "qoslib" / "kernels", ignore=NOT_KEPT)
    told = interrupted("during", [name], tmp_path)[name]
    assert told["said"] in ("a record", "KeyboardInterrupt")
    assert "compiled" in told
    assert stops_soon(told)
