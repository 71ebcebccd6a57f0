"""A switch: several ports that share a memory."""

from collections.abc import Sequence

from qoslib.port.chain import Hop, check_hops, check_named
from qoslib.port.port import Labelled, Port
from qoslib.port.queues import MemoryPool, check_reserved
from qoslib.record import Record, fail, record
from qoslib.tables import Table, Tabular

__all__ = ["Switch"]


@record
class Switch(Tabular, Record):
    """Ports side by side: each stream leaves by one of them, and pools of one name are one memory.

    Both models run it, the packet model with TCP hosts too, each of whose flows leaves by one port.

    Parameters
    ----------
    name : str
        What results call it.
    hops : tuple of Hop
        The ports, and the names of the streams that leave by each.

    Examples
    --------
    An incast into one port of a switch takes memory from the other.

    >>> from qoslib.port import MemoryPool, PacketLimit, Queue
    >>> memory = MemoryPool("memory", 12_000_000, cell_bytes=208)
    >>> queue = Queue("all", PacketLimit(10_000), pool="memory", alpha=1)
    >>> left, right = (Port(name, 10e9, (queue,), pools=(memory,)) for name in ("left", "right"))
    >>> switch = Switch("leaf", (Hop(left, ("incast",)), Hop(right, ("backup",))))
    >>> [hop.at.name for hop in switch.hops]
    ['left', 'right']
    """

    name: str
    hops: tuple[Hop, ...]

    def check(self) -> None:
        check_hops(f"the ports of switch {self.name!r}", self.hops)
        pools: dict[str, MemoryPool] = {}
        for port in self.ports:
            for pool in port.pools:
                if pools.setdefault(pool.name, pool) != pool:
                    fail(f"Port {port.name!r} pool {pool.name!r}", pool, f"{pools[pool.name]}")
        check_reserved(pools.values(), (queue for port in self.ports for queue in port.queues))

    @property
    def ports(self) -> tuple[Port, ...]:
        """The ports, in order.

        Raises
        ------
        ValueError
            If a hop is no port.
        """
        ports = []
        for hop in self.hops:
            if not isinstance(hop.at, Port):
                fail(f"a hop of switch {self.name!r}", type(hop.at).__name__, "a Port")
            ports.append(hop.at)
        return tuple(ports)

    def members(self, streams: Sequence[Labelled]) -> list[list[int]]:
        """The places of the streams that leave by each port.

        Parameters
        ----------
        streams : sequence of Stream

        Returns
        -------
        list of list of int
            A list for each port.

        Raises
        ------
        ValueError
            If a stream leaves by no port or by two, or a port has no stream or names one that
            there is not.

        Examples
        --------
        >>> from qoslib.port import PacketLimit, Queue
        >>> from qoslib.traffic import Stream
        >>> one, two = (Port(name, 1e9, (Queue("all", PacketLimit(9)),)) for name in ("one", "two"))
        >>> switch = Switch("leaf", (Hop(one, ("a", "c")), Hop(two, ("b",))))
        >>> switch.members([Stream(name) for name in "abc"])
        [[0, 2], [1]]
        """
        names = [stream.name for stream in streams]
        found = []
        check_named("port", self.hops, names)
        for hop in self.hops:
            found.append([i for i, n in enumerate(names) if not hop.streams or n in hop.streams])
            if not found[-1]:
                fail(f"the streams of port {hop.at.name!r}", [], "at least one", "are")
        for i, name in enumerate(names):
            by = [hop.at.name for hop, here in zip(self.hops, found, strict=True) if i in here]
            if len(by) != 1:
                fail(f"the ports by which stream {name!r} leaves", by, "one", "are")
        return found

    def _tables(self) -> list[Table]:
        rows = [[hop.at.name, ", ".join(hop.streams) or "all"] for hop in self.hops]
        own = Table(f"Switch {self.name!r}", ["port", "streams"], rows)
        return [own, *(table for port in self.ports for table in port._tables())]
