"""Exercises of lesson 09: the same traffic at three routers and a plain queue."""

from qoslib import fluid, packets, units
from qoslib.lessons.exercise import edge, read
from qoslib.lessons.same_traffic import same_line
from qoslib.port import Port

__all__ = ["EXERCISES"]

BURSTS = "in bursts of 1 ms"
#: What a packet model leaves out, and its end [s].
WARMUP_S, END_S = 0.2, 0.6
#: Lost by chance, and the most that counts as nothing [%].
NOTHING = 0.1
#: The longest that 99 % of voice may take in the last exercise [ms].
VOICE_MS = 0.5


def _lost(result, name):
    """Share of a class that is lost [%]."""
    return float(units.convert(result[name].drop_ratio, "1", "%"))


def _solved(router, **percent):
    """The fluid model at a router, with some loads of the mix changed [% of the link]."""
    changed = {name: units.convert(value, "%", "1") for name, value in percent.items()}
    streams = same_line.streams(same_line.LOADS | changed)
    return fluid.solve(same_line.ports()[router], streams)


def plain(business):
    """Share of voice that one plain queue loses with so much business, in per cent."""
    over = float(business + 69 - 100)
    return _lost(_solved("one queue", business=business), "voice"), {"over": over}


def starving(answer, starved):
    """The most business at which best effort loses no more than so much at the M120, both in %."""
    lost, more = (
        _lost(_solved("M120", business=answer + step), "best effort") for step in (0.0, 1.0)
    )
    return edge(lost <= starved + NOTHING, more <= starved, lost=lost)


def policed(answer, lost):
    """Load of voice, in % of the link, of which the ISR4331 loses so many per cent for good."""
    found = _lost(_solved("ISR4331", voice=answer), "voice")
    more = "less" if found > lost else "more"
    return ("off" if abs(found - lost) > 0.5 else "right"), {"found": found, "more": more}


def bucket(answer, most):
    """The least bucket with which voice in bursts loses at most so many % at the 12000, in kB."""
    now, less = (_with_bucket(answer * part) for part in (1.0, 0.8))
    return edge(now <= most, less <= most, lost=now)


def _with_bucket(bucket_kb):
    port = same_line.ports()["Cisco 12000"]
    bucket_bytes = round(units.convert(bucket_kb, "kB", "B"))
    queues = tuple(
        q.replace(policer=q.policer.replace(burst_bytes=bucket_bytes)) if q.policer else q
        for q in port.queues
    )
    streams = same_line.streams(spacing=BURSTS)
    return _lost(_simulated(port.replace(queues=queues), streams), "voice")


def _simulated(port, streams):
    return packets.simulate(port, streams, END_S, warmup_s=WARMUP_S, seed=1, bins=1)


def own(answer):
    """A port of one's own for the mix: little delay for voice, and only best effort loses."""
    port, streams = answer
    if tuple(s.name for s in streams) != tuple(same_line.MIX):
        return "mix", {}
    if port.rate_bps > same_line.LINE_BPS:
        return "line", {}
    result = _simulated(_on_the_line(port), streams)
    for name in ("voice", "control", "business"):
        if _lost(result, name) > NOTHING:
            return "loses", {"name": name, "lost": _lost(result, name)}
    delay = units.convert(result["voice"].delay_p99_s, "s", "ms")
    rest = _lost(result, "best effort")
    values = {"delay": delay, "most": VOICE_MS, "rest": rest}
    return ("delay" if delay > VOICE_MS else "right"), values


def _on_the_line(port: Port) -> Port:
    """With what Ethernet adds to each frame, if the port was described without."""
    return port.replace(overhead_bytes=max(port.overhead_bytes, same_line.OVERHEAD_BYTES))


EXERCISES = read(__file__, plain, starving, policed, bucket, own)
