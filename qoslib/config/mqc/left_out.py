"""What is left out of a configuration of Cisco's, and what is lost by that, a sentence each."""

from qoslib.config.mqc.interfaces import DCBX

__all__ = [
    "BELOW_UNKNOWN",
    "BLOCKS",
    "CIRCUITS",
    "FOR_EACH",
    "LINES",
    "OF_NETWORK",
    "OF_OTHERS",
    "OF_PROCESSOR",
    "OF_SERVICE_GROUP",
    "OF_WIRELESS",
]

_HARDWARE = "How the line cards are set up for queues is left out."
#: Lines of their own -> what is lost.
LINES = {
    (
        "mls",
        "qos",
    ): "The queues of this switch have numbers; only four in turn (`wrr-queue`) are read.",
    ("priority-list",): "Priority queueing by list is left out.",
    ("queue-list",): "Custom queueing is left out.",
    ("auto", "qos"): "What AutoQoS makes is read where it is written out.",
    ("hardware", "qos"): _HARDWARE,
    ("hardware", "profile", "buffer"): _HARDWARE,
    ("hardware", "profile", "pfc"): _HARDWARE,
    ("priority-flow-control",): "Pause by priority is left out: a full queue drops.",
    ("qos", "copy"): "What is copied is read where it is written out.",
    ("qos", "shared-policer"): "A policer that several classes share is left out.",
    ("qos", "wireless-default-untrust"): "What the switch trusts is left out: marks stay.",
    ("qos", "statistics"): "Nothing is lost: it counts packets.",
    ("lldp", "tlv-select", "dcbxp"): DCBX,
    ("hw-module", "qos"): _HARDWARE,
    ("hw-module", "profile", "qos"): _HARDWARE,
    ("hw-module", "profile", "priority-flow-control"): _HARDWARE,
    ("access-list", "rate-limit"): "Committed access rate, before `police`, is left out.",
    ("random-detect-group",): "Thresholds of early detection by group are left out.",
    ("ip", "nbar"): "Which packets are of an application is left out: give streams its name.",
    ("iphc-profile",): "Headers stay as long as they are.",
    ("qos", "queue-stats-frame-count"): "Nothing is lost: it counts packets.",
    ("platform", "qos"): "Nothing is lost: it sets what is counted and shown.",
    ("congestion-control", "random-detect", "forward-nonecn"): (
        "WRED drops packets here that cannot be marked; the switch keeps them until their queue is"
        " full."
    ),
    ("switch-fabric", "service-policy"): "Queues of the switch fabric are left out.",
}
OF_PROCESSOR = "The platform's own, for its processor: it is no part of a port."
#: Cisco, Nexus 5000 NX-OS QoS Configuration Guide, Buffering and Queue Limits: an ingress buffer.
OF_NETWORK = "Memory that the whole switch keeps for a class is left out: give buffer_bytes."
OF_WIRELESS = "The platform's own, for its wireless ports: what they do is left out."
OF_OTHERS = "A policy of what is no interface here is left out: nothing is promised of it."
FOR_EACH = "Each tunnel of the group has a copy of this policy: the rates here are for one."
OF_SERVICE_GROUP = (
    "Service groups, whose members share one policy, are left out: nothing is promised of them."
)
BELOW_UNKNOWN = "It is below a line that is not understood."
#: Blocks of which nothing is read -> what is lost.
BLOCKS = {
    "table-map": "New marks are left out: streams keep the mark that you give them.",
    "map-class": "Frame Relay's circuits are left out.",
    "vc-class": "The rates of ATM's circuits are left out.",
}
#: What is lost of circuits that have policies.
CIRCUITS = BLOCKS["map-class"], BLOCKS["vc-class"]
