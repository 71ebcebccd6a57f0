"""Lines of `police` (Cisco) with another rate or burst: a new line takes the place of all of it."""

from collections.abc import Sequence
from math import ceil

from qoslib import units
from qoslib.config.mqc.police import ACTIONS
from qoslib.config.records import Statement
from qoslib.config.words import RATE_WORDS, SIZE_WORDS, TIME_WORDS

__all__ = ["police_lines"]

_SIZES = {*SIZE_WORDS, *TIME_WORDS}


def police_lines(
    statements: Sequence[Statement],
    rate: str = "",
    burst_bytes: float = 0.0,
    rate_bps: float = 0.0,
) -> list[str]:
    """The policer of a class with another rate or burst, in its form and with its actions."""
    said = [each for each in statements if each.verb == "police"]
    if not said:
        return []
    words = said[-1].text.split()
    at = 2 if words[1:2] and words[1].lower() in ("cir", "rate") else 1
    percent = _word(words, at) == "percent"
    at += percent
    if not words[at : at + 1] or not words[at][0].isdigit():
        return []
    end = at + 2 if _word(words, at + 1) in RATE_WORDS else at + 1
    head, own, behind = words[:at], words[at:end], words[end:]
    if rate:
        head, own = words[: at - percent], rate.split()
    if burst_bytes:
        behind = _with_burst(head, percent, behind, burst_bytes, rate_bps)
    # Below the line each colour may have one of its own.
    actions = {
        each.verb: each.text
        for each in statements
        if each.line > said[-1].line and each.verb in ACTIONS
    }
    return [" ".join([*head, *own, *behind]), *actions.values()]


def _word(words: Sequence[str], at: int) -> str:
    return words[at].lower() if len(words) > at else ""


def _with_burst(
    head: list[str], percent: bool, behind: list[str], burst_bytes: float, rate_bps: float
) -> list[str]:
    """What stands behind a rate, with another burst; an excess burst that was the same follows."""
    name, size, behind = _burst(behind, "bc", "burst")
    if not size:
        name = {"cir": "bc", "rate": "burst"}.get(_word(head, 1), "")
        name = name or ("bc" if percent else "")
    unit = _word(size, 1)
    if rate_bps and (percent or unit in TIME_WORDS):
        new = [f"{ceil(units.convert(units.bits(burst_bytes) / rate_bps, 's', 'ms'))}", "ms"]
    else:
        new = [f"{burst_bytes:.0f}", *(["bytes"] if unit or name == "burst" else [])]
    other, excess, rest = _burst(behind, "be", "peak-burst")
    if excess and excess == size:
        behind = [*([other] if other else []), *new, *rest]
    return [*([name] if name else []), *new, *behind]


def _burst(words: list[str], *names: str) -> tuple[str, list[str], list[str]]:
    """The name, the number with its unit, and what is left; all empty where no burst is first."""
    name = words[0] if _word(words, 0) in names else ""
    at = 1 if name else 0
    if not _word(words, at)[:1].isdigit():
        return "", [], words
    end = at + 2 if _word(words, at + 1) in _SIZES else at + 1
    return name, words[at:end], words[end:]
