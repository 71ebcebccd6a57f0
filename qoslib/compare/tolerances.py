"""How far a model may be from a published value, one kind of quantity at a time, and why."""

import tomllib
from typing import NamedTuple

from qoslib import measurements, units
from qoslib.compare.observe import View
from qoslib.compare.readings import Reading
from qoslib.compare.values import Published

__all__ = [
    "TIMED",
    "TOLERANCES",
    "ZERO",
    "Tolerance",
    "allowed_drops",
    "kind_of",
    "tolerance",
    "too_short",
]


class Tolerance(NamedTuple):
    """A relative tolerance and the reason for it."""

    relative: float
    because: str


#: One for each kind of quantity, never for one row: ``data/tolerances.toml``.
TOLERANCES = {
    kind: Tolerance(**entry)
    for kind, entry in tomllib.loads(
        (measurements.folder().parent / "tolerances.toml").read_text("utf-8")
    ).items()
}

#: Counts of a whole run that is replayed whole.
_COUNTS = ("sent_packets", "dropped_packets")
#: A loss rarer than this share of the packets takes a replay of the whole run.
RARE = 1e-4
#: What a tester that timed each packet is compared by.
TIMED = {
    "latency_average": "average",
    "latency_maximum": "maximum",
    "latency_minimum": "first_packets",
}

#: Where 0 is published the tolerance is absolute: the rounding of that value, or else
#: room for floating point in its unit. Nothing lost means nothing lost.
ZERO = 1e-6

#: A shorter latency is a transit time [s].
SHORT_S = units.ms(1)
#: Where 0 drops are published, a loop may lose so many; and how far its count may be off.
FEW_PACKETS, FACTOR = 2, 2.0


def tolerance(value: Published, kind: str, spread: float = 0.0) -> float:
    """Tolerance of a published value, in the unit of its error.

    It is never less than the rounding of the published value, which hides what lies below,
    nor than the spread between a pair of counters of equal loads: both rows of the pair are
    within only if the model lies between the two.
    """
    if kind == "dropped_by_tcp" and value.value == 0:
        return FEW_PACKETS
    if kind.endswith("_by_tcp"):
        return TOLERANCES[kind].relative
    if value.value == 0:
        return max(value.half_width, ZERO)
    if kind == "latency" and units.convert(value.value, value.unit, "s") < SHORT_S:
        kind = "transit"
    return max(TOLERANCES[kind].relative, value.half_width / abs(value.value), spread)


def allowed_drops(value: Published) -> tuple[float, float]:
    """Least and most drops of a TCP run within a factor of two of a published count."""
    if value.value == 0:
        return 0.0, FEW_PACKETS
    low, high = (value.value if end is None else end for end in (value.low, value.high))
    return low / FACTOR, high * FACTOR


def kind_of(value: Published, how: Reading, view: View) -> str:
    """The kind of tolerance for a value: a run with its start and end has some of its own."""
    experiment = view.experiment
    if _rare(value, view):
        return "rare"
    if view.whole and view.result.seed is not None and value.quantity in _COUNTS:
        return "replayed"
    if experiment.timed and value.quantity in TIMED:
        return TIMED[value.quantity]
    if how.kind in ("carried", "dropped") and (view.flows or experiment.is_run):
        return f"{how.kind}_by_tcp" if view.flows else f"{how.kind}_in_run"
    return how.kind


def too_short(value: Published, view: View) -> str | None:
    """Why a result is not compared with a value: it is no replay of the whole run."""
    if view.whole or view.result.seed is None:
        return None
    replayed = view.experiment.whole_s is not None
    more = "needs --full" if replayed else "needs a whole replay, which this set does not get"
    if view.experiment.timed and value.quantity == "latency_maximum":
        return f"{more}: the largest latency of the whole run"
    return f"{more}: a loss rarer than {RARE:g}" if _rare(value, view) else None


def _rare(value: Published, view: View) -> bool:
    """Whether a published loss, which is not 0, is rarer than a short run shows."""
    if value.quantity == "drop_ratio":
        return 0 < units.convert(value.value, value.unit, "1") < RARE
    if value.quantity != "dropped_packets":
        return False
    return 0 < value.value < RARE * (view.of(value.stream).counted("offered_packets") or 0)
