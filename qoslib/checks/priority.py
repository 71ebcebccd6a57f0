"""Rules on classes that are served first."""

from collections.abc import Iterator, Sequence
from math import ceil, floor

from qoslib import units
from qoslib.checks.checked_port import CheckedPort, Member
from qoslib.checks.contract import contract_bps
from qoslib.checks.fixes import NO_ROOM
from qoslib.checks.fixes_mqc import below_one
from qoslib.checks.loads import Load
from qoslib.checks.rule import Found, rule
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import nodes_of
from qoslib.config.junos.platforms import is_switch
from qoslib.config.tc.schedulers import NO_DEFAULT
from qoslib.port import Fifo, HierarchicalTokenBucket
from qoslib.port.nodes import outline
from qoslib.tolerances import ROUNDING

__all__ = ["ROOM", "VIDEO", "VOICE", "gets_packets", "stopped", "unlimited"]

#: Marks of telephone calls, with their signalling, and of video (RFC 4594, figure 3).
VOICE = {"EF", "VA", "CS5"}
#: A strict queue with one of these may stand above that of EF: calls, and what keeps the network.
_BEFORE_VOICE = {*VOICE, "CS6", "CS7", "PCP 5", "PCP 6", "PCP 7"}
VIDEO = {"AF41", "AF42", "AF43", "CS4"}
#: Room for what was forgotten, when a priority rate is set to a load.
ROOM = 1.1


@rule(
    "priority-unlimited",
    "warning",
    "RFC 3246, section 2.10: a limit on EF protects the other classes",
)
def priority_unlimited(checked: CheckedPort) -> Iterator[Found]:
    """A class that is served first has neither policer nor shaper."""
    members = unlimited(checked)
    if not members:
        return
    first, manners = members[0], checked.manners
    if len(members) == 1:
        before = (each.queue.priority for each in checked.members if each.strict)
        after = any(priority < first.queue.priority for priority in before)
        says = f"Class {first.name} goes first and has no limit: a flood in it stops"
        says += " all after it." if after else " all others."
        why = f"It may take all {rate_text(checked.capacity_bps)}, and leaves 0."
    else:
        names = ", ".join(member.name for member in members[:-1])
        says = f"Classes {names} and {members[-1].name} go first and have no limit: a flood in one"
        says += " stops all after it."
        why = "Each may take the whole link, and leaves 0."
    if manners.strict_unless_said and not any("priority" in each.of.verbs for each in members):
        why += " A transmit queue is strict unless `no priority` says otherwise."
        if not any(each.strict and each.limit_bps is not None for each in checked.members):
            says = "Transmit queues have strict priority unless `no priority` says otherwise, and"
            says += " no limit: a flood in one stops all below it."
            why = "Each may take the whole link, and leaves 0; the highest number goes first."
    if _is_direct(checked, first):
        yield from _direct(checked, first)
        return
    fix, room = _limits(checked, members)
    line = checked.line(first, "priority")
    yield Found(line, says, f"{why}{manners.limit_in_words or room}", fix)


def _is_direct(checked: CheckedPort, member: Member) -> bool:
    """Whether it is the queue that HTB empties before its classes, which no command makes."""
    of_htb = isinstance(checked.port.scheduler, HierarchicalTokenBucket)
    return of_htb and not member.of.statements


def _direct(checked: CheckedPort, member: Member) -> Iterator[Found]:
    """What that queue takes; of a default that is not there rule `tc-refused` says it."""
    line = checked.configured.line
    if any(each.line == line and NO_DEFAULT in each.lost for each in checked.configuration.remarks):
        return
    yield Found(
        line,
        f"No class is the default of htb: {member.name} packets go before all classes.",
        f"They may take all {rate_text(checked.capacity_bps)} and leave 0. To give them a class,"
        " set `default` to one without classes below it.",
    )


