"""What holds of any run, stopped at any moment: nothing is lost from sight, no line is too fast."""

import dataclasses
import itertools
import math
import warnings
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mechanisms import MECHANISMS
from outcomes import long_enough, picoseconds, same
from qoslib import packets, tcp
from qoslib import port as p
from qoslib.traffic import MOST_BPS, FrameMix, Stream, Trace
from soak import many
from strategies import CHAINS, FORWARDERS, ports, stream_sets, switches
from tcp_scenes import RECOVERIES, STREAMS, hosts
from tcp_scenes import ports as tcp_ports

pytestmark = pytest.mark.soak

#: More packets than any of these runs has until it is stopped.
MOST = 50_000


@dataclass
class Case:
    """A run, in pieces of at most so many events, that is stopped at a call of its progress."""

    where: object
    streams: tuple
    duration_s: float
    seed: int
    warmup_s: float
    chunk: int
    stop_at: int | None
    hosts: tuple = ()

    def record(self, **changes):
        """The record, or None where it was stopped before the warm-up was over."""
        case = dataclasses.replace(self, **changes)
        calls = itertools.count(1)

        def tell(done_s, total_s):
            if case.stop_at is not None and next(calls) >= case.stop_at:
                raise KeyboardInterrupt

        options = {"seed": case.seed, "warmup_s": case.warmup_s, "bins": 7, "progress": tell}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                if case.hosts:
                    options |= {"streams": case.streams, "chunk_events": case.chunk}
                    return tcp.simulate(case.where, case.hosts, case.duration_s, **options)
                options |= {"chunk_packets": case.chunk}
                if not isinstance(case.where, p.Chain):
                    options |= {"trace_packets": MOST}
                return packets.simulate(case.where, case.streams, case.duration_s, **options)
            except KeyboardInterrupt:
                return None


#: Averages and controls that look as often as the clock ticks, or at a long ring.
DROPPERS = st.sampled_from(
    [
        p.Pie(update_s=1e-12),
        p.Red(p.RedProfile(1, 3), averaging=p.Sampled(2, 1e-12)),
        p.Red(p.RedProfile(1, 3), averaging=p.AsymmetricEwma(2, 1e-12)),
        p.Red(p.RedProfile(1, 3), averaging=p.TruncatingEwma(0, counts_ring=True)),
        p.Codel(1e-12, 1e-12),
    ]
)


def changed(queue, **changes):
    """The queue with another part, unless it has one that does not go with it."""
    try:
        return queue.replace(**changes)
    except ValueError:
        reject()


@st.composite
def extreme_ports(draw, port):
    """The port with a number or two at the end of what it may be."""
    which = draw(st.integers(0, len(port.queues) - 1))
    queue = draw(
        st.one_of(
            DROPPERS.map(lambda dropper: changed(port.queues[which], dropper=dropper)),
            st.sampled_from([1, 2**40]).map(
                lambda quantum: changed(port.queues[which], quantum_bytes=quantum)
            ),
            st.sampled_from([1e-9, 1e3]).map(
                lambda weight: changed(port.queues[which], weight=weight)
            ),
            st.sampled_from([p.PacketLimit(1), p.PacketLimit(10**6), p.ByteLimit(2**33)]).map(
                lambda limit: changed(port.queues[which], limit=limit)
            ),
        )
    )
    queues = (*port.queues[:which], queue, *port.queues[which + 1 :])
    change = draw(
        st.sampled_from(
            [
                {},
                {"transmit_ring_packets": 100_000},
                {"rate_bps": 1e-3},
                {"rate_bps": 1e15},
                {"overhead_bytes": 1e9},
                {"base_delay_s": 1e5},
            ]
        )
    )
    return port.replace(queues=queues, **change)


@st.composite
def extreme_streams(draw, stream):
    changes = [
        {},
        {"frame_bytes": 1},
        {"frame_bytes": 2**33},
        {"jitter_s": 1e5},
        {"access_bps": 1e-3},
        {"access_bps": 1e15},
        {"start_s": 1e5, "stop_s": None},
    ]
    if not isinstance(stream.arrivals, Trace):
        changes += [{"rate_bps": 1e-6}, {"rate_bps": MOST_BPS}]
    return stream.replace(**draw(st.sampled_from(changes)))


@st.composite
def extreme(draw, where):
    if isinstance(where, p.Port):
        return draw(extreme_ports(where))
    if isinstance(where, p.Chain | p.Switch):
        return where.replace(hops=tuple(h.replace(at=draw(extreme(h.at))) for h in where.hops))
    return where


