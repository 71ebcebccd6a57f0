"""A device as a port: its chain of shapers and delays, what stands behind them, and facts."""

from typing import NamedTuple

from qoslib.config.records import ConfiguredClass, ConfiguredPort, MissingFact
from qoslib.config.source import ConfigurationError
from qoslib.config.tc.classes import TAKEN, chosen_by, policer
from qoslib.config.tc.command import INGRESS, Command
from qoslib.config.tc.device import ONE_CHILD
from qoslib.config.tc.options import Options, by_default
from qoslib.config.tc.provenance import DeviceNotes, Part, Unmodelled
from qoslib.config.tc.queues import (
    QueueParts,
    bucket,
    delay,
    netem_bucket,
    netem_rate,
    no_slower,
    own_limit,
    shaper_of,
)
from qoslib.config.tc.schedulers import Inner, inner_of, single
from qoslib.config.values import Value
from qoslib.port import (
    Classifier,
    Fifo,
    PacketLimit,
    Port,
    Queue,
    Scheduler,
    Shaper,
    StrictPriority,
)

__all__ = ["inward", "outward"]


class _Chain(NamedTuple):
    """Shapers and delays from the root on, what stands below, and a queue if they end in one."""

    qdisc: Command
    shaper: Shaper | None = None
    delay_s: float = 0.0
    end: Part | None = None


def outward(notes: DeviceNotes, root: Command) -> ConfiguredPort:
    """The port of the packets that leave a device."""
    configured = notes.no_port(root, "out")
    try:
        chain = _chain(notes, root)
        inner = _alone(chain.end) if chain.end else inner_of(notes, chain.qdisc)
        if chain.shaper is not None and inner.shaper is not None:
            no_slower(notes, chain.qdisc, inner.shaper.rate_bps, chain.shaper.rate_bps)
        inner = inner._replace(shaper=chain.shaper or inner.shaper)
    except Unmodelled as reason:
        notes.without_model(reason)
    _other_filters(notes)
    if notes.undescribed:
        return configured.replace(classes=tuple(notes.classes))
    if chain.delay_s:
        notes.record_origin("base_delay_s", Value(chain.delay_s, "s", root.line))
    return _finished(notes, configured, inner, chain.delay_s)


def _other_filters(notes: DeviceNotes) -> None:
    for _, command in notes.device.filters:
        if command.parent == "egress":
            notes.lose(command, "Filters in front of the qdisc are left out.")
        elif command.parent not in (INGRESS, *notes.read_filters):
            of = "class " if command.parent in notes.device.classes else ""
            notes.lose(command, f"Filters of {of}{command.parent} are left out.")


def _finished(
    notes: DeviceNotes, configured: ConfiguredPort, inner: Inner, delay_s: float = 0.0
) -> ConfiguredPort:
    """With the facts of the reader; without a line rate there is no port."""
    overhead_bytes = _overhead(notes)
    ring = int(notes.fact("transmit_ring_packets"))
    base_delay_s = delay_s + notes.fact("base_delay_s")
    missing: tuple[MissingFact, ...] = ()
    port = None
    if notes.knows_line_rate:
        port = Port(
            notes.device.names.get("0:") or notes.interface,
            notes.fact("line_rate_bps"),
            inner.queues,
            inner.scheduler,
            overhead_bytes,
            inner.classifier,
            transmit_ring_packets=ring,
            shaper=inner.shaper,
            base_delay_s=base_delay_s,
        )
    else:
        question = f"what is the line rate of {notes.interface}?"
        line = configured.line
        missing = (notes.facts.missing(notes.interface, "line_rate_bps", question, line),)
    classes, origins = tuple(notes.classes), tuple(notes.origins)
    return configured.replace(port=port, classes=classes, origins=origins, missing=missing)


def _overhead(notes: DeviceNotes) -> float:
    """What frames count more than their size, the same for all."""
    if notes.facts.number(notes.interface, "overhead_bytes") is not None:
        return notes.fact("overhead_bytes")
    counted = [each for each in notes.overheads if each.value]
    if not counted:
        return 0.0
    if len({each.value for each in notes.overheads}) > 1:
        root = notes.device.root
        assert root is not None
        notes.lose(root, "Classes count frames with different overheads: here all have the same.")
    notes.record_origin("overhead_bytes", counted[0])
    return float(counted[0].value)


