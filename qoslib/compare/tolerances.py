"""How far a model may be from a published value, one kind of quantity at a time, and why."""

from typing import NamedTuple

from qoslib import units
from qoslib.compare.observe import Reading, View
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


#: One for each kind of quantity, never for one row.
TOLERANCES = {
    "carried": Tolerance(
        0.01,
        "offered shares are published in whole percent; generators keep them to about 0.1 %, and"
        " what is carried follows the load one to one",
    ),
    "dropped": Tolerance(
        0.02,
        "a loss is the difference of two larger rates: 0.1 % of the offered load is 1 % of a loss"
        " of a tenth of it",
    ),
    "carried_in_run": Tolerance(
        0.02,
        "a run of 10 s holds its start and its end: streams started by hand, a queue that fills,"
        " a policer's burst of 500,000 B, which is 2 % of what a class of 20 Mb/s sends",
    ),
    "dropped_in_run": Tolerance(
        0.10,
        "a queue of 416 packets that fills once, or a burst of as many that passes once, is a"
        " tenth of what a class loses in such a run",
    ),
    "carried_by_tcp": Tolerance(
        0.15,
        "one run of a closed loop whose host is not described, published with one digit; declared"
        " beforehand, and not wider where the rounding is",
    ),
    "dropped_by_tcp": Tolerance(
        1.0,
        "a factor of two, so no less than half below: the first overshoot and where a saw-tooth"
        " stands at the end decide; of a published range, from its ends",
    ),
    "latency": Tolerance(
        0.20,
        "buffers are multiples of nominal rates and of a nominal 100 ms, and the sources give"
        " two digits; source m120 itself calls 45 against 50 ms in line",
    ),
    "transit": Tolerance(
        0.10,
        "latencies below 1 ms hold a fixed transit time, and behind it the wait for single"
        " packets, which a fluid does not have: one packet of each of six queues is 7 us of 72",
    ),
    "average": Tolerance(
        0.02,
        "a tester timed each of millions of packets and gives five digits: what is left is the"
        " model's own, since a few fitted numbers stand for an undocumented line card",
    ),
    "maximum": Tolerance(
        0.03,
        "the largest of millions of timed packets: an average's tolerance, and a few packet"
        " times more for the one draw that an extreme is",
    ),
    "first_packets": Tolerance(
        0.20,
        "the least of millions of timed packets is one of the first few, which find an empty"
        " router: who of two simultaneous packets goes first is a packet time, up to a sixth",
    ),
    "replayed": Tolerance(
        50e-6,
        "counts of a whole run that is replayed whole; two line cards of the source differ by 4"
        " ppm, two tester ports by 32 ppm of what they lost",
    ),
    "rare": Tolerance(
        0.15,
        "a loss of about a hundred packets: which of two simultaneous packets it hits is a toss,"
        " and twice the deviation of 204 tosses is 14 of 102",
    ),
    "loss_free": Tolerance(
        0.15,
        "the largest load without any loss is an extreme: runs of 5, 10 and 60 s differ by 4 % and"
        " seeds by 2 %, and the source does not say how long it tried",
    ),
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
