"""What stands before or behind a port: a forwarding engine, other ports."""

from collections.abc import Sequence

from qoslib.port.pause import Pause, PriorityPause
from qoslib.port.port import Labelled, Port
from qoslib.port.queues import Queue
from qoslib.record import NotNegative, Record, fail, record
from qoslib.tables import Table, Tabular, format_quantity, other_fields, table_of

__all__ = ["Chain", "Forwarder", "Hop"]


@record
class Forwarder(Tabular, Record):
    """A forwarding engine that takes a time for each packet, whichever port it leaves by.

    A packet costs ``packet_s + byte_s * frame``: a packet-rate cap is ``packet_s = 1 / cap``.

    Parameters
    ----------
    name : str
        What results call it.
    queue : Queue
        Where packets wait for it, first in first out.
    packet_s : float
        Time a packet [s].
    byte_s : float
        Time a byte of its frame [s].
    base_delay_s : float
        Transit time that every packet has, waiting or not [s].
    pause : Pause or None
        What a filling engine sends back to its senders.
    """

    name: str
    queue: Queue
    packet_s: NotNegative
    byte_s: NotNegative = 0.0
    base_delay_s: NotNegative = 0.0
    pause: Pause | None = None

    def check(self) -> None:
        if self.packet_s + self.byte_s <= 0:
            fail("Forwarder.packet_s", self.packet_s, "above 0, or byte_s above 0")
        if self.queue.pool:
            fail(
                f"Forwarder {self.name!r} queue pool", self.queue.pool, "none, only ports have some"
            )
        if self.queue.pause is not None:
            where = f"Forwarder {self.name!r} queue pause"
            fail(where, self.queue.pause, "None, only queues of ports pause")

    def _tables(self) -> list[Table]:
        title = f"Forwarder {self.name!r}, {format_quantity('packet_s', self.packet_s)} per packet"
        return [table_of(title, (self.queue,), other_fields(self, "name", "queue", "packet_s"))]


@record
class Hop(Record):
    """One stop of a chain, and the names of the streams that pass it; empty means all."""

    at: Port | Forwarder
    streams: tuple[str, ...] = ()


def check_hops(what: str, hops: Sequence[Hop]) -> None:
    """There must be at least one, and each name once."""
    names = [hop.at.name for hop in hops]
    if not names or len(set(names)) != len(names):
        fail(what, names, "at least one, each name once", "are")


def check_named(kind: str, hops: Sequence[Hop], names: Sequence[str]) -> None:
    """Hops may only name streams that there are."""
    for hop in hops:
        for name in hop.streams:
            if name not in names:
                fail(f"a stream of {kind} {hop.at.name!r}", name, ", ".join(names))


def _pause_of(at: Port | Forwarder) -> Pause | PriorityPause | None:
    """What it, or one of its queues, sends back to senders."""
    queues = at.queues if isinstance(at, Port) else ()
    return at.pause or next((queue.pause for queue in queues if queue.pause), None)


@record
class Chain(Tabular, Record):
    """Ports and forwarders that packets pass in this order, without a way back.

    One forwarder that serves two directions is a chain of three: the forwarder, which all
    streams pass, and two ports that pass one direction each.
    """

    name: str
    hops: tuple[Hop, ...]

    def check(self) -> None:
        check_hops(f"the hops of chain {self.name!r}", self.hops)

    def routes(self, streams: Sequence[Labelled]) -> list[list[int]]:
        """The places of the hops that each stream passes, in order.

        Parameters
        ----------
        streams : sequence of Stream

        Returns
        -------
        list of list of int
            A list for each stream.

        Raises
        ------
        ValueError
            If a stream passes no hop, a hop has no stream or names one that there is not, or a hop
            pauses streams that come from another one.

        Examples
        --------
        >>> from qoslib.port import PacketLimit, Queue
        >>> from qoslib.traffic import Stream
        >>> one, two = (Port(name, 1e9, (Queue("all", PacketLimit(9)),)) for name in ("one", "two"))
        >>> chain = Chain("path", (Hop(one), Hop(two, ("far",))))
        >>> chain.routes([Stream("near"), Stream("far")])
        [[0], [0, 1]]
        """
        names = [stream.name for stream in streams]
        check_named("hop", self.hops, names)
        passes = [[not hop.streams or name in hop.streams for hop in self.hops] for name in names]
        routes = [[i for i, here in enumerate(each) if here] for each in passes]
        for name, route in zip(names, routes, strict=True):
            if not route:
                fail(f"the hops of stream {name!r}", route, "at least one that names it", "are")
        for index, hop in enumerate(self.hops):
            begins = [route[0] == index for route in routes if index in route]
            if not begins:
                fail(f"the streams of hop {hop.at.name!r}", begins, "at least one", "are")
            pause = _pause_of(hop.at)
            if pause is not None and not all(begins):
                allowed = "None, except where all streams start"
                fail(f"{hop.at.name!r} pause", pause, allowed)
        return routes

    def _tables(self) -> list[Table]:
        rows = [[hop.at.name, ", ".join(hop.streams) or "all"] for hop in self.hops]
        own = Table(f"Chain {self.name!r}", ["hop", "streams"], rows)
        return [own, *(table for hop in self.hops for table in hop.at._tables())]
