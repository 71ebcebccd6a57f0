"""Compile the kernels of the packet engine and of TCP, so that no lesson or test waits for it.

python tools/compile_kernels.py

It takes about half a minute once, and nothing where they are compiled already.
"""

from dataclasses import replace

from qoslib import packets, tcp
from qoslib.flows import Flow, Host
from qoslib.port import (
    Chain,
    FlowQueues,
    Hop,
    Node,
    PacketLimit,
    Port,
    Queue,
    SchedulerTree,
    Switch,
)
from qoslib.traffic import Stream


def main() -> None:
    """A chain uses the kernels of a port and its own; trees, switches and TCP have own loops."""
    port = Port("line", 1e6, (Queue("all", PacketLimit(1)),))
    chain = Chain("one", (Hop(port),))
    tree = replace(port, scheduler=SchedulerTree((Node("root", ("all",)),)))
    flows = replace(port, queues=(Queue("all", PacketLimit(1), flows=FlowQueues(1)),))
    switches = (Switch("one", (Hop(each),)) for each in (port, tree))
    for network in (chain, tree, flows, *switches):
        packets.simulate(network, [Stream("all", 1e5)], 1e-3)
    hosts = [Host("host", 1e6, (Flow("flow", 1e-3),))]
    for one in (port, tree, flows, chain, Chain("one", (Hop(tree),))):
        tcp.simulate(one, hosts, 1e-3)
    tcp.solve(port, hosts, 1e-3)


if __name__ == "__main__":
    main()
