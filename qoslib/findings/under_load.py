"""Run a model of a configured port under a load, and give what each class gets."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qoslib import units
from qoslib.checks import Load
from qoslib.checks.promises import queued
from qoslib.config import ConfiguredPort
from qoslib.config.amounts import time_text
from qoslib.config.guarantees import capacity_bps
from qoslib.findings.class_runs import (
    Measured,
    class_run,
    is_known,
    mean_run,
    measured,
    simulated_s,
)
from qoslib.findings.report import ClassRun
from qoslib.flows import Flow, Host
from qoslib.port import Port, TailDrop
from qoslib.record import fail
from qoslib.results import Interval, Result
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream, TickedBursts

if TYPE_CHECKING:
    from qoslib.packets.progress import Progress

__all__ = [
    "BUSY",
    "LEAST_PACKETS",
    "LOADS",
    "hash_of",
    "queue_of",
    "runs",
    "scenario_of",
    "stand_in",
]

#: The loads of a ticket, as parts of what was given.
LOADS = (0.8, 1.0, 1.2)
#: So many TCP connections of a port run themselves: they take about half a second.
MOST_FLOWS = 1000
#: A run has about so many packets, and is no longer than this [s].
PACKETS, LONGEST_S = 300_000, 20.0
#: What sends TCP is at least so many times as fast as the port sends: many hosts or a faster line.
FASTER = 2.0
#: TCP runs for so many round trips at least, and no run has more packets.
ROUND_TRIPS, MOST_PACKETS = 100, 4_000_000
#: The engine's TCP begins with a time-out of 1 s: a longer round trip has no room below it [s].
LONGEST_TRIP_S = 0.5
#: A queue is kept busy by this part of what it can send.
BUSY = 1.1
#: Processor time for the runs of one port [s].
SECONDS = 20.0
#: No target is met by a p99 delay of fewer packets in a run: ten of these are beyond it.
LEAST_PACKETS = 1000
#: A run has so many bursts of a timer, such as pictures of a video: one at an end is a part of the
#: load, and much of it where there are few.
LEAST_BURSTS = 10


def scenario_of(
    configured: ConfiguredPort,
    loads: Sequence[Load],
    ratio: float = 1.0,
    model: str = "packets",
    *,
    tcp: bool = True,
) -> Scenario:
    """A port and what is sent to it.

    Parameters
    ----------
    configured : ConfiguredPort
    loads : sequence of Load
    ratio : float
        What the rates of all streams are multiplied by; TCP takes what it gets.
    model : str
        For ``"fluid"`` TCP is a stream that would fill the port. For ``"packets"`` it is TCP, or
        a stream that keeps its queue busy where `stand_in` says so.
    tcp : bool
        Whether TCP may run itself; without it both models can run the scenario.

    Returns
    -------
    Scenario

    Raises
    ------
    ValueError
        If nothing is sent.

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.checks import loads
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("all", "all"),))
    >>> scenario = scenario_of(edge, loads(edge, 'all = "12 Mb/s of 1250 B"'))
    >>> scenario.streams[0].rate_bps, scenario.duration_s
    (12000000.0, 20.0)
    """
    assert configured.port is not None
    stands_in = model == "fluid" or not tcp or bool(_no_tcp(configured, loads))
    port = _classified(configured, _of_one_host(configured.port), loads)
    port = _in_one_queue(configured, port, loads) if model == "fluid" else port
    every = [stream for load in loads for stream in load.streams if stream.rate_bps]
    streams = [stream.replace(rate_bps=stream.rate_bps * ratio) for stream in every]
    with_tcp = [load for load in loads if load.flows]
    hosts = [] if stands_in else [_host(load, port) for load in with_tcp]
    for load in with_tcp if stands_in else ():
        fluid = model == "fluid"
        rate_bps = capacity_bps(port) if fluid else _busy_bps(configured, loads, load, ratio)
        first, name = load.flows[0], f"{load.name} TCP"
        streams.append(Stream(name, rate_bps, first.frame_bytes, Poisson(), first.mark))
    pps = _pps(streams)
    if hosts:
        pps += units.rate_pps(capacity_bps(port), hosts[0].flows[0].frame_bytes)
    duration_s = min(PACKETS / pps, LONGEST_S) if pps else 1.0
    name = f"{configured.interface} {configured.direction}"
    return Scenario(name, port, tuple(streams), duration_s, duration_s / 10, hosts=tuple(hosts))


def _of_one_host(port: Port) -> Port:
    """The port, whose flow queues share by flows: a load does not say which hosts it is between."""
    queues = tuple(
        queue.replace(flows=queue.flows.replace(isolation="flows"))
        if queue.flows and queue.flows.isolation != "flows"
        else queue
        for queue in port.queues
    )
    return port.replace(queues=queues) if queues != port.queues else port


def _host(load: Load, port: Port) -> Host:
    """What sends the TCP of a class: faster than the port, where its queue would never fill."""
    frame_s = units.serialisation_s(load.flows[0].frame_bytes, port.rate_bps)
    access_bps = max(port.rate_bps, FASTER * capacity_bps(port))
    return Host(f"{load.name} host", access_bps, load.flows, jitter_s=frame_s)


def _pps(streams: Sequence[Stream]) -> float:
    return sum(units.rate_pps(stream.rate_bps, stream.mean_frame_bytes) for stream in streams)


def queue_of(configured: ConfiguredPort, loads: Sequence[Load]) -> dict[str, str]:
    """The queue that what is sent to each class waits in."""
    queues = {name: each.queue for name, each in queued(configured).items()}
    return {load.name: queues.get(load.taken_by, queues[load.name]) for load in loads}


def _in_one_queue(configured: ConfiguredPort, port: Port, loads: Sequence[Load]) -> Port:
    """The port without queues for flows, where these change nothing of what a class gets.

    A full queue drops as much of all its flows together, however they share it. CoDel, and classes
    that share a queue, are left to the packet model: the fluid model does not say how long a flow
    that fills its queue waits behind CoDel, nor how likely flows meet in one queue.
    """
    into = Counter(queue_of(configured, loads).values())
    queues = tuple(
        queue.replace(flows=None)
        if isinstance(queue.dropper, TailDrop) and into[queue.name] < 2
        else queue
        for queue in port.queues
    )
    for queue in queues:
        if queue.flows is not None:
            fail(f"Queue {queue.name!r} flows", queue.flows, "None in the fluid model of a check")
    return port.replace(queues=queues)


def _classified(configured: ConfiguredPort, port: Port, loads: Sequence[Load]) -> Port:
    """The port, with a rule for each class that no mark leads to: what is sent to it gets there."""
    into = queue_of(configured, loads)
    rules = []
    for load in loads:
        sources: list[Stream | Flow] = [*load.streams, *load.flows]
        for mark in dict.fromkeys(source.label for source in sources):
            if len(port.queues) > 1 and port.classifier.queue(mark) != into[load.name]:
                rules.append((mark, into[load.name]))
    if not rules:
        return port
    return port.replace(classifier=port.classifier.replace(rules=(*rules, *port.classifier.rules)))


def _no_tcp(configured: ConfiguredPort, loads: Sequence[Load]) -> str:
    """Why TCP does not run itself in the packet model; empty where it does."""
    assert configured.port is not None
    flows = [flow for load in loads for flow in load.flows]
    if not flows:
        return ""
    if len(flows) > MOST_FLOWS:
        return f"{len(flows):,} connections take too long to simulate"
    trip_s = max(flow.round_trip_s for flow in flows)
    if trip_s > LONGEST_TRIP_S:
        return f"a round trip of {time_text(trip_s)} does not fit below its first time-out of 1 s"
    pps = _pps([stream for load in loads for stream in load.streams])
    pps += units.rate_pps(capacity_bps(configured.port), flows[0].frame_bytes)
    if ROUND_TRIPS * trip_s * pps <= MOST_PACKETS:
        return ""
    run = f"{ROUND_TRIPS} round trips of {time_text(trip_s)} have more than"
    return f"{run} {MOST_PACKETS:,} packets"


def _busy_bps(configured: ConfiguredPort, loads: Sequence[Load], load: Load, ratio: float) -> float:
    """A little more than the fluid model, or else the other rates, leave a class's TCP [bit/s]."""
    own_bps = ratio * load.rate_bps
    try:
        found = runs(configured, loads, "fluid", (ratio,))
    except ValueError:
        assert configured.port is not None
        most = capacity_bps(configured.port)
        left = most - sum(ratio * each.rate_bps for each in loads if each is not load)
        return BUSY * max(left, (BUSY - 1) * most)
    (run,) = (each for each in found if each.name == load.name)
    return max(BUSY * run.sent_bps - own_bps, (BUSY - 1) * run.sent_bps, 1.0)


