"""From the kernels' rows to the event record of the flows."""

import numpy as np

from qoslib.packets.kernels.clock import PS_PER_S
from qoslib.results import FlowEvents
from qoslib.tcp.kernels.tables import Senders

__all__ = ["flow_events_of"]

KINDS, STATES = np.array(["send", "ack", "timeout"]), np.array(["open", "recovery", "loss"])


def flow_events_of(senders: Senders, done_ps: int) -> FlowEvents:
    """The events of the flows up to a time, in the order in which they happened."""
    rows = senders.events[: len(senders.events) - int(senders.room[0]["left"])]
    rows = rows[rows["time_ps"] <= done_ps]
    return FlowEvents(
        time_s=rows["time_ps"] / PS_PER_S,
        kind=KINDS[rows["kind"]],
        flow=rows["flow"].copy(),
        segment=rows["segment"].copy(),
        tries=rows["tries"].copy(),
        acknowledged=rows["una"].copy(),
        in_flight_packets=rows["flight"].copy(),
        window_packets=rows["cwnd"].copy(),
        ssthresh_packets=rows["ssthresh"].copy(),
        state=STATES[rows["state"]],
    )