def _limits(checked: CheckedPort, members: Sequence[Member]) -> tuple[str, str]:
    """Limits of classes, and what stands in their way.

    Calls may have the usual third; of other classes nobody but who knows the loads can say.
    """
    usual = len(members) == 1 and (_of_calls(members[0]) or _has_rate(members[0]))
    if not usual and not all(each.load and _is_rate(each.load) for each in members):
        needs = "each" if len(members) > 1 else "it"
        room = f" What {needs} needs is not known here: --traffic says it."
        return "", room if checked.fixes.gives_rates else ""
    fixes, room = [], ""
    for member in members:
        group = checked.group_of(member)
        wanted_bps = checked.capacity_bps / 3
        by_load = member.load if not usual else None
        if by_load:
            wanted_bps = min(ROOM * by_load.rate_bps, wanted_bps)
        limit_bps = checked.fixes.raised_bps(group, member.name, wanted_bps)
        if limit_bps:
            fixes.append(checked.fixes.limit(group, member, limit_bps, ceil if by_load else floor))
        elif checked.fixes.gives_rates:
            room = NO_ROOM
    whole = len(fixes) == len(members) and all(fixes)
    return below_one(fixes) if whole else "", room


def _of_calls(member: Member) -> bool:
    return bool(member.of.marks) and set(member.of.marks) <= VOICE


def _has_rate(member: Member) -> bool:
    """Whether the class has a rate already, which is no limit (Junos)."""
    said = member.of.setting("transmit-rate")
    return said is not None and said.sort != "remainder"


def _is_rate(load: Load) -> bool:
    """Whether somebody said what is sent to a class, as a rate."""
    return load.origin != "assumed" and load.rate_bps > 0 and not load.flows


def unlimited(checked: CheckedPort) -> list[Member]:
    """The classes that are served first, may take all and leave nothing to those after them."""
    if isinstance(checked.port.scheduler, Fifo):
        return []
    above = _below_shapers(checked)
    reached = [member for member in checked.members if gets_packets(checked, member)]
    weighted = any(not member.strict for member in reached)
    # Behind the last level of strict priority nobody waits.
    last = max((member.queue.priority for member in reached), default=0)
    found = [
        member
        for member in reached
        if member.strict
        and member.limit_bps is None
        and member.queue.name not in above
        and (weighted or member.queue.priority < last)
    ]
    return sorted(found, key=lambda member: member.queue.priority)


def _below_shapers(checked: CheckedPort) -> set[str]:
    """The queues below a shaper that is not above all of them: that one is the link."""
    nodes, queues = nodes_of(checked.port), checked.port.queues
    if not nodes:
        return set()
    tree = outline(queues, nodes)
    shaped = {at for at, each in enumerate(tree.each(queues)) if each.shaper is not None}
    whole = len(tree.parents) - 1
    shaped.discard(whole)
    while len(tree.children[whole]) == 1:
        whole = tree.children[whole][0]
        shaped.discard(whole)
    found = set()
    for at, queue in enumerate(queues):
        above = tree.parents[at]
        while above >= 0 and above not in shaped:
            above = tree.parents[above]
        found |= {queue.name} if above >= 0 else set()
    return found


def gets_packets(checked: CheckedPort, member: Member) -> bool:
    """Whether anything leads to a class: a band of Linux may have no priority and no filter."""
    sent = member.load is not None and member.load.origin != "assumed"
    return bool(member.of.marks) or sent or not checked.manners.by_range


def stopped(checked: CheckedPort, member: Member) -> bool:
    """Whether a class gets nothing because of one before it that has no limit.

    Rule `priority-unlimited` says so, once for all.
    """
    return any(
        not member.strict or each.queue.priority < member.queue.priority
        for each in unlimited(checked)
        if each is not member
    )


