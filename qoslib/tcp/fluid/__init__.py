"""TCP by the fluid model."""

from qoslib.tcp.fluid.solve import solve

__all__ = ["solve"]
