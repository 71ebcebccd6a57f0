"""The integer codes by which kernels choose a rule, and count what happened."""

from qoslib.port import (
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

#: How packets arrive; those of `FED` come from outside.
FED, CBR, POISSON, TICKED, ON_OFF, REPEATED = range(6)

#: Which queue sends next; and the record that is planned as each.
FIFO, STRICT, LEVELS, DRR, MDRR, START_TIME, WRR, TINS = range(8)
SCHEDULERS: dict[type[Scheduler], int] = {
    Fifo: FIFO,
    StrictPriority: STRICT,
    PriorityLevels: LEVELS,
    DeficitRoundRobin: DRR,
    ModifiedDrr: MDRR,
    StartTimeFairQueueing: START_TIME,
    WeightedRoundRobin: WRR,
    CakeTins: TINS,
}
#: Trees of schedulers, which have a loop of their own.
TREE, HTB = 8, 9
TREES: dict[type[Scheduler], int] = {SchedulerTree: TREE, HierarchicalTokenBucket: HTB}

#: What may drop a packet before its queue is full; by the limit alone nothing does.
#: Those from CoDel on look at the packet at the head.
BY_LIMIT, BY_RED, BY_PROFILE, BY_PIE, BY_CODEL, BY_COBALT, BY_DUAL = range(7)
#: What they decide of it.
SENT, MARKED, DROPPED = range(3)
#: The ECN field of what a stream sends: no ECT, ECT(0), ECT(1).
NO_ECT, CLASSIC_ECT, L4S_ECT = range(3)

#: Set in the tag of a retransmission that may not be marked (RFC 3168, section 6.1.5). No packet
#: but TCP's has such a tag: others count from -1.
NOT_ECT = 1 << 61

#: What pauses senders: nothing, the port, or its queues one by one.
NO_PAUSE, BY_PORT, BY_QUEUE = range(3)

#: Which queue length RED looks at.
INSTANTANEOUS, EWMA, TRUNCATING, ASYMMETRIC, SAMPLED = range(5)

#: How a queue is policed: not, by dropping what exceeds one bucket, or by colours.
UNPOLICED, DROPS, COLOURS = range(3)
#: What gives packets colours: one bucket, or two by RFC 2697, 2698 and 4115; and the colours.
ONE_BUCKET, SINGLE_RATE, TWO_RATES, EXCESS_RATE = range(4)
COLOUR_NAMES = ("green", "yellow", "red")
GREEN, YELLOW, RED_COLOUR = range(3)

#: In what RED or marking counts a queue: packets, bytes of frames, or time on the line.
PACKETS, BYTES, LINE_PS = range(3)

#: Why a packet was dropped, in the order of the drop counters.
CAUSES = ("policer", "pool", "tail", "head", "red", "profile", "codel", "pie")
POLICER, POOL, TAIL, HEAD, RED, PROFILE, CODEL, PIE = range(len(CAUSES))
#: Columns after those of the causes: runs of losses, and the number of the arrival at the last one.
LOSS_RUNS, LAST_LOSS = len(CAUSES), len(CAUSES) + 1
#: In place of a cause: the packet is let in or sent.
KEEP = -1

#: In place of whether a tree chose a packet within its guaranteed rate: by strict priority.
BY_PRIORITY = 2

#: What the event record notes.
ENQUEUE, DROP, SEND = range(3)
