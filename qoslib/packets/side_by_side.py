"""Runs side by side on all cores, which one stop ends."""

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import TypeVar

from qoslib.packets.progress import Progress

__all__ = ["side_by_side"]

Point = TypeVar("Point")
Answer = TypeVar("Answer")


def side_by_side(
    run: Callable[[Point, Progress], Answer],
    points: Iterable[Point],
    progress: Progress,
    workers: int | None = None,
) -> list[Answer]:
    """Call a function of each point on threads of their own; kernels run beside each other.

    Parameters
    ----------
    run : callable
        Of a point, and of the progress that its simulation has to tell: there it is stopped.
    points : iterable
    progress : callable
        Called with the number of points done and in all.
    workers : int, optional
        Points at the same time; by default one a core.

    Returns
    -------
    list
        In the order of the points.

    Raises
    ------
    KeyboardInterrupt
        If it is stopped. No point is begun then, and those under way end at the next call of
        their progress; so they do where one of them fails.
    """
    points = tuple(points)
    stopped = threading.Event()

    def listen(done_s: float, total_s: float) -> None:
        if stopped.is_set():
            raise CancelledError

    pool = ThreadPoolExecutor(workers or os.cpu_count())
    try:
        futures = [pool.submit(run, point, listen) for point in points]
        answers = []
        for future in futures:
            answers.append(future.result())
            progress(len(answers), len(points))
        return answers
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)
