"""Packet classes by mark: what a policer remarks becomes another class, in the same queue."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qoslib.packets.plan_streams import sizes_of
from qoslib.port import Forwarder, Port, Queue
from qoslib.traffic import Stream

__all__ = ["Kind", "kinds_of", "leaving_marks"]


class Kind(NamedTuple):
    """What a packet class is: a stream, the place of its frame size, a mark and a queue."""

    stream: int
    place: int
    mark: str
    queue: int


def kinds_of(
    where: Port | Forwarder,
    streams: Sequence[Stream],
    marks: Sequence[Sequence[str]] | None = None,
) -> list[Kind]:
    """The packet classes of a port or forwarder, in the order of its table.

    First those with the first of its marks of each stream, then those of its other marks, then
    what policers make of them.
    """
    of_stream = [[stream.label] for stream in streams] if marks is None else marks
    arriving = [
        Kind(i, place, mark, queue_of(where, stream, mark))
        for first in (True, False)
        for i, stream in enumerate(streams)
        for mark in (of_stream[i][:1] if first else of_stream[i][1:])
        for place in range(len(sizes_of(stream)))
    ]
    queues = (where.queue,) if isinstance(where, Forwarder) else where.queues
    made = (new for kind in arriving for new in _remarked(kind, queues[kind.queue]))
    return list(dict.fromkeys([*arriving, *made]))


def queue_of(where: Port | Forwarder, stream: Stream, mark: str) -> int:
    """Index of the queue that a stream's packets with a mark go to."""
    if isinstance(where, Forwarder):
        return 0
    return where.queue_of(stream if mark == stream.label else stream.replace(mark=mark))


def _remarked(kind: Kind, queue: Queue) -> Iterator[Kind]:
    if queue.policer is not None:
        for mark in queue.policer.new_marks:
            yield kind._replace(mark=mark)


def leaving_marks(kinds: Sequence[Kind], stream: int) -> list[str]:
    """With which marks a stream's packets may leave, its own first."""
    return list(dict.fromkeys(kind.mark for kind in kinds if kind.stream == stream))