def stand_in(configured: ConfiguredPort, loads: Sequence[Load]) -> dict[str, str]:
    """Say where a stream stands for TCP in the packet model, and what of TCP is not used.

    Parameters
    ----------
    configured : ConfiguredPort
    loads : sequence of Load

    Returns
    -------
    dict of str to str
        Class and a text; none where TCP runs itself, or nobody sends any.

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.checks import loads
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("all", "all"),))
    >>> stand_in(edge, loads(edge, 'all = "2 TCP, 20 ms"'))
    {}
    >>> for said in stand_in(edge, loads(edge, 'all = "2 TCP, 2 s"')).values():
    ...     print(said)  # doctest: +NORMALIZE_WHITESPACE
    round trip and number of connections not used: 2 TCP, 2 s. A stream that keeps its queue busy
    stands for TCP, as a round trip of 2 s does not fit below its first time-out of 1 s.
    """
    with_tcp = [load for load in loads if load.flows]
    why = _no_tcp(configured, loads) if with_tcp else ""
    if not why:
        return {}
    return {
        load.name: "round trip and number of connections not used:"
        f" {', '.join([f'{len(load.flows)} TCP', *_trips(load)])}."
        f" A stream that keeps its queue busy stands for TCP, as {why}."
        for load in with_tcp
    }