ANYWHERE = ports() | FORWARDERS | CHAINS


@st.composite
def usual(draw):
    """Ports and streams whose numbers have nothing to do with each other."""
    streams = draw(stream_sets())
    where = draw(ANYWHERE)
    return Case(where, streams, long_enough(streams), draw(st.integers(0, 99)), 0.0, 1, None)


ANY = usual() | st.sampled_from(sorted(MECHANISMS)).flatmap(MECHANISMS.get)


@st.composite
def cases(draw):
    """Any scene, as it is or with extremes, stopped or not."""
    made = draw(ANY)
    stop_at = draw(st.none() | st.integers(1, 9))
    chunk = draw(st.sampled_from([1, 7, 100, 900]))
    where, streams, duration_s = made.where, tuple(made.streams), made.duration_s
    if draw(st.booleans()):
        # Such a run may never be over by itself.
        stop_at = stop_at or 9
        where = draw(extreme(where))
        streams = tuple(draw(extreme_streams(stream)) for stream in streams)
        duration_s *= draw(st.sampled_from([1, 1e-3, 1e6]))
    warmup_s = made.warmup_s if made.warmup_s < duration_s else 0.0
    return Case(where, streams, duration_s, made.seed, warmup_s, chunk, stop_at)


@st.composite
def switch_cases(draw):
    """Ports of which some have nothing but timers to run for a long time."""
    streams = draw(stream_sets())
    where = draw(switches([stream.name for stream in streams]))
    if draw(st.booleans()):
        where = draw(extreme(where))
    duration_s = long_enough(streams)
    streams = tuple(
        stream.replace(start_s=draw(st.sampled_from([0.0, 0.3, 2.0])) * duration_s, stop_s=None)
        for stream in streams
    )
    stop_at, chunk = draw(st.integers(1, 9)), draw(st.sampled_from([1, 7, 100]))
    warmup_s = draw(st.sampled_from([0.0, 0.0, 0.1])) * duration_s
    return Case(where, streams, duration_s, draw(st.integers(0, 99)), warmup_s, chunk, stop_at)


@st.composite
def tcp_cases(draw):
    """Hosts of the twin's test, before a port that may have a long ring."""
    port = draw(tcp_ports())
    port = port.replace(transmit_ring_packets=draw(st.sampled_from([0, 0, 5, 1000])))
    if draw(st.booleans()):
        port = port.replace(queues=(port.queues[0].replace(dropper=draw(DROPPERS)),))
    host = draw(st.sampled_from(sorted(RECOVERIES)).flatmap(hosts))
    stop_at, chunk = draw(st.integers(1, 9)), draw(st.sampled_from([1, 50, 900]))
    warmup_s = draw(st.sampled_from([0.0, 0.0, 0.05]))
    return Case(port, draw(STREAMS), 1.5, 1, warmup_s, chunk, stop_at, (host,))


def sizes_of(stream):
    if isinstance(stream.arrivals, Trace):
        return stream.arrivals.frames_bytes or (1,)
    mix = stream.frame_bytes
    return mix.sizes_bytes if isinstance(mix, FrameMix) else (mix,)


def service_s(where, octets, count):
    """Exact time that so many packets of so many bytes together take [s]."""
    if isinstance(where, p.Forwarder):
        return count * Fraction(where.packet_s) + octets * Fraction(where.byte_s)
    return 8 * (octets + count * Fraction(where.overhead_bytes)) / Fraction(where.rate_bps)


def holds(where, streams, result, warmup_s):
    """What must be so at one hop."""
    for counts in (result.packets, result.octets):
        assert_array_equal(counts.offered, counts.sent + counts.lost + counts.queued)
        assert (warmup_s > 0) or (counts.queued >= 0).all()
    took_s = service_s(where, int(result.octets.sent.sum()), int(result.packets.sent.sum()))
    frames = [sizes_of(stream) for stream in streams]
    longest_s = service_s(where, max(map(max, frames)), 1)
    # Departures are rounded down to picoseconds, and the duration is a float.
    rounding_s = Fraction(1, 10**12) + Fraction(result.duration_s) * Fraction(1, 10**12)
    assert took_s <= Fraction(result.duration_s) + longest_s + rounding_s
    for quantity in ("offered", "sent", "dropped"):
        for unit in ("pps", "bps"):
            assert np.isfinite(getattr(result, f"{quantity}_{unit}")).all()
    sent = result.packets.sent > 0
    low, mean, high = result.delay_min_s, result.delay_mean_s, result.delay_max_s
    for latency_s in (low, mean, high):
        assert_array_equal(np.isnan(latency_s), ~sent)
    assert (low[sent] <= mean[sent] * (1 + 1e-12)).all()
    assert (mean[sent] <= high[sent] * (1 + 1e-12)).all()
    for least_s, sizes in zip(low, frames, strict=True):
        own_s = float(service_s(where, min(sizes), 1)) + where.base_delay_s
        assert math.isnan(least_s) or least_s >= own_s * (1 - 1e-12) - 2e-12
    assert_array_equal(result.histogram.counts.sum(1), result.packets.sent)
    history = result.history
    assert history.time_s[-1] <= warmup_s + result.duration_s + 1.5e-12
    for ours, counted in (("offered", "offered"), ("sent", "sent"), ("dropped", "lost")):
        within = getattr(history, f"{ours}_packets").sum(1)
        assert (within <= getattr(result.packets, counted)).all()


