"""What the commands of a class give it, for rules: from what the reader of each family has parsed.

No reader's module is imported here when the program runs: readers import this one.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.config.records import ConfiguredClass, ConfiguredPolicy, Setting

if TYPE_CHECKING:
    from qoslib.config.eos.commands import Given
    from qoslib.config.junos.schedulers import Scheduler
    from qoslib.config.mqc.policies import Policies, PolicyClass
    from qoslib.config.tc.command import Command
    from qoslib.config.values import Value

__all__ = ["IN_TURN", "of_class", "of_commands", "of_policies", "of_queue", "of_scheduler"]

#: What a queue of EOS has that shares in round robin, by `no priority`.
IN_TURN = "no priority"
#: How a rate ends, or the word behind it, and its unit.
_RATES = {
    "bps": "bit/s", "kbps": "kbit/s", "mbps": "Mbit/s", "gbps": "Gbit/s",
    "k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s",
}  # fmt: skip


def of_policies(found: "Policies") -> tuple[ConfiguredPolicy, ...]:
    """Every policy that a text of Cisco defines."""
    return tuple(
        ConfiguredPolicy(
            next(
                (said.parents[0] for part in policy.classes.values() for said in part.statements),
                f"policy-map {policy.name}",
            ),
            policy.line,
            tuple(
                ConfiguredClass(
                    part.name,
                    line=part.line,
                    statements=tuple(part.statements),
                    settings=of_class(part),
                )
                for part in policy.classes.values()
            ),
        )
        for policy in found.policies.values()
    )


def of_class(part: "PolicyClass") -> tuple[Setting, ...]:
    """What a class of a policy is given (Cisco)."""
    words = {each.line: each.words for each in part.statements}
    return tuple(
        _setting(command, amount, line, words.get(line, ()), unit, burst)
        for command, amount, line, unit, burst in _given(part)
    )


def _given(
    part: "PolicyClass",
) -> "Iterator[tuple[str, Value | None, int, str, Value | None]]":
    """Command, its number, its line, the unit of a bare rate, and its burst."""
    if part.priority:
        yield "priority", part.priority.rate, part.priority.line, "kbit/s", part.priority.burst
    for command, amount in (
        ("bandwidth", part.bandwidth),
        ("bandwidth remaining", part.remaining),
        ("queue-limit", part.limit),
    ):
        if amount:
            yield command, amount, amount.line, "kbit/s", None
    if part.shape:
        yield "shape", part.shape.rate, part.shape.rate.line, "bit/s", part.shape.committed
    if part.police:
        yield "police", part.police.rate, part.police.line, "bit/s", part.police.burst
    if part.early:
        yield "random-detect", None, part.early.line, "", None


def _setting(
    command: str,
    amount: "Value | None",
    line: int,
    words: Sequence[str],
    bare: str,
    burst: "Value | None",
) -> Setting:
    sort = ""
    if command == "shape":
        sort = "".join(words[1:2])
    elif words[1:2] == ("level",):
        sort = " ".join(words[1:3])
    size = burst.value if burst and burst.unit == "B" else None
    if amount is None:
        return Setting(command, line=line, sort=sort)
    value, unit = amount.value, amount.unit
    if unit == "1":
        value, unit = round(units.convert(value, "1", "%"), 9), "%"
    elif unit == "bit/s":
        unit = _unit(words[3 if sort.startswith("level") else 1 :], bare)
        value = float(units.convert(value, "bit/s", unit))
    return Setting(command, value, unit, line, sort, size)


def _unit(words: Sequence[str], bare: str) -> str:
    """The unit in which the first number of some words is written."""
    for word, behind in pairwise((*words, "")):
        if word[:1].isdigit():
            ending = word.lstrip("0123456789.")
            return _RATES.get(ending) or _RATES.get(behind if len(behind) > 1 else "", bare)
    return bare


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
    """What commands of tc do to a class: which verb made it, and the protocols of its filters."""
    return tuple(
        Setting(
            each.thing,
            line=each.line,
            sort=each.protocol if each.thing == "filter" else "" if each.shown else each.verb,
        )
        for each in commands
        if each is not None
    )
