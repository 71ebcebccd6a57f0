"""What single values may be, and the one kind of error that says what they are not."""

import math
import numbers
import reprlib
import typing
from dataclasses import dataclass

import numpy as np

__all__ = [
    "ECN_WORDS",
    "MANY",
    "MAX_DIGITS",
    "WORDS",
    "AtLeastOne",
    "Count",
    "Ecn",
    "NotNegative",
    "Positive",
    "Share",
    "Within",
    "brief",
    "checked_number",
    "checked_numbers",
    "checked_text",
    "ecn_word",
    "fail",
    "rule_of",
    "shortened",
]

Rule = typing.TypeVar("Rule")

#: So many numbers are checked at once, and printed without their middle.
MANY = 32
#: Python reads and writes no longer whole number as text.
MAX_DIGITS = 4_000
#: What a person calls a type.
WORDS: dict[type, str] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    type(None): "None",
}


@dataclass(frozen=True)
class Within:
    """The range a number may lie in; `open_low` and `open_high` leave out the ends."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def __contains__(self, value: float) -> bool:
        above = self.low < value if self.open_low else self.low <= value
        below = value < self.high if self.open_high else value <= self.high
        return above and below and math.isfinite(value)

    def __str__(self) -> str:
        low, high = _said(self.low), _said(self.high)
        if self.high == math.inf:
            if self.low == -math.inf:
                return "any finite number"
            return f"above {low}" if self.open_low else f"{low} or more"
        below = f"below {high}" if self.open_high else f"up to {high}"
        if self.low == -math.inf:
            return below
        if self.open_low:
            return f"above {low} and {below}"
        return f"at least {low} and {below}" if self.open_high else f"{low} to {high}"


def _said(number: float) -> str:
    """An end of a range as a person writes it: 65,535 and 1e18."""
    if abs(number) < 1e6 and number == int(number):
        return f"{int(number):,}"
    return f"{number:g}".replace("e+", "e")


Positive = typing.Annotated[float, Within(0, open_low=True)]
NotNegative = typing.Annotated[float, Within(0)]
Count = typing.Annotated[int, Within(0)]
AtLeastOne = typing.Annotated[int, Within(1)]
Share = typing.Annotated[float, Within(0, 1)]
#: What a sender's packets say in their ECN field: Not-ECT, ECT(0) or ECT(1).
ECN_WORDS: tuple[typing.Literal["no", "classic", "l4s"], ...] = ("no", "classic", "l4s")
#: One of these words; false and true stand for the first two.
Ecn = typing.Literal["no", "classic", "l4s"] | bool


class _Brief(reprlib.Repr):
    """Python's own short texts; of a whole number that has none, how long it is."""

    def repr_int(self, x: int, level: int) -> str:
        digits = round(x.bit_length() * math.log10(2))
        if digits <= MAX_DIGITS:
            return super().repr_int(x, level)
        return f"a number of about {digits:,} digits"


brief = _Brief()
brief.maxlevel, brief.maxstring, brief.maxother = 3, 120, 240
brief.maxtuple = brief.maxlist = 12


def fail(where: str, value: object, allowed: str, verb: str = "is") -> typing.NoReturn:
    """Raise the one kind of error that a description raises: who, what, and what is allowed.

    Parameters
    ----------
    where : str
        The field or argument, as a person knows it.
    value : object
        What was given.
    allowed : str
        What may be given in its place.
    verb : str
        ``are`` where `where` is a plural.

    Raises
    ------
    ValueError
        Always.

    Examples
    --------
    >>> fail("Queue 'voice' weight", -1, "above 0")
    Traceback (most recent call last):
    ValueError: Queue 'voice' weight is -1; allowed: above 0
    """
    allowed = shortened(allowed, 1_000)
    raise ValueError(f"{shortened(where)} {verb} {brief.repr(value)}; allowed: {allowed}")


def rule_of(
    where: str, value: object, rules: typing.Mapping[typing.Any, Rule], others: str
) -> Rule:
    """What a model knows of a kind of record.

    Parameters
    ----------
    where : str
        The field, as a person knows it.
    value : Record
    rules : mapping of type to rule
        Each kind that the model runs, and what it needs to know of it.
    others : str
        Where other kinds may run, for the message.

    Returns
    -------
    rule

    Raises
    ------
    ValueError
        If the model does not run this kind.

    Examples
    --------
    >>> rule_of("number", 3, {int: "whole"}, "others run nowhere")
    'whole'
    """
    if type(value) not in rules:
        fail(where, value, f"{', '.join(kind.__name__ for kind in rules)} here; {others}")
    return rules[type(value)]


def ecn_word(ecn: Ecn) -> Ecn:
    """The word for what is said of the ECN field.

    Parameters
    ----------
    ecn : {"no", "classic", "l4s"} or bool

    Returns
    -------
    str

    Examples
    --------
    >>> ecn_word(True), ecn_word("l4s")
    ('classic', 'l4s')
    """
    return ECN_WORDS[ecn] if isinstance(ecn, bool) else ecn


def shortened(text: str, most: int = 200) -> str:
    """A text, or its beginning and end: a place may lie very deep, a name be very long."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 3 :]}"


def _is_whole(value: typing.Any) -> bool:
    """Whether a number has no fraction: 56250.0 is as whole as 56250."""
    return isinstance(value, numbers.Integral) or (_finite(value) and value == math.floor(value))


def checked_number(hint: typing.Any, value: typing.Any, where: str) -> float:
    if type(value) is not hint:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            fail(where, value, WORDS[hint])
        if hint is int and not _is_whole(value):
            fail(where, value, WORDS[hint])
    if not _finite(value):
        fail(where, value, "a finite number")
    number: float = hint(value)
    return number


def _finite(value: typing.Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def checked_text(hint: typing.Any, value: typing.Any, where: str) -> typing.Any:
    if not isinstance(value, hint):
        fail(where, value, WORDS[hint])
    if hint is str and not _is_unicode(value):
        fail(where, value, "a text without lone surrogates")
    return value


def _is_unicode(text: str) -> bool:
    """Whether it can be written as UTF-8; JSON's escapes can make what cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def checked_numbers(hint: typing.Any, value: typing.Any) -> tuple[float, ...] | None:
    """Many numbers checked at once; None where they are no plain numbers, or one is wrong."""
    kind, limits = hint, Within()
    if typing.get_origin(hint) is typing.Annotated:
        kind, (limits,) = hint.__origin__, hint.__metadata__
    if kind is not int and kind is not float:
        return None
    if isinstance(value, np.ndarray):
        plain = value.ndim == 1 and value.dtype.kind in ("iu" if kind is int else "iuf")
    else:
        plain = set(map(type, value)) <= ({int} if kind is int else {int, float})
    if not plain:
        return None
    try:
        array = np.asarray(value, dtype=None if kind is int else np.float64)
    except OverflowError:
        return None
    if array.dtype.kind not in ("iu" if kind is int else "f"):
        return None
    above = array > limits.low if limits.open_low else array >= limits.low
    below = array < limits.high if limits.open_high else array <= limits.high
    return tuple(array.tolist()) if np.all(above & below & np.isfinite(array)) else None
