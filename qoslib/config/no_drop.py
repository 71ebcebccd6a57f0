"""Classes that pause their senders before a queue is full, so that it drops nothing."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

__all__ = ["no_drop"]

#: Classes of the whole switch that NX-OS has by itself, and the group that is in each.
_OWN = re.compile(r"c-(?:\d+q-)?nq(\d)")
#: Its class of Fibre Channel, which its own policy for that pauses.
_OWN_FCOE = "class-fcoe"
_NETWORK = "type network-qos "


def no_drop(commands: Iterable[Sequence[str]]) -> frozenset[str]:
    """The marks, and the names, of classes that no full queue drops from, by words of commands.

    >>> words = ["policy-map type network-qos A", "class c-8q-nq3", "pause pfc-cos 3"]
    >>> sorted(no_drop(map(str.split, words)))
    ['PCP 3', 'qos-group 3']
    >>> other = ["policy-map type network-qos B", "system qos", "service-policy type network-qos B"]
    >>> sorted(no_drop(map(str.split, [*words, *other])))
    []
    >>> words = ["priority-flow-control priority 4 no-drop", "class ROCE no-loss"]
    >>> sorted(no_drop(map(str.split, words)))
    ['ROCE', 'tx-queue 4']
    """
    found: set[str] = set()
    by_policy: dict[str, set[str]] = {}
    attached: set[str] = set()
    groups: dict[str, str] = {}
    header = name = policy = ""
    for words in commands:
        match header, *words:
            case _, "policy-map" as header, *_, name:
                policy = " ".join(words[1:])
            case _, "class-map" as header, *_, name:
                pass
            case (_, "system" as header, "qos", *_) | (_, "interface" as header, *_):
                pass
            case _, "priority-flow-control", "priority", queue, "no-drop":
                found.add(f"tx-queue {queue}")
            case _, "service-policy", "type", "network-qos", of:
                attached.add(f"{_NETWORK}{of}")
            case _, *_ if lossless := _without_loss(words):
                found.add(lossless)
            case "class-map", "match", "qos-group", group:
                groups[name] = group
            case ("policy-map", "class", name) | ("policy-map", "class", "type", _, name):
                pass
            case "policy-map", "pause" | "no-drop", *rest:
                marks = (f"PCP {cos}" for word, cos in pairwise(rest) if word == "pfc-cos")
                by_policy.setdefault(policy, set()).update((name, *marks))
    return frozenset(found | _named(_in_force(by_policy, attached), groups))


def _in_force(by_policy: Mapping[str, set[str]], attached: set[str]) -> set[str]:
    """What policies pause: of those for the whole switch the attached one, if any is."""
    own = {_OWN_FCOE} if f"{_NETWORK}fcoe-default-nq-policy" in attached else set()
    counted = (
        names
        for policy, names in by_policy.items()
        if policy in attached or not attached or not policy.startswith(_NETWORK)
    )
    return own.union(*counted)


def _named(names: set[str], groups: Mapping[str, str]) -> set[str]:
    """The groups of classes that pause, and marks as they are."""
    owns = {name: _OWN.fullmatch(name) for name in names}
    found = {own[1] if own else groups.get(name) for name, own in owns.items()}
    kept = {name for name in names if name.startswith("PCP ") or name == _OWN_FCOE}
    return kept | {f"qos-group {group}" for group in found if group}


def _without_loss(words: Sequence[str]) -> str:
    """The class of Junos that a command says is without loss; empty of another command."""
    match words:
        case [*_, "class", name, "no-loss" | "no-loss;"]:
            return str(name)
        case [*_, "class", name, "queue-num", _, "no-loss" | "no-loss;"]:
            return str(name)
    return ""
