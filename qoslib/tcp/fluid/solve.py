"""TCP as water: windows that follow what comes back a round trip later."""

from collections.abc import Sequence

import numpy as np

from qoslib import units
from qoslib.flows import Host
from qoslib.port import Port
from qoslib.record import checked, fail
from qoslib.results import FlowRecord, History, Result
from qoslib.tcp.fluid import tables
from qoslib.tcp.fluid.loop import run
from qoslib.tcp.fluid.plan import planned
from qoslib.traffic import Stream

__all__ = ["solve"]


def solve(
    port: Port, hosts: Sequence[Host], duration_s: float, *, streams: Sequence[Stream] = ()
) -> Result:
    """TCP connections and streams at a port with one queue, as water over time.

    Parameters
    ----------
    port : Port
        With one tail-drop queue, without policer or shaper.
    hosts : sequence of Host
        At least one.
    duration_s : float
        Simulated time [s].
    streams : sequence of Stream
        Traffic that answers to nothing, at its mean rate.

    Returns
    -------
    Result
        Flows first, then streams; ``tcp`` has the windows over time.

    Raises
    ------
    ValueError
        If a name stands twice, or the port or a flow has what only the packet model runs.

    Notes
    -----
    A delay-differential equation, in steps of a hundredth of the shortest round trip. A flow keeps
    ``min(w, W)`` packets outstanding; what it sends waits at its host for the access rate, then in
    the queue ``dq/dt = sum x + u - C`` on [0, B], where all shares leave alike and the excess of
    each step at q = B is lost. What passed comes back as ACKs after the base round trip R and
    feeds the window law; what was lost is known after R and the wait, and starts a recovery once
    it makes a packet. While that lasts the receiver's window stands still; new packets that are
    lost in it start another. There are no single packets: no bursts shorter than a step, no phase
    effect, no timeout for a lost repair, and no unfairness among equal flows.

    References
    ----------
    Misra, Gong and Towsley 2000, doi:10.1145/347059.347421, for drop-tail.

    Examples
    --------
    >>> from qoslib.flows import Flow, Host, Reno
    >>> from qoslib.port import ByteLimit, Queue
    >>> port = Port("line", 100e6, (Queue("all", ByteLimit(250_000)),))
    >>> hosts = [Host("sender", 1e9, (Flow("a", 0.02, Reno(), mss_bytes=1448, frame_bytes=1500),))]
    >>> bool(solve(port, hosts, 30.0).sent_bps[0] > 95e6)
    True
    """
    port = checked(Port, port, "port")
    hosts = checked(tuple[Host, ...], hosts, "hosts")
    streams = checked(tuple[Stream, ...], streams, "streams")
    duration_s = checked(float, duration_s, "duration_s")
    names = [flow.name for host in hosts for flow in host.flows]
    names += [stream.name for stream in streams]
    if not hosts or len(set(names)) != len(names):
        fail("the flows' and streams' names", names, "at least one host, each name once")
    if not duration_s > 0:
        fail("duration_s", duration_s, "above 0")
    state, steps = planned(port, hosts, duration_s, streams)
    run(state, 0, steps)
    flows = [flow for host in hosts for flow in host.flows]
    return _result(port, flows, tuple(names), state, steps)


def _result(port, flows, names, state, steps):
    rows, seconds = state.flows, steps * float(state.line[0]["step_s"])
    frames = rows["frame_bytes"]
    offered, sent, dropped = (state.past[which].sum(1) for which in range(3))
    own_s = units.serialisation_s(rows["line_bytes"], port.rate_bps)
    wait_s = rows["waited_s"] / np.where(sent > 0, sent, np.nan) + own_s + port.base_delay_s
    longest_s = units.serialisation_s(state.past_queue_bytes.max(), port.rate_bps)
    ends_s = own_s + port.base_delay_s
    pps = [each / seconds for each in (offered, sent, dropped)]
    return Result(
        model="fluid",
        streams=names,
        queues=port.queue_names,
        offered_pps=pps[0],
        sent_pps=pps[1],
        dropped_pps=pps[2],
        offered_bps=units.rate_bps(pps[0], frames),
        sent_bps=units.rate_bps(pps[1], frames),
        dropped_bps=units.rate_bps(pps[2], frames),
        latency_mean_s=wait_s,
        latency_min_s=np.where(sent > 0, ends_s, np.nan),
        latency_max_s=np.where(sent > 0, longest_s + ends_s, np.nan),
        dropped_by_pps={"tail": pps[2]},
        duration_s=seconds,
        history=_history(state),
        tcp=_record(state, flows, seconds),
    )


def _edges_s(state):
    line = state.line[0]
    return np.arange(int(line["bins"]) + 1) * int(line["bin_steps"]) * float(line["step_s"])


def _history(state):
    offered, sent, dropped = np.rint(state.past[: tables.DROPPED + 1]).astype(np.int64)
    frames = state.flows["frame_bytes"][:, None]
    sent_bytes = np.rint(state.past[tables.SENT] * frames).astype(np.int64)
    mean = state.flows["line_bytes"].mean()
    peaks = state.past_queue_bytes[None] / mean
    tokens = np.full(peaks.shape, np.nan)
    return History(_edges_s(state), peaks, tokens, offered, sent, dropped, sent_bytes)


def _record(state, flows, seconds):
    rows, past = state.flows[: len(flows)], state.past[:, : len(flows)]
    payload = np.array([flow.mss_bytes for flow in flows])
    delivered = np.rint(rows["delivered"] * payload).astype(np.int64)
    lost = np.rint(rows["dropped"]).astype(np.int64)
    return FlowRecord(
        flows=tuple(flow.name for flow in flows),
        goodput_bps=units.bits(rows["delivered"] * payload) / seconds,
        goodput_bytes=delivered,
        sent_again=lost,
        timeouts=rows["timeouts"].copy(),
        fast_recoveries=rows["reductions"] - rows["timeouts"],
        dropped_in_host=np.rint(rows["refused"]).astype(np.int64),
        dropped_first=lost,
        dropped_again=np.zeros_like(lost),
        finished_s=rows["finished_s"].copy(),
        time_s=_edges_s(state),
        window_packets=past[tables.WINDOW],
        threshold_packets=past[tables.THRESHOLD],
        in_flight_packets=np.rint(past[tables.IN_FLIGHT]).astype(np.int64),
        round_trip_s=past[tables.ROUND_TRIP],
        received_bytes=np.rint(past[tables.SENT] * payload[:, None]).astype(np.int64),
    )
