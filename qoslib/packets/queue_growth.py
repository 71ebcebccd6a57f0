"""Which queues had not filled by the end of a run."""

from qoslib.results import Result

__all__ = ["filling"]

#: A queue that takes in more than this share of what it is offered, for good, is not yet full.
GROWTH = 2e-3


def filling(result: Result) -> list[str]:
    """Streams whose queues fill to the end of a packet model's run: their delay is no mean.

    Parameters
    ----------
    result : Result
        Of a packet model.

    Returns
    -------
    list of str
        Names of the streams.

    Examples
    --------
    >>> from qoslib.packets import filling, simulate
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> from qoslib.traffic import Stream
    >>> port = Port("access", 100e6, (Queue("all", PacketLimit(5000)),))
    >>> filling(simulate(port, [Stream("data", 120e6)], 0.1))
    ['data']
    """
    if result.packets is None:
        return []
    grows = result.packets.queued > GROWTH * result.packets.offered
    return [name for name, more in zip(result.streams, grows, strict=True) if more]
