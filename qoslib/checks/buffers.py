"""Rules on how long queues are."""

import math
import re
from collections.abc import Iterator

from qoslib import units
from qoslib.checks.fixes import tc_line
from qoslib.checks.promises import BURST, FRAME_BYTES
from qoslib.checks.queueless import policed_alone
from qoslib.checks.rule import Case, Found, Member, rule
from qoslib.checks.thresholds import lowered
from qoslib.config.amounts import rate_text, size_text, time_text
from qoslib.port import (
    ByteLimit,
    Codel,
    PacketLimit,
    Pie,
    Red,
    SchedulerTree,
    TimeLimit,
    TimeRedProfile,
)

__all__ = ["DEEP_S", "SHALLOW_S", "deepest_s", "frame_bytes", "limit_fix"]

#: A queue that lasts longer at its served rate delays what it holds too much [s].
DEEP_S = 0.2
#: A shorter one drops the ordinary bursts of TCP [s].
SHALLOW_S = 0.01
#: Junos says with these that queues share a memory.
_POOL = re.compile(r"\b(buffer-dynamic-threshold|shared-buffer)\b")
#: So many full frames a queue needs to hold at least.
LEAST_FRAMES = 2
#: TCP's initial window (RFC 6928): a shorter queue drops packets of every connection that begins.
WINDOW_PACKETS = 10
#: A fix with more rows of thresholds is no fix to paste.
_MOST_ROWS = 6


def deepest_s(member: Member) -> float:
    """How long a full queue of a class may last: its target, or else 200 ms [s]."""
    return (member.load.target_s if member.load else None) or DEEP_S


def frame_bytes(member: Member) -> float:
    """The size of a packet where a limit counts packets: that of the load, or a full frame [B]."""
    limit, held_bytes = member.queue.limit, member.promise.held_bytes
    whole = not member.promise.held_why.startswith(BURST)
    if isinstance(limit, PacketLimit) and limit.limit_bytes is None and held_bytes and whole:
        return held_bytes / limit.packets
    return FRAME_BYTES


_TEMPORAL = re.compile(r"buffer-size temporal (\d+)(k?)\b")


def _candidates(case: Case) -> Iterator[tuple[Member, float, float]]:
    """Classes that wait, with what they hold [B] and how long it lasts [s]."""
    for member in case.members:
        held, lasts = member.promise.held_bytes, member.promise.queue_s
        active = isinstance(member.queue.dropper, Codel | Pie)
        waits = not (member.strict or active or case.unwritten(member))
        waits = waits and not policed_alone(case, member)
        if held is not None and lasts is not None and waits:
            yield member, held, lasts


def _arithmetic(case: Case, member: Member, lasts: float) -> str:
    said = case.by_default(member, "limit")
    least = member.promise.served_bps
    return f"{member.promise.held_why}{said} at {rate_text(least)} = {time_text(lasts)}"


def limit_fix(case: Case, member: Member, time_s: float) -> str:
    """The command with which a full queue of a class lasts so long at its served rate."""
    size = units.octets(time_s * member.promise.served_bps)
    packets = math.floor(size / frame_bytes(member))
    if packets < WINDOW_PACKETS:
        return ""
    number = packets if isinstance(member.queue.limit, PacketLimit) else f"{size:.0f}b"
    # Thresholds of WRED have the unit of the limit, and must not lie above it.
    red = member.queue.dropper
    words, most = _in_unit(member, packets)
    rows = lowered(red, most) if isinstance(red, Red) else []
    default = case.origin(member, "dropper.profile")
    if rows and case.configuration.dialect == "ios-xe" and default and default.default:
        # Thresholds that no line says follow the limit; those of lines have to be written anew.
        own = {each.split()[2] for each in _rows(member)}
        rows = [each for each in rows if each.split()[2] in own]
    if len(rows) > _MOST_ROWS and case.configuration.dialect.startswith("ios"):
        return ""
    lines = [f"queue-limit {words}", *rows]
    temporal = f"{units.convert(_temporal_s(case, member, time_s), 's', 'us'):.0f}"
    junos = f"set class-of-service schedulers {member.name} buffer-size temporal {temporal}"
    return case.fix(
        mqc="\n  ".join([f"class {member.name}", *lines]),
        junos=junos if int(temporal) else "",
        tc=tc_line(
            case.configuration, case.line(member, "limit"), r"\blimit \S+", f"limit {number}"
        ),
    )


def _rows(member: Member) -> list[str]:
    """The lines of a class that say thresholds of one mark."""
    said = [each.text for each in member.of.statements]
    return [each for each in said if re.match(r"random-detect (dscp|precedence) \S", each)]


