"""Rules that run a model: what the classes lose and how long they wait under a load."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, inf
from typing import TYPE_CHECKING, NamedTuple

from qoslib import units
from qoslib.checks.buffers import deepest_s
from qoslib.checks.checked_port import CheckedPort, Group, Member
from qoslib.checks.fixes import reserved_bps
from qoslib.checks.loads import Load
from qoslib.checks.marks import CONTROL
from qoslib.checks.priority import ROOM, VOICE
from qoslib.checks.rule import Finding, Found, Rule
from qoslib.checks.runner import finding_of
from qoslib.config.amounts import rate_text, share_text, size_text, time_text
from qoslib.config.guarantees import GUARANTEES
from qoslib.config.source import check_time
from qoslib.findings.rebalance import HEADROOM, moved, promised, why
from qoslib.findings.report import ClassRun
from qoslib.findings.report_text import UNTOLD, loss_text, p99_text, untold
from qoslib.findings.under_load import BUSY, LEAST_LOSS, LEAST_PACKETS, SECONDS, runs
from qoslib.port import Codel, DropProfile, PacketLimit, Pie, Port, Queue, TailDrop
from qoslib.tolerances import ROUNDING

if TYPE_CHECKING:
    from qoslib.packets.progress import Progress

__all__ = ["MODELS", "MODEL_RULES", "Modelled", "is_kept", "loses", "modelled", "tried"]

#: What makes a lost packet an error: calls, and marks and usual names of routing (RFC 4594).
KEPT = VOICE | CONTROL | {"CS7", "IP 7", "nc", "network-control"}
#: Marks of all other traffic.
_BEST_EFFORT = {"CS0", "IP 0", "PCP 0", "EXP 0", "the rest"}
#: What of a promised rate, or of what a class is sent, is lost by an error [ratio].
_WORSE = 0.01
#: Losses of two models that differ by more are both said [ratio].
_APART = 0.02
#: A class that loses as much misses its target, however soon the rest arrives [ratio].
_NEARLY_ALL = 0.9
#: How much longer than just enough a queue or a burst is made.
_MARGIN = 1.5
#: How often a queue or a burst is doubled to find out what is enough.
_DOUBLINGS = 10


def _loss(
    checked: CheckedPort,
    found: Sequence[ClassRun],
    fluid: Sequence[ClassRun] = (),
    fixes: bool = True,
) -> Iterator[Found]:
    """A class loses packets under the load that was given."""
    by_name = {run.name: run for run in found}
    in_fluid = {run.name: run.drop_ratio for run in fluid}
    given: dict[str, float] = {}
    for member in checked.every:
        run, load = by_name.get(member.name), member.load
        if run is None or load is None or run.changing or not loses(run):
            continue
        limited = member.strict and not load.taken_by
        if limited and load.rate_bps > member.promise.maximum_bps:
            continue
        if checked.pauses(member) and run.drop_cause != "policer":
            yield _held_back(checked, member, run)
            continue
        means = in_fluid.get(member.name)
        fix, beside = _remedy(checked, member, run, means, given, fixes)
        if run.model == "packets" and means is not None and abs(means - run.drop.mean) > _APART:
            beside = f" In the fluid model it loses {share_text(means)}.{beside}"
        yield Found(
            checked.class_line(member),
            f"Class {member.name} loses {loss_text(run)} of its offered load.",
            f"{load.text} offered ({load.words or load.origin}), at least {member.promise.least}"
            f" promised; with the others' load,"
            f" {rate_text((1 - run.drop.mean) * load.rate_bps)} gets through.{beside}",
            fix,
            "error" if _is_error(checked, member, run, means) else None,
        )


def _held_back(checked: CheckedPort, member: Member, run: ClassRun) -> Found:
    """What a class is sent above what gets through, where its senders are paused instead."""
    assert member.load is not None
    through = rate_text((1 - run.drop.mean) * member.load.rate_bps)
    return Found(
        checked.class_line(member),
        f"The senders of {member.name} are paused, because they send more than the port carries.",
        f"{member.load.text} offered ({member.load.words or member.load.origin}), at least"
        f" {member.promise.least} promised; with the others' load, {through} gets through. The"
        " class is lossless, so the rest waits at its senders and may delay their other traffic."
        " The models drop it.",
    )


def _is_promised(checked: CheckedPort, member: Member) -> bool:
    """Whether the minimum of a queue covers all that is sent to it."""
    return checked.sent_bps(member) <= member.promise.minimum_bps


def _is_error(checked: CheckedPort, member: Member, run: ClassRun, means: float | None) -> bool:
    """Whether what is lost is of a rate that is promised, of calls, or of routing."""
    if is_kept(member):
        return True
    beside_tcp = _is_beside_tcp(checked, member, run, means)
    return _is_promised(checked, member) and not beside_tcp and run.drop.low >= _WORSE


def is_kept(member: Member) -> bool:
    """Whether a class is of calls or of routing, which should lose nothing."""
    marks = {*member.of.marks, member.name.lower()}
    # Where best effort waits as well, nobody has chosen these marks for the class.
    return bool(marks & KEPT and not marks & _BEST_EFFORT)


def _is_beside_tcp(
    checked: CheckedPort, member: Member, run: ClassRun, means: float | None
) -> bool:
    """Whether a class loses only as TCP fills its queue."""
    fits = means is not None and means < LEAST_LOSS
    tcp = any(each.load and each.load.flows for each in checked.in_queue_of(member))
    return tcp and run.model == "packets" and (_is_promised(checked, member) or fits)


def _remedy(
    checked: CheckedPort,
    member: Member,
    run: ClassRun,
    means: float | None,
    given: dict[str, float],
    fixes: bool,
) -> tuple[str, str]:
    """A fix of a loss, and why packets are lost or what the fix costs."""
    if _is_beside_tcp(checked, member, run, means):
        return "", f" {_BESIDE_TCP}"
    fits = means is not None and means < LEAST_LOSS
    if fixes and fits and run.drop_cause in _CAUSES:
        fix, beside = _longer(checked, member, run.drop_cause)
        cause = _CAUSES[run.drop_cause].format(_where(member, run.drop_cause))
        return fix, f" {cause}{beside}"
    return _more(checked, member, given) if fixes else ("", "")


def _nearly_all_lost(run: ClassRun) -> bool:
    """Whether so few packets of a class get through that their delay decides no target."""
    return run.drop_ratio is not None and run.drop.low >= _NEARLY_ALL


def loses(run: ClassRun) -> bool:
    """Whether a class loses packets, as far as its interval can tell."""
    return run.drop_ratio is not None and run.drop.mean >= LEAST_LOSS and run.drop.low > 0


_BESIDE_TCP = "TCP keeps its queue full, so other packets that arrive there are dropped as well."
#: What drops packets although the fluid model loses none -> the reason.
_CAUSES = {
    "tail": "Its mean rate fits; its bursts do not fit into the queue ({}).",
    "policer": "Its mean rate fits; its bursts exceed what the policer lets through at once ({}).",
}


def _where(member: Member, cause: str) -> str:
    policer = member.queue.policer
    if cause == "policer" and policer is not None:
        return size_text(policer.burst_bytes)
    return member.promise.held_why or size_text(member.promise.held_bytes or 0.0)


def _longer(checked: CheckedPort, member: Member, cause: str) -> tuple[str, str]:
    """A longer queue or burst with which a class's bursts get through, and what it costs."""
    queue = member.queue
    for _ in range(_DOUBLINGS):
        check_time()
        doubled = _doubled(queue, cause)
        if doubled is None:
            return "", ""
        queue = doubled
        if cause == "tail" and _lasts_s(member, queue.limit) > deepest_s(member):
            longest = time_text(deepest_s(member))
            return "", f" A queue that holds them would last longer than {longest}: space them."
        lost = _lost(checked, member, queue)
        if lost is None:
            return "", ""
        if lost < LEAST_LOSS:
            break
    else:
        return "", ""
    if queue.policer is not None and cause == "policer":
        return checked.fixes.burst(member, _MARGIN * queue.policer.burst_bytes), ""
    assert isinstance(queue.limit, PacketLimit)
    wanted = ceil(_MARGIN * queue.limit.packets)
    lasts_s = _lasts_s(member, PacketLimit(wanted))
    said = f" A queue of {wanted} packets holds them; full, it lasts {time_text(lasts_s)}."
    return checked.fixes.queue_time(member, lasts_s), said


