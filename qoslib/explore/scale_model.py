"""A scale model of a scenario: fewer packets, the same delays."""

from typing import Any

from qoslib.port import (
    ByteLimit,
    Chain,
    Forwarder,
    Hop,
    PacketLimit,
    Pause,
    Policer,
    Port,
    Queue,
    Shaper,
    TimeLimit,
)
from qoslib.record import Positive, checked, fail
from qoslib.scenario import Scenario
from qoslib.traffic import FrameMix, Stream, Trace

__all__ = ["divided"]


def divided(scenario: Scenario, by: float) -> Scenario:
    """The scenario with all rates divided, and what packets and bytes limit with them.

    A limit in time keeps its packets waiting for as long. Limits in packets or bytes, fill
    levels for PAUSE and the bursts of policers and shapers hold as much less, but one frame at
    least, so they keep their time too. Frames, quanta and weights stay as they are.

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
    if not isinstance(network, Chain):
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
        pool.replace(limit_bytes=max(round(pool.limit_bytes / by), frame)) for pool in at.pools
    )
    shaper = _meter(at.shaper, by, frame)
    return at.replace(
        rate_bps=at.rate_bps / by,
        queues=queues,
        pools=pools,
        shaper=shaper,
        pause=_pause(at.pause, by),
    )


def _queue(queue: Queue, by: float, frame: int) -> Queue:
    limit: PacketLimit | ByteLimit | TimeLimit = queue.limit
    if isinstance(limit, PacketLimit):
        limit = PacketLimit(max(round(limit.packets / by), 1))
    elif isinstance(limit, ByteLimit):
        limit = ByteLimit(max(round(limit.limit_bytes / by), frame))
    return queue.replace(
        limit=limit,
        guaranteed_bps=queue.guaranteed_bps / by,
        policer=_meter(queue.policer, by, frame),
        shaper=_meter(queue.shaper, by, frame),
    )


def _pause(pause: Pause | None, by: float) -> Pause | None:
    if pause is None:
        return None
    high_packets = max(round(pause.high_packets / by), 1)
    low_packets = min(round(pause.low_packets / by), high_packets - 1)
    return pause.replace(high_packets=high_packets, low_packets=low_packets)


def _meter(meter: Policer | Shaper | None, by: float, frame: int) -> Any:
    if meter is None:
        return None
    burst_bytes = max(round(meter.burst_bytes / by), frame)
    return meter.replace(rate_bps=meter.rate_bps / by, burst_bytes=burst_bytes)
