"""Packets of lesson 08, one by one."""

import numpy as np

from qoslib import run, units
from qoslib.explore import PacketView, packet_view
from qoslib.lessons.aqm.sliders import START, described
from qoslib.traffic import Stream, Trace

__all__ = ["scene"]

#: When the window begins [s]: the flows have long left slow start.
BEGIN_S = 4.0
#: Packets of the TCP run from this time before the window on are shown: no queue is older [s].
BEFORE_S = 0.1
MOST_EVENTS = 300_000


def scene() -> PacketView:
    """RED from 1 packet on, under a constant stream and under TCP, for one round trip.

    The packets of all flows are shown as one stream, as they arrived in a run with TCP.
    """
    blast, tcp = described(START)
    tcp = tcp.replace(warmup_s=0.0)
    span_s = units.ms(START["trip"])
    end_s = BEGIN_S + span_s + BEFORE_S
    events = run(tcp.replace(duration_s=end_s), events=MOST_EVENTS).events
    assert events is not None
    first = np.unique(events.packet, return_index=True)[1]
    first = first[events.time_s[first] >= BEGIN_S - BEFORE_S]
    arrivals = Trace(
        tuple(events.time_s[first].tolist()), tuple(events.frame_bytes[first].tolist())
    )
    name = f"{START['flows']:.0f} TCP flows"
    seen = tcp.replace(streams=(Stream(name, arrivals=arrivals),), hosts=(), duration_s=end_s)
    lanes = {"constant stream": blast, name: seen}
    return packet_view(lanes, start_s=BEGIN_S, duration_s=span_s, same_limit=True)
