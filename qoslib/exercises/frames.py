"""Exercises of lesson 04: a router that counts packets, not bits."""

from typing import Any

from qoslib import fluid, measurements, units
from qoslib.exercises.verdict import Verdict, close, number, right, wrong
from qoslib.platforms import mx150
from qoslib.port import Chain, Forwarder
from qoslib.traffic import FrameMix, Stream

__all__ = ["JUDGES"]

GAP_BYTES = float(mx150.FACTS.gap_bytes)
LINE_BPS = float(mx150.FACTS.line_bps)
SMALLEST, LARGEST = 64, 1518
#: Less lost than this is the dust of floating point [ratio].
LOSSLESS = 1e-9


def _millions(on_line_bytes):
    """Packets that fill a line, in millions a second."""
    return units.convert(units.rate_pps(LINE_BPS, on_line_bytes), "packets/s", "Mpackets/s")


def _line_rate(answer: Any) -> Verdict:
    """Packets of 128 B that fill a line of 10 Gb/s, in millions a second."""
    answer = number(answer, "million packets/s")
    if isinstance(answer, Verdict):
        return answer
    expected, bare = (_millions(128 + extra) for extra in (GAP_BYTES, 0))
    slips = [
        (bare, "without the 20 B that the line adds to each frame"),
        (2 * expected, "for both directions"),
    ]
    hint = "A frame takes its own bytes and 20 more on the line; rate_pps() divides."
    shows = "Twice that comes in, from both sides: more than double of what the router forwards."
    return close(answer, expected, "million packets/s", hint, shows, slips, within=0.005)


def _cap(answer: Any) -> Verdict:
    """One cap that gives every row of the table, in million packets a second."""
    answer = number(answer, "million packets/s")
    if isinstance(answer, Verdict):
        return answer
    if answer <= 0:
        return wrong("a router that forwards nothing has an easy table. Give it a cap.")
    off = [
        size
        for size, seen, said in _rows(units.convert(answer, "Mpackets/s", "packets/s"))
        if round(said) != seen
    ]
    if off:
        return wrong(
            f"with {answer:g} million packets/s the frames of {off} B come out otherwise than"
            " printed. Each row allows a range of caps: find what all of them allow."
        )
    return right(f"{answer:g} million packets/s give all ten rows, each as it is printed.")


def _rows(cap_pps):
    """Frame size, published and modelled Gb/s of each row of the table."""
    table = measurements.load("mx150_throughput").query("quantity == 'throughput'")
    for size, seen in zip(mx150.FRAMES, table["value"], strict=True):
        sent = fluid.solve(mx150.router(1 / cap_pps), mx150.streams(size)).sent_pps.sum()
        yield size, seen, units.convert(units.rate_bps(sent, size + GAP_BYTES), "bit/s", "Gbit/s")


def _knee(answer: Any) -> Verdict:
    """The least frame with which lines of 2.5 Gb/s in each direction stay full, in bytes."""
    answer = number(answer, "B")
    if isinstance(answer, Verdict):
        return answer
    engine = mx150.router().hops[0].at
    assert isinstance(engine, Forwarder)
    expected, full = (fluid.knee_bytes(engine, lines * LINE_BPS, GAP_BYTES) for lines in (1.0, 2.0))
    slips = [(full, "for both lines full"), (expected + GAP_BYTES, "with the gap still in it")]
    hint = "Half of 20 Gb/s over the cap is what a packet may take of the line, gap included."
    shows = "Half the bits, and the knee is at less than half the size: the gap counts too."
    return close(answer, expected, "B", hint, shows, slips)


def _mix(answer: Any) -> Verdict:
    """The largest share of 64 B packets among 1518 B ones that loses nothing, in per cent."""
    answer = number(answer, "% of the packets")
    if isinstance(answer, Verdict):
        return answer
    if answer > 99:
        return wrong(f"{answer:g} % leaves hardly a large frame in the mix. Take fewer small ones.")
    lost, more = (_lost_in_mix(answer + step) for step in (0, 1))
    if lost > 0.001:
        return wrong(f"with {answer:g} % small packets {lost:.1%} of all are lost. Take fewer.")
    if more <= 0.001:
        return wrong(
            f"with {answer:g} % small packets nothing is lost, but there is room for more."
        )
    return right(
        f"with {answer:g} % small packets nothing is lost. As bytes they are a tiny part: it is"
        " the mean frame that counts, weighted by packets."
    )


def _lost_in_mix(percent):
    """Share of the packets that is lost, both lines full [ratio]."""
    small = units.convert(percent, "%", "1")
    mix = FrameMix((SMALLEST, LARGEST), (small, 1 - small)) if percent else LARGEST
    return _lost(mx150.router(), mx150.streams(mix))


def _lost(where, streams):
    result = fluid.solve(where, streams)
    return float(result.dropped_pps.sum() / max(result.offered_pps.sum(), 1))


def _own(answer: Any) -> Verdict:
    """An engine of one's own that loses small frames, and none of large ones at the same rate."""
    if answer is None or answer is ...:
        return wrong("put (engine, [stream]) in place of the dots: a Forwarder and its streams.")
    if not isinstance(answer, tuple) or len(answer) != 2:
        return wrong("give two things in brackets: (engine, [stream]).")
    engine, streams = answer
    streams = [streams] if isinstance(streams, Stream) else list(streams)
    if not isinstance(engine, Forwarder | Chain) or not streams:
        return wrong("the first of the two must be a Forwarder, the second a list of Stream.")
    small = _lost(engine, streams)
    large = _lost(engine, [each.replace(frame_bytes=LARGEST) for each in streams])
    if small <= LOSSLESS:
        return wrong("your engine keeps up with its streams. Offer smaller frames, or more.")
    if large > LOSSLESS:
        return wrong(f"it loses {large:.1%} of 1518 B frames too. Offer it fewer bits.")
    return right(f"{small:.1%} of the packets are lost, and none of 1518 B at the same rate.")


JUDGES = {
    "04.1": _line_rate,
    "04.2": _cap,
    "04.3": _knee,
    "04.4": _mix,
    "04.5": _own,
}
