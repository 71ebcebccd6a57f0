"""A port as a configuration of IOS or IOS XE, and what it cannot say."""

import re
from functools import partial

from qoslib.config.code_points import DSCP
from qoslib.config.differences import lost_in_text
from qoslib.config.interfaces import fast_enough, speed_word
from qoslib.config.mqc.class_nodes import DEFAULT
from qoslib.config.mqc.emit import class_lines, match_lines
from qoslib.config.mqc.platform_defaults import PlatformDefaults
from qoslib.config.mqc.policy_draft import PolicyDraft, draft_of
from qoslib.config.mqc.reader import read_mqc
from qoslib.config.write_record import Written
from qoslib.port import Fifo, PacketLimit, Port, Queue

__all__ = ["write_mqc"]

_INTERFACE = re.compile(r"[A-Za-z][A-Za-z-]*\d[\w/.:-]*")
#: Field of a queue -> the command of its class.
_COMMANDS = {
    "guaranteed_bps": "bandwidth", "limit": "queue-limit", "priority": "priority",
    "shaper": "shape average",
}  # fmt: skip


def write_mqc(port: Port, interface: str, platform: PlatformDefaults) -> Written:
    """Write a port as a configuration of Cisco IOS XE or of classic IOS."""
    if not _INTERFACE.fullmatch(interface):
        interface = fast_enough(port.rate_bps, platform.name)
    facts: dict[str, float | str] = {}
    above, below = _policy_lines(port, platform)
    lines = [*above, f"interface {interface}"]
    speed = speed_word(interface, port.rate_bps, "cisco")
    if speed:
        lines.append(f" speed {speed}")
    elif speed is None:
        facts["line_rate_bps"] = port.rate_bps
    if port.transmit_ring_packets:
        lines.append(f" tx-ring-limit {port.transmit_ring_packets}")
    text = "\n".join([*lines, f" {below}", "end", ""])
    facts |= {
        name: getattr(port, name)
        for name in ("overhead_bytes", "base_delay_s")
        if getattr(port, name)
    }
    weight = "bandwidth" if platform.by_bandwidth else "bandwidth remaining ratio"
    commands = {**_COMMANDS, "weight": weight}
    lost = lost_in_text(port, text, facts, partial(read_mqc, platform=platform), commands)
    return Written(text, tuple(facts.items()), lost)


def _policy_lines(port: Port, platform: PlatformDefaults) -> tuple[list[str], str]:
    """What stands above the interface, and what stands on it."""
    queue = port.queues[0]
    limit = queue.limit
    alone = isinstance(port.scheduler, Fifo) and port.shaper is None
    if alone and isinstance(limit, PacketLimit) and Queue(queue.name, limit) == queue:
        return [], f"hold-queue {limit.packets} out"
    draft = draft_of(port, platform)
    marks = _marks(port)
    levels = {each.priority for each in draft.queues() if each.priority < platform.levels}
    lines = _class_maps(draft, marks)
    for each in _inner_first(draft):
        lines += [f"policy-map {each.policy}"]
        for name, of, below in each.classes:
            own = marks.get(of.name, []) if name != DEFAULT else []
            said = class_lines(
                of, platform, port.rate_bps, own, bool(levels - {0}), name == DEFAULT
            )
            said += [f"service-policy {below.policy}"] if below else []
            if said or name != DEFAULT:
                lines += [f" class {name}", *(f"  {line}" for line in said)]
    return lines, f"service-policy output {draft.policy}"


def _marks(port: Port) -> dict[str, list[str]]:
    """The marks of each queue; its own name only where that is a code point."""
    marks: dict[str, list[str]] = {
        name: [name] for name in port.queue_names if name in DSCP and not port.classifier.rules
    }
    first = dict(reversed(port.classifier.rules))
    for mark in dict(port.classifier.rules):
        name = first[mark]
        if mark != name or mark in DSCP:
            marks.setdefault(name, []).append(mark)
    return marks


def _inner_first(draft: PolicyDraft) -> list[PolicyDraft]:
    found = []
    for _, _, below in draft.classes:
        found += _inner_first(below) if below else []
    return [*found, draft]


def _class_maps(draft: PolicyDraft, marks: dict[str, list[str]]) -> list[str]:
    """A class map for each name, with the marks of all queues that it leads to."""
    selected: dict[str, list[str]] = {}

    def enter(part: PolicyDraft) -> None:
        for name, of, below in part.classes:
            queues = below.queues() if below else [of] if isinstance(of, Queue) else []
            if name != DEFAULT:
                known = selected.setdefault(name, [])
                known += [m for q in queues for m in marks.get(q.name, []) if m not in known]
            if below:
                enter(below)

    enter(draft)
    lines = []
    for name, own in selected.items():
        lines += [f"class-map match-any {name}", *(f" {line}" for line in match_lines(own))]
    return lines
