"""Where a platform's numbers come from: published in a source, assumed, or fitted."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Self

from qoslib.record import fail

__all__ = ["Fact", "Facts", "assumed", "fitted", "sourced"]


class Fact(float):
    """A number in base units that knows where it comes from.

    Attributes
    ----------
    kind : str
        ``sourced``, ``assumed`` or ``fitted``.
    origin : str
        The row of the published data, the reason, or the data it was fitted on.
    used_in : str
        The sets of assumptions that alone use it, with commas between; empty where all may.
    """

    kind: str
    origin: str
    used_in: str

    def __new__(cls, value: float, kind: str, origin: str, used_in: str = "") -> Self:
        fact = super().__new__(cls, value)
        fact.kind, fact.origin, fact.used_in = kind, origin, used_in
        return fact

    def __getnewargs__(self) -> tuple[float, str, str, str]:  # type: ignore[override]  # of a float: one
        return float(self), self.kind, self.origin, self.used_in

    def is_used_in(self, assumptions: str) -> bool:
        """Whether a set of assumptions may use it."""
        return not self.used_in or assumptions in self.used_in.split(", ")


def sourced(value: float, key: str) -> Fact:
    """A published number; `key` is ``file/experiment/stream/quantity`` of its row in `data`."""
    return Fact(value, "sourced", _keys(key))


def assumed(value: float, because: str) -> Fact:
    """A number that no source gives, with the reason for it."""
    return Fact(value, "assumed", because)


def fitted(value: float, on: str, used_in: str = "") -> Fact:
    """A number found by fitting; `on` lists the rows it was fitted on, keys as in `sourced`.

    A latency may carry its statistic there, as on the scoreboard: ``latency_average``.
    """
    return Fact(value, "fitted", _keys(on), used_in)


def _keys(text: str) -> str:
    """One or more keys, with commas between; a stream may have a slash in its name."""
    for key in text.split(", "):
        if key.count("/") < 3:
            fail(
                "key", key, "file/experiment/stream/quantity, the stream empty where all are meant"
            )
    return text


class Facts(Mapping[str, Fact]):
    """The numbers of a platform by name, also as attributes."""

    def __init__(self, **facts: Fact) -> None:
        for name, fact in facts.items():
            if not isinstance(fact, Fact):
                allowed = "sourced(value, key), assumed(value, because) or fitted(value, on)"
                fail(f"fact {name!r}", fact, allowed)
        self._facts = facts

    def __getitem__(self, name: str) -> Fact:
        return self._facts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __getattr__(self, name: str) -> Fact:
        try:
            fact: Fact = self.__dict__["_facts"][name]
        except KeyError:
            raise AttributeError(name) from None
        return fact

    @cached_property
    def fitted_on(self) -> dict[str, tuple[str, ...]]:
        """Fitted parameters by name, with the keys of the published values each was fitted on."""
        fits = ((name, fact) for name, fact in self.items() if fact.kind == "fitted")
        return {name: tuple(fact.origin.split(", ")) for name, fact in fits}

    def fitted_in(self, assumptions: str) -> set[str]:
        """Keys of the values that the parameters of one set of assumptions were fitted on."""
        fits = self.fitted_on.items()
        return {key for name, on in fits if self[name].is_used_in(assumptions) for key in on}

    def __str__(self) -> str:
        width = max(map(len, self))
        lines = (f"{n:{width}}  {float(f):<12.6g} {f.kind:8}  {f.origin}" for n, f in self.items())
        return "\n".join(lines)
