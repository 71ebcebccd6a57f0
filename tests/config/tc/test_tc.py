"""Configurations of Linux tc, written by hand, with numbers worked out by hand."""

import dataclasses
import re

import pytest

from qoslib.config import ConfigurationError, Statement, default, read, recognise
from qoslib.config.tc.writer import write_tc
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Codel,
    DeficitRoundRobin,
    DualPi2,
    Ewma,
    Fifo,
    FlowQueues,
    HeadDrop,
    HierarchicalTokenBucket,
    PacketLimit,
    Pie,
    Policer,
    Shaper,
    StartTimeFairQueueing,
    StrictPriority,
    TailDrop,
)
from qoslib.record import Record

OFFICE = """\
tc qdisc del dev eth0 root 2>/dev/null
tc qdisc add dev eth0 root handle 1: htb default 20 r2q 5
tc class add dev eth0 parent 1: classid 1:1 htb rate 50% overhead 24
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 3mbit ceil 10mbps prio 1 overhead 24
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 64kbit burst 15k prio 9 quantum 3000 \\
    overhead 24
tc qdisc add dev eth0 parent 1:10 handle 10: pfifo_head_drop limit 60
tc qdisc add dev eth0 parent 1:20 handle 20: bfifo limit 64kb
tc filter add dev eth0 parent 1: protocol ip prio 2 u32 match ip tos 0xa0 0xe0 flowid 1:20
tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dsfield 0xb8 0xfc flowid 1:10 \\
    police rate 1mbit burst 10k conform-exceed drop/ok
"""
SHOWN = """\
[{"kind":"noqueue","handle":"0:","dev":"lo","root":true,"refcnt":2,"options":{}},
{"kind":"htb","handle":"1:","dev":"eth0","root":true,"refcnt":2,"options":{"r2q":10,"default":"0x20",
 "direct_packets_stat":7,"ver":"3.17","direct_qlen":1000},"bytes":9,"packets":9,"backlog":0},
{"kind":"codel","handle":"10:","dev":"eth0","parent":"1:10","options":{"limit":100,"target":4999,
 "interval":99999,"ecn":true},"drops":3}]
class htb 1:20 parent 1:1 prio 0 quantum 200000 rate 20Mbit ceil 90Mbit burst 1600b cburst 1600b
 Sent 1 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)
class htb 1:1 root rate 90Mbit ceil 90Mbit burst 15Kb cburst 1600b level 7
class htb 1:10 parent 1:1 leaf 10: quantum 200000 rate 70Mbit ceil 90Mbit burst 1600b level 0
[{"parent":"1:","protocol":"ip","pref":1,"kind":"u32","chain":0},
{"parent":"1:","protocol":"ip","pref":1,"kind":"u32","chain":0,"options":{"fh":"800::800","order":2048,
 "flowid":"1:10","not_in_hw":true,"match":{"value":"b80000","mask":"fc0000","offmask":"","off":0}}}]
"""
SCRIPT = """\
#!/bin/sh
DEV=eth0 ; UP=10mbit          # the uplink
RATE="rate ${UP} burst 15k"
TC=/sbin/tc
$TC qdisc add dev $DEV root handle 1: tbf $RATE limit 30k > /dev/null 2>&1 || exit 1
$TC qdisc add dev $DEV parent 1:1 handle 2: prio && tc qdisc add dev eth0 parent 2:3 sfq perturb 10
iptables -t mangle -A POSTROUTING -s 10.9.8.7 -j MARK --set-mark 6
echo "enable secret HIDDEN"
tc -s qdisc show dev $DEV
"""


def only(text, **facts):
    """The one port of a text, on a line of 100 Mb/s."""
    (found,) = read(text, facts={"line_rate_bps": 1e8} | facts, dialect="tc").ports
    return found


def lines(found, kind="not modelled"):
    return [remark.line for remark in found.remarks if remark.kind == kind]


def numbers(record, where=""):
    """Yield the place of every number of a record that is not the record's own default."""
    for field in dataclasses.fields(record):
        value, path = getattr(record, field.name), f"{where}.{field.name}".lstrip(".")
        if isinstance(value, Record):
            yield from numbers(value, path)
        elif isinstance(value, tuple) and value and isinstance(value[0], Record):
            for each in value:
                yield from numbers(each, f"{path}[{each.name!r}]")
        elif type(value) in (int, float) and value != field.default:
            yield path


