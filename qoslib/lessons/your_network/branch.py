"""The branch of lesson 13: its configuration, what it sends, and the carrier behind it."""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from qoslib import config, findings, run, units
from qoslib.findings import Report
from qoslib.plots.columns import Columns
from qoslib.port import Chain, Hop, PacketLimit, Policer, Port, Queue
from qoslib.results import Result, StreamResult
from qoslib.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FACTS",
    "SHAPED_BPS",
    "compared",
    "configuration",
    "counters",
    "larger",
    "listed",
    "losses",
    "probe",
    "router",
    "table",
    "traffic",
    "way",
]

#: What the configuration has no place for: the contract with the carrier, and what it counts.
CONTRACT_BPS, ADDED_BYTES = units.mbps(20), 20
FACTS: dict[str, float | str] = {"contract_bps": CONTRACT_BPS, "overhead_bytes": ADDED_BYTES}
#: The shaper of today.
SHAPED_BPS = units.mbps(50)
#: The carrier's queue, an assumption; and, if it polices instead, its bucket.
CARRIER_PACKETS, CARRIER_BURST_BYTES = 50, 25_000

#: Losses that differ by less are about the same [ratio].
ALIKE = 0.02


@cache
def _texts() -> dict[str, str]:
    path = Path(__file__).with_name("texts.toml")
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: text.lstrip("\n") for name, text in found.items()}


def configuration(shape_bps: float = SHAPED_BPS) -> str:
    """The configuration of the branch's router, with a shaper of this rate [bit/s]."""
    return _texts()["configuration"].format(shape=shape_bps)


def traffic() -> str:
    """What is sent to each class, as in ``traffic.toml``."""
    return _texts()["traffic"]


def counters() -> str:
    """What ``show policy-map interface`` shows after ten minutes."""
    return _texts()["counters"]


def probe() -> str:
    """What iperf3 says of a call of its own across the carrier, as JSON."""
    return _texts()["probe"]


def router(text: str) -> Scenario:
    """The port of a configuration with the branch's traffic, and nothing behind it."""
    reading = config.read(text, facts=FACTS)
    configured = reading.ports[0]
    given = findings.Given(config.Facts(FACTS), traffic())
    scenario = findings.scenario_of(configured, findings.offered(reading, configured, given))
    return scenario.replace(name="the router alone")


def way(text: str, polices: bool = False, packets: int = CARRIER_PACKETS) -> Scenario:
    """The same, and the carrier behind it: one queue, or a policer, that knows no classes."""
    queue, rate_bps = Queue("all", PacketLimit(packets)), CONTRACT_BPS
    if polices:
        policer = Policer(CONTRACT_BPS, CARRIER_BURST_BYTES, overhead_bytes=ADDED_BYTES)
        queue, rate_bps = queue.replace(policer=policer), units.gbps(1)
    carrier = Port("carrier", rate_bps, (queue,), overhead_bytes=ADDED_BYTES)
    alone = router(text)
    assert isinstance(alone.network, Port)
    name = f"the carrier's {'policer' if polices else 'queue'} behind it"
    return alone.replace(name=name, network=Chain("way", (Hop(alone.network), Hop(carrier))))


def losses(shaped_mbps: Iterable[float]) -> "pd.DataFrame":
    """What each class loses on the whole way at several rates of the shaper [%]."""
    rows = {rate: _lost(run(way(configuration(units.mbps(rate))))) for rate in shaped_mbps}
    table = Columns.of_rows(rows, "shaper [Mb/s]").round(1).to_frame()
    return table.rename_axis("modelled loss [%]", axis="columns")


def larger(one: StreamResult, other: StreamResult) -> str:
    """Which of two streams loses the larger share, or that both lose about the same."""
    if abs(one.drop_ratio - other.drop_ratio) < ALIKE:
        return "both about the same"
    return one.name if one.drop_ratio > other.drop_ratio else other.name


def _lost(result: Result) -> dict[str, float]:
    return {name: units.convert(result[name].drop_ratio, "1", "%") for name in result.streams}


def compared(old: str, new: str) -> "pd.DataFrame":
    """What each class loses in the router and on the whole way before and after a change."""
    results = {"before": run(way(old)), "after": run(way(new))}
    rows: dict[str, dict[str, float]] = {}
    for what, values in {
        "dropped by the router {} [%]": lambda result: _lost(result.hops[0]),
        "lost on the whole way {} [%]": _lost,
        "p99 of the delay {} [ms]": _waits,
    }.items():
        rows |= {what.format(when): values(result) for when, result in results.items()}
    return Columns.of_rows(rows).round(1).to_frame()


def _waits(result: Result) -> dict[str, float]:
    return {name: units.convert(result[name].delay_p99_s, "s", "ms") for name in result.streams}


def table(report: Report) -> "pd.DataFrame":
    """The classes of a report: what is sent to them, and what they are promised."""
    rows = {
        each.name: {
            "marks": each.marks,
            "offered": each.offered.text,
            "minimum": each.minimum.text,
            "maximum": each.maximum.text,
            "full queue": each.queue.text,
        }
        for port in report.ports
        for each in port.rows
    }
    return Columns.of_rows(rows).to_frame()


def listed(report: Report) -> None:
    """Print the findings of a report, and what it assumes."""
    for each in report.findings:
        print(f"{each.severity}, line {each.line}, {each.id}: {each.sentence}")
        print(f"   {each.arithmetic}")
        if each.fix:
            print("   fix: " + each.fix.replace("\n", "\n        "))
    for text in report.assumed:
        print(f"assumed: {text}")
    print(report.summary)
