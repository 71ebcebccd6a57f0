"""Rules on classes that are served first."""

import re
from collections.abc import Callable, Iterator
from math import ceil, floor

from qoslib import units
from qoslib.checks.contract import contract_bps
from qoslib.checks.fixes import (
    NO_ROOM,
    below_one,
    guarantee,
    raised,
    unused,
    without_marks,
)
from qoslib.checks.loads import Load
from qoslib.checks.rule import Case, Found, Member, rule
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import nodes_of
from qoslib.port import Fifo
from qoslib.port.nodes import outline
from qoslib.tolerances import ROUNDING

__all__ = ["ROOM", "VIDEO", "VOICE", "gets_packets", "stopped", "unlimited"]

#: Marks of telephone calls, with their signalling, and of video (RFC 4594, figure 3).
VOICE = {"EF", "VA", "CS5"}
VIDEO = {"AF41", "AF42", "AF43", "CS4"}
#: Room for what was forgotten, when a priority rate is set to a load.
ROOM = 1.1
_TRANSMIT_RATE = re.compile(r"\btransmit-rate (?:percent )?\d")
_HTB = " A class of htb in place of the band of prio has a limit."


@rule(
    "priority-unlimited",
    "warning",
    "RFC 3246, section 2.10: a limit on EF protects the other classes",
)
def priority_unlimited(case: Case) -> Iterator[Found]:
    """A class that is served first has neither policer nor shaper."""
    members = unlimited(case)
    if not members:
        return
    fixes, room = [], ""
    # Calls may have the usual third; of other classes nobody but who knows the loads can say.
    usual = len(members) == 1 and (_of_calls(members[0]) or _has_rate(members[0]))
    known = usual or all(each.load and _is_rate(each.load) for each in members)
    for member in members if known else ():
        most, beside = next(each for each in case.groups if member in each[1])
        wanted_bps = case.capacity_bps / 3
        rounded: Callable[[float], int] = floor
        if member.load and not usual:
            wanted_bps, rounded = min(ROOM * member.load.rate_bps, wanted_bps), ceil
        third = raised(case, most, beside, member.name, wanted_bps)
        if third:
            fix = case.fix(
                mqc=f"class {member.name}\n  {case.priority(third, most, rounded, member.of)}",
                junos=case.limit(member, third, most, rounded),
            )
            fixes += [fix] if fix else []
        elif case.configuration.dialect.startswith(("ios", "junos")):
            room = NO_ROOM
    first = members[0]
    if len(members) == 1:
        after = any(
            each.strict and each.queue.priority < first.queue.priority for each in case.members
        )
        stops = "all after it" if after else "all others"
        says = f"Class {first.name} goes first and has no limit: a flood in it stops {stops}."
        why = f"It may take all {rate_text(case.capacity_bps)}, and leaves 0."
    else:
        names = ", ".join(each.name for each in members[:-1])
        says = (
            f"Classes {names} and {members[-1].name} go first and have no limit: a flood in one"
            " stops all after it."
        )
        why = "Each may take the whole link, and leaves 0."
    if not known and case.configuration.dialect.startswith(("ios", "junos")):
        needs = "each" if len(members) > 1 else "it"
        room = f" What {needs} needs is not known here: --traffic says it."
    default = case.configuration.dialect == "eos" and not any(
        each.text.startswith("priority") for member in members for each in member.of.statements
    )
    if default:
        says = "Transmit queues have strict priority unless `no priority` says otherwise, and no"
        says += " limit: a flood in one stops all below it."
        why = "Each may take the whole link, and leaves 0; the highest number goes first."
    yield Found(
        case.line(first, "priority"),
        says,
        f"{why}{_HTB if case.configuration.dialect == 'tc' else room}",
        below_one(fixes) if len(fixes) == len(members) else "",
    )


def _of_calls(member: Member) -> bool:
    return bool(member.of.marks) and set(member.of.marks) <= VOICE


def _has_rate(member: Member) -> bool:
    """Whether the class has a rate already, which is no limit (Junos)."""
    return any(_TRANSMIT_RATE.search(each.text) for each in member.of.statements)


def _is_rate(load: Load) -> bool:
    """Whether somebody said what is sent to a class, as a rate."""
    return load.origin != "assumed" and load.rate_bps > 0 and not load.flows


