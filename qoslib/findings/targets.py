"""Which targets of delay are met, missed or undecided under the load that was given."""

from collections.abc import Iterator, Sequence
from math import inf

from qoslib import units
from qoslib.checks.checked_port import CheckedPort
from qoslib.checks.contract import exceeded_bps
from qoslib.checks.loads import Load
from qoslib.checks.rule import Found
from qoslib.config.amounts import rate_text, time_text
from qoslib.config.junos.platforms import as_mx
from qoslib.findings.losses import loses
from qoslib.findings.report import ClassRun
from qoslib.findings.report_text import UNTOLD, loss_text, p99_text, untold
from qoslib.findings.under_load import LEAST_PACKETS

__all__ = ["missed", "on_targets"]

#: A class that loses as much misses its target, however soon the rest arrives [ratio].
_NEARLY_ALL = 0.9
#: Of a class that loses more than this, fewer than 99 % of the packets arrive at all [ratio].
_MANY = 0.01


def missed(checked: CheckedPort, found: Sequence[ClassRun]) -> Iterator[Found]:
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


def _nearly_all_lost(run: ClassRun) -> bool:
    """Whether so few packets of a class get through that their delay decides no target."""
    return run.drop_ratio is not None and run.drop.low >= _NEARLY_ALL


def _packets(load: Load, run: ClassRun) -> float:
    """How many packets a class sends in one run; of TCP there are always many."""
    if load.flows or not run.simulated_s:
        return inf
    pps = (units.rate_pps(each.mean_rate_bps, each.mean_frame_bytes) for each in load.streams)
    return sum(pps) * run.simulated_s


def _beyond(checked: CheckedPort) -> str:
    """Why no target is met by what the models give of a port; empty where nothing hinders it."""
    contract = exceeded_bps(checked)
    if contract is not None:
        return f"the carrier takes {rate_text(contract)} and drops packets of any class"
    return "the device is read as an MX and is none" if as_mx(checked.configuration) else ""


def on_targets(checked: CheckedPort, found: Sequence[ClassRun]) -> Iterator[tuple[str, str]]:
    """Each class with a target, and a sentence on it unless it is a finding."""
    by_name = {each.name: each for each in found}
    nearly = {each.name for each in found if not each.changing and _nearly_all_lost(each)}
    lost = {each.name for each in checked.every if not checked.pauses(each)} & nearly
    if not any(load.streams or load.flows for load in checked.loads):
        # Nothing is sent to this port: a load that was given for another asks nothing of it.
        return
    for load in checked.loads:
        run = by_name.get(load.name)
        if load.target_s is None or load.name in lost:
            continue
        if run is None or run.changing or run.delay_p99_s is None:
            yield load.name, untold(load.name, load.target_s)
            continue
        target = time_text(load.target_s)
        of = f"the p99 delay of {load.name} is {p99_text(run)}, its target {target}"
        packets = _packets(load, run)
        if run.delay_p99.low <= load.target_s < run.delay_p99.high:
            yield load.name, f"{UNTOLD}: {of} (packet model)."
        elif run.delay_p99.high <= load.target_s and (but := _beyond(checked)):
            yield load.name, f"{UNTOLD}: {of} (packet model), but {but}."
        elif run.delay_p99.high <= load.target_s and packets < LEAST_PACKETS:
            yield load.name, f"{UNTOLD}: {of}, but a run has only {packets:.0f} packets of it."
        elif run.delay_p99.high <= load.target_s:
            yield load.name, f"{_kept(run)}: {of}{_but(run)} (packet model)."


def _kept(run: ClassRun) -> str:
    """How a target is kept: by all packets, or by those that get through."""
    if not loses(run):
        return "Target met"
    few = "kept only" if run.drop.low >= _MANY else "met"
    return f"Target {few} by the packets that get through"


def _but(run: ClassRun) -> str:
    """What a class loses that keeps its target."""
    if not loses(run):
        return ""
    never = ", and a packet that is dropped never arrives" if run.drop.low >= _MANY else ""
    return f", but it loses {loss_text(run)}{never}"
