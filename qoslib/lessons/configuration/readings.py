"""What was read from a configuration, as tables."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qoslib import checks, config, units
from qoslib.config import Configuration, ConfiguredPort
from qoslib.config.amounts import rate_text, size_text, time_text
from qoslib.config.code_points import mark_of
from qoslib.front.paths import parsed, part_at
from qoslib.plots.columns import Columns
from qoslib.port import Port

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["classes", "findings", "numbers", "promised", "same_port", "sorted_by"]


def classes(configured: ConfiguredPort) -> "pd.DataFrame":
    """The classes of a port: what they match, and in which line they stand."""
    rows = {
        each.name: {"matches": ", ".join(each.marks[:4]), "line": each.line or "none"}
        for each in configured.classes
    }
    return Columns.of_rows(rows).to_frame()


def sorted_by(configured: ConfiguredPort, tos_bytes: Iterable[int]) -> "pd.DataFrame":
    """Which class packets of some ToS bytes join.

    The six upper bits of the byte are the code point (RFC 2474, section 3), the three upper ones
    the precedence of RFC 791.

    Parameters
    ----------
    configured : ConfiguredPort
    tos_bytes : iterable of int
        From 0 to 255.
    """
    port = configured.port
    assert port is not None
    queues = {each.queue: each.name for each in configured.classes}
    rows = {}
    for byte in tos_bytes:
        code = byte >> 2
        mark = mark_of(code)
        rows[byte] = {
            "bits": f"{byte:08b}",
            "DSCP": code,
            "name": mark,
            "precedence": byte >> 5,
            "class": queues[port.classifier.queue(mark)],
        }
    return Columns.of_rows(rows, "ToS byte").to_frame()


def numbers(configured: ConfiguredPort, text: str) -> "pd.DataFrame":
    """Every number that the port has from its configuration, and where that comes from."""
    port = configured.port
    assert port is not None
    lines = [line.strip() for line in text.splitlines()]
    rows = {}
    for origin in configured.origins:
        if origin.line:
            source = f"line {origin.line}: {lines[origin.line - 1]}"
        elif origin.fact:
            source = f"your fact {origin.fact}"
        else:
            sure = "" if config.default(origin.default).verified else ", not verified"
            source = f"default {origin.default}{sure}"
        rows[origin.where] = {
            "value": _said(origin.where, part_at(port, parsed(f"port.{origin.where}")[1:])),
            "from": source,
        }
    return Columns.of_rows(rows).to_frame()


def _said(where, value):
    """A number with the unit that its name ends with."""
    for end, text in {"_bps": rate_text, "_bytes": size_text, "_s": time_text}.items():
        if where.endswith(end):
            return text(value)
    return f"{value:,}" if isinstance(value, int | float) else type(value).__name__


def promised(configured: ConfiguredPort) -> "pd.DataFrame":
    """What each class gets at least and at most, and how long its full queue lasts."""
    rows = {
        each.name: {
            "at least [Mb/s]": units.convert(each.minimum_bps, "bit/s", "Mbit/s"),
            "at most [Mb/s]": units.convert(each.maximum_bps, "bit/s", "Mbit/s"),
            "limited by": each.maximum_why,
            "queue holds": each.held_why,
            "full queue [ms]": units.convert(each.queue_s or 0.0, "s", "ms"),
        }
        for each in checks.promises(configured)
    }
    return Columns.of_rows(rows).round(1).to_frame()


def findings(configuration: Configuration) -> None:
    """Print what the rules find."""
    for each in checks.findings(configuration):
        print(f"{each.severity:8}line {each.line:2} {each.id}: {each.sentence}")


def same_port(text: Port, ours: Port) -> "pd.DataFrame":
    """Each queue's numbers from a text compared with those of another description."""
    rows = {}
    for queue in ours.queues:
        read = text.queues[text.queue_names.index(queue.name)]
        rows[queue.name] = {
            "priority": _pair(read.priority, queue.priority),
            "guaranteed [Gb/s]": _pair(
                *(
                    f"{units.convert(each.guaranteed_bps, 'bit/s', 'Gbit/s'):g}"
                    for each in (read, queue)
                )
            ),
            "drops": _pair(type(read.dropper).__name__, type(queue.dropper).__name__),
            "limit from the text": _limit(read.limit),
            "limit of m120.port()": _limit(queue.limit),
        }
    return Columns.of_rows(rows).to_frame()


def _pair(text, ours):
    return f"{text}" if text == ours else f"{text}, not {ours}"


def _limit(limit):
    if hasattr(limit, "time_s"):
        return f"{time_text(limit.time_s)} at the {limit.at} rate"
    return size_text(limit.limit_bytes)