def test_htb_with_classes_and_a_policer():
    found = read(OFFICE, facts={"line_rate_bps": 1e8})
    assert (found.dialect, found.remarks) == ("tc", ())
    (configured,) = found.ports
    port = configured.port
    voice, rest = port.queues
    assert (voice.limit, voice.dropper) == (PacketLimit(60), HeadDrop())
    # 10mbps are bytes; 3 Mb/s are 375,000 B/s, a fifth of that is the quantum.
    assert (voice.guaranteed_bps, voice.shaper) == (3e6, Shaper(80e6, 1600))
    assert (voice.quantum_bytes, voice.priority, voice.guaranteed_burst_bytes) == (75_000, 1, 1600)
    assert voice.policer == Policer(1e6, 10 * 1024)
    # prio 9 counts as the last, 7; 15k are 15 x 1,024 bytes, the ceiling is the rate.
    assert (rest.limit, rest.dropper) == (ByteLimit(65_536), TailDrop())
    assert (rest.priority, rest.quantum_bytes, rest.guaranteed_burst_bytes) == (7, 3000, 15_360)
    assert rest.shaper == Shaper(64e3, 1600)
    (top,) = port.scheduler.nodes
    assert (top.guaranteed_bps, top.shaper, top.children) == (
        5e7,
        Shaper(5e7, 1600),
        ("1:10", "1:20"),
    )
    assert port.overhead_bytes == 24
    # The precedence 5 holds EF too, but the filter with the smaller prio has it.
    assert port.classifier.rules[0] == ("EF", "1:10")
    assert port.classifier.queue("EF") == "1:10"
    assert port.classifier.queue("CS5") == port.classifier.queue("unheard of") == "1:20"
    assert configured.origin("queues['1:10'].quantum_bytes").line == 2
    assert configured.origin("scheduler.nodes['1:1'].guaranteed_bps").fact == "line_rate_bps"
    assert [each.line for each in configured.classes[0].statements] == [4, 7, 10]
    assert configured.classes[0].node == "1:1"


def test_what_tc_shows():
    found = read(SHOWN, facts={"line_rate_bps": 1e8}, dialect="tc")
    (configured,) = found.ports
    port = configured.port
    assert configured.interface == "eth0"
    assert [queue.name for queue in port.queues] == ["1:20", "1:10"]
    assert port.queues[1].dropper == Codel(4.999e-3, 99.999e-3, ecn=True)
    assert port.scheduler.nodes[0].guaranteed_burst_bytes == 15_360
    assert port.classifier.rules == (("EF", "1:10"),)
    assert port.classifier.default == "1:20"
    assert found.remarks == ()
    assert configured.origin("queues['1:10'].dropper.target_s").line == 4
    assert configured.origin("queues['1:10'].limit.packets").line == 4
    assert found.lines == 12


def test_every_form_of_a_shown_class_is_read_alike():
    text = """\
qdisc htb 1: dev eth0 root refcnt 2 r2q 10 default 0x20 direct_packets_stat 0 direct_qlen 1000
qdisc noqueue 0: dev lo root refcnt 2
qdisc pfifo_fast 0: dev eth1 root refcnt 2 bands 3 priomap  1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1
class htb 1:20 dev eth0 root prio 3 quantum 125000 rate 10Mbit ceil 20Mbit burst 15Kb cburst 1600b
"""
    shown = """\
[{"class":"htb","handle":"1:20","dev":"eth0","root":true,"leaf":"20:","prio":3,"quantum":125000,
"rate":1250000,"ceil":2500000,"burst":15360,"cburst":1600,"level":0}]
"""
    first = read(text, "eth0", facts={"line_rate_bps": 1e8})
    again = read(text[: text.index("class")] + shown, "eth0", facts={"line_rate_bps": 1e8})
    assert first.ports[0].port == again.ports[0].port
    (queue,) = first.ports[0].port.queues
    assert (queue.guaranteed_bps, queue.shaper) == (1e7, Shaper(2e7, 1600))
    assert (queue.priority, queue.quantum_bytes, queue.guaranteed_burst_bytes) == (
        3,
        125_000,
        15_360,
    )
    assert first.ports[0].port.classifier.default == "1:20"
    names = [queue.name for queue in read(text, "eth1").ports[0].classes]
    assert names == ["0:1", "0:2", "0:3"]


def test_delay_and_filters_as_they_are_shown():
    found = read(
        """\
[{"kind":"netem","handle":"5:","dev":"e","root":true,"options":{"limit":1000,
"delay":{"delay":0.025,"jitter":0,"correlation":0},"ecn":false,"gap":0}},
{"kind":"drr","handle":"1:","dev":"e","parent":"5:1","options":{}}]
[{"class":"drr","handle":"1:1","dev":"e","root":true},{"class":"drr","handle":"1:2","dev":"e"}]
[{"parent":"1:","protocol":"ip","pref":3,"kind":"flower","chain":0,"options":{"handle":1,
"classid":"1:2","keys":{"eth_type":"ipv4","ip_tos":184,"ip_tos_mask":"fc"},"not_in_hw":true}},
{"parent":"1:","protocol":"all","pref":4,"kind":"fw","chain":0,"options":{"mark":"0x6",
"mask":"0xffffffff","classid":"1:1"}},
{"parent":"1:","protocol":"all","pref":9,"kind":"matchall","chain":0,"options":{"flowid":"1:1"}}]
""",
        facts={"line_rate_bps": 1e8},
    )
    port = found.ports[0].port
    assert port.base_delay_s == 0.025
    assert port.classifier.rules == (("EF", "1:2"), ("fwmark 6", "1:1"))
    assert port.classifier.default == "1:1"
    # The JSON of drr has no quantum.
    assert lines(found) == [4, 4]


