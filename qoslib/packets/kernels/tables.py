"""The records that a port becomes: one row a stream, packet class, queue, level.

A packet class is a stream and a frame size; everything that takes a division is worked out once
for each class. All times are in picoseconds, fractions in units of 2**-62 ps.
"""

from typing import NamedTuple

import numpy as np

__all__ = [
    "CLASS",
    "DELAY",
    "EVENT",
    "FEED",
    "HANDED",
    "LEVEL",
    "OUTCOME",
    "POOL_ROW",
    "PORT",
    "QUEUE",
    "SLOT",
    "STREAM",
    "State",
]


def _table(whole="", real="", key=""):
    kinds = (("i8", whole), ("f8", real), ("u8", key))
    return np.dtype([(name, kind) for kind, names in kinds for name in names.split()], align=True)


STREAM = _table(
    whole="kind next_ps due_ps packet_class tag queue ecn access_ps"
    " clock_ps clock_fraction gap_ps gap_fraction stop_ps first_class classes"
    " tick_ps tick_at_ps on_end_ps shift_ps random_periods feed_at feed_end feed_first"
    " pause_ps held_until_ps",
    real="mean_gap_ps on_ps off_ps jitter_ps",
    key="key counter",
)

CLASS = _table(
    whole="stream queue frame_bytes amount service_ps service_fraction access_ps"
    " police_ps police_fraction shape_ps shape_fraction port_shape_ps port_shape_fraction"
    " credit_ps credit_fraction turn_ps",
    real="share_below red_minimum red_maximum red_probability",
)

QUEUE = _table(
    whole="first mask head length fill held_bytes peak"
    " limit floor window_ps window_end_ps served"
    " dropper pool policed congestion sees_drops drains"
    " police_tat police_tat_fraction police_burst_ps"
    " shaped shape_tat shape_tat_fraction shape_burst_ps"
    " averaging exponent counts_ring whole_average idle_since_ps high low release relay"
    " period_ps timer_ps ecn"
    " points first_point interpolated drops_head"
    " interval_ps target_ps largest_bytes first_above_ps drop_next_ps drops last_drops dropping"
    " just_dropped"
    " update_ps delay_ps old_delay_ps burst_left_ps burst_ps"
    " level place guaranteed credit_tat credit_tat_fraction credit_burst_ps turn_ps excess_turn_ps"
    " quantum deficit visited",
    real="weight average looked jitter probability accumulated alpha beta",
    key="key counter",
)

LEVEL = _table(whole="first size turn turn_ps excess_turn_ps")

PORT = _table(
    whole="now_ps line_ps line_fraction waiting dropped handed_at in_ring"
    " scheduler queues wake_ps timer_ps shaped shape_tat shape_tat_fraction shape_burst_ps"
    " fast carries resets at_queue in_profile"
    " base_ps forget_ps warm_ps edge edge_ps logged log_stops noted"
    " relays pauses obeyed pause_high pause_low pause_first_ps pause_last_ps pause_frames",
)

#: A memory pool.
POOL_ROW = _table(whole="held_bytes limit_bytes")

#: A packet that was handed to the ring or the line, until another takes its place.
HANDED = _table(whole="departure_ps delay_ps packet_class stream")

#: A waiting packet.
SLOT = _table(whole="arrival_ps packet_class tag")

#: An arrival handed in from outside.
FEED = _table(whole="arrival_ps packet_class tag")

#: What became of a packet; the cause is -1 where it was sent.
OUTCOME = _table(whole="arrival_ps departure_ps packet_class tag cause")

#: What happens to a packet: it joins its queue, is dropped, or is chosen and sent.
EVENT = _table(
    whole="kind time_ps start_ps departure_ps packet_class queue position cause in_profile"
)

#: Sums of each stream; the delay as ``high 2**40 + low``, so that no sum overflows.
DELAY = _table(whole="delay_low delay_high delay_min delay_max")


class State(NamedTuple):
    """All that a run knows: the tables, and what it has counted so far."""

    port: np.ndarray
    streams: np.ndarray
    tree: np.ndarray
    classes: np.ndarray
    queues: np.ndarray
    slots: np.ndarray
    levels: np.ndarray
    order: np.ndarray
    pools: np.ndarray
    points: np.ndarray
    feed: np.ndarray
    handed: np.ndarray
    counts: np.ndarray
    drops: np.ndarray
    delays: np.ndarray
    histogram: np.ndarray
    edges_ps: np.ndarray
    past_counts: np.ndarray
    past_peaks: np.ndarray
    past_spent_ps: np.ndarray
    log: np.ndarray
    events: np.ndarray
    event_values: np.ndarray
