"""Exercises of lesson 08: droppers under constant streams and under TCP."""

import numpy as np

from qoslib import run, units
from qoslib.lessons.aqm.outcomes import used_share
from qoslib.lessons.aqm.sliders import BLAST, LINE, RED, START, described
from qoslib.lessons.exercise import read
from qoslib.lessons.tcp_buffers.exercises import given_test
from qoslib.port import Codel, HeadDrop, TailDrop

__all__ = ["EXERCISES"]

#: What exercises 2 and 5 ask of the link, and how long the delay of exercise 5 may be, as a share
#: of the shortest round trip.
BUSY, OWN_BUSY, DELAY = 0.95, 0.9, 0.5
#: A run of the reader's own port is cut off here [s].
MOST_S = 30.0


def codel_time(load):
    """When CoDel's law drops what a stream of so many Mb/s sends too much, in s."""
    frame_bytes = BLAST.mean_frame_bytes
    arrive = units.rate_pps(units.mbps(load), frame_bytes)
    leave, bare = (
        units.rate_pps(LINE.rate_bps, frame_bytes + more) for more in (LINE.overhead_bytes, 0)
    )
    twice = 2 * Codel().interval_s ** 2
    expected = twice * (arrive - leave)
    slips = {"overhead": twice * (arrive - bare), "all": twice * arrive, "half": expected / 2}
    return expected, slips


def threshold(answer, trip):
    """The smallest power of two as RED's minimum that keeps the link busy over so many ms."""
    if answer != 2 ** round(np.log2(answer)):
        return "power", {}
    used, less = (_used(answer / part, trip) for part in (1, 2))
    values = {
        each: units.convert(share, "1", "%")
        for each, share in zip(("used", "less"), (used, less), strict=True)
    }
    if used < BUSY:
        return "beyond", values
    return ("room" if less >= BUSY else "right"), values


def _used(minimum, trip):
    """Share of the link that the lesson's flows use; nothing where RED lets nothing in."""
    if minimum < 1:
        return 0.0
    _, tcp = described(START | {"dropper": RED, "minimum": minimum, "trip": trip})
    return used_share(LINE, run(tcp))


def diagnosis(answer):
    """What is wrong with the port whose counters are shown: a letter."""
    if not isinstance(answer, str) or answer not in ("a", "b", "c", "d"):
        return "letter", {}
    return ("right" if answer == "c" else answer), {}


def enough_drops():
    """Packets per second that CoDel drops of the lesson's TCP flows."""
    blast, tcp = (run(each) for each in described(START | {"dropper": "CoDel"}))
    excess_pps = float((blast.offered_pps - blast.sent_pps).sum())
    return float(tcp.dropped_pps.sum()), {"constant": excess_pps}


def own(answer):
    """A port of one's own with early drops, on which TCP uses the link without a long delay."""
    test = given_test(answer)
    dropper = test.only_port.queues[0].dropper
    if isinstance(dropper, TailDrop | HeadDrop):
        return "tail", {"dropper": type(dropper).__name__}
    end_s = min(test.duration_s, MOST_S)
    result = run(test.replace(duration_s=end_s, warmup_s=min(test.warmup_s, end_s / 2)))
    sent = result.sent_pps > 0
    delay_s = float(np.average(result.delay_mean_s[sent], weights=result.sent_pps[sent]))
    share = used_share(test.only_port, result)
    values = {"share": share, "delay": units.convert(delay_s, "s", "ms")}
    trip_s = min(flow.round_trip_s for host in test.hosts for flow in host.flows)
    if delay_s > DELAY * trip_s:
        return "long", values
    return ("idle" if share < OWN_BUSY else "right"), values


EXERCISES = read(__file__, codel_time, threshold, diagnosis, enough_drops, own)