def test_plain_script():
    found = read(SCRIPT, facts={"line_rate_bps": 1e8})
    port = found.ports[0].port
    assert port.shaper == Shaper(1e7, 15_360)
    assert port.scheduler == StrictPriority()
    assert [queue.limit for queue in port.queues] == [PacketLimit(1000)] * 2 + [PacketLimit(127)]
    # The address of the packet filter and the lines that are not about queues are nowhere.
    assert lines(found) == [7]
    assert "10.9" not in repr(found)
    assert "HIDDEN" not in repr(found)


@pytest.mark.parametrize(
    ("size", "held"),
    [("limit 30k", 30 * 1024), ("latency 50ms", 77_860), ("latency 50000", 77_860)],
)
def test_tbf_holds_its_limit_or_what_its_latency_is(size, held):
    # 1,250,000 B/s x 50 ms + 15,360 B = 77,860 B.
    configured = only(f"tc qdisc add dev eth0 root tbf rate 10mbit burst 15k {size}")
    assert configured.port.shaper == Shaper(1e7, 15_360)
    assert configured.port.queues[0].limit == ByteLimit(held)
    assert configured.port.scheduler == Fifo()


def test_prio_sorts_by_four_bits_of_the_type_of_service():
    configured = only(
        "ip link set dev eth0 txqueuelen 100\ntc qdisc add dev eth0 root handle 1: prio"
    )
    port = configured.port
    # AF11 is 0x28: 0x08 of it are "bulk", band 2. AF12 is 0x30: 0x10, "interactive", band 0.
    bands = {mark: port.classifier.queue(mark) for mark in ("AF11", "AF12", "EF", "CS6", "")}
    assert bands == {"AF11": "1:3", "AF12": "1:1", "EF": "1:2", "CS6": "1:2", "": "1:2"}
    assert [queue.priority for queue in port.queues] == [0, 1, 2]
    assert {queue.limit for queue in port.queues} == {PacketLimit(100)}
    assert configured.origin("queues['1:1'].limit.packets").line == 1


def test_pfifo_fast_and_a_bare_fifo():
    shown = '[{"kind":"pfifo_fast","handle":"0:","root":true,"options":{"priomap":[1,2,2,2]}}]'
    configured = only(shown)
    assert configured.interface == "device"
    assert [queue.limit.packets for queue in configured.port.queues] == [1000] * 3
    assert only("tc qdisc add dev x root pfifo limit 1k").port.queues[0].limit == PacketLimit(1024)
    assert only("tc qdisc add dev x root bfifo").port.queues[0].limit == ByteLimit(1_514_000)


def test_queues_of_a_device_for_redirected_traffic_hold_32_packets():
    # Linux, drivers/net/ifb.c, TX_Q_LIMIT.
    tree = (
        "tc qdisc add dev ifb0 root handle 1: htb default 10\n"
        "tc class add dev ifb0 parent 1: classid 1:10 htb rate 5mbit\n"
    )
    bare = only(tree)
    assert bare.port.queues[0].limit == PacketLimit(32)
    assert bare.origin("queues['1:10'].limit.packets").default == "tc.ifb_txqueuelen"
    fifo = only(f"{tree}tc qdisc add dev ifb0 parent 1:10 pfifo")
    assert fifo.port.queues[0].limit == PacketLimit(32)
    assert only("tc qdisc add dev ifb0 root bfifo").port.queues[0].limit == ByteLimit(32 * 1514)
    longer = only(f"ip link set dev ifb0 txqueuelen 500\n{tree}")
    assert longer.port.queues[0].limit == PacketLimit(500)


def test_red_by_the_rules_of_iproute2():
    text = "tc qdisc add dev eth0 root red limit 400000 avpkt 1000 bandwidth 100mbit ecn harddrop"
    configured = only(text)
    (queue,) = configured.port.queues
    # A quarter of 400,000, a third of that; burst (2 x 33,333 + 100,000) / 3,000 = 55, and
    # 55 + 1 - 33.3 = 22.7 is above 16 x (1 - (15/16)^55) = 15.5 and below 32 x 0.826 = 26.4.
    assert queue.dropper.profile == ByteRedProfile(33_333, 100_000, 0.02)
    assert queue.dropper.averaging == Ewma(5)
    assert queue.dropper.ecn
    assert queue.limit == ByteLimit(400_000)
    assert configured.origin("queues['red'].dropper.averaging.exponent").default == "tc.red_weight"
    assert lines(read(text, facts={"line_rate_bps": 1e8})) == []
    assert lines(read(text, facts={"line_rate_bps": 1e9})) == [1]


