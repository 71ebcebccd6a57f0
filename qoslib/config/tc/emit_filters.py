"""The filters that a classifier and its queues' policers are."""

import json
import re

from qoslib.config.tc.amounts import rate_word
from qoslib.config.tc.filters import dscps, matching
from qoslib.config.tc.lines import LARGEST, Lines
from qoslib.port import Classifier, Policer, Port, Queue

__all__ = ["say_filters"]


def say_filters(lines: Lines, port: Port, ids: dict[str, str], *, catch_all: bool = False) -> None:
    """Write the filters of a port."""
    default = port.classifier.default
    chosen = _matches(port.classifier if default else _by_name(port, ids))
    queues = {queue.name: queue for queue in port.queues}
    if default and (catch_all or _meters(queues[default])):
        chosen.append(("u32 match u32 0 0", "all", default, ""))
    leading = [queue for _, _, queue, _ in chosen]
    for number, (words, protocol, queue, comment) in enumerate(chosen, 1):
        lines.made += [comment] if comment else []
        shared = f" index {list(ids).index(queue) + 1}" if leading.count(queue) > 1 else ""
        police = _meters(queues[queue])
        if police:
            known = queue in leading[: number - 1]
            police = f" action police{shared}" if known else f" action police {police}{shared}"
        lines.add(
            f"filter add dev {lines.device} parent 1: protocol {protocol} prio {number} "
            f"{words} flowid {ids[queue]}{police}"
        )


def _by_name(port: Port, ids: dict[str, str]) -> Classifier:
    """With the queues that a mark of their own name leads to, unless that is a class's number."""
    known = {mark for mark, _ in port.classifier.rules}
    own = [name for name in port.queue_names if name not in known and name != ids[name]]
    return Classifier((*port.classifier.rules, *((name, name) for name in own)))


def _meters(queue: Queue) -> str:
    """The words of the queue's policer; empty where none of tc does the same."""
    policer = queue.policer
    if policer is None:
        return ""
    plain = Policer(
        policer.rate_bps,
        min(policer.burst_bytes, LARGEST),
        exceed="pass" if policer.exceed == "pass" else "drop",
        overhead_bytes=policer.overhead_bytes,
    )
    if plain != policer:
        return ""
    words = f"rate {rate_word(policer.rate_bps)} burst {policer.burst_bytes}"
    words += f" overhead {policer.overhead_bytes}" if policer.overhead_bytes else ""
    return f"{words} conform-exceed {'drop' if policer.exceed == 'drop' else 'ok'}"


def _matches(classifier: Classifier) -> list[tuple[str, str, str, str]]:
    """Words, protocol, queue and comment of each filter."""
    rest, chosen = list(classifier.rules), list[tuple[str, str, str, str]]()
    used = {mark for mark, _ in rest}
    free = (number for number in range(1, 2**31) if f"fwmark {number}" not in used)
    while rest:
        mark, queue = rest.pop(0)
        field = matching(mark)
        vlan = re.fullmatch(r"PCP ([0-7])", mark)
        own = re.fullmatch(r"fwmark ([1-9]\d{0,8})", mark)
        if field is not None:
            more = [(each, queue) for each in dscps(*field)[1:]]
            rest = rest[len(more) :] if rest[: len(more)] == more else rest
            value, mask = field
            words = f"u32 match ip dsfield {value:#04x} {mask:#04x}"
            chosen.append((words, "ip", queue, ""))
        elif vlan:
            chosen.append((f"flower vlan_prio {vlan[1]}", "802.1Q", queue, ""))
        else:
            number = int(own[1]) if own else next(free)
            comment = "" if own else f"# fwmark {number} is {json.dumps(mark)}"
            chosen.append((f"handle {number} fw", "all", queue, comment))
    return chosen
