"""Many loads at once, for a line in a figure."""

from collections.abc import Sequence

import numpy as np

from qoslib.fluid.solve import solve
from qoslib.port import Port
from qoslib.record import AtLeastOne, NotNegative, checked, fail
from qoslib.results import Result
from qoslib.traffic import Stream

__all__ = ["sweep"]


def sweep(
    port: Port,
    streams: Sequence[Stream],
    stream: str,
    low_bps: float,
    high_bps: float,
    loads: int = 81,
) -> Result:
    """Solve a port for evenly spaced loads of one stream, the others as they are.

    Parameters
    ----------
    port : Port
    streams : sequence of Stream
    stream : str
        Name of the stream whose rate changes.
    low_bps, high_bps : float
        Ends of its rate, in bits of frames [bit/s].
    loads : int
        How many.

    Returns
    -------
    Result
        Arrays of shape (loads, streams).

    Raises
    ------
    ValueError
        If there is no such stream, or what `solve` refuses.
    """
    checked(Port, port, "port")
    streams = checked(tuple[Stream, ...], streams, "streams")
    low_bps = checked(NotNegative, low_bps, "low_bps")
    high_bps = checked(NotNegative, high_bps, "high_bps")
    loads = checked(AtLeastOne, loads, "loads")
    names = [each.name for each in streams]
    if stream not in names:
        fail("stream", stream, ", ".join(names))
    offered = np.tile([float(each.mean_rate_bps) for each in streams], (loads, 1))
    offered[:, names.index(stream)] = np.linspace(low_bps, high_bps, loads)
    return solve(port, streams, offered)
