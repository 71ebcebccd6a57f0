"""Sub-interfaces that send by one interface: whether it has what they are promised together."""

from collections.abc import Iterable, Iterator

from qoslib.config import ConfiguredPort
from qoslib.config.amounts import rate_text
from qoslib.config.guarantees import capacity_bps
from qoslib.tolerances import ROUNDING

__all__ = ["beside_others"]


def beside_others(ports: Iterable[ConfiguredPort]) -> Iterator[str]:
    """What is assumed of sub-interfaces that may send more together than their interface.

    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("a", 1e9, (Queue("all", PacketLimit(64)),))
    >>> of = [ConfiguredPort(f"GigabitEthernet0/0/1.{i}", "out", port) for i in (1, 2)]
    >>> next(beside_others(of)).split(": ")[1]
    'together they may send 2 Gb/s, but the interface has 1 Gb/s.'
    """
    by_whole: dict[str, list[ConfiguredPort]] = {}
    for each in ports:
        whole = each.interface.split(" ")[0].split(".")[0]
        if each.port and each.direction == "out" and whole != each.interface:
            by_whole.setdefault(whole, []).append(each)
    for whole, parts in by_whole.items():
        known = [each.port for each in parts if each.port]
        wanted_bps = sum(map(capacity_bps, known))
        shapers = [port.shaper.rate_bps for port in known if port.shaper]
        most_bps = min([*(port.rate_bps for port in known), *shapers])
        if len(parts) > 1 and wanted_bps > most_bps * (1 + ROUNDING):
            yield (
                f"Each of the {len(parts)} parts of {whole} gets its rates only while the others"
                f" leave enough free: together they may send {rate_text(wanted_bps)}, but the"
                f" interface has {rate_text(most_bps)}."
            )
