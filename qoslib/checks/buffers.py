"""Rules on how long queues are."""

from collections.abc import Iterable, Iterator

from qoslib import units
from qoslib.checks.checked_port import CheckedPort, Member
from qoslib.checks.fixes import WINDOW_PACKETS
from qoslib.checks.priority import VOICE
from qoslib.checks.promises import FRAME_BYTES
from qoslib.checks.queueless import policed_alone
from qoslib.checks.rule import Found, rule
from qoslib.checks.thresholds import dropped_from, profiles_of, thresholds_of
from qoslib.config.amounts import rate_text, size_text, time_text
from qoslib.config.junos.classes import NO_NUMBER, OF_SWITCH
from qoslib.config.records import FAIR_QUEUE
from qoslib.port import ByteLimit, Cobalt, Codel, DualPi2, PacketLimit, Pie, Red

__all__ = ["DEEP_S", "SHALLOW_S", "deepest_s"]

#: A queue that lasts longer at its served rate delays what it holds too much [s].
DEEP_S = 0.2
#: A limit by default is found from this on where no load that was given fills the queue [s].
DEEP_BY_DEFAULT_S = 1.0
#: A shorter one drops the ordinary bursts of TCP [s].
SHALLOW_S = 0.01
#: Junos says with these that queues share a memory.
_POOL = "buffer-dynamic-threshold", "shared-buffer"
#: More findings that differ in the name of the class alone are one.
_MOST_ALIKE = 3
#: So many full frames a queue needs to hold at least.
LEAST_FRAMES = 2
#: What lets the queues of a switch borrow more.
_MORE = "qos queue-softmax-multiplier 1200"

#: What keeps a queue short by itself, however much it may hold.
ACTIVE = Codel | Cobalt | DualPi2 | Pie


def deepest_s(member: Member) -> float:
    """How long a full queue of a class may last: its target, or else 200 ms [s]."""
    return (member.load.target_s if member.load else None) or DEEP_S


def _candidates(checked: CheckedPort) -> Iterator[tuple[Member, float, float]]:
    """Classes that wait, with what they hold [B] and how long it lasts [s]."""
    for member in checked.members:
        held, lasts = member.promise.held_bytes, member.promise.queue_s
        active = isinstance(member.queue.dropper, ACTIVE)
        waits = not (member.strict or active or checked.unwritten(member))
        waits = waits and not policed_alone(checked, member)
        if held is not None and lasts is not None and waits:
            yield member, held, lasts


def _arithmetic(checked: CheckedPort, member: Member, lasts: float, early: str = "") -> str:
    said = checked.by_default(member, "dropper" if early else "limit")
    least = member.promise.served_bps
    return f"{early or member.promise.held_why}{said} at {rate_text(least)} = {time_text(lasts)}"


@rule("queue-deep", "warning", "RFC 8289, section 3: a standing queue adds delay and no throughput")
def queue_deep(checked: CheckedPort) -> Iterator[Found]:
    """A full queue lasts longer at its served rate than its class should wait."""
    yield from _merged(_deep(checked))


def _merged(every: Iterable[tuple[str, Found]]) -> Iterator[Found]:
    """Findings of classes; many that differ in the name of the class alone are one."""
    alike: dict[tuple[object, ...], list[tuple[str, Found]]] = {}
    for name, found in every:
        # One without a fix differs from its like in its name alone.
        same = (name,) if found.fix else (found.arithmetic, found.severity)
        alike.setdefault(same, []).append((name, found))
    for each in alike.values():
        if len(each) > _MOST_ALIKE:
            first, found = each[0]
            names = f" of {first} and of {len(each) - 1} more classes like it "
            yield found._replace(sentence=found.sentence.replace(f" of {first} ", names, 1))
        else:
            yield from (found for _, found in each)


def _deep(checked: CheckedPort) -> Iterator[tuple[str, Found]]:
    """The class and the finding of each queue that lasts too long."""
    for member, held, lasts in _candidates(checked):
        if member.queue.flows or member.of.setting(FAIR_QUEUE):
            # A packet waits for its own flow and one turn of the others.
            continue
        ends, early_why = dropped_from(member.queue, member.of.marks, held, member.frame_bytes)
        if ends < held:
            lasts = units.serialisation_s(ends, member.promise.served_bps)
        else:
            early_why = ""
        target = member.load.target_s if member.load else None
        unfilled = checked.by_default(member, "limit") and not _fills(checked, member)
        usual_s = DEEP_BY_DEFAULT_S if unfilled else DEEP_S
        if lasts > (target or usual_s):
            wanted = f"its target is {time_text(target)}" if target else "200 ms is already long"
            why = _arithmetic(checked, member, lasts, early_why)
            shorter_s = target or DEEP_S / 2
            window_s = units.serialisation_s(
                WINDOW_PACKETS * member.frame_bytes, member.promise.served_bps
            )
            slow = (
                f" No queue that holds TCP's initial window (RFC 6928) is short enough at this"
                f" rate: its {WINDOW_PACKETS} packets last {time_text(window_s)}."
            )
            early = _left_out(checked, member)
            unsaid = checked.by_default(member, "limit")
            # A target comes with a load, and a queue that this does not fill keeps it.
            harmless = not _fills(checked, member) if target else bool(unsaid)
            yield (
                member.name,
                Found(
                    checked.line(member, "limit"),
                    f"A {'long' if early_why else 'full'} queue of {member.name} delays by"
                    f" {time_text(lasts)}.",
                    f"{why}; {wanted}.{slow if window_s > shorter_s else ''}{early}",
                    "" if early else checked.fixes.queue_time(member, shorter_s),
                    "info" if harmless else None,
                ),
            )


