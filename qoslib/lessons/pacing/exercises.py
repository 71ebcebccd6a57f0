"""Exercises of lesson 07: pacing a sender."""

from qoslib import tcp, units
from qoslib.flows import HtbPacing, actual_rate_bps
from qoslib.lessons.exercise import edge, read
from qoslib.lessons.tcp_buffers.exercises import given_test, used
from qoslib.platforms import mx80

__all__ = ["EXERCISES"]

LINE_BPS, BACKGROUND_BPS = float(mx80.FACTS.line_bps), float(mx80.FACTS.background_bps)
BUFFER_BYTES = float(mx80.FACTS.paced_buffer_bytes)
BURST = int(mx80.FACTS.burst_packets)
SEGMENT_BYTES = int(mx80.FACTS.packet_bytes - mx80.FACTS.header_bytes)
#: What exercise 5 asks of the own sender, as a share of what is left.
BUSY = 0.85
#: A rate that comes out as it was set, to this share, is no slip.
SAME = 0.005


def _sent_gbps(paced):
    """What the old rate table makes of a rate [Gb/s]."""
    pacing = HtbPacing(units.gbps(paced), "legacy")
    sent_bps = actual_rate_bps(pacing, SEGMENT_BYTES, BURST) or 0.0
    return units.convert(min(sent_bps, LINE_BPS), "bit/s", "Gbit/s")


def really(paced):
    """What a host really sends that old tc paces at so many Gb/s, in Gb/s."""
    expected = _sent_gbps(paced)
    return expected, {"exact": paced} if abs(expected / paced - 1) > SAME else {}


def overload(lasts):
    """What a host sends that fills 12 MB in so many ms next to 2 Gb/s, in Gb/s."""
    lasts_s, left_bps = units.ms(lasts), LINE_BPS - BACKGROUND_BPS
    excess, octets = (
        units.convert(size / lasts_s, "bit/s", "Gbit/s")
        for size in (units.bits(BUFFER_BYTES), BUFFER_BYTES)
    )
    left = units.convert(left_bps, "bit/s", "Gbit/s")
    return left + excess, {"excess": excess, "octets": left + octets}


def highest(answer, beside):
    """The highest rate to configure, in tenths of a Gb/s, that leaves the line room, in Gb/s."""
    left = units.convert(LINE_BPS, "bit/s", "Gbit/s") - beside
    sent, more = _sent_gbps(answer), _sent_gbps(answer + 0.1)
    return edge(sent <= left, more <= left, sent=sent, left=left)


def burst(rate):
    """The burst that lets one Reno flow use a policer of so many Mb/s over 50 ms, in kB."""
    given = (units.mbps(rate), units.ms(50))
    expected = units.convert(tcp.policer_burst_bytes(*given, 1500), "B", "kB")
    return expected, {"shaper": units.convert(tcp.bandwidth_delay_bytes(*given), "B", "kB")}


def own(answer):
    """A sender of one's own that is paced so that nothing is lost and little is left over."""
    test = given_test(answer)
    if any(host.pacing is None for host in test.hosts):
        return "unpaced", {}
    result, share = used(test)
    lost = float(result.dropped_pps.sum() * test.duration_s)
    if lost > 0:
        return "loses", {"lost": lost}
    return ("idle" if share < BUSY else "right"), {"share": share}


EXERCISES = read(__file__, really, overload, highest, burst, own)
