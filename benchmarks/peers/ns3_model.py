"""The workloads in ns-3: UDP senders, a traffic control queue disc, a line, FlowMonitor.

It reads a description on standard input (`benchmarks.workloads.described`) and prints results.
ns-3 has FIFO and strict priority (PrioQueueDisc) with a limit and RED in each band; it has no
weighted round robin. Arrivals that follow a list of gaps and sizes need a sender of one's own,
in C++, as its authors recommend for what happens with every packet.
"""

import json
import sys
from time import process_time

from ns import ns

SENDER = """
#include "ns3/core-module.h"
#include "ns3/network-module.h"
namespace bench {
using namespace ns3;
class Sender : public SimpleRefCount<Sender> {
  public:
    Sender(Ptr<Socket> socket, double gapPs, double phasePs, bool poisson)
        : m_socket(socket), m_gapPs(gapPs), m_nextPs(phasePs), m_poisson(poisson) {
        m_gap = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(gapPs));
        m_size = CreateObject<EmpiricalRandomVariable>();
        Plan();
    }
    void AddSize(double bytes, double shareBelow) { m_size->CDF(bytes, shareBelow); }
  private:
    void Plan() {
        if (m_poisson) m_nextPs += m_gap->GetValue();
        int64_t inPs = llround(m_nextPs) - Simulator::Now().GetPicoSeconds();
        Simulator::Schedule(PicoSeconds(inPs), &Sender::Send, this);
        if (!m_poisson) m_nextPs += m_gapPs;
    }
    void Send() {
        m_socket->Send(Create<Packet>(uint32_t(m_size->GetValue()) - 30));
        Plan();
    }
    Ptr<Socket> m_socket;
    double m_gapPs, m_nextPs;
    bool m_poisson;
    Ptr<ExponentialRandomVariable> m_gap;
    Ptr<EmpiricalRandomVariable> m_size;
};
Ptr<Sender> Start(Ptr<Socket> socket, double gapPs, double phasePs, bool poisson) {
    return Create<Sender>(socket, gapPs, phasePs, poisson);
}
}
"""
#: UDP, IP and PPP headers are part of a frame.
FIRST_PORT = 1000


def _text(value):
    return ns.StringValue(str(value))


def queue_discs(port):
    """One FIFO, or strict priority over bands, each a FIFO or RED."""
    helper = ns.TrafficControlHelper()
    queues = port["queues"]
    if len(queues) == 1:
        size = f"{queues[0]['limit_packets']}p"
        helper.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", _text(size))
        return helper
    bands = list(range(len(queues))) + [0] * (16 - len(queues))
    bands = " ".join(map(str, bands))
    handle = helper.SetRootQueueDisc("ns3::PrioQueueDisc", "Priomap", _text(bands))
    classes = helper.AddQueueDiscClasses(handle, len(queues), "ns3::QueueDiscClass")
    for queue, band in zip(queues, classes, strict=True):
        size = "MaxSize", _text(f"{queue['limit_packets']}p")
        one = ns.cppyy.gbl.std.vector["unsigned short"]([band])
        if queue["red"]:
            low, high = (ns.DoubleValue(limit) for limit in queue["red"])
            weight = ns.DoubleValue(2.0 ** -queue["red_exponent"])
            red = ("MinTh", low, "MaxTh", high, "LInterm", ns.DoubleValue(1.0), "QW", weight)
            rate = ("LinkBandwidth", _text(f"{port['rate_bps']:.0f}bps"), "LinkDelay", _text("0s"))
            gentle = ("Gentle", ns.BooleanValue(False), "MeanPktSize", ns.UintegerValue(1000))
            disc = ("ns3::RedQueueDisc", *size, *red, *rate, *gentle)
            helper.AddChildQueueDiscs(handle, one, *disc)
        else:
            helper.AddChildQueueDiscs(handle, one, "ns3::FifoQueueDisc", *size)
    return helper


def network(port):
    """Two hosts and a line whose device holds one packet besides the one on the wire."""
    nodes = ns.NodeContainer()
    nodes.Create(2)
    line = ns.PointToPointHelper()
    line.SetDeviceAttribute("DataRate", _text(f"{port['rate_bps']:.0f}bps"))
    # Room for the largest frame: IP would send it in two pieces otherwise.
    line.SetDeviceAttribute("Mtu", ns.UintegerValue(9000))
    line.SetChannelAttribute("Delay", _text("0s"))
    line.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", _text("1p"))
    devices = line.Install(nodes)
    ns.InternetStackHelper().Install(nodes)
    queue_discs(port).Install(devices.Get(0))
    addresses = ns.Ipv4AddressHelper()
    addresses.SetBase(ns.Ipv4Address("10.0.0.0"), ns.Ipv4Mask("255.255.255.0"))
    return nodes, addresses.Assign(devices).GetAddress(1)


def start(port, nodes, address):
    """A sender and a sink for each stream; the senders must be kept alive."""
    udp = ns.TypeId.LookupByName("ns3::UdpSocketFactory")
    senders = []
    for i, stream in enumerate(port["streams"]):
        where = ns.InetSocketAddress(address, FIRST_PORT + i).ConvertTo()
        ns.PacketSinkHelper("ns3::UdpSocketFactory", where).Install(nodes.Get(1))
        socket = ns.Socket.CreateSocket(nodes.Get(0), udp)
        socket.Connect(where)
        socket.SetPriority(i)
        gap_ps, phase_ps = stream["gap_s"] * 1e12, stream["phase_s"] * 1e12
        sender = ns.cppyy.gbl.bench.Start(socket, gap_ps, phase_ps, stream["poisson"])
        below = 0.0
        for size, share in zip(stream["sizes_bytes"], stream["shares"], strict=True):
            below += share
            sender.AddSize(size, min(below, 1.0) if size != stream["sizes_bytes"][-1] else 1.0)
        senders.append(sender)
    return senders


def simulate(port, monitored=True, clock="FS"):
    """Run it: seconds of the simulation phase, and packets sent and their mean latency."""
    ns.Time.SetResolution(getattr(ns.Time, clock))
    ns.RngSeedManager.SetRun(port["seed"] + 1)
    ns.cppyy.cppdef(SENDER)
    nodes, address = network(port)
    senders = start(port, nodes, address)
    helper = ns.FlowMonitorHelper()
    monitor = helper.InstallAll() if monitored else None
    ns.Simulator.Stop(ns.PicoSeconds(round(port["duration_s"] * 1e12)))
    began_s = process_time()
    ns.Simulator.Run()
    results = {"simulation_s": process_time() - began_s, "senders": len(senders)}
    return results | (flows(helper, monitor) if monitored else {})


def flows(helper, monitor):
    """What FlowMonitor saw, by stream."""
    found = {}
    classifier = helper.GetClassifier()
    for number, flow in monitor.GetFlowStats():
        port = classifier.FindFlow(number).destinationPort - FIRST_PORT
        mean_s = flow.delaySum.GetSeconds() / max(flow.rxPackets, 1)
        found[port] = (flow.txPackets, flow.rxPackets, mean_s)
    offered, sent, latency_s = zip(*(found[port] for port in sorted(found)), strict=True)
    return {"offered": offered, "sent": sent, "delay_mean_s": latency_s}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    clock = "PS" if "ps" in sys.argv else "FS"
    print(json.dumps(simulate(asked, "unmonitored" not in sys.argv, clock)))
