"""What cannot run is refused with a clear error before anything runs."""

import ast
import importlib
import inspect
import math
import textwrap

import pytest

from qoslib import packets
from qoslib import port as p
from qoslib.flows import Flow, Host
from qoslib.packets.kernels import codes, schedulers
from qoslib.packets.kernels.schedulers import DISPATCHED
from qoslib.traffic import Cbr, FrameMix, OnOff, Poisson, Stream, TickedBursts, Trace

QUEUE = p.Queue("q", p.PacketLimit(10))
OTHER = QUEUE.replace(name="r", weight=1e-9)
PORT = p.Port("port", 1e9, (QUEUE,))
STREAM = Stream("s", 1e8, 1000)
HOP = p.Hop(PORT)
ENDS_IN_Q = p.Classifier(default="q")


def run(where=PORT, *streams, duration_s=1.0, **options):
    return packets.simulate(where, streams or [STREAM], duration_s, **options)


def queue(**changes):
    return run(PORT.replace(queues=(QUEUE.replace(**changes),)))


def port(**changes):
    return run(PORT.replace(**changes))


def stream(**changes):
    return run(PORT, STREAM.replace(**changes))


def mix(*sizes):
    return FrameMix(sizes, [1 / len(sizes)] * len(sizes))


def forwarder(**changes):
    return run(p.Forwarder("engine", QUEUE.replace(**changes), 1e-6))


def chain(second, *streams):
    return run(p.Chain("chain", (HOP, second)), *streams)


WRONG = {
    "negative rate": lambda: stream(rate_bps=-1e6),
    "rate NaN": lambda: stream(rate_bps=math.nan),
    "line rate 0": lambda: port(rate_bps=0),
    "line rate infinite": lambda: port(rate_bps=math.inf),
    "zero frame size": lambda: stream(frame_bytes=0),
    "zero in a mix": lambda: stream(frame_bytes=mix(0, 64)),
    "no queue": lambda: port(queues=(QUEUE, OTHER), scheduler=p.StrictPriority()),
    "weight -1": lambda: queue(weight=-1),
    "quantum 0": lambda: port(scheduler=p.DeficitRoundRobin(), classifier=ENDS_IN_Q),
    "duration 0": lambda: run(duration_s=0),
    "duration below 1 ps": lambda: run(duration_s=1e-13),
    "duration negative": lambda: run(duration_s=-1.0),
    "duration NaN": lambda: run(duration_s=math.nan),
    "duration infinite": lambda: run(duration_s=math.inf),
    "duration beyond the clock": lambda: run(duration_s=2e6),
    "warm-up of the whole run": lambda: run(warmup_s=1.0),
    "warm-up NaN": lambda: run(warmup_s=math.nan),
    "seed negative": lambda: run(seed=-1),
    "seed no number": lambda: run(seed="a"),
    "no bins": lambda: run(bins=0),
    "no streams": lambda: packets.simulate(PORT, [], 1.0),
    "a name twice": lambda: run(PORT, STREAM, STREAM),
    "no port": lambda: run("port"),
    "chunks of 0": lambda: run(chunk_packets=0),
    "no room for a frame": lambda: queue(limit=p.ByteLimit(999)),
    "no time for a frame": lambda: queue(limit=p.TimeLimit(7.9e-6, "line")),
    "no memory for a frame": lambda: port(
        queues=(QUEUE.replace(pool="m"),), pools=(p.MemoryPool("m", 999),)
    ),
    "a burst below a frame": lambda: queue(shaper=p.Shaper(1e6, 999)),
    "a port's burst below a frame": lambda: port(shaper=p.Shaper(1e6, 999)),
    "too many packets": lambda: queue(limit=p.PacketLimit(10**9)),
    "a number beyond 64 bits": lambda: queue(limit=p.PacketLimit(10**30)),
    "a frame beyond all bounds": lambda: run(
        PORT.replace(rate_bps=1e15), Stream("s", 1e15, 10**11)
    ),
    "a frame of weeks": lambda: port(rate_bps=1e-3),
    "a gap of weeks": lambda: stream(rate_bps=1e-3),
    "a mean gap of days": lambda: stream(rate_bps=1e-2, arrivals=Poisson()),
    "a late start": lambda: stream(start_s=1e9),
    "a late phase": lambda: stream(arrivals=Cbr(1e9)),
    "a tick of weeks": lambda: stream(arrivals=TickedBursts(1e9)),
    "a jitter of weeks": lambda: stream(jitter_s=1e9),
    "an off-period of weeks": lambda: stream(arrivals=OnOff(1.0, 1e9)),
    "on-periods without a packet": lambda: stream(rate_bps=1e3, arrivals=OnOff(1e-7, 1e-7)),
    "a late record": lambda: run(PORT, Stream("s", arrivals=Trace((1e9,), (64,)))),
    "a slow access link": lambda: stream(access_bps=1e-3),
    "a policer of weeks": lambda: queue(policer=p.Policer(1e-3, 10**6)),
    "a shaper of weeks": lambda: queue(shaper=p.Shaper(1e-3, 10**6)),
    "a guarantee of weeks": lambda: queue(guaranteed_bps=1e-2),
    "an interval of weeks": lambda: queue(dropper=p.Codel(interval_s=1e5)),
    "weights too far apart": lambda: port(
        queues=(QUEUE, OTHER), scheduler=p.PriorityLevels(), classifier=ENDS_IN_Q
    ),
    "a pause of weeks": lambda: run(
        PORT.replace(pause=p.Pause(5)), STREAM.replace(access_bps=10.0)
    ),
    "a pause to no link": lambda: run(p.Forwarder("engine", QUEUE, 1e-6, pause=p.Pause(5))),
    "no line": lambda: forwarder(limit=p.TimeLimit(1.0), guaranteed_bps=1e6),
    "a hop of no stream": lambda: chain(p.Hop(PORT.replace(name="second"), ("x",))),
    "a stream of no hop": lambda: run(
        p.Chain("chain", (p.Hop(PORT, ("s",)),)), STREAM, Stream("t", 1e6)
    ),
    "a pause inside a chain": lambda: chain(p.Hop(PORT.replace(name="second", pause=p.Pause(5)))),
}


