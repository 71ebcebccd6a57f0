"""The records that hosts and flows become: one row each, in packets, seconds and steps."""

from typing import NamedTuple

import numpy as np

from qoslib.packets.kernels.tables import Columns, table

#: A window law, its state, and what is where. Of `outstanding` packets some are in the `backlog`
#: of the host, some `queued` at the line, the others under way or lost without it being known;
#: `queued` is below 0 while a part of a lost packet is still to be sent.
#: In a recovery so many `holes` are to be sent again, so many new packets are `granted` by the
#: receiver's window, and so many were sent (`renewed`).
FLOW = table(
    flow=Columns(
        "law recovery phase start_step stop_step before_steps after_steps host friendly fast"
        " by_round delay_sign train_sign scaling reductions timeouts"
    ),
    law=Columns(real="beta c low_s beta_low beta_high switch slow_gain"),
    recovery=Columns(real="refill critical new_threshold timeout_s"),
    sizes=Columns(real="most line_bytes frame_bytes paced"),
    ecn=Columns(
        "capable", "marks until_marks_s gain_share marked_share window_end_s reported marked"
    ),
    hystart=Columns(real="rise_share rise_low_s rise_high_s rise_packets"),
    window=Columns(
        real="window threshold limited_s outstanding backlog arrived queued whole"
        " lost until_s reduced_s holes granted renewed"
    ),
    growth=Columns(
        real="peak epoch_s reach_s friendly_window last_beta least_s most_s rate old_rate"
    ),
    counters=Columns(real="delivered delivered_before dropped refused waited_s finished_s"),
)

#: What a host puts on its link in a step, and how many bytes its queue may hold.
HOST = table(real="step_bytes limit_bytes held_bytes backlog_bytes")

LINE = table(
    "ring flows bins bin_steps steps warm_steps done overflowed",
    "step_s step_bytes limit_bytes queue_bytes arrived arrived_bytes ready_bytes wait_s",
    draws=True,
    marking=Columns("marks", "mark_low_bytes mark_high_bytes mark_most"),
)


class State(NamedTuple):
    """All that a run knows.

    Streams that answer to nothing follow the flows in `flows`, with their bytes a step in
    `paced`. The rings hold what leaves a host's delay, what is acknowledged, and which losses and
    marks become known, so many steps from now.
    """

    line: np.ndarray
    hosts: np.ndarray
    flows: np.ndarray
    leaving: np.ndarray
    acked: np.ndarray
    lost: np.ndarray
    marked: np.ndarray
    past: np.ndarray
    past_queue_bytes: np.ndarray