def _chain(notes: DeviceNotes, root: Command) -> _Chain:
    """Follow the qdiscs from the root on that have one child, up to a second shaper."""
    chain = _Chain(root)
    seen = set[str]()
    while chain.qdisc.kind in ONE_CHILD:
        qdisc = chain.qdisc
        if qdisc.handle in seen:
            raise ConfigurationError(f"{qdisc.handle} stands below itself", qdisc.line)
        seen.add(qdisc.handle)
        part = notes.part(qdisc)
        if qdisc.kind == "tbf" and chain.shaper is not None:
            return chain
        chain = _with_netem(chain, part) if qdisc.kind == "netem" else _with_tbf(chain, part)
        below = notes.device.only_child_of(qdisc)
        if below is None:
            return chain._replace(end=part)
        chain = chain._replace(qdisc=below)
    return chain


def _with_tbf(chain: _Chain, part: Part) -> _Chain:
    return chain._replace(shaper=shaper_of(part, *bucket(part)))


def _with_netem(chain: _Chain, part: Part) -> _Chain:
    chain = chain._replace(delay_s=chain.delay_s + delay(part))
    if "rate" not in part.options:
        return chain
    if chain.shaper is None:
        return chain._replace(shaper=shaper_of(part, *netem_bucket(part)))
    no_slower(part.notes, part.command, netem_rate(part).value, chain.shaper.rate_bps)
    return chain


def _alone(part: Part) -> Inner:
    """The queue that a tbf or a netem without a qdisc below it is."""
    notes, qdisc = part.notes, part.command
    name = notes.name(qdisc.handle, qdisc.kind)
    parts = QueueParts(own_limit(part._replace(where=f"queues[{name!r}]")))
    if qdisc.kind == "netem":
        lost = "The limit of netem also counts packets that are being delayed; here it does not."
        part.lose(lost)
    return single(notes, name, parts, qdisc)


def inward(notes: DeviceNotes, qdisc: Command) -> ConfiguredPort:
    """The port of the packets that come in: policers, and no queue."""
    queues, classifier, away = _policed(notes)
    if queues and not classifier.default and not away:
        name = "not policed"
        queues.append(_unlimited(notes, name))
        classifier = classifier.replace(default=name)
        notes.classes.append(ConfiguredClass(name, name, ("the rest",)))
    configured = notes.no_port(qdisc, "in").replace(policy=qdisc.kind)
    if not queues:
        return configured
    scheduler: Scheduler = StrictPriority() if len(queues) > 1 else Fifo()
    return _finished(notes, configured, Inner(tuple(queues), scheduler, classifier))


def _policed(notes: DeviceNotes) -> tuple[list[Queue], Classifier, bool]:
    """A queue for each policer, what leads there, and whether all others go to another device."""
    queues, rules = [], list[tuple[str, str]]()
    default, away = "", False
    for number, command in enumerate(notes.device.filters_of(INGRESS), 1):
        if default or away:
            notes.lose(command, TAKEN)
            continue
        chosen = chosen_by(notes, command)
        away = bool(chosen.away) and not chosen.marks
        queue = _policed_queue(notes, command, chosen.police, f"policer {number}")
        if queue is None:
            continue
        queues.append(queue)
        marks = tuple(notes.name(mark) for mark in chosen.marks)
        rules += [(mark, queue.name) for mark in marks]
        default = default if marks else queue.name
        said, marks = (notes.statement(command),), marks or ("the rest",)
        notes.classes.append(
            ConfiguredClass(queue.name, queue.name, marks, command.line, statements=said)
        )
    return queues, Classifier(tuple(rules), default), away


def _policed_queue(
    notes: DeviceNotes, command: Command, police: Options | None, name: str
) -> Queue | None:
    """The queue behind the policer of a filter; None where it has none that a port can have."""
    if police is None:
        return None
    meter = policer(Part(notes, command, police, f"queues[{name!r}].policer"))
    return _unlimited(notes, name).replace(policer=meter) if meter else None


def _unlimited(notes: DeviceNotes, name: str) -> Queue:
    """A queue in which packets that come in do not wait."""
    limit = by_default("ingress_limit")
    notes.record_origin(f"queues[{name!r}].limit.packets", limit)
    return Queue(name, PacketLimit(int(limit.value)))