def _doubled(queue: Queue, cause: str) -> Queue | None:
    """A queue that holds twice as much, or lets through twice the burst; None where it cannot."""
    if cause == "policer" and queue.policer is not None:
        burst_bytes = 2 * queue.policer.burst_bytes
        return queue.replace(policer=queue.policer.replace(burst_bytes=burst_bytes))
    if cause == "tail" and isinstance(queue.limit, PacketLimit) and queue.dropper == TailDrop():
        return queue.replace(limit=PacketLimit(2 * queue.limit.packets))
    return None


def _lost(checked: CheckedPort, member: Member, queue: Queue) -> float | None:
    """What a class loses with another queue [ratio]; None where no model says it."""
    queues = tuple(queue if q.name == queue.name else q for q in checked.port.queues)
    configured = checked.configured.replace(port=checked.port.replace(queues=queues))
    try:
        found = runs(configured, checked.loads, "packets", seconds=None)
    except ValueError:
        return None
    ratio = next(run.drop_ratio for run in found if run.name == member.name)
    return 1.0 if ratio is None else ratio


def _lasts_s(member: Member, limit: object) -> float:
    """How long a queue of so many packets lasts at its served rate [s]."""
    packets = limit.packets if isinstance(limit, PacketLimit) else 0
    held_bytes = packets * member.frame_bytes
    return float(units.serialisation_s(held_bytes, member.promise.served_bps))


