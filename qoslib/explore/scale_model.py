"""A scale model of a scenario: fewer packets, the same delays."""

import math
from typing import Any

from qoslib.port import (
    AsymmetricEwma,
    ByteLimit,
    ByteRedProfile,
    Chain,
    Dropper,
    Ewma,
    ExcessBurst,
    Forwarder,
    Hop,
    PacketLimit,
    Pause,
    Policer,
    Port,
    Queue,
    Red,
    RedProfile,
    Sampled,
    Shaper,
    Switch,
    TimeLimit,
    TimeRedProfile,
    TruncatingEwma,
)
from qoslib.port.averaging import Averaging
from qoslib.port.thresholds import Thresholds
from qoslib.record import Positive, checked, fail
from qoslib.scenario import Scenario
from qoslib.traffic import FrameMix, Stream, Trace

__all__ = ["divided"]


def divided(scenario: Scenario, by: float) -> Scenario:
    """The scenario with all rates divided, and what packets and bytes limit with them.

    Frames stay as large, so each takes so many times as long on the link. What counts packets or
    bytes is divided too, and then stands for the same time: limits, pools, the transmit ring,
    bursts of policers and shapers, fill levels for PAUSE and thresholds of RED. An average of
    RED that remembers ``2**exponent`` packets gets a smaller exponent. Quanta are divided,
    because a round of kept ones would take longer; where a quantum becomes less than a frame, a
    queue collects it over several turns. Times, weights and shares stay as they are.

    Nothing is divided to less than one packet or the largest frame, and a quantum to no less than
    a byte: a model with few packets in a queue or a turn has their grain in its delays.

    Parameters
    ----------
    scenario : Scenario
        Without TCP hosts, whose windows do not scale.
    by : float
        Above 0.

    Returns
    -------
    Scenario

    Raises
    ------
    ValueError
        If there are TCP hosts or recorded arrivals, or the number is not above 0.

    Examples
    --------
    >>> from qoslib import Port, Queue, Stream, TimeLimit
    >>> port = Port("core", 10e9, (Queue("all", TimeLimit(0.1, at="line")),))
    >>> small = divided(Scenario("core", port, (Stream("data", 12e9),)), 80)
    >>> small.network.rate_bps, small.streams[0].rate_bps
    (125000000.0, 150000000.0)
    """
    by = checked(Positive, by, "by")
    if scenario.hosts:
        fail(f"Scenario {scenario.name!r} hosts", len(scenario.hosts), "none in a scale model")
    frame = max(_largest(stream) for stream in scenario.streams)
    network = scenario.network
    streams = tuple(_stream(stream, by) for stream in scenario.streams)
    if not isinstance(network, Chain | Switch):
        return scenario.replace(network=_at(network, by, frame), streams=streams)
    hops = tuple(Hop(_at(hop.at, by, frame), hop.streams) for hop in network.hops)
    return scenario.replace(network=network.replace(hops=hops), streams=streams)


def _largest(stream: Stream) -> int:
    sizes = stream.frame_bytes
    return max(sizes.sizes_bytes) if isinstance(sizes, FrameMix) else sizes


def _stream(stream: Stream, by: float) -> Stream:
    if isinstance(stream.arrivals, Trace):
        fail(f"Stream {stream.name!r}", "a Trace", "arrivals with a rate in a scale model")
    access_bps = stream.access_bps and stream.access_bps / by
    return stream.replace(rate_bps=stream.rate_bps / by, access_bps=access_bps)


def _at(at: Port | Forwarder, by: float, frame: int) -> Port | Forwarder:
    if isinstance(at, Forwarder):
        queue, pause = _queue(at.queue, by, frame), _pause(at.pause, by)
        packet_s, byte_s = at.packet_s * by, at.byte_s * by
        return at.replace(queue=queue, packet_s=packet_s, byte_s=byte_s, pause=pause)
    queues = tuple(_queue(queue, by, frame) for queue in at.queues)
    pools = tuple(
        pool.replace(limit_bytes=max(round(pool.limit_bytes / by), pool.taken_bytes(frame)))
        for pool in at.pools
    )
    shaper, ring = _meter(at.shaper, by, frame), at.transmit_ring_packets
    return at.replace(
        rate_bps=at.rate_bps / by,
        transmit_ring_packets=ring and _packets(ring, by),
        queues=queues,
        pools=pools,
        shaper=shaper,
        pause=_pause(at.pause, by),
    )


