"""A dumbbell in ns-3: TCP senders with access lines, one bottleneck line, one receiver.

It reads descriptions on standard input (`benchmarks.dumbbells.described`), a line each, and prints
a line of results for each.
ns-3's scoreboard is RFC 6675's, its recovery proportional rate reduction; HyStart and delayed
ACKs are switched off.
"""

import json
import sys
from time import process_time

from ns import ns
from ns3_recovery import SOURCE

PORT = 1000
#: So much room that no socket's buffer limits a window [B].
SOCKET_BYTES = 1 << 28


def _text(value):
    return ns.StringValue(str(value))


def settle(asked):
    """TCP's settings for the whole run."""
    law = ns.TypeId.LookupByName(f"ns3::{asked['law']}")
    recovery = ns.TypeId.LookupByName(asked["recovery"])
    whole = ns.UintegerValue
    for name, value in {
        "TcpL4Protocol::SocketType": ns.TypeIdValue(law),
        "TcpL4Protocol::RecoveryType": ns.TypeIdValue(recovery),
        "TcpSocket::SegmentSize": whole(asked["mss_bytes"]),
        "TcpSocket::InitialCwnd": whole(10),
        "TcpSocket::DelAckCount": whole(1),
        "TcpSocket::SndBufSize": whole(SOCKET_BYTES),
        "TcpSocket::RcvBufSize": whole(SOCKET_BYTES),
        "TcpSocketBase::Sack": ns.BooleanValue(True),
        "TcpSocketBase::MinRto": ns.TimeValue(ns.Seconds(asked["minimum_timeout_s"])),
        "TcpCubic::HyStart": ns.BooleanValue(False),
    }.items():
        ns.Config.SetDefault(f"ns3::{name}", value)


def line(rate_bps, delay_s, queue_packets):
    """A helper for lines of this rate, delay and queue."""
    helper = ns.PointToPointHelper()
    helper.SetDeviceAttribute("DataRate", _text(f"{rate_bps:.0f}bps"))
    helper.SetDeviceAttribute("Mtu", ns.UintegerValue(9000))
    helper.SetChannelAttribute("Delay", _text(f"{delay_s * 1e9:.0f}ns"))
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", _text(f"{queue_packets}p"))
    # Without it no queue disc comes before the line's queue, and a full one drops.
    helper.DisableFlowControl()
    return helper


def network(asked):
    """Senders, router and receiver; the bottleneck's device, and the receiver's address."""
    senders, middle = ns.NodeContainer(), ns.NodeContainer()
    senders.Create(len(asked["starts_s"]))
    middle.Create(2)
    stack = ns.InternetStackHelper()
    stack.Install(senders)
    stack.Install(middle)
    access = line(asked["access_bps"], 0, 10**6)
    bottleneck = line(asked["rate_bps"], asked["round_trip_s"] / 2, asked["buffer_packets"])
    addresses = ns.Ipv4AddressHelper()
    for i in range(senders.GetN()):
        addresses.SetBase(ns.Ipv4Address(f"10.1.{i}.0"), ns.Ipv4Mask("255.255.255.0"))
        addresses.Assign(access.Install(senders.Get(i), middle.Get(0)))
    devices = bottleneck.Install(middle)
    addresses.SetBase(ns.Ipv4Address("10.2.0.0"), ns.Ipv4Mask("255.255.255.0"))
    address = addresses.Assign(devices).GetAddress(1)
    ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
    return senders, middle, devices.Get(0), address


def start(asked, senders, receiver, address):
    """A bulk sender and a sink for each flow."""
    sinks = []
    for i, start_s in enumerate(asked["starts_s"]):
        where = ns.InetSocketAddress(address, PORT + i).ConvertTo()
        sinks.append(ns.PacketSinkHelper("ns3::TcpSocketFactory", where).Install(receiver))
        bulk = ns.BulkSendHelper("ns3::TcpSocketFactory", where)
        bulk.SetAttribute("SendSize", ns.UintegerValue(asked["mss_bytes"]))
        application = bulk.Install(senders.Get(i))
        application.Start(ns.NanoSeconds(round(start_s * 1e9)))
    return sinks


def simulate(asked):
    """Goodput of each flow [bit/s] and packets dropped at the bottleneck."""
    settle(asked)
    senders, middle, device, address = network(asked)
    sinks = start(asked, senders, middle.Get(1), address)
    queue = device.GetQueue()
    ns.Simulator.Stop(ns.NanoSeconds(round(asked["duration_s"] * 1e9)))
    began_s = process_time()
    ns.Simulator.Run()
    received = [sink.Get(0).GetObject[ns.PacketSink]().GetTotalRx() for sink in sinks]
    found = {
        "simulation_s": process_time() - began_s,
        "goodput_bps": [8 * octets / asked["duration_s"] for octets in received],
        "offered": queue.GetTotalReceivedPackets() + queue.GetTotalDroppedPackets(),
        "dropped": queue.GetTotalDroppedPackets(),
    }
    ns.Simulator.Destroy()
    ns.Ipv4AddressGenerator.Reset()
    return found


if __name__ == "__main__":
    ns.Time.SetResolution(ns.Time.PS)
    ns.cppyy.cppdef(SOURCE)
    ns.cppyy.gbl.bench.Register()
    for description in sys.stdin:
        print(json.dumps(simulate(json.loads(description))), flush=True)
