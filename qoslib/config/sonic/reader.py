"""`config_db.json` of SONiC as ports: schedulers, buffers, WRED and maps."""

from collections.abc import Iterator, Mapping

from qoslib import units
from qoslib.config.code_points import mark_of
from qoslib.config.facts import Facts, rate_question
from qoslib.config.provenance import Provenance
from qoslib.config.records import (
    NO_DROP,
    Configuration,
    ConfiguredClass,
    ConfiguredPort,
    Setting,
)
from qoslib.config.sonic.config_db import ConfigDb, Fields, local
from qoslib.config.sonic.fields import lost_by
from qoslib.config.sonic.queues import PortReader
from qoslib.config.sonic.tables import RefusedError, Tables, tables
from qoslib.config.source import ConfigurationError, check_time, without_refused
from qoslib.config.sourced import Sourced, by_name, made, with_port
from qoslib.config.values import Value
from qoslib.port import (
    Classifier,
    MemoryPool,
    Node,
    PriorityLevels,
    Queue,
    SchedulerTree,
    Shaper,
    WeightedRoundRobin,
)

__all__ = ["is_sonic", "read_sonic"]

_SURE = 0.9
_UNKNOWN = "This field is not known here; whatever it does is left out."
_AGAIN = "The same entry gives this field again, and the last one counts."
_REPLACED = "A later entry of the same name replaces this one, which is lost."
_NO_ENTRY = (
    "how the switch serves them alongside the others is not known. Nothing is promised on this"
    " port."
)
_POOL = "Other ports take memory from this pool too; here the port has it alone."
#: Tables of maps from the priorities of pauses to queues.
_PAUSED = ("MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_QUEUE_MAP")
#: Map of a port -> the table of its codes, and the kind of their marks.
_MAPS = {
    "dscp_to_tc_map": ("DSCP_TO_TC_MAP", "DSCP"),
    "dot1p_to_tc_map": ("DOT1P_TO_TC_MAP", "PCP"),
}


def is_sonic(text: str) -> float:
    """How sure it is that a text is a configuration of SONiC.

    >>> is_sonic('{"SCHEDULER": {}, "QUEUE": {}}'), is_sonic("policy-map WAN")
    (0.9, 0.0)
    """
    start = text.lstrip()[:1] in ("{", "[")
    return _SURE if start and ('"QUEUE"' in text or '"SCHEDULER"' in text) else 0.0


def read_sonic(text: str, facts: Facts) -> Configuration:
    """Read the queues of each port of a `config_db.json`.

    Queues within `cir` are served first, then the others; strict queues from the highest number
    on, before those that share by weight.

    >>> text = '''{"PORT": {"Ethernet0": {"speed": "100000"}},
    ... "SCHEDULER": {"s": {"type": "DWRR", "weight": "20"}},
    ... "QUEUE": {"Ethernet0|0-1": {"scheduler": "s"}}}'''
    >>> port = read_sonic(text, Facts({"buffer_bytes": 16e6})).ports[0].port
    >>> port.rate_bps, [queue.weight for queue in port.queues]
    (100000000000.0, [20.0, 20.0])
    """
    whole, refused = tables(text), Provenance()

    def read() -> tuple[ConfigDb, tuple[ConfiguredPort, ...]]:
        db = ConfigDb(whole, facts)
        return db, tuple(_port(db, name) for name in db.queues)

    def refuse(error: ConfigurationError) -> int:
        if not isinstance(error, RefusedError):
            return 0
        # Many queues name one scheduler: what is wrong with its name is wrong with all of them.
        alike = whole.alike(error.field)
        for field in alike:
            refused.refused(field.line, whole.remove(field), error)
        return bool(alike)

    db, ports = without_refused(read, refuse)
    if not ports:
        _note_absent(db)
    _note_fields(db.notes, whole)
    remarks = sorted(
        (*db.notes.remarks, *refused.remarks), key=lambda remark: (remark.line, remark.text)
    )
    return Configuration("sonic", ports, tuple(remarks), tuple(db.notes.statements))


def _note_absent(db: ConfigDb) -> None:
    """What is missing where no port has a queue."""
    held = db.tables
    empty = [name for name in ("QUEUE", "BUFFER_QUEUE") if held.get(name) == {}]
    for name in empty:
        lost = f"{name} is empty: no port has a queue, and nothing is checked."
        db.notes.not_modelled(held.lines[name], name, lost)
    if not empty and (name := next((table for table in held if lost_by(table, "") == ""), "")):
        lost = "The text does not hold QUEUE: no port has a queue, and nothing is checked."
        db.notes.not_modelled(held.lines[name], name, lost)


def _port(db: ConfigDb, name: str) -> ConfiguredPort:
    check_time()
    reader, line = PortReader(db, name), db.line(name)
    rate = _line_rate(reader, line)
    marks = _marks(db, name)
    own = [reader.queue(at) for at in sorted(db.queues[name])]
    queues, shaper = by_name(_by_priority(reader.strict[::-1], own)), reader.shaper()
    scheduler = _scheduler(reader, queues.part, shaper)
    classes = _classes(queues.part, marks, _lossless(db, name), line)
    port = ConfiguredPort(name, "out", None, classes, line=line)
    absent = sorted({to for _, to in marks} - {queue.name for queue in queues.part})
    if absent:
        lost = f"Its maps lead to {', '.join(absent)}, and QUEUE has no entry for them: {_NO_ENTRY}"
        db.notes.not_modelled(line, f"QUEUE: {name}", lost)
    if absent or reader.in_packets:
        return port
    if reader.notes.missing or rate is None:
        return port.replace(missing=tuple(reader.notes.missing))
    pools = _pools(db, queues.part)
    try:
        return with_port(
            port,
            db.facts,
            rate_bps=rate,
            queues=queues,
            scheduler=scheduler,
            classifier=_classifier(queues.part, marks),
            shaper=None if isinstance(scheduler, Sourced) else shaper,
            pools=pools,
        )
    except ValueError as error:
        lost = f"No port describes this: {error}. Nothing is promised on this port."
        db.notes.not_modelled(line, name, lost)
        return port