def fails_to_run(*arguments):
    raise AssertionError("something ran")


@pytest.mark.parametrize("what", WRONG)
def test_it_is_refused(what, monkeypatch):
    for module in ("simulate", "chain"):
        module = importlib.import_module(f"qoslib.packets.{module}")
        monkeypatch.setattr(module, "run", fails_to_run)
    with pytest.raises(ValueError, match=r".+ (is|are) .+; allowed: .+"):
        WRONG[what]()


def test_tcp_hosts_are_not_taken_for_streams():
    hosts = (Host("pc", 1e9, (Flow("tcp", 0.02),)),)
    with pytest.raises(ValueError, match=r"streams\[0\] is Host.*; allowed: a Stream"):
        packets.simulate(PORT, hosts, 1.0)


def test_a_dropper_without_a_rule_is_not_taken_for_tail_drop():
    class Newest(p.Dropper):
        """A dropper that no model knows."""

    del Newest.kinds["Newest"]
    unknown = object.__new__(Newest)
    made = QUEUE.replace()
    object.__setattr__(made, "dropper", unknown)
    where = PORT.replace()
    object.__setattr__(where, "queues", (made,))
    with pytest.raises(ValueError, match=r"Queue 'q' dropper is .*Newest.*; allowed: TailDrop, "):
        run(where)


def test_a_scheduler_with_a_code_but_no_rule_is_refused_before_it_runs(monkeypatch):
    class Newest(p.StrictPriority):
        """A scheduler whose code the kernels do not know."""

    del Newest.kinds["Newest"]
    unknown = max(codes.SCHEDULERS.values()) + 1
    monkeypatch.setitem(codes.SCHEDULERS, Newest, unknown)
    where = PORT.replace()
    object.__setattr__(where, "scheduler", Newest())
    allowed = rf".*schedulers.py, .* none for code {unknown}"
    said = rf"Port 'port' scheduler is Newest\(\); allowed: {allowed}"
    with pytest.raises(ValueError, match=said):
        run(where, duration_s=1e-5)


def test_every_code_has_a_rule():
    assert set(DISPATCHED) == set(codes.SCHEDULERS.values())
    tree = ast.parse(textwrap.dedent(inspect.getsource(schedulers._chosen.py_func)))
    named = {node.comparators[0].id for node in ast.walk(tree) if isinstance(node, ast.Compare)}
    rules = {getattr(codes, name) for name in named if name.isupper()} | {codes.MDRR}
    missing = {kind.__name__ for kind, code in codes.SCHEDULERS.items() if code not in rules}
    assert not missing, f"_chosen in packets/kernels/schedulers.py has no rule for {missing}"
