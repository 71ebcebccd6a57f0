"""A rule on lossless classes that no packet is put into (NX-OS)."""

from collections.abc import Iterator, Sequence

from qoslib.checks.names import attachment, class_name
from qoslib.checks.rule import Found, rule
from qoslib.config.records import Configuration, Remark, Statement

__all__: list[str] = []

_TYPE = "network-qos"
_HEADERS = {"policy-map", "class-map", "system", "interface"}
_PAUSED = {"pause", "no-drop"}


@rule(
    "lossless-empty",
    "warning",
    "Cisco Nexus 9000 NX-OS QoS Configuration Guide, Configuring Priority Flow Control: the traffic"
    " is classified into the qos-group of the no-drop class",
    whole=True,
    family="cisco",
)
def lossless_empty(configuration: Configuration) -> Iterator[Found]:
    """A class is lossless, and nothing puts packets into its group (NX-OS)."""
    lines = sorted(configuration.every, key=lambda said: said.line)
    named = [found for said in lines if (found := attachment(said)) and found.alone]
    attached = {found.name for found in named if found.kind == _TYPE}
    if not attached or any(_is_fcoe(said) for said in lines):
        return
    groups = _groups(lines)
    filled = {_group(said) for said in lines if said.verb == "set"}
    policy = name = ""
    for said in lines:
        if said.verb in _HEADERS:
            typed = said.words[:3] == ("policy-map", "type", _TYPE)
            policy, name = said.name if typed else "", ""
        elif of := class_name(said):
            name = of
        elif policy in attached and name and said.verb in _PAUSED:
            group = groups.get(name, "")
            if group and group not in filled:
                yield Found(
                    said.line,
                    f"Class {name} is lossless, and no packet is in it.",
                    f"0 lines `set qos-group {group}`: its packets are in qos-group 0, and may be"
                    " dropped.",
                )
            name = ""


def _is_fcoe(said: Statement | Remark) -> bool:
    """Whether a line classifies without a line of this text."""
    return said.words[:2] == ("feature", "fcoe") or (
        said.verb == "service-policy" and "fcoe-default" in said.text
    )


def _group(said: Statement | Remark) -> str:
    """The group that a line matches or sets; empty where it does neither."""
    words = said.words
    return words[2] if len(words) == 3 and words[1] == "qos-group" else ""


def _groups(lines: Sequence[Statement | Remark]) -> dict[str, str]:
    """Group of each class of network QoS: by its class map, or by its name, as c-8q-nq3."""
    found: dict[str, str] = {}
    for said in lines:
        header = said.parents[0].split() if said.parents else []
        if [word.lower() for word in header[:3]] == ["class-map", "type", _TYPE] and _group(said):
            found[header[-1]] = _group(said)
        name = class_name(said)
        parts = name.split("-")
        if parts[0] == "c" and parts[-1][:2] == "nq" and parts[-1][2:].isdecimal():
            found[name] = parts[-1][2:]
    return found