def test_codel_and_its_flow_queues():
    text = "tc qdisc add dev e root codel limit 50 target 2ms interval 30msec ce_threshold 1ms ecn"
    (queue,) = only(text).port.queues
    assert (queue.limit, queue.dropper) == (PacketLimit(50), Codel(2e-3, 30e-3, True, 1e-3))
    (queue,) = only("tc qdisc add dev e root fq_codel").port.queues
    assert (queue.limit, queue.dropper) == (PacketLimit(10_240), Codel(5e-3, 100e-3, ecn=True))
    # What RFC 8290 says of its queues is what FlowQueues are without anything said.
    assert queue.flows == FlowQueues()
    text = "tc qdisc add dev e root fq_codel limit 600 flows 8 quantum 100 drop_batch 16 noecn"
    (queue,) = only(text).port.queues
    assert (queue.limit, queue.dropper) == (PacketLimit(600), Codel())
    # The kernel takes no quantum below 256 B.
    assert queue.flows == FlowQueues(8, 256, batch_packets=16)


def test_sfq_drops_from_the_longest_flow():
    text = "tc qdisc add dev e root sfq"
    flows = FlowQueues(
        1024,
        1514,
        sparse_first=False,
        overflow="longest",
        drop_at="tail",
        flow_limit=PacketLimit(127),
    )
    (queue,) = only(text).port.queues
    assert (queue.limit, queue.flows) == (PacketLimit(127), flows)
    (queue,) = only(f"{text} limit 300 depth 500 perturb 10 headdrop divisor 64").port.queues
    changed = flows.replace(queues=64, drop_at="head", rehash_s=10.0)
    assert (queue.limit, queue.flows) == (PacketLimit(300), changed)
    shown = "qdisc sfq 8001: dev e root refcnt 2 limit 127p quantum 1514b depth 127 divisor 1024"
    assert only(f"{shown} perturb 10sec").port.queues[0].flows == flows.replace(rehash_s=10.0)


def test_fq_refuses_what_arrives():
    found = read("tc qdisc add dev e root fq flow_limit 50", facts={"line_rate_bps": 1e8})
    (queue,) = found.ports[0].port.queues
    assert queue.limit == PacketLimit(10_000)
    assert (queue.flows.overflow, queue.flows.quantum_bytes) == ("arriving", 3028)
    assert queue.flows.flow_limit == PacketLimit(50)
    assert "initial_quantum" in found.remarks[0].lost


def test_pie_counts_alpha_and_beta_in_sixteenths():
    (queue,) = only("tc qdisc add dev e root pie ecn").port.queues
    assert (queue.limit, queue.dropper) == (PacketLimit(1000), Pie(ecn=True))
    text = "tc qdisc add dev e root pie limit 50 target 20ms tupdate 30ms alpha 4 beta 8"
    (queue,) = only(text).port.queues
    assert (queue.limit, queue.dropper) == (PacketLimit(50), Pie(0.02, 0.03, 0.25, 0.5))


def test_dualpi2_has_the_gains_that_are_given():
    (queue,) = only("tc qdisc add dev e root dualpi2").port.queues
    assert (queue.limit, queue.dropper) == (PacketLimit(10_000), DualPi2())
    text = "tc qdisc add dev e root dualpi2 limit 99 target 5ms tupdate 8ms alpha 0.5 beta 2"
    (queue,) = only(f"{text} coupling_factor 3 step_thresh 500us classic_protection 25").port.queues
    assert queue.limit == PacketLimit(99)
    assert queue.dropper == DualPi2(0.005, 0.008, 0.5, 2.0, 3.0, 0.0005, 0.25)
    assert only("tc qdisc add dev e root dualpi2 max_rtt 50ms").port is None


@pytest.mark.parametrize(
    "options",
    [
        "dualpi2 limit 99 target 5ms alpha 0.5 coupling_factor 3 classic_protection 25",
        "fq_codel limit 600 flows 8 quantum 300 drop_batch 16 noecn",
        "fq_codel ce_threshold 1ms target 2ms",
        "sfq limit 300 depth 50 perturb 10 headdrop divisor 64",
        "fq limit 500 flow_limit 50 quantum 1514",
        "pie limit 50 target 20ms tupdate 30ms alpha 4 beta 8 ecn",
    ],
)
def test_queues_of_flows_are_written_back(options):
    port = only(f"tc qdisc add dev e root {options}").port
    written = write_tc(port, "e")
    assert written.lost == ()
    assert only(written.text).port == port


