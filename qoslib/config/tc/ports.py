"""A device as a port: its chain of shapers and delays, what stands behind them, and facts."""

from typing import NamedTuple

from qoslib.config.facts import rate_question
from qoslib.config.records import ConfiguredClass, ConfiguredPort
from qoslib.config.source import ConfigurationError
from qoslib.config.sourced import Sourced, by_name, described, facts_of_port, made, number
from qoslib.config.tc.classes import TAKEN, chosen_by, policer
from qoslib.config.tc.command import INGRESS, Command
from qoslib.config.tc.device import ONE_CHILD
from qoslib.config.tc.options import by_default
from qoslib.config.tc.provenance import DeviceNotes, Part, Unmodelled
from qoslib.config.tc.queues import delay, no_slower, own_limit, packets, shaper_of
from qoslib.config.tc.schedulers import Inner, inner_of, single
from qoslib.config.values import Value
from qoslib.port import Classifier, Fifo, Port, Queue, Scheduler, Shaper, StrictPriority

__all__ = ["inward", "outward"]


class _Chain(NamedTuple):
    """Shapers and delays from the root on, what stands below, and a queue if they end in one."""

    qdisc: Command
    shaper: Sourced[Shaper] | None = None
    delay_s: float = 0.0
    end: Part | None = None


def outward(notes: DeviceNotes, root: Command) -> ConfiguredPort:
    """The port of the packets that leave a device."""
    configured = notes.no_port(root, "out")
    try:
        chain = _chain(notes, root)
        inner = _alone(chain.end) if chain.end else inner_of(notes, chain.qdisc)
        if chain.shaper is not None and inner.rate is not None:
            raise Unmodelled(chain.qdisc, "No port describes a shaper below another one.")
        if chain.shaper is not None and inner.shaper is not None:
            rates_bps = inner.shaper.part.rate_bps, chain.shaper.part.rate_bps
            no_slower(notes, chain.qdisc, *rates_bps)
        inner = inner._replace(shaper=chain.shaper or inner.shaper)
    except Unmodelled as reason:
        notes.without_model(reason)
    _other_filters(notes)
    if notes.undescribed:
        return configured.replace(classes=tuple(notes.classes))
    return _finished(notes, configured, inner, Value(chain.delay_s, "s", root.line))


def _other_filters(notes: DeviceNotes) -> None:
    for _, command in notes.device.filters:
        if command.parent == "egress":
            notes.lose(command, "Filters in front of the qdisc are left out.")
        elif command.parent not in (INGRESS, *notes.read_filters):
            of = "class " if command.parent in notes.device.classes else ""
            notes.lose(command, f"Filters of {of}{command.parent} are left out.")


def _finished(
    notes: DeviceNotes, configured: ConfiguredPort, inner: Inner, delay: Value | None = None
) -> ConfiguredPort:
    """With the facts of the reader; without a line rate there is no port."""
    name, rate = notes.interface, inner.rate or notes.known_rate
    more = facts_of_port(notes.facts, name)
    if "overhead_bytes" not in more:
        more["overhead_bytes"] = _overhead(notes)
    if delay and delay.value:
        fact_s = more["base_delay_s"].part if "base_delay_s" in more else 0.0
        more["base_delay_s"] = number(delay.value + fact_s, delay)
    port = made(
        Port if rate else _no_port,
        name=notes.device.names.get("0:") or name,
        rate_bps=rate,
        queues=by_name(inner.queues),
        scheduler=inner.scheduler,
        classifier=inner.classifier,
        shaper=inner.shaper,
        **more,
    )
    found = described(configured.replace(classes=tuple(notes.classes)), port)
    if rate:
        return found
    question = rate_question(name)
    missing = notes.facts.missing(name, "line_rate_bps", question, configured.line)
    return found.replace(missing=(missing,))


def _no_port(**_: object) -> None:
    """None is made of fields as long as the line rate is missing."""


