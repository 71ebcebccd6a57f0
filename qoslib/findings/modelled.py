"""Rules that run a model: what the classes lose and how long they wait under a load."""

import hashlib
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from qoslib import units
from qoslib.config import ConfiguredPort, Load
from qoslib.config.amounts import rate_text, time_text
from qoslib.config.promises import queued
from qoslib.config.rules import Case, Finding, Found, Member, Rule
from qoslib.config.rules.find import finding_of
from qoslib.config.rules.marks import CONTROL
from qoslib.config.rules.priority import VOICE
from qoslib.config.shares import capacity_bps
from qoslib.findings.report import ClassRun
from qoslib.flows import Flow, Host
from qoslib.port import Codel, DropProfile, HierarchicalTokenBucket, Pie, Port, SchedulerTree
from qoslib.results import Result
from qoslib.scenario import Scenario
from qoslib.traffic import Poisson, Stream

__all__ = [
    "LEAST_LOSS",
    "LOADS",
    "MODELS",
    "MODEL_RULES",
    "Modelled",
    "modelled",
    "runs",
    "scenario_of",
]

#: The loads of a ticket, as parts of what was given.
LOADS = (0.8, 1.0, 1.2)
#: What makes a lost packet an error: calls, and marks and usual names of routing (RFC 4594).
KEPT = VOICE | CONTROL | {"CS7", "IP 7", "nc", "network-control"}
#: Less loss than this is none [ratio].
LEAST_LOSS = 1e-3
#: A run has about so many packets, and is no longer than this [s].
PACKETS, LONGEST_S = 300_000, 20.0
#: A queue is kept busy by this part of what it can send.
BUSY = 1.1
TREES = SchedulerTree | HierarchicalTokenBucket


def scenario_of(
    configured: ConfiguredPort, loads: Sequence[Load], ratio: float = 1.0, model: str = "packets"
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
        below a tree of schedulers a stream that keeps its queue busy: no engine runs TCP there.

    Returns
    -------
    Scenario

    Raises
    ------
    ValueError
        If nothing is sent.

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass, loads
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("all", "all"),))
    >>> scenario = scenario_of(edge, loads(edge, 'all = "12 Mb/s of 1250 B"'))
    >>> scenario.streams[0].rate_bps, scenario.duration_s
    (12000000.0, 20.0)
    """
    port = _classified(configured, loads)
    streams = [
        stream.replace(rate_bps=stream.rate_bps * ratio)
        for load in loads
        for stream in load.streams
        if stream.rate_bps
    ]
    hosts = []
    stands_in = model == "fluid" or isinstance(port.scheduler, TREES)
    for load in loads:
        if load.flows and stands_in:
            first = load.flows[0]
            rate = capacity_bps(port) if model == "fluid" else _busy_bps(configured, loads, load)
            streams.append(
                Stream(f"{load.name} TCP", rate, first.frame_bytes, Poisson(), first.mark)
            )
        elif load.flows:
            frame_s = units.serialisation_s(load.flows[0].frame_bytes, port.rate_bps)
            hosts.append(Host(f"{load.name} host", port.rate_bps, load.flows, jitter_s=frame_s))
    pps = sum(units.rate_pps(stream.rate_bps, stream.mean_frame_bytes) for stream in streams)
    if hosts:
        pps += units.rate_pps(capacity_bps(port), hosts[0].flows[0].frame_bytes)
    duration = min(PACKETS / pps, LONGEST_S) if pps else 1.0
    name = f"{configured.interface} {configured.direction}"
    return Scenario(name, port, tuple(streams), duration, duration / 10, hosts=tuple(hosts))


def _classified(configured: ConfiguredPort, loads: Sequence[Load]) -> Port:
    """The port, with a rule for each class that no mark leads to: what is sent to it gets there."""
    port = configured.port
    assert port is not None
    queues = {name: each.queue for name, each in queued(configured).items()}
    rules = []
    for load in loads:
        sources: list[Stream | Flow] = [*load.streams, *load.flows]
        for mark in dict.fromkeys(source.label for source in sources):
            if len(port.queues) > 1 and port.classifier.queue(mark) != queues[load.name]:
                rules.append((mark, queues[load.name]))
    if not rules:
        return port
    return port.replace(classifier=port.classifier.replace(rules=(*rules, *port.classifier.rules)))


def _busy_bps(configured: ConfiguredPort, loads: Sequence[Load], load: Load) -> float:
    """A little more than the fluid model, or else the other rates, leave a class's TCP [bit/s]."""
    try:
        (run,) = (each for each in runs(configured, loads, "fluid") if each.name == load.name)
    except ValueError:
        assert configured.port is not None
        most = capacity_bps(configured.port)
        left = most - sum(each.rate_bps for each in loads if each is not load)
        return BUSY * max(left, (BUSY - 1) * most)
    return max(BUSY * run.sent_bps - load.rate_bps, (BUSY - 1) * run.sent_bps, 1.0)


def hash_of(scenario: Scenario) -> str:
    """A short name of a scenario that changes with each of its numbers."""
    return hashlib.sha256(scenario.to_json(indent=None).encode()).hexdigest()[:12]


