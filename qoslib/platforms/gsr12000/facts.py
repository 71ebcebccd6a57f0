"""The numbers of the Cisco 12000 and where each comes from.

What is fitted stands in three groups: the line on frame counts, transit and start order on the
minimum latencies, all others on averages and maxima. The limit of Less Than BE and the counts of
each class are in no fit; but the form of `base` was chosen with that limit known.
"""

from qoslib import units
from qoslib.platforms.provenance import Facts, assumed, fitted, sourced

__all__ = ["CLASSES", "FACTS", "PORTS", "START_ORDER"]

PORTS = ("1A", "1B")
#: IP precedences; 7, 4 and 2 offer nothing.
CLASSES = tuple(f"prec{number}" for number in range(7, -1, -1))

_TABLES = "gsr12000_configuration/configuration"
_POLICY = "gsr12000_configuration/template_e3/queue1"


def _on(test: str, quantity: str, *classes: str) -> str:
    """The rows of both ports, as `fitted` lists them."""
    return ", ".join(f"gsr12000_results/{test}/{p}/{c}/{quantity}" for p in PORTS for c in classes)


_USED = ("prec6", "prec5", "prec3", "prec1", "prec0")
_SLOW = ("prec6", "prec3", "prec1", "prec0")
_SAW_A = f"{_on('test_a', 'latency_average', *_SLOW)}, {_on('test_a', 'latency_maximum', *_SLOW)}"
_SAW_B = (
    f"{_on('test_b', 'latency_average', *_SLOW)},"
    f" {_on('test_b', 'latency_maximum', 'prec6', 'prec3', 'prec1')}"
)
_LOST = "gsr12000_statements/conclusion_test_b/1A+1B/prec5/dropped_packets"

#: Order in which the five streams of a port begin: of all 120, the best for the minimum latencies.
START_ORDER = {
    "test_a": ("prec3", "prec1", "prec0", "prec6", "prec5"),
    "test_b": ("prec6", "prec5", "prec0", "prec3", "prec1"),
}

FACTS = Facts(
    frame_bytes=sourced(1000, f"{_TABLES}//frame_size"),
    offered_bps=sourced(units.gbps(2), f"{_TABLES}/each port/offered"),
    whole_s=sourced(1200, "gsr12000_statements/both_tests//duration"),
    whole_long_s=sourced(5400, "gsr12000_statements/conclusion_90min//duration"),
    offered_prec7=sourced(0, f"{_TABLES}/prec7/offered_share"),
    offered_prec6=sourced(0.03, f"{_TABLES}/prec6/offered_share"),
    offered_prec5=sourced(0.05, f"{_TABLES}/prec5/offered_share"),
    offered_prec4=sourced(0, f"{_TABLES}/prec4/offered_share"),
    offered_prec3=sourced(0.05, f"{_TABLES}/prec3/offered_share"),
    offered_prec2=sourced(0, f"{_TABLES}/prec2/offered_share"),
    offered_prec1=sourced(0.86, f"{_TABLES}/prec1/offered_share"),
    offered_prec0=sourced(0.01, f"{_TABLES}/prec0/offered_share"),
    quantum_queue0_bytes=sourced(23040, f"{_TABLES}/queue0/quantum"),
    quantum_queue2_bytes=sourced(387072, f"{_TABLES}/queue2/quantum"),
    quantum_queue3_bytes=sourced(4608, f"{_TABLES}/queue3/quantum"),
    label1_minimum=sourced(1, "gsr12000_configuration/template_e2/label1/wred_minimum"),
    label1_maximum=sourced(2, "gsr12000_configuration/template_e2/label1/wred_maximum"),
    label2_minimum=sourced(2000, "gsr12000_configuration/template_e2/label2/wred_minimum"),
    label2_maximum=sourced(2001, "gsr12000_configuration/template_e2/label2/wred_maximum"),
    policer_bps=sourced(units.mbps(200), f"{_POLICY}/policer_rate"),
    line_bps=assumed(
        units.mbps(2396.16),
        "what a VC-4-16c carries once overhead and fixed stuff are off its published 2405.38 Mb/s",
    ),
    line_queue_packets=assumed(2001, "no queue outgrows the maximum of WRED label 2"),
    lead_s=assumed(
        units.convert(5.0, "ns", "s"), "1B is first by less than the jitter: it has lower minima"
    ),
    jitter_s=assumed(
        units.us(0.4), "the ports take turns at random: both lost 102 of 204, neither all of them"
    ),
    overhead_e2_bytes=fitted(9.086, "gsr12000_results/test_a/1A+1B/sent_packets"),
    overhead_e3_bytes=fitted(9.091, "gsr12000_results/test_b/1A+1B/sent_packets"),
    transit_e2_s=fitted(units.us(17.77), _on("test_a", "latency_minimum", *_USED)),
    transit_e3_s=fitted(units.us(21.7), _on("test_b", "latency_minimum", *_USED)),
    ring_e2_packets=fitted(17, _on("test_a", "latency_average", "prec5")),
    ring_e3_packets=fitted(18, _on("test_b", "latency_average", "prec5")),
    quantum_e3_share=fitted(0.80, _on("test_b", "latency_average", "prec6")),
    policer_slow_ppm=fitted(6.8, _LOST),
    policer_bucket_bytes=assumed(
        4000, "twice the published 2000, which the simultaneous pairs need"
    ),
    policer_slower_ppm=assumed(
        10.0, "the only constant offset that gives 204 lost in 20 and 9.3e-6 in 90 minutes"
    ),
    policer_deep_bucket_bytes=fitted(98_304, _LOST, "deep_bucket"),
    relay_e2_packets=fitted(455, _SAW_A),
    relay_e2_s=fitted(units.us(140), _SAW_A),
    relay_e2_jitter=fitted(0.3, _SAW_A),
    relay_e2_release=fitted(7, "gsr12000_results/test_a/1A+1B/sent_packets"),
    relay_e3_packets=fitted(380, _SAW_B),
    relay_e3_s=fitted(units.us(300), _SAW_B),
    relay_e3_jitter=fitted(0.2, _SAW_B),
    relay_e3_release=fitted(8, "gsr12000_results/test_b/1A+1B/sent_packets"),
    asymmetric_e2_s=fitted(units.us(745), _SAW_A, "asymmetric"),
    asymmetric_e3_s=fitted(units.us(590), _SAW_B, "asymmetric"),
    ramp_high_bps=assumed(units.mbps(400), "where the ramp of Less Than BE is given up"),
    ramp_step_bps=assumed(units.mbps(2), "one Mb/s a port"),
    ramp_short_s=assumed(
        10, "each load of the ramp: one step too much takes 8 s to fill the 2001 packets of a queue"
    ),
    ramp_whole_s=assumed(
        60, "each load of the ramp with --full: how long the source tried is open"
    ),
    test_d_policer_bps=assumed(
        units.mbps(50), "only the name of test D is published: half of what Premium offers"
    ),
)
