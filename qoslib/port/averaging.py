"""Which queue length a RED dropper looks at."""

from typing import Annotated

from qoslib.record import Count, NotNegative, Positive, Record, Share, Within, fail, record

__all__ = ["AsymmetricEwma", "Averaging", "Ewma", "Instantaneous", "Sampled", "TruncatingEwma"]

Exponent = Annotated[int, Within(0, 30)]


class Averaging(Record, family=True):
    """Base of all queue lengths that RED may look at."""


@record
class Instantaneous(Averaging):
    """The queue as it is."""


@record
class Ewma(Averaging):
    """Textbook average, on each arrival ``a += (q - a) 2**-exponent`` (Floyd and Jacobson 1993).

    A packet that finds the queue empty for a time in which m of its size could leave makes
    ``a *= (1 - 2**-exponent)**m`` before that, as in Floyd's simulator.
    """

    exponent: Exponent = 9


@record
class TruncatingEwma(Averaging):
    """Whole-number average, on each arrival ``a += (q - a) >> exponent``.

    The shift rounds down: a rise is seen only from ``2**exponent`` packets, a fall at once.
    `counts_ring` adds the packets in the transmit ring to q, that on the line among them.
    """

    exponent: Exponent = 9
    counts_ring: bool = False


@record
class AsymmetricEwma(Averaging):
    """Slow up, fast down: on each arrival ``a += (q - a) 2**-exponent``, but ``a = q`` where q < a.

    With a period [s], `a` and the drop decision are renewed only once in that time and kept
    between; but `a` falls to 0 at once when all queues and the transmit ring together hold no
    more than `release_packets` (None: never between).
    """

    exponent: Exponent = 9
    period_s: NotNegative = 0.0
    release_packets: Count | None = None


@record
class Sampled(Averaging):
    """A relay: the queue is looked at from time to time, and dropping is on or off between.

    At each sample dropping goes on from `high_packets` and off up to `low_packets`; it goes off
    at once when all queues and the transmit ring, with the packet on the line, together hold no
    more than `release_packets` (None: never between samples). A profile above it looks at the
    queue of the last sample.

    Parameters
    ----------
    period_s : float
        Mean time between samples [s].
    jitter : float
        Each time is drawn from ``period (1 +- jitter / 2)``.
    """

    high_packets: Count
    period_s: Positive
    low_packets: Count = 1
    jitter: Share = 0.0
    release_packets: Count | None = None

    def check(self) -> None:
        if self.low_packets >= self.high_packets:
            fail("Sampled.low_packets", self.low_packets, f"below high, {self.high_packets}")
