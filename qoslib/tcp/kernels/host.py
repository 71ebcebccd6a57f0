"""The way out of a host: its pacing, its queue, its line, and jitter, worked out when sent.

All are first in, first out, so a burst's times follow from those of the burst before it.
"""

from qoslib.packets.kernels.clock import HORIZON_PS, add
from qoslib.packets.kernels.compiling import kernel
from qoslib.packets.kernels.draws import uniform
from qoslib.tcp.kernels.places import burst_place
from qoslib.tcp.kernels.wires import put_on_wire

#: Beyond the end of any run: a host's line and pacer that are busy till then stay so.
_FOREVER_PS = 4 * HORIZON_PS


@kernel
def _has_room(host, burst_ends_ps, now_ps):
    """Whether netem takes another burst: those that have left do not count."""
    while host.bursts > 0:
        if burst_ends_ps[host.bursts_first + (host.bursts_head & host.bursts_mask)] > now_ps:
            break
        host.bursts -= 1
        host.bursts_head += 1
    return host.bursts < host.limit


@kernel
def _enters(host, burst_ends_ps, places, end_ps):
    burst_place(host, burst_ends_ps, places)
    at = (host.bursts_head + host.bursts) & host.bursts_mask
    burst_ends_ps[host.bursts_first + at] = end_ps
    host.bursts += 1


@kernel
def hand_down(host, burst_ends_ps, places, pace_ps, now_ps):
    """A burst comes from a socket; whether it is taken. Its segments are put on the line next.

    `pace_ps` is how long the host's pacing takes for it.
    """
    if host.limit > 0 and not _has_room(host, burst_ends_ps, now_ps):
        return False
    if host.htb:
        now_ps = max(now_ps, host.free_ps)
        host.free_ps = min(now_ps + pace_ps, _FOREVER_PS)
    if host.line_ps < now_ps:
        host.line_ps, host.line_fraction = now_ps, 0
    if host.limit > 0:
        _enters(host, burst_ends_ps, places, host.line_ps + host.delay_ps)
    return True


@kernel
def put_on_line(state, senders, flow, tag):
    """A segment goes out behind what is on the host's line, and will reach the port."""
    host = senders.hosts[flow.host]
    host.line_ps, host.line_fraction = add(
        host.line_ps, host.line_fraction, flow.nic_ps, flow.nic_fraction
    )
    host.line_ps = min(host.line_ps, _FOREVER_PS)
    arrival_ps = host.line_ps + host.delay_ps
    if host.jitter_ps > 0:
        arrival_ps += int(uniform(host) * host.jitter_ps)
    host.last_ps = max(arrival_ps, host.last_ps)
    put_on_wire(state, senders.wires[flow.wire], senders.ways, host.last_ps, flow.row, tag)
