"""Which commands of a class are in force: later ones replace earlier ones, and `no` takes back."""

from qoslib.config.records import Configuration, Statement
from qoslib.config.source import check_time

__all__ = ["standing"]

#: Commands of which a class has one.
_SINGLE = {"bandwidth", "priority", "shape", "police"}


def standing(configuration: Configuration) -> list[Statement]:
    """The commands of the classes of policies that are in force (IOS), in their order.

    >>> where = ("policy-map WAN", "class VOICE")
    >>> said = ("bandwidth 1000", "priority 500", "no bandwidth", "priority 600")
    >>> lines = tuple(Statement(line, text, where) for line, text in enumerate(said, 1))
    >>> [each.text for each in standing(Configuration("ios", statements=lines, lines=4))]
    ['priority 600']
    """
    kept: dict[tuple[tuple[str, ...], str], Statement] = {}
    for each in configuration.statements:
        check_time(each.line)
        if len(each.parents) != 2 or not each.parents[0].startswith("policy-map "):
            continue
        verb, _, rest = each.text.partition(" ")
        if verb == "no":
            kind = _kind(rest)
            for key in [key for key in kept if key == (each.parents, kind)]:
                del kept[key]
        else:
            kept.pop((each.parents, _kind(each.text)), None)
            kept[each.parents, _kind(each.text)] = each
    return list(kept.values())


def _kind(text: str) -> str:
    """What another command of its kind has as well."""
    words = text.split()
    if words[:2] == ["bandwidth", "remaining"]:
        return "bandwidth remaining"
    return words[0] if words and words[0] in _SINGLE else text