def test_what_json_shows_of_queues_of_flows_is_read():
    shown = """[{"kind":"fq_codel","handle":"1:","dev":"e","root":true,"options":{"limit":1001,
    "flows":512,"quantum":300,"target":4999,"interval":99999,"memory_limit":4194304,
    "drop_batch":64}}]"""
    found = read(shown, facts={"line_rate_bps": 1e8})
    (queue,) = found.ports[0].port.queues
    assert queue.flows == FlowQueues(512, 300)
    assert not queue.dropper.ecn
    assert "memory_limit" in found.remarks[0].lost


MQ = """\
qdisc mq 0: dev eth0 root
qdisc fq_codel 0: dev eth0 parent :2 limit 900p flows 1024 quantum 300 target 5ms interval 100ms ecn
qdisc fq_codel 0: dev eth0 parent :1 limit 900p flows 1024 quantum 300 target 5ms interval 100ms ecn
"""


def test_transmit_queues_are_served_in_turn():
    found = read(MQ, facts={"line_rate_bps": 1e9})
    (queue,) = found.ports[0].port.queues
    assert (queue.limit, queue.flows) == (PacketLimit(1800), FlowQueues(2048, 300))
    assert "in whatever transmit queues" in found.remarks[0].lost
    text = "tc qdisc add dev e root handle 1: mq\n" + "".join(
        f"tc qdisc add dev e parent 1:{n} pfifo limit 50\n" for n in (1, 2, 3)
    )
    (queue,) = only(text).port.queues
    turns = FlowQueues(
        3, sparse_first=False, overflow="arriving", drop_at="tail", flow_limit=PacketLimit(50)
    )
    assert (queue.limit, queue.flows) == (PacketLimit(150), turns)
    assert only("tc qdisc add dev e root mq").port is None
    assert only(text.replace("1:3 pfifo limit 50", "1:3 pfifo limit 60")).port is None


def test_classes_of_mqprio_have_transmit_queues_of_their_own():
    text = "tc qdisc add dev e root handle 1: mqprio num_tc 3 map 2 2 1 0 2 2 2"
    text += " queues 1@0 1@1 2@2 hw 0\ntc qdisc add dev e parent 1:1 pfifo limit 50\n"
    port = only(text).port
    assert type(port.scheduler) is DeficitRoundRobin
    assert [queue.quantum_bytes for queue in port.queues] == [1514, 1514, 3028]
    assert [queue.limit.packets for queue in port.queues] == [50, 1000, 2000]
    assert [queue.flows and queue.flows.queues for queue in port.queues] == [None, None, 2]
    # Priority 2 is that of AF11, 0 that of unmarked packets.
    assert (port.classifier.queue("AF11"), port.classifier.default) == ("TC 1", "TC 2")
    assert only(text.replace("hw 0", "hw 1")).port is None


def test_drr_and_qfq():
    text = """\
tc qdisc add dev eth0 root handle 1: drr
tc class add dev eth0 parent 1: classid 1:a drr quantum 3k
tc class add dev eth0 parent 1: classid 1:b drr
tc filter add dev eth0 parent 1: prio 1 protocol 802.1Q flower vlan_prio 5 classid 1:a
tc filter add dev eth0 parent 1: prio 9 protocol all matchall classid 1:b
"""
    port = only(text).port
    assert port.scheduler == DeficitRoundRobin()
    assert [queue.quantum_bytes for queue in port.queues] == [3072, 1514]
    assert port.classifier.rules == (("PCP 5", "1:a"),)
    assert port.classifier.default == "1:b"
    port = only(text.replace("drr quantum 3k", "qfq weight 30").replace("drr", "qfq")).port
    assert port.scheduler == StartTimeFairQueueing()
    assert [queue.weight for queue in port.queues] == [30, 1]


def test_policer_of_what_comes_in():
    text = """\
tc qdisc add dev eth0 handle ffff: ingress
tc filter add dev eth0 parent ffff: protocol ip prio 5 u32 match ip dsfield 0x88 0xfc \\
    police rate 256kbit burst 10k drop flowid :1
"""
    configured = only(text)
    assert configured.direction == "in"
    policed, free = configured.port.queues
    assert policed.policer == Policer(256e3, 10_240)
    assert free.policer is None
    assert configured.port.classifier.queue("AF41") == policed.name
    assert configured.port.classifier.queue("EF") == free.name


def test_delay_in_front_of_a_tree_without_a_top():
    text = """\
tc qdisc add dev eth0 root handle 5: netem delay 20ms 5ms loss 1%
tc qdisc add dev eth0 parent 5:1 handle 1: htb default 2
tc class add dev eth0 parent 1: classid 1:1 htb rate 20mbit
tc class add dev eth0 parent 1: classid 1:2 htb rate 10gbit
"""
    found = read(text, facts={"line_rate_bps": 1e9})
    port = found.ports[0].port
    assert port.base_delay_s == 0.02
    (top,) = port.scheduler.nodes
    assert (top.name, top.children, top.guaranteed_bps, top.shaper) == (
        "1:",
        ("1:1", "1:2"),
        0,
        None,
    )
    # 1,250,000,000 B/s over 10^9 is 1 byte more; both quanta stop at 200,000 B.
    assert [queue.shaper.burst_bytes for queue in port.queues] == [1600, 1601]
    assert [queue.quantum_bytes for queue in port.queues] == [200_000, 200_000]
    assert port.classifier.default == "1:2"
    assert lines(found) == [1, 1]


