"""What a packet view says in words: its times and rates, its lanes, and its summary."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.explore.packet_scene import Lane

__all__ = ["arrivals", "rate_words", "summary", "time_words"]

_TIMES = {"s": "s", "ms": "ms", "us": "µs"}
_RATES = {"Gbit/s": "Gb/s", "Mbit/s": "Mb/s", "kbit/s": "kb/s"}


def time_words(time_s: float) -> str:
    """A time [s] with three digits, in the unit that suits it.

    Examples
    --------
    >>> time_words(3.0), time_words(0.0301), time_words(0.999996), time_words(2e-6)
    ('3 s', '30.1 ms', '1 s', '2 µs')
    """
    return _said(time_s, "s", _TIMES)


def rate_words(rate_bps: float) -> str:
    """A rate [bit/s] with three digits, in the unit that suits it.

    Examples
    --------
    >>> rate_words(125e6), rate_words(2.4e9), rate_words(999.7e6)
    ('125 Mb/s', '2.4 Gb/s', '1 Gb/s')
    """
    return _said(rate_bps, "bit/s", _RATES)


def _said(value: float, base: str, known: dict[str, str]) -> str:
    """In the first unit in which three digits come to 1 or more; in the last if none does."""
    digits = {unit: float(f"{units.convert(value, base, unit):.3g}") for unit in known}
    unit = next((unit for unit in known if digits[unit] >= 1), [*known][-1])
    return f"{digits[unit]:g} {known[unit]}"


def arrivals(lane: Lane, offered_bps: float) -> str:
    """What arrives at a lane, over the rail on which it does."""
    if not lane.known or not offered_bps:
        return "arrivals"
    return f"{rate_words(offered_bps)} arrive"


def summary(lanes: Sequence[Lane], start_s: float, end_s: float) -> str:
    """What the picture shows between two times [s], in words."""
    said = [f"Packets in {time_words(end_s - start_s)}."]
    for lane in lanes:
        events = lane.events
        inside = (events.time_s >= start_s) & (events.time_s <= end_s)
        first_s = np.full(int(events.packet.max(initial=-1)) + 1, np.nan)
        kinds = events.kind
        arrives = np.unique(events.packet, return_index=True)[1]
        first_s[events.packet[arrives]] = events.time_s[arrives]
        gone = inside & (kinds == "departure")
        dropped = int((inside & (kinds == "drop")).sum())
        offered = int(inside[arrives].sum())
        delays_s = events.time_s[gone] - first_s[events.packet[gone]]
        delay = ""
        if len(delays_s):
            mean, most = time_words(float(delays_s.mean())), time_words(float(delays_s.max()))
            delay = f", with a mean delay of {mean} and at most {most}"
        said.append(
            f"{lane.title}: {offered:,} arrive, {dropped:,} are dropped, {len(delays_s):,} are "
            f"sent{delay}."
        )
    return " ".join(said)
