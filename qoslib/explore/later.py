"""Work that takes a moment, done once the controls have come to rest."""

import asyncio
from collections.abc import Callable

__all__ = ["Later"]

#: What has moved while the figure was drawn is heard of in this time, and comes first [s].
HEARD_S = 0.05


class Later:
    """Calls a function once nobody has asked for it for a while.

    Where nothing can wake it up (a plain Python session has no event loop) it calls at once.

    Parameters
    ----------
    call : callable
    patience_s : float
        How long the controls must rest [s].
    """

    def __init__(self, call: Callable[[], None], patience_s: float = 0.15):
        self._call, self._patience_s = call, patience_s
        self._timer: asyncio.TimerHandle | None = None

    def ask(self, since_s: float) -> None:
        """Ask for the call, and put off one that was asked for before.

        Parameters
        ----------
        since_s : float
            When a control moved, on the clock of `time.monotonic` [s].
        """
        self.forget()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._call()
        else:
            at_s = max(since_s + self._patience_s, loop.time() + HEARD_S)
            self._timer = loop.call_at(at_s, self._call)

    def forget(self) -> None:
        """Do not call, whatever was asked."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