def _more(checked: CheckedPort, member: Member, given: dict[str, float]) -> tuple[str, str]:
    """A guarantee for the load where there is room for it, or why there is none.

    `given` has what other fixes have given already, and takes this one.
    """
    none = _without_guarantee(checked, member)
    if none or member.strict:
        return "", none
    group = checked.group_of(member)
    wanted_bps = checked.fixes.rounded_bps(_least(checked, member, given), group.most_bps, ceil)
    others = [each for each in group.members if each is not member]
    alone_bps = wanted_bps + sum(reserved_bps(each) for each in others)
    with_fixes_bps = sum(given.get(each.name, reserved_bps(each)) for each in others) + wanted_bps
    beside = f" The fix of {' and '.join(given)} leaves no room for more."
    if with_fixes_bps > group.most_bps:
        beside = "" if alone_bps > group.most_bps else beside
        return _room(checked, member, group, given, beside)
    fix, wanted = checked.fixes.guarantees(group, [(member, wanted_bps)]), {member.name: wanted_bps}
    if not fix:
        return "", ""
    if not isinstance(checked.port.scheduler, GUARANTEES):
        given.update(wanted)
        return fix, ""
    after = promised(checked, given | wanted)
    if any(_is_short(checked, each, after) for each in others if each.name in given):
        return _room(checked, member, group, given, beside)
    given.update(wanted)
    if _is_short(checked, member, after):
        return fix, ""
    least_bps, arithmetic = after[member.queue.name]
    said = f"{rate_text(wanted_bps)} guaranteed it has at least {rate_text(least_bps)}"
    return fix, f" With {said} ({arithmetic})."


