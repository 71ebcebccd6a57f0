"""Rules on random early detection."""

import math
from collections.abc import Iterator
from itertools import pairwise

from qoslib import units
from qoslib.checks.buffers import deepest_s
from qoslib.checks.checked_port import CheckedPort, Member
from qoslib.checks.priority import VOICE
from qoslib.checks.rule import Found, rule
from qoslib.checks.thresholds import lowered, profiles_of, thresholds_of
from qoslib.config.amounts import share_text
from qoslib.port import ByteLimit, DropProfile, PacketLimit, Red
from qoslib.port.thresholds import Thresholds, TimeRedProfile

__all__: list[str] = []

#: The place of the thresholds of all marks without a row.
_BASE = "dropper.profile"
#: A queue of so few packets is an ordinary burst.
_FEW = 2
#: Video of conferences, which early detection slows down (RFC 4594, section 4.3).
_CONFERENCES = {"AF41", "AF42", "AF43"}


def _early(checked: CheckedPort) -> Iterator[tuple[Member, Red]]:
    for member in checked.members:
        if isinstance(member.queue.dropper, Red):
            yield member, member.queue.dropper


@rule(
    "wred-over-limit",
    "error",
    "RFC 7567, section 2: active management acts before the queue is full",
)
def wred_over_limit(checked: CheckedPort) -> Iterator[Found]:
    """A threshold of WRED lies above the queue limit, so that tail drop comes first."""
    for member, red in _early(checked):
        most, unit = _queue_end(member)
        over = [
            (mark, reached)
            for mark, _, each in profiles_of(red)
            for _, high, _ in [thresholds_of(each)]
            if (reached := _in_unit_of(member, each, high, unit)) is not None and reached > most
        ]
        if over:
            mark, reached = max(over, key=lambda each: each[1])
            yield Found(
                checked.line(member, "dropper"),
                f"WRED of {member.name} reaches its maximum at {reached:,.10g} {unit}, but the"
                f" queue ends at {most:,.10g}: tail drop comes first.",
                f"{reached:,.10g} > {most:,.10g} {unit} ({mark}).",
                _room(checked, member, reached, most),
            )


def _queue_end(member: Member) -> tuple[float, str]:
    """Where the queue of a class ends, and its unit; nowhere where that depends on others."""
    limit = member.queue.limit
    if isinstance(limit, PacketLimit) and limit.packets:
        return limit.packets, "packets"
    if isinstance(limit, ByteLimit):
        return limit.limit_bytes, "B"
    return math.inf, ""


def _in_unit_of(member: Member, of: Thresholds, threshold: float, unit: str) -> float | None:
    """A threshold in the unit of the queue's limit; None where no size of a packet is known."""
    if thresholds_of(of)[2] == unit:
        return threshold
    if isinstance(of, TimeRedProfile) and unit:
        size_bytes = units.octets(threshold * of.rate_bps)
        return size_bytes if unit == "B" else size_bytes / member.frame_bytes
    return None


