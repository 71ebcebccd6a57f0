"""The records that a tree of schedulers becomes, beside those of its port.

Queues are the first nodes, by their index; every other node comes after its children, and the root
is the last. A queue keeps its shaper and its guaranteed rate in its own row of the port.
"""

from typing import NamedTuple

import numpy as np

from qoslib.packets.kernels.tables import Columns, table

NODE = table(
    place=Columns("parent place depth within beyond first size demotes nonempty"),
    shaper=Columns("shaped shape_tat shape_tat_fraction shape_burst_ps"),
    guarantee=Columns("guaranteed credit_tat credit_tat_fraction credit_burst_ps"),
    lending=Columns("level at_level priority"),
)

#: What a frame size costs a node.
STEP = table(
    shaper=Columns("shape_ps shape_fraction"),
    guarantee=Columns("credit_ps credit_fraction"),
    turns=Columns("turn_ps excess_turn_ps"),
)

#: What would go from below a node: the band, the node's turn in it, the queue, the packet's class.
GOES = table("band turn_ps leaf kind")

#: The first band that is not in order of arrival, that of guarantees and that of excess; the band
#: and the lender of the packet that goes.
ROOT = table("root first_in_turn first_within first_beyond band lender")

#: Of which level of lenders, all its nodes are in a tournament that begins here.
LENDERS = table("first size")


class Tree(NamedTuple):
    """What a tree knows: `goes` has two columns of what would go from below each node.

    Column 0 is where guarantees count, column 1 where a node above has none left. HTB keeps in
    their bands which priority sends by itself, and which would borrow.
    """

    root: np.ndarray
    nodes: np.ndarray
    steps: np.ndarray
    #: (classes, depths): which step a packet of a class is to the node above it at each depth.
    paths: np.ndarray
    goes: np.ndarray
    #: (nodes, bands): what each has had over its weight, and where its children are.
    turns: np.ndarray
    reached: np.ndarray
    #: Tournaments of each node's children; of all nodes, by when they next change by themselves.
    matches: np.ndarray
    wakes: np.ndarray
    #: HTB: who stands at a place of a tournament; its levels of lenders; whose turn it is among a
    #: node's children and among the lenders of a level, by priority; deficits (queues, levels).
    members: np.ndarray
    lenders: np.ndarray
    at_turn: np.ndarray
    deficits: np.ndarray
