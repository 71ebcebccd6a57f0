"""A value of a configuration, which knows where it comes from."""

from typing import Any, NamedTuple

from qoslib.config.records import Origin

__all__ = ["Value"]


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
