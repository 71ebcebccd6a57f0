"""The records that queues within queues become, beside those of their port."""

from typing import NamedTuple

import numpy as np

from qoslib.packets.kernels.tables import Columns, table

#: In place of an index: none.
NOWHERE = (1 << 32) - 1

#: A queue of the port that keeps flows apart: its stretch of rows, how it serves them, its lists.
FLOW_QUEUE = table(
    "first size ways quantum sparse longest fattest head batch used flow_packets flow_bytes"
    " isolation rehash_ps renews bulk first_host",
    indices="new_first new_last old_first old_last chosen free",
    dual=Columns("dual update_at_ps step_ps", "coupling classic_share credit_bytes"),
)

#: A flow's queue: its packets, its place in a list, and what CoDel knows of it.
FLOW_ROW = table(
    "length deficit listed bulk",
    indices="oldest youngest next source destination",
    codel=Columns("first_above_ps drop_next_ps drops last_drops dropping just_dropped"),
    cobalt=Columns("blue_ps", "blue"),
    owner=Columns("owner"),
)

#: A place for a packet: who is behind it and before it in its flow's queue.
LINK = table(indices="behind before")

#: A list that a flow's queue stands in.
UNLISTED, NEW, OLD = range(3)
#: Whose share is equal.
BY_FLOW, BY_SOURCE, BY_DESTINATION, BY_HOSTS = range(4)


class FlowTables(NamedTuple):
    """What a port's flow queues know; `queues` has a row for each queue of the port."""

    queues: np.ndarray
    rows: np.ndarray
    #: What waits in each row [B].
    held_bytes: np.ndarray
    #: For each slot of the port.
    links: np.ndarray
    #: Of each queue of the port and each host, rows that are old and hold packets of its flows: as
    #: their source, and as their destination.
    hosts: np.ndarray
