"""Streams of one mark are one class: what it is called, how it looks, which streams it has."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from qoslib.plots import style
from qoslib.record import fail
from qoslib.traffic import Stream

__all__ = ["CALLED", "MarkedClass", "by_mark"]

#: IP precedence -> its name in source gsr12000, and the class of the same role in other lessons.
CALLED = {
    "prec6": ("Updates", "NC"),
    "prec5": ("Premium", "CS4"),
    "prec3": ("IP Plus", "CS3"),
    "prec1": ("BE", "BE"),
    "prec0": ("LBE", "CS1"),
}


class MarkedClass(NamedTuple):
    """A class of traffic: its label, the class whose look it has, and its streams' places."""

    label: str
    like: str
    at: tuple[int, ...]

    @property
    def look(self) -> style.Look:
        """Colour and symbol."""
        return style.look(self.like)


def by_mark(streams: Sequence[Stream], only: Iterable[str] = ()) -> list[MarkedClass]:
    """The classes of streams that offer something, in their order."""
    at: dict[str, list[int]] = {}
    for index, stream in enumerate(streams):
        if stream.rate_bps:
            at.setdefault(stream.mark or stream.name, []).append(index)
    looks = list(style.LOOKS)
    classes = [
        MarkedClass(*CALLED.get(mark, (mark, looks[place % len(looks)])), tuple(places))
        for place, (mark, places) in enumerate(at.items())
    ]
    wanted, labels = tuple(only), [each.label for each in classes]
    for label in wanted:
        if label not in labels:
            fail("class", label, ", ".join(labels))
    return [each for each in classes if not wanted or each.label in wanted]
