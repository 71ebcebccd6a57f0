"""Sub-interfaces that send by one interface: whether it has what they are promised together."""

from collections.abc import Iterable, Iterator, Sequence

from qoslib.config import ConfiguredPort
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import capacity_bps
from qoslib.tolerances import ROUNDING

__all__ = ["beside_others", "promised_beyond"]


def beside_others(ports: Iterable[ConfiguredPort]) -> Iterator[str]:
    """What is assumed of sub-interfaces that may send more together than their interface.

    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("a", 1e9, (Queue("all", PacketLimit(64)),))
    >>> of = [ConfiguredPort(f"GigabitEthernet0/0/1.{i}", "out", port) for i in (1, 2)]
    >>> next(beside_others(of)).split(": ")[1]
    'together they may send 2 Gb/s, but the interface has 1 Gb/s.'
    """
    for whole, parts in _by_whole(ports).items():
        wanted_bps = sum(capacity_bps(each.port) for each in parts if each.port)
        most_bps = _most_bps(parts)
        if len(parts) > 1 and wanted_bps > most_bps * (1 + ROUNDING):
            yield (
                f"Each of the {len(parts)} parts of {whole} gets its rates only while the others"
                f" leave enough free: together they may send {rate_text(wanted_bps)}, but the"
                f" interface has {rate_text(most_bps)}."
            )


def promised_beyond(ports: Sequence[ConfiguredPort], least_bps: Sequence[float]) -> Iterator[str]:
    """Why there is no all-clear where the minima of sub-interfaces exceed their interface.

    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("a", 1e9, (Queue("all", PacketLimit(64)),))
    >>> of = [ConfiguredPort(f"GigabitEthernet0/0/1.{i}", "out", port) for i in (1, 2)]
    >>> next(promised_beyond(of, [0.6e9, 0.7e9])).split(": ")[1]
    'the minima of its 2 parts are 1.3 Gb/s together, but the interface has 1 Gb/s.'
    >>> list(promised_beyond(of, [0.3e9, 0.7e9]))
    []
    """
    both = zip(ports, least_bps, strict=True)
    least = {each.interface: bps for each, bps in both if each.direction == "out"}
    for whole, parts in _by_whole(ports).items():
        promised_bps, most_bps = sum(least[each.interface] for each in parts), _most_bps(parts)
        if len(parts) > 1 and promised_bps > most_bps * (1 + ROUNDING):
            yield (
                f"{whole}: the minima of its {len(parts)} parts are {rate_text(promised_bps)}"
                f" together, but the interface has {rate_text(most_bps)}."
            )


def _by_whole(ports: Iterable[ConfiguredPort]) -> dict[str, list[ConfiguredPort]]:
    """The sub-interfaces with queues of each interface."""
    found: dict[str, list[ConfiguredPort]] = {}
    for each in ports:
        whole = each.interface.split(" ")[0].split(".")[0]
        if each.port and each.direction == "out" and whole != each.interface:
            found.setdefault(whole, []).append(each)
    return found


def _most_bps(parts: Iterable[ConfiguredPort]) -> float:
    """What the interface of some sub-interfaces has: its line rate, or its shaper."""
    known = [each.port for each in parts if each.port]
    shapers = [port.shaper.rate_bps for port in known if port.shaper]
    return min([*(port.rate_bps for port in known), *shapers])
