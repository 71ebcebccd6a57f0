"""Whether a packet run has settled, and how much of its start is left out."""

from typing import NamedTuple

import numpy as np

from qoslib import units
from qoslib.port import (
    ByteLimit,
    HierarchicalTokenBucket,
    PacketLimit,
    Policer,
    Port,
    Queue,
    SchedulerTree,
    Shaper,
    TimeLimit,
)
from qoslib.port.nodes import outline
from qoslib.results import FlowRecord, Result
from qoslib.scenario import Scenario
from qoslib.tolerances import ROUNDING
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["BINS", "Settling", "congested", "mser5", "settling"]

#: Bins of the history that a run needs to be judged by.
BINS = 500
#: Values that MSER-5 takes together.
_OF_ONE = 5
#: Batches of what is left after the cut; their halves are compared.
_BATCHES = 10
#: Two halves differ if their means are apart by so many standard errors and by this share.
_ERRORS, _SHARE = 4.0, 0.05
#: A ratio of lost packets or of tokens below this is none.
LEAST = 1e-3
#: More than a shaper allows in the long run [ratio].
_ABOVE = 2e-3
#: So many frames may leave beyond what a shaper's rate allows of a window, whatever its length.
_FRAMES = 10
#: So often has the window of a flow fallen on average in a run that has settled.
_FALLS = 3
#: Packets with which all queues are filled, at most.
_MOST_FILLING = 2_000_000


class Settling(NamedTuple):
    """How a run has settled.

    Attributes
    ----------
    warmup_s : float
        What is left out at its start, by MSER-5 [s].
    changing : str
        What still changes after that, in words; empty if the run has settled.
    """

    warmup_s: float
    changing: str