def _room(checked: CheckedPort, member: Member, high: float, most: float) -> str:
    """A limit twice the threshold, or lower thresholds where that would delay for too long."""
    packets = isinstance(member.queue.limit, PacketLimit)
    size_bytes = member.frame_bytes if packets else 1
    served_bps, longest_s = member.promise.served_bps, deepest_s(member)
    if served_bps and units.serialisation_s(2 * high * size_bytes, served_bps) <= longest_s:
        limit = {"packets" if packets else "size_bytes": 2 * high}
        return checked.fixes.early(member, [], **limit)
    if served_bps:
        most = min(most, units.octets(longest_s / 2 * served_bps) // size_bytes)
    red = member.queue.dropper
    if not isinstance(red, Red):
        return ""
    if isinstance(red.profile, TimeRedProfile):
        most = units.bits(most * size_bytes) / red.profile.rate_bps
    return checked.fixes.early(member, lowered(red, most))


@rule(
    "wred-on-realtime",
    "warning",
    "RFC 4594, figure 4: no active queue management for EF, CS5, CS4 and CS3",
)
def wred_on_realtime(checked: CheckedPort) -> Iterator[Found]:
    """WRED drops packets of senders that do not slow down."""
    for member, _ in _early(checked):
        marks = sorted(set(member.of.marks) & VOICE)
        load = member.load
        # Of AF4x each drop precedence has its thresholds: its senders change their encoding.
        video = not _CONFERENCES & set(member.of.marks)
        steady = load and not load.flows and (load.has_calls or (video and load.has_video))
        if marks or steady or member.strict:
            who = ", ".join(marks) or ("its traffic" if steady else "a class that is served first")
            yield Found(
                checked.line(member, "dropper"),
                f"WRED in class {member.name}: {who} does not slow down when packets are lost.",
                f"Sent to it: {load.words}." if steady and load else "",
                checked.fixes.removal(member, "random-detect"),
            )


@rule("wred-inverted", "warning", "RFC 2597, section 2: a higher drop precedence is dropped first")
def wred_inverted(checked: CheckedPort) -> Iterator[Found]:
    """Packets of a lower drop precedence are dropped before those of a higher one."""
    for member, red in _early(checked):
        profiles = {mark: each for mark, _, each in profiles_of(red)}
        for group in "1234":
            marks = [f"AF{group}{precedence}" for precedence in "123"]
            known = [mark for mark in marks if mark in profiles]
            for first, second in pairwise(known):
                low, _, unit = thresholds_of(profiles[first])
                other, _, _ = thresholds_of(profiles[second])
                if low < other:
                    # The maximum of a row must not be below its minimum.
                    high = max(thresholds_of(profiles[each])[1] for each in (first, second))
                    yield Found(
                        checked.line(member, "dropper"),
                        f"WRED of {member.name} drops {first} before {second}.",
                        f"{first} from {low:,.10g} {unit}, {second} from {other:,.10g}.",
                        checked.fixes.early(member, [(first, other, high, unit)]),
                    )


@rule(
    "early-drop-empty",
    "warning",
    "RFC 7567, section 2: active management leaves room for bursts",
)
def early_drop_empty(checked: CheckedPort) -> Iterator[Found]:
    """WRED or a drop profile drops packets though no queue has formed yet."""
    for member, red in _early(checked):
        for mark, profile, line in _written(checked, member, red):
            low, high, unit = thresholds_of(profile)
            often = profile.maximum_probability
            if not low and often and not _is_tiny(member, profile):
                yield Found(
                    line,
                    f"WRED of {member.name} drops {mark} though no queue has formed yet.",
                    f"Its minimum is 0: from there the probability rises to {share_text(often)} at"
                    f" {high:,.10g} {unit}.",
                )
    for member in checked.members:
        if isinstance(member.queue.dropper, DropProfile):
            yield from _at_no_fill(checked, member, member.queue.dropper)


def _at_no_fill(checked: CheckedPort, member: Member, of: DropProfile) -> Iterator[Found]:
    """The drop profile of a class, or of one of its marks, that drops at a fill level of 0."""
    each = [("packets", of.points), *of.profiles]
    often = {mark: points[0][1] for mark, points in each if points[0][0] == 0}
    mark = max(often, key=lambda mark: often[mark], default="")
    if mark and often[mark]:
        whose = "" if mark == "packets" else f"of {mark} "
        yield Found(
            checked.line(member, "dropper"),
            f"The drop profile {whose}of {member.name} drops packets though no queue has formed"
            " yet.",
            f"At a fill level of 0 it drops {share_text(often[mark])}.",
            severity="error" if often[mark] == 1 else None,
        )


def _written(
    checked: CheckedPort, member: Member, red: Red
) -> Iterator[tuple[str, Thresholds, int]]:
    """The profiles of WRED that a line says: mark, profile and line."""
    for mark, index, profile in profiles_of(red):
        origin = checked.origin(member, f"dropper.profiles[{mark!r}]" if index >= 0 else _BASE)
        if origin is not None and origin.line:
            yield mark, profile, origin.line


def _is_tiny(member: Member, profile: Thresholds) -> bool:
    """Whether all packets are dropped from one or two on, or from less than a frame on."""
    low, high, unit = thresholds_of(profile)
    every = unit == "packets" and low <= _FEW and profile.maximum_probability >= 1
    return every or _is_short(member, profile) or (unit == "packets" and high < 1)


def _is_short(member: Member, profile: Thresholds) -> bool:
    _, high, unit = thresholds_of(profile)
    return unit == "B" and high < member.frame_bytes


@rule(
    "wred-tiny",
    "warning",
    "RFC 7567, section 2: active management leaves room for bursts",
)
def wred_tiny(checked: CheckedPort) -> Iterator[Found]:
    """WRED drops all packets from a queue of one or two packets on, or of less than a frame."""
    for member, red in _early(checked):
        for mark, profile, line in _written(checked, member, red):
            if not _is_tiny(member, profile):
                continue
            low, high, _ = thresholds_of(profile)
            short = _is_short(member, profile)
            size = (
                f"{high:,.10g} B is less than one frame"
                if short
                else f"{low:,.10g} to {high:,.10g}"
            )
            often = "" if short else f" packets, then {profile.maximum_probability:.0%} of them"
            yield Found(
                line,
                f"WRED of {member.name} drops {mark} as soon as a packet or two are waiting.",
                f"{size}{often}.",
            )
