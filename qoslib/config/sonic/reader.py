"""`config_db.json` of SONiC as ports: schedulers, buffers, WRED and maps."""

import re
from typing import Any

from qoslib import units
from qoslib.config.code_points import mark_of
from qoslib.config.facts import Facts
from qoslib.config.records import (
    Configuration,
    ConfiguredClass,
    ConfiguredPort,
    Origin,
    Remark,
    Statement,
    refusal,
)
from qoslib.config.sonic.entries import Reading
from qoslib.config.sonic.fields import lost_by
from qoslib.config.sonic.queues import queue_of, shaper_of
from qoslib.config.sonic.tables import Tables, tables
from qoslib.config.source import ConfigurationError, TakesTooLongError, check_time
from qoslib.port import (
    Classifier,
    MemoryPool,
    Node,
    Port,
    PriorityLevels,
    Queue,
    SchedulerTree,
    Shaper,
)

__all__ = ["is_sonic", "read_sonic"]

_SURE = 0.9
#: After so many refused entries the text is taken for none.
_MOST_REFUSED = 100


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
    found, refused = tables(text), list[Remark]()
    while True:
        try:
            return _read(text, found, facts, refused)
        except TakesTooLongError:
            raise
        except ConfigurationError as error:
            # A device refuses an entry, not a configuration.
            gone = _without(found, error)
            if not gone or len(refused) >= _MOST_REFUSED:
                raise
            refused += [refusal(error, error.line or 1, each) for each in gone]


def _read(text: str, found: Tables, facts: Facts, refused: list[Remark]) -> Configuration:
    reading = Reading(found, facts)
    ports = []
    by_port = reading.queues()
    for name, numbers in by_port.items():
        check_time()
        ports.append(_port(reading, name, sorted(numbers), len(by_port)))
    if not ports:
        _no_ports(reading)
    statements, remarks = _sorted_out(reading, refused)
    lines = text.count("\n") + 1
    return Configuration("sonic", tuple(ports), tuple(remarks), tuple(statements), lines)


def _without(found: Tables, error: ConfigurationError) -> list[str]:
    """Take out what an error is about: the field, or the entry, that its line and words name."""
    named = re.findall(r"'([^']+)'", str(error))
    there = [
        (table, key, name, field)
        for table, keys in found.items()
        for key, fields in keys.items()
        for name, field in fields.items()
        if field.line == error.line and lost_by(table, name) is not None
    ]
    exact = [
        each for each in there if each[2] and any(n in (each[2], each[3].value) for n in named)
    ]
    inside = [each for each in there if any(word in each[3].value for word in named)]
    entries = [each for each in there if not each[2] and each[1] in named]
    single = [each for each in there if each[2]]
    wrong = exact or inside or entries or (single if len(single) == 1 else [])
    for table, key, name, _ in wrong:
        if name:
            del found[table][key][name]
        else:
            found[table].pop(key, None)
    return [f"{name}: {field.value}" if name else key for _, key, name, field in wrong]


def _no_ports(reading: Reading) -> None:
    """What is missing where no port has a queue."""
    empty = [name for name in ("QUEUE", "BUFFER_QUEUE") if reading.tables.get(name) == {}]
    for name in empty:
        line = reading.tables.lines[name]
        lost = f"{name} is empty: no port has a queue, and nothing is checked."
        reading.remarks.append(Remark("not modelled", line, name, lost))
    if not empty and (of := next((n for n in reading.tables if lost_by(n, "") == ""), "")):
        lost = "The text does not hold QUEUE: no port has a queue, and nothing is checked."
        reading.remarks.append(Remark("not modelled", reading.tables.lines[of], of, lost))


