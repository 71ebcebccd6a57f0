"""What runs of one bottleneck have to show: link used, delay, drops, and how evenly flows share."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from qoslib import run, units
from qoslib.flows import Flow, Host
from qoslib.plots.columns import Columns
from qoslib.port import Instantaneous, PacketLimit, Port, Queue, Red, RedProfile
from qoslib.results import Result
from qoslib.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["fault", "jain_index", "outcomes", "used_share"]


def used_share(port: Port, result: Result) -> float:
    """Share of the time in which the port's line is busy [ratio]."""
    on_line_bps = result.sent_bps + units.bits(port.overhead_bytes) * result.sent_pps
    return float(on_line_bps.sum() / port.rate_bps)


def jain_index(rates_bps: np.ndarray) -> float:
    """Jain's fairness index: 1 if all rates are equal, 1/n if one flow of n has it all [ratio].

    ``(sum x)**2 / (n sum x**2)`` (Jain, Chiu and Hawe 1984; RFC 5166, section 2.3).
    """
    return float(rates_bps.sum() ** 2 / (len(rates_bps) * (rates_bps**2).sum()))


def outcomes(scenario: Scenario, results: Mapping[str, Result]) -> "pd.DataFrame":
    """A row for each run at the scenario's port, and three columns more where TCP was sent.

    Parameters
    ----------
    scenario : Scenario
        With the port of all the runs; they may differ in its droppers.
    results : mapping of str to Result
        Label of a run to its record.
    """
    return outcomes_of(scenario, results).to_frame()


def outcomes_of(scenario: Scenario, results: Mapping[str, Result]) -> Columns:
    """The same as plain columns."""
    rows = {name: _row(scenario.only_port, result) for name, result in results.items()}
    return Columns.of_rows(rows).round(2)


def _row(port, result):
    # A flow that got nothing through has no delay.
    sent = result.sent_pps > 0
    delay_s = np.average(result.delay_mean_s[sent], weights=result.sent_pps[sent])
    dropped = result.dropped_pps.sum() / result.offered_pps.sum()
    row = {
        "link used [%]": units.convert(used_share(port, result), "1", "%"),
        "mean delay [ms]": units.convert(float(delay_s), "s", "ms"),
        "dropped [%]": units.convert(float(dropped), "1", "%"),
    }
    if result.tcp is None:
        return row
    rates = units.convert(result.tcp.goodput_bps, "bit/s", "Mbit/s")
    ends = {"slowest flow [Mb/s]": rates.min(), "fastest flow [Mb/s]": rates.max()}
    return row | ends | {"fairness": jain_index(result.tcp.goodput_bps)}


def fault() -> "pd.Series[str]":
    """The counters of a port with a fault, for the exercise that asks for its name."""
    look = Red(RedProfile(3, 6), averaging=Instantaneous())
    queue = Queue("all", PacketLimit(500), look)
    port = Port("uplink", units.mbps(50), (queue,), overhead_bytes=38)
    flows = tuple(
        Flow(f"flow {n}", units.ms(30 + n), mss_bytes=1448, frame_bytes=1500) for n in range(8)
    )
    office = Scenario("office", port, (), 60.0, hosts=(Host("site", units.gbps(1), flows),))
    result = run(office, bins=6000)
    dropped = {name: int(pps.sum() * 60) for name, pps in result.dropped_by_pps.items()}
    row = _row(port, result)
    assert result.history is not None
    import pandas as pd

    return pd.Series(
        {
            "link used, mean of 60 s": f"{row['link used [%]']:.0f} %",
            "packets arrived": f"{int(result.offered_pps.sum() * 60):,}",
            "dropped by the WRED profile": f"{dropped.get('red', 0):,}",
            "dropped because the queue was full": f"{dropped.get('tail', 0):,}",
            "queue limit": "500 packets",
            "longest queue seen": f"{int(result.history.queue_packets.max())} packets",
            "mean delay": f"{row['mean delay [ms]']:.2f} ms",
        },
        name="uplink, 50 Mb/s",
    )
