"""Names that a configuration uses and does not define, all in one error."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from qoslib.config.junos.statements import Said, shown
from qoslib.config.junos.words import DEFAULT_CLASSES
from qoslib.config.text import ConfigurationError

__all__ = ["NotDefinedError", "with_others"]

#: No more names than these are listed.
_MOST = 5
#: Where a name is defined: the words before it, and what it is called.
_DEFINED = {
    ("class-of-service", "schedulers"): "scheduler",
    ("class-of-service", "scheduler-maps"): "scheduler map",
    ("class-of-service", "drop-profiles"): "drop profile",
    ("class-of-service", "traffic-control-profiles"): "traffic-control profile",
    ("class-of-service", "forwarding-classes", "class"): "class",
    ("firewall", "policer"): "policer",
    ("firewall", "three-color-policer"): "policer",
}
#: The word before a name that is used.
_USED = {
    "scheduler": "scheduler",
    "scheduler-map": "scheduler map",
    "drop-profile": "drop profile",
    "output-traffic-control-profile": "traffic-control profile",
    "forwarding-class": "class",
    "policer": "policer",
}


class NotDefinedError(ConfigurationError):
    """A name that nothing defines.

    Parameters
    ----------
    kind : str
        What it names, like ``"scheduler"``.
    name : str
    line : int

    Attributes
    ----------
    kind, name
    """

    def __init__(self, kind: str, name: str, line: int) -> None:
        self.kind, self.name = kind, name
        super().__init__(f"the {kind} {shown(name)} is not defined", line)


def with_others(error: NotDefinedError, said: Sequence[Said]) -> ConfigurationError:
    """The error with what may be meant, and with all other names that nothing defines.

    Parameters
    ----------
    error : NotDefinedError
        Of the first of them.
    said : sequence of Said
        All statements.

    Returns
    -------
    ConfigurationError
        Of the same line.
    """
    defined: dict[str, dict[str, None]] = {}
    for each in said:
        for start, kind in _DEFINED.items():
            if each.active and each.words[: len(start)] == start and len(each.words) > len(start):
                defined.setdefault(kind, {})[each.words[len(start)]] = None
        if each.active and each.words[:3] == ("class-of-service", "forwarding-classes", "queue"):
            defined.setdefault("class", {}).update(dict.fromkeys(each.words[4:5]))
    if "class" in defined:
        defined["class"].update(dict.fromkeys(DEFAULT_CLASSES))
    problem = f"the {error.kind} {shown(error.name)} is not defined"
    problem += _meant(error.name, defined.get(error.kind, {}))
    others = {
        f"{kind} {shown(name)} (line {line}){_meant(name, defined[kind])}": None
        for kind, name, line in _used(said)
        if name not in defined.get(kind, (name,)) and (kind, name) != (error.kind, error.name)
    }
    if others:
        problem += f"; not defined either: {'; '.join([*others][:_MOST])}"
    return ConfigurationError(problem, error.line)


def _used(said: Sequence[Said]) -> Iterator[tuple[str, str, int]]:
    """Kind, name and line of what is used by its name."""
    for each in said:
        words = each.words
        if not each.active or words[:1] == ("groups",):
            continue
        defines = next((len(start) for start in _DEFINED if words[: len(start)] == start), 0)
        for word, name in zip(words[defines:], words[defines + 1 :], strict=False):
            if word in _USED and name not in ("input", "output"):
                yield _USED[word], name, each.line


def _meant(name: str, defined: Sequence[str] | dict[str, None]) -> str:
    near = get_close_matches(name, list(defined), 1)
    return f", did you mean {shown(near[0])}?" if near else ""
