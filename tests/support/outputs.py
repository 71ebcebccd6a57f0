"""What devices and testers write, made up for tests in the form in which each of them writes it."""

import json

__all__ = [
    "COS",
    "COS_XML",
    "DAMAGED",
    "IOS",
    "IOS_BEFORE",
    "JUNOS",
    "JUNOS_XML",
    "TC",
    "TC_JSON",
    "XR",
    "bidir",
    "flent",
    "tcp",
    "udp",
]


def tcp(**changes):
    """A TCP test of ten seconds: 94.1 Mb/s came in, 94.6 were sent, 23 segments again."""
    sent = {"seconds": 10.0, "bytes": 118_250_000, "bits_per_second": 94.6e6, "retransmits": 23}
    received = {"seconds": 10.04, "bytes": 118_095_500, "bits_per_second": 94.1e6}
    sender = {
        "socket": 5,
        "retransmits": 23,
        "mean_rtt": 31_204,
        "max_rtt": 52_010,
        "min_rtt": 9_870,
    }
    start = {"version": "iperf 3.16", "connected": [{"remote_host": "10.0.0.2"}]}
    start["test_start"] = {"protocol": "TCP", "num_streams": 1, "blksize": 131_072, "reverse": 0}
    end = {"streams": [{"sender": sender, "receiver": received}]}
    end |= {"sum_sent": sent, "sum_received": received}
    return {"start": start, "intervals": [], "end": end} | changes


def udp(new=True, size=1448):
    """A UDP test of 10,000 datagrams, of which 250 were lost."""
    rate = size * 8 * 1000.0
    lost = {"jitter_ms": 0.217, "lost_packets": 250, "packets": 10_000, "lost_percent": 2.5}
    sent = {"seconds": 10.0, "bits_per_second": rate}
    start = {"connected": [{"remote_host": "10.0.0.2"}]}
    start["test_start"] = {"protocol": "UDP", "blksize": size}
    end = {"sum": sent | lost}
    if new:
        none = {"jitter_ms": 0.0, "lost_packets": 0, "packets": 10_000, "lost_percent": 0}
        end["sum_sent"] = sent | none
        received = {"seconds": 10.0, "bits_per_second": rate * 0.975}
        end["sum"], end["sum_received"] = sent | none, received | lost
    return {"start": start, "intervals": [], "end": end}


def bidir():
    """A TCP test in both directions at once."""
    made = tcp()
    made["end"]["sum_sent_bidir_reverse"] = {
        "seconds": 10.0,
        "bits_per_second": 5e7,
        "retransmits": 4,
    }
    made["end"]["sum_received_bidir_reverse"] = {"seconds": 10.0, "bits_per_second": 4.9e7}
    return made


def flent():
    """Four seconds of a download and of a ping beside it."""
    meta = {"Ping (ms) ICMP": {"UNITS": "ms"}, "TCP download": {"UNITS": "Mbits/s"}}
    series = {"Ping (ms) ICMP": [10.0, 20.0, 30.0, None, 140.0], "Ping (ms) avg": [1.0]}
    series["TCP download"] = [None, 80.0, 90.0, 94.0, None]
    metadata = {"SERIES_META": meta, "STEP_SIZE": 1.0, "LENGTH": 4}
    x_values = [0.0, 1.0, 2.0, 3.0, 4.0]
    return {"metadata": metadata, "results": series, "version": 4, "x_values": x_values}


