"""Classes that pause their senders before a queue is full, so that it drops nothing."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

__all__ = ["no_drop"]

#: Classes of the whole switch that NX-OS has by itself, and the group that is in each.
_OWN = re.compile(r"c-(?:\d+q-)?nq(\d)")
#: Its class of Fibre Channel, which its own policy for that pauses.
_OWN_FCOE = "class-fcoe"


def no_drop(commands: Iterable[Sequence[str]]) -> frozenset[str]:
    """The marks, and the names, of classes that no full queue drops from, by words of commands.

    >>> words = ["policy-map type network-qos A", "class c-8q-nq3", "pause pfc-cos 3"]
    >>> sorted(no_drop(map(str.split, words)))
    ['PCP 3', 'qos-group 3']
    >>> words = ["priority-flow-control priority 4 no-drop", "class ROCE no-loss"]
    >>> sorted(no_drop(map(str.split, words)))
    ['ROCE', 'tx-queue 4']
    """
    found: set[str] = set()
    paused: set[str] = set()
    groups: dict[str, str] = {}
    header = name = ""
    for words in commands:
        match header, *words:
            case _, "class-map" | "policy-map" as header, *_, name:
                pass
            case (_, "system" as header, "qos", *_) | (_, "interface" as header, *_):
                pass
            case _, "priority-flow-control", "priority", queue, "no-drop":
                found.add(f"tx-queue {queue}")
            case _, "service-policy", "type", "network-qos", "fcoe-default-nq-policy":
                found.add(_OWN_FCOE)
            case _, *_ if lossless := _without_loss(words):
                found.add(lossless)
            case "class-map", "match", "qos-group", group:
                groups[name] = group
            case ("policy-map", "class", name) | ("policy-map", "class", "type", _, name):
                pass
            case "policy-map", "pause" | "no-drop", *rest:
                paused.add(name)
                found |= {f"PCP {cos}" for word, cos in pairwise(rest) if word == "pfc-cos"}
    owns = {name: _OWN.fullmatch(name) for name in paused}
    named = {own[1] if own else groups.get(name) for name, own in owns.items()}
    return frozenset(found | {f"qos-group {group}" for group in named if group})


def _without_loss(words: Sequence[str]) -> str:
    """The class of Junos that a command says is without loss; empty of another command."""
    match words:
        case [*_, "class", name, "no-loss" | "no-loss;"]:
            return str(name)
        case [*_, "class", name, "queue-num", _, "no-loss" | "no-loss;"]:
            return str(name)
    return ""
