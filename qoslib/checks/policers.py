"""Rules on token buckets."""

import re
from collections.abc import Iterator

from qoslib import units
from qoslib.checks.promises import FRAME_BYTES
from qoslib.checks.rule import Case, Found, Member, rule
from qoslib.config.amounts import rate_text, size_text, time_text
from qoslib.port import HierarchicalTokenBucket
from qoslib.traffic import TickedBursts

__all__ = ["LONGEST_S", "police_fix"]

#: A bucket for longer than this is most often a slip of the unit [s].
LONGEST_S = 2.0
#: A shaper's rate, and Bc in bits.
_COMMITTED = re.compile(r"(shape (?:average|peak) \d+[kmg]?) (\d+)(?: \d+)?", re.IGNORECASE)
_POLICER = re.compile(r"firewall (?:.* )?policer (\S+)")


@rule(
    "burst-below-frame",
    "error",
    "RFC 2697, section 3: a packet larger than the burst never conforms",
    inward=True,
)
def burst_below_frame(case: Case) -> Iterator[Found]:
    """A policer's burst is smaller than one frame, or than one picture of a video."""
    for member in case.members:
        policer, load = member.queue.policer, member.load
        if policer is None or policer.exceed != "drop":
            continue
        largest = FRAME_BYTES
        streams = load.streams if load and load.origin != "assumed" else ()
        if streams:
            largest = max(round(stream.mean_frame_bytes) for stream in streams)
        line = case.line(member, "policer.burst_bytes")
        said = case.by_default(member, "policer.burst_bytes")
        if policer.burst_bytes < largest:
            yield Found(
                line,
                f"A frame of {size_text(largest)} never passes the policer of {member.name}.",
                f"Its burst is {size_text(policer.burst_bytes)}{said}.",
                police_fix(case, member, max(10 * largest, 8000)),
                "error" if streams else "info" if said else "warning",
            )
        for stream in streams:
            if not isinstance(stream.arrivals, TickedBursts):
                continue
            picture = units.octets(stream.rate_bps * stream.arrivals.tick_s)
            if policer.burst_bytes < picture:
                yield Found(
                    line,
                    f"One picture of the video is larger than the burst of {member.name}.",
                    f"{size_text(picture)} come back to back into {size_text(policer.burst_bytes)}"
                    f"{said}.",
                    police_fix(case, member, 2 * picture),
                    "warning",
                )


@rule(
    "burst-long",
    "warning",
    "Cisco IOS QoS command reference, police: the burst is in bytes",
    inward=True,
)
def burst_long(case: Case) -> Iterator[Found]:
    """A policer's burst lasts for seconds, as if its unit was mistaken."""
    for member in case.members:
        policer = member.queue.policer
        if policer is None:
            continue
        lasts = units.serialisation_s(policer.burst_bytes, policer.rate_bps)
        usual = units.octets(policer.rate_bps) / 4
        # At a lower rate a burst that holds a frame lasts for so long by itself.
        if lasts > LONGEST_S and usual >= FRAME_BYTES:
            yield Found(
                case.line(member, "policer.burst_bytes"),
                f"The burst of {member.name} lasts {time_text(lasts)}; the policer does little.",
                f"{size_text(policer.burst_bytes)} at {rate_text(policer.rate_bps)} ="
                f" {time_text(lasts)}; 250 ms are {size_text(usual)}.",
                police_fix(case, member, usual),
            )


@rule(
    "tcp-policed",
    "warning",
    "Flach et al. 2016, An Internet-Wide Analysis of Traffic Policing",
    inward=True,
)
def tcp_policed(case: Case) -> Iterator[Found]:
    """TCP meets a policer whose burst is below its rate times the round trip."""
    for member in case.members:
        policer, load = member.queue.policer, member.load
        flows = load.flows if load else ()
        if policer is None or policer.exceed != "drop" or not flows:
            continue
        if (policer.when == "congested" and member.strict) or member.limit_bps == 0:
            continue
        trip = max(flow.round_trip_s for flow in flows)
        product = units.octets(policer.rate_bps * trip)
        if policer.burst_bytes < product:
            said = case.by_default(member, "policer.burst_bytes")
            yield Found(
                case.line(member, "policer.burst_bytes"),
                f"TCP with {time_text(trip)} needs a larger burst than {member.name} has.",
                f"{rate_text(policer.rate_bps)} x {time_text(trip)} = {size_text(product)}, above"
                f" {size_text(policer.burst_bytes)}{said}: the rate falls below the policer's.",
                police_fix(case, member, product),
            )


@rule(
    "shaper-burst-small", "warning", "RFC 3290, section 7.2: a shaper sends what its tokens cover"
)
def shaper_burst_small(case: Case) -> Iterator[Found]:
    """A shaper's burst does not hold one full frame."""
    if isinstance(case.port.scheduler, HierarchicalTokenBucket):
        # It lets a packet go while its tokens are not negative.
        return
    for part in case.configured.classes:
        for each in part.statements:
            said = _COMMITTED.fullmatch(each.text)
            if said and units.octets(float(said[2])) < FRAME_BYTES:
                size = size_text(units.octets(float(said[2])))
                yield Found(
                    each.line,
                    f"The shaper of {part.name} has a burst below one full frame.",
                    f"{size}, a frame has {FRAME_BYTES} B; here its bucket holds one frame.",
                    case.fix(mqc=case.in_class(part, said[1])),
                )
    for member in case.members:
        shaper = member.queue.shaper
        if shaper and shaper.burst_bytes < FRAME_BYTES:
            least = units.bits(FRAME_BYTES)
            yield Found(
                case.line(member, "shaper.burst_bytes"),
                f"The shaper of {member.name} has a burst below one full frame.",
                f"{size_text(shaper.burst_bytes)}"
                f"{case.by_default(member, 'shaper.burst_bytes')}, a frame has {FRAME_BYTES} B.",
                case.fix(mqc=f"class {member.name}\n  shape average {shaper.rate_bps:.0f} {least}"),
            )


def police_fix(case: Case, member: Member, burst_bytes: float) -> str:
    """The command that gives a class's policer another burst."""
    return case.fix(
        mqc=f"class {member.name}\n  {case.police(member, burst_bytes)}",
        junos=_junos(case, member, burst_bytes),
    )


def _junos(case: Case, member: Member, burst_bytes: float) -> str:
    """The burst of the policer that a class has (Junos)."""
    line = case.line(member, "policer.burst_bytes")
    said = (
        " ".join([*each.parents, each.text])
        for each in case.configuration.statements
        if each.line == line
    )
    found = next((name for text in said if (name := _POLICER.search(text))), None)
    if found is None:
        return ""
    return f"set firewall policer {found[1]} if-exceeding burst-size-limit {burst_bytes:.0f}"
