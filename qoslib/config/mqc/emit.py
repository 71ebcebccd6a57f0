"""The commands of a class: what a queue or a node is in the modular QoS command line."""

from qoslib import units
from qoslib.config.code_points import DSCP, code_of, marks_matching, write_word
from qoslib.config.mqc.conditioners import shaper
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policies import Shape
from qoslib.config.values import Value
from qoslib.port import (
    ByteLimit,
    ByteRedProfile,
    Ewma,
    ExcessBurst,
    Node,
    PacketLimit,
    PeakRate,
    Policer,
    Queue,
    Red,
    RedProfile,
    ShareRedProfile,
    TimeLimit,
    TimeRedProfile,
)

__all__ = ["class_lines", "match_lines"]

Profile = RedProfile | ByteRedProfile | TimeRedProfile | ShareRedProfile
_KBPS = units.kbps(1.0)
#: Kind of mark -> the action that gives it.
_MARKING = {"IP": "set-prec-transmit", "PCP": "set-cos-transmit", "DSCP": "set-dscp-transmit"}
#: The largest denominator of a probability, and a packet where a length has another unit [B].
_LARGEST, _FRAME_BYTES = 65_536, 1500


def class_lines(
    of: Queue | Node,
    platform: PlatformDefaults,
    line_bps: float,
    marks: list[str],
    levels: bool,
    rest: bool = False,
) -> list[str]:
    """The commands of a class."""
    lines = []
    first = isinstance(of, Queue) and of.priority < platform.levels
    if isinstance(of, Queue) and first:
        lines += _priority(of, levels)
    elif of.guaranteed_bps and not platform.by_bandwidth:
        lines.append(f"bandwidth {_whole(of.guaranteed_bps / _KBPS)}")
    if not first and platform.by_bandwidth:
        lines.append(f"bandwidth {_whole(of.weight / _KBPS)}")
    elif not first and (of.weight != 1 or not (rest or lines or of.shaper)):
        lines.append(f"bandwidth remaining ratio {_whole(of.weight)}")
    if of.shaper:
        lines.append(_shape(of, platform))
    if isinstance(of, Queue):
        lines += _police(of, first) + _limit(of, line_bps) + _early(of, marks)
    return lines


def _whole(value: float) -> int:
    return max(round(value), 1)


def _conditional(policer: Policer | None) -> bool:
    return policer is not None and policer.when == "congested"


def _priority(queue: Queue, levels: bool) -> list[str]:
    level = f" level {queue.priority + 1}" if levels else ""
    policer = queue.policer
    if policer is None or not _conditional(policer):
        return [f"priority{level}"]
    return [f"priority{level} {_whole(policer.rate_bps / _KBPS)} {policer.burst_bytes}"]


def _shape(of: Queue | Node, platform: PlatformDefaults) -> str:
    assert of.shaper is not None
    rate = _whole(of.shaper.rate_bps)
    usual, _ = shaper(Shape(Value(rate, "bit/s")), 0.0, platform)
    if usual == of.shaper:
        return f"shape average {rate}"
    return f"shape average {rate} {units.bits(of.shaper.burst_bytes)} 0"


def _police(queue: Queue, first: bool) -> list[str]:
    policer = queue.policer
    if policer is None or (first and _conditional(policer)):
        return []
    text = f"police cir {_whole(policer.rate_bps)} bc {policer.burst_bytes}"
    if isinstance(policer.excess, ExcessBurst):
        text += f" be {policer.excess.burst_bytes}"
    elif isinstance(policer.excess, PeakRate):
        text += f" pir {_whole(policer.excess.rate_bps)} be {policer.excess.burst_bytes}"
    text += f" conform-action {_action(policer.conform)} exceed-action {_action(policer.exceed)}"
    if isinstance(policer.excess, ExcessBurst | PeakRate):
        text += f" violate-action {_action(policer.violate)}"
    return [text]


def _action(action: str) -> str:
    if action in ("pass", "drop"):
        return "transmit" if action == "pass" else "drop"
    command = _MARKING.get(_kind(action))
    return f"{command} {write_word(action, 'cisco')}" if command else "transmit"


def _kind(mark: str) -> str:
    """The kind of a mark; empty of one that is none."""
    known = code_of(mark)
    return known[0] if known else ""


def _limit(queue: Queue, line_bps: float) -> list[str]:
    lines = [f"queue-limit {_size(queue.limit, queue, line_bps)}"]
    for mark, limit in queue.limits:
        by = {"DSCP": "dscp", "PCP": "cos"}.get(_kind(mark))
        if by:
            word = write_word(mark, "cisco")
            lines.append(f"queue-limit {by} {word} {_size(limit, queue, line_bps)}")
    return lines