def unlimited(case: Case) -> list[Member]:
    """The classes that are served first, may take all and leave nothing to those after them."""
    if isinstance(case.port.scheduler, Fifo):
        return []
    above: set[str] = set()
    if nodes := nodes_of(case.port):
        tree = outline(case.port.queues, nodes)
        shaped = {
            at for at, each in enumerate(tree.each(case.port.queues)) if each.shaper is not None
        }
        # A shaper above all classes is the link that one of them may take.
        whole = len(tree.parents) - 1
        shaped.discard(whole)
        while len(tree.children[whole]) == 1:
            whole = tree.children[whole][0]
            shaped.discard(whole)
        for at, queue in enumerate(case.port.queues):
            over = tree.parents[at]
            while over >= 0 and over not in shaped:
                over = tree.parents[over]
            above |= {queue.name} if over >= 0 else set()
    reached = [each for each in case.members if gets_packets(case, each)]
    found = [
        member
        for member in reached
        if member.strict
        and member.limit_bps is None
        and member.queue.name not in above
        # Behind the last level of strict priority nobody waits.
        and any(not each.strict or each.queue.priority > member.queue.priority for each in reached)
    ]
    return sorted(found, key=lambda each: each.queue.priority)


def gets_packets(case: Case, member: Member) -> bool:
    """Whether anything leads to a class: a band of Linux may have no priority and no filter."""
    sent = member.load is not None and member.load.origin != "assumed"
    return bool(member.of.marks) or sent or case.configuration.dialect != "tc"


def stopped(case: Case, member: Member) -> bool:
    """Whether a class gets nothing because of one before it that has no limit.

    Rule `priority-unlimited` says so, once for all.
    """
    return any(
        not member.strict or each.queue.priority < member.queue.priority
        for each in unlimited(case)
        if each is not member
    )


_KILOBITS = re.compile(r"((?:priority|bandwidth)(?: level \d)?) (\d+)(?: kbps)?( (?![mg]?bps).*)?")


@rule("rate-unit", "warning", "Cisco IOS QoS command reference, priority, bandwidth: in kb/s")
def rate_unit(case: Case) -> Iterator[Found]:
    """A priority or a bandwidth seems to be given in bit/s instead of kb/s."""
    for of in case.configured.classes:
        for each in of.statements:
            said = _KILOBITS.fullmatch(each.text)
            rate_bps = units.kbps(float(said[2])) if said else 0.0
            if said is None or rate_bps <= case.port.rate_bps:
                continue
            verb = said[1].split()[0]
            meant = floor(float(said[2]) / units.kbps(1.0))
            meant = meant if units.kbps(meant) <= case.port.rate_bps else 0
            ask = f": was {rate_text(units.kbps(meant))} meant?" if meant else "."
            yield Found(
                each.line,
                f"The `{verb}` of {of.name} is {rate_text(rate_bps)}, more than the line has{ask}"
                " The rate is in kb/s.",
                f"{rate_text(rate_bps)} > {rate_text(case.port.rate_bps)}.",
                case.fix(mqc=case.in_class(of, f"{said[1]} {meant}")) if meant else "",
            )


@rule(
    "priority-below-load",
    "error",
    "Cisco, document 10100, Comparing the bandwidth and priority Commands: a built-in policer",
)
def priority_below_load(case: Case) -> Iterator[Found]:
    """A class that is served first is offered more than its limit lets through."""
    for member in case.members:
        limit, load = member.limit_bps, member.load
        if not member.strict or limit is None or load is None or load.origin == "assumed":
            continue
        if load.rate_bps <= limit * (1 + ROUNDING):
            continue
        lost = units.convert(1 - limit / load.rate_bps, "1", "%")
        needed = case.priority(ROOM * load.rate_bps, case.capacity_bps, ceil, member.of)
        contract = contract_bps(case)
        link_bps = min(case.capacity_bps, contract[0] if contract else case.capacity_bps)
        most, members = next(each for each in case.groups if member in each[1])
        wanted = ROOM * load.rate_bps
        fits = wanted < link_bps / 3
        fits = fits and raised(case, most, members, member.name, wanted) == wanted
        yield Found(
            case.line(member, "policer.rate_bps"),
            f"{rate_text(load.rate_bps)} into {rate_text(limit)}: {member.name} loses"
            f" {lost:.0f} % under congestion.",
            f"{load.arithmetic or load.words}; 1 - {rate_text(limit)} /"
            f" {rate_text(load.rate_bps)} = {lost:.0f} %.",
            case.fix(
                mqc=f"class {member.name}\n  {needed}",
                junos=case.limit(member, wanted, most, ceil),
            )
            if fits
            else "",
        )


