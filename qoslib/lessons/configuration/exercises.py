"""Exercises of lesson 10: what the text of a configuration promises each class."""

from qoslib import checks, config, units
from qoslib.config import Configuration, ConfigurationError
from qoslib.lessons.configuration.texts import M120_FACTS, m120_text
from qoslib.lessons.exercise import read
from qoslib.port import ByteLimit

__all__ = ["EXERCISES"]

#: What exercise 1 says of its port and its packets.
LINE_MBPS, PACKET_BYTES = 100, 1500
#: How long a full queue of the first class may last in exercise 4 [s].
LONGEST_S = 0.2


def full_queue(shaped, percent, packets):
    """How long a queue of so many packets lasts at a percentage of a shaper, in ms."""
    share = units.convert(percent, "%", "1")

    def lasts(rate_mbps):
        time_s = units.serialisation_s(packets * PACKET_BYTES, units.mbps(rate_mbps))
        return float(units.convert(time_s, "s", "ms"))

    expected = lasts(share * shaped)
    slips = {"line": lasts(share * LINE_MBPS), "whole": lasts(shaped)}
    return expected, slips | {"octets": expected / units.bits(1)}


def diagnosis(answer):
    """What is wrong with the office whose configuration and counters are shown: a letter."""
    if not isinstance(answer, str) or answer not in ("a", "b", "c", "d"):
        return "letter", {}
    return ("right" if answer == "b" else answer), {}


def buffer_of_best_effort(buffer):
    """What the text of the M120 gives the queue of BE of a buffer of so many ms, in MB."""
    buffer_s = units.ms(buffer)
    facts = M120_FACTS | {"delay_buffer_s": buffer_s}
    found = config.read(m120_text(), facts=facts).ports[0].port
    assert found is not None
    held = {queue.name: queue.limit for queue in found.queues}
    limit = held["BE"]
    assert isinstance(limit, ByteLimit)
    whole_bytes = units.octets(found.rate_bps * buffer_s)
    others_bytes = sum(
        each.limit_bytes
        for name, each in held.items()
        if name != "BE" and isinstance(each, ByteLimit)
    )
    mega = {
        "expected": limit.limit_bytes,
        "rest": whole_bytes - others_bytes,
        "all": whole_bytes,
        "bits": units.bits(limit.limit_bytes),
    }
    slips = {name: float(units.convert(size, "B", "MB")) for name, size in mega.items()}
    return slips.pop("expected"), slips


def own(answer):
    """A configuration of one's own that is understood, without an error and with short queues."""
    if not isinstance(answer, str | Configuration) or (
        isinstance(answer, str) and "\n" not in answer
    ):
        return "kind", {}
    try:
        found = config.read(answer) if isinstance(answer, str) else answer
    except ConfigurationError as error:
        return "unread", {"error": str(error).rstrip(".")}
    unknown = next((each for each in found.remarks if each.kind == "unknown"), None)
    if unknown:
        return "unknown", {"line": unknown.line}
    promises = next((made for made in map(checks.promises, found.ports) if made), ())
    if not promises:
        asked = ", ".join(each.name for each in found.missing) or "none; a policy on an interface"
        return "missing", {"missing": asked}
    errors = (each for each in checks.findings(found) if each.severity == "error")
    if wrong := next(errors, None):
        return "error", {"line": wrong.line, "rule": wrong.id}
    first = promises[0]
    lasts_s = first.queue_s or 0.0
    values = {
        "name": first.name,
        "mbps": float(units.convert(first.minimum_bps, "bit/s", "Mbit/s")),
        "ms": float(units.convert(lasts_s, "s", "ms")),
    }
    return ("long" if lasts_s > LONGEST_S else "right"), values


EXERCISES = read(__file__, full_queue, diagnosis, buffer_of_best_effort, own)
