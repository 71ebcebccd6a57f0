"""What the commands of a class give it, for rules: from what the reader of each family has parsed.

No reader's module is imported here when the program runs: readers import this one.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.config.records import Setting

if TYPE_CHECKING:
    from qoslib.config.eos.commands import Given
    from qoslib.config.junos.schedulers import Scheduler
    from qoslib.config.tc.command import Command

__all__ = ["BYTES", "IN_TURN", "of_commands", "of_queue", "of_scheduler"]

#: What a queue of EOS has that shares in round robin, by `no priority`.
IN_TURN = "no priority"
#: A rate in bytes per second that a variable of the text holds (tc).
BYTES = "rate in bytes"
_IN_BYTES = re.compile(r"\d[\d.]*[kmgt]i?bps", re.IGNORECASE)


def of_queue(given: "Given") -> tuple[Setting, ...]:
    """What a transmit queue is given (EOS)."""
    found = [] if given.strict else [Setting(IN_TURN, line=given.line)]
    if share := given.share:
        percent = round(units.convert(share.value, "1", "%"), 9)
        found.append(Setting("bandwidth", percent, "%", share.line))
    return tuple(found)


def of_scheduler(scheduler: "Scheduler | None") -> tuple[Setting, ...]:
    """What a scheduler gives its class (Junos)."""
    if scheduler is None:
        return ()
    found = []
    transmit, buffer = scheduler.transmit, scheduler.buffer
    if transmit and transmit.unit == "bit/s":
        found.append(Setting("transmit-rate", transmit.value, "bit/s", transmit.line))
    elif transmit and transmit.unit == "1":
        percent = round(units.convert(transmit.value, "1", "%"), 9)
        found.append(Setting("transmit-rate", percent, "%", transmit.line))
    elif transmit:
        found.append(Setting("transmit-rate", line=transmit.line, sort=transmit.unit))
    if buffer and buffer.unit == "s":
        found.append(Setting("buffer-size", buffer.value, "s", buffer.line, "temporal"))
    return tuple(found)


def of_commands(commands: "Iterable[Command | None]") -> tuple[Setting, ...]:
    """What commands of tc do to a class: which verb made it, and the protocols of its filters.

    Of rates that stand in a variable of the text, those in bytes per second are told as well.
    """
    found = []
    for each in filter(None, commands):
        sort = each.protocol if each.thing == "filter" else "" if each.shown else each.verb
        found.append(Setting(each.thing, line=each.line, sort=sort))
        found += (
            Setting(BYTES, line=each.line, sort=word)
            for word in dict.fromkeys(each.words)
            if _IN_BYTES.fullmatch(word) and word not in each.text
        )
    return tuple(found)
