"""Senders that respond to loss and delay: closed forms, a fluid model and a packet model."""

from qoslib.tcp.fluid import solve
from qoslib.tcp.formulas import (
    SawTooth,
    aimd_window_packets,
    bandwidth_delay_bytes,
    cubic_window_packets,
    desynchronised_buffer_bytes,
    loss_free_buffer_bytes,
    mathis_bps,
    policer_burst_bytes,
    saw_tooth,
    window_limited_bps,
)
from qoslib.tcp.history import OverTime, Totals, over_time, totals
from qoslib.tcp.simulate import simulate

__all__ = [
    "OverTime",
    "SawTooth",
    "Totals",
    "aimd_window_packets",
    "bandwidth_delay_bytes",
    "cubic_window_packets",
    "desynchronised_buffer_bytes",
    "loss_free_buffer_bytes",
    "mathis_bps",
    "over_time",
    "policer_burst_bytes",
    "saw_tooth",
    "simulate",
    "solve",
    "totals",
    "window_limited_bps",
]
