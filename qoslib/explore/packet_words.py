"""What a packet view says in words: its times and its summary."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.explore.lane_description import Lane

__all__ = ["summary", "time_words"]

_TIMES = {"s": "s", "ms": "ms", "us": "µs"}


def time_words(time_s: float) -> str:
    """A time [s] with three digits, in the unit that suits it.

    >>> time_words(3.0), time_words(0.0301), time_words(0.999996), time_words(2e-6)
    ('3 s', '30.1 ms', '1 s', '2 µs')
    """
    # In the first unit in which three digits come to 1 or more; in the last if none does.
    digits = {unit: float(f"{units.convert(time_s, 's', unit):.3g}") for unit in _TIMES}
    unit = next((unit for unit in _TIMES if digits[unit] >= 1), [*_TIMES][-1])
    return f"{digits[unit]:g} {_TIMES[unit]}"


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
