"""A fixed plain loop, timed beside the kernels, so that figures of a busy machine can be compared.

It is never changed: a chain of float additions, each of which waits for the one before, so that
it measures the clock of the core and nothing else.
"""

from time import process_time

from numba import njit

__all__ = ["reference_ns"]

ADDITIONS = 20_000_000


@njit(cache=True)
def _additions(count):
    total = 0.0
    for _ in range(count):
        total += 1e-9
    return total


def reference_ns(repeats=5):
    """Nanoseconds a dependent addition, the best of some."""
    _additions(1)
    best_s = float("inf")
    for _ in range(repeats):
        began_s = process_time()
        _additions(ADDITIONS)
        best_s = min(best_s, process_time() - began_s)
    return best_s / ADDITIONS * 1e9