@rule("rate-unit", "warning", "Cisco IOS QoS command reference, priority, bandwidth: in kb/s")
def rate_unit(checked: CheckedPort) -> Iterator[Found]:
    """A priority or a bandwidth seems to be given in bit/s instead of kb/s."""
    line_bps = checked.port.rate_bps
    for of in checked.configured.classes:
        for said in of.settings:
            in_kilobits = said.unit == "kbit/s" and said.command in ("priority", "bandwidth")
            rate_bps = said.rate_bps or 0.0
            if not in_kilobits or rate_bps <= line_bps:
                continue
            meant_bps = units.kbps(float(floor((said.value or 0.0) / units.kbps(1.0))))
            meant_bps = meant_bps if meant_bps <= line_bps else 0.0
            ask = f": was {rate_text(meant_bps)} meant?" if meant_bps else "."
            yield Found(
                said.line,
                f"The `{said.command}` of {of.name} is {rate_text(rate_bps)}, more than the line"
                f" has{ask} The rate is in kb/s.",
                f"{rate_text(rate_bps)} > {rate_text(line_bps)}.",
                checked.fixes.rate(of, said, meant_bps) if meant_bps else "",
            )


@rule(
    "priority-below-load",
    "error",
    "Cisco, document 10100, Comparing the bandwidth and priority Commands: a built-in policer;"
    " RFC 3246, section 1: EF is served faster than it arrives",
)
def priority_below_load(checked: CheckedPort) -> Iterator[Found]:
    """A class that is served first is offered more than its limit lets through."""
    for member in checked.members:
        limit_bps, load = member.limit_bps, member.load
        if not member.strict or limit_bps is None or load is None or load.origin == "assumed":
            continue
        if load.rate_bps <= limit_bps * (1 + ROUNDING):
            continue
        lost = f"{units.convert(1 - limit_bps / load.rate_bps, '1', '%'):.0f} %"
        group, wanted_bps = checked.group_of(member), ROOM * load.rate_bps
        contract = contract_bps(checked)
        link_bps = min(checked.capacity_bps, contract[0] if contract else checked.capacity_bps)
        fits = wanted_bps < link_bps / 3
        fits = fits and checked.fixes.raised_bps(group, member.name, wanted_bps) == wanted_bps
        yield Found(
            checked.line(member, "policer.rate_bps"),
            f"{rate_text(load.rate_bps)} into {rate_text(limit_bps)}: {member.name} loses"
            f" {lost} under congestion.",
            f"{load.arithmetic or load.words}; 1 - {rate_text(limit_bps)} /"
            f" {rate_text(load.rate_bps)} = {lost}.",
            checked.fixes.limit(group, member, wanted_bps, ceil) if fits else "",
        )


@rule("video-in-llq", "warning", "RFC 4594, section 4.1: telephony has a queue of its own")
def video_in_llq(checked: CheckedPort) -> Iterator[Found]:
    """Voice and video share one class that is served first."""
    # The last of strict queues is no low-latency class: nothing waits behind it.
    last = max((member.queue.priority for member in checked.members), default=0)
    for member in checked.members:
        voice, video = _calls_and_pictures(checked, member)
        if not member.strict or member.queue.priority == last or not video or not voice:
            continue
        why = "A picture is a burst of many packets, which calls wait behind."
        if member.load and member.load.words and member.load.arithmetic:
            why += f" {member.load.words}: {member.load.arithmetic}."
        yield Found(
            member.of.line,
            f"{', '.join(voice)} and {', '.join(video)} share the low-latency class {member.name}.",
            why,
            _video_class(checked, member, video) if set(video) <= VIDEO else "",
        )


def _calls_and_pictures(checked: CheckedPort, member: Member) -> tuple[list[str], list[str]]:
    """The marks of calls and of video in a class, or what is sent to it in place of these."""
    marks = set() if checked.manners.by_range else set(member.of.marks)
    load = member.load
    sent_video = load is not None and load.has_video
    video = sorted(marks & VIDEO) or (["video"] if sent_video else [])
    # CS5 is signalling, and a load that names no calls says that there are none.
    voice = [] if sent_video else sorted(marks & (VOICE - {"CS5"}))
    voice = sorted(marks & VOICE) or ["calls"] if load and load.has_calls else voice
    return voice, video


def _video_class(checked: CheckedPort, member: Member, video: Sequence[str]) -> str:
    """A class of its own for marks of video, with half of what both have."""
    group = checked.group_of(member)
    rate_bps = (member.limit_bps or group.most_bps) / 2
    return checked.fixes.own_class(group, member.of, "VIDEO", video, rate_bps, set(video))


