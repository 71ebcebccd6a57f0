"""`police` in all its forms, and what it does to a packet of each colour."""

from qoslib.config.code_points import read_word
from qoslib.config.conditioners import Metered
from qoslib.config.words import NotUnderstood, Words

__all__ = ["ACTIONS", "action", "police"]

#: Word of an action -> whose action it is.
ACTIONS = {
    "conform-action": "conform", "exceed-action": "exceed", "violate-action": "violate",
    "conform": "conform", "exceed": "exceed", "violate": "violate",
}  # fmt: skip
#: What a colour's packets get, where that is a mark of the models, and the kind of that.
_MARKED = {"set-dscp-transmit": "DSCP", "set-prec-transmit": "IP", "set-cos-transmit": "PCP"}
#: What they get that no model looks at.
_UNSEEN = {
    "set-qos-transmit", "set-mpls-exp-transmit", "set-mpls-exp-imposition-transmit",
    "set-mpls-exp-topmost-transmit", "set-discard-class-transmit", "set-cos-inner-transmit",
    "set-dei-transmit", "set-drop-precedence-transmit", "set-experimental-transmit",
    "set-imposition-transmit", "set-inner-transmit", "set-qos-group-transmit",
    "set-topmost-transmit", "set-traffic-class-transmit", "set-tunnel-transmit",
}  # fmt: skip
_PASSED = {"set-frde-transmit", "set-clp-transmit", "policed-dscp-transmit"}
#: Which mark is set, of a tunnel or of several labels.
_WHERE = {"imposition", "inner", "topmost", "tunnel"}
#: Word in front of a burst -> the burst, and what that is called.
_BURSTS = {"bc": "burst", "burst": "burst", "be": "excess", "peak-burst": "excess"}
_CALLED = {"burst": "the burst", "excess": "the excess burst"}
_SHARED = "A policer that several classes share is left out: all pass."
_IN_PACKETS = "A policer that counts packets per second is left out: all pass."
_BY_TABLE = "These packets pass; the mark that a table gives them is left out."
_HERE = (
    "The new mark counts in this class alone; behind it streams keep the mark that you give them."
)
_LEFT = "These packets pass; what they are marked with is left out."


def police(words: Words) -> tuple[Metered | None, list[str]]:
    """The policer of a line."""
    if not words.ahead:
        raise NotUnderstood
    if words.skip("bucket", "aggregate"):
        words.at = len(words.line.words)
        return None, [_SHARED]
    words.skip("cir", "rate")
    if words.line.words[words.at + 1 : words.at + 2] == ("pps",):
        words.number("the rate")
        return None, [_IN_PACKETS]
    made = Metered(words.line.number, words.rate("the rate"))
    lost: list[str] = []
    while words.ahead:
        lost += _behind_rate(words, made)
    return made, lost


def _behind_rate(words: Words, made: Metered) -> list[str]:
    """What stands behind the rate: a burst, a peak rate, or an action."""
    field = _BURSTS.get(words.skip(*_BURSTS), "")
    if not field and words.has_number():
        field = "burst" if made.burst is None else "excess" if made.excess is None else ""
    if field:
        unit = "ms" if made.rate and made.rate.unit == "1" else "B"
        setattr(made, field, words.length(_CALLED[field], unit))
        return []
    if words.skip("pir", "peak-rate"):
        made.peak = words.rate("the peak rate")
        return []
    return action(words, made)


def action(words: Words, made: Metered) -> list[str]:
    """What becomes of the packets of a colour, from here in the line on."""
    colour = ACTIONS.get(words.take("an action").lower())
    if colour is None:
        raise NotUnderstood
    word = _word_of_action(words)
    if word in ("transmit", "drop"):
        made.actions[colour] = "pass" if word == "transmit" else "drop"
        return []
    if word in _MARKED:
        made.actions[colour] = _new_mark(words, _MARKED[word])
        return [_HERE if made.actions[colour] != "pass" else _BY_TABLE]
    if word not in _UNSEEN | _PASSED:
        raise NotUnderstood
    if word in _UNSEEN:
        words.take("the mark")
    made.actions[colour] = "pass"
    return [_LEFT]


def _word_of_action(words: Words) -> str:
    """The action as one word: `set mpls experimental topmost 5` is `set-topmost-transmit 5`."""
    word = words.take("the action").lower()
    if word != "set":
        return word
    words.skip("mpls")
    what = words.take("what to set").lower()
    what = words.take("where") if words.ahead in _WHERE else what
    return f"set-{'prec' if what == 'precedence' else what}-transmit"


def _new_mark(words: Words, kind: str) -> str:
    """What packets are marked with; `pass` where a table says it."""
    given = words.take("the mark")
    if words.skip("table"):
        words.take("the table")
        return "pass"
    mark = read_word(given, "cisco", kind) if kind == "DSCP" else _small(given, kind)
    if mark is None:
        words.refuse(f"the mark is {given[:40]!r}; allowed: a code point or a number to 7")
    return mark


def _small(word: str, kind: str) -> str | None:
    """A mark of three bits, by its number alone."""
    return f"{kind} {word}" if word in tuple("01234567") else None