def runs(
    configured: ConfiguredPort, loads: Sequence[Load], model: str, ratios: Sequence[float] = (1.0,)
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
    >>> from qoslib.config import ConfiguredClass, loads
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("all", "all"),))
    >>> (run,) = runs(edge, loads(edge, 'all = "12.5 Mb/s of 1250 B"'), "fluid")
    >>> round(run.drop_ratio, 3)
    0.2
    """
    found: list[ClassRun] = []
    for ratio in ratios:
        if not any(load.flows or load.rate_bps for load in loads):
            break
        scenario = scenario_of(configured, loads, ratio, model)
        result = _solved(scenario) if model == "fluid" else _simulated(scenario)
        for load in loads:
            if load.flows or load.rate_bps:
                found.append(_class_run(load, result, ratio, model))
    order = [load.name for load in loads]
    return tuple(sorted(found, key=lambda each: order.index(each.name)))


def _solved(scenario: Scenario) -> Result:
    from qoslib.fluid import solve

    return solve(scenario.network, scenario.streams)


def _simulated(scenario: Scenario) -> Result:
    from qoslib.front import run

    return run(scenario, progress=lambda done, total: None)


def _class_run(load: Load, result: Result, ratio: float, model: str) -> ClassRun:
    steady = [stream.name for stream in load.streams if stream.rate_bps]
    flows = [name for name in result.streams if name not in steady and _is_tcp(name, load)]
    sent = sum(_sent(result, (*steady, *flows)))
    offered = sum(float(result[name].offered_bps) for name in steady)
    # TCP gives way: what its class sends is first that of the other streams.
    out = sent if f"{load.name} TCP" in flows else sent - sum(_sent(result, flows))
    lost = min(max(1 - out / offered, 0.0), 1.0) if offered else None
    if offered and f"{load.name} TCP" not in flows:
        # What is still on its way at the end of the run is not lost.
        lost = min(sum(float(result[name].dropped_bps) for name in steady) / offered, 1.0)
    names = steady or flows
    delays = [
        [float(value) for name in names if (value := getattr(result[name], q)) is not None]
        for q in ("delay_p50_s", "delay_p99_s", "delay_max_s")
    ]
    p50, p99, most = (max(each) if each and model == "packets" else None for each in delays)
    return ClassRun(load.name, ratio, model, lost, sent, p50, p99, most)


def _sent(result: Result, names: Sequence[str]) -> list[float]:
    return [float(result[name].sent_bps) for name in names]


def _is_tcp(name: str, load: Load) -> bool:
    return name == f"{load.name} TCP" or name in {flow.name for flow in load.flows}


def _loss(case: Case, found: Sequence[ClassRun]) -> Iterator[Found]:
    """A class loses packets under the load that was given."""
    by_name = {each.name: each for each in found}
    given: dict[str, float] = {}
    for member in case.members:
        run, load = by_name.get(member.name), member.load
        if run is None or load is None or not run.drop_ratio or run.drop_ratio < LEAST_LOSS:
            continue
        if member.strict and load.rate_bps > member.promise.maximum_bps:
            continue
        lost = units.convert(run.drop_ratio, "1", "%")
        marks = {*member.of.marks, member.name.lower()}
        # What is lost of a rate that is promised, of calls, or of routing, is an error.
        promised = load.rate_bps <= member.promise.minimum_bps
        worse = promised or bool(marks & KEPT)
        fix, beside = _more(case, member, given)
        yield Found(
            member.of.line or case.configured.line,
            f"Class {member.name} loses {lost:.2g} % of what it is sent.",
            f"{load.text} offered ({load.words or load.origin}), at least"
            f" {rate_text(member.promise.minimum_bps)} promised; beside the others' load"
            f" {rate_text((1 - run.drop_ratio) * load.rate_bps)} gets through.{beside}",
            fix,
            "error" if worse else None,
        )


def _more(case: Case, member: Member, given: dict[str, float]) -> tuple[str, str]:
    """A guarantee for the load where there is room for it, or why there is none.

    `given` has what other fixes have given already, and takes this one.
    """
    assert member.load is not None
    if member.strict:
        return "", ""
    (most, members) = next(each for each in case.groups if member in each[1])
    wanted, said = case.bandwidth(BUSY * member.load.rate_bps, most)
    others = [each for each in members if each is not member]
    alone = sum(_reserved(each) for each in others)
    with_fixes = sum(given.get(each.name, _reserved(each)) for each in others)
    if alone + wanted > most:
        return "", ""
    if with_fixes + wanted > most:
        return "", f" There is no room for more beside the fix of {' and '.join(given)}."
    junos = f"set class-of-service schedulers {member.name} transmit-rate {wanted:.0f}"
    fix = case.fix(mqc=f"class {member.name}\n  {said}", junos=junos)
    if fix:
        given[member.name] = wanted
    return fix, ""


def _reserved(member: Member) -> float:
    return (member.limit_bps or 0.0) if member.strict else member.queue.guaranteed_bps


def _delay(case: Case, found: Sequence[ClassRun]) -> Iterator[Found]:
    """The 99th percentile of a class's delay is above its target."""
    by_name = {each.name: each for each in found}
    for member in case.members:
        run, load = by_name.get(member.name), member.load
        if run is None or load is None or load.target_s is None or run.delay_p99_s is None:
            continue
        if run.delay_p99_s > load.target_s:
            queue = time_text(member.promise.queue_s) if member.promise.queue_s else "?"
            yield Found(
                member.of.line or case.configured.line,
                f"The p99 delay of {member.name} is {time_text(run.delay_p99_s)}, its target"
                f" {time_text(load.target_s)}.",
                f"{load.text} offered to {rate_text(member.promise.minimum_bps)}; a full queue"
                f" lasts {queue}.",
            )


