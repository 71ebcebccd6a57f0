"""Write a port as a configuration in any dialect, with what the text cannot hold or say."""

from collections.abc import Callable
from functools import partial

from qoslib.config.differences import Written
from qoslib.config.junos.writer import write_junos
from qoslib.config.mqc.platform_defaults import IOS, IOS_XE
from qoslib.config.mqc.writer import write_mqc
from qoslib.config.sros import write_sros
from qoslib.config.tc import write_tc
from qoslib.port import Port
from qoslib.record import fail

__all__ = ["WRITERS", "Written", "write"]


#: Dialect -> its writer: a port, and the interface to name, to what was written.
WRITERS: dict[str, Callable[[Port, str], Written]] = {
    "ios-xe": partial(write_mqc, platform=IOS_XE),
    "ios": partial(write_mqc, platform=IOS),
    "junos": write_junos,
    "sros": write_sros,
    "tc": write_tc,
}


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
    >>> port = Port("Serial0/1", 2e6, (Queue("output", PacketLimit(64)),), base_delay_s=1e-3)
    >>> written = write(port, "ios")
    >>> print(written.text)
    interface Serial0/1
     hold-queue 64 out
    end
    >>> written.facts, written.lost
    ((('line_rate_bps', 2000000.0), ('base_delay_s', 0.001)), ())
    """
    if not isinstance(port, Port):
        fail("port", port, "a Port")
    if dialect not in WRITERS:
        fail("dialect", dialect, ", ".join(WRITERS))
    return WRITERS[dialect](port, port.name if interface is None else interface)
