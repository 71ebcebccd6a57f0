"""What classes lose under the load that was given, and the longer queue or burst that holds it."""

from collections.abc import Iterator, Sequence
from math import ceil

from qoslib import units
from qoslib.checks.buffers import deepest_s
from qoslib.checks.checked_port import CheckedPort, Member
from qoslib.checks.marks import CONTROL
from qoslib.checks.priority import VOICE
from qoslib.checks.rule import Found
from qoslib.config.amounts import rate_text, share_text, size_text, time_text
from qoslib.config.source import check_time
from qoslib.findings.class_runs import LEAST_LOSS
from qoslib.findings.rebalance import more
from qoslib.findings.report import ClassRun
from qoslib.findings.report_text import loss_text
from qoslib.findings.under_load import runs
from qoslib.port import PacketLimit, Queue, TailDrop

__all__ = ["is_kept", "loses", "losses"]

#: What makes a lost packet an error: calls, and marks and usual names of routing (RFC 4594).
KEPT = VOICE | CONTROL | {"CS7", "IP 7", "nc", "network-control"}
#: Marks of all other traffic.
_BEST_EFFORT = {"CS0", "IP 0", "PCP 0", "EXP 0", "the rest"}
#: What of a promised rate, or of what a class is sent, is lost by an error [ratio].
_WORSE = 0.01
#: Losses of two models that differ by more are both said [ratio].
_APART = 0.02
#: How much longer than just enough a queue or a burst is made.
_MARGIN = 1.5
#: How often a queue or a burst is doubled to find out what is enough.
_DOUBLINGS = 10


def losses(
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
    return more(checked, member, given) if fixes else ("", "")


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
