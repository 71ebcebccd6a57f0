"""Names that a configuration uses and does not define, with those that may be meant."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from qoslib.config.junos.statements import Said, shown
from qoslib.config.junos.words import DEFAULT_CLASSES
from qoslib.config.source import ConfigurationError

__all__ = ["NoPortError", "NotDefinedError", "meant", "no_port", "with_meant"]

_CLASSES = ("class-of-service", "forwarding-classes")
#: Where a name is defined: the words before it, and what it is called.
_DEFINED = {
    ("class-of-service", "schedulers"): "scheduler",
    ("class-of-service", "scheduler-maps"): "scheduler map",
    ("class-of-service", "drop-profiles"): "drop profile",
    ("class-of-service", "traffic-control-profiles"): "traffic-control profile",
    (*_CLASSES, "class"): "class",
    ("firewall", "policer"): "policer",
    ("firewall", "three-color-policer"): "policer",
}


class NotDefinedError(ConfigurationError):
    """A name that nothing defines.

    Parameters
    ----------
    kind : str
        What it names, like ``"scheduler"``.
    name : str
    line : int
    sort : str
        Of rules, like ``"dscp"``; empty of what has no sorts.

    Attributes
    ----------
    kind, name
    what : str
        All of it.
    """

    def __init__(self, kind: str, name: str, line: int, sort: str = "") -> None:
        self.kind, self.name = kind, name
        self.what = f"the {kind} {shown(name)}{f' of {shown(sort)}' if sort else ''}"
        super().__init__(f"{self.what} is not defined", line)


class NoPortError(ConfigurationError):
    """What a device takes, and no port describes."""


def no_port(error: NoPortError) -> str:
    """What is lost where no port describes an interface."""
    why = str(error).removeprefix(f"line {error.line}: ")
    return f"No port describes this: {why}. Nothing is promised on this interface."


def with_meant(error: NotDefinedError, said: Sequence[Said]) -> ConfigurationError:
    """What is not defined, with what may be meant."""
    defined: dict[str, None] = {}
    for each in said:
        for start, kind in _DEFINED.items():
            known = each.active and kind == error.kind and each.words[: len(start)] == start
            if known and len(each.words) > len(start):
                defined[each.words[len(start)]] = None
        if error.kind == "class" and each.words[:3] == (*_CLASSES, "queue"):
            defined |= dict.fromkeys(each.words[4:5])
        if error.kind == "filter" and each.words[:1] == ("firewall",) and "filter" in each.words:
            at = each.words.index("filter") + 1
            defined |= dict.fromkeys(each.words[at : at + 1])
    return meant(error, defined)


def meant(error: NotDefinedError, names: Collection[str]) -> ConfigurationError:
    """What is not defined, with what may be meant of some names."""
    near = get_close_matches(error.name, [*names], 1)
    if error.kind == "class" and not near:
        near = get_close_matches(error.name, list(DEFAULT_CLASSES), 1)
    which = f", did you mean {shown(near[0])}?" if near else ""
    return ConfigurationError(f"{error.what} is not defined{which}", error.line)