_LOSS = Rule("loss", "warning", "qoslib.fluid.solve", _loss)
_DELAY = Rule("delay-target", "error", "qoslib.packets.simulate", _delay)
#: Rules that run a model, by their ids.
MODEL_RULES = {each.id: each for each in (_LOSS, _DELAY)}
MODELS = {"fluid": "fluid model", "packets": "packet model"}


class Modelled(NamedTuple):
    """What models say of a port under the load that was given.

    Attributes
    ----------
    findings : tuple of Finding
    not_run : tuple of str
        A sentence for each model that could not run.
    runs : tuple of ClassRun
        Of the fluid model, or of the packet model where the fluid model does not have the port.
    met : tuple of str
        A sentence for each target that is met.
    """

    findings: tuple[Finding, ...]
    not_run: tuple[str, ...]
    runs: tuple[ClassRun, ...]
    met: tuple[str, ...]


def modelled(case: Case) -> Modelled:
    """What models find under the load that was given.

    Parameters
    ----------
    case : Case
        Its loads are not assumed.

    Returns
    -------
    Modelled

    Examples
    --------
    >>> from qoslib.config import Configuration, ConfiguredClass, Facts, loads
    >>> from qoslib.port import PacketLimit, Port, Queue
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(64)),))
    >>> edge = ConfiguredPort("Gi0/1", "out", port, (ConfiguredClass("all", "all"),))
    >>> sent = loads(edge, 'all = "12.5 Mb/s of 1250 B"')
    >>> got = modelled(Case(Configuration("ios-xe", (edge,)), edge, Facts(), sent))
    >>> got.findings[0].sentence, got.findings[0].model
    ('Class all loses 20 % of what it is sent.', 'fluid')
    """
    not_run = []
    fluid, refused = _tried(case, "fluid")
    packets: tuple[ClassRun, ...] = ()
    if refused or any(load.target_s for load in case.loads):
        packets, failed = _tried(case, "packets")
        if refused:
            instead = "" if failed else " The packet model ran instead."
            if packets and any(load.flows for load in case.loads):
                instead += _STANDS_IN if isinstance(case.port.scheduler, TREES) else ""
            not_run.append(f"The fluid model was not run: {refused}.{instead}")
        if failed:
            not_run.append(f"The packet model was not run: {failed}.")
    where = f"{case.configured.interface} {case.configured.direction}"
    lossy, model = (packets, "packets") if refused else (fluid, "fluid")
    loss = _LOSS if model == "fluid" else replace(_LOSS, reference=_DELAY.reference)
    found = [finding_of(loss, each, where, model) for each in _loss(case, lossy)]
    found += [finding_of(_DELAY, each, where, "packets") for each in _delay(case, packets)]
    return Modelled(tuple(found), tuple(not_run), lossy, tuple(_met(case, packets)))


_STANDS_IN = " A stream that keeps its queue busy stands for TCP, so its own delay is not TCP's."


def _tried(case: Case, model: str) -> tuple[tuple[ClassRun, ...], str]:
    """What a model gives for each class, or why it does not."""
    try:
        return runs(case.configured, case.loads, model), ""
    except ValueError as error:
        lacks = _lacks(case.port) if model == "fluid" else ""
        return (), lacks or textwrap.shorten(str(error).rstrip("."), 160)


def _lacks(port: Port) -> str:
    """What of a port's queues the fluid model does not have, in words; empty if nothing."""
    for queue in port.queues:
        for kind, word in ((Codel, "CoDel"), (Pie, "PIE")):
            if isinstance(queue.dropper, kind):
                return f"it has no {word}, which drops packets in queue {queue.name}"
        if isinstance(queue.dropper, DropProfile) and queue.dropper.profiles:
            return f"it has no drop profiles by loss priority, as queue {queue.name} has"
    return ""


def _met(case: Case, found: Sequence[ClassRun]) -> Iterator[str]:
    by_name = {each.name: each for each in found}
    for load in case.loads:
        run = by_name.get(load.name)
        if run is None or load.target_s is None or run.delay_p99_s is None:
            continue
        if run.delay_p99_s <= load.target_s:
            yield (
                f"Target met: the p99 delay of {load.name} is {time_text(run.delay_p99_s)},"
                f" its target {time_text(load.target_s)} (packet model)."
            )
