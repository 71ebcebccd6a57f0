"""The entries that a port of SONiC names."""

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import chain

from qoslib.config.facts import Facts
from qoslib.config.lines import shown
from qoslib.config.provenance import Provenance
from qoslib.config.sonic.tables import RefusedError, Tables
from qoslib.config.source import check_time
from qoslib.config.values import Value

__all__ = ["MOST", "ConfigDb", "Fields", "local"]

_MOST_QUEUES = 63
#: The tables that say of which ports a queue is.
_OF_QUEUES = "QUEUE", "BUFFER_QUEUE"
#: No number is larger.
MOST = 1e15
_NUMBER = re.compile(r"-?\d{1,16}(\.\d{1,9})?")
#: Name of a field -> value.
Fields = Mapping[str, Value]


class ConfigDb:
    """The tables while ports are made of them, and what is noted of the whole text.

    Parameters
    ----------
    tables : Tables
    facts : Facts
    """

    def __init__(self, tables: Tables, facts: Facts) -> None:
        self.tables, self.facts = tables, facts
        self.notes = Provenance()

    def entry(self, table: str, key: str) -> Fields:
        """The fields of an entry; none where it is not there."""
        return self.tables.get(table, {}).get(key, {})

    def of_port(self, port: str, name: str) -> Value | None:
        """A field that `PORT_QOS_MAP` gives a port, in an entry of its own or of several."""
        found = None
        for key, fields in self.tables.get("PORT_QOS_MAP", {}).items():
            own = name in fields and {port, local(port)}.intersection(key.split(","))
            found = fields[name] if own else found
        return found

    def line(self, port: str) -> int:
        """Where a port first has a queue."""
        tables = (self.tables.get(table, {}) for table in _OF_QUEUES)
        keys = chain.from_iterable(keys.items() for keys in tables)
        return next(f[""].line for key, f in keys if port in key.rpartition("|")[0].split(","))

    def lose(self, table: str, key: str, lost: str) -> None:
        """Note what is lost by an entry."""
        if entry := self.entry(table, key).get(""):
            self.notes.not_modelled(entry.line, key, lost)

    def number(
        self, field: Value, what: str, least: float, most: float = MOST, name: str = ""
    ) -> float:
        """A number within bounds: the value of a field, or its name."""
        text = name or field.value
        value = float(text) if _NUMBER.fullmatch(text) else least - 1
        if not least <= value <= most:
            allowed = f"allowed: {least:g} to {most:g}"
            raise RefusedError(f"{what} is {shown(text)}; {allowed}", field)
        return value

    def value(self, field: Value, what: str, least: float, most: float = MOST) -> Value:
        """A field as a number within bounds."""
        return field._replace(value=self.number(field, what, least, most))

    def named(self, table: str, field: Value) -> str:
        """The entry that a field names, as ``name`` or ``[TABLE|name]``."""
        name = field.value.strip("[]").rpartition("|")[2]
        if table not in self.tables:
            lost = f"The text does not hold {table}."
            self.notes.not_modelled(field.line, field.value, lost)
        elif name not in self.tables[table]:
            raise RefusedError(f"{table} has no {shown(name)}", field)
        return str(name)

    @cached_property
    def queues(self) -> dict[str, set[int]]:
        """Port -> the numbers of its queues."""
        found: dict[str, set[int]] = {}
        for ports in self._ranges.values():
            for port, ranges in ports.items():
                check_time()
                found.setdefault(port, set()).update(*(numbers for numbers, _ in ranges))
        return found

    def of_queue(self, table: str, port: str, number: int) -> Fields:
        """What a table gives a queue of a port: of each field what stands last."""
        ranges = self._ranges[table].get(port, [])
        given = (fields.items() for numbers, fields in ranges if number in numbers)
        return dict(chain.from_iterable(given))

    @cached_property
    def _ranges(self) -> dict[str, dict[str, list[tuple[range, Fields]]]]:
        """Table and port -> numbers of queues, and what they are given."""
        found: dict[str, dict[str, list[tuple[range, Fields]]]] = {}
        for table in _OF_QUEUES:
            ports = found.setdefault(table, {})
            for key, fields in self.tables.get(table, {}).items():
                listed, numbers = _places(key, fields[""])
                for port in listed:
                    check_time()
                    ports.setdefault(port, []).append((numbers, fields))
        return found

    def map_of(self, port: str, kind: str, table: str) -> dict[str, str]:
        """A map that a port names, or all ports do by ``global``."""
        field = self.of_port(port, kind) or self.entry("PORT_QOS_MAP", "global").get(kind)
        if field is None:
            return {}
        entry = self.entry(table, self.named(table, field))
        codes = {code: value for code, value in entry.items() if code.isdecimal()}
        for code, value in codes.items():
            self.number(value, "the code point", 0, 63, name=code)
            self.number(value, "the class", 0, 63)
        return {code: value.value for code, value in codes.items()}

    @cached_property
    def pools(self) -> dict[str, int]:
        """The pools of memory that have a size; where it is 0, no line says how large they are."""
        sizes = {
            name: int(self.number(fields["size"], "the size of the pool", 0))
            for name, fields in self.tables.get("BUFFER_POOL", {}).items()
            if "size" in fields
        }
        return {name: size for name, size in sizes.items() if size}


def local(port: str) -> str:
    """The name of a port without the switch and the chip in front of it (VOQ).

    >>> local("leaf-1|asic0|Ethernet8"), local("Ethernet8")
    ('Ethernet8', 'Ethernet8')
    """
    return port.rpartition("|")[2]


def _places(key: str, entry: Value) -> tuple[list[str], range]:
    """The ports and queues of a key like ``Ethernet0,Ethernet4|3-4``."""
    ports, _, numbers = key.rpartition("|")
    low, _, high = numbers.partition("-")
    first, last = (int(n) if re.fullmatch(r"\d{1,2}", n) else -1 for n in (low, high or low))
    if not ports or not 0 <= first <= last <= _MOST_QUEUES:
        allowed = f"allowed: a port, |, and 0 to {_MOST_QUEUES}"
        raise RefusedError(f"the queue is {shown(key)}; {allowed}", entry)
    return ports.split(","), range(first, last + 1)
