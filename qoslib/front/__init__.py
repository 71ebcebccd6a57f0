"""The front door: a scenario is run whole, alone or many times, by the model that is named."""

from qoslib.front.grid import Sweep
from qoslib.front.runs import MODELS, run
from qoslib.front.sweeps import sweep
from qoslib.front.workers import each

__all__ = ["MODELS", "Sweep", "each", "run", "sweep"]
