"""The same disciplines packet by packet: one event loop, small rules, exact time."""

from qoslib.packets.replicate import Replications, replicate
from qoslib.packets.simulate import simulate
from qoslib.packets.sweep import sweep

__all__ = ["Replications", "replicate", "simulate", "sweep"]
