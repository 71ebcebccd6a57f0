"""`config_db.json` of SONiC as ports: schedulers, buffers, WRED and maps."""

from typing import Any

from qoslib import units
from qoslib.config.facts import Facts
from qoslib.config.reading import (
    Configuration,
    ConfiguredClass,
    ConfiguredPort,
    Origin,
    Remark,
    Statement,
)
from qoslib.config.sonic.entries import Reading
from qoslib.config.sonic.queues import queue_of, shaper_of
from qoslib.config.sonic.tables import shown, tables
from qoslib.config.text import ConfigurationError, check_time
from qoslib.port import Classifier, MemoryPool, Port, PriorityLevels

__all__ = ["is_sonic", "read_sonic"]

_SURE = 0.9
#: Tables on quality of service: what is lost by leaving one out; empty where nothing is.
_TABLES = {
    "QUEUE": "",
    "SCHEDULER": "",
    "WRED_PROFILE": "",
    "BUFFER_POOL": "",
    "BUFFER_PROFILE": "",
    "BUFFER_QUEUE": "",
    "DSCP_TO_TC_MAP": "",
    "DOT1P_TO_TC_MAP": "",
    "TC_TO_QUEUE_MAP": "",
    "PORT_QOS_MAP": "",
    "BUFFER_PG": "What is kept for packets as they come in is left out.",
    "TC_TO_PRIORITY_GROUP_MAP": "What is kept for packets as they come in is left out.",
    "MAP_PFC_PRIORITY_TO_QUEUE": "Pauses of single priorities (IEEE 802.1Qbb) are left out.",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": "Pauses of single priorities are left out.",
    "PFC_WD": "Pauses of single priorities (IEEE 802.1Qbb) are left out.",
    "CABLE_LENGTH": "Room for packets on their way while a port pauses is left out.",
    "POLICER": "The policers of access lists are left out.",
    "TC_TO_DSCP_MAP": "",
}
#: Fields of a table that is read: what is lost by leaving one out.
_FIELDS = {
    "pfc_enable": "Pauses of single priorities (IEEE 802.1Qbb) are left out.",
    "pfcwd_sw_enable": "Pauses of single priorities (IEEE 802.1Qbb) are left out.",
    "tc_to_pg_map": "What is kept for packets as they come in is left out.",
    "pfc_to_queue_map": "Pauses of single priorities (IEEE 802.1Qbb) are left out.",
    "pfc_to_pg_map": "Pauses of single priorities (IEEE 802.1Qbb) are left out.",
}
_COLOURS = ("yellow_", "red_", "wred_yellow", "wred_red")


def is_sonic(text: str) -> float:
    """How sure it is that a text is a configuration of SONiC.

    Parameters
    ----------
    text : str

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> is_sonic('{"SCHEDULER": {}, "QUEUE": {}}'), is_sonic("policy-map WAN")
    (0.9, 0.0)
    """
    start = text.lstrip()[:1] in ("{", "[")
    return _SURE if start and ('"QUEUE"' in text or '"SCHEDULER"' in text) else 0.0


def read_sonic(text: str, facts: Facts) -> Configuration:
    """Read the queues of each port of a `config_db.json`.

    Queues within `cir` are served first, then the others; strict queues from the highest number
    on, before those that share by weight.

    Parameters
    ----------
    text : str
    facts : Facts
        `buffer_bytes` where the text has no buffers.

    Returns
    -------
    Configuration

    Raises
    ------
    ConfigurationError
        If it cannot be read.

    Examples
    --------
    >>> text = '''{"PORT": {"Ethernet0": {"speed": "100000"}},
    ... "SCHEDULER": {"s": {"type": "DWRR", "weight": "20"}},
    ... "QUEUE": {"Ethernet0|0-1": {"scheduler": "s"}}}'''
    >>> port = read_sonic(text, Facts({"buffer_bytes": 16e6})).ports[0].port
    >>> port.rate_bps, [queue.weight for queue in port.queues]
    (100000000000.0, [20.0, 20.0])
    """
    reading = Reading(tables(text), facts)
    ports = []
    by_port = reading.queues()
    for name, numbers in by_port.items():
        check_time()
        ports.append(_port(reading, name, sorted(numbers), len(by_port)))
    statements, remarks = _sorted_out(reading)
    lines = text.count("\n") + 1
    return Configuration("sonic", tuple(ports), tuple(remarks), tuple(statements), lines)


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
            PriorityLevels(),
            classifier=Classifier(rules, queues[0].name if rules else ""),
            pools=pools,
            shaper=shaper_of(reading, "PORT_QOS_MAP", name, "shaper"),
            **more,
        )
    except ConfigurationError:
        raise
    except ValueError as error:
        raise ConfigurationError(f"{shown(name)}: {error}", line) from None
    return configured.replace(port=port, origins=tuple(reading.origins))


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
            mark = reading.mark(code) if kind.startswith("dscp") else f"PCP {code}"
            found.append((mark, f"queue {to_queue.get(group, group)}"))
    return list(dict(found).items())


def _sorted_out(reading: Reading) -> tuple[list[Statement], list[Remark]]:
    statements, remarks = [], list(reading.remarks)
    for table, keys in reading.tables.items():
        lost = _TABLES.get(table)
        if lost is None:
            continue
        for key, fields in keys.items():
            for name, field in fields.items():
                if not name and len(fields) > 1:
                    continue
                text = f"{name}: {field.value}" if name else key
                sentence = lost or _FIELDS.get(name, "")
                if table == "WRED_PROFILE" and name.startswith(_COLOURS):
                    sentence = (
                        "Packets have no colour here: thresholds of yellow and red are left out."
                    )
                if sentence:
                    remarks.append(Remark("not modelled", field.line, text, sentence))
                else:
                    statements.append(Statement(field.line, text, (table, key)))
    return statements, sorted(set(remarks), key=lambda each: (each.line, each.text))
