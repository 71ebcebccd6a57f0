"""One sentence on a move: what was moved, what changed most in a figure's words, what stayed."""

import math
import re
from collections.abc import Mapping
from typing import Any

from qoslib.explore.controls import Choice, Control

__all__ = ["cause"]

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)")
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_ITS = re.compile(r"^its\b")
#: A change of less than this share of a number is none.
_SAME = 0.01
Clauses = dict[tuple[str, str], tuple[str, str, list[str]]]


def cause(
    controls: Mapping[str, Control],
    before: tuple[Mapping[str, Any], str],
    now: tuple[Mapping[str, Any], str],
) -> str:
    """Say what a move did, from a figure's words before and after it.

    >>> from qoslib.explore.controls import slider
    >>> load = {"load": slider("Load [%]", 90, 0, 100, 1)}
    >>> was = {"load": 90.0}, "Fluid model: EF loses 0 %, a packet takes 2 ms."
    >>> cause(load, was, ({"load": 95.0}, "Fluid model: EF loses 0 %, a packet takes 4 ms."))
    'Load 90 → 95 %. Fluid model: a packet takes 2 → 4 ms. Unchanged: EF loses 0 %.'
    """
    moved = [name for name, value in before[0].items() if now[0][name] != value]
    old, new = _clauses(before[1]), _clauses(now[1])
    known = [each for each in new if each in old and not each[0].startswith("Published")]
    if not moved or not known:
        return ""
    ends = [(before[0][name], now[0][name]) for name in moved]
    changes = {each: _change(old[each][2], new[each][2], ends) for each in known}
    if max(changes.values()) < _SAME:
        # A delay may change just as the buffer that was moved.
        changes = {each: _change(old[each][2], new[each][2], []) for each in known}
    most = max(known, key=changes.__getitem__)
    name = _moved(controls[moved[0]], *ends[0])
    told = f"{name if len(moved) == 1 else f'{len(moved)} controls moved'}. "
    if changes[most] < _SAME:
        change = _change(_numbers(before[1]), _numbers(now[1]), [])
        still = set(old) == set(new) and change < _SAME
        return f"{told}No number below changes by 1 % or more." if still else ""
    told += _capital(f"{new[most][0]}{_arrows(new[most][1], old[most][2])}.")
    same = [new[each][1] for each in known if each[0] == most[0] and changes[each] == 0]
    return f"{told} Unchanged: {same[0]}." if same else told


def _numbers(words: str) -> list[str]:
    return list(_NUMBER.findall(words))


def _clauses(words: str) -> Clauses:
    """Who says it and what, both without numbers -> the same with them, and those of the clause.

    What stands in brackets comes and goes: the packet model's answer, a published value.
    """
    found: Clauses = {}
    for sentence in re.split(r"\.\s+(?=[A-Z])", _BRACKETS.sub("", words).rstrip(".")):
        before, colon, after = sentence.rpartition(": ")
        subject = after.partition(" ")[0]
        for clause in re.split(r"; |, (?:and )?", after):
            # "CS1 loses 12 %; its packets wait" says of whom in its first clause alone.
            clause = _ITS.sub(f"{subject}'s", clause)
            if numbers := _NUMBER.findall(clause):
                # "Frames of 64 bytes: ..." says who as well as "Fluid model: ..." does.
                said_by = before + colon
                key = _NUMBER.sub("#", said_by), _NUMBER.sub("#", clause)
                found[key] = said_by, clause, numbers
    return found


def _change(old: list[str], new: list[str], ends: list[tuple[Any, Any]]) -> float:
    """The largest change of a number, by the larger over the smaller; -1 if all are what was moved.

    Of 0 it takes the last digit of the other number: 62.1 -> 0.121 is more than 1 -> 0.
    """
    if len(old) != len(new):
        return math.inf
    numbers = [each for each in ends if all(isinstance(end, int | float) for end in each)]
    found = [
        _growth(was, now)
        for was, now in zip(old, new, strict=True)
        if not any(all(map(_close, (_float(was), _float(now)), each)) for each in numbers)
    ]
    return max(found, default=-1.0)


def _growth(was: str, now: str) -> float:
    """The larger of two numbers over the smaller, less 1."""
    if was == now:
        return 0.0
    low, high = sorted((_float(was), _float(now)))
    return high / (low or min(_last_digit(was), _last_digit(now))) - 1


def _last_digit(number: str) -> float:
    """What one more in the last digit of a number is.

    >>> _last_digit("62.1"), _last_digit("1,820"), _last_digit("0")
    (0.1, 1.0, 1.0)
    """
    digits, _, power = number.replace(",", "").partition("e")
    return float(f"1e{int(power or 0) - len(digits.partition('.')[2])}")


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_SAME)


def _float(number: str) -> float:
    return float(number.replace(",", ""))


def _arrows(clause: str, old: list[str]) -> str:
    """The clause, with each number that has changed after what it was."""
    left = iter(old)

    def both(number: re.Match[str]) -> str:
        was = next(left)
        return number[0] if was == number[0] else f"{was} → {number[0]}"

    return _NUMBER.sub(both, clause)


def _moved(control: Control, was: Any, now: Any) -> str:
    """A control's name, and both of its values."""
    name, _, unit = control.label.rstrip("]").partition(" [")
    return f"{name} {_said(control, was)} → {_said(control, now)} {unit}".rstrip()


def _said(control: Control, value: Any) -> str:
    if isinstance(control, Choice):
        return next(text for text, each in control.options if each == value)
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
