"""TCP over time: windows, round trips, the queue, and what arrives."""

from collections.abc import Mapping, Sequence

import pandas as pd

from qoslib import units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.tcp import OverTime, over_time
from qoslib.units import Floats

__all__ = ["tcp_over_time"]

#: Titles of the panels, with units.
PANELS = ("windows [MB]", "round trip [ms]", "queue [MB]", "TCP [Gb/s of data]")
COLUMNS = ("windows [MB]", "round trip [ms]", "queue [MB]", "rate [Gb/s]")

#: The classes whose looks the results have, in their order: far apart.
LIKE = ("BE", "CS4", "CS3", "CS1")


def tcp_over_time(scenario: Scenario, results: Mapping[str, Result]) -> Figure:
    """Windows, round trip, queue and rate over time, one colour a result.

    Parameters
    ----------
    scenario : Scenario
        Its hosts' flows are drawn together.
    results : mapping of str to Result
        Label to a result of `qoslib.tcp`; the fluid model is a thick line, packets a thin one.

    Returns
    -------
    Figure
        Four panels over time.

    Raises
    ------
    ValueError
        If a result is of no TCP model.

    Examples
    --------
    >>> from qoslib.flows import Flow, Host
    >>> from qoslib.port import ByteLimit, Port, Queue
    >>> from qoslib.scenario import Scenario
    >>> from qoslib.tcp import simulate
    >>> port = Port("wan", 1e9, (Queue("all", ByteLimit(500_000)),))
    >>> hosts = (Host("server", 10e9, (Flow("copy", 0.020),)),)
    >>> scenario = Scenario("copy", port, (), hosts=hosts)
    >>> result = simulate(port, hosts, 1.0)
    >>> list(tcp_over_time(scenario, {"this run": result}).table)[:2]
    ['this run windows [MB]', 'this run round trip [ms]']
    """
    drawn = {label: _drawn(over_time(scenario, each)) for label, each in results.items()}
    traces = []
    for place, (label, (x, panels)) in enumerate(drawn.items()):
        kind = "fluid" if results[label].model == "fluid" else "packets"
        look = style.look(LIKE[place % len(LIKE)])
        for panel, y in enumerate(panels):
            trace = style.line(kind, label, x, y, panel, as_look=look, uid=f"{place}-{panel}")
            traces.append(trace | {"mode": "lines"})
    layout = style.layout(PANELS, "time [s]", [{"rangemode": "tozero"}])
    summary = " ".join(_sentence(label, results[label], *drawn[label]) for label in drawn)
    table = pd.concat([_table(label, *values) for label, values in drawn.items()], axis=1)
    return Figure(data=traces, layout=layout, summary=summary, table=table)


def _drawn(found: OverTime) -> tuple[Floats, Sequence[Floats]]:
    """Time [s], and the panels in their units."""
    panels = (
        units.convert(found.windows_bytes, "B", "MB"),
        units.convert(found.round_trip_s, "s", "ms"),
        units.convert(found.queue_bytes, "B", "MB"),
        units.convert(found.carried_bps, "bit/s", "Gbit/s"),
    )
    return found.time_s, panels


def _table(label: str, x: Floats, panels: Sequence[Floats]) -> pd.DataFrame:
    """Ten moments are enough to read."""
    every = slice(len(x) // 20, None, max(1, len(x) // 10))
    columns = {f"{label} {title}": y[every] for title, y in zip(COLUMNS, panels, strict=True)}
    return pd.DataFrame(columns, index=pd.Index(x[every].round(2), name="time [s]")).round(2)


def _sentence(label: str, result: Result, x: Floats, panels: Sequence[Floats]) -> str:
    assert result.tcp is not None, "its moments were worked out"
    windows, _, queue, rate = panels
    lost = result.dropped_pps[: len(result.tcp.flows)].sum() * result.duration_s
    return (
        f"{label}: the windows reach {windows.max():.3g} MB and end at {windows[-1]:.3g} MB; at"
        f" most {queue.max():.3g} MB wait in the queue, {lost:,.0f} TCP packets are lost, and"
        f" {rate.mean():.3g} Gb/s of data arrive."
    )
