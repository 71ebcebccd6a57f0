"""An experiment from its first packet to its table: each point three times, and judged."""

from collections.abc import Callable
from typing import NamedTuple

from livelab.experiment import REPEATS, SPARE, Experiment
from livelab.lab import Lab
from livelab.record import Tried
from livelab.run import DELAY_S, DRAIN_S, Run, run_once

__all__ = ["Plan", "perform", "plan"]

#: What a run takes besides its packets [s].
AROUND_S = DELAY_S + DRAIN_S + 0.6


class Plan(NamedTuple):
    """What an experiment will do.

    Attributes
    ----------
    runs : int
    least_s, most_s : float
        How long it takes: if every run is conclusive, and with all that may be repeated [s].
    """

    runs: int
    least_s: float
    most_s: float


def plan(experiment: Experiment, repeats: int = REPEATS) -> Plan:
    """How many runs an experiment has, and how long they take.

    Parameters
    ----------
    experiment : Experiment
    repeats : int

    Returns
    -------
    Plan

    Examples
    --------
    >>> from livelab.experiments import EXPERIMENTS
    >>> plan(EXPERIMENTS["six_classes"]).runs
    6
    """
    once_s = sum(point.scenario.duration_s + AROUND_S for point in experiment.points)
    return Plan(repeats * len(experiment.points), repeats * once_s, (repeats + SPARE) * once_s)


def perform(
    experiment: Experiment,
    say: Callable[[str], object],
    repeats: int = REPEATS,
    spare: int = SPARE,
) -> list[Tried]:
    """Run an experiment on this machine's kernel.

    A run that fails a gate is kept as inconclusive and replaced.

    Parameters
    ----------
    experiment : Experiment
    say : function of str
        Gets a line for each run.
    repeats : int
        Conclusive runs of each point.
    spare : int
        So many more runs of a point at most replace those that are inconclusive.

    Returns
    -------
    list of Tried

    Raises
    ------
    LabError
        If this machine offers no lab.
    """
    tried = []
    with Lab() as lab:
        for point in experiment.points:
            runs, conclusive = list[Run](), 0
            while conclusive < repeats and len(runs) < repeats + spare:
                one = run_once(lab, point.scenario, seed=len(runs))
                runs.append(one)
                conclusive += not one.inconclusive
                verdict = f"inconclusive: {one.inconclusive}" if one.inconclusive else "ok"
                say(f"{point.name}, run {len(runs)}: {verdict}")
            tried.append(Tried(point, tuple(runs)))
    return tried