def _overhead(notes: DeviceNotes) -> Sourced[float]:
    """What frames count more than their size, the same for all."""
    counted = [each for each in notes.overheads if each.value]
    if not counted:
        return number(0.0, None)
    if len({each.value for each in notes.overheads}) > 1:
        root = notes.device.root
        assert root is not None
        notes.lose(root, "Classes count frames with different overheads: here all have the same.")
    return number(float(counted[0].value), counted[0])


def _chain(notes: DeviceNotes, root: Command) -> _Chain:
    """Follow the qdiscs from the root on that have one child, up to a second shaper."""
    chain = _Chain(root)
    seen = set[str]()
    while chain.qdisc.kind in ONE_CHILD:
        qdisc = chain.qdisc
        if qdisc.handle in seen:
            raise ConfigurationError(f"{qdisc.handle} is below itself", qdisc.line)
        seen.add(qdisc.handle)
        part = notes.part(qdisc)
        if qdisc.kind == "tbf" and chain.shaper is not None:
            return chain
        delay_s = chain.delay_s + delay(part)
        most_bps = chain.shaper.part.rate_bps if chain.shaper else 0.0
        shaper = shaper_of(part, most_bps) or chain.shaper
        chain = chain._replace(shaper=shaper, delay_s=delay_s)
        below = notes.device.only_child_of(qdisc)
        if below is None:
            return chain._replace(end=part)
        chain = chain._replace(qdisc=below)
    return chain


def _alone(part: Part) -> Inner:
    """The queue that a tbf or a netem without a qdisc below it is."""
    notes, qdisc = part.notes, part.command
    name = notes.name(qdisc.handle, qdisc.kind)
    fields: dict[str, object] = {"limit": own_limit(part)}
    if qdisc.kind == "netem":
        lost = "The limit of netem also counts packets that are being delayed; here it does not."
        part.lose(lost)
    return single(notes, name, fields, qdisc)


def inward(notes: DeviceNotes, qdisc: Command) -> ConfiguredPort:
    """The port of the packets that come in: policers, and no queue."""
    queues, classifier, away = _policed(notes)
    if queues and not classifier.default and not away:
        name = "not policed"
        queues.append(_unlimited(name))
        classifier = classifier.replace(default=name)
        notes.classes.append(ConfiguredClass(name, name, ("the rest",)))
    configured = notes.no_port(qdisc, "in").replace(policy=qdisc.kind)
    if not queues:
        return configured
    scheduler: Scheduler = StrictPriority() if len(queues) > 1 else Fifo()
    return _finished(notes, configured, Inner(queues, scheduler, classifier))


def _policed(notes: DeviceNotes) -> tuple[list[Sourced[Queue]], Classifier, bool]:
    """A queue for each policer, what leads there, and whether all others go to another device."""
    queues, rules = [], list[tuple[str, str]]()
    default, away = "", False
    for position, command in enumerate(notes.device.filters_of(INGRESS), 1):
        if default or away:
            notes.lose(command, TAKEN)
            continue
        chosen = chosen_by(notes, command)
        away = bool(chosen.away) and not chosen.marks
        part = None if chosen.police is None else Part(notes, command, chosen.police)
        meter = policer(part) if part else None
        if meter is None:
            continue
        name, marks = f"policer {position}", tuple(notes.name(mark) for mark in chosen.marks)
        queues.append(_unlimited(name, policer=meter))
        rules += [(mark, name) for mark in marks]
        default = default if marks else name
        said, marks = (notes.statement(command),), marks or ("the rest",)
        notes.classes.append(ConfiguredClass(name, name, marks, command.line, statements=said))
    return queues, Classifier(tuple(rules), default), away


def _unlimited(name: str, **more: object) -> Sourced[Queue]:
    """A queue in which packets that come in do not wait."""
    return made(Queue, name=name, limit=packets(by_default("ingress_limit")), **more)