#: A shaped port with a child policy: one priority class, one with WRED, one with a policer.
IOS = """\
Load for five secs: 7%/0%; one minute: 6%; five minutes: 6%
Time source is NTP, 10:15:40.500 UTC Mon Nov 2 2026

GigabitEthernet0/0/1

  Service-policy output: WAN-50M

    Class-map: class-default (match-any)
      1250000 packets, 1100000000 bytes
      5 minute offered rate 61000000 bps, drop rate 11000000 bps
      Match: any
      Queueing
      queue limit 208 packets
      (queue depth/total drops/no-buffer drops) 12/225000/0
      (pkts output/bytes output) 1025000/902000000
      shape (average) cir 50000000, bc 200000, be 200000
      target shape rate 50000000

      Service-policy : WAN-CHILD

        queue stats for all priority classes:
          Queueing
          queue limit 512 packets
          (queue depth/total drops/no-buffer drops) 3/4000/0
          (pkts output/bytes output) 396000/84744000

        Class-map: VOICE (match-any)
          400000 packets, 85600000 bytes
          5 minute offered rate 9000000 bps, drop rate 90000 bps
          Match: dscp ef (46)
          Priority: 20% (10000 kbps), burst bytes 250000, b/w exceed drops:
4000

        Class-map: VIDEO (match-any)
          300000 packets, 390000000 bytes
          30 second offered rate 22000000 bps, drop rate 2000000 bps
          Match: dscp af41 (34)
          Queueing
          queue limit 3932 us/ 49152 bytes
          (queue depth/total drops/no-buffer drops) 48000/21000/7
          (pkts output/bytes output) 279000/362700000
          bandwidth 30% (15000 kbps)
            Exp-weight-constant: 9 (1/512)
            Mean queue depth: 31 packets
            dscp       Transmitted        Random drop      Tail drop        Minimum  Maximum  Mark
                    pkts/bytes           pkts/bytes       pkts/bytes        thresh   thresh   prob
            af41       200000/260000000    9000/11700000    1000/1300000         32       40  1/10
            af42        79000/102700000    8000/10400000    3000/3900000         28       40  1/10

        Class-map: class-default (match-any)
          550000 packets, 624400000 bytes
          5 minute offered rate 30000000 bps, drop rate 9000000 bps
          Match: any
          Queueing
          queue limit 64 packets
          depth/total drops/no-buffer drops) 60/180000/0
          (pkts output/bytes output) 350000/397600000
          police:
              cir 20000000 bps, bc 625000 bytes
            conformed 350000 packets, 397600000 bytes; actions:
              transmit
            exceeded 15000 packets, 17040000 bytes; actions:
              drop
            violated 5000 packets, 5680000 bytes; actions:
              drop
"""
#: The same ten seconds before.
IOS_BEFORE = (
    IOS.replace("10:15:40.500", "10:15:30.500")
    .replace("400000 packets, 85600000 bytes", "390000 packets, 83460000 bytes")
    .replace("396000/84744000", "386500/82711000")
)

XR = """\
Sat Nov 21 09:00:30.250 UTC

TenGigE0/2/0/3 direction input: Service Policy not installed

TenGigE0/2/0/3 output: CORE

Class EF
  Classification statistics          (packets/bytes)     (rate - kbps)
    Matched             :              400000/85600000           9000
    Transmitted         :              399000/85386000           8978
    Total Dropped       :                1000/214000               22
  Policing statistics                (packets/bytes)     (rate - kbps)
    Policed(conform)    :              399000/85386000           8978
    Policed(exceed)     :                1000/214000               22
    Policed(violate)    :                   0/0                     0
    Policed and dropped :                1000/214000
Class class-default
  Classification statistics          (packets/bytes)     (rate - kbps)
    Matched             :              550000/624400000         30000
    Transmitted         : N/A
    Total Dropped       :              180000/204000000          9000
  Queueing statistics
    Queue ID                             : 44
    High watermark  (bytes)/(ms)         : 96000/20
    Inst-queue-len  (packets)            : 60
    Avg-queue-len                        : N/A
    Taildropped(packets/bytes)           : 170000/193000000
    RED random drops(packets/bytes)      : 10000/11000000
"""

JUNOS = """\
Physical interface: ge-0/0/2, Enabled, Physical link is Up
  Interface index: 143, SNMP ifIndex: 601
Forwarding classes: 16 supported, 5 in use
Egress queues: 8 supported, 5 in use
Queue: 0, Forwarding classes: best-effort
  Queued:
    Packets              :               1000000                 20000 pps
    Bytes                :             500000000              80000000 bps
  Transmitted:
    Packets              :                900000                 18000 pps
    Bytes                :             450000000              72000000 bps
    Tail-dropped packets :                  1000                    20 pps
    RL-dropped packets   :                     0                     0 pps
    RL-dropped bytes     :                     0                     0 bps
    RED-dropped packets  :                 99000                  1980 pps
     Low                 :                 60000                  1200 pps
     Medium-low          :                     0                     0 pps
     Medium-high         :                     0                     0 pps
     High                :                 39000                   780 pps
    RED-dropped bytes    :              49500000               7920000 bps
     Low                 :              30000000               4800000 bps
     Medium-low          :                     0                     0 bps
     Medium-high         :                     0                     0 bps
     High                :              19500000               3120000 bps
Queue: 3, Forwarding classes: network-control
  Queued:
    Packets              :                   500                     1 pps
    Bytes                :                 50000                   800 bps
  Transmitted:
    Packets              :                   500                     1 pps
    Bytes                :                 50000                   800 bps
    Tail-dropped packets : Not Available
    RED-dropped packets  :                     0                     0 pps
"""

