"""What the policers of a port drop of what comes in: there are no queues, so nothing waits."""

from collections.abc import Iterator, Sequence

from qoslib.checks.checked_port import CheckedPort, Member
from qoslib.checks.rule import Found
from qoslib.config.amounts import rate_text, share_text, size_text
from qoslib.findings.losses import is_kept, loses
from qoslib.findings.modelled import Modelled, both_models
from qoslib.findings.report import ClassRun
from qoslib.findings.report_text import loss_text, untold

__all__ = ["policed"]


def policed(checked: CheckedPort) -> Modelled:
    """What models find of a port on the way in under the load that was given.

    Its delays are left out, because what waits does so on the way out. So no target is met here.
    """
    if not any(queue.policer for queue in checked.port.queues):
        return _unpoliced(checked)
    ran = both_models(checked)
    found = ran.findings(_losses(checked, ran.deciding))
    open_of = {each.name: each.target_s for each in checked.loads if each.target_s is not None}
    names = " and ".join(open_of)
    unknown = f"{ran.where}: a policer has no queue, so the delay of {names} is not known."
    met = (untold(name, target_s) for name, target_s in open_of.items())
    ran = ran._replace(packets=tuple(map(_without_delays, ran.packets)))
    return ran.modelled(found, met, [*ran.doubts, *([unknown] if open_of else [])])


def _unpoliced(checked: CheckedPort) -> Modelled:
    """What is said of a load where nothing polices it."""
    where = f"{checked.configured.interface} {checked.configured.direction}"
    loads = [each for each in checked.loads if each.line]
    names = " and ".join(each.name for each in loads)
    said = (
        [f"The load of {names} is not used here: nothing polices what comes in."] if loads else []
    )
    said += [untold(of.name, of.target_s) for of in checked.loads if of.target_s is not None]
    doubt = f"{where}: nothing is promised: no policer is read here."
    return Modelled((), (), (), tuple(said), (doubt,))


def _without_delays(run: ClassRun) -> ClassRun:
    return run.replace(
        delay_mean_s=None,
        delay_p50_s=None,
        delay_p99_s=None,
        delay_max_s=None,
        delay_p99_half_s=None,
    )


def _losses(checked: CheckedPort, runs: Sequence[ClassRun]) -> Iterator[Found]:
    """The classes that lose packets on the way in."""
    by_name = {run.name: run for run in runs}
    for member in checked.every:
        run = by_name.get(member.name)
        if run is not None and not run.changing and loses(run):
            yield Found(
                checked.class_line(member),
                f"Class {member.name} loses {loss_text(run)} of its offered load on the way in.",
                _arithmetic(member),
                severity="error" if is_kept(member) else None,
            )


def _arithmetic(member: Member) -> str:
    """What is sent to a policer, and what it lets through in the long run."""
    load, policer = member.load, member.queue.policer
    assert load is not None
    said = f"{load.text} offered ({load.words or load.origin})"
    if policer is None:
        return f"{said}; the class has no policer of its own."
    rate = rate_text(policer.rate_bps)
    said += f"; its policer has {rate} and a burst of {size_text(policer.burst_bytes)}"
    if policer.excess is None and policer.exceed == "drop" and load.rate_bps > policer.rate_bps:
        lost = share_text(1 - policer.rate_bps / load.rate_bps)
        return f"{said}: 1 - {rate} / {rate_text(load.rate_bps)} = {lost}."
    return f"{said}."
