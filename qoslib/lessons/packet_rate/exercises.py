"""Exercises of lesson 05: an engine that takes the same time for each packet."""

from qoslib import fluid, units
from qoslib.lessons.exercise import edge, read
from qoslib.platforms import mx150
from qoslib.port import Chain, Forwarder
from qoslib.tolerances import LOSSLESS
from qoslib.traffic import FrameMix, Stream

__all__ = ["EXERCISES"]

GAP_BYTES, CHECK_BYTES = float(mx150.FACTS.gap_bytes), float(mx150.FACTS.check_bytes)
LINE_BPS = float(mx150.FACTS.line_bps)
SMALLEST, LARGEST = 64, 1518


def line_rate(frame):
    """Packets of so many bytes that fill a line of 10 Gb/s, in millions a second."""
    expected, bare = (
        units.convert(units.rate_pps(LINE_BPS, frame + extra), "packets/s", "Mpackets/s")
        for extra in (GAP_BYTES, 0)
    )
    return expected, {"bare": bare, "both": 2 * expected}


def hidden_frames(octets):
    """Frames of 64 B that a port sent beyond 500 million packets of 64 B, in millions."""
    more = octets - 500 * SMALLEST
    expected = more / SMALLEST
    on_line, unchecked = (more / (SMALLEST + extra) for extra in (GAP_BYTES, -CHECK_BYTES))
    return expected, {"on_line": on_line, "unchecked": unchecked, "octets": more}


def knee(load):
    """The least frame of which nothing is lost at so many Gb/s in each direction, in bytes."""
    engine = mx150.router().hops[0].at
    assert isinstance(engine, Forwarder)
    expected, full = (
        fluid.knee_bytes(engine, 2 * bps, GAP_BYTES) for bps in (units.gbps(load), LINE_BPS)
    )
    return expected, {"full": full, "gap": expected + GAP_BYTES}


def mix(answer, large):
    """The largest share of 64 B packets among larger ones that loses nothing, in per cent."""
    lost, more = (_lost_in_mix(answer + step, round(large)) for step in (0, 1))
    return edge(lost <= 0.001, more <= 0.001, lost=lost)


def _lost_in_mix(percent, large):
    """Share of the packets that is lost, both lines full [ratio]."""
    small = units.convert(percent, "%", "1")
    frames = FrameMix((SMALLEST, large), (small, 1 - small)) if percent else large
    return _lost(mx150.router(), mx150.streams(frames))


def _lost(where, streams):
    result = fluid.solve(where, streams)
    return float(result.dropped_pps.sum() / max(result.offered_pps.sum(), 1))


def own(answer):
    """An engine of one's own that loses small frames, and none of large ones at the same rate."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        return "pair", {}
    engine, streams = answer
    streams = [streams] if isinstance(streams, Stream) else streams
    listed = isinstance(streams, list | tuple) and streams
    if not listed or not all(isinstance(each, Stream) for each in streams):
        return "streams", {}
    if not isinstance(engine, Forwarder | Chain):
        return "engine", {}
    small = _lost(engine, streams)
    large = _lost(engine, [each.replace(frame_bytes=LARGEST) for each in streams])
    if small <= LOSSLESS:
        return "idle", {}
    return ("bits" if large > LOSSLESS else "right"), {"small": small, "large": large}


EXERCISES = read(__file__, line_rate, hidden_frames, knee, mix, own)
