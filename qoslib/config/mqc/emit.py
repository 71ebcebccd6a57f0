"""The commands of a class: what a queue or a node is in the modular QoS command line."""

from qoslib import units
from qoslib.config.code_points import DSCP, code_of, marks_matching, write_word
from qoslib.config.mqc.commands import command_line
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
    Shaper,
    ShareRedProfile,
    TimeLimit,
    TimeRedProfile,
)
from qoslib.port.thresholds import Thresholds

__all__ = ["class_lines", "match_lines"]

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
        lines.append(_priority(of, levels))
    elif of.guaranteed_bps and not platform.by_bandwidth:
        lines.append(command_line("bandwidth", of.guaranteed_bps))
    if not first and platform.by_bandwidth:
        lines.append(command_line("bandwidth", of.weight))
    elif not first and (of.weight != 1 or not (rest or lines or of.shaper)):
        lines.append(command_line("bandwidth remaining", of.weight))
    if of.shaper:
        lines.append(_shape(of.shaper, platform))
    if isinstance(of, Queue):
        lines += _police(of, first) + _limit(of, line_bps) + _early(of, marks)
        if of.flows and platform.has_fair_queues:
            usual = int(platform.fair_queues(line_bps).value)
            lines.append("fair-queue" + f" {of.flows.queues}" * (of.flows.queues != usual))
    return lines


def _conditional(policer: Policer | None) -> bool:
    return policer is not None and policer.when == "congested"


def _priority(queue: Queue, levels: bool) -> str:
    level = f"priority level {queue.priority + 1}" if levels else "priority"
    policer = queue.policer
    if policer is None or not _conditional(policer):
        return level
    command = command_line("priority", policer.rate_bps, policer.burst_bytes)
    return level + command.removeprefix("priority")


def _shape(made: Shaper, platform: PlatformDefaults) -> str:
    usual = shaper(Shape(Value(max(round(made.rate_bps), 1), "bit/s")), 0.0, platform).part
    burst = () if usual == made else (units.bits(made.burst_bytes), 0)
    return command_line("shape", made.rate_bps, *burst)


def _police(queue: Queue, first: bool) -> list[str]:
    policer = queue.policer
    if policer is None or (first and _conditional(policer)):
        return []
    behind: list[object] = ["bc", policer.burst_bytes]
    colours = ["conform", "exceed"]
    if isinstance(policer.excess, PeakRate):
        behind += ["pir", max(round(policer.excess.rate_bps), 1)]
    if isinstance(policer.excess, PeakRate | ExcessBurst):
        behind += ["be", policer.excess.burst_bytes]
        colours.append("violate")
    for colour in colours:
        behind += [f"{colour}-action", _action(getattr(policer, colour))]
    return [command_line("police", policer.rate_bps, *behind)]


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
    return f"{max(round(units.octets(limit.time_s * rate_bps)), 1)} bytes"


def _early(queue: Queue, marks: list[str]) -> list[str]:
    red = queue.dropper
    if not isinstance(red, Red):
        return []
    packets = isinstance(queue.limit, PacketLimit)
    by_precedence = any(mark.startswith("IP ") for mark in (*dict(red.profiles), *marks))
    by = "precedence" if by_precedence else "dscp"
    rows = _by_precedence(red) if by_precedence else _by_code_point(red, marks)
    lines = [f"{by}-based", *(f"{by} {word} {_row(each, packets)}" for word, each in rows.items())]
    if isinstance(red.averaging, Ewma) and red.averaging != Ewma():
        exponent = min(max(red.averaging.exponent, 1), 16)
        lines.append(f"exponential-weighting-constant {exponent}")
    if red.ecn:
        lines.append("ecn")
    return [f"random-detect {line}" for line in lines]


def _by_precedence(red: Red) -> dict[str, Thresholds]:
    """Precedence -> its profile."""
    own = dict(red.profiles)
    groups = {str(number): marks_matching(number, "IP") for number in range(8)}
    return {
        word: next((own[mark] for mark in group if mark in own), red.profile)
        for word, group in groups.items()
    }


def _by_code_point(red: Red, marks: list[str]) -> dict[str, Thresholds]:
    """Word of each code point that may come -> its profile."""
    own = dict(red.profiles)
    coming = [mark for mark in DSCP if mark in marks] or list(DSCP)
    rows = {"CS0": red.profile, **{mark: own.get(mark, red.profile) for mark in coming}}
    rows.update((mark, own[mark]) for mark in own if mark.startswith("DSCP "))
    return {write_word(mark, "cisco"): profile for mark, profile in rows.items()}


def _row(profile: Thresholds, packets: bool) -> str:
    """Two thresholds in the unit of the queue's limit, and a denominator."""
    share = profile.maximum_probability
    denominator = max(round(1 / share), 1) if share > 1 / _LARGEST else _LARGEST
    low, high, unit = _bounds(profile, packets)
    ahead = "percent " if isinstance(profile, ShareRedProfile) else ""
    return f"{ahead}{round(low)}{unit} {max(round(high), 1)}{unit} {denominator}"


def _bounds(profile: Thresholds, packets: bool) -> tuple[float, float, str]:
    """Two thresholds, and the unit behind each."""
    if isinstance(profile, ShareRedProfile):
        low, high = profile.minimum_share, profile.maximum_share
        return units.convert(low, "1", "%"), units.convert(high, "1", "%"), ""
    if isinstance(profile, TimeRedProfile) and not packets:
        low, high = profile.minimum_s, profile.maximum_s
        return units.convert(low, "s", "us"), units.convert(high, "s", "us"), " us"
    size = 1.0
    if isinstance(profile, RedProfile):
        low, high, size = profile.minimum_packets, profile.maximum_packets, _FRAME_BYTES
    elif isinstance(profile, ByteRedProfile):
        low, high = profile.minimum_bytes, profile.maximum_bytes
    else:
        low = units.octets(profile.minimum_s * profile.rate_bps)
        high = units.octets(profile.maximum_s * profile.rate_bps)
    size = size / _FRAME_BYTES if packets else size
    return low * size, high * size, "" if packets else " bytes"


def match_lines(marks: list[str]) -> list[str]:
    """The `match` commands of a class for its marks."""
    lines: list[str] = []
    codes: list[str] = []
    left = list(marks)
    while left:
        mark, *left = left
        kind, number = code_of(mark) or ("", 0)
        if kind == "DSCP":
            codes.append(write_word(mark, "cisco"))
            continue
        line = _match(mark)
        if kind == "IP":
            _, *group = marks_matching(number, "IP")
            whole = left[: len(group)] == group
            left, line = (left[len(group) :], f"match precedence {number}") if whole else (left, "")
        if line:
            lines, codes = [*lines, *_codes(codes), line], []
    return lines + _codes(codes)


def _codes(codes: list[str]) -> list[str]:
    """At most eight code points stand in one line."""
    return [f"match dscp {' '.join(codes[i : i + 8])}" for i in range(0, len(codes), 8)]


_OTHER = {
    "PCP": "cos", "EXP": "mpls experimental topmost", "ACL": "access-group", "VLAN": "vlan",
    "qos-group": "qos-group",
}  # fmt: skip


def _match(mark: str) -> str:
    """The command for a mark that is no code point; empty where there is none."""
    kind, _, rest = mark.partition(" ")
    if kind in _OTHER and rest.isdecimal():
        return f"match {_OTHER[kind]} {rest}"
    return f"match access-group name {mark}" if mark.split() == [mark] else ""
