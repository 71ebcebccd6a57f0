"""When a run says something about the router, and when only about a machine that is too busy.

A run that fails a gate is inconclusive, not wrong: nothing follows from its numbers.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from livelab.counters import Sample
from qoslib import Scenario, units
from qoslib.traffic import Cbr

if TYPE_CHECKING:
    from livelab.run import Seen

__all__ = ["LATENESS_S", "RATE_SHARE", "Gate", "gates"]

#: How far a rate may be from what was asked [ratio]; how late a packet may be sent [s].
RATE_SHARE, LATENESS_S = 0.005, 0.005
#: A port is overloaded, and its line busy all the time, from this load on [ratio].
OVERLOAD = 1.05


class Gate(NamedTuple):
    """One condition on a run.

    Attributes
    ----------
    name : str
    passed : bool
    said : str
        What was found, in a sentence.
    """

    name: str
    passed: bool
    said: str


def gates(
    scenario: Scenario,
    seen: "Mapping[str, Seen]",
    last: Sample,
    sent: Mapping[str, Any],
    line_lateness_s: float = 0.0,
) -> tuple[Gate, ...]:
    """Judge a run.

    Parameters
    ----------
    scenario : Scenario
    seen : mapping of str to Seen
        By stream.
    last : Sample
        The counters when all queues are empty.
    sent : mapping of str to object
        What the sender says of itself.
    line_lateness_s : float
        By how much the delay line of acknowledgements was late, of 99 % of them [s].

    Returns
    -------
    tuple of Gate
    """
    judged = [_sent(scenario, sent), _lateness(sent)]
    judged.append(_line(line_lateness_s) if scenario.hosts else _adds_up(seen, last))
    served = _served(scenario, seen)
    return (*([served] if served else []), *judged)


def _served(scenario: Scenario, seen: "Mapping[str, Seen]") -> Gate | None:
    """An overloaded port sends at its line rate; None where it is not overloaded throughout."""
    port, offered_bps, served_bps = scenario.only_port, 0.0, 0.0
    for stream in scenario.streams:
        on_line = 1 + port.overhead_bytes / stream.mean_frame_bytes
        begins = stream.start_s > scenario.warmup_s
        ends = stream.stop_s is not None and stream.stop_s < scenario.duration_s
        offered_bps += 0 if begins or ends else stream.mean_rate_bps * on_line
        frame = stream.mean_frame_bytes + port.overhead_bytes
        served_bps += units.rate_bps(seen[stream.name].served_pps, frame)
    if offered_bps < OVERLOAD * port.rate_bps or any(queue.shaper for queue in port.queues):
        return None
    share = served_bps / port.rate_bps
    said = f"the line served {share:.2%} of its rate; it has to be within {RATE_SHARE:.1%}"
    return Gate("served rate", abs(share - 1) <= RATE_SHARE, said)


def _sent(scenario: Scenario, sent: Mapping[str, Any]) -> Gate:
    """Every packet that was due was sent."""
    asked, done = 0.0, sum(sent["sent"]) - sent["refused"]
    for stream, number in zip(scenario.streams, sent["sent"], strict=True):
        regular = isinstance(stream.arrivals, Cbr)
        stop_s = scenario.duration_s if stream.stop_s is None else stream.stop_s
        rate = units.rate_pps(stream.mean_rate_bps, stream.mean_frame_bytes)
        # Of Poisson arrivals the sender knows alone how many were due: it leaves none out.
        asked += rate * (stop_s - stream.start_s) if regular else number
    share = done / asked if asked else 0.0
    said = f"the sender sent {share:.2%} of the packets asked for"
    return Gate("sent rate", abs(share - 1) <= RATE_SHARE, said)


def _lateness(sent: Mapping[str, Any]) -> Gate:
    late_s = float(sent["lateness_s"])
    late, most = (units.convert(each, "s", "ms") for each in (late_s, LATENESS_S))
    said = f"the sender was up to {late:.1f} ms late; it has to be below {most:g} ms"
    return Gate("sender's lateness", late_s < LATENESS_S, said)


def _line(late_s: float) -> Gate:
    late, most = (units.convert(each, "s", "ms") for each in (late_s, LATENESS_S))
    said = f"1 % of acknowledgements were held over {late:.1f} ms too long; at most {most:g} ms"
    return Gate("delay line", late_s < LATENESS_S, said)


def _adds_up(seen: "Mapping[str, Seen]", last: Sample) -> Gate:
    """What was sent arrived or was dropped by a queue, as its own counter says."""
    total = sum(each.total_packets for each in seen.values())
    arrived = sum(each.arrived_packets for each in seen.values())
    dropped, left = sum(last.dropped_packets.values()), sum(last.queue_packets.values())
    said = f"{total} packets sent, {arrived} received, {dropped} dropped, {left} still queued"
    return Gate("counters add up", total == arrived + dropped + left and not left, said)