def _fills(checked: CheckedPort, member: Member) -> bool:
    """Whether a load that was given can keep a queue full: TCP, or more than it is served at."""
    beside = [each.load for each in checked.in_queue_of(member) if each.load]
    if all(load.origin == "assumed" for load in beside):
        return False
    tcp = any(load.flows for load in beside)
    return tcp or checked.sent_bps(member) >= member.promise.served_bps


def _without_tcp(checked: CheckedPort, member: Member) -> bool:
    """Whether the load of a queue is given, and has no TCP; what sends nothing says neither."""
    loads = [each.load for each in checked.in_queue_of(member) if each.load]
    if any(load.origin == "assumed" or load.flows for load in loads):
        return False
    return any(load.streams for load in loads)


def _left_out(checked: CheckedPort, member: Member) -> str:
    """Says which thresholds of a class are left out: a shorter queue may end below them."""
    begins = [line for line in checked.configuration.class_lines if line > member.of.line]
    for each in checked.configuration.remarks:
        numbers = [word for word in each.words if word.isdecimal()]
        own = 0 < member.of.line < each.line < min(begins, default=each.line + 1)
        left = each.verb == "random-detect" and each.kind != "refused"
        if own and left and len(numbers) > 1:
            return (
                f" `{each.text}` of line {each.line} is left out here: it may drop before that, and"
                " a limit must not lie below its thresholds."
            )
    return ""


def _shared(checked: CheckedPort, member: Member) -> bool:
    """Whether a queue without a buffer of its own has its part of a common one (QFX)."""
    words = (word.strip(";") for each in checked.configuration.remarks for word in each.words)
    pooled = any(word in _POOL for word in words)
    return pooled and "least_buffer" in checked.by_default(member, "limit")


def _unknown(checked: CheckedPort, member: Member) -> bool:
    """Whether the text does not say which queue a class has, and so which default (Junos)."""
    remarks = checked.configuration.remarks
    left_out = [each for each in remarks if each.lost in (NO_NUMBER, OF_SWITCH)]
    unsaid = checked.by_default(member, "limit")
    return bool(unsaid) and any(member.of.name in each.words for each in left_out)


def _rounded_s(checked: CheckedPort, member: Member) -> float:
    """How long what a limit is cut by lasts at most: a byte, or a packet of a default [s]."""
    in_packets = isinstance(member.queue.limit, PacketLimit) and checked.by_default(member, "limit")
    whole_bytes = member.frame_bytes if in_packets else 1.0
    return units.serialisation_s(whole_bytes, member.promise.served_bps)


def _below_two_frames(checked: CheckedPort, member: Member, held_bytes: float) -> Iterator[Found]:
    """How small a default can become at a low rate is not known."""
    if not checked.by_default(member, "limit"):
        yield Found(
            checked.line(member, "limit"),
            f"The queue of {member.name} has no room for two full frames.",
            f"{size_text(held_bytes)}; two frames have"
            f" {size_text(LEAST_FRAMES * member.frame_bytes)}.",
            checked.fixes.queue_time(member, min(SHALLOW_S, deepest_s(member))),
        )


def _below_one_frame(checked: CheckedPort) -> Iterator[Found]:
    """A class that is served first needs room for a packet as well."""
    for member in checked.members:
        held, limit = member.promise.held_bytes, member.queue.limit
        frame = max(member.load.frames_bytes if member.load else (), default=FRAME_BYTES)
        counted = isinstance(limit, ByteLimit) and not checked.by_default(member, "limit")
        if not (member.strict and counted) or held is None or not 0 < held < frame:
            continue
        yield Found(
            checked.line(member, "limit"),
            f"The queue of {member.name} has no room for one packet.",
            f"{member.promise.held_why}; a packet has {size_text(frame)}.",
            checked.fixes.queue_time(member, min(SHALLOW_S, deepest_s(member))),
        )


