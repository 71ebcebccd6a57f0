"""Rates as water: closed forms and water-filling, answers at once."""

from qoslib.fluid.sharing import fill, in_proportion
from qoslib.fluid.solve import SHARINGS, solve
from qoslib.fluid.sweep import sweep

__all__ = ["SHARINGS", "fill", "in_proportion", "solve", "sweep"]
