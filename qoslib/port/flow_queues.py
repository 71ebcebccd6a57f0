"""Queues within a queue: one for each flow, or for each hash of one, served in turn."""

from typing import Annotated, Literal

from qoslib.port.droppers import Cobalt, Codel, TailDrop
from qoslib.port.limits import ByteLimit, PacketLimit
from qoslib.record import AtLeastOne, Positive, Record, Within, fail, record

__all__ = ["FlowQueues"]

#: The smallest quantum [B]: with a smaller one a packet would take many rounds.
LEAST_QUANTUM_BYTES = 64
#: Most queues of one queue: those of `fq_codel` (`flows`).
MOST_QUEUES = 65_536


@record
class FlowQueues(Record):
    """How a queue keeps the packets of different flows apart, and serves them in turn.

    A packet goes to the queue that its flow hashes to; deficit round robin chooses among the queues
    that hold packets. The limit of the queue as a whole is its `limit`; its dropper looks at each
    flow's queue by itself.

    Parameters
    ----------
    queues : int
        How many there are; two flows that hash to one share it.
    quantum_bytes : int
        What a queue may send in a round [B].
    sparse_first : bool
        A flow whose queue was empty is served before all others until it has sent a quantum (new
        and old queues of RFC 8290, section 4.1; DRR++).
    overflow : {'arriving', 'longest', 'fattest'}
        Who loses where the whole queue is full: the packet that arrives; the flow with the most
        packets; or that with the most bytes. Of equals, the queue with the lowest number.
    drop_at : {'head', 'tail'}
        Which end of a flow's queue loses.
    batch_packets : int
        So many packets of the fattest flow are dropped at once, but no more than half its bytes
        (RFC 8290, section 4.1.3).
    flow_limit : PacketLimit, ByteLimit or None
        What one flow's queue may hold; None: as much as there is.
    ways : int
        Places that a flow may have: it takes the first one that is free of other flows, if there is
        one (a set-associative hash); 1 for a plain hash.
    isolation : {'flows', 'source', 'destination', 'hosts'}
        Whose share is equal: a flow's, or that of a host that sends, or receives, or both. A flow's
        quantum is divided by the number of the host's flows that are no longer new; with
        ``"hosts"`` by the larger number of its two hosts (CAKE, `triple-isolate`).
    renews : bool
        Whether a flow whose queue has been emptied is new again with its next packet, as in CAKE;
        else it first waits for a pass through the old queues (RFC 8290, section 4.2).
    rehash_s : float or None
        So often flows are hashed anew [s] (`perturb` of `sfq`); packets that wait stay where they
        are.

    Examples
    --------
    Ten flows in sixteen queues: each shares its queue with a chance of 44 %.

    >>> round(FlowQueues(queues=16).collision_probability(10), 2)
    0.44

    References
    ----------
    RFC 8290; McKenney 1990, doi:10.1109/INFCOM.1990.91316 (stochastic fairness queueing);
    Shreedhar and Varghese 1996, doi:10.1109/90.502236 (deficit round robin); Høiland-Jørgensen,
    Täht and Morton 2018, doi:10.1109/LANMAN.2018.8475045 (CAKE).
    """

    queues: Annotated[int, Within(1, MOST_QUEUES)] = 1024
    quantum_bytes: Annotated[int, Within(LEAST_QUANTUM_BYTES, 1 << 30)] = 1514
    sparse_first: bool = True
    overflow: Literal["arriving", "longest", "fattest"] = "fattest"
    drop_at: Literal["head", "tail"] = "head"
    batch_packets: AtLeastOne = 64
    flow_limit: PacketLimit | ByteLimit | None = None
    ways: AtLeastOne = 1
    isolation: Literal["flows", "source", "destination", "hosts"] = "flows"
    renews: bool = False
    rehash_s: Positive | None = None

    def check(self) -> None:
        if self.queues % self.ways:
            fail("FlowQueues.ways", self.ways, f"a divisor of queues, {self.queues}")
        limit = self.flow_limit
        joint = isinstance(limit, PacketLimit) and limit.limit_bytes is not None
        if limit is not None and (joint or limit.resume is not None):
            fail("FlowQueues.flow_limit", limit, "a limit of one size")

    def collision_probability(self, flows: int) -> float:
        """The chance that a flow shares its queue with another one, of so many in all.

        Parameters
        ----------
        flows : int
            Flows that hold packets.

        Returns
        -------
        float
            A probability, of a plain hash: ``1 - (1 - 1/queues)^(flows - 1)``.

        Examples
        --------
        >>> round(FlowQueues().collision_probability(100), 3)
        0.092
        """
        return float(1 - (1 - 1 / self.queues) ** (flows - 1))


def check_flows(name: str, flows: FlowQueues, limit: object, dropper: object) -> None:
    """Refuse what the queue of a queue per flow cannot have."""
    if not isinstance(limit, PacketLimit | ByteLimit) or limit.resume is not None:
        allowed = "a PacketLimit or ByteLimit without a resume threshold, with flow queues"
        fail(f"Queue {name!r} limit", limit, allowed)
    if not isinstance(dropper, TailDrop | Codel | Cobalt):
        fail(f"Queue {name!r} dropper", dropper, "TailDrop, Codel or Cobalt with flow queues")
