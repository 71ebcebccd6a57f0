"""A device as a port: its chain of shapers and delays, what stands behind them, and facts."""

from qoslib.config.facts import Facts
from qoslib.config.records import ConfiguredClass, ConfiguredPort, MissingFact
from qoslib.config.source import ConfigurationError
from qoslib.config.tc.classes import policer
from qoslib.config.tc.command import INGRESS, Command
from qoslib.config.tc.device import ONE_CHILD, Device
from qoslib.config.tc.hierarchy import Inner
from qoslib.config.tc.marks import selected
from qoslib.config.tc.options import Given, Options, by_default
from qoslib.config.tc.provenance import Notes, Unmodelled
from qoslib.config.tc.queues import (
    Held,
    bucket,
    bucket_limit,
    delay,
    netem_rate_bps,
    netem_shaper,
    no_slower,
)
from qoslib.config.tc.schedulers import inner_of, single
from qoslib.port import (
    ByteLimit,
    Classifier,
    Fifo,
    PacketLimit,
    Port,
    Queue,
    Scheduler,
    Shaper,
    StrictPriority,
    TailDrop,
)

__all__ = ["inward", "outward"]


def outward(device: Device, interface: str, facts: Facts) -> tuple[ConfiguredPort, Notes]:
    """The port of the packets that leave a device."""
    notes = Notes(device, interface, facts)
    root = device.root
    assert root is not None
    policy = f"{root.kind} {root.handle}"
    try:
        shaper, delay_s, qdisc, alone = _chain(notes, root)
        inner = alone or inner_of(notes, qdisc)
        if shaper is not None and inner.shaper is not None:
            no_slower(notes, qdisc, inner.shaper.rate_bps, shaper.rate_bps)
        shaper = shaper or inner.shaper
    except Unmodelled as reason:
        notes.without_model(reason)
    _other_filters(notes)
    if notes.undescribed:
        classes = tuple(notes.classes)
        return ConfiguredPort(interface, "out", None, classes, policy=policy, line=root.line), notes
    if delay_s:
        notes.at("base_delay_s", Given(delay_s, root.line))
    return _finished(notes, "out", inner, policy, root.line, shaper, delay_s), notes


def _other_filters(notes: Notes) -> None:
    for _, command in notes.device.filters:
        if command.parent == "egress":
            notes.lose(command, "Filters in front of the qdisc are left out.")
        elif command.parent not in (INGRESS, *notes.read_filters):
            of = "class " if command.parent in notes.device.classes else ""
            notes.lose(command, f"Filters of {of}{command.parent} are left out.")


def _finished(
    notes: Notes,
    direction: str,
    inner: Inner,
    policy: str,
    line: int,
    shaper: Shaper | None = None,
    delay_s: float = 0.0,
) -> ConfiguredPort:
    """With the facts of the reader; without a line rate there is no port."""
    overhead_bytes = _overhead(notes)
    ring = notes.fact("transmit_ring_packets")
    base_delay_s = delay_s + (notes.fact("base_delay_s") or 0.0)
    missing: tuple[MissingFact, ...] = ()
    port = None
    if notes.knows_line_rate and notes.line_rate.value:
        port = Port(
            notes.device.names.get("0:") or notes.interface,
            notes.fact("line_rate_bps") or 0.0,
            inner.queues,
            inner.scheduler,
            overhead_bytes,
            inner.classifier,
            transmit_ring_packets=int(ring or 0),
            shaper=shaper,
            base_delay_s=base_delay_s,
        )
    else:
        question = f"what is the line rate of {notes.interface}?"
        missing = (notes.facts.missing(notes.interface, "line_rate_bps", question, line),)
    classes = tuple(notes.classes)
    return ConfiguredPort(
        notes.interface,
        "in" if direction == "in" else "out",
        port,
        classes,
        tuple(notes.origins),
        missing,
        policy,
        line,
    )


def _overhead(notes: Notes) -> float:
    given = notes.facts.number(notes.interface, "overhead_bytes")
    said = {each.value for each in notes.overheads}
    if given is not None:
        return float(notes.fact("overhead_bytes") or 0.0)
    counted = [each for each in notes.overheads if each.value]
    if not counted:
        return 0.0
    if len(said) > 1:
        root = notes.device.root
        assert root is not None
        notes.lose(root, "Classes count frames with different overheads: here all have the same.")
    return float(notes.at("overhead_bytes", counted[0]))


