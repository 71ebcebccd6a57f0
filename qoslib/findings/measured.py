"""Counters of a device beside its configuration: loads, drops and queue limits, class by class."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.config import ConfiguredPort
from qoslib.config.promises import queued
from qoslib.findings.report import ClassRun
from qoslib.port import PacketLimit

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["beside", "counted"]

#: How the name of a rate begins that says what a class was offered; the first that is there counts.
_RATES = ("offered", "queued", "class", "sent", "transmitted", "throughput", "output")
_WAYS = {"out": "output", "in": "input"}


def counted(table: "pd.DataFrame", configured: ConfiguredPort) -> dict[str, float]:
    """What a device counted for each class of a port.

    Parameters
    ----------
    table : DataFrame
        From `telemetry.read`.
    configured : ConfiguredPort

    Returns
    -------
    dict of str to float
        Class and its offered load [bit/s]; empty where the table has none of this interface.

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import Port, Queue
    >>> from qoslib.telemetry import read
    >>> shown = '''GigabitEthernet0/1
    ...   Service-policy output: EDGE
    ...     Class-map: VOICE (match-any)
    ...       5 minute offered rate 3488000 bps, drop rate 0000 bps
    ... '''
    >>> port = Port("access", 1e8, (Queue("VOICE", PacketLimit(64)),))
    >>> classes = (ConfiguredClass("VOICE", "VOICE"),)
    >>> counted(read(shown), ConfiguredPort("GigabitEthernet0/1", "out", port, classes))
    {'VOICE': 3488000.0}
    """
    own = _own(table, configured)
    found = {}
    for name in queued(configured):
        for prefix in _RATES:
            rates = own[
                (own["stream"] == name)
                & (own["unit"] == "bit/s")
                & own["quantity"].str.startswith(prefix)
            ]
            if len(rates):
                found[name] = float(rates["value"].iloc[-1])
                break
    return found


def _own(table: "pd.DataFrame", configured: ConfiguredPort) -> "pd.DataFrame":
    """The rows of an interface; all, where the table names none."""
    names = table.attrs.get("experiments", {})
    wanted = {configured.interface, f"{configured.interface} {_WAYS[configured.direction]}"}
    keys = [key for key, name in names.items() if name in wanted]
    return table[table["experiment"].isin(keys)] if names else table


def beside(
    table: "pd.DataFrame", configured: ConfiguredPort, runs: Sequence[ClassRun]
) -> Iterator[str]:
    """What the device shows that the configuration or a model says otherwise, a sentence each.

    Parameters
    ----------
    table : DataFrame
        From `telemetry.read`.
    configured : ConfiguredPort
    runs : sequence of ClassRun
        Of this port at the load that was counted.

    Yields
    ------
    str

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import Port, Queue
    >>> from qoslib.telemetry import read
    >>> shown = '''GigabitEthernet0/1
    ...   Service-policy output: EDGE
    ...     Class-map: VIDEO (match-any)
    ...       2000 packets, 2800000 bytes
    ...       Queueing
    ...       queue limit 64 packets
    ...       (queue depth/total drops/no-buffer drops) 10/20/0
    ... '''
    >>> port = Port("access", 1e8, (Queue("VIDEO", PacketLimit(208)),))
    >>> classes = (ConfiguredClass("VIDEO", "VIDEO"),)
    >>> edge = ConfiguredPort("GigabitEthernet0/1", "out", port, classes)
    >>> print(*beside(read(shown), edge, ()), sep="\\n")
    VIDEO: the device shows a queue limit of 64 packets, the configuration is read as 208.
    VIDEO: the device dropped 20 of 2,000 packets, 1 %.
    """
    own = _own(table, configured)
    assert configured.port is not None
    queues = {queue.name: queue for queue in configured.port.queues}
    modelled = {run.name: run for run in runs if run.load_ratio == 1}
    for name, each in queued(configured).items():
        values = own[own["stream"] == name].set_index("quantity")
        totals = values["value"][~values.index.duplicated(keep="last")]
        shown, limit = totals.get("queue_limit"), queues[each.queue].limit
        packets = limit.packets if isinstance(limit, PacketLimit) else None
        if shown is not None and packets and _in_packets(values) and shown != packets:
            yield (
                f"{name}: the device shows a queue limit of {shown:,.0f} packets,"
                f" the configuration is read as {packets:,}."
            )
        sent = totals.get("class_packets")
        dropped = sum(
            float(value)
            for quantity, value in totals.items()
            if str(quantity) in ("queue_dropped_packets", "exceed_dropped_packets")
        )
        if sent and dropped:
            text = f"{name}: the device dropped {dropped:,.0f} of {sent:,.0f} packets, "
            text += f"{units.convert(dropped / sent, '1', '%'):.2g} %"
            run = modelled.get(name)
            if run and run.drop_ratio is not None:
                percent = units.convert(run.drop_ratio, "1", "%")
                text += f"; the {run.model} model says {percent:.2g} % at the rates of now"
            yield f"{text}."


def _in_packets(values: "pd.DataFrame") -> bool:
    return str(values.loc[["queue_limit"], "unit"].iloc[-1]) == "packets"
