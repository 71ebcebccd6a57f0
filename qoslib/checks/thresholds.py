"""Thresholds of random early detection, and commands that lower them."""

from collections.abc import Sequence
from typing import TypeVar

from qoslib import units
from qoslib.config.amounts import size_text
from qoslib.port import DropProfile, Queue, Red
from qoslib.port.thresholds import ByteRedProfile, RedProfile, ShareRedProfile, Thresholds

__all__ = ["command_of", "dropped_from", "lowered", "profiles_of", "thresholds_of"]

T = TypeVar("T")
#: Unit of a threshold -> how many of the command's unit it is, and the word of that.
_WORDS = {
    "packets": (1.0, ""),
    "B": (1.0, " bytes"),
    "s": (float(units.convert(1.0, "s", "us")), " us"),
}


def thresholds_of(profile: Thresholds) -> tuple[float, float, str]:
    """Minimum and maximum of a profile, and their unit."""
    if isinstance(profile, RedProfile):
        return profile.minimum_packets, profile.maximum_packets, "packets"
    if isinstance(profile, ByteRedProfile):
        return profile.minimum_bytes, profile.maximum_bytes, "B"
    if isinstance(profile, ShareRedProfile):
        return profile.minimum_share, profile.maximum_share, "of the limit"
    return profile.minimum_s, profile.maximum_s, "s"


def profiles_of(red: Red) -> list[tuple[str, int, Thresholds]]:
    """Mark, place and profile; the first is that of all other marks."""
    own = [(mark, index, each) for index, (mark, each) in enumerate(red.profiles)]
    return [("others", -1, red.profile), *own]


def dropped_from(
    queue: Queue, marks: Sequence[str], held_bytes: float, frame_bytes: float
) -> tuple[float, str]:
    """The length from which early detection drops all that is sent to a queue [B], and its words.

    >>> from qoslib.port import PacketLimit, RedProfile
    >>> queue = Queue("data", PacketLimit(64), Red(RedProfile(20, 40)))
    >>> dropped_from(queue, ("AF21",), 96_000, 1500)
    (60000.0, '40 packets of 1,500 B, where early detection drops all,')
    """
    dropper, own = queue.dropper, set(marks)
    if isinstance(dropper, DropProfile):
        every = _of_marks(dropper.profiles, dropper.points, own)
        full = max(next((fill for fill, each in points if each >= 1), 1.0) for points in every)
        words = f"{full:.0%} of {size_text(held_bytes)}"
        return full * held_bytes, f"{words}, where its drop profile drops all,"
    if not isinstance(dropper, Red):
        return held_bytes, ""
    ends = []
    for profile in _of_marks(dropper.profiles, dropper.profile, own):
        _, high, unit = thresholds_of(profile)
        words = f"{high:,.0f} packets of {frame_bytes:,.0f} B"
        size = high * frame_bytes
        if unit != "packets":
            of_time = units.octets(high * getattr(profile, "rate_bps", 0.0))
            size = {"B": high, "of the limit": high * held_bytes, "s": of_time}[unit]
            words = size_text(size)
        ends.append((size, f"{words}, where early detection drops all,"))
    return max(ends)


def _of_marks(profiles: Sequence[tuple[str, T]], others: T, marks: set[str]) -> list[T]:
    """What holds for some marks: their own profiles, and that of all others unless each has one."""
    found = [profile for mark, profile in profiles if mark in marks]
    return found if found and len(found) == len(marks) else [*found, others]


def command_of(mark: str, low: float, high: float, unit: str) -> str:
    """The command (IOS) of a row of thresholds; empty where the unit has none.

    >>> command_of("AF31", 44, 60, "packets")
    'random-detect dscp af31 44 60'
    """
    if unit not in _WORDS:
        return ""
    kind, word = "dscp", {"others": "default"}.get(mark, mark.lower().removeprefix("dscp "))
    if mark.startswith("IP "):
        kind, word = "precedence", mark.removeprefix("IP ")
    times, word_of_unit = _WORDS[unit]
    least, highest = (f"{int(size * times)}{word_of_unit}" for size in (low, high))
    return f"random-detect {kind} {word} {least} {highest}"


def lowered(red: Red, most: float) -> list[tuple[str, float, float, str]]:
    """Rows that scale the thresholds that are above a limit down to it.

    >>> lowered(Red(RedProfile(20, 40), (("AF41", RedProfile(100, 300)),)), 128)
    [('AF41', 42.666666666666664, 128, 'packets')]
    """
    rows = [(mark, *thresholds_of(profile)) for mark, _, profile in profiles_of(red)]
    return [
        (mark, low * most / high, most, unit)
        for mark, low, high, unit in rows
        if unit in _WORDS and high > most
    ]
