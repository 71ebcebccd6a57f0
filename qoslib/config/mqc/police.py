"""`police` in all its forms, and what it does to a packet of each colour."""

from qoslib.config.code_points import read_word
from qoslib.config.mqc.lines import SIZE_WORDS, TIME_WORDS, NotUnderstood, Words, exactly
from qoslib.config.mqc.policies import Metered
from qoslib.config.values import Value

__all__ = ["action", "police"]

#: Word of an action -> whose action it is.
ACTIONS = {
    "conform-action": "conform", "exceed-action": "exceed", "violate-action": "violate",
    "conform": "conform", "exceed": "exceed", "violate": "violate",
}  # fmt: skip
#: What a colour's packets get, where that is a mark of the models.
MARKED = {
    "set-dscp-transmit": "", "set-prec-transmit": "IP ", "set-cos-transmit": "PCP ",
}  # fmt: skip
#: What they get that no model looks at.
UNSEEN = {
    "set-qos-transmit", "set-mpls-exp-transmit", "set-mpls-exp-imposition-transmit",
    "set-mpls-exp-topmost-transmit", "set-discard-class-transmit", "set-cos-inner-transmit",
    "set-dei-transmit", "set-drop-precedence-transmit", "set-experimental-transmit",
    "set-imposition-transmit", "set-inner-transmit", "set-qos-group-transmit",
    "set-topmost-transmit", "set-traffic-class-transmit", "set-tunnel-transmit",
}  # fmt: skip
_WHERE = {"imposition", "inner", "topmost", "tunnel"}
PASSED = {"set-frde-transmit", "set-clp-transmit", "policed-dscp-transmit"}


def burst(words: Words, what: str, unit: str = "B") -> Value:
    """A burst: a number, and perhaps its unit."""
    value = words.number(what, 0)
    unit = (SIZE_WORDS | TIME_WORDS).get(words.skip(*SIZE_WORDS, *TIME_WORDS), unit)
    base = "B" if unit in SIZE_WORDS.values() else "s"
    return Value(exactly(value, unit, base), base, words.line.number)


def police(words: Words) -> tuple[Metered | None, list[str]]:
    """The policer of a line."""
    made, lost, number = Metered(words.line.number), list[str](), words.line.number
    if words.skip("bucket", "aggregate"):
        words.at = len(words.line.words)
        return None, ["A policer that several classes share is left out: all pass."]
    words.skip("cir", "rate")
    part = words.share("the rate")
    share = part is not None
    if part is not None:
        made.rate = Value(part, "1", number)
    else:
        before = words.at
        words.number("the rate") if _counts_packets(words) else None
        if words.skip("pps"):
            return None, ["A policer that counts packets per second is left out: all pass."]
        words.at = before
        made.rate = Value(words.rate_bps("the rate"), "bit/s", number)
    unit = "ms" if share else "B"
    while words.ahead:
        word = words.ahead
        if words.skip("bc", "burst"):
            made.burst = burst(words, "the burst", unit)
        elif words.skip("be", "peak-burst"):
            made.excess = burst(words, "the excess burst", unit)
        elif words.skip("pir", "peak-rate"):
            part = words.share("the peak rate")
            made.peak = (
                Value(words.rate_bps("the peak rate"), "bit/s", number)
                if part is None
                else Value(part, "1", number)
            )
        elif words.has_number() and made.burst is None:
            made.burst = burst(words, "the burst", unit)
        elif words.has_number() and made.excess is None:
            made.excess = burst(words, "the excess burst", unit)
        elif word in ACTIONS:
            lost += action(words, made)
        else:
            raise NotUnderstood
    return made, lost


def _counts_packets(words: Words) -> bool:
    behind = words.line.words[words.at + 1 : words.at + 2]
    return behind == ("pps",)


def action(words: Words, made: Metered) -> list[str]:
    """What becomes of the packets of a colour, from here in the line on."""
    colour = ACTIONS.get(words.take("an action").lower())
    if colour is None:
        raise NotUnderstood
    word = words.take("the action").lower()
    if word == "set":
        words.skip("mpls")
        word = f"set-{words.take('what to set').lower()}-transmit"
        # The mark of a tunnel, or of one of several labels.
        word = f"set-{words.take('where')}-transmit" if words.ahead in _WHERE else word
        word = "set-prec-transmit" if word == "set-precedence-transmit" else word
    if word in ("transmit", "drop"):
        made.actions[colour] = "pass" if word == "transmit" else "drop"
        return []
    if word in MARKED:
        given = words.take("the mark")
        if words.skip("table"):
            words.take("the table")
            made.actions[colour] = "pass"
            return ["These packets pass; the mark that a table gives them is left out."]
        mark = read_word(given, "cisco") if not MARKED[word] else _small(given, MARKED[word])
        if mark is None:
            words.refuse(f"the mark is {given[:40]!r}; allowed: a code point or a number to 7")
        made.actions[colour] = mark
        return [
            "The new mark counts in this class alone; behind it streams keep the mark that you give"
            " them."
        ]
    if word in UNSEEN or word in PASSED:
        if word in UNSEEN:
            words.take("the mark")
        made.actions[colour] = "pass"
        return ["These packets pass; what they are marked with is left out."]
    raise NotUnderstood


def _small(word: str, before: str) -> str | None:
    return f"{before}{word}" if word.isdecimal() and len(word) == 1 and word < "8" else None
