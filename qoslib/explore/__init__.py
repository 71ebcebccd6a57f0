"""What explorers are made of: controls around a figure that follows them, and what can be saved."""

from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.redraw import memoize_lines

__all__ = ["Call", "Explorer", "memoize_lines"]
