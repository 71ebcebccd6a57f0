"""The models that can stand on the scoreboard."""

from collections.abc import Callable, Sequence

from qoslib import fluid
from qoslib.platforms.provenance import Experiment
from qoslib.results import Result

__all__ = ["MODELS"]


def _fluid(experiment: Experiment) -> tuple[Result]:
    return (fluid.solve(experiment.port, experiment.streams),)


#: Name to a function of an experiment. A deterministic model gives one result without a seed, a
#: random one a result for each seed: then a value's interval runs from the least to the largest,
#: since a published number is the outcome of one run too.
MODELS: dict[str, Callable[[Experiment], Sequence[Result]]] = {"fluid": _fluid}
