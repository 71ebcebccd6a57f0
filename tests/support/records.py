"""One valid description of every kind."""

from qoslib import flows, traffic
from qoslib import port as p

QUEUE = p.Queue("q", p.PacketLimit(10))
PORT = p.Port("port", 1e6, (QUEUE,))
NODES = (p.Node("line", ("q",)),)
FORWARDER = p.Forwarder("forwarder", QUEUE, 1e-6)
#: One valid description of every kind.
EXAMPLES = [
    *(PORT, QUEUE, FORWARDER, p.Hop(PORT), p.Chain("chain", (p.Hop(PORT),))),
    *(p.Classifier(), p.MemoryPool("pool", 1), p.Pause(2), p.Policer(1e6, 1), p.Shaper(1e6, 1)),
    *(p.PacketLimit(1), p.ByteLimit(1), p.TimeLimit(1.0)),
    *(
        p.TailDrop(),
        p.HeadDrop(),
        p.Codel(),
        p.Cobalt(),
        p.DualPi2(),
        p.Pie(),
        p.DropProfile(((0.5, 1.0),)),
    ),
    *(p.Red(p.RedProfile(1, 2)), p.RedProfile(1, 2), p.ByteRedProfile(1, 2)),
    *(p.TimeRedProfile(1, 2, 3.0), p.ShareRedProfile(0.1, 0.2)),
    *(p.ExcessBurst(9), p.ExcessRate(1e6, 9), p.PeakRate(1e6, 9)),
    *(p.Instantaneous(), p.Ewma(), p.TruncatingEwma(), p.AsymmetricEwma(), p.Sampled(9, 1e-3)),
    *(p.Fifo(), p.StrictPriority(), p.PriorityLevels(), p.StartTimeFairQueueing()),
    *(p.WeightedRoundRobin(), p.DeficitRoundRobin(), p.ModifiedDrr(), p.CakeTins()),
    p.FlowQueues(),
    *(*NODES, p.SchedulerTree(NODES), p.HierarchicalTokenBucket(NODES)),
    *(p.PriorityPause(9, 1, 1e-6), p.Switch("switch", (p.Hop(PORT),))),
    *(traffic.Stream("s"), traffic.FrameMix((64,), (1.0,)), traffic.Trace((), ())),
    *(traffic.Cbr(), traffic.Poisson(), traffic.TickedBursts(), traffic.OnOff(1.0, 1.0)),
    traffic.Repeated((0.0, 0.5)),
    *(flows.Flow("f", 0.05), flows.Host("h", 1e9, (flows.Flow("f", 0.05),)), flows.NetemQueue()),
    *(flows.Reno(), flows.Cubic(), flows.HTcp(), flows.Bbr(), flows.Dctcp(), flows.Prague()),
    *(flows.SlowStart(), flows.HyStart()),
    *(flows.SackRecovery(), flows.RateHalving(), flows.NewRenoRecovery(), flows.TimeoutOnly()),
    *(flows.PathologicalRecovery(), flows.FqPacing(1e9), flows.HtbPacing(1e9)),
]
