"""Run a scenario with the model that you name, once or over a grid of values."""

from qoslib.front.grid import Sweep
from qoslib.front.runs import MODELS, run
from qoslib.front.sweeps import sweep
from qoslib.front.workers import each

__all__ = ["MODELS", "Sweep", "each", "run", "sweep"]
