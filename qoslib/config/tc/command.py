"""One tc command, taken apart into what it is about and the words behind the kind."""

from collections.abc import Sequence
from typing import NamedTuple

from qoslib.config.source import ConfigurationError
from qoslib.config.tc.amounts import count

__all__ = ["THINGS", "VERBS", "Command", "command", "handle", "meant"]

THINGS = ("qdisc", "class", "filter")
#: Verb as written -> what it does.
VERBS = {"add": "add", "replace": "replace", "change": "change", "del": "delete"}
VERBS |= {"delete": "delete", "link": "replace", "show": "show", "list": "show", "ls": "show"}
#: Words in front of the kind that take one more, and what they say.
_TAKES = {"dev": "device", "parent": "parent", "handle": "handle", "classid": "handle"}
_TAKES |= dict.fromkeys(("ingress_block", "egress_block", "refcnt", "leaf"), "ignored")
_OF_FILTERS = {"dev": "device", "parent": "parent", "handle": "handle", "protocol": "protocol"}
_OF_FILTERS |= dict.fromkeys(("preference", "priority", "prio"), "prio")
_OF_FILTERS |= dict.fromkeys(("chain", "block"), "ignored")
#: What a table of sizes may say, in front of the kind.
_STAB = {"mtu", "tsize", "mpu", "overhead", "linklayer", "data"}
#: Where a qdisc or filter of the packets that come in hangs.
INGRESS = "ffff:"
#: Word that stands for a parent -> the parent.
_PLACES = {"root": "root", "ingress": INGRESS, "clsact": INGRESS, "egress": "egress"}


class Command(NamedTuple):
    """A command, or an object as ``tc`` shows it."""

    line: int
    #: As it stands there, or in the words of tc where it was JSON.
    text: str
    #: ``qdisc``, ``class``, ``filter``, or ``link`` for the length of a device's queue.
    thing: str
    #: ``add``, ``replace``, ``change``, ``delete`` or ``show``.
    verb: str
    device: str
    #: ``root``, or ``1:10`` in hexadecimal digits; empty where there is none.
    parent: str = ""
    handle: str = ""
    kind: str = ""
    #: The options of the kind.
    words: tuple[str, ...] = ()
    #: Of a filter.
    protocol: str = "all"
    prio: str = ""
    #: Whether a kernel showed it, and so has every default in it that tc shows at all.
    shown: bool = False
    #: Whether it was shown by ``tc -d``.
    detailed: bool = False
    #: The network namespace or machine in which it is run; empty for this one.
    place: str = ""
    #: Whether it has a table of sizes.
    stab: bool = False


def meant(word: str, words: Sequence[str]) -> str:
    """The word that an abbreviation of at least two letters stands for; empty for none.

    >>> meant("def", ["r2q", "default"]), meant("cl", THINGS), meant("x", THINGS)
    ('default', 'class', '')
    """
    if word in words:
        return word
    return next((each for each in words if len(word) > 1 and each.startswith(word)), "")


def handle(text: str, line: int, major: str = "") -> str:
    """A handle or class in one form: hexadecimal, without leading zeros.

    >>> handle("1", 1), handle("01:0A", 1), handle(":5", 1, "1:")
    ('1:', '1:a', '1:5')
    """
    first, _, second = text.partition(":")
    numbers = [count(part, line, base=16) if part else 0 for part in (first, second)]
    if max(numbers) >= 2**16 or not (first or second):
        raise ConfigurationError(f"{text[:40]!r} is no handle; write 1: or 1:10", line)
    top = f"{numbers[0]:x}:" if first else major or "0:"
    return f"{top.partition(':')[0]}:{numbers[1]:x}" if numbers[1] else top


def command(words: Sequence[str], line: int, text: str) -> Command | None:
    """A command from its words, from `qdisc`, `class` or `filter` on.

    >>> made = command("class add dev eth0 parent 1: classid 1:a htb rate 1mbit".split(), 7, "")
    >>> made.thing, made.parent, made.handle, made.kind, made.words
    ('class', '1:', '1:a', 'htb', ('rate', '1mbit'))
    """
    if not words or not (thing := meant(words[0], THINGS)):
        return None
    verb = meant(words[1], tuple(VERBS)) if len(words) > 1 else "show"
    shown = not verb
    # With counters tc underlines a qdisc of what comes in.
    rest = [word for word in words[1 if shown else 2 :] if word.strip("-")]
    fields: dict[str, str] = {}
    if shown:
        # `class htb 1:10 parent 1:1 leaf 10: prio 0 ...`, as tc shows it.
        if thing == "filter" or len(rest) < 2 or ":" not in rest[1]:
            return None
        fields = {"kind": rest.pop(0), "handle": handle(rest.pop(0), line)}
    made = Command(line, text, thing, "add" if shown else VERBS.get(verb, "show"), "", shown=shown)
    fields |= _front(made, rest)
    stab = bool(fields.pop("stab", ""))
    fields.pop("ignored", None)
    # The kind stands before its options; of what tc shows, it was read already.
    if rest and not shown:
        fields["kind"] = rest.pop(0)
    # The handle of a filter is its own number or mark.
    for name in ("parent", "handle")[: 1 if thing == "filter" else 2]:
        if fields.get(name, "root") not in ("", "root", "egress"):
            major, colon, _ = fields.get("parent", "").partition(":")
            fields[name] = handle(fields[name], line, major + colon if major and colon else "")
    return made._replace(**fields, words=tuple(rest), stab=stab)  # type: ignore[arg-type]


def _front(made: Command, rest: list[str]) -> dict[str, str]:
    """Take the words in front of the kind: fields of a command, and whether it has a `stab`."""
    fields: dict[str, str] = {}
    while rest:
        word = rest.pop(0)
        if word in _PLACES:
            fields |= {"parent": _PLACES[word]}
            if made.thing == "qdisc" and word in ("ingress", "clsact"):
                fields |= {"kind": word, "handle": INGRESS}
        elif word in ("estimator", "est"):
            del rest[:2]
        elif word == "stab" and made.thing == "qdisc":
            fields["stab"] = word
            while len(rest) > 1 and rest[0] in _STAB:
                del rest[:2]
        elif field := _field(word, made.thing):
            if not rest:
                raise ConfigurationError(f"nothing follows {word!r}", made.line)
            fields[field] = rest.pop(0)
        elif not made.shown or word != "offloaded":
            rest.insert(0, word)
            break
    return fields


def _field(word: str, thing: str) -> str:
    """The field that stands behind a word; empty where it is none of these words."""
    if thing == "filter":
        return _OF_FILTERS.get(meant(word, tuple(_OF_FILTERS)), "")
    return _TAKES.get(word, "")
