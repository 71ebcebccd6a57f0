"""Many runs on the workers of an executor, which one stop ends."""

import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    as_completed,
)
from contextlib import ExitStack, closing
from typing import Any, TypeVar

from qoslib.packets.progress import Progress, ProgressBar

__all__ = ["AtOnce", "each", "silent", "threads"]

Point = TypeVar("Point")
Answer = TypeVar("Answer")


class AtOnce(Executor):
    """Calls a function as soon as it is submitted: where a program has one thread.

    >>> AtOnce().submit(max, 2, 3).result()
    3
    """

    def submit(
        self, function: Callable[..., Answer], /, *arguments: Any, **named: Any
    ) -> Future[Answer]:
        """The answer of a function, or its error."""
        future: Future[Answer] = Future()
        try:
            future.set_result(function(*arguments, **named))
        except Exception as error:
            future.set_exception(error)
        return future


def threads(count: int | None, name: str = "") -> Executor:
    """So many threads; in a web page, which has none, everything is called at once."""
    if sys.platform == "emscripten":
        return AtOnce()
    return ThreadPoolExecutor(count, thread_name_prefix=name)


def each(
    run: Callable[[Point, Progress], Answer],
    points: Iterable[Point],
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
    on_result: Callable[[int, Answer], object] | None = None,
) -> list[Answer]:
    """Call a function of each point on the workers of an executor.

    Parameters
    ----------
    run : callable
        Of a point, and of the progress of its simulation; for workers in other processes a
        function of a module.
    points : iterable
    executor : concurrent.futures.Executor, optional
        It is not shut down. By default a thread per core: kernels run at the same time.
    progress : callable, optional
        Called with the number of points done and in total; by default a bar after two seconds.
    on_result : callable, optional
        Called with the index of a point and its answer as soon as it is there.

    Returns
    -------
    list
        In the order of the points.

    Raises
    ------
    KeyboardInterrupt
        If it is stopped. The points that wait are cancelled. Those under way end at the next call
        of their progress on threads of this function; on workers of an executor they may finish.
        The same happens where a point fails; the error then has a note of which one.

    Examples
    --------
    >>> each(lambda point, progress: point**2, range(4))
    [0, 1, 4, 9]
    """
    points = tuple(points)
    stopped = threading.Event()

    def stop(done_s: float, total_s: float) -> None:
        if stopped.is_set():
            raise CancelledError

    with ExitStack() as stack:
        progress = progress or stack.enter_context(closing(ProgressBar(unit="runs")))
        heard: Progress = silent if executor else stop
        pool = executor or stack.enter_context(threads(os.cpu_count()))
        futures = {pool.submit(run, point, heard): index for index, point in enumerate(points)}
        answers = {}
        try:
            for future in as_completed(futures):
                index = futures[future]
                try:
                    answers[index] = future.result()
                except Exception as error:
                    error.add_note(f"in run {index} of 0 to {len(points) - 1}")
                    raise
                if on_result:
                    on_result(index, answers[index])
                progress(len(answers), len(points))
        finally:
            stopped.set()
            for future in futures:
                future.cancel()
    return [answers[index] for index in range(len(points))]


def silent(done_s: float, total_s: float) -> None:
    """A progress that shows nothing."""