def _trips(load: Load) -> dict[str, None]:
    return dict.fromkeys(time_text(flow.round_trip_s) for flow in load.flows)


def hash_of(scenario: Scenario) -> str:
    """A short name of a scenario that changes with each of its numbers."""
    return hashlib.sha256(scenario.to_json(indent=None).encode()).hexdigest()[:12]


def runs(
    configured: ConfiguredPort,
    loads: Sequence[Load],
    model: str,
    ratios: Sequence[float] = (1.0,),
    progress: "Progress | None" = None,
    *,
    seconds: float | None = SECONDS,
) -> tuple[ClassRun, ...]:
    """Run a model, and give what each class gets.

    Parameters
    ----------
    configured : ConfiguredPort
    loads : sequence of Load
    model : str
        ``"fluid"`` or ``"packets"``.
    ratios : sequence of float
        Parts of the load.
    progress : callable, optional
        Of the packet model, with what is done and the whole of it [s].
    seconds : float or None
        Processor time in which the packet model runs until it has settled, each loss is known to a
        tenth and each p99 delay to a tenth or on one side of its target [s]; None for one run.

    Returns
    -------
    tuple of ClassRun
        None of a class that sends nothing.

    Raises
    ------
    ValueError
        If the model does not have what the port has.

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.checks import loads
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("all", "all"),))
    >>> (run,) = runs(edge, loads(edge, 'all = "12.5 Mb/s of 1250 B"'), "fluid")
    >>> round(run.drop_ratio, 3)
    0.2
    """
    found: list[ClassRun] = []
    sent = [load for load in loads if load.flows or load.rate_bps]
    if not sent:
        return ()
    each = [scenario_of(configured, loads, ratio, model) for ratio in ratios]
    whole_s = float(len(each))
    for at, (ratio, scenario) in enumerate(zip(ratios, each, strict=True)):
        if model == "fluid":
            result = _solved(scenario)
            found += [class_run(load, result, ratio, model) for load in sent]
        elif seconds is not None:
            told = _part(progress, at, whole_s)
            found += _settled(scenario, sent, ratio, seconds / len(each), told)
        else:
            result = _simulated(scenario, _part(progress, at, whole_s))
            found += [class_run(load, result, ratio, model) for load in sent]
    order = [load.name for load in loads]
    return tuple(sorted(found, key=lambda each: order.index(each.name)))


def _solved(scenario: Scenario) -> Result:
    from qoslib.fluid import solve

    return solve(scenario.network, scenario.streams)


def _simulated(scenario: Scenario, progress: "Progress") -> Result:
    from qoslib.front import run

    return run(scenario, progress=progress)


def _settled(
    scenario: Scenario,
    sent: Sequence[Load],
    ratio: float,
    seconds: float,
    progress: "Progress",
) -> list[ClassRun]:
    """Means over settled runs of the packet model."""
    from qoslib.front.replications import replicate

    def measure(result: Result) -> Measured:
        return {key: of for load in sent for key, of in measured(load, result, ratio).items()}

    def enough(means: Mapping[tuple[str, str], Interval]) -> bool:
        return all(is_known(load, means) for load in sent)

    told_s = [_told_s(load, ratio) for load in sent if load.target_s]
    least_s = max([*told_s, *map(_bursts_s, sent)])
    runs = replicate(scenario, measure, enough, seconds, progress, least_s)
    if not runs.changing:
        return [mean_run(load, runs, ratio) for load in sent]
    why = f"{runs.changing} (not settled after {time_text(simulated_s(runs))})"
    offered_bps = {load.name: ratio * load.rate_bps for load in sent}
    return [
        ClassRun(name, ratio, "packets", None, 0.0, rate_bps, changing=why)
        for name, rate_bps in offered_bps.items()
    ]


def _bursts_s(load: Load) -> float:
    """How long the least number of bursts takes [s]; 0 of a class that is sent none."""
    ticks_s = (of.arrivals.tick_s for of in load.streams if isinstance(of.arrivals, TickedBursts))
    return LEAST_BURSTS * max(ticks_s, default=0.0)


def _told_s(load: Load, ratio: float) -> float:
    """How long a run is that tells whether a class meets its target [s]; TCP sends enough."""
    pps = ratio * _pps(load.streams)
    return 0.0 if load.flows or not pps else (LEAST_PACKETS + 1) / pps


def _part(progress: "Progress | None", before: float, whole: float) -> "Progress":
    """The progress of a run as a part of that of several."""
    if progress is None:
        return lambda done_s, total_s: None
    return lambda done_s, total_s: progress(before + done_s / total_s, whole)
