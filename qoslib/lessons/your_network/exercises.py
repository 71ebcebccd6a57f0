"""Exercises of lesson 13: a configuration of one's own, and one change."""

from qoslib import fluid, units
from qoslib.findings import Report
from qoslib.lessons.exercise import edge, read
from qoslib.port import PacketLimit, Port, Queue
from qoslib.traffic import Stream

__all__ = ["EXERCISES"]

LINE = 100.0
#: A full frame, and what Ethernet adds to it on the line [B].
FULL_BYTES, ADDED_BYTES = 1518, 20
#: The most that counts as no loss [ratio].
LOSSLESS = 1e-3


def burst(rate, lasts):
    """Burst of a policer, in kB, that passes a line-rate burst of so many ms on 100 Mb/s."""
    expected, whole = (
        float(units.convert(units.octets(units.mbps(mbps) * units.ms(lasts)), "B", "kB"))
        for mbps in (LINE - rate, LINE)
    )
    return expected, {"whole": whole}


def largest_buffer(answer, most):
    """Largest buffer of a 100 Mb/s line, in full frames, that costs no more than so many ms."""
    costs, larger = (_full_ms(int(answer) + more) for more in (0, 1))
    return edge(costs <= most, larger <= most, delay=costs)


def _full_ms(buffer_packets):
    """Delay through a full buffer [ms]: that of the packets in front, and of the packet itself."""
    queue = Queue("all", PacketLimit(buffer_packets))
    port = Port("line", units.mbps(LINE), (queue,), overhead_bytes=ADDED_BYTES)
    full = Stream("all", 2 * port.rate_bps, FULL_BYTES)
    return units.convert(float(fluid.solve(port, [full]).delay_mean_s[0]), "s", "ms")


def largest_frame(most):
    """Largest frame, in bytes, that keeps another packet from waiting longer than so many µs."""
    on_line = float(units.octets(units.us(most) * units.mbps(LINE)))
    return on_line - ADDED_BYTES, {"on_line": on_line}


def shaper(contract, frame):
    """Fastest shaper, in Mb/s, whose frames of this size fit a contract with what is added."""
    fits = contract * frame / (frame + ADDED_BYTES)
    return fits, {"contract": contract, "less": contract * (frame - ADDED_BYTES) / frame}


def own(answer):
    """The report of a change of one's own: overloaded, no error, and the first class loses none."""
    if not isinstance(answer, Report):
        return "report", {}
    if answer.missing:
        return "missing", {"fact": answer.missing[0].name}
    runs = [each for port in answer.ports for each in port.runs if each.load_ratio == 1]
    if not runs:
        return "traffic", {}
    if not answer.changes:
        return "against", {}
    if wrong := next((each for each in answer.findings if each.severity == "error"), None):
        return "error", {"line": wrong.line, "rule": wrong.id}
    lost = {each.name: each.drop_ratio or 0.0 for each in runs}
    first, other = next(iter(lost)), max(lost, key=lambda name: lost[name])
    values = {"first": first, "lost": lost[first], "other": other, "more": lost[other]}
    if lost[first] > LOSSLESS:
        return "loses", values
    return ("right" if lost[other] > LOSSLESS else "idle"), values


EXERCISES = read(__file__, burst, largest_buffer, largest_frame, shaper, own)
