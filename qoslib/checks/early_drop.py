"""Rules on random early detection."""

from collections.abc import Iterator
from itertools import pairwise

from qoslib import units
from qoslib.checks.buffers import deepest_s
from qoslib.checks.checked_port import CheckedPort, Member
from qoslib.checks.priority import VOICE
from qoslib.checks.rule import Found, rule
from qoslib.checks.thresholds import lowered, profiles_of, thresholds_of
from qoslib.port import ByteLimit, PacketLimit, Red

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
        limit = member.queue.limit
        kinds = {PacketLimit: "packets", ByteLimit: "B"}
        most = getattr(limit, "packets", None) or getattr(limit, "limit_bytes", None)
        over = [
            (mark, high)
            for mark, _, each in profiles_of(red)
            for _, high, unit in [thresholds_of(each)]
            if most is not None and unit == kinds.get(type(limit)) and high > most
        ]
        if over:
            mark, high = max(over, key=lambda each: each[1])
            unit = kinds[type(limit)]
            yield Found(
                checked.line(member, "dropper"),
                f"WRED of {member.name} reaches its maximum at {high:,.10g} {unit}, the queue ends"
                f" at {most:,.10g}: tail drop comes first.",
                f"{high:,.10g} > {most:,.10g} {unit} ({mark}).",
                _room(checked, member, high, most or 0),
            )


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
    return checked.fixes.early(member, lowered(red, most) if isinstance(red, Red) else [])


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
        words = load.words.lower() if load else ""
        # Of AF4x each drop precedence has its thresholds: its senders change their encoding.
        video = "video" in words and not _CONFERENCES & set(member.of.marks)
        steady = load is not None and not load.flows and (video or "call" in words)
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
    "wred-tiny",
    "warning",
    "RFC 7567, section 2: active management leaves room for bursts",
)
def wred_tiny(checked: CheckedPort) -> Iterator[Found]:
    """WRED drops all packets from a queue of one or two packets on, or of less than a frame."""
    for member, red in _early(checked):
        for mark, index, profile in profiles_of(red):
            low, high, unit = thresholds_of(profile)
            origin = checked.origin(member, f"dropper.profiles[{mark!r}]" if index >= 0 else _BASE)
            if origin is None or not origin.line:
                continue
            short = unit == "B" and high < member.frame_bytes
            every = unit == "packets" and low <= _FEW and profile.maximum_probability >= 1
            if short or every or (unit == "packets" and high < 1):
                size = (
                    f"{high:,.10g} B are less than one frame"
                    if short
                    else f"{low:,.10g} to {high:,.10g}"
                )
                often = "" if short else f" packets, then {profile.maximum_probability:.0%} of them"
                yield Found(
                    origin.line,
                    f"WRED of {member.name} drops {mark} as soon as a packet or two wait.",
                    f"{size}{often}.",
                )
