"""What holds for every port and every packet, whatever arrives."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from outcomes import long_enough, outcomes, picoseconds, runs, same, service_ps
from qoslib import packets
from qoslib import port as p
from qoslib.packets.collect import collected
from qoslib.packets.kernels.codes import CAUSES
from qoslib.packets.kernels.loop import run
from qoslib.packets.plan import Run, planned
from qoslib.record import Record
from qoslib.traffic import Cbr, OnOff, Stream, TickedBursts, Trace
from strategies import FRAMES, RATES_BPS, ports, stream_sets

pytestmark = pytest.mark.newer

several = settings(suppress_health_check=[HealthCheck.filter_too_much])
SEEDS = st.integers(0, 1000)


def unshaped(port):
    """The port without what keeps its line idle on purpose."""
    queues = tuple(queue.replace(shaper=None) for queue in port.queues)
    return port.replace(queues=queues, shaper=None)


def held(state):
    """Rows of the packets that stand in the queues, queue by queue."""
    for queue in state.queues:
        at = queue["first"] + ((queue["head"] + np.arange(queue["length"])) & queue["mask"])
        yield state.classes[state.slots[at]["packet_class"]]


@several
@given(ports(), stream_sets(), SEEDS)
def test_offered_is_sent_and_dropped_and_queued(port, streams, seed):
    assume(runs(port, streams))
    asked = Run(long_enough(streams), seed=seed, log_packets=20_000)
    state = planned(port, streams, asked)
    run(state, asked.end_ps, 20_000)
    names = tuple(stream.name for stream in streams)
    result = collected(state, names, port.queue_names, asked, asked.end_ps)
    log = state.log[: state.port[0]["logged"]]
    kinds = state.classes[log["packet_class"]]
    waiting = list(held(state))
    on_line = (log["cause"] < 0) & (log["departure_ps"] > asked.end_ps)
    for counts, amount in ((result.packets, np.ones_like), (result.octets, np.asarray)):
        for i in range(len(streams)):
            left = [kinds["frame_bytes"][on_line & (kinds["stream"] == i)]]
            left += [rows["frame_bytes"][rows["stream"] == i] for rows in waiting]
            kept = sum(int(amount(sizes).sum()) for sizes in left)
            assert counts.offered[i] == counts.sent[i] + counts.lost[i] + kept
            assert counts.queued[i] == kept
            for cause, dropped in counts.dropped.items():
                mine = kinds["frame_bytes"][
                    (kinds["stream"] == i) & (log["cause"] == CAUSES.index(cause))
                ]
                assert dropped[i] == amount(mine).sum()
    for row, rows in zip(state.queues, waiting, strict=True):
        assert row["held_bytes"] == rows["frame_bytes"].sum()
        assert row["fill"] == rows["amount"].sum()
    assert state.port[0]["waiting"] == sum(len(rows) for rows in waiting)
    in_pool = sum(
        rows["frame_bytes"].sum()
        for queue, rows in zip(port.queues, waiting, strict=True)
        if queue.pool
    )
    assert state.pools["held_bytes"].sum() == in_pool


@several
@given(ports().map(unshaped), stream_sets(), SEEDS)
def test_the_line_is_never_idle_while_a_queue_holds_a_packet(port, streams, seed):
    assume(runs(port, streams))
    seen = outcomes(port, streams, long_enough(streams), seed=seed)
    idle_until = seen.start[1:]
    first_of_rest = np.minimum.accumulate(seen.arrival[::-1])[::-1][1:]
    assert (idle_until <= np.maximum(seen.departure[:-1], first_of_rest)).all()
    queued = int(seen.result.packets.queued.sum()) - int((seen.departure > seen.end).sum())
    assert queued == 0 or seen.departure[-1] > seen.end


@several
@given(ports(shared=False).map(unshaped), stream_sets(), SEEDS)
def test_strict_priority_never_lets_a_lower_class_go_first(port, streams, seed):
    scheduler = p.StrictPriority() if len(port.queues) > 1 else p.Fifo()
    port = port.replace(scheduler=scheduler)
    assume(runs(port, streams))
    seen = outcomes(port, streams, long_enough(streams), seed=seed)
    level = np.array([queue.priority for queue in port.queues])[seen.queue]
    for k, own in enumerate(level):
        assert not (level[k:][seen.arrival[k:] < seen.start[k]] < own).any()


@several
@given(ports(), stream_sets(), SEEDS)
def test_no_packet_overtakes_another_of_its_queue(port, streams, seed):
    assume(runs(port, streams))
    seen = outcomes(port, streams, long_enough(streams), seed=seed)
    for index in range(len(port.queues)):
        mine = seen.of_queue(index)
        assert (np.diff(mine.arrival) >= 0).all()
        assert (mine.departure - mine.arrival >= 0).all()


@several
@given(RATES_BPS, RATES_BPS, FRAMES, st.sampled_from([0.0, 9.1]))
def test_regular_times_are_exact_however_many_came_before(line_bps, rate_bps, frame, overhead):
    """Packet k arrives after k gaps and leaves after k + 1 services, not after k rounded ones."""
    port = p.Port("line", line_bps, (p.Queue("all", p.PacketLimit(3000)),), overhead_bytes=overhead)
    gap = Fraction(8 * frame * 10**12) / Fraction(rate_bps)
    seen = outcomes(port, [Stream("all", rate_bps, frame)], float(1000 * gap / 10**12))
    service = service_ps(port, frame)
    free = Fraction(0)
    for k, (arrival, departure) in enumerate(zip(seen.arrival, seen.departure, strict=True)):
        assert arrival == k * gap // 1
        free = max(free, Fraction(int(arrival))) + service
        assert departure == free // 1


WITHOUT_DRAWS = st.sampled_from([p.TailDrop(), p.HeadDrop(), p.Codel(1e-4, 1e-3)])


@settings(several, max_examples=50)
@given(ports(), ports(droppers=WITHOUT_DRAWS), stream_sets(False), st.lists(FRAMES, min_size=4))
def test_a_port_in_a_chain_is_the_port_alone_fed_with_the_recorded_departures(
    first, second, streams, sizes
):
    second = second.replace(name="second", pause=None)
    streams = [s.replace(frame_bytes=n) for s, n in zip(streams, sizes, strict=False)]
    assume(runs(first, streams) and runs(second, streams))
    duration_s = long_enough(streams)
    seen = outcomes(first, streams, duration_s)
    assume((seen.result.packets.sent > 0).all())
    fed = []
    for i, stream in enumerate(streams):
        mine = seen.stream == i
        times_s = (seen.departure[mine] + picoseconds(first.base_delay_s)) / 1e12
        trace = Trace(times_s, seen.frame_bytes[mine])
        fed.append(Stream(stream.name, arrivals=trace, mark=stream.mark, ecn=stream.ecn))
    chain = p.Chain("chain", (p.Hop(first), p.Hop(second)))
    whole = packets.simulate(chain, streams, duration_s, chunk_packets=50)
    same(whole.hops[0], seen.result)
    same(whole.hops[1], packets.simulate(second, fed, duration_s))


#: Any frame takes a multiple of 4000 ps at these rates, so that all times halve exactly.
EVEN_BPS = st.builds(
    lambda twos, fives: 2.0**twos * 5**fives, st.integers(6, 10), st.integers(6, 9)
)
EVEN_S = st.integers(1, 10_000).map(lambda steps: steps * 4e-9)


@st.composite
def even_queues(draw, name):
    limits = st.builds(p.PacketLimit, st.integers(1, 30))
    limits |= st.builds(p.ByteLimit, st.integers(9000, 90_000))
    limits |= st.builds(p.TimeLimit, st.just(0.08), st.sampled_from(["line", "served"]))
    red = p.Red(p.RedProfile(2, 10, 0.5), averaging=p.Ewma(2))
    pie = p.Pie(target_s=8e-4, update_s=8e-4, burst_s=8e-4)
    droppers = st.sampled_from([p.TailDrop(), p.HeadDrop(), red, pie])
    return p.Queue(
        name,
        draw(limits),
        draw(droppers),
        draw(st.none() | st.builds(p.Policer, EVEN_BPS, st.integers(9000, 20_000))),
        draw(st.none() | st.builds(p.Shaper, EVEN_BPS, st.integers(9000, 20_000))),
        "",
        draw(st.integers(0, 1)),
        draw(EVEN_BPS),
        draw(st.sampled_from([1.0, 2.0, 4.0])),
        draw(st.integers(500, 20_000)),
    )


@st.composite
def even_streams(draw, name):
    arrivals = st.builds(Cbr, EVEN_S) | st.builds(TickedBursts, EVEN_S, EVEN_S)
    arrivals |= EVEN_S.map(lambda period_s: OnOff(period_s, period_s, "constant"))
    return Stream(name, draw(EVEN_BPS), draw(FRAMES), draw(arrivals), start_s=draw(EVEN_S))


def twice_as_fast(it):
    """A description with all rates doubled and all times halved."""
    if isinstance(it, tuple):
        return tuple(twice_as_fast(item) for item in it)
    if not isinstance(it, Record):
        return it
    changes = {}
    for field in dataclasses.fields(it):
        value, unit = getattr(it, field.name), field.name.rsplit("_")[-1]
        if unit in ("bps", "hz", "s") and value is not None:
            changes[field.name] = value / 2 if unit == "s" else value * 2
        else:
            changes[field.name] = twice_as_fast(value)
    return it.replace(**changes)


@several
@given(st.data(), ports(shared=False), EVEN_BPS, EVEN_S)
def test_all_times_halve_exactly_when_all_rates_double(data, drawn, rate_bps, delay_s):
    port = drawn.replace(
        rate_bps=rate_bps,
        queues=tuple(data.draw(even_queues(queue.name)) for queue in drawn.queues),
        overhead_bytes=20.0,
        base_delay_s=delay_s,
        shaper=None,
    )
    streams = [data.draw(even_streams(queue.name)) for queue in port.queues]
    assume(runs(port, streams))
    duration_s = round(long_enough(streams) / 8e-9) * 8e-9
    slow = outcomes(port, streams, duration_s)
    fast = outcomes(twice_as_fast(port), twice_as_fast(tuple(streams)), duration_s / 2)
    np.testing.assert_array_equal(slow.arrival, 2 * fast.arrival)
    np.testing.assert_array_equal(slow.departure, 2 * fast.departure)
    np.testing.assert_array_equal(slow.result.trace.cause, fast.result.trace.cause)
    for quantity in ("delay_mean_s", "delay_min_s", "delay_max_s"):
        slow_s, fast_s = getattr(slow.result, quantity), getattr(fast.result, quantity)
        np.testing.assert_array_equal(slow_s, 2 * fast_s)
