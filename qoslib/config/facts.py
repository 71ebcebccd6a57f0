"""What no configuration holds: line rates, a platform's memory. The reader gives it or is asked."""

from collections.abc import Mapping

from qoslib.config.interfaces import may_be
from qoslib.config.records import MissingFact
from qoslib.record import fail

__all__ = ["NAMES", "PLATFORMS", "Facts", "rate_question"]

#: What the fact `platform` may be: Junos devices whose schedulers and buffers differ.
PLATFORMS = ("m120", "mpc", "srx", "acx7000", "ex")

#: Fact -> its unit; a text where that is empty.
NAMES = {
    "platform": "",
    "line_rate_bps": "bit/s",
    "contract_bps": "bit/s",
    "buffer_bytes": "B",
    "delay_buffer_s": "s",
    "overhead_bytes": "B",
    "base_delay_s": "s",
    "transmit_ring_packets": "packets",
}


def rate_question(interface: str, piece: str = "") -> str:
    """How to ask for the line rate of an interface, or of a piece of a text that is on none.

    >>> rate_question("WAN", "policy-map WAN")
    'No interface has policy-map WAN; for which line rate should it be checked?'
    """
    if piece:
        return f"No interface has {piece}; for which line rate should it be checked?"
    return f"What is the line rate of {interface}?"


class Facts:
    """The reader's facts, and what was asked for and not found.

    Parameters
    ----------
    given : mapping of str to float or str, optional
        A name of `NAMES` for all interfaces, or ``interface.name`` for one.

    Raises
    ------
    ValueError
        If a name is not known, or a value is of the wrong kind.

    Examples
    --------
    >>> facts = Facts({"line_rate_bps": 1e9, "Gi0/1.line_rate_bps": 1e8})
    >>> facts.number("Gi0/1", "line_rate_bps"), facts.number("Gi0/2", "line_rate_bps")
    (100000000.0, 1000000000.0)
    """

    def __init__(self, given: Mapping[str, float | str] | None = None) -> None:
        self.given = dict(given or {})
        for name, value in self.given.items():
            kind = str(name).rsplit(".", 1)[-1]
            if kind not in NAMES:
                fail("fact", name, f"{', '.join(NAMES)}; for one interface: INTERFACE.{kind}")
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if NAMES[kind] and not (number and 0 <= value < float("inf")):  # type: ignore[operator]
                fail(f"fact {name!r}", value, f"a number from 0 on, in {NAMES[kind]}")
            if not NAMES[kind] and not isinstance(value, str):
                fail(f"fact {name!r}", value, "a text")
            if kind == "platform" and value and value not in PLATFORMS:
                fail(f"fact {name!r}", value, ", ".join(PLATFORMS))

    def name(self, interface: str, kind: str) -> str:
        """The name under which a fact was given for an interface; empty if it was not.

        Parameters
        ----------
        interface, kind : str
            The interface, and a name of `NAMES`.

        Returns
        -------
        str
        """
        own = f"{interface}.{kind}"
        if own in self.given:
            return own
        # As the vendor shortens it: Gi0/0/1 for GigabitEthernet0/0/1.
        short = (each.removesuffix(f".{kind}") for each in self.given if each.endswith(f".{kind}"))
        near = [each for each in short if may_be(each, interface)]
        return f"{near[0]}.{kind}" if len(near) == 1 else kind if kind in self.given else ""

    def number(self, interface: str, kind: str) -> float | None:
        """A fact that is a number, in its base unit; None if it was not given.

        Parameters
        ----------
        interface, kind : str
            The interface, and a name of `NAMES`.

        Returns
        -------
        float or None
        """
        name = self.name(interface, kind)
        return float(self.given[name]) if name else None

    def text(self, interface: str, kind: str) -> str:
        """A fact that is a text; empty if it was not given.

        Parameters
        ----------
        interface, kind : str
            The interface, and a name of `NAMES`.

        Returns
        -------
        str
        """
        name = self.name(interface, kind)
        return str(self.given[name]) if name else ""

    def missing(self, interface: str, kind: str, question: str, line: int = 0) -> MissingFact:
        """What to ask where a fact is needed and was not given.

        Parameters
        ----------
        interface, kind : str
            The interface, and a name of `NAMES`.
        question : str
            One sentence.
        line : int
            Which line needs it; 0 for the port as a whole.

        Returns
        -------
        MissingFact
        """
        return MissingFact(f"{interface}.{kind}", question, NAMES[kind], line)
