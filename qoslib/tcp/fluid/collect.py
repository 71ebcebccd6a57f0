"""From the tables of the fluid model to the record, with notes where its buffer is too small."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.flows import Flow, Host
from qoslib.packets.plan import Run
from qoslib.port import Port
from qoslib.results import FlowRecord, History, Result
from qoslib.tcp.fluid.kernels.tables import State
from qoslib.tcp.kernels import codes
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["collected", "notes"]


def collected(
    port: Port,
    hosts: Sequence[Host],
    streams: Sequence[Stream],
    names: tuple[str, ...],
    state: State,
    options: Run,
    done_ps: int,
) -> Result:
    """The record of a run from its warm-up to the last step played."""
    flows = [flow for host in hosts for flow in host.flows]
    rows, edges_s = state.flows, _edges_s(state)
    seconds = edges_s[-1] - edges_s[0]
    history = _history(state, edges_s)
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
        delay_mean_s=wait_s,
        delay_min_s=np.where(sent > 0, ends_s, np.nan),
        delay_max_s=np.where(sent > 0, longest_s + ends_s, np.nan),
        dropped_by_pps={"tail": pps[2]},
        duration_s=seconds,
        seed=options.seed,
        history=history,
        tcp=_record(state, flows, edges_s, seconds),
        interrupted=done_ps < options.end_ps,
        notes=notes(port, hosts, streams, state),
    )


def _edges_s(state: State) -> Floats:
    """Of the bins that were played, the last one as far as it was."""
    line = state.line[0]
    first, last = int(line["warm_steps"]), int(line["done"])
    ends = np.arange(first, max(last, first), int(line["bin_steps"]), dtype=np.int64)
    return np.append(ends, max(last, first)) * float(line["step_s"])


def _whole(past: Floats) -> NDArray[np.int64]:
    """Whole packets or bytes of each bin, whose sum is that of the whole run."""
    upto = np.rint(np.cumsum(past, axis=-1)).astype(np.int64)
    return np.diff(upto, axis=-1, prepend=0)


def _history(state: State, edges_s: Floats) -> History:
    bins = len(edges_s) - 1
    past = state.past[:, :, :bins]
    offered, sent, dropped = map(_whole, past[: codes.DROPPED + 1])
    sent_bytes = _whole(past[codes.SENT] * state.flows["frame_bytes"][:, None])
    peaks = state.past_queue_bytes[None, :bins] / state.flows["line_bytes"].mean()
    tokens = np.full(peaks.shape, np.nan)
    return History(edges_s, peaks, tokens, offered, sent, dropped, sent_bytes)


def _record(state: State, flows: Sequence[Flow], edges_s: Floats, seconds: float) -> FlowRecord:
    rows, past = state.flows[: len(flows)], state.past[:, : len(flows), : len(edges_s) - 1]
    payload = np.array([flow.mss_bytes for flow in flows], dtype=float)
    delivered_bytes = (rows["delivered"] - rows["delivered_before"]) * payload
    lost = np.rint(rows["dropped"]).astype(np.int64)
    return FlowRecord(
        flows=tuple(flow.name for flow in flows),
        goodput_bps=units.bits(delivered_bytes) / seconds,
        goodput_bytes=np.rint(delivered_bytes).astype(np.int64),
        retransmitted=lost,
        timeouts=rows["timeouts"].copy(),
        fast_recoveries=rows["reductions"] - rows["timeouts"],
        dropped_in_host=np.rint(rows["refused"]).astype(np.int64),
        first_send_drops=lost,
        retransmit_drops=np.zeros_like(lost),
        finished_s=rows["finished_s"].copy(),
        time_s=edges_s,
        window_packets=past[codes.WINDOW],
        ssthresh_packets=past[codes.THRESHOLD],
        in_flight_packets=np.rint(past[codes.OUTSTANDING]).astype(np.int64),
        round_trip_s=past[codes.ROUND_TRIP],
        received_bytes=_whole(past[codes.SENT] * payload[:, None]),
    )


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