def exact(time_s):
    """Whether floats up to this time hold every picosecond."""
    return time_s * 1e12 < 2**51


def traced(result, warmup_s):
    """The counts are those of the packets one by one."""
    trace, end_s = result.trace, warmup_s + result.duration_s
    assert len(trace.stream) < MOST
    if not exact(end_s):
        return
    departure = picoseconds(np.nan_to_num(trace.departure_s, nan=-1.0))
    left = (departure >= picoseconds(warmup_s)) & (departure <= picoseconds(end_s))
    for stream in range(len(result.streams)):
        mine = trace.stream == stream
        assert result.packets.sent[stream] == (mine & left).sum()
        if not warmup_s:
            assert result.packets.lost[stream] == (mine & (trace.cause != "")).sum()


def members(hop, streams):
    return [s for s in streams if not hop.streams or s.name in hop.streams]


def is_a_run_that_ends_there(case, result):
    """All that was counted is what a run to that time counts."""
    end_s = case.warmup_s + result.duration_s
    crowded = any(stream.rate_bps == MOST_BPS for stream in case.streams)
    if crowded or not exact(end_s):
        return  # A thousand packets of one picosecond are not played all at once.
    whole = case.record(stop_at=None, duration_s=end_s)
    for ours, theirs in zip((result, *result.hops), (whole, *whole.hops), strict=True):
        same(
            *(
                dataclasses.replace(r, history=None, interrupted=False, tcp=None)
                for r in (ours, theirs)
            )
        )


@many(300)
@given(cases())
def test_any_run_of_packets_stopped_anywhere(case):
    any_run(case)


@many(200)
@given(switch_cases())
def test_any_run_of_a_switch_stopped_anywhere(case):
    any_run(case)


def any_run(case):
    try:
        result = case.record()
    except ValueError:
        reject()
    if result is None:
        assert case.stop_at is not None
        return
    if isinstance(case.where, p.Chain | p.Switch):
        for hop, of_hop in zip(case.where.hops, result.hops, strict=True):
            assert of_hop.duration_s == result.duration_s
            holds(hop.at, members(hop, case.streams), of_hop, case.warmup_s)
        for counts in (result.packets, result.octets):
            assert (case.warmup_s > 0) or (counts.queued >= 0).all()
        assert_array_equal(result.histogram.counts.sum(1), result.packets.sent)
    else:
        holds(case.where, case.streams, result, case.warmup_s)
        traced(result, case.warmup_s)
    if result.interrupted:
        is_a_run_that_ends_there(case, result)


@many(100)
@given(tcp_cases())
def test_any_run_of_tcp_stopped_anywhere(case):
    result = case.record()
    if result is None:
        return
    flows = [flow for host in case.hosts for flow in host.flows]
    sources = [Stream(flow.name, 0.0, flow.frame_bytes) for flow in flows]
    holds(case.where, [*sources, *case.streams], result, case.warmup_s)
    record, count = result.tcp, len(flows)
    again = record.first_send_drops + record.retransmit_drops
    assert_array_equal(again, result.packets.lost[:count])
    sizes = np.array([flow.mss_bytes for flow in flows])
    if not case.warmup_s:
        # What has been received as data was sent: so no line is too fast for that either.
        assert (record.goodput_bytes / sizes <= result.packets.sent[:count]).all()
        sent = result.history.sent_packets[:count].cumsum(axis=1)
        assert (record.received_bytes.cumsum(axis=1) / sizes[:, None] <= sent).all()
    for name in ("window_packets", "goodput_bps"):
        assert np.isfinite(getattr(record, name)).all()
    if result.interrupted:
        is_a_run_that_ends_there(case, result)
