"""A policer's bucket over time: how it empties, and what is dropped once it is empty."""

from collections.abc import Mapping

import numpy as np

from qoslib import packets, units
from qoslib.plots import style
from qoslib.plots.figure import Figure
from qoslib.plots.over_time import Line, over_time
from qoslib.results import Result
from qoslib.scenario import Scenario

__all__ = ["bucket_over_time"]

#: Titles of the panels, with units.
PANELS = ("tokens in the bucket [kB]", "dropped by it [packets/s]")


def bucket_over_time(scenario: Scenario, results: Mapping[str, Result], queue: str) -> Figure:
    """What a queue's policer has in tokens, and what the queue's streams lose, over time.

    Parameters
    ----------
    scenario : Scenario
        The port and the streams of each of the results.
    results : mapping of str to Result
        Label of a run to its record, with a history; all of the same length.
    queue : str
        Whose policer; its burst is drawn as a bound.

    Raises
    ------
    ValueError
        If the queue has no policer, or a record no history.
    """
    policer = {each.name: each.policer for each in scenario.only_port.queues}.get(queue)
    if policer is None:
        raise ValueError(f"queue is {queue!r}; allowed: one with a policer")
    burst_kb, lines, sentences = units.convert(policer.burst_bytes, "B", "kB"), [], []
    for place, (label, result) in enumerate(results.items()):
        found = packets.over_time(scenario, result, queue)
        time_s, tokens_kb = found.end_s, burst_kb * found.tokens_ratio
        look = style.variant("CS4", place)
        lines.append(Line(label, look, time_s, (tokens_kb, found.dropped_pps)))
        empty = np.flatnonzero(tokens_kb < 0.01 * tokens_kb.max())
        sentences.append(
            f"The bucket ({label}) is empty from {time_s[empty[0]]:.2g} s on."
            if len(empty)
            else f"The bucket ({label}) never holds less than {tokens_kb.min():.3g} kB."
        )
    drawn = over_time(lines, PANELS, "time [s]", " ".join(sentences))
    grey, ends_s = style.Look(style.INK, "circle"), lines[0].x[[0, -1]]
    bound = style.line("bound", "burst", ends_s, [burst_kb] * 2, 0, as_look=grey, uid="burst")
    return drawn.add_trace(bound)