def test_one_class_of_htb_above_prio_is_a_shaper():
    text = """\
tc qdisc add dev eth0 root handle 1: htb default 1
tc class add dev eth0 parent 1: classid 1:1 htb rate 8mbit burst 6k
tc qdisc add dev eth0 parent 1:1 handle 2: prio bands 2 priomap 1 1 1 1 1 1 0 0 1 1 1 1 1 1 1 1
tc qdisc add dev eth0 parent 2:1 tbf rate 1mbit burst 3000 limit 9000
"""
    port = only(text).port
    assert port.shaper == Shaper(8e6, 6144)
    assert [queue.shaper for queue in port.queues] == [Shaper(1e6, 3000), None]
    assert port.queues[0].limit == ByteLimit(9000)
    assert port.classifier.queue("AF12") == "2:1"


MARKS = {
    "u32 match ip tos 0x10 0xff": "DSCP 4",
    "u32 match u8 0x28 0xfc at 1": "AF11",
    "u32 match u32 0x00c00000 0x00fc0000 at 0": "CS6",
    "u32 match ip6 priority 0xb8 0xfc": "EF",
    "u32 match ip dport 22 0xffff": "ip dport 22 0xffff",
    "u32 match ip dsfield 0xb8 0xfc match ip protocol 17 0xff": (
        "ip dsfield 0xb8 0xfc and ip protocol 17 0xff"
    ),
    "flower ip_tos 0x68/0xfc": "AF31",
    "flower ip_tos 184": "EF",
    "flower ip_proto tcp dst_port 80": "ip_proto tcp and dst_port 80",
    "basic match 'cmp(u8 at 1 layer network mask 0xfc eq 0x20)'": "CS1",
    "cgroup": "cgroup",
}


@pytest.mark.parametrize("words", MARKS)
def test_marks_of_filters(words):
    kind, _, rest = words.partition(" ")
    text = f"""\
tc qdisc add dev eth0 root handle 1: htb
tc class add dev eth0 parent 1: classid 1:1 htb rate 1mbit
tc filter add dev eth0 parent 1: protocol ip {kind} {rest} flowid 1:1
tc filter add dev eth0 parent 1: handle 0x6 fw classid 1:1
"""
    # Without a prio the later filter is looked at first.
    assert only(text).port.classifier.rules == (("fwmark 6", "1:1"), (MARKS[words], "1:1"))


UNMODELLED = {
    "tc qdisc add dev eth0 root choke limit 9 bandwidth 20mbit": "dropping in pairs",
    "tc qdisc add dev eth0 root handle 1: hfsc default 1": "service curves",
    "tc qdisc add dev eth0 root handle 1: cbq bandwidth 1mbit avpkt 1000": "idle time",
    "tc qdisc add dev eth0 root newest 3": "'newest' is no known qdisc",
    "tc qdisc add dev e root handle 1: prio\ntc qdisc add dev e parent 1:1 drr": "order among",
    "tc qdisc add dev e root pfifo\nfor i in 1 2; do\ntc qdisc add dev e root sfq\ndone": "Line 3",
    "tc qdisc add dev e root pfifo\ntc class add dev e parent 1: classid 1:1 htb rate $1": "Line 2",
}


@pytest.mark.parametrize("text", UNMODELLED)
def test_what_no_port_describes_is_named(text):
    found = read(text, facts={"line_rate_bps": 1e8})
    assert [port.port for port in found.ports] == [None]
    (said,) = [remark for remark in found.remarks if UNMODELLED[text] in remark.lost]
    assert not said.lost.startswith("No port") or said.text not in [
        s.text for s in found.statements
    ]


def test_a_filter_behind_one_that_takes_every_packet_leads_to_no_class():
    text = OFFICE + "tc filter add dev eth0 parent 1: protocol all prio 3 matchall classid 1:20\n"
    late = "tc filter add dev eth0 parent 1: prio 4 u32 match ip dsfield 0x28 0xfc flowid 1:10\n"
    found = only(text + late)
    assert found.port.classifier == only(text).port.classifier
    assert found.port.classifier.queue("AF11") == "1:20"
    (remark,) = [each for each in read(text + late).remarks if each.text in late]
    assert remark.lost == "An earlier filter takes every packet, so this one sees none."


