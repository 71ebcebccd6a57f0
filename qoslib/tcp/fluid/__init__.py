"""TCP as water."""

from qoslib.tcp.fluid.solve import solve

__all__ = ["solve"]