def _chain(notes: Notes, root: Command) -> tuple[Shaper | None, float, Command, Inner | None]:
    """Shapers and delays from the root on, what stands below, and a queue if they end in one."""
    qdisc, shaper, delay_s = root, None, 0.0
    seen = set[str]()
    while qdisc.kind in ONE_CHILD:
        if qdisc.handle in seen:
            raise ConfigurationError(f"{qdisc.handle} stands below itself", qdisc.line)
        seen.add(qdisc.handle)
        options = notes.options(qdisc)
        if qdisc.kind == "netem":
            delay_s += delay(notes, qdisc, options)
            if "rate" in options and shaper is not None:
                no_slower(notes, qdisc, netem_rate_bps(qdisc, options), shaper.rate_bps)
            elif "rate" in options:
                shaper = netem_shaper(notes, qdisc, options, "shaper")
        elif shaper is not None:
            return shaper, delay_s, qdisc, None
        else:
            shaper = bucket(notes, qdisc, options, "shaper")
        below = notes.device.only_child_of(qdisc)
        if below is None:
            return shaper, delay_s, qdisc, _alone(notes, root, qdisc, options)
        qdisc = below
    return shaper, delay_s, qdisc, None


def _alone(notes: Notes, root: Command, qdisc: Command, options: Options) -> Inner:
    """The queue that a tbf or a netem without a qdisc below it is."""
    name = notes.name(qdisc.handle, qdisc.kind)
    where = f"queues[{name!r}].limit"
    if qdisc.kind == "tbf":
        size = notes.at(f"{where}.limit_bytes", bucket_limit(qdisc, options))
        found = Held(ByteLimit(size), TailDrop())
    else:
        packets = options.get("limit") or by_default("netem_limit")
        found = Held(PacketLimit(int(notes.at(f"{where}.packets", packets))), TailDrop())
        notes.lose(
            qdisc,
            "The limit of netem also counts packets that are being delayed; here it does not.",
        )
    return single(notes, name, found, qdisc)


def inward(device: Device, interface: str, facts: Facts) -> tuple[ConfiguredPort, Notes]:
    """The port of the packets that come in: policers, and no queue."""
    notes = Notes(device, interface, facts)
    qdisc = device.ingress
    assert qdisc is not None
    queues, rules = [], list[tuple[str, str]]()
    default, away = "", False
    own = [each for each in device.filters if each[1].parent == INGRESS]
    for number, (_, command) in enumerate(sorted(own, key=lambda each: each[0]), 1):
        if default or away:
            notes.lose(command, "An earlier filter takes every packet, so this one sees none.")
            continue
        chosen = selected(command)
        for lost in chosen.lost:
            notes.lose(command, lost)
        away = bool(chosen.away) and not chosen.marks
        if chosen.police is None:
            continue
        marks = tuple(notes.name(mark) for mark in chosen.marks)
        name = f"policer {number}"
        meter = policer(notes, command, chosen.police, f"queues[{name!r}].policer")
        if meter is None:
            continue
        limit = by_default("ingress_limit")
        packets = int(notes.at(f"queues[{name!r}].limit.packets", limit))
        queues.append(Queue(name, PacketLimit(packets), policer=meter))
        rules += [(mark, name) for mark in marks]
        default = default if marks else name
        said = (notes.statement(command),)
        notes.classes.append(
            ConfiguredClass(name, name, marks or ("the rest",), command.line, statements=said)
        )
    if queues and not default and not away:
        packets = int(notes.at("queues['not policed'].limit.packets", by_default("ingress_limit")))
        queues.append(Queue("not policed", PacketLimit(packets)))
        default = "not policed"
        notes.classes.append(ConfiguredClass("not policed", "not policed", ("the rest",)))
    if not queues:
        return ConfiguredPort(interface, "in", None, policy=qdisc.kind, line=qdisc.line), notes
    scheduler: Scheduler = StrictPriority() if len(queues) > 1 else Fifo()
    inner = Inner(tuple(queues), scheduler, Classifier(tuple(rules), default))
    return _finished(notes, "in", inner, qdisc.kind, qdisc.line), notes