@rule(
    "priority-queue-shared",
    "info",
    "Cisco IOS QoS Configuration Guide, Low Latency Queueing: classes of priority share one queue",
)
def priority_queue_shared(checked: CheckedPort) -> Iterator[Found]:
    """Classes of voice and of video have one level of priority, which is one queue (IOS, XE)."""
    levels = checked.manners.priority_levels
    if levels is None:
        return
    strict = [member for member in checked.members if member.strict]
    for voice in strict:
        for video in strict:
            if voice.queue.priority != video.queue.priority or not _calls_and_video(
                checked, voice, video
            ):
                continue
            yield Found(
                video.of.line,
                f"{voice.name} and {video.name} have priority of one level: the device has one"
                " queue for both, and calls wait behind pictures.",
                "`priority level 1` for calls and `priority level 2` for video are two queues."
                if levels > 1
                else "Video as a class of `bandwidth` has a queue of its own.",
            )


def _calls_and_video(checked: CheckedPort, voice: Member, video: Member) -> bool:
    """Whether one class is of calls alone and another of video.

    CS5 is signalling (RFC 4594) or broadcast video (Cisco's models): its class says which.
    """
    calls, own = _calls_and_pictures(checked, voice)
    _, pictures = _calls_and_pictures(checked, video)
    broadcast = "CS5" in video.of.marks and "video" in video.name.lower()
    calls_only = bool(calls) and not own and not set(calls) <= set(video.of.marks)
    return calls_only and (bool(pictures) or broadcast)


def _behind_strict(checked: CheckedPort, member: Member) -> Iterator[Found]:
    """EF in a strict queue below others, where queues are strict without a line (EOS)."""
    before = [
        other.name
        for other in checked.members
        if other.strict
        and other.queue.priority < member.queue.priority
        and _BEFORE_VOICE.isdisjoint(other.of.marks)
    ]
    if before and checked.manners.strict_unless_said:
        yield Found(
            member.of.line,
            f"EF waits in class {member.name}, which is not served first.",
            f"{', '.join(before)} {'go' if len(before) > 1 else 'goes'} before it:"
            " queues with strict priority are served in order of their numbers, the highest first.",
        )


def _not_on_switches(checked: CheckedPort, member: Member) -> Iterator[Found]:
    """EF at a priority that is read as that of an MX, and that most switches lack (Junos)."""
    level = next((said for said in member.of.statements if "priority" in said.words[:-1]), None)
    if level is None or level.words[-1] == "low" or not is_switch(checked.configuration):
        return
    yield Found(
        level.line,
        f"EF waits in class {member.name} of `priority {level.words[-1]}`, which EX and most QFX"
        " switches do not have.",
        "They have `low` and `strict-high` (Juniper, CLI Reference, priority (Schedulers), Platform"
        " Information): the switch may refuse the line, or serve the class in turn with others.",
    )


@rule(
    "voice-not-first",
    "warning",
    "RFC 3246, section 2.1: EF is served at its rate whatever else is offered",
)
def voice_not_first(checked: CheckedPort) -> Iterator[Found]:
    """EF has a class that is not served first."""
    for member in checked.members:
        if "EF" not in member.of.marks or len(checked.members) == 1:
            continue
        if member.strict:
            yield from _behind_strict(checked, member)
            continue
        yield from _not_on_switches(checked, member)
        others = (m for m in checked.members if m is not member and not m.strict)
        before = min((other.queue.priority for other in others), default=0)
        if member.takes_rest or member.queue.priority < before:
            continue
        group = checked.group_of(member)
        wanted_bps = member.queue.guaranteed_bps or member.promise.minimum_bps
        wanted_bps = checked.fixes.raised_bps(group, member.name, wanted_bps)
        yield Found(
            member.of.line,
            f"EF waits in class {member.name}, which is not served first.",
            f"It has {rate_text(member.promise.minimum_bps)} for sure"
            f" ({member.promise.minimum_why}), in turn with the others.",
            checked.fixes.first(group, member, wanted_bps) if wanted_bps else "",
        )
