"""Why a configuration as a whole gets no all-clear, whatever its ports are promised."""

from collections.abc import Iterator

from qoslib.config import Configuration
from qoslib.config.cut import CUT
from qoslib.config.junos.grammar import UNKNOWN_ON_PORT
from qoslib.config.junos.platforms import as_mx
from qoslib.config.mqc.port import ON_INPUT
from qoslib.config.sros.text import OF_SUBSCRIBERS, UNKNOWN_IN_POLICY

__all__ = ["cut_line", "doubts_of"]

_NO_MX = (
    "The text is of another device than an MX and is read as one: its queues may share their port"
    " and their buffers in another way, so that no promise here is sure."
)
_CUT_OFF = "The text seems to be cut off at line {}: what follows may change what classes get."
#: Remarks on mechanisms that may change what classes get, on a port or beside it.
_DECISIVE = (OF_SUBSCRIBERS, UNKNOWN_IN_POLICY, UNKNOWN_ON_PORT, ON_INPUT)


def doubts_of(found: Configuration) -> Iterator[str]:
    """The doubts that come of the text itself, a sentence or two each.

    >>> from qoslib.config import read
    >>> text = "/configure subscriber-mgmt sla-profile a egress qos sap-egress policy-name b"
    >>> [doubt[:10] for doubt in doubts_of(read(text, dialect="sros"))]
    ['Line 1: Ea']
    """
    if as_mx(found) and any(each.port and each.direction == "out" for each in found.ports):
        yield _NO_MX
    if last := cut_line(found):
        yield _CUT_OFF.format(last)
    for lost in _DECISIVE:
        lines = [each.line for each in found.remarks if each.lost == lost]
        if lines:
            yield f"Line {min(lines)}: {lost}"


def cut_line(found: Configuration) -> int:
    """The last line of a text that ends in the middle of the configuration; 0 of another."""
    return next((each.line for each in found.remarks if each.lost == CUT), 0)
