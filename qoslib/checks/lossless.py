"""A rule on lossless classes that no packet is put into (NX-OS)."""

import re
from collections.abc import Iterator

from qoslib.checks.rule import Found, rule
from qoslib.config.records import Configuration, Remark, Statement

__all__: list[str] = []

_POLICY = re.compile(r"policy-map type network-qos (\S+)")
_ATTACHED = re.compile(r"service-policy type network-qos (\S+)")
_CLASS = re.compile(r"class (?:type network-qos )?(\S+)")
_PAUSED = re.compile(r"(pause|no-drop)\b")
_GROUP = re.compile(r"(?:match|set) qos-group (\d+)")
#: Classes that the platform has by itself, and the group that is in each.
_OWN = re.compile(r"c-(?:\d+q-)?nq(\d)")
#: What classifies without a line of this text.
_FCOE = re.compile(r"feature fcoe|service-policy .*fcoe-default")


@rule(
    "lossless-empty",
    "warning",
    "Cisco Nexus 9000 NX-OS QoS Configuration Guide, Configuring Priority Flow Control: the traffic"
    " is classified into the qos-group of the no-drop class",
    whole=True,
)
def lossless_empty(configuration: Configuration) -> Iterator[Found]:
    """A class is lossless, and nothing puts packets into its group (NX-OS)."""
    if configuration.dialect != "nxos":
        return
    lines: list[Statement | Remark] = [*configuration.statements, *configuration.remarks]
    lines.sort(key=lambda each: each.line)
    if any(_FCOE.match(each.text) for each in lines):
        return
    attached = {found[1] for each in lines if (found := _ATTACHED.fullmatch(each.text))}
    groups = _groups(lines)
    filled = {
        found[1]
        for each in lines
        if each.text.startswith("set") and (found := _GROUP.fullmatch(each.text))
    }
    policy = name = ""
    for each in lines:
        if each.text.startswith(("policy-map ", "class-map ", "system qos", "interface ")):
            found = _POLICY.fullmatch(each.text)
            policy, name = found[1] if found else "", ""
        elif found := _CLASS.fullmatch(each.text):
            name = found[1]
        elif policy in attached and name and _PAUSED.match(each.text):
            group = groups.get(name, "")
            if group and group not in filled:
                yield Found(
                    each.line,
                    f"Class {name} is lossless, and no packet is in it.",
                    f"0 lines `set qos-group {group}`: its packets are in qos-group 0, and may be"
                    " dropped.",
                )
            name = ""


def _groups(lines: list[Statement | Remark]) -> dict[str, str]:
    """Group of each class of network QoS: by its class map, or by its name."""
    found: dict[str, str] = {}
    for each in lines:
        if isinstance(each, Statement) and each.parents:
            header = each.parents[0]
            group = _GROUP.fullmatch(each.text)
            if group and header.startswith("class-map type network-qos "):
                found[header.split()[-1]] = group[1]
        if (name := _CLASS.fullmatch(each.text)) and (own := _OWN.fullmatch(name[1])):
            found[name[1]] = own[1]
    return found
