"""Colours in the long run: which part of each stream is green, yellow or red, and goes on how."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qoslib.fluid.paths import Paths, ratio
from qoslib.port import ExcessBurst, ExcessRate, PeakRate, Policer, Port
from qoslib.traffic import Stream
from qoslib.units import Floats

__all__ = ["Parts", "coloured", "colours_bps"]


@dataclass(frozen=True, eq=False)
class Parts:
    """Streams in parts of one mark each.

    Attributes
    ----------
    names : tuple of str
        Of the whole streams.
    streams : tuple of Stream
        One for each part, with its mark.
    owner : ndarray of int, shape (parts,)
        Which of the whole streams a part is of.
    bps : ndarray, shape (..., parts)
        In bits of frames [bit/s].
    """

    names: tuple[str, ...]
    streams: tuple[Stream, ...]
    owner: NDArray[np.intp]
    bps: Floats

    @classmethod
    def whole(cls, streams: Sequence[Stream], bps: Floats) -> "Parts":
        """Streams of one mark each."""
        names = tuple(stream.name for stream in streams)
        return cls(names, tuple(streams), np.arange(len(streams), dtype=np.int64), bps)

    def total(self, each: Floats) -> Floats:
        """Rates of parts as those of the whole streams, shape (..., streams)."""
        if len(self.streams) == len(self.names):
            return each
        sums = np.zeros((*each.shape[:-1], len(self.names)))
        for part, owner in enumerate(self.owner):
            sums[..., owner] += each[..., part]
        return sums

    def by_mark(self, each: Floats) -> dict[str, Floats]:
        """Rates of parts by their mark, shape (..., streams)."""
        marks = dict.fromkeys(stream.label for stream in self.streams)
        has = {
            mark: np.array([s.label == mark for s in self.streams], dtype=bool) for mark in marks
        }
        found = {mark: self.total(each * mine) for mark, mine in has.items()}
        return {mark: bps for mark, bps in found.items() if bps.any()}


def colours_bps(
    policer: Policer, came_bps: tuple[Floats, Floats, Floats], counted: Floats | float = 1.0
) -> tuple[tuple[Floats, Floats], Floats]:
    """What of the traffic that comes green and yellow becomes green or yellow [bit/s].

    With g and y what comes green and yellow, C the committed rate and E or P the second one, all as
    the policer counts,

    - one bucket: green ``min(g, C)``, all else yellow;
    - RFC 2697: green ``G = min(g, C)``, yellow ``min(g - G + y, C - G)``, as only tokens that find
      the first bucket full reach the second;
    - RFC 2698: of both a share ``s = min(1, P / (g + y))`` is not red; of it green ``min(s g, C)``;
    - RFC 4115: green ``G = min(g, C)``, yellow ``min(g - G + y, E)``.

    >>> from qoslib.port import PeakRate, Policer
    >>> none = np.zeros(1)
    >>> policer = Policer(8e6, 3000, excess=PeakRate(16e6, 6000))
    >>> (green, yellow), _ = colours_bps(policer, (np.array([24e6]), none, none))
    >>> print(green / 1e6, yellow / 1e6)
    [8.] [8.]
    """
    green, yellow, _ = came_bps
    committed_bps = policer.rate_bps / counted
    passed: Floats | float = 1.0
    if isinstance(policer.excess, PeakRate):
        passed = np.minimum(ratio(policer.excess.rate_bps / counted + 0 * green, green + yellow), 1)
    stays = np.minimum(passed * green, committed_bps)
    exceeds = passed * green - stays
    match policer.excess:
        case ExcessBurst():
            room_bps = committed_bps - stays
        case ExcessRate(rate_bps):
            room_bps = rate_bps / counted + 0 * green
        case _:
            room_bps = exceeds + passed * yellow
    share = np.minimum(ratio(room_bps, exceeds + passed * yellow), 1)
    return (stays, exceeds * share), passed * yellow * share


def coloured(port: Port, parts: Parts, paths: Paths) -> tuple[Parts, Paths]:
    """The parts behind policers that give colours and marks, each in the queue that it came to."""
    if not any(queue.policer and queue.policer.marks_colours for queue in port.queues):
        return parts, paths
    into, frame_bytes = paths.into_queues(parts.bps), paths.packet_bytes(parts.bps)[..., 0]
    found: list[tuple[Stream, int, Floats]] = []
    each: list[int]
    for index, queue in enumerate(port.queues):
        each = np.flatnonzero(paths.member[:, index]).tolist()
        if queue.policer is None or not queue.policer.marks_colours:
            found += [(parts.streams[i], i, parts.bps[..., i]) for i in each]
            continue
        counted = 1 + queue.policer.overhead_bytes / frame_bytes[..., index]
        for i, by_mark in _behind(queue.policer, parts, each, counted, into[..., index]).items():
            found += [
                (stream if mark == stream.label else stream.replace(mark=mark), i, bps)
                for stream in (parts.streams[i],)
                for mark, bps in by_mark.items()
            ]
    # In the order of the parts that they are of.
    found.sort(key=lambda each: each[1])
    rows = np.array([row for _, row, _ in found], np.intp)
    bps = np.stack([bps for _, _, bps in found], axis=-1)
    split = Parts(parts.names, tuple(s for s, _, _ in found), parts.owner[rows], bps)
    return split, Paths(paths.frames[rows], paths.on_line[rows], paths.member[rows])


def _behind(
    policer: Policer, parts: Parts, mine: Sequence[int], counted: Floats, into: Floats
) -> dict[int, dict[str, Floats]]:
    """What a policer lets through of each part, by the mark that it then has."""
    came = [dict(policer.colours).get(parts.streams[i].label, "green") for i in mine]
    rates = [parts.bps[..., i] for i in mine]
    total = {
        colour: sum(
            (r for r, c in zip(rates, came, strict=True) if c == colour), np.zeros_like(into)
        )
        for colour in ("green", "yellow", "red")
    }
    (green, exceeds), yellow = colours_bps(
        policer, (total["green"], total["yellow"], total["red"]), counted
    )
    none = np.zeros_like(into)
    shares = {
        "green": (ratio(green, total["green"]), ratio(exceeds, total["green"])),
        "yellow": (none, ratio(yellow, total["yellow"])),
        "red": (none, none if policer.excess else none + 1),
    }
    found: dict[int, dict[str, Floats]] = {}
    for i, rate, colour in zip(mine, rates, came, strict=True):
        share = shares[colour]
        amounts = (rate * share[0], rate * share[1], rate * (1 - share[0] - share[1]))
        by_mark = found.setdefault(i, {})
        for action, amount in zip(policer.actions, amounts, strict=True):
            if action != "drop":
                mark = parts.streams[i].label if action == "pass" else action
                by_mark[mark] = by_mark.get(mark, none) + np.maximum(amount, 0)
        if not by_mark:
            by_mark[parts.streams[i].label] = none
    return found
