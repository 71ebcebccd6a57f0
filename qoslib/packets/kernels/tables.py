"""The records that a port becomes: one row a stream, packet class, queue, level.

A packet class is a stream and a frame size; everything that takes a division is worked out once
for each class. All times are in picoseconds, fractions in units of 2**-62 ps.
"""

from typing import NamedTuple

import numpy as np


class Columns(NamedTuple):
    """Names of a mechanism's columns: whole numbers, real ones, and indices."""

    whole: str = ""
    real: str = ""
    indices: str = ""


def table(
    whole: str = "", real: str = "", indices: str = "", draws: bool = False, **mechanisms: Columns
) -> np.dtype:
    """A row of plain columns and of those of mechanisms; with `draws` it has a generator.

    The columns stand in this order: plain ones first are what most packets touch, in few lines of
    the cache. A port of a thousand queues lives on that.

    An index, of a row or a place, has no sign: numba asks of each that has one whether it counts
    from the end, which is a tenth of what a packet costs in W2. It is added to whole numbers only,
    as the sum of two without a sign has none either.
    """
    kinds = [("u4", indices), ("i8", whole), ("f8", real), ("u8", "key counter" if draws else "")]
    for columns in mechanisms.values():
        kinds += [("u4", columns.indices), ("i8", columns.whole), ("f8", columns.real)]
    return np.dtype([(name, kind) for kind, names in kinds for name in names.split()], align=True)


STREAM = table(
    "kind next_ps due_ps tag stop_ps first_class classes"
    " clock_ps clock_fraction gap_ps gap_fraction",
    "mean_gap_ps jitter_ps",
    "packet_class",
    draws=True,
    arrival=Columns("queue ecn access_ps"),
    ticked=Columns("tick_ps tick_at_ps"),
    on_off=Columns("on_end_ps shift_ps random_periods", "on_ps off_ps"),
    fed=Columns("feed_at feed_end feed_first"),
    pause=Columns("pause_ps held_until_ps"),
    flow_queues=Columns("flows flow_ps", indices="source destination"),
)

CLASS = table(
    "frame_bytes amount service_ps service_fraction access_ps",
    "share_below",
    "stream queue base",
    policer=Columns("police_ps police_fraction"),
    colours=Columns("excess_ps excess_fraction colour conform exceed violate limit"),
    shaper=Columns("shape_ps shape_fraction port_shape_ps port_shape_fraction"),
    memory=Columns("memory_bytes"),
    red=Columns(real="red_minimum red_maximum red_probability"),
    profile=Columns("points first_point"),
    levels=Columns("credit_ps credit_fraction turn_ps"),
)

QUEUE = table(
    "first mask head length fill held_bytes peak limit"
    " shaped guaranteed window_ps pool dropper acts_early policed bounded"
    " idle_since_ps drops_head resume resume_bytes closed",
    draws=True,
    guarantee=Columns("credit_tat credit_tat_fraction credit_burst_ps"),
    shaper=Columns("shape_tat shape_tat_fraction shape_burst_ps"),
    round_robin=Columns("quantum deficit visited"),
    levels=Columns("place turn_ps excess_turn_ps", indices="level"),
    red=Columns(
        "averaging exponent counts_ring whole_average high low release relay period_ps timer_ps"
        " ecn counted",
        "weight average looked jitter",
    ),
    marking=Columns("marks mark_counted", "mark_minimum mark_maximum mark_probability"),
    profile=Columns("interpolated"),
    limit=Columns("floor window_end_ps served limit_bytes"),
    memory=Columns("memory_bytes reserved_bytes dynamic", "threshold"),
    policer=Columns("congestion sees_drops drains police_tat police_tat_fraction police_burst_ps"),
    colours=Columns("meter colour excess_tat excess_tat_fraction excess_burst_ps"),
    codel=Columns(
        "interval_ps target_ps largest_bytes first_above_ps drop_next_ps drops last_drops dropping"
        " just_dropped just_marked ce_ps"
    ),
    pie=Columns(
        "update_ps delay_ps old_delay_ps burst_left_ps burst_ps",
        "probability accumulated alpha beta",
    ),
    pause=Columns(
        "pauses pause_above_bytes go_bytes response_ps asked told orders_first orders_mask"
        " orders_head orders_waiting last_order_ps"
    ),
    flow_queues=Columns("keeps_flows packet_ps"),
)

PORT = table(
    line=Columns("now_ps line_ps line_fraction waiting dropped in_ring", indices="handed_at left"),
    scheduler=Columns("scheduler queues wake_ps timer_ps"),
    shaper=Columns("shaped shape_tat shape_tat_fraction shape_burst_ps"),
    round_robin=Columns("fast carries resets", indices="at_queue"),
    levels=Columns("in_profile"),
    record=Columns("base_ps forget_ps warm_ps edge edge_ps logged log_stops events_left"),
    red=Columns("relays"),
    pause=Columns("pauses obeyed pause_high pause_low pause_first_ps pause_last_ps pause_frames"),
)

LEVEL = table("first size turn turn_ps excess_turn_ps")

#: A memory pool: its shared part, without what queues have reserved.
POOL_ROW = table("held_bytes limit_bytes resume_bytes closed")

#: A packet that was handed to the ring or the line, until another takes its place.
HANDED = table("departure_ps delay_ps", indices="packet_class stream")

#: A packet that has left and is not counted yet.
LEFT = table("delay_ps", indices="packet_class stream")

#: A waiting packet.
SLOT = table("arrival_ps tag", indices="packet_class")

#: An arrival handed in from outside.
FEED = table("arrival_ps tag", indices="packet_class")

#: What became of a packet; the cause is -1 where it was sent.
OUTCOME = table("arrival_ps departure_ps packet_class tag cause")

#: What happens to a packet: it joins its queue, is dropped, or is chosen and sent.
EVENT = table(
    "kind time_ps packet_class queue position cause in_profile tat_ps excess_tat_ps colour marked"
    " lender closed asked order_ps flow new",
    "early",
)

#: Sums of each stream; the delay as ``high 2**40 + low``, so that no sum overflows.
DELAY = table("delay_low delay_high delay_min delay_max last_ps", "varied_ps")


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
    orders_ps: np.ndarray
    points: np.ndarray
    feed: np.ndarray
    handed: np.ndarray
    left: np.ndarray
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