def _without_guarantee(checked: CheckedPort, member: Member) -> str:
    """Why no guarantee helps a class; empty where one may, or where it is served first."""
    if member.load and member.load.taken_by:
        return f" Its packets get into {member.load.taken_by}: no packet is in this class."
    if member.limit_bps == 0:
        return " All its packets are dropped, as its class says."
    shaper = member.queue.shaper
    if shaper and not member.strict and checked.sent_bps(member) > shaper.rate_bps * (1 + ROUNDING):
        most = rate_text(shaper.rate_bps)
        return f" Its own limit of {most} is below its load: no guarantee lets more through."
    if not member.strict and member not in checked.members:
        return " Its packets wait in the queue of another class (class-without-queue)."
    return ""


def _is_short(checked: CheckedPort, member: Member, after: Mapping[str, tuple[float, str]]) -> bool:
    """Whether a queue would be promised less than all that is sent to it."""
    return after[member.queue.name][0] < checked.sent_bps(member) * (1 - ROUNDING)


def _room(
    checked: CheckedPort, member: Member, group: Group, given: dict[str, float], beside: str
) -> tuple[str, str]:
    """Guarantees that carry a class where others have less than they are promised, and why."""
    said = why(member, group.members)
    now = moved(checked, group, member, given)
    if not now:
        return "", _not_carried(checked, group, said, beside)
    rates = {each.name: reserved_bps(each) for each in group.members}
    changes = (
        f"{name} {rate_text(rate)} instead of {rate_text(rates[name])}"
        for name, rate in now.items()
    )
    lowered = [each for each in group.members if now.get(each.name, inf) < rates[each.name]]
    slower = " and ".join(each.name for each in lowered if each.load and each.load.flows)
    price = f", but the TCP of {slower} is slower" if slower else ""
    said += f" Guarantee {', '.join(changes)}: its load then gets through, and no steady stream"
    said += f" of another class loses more{price}."
    given.update(now)
    changed = [(each, now[each.name]) for each in group.members if each.name in now]
    changed.sort(key=lambda rate: rate[1] > reserved_bps(rate[0]))
    return checked.fixes.guarantees(group, changed), said


def _not_carried(checked: CheckedPort, group: Group, said: str, beside: str) -> str:
    """Why no guarantees carry the loads of all classes."""
    most_bps, members = group
    loads_bps = sum(checked.sent_bps(each) for each in members if not each.strict)
    limits_bps = sum(reserved_bps(each) for each in members if each.strict)
    if loads_bps + limits_bps <= most_bps * (1 + ROUNDING):
        return beside or said
    # A priority that is well above its load leaves room, which no guarantee can take.
    needed = {
        m.name: (reserved_bps(m), ROOM * m.load.rate_bps) for m in members if m.strict and m.load
    }
    above = {name: has_bps - needs_bps for name, (has_bps, needs_bps) in needed.items()}
    above = {name: rate_bps for name, rate_bps in above.items() if rate_bps > 0}
    fits = loads_bps + limits_bps - sum(above.values()) <= most_bps * (1 + ROUNDING)
    without = f" without a lower priority of {' and '.join(above)}" if above and fits else ""
    both = f"{rate_text(loads_bps)} of loads"
    both += f" and {rate_text(limits_bps)} of limits of priority" if limits_bps else ""
    return (
        f"{beside or said} No guarantees carry it{without}: {both} are more than"
        f" {rate_text(most_bps)}."
    )


def _least(checked: CheckedPort, member: Member, given: Mapping[str, float]) -> float:
    """The smallest guarantee whose minimum covers a class's load with some headroom [bit/s]."""
    sent_bps = checked.sent_bps(member)
    offered = HEADROOM * sent_bps
    low, high = member.queue.guaranteed_bps, max(BUSY * sent_bps, offered)
    if not isinstance(checked.port.scheduler, GUARANTEES):
        return high
    if promised(checked, {**given, member.name: high})[member.queue.name][0] < offered:
        return high
    for _ in range(_STEPS):
        check_time()
        middle = (low + high) / 2
        enough = promised(checked, {**given, member.name: middle})[member.queue.name][0] >= offered
        low, high = (low, middle) if enough else (middle, high)
    return high