def _size(limit: PacketLimit | ByteLimit | TimeLimit, queue: Queue, line_bps: float) -> str:
    if isinstance(limit, PacketLimit):
        return f"{limit.packets} packets"
    if isinstance(limit, ByteLimit):
        return f"{limit.limit_bytes} bytes"
    rate_bps = line_bps if limit.at == "line" else queue.guaranteed_bps or line_bps
    return f"{_whole(units.octets(limit.time_s * rate_bps))} bytes"


def _early(queue: Queue, marks: list[str]) -> list[str]:
    red = queue.dropper
    if not isinstance(red, Red):
        return []
    own, packets = dict(red.profiles), isinstance(queue.limit, PacketLimit)
    by_precedence = any(mark.startswith("IP ") for mark in (*own, *marks))
    lines = [f"random-detect {'precedence' if by_precedence else 'dscp'}-based"]
    if by_precedence:
        for number in range(8):
            group = marks_matching(number, "IP")
            profile = next((own[mark] for mark in group if mark in own), red.profile)
            lines.append(f"random-detect precedence {number} {_row(profile, packets)}")
    else:
        coming = [mark for mark in DSCP if mark in marks] or list(DSCP)
        rows = {"CS0": red.profile, **{mark: own.get(mark, red.profile) for mark in coming}}
        rows.update((mark, own[mark]) for mark in own if mark.startswith("DSCP "))
        for mark, profile in rows.items():
            row = _row(profile, packets)
            lines.append(f"random-detect dscp {write_word(mark, 'cisco')} {row}")
    if isinstance(red.averaging, Ewma) and red.averaging != Ewma():
        exponent = min(max(red.averaging.exponent, 1), 16)
        lines.append(f"random-detect exponential-weighting-constant {exponent}")
    return lines + (["random-detect ecn"] if red.ecn else [])


def _row(profile: Profile, packets: bool) -> str:
    """Two thresholds in the unit of the queue's limit, and a denominator."""
    share = profile.maximum_probability
    denominator = _whole(1 / share) if share > 1 / _LARGEST else _LARGEST
    if isinstance(profile, ShareRedProfile):
        shares = profile.minimum_share, profile.maximum_share
        low, high = (round(units.convert(each, "1", "%")) for each in shares)
        return f"percent {low} {max(high, 1)} {denominator}"
    if isinstance(profile, TimeRedProfile) and not packets:
        times = profile.minimum_s, profile.maximum_s
        low, high = (round(units.convert(each, "s", "us")) for each in times)
        return f"{low} us {max(high, 1)} us {denominator}"
    if isinstance(profile, RedProfile):
        sizes = profile.minimum_packets, profile.maximum_packets
        factor = 1.0 if packets else float(_FRAME_BYTES)
    elif isinstance(profile, ByteRedProfile):
        sizes = profile.minimum_bytes, profile.maximum_bytes
        factor = 1 / _FRAME_BYTES if packets else 1.0
    else:
        times = profile.minimum_s, profile.maximum_s
        rate_bps = profile.rate_bps
        sizes = units.octets(times[0] * rate_bps), units.octets(times[1] * rate_bps)
        factor = 1 / _FRAME_BYTES
    low, high = (round(size * factor) for size in sizes)
    unit = "" if packets else " bytes"
    return f"{low}{unit} {max(high, 1)}{unit} {denominator}"


def match_lines(marks: list[str]) -> list[str]:
    """The `match` commands of a class for its marks."""
    lines: list[str] = []
    codes: list[str] = []
    left = list(marks)
    while left:
        mark = left[0]
        group = marks_matching(int(mark[3:]), "IP") if _kind(mark) == "IP" else ()
        if group and tuple(left[: len(group)]) == group:
            lines, codes, left = (
                [*lines, *_codes(codes), f"match precedence {mark[3:]}"],
                [],
                left[len(group) :],
            )
            continue
        left = left[1:]
        if _kind(mark) == "DSCP":
            codes.append(write_word(mark, "cisco"))
            continue
        other = _other(mark)
        if other:
            lines, codes = [*lines, *_codes(codes), other], []
    return lines + _codes(codes)


def _codes(codes: list[str]) -> list[str]:
    """At most eight code points stand in one line."""
    return [f"match dscp {' '.join(codes[i : i + 8])}" for i in range(0, len(codes), 8)]


_OTHER = {
    "PCP": "cos", "EXP": "mpls experimental topmost", "ACL": "access-group", "VLAN": "vlan",
    "qos-group": "qos-group",
}  # fmt: skip


def _other(mark: str) -> str:
    kind, _, rest = mark.partition(" ")
    if kind in _OTHER and rest.isdecimal():
        return f"match {_OTHER[kind]} {rest}"
    return f"match access-group name {mark}" if mark.split() == [mark] else ""
