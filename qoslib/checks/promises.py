"""What a configuration promises each class: a minimum, a maximum, and how long its queue lasts."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from qoslib import units
from qoslib.config.amounts import rate_text, size_text
from qoslib.config.guarantees import (
    FRAME_BYTES,
    freed_bps,
    is_strict,
    least_bps,
    limited_bps,
    nodes_of,
    policed_bps,
)
from qoslib.config.records import ConfiguredClass, ConfiguredPort
from qoslib.config.source import check_time, in_time
from qoslib.port import ByteLimit, HierarchicalTokenBucket, PacketLimit, Port, Queue
from qoslib.port.nodes import outline
from qoslib.record import NotNegative, Record, record

__all__ = ["BURST", "FRAME_BYTES", "Promise", "hosts", "promises", "queued"]

#: What a queue holds where a policer limits it.
BURST = "the burst of its policer"
#: A smaller part of the line is nothing: a weight that stands for none has it.
_NOTHING = 1e-8
#: Mean sizes of a class's kinds of frames [B].
Sizes = tuple[float, ...]


@record
class Promise(Record):
    """What one class gets, whatever the others send.

    Parameters
    ----------
    name : str
        Of the class, or of its queue where another class of the port has the same name.
    queue : str
        Its queue.
    minimum_bps : float
        What it gets while every other class sends as much as it can: its guarantee and its share
        of what is left [bit/s]. Classes that wait in one queue get it together.
    minimum_why : str
        The arithmetic.
    maximum_bps : float
        What it gets while no other class sends [bit/s]; of a conditional policer under congestion.
    maximum_why : str
        What limits it.
    served_bps : float
        What its queue is served at, at least: the minimum, or more where a policer in front of the
        queue lets less in than the scheduler would take out [bit/s].
    held_bytes : float or None
        What its queue holds of the frames [B]; None where a shared memory decides.
    held_why : str
        The arithmetic.
    queue_s : float or None
        How long that takes at the served rate [s]; None where either is not known or the rate is 0.
    together : tuple of str
        The other classes that wait in its queue, and share its minimum.
    """

    name: str
    queue: str
    minimum_bps: NotNegative
    minimum_why: str
    maximum_bps: NotNegative
    maximum_why: str
    served_bps: NotNegative
    held_bytes: NotNegative | None
    held_why: str
    queue_s: NotNegative | None
    together: tuple[str, ...] = ()

    @property
    def is_guest(self) -> bool:
        """Whether its packets wait in the queue of another class."""
        return bool(self.together) and self.name != self.queue

    @property
    def least(self) -> str:
        """Its minimum to read, with the classes that share it."""
        text = rate_text(self.minimum_bps)
        return f"{text} (together with {_listed(self.together)})" if self.together else text


def _listed(names: Sequence[str]) -> str:
    """Names as a sentence has them."""
    return " and ".join([*filter(None, [", ".join(names[:-1])]), *names[-1:]])


@in_time()
def promises(
    configured: ConfiguredPort, frames_bytes: Mapping[str, Sequence[float]] | None = None
) -> tuple[Promise, ...]:
    """What each class of a port gets at least and at most, and how long its queue lasts.

    Parameters
    ----------
    configured : ConfiguredPort
    frames_bytes : mapping of str to sequence of float, optional
        Class, and the mean size of each kind of its frames [B]; by default `FRAME_BYTES`. A queue
        may hold the largest kind only.

    Returns
    -------
    tuple of Promise
        For each class with a queue, in their order; none where a fact is missing.

    Examples
    --------
    >>> from qoslib.config import ConfiguredClass
    >>> from qoslib.port import StartTimeFairQueueing
    >>> queues = (Queue("gold", PacketLimit(50), weight=3.0), Queue("rest", PacketLimit(50)))
    >>> port = Port("access", 1e8, queues, StartTimeFairQueueing())
    >>> classes = tuple(ConfiguredClass(q.name, q.name) for q in queues)
    >>> for each in promises(ConfiguredPort("ge-0/0/0", "out", port, classes)):
    ...     print(each.name, each.minimum_bps, round(each.queue_s, 4))
    gold 75000000.0 0.0081
    rest 25000000.0 0.0243
    """
    if configured.port is None:
        return ()
    sizes = tuple((name, tuple(each)) for name, each in (frames_bytes or {}).items() if each)
    # Ports of one policy at one rate share what is worked out for the first of them.
    classes = tuple((name, each.queue, each.line) for name, each in queued(configured).items())
    found = _promises(configured.port.replace(name="any"), classes, sizes)
    waiting: dict[str, list[str]] = {}
    for each in found:
        waiting.setdefault(each.queue, []).append(each.name)
    return tuple(_shared(each, waiting[each.queue]) for each in found)


def _shared(of: Promise, waiting: Sequence[str]) -> Promise:
    """A promise that holds for several classes together says so."""
    together = tuple(name for name in waiting if name != of.name)
    why = f"{of.minimum_why}; in one queue with {_listed(together)}"
    return of.replace(minimum_why=why, together=together) if together else of


@lru_cache(maxsize=1024)
def _promises(
    port: Port, classes: tuple[tuple[str, str, int], ...], sizes: tuple[tuple[str, Sizes], ...]
) -> tuple[Promise, ...]:
    found, least, frames = [], least_bps(port), dict(sizes)
    queues, shapers = {queue.name: queue for queue in port.queues}, _shapers(port)
    freed = freed_bps(port)
    of_queue = {of: frames.get(name, (FRAME_BYTES,)) for name, of, _ in classes}
    levels = {level: _Level(port, level, least, of_queue) for level in _in_order(port)}
    policed = {level: _Level(port, level, least, of_queue) for level in _policed(port)}
    for name, of, line in classes:
        check_time(line)
        queue = queues[of]
        minimum, why = least[queue.name]
        if 0 < minimum < _NOTHING * port.rate_bps:
            minimum, why = 0.0, f"next to nothing: {why}"
        sent = frames.get(name, (FRAME_BYTES,))
        # What the scheduler gives a queue whose policer would let in as much.
        served, burst = max(minimum, freed.get(of, 0.0)), _burst_bytes(port, queue)
        held, held_why = _held(port, queue, minimum, sent)
        level = levels.get(queue.priority)
        first = None if level else policed.get(queue.priority)
        if level is not None and queue.name in level.minima:
            held, held_why = level.held(queue, minimum, sent)
            served += sum(level.minima.values()) - level.minima[queue.name]
            burst = level.burst_bytes
        if limited_bps(queue) == 0:
            held, held_why, served = 0.0, "nothing waits", 0.0
        elif first and held is not None and burst < held:
            # All bursts of a level may come at once, and nothing says which of them waits.
            held, held_why = first.burst_bytes, f"{BURST} and those of others of its level"
            held_why += f" ({size_text(held)})"
            served += sum(first.minima.values()) - minimum
        elif held is not None and burst < held:
            # A queue that is served first is never longer than what its policer lets in at once.
            held, held_why = burst, f"{BURST} ({size_text(burst)})"
        lasts = units.serialisation_s(held, served) if held is not None and served else None
        most = _maximum(port, queue, shapers[of])
        found.append(Promise(name, queue.name, minimum, why, *most, served, held, held_why, lasts))
    return tuple(found)


def queued(configured: ConfiguredPort) -> dict[str, ConfiguredClass]:
    """The classes of a port that have a queue, by their names."""
    queues = set(configured.port.queue_names if configured.port else ())
    found = [each for each in configured.classes if each.queue and each.queue in queues]
    often = Counter(each.name for each in found)
    return {each.name if often[each.name] == 1 else each.queue: each for each in found}


def hosts(configured: ConfiguredPort) -> dict[str, str]:
    """The classes whose packets wait in the queue of another class, and that class.

    >>> from qoslib.config import ConfiguredClass
    >>> port = Port("access", 1e8, (Queue("class-default", PacketLimit(50)),))
    >>> classes = (ConfiguredClass("WEB", "class-default"),
    ...            ConfiguredClass("class-default", "class-default"))
    >>> hosts(ConfiguredPort("Gi0/1", "out", port, classes))
    {'WEB': 'class-default'}
    """
    found = queued(configured)
    own = {each.queue: name for name, each in found.items() if each.name == each.queue}
    return {
        name: own[each.queue] for name, each in found.items() if own.get(each.queue, name) != name
    }


def _in_order(port: Port) -> set[int]:
    """The levels whose queues send in order of arrival, as if all were one."""
    levels = getattr(port.scheduler, "fifo_levels", 0)
    return {queue.priority for queue in port.queues if queue.priority < levels}


def _policed(port: Port) -> set[int]:
    """The levels of several queues that are served first, all behind policers."""
    bursts: dict[int, list[float]] = {}
    for queue in port.queues:
        if limited_bps(queue) != 0:
            bursts.setdefault(queue.priority, []).append(_burst_bytes(port, queue))
    return {level for level, each in bursts.items() if len(each) > 1 and max(each) < math.inf}


class _Level:
    """The queues of a level, which may be one queue in the device."""

    def __init__(
        self,
        port: Port,
        level: int,
        least: Mapping[str, tuple[float, str]],
        frames: Mapping[str, Sizes],
    ) -> None:
        alike = [each for each in port.queues if each.priority == level and limited_bps(each) != 0]
        self.port, self.minima = port, {each.name: least[each.name][0] for each in alike}
        self.burst_bytes = sum(_burst_bytes(port, each) for each in alike)
        sizes = [size for each in alike for size in frames.get(each.name, ())]
        self.sizes = (min(sizes), max(sizes)) if sizes else ()
        #: One of each kind: what queues hold goes by their limits.
        self.kinds = tuple(
            {(q.limit, q.alpha, q.pool, q.guaranteed_bps): q for q in alike}.values()
        )

    def held(
        self, queue: Queue, minimum: float, frames: Sequence[float]
    ) -> tuple[float | None, str]:
        """What the whole holds: as much as the longest of the queues, this one first."""
        sizes = (*frames, *self.sizes)
        each = [_held(self.port, one, minimum, sizes) for one in (queue, *self.kinds)]
        held, why = max(each, key=lambda found: math.inf if found[0] is None else found[0])
        others = [name for name in self.minima if name != queue.name]
        return held, f"{why}, in one queue with {_listed(others)}" if others else why


def _held(
    port: Port, queue: Queue, minimum: float, frames: Sequence[float]
) -> tuple[float | None, str]:
    limit, frame = queue.limit, max(frames)
    up_to = "up to " if min(frames) < frame else ""
    if queue.alpha is not None:
        return None, f"memory pool {queue.pool}, {queue.alpha:g} times what is free of it"
    if isinstance(limit, PacketLimit):
        return limit.held_bytes(frame), f"{limit.packets:,} packets of {up_to}{frame:,.0f} B"
    if isinstance(limit, ByteLimit):
        return float(limit.limit_bytes), size_text(limit.limit_bytes)
    rate = queue.guaranteed_bps if limit.at == "guaranteed" else port.rate_bps
    rate = minimum if limit.at == "served" else rate
    words = f"{units.convert(limit.time_s, 's', 'ms'):g} ms at {rate_text(rate)}"
    return units.octets(limit.time_s * rate), words


def _burst_bytes(port: Port, queue: Queue) -> float:
    """What a policer in front of a queue that is served first lets in at once [B]."""
    policer = queue.policer
    if policer is None or policer.when == "congested" or policer.exceed != "drop":
        return math.inf
    return float(policer.burst_bytes) if is_strict(port, queue) else math.inf


#: Rates, and the names of what limits to them.
Limits = list[tuple[float, str]]


def _shapers(port: Port) -> dict[str, Limits]:
    """The shapers of the nodes above each queue, the nearest first."""
    found: dict[str, Limits] = {name: [] for name in port.queue_names}
    if not nodes_of(port):
        return found
    tree = outline(port.queues, nodes_of(port))
    each = tree.each(port.queues)
    for above, at in zip(found.values(), tree.parents, strict=False):
        while at >= 0:
            if shaper := each[at].shaper:
                above.append((shaper.rate_bps, f"the shaper of {each[at].name}"))
            at = tree.parents[at]
    return found


def _maximum(port: Port, queue: Queue, shapers: Limits) -> tuple[float, str]:
    """The lowest of all rates on the way, and its name."""
    rates = [(port.rate_bps, "line rate")]
    if port.shaper:
        rates.append((port.shaper.rate_bps, "the port's shaper"))
    # Within its own rate a class of HTB sends whatever its parents' ceils are.
    borrows = isinstance(port.scheduler, HierarchicalTokenBucket)
    own_bps = queue.guaranteed_bps if borrows else 0.0
    rates += [(max(rate_bps, own_bps), name) for rate_bps, name in shapers]
    own = limited_bps(queue)
    if own is not None:
        by_policer = queue.policer is not None and policed_bps(queue.policer) == own
        words = "its policer" if by_policer else "its shaper"
        words = words if own else "all its packets are dropped"
        if by_policer and queue.policer and queue.policer.when == "congested":
            words += ", when congested"
        rates.append((own, words))
    return min(rates, key=lambda each: each[0])