JUNOS_XML = """\
<rpc-reply xmlns:junos="urn:junos:22.4R1">
<interface-information xmlns="urn:junos:22.4R1:interface" junos:style="normal">
<physical-interface><name>ge-0/0/2</name>
<queue-counters junos:style="detail">
<interface-cos-summary><intf-cos-queue-type>Egress queues</intf-cos-queue-type>
<intf-cos-num-queues-supported>8</intf-cos-num-queues-supported></interface-cos-summary>
<queue><queue-number>0</queue-number><forwarding-class-name>best-effort</forwarding-class-name>
<queue-counters-queued-packets>1000000</queue-counters-queued-packets>
<queue-counters-queued-packets-rate>20000</queue-counters-queued-packets-rate>
<queue-counters-queued-bytes>500000000</queue-counters-queued-bytes>
<queue-counters-queued-bytes-rate>80000000</queue-counters-queued-bytes-rate>
<queue-counters-trans-packets>900000</queue-counters-trans-packets>
<queue-counters-trans-packets-rate>18000</queue-counters-trans-packets-rate>
<queue-counters-trans-bytes>450000000</queue-counters-trans-bytes>
<queue-counters-tail-drop-packets>1000</queue-counters-tail-drop-packets>
<queue-counters-tail-drop-packets-rate>20</queue-counters-tail-drop-packets-rate>
<queue-counters-red-packets>99000</queue-counters-red-packets>
<queue-counters-red-packets-rate>1980</queue-counters-red-packets-rate>
<queue-counters-red-packets-low>60000</queue-counters-red-packets-low>
<queue-counters-red-packets-high>39000</queue-counters-red-packets-high>
</queue></queue-counters></physical-interface></interface-information>
<cli><banner>{master}</banner></cli>
</rpc-reply>
{master}
"""

COS = """\
Physical interface: xe-0/1/7, Index: 184
Queues supported: 8, Queues in use: 4
  Shaping rate: 50000000 bps
Scheduler map: wan, Index: 2
"""

COS_XML = """\
<cos-interface-information><interface-map><interface-name>xe-0/1/7</interface-name>
<interface-queues-supported>8</interface-queues-supported>
<interface-queues-in-use>4</interface-queues-in-use></interface-map></cos-interface-information>
"""

#: HTB with fq_codel below one class, as ``tc -s class show`` and ``tc -s qdisc show``.
TC = """\
class htb 1:10 parent 1:1 leaf 110: prio 0 rate 10Mbit ceil 20Mbit burst 1600b cburst 1600b
 Sent 150000000 bytes 100000 pkt (dropped 2500, overlimits 90000 requeues 0)
 backlog 15140b 10p requeues 0
 lended: 60000 borrowed: 40000 giants: 0
class htb 1:20 parent 1:1 prio 0 rate 5Mbit ceil 20Mbit burst 1600b cburst 1600b
 Sent 3000000 bytes 2000 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 3Kb 2p requeues 0
qdisc fq_codel 110: dev eth1 parent 1:10 limit 10240p flows 1024 quantum 1514 target 5ms
 Sent 150000000 bytes 100000 pkt (dropped 2500, overlimits 0 requeues 0)
 backlog 15140b 10p requeues 0
"""

TC_JSON = json.dumps(
    [
        {"kind": "noqueue", "handle": "0:", "dev": "lo", "root": True, "options": {}},
        {
            "kind": "fq_codel",
            "handle": "0:",
            "dev": "eth0",
            "root": True,
            "options": {"limit": 10_240, "target": 4999, "interval": 99_999, "ecn": True},
            "bytes": 150_000_000,
            "packets": 100_000,
            "drops": 2_500,
            "overlimits": 0,
            "requeues": 3,
            "backlog": 15_140,
            "qlen": 10,
        },
    ]
)

#: What damage is done to.
DAMAGED = {
    "iperf3": json.dumps(tcp()),
    "iperf3 udp": json.dumps(udp(), indent=1),
    "iperf3 twice": json.dumps(udp(new=False)) + "\n" + json.dumps(bidir()),
    "flent": json.dumps(flent()),
    "tc": TC,
    "tc json": TC_JSON,
    "ios": IOS,
    "xr": XR,
    "junos": JUNOS,
    "junos xml": JUNOS_XML,
    "cos": COS,
    "cos xml": COS_XML,
}
