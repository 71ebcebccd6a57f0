"""`class-map`: what a `match` compares, and the marks of all who are in a class."""

from qoslib.config.code_points import code_of, marks_matching, read_word
from qoslib.config.mqc.names import near
from qoslib.config.mqc.policies import Match, Selection
from qoslib.config.source import check_time
from qoslib.config.words import NotUnderstood, Refused, Words

__all__ = ["ALL", "match", "meaning", "resolve"]

#: What a class that matches everything has for marks.
ALL = ("the rest",)
#: What is compared that only the reader can resolve -> what stands before its name.
_NAMED = {
    "access-group": "", "protocol": "", "vlan": "VLAN ", "qos-group": "qos-group ",
    "traffic-class": "traffic-class ", "discard-class": "discard-class ",
    "input-interface": "interface ",
    "source-address": "from ", "destination-address": "to ", "fr-dlci": "DLCI ", "application": "",
    "group": "", "flow": "flow ", "packet": "packet ", "fr-de": "fr-de", "atm-clp": "atm-clp",
    "ip-rtp": "RTP ", "authorization-status": "",
    "atm": "ATM ", "dei": "DEI ", "dei-inner": "inner DEI ", "destination-port": "to port ",
    "source-port": "from port ", "ethertype": "Ethertype ", "flow-tag": "flow tag ",
    "fragment-type": "", "frame-relay": "Frame Relay ", "icmp-type": "ICMP type ",
    "icmp-code": "ICMP code ", "tcp-flag": "TCP flag ", "vpls": "VPLS ", "inner": "inner PCP ",
    "disposition": "MPLS ", "atm-vci": "ATM VCI ", "input": "input ", "port-type": "port type ",
    "start": "bytes from ", "application-group": "application group ", "metadata": "metadata ",
    "security-group": "security group ", "wlan": "WLAN ", "non-client-nrt": "non-client-nrt",
}  # fmt: skip
#: What is compared -> the kind of its marks.
_KINDS = {"dscp": "DSCP", "precedence": "IP", "prec": "IP", "cos": "PCP", "mpls": "EXP"}
_CODES = "a code point by name, or 0 to 63"


def match(words: Words) -> tuple[Match, list[str]]:
    """What one `match` compares."""
    number = words.line.number
    negated = bool(words.skip("not"))
    if words.skip("class-map"):
        return Match(number, (), negated, words.take("the class")), []
    words.skip("ip", "ipv4", "ipv6")
    kind = words.take("what to compare").lower()
    if (kind, words.ahead) in (("cos", "inner"), ("mpls", "disposition")):
        kind = words.take("what to compare").lower()
    if kind == "any":
        made = Match(number, ALL, negated)
    elif kind in _KINDS:
        made = Match(number, _values(words, kind), negated)
    elif kind == "rtp":
        made = Match(number, (f"RTP {_rest(words)}",), negated)
    elif kind in _NAMED:
        words.skip("name", "ipv4", "ipv6", "id", "ethernet-service", "ethernet-services")
        name = f"{_NAMED[kind]}{_rest(words)}"
        made = Match(
            number,
            (f"ACL {name}" if kind == "access-group" and name.isdecimal() else name,),
            negated,
        )
    else:
        raise NotUnderstood
    if negated:
        return made, ["No model tells who does not match: give streams the class's name as mark."]
    return made, []


def _rest(words: Words) -> str:
    name = " ".join(words.line.words[words.at :])
    words.at = len(words.line.words)
    return name[:80]


def _values(words: Words, kind: str) -> tuple[str, ...]:
    if kind == "mpls":
        words.skip("experimental", "exp")
        words.skip("topmost", "imposition")
    words.skip("ipv4", "ipv6")
    marks: list[str] = []
    listed = " ".join(words.line.words[words.at :]).replace(",", " ").split()
    words.at = len(words.line.words)
    if not listed:
        words.refuse(f"the {kind} is missing")
    for word in listed:
        for each in _range(word):
            marks += meaning(words, kind, each)
    return tuple(dict.fromkeys(marks))


def _range(word: str) -> list[str]:
    low, _, high = word.partition("-")
    if low.isdecimal() and high.isdecimal() and len(low) <= 2 and len(high) <= 2:
        return [str(n) for n in range(int(low), int(high) + 1)]
    return [word]


def meaning(words: Words, kind: str, word: str, named: bool = True) -> tuple[str, ...]:
    """The marks that a word of a line means; without `named` it has to be a number."""
    mark = read_word(word, "cisco", _KINDS[kind]) if named or word.isdecimal() else None
    known = code_of(mark) if mark else None
    if known is None:
        what, allowed = ("DSCP", _CODES) if kind == "dscp" else (kind, "0 to 7")
        words.refuse(f"the {what} is {word[:40]!r}; allowed: {allowed}")
    return marks_matching(known[1], known[0])


def resolve(
    name: str,
    selections: dict[str, Selection],
    known: dict[str, tuple[str, ...]],
) -> tuple[str, ...]:
    """The marks of a class; none where only its name can select it."""
    asking = {name: None}
    while name not in known:
        check_time()
        last = next(reversed(asking))
        nested = _unresolved(selections[last], selections, known)
        if not nested:
            known[last] = _marks_of(selections[last], known)
            del asking[last]
        elif nested in asking:
            raise Refused(f"class-map {nested} is within itself", selections[nested].line)
        else:
            asking[nested] = None
    return known[name]


def _unresolved(
    selection: Selection, selections: dict[str, Selection], known: dict[str, tuple[str, ...]]
) -> str:
    """A class map within this one whose marks are not known yet; empty for none."""
    for each in selection.matches:
        if each.nested and each.nested not in selections:
            others = tuple(name for name in selections if name != selection.name)
            nearly = near(each.nested, others)
            if nearly:
                problem = f"class-map {each.nested} is not defined, did you mean {nearly[0]}?"
                raise Refused(problem, each.line)
        elif each.nested and each.nested not in known:
            return each.nested
    return ""


def _marks_of(selection: Selection, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Its marks, where those of all class maps within it are known."""
    parts: list[tuple[str, ...] | None] = []
    for each in selection.matches:
        # What a class map takes that the text does not define is unknown.
        marks = known.get(each.nested) if each.nested else each.marks
        parts.append(None if each.negated else marks)
    return _all_of(parts) if selection.every else _any_of(parts)


def _any_of(parts: list[tuple[str, ...] | None]) -> tuple[str, ...]:
    marks = tuple(dict.fromkeys(mark for part in parts for mark in part or ()))
    return ALL if ALL[0] in marks else marks


def _all_of(parts: list[tuple[str, ...] | None]) -> tuple[str, ...]:
    if None in parts or not parts:
        return ()
    marks: tuple[str, ...] = ALL
    for part in parts:
        if part is None or part == ALL:
            continue
        marks = part if marks == ALL else tuple(mark for mark in marks if mark in part)
    return marks