def _temporal_s(case: Case, member: Member, time_s: float) -> float:
    """The time of `buffer-size temporal` for a queue that lasts so long at its served rate [s].

    Below a profile the rate that it is counted at is not the port's: it follows from a time that
    is configured, and is not known where none is, so that it is 0.
    """
    limit, served_bps = member.queue.limit, member.promise.served_bps
    if isinstance(limit, ByteLimit) and isinstance(case.port.scheduler, SchedulerTree):
        line = case.line(member, "limit")
        said = " ".join(each.text for each in case.configuration.statements if each.line == line)
        found = _TEMPORAL.search(said)
        had_s = (
            units.convert(float(found[1]) * (1e3 if found[2] else 1.0), "us", "s") if found else 0
        )
        return had_s * units.octets(time_s * served_bps) / limit.limit_bytes
    if case.facts.text(case.configured.interface, "platform") == "m120":
        return time_s
    rate_bps = case.capacity_bps
    if isinstance(limit, TimeLimit):
        guaranteed_bps = member.queue.guaranteed_bps or served_bps
        rate_bps = {"served": served_bps, "guaranteed": guaranteed_bps}.get(limit.at, rate_bps)
    return time_s * served_bps / rate_bps


def _in_unit(member: Member, packets: int) -> tuple[str, float]:
    """So many full frames in the unit of the queue's limit, or of its thresholds."""
    red, size_bytes = member.queue.dropper, math.floor(packets * frame_bytes(member))
    if isinstance(red, Red) and isinstance(red.profile, TimeRedProfile):
        time_s = units.bits(size_bytes) / red.profile.rate_bps
        return f"{units.convert(time_s, 's', 'us'):.0f} us", time_s
    if isinstance(member.queue.limit, PacketLimit):
        return f"{packets} packets", packets
    return f"{size_bytes} bytes", size_bytes


@rule("queue-deep", "warning", "RFC 8289, section 3: a standing queue adds delay and no throughput")
def queue_deep(case: Case) -> Iterator[Found]:
    """A full queue lasts longer at its served rate than its class should wait."""
    for member, _, lasts in _candidates(case):
        target = member.load.target_s if member.load else None
        if lasts > (target or DEEP_S):
            wanted = f"its target is {time_text(target)}" if target else "200 ms is much"
            why = _arithmetic(case, member, lasts)
            shorter_s = target or DEEP_S / 2
            window_s = units.serialisation_s(
                WINDOW_PACKETS * frame_bytes(member), member.promise.served_bps
            )
            slow = (
                f" No queue that holds TCP's initial window (RFC 6928) is short enough at this"
                f" rate: its {WINDOW_PACKETS} packets last {time_text(window_s)}."
            )
            yield Found(
                case.line(member, "limit"),
                f"A full queue of {member.name} delays by {time_text(lasts)}.",
                f"{why}; {wanted}.{slow if window_s > shorter_s else ''}",
                limit_fix(case, member, shorter_s),
                "info" if case.by_default(member, "limit") and not target else None,
            )


def _shared(case: Case, member: Member) -> bool:
    """Whether a queue without a buffer of its own has its part of a common one (QFX)."""
    pooled = any(_POOL.search(each.text) for each in case.configuration.remarks)
    return pooled and "least_buffer" in case.by_default(member, "limit")


@rule("queue-shallow", "warning", "RFC 7567, section 2: bursts need room")
def queue_shallow(case: Case) -> Iterator[Found]:
    """A queue is too short for the bursts of ordinary traffic."""
    for member, held, lasts in _candidates(case):
        # The senders of a lossless class pause before its queue is full.
        paused = case.configuration.no_drop & {member.name, *member.of.marks}
        if _shared(case, member) or paused:
            continue
        if held < LEAST_FRAMES * frame_bytes(member):
            if case.by_default(member, "limit"):
                # How small a default can become at a low rate is not known.
                continue
            yield Found(
                case.line(member, "limit"),
                f"The queue of {member.name} has no room for two full frames.",
                f"{size_text(held)}; two frames have"
                f" {size_text(LEAST_FRAMES * frame_bytes(member))}.",
                limit_fix(case, member, min(SHALLOW_S, deepest_s(member))),
            )
        elif lasts < SHALLOW_S:
            longest_s = min(5 * SHALLOW_S, deepest_s(member))
            # A longer queue would miss a target that is so short itself.
            conflict = longest_s < SHALLOW_S and lasts > longest_s / 2
            why = f"{_arithmetic(case, member, lasts)}; below 10 ms"
            if conflict:
                why += f", but its target of {time_text(longest_s)} allows no longer one"
            yield Found(
                case.line(member, "limit"),
                f"The queue of {member.name} lasts {time_text(lasts)}: bursts of TCP are dropped.",
                f"{why}.",
                "" if conflict else limit_fix(case, member, longest_s),
                "info" if conflict or case.by_default(member, "limit") else None,
            )
