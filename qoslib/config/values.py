"""A value of a configuration, which knows where it comes from."""

from typing import Any, NamedTuple

from qoslib.config.defaults import default
from qoslib.config.facts import Facts
from qoslib.config.records import Origin

__all__ = ["Value", "of_default", "of_fact"]


class Value(NamedTuple):
    """A number or a word, its unit, and its source: a line, a default or the reader's fact.

    Attributes
    ----------
    value : float, int or str
    unit : str
        ``"bit/s"``, ``"B"``, ``"s"``, ``"packets"``, ``"ratio"``, ``"%"``, ``"1"`` of a share;
        empty of what has none.
    line : int
        From 1; 0 where no line says it.
    default : str
        The row of ``defaults.toml``; empty where it is no default.
    fact : str
        The name of the reader's fact; empty where it is none.
    """

    value: Any
    unit: str = ""
    line: int = 0
    default: str = ""
    fact: str = ""

    def origin(self, where: str) -> Origin:
        """Where the number at a place of the port comes from.

        >>> Value(64, "packets", line=7).origin("queues['VOICE'].limit.packets")
        Origin(where="queues['VOICE'].limit.packets", line=7)
        """
        return Origin(where, self.line, self.default, self.fact)

    def of_whole(self, whole: float) -> float:
        """The number, which may be a share of a whole.

        >>> Value(2e6, "bit/s").of_whole(1e9), Value(0.2, "1").of_whole(1e9)
        (2000000.0, 200000000.0)
        """
        return round(self.value * whole, 6) if self.unit == "1" else float(self.value)

    def rate_in(self, whole_bps: float) -> "Value":
        """A rate, which may be a share of a whole, as a rate [bit/s].

        >>> Value(0.2, "1", line=3).rate_in(1e9)[:3]
        (200000000.0, 'bit/s', 3)
        """
        return self._replace(value=self.of_whole(whole_bps), unit="bit/s")


def of_default(name: str) -> Value:
    """A vendor's default that is one number.

    >>> of_default("ios-xe.priority_burst")
    Value(value=0.2, unit='s', line=0, default='ios-xe.priority_burst', fact='')
    """
    row = default(name)
    return Value(row.value, row.unit, default=name)


def of_fact(facts: Facts, interface: str, kind: str) -> Value | None:
    """A fact of the reader that is a number; None if it was not given.

    >>> of_fact(Facts({"line_rate_bps": 1e9}), "Gi0/1", "line_rate_bps").value
    1000000000.0
    """
    number = facts.number(interface, kind)
    return None if number is None else Value(number, fact=facts.name(interface, kind))
