"""The packet model: the same ports, packet by packet, in one event loop with exact times."""

from qoslib.packets.collect import filling
from qoslib.packets.history import OverTime, over_time
from qoslib.packets.simulate import simulate
from qoslib.packets.throughput import Throughput, throughput

__all__ = ["OverTime", "Throughput", "filling", "over_time", "simulate", "throughput"]
