"""``show class-of-service interface`` of Junos, as text and as XML: what is set, not counted."""

import re

from qoslib.telemetry.junos_xml import elements
from qoslib.telemetry.values import Values, lines_of

__all__ = ["read"]

PHYSICAL = re.compile(r"\s*Physical interface: ([^\s,]+)")
QUEUES = re.compile(r"\s*Queues supported: (\d+), Queues in use: (\d+)")
SHAPING = re.compile(r"\s*Shaping rate: (\d+) bps")
#: Elements -> quantity and unit.
ELEMENTS = {
    "interface-queues-supported": ("egress_queues_supported", "1"),
    "interface-queues-in-use": ("egress_queues_in_use", "1"),
    "interface-shaping-rate": ("shaping_rate", "bit/s"),
    "shaping-rate": ("shaping_rate", "bit/s"),
}


def read(text: str, values: Values) -> None:
    """Add how many queues an interface has, and what it is shaped to."""
    if "<cos-interface-information" in text:
        _of_xml(text, values)
        return
    title = "interface"
    for line, said in lines_of(text):
        if found := PHYSICAL.match(said):
            title = found[1]
        elif found := QUEUES.match(said):
            _add(values, title, "egress_queues_supported", found[1], "1", line)
            _add(values, title, "egress_queues_in_use", found[2], "1", line)
        elif found := SHAPING.match(said):
            _add(values, title, "shaping_rate", found[1], "bit/s", line)


def _of_xml(text: str, values: Values) -> None:
    title = "interface"
    for line, path, content in elements(text, values):
        if path[-1] == "interface-name":
            title = content
        elif path[-1] in ELEMENTS and content.isdecimal() and content.isascii():
            quantity, unit = ELEMENTS[path[-1]]
            _add(values, title, quantity, content, unit, line)


def _add(values: Values, title: str, quantity: str, text: str, unit: str, line: int) -> None:
    experiment = values.experiment(title)
    values.add("", quantity, text, unit, line, statistic="configured", experiment=experiment)
