"""Parts of a port that know where their numbers come from: what every reader makes a port of."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from qoslib.config.facts import Facts
from qoslib.config.records import ConfiguredPort
from qoslib.config.values import Value, of_fact
from qoslib.port import ByteLimit, Node, PacketLimit, Port, Queue

__all__ = [
    "Sourced",
    "by_mark",
    "by_name",
    "described",
    "facts_of_port",
    "in_bytes",
    "in_packets",
    "made",
    "number",
    "with_port",
]

Part = TypeVar("Part")
Part_co = TypeVar("Part_co", covariant=True)
Named = TypeVar("Named", Queue, Node)

#: Facts that any port may have, and what their numbers are.
_FACTS = {"overhead_bytes": float, "base_delay_s": float, "transmit_ring_packets": int}


@dataclass(frozen=True)
class Sourced(Generic[Part_co]):
    """A part of a port, or a number of it, and its sources.

    Attributes
    ----------
    part : object
        A record of `qoslib.port`, or what one of its fields takes.
    sources : dict
        Place within the part, like ``"policer.burst_bytes"``, to what says the number there; the
        place of a number itself is empty.
    """

    part: Part_co
    sources: dict[str, Value] = field(default_factory=dict)

    def with_fields(self, **fields: object) -> "Sourced[Part_co]":
        """The same record with other fields, some of which may be sourced.

        >>> queue = made(Queue, name="a", limit=PacketLimit(9))
        >>> first = queue.with_fields(priority=number(1, Value(None, line=4)))
        >>> first.part.priority, first.sources["priority"].line
        (1, 4)
        """
        plain, sources = _parted(fields)
        return Sourced(self.part.replace(**plain), self.sources | sources)  # type: ignore[attr-defined]


def number(content: Part, source: Value | None) -> Sourced[Part]:
    """A number, or what else a field of a record takes, with what says it.

    >>> number(1e6, Value(0.1, "1", line=3)).sources[""].line
    3
    """
    return Sourced(content, {"": source} if source else {})


def made(kind: Callable[..., Part], **fields: object) -> Sourced[Part]:
    """A record whose fields may be sourced, or be values: it has the sources of them all.

    >>> from qoslib.port import Shaper
    >>> shaper = made(Shaper, rate_bps=Value(1e6, "bit/s", line=3), burst_bytes=3000)
    >>> made(Queue, name="A", limit=PacketLimit(9), shaper=shaper).sources["shaper.rate_bps"].line
    3
    """
    plain, sources = _parted(fields)
    return Sourced(kind(**plain), sources)


def in_packets(length: float, source: Value) -> Sourced[PacketLimit]:
    """A limit of whole packets, at least one.

    >>> in_packets(64.0, Value(64, "packets", line=5)).sources["packets"].line
    5
    """
    return Sourced(PacketLimit(max(int(length), 1)), {"packets": source})


def in_bytes(size_bytes: float, source: Value) -> Sourced[ByteLimit]:
    """A limit of whole bytes, at least one.

    >>> in_bytes(0.2, Value(0.2, "B", line=5)).part
    ByteLimit(limit_bytes=1)
    """
    return Sourced(ByteLimit(max(int(size_bytes), 1)), {"limit_bytes": source})


def facts_of_port(facts: Facts, interface: str) -> dict[str, Sourced[float]]:
    """What the reader said of a port besides its rate and memory, for its fields.

    >>> facts_of_port(Facts({"overhead_bytes": 20.0}), "Gi0/1")["overhead_bytes"].part
    20.0
    """
    given = {kind: of_fact(facts, interface, kind) for kind in _FACTS}
    return {
        kind: number(_FACTS[kind](value.value), value) for kind, value in given.items() if value
    }


def by_name(parts: Iterable[Sourced[Named]]) -> Sourced[tuple[Named, ...]]:
    """Queues or nodes as a field of a port; a place within them begins with their name.

    >>> voice = made(Queue, name="VOICE", limit=in_packets(9, Value(9, line=3)))
    >>> [*by_name([voice]).sources]
    ["['VOICE'].limit.packets"]
    """
    parts = tuple(parts)
    sources = _placed((f"[{each.part.name!r}]", each.sources) for each in parts)
    return Sourced(tuple(each.part for each in parts), sources)


def by_mark(parts: Mapping[str, Sourced[Part]]) -> Sourced[tuple[tuple[str, Part], ...]]:
    """Pairs of a mark and what counts for it, like the profiles of a dropper.

    >>> by_mark({"EF": number(3, Value(3, line=7))}).sources["['EF']"].line
    7
    """
    sources = _placed((f"[{mark!r}]", each.sources) for mark, each in parts.items())
    return Sourced(tuple((mark, each.part) for mark, each in parts.items()), sources)


def with_port(configured: ConfiguredPort, facts: Facts, **fields: object) -> ConfiguredPort:
    """A configured port with its port: fields that may be sourced, and what the reader said of it.

    >>> queue = made(Queue, name="output", limit=in_packets(9, Value(9, line=3)))
    >>> empty, facts = ConfiguredPort("Gi0/1", "out", None), Facts({"base_delay_s": 1e-3})
    >>> with_port(empty, facts, rate_bps=1e9, queues=by_name([queue])).port.base_delay_s
    0.001
    """
    name = configured.interface
    fields = {"name": name, **fields, **facts_of_port(facts, name)}
    return described(configured, made(Port, **fields))


def described(configured: ConfiguredPort, port: Sourced[Port | None]) -> ConfiguredPort:
    """A configured port with its port, and besides its origins those of the port's numbers."""
    origins = (source.origin(place) for place, source in port.sources.items())
    return configured.replace(port=port.part, origins=(*configured.origins, *origins))


def _parted(fields: dict[str, object]) -> tuple[dict[str, object], dict[str, Value]]:
    """The fields without their sources, and these."""
    plain, sources = dict(fields), {}
    for name, each in fields.items():
        if isinstance(each, Value):
            plain[name], sources[name] = each.value, each
        elif isinstance(each, Sourced):
            plain[name] = each.part
            sources |= _placed([(name, each.sources)])
    return plain, sources


def _placed(parts: Iterable[tuple[str, dict[str, Value]]]) -> dict[str, Value]:
    """The sources of several parts, by their places in the whole."""
    return {_place(of, place): value for of, sources in parts for place, value in sources.items()}


def _place(of: str, within: str) -> str:
    """A place within a field or an element of a port."""
    return f"{of}.{within}" if within and not within.startswith("[") else of + within