def _delay(checked: CheckedPort, found: Sequence[ClassRun]) -> Iterator[Found]:
    """The 99th percentile of a class's delay is above its target, or nearly all of it is lost."""
    by_name = {each.name: each for each in found}
    for member in checked.every:
        run, load = by_name.get(member.name), member.load
        if run is None or load is None or load.target_s is None or run.changing:
            continue
        if _nearly_all_lost(run) and not checked.pauses(member):
            yield Found(
                member.of.line or checked.configured.line,
                f"Class {member.name} does not meet its target of {time_text(load.target_s)}: it"
                f" loses {loss_text(run)} of its offered load.",
                f"{load.text} offered to {member.promise.least}; a packet that is dropped never"
                " arrives.",
            )
            continue
        if run.delay_p99.low > load.target_s:
            queue = time_text(member.promise.queue_s) if member.promise.queue_s else "?"
            yield Found(
                member.of.line or checked.configured.line,
                f"The p99 delay of {member.name} is {p99_text(run)}, its target"
                f" {time_text(load.target_s)}.",
                f"{load.text} offered to {member.promise.least}; a full queue lasts {queue}.",
            )


_LOSS = Rule("loss", "warning", "qoslib.packets.simulate", _loss)
_DELAY = Rule("delay-target", "error", "qoslib.packets.simulate", _delay)
#: Rules that run a model, by their ids.
MODEL_RULES = {each.id: each for each in (_LOSS, _DELAY)}
#: Processor time for the runs of a port with a fix that is tried [s].
TRIAL_SECONDS = 3.0
#: Halvings of the range in which a guarantee is looked for.
_STEPS = 40
MODELS = {"fluid": "fluid model", "packets": "packet model"}


class Modelled(NamedTuple):
    """What models say of a port under the load that was given.

    Attributes
    ----------
    findings : tuple of Finding
    not_run : tuple of str
        A sentence for each model that could not run.
    runs : tuple of ClassRun
        Of both models, class by class; of one of them where the other does not have the port.
    met : tuple of str
        A sentence for each target that is met, or of which that cannot be told.
    doubts : tuple of str
        Why nothing rests on the packet model here, or nothing is promised; and, where it has
        settled, for which class it cannot be told whether it meets its target.
    """

    findings: tuple[Finding, ...]
    not_run: tuple[str, ...]
    runs: tuple[ClassRun, ...]
    met: tuple[str, ...]
    doubts: tuple[str, ...] = ()


def modelled(
    checked: CheckedPort,
    ratios: Sequence[float] = (1.0,),
    progress: "Progress | None" = None,
    *,
    fixes: bool = True,
) -> Modelled:
    """What models find under the load that was given.

    Parameters
    ----------
    checked : CheckedPort
        Its loads are not assumed.
    ratios : sequence of float
        Parts of the load at which the packet model runs, 1 among them.
    progress : callable, optional
        Of the packet model, with what is done and the whole of it [s].
    fixes : bool
        Whether fixes of losses are looked for, which takes more runs.

    Returns
    -------
    Modelled

    Examples
    --------
    >>> from qoslib.config import Configuration, ConfiguredClass, ConfiguredPort, Facts
    >>> from qoslib.checks import loads
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("all", "all"),))
    >>> sent = loads(edge, 'all = "12.5 Mb/s of 1250 B"')
    >>> got = modelled(CheckedPort(Configuration("ios-xe", (edge,)), edge, Facts(), sent))
    >>> got.findings[0].sentence, got.findings[0].model
    ('Class all loses 20 ±1 % of its offered load.', 'packets')
    """
    fluid, refused = tried(checked, "fluid")
    seconds = SECONDS if fixes else TRIAL_SECONDS
    packets, failed = tried(checked, "packets", ratios, progress, seconds)
    given = [run for run in packets if run.load_ratio == 1]
    unsettled = next((run.changing for run in given if run.changing), "")
    where = f"{checked.configured.interface} {checked.configured.direction}"
    # The fluid model stands in only where the packet model says nothing.
    in_fluid = bool(failed or unsettled)
    loss = replace(_LOSS, reference="qoslib.fluid.solve") if in_fluid else _LOSS
    losses = _loss(checked, fluid if in_fluid else given, fluid, fixes)
    found = [finding_of(loss, each, where, "fluid" if in_fluid else "packets") for each in losses]
    found += [finding_of(_DELAY, each, where, "packets") for each in _delay(checked, given)]
    order = [load.name for load in checked.loads]
    both = sorted([*fluid, *packets], key=lambda run: order.index(run.name))
    doubts = [f"{where}: the packet model was not run: {failed}."] if failed else []
    if unsettled:
        doubts = [f"{where}: the packet model gives no answer: {unsettled}."]
    instead = "" if failed else " The packet model ran instead."
    not_run = [f"The fluid model was not run: {refused}.{instead}"] if refused else []
    not_run += [f"The packet model was not run: {failed}."] if failed else []
    met = dict(_met(checked, given))
    open_of = [name for name, said in met.items() if said.startswith(UNTOLD)]
    if open_of and not doubts:
        doubts = [f"{where}: undecided whether {' and '.join(open_of)} meets its target."]
    return Modelled(tuple(found), tuple(not_run), tuple(both), (*met.values(),), tuple(doubts))


