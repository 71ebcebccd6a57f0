"""How much a queue may hold: a share of the buffer, or a time."""

from typing import Literal

from qoslib import units
from qoslib.config.facts import Facts
from qoslib.config.junos.provenance import Notes, Site, row_of, value_of
from qoslib.config.junos.schedulers import Scheduler
from qoslib.config.junos.words import STRICT
from qoslib.config.records import Origin
from qoslib.port import ByteLimit, TimeLimit

__all__ = ["limit_of_queue"]


def limit_of_queue(
    of: Scheduler,
    part: tuple[float, str],
    share: float,
    site: Site,
    facts: Facts,
    where: str,
    notes: Notes,
) -> ByteLimit | TimeLimit:
    """The limit of a queue; with a missing fact a stand-in, which no port is made of."""
    platform = facts.text(notes.interface, "platform")
    size = of.buffer
    if size is not None and size.kind == "temporal":
        row = row_of(platform, "temporal")
        at: Literal["served", "guaranteed", "line"] | None = None
        if row.startswith("m120"):
            at = "served"
        elif row.startswith("srx") and share and site.promised and of.priority not in STRICT:
            at = "guaranteed"
        elif site.buffer_bps == notes.line_bps:
            at = "line"
        if at is not None:
            notes.says(f"{where}.limit.time_s", size.line, row)
            return TimeLimit(size.value, at)
        made_of = Origin(f"{where}.limit.limit_bytes", size.line, row)
        return _bytes(units.octets(size.value * site.buffer_bps), made_of, notes, platform)
    share_of_all, row = part
    line = size.line if size else 0
    name = facts.name(notes.interface, "delay_buffer_s")
    delay_s = facts.number(notes.interface, "delay_buffer_s")
    if platform == "m120":
        if delay_s is None:
            question = "For how many seconds do the port's buffers hold traffic at the line rate?"
            notes.ask(facts, "delay_buffer_s", question, line)
            return ByteLimit(1)
        notes.says(f"{where}.limit.time_s", line, "m120.mad", name)
        if size is not None and size.value != share:
            said = next(each for each in of.said if each.words[:1] == ("buffer-size",))
            notes.lose(
                said,
                "The queue holds the delay buffer at the rate at which it is served;"
                " the memory that its percentage keeps for it is left out.",
            )
        return TimeLimit(delay_s or 1.0, at="served")
    total = facts.number(notes.interface, "buffer_bytes")
    if total is not None:
        name = facts.name(notes.interface, "buffer_bytes")
        total *= site.buffer_bps / notes.line_bps if site.tree else 1
    elif delay_s is not None:
        total = units.octets(delay_s * site.buffer_bps)
    else:
        question = (
            "How many bytes of buffer has the port in all? (Or give delay_buffer_s, for how"
            " long that is at the line rate.)"
        )
        notes.ask(facts, "buffer_bytes", question, line or of.line)
        return ByteLimit(1)
    made_of = Origin(f"{where}.limit.limit_bytes", line, row, name)
    return _bytes(share_of_all * total, made_of, notes, platform)


def _bytes(size_bytes: float, made_of: Origin, notes: Notes, platform: str) -> ByteLimit:
    """A limit, and no less than the least that a queue has."""
    row = row_of(platform, "least_buffer")
    least = int(value_of(row))
    if size_bytes < least:
        made_of = made_of.replace(default=row)
    notes.origins.append(made_of)
    return ByteLimit(max(round(size_bytes), least))
