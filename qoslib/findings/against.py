"""What each class gains and loses between two configurations."""

from collections.abc import Iterator, Mapping, Sequence

from qoslib.config import Configuration, ConfiguredPort, Load, Promise, promises
from qoslib.config.amounts import rate_text, share_text, time_text
from qoslib.config.promises import queued
from qoslib.findings.report import Change, ClassRun
from qoslib.findings.taken import routed
from qoslib.findings.under_load import LEAST_LOSS, runs, stand_in
from qoslib.flows import Flow
from qoslib.record import fail
from qoslib.tolerances import ROUNDING
from qoslib.traffic import Stream

__all__ = ["changes", "unchanged"]

#: Delays of two runs are apart by more than this: a share, and a time [s].
_APART, _APART_S = 0.1, 1e-4


def changes(
    old: Configuration,
    new: Configuration,
    sent: Mapping[int, Sequence[Load]] | None = None,
    simulated: Mapping[int, Sequence[ClassRun]] | None = None,
) -> tuple[Change, ...]:
    """What each class gains and loses from one configuration to another.

    Parameters
    ----------
    old, new : Configuration
    sent : mapping of int to sequence of Load, optional
        Place of a port in the new configuration, and the load that both are given; losses are then
        compared too, by the fluid model.
    simulated : mapping of int to sequence of ClassRun, optional
        Place, and what the packet model gives the new port under it; the old port is then run as
        well, and the delays are compared.

    Returns
    -------
    tuple of Change
        By interface and class; what is worse first.

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import PacketLimit, Port, Queue, StartTimeFairQueueing
    >>> def edge(weight):
    ...     queues = Queue("gold", PacketLimit(50), weight=weight), Queue("rest", PacketLimit(50))
    ...     port = Port("out", 1e8, queues, StartTimeFairQueueing())
    ...     classes = tuple(ConfiguredClass(queue.name, queue.name) for queue in queues)
    ...     return Configuration("ios-xe", (ConfiguredPort("Gi0/1", "out", port, classes),))
    >>> for change in changes(edge(1.0), edge(3.0)):
    ...     print(change.text)
    rest loses 25 Mb/s of its minimum (50 Mb/s -> 25 Mb/s); its full queue lasts 24.3 ms (12.1 ms).
    gold gains 25 Mb/s of its minimum (50 Mb/s -> 75 Mb/s); its full queue lasts 8.1 ms (12.1 ms).
    """
    before = {(port.interface, port.direction): port for port in old.ports}
    found: list[Change] = []
    known: dict[object, dict[str, float]] = {}
    for place, port in enumerate(new.ports):
        key = port.interface, port.direction
        was = before.pop(key, None)
        name = f"{port.interface} {port.direction}"
        if was is None:
            found.append(Change(name, "", f"{name} has a policy now, {port.policy}.", False))
        elif port.port is not None and was.port is not None:
            given = (sent or {}).get(place, ())
            then = routed(old, was, given)
            waits = _waits(was, port, then, given, (simulated or {}).get(place, ()), known)
            found += _of_port(name, was, port, then, given, waits)
    for (interface, direction), _ in before.items():
        name = f"{interface} {direction}"
        found.append(Change(name, "", f"{name} has no policy any more.", True))
    return tuple(sorted(found, key=lambda each: (each.interface, not each.worse)))


def _of_port(
    name: str,
    old: ConfiguredPort,
    new: ConfiguredPort,
    then: Sequence[Load],
    sent: Sequence[Load],
    waits: Mapping[str, tuple[float, float]],
) -> Iterator[Change]:
    sizes = {load.name: load.frames_bytes for load in sent}
    before = {each.name: each for each in promises(old, sizes)}
    after = {each.name: each for each in promises(new, sizes)}
    lost = _losses(old, new, then, sent)
    for each in before:
        if each not in after:
            text = f"{each} is gone: its packets go with the rest."
            yield Change(name, each, text, True, **_numbers("before", before[each]))
    for each, now in after.items():
        was = before.get(each)
        if was is None:
            text = f"{each} is new, with at least {rate_text(now.minimum_bps)}."
            yield Change(name, each, text, False, **_numbers("after", now))
            continue
        parts = [*_rates(was, now), *_queues(was, now)]
        loss = lost.get(each)
        numbers = _numbers("before", was) | _numbers("after", now)
        if loss:
            numbers |= {"drop_before_ratio": loss[0], "drop_after_ratio": loss[1]}
        if loss and abs(loss[0] - loss[1]) > LEAST_LOSS:
            percents = [share_text(ratio) for ratio in loss]
            parts.append(f"it loses {percents[1]} ({percents[0]}) of the given load")
        if wait := waits.get(each):
            numbers |= {"delay_p99_before_s": wait[0], "delay_p99_after_s": wait[1]}
            if abs(wait[1] - wait[0]) > max(_APART * max(wait), _APART_S):
                parts.append(f"its p99 delay is {time_text(wait[1])} ({time_text(wait[0])})")
        if parts:
            worse = now.minimum_bps < was.minimum_bps * (1 - ROUNDING)
            worse = worse or bool(loss and loss[1] > loss[0] + LEAST_LOSS)
            begins = f"{each}:" if parts[0].startswith("it") else each
            yield Change(name, each, f"{begins} {'; '.join(parts)}.", worse, **numbers)


