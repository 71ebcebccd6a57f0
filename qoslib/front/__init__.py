"""The front door: a scenario is run whole, alone or many times, by the model that is named."""

from qoslib.front.replications import Replications
from qoslib.front.runs import MODELS, run
from qoslib.front.sweeps import Sweep, sweep
from qoslib.front.workers import each

__all__ = ["MODELS", "Replications", "Sweep", "each", "run", "sweep"]
