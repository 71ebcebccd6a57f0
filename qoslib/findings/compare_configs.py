"""What each class gains and loses between two configurations."""

import math
from collections.abc import Iterator, Mapping, Sequence

from qoslib.checks import Load, Promise, promises
from qoslib.checks.promises import queued
from qoslib.config import Configuration, ConfiguredPort
from qoslib.config.amounts import rate_text, time_text
from qoslib.findings.class_runs import LEAST_LOSS
from qoslib.findings.report import Change, ClassRun
from qoslib.findings.report_text import loss_text, p99_text
from qoslib.findings.shadowed_classes import routed
from qoslib.findings.under_load import runs, stand_in
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
        Place of a port in the new configuration, and the load that both are given.
    simulated : mapping of int to sequence of ClassRun, optional
        Place, and what models give the new port under it; the old port is then run as well, and
        losses and delays are compared, by the packet model where both runs have settled.

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
    ...     print(change.text.split("; ")[0])
    rest: its minimum falls from 50 Mb/s to 25 Mb/s
    gold: its minimum rises from 50 Mb/s to 75 Mb/s
    """
    before = {(port.interface, port.direction): port for port in old.ports}
    found: list[Change] = []
    known: dict[object, tuple[ClassRun, ...]] = {}
    for place, port in enumerate(new.ports):
        key = port.interface, port.direction
        was = before.pop(key, None)
        name = f"{port.interface} {port.direction}"
        if was is None:
            found.append(Change(name, "", f"{name} has a policy now, {port.policy}.", False))
        elif port.port is not None and was.port is not None:
            given = (sent or {}).get(place, ())
            then = routed(old, was, given)
            ran = _both(was, port, then, given, (simulated or {}).get(place, ()), known)
            found += _of_port(name, was, port, given, ran)
    for (interface, direction), _ in before.items():
        name = f"{interface} {direction}"
        found.append(Change(name, "", f"{name} has no policy any more.", True))
    return tuple(sorted(found, key=lambda each: (each.interface, not each.worse)))


def _of_port(
    name: str,
    old: ConfiguredPort,
    new: ConfiguredPort,
    sent: Sequence[Load],
    ran: Mapping[str, tuple[ClassRun, ClassRun]],
) -> Iterator[Change]:
    sizes = {load.name: load.frames_bytes for load in sent}
    before = {each.name: each for each in promises(old, sizes)}
    after = {each.name: each for each in promises(new, sizes)}
    for each in before:
        if each not in after:
            text = f"{each} is gone: its packets go with the rest."
            yield Change(name, each, text, True, **_numbers("before", before[each]))
    for each, now in after.items():
        if each not in before:
            text = f"{each} is new, with at least {now.least}."
            yield Change(name, each, text, False, **_numbers("after", now))
        else:
            yield from _of_class(name, before[each], now, ran.get(each))


def _of_class(
    port: str, was: Promise, now: Promise, ran: tuple[ClassRun, ClassRun] | None
) -> Iterator[Change]:
    """What differs for a class that both have."""
    numbers = _numbers("before", was) | _numbers("after", now)
    under_load, of_runs = _under_load(*ran) if ran else ([], {})
    parts = [*_rates(was, now), *_queues(was, now), *under_load]
    if parts:
        worse = _minimum(now) < _minimum(was) * (1 - ROUNDING)
        if ran and any(text.startswith("it loses") for text in under_load):
            worse = worse or ran[1].drop.mean > ran[0].drop.mean
        said = f"{now.name}: {'; '.join(parts)}."
        yield Change(port, now.name, said, worse, **numbers, **of_runs)


def _numbers(when: str, promise: Promise) -> dict[str, float | None]:
    return {
        f"minimum_{when}_bps": None if promise.is_guest else promise.minimum_bps,
        f"maximum_{when}_bps": promise.maximum_bps,
        f"queue_{when}_s": promise.queue_s,
    }


def _minimum(promise: Promise) -> float:
    """What a class is sure of by its own name: nothing in the queue of another class [bit/s]."""
    return 0.0 if promise.is_guest else promise.minimum_bps


def _rates(was: Promise, now: Promise) -> Iterator[str]:
    for what, old, new in (
        ("minimum", _minimum(was), _minimum(now)),
        ("maximum", was.maximum_bps, now.maximum_bps),
    ):
        if abs(new - old) > ROUNDING * max(new, old):
            verb = "rises" if new > old else "falls"
            yield f"its {what} {verb} from {rate_text(old)} to {rate_text(new)}"


def _queues(was: Promise, now: Promise) -> Iterator[str]:
    if was.queue_s is None or now.queue_s is None:
        return
    if abs(now.queue_s - was.queue_s) > ROUNDING * now.queue_s:
        before = time_text(was.queue_s)
        yield f"its full queue lasts {time_text(now.queue_s)} instead of {before}"


def _under_load(was: ClassRun, now: ClassRun) -> tuple[list[str], dict[str, float]]:
    """What differs under the same load by more than chance, and the numbers."""
    parts, numbers = [], dict[str, float]()
    if was.drop_ratio is not None and now.drop_ratio is not None:
        numbers |= {"drop_before_ratio": was.drop_ratio, "drop_after_ratio": now.drop_ratio}
        chance = math.hypot(was.drop.half_width, now.drop.half_width)
        if abs(was.drop_ratio - now.drop_ratio) > max(LEAST_LOSS, chance):
            parts.append(f"it loses {loss_text(now)} of the given load instead of {loss_text(was)}")
    if was.delay_p99_s is not None and now.delay_p99_s is not None:
        numbers |= {"delay_p99_before_s": was.delay_p99_s, "delay_p99_after_s": now.delay_p99_s}
        chance = math.hypot(was.delay_p99.half_width, now.delay_p99.half_width)
        longer = max(was.delay_p99_s, now.delay_p99_s)
        if abs(was.delay_p99_s - now.delay_p99_s) > max(_APART * longer, _APART_S, chance):
            parts.append(f"its p99 delay is {p99_text(now)} instead of {p99_text(was)}")
    return parts, numbers


def _both(
    old: ConfiguredPort,
    new: ConfiguredPort,
    then: Sequence[Load],
    sent: Sequence[Load],
    simulated: Sequence[ClassRun],
    known: dict[object, tuple[ClassRun, ...]],
) -> dict[str, tuple[ClassRun, ClassRun]]:
    """Class, and its runs before and after: of the packet model, or else of the fluid model."""
    if not sent or any(load.origin == "assumed" for load in sent):
        return {}
    for model in ("packets", "fluid"):
        now = {r.name: r for r in simulated if r.model == model and r.load_ratio == 1}
        # Ports of one policy at one rate are run once.
        key = old.port and old.port.replace(name="any"), old.classes, tuple(then), model
        try:
            before = _as_sent(old, then)
            if now and key not in known:
                known[key] = runs(old, before, model)
        except ValueError:
            continue
        was = {run.name: run for run in known.get(key, ())}
        if now and not any(run.changing for run in (*was.values(), *now.values())):
            # The delay of a stream that stands for TCP is not that of TCP.
            left_out = {*stand_in(old, before), *stand_in(new, sent)}
            both = {name: (was[name], now[name]) for name in now if name in was}
            return {
                name: (_without_delay(pair[0]), _without_delay(pair[1]))
                if name in left_out
                else pair
                for name, pair in both.items()
            }
    return {}


def _without_delay(run: ClassRun) -> ClassRun:
    return run.replace(delay_p99_s=None)


def unchanged(old: Configuration, new: Configuration) -> str:
    """Why no class gains or loses anything from one configuration to another.

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