@rule("video-in-llq", "warning", "RFC 4594, section 4.1: telephony has a queue of its own")
def video_in_llq(case: Case) -> Iterator[Found]:
    """Voice and video share one class that is served first."""
    for member in case.members:
        # A band of Linux's prio takes whole ranges of ToS, which nobody chose one by one.
        marks = set() if case.configuration.dialect == "tc" else set(member.of.marks)
        sent = member.load.words.lower() if member.load else ""
        video = sorted(marks & VIDEO) or (["video"] if "video" in sent else [])
        # CS5 is signalling, and a load that names no calls says that there are none.
        voice = [] if "video" in sent else sorted(marks & (VOICE - {"CS5"}))
        voice = sorted(marks & VOICE) or ["calls"] if "call" in sent else voice
        # The last of strict queues is no low-latency class: nothing waits behind it.
        last = max(each.queue.priority for each in case.members)
        if not member.strict or member.queue.priority == last or not video or not voice:
            continue
        why = "A picture is a burst of many packets, which calls wait behind."
        if member.load and member.load.words and member.load.arithmetic:
            why += f" {member.load.words}: {member.load.arithmetic}."
        yield Found(
            member.of.line,
            f"{', '.join(voice)} and {', '.join(video)} share the low-latency class {member.name}.",
            why,
            case.fix(mqc=_apart(case, member, video)) if marks & VIDEO else "",
        )


@rule(
    "priority-queue-shared",
    "info",
    "Cisco IOS QoS Configuration Guide, Low Latency Queueing: classes of priority share one queue",
)
def priority_queue_shared(case: Case) -> Iterator[Found]:
    """Classes of voice and of video have one level of priority, which is one queue (IOS, XE)."""
    if case.configuration.dialect not in ("ios", "ios-xe"):
        return
    strict = [each for each in case.members if each.strict]
    for voice in strict:
        for video in strict:
            if voice.queue.priority != video.queue.priority or not _calls_and_video(voice, video):
                continue
            levels = case.configuration.dialect == "ios-xe"
            yield Found(
                video.of.line,
                f"{voice.name} and {video.name} have priority of one level: the device has one"
                " queue for both, and calls wait behind pictures.",
                "`priority level 1` for calls and `priority level 2` for video are two queues."
                if levels
                else "Video as a class of `bandwidth` has a queue of its own.",
            )


def _calls_and_video(voice: Member, video: Member) -> bool:
    of_voice, of_video = set(voice.of.marks), set(video.of.marks)
    return bool(of_voice & VOICE - of_video and of_video & VIDEO and not of_voice & VIDEO)


def _apart(case: Case, member: Member, video: list[str]) -> str:
    """A class of its own for marks that a class of calls has (IOS)."""
    out = without_marks(case, member.of, set(video))
    if not out:
        return ""
    name = unused(case, "VIDEO", "class-map")
    most, members = next(each for each in case.groups if member in each[1])
    sure_bps = (member.limit_bps or most) / 2
    command = guarantee(case, most, members, name, sure_bps)
    if not command:
        return ""
    lines = [out, f"class-map match-any {name}", f" match dscp {' '.join(video).lower()}"]
    return "\n".join([*lines, case.policy_line(member.of), f" class {name}", f"  {command}"])


@rule(
    "voice-not-first",
    "warning",
    "RFC 3246, section 2.1: EF is served at its rate whatever else is offered",
)
def voice_not_first(case: Case) -> Iterator[Found]:
    """EF has a class that is not served first."""
    for member in case.members:
        if "EF" not in member.of.marks or member.strict or len(case.members) == 1:
            continue
        if "the rest" in member.of.marks or member.queue.priority < min(
            (m.queue.priority for m in case.members if m is not member and not m.strict), default=0
        ):
            continue
        most, members = next(each for each in case.groups if member in each[1])
        wanted = member.queue.guaranteed_bps or member.promise.minimum_bps
        wanted = raised(case, most, members, member.name, wanted)
        verbs = {each.text.split()[0]: each.text for each in member.of.statements}
        instead = [f"no {verbs[verb]}" for verb in ("bandwidth",) if verb in verbs]
        instead += ["no random-detect"] if "random-detect" in verbs else []
        first = f"priority {units.convert(wanted, 'bit/s', 'kbit/s'):.0f}"
        if case.configuration.dialect == "ios-xr":
            first = case.priority(wanted, most, floor)
        yield Found(
            member.of.line,
            f"EF waits in class {member.name}, which is not served first.",
            f"It has {rate_text(member.promise.minimum_bps)} for sure"
            f" ({member.promise.minimum_why}), in turn with the others.",
            case.fix(
                mqc="\n  ".join(
                    [
                        f"class {member.name}",
                        *instead,
                        first,
                    ]
                ),
                junos=f"set class-of-service schedulers {member.name} priority strict-high",
            )
            if wanted
            else "",
        )
