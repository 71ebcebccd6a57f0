"""A bar below the figure, for work that keeps a reader waiting."""

import time

import ipywidgets as widgets

__all__ = ["PATIENCE_S", "Patience"]

#: Shorter work shows no bar [s].
PATIENCE_S = 2.0


class Patience(widgets.FloatProgress):
    """A bar that can be told how far a run is; it comes into sight when that takes long."""

    def __init__(self) -> None:
        super().__init__(description="Packets", layout=widgets.Layout(height="16px"))
        self.end()

    def __call__(self, done_s: float, total_s: float) -> None:
        """Simulated time done, and all of it [s]."""
        if time.monotonic() - self._began_s > PATIENCE_S:
            self.max, self.value = total_s, done_s
            self.layout.visibility = "visible"

    def begin(self) -> None:
        """A run begins."""
        self._began_s = time.monotonic()

    def end(self) -> None:
        """It has ended: out of sight, but its place in the page stays."""
        self._began_s = time.monotonic()
        self.layout.visibility = "hidden"
