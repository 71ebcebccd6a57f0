"""When an explorer draws again: what it remembers, what waits for a rest, and a bar meanwhile."""

import asyncio
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import ipywidgets as widgets

__all__ = ["NEXT_MOVE_S", "SHOWN_AFTER_S", "Debounce", "ProgressWidget", "memoize_lines"]

#: A move that happened while the figure was drawn arrives within this time, and comes first [s].
NEXT_MOVE_S = 0.05
#: Shorter work shows no bar [s].
SHOWN_AFTER_S = 2.0


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


class Debounce:
    """Calls a function once nobody has requested it for a while.

    Where nothing can wake it up (a plain Python session has no event loop) it calls at once.

    Parameters
    ----------
    callback : callable
    rest_s : float
        How long the controls must rest [s].
    """

    def __init__(self, callback: Callable[[], object], rest_s: float = 0.15) -> None:
        self._callback, self._rest_s = callback, rest_s
        self._timer: asyncio.TimerHandle | None = None

    def request(self, since_s: float) -> None:
        """Request the call, and put off one that was requested before.

        Parameters
        ----------
        since_s : float
            When a control moved, on the clock of `time.monotonic` [s].
        """
        self.cancel()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._callback()
        else:
            at_s = max(since_s + self._rest_s, loop.time() + NEXT_MOVE_S)
            self._timer = loop.call_at(at_s, self._callback)

    def cancel(self) -> None:
        """Do not call, whatever was requested."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class ProgressWidget(widgets.FloatProgress):  # type: ignore[misc]  # ipywidgets has no types
    """A bar that shows how far a run is, as soon as the run has taken a while."""

    def __init__(self) -> None:
        super().__init__(description="Packets", layout=widgets.Layout(height="16px"))
        self.end()

    def __call__(self, done_s: float, total_s: float) -> None:
        """Simulated time done, and all of it [s]."""
        if time.monotonic() - self._began_s > SHOWN_AFTER_S:
            self.max, self.value = total_s, done_s
            self.layout.visibility = "visible"

    def begin(self) -> None:
        """A run begins."""
        self._began_s = time.monotonic()

    def end(self) -> None:
        """It has ended: out of sight, but its place in the page stays."""
        self._began_s = time.monotonic()
        self.layout.visibility = "hidden"
