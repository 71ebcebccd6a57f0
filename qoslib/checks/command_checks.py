"""Rules on commands that exclude each other or stand in the wrong place, and on shapers' units."""

from collections.abc import Iterator

from qoslib import units
from qoslib.checks.checked_port import CheckedPort
from qoslib.checks.manners import manners_of
from qoslib.checks.names import attachment
from qoslib.checks.promises import FRAME_BYTES
from qoslib.checks.rule import Found, rule
from qoslib.checks.spelling import listed
from qoslib.config.amounts import rate_text, share_text, time_text
from qoslib.config.eos.reader import STRICT_SHARE
from qoslib.config.guarantees import nodes_of
from qoslib.config.junos.platforms import several_strict
from qoslib.config.mqc.commands import verbs_giving
from qoslib.config.records import Configuration, ConfiguredPolicy
from qoslib.config.source import check_time
from qoslib.port.nodes import outline

__all__: list[str] = []

_QUEUEING = {*verbs_giving("a queue", "a change")}
#: So many thresholds has a queue of a Catalyst 9000.
_THRESHOLDS = 3
#: A shaper that is so many times too small was likely meant in kb/s, if a frame takes so long [s].
_SLIP, _SLOW_S = 1000, 0.1


@rule(
    "commands-exclusive",
    "error",
    "Cisco command references of IOS XE and IOS XR, priority: not with bandwidth in the same class;"
    " bandwidth: in kbps or in per cent; Nexus 9000 QoS Configuration Guide, Configuring Congestion"
    " Management: bandwidth remaining is for the classes without priority; Arista EOS User Manual,"
    " bandwidth percent: the share of a transmit queue in round robin; Juniper, Class of Service"
    " User Guide, priority (Schedulers): strict-high on only one queue per interface",
    whole=True,
)
def commands_exclusive(configuration: Configuration) -> Iterator[Found]:
    """Commands of a class or a policy that a device refuses together, or leaves without effect."""
    manners = manners_of(configuration.dialect, configuration.platform)
    yield from _strict_shares(configuration)
    yield from _several_strict_high(configuration)
    if manners.one_unit:
        yield from _several_policies(configuration)
    for policy in configuration.policies:
        yield from _priority_and_bandwidth(policy, manners.takes_both)
        if manners.one_unit:
            yield from _several_units(policy)
        if manners.shared_buffers:
            yield from _many_thresholds(policy)


def _strict_shares(configuration: Configuration) -> Iterator[Found]:
    """Shares of strict queues (EOS), which takes them without an effect."""
    lines = [remark.line for remark in configuration.remarks if remark.lost == STRICT_SHARE]
    if lines:
        yield Found(
            lines[0],
            "`bandwidth percent` has no effect on a transmit queue with strict priority, and no"
            " line here turns that priority off.",
            "`no priority` in this queue, or in one above it, puts it into round robin"
            f"{f'; so in lines {listed(lines)}' if len(lines) > 1 else ''}. Platforms differ: on"
            " some, round robin is the default for such queues, as `show qos interfaces` says.",
            severity="warning",
        )


def _several_strict_high(configuration: Configuration) -> Iterator[Found]:
    """Several queues of strict-high on one interface or unit (Junos), where a device may take one.

    ACX, QFX10000 and EX take several (Juniper, CLI Reference, priority (Schedulers), Platform
    Information).
    """
    if not manners_of(configuration.dialect).one_strict_queue or several_strict(configuration):
        return
    known: set[tuple[int, ...]] = set()
    for port in configuration.ports:
        check_time(port.line)
        lines: dict[str, dict[int, str]] = {}
        for of in port.classes:
            for said in of.statements:
                if said.words[-2:] == ("priority", "strict-high"):
                    lines.setdefault(of.node, {})[said.line] = of.name
        for own in lines.values():
            if len(own) < 2 or tuple(own) in known:
                continue
            known.add(tuple(own))
            yield Found(
                max(own),
                f"{' and '.join(own.values())} have strict-high, which only one queue of an"
                " interface may have: the device may refuse them.",
                f"`priority strict-high` is in lines {listed(sorted(own))}; an ACX, a QFX10000"
                " or an EX switch takes several (give the fact platform=ex where it is one).",
                severity="warning",
            )


def _several_policies(configuration: Configuration) -> Iterator[Found]:
    """Two policies of one interface in one direction."""
    attached: dict[tuple[str, str], dict[str, int]] = {}
    taken_back = configuration.by_verb.get("no", ())
    said = [*configuration.by_verb.get("service-policy", ()), *taken_back]
    for each in sorted(said, key=lambda each: each.line):
        check_time(each.line)
        found = attachment(each)
        if found and found.way and each.parents and not found.kind:
            command = f"service-policy {found.way} {found.name}"
            lines = attached.setdefault((each.parents[0], f"service-policy {found.way}"), {})
            lines.pop(command, None)
            if found.alone:
                lines[command] = each.line
    for (interface, way), lines in attached.items():
        if len(lines) > 1:
            says = ", ".join(f"{command} in line {line}" for command, line in lines.items())
            yield Found(
                max(lines.values()),
                f"{interface[0].upper()}{interface[1:]} has {len(lines)} commands `{way}`: the"
                " device takes one of them.",
                f"{says}; the last is read.",
            )


def _priority_and_bandwidth(policy: ConfiguredPolicy, takes_both: bool) -> Iterator[Found]:
    """A class with both; some switches take that, and then the share says nothing."""
    for of in policy.classes:
        priority = of.setting("priority")
        shares = [each for each in of.settings if each.command.startswith("bandwidth")]
        if not priority or not shares:
            continue
        line = min(share.line for share in shares)
        yield Found(
            max(priority.line, line),
            f"Class {of.name} of {policy.header} has priority and bandwidth: the device takes one"
            " of them.",
            f"priority in line {priority.line}, bandwidth in line {line}.",
            "",
            "warning" if takes_both else None,
        )


