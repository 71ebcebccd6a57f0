"""The explorer of a saved scenario: any port without TCP, both models, and measurements."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from qoslib import compare, fluid, packets, plots, units
from qoslib.explore.controls import RESET, Upload, flow, slider
from qoslib.explore.explorer import Explorer
from qoslib.explore.export import Call
from qoslib.explore.upload import Loaded
from qoslib.measurements import Measurements
from qoslib.packets.plan_streams import sizes_of
from qoslib.port import Port
from qoslib.record import checked
from qoslib.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_PACKETS", "explorer"]

#: The most packets that a slider's move plays; a longer scenario is simulated in part.
MOST_PACKETS = 400_000
#: The longest that it may take [s], where timers or hops make for more than packets do.
MOST_S = 4.0


def explorer(scenario: Scenario, measured: "Measurements | pd.DataFrame | None" = None) -> Explorer:
    """A scenario of your own: load it, run both models, and compare measurements with them.

    `explore.configuration` makes one of a configuration, and its `scenario` gives it.

    Parameters
    ----------
    scenario : Scenario
        Any port, forwarder or chain with its streams, without TCP hosts. One slider moves all its
        loads together.
    measured : DataFrame or Measurements, optional
        Measurements of your own, as `telemetry.read` or `measurements.load` give them.

    Raises
    ------
    ValueError
        If an argument is something else, the scenario has TCP hosts, or no model here runs it.
    """
    checked(Scenario, scenario, "scenario")
    held = _Loaded(scenario, measured)
    controls = {"all": slider("All loads [%]", 100, 0, 200, 1, half=True)}

    def draw(values, simulated):
        now = held.described(values)
        solved, why = _solved(now)
        if solved is None and simulated is None:
            simulated = _simulated(now)
        faded = values["all"] != 100
        laid = held.overlay(now, [each for each in (solved, simulated) if each is not None])
        drawn = plots.overlay(laid, plots.USUAL, faded)
        if solved is not None:
            said = [*_too_small(now), compare.remark(solved, simulated)]
            drawn.remark = " ".join(filter(None, said))
        if why:
            drawn.summary += f" The fluid model says nothing: {why}."
        for note in solved.notes if solved else ():
            drawn.summary += f" Of the fluid model: {note}"
        return drawn

    def simulate(values, progress):
        return _simulated(held.described(values), progress)

    call = Call("your_network", "saved", lambda values: [held.described(values)])
    rows = [flow("all", RESET, Upload())]
    made = Explorer(controls, draw, simulate, call, rows, files=held)
    # What no model runs is refused at once.
    made.begin()
    return made


class _Loaded(Loaded):
    """What was given or loaded, as the slider of its loads stands."""

    def described(self, values: Mapping[str, Any]) -> Scenario:
        return _scaled(_streams_alone(self.scenario), values["all"])

    def note(self, values: Mapping[str, Any]) -> str:
        return self.unknown(self.described(values))


def _too_small(scenario):
    """What to say of each policer whose bucket cannot hold a frame that it is to pass."""
    port = scenario.network
    if not isinstance(port, Port):
        return
    for stream in scenario.streams:
        policer = port.queues[port.queue_of(stream)].policer
        largest = max(size for size, _ in sizes_of(stream))
        if policer is not None and policer.burst_bytes < largest + policer.overhead_bytes:
            yield (
                f"The policer of {stream.name} has a burst of {policer.burst_bytes:,} B, and its"
                f" frames have up to {largest:,} B: no frame larger than the burst passes."
            )


def _streams_alone(scenario):
    """The scenario; one with TCP hosts is refused, as what its streams lose depends on them."""
    if scenario.hosts:
        names = ", ".join(host.name for host in scenario.hosts)
        raise ValueError(
            f"scenario {scenario.name!r} has the TCP hosts {names}, which this view does not run;"
            " allowed: streams alone. qoslib.run runs the hosts with the streams."
        )
    return scenario


def _scaled(scenario, percent):
    """The scenario with all its loads moved together."""
    times = units.convert(percent, "%", "1")
    streams = tuple(each.replace(rate_bps=each.rate_bps * times) for each in scenario.streams)
    return scenario.replace(streams=streams)


def _solved(scenario):
    """What the fluid model says, or why it says nothing."""
    try:
        return fluid.solve(scenario.network, scenario.streams), ""
    except ValueError as error:
        return None, str(error)


def _simulated(scenario, progress=None):
    """What the packet model says, of no more packets than a slider can wait for."""
    frames = np.array([stream.mean_frame_bytes for stream in scenario.streams])
    rates = np.array([stream.mean_rate_bps for stream in scenario.streams])
    pps = max(float(units.rate_pps(rates, frames).sum()), 1e-9)
    part = min(1.0, MOST_PACKETS / (pps * scenario.duration_s))
    return packets.simulate(
        scenario.network,
        scenario.streams,
        part * scenario.duration_s,
        warmup_s=part * scenario.warmup_s,
        seed=scenario.seed,
        bins=1,
        progress=_in_time(progress),
        chunk_packets=MOST_PACKETS // 20,
    )


def _in_time(progress):
    """The same, but what takes too long to simulate is refused."""
    began_s = None

    def limited(done_s, total_s):
        nonlocal began_s
        now_s = time.monotonic()
        # From the first call on: kernels may have been compiled before.
        began_s = now_s if began_s is None else began_s
        if now_s - began_s > MOST_S:
            allowed = "a shorter duration_s, fewer hops or slower timers"
            raise ValueError(
                f"the packets take more than {MOST_S:g} s to simulate; allowed: {allowed}"
            )
        if progress:
            progress(done_s, total_s)

    return limited
