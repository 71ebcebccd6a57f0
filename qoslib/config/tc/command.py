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
_TAKES = {word: word for word in ("dev", "parent", "handle")} | {"classid": "handle"}
_TAKES |= dict.fromkeys(("ingress_block", "egress_block", "refcnt", "leaf"), "ignored")
_OF_FILTERS = {word: word for word in ("dev", "parent", "handle", "protocol")}
_OF_FILTERS |= dict.fromkeys(("preference", "priority", "prio"), "prio")
_OF_FILTERS |= dict.fromkeys(("chain", "block"), "ignored")
#: What a table of sizes may say, in front of the kind.
_STAB = {"mtu", "tsize", "mpu", "overhead", "linklayer", "data"}
#: Where a qdisc or filter of the packets that come in hangs.
INGRESS = "ffff:"


class Command(NamedTuple):
    """A command, or an object as ``tc`` shows it.

    Attributes
    ----------
    line : int
    text : str
        As it stands there, or in the words of tc where it was JSON.
    thing : str
        ``qdisc``, ``class``, ``filter``, or ``link`` for the length of a device's queue.
    verb : str
        ``add``, ``replace``, ``change``, ``delete`` or ``show``.
    device : str
    parent, handle : str
        ``root``, or ``1:10`` in hexadecimal digits; empty where there is none.
    kind : str
    words : tuple of str
        The options of the kind.
    protocol, prio : str
        Of a filter.
    shown : bool
        Whether a kernel showed it, and so has every default in it that tc shows at all.
    detailed : bool
        Whether it was shown by ``tc -d``.
    place : str
        The network namespace or machine in which it is run; empty for this one.
    stab : bool
        Whether it has a table of sizes.
    """

    line: int
    text: str
    thing: str
    verb: str
    device: str
    parent: str = ""
    handle: str = ""
    kind: str = ""
    words: tuple[str, ...] = ()
    protocol: str = "all"
    prio: str = ""
    shown: bool = False
    detailed: bool = False
    place: str = ""
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
    said, stab = {"verb": VERBS.get(verb, "show")}, False
    takes = _OF_FILTERS if thing == "filter" else _TAKES
    if shown:
        # `class htb 1:10 parent 1:1 leaf 10: prio 0 ...`, as tc shows it.
        if thing == "filter" or len(rest) < 2 or ":" not in rest[1]:
            return None
        said |= {"kind": rest.pop(0), "handle": handle(rest.pop(0), line)}
    while rest:
        word = rest.pop(0)
        if word in ("root", "ingress", "egress", "clsact"):
            said["parent"] = "root" if word == "root" else INGRESS
            if thing == "qdisc" and word in ("ingress", "clsact"):
                said |= {"kind": word, "handle": INGRESS}
            if word == "egress":
                said["parent"] = "egress"
        elif word in ("estimator", "est"):
            del rest[:2]
        elif shown and word == "offloaded":
            continue
        elif word == "stab" and thing == "qdisc":
            stab = True
            while len(rest) > 1 and rest[0] in _STAB:
                del rest[:2]
        elif found := (meant(word, tuple(takes)) if thing == "filter" else word):
            if found not in takes:
                said, rest = _kind(said, word, rest, shown)
                break
            if not rest:
                raise ConfigurationError(f"nothing stands behind {word!r}", line)
            said[takes[found]] = rest.pop(0)
        else:
            said, rest = _kind(said, word, rest, shown)
            break
    for name in ("parent", "handle"):
        own = name == "handle" and thing == "filter"
        if said.get(name) and not own and said[name] not in ("root", "egress"):
            above = said.get("parent", "").partition(":")
            said[name] = handle(said[name], line, above[0] + above[1] if above[1] else "")
    said.pop("ignored", None)
    said |= {"device": said.pop("dev", ""), "verb": "add" if shown else said["verb"]}
    made = Command(line, text, thing, **said, words=tuple(rest), shown=shown)  # type: ignore[arg-type]
    return made._replace(stab=stab)


def _kind(
    said: dict[str, str], word: str, rest: list[str], shown: bool
) -> tuple[dict[str, str], list[str]]:
    """The kind stands before its options; of what tc shows, it was read already."""
    return (said, [word, *rest]) if shown else (said | {"kind": word}, rest)
