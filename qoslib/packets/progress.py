"""How far a run is, and how it is stopped: Ctrl-C, a stop button, a callable that raises."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from types import FrameType
from typing import Annotated, Any

from qoslib.packets.kernels.clock import PS_PER_S
from qoslib.packets.plan import Run
from qoslib.record import Within, fail

__all__ = ["Chunk", "Progress", "ProgressBar", "Watch", "check_progress", "play"]

#: Called with the simulated time done and the whole of it [s].
Progress = Callable[[float, float], None]
#: How many events there may be between two calls.
Chunk = Annotated[int, Within(1, 2**62)]


class ProgressBar:
    """A bar of tqdm's, in a notebook or a terminal, once a run has taken two seconds.

    It is never shown where tqdm is not installed, nor where the environment variable `TQDM_DISABLE`
    is set and not 0, whatever the speed of the machine. tqdm's own bar for notebooks does not look
    at that variable.

    Parameters
    ----------
    unit : str
        What is counted.
    """

    patience_s = 2.0

    def __init__(self, unit: str = "s simulated") -> None:
        self._unit = unit
        self._wanted = os.environ.get("TQDM_DISABLE", "") in ("", "0")
        self._began_s: float | None = None
        self._bar: Any = None

    def __call__(self, done_s: float, total_s: float) -> None:
        if self._began_s is None:
            # From the first call on: compiling has a line of its own.
            self._began_s = time.monotonic()
        waited_s = time.monotonic() - self._began_s
        if self._bar is None and self._wanted and waited_s > self.patience_s:
            self._bar = self._shown(total_s)
            self._wanted = self._bar is not None
        if self._bar is not None:
            self._bar.update(done_s - self._bar.n)

    def _shown(self, total_s: float) -> Any:
        """A new bar; None without tqdm."""
        try:
            from tqdm.auto import tqdm  # loads notebook widgets: only for a run that needs it
        except ImportError:
            return None
        form = f"{{l_bar}}{{bar}}| {{n:.3g}} of {{total:.3g}} {self._unit}, {{remaining}} left"
        return tqdm(total=total_s, bar_format=form, leave=False)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


class Watch:
    """Reports how far a run is, and notes that somebody wants to stop it.

    While it `takes_signals` the first Ctrl-C (the stop button of a notebook sends the same signal)
    is only noted, so that a run ends between two events with its record right up to there; the
    next one raises `KeyboardInterrupt`. So it is where the handler is Python's own and the
    thread the main one; elsewhere nothing is changed.

    Parameters
    ----------
    progress : Progress
        What is called; a `KeyboardInterrupt` that it raises stops the run as well.
    total_s : float
        All of the simulated time [s].
    """

    def __init__(self, progress: Progress, total_s: float) -> None:
        self._progress, self._total_s = progress, total_s
        #: When the run was to stop, on the clock of `time.monotonic` [s]; None while it is not.
        self.stopped_s: float | None = None

    @property
    def stopped(self) -> bool:
        """Whether the run is to stop."""
        return self.stopped_s is not None

    def report(self, done_s: float) -> None:
        """So much simulated time is done [s]."""
        try:
            self._progress(done_s, self._total_s)
        except KeyboardInterrupt:
            self._stop()

    def _stop(self) -> None:
        self.stopped_s = time.monotonic()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.stopped:
            signal.default_int_handler(number, frame)
        self._stop()

    @contextmanager
    def takes_signals(self) -> Iterator[None]:
        """Note the first Ctrl-C while this lasts."""
        in_main = threading.current_thread() is threading.main_thread()
        if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def check_progress(progress: object) -> None:
    """Refuse what cannot be called, nor is None."""
    if progress is not None and not callable(progress):
        fail("progress", progress, "a callable of the time done and the whole time, or None")


def play(advance: Callable[[Watch], int], options: Run, progress: Progress | None) -> int:
    """Play a run piece by piece until it is over or somebody stops it."""
    check_progress(progress)
    done_ps, total_s = 0, options.end_ps / PS_PER_S
    with closing(ProgressBar()) as bar:
        watch = Watch(progress or bar, total_s)
        with watch.takes_signals():
            while done_ps < options.end_ps and not watch.stopped:
                done_ps = max(done_ps, min(advance(watch), options.end_ps))
                watch.report(done_ps / PS_PER_S)
    if done_ps <= options.warm_ps:
        raise KeyboardInterrupt
    return done_ps
