"""What a buffer carries: the packet model where it is not too long a run, else a formula."""

import math
from typing import NamedTuple

import numpy as np

from qoslib import run, tcp, units
from qoslib.flows import Cubic, Flow, FqPacing, Host
from qoslib.packets.progress import Progress
from qoslib.port import ByteLimit, Port, Queue
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.traffic import Stream
from qoslib.worksheet.path import AROUND_BYTES, ETHERNET_BYTES, HEADERS_BYTES, Path, readable

__all__ = [
    "MOST_PACKETS",
    "PARTED",
    "TEST_S",
    "WHOLE_S",
    "Shown",
    "carried",
    "paced",
    "run_s",
]

#: Length of the test, start included, and the longest run, which shows the long run after it [s].
#: A long run is at least as long as the test again.
TEST_S, WHOLE_S = 30.0, 120.0
#: Most packets that the packet model is given to simulate.
MOST_PACKETS = 2e7
#: Most flows that the models are given.
MOST_FLOWS, MOST_FLUID_FLOWS = 1000, 16
#: Most round trips that the fluid model runs: about a second.
MOST_FLUID_ROUNDS = 50_000
#: Senders' links, as times the line's rate: what meets at the port comes faster than it leaves.
ACCESS = 10
#: Below this share of one product over the root of the flows, bursts set the limit.
SMALL = 0.2
#: The same below so many packets, whatever the product: it takes 10 to 20 for senders that are
#: not paced (Enachescu and others 2006, doi:10.1109/INFOCOM.2006.240).
FEW_PACKETS = 20
#: With fewer packets for each flow, timeouts set the limit: fast retransmit needs three duplicate
#: ACKs (RFC 5681, section 3.2).
FEW_EACH = 4
#: A test of fewer round trips is mostly slow start.
FEW_TRIPS = 100
#: Two models that differ by more are said to.
PARTED = 0.1


class Shown(NamedTuple):
    """A rate, and what gave it: 'packets', 'fluid', 'formula', or 'bound' for at most so much."""

    bps: float
    by: str


def carried(
    path: Path, buffer_bytes: float, progress: Progress | None = None
) -> tuple[Shown, Shown | None, str]:
    """Payload that a buffer carries, in the long run and in a test of half a minute.

    Up to `MOST_PACKETS` the packet model with CUBIC gives both. Beyond that the long run is
    `qoslib.tcp.formulas` of Reno flows that lose together, and the test the fluid model's.
    """
    fluid = _fluid(path, buffer_bytes)
    seconds = run_s(path)
    if seconds is None:
        test = None if fluid is None else Shown(_between(fluid, 0.0, TEST_S), "fluid")
        return _formula(path, buffer_bytes), test, " ".join(fluid.notes) if fluid else ""
    result = _simulated(_scenario(path, buffer_bytes, seconds), progress)
    test = Shown(_between(result, 0.0, TEST_S), "packets")
    if seconds > TEST_S:
        long_run = Shown(_between(result, TEST_S, seconds), "packets")
    else:
        long_run = _formula(path, buffer_bytes)
    return long_run, test, _parted(test, fluid, path)


def paced(
    path: Path, buffer_bytes: float, paced_bps: float, progress: Progress | None = None
) -> tuple[Shown, float | None]:
    """What flows paced at this rate carry in a test, and the share of packets they lose [ratio].

    The loss is None where no model simulates it.
    """
    if run_s(path) is None:
        payload = (path.packet_bytes - HEADERS_BYTES) / (path.packet_bytes + ETHERNET_BYTES)
        return Shown(min(path.flows * paced_bps * payload, path.most_bps), "formula"), None
    result = _simulated(_scenario(path, buffer_bytes, TEST_S, paced_bps), progress)
    flows = slice(0, path.flows)
    lost = result.dropped_pps[flows].sum() / result.offered_pps[flows].sum()
    return Shown(_between(result, 0.0, TEST_S), "packets"), float(lost)


def run_s(path: Path) -> float | None:
    """How long the packet model may run [s]: the test and more, the test alone, or None."""
    if path.flows > MOST_FLOWS:
        return None
    most_s = min(WHOLE_S, MOST_PACKETS / path.packets_pps)
    if most_s < TEST_S:
        return None
    return most_s if most_s >= 2 * TEST_S else TEST_S


