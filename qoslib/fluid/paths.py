"""Which stream goes through which queue, and how large its packets are there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qoslib import units
from qoslib.port import Port
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["Paths", "ratio"]


def ratio(part: Floats, whole: Floats) -> Floats:
    """``part / whole``, and 1 where there is nothing to share."""
    return np.divide(part, whole, out=np.ones_like(whole), where=whole > 0)


@dataclass(frozen=True, eq=False)
class Paths:
    """Streams and the queues of a port they go to.

    Attributes
    ----------
    frames : ndarray, shape (streams,)
        Mean frame [B].
    on_line : ndarray, shape (streams,)
        Bits on the line for each bit of a frame, what the line adds included [ratio].
    member : ndarray, shape (streams, queues)
        1 where a stream goes to a queue, else 0.
    """

    frames: Floats
    on_line: Floats
    member: Floats

    @classmethod
    def of(cls, port: Port, streams: Sequence[Stream]) -> "Paths":
        """The paths of these streams through a port."""
        frames = np.array([stream.mean_frame_bytes for stream in streams], dtype=float)
        member = np.eye(len(port.queues))[[port.queue_of(stream) for stream in streams]]
        return cls(frames, (frames + port.overhead_bytes) / frames, member)

    def into_queues(self, rate_bps: Floats) -> Floats:
        """Rates of streams summed a queue, shape (..., queues)."""
        return rate_bps @ self.member

    def of_queue(self, per_queue: Floats) -> Floats:
        """A value of each stream's own queue; not a product, which would spread a NaN."""
        return per_queue[..., np.argmax(self.member, axis=1)]

    def packet_bytes(self, rate_bps: Floats) -> Floats:
        """Mean packet of each queue, as a frame and on the line [B], shape (..., queues, 2).

        1 where nothing is sent into a queue, which then has no say.
        """
        bits = self.into_queues(rate_bps)
        packets = self.into_queues(units.rate_pps(rate_bps, self.frames))
        frame = ratio(units.octets(bits), packets)
        on_line = ratio(self.into_queues(rate_bps * self.on_line), bits)
        return np.stack([frame, frame * on_line], axis=-1)