def _queue(queue: Queue, by: float, frame: int) -> Queue:
    return queue.replace(
        limit=_limit(queue.limit, by, frame),
        reserved_bytes=int(queue.reserved_bytes / by),
        limits=tuple((mark, _limit(limit, by, frame)) for mark, limit in queue.limits),
        dropper=_dropper(queue.dropper, by),
        marking=None if queue.marking is None else _profile(queue.marking, by),
        quantum_bytes=queue.quantum_bytes and max(round(queue.quantum_bytes / by), 1),
        guaranteed_bps=queue.guaranteed_bps / by,
        policer=_meter(queue.policer, by, frame),
        shaper=_meter(queue.shaper, by, frame),
    )


def _limit(
    limit: PacketLimit | ByteLimit | TimeLimit, by: float, frame: int
) -> PacketLimit | ByteLimit | TimeLimit:
    if isinstance(limit, TimeLimit):
        return limit
    resume = None if limit.resume is None else round(limit.resume / by)
    if isinstance(limit, ByteLimit):
        size = max(round(limit.limit_bytes / by), frame)
        return ByteLimit(size, None if resume is None else min(resume, size - 1))
    packets = _packets(limit.packets, by)
    size_bytes = limit.limit_bytes and max(round(limit.limit_bytes / by), frame)
    return PacketLimit(packets, size_bytes, None if resume is None else min(resume, packets - 1))


def _pause(pause: Pause | None, by: float) -> Pause | None:
    if pause is None:
        return None
    high_packets = _packets(pause.high_packets, by)
    low_packets = min(round(pause.low_packets / by), high_packets - 1)
    return pause.replace(high_packets=high_packets, low_packets=low_packets)


def _meter(meter: Policer | Shaper | None, by: float, frame: int) -> Any:
    if meter is None:
        return None
    meter = meter.replace(
        rate_bps=meter.rate_bps / by, burst_bytes=max(round(meter.burst_bytes / by), frame)
    )
    if isinstance(meter, Policer) and meter.excess is not None:
        scaled: dict[str, float] = {"burst_bytes": max(round(meter.excess.burst_bytes / by), frame)}
        if not isinstance(meter.excess, ExcessBurst):
            scaled["rate_bps"] = meter.excess.rate_bps / by
        meter = meter.replace(excess=meter.excess.replace(**scaled))
    if isinstance(meter, Policer) and meter.congestion_packets is not None:
        meter = meter.replace(congestion_packets=_packets(meter.congestion_packets, by))
    return meter


def _packets(packets: int, by: float) -> int:
    return max(round(packets / by), 1)


def _dropper(dropper: Dropper, by: float) -> Dropper:
    if not isinstance(dropper, Red):
        return dropper
    return dropper.replace(
        profile=_profile(dropper.profile, by),
        profiles=tuple((mark, _profile(profile, by)) for mark, profile in dropper.profiles),
        averaging=_averaging(dropper.averaging, by),
    )


def _profile(profile: Thresholds, by: float) -> Thresholds:
    match profile:
        case RedProfile(low, high):
            return profile.replace(minimum_packets=low / by, maximum_packets=high / by)
        case ByteRedProfile(low, high):
            return profile.replace(minimum_bytes=low / by, maximum_bytes=high / by)
        case TimeRedProfile():
            return profile.replace(rate_bps=profile.rate_bps / by)
        case _:
            # Shares of a limit, which is divided itself.
            return profile


def _averaging(look: Averaging, by: float) -> Averaging:
    if isinstance(look, Ewma | TruncatingEwma | AsymmetricEwma):
        # An average of fewer packets, which take as long to come.
        look = look.replace(exponent=min(max(round(look.exponent - math.log2(by)), 0), 30))
    if isinstance(look, Sampled):
        high_packets = max(round(look.high_packets / by), 1)
        low_packets = min(round(look.low_packets / by), high_packets - 1)
        look = look.replace(high_packets=high_packets, low_packets=low_packets)
    if isinstance(look, Sampled | AsymmetricEwma) and look.release_packets is not None:
        look = look.replace(release_packets=round(look.release_packets / by))
    return look
