"""TCP at a buffer, and senders that are paced below and above their share."""

from livelab.experiment import Experiment, Point
from qoslib import (
    Bbr,
    ByteLimit,
    Cubic,
    Flow,
    FqPacing,
    Host,
    Poisson,
    Port,
    Queue,
    Reno,
    Scenario,
    Stream,
    units,
)
from qoslib.flows import Congestion, HyStart, SlowStart, linux_host

__all__ = ["PACING", "TCP_BUFFERS", "scenario"]

LINE_BPS, ROUND_TRIP_S = units.mbps(50), units.ms(50)
SEGMENT_BYTES, FRAME_BYTES, OVERHEAD_BYTES = 1448, 1514, 24
#: A stream beside the two connections takes a fifth of the link.
STREAM_BPS, STREAM_BYTES = units.mbps(10), 1490
#: One bandwidth-delay product is 312 kB: about all of it, half, a fifth, a tenth and a twentieth.
LARGE_BYTES, MIDDLE_BYTES, SMALL_BYTES = 300_000, 150_000, 60_000
SHALLOW_BYTES, LEAST_BYTES = 30_000, 15_000
#: What the hosts' cables carry at most, for the models [bit/s].
ACCESS_BPS = units.gbps(1)


def scenario(congestion: Congestion, buffer_bytes: int, paced_bps: float = 0.0) -> Scenario:
    """Two connections beside a Poisson stream.

    Parameters
    ----------
    congestion : Reno, Cubic or Bbr
    buffer_bytes : int
        Of the port [B].
    paced_bps : float
        Of each connection; 0 for no pacing [bit/s].

    Returns
    -------
    Scenario
        No device joins segments, so an ACK is for two.

    Examples
    --------
    >>> scenario(Reno(), 60_000).hosts[0].burst_packets
    2
    """
    queue = Queue("all", ByteLimit(buffer_bytes))
    port = Port("TCP", LINE_BPS, (queue,), overhead_bytes=OVERHEAD_BYTES)
    slow_start = SlowStart(hystart=HyStart() if isinstance(congestion, Cubic) else None)
    flows = tuple(
        Flow(
            name,
            ROUND_TRIP_S,
            congestion,
            slow_start=slow_start,
            mss_bytes=SEGMENT_BYTES,
            frame_bytes=FRAME_BYTES,
        )
        for name in ("first", "second")
    )
    host = Host(
        "sender",
        ACCESS_BPS,
        flows,
        pacing=FqPacing(paced_bps) if paced_bps else None,
        jitter_s=units.serialisation_s(FRAME_BYTES, LINE_BPS),
    )
    stream = Stream("stream", STREAM_BPS, STREAM_BYTES, Poisson())
    share_bps = (LINE_BPS - STREAM_BPS) / len(flows)
    sender = linux_host(host, share_bps, joins=False)
    return Scenario("TCP", port, (stream,), 12.0, 2.0, hosts=(sender,))


TCP_BUFFERS = Experiment(
    "tcp_buffers",
    "How much buffer does TCP need?",
    (
        Point("cubic_300_kB", scenario(Cubic(), LARGE_BYTES), {}),
        Point("cubic_150_kB", scenario(Cubic(), MIDDLE_BYTES), {}),
        Point("cubic_60_kB", scenario(Cubic(), SMALL_BYTES), {}),
        Point("cubic_30_kB", scenario(Cubic(), SHALLOW_BYTES), {}),
        Point("cubic_15_kB", scenario(Cubic(), LEAST_BYTES), {}),
        Point("reno_60_kB", scenario(Reno(), SMALL_BYTES), {}),
        Point("reno_30_kB", scenario(Reno(), SHALLOW_BYTES), {}),
        Point("reno_15_kB", scenario(Reno(), LEAST_BYTES), {}),
        Point("bbr_60_kB", scenario(Bbr(), SMALL_BYTES), {}),
    ),
    ("htb", "bfifo", "AF_PACKET", "reno", "cubic", "bbr"),
    "esnet: the mechanism; the published tests are at 10 Gb/s",
    "A shallow buffer costs CUBIC and Reno throughput. BBR keeps it, and drops far more packets.",
)

PACING = Experiment(
    "pacing",
    "What does pacing cost a sender, and what does it save?",
    tuple(
        Point(f"paced_{rate}_Mbps", scenario(Cubic(), SHALLOW_BYTES, units.mbps(rate)), {})
        for rate in (15, 19, 25)
    ),
    ("htb", "bfifo", "AF_PACKET", "cubic"),
    "esnet: the mechanism; the published tests are at 10 Gb/s",
    "Paced below its share, a sender loses almost nothing at a shallow buffer. Above it, packets"
    " are dropped again.",
)
