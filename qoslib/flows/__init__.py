"""The vocabulary of senders that respond: TCP connections and their hosts.

Congestion control, slow start and recovery are choices of their own, named after their RFCs.
"""

from qoslib.flows.congestion import Bbr, Congestion, Cubic, Dctcp, HTcp, Prague, Reno
from qoslib.flows.flow import Flow
from qoslib.flows.host import Host, NetemQueue
from qoslib.flows.linux import burst_segments, linux_host
from qoslib.flows.pacing import FqPacing, HtbPacing, Pacing, actual_rate_bps, burst_bytes
from qoslib.flows.recovery import (
    NewRenoRecovery,
    PathologicalRecovery,
    RateHalving,
    Recovery,
    SackRecovery,
    TimeoutOnly,
)
from qoslib.flows.slow_start import HyStart, SlowStart

__all__ = [
    "Bbr",
    "Congestion",
    "Cubic",
    "Dctcp",
    "Flow",
    "FqPacing",
    "HTcp",
    "Host",
    "HtbPacing",
    "HyStart",
    "NetemQueue",
    "NewRenoRecovery",
    "Pacing",
    "PathologicalRecovery",
    "Prague",
    "RateHalving",
    "Recovery",
    "Reno",
    "SackRecovery",
    "SlowStart",
    "TimeoutOnly",
    "actual_rate_bps",
    "burst_bytes",
    "burst_segments",
    "linux_host",
]
