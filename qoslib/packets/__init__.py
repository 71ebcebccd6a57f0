"""The same disciplines packet by packet: one event loop, small rules, exact time."""

from qoslib.packets.collect import filling
from qoslib.packets.history import OverTime, over_time
from qoslib.packets.simulate import simulate
from qoslib.packets.throughput import Throughput, throughput

__all__ = ["OverTime", "Throughput", "filling", "over_time", "simulate", "throughput"]
