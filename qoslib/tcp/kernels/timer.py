"""Round trips and the retransmission timer (RFC 6298)."""

from qoslib.packets.kernels.clock import NEVER, PS_PER_S
from qoslib.packets.kernels.compiling import kernel

#: Before the first round trip (section 2.1).
FIRST_PS = PS_PER_S
#: Most doublings of the timeout (section 5.5), and its largest value, 120 s.
MOST_DOUBLINGS = 6
LARGEST_PS = 120 * PS_PER_S


@kernel
def measure(flow, rtt_ps):
    """Smooth a round trip and its variation, by an eighth and a quarter (section 2.3)."""
    flow.last_rtt_ps = rtt_ps
    flow.min_rtt_ps = min(flow.min_rtt_ps, rtt_ps)
    if flow.srtt_ps == 0:
        flow.srtt_ps, flow.var_ps = rtt_ps, rtt_ps // 2
        return
    error_ps = rtt_ps - flow.srtt_ps
    flow.var_ps += (abs(error_ps) - flow.var_ps) >> 2
    flow.srtt_ps += error_ps >> 3


@kernel
def timeout_ps(flow):
    """The retransmission timeout, doublings included."""
    base_ps = FIRST_PS
    if flow.srtt_ps > 0:
        base_ps = min(flow.srtt_ps + max(4 * flow.var_ps, flow.least_rto_ps), LARGEST_PS)
    return min(base_ps << flow.backoff, LARGEST_PS)


@kernel
def arm(flow, now_ps):
    """Start the timer anew, or stop it where nothing is outstanding (section 5)."""
    outstanding = flow.next > flow.una
    flow.rto_ps = now_ps + timeout_ps(flow) if outstanding else NEVER
