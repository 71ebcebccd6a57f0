"""Notes that say where a buffer is too small for the fluid model of TCP."""

import math
from collections.abc import Sequence

from qoslib import units
from qoslib.flows import Host
from qoslib.port import Port
from qoslib.tcp.fluid.kernels.tables import State
from qoslib.traffic import Stream

__all__ = ["notes"]

#: Least buffer in bandwidth-delay products: of a single flow, and of n flows times sqrt(n).
LEAST_OF_ONE, LEAST_OF_MANY = 0.2, 1.0
INSTEAD = "Use tcp.simulate, which simulates every packet."


def notes(
    port: Port, hosts: Sequence[Host], streams: Sequence[Stream], state: State
) -> tuple[str, ...]:
    """What the model leaves out of a run whose buffer is small.

    A burst of k packets from an access at rate A leaves ``k (1 - c / A)`` of them in the queue of
    a line that has c for the flows. Where that is more than the buffer, each burst loses packets.
    If it fits and the port has dropped packets all the same, the buffer is compared with
    ``C R / sqrt(n)`` of n flows and with a fifth of ``C R`` of one.

    Parameters
    ----------
    port : Port
    hosts : sequence of Host
    streams : sequence of Stream
    state : State
        After the run.

    References
    ----------
    Appenzeller, Keslassy and McKeown 2004, doi:10.1145/1015467.1015499, for n flows; the fifth is
    where `qoslib.tcp.simulate` and this model begin to differ.
    """
    line = state.line[0]
    limits = _on_bursts(port, hosts, streams, float(line["limit_bytes"]))
    if not limits and line["overflowed"]:
        limits = _on_windows(
            hosts, float(line["limit_bytes"] / line["step_bytes"] * line["step_s"])
        )
    return limits


def _on_bursts(
    port: Port, hosts: Sequence[Host], streams: Sequence[Stream], limit_bytes: float
) -> tuple[str, ...]:
    taken = [units.rate_pps(s.mean_rate_bps, s.mean_frame_bytes) for s in streams]
    sizes = [s.mean_frame_bytes + port.overhead_bytes for s in streams]
    left_bps = port.rate_bps - sum(map(units.rate_bps, taken, sizes))
    for host in hosts:
        first = host.flows[0]
        window = max(flow.window_bytes or math.inf for flow in host.flows)
        burst = math.ceil(min(host.burst_packets, window / first.mss_bytes))
        queued = burst * (1 - max(left_bps, 0.0) / host.access_bps)
        room = limit_bytes / (first.frame_bytes + port.overhead_bytes)
        if queued > room:
            return (
                f"A burst of {burst} packets from host {host.name!r} needs a buffer of"
                f" {math.ceil(queued)} packets, but there is room for {room:.0f}. Such bursts lose"
                " packets. This model leaves them out, so its throughput is far too high."
                f" {INSTEAD}",
            )
    return ()


def _on_windows(hosts: Sequence[Host], buffer_s: float) -> tuple[str, ...]:
    trips_s = [flow.round_trip_s for host in hosts for flow in host.flows]
    flows = len(trips_s)
    held = buffer_s / (sum(trips_s) / flows) * math.sqrt(flows)
    least = LEAST_OF_MANY if flows > 1 else LEAST_OF_ONE
    if round(held, 2) >= least:
        return ()
    over = f" over the square root of {flows} flows" if flows > 1 else ""
    return (
        f"The buffer holds {held:.2g} of the bandwidth-delay product{over}. Below {least:g}, bursts"
        " can fill it. This model leaves them out, so its throughput can be wrong by a tenth of the"
        f" line rate or more. {INSTEAD}",
    )