def _by_priority(strict: list[str], queues: list[Sourced[Queue]]) -> Iterator[Sourced[Queue]]:
    """Queues with their levels: strict ones from the highest number on, before all others."""
    for queue in queues:
        name = queue.part.name
        level = strict.index(name) if name in strict else len(strict)
        yield queue.with_fields(priority=level)


def _classes(
    queues: tuple[Queue, ...],
    marks: list[tuple[str, str]],
    lossless: Mapping[str, Setting],
    line: int,
) -> tuple[ConfiguredClass, ...]:
    return tuple(
        ConfiguredClass(
            queue.name,
            queue.name,
            tuple(mark for mark, to in marks if to == queue.name),
            line,
            settings=tuple(lossless[name] for name in [queue.name] if name in lossless),
        )
        for queue in queues
    )


def _lossless(db: ConfigDb, name: str) -> dict[str, Setting]:
    """Queues of the priorities whose senders a port pauses before it drops anything."""
    enabled = db.of_port(name, "pfc_enable")
    if enabled is None:
        return {}
    to_queue = next((found for table in _PAUSED if (found := _pauses(db, name, table))), {})
    priorities = enabled.value.split(",")
    queues = (to_queue.get(each.strip(), each.strip()) for each in priorities)
    return {f"queue {queue}": Setting(NO_DROP, line=enabled.line) for queue in queues}


def _pauses(db: ConfigDb, name: str, table: str) -> dict[str, str]:
    """The map from priorities that pause to queues, where it stands in this table."""
    return db.map_of(name, "pfc_to_queue_map", table) if table in db.tables else {}


def _classifier(queues: tuple[Queue, ...], marks: list[tuple[str, str]]) -> Classifier:
    names = [queue.name for queue in queues]
    rules = tuple((mark, to) for mark, to in marks if to in names)
    return Classifier(rules, names[0] if rules else "")


def _pools(db: ConfigDb, queues: tuple[Queue, ...]) -> tuple[MemoryPool, ...]:
    """The pools that a port takes memory from."""
    used = {queue.pool for queue in queues}
    pools = tuple(MemoryPool(pool, size) for pool, size in db.pools.items() if pool in used)
    if pools and len(db.queues) > 1:
        db.lose("BUFFER_POOL", pools[0].name, _POOL)
    return pools


def _scheduler(
    reader: PortReader, queues: tuple[Queue, ...], shaper: Sourced[Shaper] | None
) -> Sourced[SchedulerTree] | PriorityLevels | WeightedRoundRobin:
    """Levels, of which the first are strict: guarantees and shares are of the last alone."""
    if reader.all_in_turn(queues):
        return WeightedRoundRobin()
    if not reader.strict:
        return PriorityLevels()
    children = tuple(queue.name for queue in queues)
    root = made(Node, name=reader.port, children=children, shaper=shaper)
    return made(SchedulerTree, nodes=by_name([root]), strict_levels=len(reader.strict))


def _line_rate(reader: PortReader, line: int) -> Value | None:
    """The line rate: a fact, else `speed` of the port."""
    db, name = reader.db, reader.port
    speed, question = db.entry("PORT", local(name)).get("speed"), rate_question(name)
    rate = reader.notes.known(db.facts, name, "line_rate_bps", question, line, speed)
    if rate is None or rate is not speed:
        return rate
    speed_mbps = db.number(rate, "the speed in Mb/s", 1, 10_000_000)
    return rate._replace(value=units.mbps(speed_mbps))


def _marks(db: ConfigDb, name: str) -> list[tuple[str, str]]:
    """Marks and the queues that they lead to, by way of the traffic classes."""
    to_queue = db.map_of(name, "tc_to_queue_map", "TC_TO_QUEUE_MAP")
    found = {}
    for field, (table, kind) in _MAPS.items():
        for code, group in db.map_of(name, field, table).items():
            found[mark_of(int(code), kind)] = f"queue {to_queue.get(group, group)}"
    return list(found.items())


def _note_fields(notes: Provenance, held: Tables) -> None:
    """Note each table, entry and field on quality of service: what is understood, what is lost."""
    for table, keys in held.items():
        about = {
            key: fields
            for key, fields in keys.items()
            if any(lost_by(table, name) is not None for name in fields)
        }
        if about:
            notes.understood(held.lines[table], table)
        for key, fields in about.items():
            _note_entry(notes, table, key, fields)
    for table, name, field in held.repeated:
        if lost_by(table, name) is not None:
            notes.not_modelled(field.line, f"{name}: {field.value}", _AGAIN)
    for table, name, field in held.replaced:
        if lost_by(table, name) is not None:
            notes.refused(field.line, f"{name}: {field.value}", _REPLACED)


def _note_entry(notes: Provenance, table: str, key: str, fields: Fields) -> None:
    for name, field in fields.items():
        lost = lost_by(table, name)
        text = f"{name}: {field.value}" if name else key
        if lost == "?" and name:
            notes.unknown(field.line, text, _UNKNOWN)
        elif lost is not None and (not lost or (not name and len(fields) > 1)):
            notes.understood(field.line, text, table, key)
        elif lost:
            notes.not_modelled(field.line, text, lost)