def _numbers(when: str, promise: Promise) -> dict[str, float | None]:
    return {
        f"minimum_{when}_bps": promise.minimum_bps,
        f"maximum_{when}_bps": promise.maximum_bps,
        f"queue_{when}_s": promise.queue_s,
    }


def _rates(was: Promise, now: Promise) -> Iterator[str]:
    for what, old, new in (
        ("minimum", was.minimum_bps, now.minimum_bps),
        ("maximum", was.maximum_bps, now.maximum_bps),
    ):
        if abs(new - old) > ROUNDING * max(new, old):
            verb = "gains" if new > old else "loses"
            both = f"{rate_text(old)} -> {rate_text(new)}"
            yield f"{verb} {rate_text(abs(new - old))} of its {what} ({both})"


def _queues(was: Promise, now: Promise) -> Iterator[str]:
    if was.queue_s is None or now.queue_s is None:
        return
    if abs(now.queue_s - was.queue_s) > ROUNDING * now.queue_s:
        yield f"its full queue lasts {time_text(now.queue_s)} ({time_text(was.queue_s)})"


def _waits(
    old: ConfiguredPort,
    new: ConfiguredPort,
    then: Sequence[Load],
    sent: Sequence[Load],
    simulated: Sequence[ClassRun],
    known: dict[object, dict[str, float]],
) -> dict[str, tuple[float, float]]:
    """Class, and its p99 delays before and after, where the packet model has both [s]."""
    now = {
        run.name: run.delay_p99_s
        for run in simulated
        if run.model == "packets" and run.load_ratio == 1 and run.delay_p99_s is not None
    }
    if not now or old.port is None:
        return {}
    # Ports of one policy at one rate are run once.
    key = old.port.replace(name="any"), old.classes, tuple(then)
    try:
        before = _as_sent(old, then)
        found = runs(old, before, "packets") if key not in known else ()
    except ValueError:
        return {}
    delays = {run.name: run.delay_p99_s for run in found if run.delay_p99_s is not None}
    known.setdefault(key, delays)
    # The delay of a stream that stands for TCP is not that of TCP.
    left_out = {*stand_in(old, before), *stand_in(new, sent)}
    return {
        name: (known[key][name], delay_s)
        for name, delay_s in now.items()
        if name in known[key] and name not in left_out
    }


def unchanged(old: Configuration, new: Configuration) -> str:
    """Why no class gains or loses anything from one configuration to another.

    Parameters
    ----------
    old, new : Configuration

    Returns
    -------
    str
        A sentence.

    Examples
    --------
    >>> unchanged(Configuration("ios-xe"), Configuration("ios-xe"))
    'Nothing to compare: the older configuration has no port with queues.'
    """
    if not old.ports:
        return "Nothing to compare: the older configuration has no port with queues."
    said = ([(each.parents, each.text) for each in of.statements] for of in (old, new))
    if next(said) == next(said):
        return "Nothing differs: all lines on quality of service are the same."
    what = "its minimum, its maximum, its full queue"
    return (
        f"No class gains or loses anything: each has {what} and, under a load, its loss as before."
    )


def _as_sent(port: ConfiguredPort, sent: Sequence[Load]) -> tuple[Load, ...]:
    """The loads by the classes of a port: what is sent to one that it lacks goes with the rest."""
    assert port.port is not None
    classes = queued(port)
    names = {each.queue: name for name, each in classes.items()}
    found: dict[str, Load] = {}
    for load in sent:
        name = load.name
        sources: list[Stream | Flow] = [*load.streams, *load.flows]
        if name not in classes:
            if not sources:
                continue
            queue = port.port.queues[port.port.queue_of(sources[0])].name
            name = names[queue] if queue in names else fail("the class of queue", queue, "known")
        had = found.get(name, load.replace(name=name, streams=(), flows=()))
        found[name] = had.replace(
            streams=(*had.streams, *load.streams), flows=(*had.flows, *load.flows)
        )
    return tuple(found.values())


def _losses(
    old: ConfiguredPort, new: ConfiguredPort, then: Sequence[Load], sent: Sequence[Load]
) -> dict[str, tuple[float, float]]:
    """Class, and its losses before and after, where the model has both."""
    if not sent or any(load.origin == "assumed" for load in sent):
        return {}
    try:
        both: list[dict[str, ClassRun]] = [
            {run.name: run for run in runs(port, _as_sent(port, given), "fluid")}
            for port, given in ((old, then), (new, sent))
        ]
    except ValueError:
        return {}
    return {
        name: (ratio, run.drop_ratio)
        for name, run in both[1].items()
        if run.drop_ratio is not None
        and name in both[0]
        and (ratio := both[0][name].drop_ratio) is not None
    }
