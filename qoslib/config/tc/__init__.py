"""Linux traffic control: what `tc` shows, scripts of its commands, and ports as such scripts."""

from qoslib.config.tc.reader import is_tc, read_tc, tc_lines
from qoslib.config.tc.writer import write_tc

__all__ = ["is_tc", "read_tc", "tc_lines", "write_tc"]