def tried(
    checked: CheckedPort,
    model: str,
    ratios: Sequence[float] = (1.0,),
    progress: "Progress | None" = None,
    seconds: float = SECONDS,
) -> tuple[tuple[ClassRun, ...], str]:
    """What a model gives for each class, or why it does not."""
    try:
        return runs(checked.configured, checked.loads, model, ratios, progress, seconds=seconds), ""
    except ValueError as error:
        lacks = _lacks(checked.port) if model == "fluid" else ""
        return (), lacks or textwrap.shorten(str(error).rstrip("."), 160)


def _lacks(port: Port) -> str:
    """What of a port's queues the fluid model does not have, in words; empty if nothing."""
    for queue in port.queues:
        for kind, word in ((Codel, "CoDel"), (Pie, "PIE")):
            if isinstance(queue.dropper, kind):
                return f"it has no {word}, which drops packets in queue {queue.name}"
        if isinstance(queue.dropper, DropProfile) and queue.dropper.profiles:
            return f"it has no drop profiles by loss priority, as queue {queue.name} has"
    return ""


def _packets(load: Load, run: ClassRun) -> float:
    """How many packets a class sends in one run; of TCP there are always many."""
    if load.flows or not run.simulated_s:
        return inf
    pps = (units.rate_pps(each.mean_rate_bps, each.mean_frame_bytes) for each in load.streams)
    return sum(pps) * run.simulated_s


def _met(checked: CheckedPort, found: Sequence[ClassRun]) -> Iterator[tuple[str, str]]:
    """Each class with a target, and a sentence on it unless it is a finding."""
    by_name = {each.name: each for each in found}
    nearly = {each.name for each in found if not each.changing and _nearly_all_lost(each)}
    missed = {each.name for each in checked.every if not checked.pauses(each)} & nearly
    for load in checked.loads:
        run = by_name.get(load.name)
        if load.target_s is None or load.name in missed:
            continue
        if run is None or run.changing or run.delay_p99_s is None:
            yield load.name, untold(load.name, load.target_s)
            continue
        target = time_text(load.target_s)
        of = f"the p99 delay of {load.name} is {p99_text(run)}, its target {target}"
        packets = _packets(load, run)
        if run.delay_p99.low <= load.target_s < run.delay_p99.high:
            yield load.name, f"{UNTOLD}: {of} (packet model)."
        elif run.delay_p99.high <= load.target_s and packets < LEAST_PACKETS:
            yield load.name, f"{UNTOLD}: {of}, but a run has only {packets:.0f} packets of it."
        elif run.delay_p99.high <= load.target_s:
            lost = f", but it loses {loss_text(run)}" if loses(run) else ""
            part = " by the packets that get through" if lost else ""
            yield load.name, f"Target met{part}: {of}{lost} (packet model)."