def test_what_a_shell_would_do_is_a_remark_and_never_done():
    text = """\
start() {
  tc qdisc add dev eth0 root sfq
}
[ -f /etc/x ] && tc qdisc add dev eth0 root sfq
tc qdisc add dev eth0 root handle 1: htb default `cat /etc/default`
tc qdisc add dev eth0 root handle 1: htb default $(touch /tmp/made)
tc filter add dev eth0 parent 1: u32 match 'ip
"""
    found = read(text, dialect="tc")
    assert lines(found, "unknown") == [2, 4, 5, 6, 7]
    assert found.ports == ()


def test_changes_and_a_loop_that_the_kernel_refuses():
    text = """\
tc qdisc add dev e root handle 1: netem delay 1ms
tc qdisc change dev e handle 1: netem delay 4ms
tc qdisc add dev e parent 1:1 handle 2: htb
tc class add dev e parent 2: classid 2:1 htb rate 1mbit
tc class change dev e parent 2: classid 2:1 htb rate 3mbit
tc qdisc replace dev e parent 1:1 handle 1: netem delay 2ms
"""
    found = read(text, facts={"line_rate_bps": 1e8})
    port = found.ports[0].port
    assert port.base_delay_s == 0.004
    assert port.queues[0].guaranteed_bps == 3e6
    assert found.remarks[-1].line == 6
    assert "1: exists since line 2" in found.remarks[-1].lost


def test_nothing_outside_the_commands_is_kept():
    text = """\
PASSWORD=HIDDEN tc qdisc add dev eth0 root pfifo  # HIDDEN
[ "$1" = HIDDEN ] && tc qdisc add dev eth1 root pfifo
login -p HIDDEN "; tc qdisc add dev eth2 root pfifo
iptables -A FORWARD -s 10.9.8.7 -j CLASSIFY --set-class 1:10 -m comment --comment HIDDEN
"""
    found = read(text, facts={"line_rate_bps": 1e8})
    assert [each.text for each in found.statements] == ["tc qdisc add dev eth0 root pfifo"]
    assert lines(found, "unknown") == [2, 3]
    assert found.remarks[2].text == "iptables ... -j CLASSIFY --set-class 1:10"
    assert "HIDDEN" not in repr(found)
    assert "10.9" not in repr(found)


def test_the_line_rate_is_asked_for():
    found = read("tc qdisc add dev eth0 root pfifo", dialect="tc")
    assert [port.port for port in found.ports] == [None]
    assert [each.name for each in found.missing] == ["eth0.line_rate_bps"]
    assert only("tc qdisc add dev eth0 root pfifo", base_delay_s=1e-3).port.base_delay_s == 1e-3


def test_the_kernel_refuses_a_second_root_and_replaces_where_it_is_told():
    first = "tc qdisc add dev eth0 root handle 1: pfifo limit 5\n"
    found = read(first + "tc qdisc add dev eth0 root bfifo limit 9k", facts={"line_rate_bps": 1e8})
    assert found.ports[0].port.queues[0].limit == PacketLimit(5)
    assert [(each.line, each.kind) for each in found.remarks] == [(2, "refused")]
    assert only(first + "tc qdisc replace dev eth0 root bfifo limit 9k").port.queues[0].limit == (
        ByteLimit(9216)
    )
    assert read(first + "tc qdisc del dev eth0 root", dialect="tc").ports == ()


