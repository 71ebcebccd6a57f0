"""Classes that pause their senders before a queue is full, so that it drops nothing."""

import re
from collections.abc import Iterable

__all__ = ["no_drop"]

_HEADERS = ("class-map ", "policy-map ", "system qos", "interface ")
_GROUP = re.compile(r"match qos-group (\d+)")
_CLASS = re.compile(r"class (?:type \S+ )?(\S+)")
#: Classes of the whole switch that NX-OS has by itself, and the group that is in each.
_OWN = re.compile(r"c-(?:\d+q-)?nq(\d)")
_PAUSED = re.compile(r"(?:pause|no-drop)\b(?:.* pfc-cos (\d))?")
#: Of EOS, where the priority is that of a queue.
_PRIORITY = re.compile(r"priority-flow-control priority (\d) no-drop")
#: Of Junos.
_NO_LOSS = re.compile(r"\bclass (\S+) (?:queue-num \d+ )?no-loss\b")


def no_drop(texts: Iterable[str]) -> frozenset[str]:
    """The marks, and the names, of classes that no full queue drops from.

    >>> sorted(no_drop(["policy-map type network-qos A", "class c-8q-nq3", "pause pfc-cos 3"]))
    ['PCP 3', 'qos-group 3']
    >>> sorted(no_drop(["priority-flow-control priority 4 no-drop", "class ROCE no-loss"]))
    ['ROCE', 'tx-queue 4']
    """
    found: set[str] = set()
    paused: set[str] = set()
    groups: dict[str, str] = {}
    header = name = ""
    for text in texts:
        if text.startswith(_HEADERS):
            header, name = text, text.split()[-1]
        elif said := _PRIORITY.fullmatch(text):
            found.add(f"tx-queue {said[1]}")
        elif said := _NO_LOSS.search(text):
            found.add(said[1])
        elif header.startswith("class-map ") and (said := _GROUP.fullmatch(text)):
            groups[name] = said[1]
        elif header.startswith("policy-map ") and (said := _CLASS.fullmatch(text)):
            name = said[1]
        elif header.startswith("policy-map ") and (said := _PAUSED.match(text)):
            paused.add(name)
            found |= {f"PCP {said[1]}"} if said[1] else set()
    for name in paused:
        own = _OWN.fullmatch(name)
        group = own[1] if own else groups.get(name, "")
        found |= {f"qos-group {group}"} if group else set()
    return frozenset(found)
