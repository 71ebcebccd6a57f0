"""The vocabulary of ports: one description that every model reads.

Building blocks carry the names of RFC 2475 and RFC 3290. All are frozen, checked when made,
equal by value, and written to and read from JSON.
"""

from qoslib.port.averaging import AsymmetricEwma, Ewma, Instantaneous, Sampled, TruncatingEwma
from qoslib.port.chain import Chain, Forwarder, Hop
from qoslib.port.droppers import (
    Cobalt,
    Codel,
    Dropper,
    DropProfile,
    DualPi2,
    HeadDrop,
    Pie,
    Red,
    TailDrop,
)
from qoslib.port.flow_queues import FlowQueues
from qoslib.port.limits import ByteLimit, PacketLimit, TimeLimit
from qoslib.port.metering import ExcessBurst, ExcessRate, PeakRate, Policer, Shaper
from qoslib.port.nodes import Node
from qoslib.port.pause import Pause, PriorityPause, headroom_bytes, pause_response_s
from qoslib.port.port import Classifier, Port
from qoslib.port.queues import MemoryPool, Queue
from qoslib.port.schedulers import (
    CakeTins,
    DeficitRoundRobin,
    Fifo,
    HierarchicalTokenBucket,
    ModifiedDrr,
    PriorityLevels,
    Scheduler,
    SchedulerTree,
    StartTimeFairQueueing,
    StrictPriority,
    WeightedRoundRobin,
)
from qoslib.port.switch import Switch
from qoslib.port.thresholds import ByteRedProfile, RedProfile, ShareRedProfile, TimeRedProfile

__all__ = [
    "AsymmetricEwma",
    "ByteLimit",
    "ByteRedProfile",
    "CakeTins",
    "Chain",
    "Classifier",
    "Cobalt",
    "Codel",
    "DeficitRoundRobin",
    "DropProfile",
    "Dropper",
    "DualPi2",
    "Ewma",
    "ExcessBurst",
    "ExcessRate",
    "Fifo",
    "FlowQueues",
    "Forwarder",
    "HeadDrop",
    "HierarchicalTokenBucket",
    "Hop",
    "Instantaneous",
    "MemoryPool",
    "ModifiedDrr",
    "Node",
    "PacketLimit",
    "Pause",
    "PeakRate",
    "Pie",
    "Policer",
    "Port",
    "PriorityLevels",
    "PriorityPause",
    "Queue",
    "Red",
    "RedProfile",
    "Sampled",
    "Scheduler",
    "SchedulerTree",
    "Shaper",
    "ShareRedProfile",
    "StartTimeFairQueueing",
    "StrictPriority",
    "Switch",
    "TailDrop",
    "TimeLimit",
    "TimeRedProfile",
    "TruncatingEwma",
    "WeightedRoundRobin",
    "headroom_bytes",
    "pause_response_s",
]
