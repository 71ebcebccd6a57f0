"""A bar while a reader waits."""

import time

import ipywidgets as widgets

__all__ = ["SHOWN_AFTER_S", "ProgressWidget"]

#: Shorter work shows no bar [s].
SHOWN_AFTER_S = 1.0


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
