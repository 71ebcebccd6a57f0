"""Exercises of lesson 04: a router that counts packets, not bits."""

from typing import Any

from qoslib import fluid, measurements, units
from qoslib.lessons.exercise import (
    Exercise,
    NoAnswer,
    Number,
    Verdict,
    close,
    number,
    right,
    wrong,
)
from qoslib.platforms import mx150
from qoslib.port import Chain, Forwarder
from qoslib.traffic import FrameMix, Stream

__all__ = ["EXERCISES"]

GAP_BYTES = float(mx150.FACTS.gap_bytes)
LINE_BPS = float(mx150.FACTS.line_bps)
SMALLEST, LARGEST = 64, 1518
#: Less lost than this is the dust of floating point [ratio].
LOSSLESS = 1e-9


def _millions(on_line_bytes):
    """Packets that fill a line, in millions a second."""
    return units.convert(units.rate_pps(LINE_BPS, on_line_bytes), "packets/s", "Mpackets/s")


def _line_rate(answer: Any, frame: float) -> Verdict:
    """Packets of so many bytes that fill a line of 10 Gb/s, in millions a second."""
    answer = number(answer, "million packets/s")
    expected, bare = (_millions(frame + extra) for extra in (GAP_BYTES, 0))
    slips = [
        (bare, "without the 20 B that the line adds to each frame"),
        (2 * expected, "for both directions"),
    ]
    hint = "A frame takes its own bytes and 20 more on the line; rate_pps() divides."
    shows = "Twice that comes in, from both sides. Compare it with the router's 7.5 million."
    return close(answer, expected, "million packets/s", hint, shows, slips, within=0.005)


def _cap(answer: Any) -> Verdict:
    """One cap that gives every row of the table, in million packets a second."""
    answer = number(answer, "million packets/s")
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


def _knee(answer: Any, load: float) -> Verdict:
    """The least frame of which nothing is lost at so many Gb/s in each direction, in bytes."""
    answer = number(answer, "B")
    engine = mx150.router().hops[0].at
    assert isinstance(engine, Forwarder)
    expected, full = (
        fluid.knee_bytes(engine, 2 * bps, GAP_BYTES) for bps in (units.gbps(load), LINE_BPS)
    )
    slips = [(full, "for both lines full"), (expected + GAP_BYTES, "with the gap still in it")]
    hint = "Both directions over the cap is what a packet may take of the line, gap included."
    shows = "The knee moves by more than the bits do: the gap counts too."
    return close(answer, expected, "B", hint, shows, slips)


def _mix(answer: Any, large: float) -> Verdict:
    """The largest share of 64 B packets among larger ones that loses nothing, in per cent."""
    answer = number(answer, "% of the packets")
    if answer > 99:
        return wrong(f"{answer:g} % leaves hardly a large frame in the mix. Take fewer small ones.")
    lost, more = (_lost_in_mix(answer + step, round(large)) for step in (0, 1))
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


def _lost_in_mix(percent, large):
    """Share of the packets that is lost, both lines full [ratio]."""
    small = units.convert(percent, "%", "1")
    mix = FrameMix((SMALLEST, large), (small, 1 - small)) if percent else large
    return _lost(mx150.router(), mx150.streams(mix))


def _lost(where, streams):
    result = fluid.solve(where, streams)
    return float(result.dropped_pps.sum() / max(result.offered_pps.sum(), 1))


def _own(answer: Any) -> Verdict:
    """An engine of one's own that loses small frames, and none of large ones at the same rate."""
    if answer is None or answer is ...:
        raise NoAnswer("put (engine, [stream]) in place of the dots: a Forwarder and its streams.")
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise NoAnswer("give two things in brackets: (engine, [stream]).")
    engine, streams = answer
    streams = [streams] if isinstance(streams, Stream) else streams
    listed = isinstance(streams, list | tuple) and streams
    if not listed or not all(isinstance(each, Stream) for each in streams):
        raise NoAnswer("the second of the two must be a list of Stream, with at least one in it.")
    if not isinstance(engine, Forwarder | Chain):
        raise NoAnswer("the first of the two must be a Forwarder, or a Chain with one.")
    small = _lost(engine, streams)
    large = _lost(engine, [each.replace(frame_bytes=LARGEST) for each in streams])
    if small <= LOSSLESS:
        return wrong("your engine keeps up with its streams. Offer smaller frames, or more.")
    if large > LOSSLESS:
        return wrong(f"it loses {large:.1%} of 1518 B frames too. Offer it fewer bits.")
    return right(f"{small:.1%} of the packets are lost, and none of 1518 B at the same rate.")


EXERCISES = {
    "04.1": Exercise(
        _line_rate,
        "add 20 bytes, take eight bits each, and divide 10,000 million bits by that.",
        "How many packets of {frame} bytes fill one line of 10 Gb/s, in millions a second?",
        {"frame": Number(128, 72, 600, 4)},
    ),
    "04.2": Exercise(
        _cap,
        "divide both ends of each row's range by its bits on the line, as in the lesson, and take"
        " what lies in all of them.",
    ),
    "04.3": Exercise(
        _knee,
        "add both directions up, divide by 7.545 million packets a second and by 8 bits, and take"
        " the gap off.",
        "Only {load} Gb/s are offered in each direction, all frames of one size. What is the"
        " smallest frame (in bytes) of which nothing is lost?",
        {"load": Number(5, 3, 9.5, 0.25)},
    ),
    "04.4": Exercise(
        _mix,
        "the mean frame must not be below the knee of 311 B: s x 64 + (1 - s) x the large one.",
        "Both lines are full, with a mix of 64 B and {large} B frames. Up to which share of small"
        " ones (in % of the packets) is nothing lost?",
        {"large": Number(1518, 600, 1519, 6)},
    ),
    "04.5": Exercise(
        _own,
        "an engine of 1 us a packet forwards a million a second; offer it 1 Gb/s of 64 B.",
    ),
}