def mser5(series: Floats) -> int:
    """How many values at the start of a series are left out, by MSER-5.

    The mean of each five values is one; the cut is where the standard error of what is left,

        sum((y_i - mean)**2) / (n - d)**2    over the batches i from d on,

    is smallest, among cuts of at most half of the series.

    References
    ----------
    White, K. P. (1997), An effective truncation heuristic for bias reduction in simulation output,
    Simulation 69(6), with batches as in White, Cobb and Spratt (2000), Proc. WSC.

    >>> mser5(np.concatenate([np.linspace(0, 9, 50), np.full(150, 9.0)]))
    50
    >>> mser5(np.full(100, 3.0))
    0
    """
    batches = len(series) // _OF_ONE
    y = np.reshape(series[: batches * _OF_ONE], (batches, _OF_ONE)).mean(axis=1)
    left = batches - np.arange(batches // 2 + 1, dtype=np.int64)
    # The sums over what is left, from the end; centred, as squares of large values lose digits.
    y = y - y.mean()
    sums = np.cumsum(y[::-1])[::-1][: len(left)]
    squares = np.cumsum((y**2)[::-1])[::-1][: len(left)]
    error = np.maximum(squares - sums**2 / left, 0.0) / left**2
    # Differences that only rounding makes are none: the least cut of those alike.
    least = error.min() + ROUNDING * max(squares[0], np.finfo(float).tiny) / batches**2
    return _OF_ONE * int(np.flatnonzero(error <= least)[0])


def settling(scenario: Scenario, result: Result) -> Settling:
    """How a run of a port has settled.

    The cut is the latest of MSER-5's for what waits and what is dropped. After it the halves of
    the run are compared, by ten batches, and so is a start that MSER-5 would cut as well: what
    waits in each queue, what it drops and what its policer has in tokens. And no shaper may have
    let more through than its rate allows.

    >>> from qoslib import packets
    >>> from qoslib.port import PacketLimit
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(5000)),))
    >>> fills = Scenario("fills", port, (Stream("data", 12e6, 1250),), 20.0)
    >>> run = packets.simulate(port, fills.streams, 20.0, bins=BINS)
    >>> settling(fills, run).changing
    'queue all still grows'
    """
    history = result.history
    assert history is not None
    port = scenario.only_port
    waiting = history.queue_packets.astype(float)
    dropped = _by_queue(scenario, result, history.dropped_packets)
    offered = _by_queue(scenario, result, history.offered_packets)
    bins = waiting.shape[1]
    gone = _gone(scenario, result)
    if gone > bins // 2:
        return Settling(
            float(history.time_s[bins // 2]), "what filled the queues still leaves them"
        )
    cut = max(mser5(waiting.sum(axis=0)), mser5(dropped.sum(axis=0)), gone)
    while True:
        changing, late = _changing(port, waiting, dropped, offered, history.tokens_share, cut)
        if not changing or late <= cut or late > bins // 2:
            break
        # A queue of its own settles later than the sum of all.
        cut = late
    if not changing:
        window = slice(cut, bins)
        seconds = float(history.time_s[-1] - history.time_s[cut])
        sent_bytes = _by_queue(scenario, result, history.sent_bytes)[:, window]
        sent_packets = _by_queue(scenario, result, history.sent_packets)[:, window]
        changing = _excess(port, sent_bytes.sum(axis=1), sent_packets.sum(axis=1), seconds)
    if not changing and result.tcp is not None:
        changing = _opening(result.tcp, cut)
    return Settling(float(history.time_s[cut]), changing)


def _opening(tcp: FlowRecord, cut: int) -> str:
    """The flow whose window grows and has hardly fallen since the cut; empty if they fall often.

    CUBIC's window stands almost still in the middle of its growth, which may last for ten seconds:
    no mean would show that it still grows.
    """
    steps = np.diff(tcp.window_packets[:, cut:], axis=1)
    falls, grows = (steps < 0).sum(axis=1), (steps > 0).any(axis=1)
    if not grows.any() or falls[grows].mean() >= _FALLS:
        return ""
    least = np.flatnonzero(grows)[falls[grows].argmin()]
    return f"the window of {tcp.flows[least]} still grows"


def _gone(scenario: Scenario, result: Result) -> int:
    """The bin from which on nothing leaves any more of streams that have stopped."""
    assert result.history is not None
    stopped = {each.name for each in scenario.streams if each.stop_s is not None}
    of = [at for at, name in enumerate(result.streams) if name in stopped]
    left = np.flatnonzero(result.history.sent_packets[of].sum(axis=0))
    return int(left[-1]) + 1 if len(left) else 0


def _by_queue(scenario: Scenario, result: Result, of_streams: np.ndarray) -> Floats:
    """A history of streams as that of queues, shape (queues, bins)."""
    port = scenario.only_port
    sources = {flow.name: flow for host in scenario.hosts for flow in host.flows}
    every = sources | {stream.name: stream for stream in scenario.streams}
    of = [port.queue_of(every[name]) for name in result.streams]
    total = np.zeros((len(port.queues), of_streams.shape[1]))
    np.add.at(total, of, of_streams)
    return total


def _changing(
    port: Port,
    waiting: Floats,
    dropped: Floats,
    offered: Floats,
    tokens: Floats,
    cut: int,
) -> tuple[str, int]:
    """What differs between the halves after a cut, and the cut that its own series asks for."""
    bins = waiting.shape[1] - cut
    for at, queue in enumerate(port.queues):
        # What a queue takes in is not lost yet: a growth that makes up a loss counts as well.
        missed = LEAST * offered[at, cut:].mean() * bins / 2
        grew = _trend(waiting[at], cut, 2.0, missed)
        if grew:
            verb = "grows" if grew > 0 else "drains"
            return f"queue {queue.name} still {verb}", mser5(waiting[at])
        if queue.policer is not None and not np.isnan(tokens[at]).any():
            drains = _trend(tokens[at], cut, LEAST, LEAST)
            if drains:
                verb = "fills" if drains > 0 else "drains"
                return f"the policer's bucket of {queue.name} still {verb}", mser5(tokens[at])
        # Drops need the packets that they are counted by.
        per_bin = offered[at, cut:].mean()
        if per_bin and _trend(dropped[at], cut, LEAST * per_bin):
            return f"the loss of queue {queue.name} still changes", mser5(dropped[at])
    return "", 0


def _trend(series: Floats, cut: int, least: float, most: float = np.inf) -> float:
    """By how much the end of what is left after a cut is above its start.

    It is 0 where chance explains it, or where it is below a share of the mean, `least`, and `most`.
    """
    left = series[cut:]
    small = min(max(_SHARE * abs(left.mean()), least), max(most, least))
    return _between_halves(left, small) or _after_start(left, small)


def _between_halves(left: Floats, small: float) -> float:
    means = _batch_means(left)
    first, second = means[: _BATCHES // 2], means[_BATCHES // 2 :]
    error = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / (_BATCHES // 2))
    apart = float(second.mean() - first.mean())
    # A straight line has as much spread within the halves as between them: take it out.
    steps = np.diff(means)
    if (steps > 0).all() or (steps < 0).all():
        error = 0.0
    return apart if abs(apart) > max(_ERRORS * error, small) else 0.0


def _after_start(left: Floats, small: float) -> float:
    """By how much a start that MSER-5 would cut as well moves the mean.

    A change that ends within a half spreads that half, and so hides between the halves.
    """
    start = mser5(left)
    rest = left[start:]
    if not start or len(rest) < _BATCHES:
        return 0.0
    error = np.sqrt(_batch_means(rest).var(ddof=1) / _BATCHES)
    apart = float(rest.mean() - left.mean())
    return apart if abs(apart) > max(_ERRORS * error, small) else 0.0


def _batch_means(series: Floats) -> Floats:
    size = len(series) // _BATCHES
    means: Floats = np.reshape(series[: size * _BATCHES], (_BATCHES, size)).mean(axis=1)
    return means


def _excess(port: Port, sent_bytes: Floats, sent_packets: Floats, seconds: float) -> str:
    """The shaper that has let more through than its rate allows in the long run; empty if none."""
    names = [queue.name for queue in port.queues]
    for at, queue in enumerate(port.queues):
        if queue.shaper and _above(queue.shaper, sent_bytes[at], sent_packets[at], seconds):
            return f"queue {names[at]} still sends the burst of its shaper"
        policer = queue.policer
        if policer is None or policer.when != "always" or policer.exceed != "drop":
            continue
        if _above(policer, sent_bytes[at], sent_packets[at], seconds):
            return f"the policer's bucket of {names[at]} still drains"
    if isinstance(port.scheduler, SchedulerTree | HierarchicalTokenBucket):
        tree = outline(port.queues, port.scheduler.nodes)
        below = {at: {at} for at in range(len(names))}
        for at in range(len(names)):
            parent = tree.parents[at]
            while parent >= 0:
                below.setdefault(parent, set()).add(at)
                parent = tree.parents[parent]
        each = tree.each(port.queues)
        for at, queues in below.items():
            shaper = each[at].shaper
            of = sorted(queues)
            if shaper and _above(shaper, sent_bytes[of].sum(), sent_packets[of].sum(), seconds):
                return f"{each[at].name} still sends the burst of its shaper"
    if port.shaper and _above(port.shaper, sent_bytes.sum(), sent_packets.sum(), seconds):
        return "the port still sends the burst of its shaper"
    return ""


def _above(
    bucket: Shaper | Policer, sent_bytes: float, sent_packets: float, seconds: float
) -> bool:
    frame_bytes = sent_bytes / sent_packets if sent_packets else 0.0
    allowed_bytes = units.octets(bucket.rate_bps * seconds)
    return bool(sent_bytes > allowed_bytes * (1 + _ABOVE) + _FRAMES * frame_bytes)


def congested(scenario: Scenario) -> Scenario:
    """A scenario whose queues are filled first, and whose buckets are emptied.

    Streams like those of each queue, at twice the line rate, last until the largest queue would be
    full, and the run at least four times as long. A port that is overloaded settles from above
    within a few packets where it would take minutes to fill. Queues of TCP are left to TCP, which
    fills them soon, and would be slow for long after such a loss.

    >>> from qoslib.port import PacketLimit
    >>> port = Port("access", 1e7, (Queue("all", PacketLimit(5000)),))
    >>> full = congested(Scenario("a", port, (Stream("data", 12e6, 1250),), 20.0))
    >>> [(stream.name, stream.stop_s) for stream in full.streams]
    [('data', None), ('fills all', 5.0)]
    """
    port = scenario.only_port
    of_tcp = {port.queue_of(flow) for host in scenario.hosts for flow in host.flows}
    first: dict[int, tuple[str, int]] = {}
    for stream in scenario.streams:
        if (at := port.queue_of(stream)) not in of_tcp:
            first.setdefault(at, (stream.label, round(stream.mean_frame_bytes)))
    if not first:
        return scenario
    largest_bytes = max(_held_bytes(port, port.queues[at], size) for at, (_, size) in first.items())
    wanted_s = units.serialisation_s(largest_bytes, port.rate_bps)
    wanted_s += max((_emptied_s(bucket, port.rate_bps) for bucket in _buckets(port)), default=0.0)
    rate_bps = 2 * port.rate_bps
    pps = sum(units.rate_pps(rate_bps, size) for _, size in first.values())
    stop_s = min(wanted_s, _MOST_FILLING / pps)
    if stop_s <= 0:
        return scenario
    filling = (
        Stream(f"fills {port.queues[at].name}", rate_bps, size, mark=label, stop_s=stop_s)
        for at, (label, size) in sorted(first.items())
    )
    longer_s = max(scenario.duration_s, 4 * stop_s)
    return scenario.replace(streams=(*scenario.streams, *filling), duration_s=longer_s)


def _emptied_s(bucket: Shaper | Policer, line_bps: float) -> float:
    """How long a shaper or policer lets the line through before its tokens are gone [s]."""
    above_bps = max(line_bps - bucket.rate_bps, LEAST * line_bps)
    return float(units.serialisation_s(bucket.burst_bytes, above_bps))


def _buckets(port: Port) -> list[Shaper | Policer]:
    nodes = (
        port.scheduler.nodes
        if isinstance(port.scheduler, SchedulerTree | HierarchicalTokenBucket)
        else ()
    )
    every: list[Shaper | Policer | None] = [port.shaper, *(node.shaper for node in nodes)]
    every += [bucket for queue in port.queues for bucket in (queue.shaper, queue.policer)]
    return [bucket for bucket in every if bucket is not None]


def _held_bytes(port: Port, queue: Queue, frame_bytes: float) -> float:
    """What a queue holds at most, at the line rate where its limit is a time [B]."""
    limit = queue.limit
    if isinstance(limit, PacketLimit | ByteLimit):
        return float(limit.held_bytes(frame_bytes))
    if isinstance(limit, TimeLimit):
        return float(units.octets(port.rate_bps * limit.time_s))
    return 0.0