WRONG = {
    "class add dev e parent 1: classid 1:1 htb rate 0": "above 0",
    "class add dev e parent 1: classid 1:1 htb rate 1e30": "more than tc can hold",
    "class add dev e parent 1: classid 1:1 htb rate 5furlong": "no rate",
    "class add dev e parent 1: classid 1:1 htb rate": "nothing follows",
    "class add dev e parent 1: classid 1:1 htb ceil 1mbit": "rate above 0",
    "class add dev e parent 1:7 classid 1:1 htb rate 1mbit": "parent 1:7 is missing",
    "class add dev e parent 1: classid 1:zz htb rate 1mbit": "no number in hexadecimal digits",
    "class add dev e parent 1: htb rate 1mbit": "needs its number",
    "qdisc add dev e parent 1:1 tbf rate 1mbit limit 9k": "parent 1:1 is missing",
    "filter add dev e parent 7: u32 match u32 0 0 flowid 1:1": "parent 7: is missing",
    "qdisc add dev f root tbf rate 1mbit limit 9k": "needs a burst",
    "qdisc add dev f root tbf rate 1mbit burst 9k": "limit or a latency",
    "qdisc add dev f root prio bands 2": "names band 2 of 2",
    "qdisc add dev f root prio bands 99": "2 to 16 bands",
    "qdisc add dev f root red limit 9k avpkt 0": "avpkt above 0",
    "qdisc add dev f root red limit 9k avpkt 1k min 9k max 3k": "above its max",
    "qdisc add dev f root pfifo limit 0": "packets is 0",
    "qdisc add dev f": "without a kind",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_command_that_the_kernel_refuses_is_named_and_the_rest_is_read(wrong):
    text = f"\ntc qdisc add dev e root handle 1: htb\ntc {wrong}\n"
    found = read(text, facts={"line_rate_bps": 1e8}, dialect="tc")
    (said,) = (each for each in found.remarks if each.line == 3)
    assert re.search(WRONG[wrong], said.lost, re.IGNORECASE)
    # The kernel takes a queue of no packets, which drops all of them.
    assert said.kind == ("not modelled" if "limit 0" in wrong else "refused")
    if said.kind == "refused":
        assert not [each for each in found.statements if each.line == 3]
        assert Statement(2, "tc qdisc add dev e root handle 1: htb") in (
            *found.statements, *(Statement(each.line, each.text) for each in found.remarks),
        )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[{"kind":"pfifo","root":true},\n{"kind":', 2),
        ('[{"kind":"pfifo","root":true},\n7]', 2),
        ('[{"kind":"pfifo","handle":"1:","root":true,\n"options":{"limit":NaN}}]', 1),
        ('[{"kind":"pfifo","options":' + "[" * 100_000, 1),
        ('[{"kind":"x","root":true}]\nA=aaaaaaaaaa\n' + "A=$A$A\n" * 20, 9),
        (
            "class htb 1:1 parent 1:2 rate 1mbit\nclass htb 1:2 parent 1:1 rate 1mbit\n"
            "class htb 1:3 root rate 1mbit\nqdisc htb 1: root\n",
            1,
        ),
    ],
)
def test_broken_outputs_are_one_error(text, line):
    with pytest.raises(ConfigurationError) as error:
        read(text, facts={"line_rate_bps": 1e8}, dialect="tc")
    assert error.value.line == line


@pytest.mark.parametrize(
    "text", [OFFICE, SHOWN, SCRIPT, "tc qdisc add dev e root red limit 9000 avpkt 500"]
)
def test_every_number_knows_where_it_comes_from(text):
    (configured,) = read(text, facts={"line_rate_bps": 1e8}, dialect="tc").ports
    for where in numbers(configured.port):
        origin = configured.origin(where)
        assert origin, where
        assert origin.line or origin.fact or default(origin.default)


def test_a_script_is_recognised():
    assert {recognise(text) for text in (OFFICE, SHOWN, SCRIPT)} == {"tc"}


def test_htb_of_two_levels_has_its_tree():
    assert isinstance(only(OFFICE).port.scheduler, HierarchicalTokenBucket)


#: What follows a class of htb with a queue: lines 3 and 4 hang on line 2.
LEAF = """\
tc qdisc add dev eth0 root handle 1: htb default 100
tc class add dev eth0 parent 1: classid 1:10 htb rate 10mbit
tc qdisc add dev eth0 parent 1:10 handle 10: prio
tc filter add dev eth0 parent 10: protocol ip u32 match u32 0 0 flowid 10:1
tc class add dev eth0 parent 1:10 classid 1:100 htb rate 5mbit
"""


def test_a_class_loses_its_queue_to_classes_below_it():
    found = read(LEAF, facts={"line_rate_bps": 1e9})
    assert [(each.kind, each.line) for each in found.remarks] == [
        ("not modelled", 3), ("not modelled", 4),
    ]  # fmt: skip
    assert all("line 5 below 1:10 the kernel deletes" in each.lost for each in found.remarks)
    assert [queue.name for queue in found.ports[0].port.queues] == ["1:100"]


def test_a_class_above_classes_takes_no_queue():
    text = LEAF + "tc qdisc add dev eth0 parent 1:10 handle 11: pfifo limit 8\n"
    (refused,) = [e for e in read(text, facts={"line_rate_bps": 1e9}).remarks if e.line == 6]
    assert (refused.kind, refused.lost) == (
        "refused", "1:10 has classes below it, so it takes no qdisc.",
    )  # fmt: skip
    text = f"{LEAF}tc class del dev eth0 classid 1:100\n{text.splitlines()[-1]}\n"
    found = read(text, facts={"line_rate_bps": 1e9})
    assert not [each for each in found.remarks if each.kind == "refused"]
    assert [queue.limit.packets for queue in found.ports[0].port.queues] == [8, 1000]


def test_a_filter_leads_to_a_class_of_its_own_name_beside_the_direct_queue():
    text = (
        '# 1:10 is "CS1"\n'
        "tc qdisc add dev eth0 root handle 1: htb\n"
        "tc class add dev eth0 parent 1: classid 1:10 htb rate 1mbit\n"
        "tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dsfield 0x20 0xfc"
        " flowid 1:10\n"
    )
    (configured,) = read(text, facts={"line_rate_bps": 1e8})
    assert configured.port.classifier.queue("CS1") == "CS1"
    assert configured.port.classifier.queue("EF") == "unclassified"
