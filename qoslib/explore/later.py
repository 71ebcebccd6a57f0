"""Work that takes a moment, done once the controls have come to rest."""

import asyncio
from collections.abc import Callable

__all__ = ["Later"]


class Later:
    """Calls a function once nobody has asked for it for a while.

    Where nothing can wake it up (a plain Python session has no event loop) it calls at once.

    Parameters
    ----------
    call : callable
    patience_s : float
        How long the controls must rest [s].
    """

    def __init__(self, call: Callable[[], None], patience_s: float = 0.2):
        self._call, self._patience_s = call, patience_s
        self._timer: asyncio.TimerHandle | None = None

    def ask(self) -> None:
        """Ask for the call, and put off one that was asked for before."""
        self.forget()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._call()
        else:
            self._timer = loop.call_later(self._patience_s, self._call)

    def forget(self) -> None:
        """Do not call, whatever was asked."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
