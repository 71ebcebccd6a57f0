"""The fluid model: mean rates by closed forms and water-filling, without a simulation."""

from qoslib.fluid.forwarder import knee_bytes
from qoslib.fluid.over_time import over_time
from qoslib.fluid.shared_memory import burst_bytes, threshold_bytes
from qoslib.fluid.sharing import fill, in_proportion
from qoslib.fluid.solve import SHARINGS, solve

__all__ = [
    "SHARINGS",
    "burst_bytes",
    "fill",
    "in_proportion",
    "knee_bytes",
    "over_time",
    "solve",
    "threshold_bytes",
]
