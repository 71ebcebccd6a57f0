"""What the commands of a class give it, for rules: numbers in the units that a text has."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from qoslib import units
from qoslib.config.mqc.commands import COMMANDS
from qoslib.config.mqc.policies import Policies, Policy, PolicyClass
from qoslib.config.records import FAIR_QUEUE, ConfiguredClass, ConfiguredPolicy, Setting
from qoslib.config.values import Value

__all__ = ["policies_for_rules", "settings_of"]

#: Commands that rules ask about.
_TOLD = (
    "priority", "bandwidth", "bandwidth remaining", "queue-limit", "shape", "police",
    "random-detect",
)  # fmt: skip
#: How a rate ends, or the word behind it, and its unit.
_RATES = {
    "bps": "bit/s", "kbps": "kbit/s", "mbps": "Mbit/s", "gbps": "Gbit/s",
    "k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s",
}  # fmt: skip


def policies_for_rules(found: Policies) -> tuple[ConfiguredPolicy, ...]:
    """Every policy that a text defines."""
    return tuple(
        ConfiguredPolicy(_header(policy), policy.line, tuple(map(_class, policy.classes.values())))
        for policy in found.policies.values()
    )


def _header(policy: Policy) -> str:
    said = (each.parents[0] for part in policy.classes.values() for each in part.statements)
    return next(said, f"policy-map {policy.name}")


def _class(part: PolicyClass) -> ConfiguredClass:
    statements, settings = tuple(part.statements), settings_of(part)
    return ConfiguredClass(part.name, line=part.line, statements=statements, settings=settings)


def settings_of(part: PolicyClass) -> tuple[Setting, ...]:
    """What a class of a policy is given.

    >>> settings_of(PolicyClass("A", 1, bandwidth=Value(2e6, "bit/s", 2)))
    (Setting(command='bandwidth', value=2000.0, unit='kbit/s', line=2),)
    """
    words = {each.line: each.words for each in part.statements}
    given = ((name, getattr(part, COMMANDS[name].field)) for name in _TOLD)
    flows = (Setting(FAIR_QUEUE, line=part.fair.line),) if part.fair else ()
    found = (_setting(name, each, words.get(each.line, ())) for name, each in given if each)
    return (*found, *flows)


def _setting(name: str, given: Any, words: Sequence[str]) -> Setting:
    """A command as it is in force, and its words."""
    rate = given if isinstance(given, Value) else getattr(given, "rate", None)
    burst = getattr(given, "burst", None)
    sort = "".join(words[1:2]) if name == "shape" else ""
    if words[1:2] == ("level",):
        sort = " ".join(words[1:3])
    if rate is None:
        return Setting(name, line=given.line, sort=sort)
    value, unit = rate.value, rate.unit
    if unit == "1":
        value, unit = round(units.convert(value, "1", "%"), 9), "%"
    elif unit == "bit/s":
        unit = _unit(words[3 if sort.startswith("level") else 1 :], COMMANDS[name].bare)
        value = float(units.convert(value, "bit/s", unit))
    size = burst.value if burst and burst.unit == "B" else None
    return Setting(name, value, unit, given.line, sort, size)


def _unit(words: Sequence[str], bare: str) -> str:
    """The unit in which the first number of some words is written."""
    for word, behind in pairwise((*words, "")):
        if word[:1].isdigit():
            ending = word.lstrip("0123456789.")
            return _RATES.get(ending) or _RATES.get(behind if len(behind) > 1 else "", bare)
    return bare
