"""A port and its traffic, as one document that can be saved, cited and run again."""

from collections.abc import Iterator

from qoslib.flows import Flow, Host
from qoslib.port import Chain, Forwarder, Port, Switch
from qoslib.record import Count, NotNegative, Positive, Record, fail, record
from qoslib.tables import Table, Tabular, format_quantity, other_fields, table_of
from qoslib.traffic import Stream

__all__ = ["Scenario"]


@record
class Scenario(Tabular, Record):
    """All that a model needs to answer, and to answer the same again; it prints as tables.

    Parameters
    ----------
    name : str
        For people.
    network : Port, Forwarder, Chain or Switch
    streams : tuple of Stream
        At least one, each name once, flows among them; each finds a queue.
    duration_s, warmup_s : float
        What a packet model runs and leaves out at its start [s].
    seed : int
        Of a packet model's draws.
    hosts : tuple of Host
        TCP senders beside the streams; the fluid model runs them at one port.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(100)),))
    >>> saved = Scenario("two users", port, (Stream("a", 90e6), Stream("b", 30e6))).to_json()
    >>> Scenario.from_json(saved).streams[1].rate_bps
    30000000.0
    """

    name: str
    network: Port | Forwarder | Chain | Switch
    streams: tuple[Stream, ...]
    duration_s: Positive = 1.0
    warmup_s: NotNegative = 0.0
    seed: Count = 0
    hosts: tuple[Host, ...] = ()

    def check(self) -> None:
        sources: list[Flow | Stream] = [
            *(flow for host in self.hosts for flow in host.flows),
            *self.streams,
        ]
        names = [source.name for source in sources]
        if not names or len(set(names)) != len(names):
            fail("the streams' names", names, "at least one, each name once", "are")
        if isinstance(self.network, Port):
            for source in sources:
                self.network.queue_of(source)
        if self.warmup_s >= self.duration_s:
            fail("Scenario.warmup_s", self.warmup_s, f"below the duration, {self.duration_s}")

    @property
    def only_port(self) -> Port:
        """The port, where nothing stands before or behind it.

        Raises
        ------
        ValueError
            If it is a forwarder or a chain.
        """
        if not isinstance(self.network, Port):
            kind = type(self.network).__name__
            raise ValueError(f"scenario {self.name!r} is of a {kind}; allowed: one Port")
        return self.network

    @property
    def available_bps(self) -> float:
        """What the streams leave of the line rate of the one port [bit/s].

        RFC 5136 calls it the available link capacity; here it counts frames, as `Stream` does.
        """
        return self.only_port.rate_bps - sum(stream.mean_rate_bps for stream in self.streams)

    def _tables(self) -> Iterator[Table]:
        time = f"{self.duration_s:g} s after {self.warmup_s:g} s of warm-up, seed {self.seed}"
        title = f"Scenario {self.name!r}, {time}"
        if self.streams:
            yield table_of(title, self.streams)
        for host in self.hosts:
            line = f"Host {host.name!r}, {format_quantity('access_bps', host.access_bps)}"
            if not self.streams and host is self.hosts[0]:
                line = f"{title}: {line}"
            yield table_of(line, host.flows, other_fields(host, "name", "access_bps", "flows"))
        yield from self.network._tables()
