"""The controls that explorers share, and how they are laid out: plain records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from qoslib.record import fail

__all__ = [
    "MORE",
    "RESET",
    "Bare",
    "Button",
    "Choice",
    "Control",
    "Heading",
    "Hidden",
    "Member",
    "Row",
    "Slider",
    "Switch",
    "Upload",
    "choice",
    "flow",
    "row",
    "slider",
    "stacked",
    "switch",
]

#: A page's number may be this far from an end of a slider, relative to its reach.
NEAR = 1e-9


@dataclass(frozen=True)
class Slider:
    """A number between two ends; its label may end with a unit in brackets."""

    label: str
    value: float
    min: float
    max: float
    step: float
    digits: int = 0
    #: Whether two of them share a line.
    half: bool = False

    def taken(self, name: str, value: Any) -> float:
        """What it stands at after a move to a value; an error if it cannot be there."""
        near = NEAR * (self.max - self.min)
        if not (_is_number(value) and self.min - near <= value <= self.max + near):
            fail(name, value, f"{self.min:g} to {self.max:g}")
        return min(max(float(value), self.min), self.max)


@dataclass(frozen=True)
class Choice:
    """One of some options, each a text and a value."""

    label: str
    value: Any
    options: tuple[tuple[str, Any], ...]

    def taken(self, name: str, value: Any) -> Any:
        """The option of this value; an error if there is none."""
        for _, each in self.options:
            if each == value:
                return each
        fail(name, value, ", ".join(text for text, _ in self.options))


@dataclass(frozen=True)
class Switch:
    """On or off."""

    label: str
    value: bool = False

    def taken(self, name: str, value: Any) -> bool:
        """The same; an error if it is neither on nor off."""
        if not isinstance(value, bool):
            fail(name, value, "True, False")
        return value


Control: TypeAlias = Slider | Choice | Switch


@dataclass(frozen=True)
class Bare:
    """The control of this name in a grid, in a column of this CSS `size`: its label is not seen."""

    control: str
    size: str


@dataclass(frozen=True)
class Heading:
    """The heading of a column, or of a row, in a column of this CSS `size`."""

    text: str
    size: str


@dataclass(frozen=True)
class Button:
    """A button: `RESET` moves all controls back, `MORE` shows and hides what is `Hidden`."""

    label: str


RESET, MORE = Button("Reset"), Button("More")


@dataclass(frozen=True)
class Upload:
    """Where a file can be loaded."""


@dataclass(frozen=True)
class Row:
    """Members side by side, as wide as the page; or on as many lines as the page needs."""

    members: tuple["Member", ...]
    wraps: bool = False


@dataclass(frozen=True)
class Hidden:
    """Members below each other, out of sight until *More* is pressed."""

    members: tuple["Member", ...]


#: What stands above a figure; a text is the name of a control.
Member: TypeAlias = str | Bare | Heading | Button | Upload | Row | Hidden


def slider(
    label: str,
    value: float,
    low: float,
    high: float,
    step: float,
    digits: int = 0,
    half: bool = False,
) -> Control:
    """A slider that begins at a value, or at the end that is the nearest to it."""
    low, high = float(low), float(high)
    return Slider(label, min(max(float(value), low), high), low, high, float(step), digits, half)


def choice(label: str, options: Iterable[Any], value: Any = None) -> Control:
    """A list to choose from; `options` are texts, or pairs of text and value."""
    pairs = tuple(each if isinstance(each, tuple) else (str(each), each) for each in options)
    first = Choice(label, pairs[0][1], pairs)
    return first if value is None else Choice(label, first.taken(label, value), pairs)


def switch(label: str, value: bool = False) -> Control:
    """An on-off switch."""
    return Switch(label, value)


def flow(*members: Member) -> Row:
    """Members one after the other, on as many lines as the page needs."""
    return Row(members, wraps=True)


def row(*members: Member) -> Row:
    """Members side by side."""
    return Row(members)


def stacked(controls: Mapping[str, Control], first: Sequence[str] = ()) -> list[Member]:
    """A line for each slider, and one for all other controls with a button that moves all back.

    Where some are named as `first`, all others are below *More*.
    """
    rest = [name for name in controls if first and name not in first]
    sliders, others = _apart(controls, (name for name in controls if name not in rest))
    if not rest:
        return [*sliders, flow(*others, RESET)]
    hidden, chosen = _apart(controls, rest)
    return [*sliders, flow(*others, MORE, RESET), Hidden((*hidden, flow(*chosen)))]


def _apart(
    controls: Mapping[str, Control], names: Iterable[str]
) -> tuple[list[Member], list[Member]]:
    """The sliders among some controls, and the others."""
    sliders: list[Member] = []
    others: list[Member] = []
    for name in names:
        (sliders if isinstance(controls[name], Slider) else others).append(name)
    return sliders, others


def _is_number(value: Any) -> bool:
    # NaN is between no ends.
    return isinstance(value, int | float) and not isinstance(value, bool)
