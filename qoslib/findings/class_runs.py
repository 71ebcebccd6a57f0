"""What runs of a model give each class: losses, rates and delays, each with its interval."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qoslib.checks import Load
from qoslib.findings.report import ClassRun
from qoslib.results import Interval, Result
from qoslib.tolerances import ROUNDING

if TYPE_CHECKING:
    from qoslib.front.replications import Replications

__all__ = ["LEAST_LOSS", "Measured", "class_run", "is_known", "mean_run", "measured", "simulated_s"]

#: A loss below this is none, and so is a difference of losses [ratio].
LEAST_LOSS = 1e-3
#: The half-width that an interval may have, as a part of its mean.
PRECISION = 0.1
#: Class and what is measured of it, or the cause of a drop.
Measured = dict[tuple[str, str], float]


def measured(load: Load, result: Result, ratio: float) -> Measured:
    """What a run gives a class, and what drops packets of its streams [packets/s]."""
    run = class_run(load, result, ratio, "packets")
    steady = {stream.name for stream in load.streams}
    places = [at for at, name in enumerate(result.streams) if name in steady]
    values = {(load.name, what): _or_nan(getattr(run, what)) for what in _MEANS}
    if load.target_s is not None and run.delay_p99_s is not None:
        tcp = [at for at, name in enumerate(result.streams) if _is_tcp(name, load)]
        values[load.name, _BEYOND] = _beyond(result, places or tcp, load.target_s)
    causes = result.dropped_by_pps.items()
    return values | {(load.name, cause): float(of[places].sum()) for cause, of in causes}


def _beyond(result: Result, places: Sequence[int], target_s: float) -> float:
    """The share of packets with a delay beyond a target, of its worst stream [ratio]."""
    assert result.histogram is not None
    counts = result.histogram.counts[places]
    longer = counts[:, result.histogram.edges_s[1:] > target_s].sum(axis=1)
    # A bin may reach beyond the delays in it.
    longer = np.where(result.delay_max_s[places] > target_s, longer, 0)
    return float((longer / np.maximum(counts.sum(axis=1), 1)).max())


def _is_below(load: Load, delay: Interval, beyond: Interval) -> bool:
    """Whether a class meets its target.

    A p99 delay of a run is too low on average where few of the run's packets wait long, and the
    share of packets beyond the target is not.
    """
    return delay.high < (load.target_s or 0.0) and beyond.high < 1 - _P99


def is_known(load: Load, means: Mapping[tuple[str, str], Interval]) -> bool:
    """Whether loss and delay of a class are known well enough."""
    loss, delay = means[load.name, "drop_ratio"], means[load.name, "delay_p99_s"]
    if loss.half_width > max(PRECISION * loss.mean, LEAST_LOSS / 2):
        return False
    target_s = load.target_s or 0.0
    beyond = means.get((load.name, _BEYOND), Interval(np.nan, np.nan))
    decided = _is_below(load, delay, beyond) or delay.low >= target_s
    return decided or not delay.half_width > PRECISION * delay.mean


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


#: The share of packets beyond a class's target, and that of packets below a p99 delay.
_BEYOND, _P99 = "beyond its target", 0.99
#: What is averaged over runs.
_MEANS = ("drop_ratio", "sent_bps", "delay_mean_s", "delay_p50_s", "delay_p99_s", "delay_max_s")


def simulated_s(runs: "Replications[tuple[str, str]]") -> float:
    return runs.scenario.duration_s - runs.scenario.warmup_s


def mean_run(load: Load, runs: "Replications[tuple[str, str]]", ratio: float) -> ClassRun:
    from qoslib.front.replications import interval

    found = {what: interval(runs.values[load.name, what]) for what in _MEANS}
    means = {what: None if np.isnan(each.mean) else each.mean for what, each in found.items()}
    longest = runs.values[load.name, "delay_max_s"]
    if means["delay_max_s"] is not None:
        means["delay_max_s"] = float(np.nanmax(longest))
    sent_bps = means.pop("sent_bps") or 0.0
    beyond = runs.values.get((load.name, _BEYOND))
    half_s = _half(found["delay_p99_s"])
    if beyond is not None and not _is_below(load, found["delay_p99_s"], interval(beyond)):
        # A target that the p99 delay may be above is in its interval, and not at the end of it.
        apart_s = (load.target_s or 0.0) - found["delay_p99_s"].mean
        half_s = max(half_s or 0.0, (1 + ROUNDING) * apart_s)
    run = ClassRun(
        load.name,
        ratio,
        "packets",
        means["drop_ratio"],
        sent_bps,
        offered_bps=ratio * load.rate_bps,
        simulated_s=simulated_s(runs),
        drop_half_ratio=_half(found["drop_ratio"]),
        delay_p99_half_s=half_s,
        runs=len(longest),
        drop_cause=_most_drops(load.name, runs),
    )
    return run.replace(**means)


def _most_drops(of_class: str, runs: "Replications[tuple[str, str]]") -> str:
    """What drops most packets of a class; empty where nothing does."""
    drops = {
        cause: float(of.sum())
        for (name, cause), of in runs.values.items()
        if name == of_class and cause not in (*_MEANS, _BEYOND)
    }
    cause = max(drops, key=lambda each: drops[each], default="")
    return cause if drops and drops[cause] else ""


def _half(interval: Interval) -> float | None:
    return None if np.isnan(interval.half_width) else interval.half_width


def class_run(load: Load, result: Result, ratio: float, model: str) -> ClassRun:
    steady = [stream.name for stream in load.streams if stream.rate_bps]
    flows = [name for name in result.streams if name not in steady and _is_tcp(name, load)]
    sent = sum(_sent(result, (*steady, *flows)))
    offered = sum(float(result[name].offered_bps) for name in steady)
    lost = None
    stands_in = bool(flows) and result.tcp is None
    if offered and stands_in:
        # TCP gives way: what its class sends is first that of the other streams.
        lost = min(max(1 - sent / offered, 0.0), 1.0)
    elif offered:
        # What is still on its way at the end of the run is not lost.
        lost = min(sum(float(result[name].dropped_bps) for name in steady) / offered, 1.0)
    run = ClassRun(load.name, ratio, model, lost, sent, offered)
    if model == "fluid":
        return run
    # A stream that keeps its queue full waits longer than TCP would.
    delays = {} if stands_in else _delays(result, steady or flows)
    return run.replace(**delays, simulated_s=result.duration_s)


def _delays(result: Result, names: Sequence[str]) -> dict[str, float]:
    """Mean of all packets of a class, and the highest p50, p99 and maximum of its streams."""
    places = [result.streams.index(name) for name in names if result[name].sent_pps]
    if not places:
        return {}
    # The percentiles of all streams at once: one by one the time would grow with their square.
    mean_s = np.average(result.delay_mean_s[places], weights=result.sent_pps[places])
    quantities = "delay_p50_s", "delay_p99_s", "delay_max_s"
    highest = {q: float(np.max(getattr(result, q)[places])) for q in quantities}
    return {"delay_mean_s": float(mean_s)} | highest


def _sent(result: Result, names: Sequence[str]) -> list[float]:
    return [float(result[name].sent_bps) for name in names]


def _is_tcp(name: str, load: Load) -> bool:
    return name == f"{load.name} TCP" or name in {flow.name for flow in load.flows}
