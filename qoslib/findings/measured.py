"""What was measured beside a configuration: loads, queue limits, and what the models say."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.checks import Load
from qoslib.checks.loads import FRAMES_BYTES
from qoslib.checks.promises import queued
from qoslib.config import ConfiguredClass, ConfiguredPort
from qoslib.config.amounts import rate_text, share_text
from qoslib.config.guarantees import nodes_of
from qoslib.config.interfaces import may_be
from qoslib.findings.report import Compared
from qoslib.findings.under_load import scenario_of
from qoslib.measurements import Measurement, Measurements
from qoslib.port import PacketLimit, Queue

if TYPE_CHECKING:
    from qoslib.compare import Overlay

__all__ = ["about", "compared", "counted", "frames", "limits"]

#: How the name of a rate begins that says what a class was offered; the first that is there counts.
_RATES = ("offered", "queued", "class", "sent", "transmitted", "throughput", "output")
_WAYS = {"out": {"output", "egress"}, "in": {"input", "ingress"}}
#: Rates of a device and of a configuration are apart by more than this: a share, and its rounding
#: to kb/s [bit/s].
_APART, _ROUNDED_BPS = 0.01, 1000.0
#: A model that is further off does not explain a measured value.
_FAR = 0.25
#: What tables call a place that the device does not name.
_UNNAMED = {"device", "policy"}


def counted(table: Measurements, configured: ConfiguredPort) -> dict[str, float]:
    """What a device counted for each class of a port.

    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import Port, Queue
    >>> from qoslib.telemetry import rows
    >>> shown = '''GigabitEthernet0/1
    ...   Service-policy output: EDGE
    ...     Class-map: VOICE (match-any)
    ...       5 minute offered rate 3488000 bps, drop rate 0000 bps
    ... '''
    >>> port = Port("access", 1e8, (Queue("VOICE", PacketLimit(64)),))
    >>> classes = (ConfiguredClass("VOICE", "VOICE"),)
    >>> counted(rows(shown), ConfiguredPort("GigabitEthernet0/1", "out", port, classes))
    {'VOICE': 3488000.0}
    """

    own = [row for row in about(table, configured) if row.unit == "bit/s"]
    found = {}
    for name in queued(configured):
        mine = [row for row in own if row.stream == name]
        for prefix in _RATES:
            rates = [row.value for row in mine if row.quantity.startswith(prefix)]
            if rates:
                found[name] = rates[-1]
                break
    return found


def frames(table: Measurements, configured: ConfiguredPort) -> dict[str, float]:
    """The mean packet of each class of a port by what a device counted.

    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import Port, Queue
    >>> from qoslib.telemetry import rows
    >>> shown = '''GigabitEthernet0/1
    ...   Service-policy output: EDGE
    ...     Class-map: VOICE (match-any)
    ...       2000 packets, 436000 bytes
    ... '''
    >>> port = Port("access", 1e8, (Queue("VOICE", PacketLimit(64)),))
    >>> classes = (ConfiguredClass("VOICE", "VOICE"),)
    >>> frames(rows(shown), ConfiguredPort("GigabitEthernet0/1", "out", port, classes))
    {'VOICE': 218.0}
    """

    own = about(table, configured)
    low, high = FRAMES_BYTES
    found = {}
    for name in queued(configured):
        values = {row.quantity: row.value for row in own if row.stream == name}
        for prefix in _RATES:
            packets, octets = (values.get(f"{prefix}_{of}", 0.0) for of in ("packets", "bytes"))
            if packets and low <= octets / packets <= high:
                found[name] = octets / packets
                break
    return found


def about(table: Measurements, configured: ConfiguredPort) -> Measurements:
    """The rows of a table that are about a port; all, where the table names no interface."""
    if not table.experiments:
        return table
    keys = set()
    for key, name in table.experiments.items():
        interface, _, way = name.partition(" ")
        right = not way or way in _WAYS[configured.direction]
        if name in _UNNAMED or (right and may_be(interface, configured.interface)):
            keys.add(key)
    return replace(table, rows=tuple(row for row in table if row.experiment in keys))


def limits(table: Measurements, configured: ConfiguredPort) -> Iterator[str]:
    """Where the device shows another limit or rate than configured, or not all classes.

    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import Port, Queue
    >>> from qoslib.telemetry import rows
    >>> shown = '''GigabitEthernet0/1
    ...   Service-policy output: EDGE
    ...     Class-map: VIDEO (match-any)
    ...       2000 packets, 2800000 bytes
    ...       Queueing
    ...       queue limit 64 packets
    ... '''
    >>> port = Port("access", 1e8, (Queue("VIDEO", PacketLimit(208)),))
    >>> classes = (ConfiguredClass("VIDEO", "VIDEO"),)
    >>> edge = ConfiguredPort("GigabitEthernet0/1", "out", port, classes)
    >>> print(*limits(rows(shown), edge))
    VIDEO: the device shows a queue limit of 64 packets, the configuration is read as 208.
    """

    own = about(table, configured)
    named = {row.stream for row in own}
    absent = [name for name in queued(configured) if name not in named]
    if absent and table.experiments:
        yield f"The measured file has no counters of {', '.join(absent)}: is it cut off?"
    assert configured.port is not None
    queues = {queue.name: queue for queue in configured.port.queues}
    for name, each in queued(configured).items():
        queue, mine = queues[each.queue], [row for row in own if row.stream == name]
        limit = queue.limit
        packets = limit.packets if isinstance(limit, PacketLimit) else None
        counted_in = [row for row in mine if row.unit == "packets"]
        shown = _values(counted_in, "queue_limit")
        if shown and packets and shown[-1] != packets:
            yield (
                f"{name}: the device shows a queue limit of {shown[-1]:,.0f} packets,"
                f" the configuration is read as {packets:,}."
            )
        for kind, rate_bps in _rates(each, queue).items():
            yield from _other_rates(name, kind, mine, rate_bps)
        bursts = _values(mine, "priority_burst")
        burst_bytes = queue.policer.burst_bytes if queue.policer else 0
        if bursts and abs(bursts[-1] - burst_bytes) > _APART * burst_bytes:
            yield (
                f"{name}: the device shows a priority burst of {bursts[-1]:,.0f} B,"
                f" the configuration is read as {burst_bytes:,} B."
            )
    yield from _above(own, configured)


def _values(rows: Iterable[Measurement], quantity: str) -> list[float]:
    return [row.value for row in rows if row.quantity == quantity and row.is_known]


def _above(own: Measurements, configured: ConfiguredPort) -> Iterator[str]:
    """Where a class that has a child policy is shaped to another rate."""
    assert configured.port is not None
    shaped = {node.name: node.shaper for node in nodes_of(configured.port)}
    for each in configured.classes:
        if each.queue or f"class {each.name}" not in shaped:
            continue
        shaper = shaped[f"class {each.name}"]
        # The only class of a policy is all that the port sends, which has no name in a table.
        names = {f"{each.name} with its classes", *([] if "/" in each.name else [""])}
        rate_bps = shaper.rate_bps if shaper else 0.0
        mine = [row for row in own if row.stream in names]
        yield from _other_rates(each.name, "shape", mine, rate_bps)


def _other_rates(
    name: str, kind: str, rows: Iterable[Measurement], rate_bps: float
) -> Iterator[str]:
    for row in rows:
        if row.quantity != f"{kind}_rate":
            continue
        shown_bps = float(units.convert(row.value, row.unit, "bit/s"))
        if abs(shown_bps - rate_bps) > max(_APART * rate_bps, _ROUNDED_BPS):
            read_as = rate_text(rate_bps) if rate_bps else "none"
            yield (
                f"{name}: the device shows a {kind} rate of {rate_text(shown_bps)},"
                f" the configuration is read as {read_as}."
            )


def _rates(of: ConfiguredClass, queue: Queue) -> dict[str, float]:
    """The rates of a class as the configuration was read [bit/s]; 0 where it says none."""
    # Classic IOS has one number for a class: its bandwidth is the weight.
    bandwidth_bps = queue.guaranteed_bps or queue.weight
    return {
        "priority": queue.policer.rate_bps if queue.policer and "priority" in of.verbs else 0.0,
        "bandwidth": bandwidth_bps if "bandwidth" in of.verbs else 0.0,
        "shape": queue.shaper.rate_bps if queue.shaper else 0.0,
    }


def compared(
    table: Measurements, configured: ConfiguredPort, loads: Sequence[Load]
) -> tuple[tuple[Compared, ...], tuple[str, ...]]:
    """Each measured value beside the fluid's and the packets' value of the same statistic.

    See `compare.overlay`, which compares them.

    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.checks import loads
    >>> from qoslib.port import Port, Queue
    >>> from qoslib.telemetry import rows
    >>> shown = "class htb 1:10 root\\n Sent 1000000 bytes 800 pkt (dropped 210, overlimits 0)\\n"
    >>> port = Port("access", 1e7, (Queue("1:10", PacketLimit(64)),))
    >>> edge = ConfiguredPort("eth0", "out", port, (ConfiguredClass("1:10", "1:10"),))
    >>> found, _ = compared(rows(shown), edge, loads(edge, '"1:10" = "12.5 Mb/s of 1250 B"'))
    >>> dropped = next(each for each in found if each.quantity == "dropped_packets")
    >>> dropped.measured, round(dropped.fluid), round(dropped.fluid_error, 2)
    (210.0, 202, -0.04)
    """
    from qoslib.compare import overlay

    with_tcp = {load.name for load in loads if load.flows}
    own = about(table, configured)
    mine = [row for row in own if row.stream not in with_tcp]
    if not mine:
        return (), ()
    if all(load.origin == "assumed" for load in loads):
        return (), ("Nobody said what is sent, so no model is compared with it (--traffic).",)
    if not any(load.flows or load.rate_bps for load in loads):
        return (), ("Nothing is sent by the counters or by --traffic, so no model is compared.",)
    # The streams of a class that has several are found by their mark.
    labels = {load.name: load.streams[0].label for load in loads if len(load.streams) > 1}
    own = replace(own, rows=tuple(_named(row, labels) for row in mine))
    # The fluid model of TCP has one queue: with several a stream stands for TCP in both models.
    several = configured.port is not None and len(configured.port.queues) > 1
    try:
        scenario = scenario_of(configured, loads, tcp=not several)
        found = overlay(scenario, own, progress=lambda done, total: None)
    except ValueError as error:
        return (), (f"Measured values are not compared: {error}",)
    rows = _rows(found, {label: name for name, label in labels.items()})
    notes = [f"Not compared: {name}, which carries TCP." for name in sorted(with_tcp)]
    notes += _unexplained(rows)
    if notes and several:
        notes.append("For this comparison a stream that keeps its queue busy stands for TCP.")
    return rows, (*found.notes, *notes)


def _named(row: Measurement, names: Mapping[str, str]) -> Measurement:
    return row._replace(stream=names.get(row.stream, row.stream))


def _rows(found: "Overlay", by_label: dict[str, str]) -> tuple[Compared, ...]:
    """Each value that is not 0 everywhere beside those of the models."""
    rows = []
    for value, by_model in found.by_value():
        said = {model: row for model, row in by_model.items() if row.modelled is not None}
        if said and (value.value or any(row.modelled for row in said.values())):
            values = {model: row.modelled for model, row in said.items()}
            errors = {f"{model}_error": row.error for model, row in said.items()}
            name = by_label.get(value.stream, value.stream)
            rows.append(Compared(name, value.quantity, value.unit, value.value, **values, **errors))
    return tuple(rows)


def _unexplained(rows: Sequence[Compared]) -> list[str]:
    """The classes for which no model comes near what was measured."""
    far: dict[str, list[Compared]] = {}
    for row in rows:
        errors = [e for e in (row.fluid_error, row.packets_error) if e is not None]
        if row.measured and errors and min(map(abs, errors)) > _FAR:
            far.setdefault(row.name or "all", []).append(row)
    return [
        f"{name}: no model explains {', '.join(r.quantity.replace('_', ' ') for r in of)}: each is"
        f" more than {share_text(_FAR)} off. The load, the limits or what the device does differ"
        " from what is described here; do not rest a decision on these models."
        for name, of in far.items()
    ]
