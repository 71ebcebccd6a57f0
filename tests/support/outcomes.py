"""What became of every packet of a run, in whole picoseconds, as tests look at it."""

import dataclasses
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from qoslib import packets

__all__ = ["Outcomes", "long_enough", "outcomes", "picoseconds", "runs", "same", "service_ps"]

#: More packets than any of these runs has.
MOST = 50_000


def picoseconds(times_s):
    """Times [s] as the whole picoseconds that they were made from."""
    return np.rint(np.multiply(times_s, 1e12)).astype(np.int64)


def service_ps(port, frame_bytes):
    """Exact time of a frame on a port's line [ps]."""
    return 8 * (frame_bytes + Fraction(port.overhead_bytes)) * 10**12 / Fraction(port.rate_bps)


@dataclass
class Outcomes:
    """Packets of a run: those sent in the order of departure, and those dropped.

    `start` is when the line took each of them; times in picoseconds.
    """

    result: object
    end: int
    stream: np.ndarray
    queue: np.ndarray
    arrival: np.ndarray
    start: np.ndarray
    departure: np.ndarray
    frame_bytes: np.ndarray

    def of_queue(self, index):
        """The packets that one queue sent."""
        mine = self.queue == index
        arrays = {k: v[mine] for k, v in vars(self).items() if k not in ("result", "end")}
        return dataclasses.replace(self, **arrays)


def outcomes(port, streams, duration_s, **options):
    """Simulate, and follow every packet; what is on the line at the end is among the sent."""
    result = packets.simulate(port, streams, duration_s, trace_packets=MOST, **options)
    trace = result.trace
    assert len(trace.stream) < MOST
    order = np.flatnonzero(trace.cause == "")
    departure = picoseconds(trace.departure_s[order])
    assert (np.diff(departure) >= 0).all()
    frame_bytes = trace.frame_bytes[order]
    own = {n: math.floor(service_ps(port, n)) for n in set(frame_bytes.tolist())}
    service = np.array([own[n] for n in frame_bytes.tolist()], dtype=np.int64)
    before = np.append(0, departure[:-1])
    follows = departure - before <= service + 1
    queue_of = np.array([port.queue_of(stream) for stream in streams])
    return Outcomes(
        result=result,
        end=int(picoseconds(duration_s)),
        stream=trace.stream[order],
        queue=queue_of[trace.stream[order]],
        arrival=picoseconds(trace.arrival_s[order]),
        start=np.where(follows & (departure > service), before, departure - service),
        departure=departure,
        frame_bytes=frame_bytes,
    )


def long_enough(streams, count=400):
    """A time in which about so many packets arrive [s]."""
    arriving_hz = sum(s.rate_bps / 8 / s.mean_frame_bytes for s in streams)
    return min(count / arriving_hz, 1.0) if arriving_hz else 0.1


def runs(port, streams):
    """Whether the description can run at all: a limit may be too small for a drawn frame."""
    try:
        packets.simulate(port, streams, 1e-6)
    except ValueError:
        return False
    return True


def same(left, right):
    """Assert that two records are equal bit for bit, their traces and seeds aside."""
    for field in dataclasses.fields(left):
        if field.name not in ("trace", "seed", "hops"):
            _equal(getattr(left, field.name), getattr(right, field.name), field.name)


def _equal(left, right, name):
    if dataclasses.is_dataclass(left):
        for field in dataclasses.fields(left):
            _equal(getattr(left, field.name), getattr(right, field.name), f"{name}.{field.name}")
    elif hasattr(left, "items"):
        assert set(left) == set(right), name
        for key in left:
            _equal(left[key], right[key], f"{name}[{key}]")
    else:
        np.testing.assert_array_equal(left, right, name)
