"""When an explorer draws again: what it remembers, and what waits for a rest."""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from functools import lru_cache
from typing import Any

from qoslib.front.workers import threads

__all__ = ["NEXT_MOVE_S", "Debounced", "memoize_lines"]

#: A move that happened while the figure was drawn arrives within this time, and comes first [s].
NEXT_MOVE_S = 0.05


def memoize_lines(
    work: Callable[[dict[str, Any]], Any], mark: str
) -> Callable[[dict[str, Any]], Any]:
    """Do the work anew only when a control other than `mark` has moved.

    Parameters
    ----------
    work : callable
        From the controls' values by name, all but `mark`, to what is drawn of them.
    mark : str
        Control whose value the work does not depend on.

    Returns
    -------
    callable
        From the values of all controls to the same; it remembers its last answer.

    Examples
    --------
    >>> drawn = memoize_lines(lambda others: print("drawn") or others["load"], "mark")
    >>> drawn({"load": 0.9, "mark": 1}), drawn({"load": 0.9, "mark": 2})
    drawn
    (0.9, 0.9)
    """

    @lru_cache(maxsize=1)
    def known(others: Any) -> Any:
        return work(dict(others))

    return lambda values: known(tuple(each for each in values.items() if each[0] != mark))


class Debounced:
    """Works something out once nobody has requested it for a while, in a thread of its own.

    Meanwhile the loop that asked for it goes on, so that a control that moves again need not wait.
    What is no longer asked for is dropped, finished or not. Where there is no loop (a plain Python
    session) it is worked out at once.

    Parameters
    ----------
    work : callable
        Of a function that says whether its answer is still asked for, to that answer.
    take : callable
        Of the answer; called where it was asked for, and only if it still is.
    rest_s : float
        How long the controls must rest [s].
    """

    def __init__(
        self,
        work: Callable[[Callable[[], bool]], Any],
        take: Callable[[Any], object],
        rest_s: float = 0.1,
    ) -> None:
        self._work, self._take, self._rest_s = work, take, rest_s
        self._asked: object = None
        # One after the other: two runs at once would both be slower.
        self._thread = threads(1, "explorer")

    def request(self, since_s: float) -> None:
        """Request the answer, and drop one that was requested before."""
        asked = self._asked = object()

        def wanted() -> bool:
            return self._asked is asked

        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._take(self._work(wanted))
            return

        async def wait() -> None:
            await asyncio.sleep(max(since_s + self._rest_s - loop.time(), NEXT_MOVE_S))
            if wanted():
                run = copy_context().run
                answer = await loop.run_in_executor(self._thread, run, self._if(wanted))
                if wanted():
                    self._take(answer)

        # A loop forgets a task that nobody else keeps.
        self._task = loop.create_task(wait())

    def _if(self, wanted: Callable[[], bool]) -> Callable[[], Any]:
        return lambda: self._work(wanted) if wanted() else None

    def cancel(self) -> None:
        """Drop whatever was requested; from any thread."""
        self._asked = None

    def close(self) -> None:
        """Let the thread end."""
        self.cancel()
        self._thread.shutdown(wait=False)