def _port(reading: Reading, name: str, numbers: list[int], ports: int) -> ConfiguredPort:
    facts, line = reading.facts, reading.line("QUEUE", name)
    reading.start(name)
    rate_bps = _rate_bps(reading, name, line)
    marks = _marks(reading, name)
    queues = [queue_of(reading, name, number) for number in numbers]
    strict = [q.name for q in reversed(queues) if reading.strict[q.name]]
    queues = [
        queue.replace(priority=strict.index(queue.name) if queue.name in strict else len(strict))
        for queue in queues
    ]
    classes = tuple(
        ConfiguredClass(
            queue.name, queue.name, tuple(mark for mark, of in marks if of == queue.name), line
        )
        for queue in queues
    )
    configured = ConfiguredPort(name, "out", None, classes, line=line)
    shaper = shaper_of(reading, name, f"scheduler.nodes[{name!r}].shaper" if strict else "shaper")
    if reading.in_packets:
        return configured
    if reading.missing or rate_bps is None:
        return configured.replace(missing=tuple(reading.missing))
    more: dict[str, Any] = {}
    for kind in ("overhead_bytes", "base_delay_s"):
        value = facts.number(name, kind)
        if value is not None:
            more[kind] = value
            reading.origins.append(Origin(kind, fact=facts.name(name, kind)))
    used = {queue.pool for queue in queues if queue.pool}
    pools = tuple(MemoryPool(pool, size) for pool, size in reading.pools().items() if pool in used)
    if pools and ports > 1:
        reading.lose("BUFFER_POOL", pools[0].name, "Other ports take memory from this pool too;"
                     " here the port has it alone.")  # fmt: skip
    names = {queue.name for queue in queues}
    rules = tuple((mark, queue) for mark, queue in marks if queue in names)
    try:
        port = Port(
            name,
            rate_bps,
            tuple(queues),
            _scheduler(name, queues, len(strict), shaper),
            classifier=Classifier(rules, queues[0].name if rules else ""),
            pools=pools,
            shaper=None if strict else shaper,
            **more,
        )
    except ConfigurationError:
        raise
    except ValueError as error:
        lost = f"No port describes this: {error}. Nothing is promised on this port."
        reading.remarks.append(Remark("not modelled", line, name, lost))
        return configured
    return configured.replace(port=port, origins=tuple(reading.origins))


def _scheduler(
    name: str, queues: list[Queue], strict: int, shaper: Shaper | None
) -> PriorityLevels | SchedulerTree:
    """Levels, of which the first are strict: guarantees and shares are of the last alone."""
    if not strict:
        return PriorityLevels()
    node = Node(name, tuple(queue.name for queue in queues), shaper=shaper)
    return SchedulerTree((node,), strict)


def _rate_bps(reading: Reading, name: str, line: int) -> float | None:
    facts = reading.facts
    given = facts.number(name, "line_rate_bps")
    if given:
        fact = facts.name(name, "line_rate_bps")
        reading.origins.append(Origin("rate_bps", fact=fact))
        return given
    speed = reading.field("PORT", name, "speed")
    if speed is None:
        question = f"What is the line rate of {name}?"
        reading.missing.append(facts.missing(name, "line_rate_bps", question, line))
        return None
    reading.origins.append(Origin("rate_bps", speed.line))
    return units.mbps(reading.number(speed, "the speed in Mb/s", 1, 10_000_000))


def _marks(reading: Reading, name: str) -> list[tuple[str, str]]:
    """Marks and the queues that they lead to, by way of the traffic classes."""
    to_queue = reading.map_of(name, "tc_to_queue_map", "TC_TO_QUEUE_MAP")
    found = []
    for kind, table in (
        ("dscp_to_tc_map", "DSCP_TO_TC_MAP"),
        ("dot1p_to_tc_map", "DOT1P_TO_TC_MAP"),
    ):
        for code, group in reading.map_of(name, kind, table).items():
            mark = mark_of(int(code), "DSCP" if kind.startswith("dscp") else "PCP")
            found.append((mark, f"queue {to_queue.get(group, group)}"))
    return list(dict(found).items())


def _sorted_out(reading: Reading, refused: list[Remark]) -> tuple[list[Statement], list[Remark]]:
    statements, remarks = [], [*reading.remarks, *refused]
    for table, keys in reading.tables.items():
        about = [key for key in keys if any(lost_by(table, n) is not None for n in keys[key])]
        if about:
            statements.append(Statement(reading.tables.lines[table], table))
        for key in about:
            fields = keys[key]
            for name, field in fields.items():
                lost = lost_by(table, name)
                text = f"{name}: {field.value}" if name else key
                if lost == "?" and name:
                    sentence = "This field is not known here; whatever it does is left out."
                    remarks.append(Remark("unknown", field.line, text, sentence))
                elif lost is not None and (not lost or (not name and len(fields) > 1)):
                    statements.append(Statement(field.line, text, (table, key)))
                elif lost:
                    remarks.append(Remark("not modelled", field.line, text, lost))
    for table, name, field in reading.tables.repeated:
        if lost_by(table, name) is not None:
            lost = "The same entry gives this field again, and the last one counts."
            remarks.append(Remark("not modelled", field.line, f"{name}: {field.value}", lost))
    for table, name, field in reading.tables.replaced:
        if lost_by(table, name) is not None:
            lost = "Its entry stands in the text again, and the last one counts: this is lost."
            remarks.append(Remark("refused", field.line, f"{name}: {field.value}", lost))
    return statements, sorted(set(remarks), key=lambda each: (each.line, each.text))
