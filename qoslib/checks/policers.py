"""Rules on token buckets."""

from collections.abc import Iterator, Sequence

from qoslib import units
from qoslib.checks.checked_port import CheckedPort, Member
from qoslib.checks.promises import FRAME_BYTES
from qoslib.checks.rule import Found, rule
from qoslib.config.amounts import rate_text, size_text, time_text
from qoslib.port import HierarchicalTokenBucket
from qoslib.tolerances import ROUNDING
from qoslib.traffic import Stream, TickedBursts

__all__ = ["LONGEST_S"]

#: A bucket for longer than this is most often a slip of the unit [s].
LONGEST_S = 2.0


@rule(
    "burst-below-frame",
    "error",
    "RFC 2697, section 3: a packet larger than the burst never conforms",
    inward=True,
)
def burst_below_frame(checked: CheckedPort) -> Iterator[Found]:
    """A policer's burst is smaller than one frame, or than one picture of a video."""
    for member in checked.members:
        policer, load = member.queue.policer, member.load
        if policer is None or policer.exceed != "drop":
            continue
        streams = load.streams if load and load.origin != "assumed" else ()
        sizes_bytes = [round(stream.mean_frame_bytes) for stream in streams]
        largest_bytes = max(sizes_bytes, default=FRAME_BYTES)
        line, said = _of_burst(checked, member)
        if policer.burst_bytes < largest_bytes:
            yield Found(
                line,
                f"A frame of {size_text(largest_bytes)} never passes the policer of {member.name}.",
                f"Its burst is {size_text(policer.burst_bytes)}{said}.",
                checked.fixes.burst(member, max(10 * largest_bytes, 8000)),
                "error" if streams else "info" if said else "warning",
            )
        for picture_bytes in _pictures_bytes(streams):
            if policer.burst_bytes < picture_bytes:
                yield Found(
                    line,
                    f"One picture of the video is larger than the burst of {member.name}.",
                    f"{size_text(picture_bytes)} come back to back into"
                    f" {size_text(policer.burst_bytes)}{said}.",
                    checked.fixes.burst(member, 2 * picture_bytes),
                    "warning",
                )


def _pictures_bytes(streams: Sequence[Stream]) -> Iterator[float]:
    """What each video sends back to back [B]."""
    for stream in streams:
        if isinstance(stream.arrivals, TickedBursts):
            yield units.octets(stream.rate_bps * stream.arrivals.tick_s)


def _of_burst(checked: CheckedPort, member: Member) -> tuple[int, str]:
    """The line of a policer's burst, and that it is a default."""
    where = "policer.burst_bytes"
    return checked.line(member, where), checked.by_default(member, where)


@rule(
    "burst-long",
    "warning",
    "Cisco IOS QoS command reference, police: the burst is in bytes;"
    " RFC 2697, section 2: bursts are in bytes",
    inward=True,
)
def burst_long(checked: CheckedPort) -> Iterator[Found]:
    """A policer's burst lasts for seconds, as if its unit was mistaken."""
    for member in checked.members:
        policer = member.queue.policer
        if policer is None:
            continue
        lasts = units.serialisation_s(policer.burst_bytes, policer.rate_bps)
        usual = units.octets(policer.rate_bps) / 4
        # At a lower rate a burst that holds a frame lasts for so long by itself.
        if lasts > LONGEST_S and usual >= FRAME_BYTES:
            yield Found(
                checked.line(member, "policer.burst_bytes"),
                f"The burst of {member.name} lasts {time_text(lasts)}; the policer does little.",
                f"{size_text(policer.burst_bytes)} at {rate_text(policer.rate_bps)} ="
                f" {time_text(lasts)}; 250 ms are {size_text(usual)}.",
                checked.fixes.burst(member, usual),
            )


@rule(
    "police-above-line",
    "info",
    "RFC 2697, section 3: packets conform while their rate is below the committed one",
    inward=True,
    family="cisco",
)
def police_above_line(checked: CheckedPort) -> Iterator[Found]:
    """A policer has a rate above the line rate, so that it never acts (Cisco)."""
    line_bps = checked.port.rate_bps
    for of in checked.configured.classes:
        said = of.setting("police")
        if said and said.rate_bps and said.rate_bps > line_bps * (1 + ROUNDING):
            yield Found(
                said.line,
                f"The policer of {of.name} never acts: its rate is {rate_text(said.rate_bps)}, but"
                f" the line rate is {rate_text(line_bps)}.",
                f"{rate_text(said.rate_bps)} > {rate_text(line_bps)}.",
            )


@rule(
    "tcp-policed",
    "warning",
    "Flach et al. 2016, An Internet-Wide Analysis of Traffic Policing",
    inward=True,
)
def tcp_policed(checked: CheckedPort) -> Iterator[Found]:
    """TCP meets a policer whose burst is below its rate times the round trip."""
    for member in checked.members:
        policer, load = member.queue.policer, member.load
        flows = load.flows if load else ()
        if policer is None or policer.exceed != "drop" or not flows:
            continue
        if (policer.when == "congested" and member.strict) or member.limit_bps == 0:
            continue
        trip = max(flow.round_trip_s for flow in flows)
        product = units.octets(policer.rate_bps * trip)
        if policer.burst_bytes < product:
            line, said = _of_burst(checked, member)
            yield Found(
                line,
                f"TCP with {time_text(trip)} needs a larger burst than {member.name} has.",
                f"{rate_text(policer.rate_bps)} x {time_text(trip)} = {size_text(product)}, above"
                f" {size_text(policer.burst_bytes)}{said}: the rate falls below the policer's.",
                checked.fixes.burst(member, product),
            )


@rule(
    "shaper-burst-small", "warning", "RFC 3290, section 7.2: a shaper sends what its tokens cover"
)
def shaper_burst_small(checked: CheckedPort) -> Iterator[Found]:
    """A shaper's burst does not hold one full frame."""
    if isinstance(checked.port.scheduler, HierarchicalTokenBucket):
        # It lets a packet go while its tokens are not negative.
        return
    for of in checked.configured.classes:
        said = of.setting("shape")
        burst_bytes = said.burst_bytes if said and said.rate_bps else None
        if said and burst_bytes is not None and burst_bytes < FRAME_BYTES:
            yield Found(
                said.line,
                f"The shaper of {of.name} has a burst below one full frame.",
                f"{size_text(burst_bytes)}, a frame has {FRAME_BYTES} B; here its bucket holds one"
                " frame.",
                checked.fixes.rate(of, said, said.rate_bps or 0.0),
            )
    for member in checked.members:
        shaper = member.queue.shaper
        if shaper and shaper.burst_bytes < FRAME_BYTES:
            yield Found(
                checked.line(member, "shaper.burst_bytes"),
                f"The shaper of {member.name} has a burst below one full frame.",
                f"{size_text(shaper.burst_bytes)}"
                f"{checked.by_default(member, 'shaper.burst_bytes')}, a frame has {FRAME_BYTES} B.",
                checked.fixes.shaper_burst(member, shaper.rate_bps, FRAME_BYTES),
            )
