"""From the tables of the fluid to the record."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qoslib import units
from qoslib.flows import Flow, Host
from qoslib.port import Port
from qoslib.results import FlowRecord, History, Result
from qoslib.tcp.fluid.kernels.tables import State
from qoslib.tcp.fluid.validity import notes
from qoslib.tcp.kernels import codes
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["collected"]


def collected(
    port: Port,
    hosts: Sequence[Host],
    streams: Sequence[Stream],
    state: State,
    seed: int,
    interrupted: bool,
) -> Result:
    """The record of a run from its warm-up to the last step played.

    Parameters
    ----------
    port : Port
    hosts : tuple of Host
    streams : tuple of Stream
    state : State
    seed : int
    interrupted : bool
        Whether it ended before its time; the record covers what was played.
    """
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
        streams=(*(flow.name for flow in flows), *(stream.name for stream in streams)),
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
        seed=seed,
        history=history,
        tcp=_record(state, flows, edges_s, seconds),
        interrupted=interrupted,
        notes=notes(port, hosts, streams, state),
    )


def _edges_s(state: State) -> Floats:
    """Of the bins that were played, the last one as far as it was."""
    line = state.line[0]
    first, last = int(line["warm_steps"]), int(line["done"])
    ends = np.arange(first, max(last, first), int(line["bin_steps"]))
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
