"""How far a run is: told to a callable, and by default shown when it takes long."""

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Annotated

from qoslib.record import Within

__all__ = ["Chunk", "Progress", "ProgressBar"]

#: Called with the simulated time done and the whole of it [s].
Progress = Callable[[float, float], None]
#: How many events there may be between two calls.
Chunk = Annotated[int, Within(1, 2**62)]


class ProgressBar:
    """A bar of tqdm's, in a notebook or a terminal, once a run has taken two seconds.

    It is never shown where the environment variable `TQDM_DISABLE` is set and not 0, whatever the
    speed of the machine. tqdm's own bar for notebooks does not look at that variable.
    """

    patience_s = 2.0

    def __init__(self) -> None:
        self._wanted = os.environ.get("TQDM_DISABLE", "") in ("", "0")
        self._began_s: float | None = None
        self._bar = None

    def __call__(self, done_s: float, total_s: float) -> None:
        if self._began_s is None:
            # From the first call on: compiling has a line of its own.
            self._began_s = time.monotonic()
        waited_s = time.monotonic() - self._began_s
        if self._bar is None and self._wanted and waited_s > self.patience_s:
            from tqdm.auto import tqdm  # loads notebook widgets: only for a run that needs it

            form = "{l_bar}{bar}| {n:.3g} of {total:.3g} s simulated, {remaining} left"
            self._bar = tqdm(total=total_s, bar_format=form, leave=False)
        if self._bar is not None:
            self._bar.update(done_s - self._bar.n)

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()
