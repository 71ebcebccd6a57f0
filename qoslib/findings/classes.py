"""The table of a port's classes: what each is offered and promised, and where that comes from."""

from collections.abc import Sequence

from qoslib.checks import Load, Promise, promises
from qoslib.checks.promises import BURST, queued
from qoslib.config import ConfiguredPort, Origin, defaults
from qoslib.config.amounts import rate_text, time_text
from qoslib.findings.report import Cell, ClassRow, Kind
from qoslib.findings.under_load import stand_in
from qoslib.port import Queue

__all__ = ["class_rows"]

_LOADS: dict[str, Kind] = {
    "given": "given",
    "computed": "computed",
    "counters": "counted",
    "assumed": "assumed",
}


def class_rows(
    configured: ConfiguredPort, loads: Sequence[Load], *, by_type: str = ""
) -> tuple[ClassRow, ...]:
    """The classes of a port as a table; `by_type` is the interface whose type says its rate.

    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import PacketLimit, Port
    >>> port = Port("access", 1e8, (Queue("all", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("all", "all"),))
    >>> (row,) = class_rows(edge, ())
    >>> row.minimum.text, row.queue.text, row.queue.why
    ('100 Mb/s', '7.77 ms', '64 packets of 1,518 B at 100 Mb/s')
    """
    assert configured.port is not None
    known = {each.name: each for each in loads}
    sizes = {name: each.frames_bytes for name, each in known.items()}
    queues = {queue.name: queue for queue in configured.port.queues}
    classes = queued(configured)
    not_used = stand_in(configured, loads)
    if configured.direction == "in" and not any(queue.policer for queue in queues.values()):
        return ()
    return tuple(
        ClassRow(
            each.name,
            _marks(classes[each.name].marks),
            _offered(known.get(each.name)),
            *_promised(configured, each, queues[each.queue], by_type),
            classes[each.name].line,
            len(known[each.name].flows) if each.name in known else 0,
            not_used.get(each.name, ""),
        )
        for each in promises(configured, sizes)
    )


def _promised(
    configured: ConfiguredPort, promise: Promise, queue: Queue, by_type: str
) -> tuple[Cell, Cell, Cell]:
    """Minimum, maximum and full queue; of what comes in only a policer says something.

    Classes in one queue are promised its minimum together, and none of them a part of it: the
    number stands at the class that the queue is named after.
    """
    if configured.direction == "in":
        most = _maximum(configured, promise, by_type) if queue.policer else Cell("-")
        return Cell("-"), most, Cell("-")
    least = _minimum(configured, promise, queue)
    if promise.together and promise.minimum_bps:
        own = None if promise.is_guest else least.value
        least = least.replace(text=f"shares {least.text}", value=own)
    return (
        least,
        _maximum(configured, promise, by_type),
        _queue(configured, promise, queue),
    )


def _marks(marks: Sequence[str]) -> str:
    """Drop precedences of one class as one: AF41 to AF43."""
    shown = list(marks)
    for group in "1234":
        three = [f"AF{group}{precedence}" for precedence in "123"]
        if all(mark in shown for mark in three):
            shown = [f"AF{group}x" if mark == three[0] else mark for mark in shown]
            shown = [mark for mark in shown if mark not in three[1:]]
    more = f" +{len(shown) - 3}" if len(shown) > 4 else ""
    return " ".join(shown[:3] if more else shown) + more


def _offered(load: Load | None) -> Cell:
    if load is None:
        return Cell("-")
    why = load.arithmetic or load.words or "nothing is sent"
    return Cell(load.text, _LOADS[load.origin], why, load.rate_bps)


def _from(origin: Origin | None, otherwise: Kind = "configured") -> tuple[Kind, str]:
    if origin is None:
        return otherwise, ""
    if origin.default:
        row = defaults().get(origin.default)
        kind: Kind = "default" if row is not None and row.verified else "unverified default"
        return kind, origin.default
    if origin.fact:
        return "fact", f"fact {origin.fact}"
    return "configured", f"line {origin.line}" if origin.line else ""


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _minimum(configured: ConfiguredPort, promise: Promise, queue: Queue) -> Cell:
    where = f"queues['{queue.name}']."
    own = None
    if promise.minimum_bps and promise.minimum_bps == queue.guaranteed_bps:
        own = configured.origin(f"{where}guaranteed_bps")
    elif queue.policer and promise.minimum_bps == queue.policer.rate_bps:
        own = configured.origin(f"{where}policer.rate_bps")
    kind, said = _from(own, "computed")
    weight, by = _from(configured.origin(f"{where}weight"))
    if own is None and promise.minimum_bps and weight == "unverified default":
        # Its share is no surer than its weight.
        kind, said = weight, by
    why = _joined(promise.minimum_why, said)
    return Cell(rate_text(promise.minimum_bps), kind, why, promise.minimum_bps)


def _maximum(configured: ConfiguredPort, promise: Promise, by_type: str) -> Cell:
    if by_type and promise.maximum_why == "line rate":
        why = f"the type of {by_type}; where it runs slower, --fact line_rate_bps=RATE"
        return Cell(rate_text(promise.maximum_bps), "assumed", why, promise.maximum_bps)
    where = f"queues['{promise.queue}']."
    paths = {
        "line rate": "rate_bps",
        "the port's shaper": "shaper.rate_bps",
        "its shaper": f"{where}shaper.rate_bps",
        "its policer": f"{where}policer.rate_bps",
        "its policer, when congested": f"{where}policer.rate_bps",
        "all its packets are dropped": f"{where}policer.rate_bps",
    }
    node = promise.maximum_why.removeprefix("the shaper of ")
    path = paths.get(promise.maximum_why, f"scheduler.nodes[{node!r}].shaper.rate_bps")
    kind, said = _from(configured.origin(path))
    if kind == "configured" and promise.maximum_why.endswith(("when congested", "are dropped")):
        kind = "computed"  # A number with a condition needs a note.
    why = _joined(promise.maximum_why, said)
    return Cell(rate_text(promise.maximum_bps), kind, why, promise.maximum_bps)


def _queue(configured: ConfiguredPort, promise: Promise, queue: Queue) -> Cell:
    limit = "policer.burst_bytes" if promise.held_why.startswith(BURST) else "limit"
    origin = next(iter(configured.origins_of(f"queues['{promise.queue}'].{limit}")), None)
    kind, said = _from(origin, "computed")
    kind = "computed" if kind in ("configured", "fact") else kind
    if promise.queue_s is None:
        why = _joined(promise.held_why, "at no sure rate" if promise.held_bytes else "", said)
        return Cell("?" if promise.held_bytes is None else "-", kind, why)
    together = ", all flows together" if queue.flows else ""
    why = f"{promise.held_why} at {rate_text(promise.served_bps)}{together}"
    return Cell(time_text(promise.queue_s), kind, _joined(why, said), promise.queue_s)
