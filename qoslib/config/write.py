"""Write a port as a configuration in any dialect, with what the text cannot hold or say."""

from collections.abc import Callable

from qoslib.port import Port
from qoslib.record import Record, fail, record

__all__ = ["WRITERS", "Written", "write"]


@record
class Written(Record):
    """A port as a configuration.

    Parameters
    ----------
    text : str
        The configuration.
    facts : tuple of (str, float or str)
        What the text has no place for, as `read` takes it: ``read(text, facts=dict(facts))``.
    lost : tuple of str
        What neither says, a sentence each. Where it is empty, reading gives the port back.
    """

    text: str
    facts: tuple[tuple[str, float | str], ...] = ()
    lost: tuple[str, ...] = ()


#: Dialect -> its writer: a port, and the interface to name, to what was written.
WRITERS: dict[str, Callable[[Port, str], Written]] = {}


def write(port: Port, dialect: str, interface: str | None = None) -> Written:
    """Write a port as a configuration to paste.

    Parameters
    ----------
    port : Port
    dialect : str
        A name of `WRITERS`.
    interface : str, optional
        To put it on; by default the port's name.

    Returns
    -------
    Written
        The text, the facts that it has no place for, and what it could not say.

    Raises
    ------
    ValueError
        If the dialect has no writer, or `port` is no port.

    Examples
    --------
    >>> from qoslib.port import PacketLimit, Queue
    >>> port = Port("Gi0/1", 1e9, (Queue("all", PacketLimit(64)),))
    >>> write(port, "morse")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: dialect is 'morse'; allowed:...
    """
    if not isinstance(port, Port):
        fail("port", port, "a Port")
    if dialect not in WRITERS:
        fail("dialect", dialect, ", ".join(WRITERS))
    return WRITERS[dialect](port, port.name if interface is None else interface)