def _without_buffer(checked: CheckedPort) -> Iterator[Found]:
    """Queues that the platform gives 0 % of the buffer, and that no other finding is about."""
    found = [
        member
        for member in checked.members
        if (member.strict or member.promise.queue_s is None)
        and "least_buffer" in checked.by_default(member, "limit")
        and member.limit_bps is None
        and not any("buffer-size" in said.words for said in member.of.statements)
        and not _shared(checked, member)
    ]
    if found:
        names = " and ".join(member.name for member in found)
        row = checked.by_default(found[0], "limit")
        yield Found(
            checked.class_line(found[0]),
            f"By default {names} {'has' if len(found) == 1 else 'have'} 0 % of the buffer.",
            f"No `buffer-size` is given, and a few packets are left{row}; a scheduler"
            " with `buffer-size` says more.",
            severity="info",
        )


def _too_little_to_borrow(checked: CheckedPort) -> Iterator[Found]:
    """Queues of a switch that are short even with all that they may borrow."""
    found = [
        member
        for member, _, lasts in _candidates(checked)
        if lasts < SHALLOW_S and not _without_tcp(checked, member)
    ]
    said = any(
        each.words[1] == _MORE.split()[1] for each in checked.configuration.by_verb.get("qos", ())
    )
    if found and not said:
        longest = max(found, key=lambda each: each.promise.queue_s or 0.0)
        names = [each.name for each in found]
        has = "has" if len(found) == 1 else "have"
        yield Found(
            checked.line(found[0], "limit"),
            f"{' and '.join(names)} {has} room for less than 10 ms: bursts of TCP may be dropped.",
            f"{longest.name}: {_arithmetic(checked, longest, longest.promise.queue_s or 0.0)}, with"
            f" all that it may borrow. `{_MORE}` lets queues borrow up to twelve times as much from"
            " other ports.",
            severity="info",
        )


@rule("queue-shallow", "warning", "RFC 7567, section 2: bursts need room")
def queue_shallow(checked: CheckedPort) -> Iterator[Found]:
    """A queue is too short for the bursts of TCP, where a given load of its class has any."""
    if checked.manners.shared_buffers:
        yield from _too_little_to_borrow(checked)
        return
    yield from _without_buffer(checked)
    yield from _below_one_frame(checked)
    yield from _merged(_shallow(checked))


def _ends_below_limit(checked: CheckedPort, member: Member) -> bool:
    """Whether early detection drops all before the queue is full, whatever its limit."""
    red, limit, origin = member.queue.dropper, member.queue.limit, checked.origin(member, "dropper")
    if not isinstance(red, Red) or (
        checked.manners.thresholds_follow and not (origin and origin.line)
    ):
        return False
    ends = {"packets": limit.packets} if isinstance(limit, PacketLimit) else {}
    ends |= {"B": limit.limit_bytes} if isinstance(limit, ByteLimit) else {}
    every = [thresholds_of(each) for _, _, each in profiles_of(red)]
    return all(unit in ends and high < ends[unit] for _, high, unit in every)


def _of_voice(member: Member) -> bool:
    """Whether a class has marks of calls alone, which nobody sends TCP in."""
    own = set(member.of.marks)
    return bool(own) and own <= VOICE and not (member.load and member.load.flows)


def _shallow(checked: CheckedPort) -> Iterator[tuple[str, Found]]:
    """The class and the finding of each queue that is too short."""
    for member, held, lasts in _candidates(checked):
        # The senders of a lossless class pause before its queue is full.
        if _shared(checked, member) or checked.pauses(member) or _unknown(checked, member):
            continue
        if held < LEAST_FRAMES * member.frame_bytes:
            yield from ((member.name, found) for found in _below_two_frames(checked, member, held))
        elif lasts + _rounded_s(checked, member) < SHALLOW_S and not _without_tcp(checked, member):
            longest_s = min(5 * SHALLOW_S, deepest_s(member))
            # A longer queue would miss a target that is so short itself.
            conflict = longest_s < SHALLOW_S and lasts > longest_s / 2
            why = f"{_arithmetic(checked, member, lasts)}; below 10 ms"
            if conflict:
                why += f", but its target of {time_text(longest_s)} allows no longer one"
            below = _ends_below_limit(checked, member)
            if below:
                why += "; its thresholds of early detection are lower than its limit and stay where"
                why += " they are, so a longer queue alone changes nothing"
            origin = checked.origin(member, "limit")
            # What no line says, nobody has configured too short.
            unsaid = checked.by_default(member, "limit") or (origin and not origin.line)
            yield (
                member.name,
                Found(
                    checked.line(member, "limit"),
                    f"The queue of {member.name} lasts {time_text(lasts)}: bursts"
                    f"{'' if _of_voice(member) else ' of TCP'} are dropped.",
                    f"{why}.",
                    "" if conflict or below else checked.fixes.queue_time(member, longest_s),
                    "info" if conflict or unsaid else None,
                ),
            )
