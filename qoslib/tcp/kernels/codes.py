"""The integer codes by which kernels choose a rule, and of what they note."""

#: Congestion controls.
RENO, CUBIC, HTCP, BBR, DCTCP, PRAGUE = range(6)
#: Recoveries; those up to `LAST_SACK` have selective acknowledgements.
SACK, HALVING, PATHOLOGICAL, NEW_RENO, TIMEOUT = range(5)
LAST_SACK = PATHOLOGICAL
#: Bounds of proportional rate reduction.
SAFE, SLOW_START, CONSERVATIVE = range(3)
#: What a flow is doing about losses.
OPEN, RECOVERY, LOSS = range(3)
#: What the sender knows of a segment.
FREE, IN_FLIGHT, LOST, SACKED = range(4)
#: Phases of BBR.
STARTUP, DRAIN, CYCLE, PROBE_RTT = range(4)
#: What the event record has of a flow.
NOTED_SEND, NOTED_ACK, NOTED_TIMEOUT = range(3)
#: A tag is a segment's number and, in so many bits, how often it has been sent.
TRIES_BITS = 8
MOST_TRIES = (1 << TRIES_BITS) - 1
#: While a packet is under way its tag also says whether it has been marked, and whether it is the
#: first new one since the window was reduced (RFC 3168, section 6.1.2).
MARKED, CWR = 1 << 62, 1 << 60
TAG = CWR - 1
#: How a receiver reports marks: not; until it sees CWR (RFC 3168); or which packets had them.
NO_ECN, UNTIL_CWR, EXACTLY, COUNTED = range(4)

#: What the sources of one of several ports are.
OF_STREAM, OF_FLOW, OF_WIRE = range(3)

#: Phases of a flow of the fluid.
SLOW, AVOID, RECOVER, SILENT = range(4)
#: What the fluid keeps of each bin: packets put on the line, past it and lost, and how a window
#: stands.
OFFERED, SENT, DROPPED, WINDOW, THRESHOLD, OUTSTANDING, ROUND_TRIP, PAST = range(8)
