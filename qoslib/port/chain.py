"""What stands before or behind a port: a forwarding engine, other ports."""

from qoslib.port.pause import Pause
from qoslib.port.port import Port
from qoslib.port.queues import Queue
from qoslib.record import NotNegative, Record, fail, record
from qoslib.tables import Table, Tabular, amount, other_fields, table_of

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

    def _tables(self) -> list[Table]:
        title = f"Forwarder {self.name!r}, {amount('packet_s', self.packet_s)} per packet"
        return [table_of(title, (self.queue,), other_fields(self, "name", "queue", "packet_s"))]


@record
class Hop(Record):
    """One stop of a chain, and the names of the streams that pass it; empty means all."""

    at: Port | Forwarder
    streams: tuple[str, ...] = ()


@record
class Chain(Tabular, Record):
    """Ports and forwarders that packets pass in this order, without a way back.

    One forwarder that serves two directions is a chain of three: the forwarder, which all
    streams pass, and two ports that pass one direction each.
    """

    name: str
    hops: tuple[Hop, ...]

    def check(self) -> None:
        names = [hop.at.name for hop in self.hops]
        if not names or len(set(names)) != len(names):
            fail(f"the hops of chain {self.name!r}", names, "at least one, each name once", "are")

    def _tables(self) -> list[Table]:
        rows = [[hop.at.name, ", ".join(hop.streams) or "all"] for hop in self.hops]
        own = Table(f"Chain {self.name!r}", ["hop", "streams"], rows)
        return [own, *(table for hop in self.hops for table in hop.at._tables())]
