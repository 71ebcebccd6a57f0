"""The configurations of lesson 10, and what they have no words for."""

import tomllib
from functools import cache
from pathlib import Path

from qoslib.platforms import isr4331, m120

__all__ = ["FACTS", "M120_FACTS", "edge", "m120_text", "office_text"]

#: What no configuration of the ISR4331 holds.
FACTS: dict[str, float | str] = {
    "line_rate_bps": isr4331.FACTS.line_bps,
    "overhead_bytes": isr4331.FACTS.line_bytes,
}
#: What no configuration of the M120 holds.
M120_FACTS: dict[str, float | str] = {
    "line_rate_bps": m120.FACTS.line_bps,
    "delay_buffer_s": m120.FACTS.delay_buffer_s,
    "overhead_bytes": m120.FACTS.layer2_bytes + m120.FACTS.gap_bytes,
    "base_delay_s": m120.FACTS.transit_s,
}


@cache
def _texts() -> dict[str, str]:
    path = Path(__file__).with_suffix(".toml")
    found: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def edge(word: str = "priority") -> str:
    """The ISR4331's configuration, with ``priority`` or ``bandwidth`` for its class EF."""
    return _texts()["edge"].format(word=word)


def m120_text(cs1_buffer: str = "percent 24") -> str:
    """The M120's configuration, with another ``buffer-size`` of CS1."""
    begin = "CS1 { transmit-rate percent 1; buffer-size "
    return _texts()["m120"].replace(f"{begin}percent 24", f"{begin}{cs1_buffer}")


def office_text() -> str:
    """The configuration with a fault of the exercise that asks for it."""
    return _texts()["office"]