def _scenario(
    path: Path, buffer_bytes: float, seconds: float, paced_bps: float | None = None
) -> Scenario:
    """A host a flow, none in step with another: a start in the first second, and jitter."""
    queue = Queue("all", ByteLimit(math.ceil(buffer_bytes)))
    pacing = None if paced_bps is None else FqPacing(paced_bps)
    flow = Flow(
        "flow",
        path.round_trip_s,
        Cubic(),
        window_bytes=None if path.window_bytes is None else math.ceil(path.window_bytes),
        mss_bytes=path.packet_bytes - HEADERS_BYTES,
        frame_bytes=path.packet_bytes,
    )
    hosts = tuple(
        Host(
            f"sender {n + 1}",
            ACCESS * path.rate_bps,
            (flow.replace(name=f"flow {n + 1}", start_s=n / path.flows),),
            pacing=pacing,
            jitter_s=1 / path.packets_pps,
        )
        for n in range(path.flows)
    )
    return Scenario(
        "worksheet",
        Port("port", path.rate_bps, (queue,), overhead_bytes=AROUND_BYTES),
        (Stream("background", path.background_bps, path.packet_bytes),),
        seconds,
        hosts=hosts,
    )


def _simulated(scenario: Scenario, progress: Progress | None) -> Result:
    result = run(scenario.replace(seed=1), progress=progress)
    if result.interrupted:
        # What was asked for is not known: a sheet without it would be wrong.
        raise KeyboardInterrupt
    return result


def _between(result: Result, from_s: float, upto_s: float) -> float:
    """Payload received between two times of a run [bit/s]."""
    assert result.tcp is not None, "all traffic but the background is TCP"
    edges_s = result.tcp.time_s
    mean_s = (edges_s[1:] + edges_s[:-1]) / 2
    some = (mean_s > from_s) & (mean_s < upto_s)
    whole_s = np.diff(edges_s)[some].sum()
    return float(units.bits(result.tcp.received_bytes[:, some].sum()) / whole_s)


def _formula(path: Path, buffer_bytes: float) -> Shown:
    """The saw-tooth's rate, or the windows' if it is less."""
    if path.loss_free_bytes is not None and buffer_bytes >= path.loss_free_bytes:
        bursts_fit = path.slow_start_bytes is None or buffer_bytes >= path.slow_start_bytes
        return Shown(path.most_bps, "formula" if bursts_fit else "bound")
    packets = buffer_bytes / path.packet_bytes
    rate_pps = units.rate_pps(path.left_bps, path.packet_bytes + AROUND_BYTES)
    tooth = tcp.saw_tooth(rate_pps, path.round_trip_s, packets, path.flows)
    product = tcp.bandwidth_delay_bytes(path.left_bps, path.round_trip_s)
    bursts = max(SMALL * product / math.sqrt(path.flows), FEW_PACKETS * path.packet_bytes)
    few_each = product + buffer_bytes < FEW_EACH * path.flows * path.packet_bytes
    by = "bound" if few_each or buffer_bytes < bursts else "formula"
    return Shown(min(tooth.utilisation * path.payload_bps, path.most_bps), by)


def _fluid(path: Path, buffer_bytes: float) -> Result | None:
    """The fluid model of the test, or None where it cannot run."""
    if path.flows > MOST_FLUID_FLOWS or path.round_trip_s * MOST_FLUID_ROUNDS < TEST_S:
        return None
    try:
        return run(_scenario(path, buffer_bytes, TEST_S), "fluid")
    except ValueError:
        # All of it is valid; but the tables may take too much memory.
        return None


def _parted(test: Shown, fluid: Result | None, path: Path) -> str:
    if fluid is None:
        return ""
    fluid_bps = _between(fluid, 0.0, TEST_S)
    if abs(fluid_bps - test.bps) <= PARTED * test.bps:
        return ""
    said = " ".join(fluid.notes) or _why(path)
    rates = f"{readable(fluid_bps)}, the packet model {readable(test.bps)}"
    return f"In the first 30 s the fluid model carries {rates}. {said}"


def _why(path: Path) -> str:
    trips = TEST_S / path.round_trip_s
    if trips < FEW_TRIPS:
        return f"That is only {trips:.2g} round trips, so the slow start still affects the mean."
    return (
        "Bursts and the moment of each loss decide which windows fall, and the fluid model has"
        " neither."
    )
