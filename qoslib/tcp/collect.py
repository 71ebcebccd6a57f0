"""From the counters of flows to their record."""

import numpy as np

from qoslib import units
from qoslib.packets.clock import NEVER, PS_PER_S
from qoslib.results import FlowRecord

__all__ = ["flow_record"]


def flow_record(senders, flows, result) -> FlowRecord:
    """What the flows did, in the time and at the ends of the bins of their packets' record."""
    time_s, seconds = result.history.time_s, result.duration_s
    rows, notes = senders.flows, senders.notes[: len(time_s) - 1].T
    mss_bytes = np.array([flow.mss_bytes for flow in flows])
    goodput_bytes = (rows["expected"] - rows["received_before"]) * mss_bytes
    steps = np.diff(notes["expected"], prepend=rows["received_before"][:, None])
    return FlowRecord(
        flows=tuple(flow.name for flow in flows),
        goodput_bps=units.bits(goodput_bytes) / seconds,
        goodput_bytes=goodput_bytes,
        retransmitted=rows["retransmitted"].copy(),
        timeouts=rows["timeouts"].copy(),
        fast_recoveries=rows["recoveries"].copy(),
        dropped_in_host=rows["dropped_in_host"].copy(),
        first_send_drops=rows["first_send_drops"].copy(),
        retransmit_drops=rows["retransmit_drops"].copy(),
        finished_s=np.where(rows["finished_ps"] < NEVER, rows["finished_ps"] / PS_PER_S, np.nan),
        time_s=time_s,
        window_packets=notes["cwnd"].copy(),
        ssthresh_packets=notes["ssthresh"].copy(),
        in_flight_packets=notes["flight"].copy(),
        round_trip_s=np.where(notes["last_rtt_ps"] > 0, notes["last_rtt_ps"] / PS_PER_S, np.nan),
        received_bytes=steps * mss_bytes[:, None],
    )