def _several_units(policy: ConfiguredPolicy) -> Iterator[Found]:
    """Bandwidths of one policy in kb/s and in per cent."""
    shares = filter(None, (of.setting("bandwidth") for of in policy.classes))
    lines: dict[str, int] = {}
    for share in sorted(shares, key=lambda share: share.line):
        lines.setdefault("per cent" if share.unit == "%" else "kb/s", share.line)
    if len(lines) > 1:
        says = ", ".join(f"{unit} in line {line}" for unit, line in lines.items())
        yield Found(
            max(lines.values()),
            f"The bandwidths of {policy.header} are in kb/s and in per cent: the device takes one"
            " of these units for all.",
            f"{says}.",
        )


def _many_thresholds(policy: ConfiguredPolicy) -> Iterator[Found]:
    """More limits by mark than a queue of a Catalyst 9000 has thresholds."""
    for of in policy.classes:
        lines: dict[str, int] = {}
        for said in of.statements:
            if said.verb == "queue-limit" and "percent" in said.words[:-1]:
                percent = said.words[said.words.index("percent") + 1]
                lines.setdefault(f"{percent} %", said.line)
        if len(lines) > _THRESHOLDS:
            yield Found(
                max(lines.values()),
                f"Class {of.name} of {policy.header} has {len(lines)} thresholds of `queue-limit`:"
                f" a queue has {_THRESHOLDS}, and the device may refuse more.",
                f"{', '.join(lines)} (Cisco, Catalyst 9300 QoS Configuration Guide, Weighted Tail"
                " Drop).",
                severity="warning",
            )


@rule(
    "queueing-on-input",
    "error",
    "Cisco IOS QoS configuration guide: queues are supported on output alone",
    inward=True,
)
def queueing_on_input(checked: CheckedPort) -> Iterator[Found]:
    """A policy for what comes in has commands of queues (IOS, IOS XE)."""
    if checked.configured.direction != "in" or not checked.manners.rest_shares_queue:
        return
    commands = [said for of in checked.configured.classes for said in of.statements]
    queueing = [said for said in commands if said.verb in _QUEUEING]
    if queueing:
        verbs = ", ".join(dict.fromkeys(said.verb for said in queueing))
        yield Found(
            checked.configured.line,
            f"Policy {checked.configured.policy} is for input and has queues: they are not"
            " supported on input.",
            f"{verbs}: first in line {min(said.line for said in queueing)}.",
            checked.fixes.to_output(),
        )


#: A shaper of a whole port (EOS) below this share of its line rate is worth a question.
_LEAST_SHAPED = 0.01


def _tiny(checked: CheckedPort) -> Found:
    """A shaper of a whole port that leaves little of it (EOS)."""
    line_bps, shaped_bps = checked.port.rate_bps, checked.capacity_bps
    node = outline(checked.port.queues, nodes_of(checked.port)).nodes[-1]
    origin = checked.configured.origin(f"scheduler.nodes[{node.name!r}].shaper.rate_bps")
    return Found(
        origin.line if origin and origin.line else checked.configured.line,
        f"The shaper of the port is {rate_text(shaped_bps)}, which is"
        f" {share_text(shaped_bps / line_bps, 4)} of its line rate.",
        f"`shape rate` is in kb/s: if {rate_text(shaped_bps * _SLIP)} is meant, write"
        f" {units.convert(shaped_bps * _SLIP, 'bit/s', 'kbit/s'):.0f}.",
        severity="info",
    )


@rule(
    "shaper-unit",
    "warning",
    "Cisco IOS QoS command reference, shape: the rate is in bit/s;"
    " Arista EOS User Manual, Quality of Service Configuration Commands, shape rate: in kb/s",
)
def shaper_unit(checked: CheckedPort) -> Iterator[Found]:
    """A shaper seems to be in kb/s instead of bit/s, is above the line rate, or tiny (EOS)."""
    line_bps = checked.port.rate_bps
    if checked.manners.shapers_by_kilobit and checked.capacity_bps < _LEAST_SHAPED * line_bps:
        yield _tiny(checked)
    for of in checked.configured.classes:
        said = of.setting("shape")
        shaped_bps = said.rate_bps if said else None
        if said is None or shaped_bps is None or said.sort not in ("average", "peak"):
            continue
        share = f"It is {share_text(shaped_bps / line_bps, 4)} of the line rate"
        frame_s = units.serialisation_s(FRAME_BYTES, shaped_bps)
        most_bps = line_bps if shaped_bps >= checked.capacity_bps else checked.capacity_bps
        meant_bps = shaped_bps * _SLIP
        if shaped_bps > line_bps:
            yield Found(
                said.line,
                f"The shaper of {of.name}, {rate_text(shaped_bps)}, never holds anything back:"
                f" the line has {rate_text(line_bps)}.",
                f"{share}; the queues of the line fill first.",
            )
        elif said.unit == "bit/s" and frame_s > _SLOW_S and meant_bps < most_bps:
            yield Found(
                said.line,
                f"The shaper of {of.name} is {rate_text(shaped_bps)}: was"
                f" {rate_text(meant_bps)} meant? The rate is in bit/s.",
                f"{share}: a frame of {FRAME_BYTES:,} B takes {time_text(frame_s)}.",
                checked.fixes.rate(of, said, meant_bps),
            )
