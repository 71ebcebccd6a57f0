"""What a short run can be asked, and how closely: extremes and rare losses take the whole of it."""

from qoslib import units
from qoslib.compare.readings import Reading, View
from qoslib.compare.tolerances import RARE, TIMED
from qoslib.compare.values import Published

__all__ = ["kind_of", "too_short"]

COUNTS = ("sent_packets", "dropped_packets")


def kind_of(value: Published, how: Reading, view: View) -> str:
    """The kind of tolerance for a value, as the run allows it."""
    if _rare(value, view):
        return "rare"
    if view.whole and view.result.seed is not None and value.quantity in COUNTS:
        return "replayed"
    kind = view.kind(how.kind)
    return TIMED.get(value.quantity, kind) if view.experiment.timed else kind


def too_short(value: Published, view: View) -> str | None:
    """Why a result is not to be held against a value: it is no replay of the whole run."""
    if view.whole or view.result.seed is None:
        return None
    replayed = view.experiment.whole_s is not None
    more = "needs --full" if replayed else "needs a whole replay, which this set does not get"
    if view.experiment.timed and value.quantity == "latency_maximum":
        return f"{more}: the largest latency of the whole run"
    return f"{more}: a loss rarer than {RARE:g}" if _rare(value, view) else None


def _rare(value, view):
    """Whether a published loss, which is not 0, is rarer than a short run shows."""
    if value.quantity == "drop_ratio":
        return 0 < units.convert(value.value, value.unit, "1") < RARE
    if value.quantity != "dropped_packets":
        return False
    return 0 < value.value < RARE * (view.of(value.stream).counted("offered_packets") or 0)
