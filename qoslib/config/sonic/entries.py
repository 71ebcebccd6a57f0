"""The entries that a port of SONiC names, and what is noted while it is read."""

import re

from qoslib.config.facts import Facts
from qoslib.config.records import MissingFact, Origin, Remark
from qoslib.config.sonic.tables import Field, Tables, shown
from qoslib.config.source import ConfigurationError, check_time

__all__ = ["MOST", "Reading"]

_MOST_QUEUES = 63
#: No number is larger.
MOST = 1e15


class Reading:
    """The tables while ports are made of them, and what is noted.

    Parameters
    ----------
    found : dict
        From `tables`.
    facts : Facts
    """

    def __init__(self, found: Tables, facts: Facts) -> None:
        self.tables, self.facts = found, facts
        self.remarks: list[Remark] = []
        self.start("")

    def start(self, port: str) -> None:
        """Begin with another port."""
        self.port = port
        self.origins: list[Origin] = []
        self.missing: list[MissingFact] = []
        self.strict: dict[str, bool] = {}
        self.in_packets = False

    def field(self, table: str, key: str, name: str) -> Field | None:
        """A field, or None where it is not said."""
        return self.tables.get(table, {}).get(key, {}).get(name)

    def of_port(self, port: str, name: str) -> Field | None:
        """A field that `PORT_QOS_MAP` gives a port, in an entry of its own or of several."""
        found = None
        for key, fields in self.tables.get("PORT_QOS_MAP", {}).items():
            found = fields[name] if port in key.split(",") and name in fields else found
        return found

    def line(self, table: str, port: str) -> int:
        """Where a port first stands in a table."""
        keys = self.tables.get(table, {})
        return next(
            (f[""].line for key, f in keys.items() if port in key.split("|")[0].split(",")), 0
        )

    def lose(self, table: str, key: str, sentence: str) -> None:
        """Note what is lost by an entry."""
        field = self.tables.get(table, {}).get(key, {}).get("")
        if field is None:
            return
        self.remarks.append(Remark("not modelled", field.line, key, sentence))

    def number(self, field: Field, what: str, least: float, most: float = MOST) -> float:
        """A number within bounds."""
        good = re.fullmatch(r"-?\d{1,16}(\.\d{1,9})?", field.value)
        value = float(field.value) if good else least - 1
        if not least <= value <= most:
            allowed = f"{least:g} to {most:g}"
            problem = f"{what} is {shown(field.value)}; allowed: {allowed}"
            raise ConfigurationError(problem, field.line)
        return value

    def of(self, table: str, field: Field) -> str:
        """The entry that a field names, as ``name`` or ``[TABLE|name]``."""
        name = field.value.strip("[]").rpartition("|")[2]
        if table not in self.tables:
            sentence = f"The text does not hold {table}."
            remark = Remark("not modelled", field.line, field.value, sentence)
            self.remarks += [remark] if remark not in self.remarks[-1:] else []
            return name
        if name not in self.tables.get(table, {}):
            raise ConfigurationError(f"{table} has no {shown(name)}", field.line)
        return name

    def has(self, table: str, field: Field) -> bool:
        """Whether the text holds a table; that it does not is noted."""
        self.of(table, field)
        return table in self.tables

    def queues(self) -> dict[str, set[int]]:
        """Port -> the numbers of its queues."""
        found: dict[str, set[int]] = {}
        for table in ("QUEUE", "BUFFER_QUEUE"):
            for key in self.tables.get(table, {}):
                for port, number in self.places(table, key):
                    check_time()
                    found.setdefault(port, set()).add(number)
        return found

    def places(self, table: str, key: str) -> list[tuple[str, int]]:
        """The ports and queues of a key like ``Ethernet0,Ethernet4|3-4``."""
        ports, _, numbers = key.rpartition("|")
        low, _, high = numbers.partition("-")
        first, last = (int(n) if re.fullmatch(r"\d{1,2}", n) else -1 for n in (low, high or low))
        if not ports or not 0 <= first <= last <= _MOST_QUEUES:
            line = self.tables[table][key][""].line
            problem = f"the queue is {shown(key)}; allowed: a port, |, and 0 to {_MOST_QUEUES}"
            raise ConfigurationError(problem, line)
        return [(port, n) for port in ports.split(",") for n in range(first, last + 1)]

    def entry(self, table: str, number: int, name: str) -> Field | None:
        """A field of the port's queue."""
        found = None
        for key, fields in self.tables.get(table, {}).items():
            check_time()
            if (
                self.port in key
                and name in fields
                and (self.port, number) in self.places(table, key)
            ):
                found = fields[name]
        return found

    def map_of(self, port: str, kind: str, table: str) -> dict[str, str]:
        """A map that a port names, or all ports do by ``global``."""
        field = self.of_port(port, kind) or self.field("PORT_QOS_MAP", "global", kind)
        if field is None:
            return {}
        entry = self.tables.get(table, {}).get(self.of(table, field), {})
        own = {code: value for code, value in entry.items() if not code or code.isdecimal()}
        for code, value in own.items():
            if code:
                self.number(Field(code, value.line), "the code point", 0, 63)
                self.number(value, "the class", 0, 63)
        return {code: value.value for code, value in own.items() if code}

    def pools(self) -> dict[str, int]:
        """The pools of memory that have a size."""
        return {
            name: int(self.number(fields["size"], "the size of the pool", 1))
            for name, fields in self.tables.get("BUFFER_POOL", {}).items()
            if "size" in fields
        }
