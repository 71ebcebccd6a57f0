"""The dialect ``sros``: SAPs and network ports of Nokia SR OS as ports."""

import re

from qoslib.config.cut import CUT
from qoslib.config.facts import Facts
from qoslib.config.records import Configuration
from qoslib.config.sros.lines import unclosed, without_prompts
from qoslib.config.sros.ports import PortBuilder
from qoslib.config.sros.text import Place, Text
from qoslib.config.values import Value

__all__ = ["is_sros", "read_sros"]

_SIGN = re.compile(
    r"^[ \t]*(?:# TiMOS-|/?configure[ \t]+(?:qos|port|service)[ \t]"
    r"|(?:sap-ingress|sap-egress|network-queue|slope-policy|scheduler-policy)[ \t]+\S+[ \t]"
    r"+(?:create|name|\{)|sap[ \t]+(?:lag-)?\d\S*:\S+[ \t]+(?:create|\{))",
    re.MULTILINE,
)


def is_sros(text: str) -> float:
    """How sure it is that a text is of Nokia SR OS."""
    return 0.9 if _SIGN.search(without_prompts(text)) else 0.0


def read_sros(text: str, facts: Facts) -> Configuration:
    """Read a configuration of Nokia SR OS: a port has all SAPs that the text has on it."""
    known = Text(text)
    ports = [PortBuilder(known, name, place, facts).port() for name, place in known.places.items()]
    if any(ports):
        known.note_unattached()
    else:
        # Without a port each policy is checked as a piece.
        for (kind, name), policy in known.policies.items():
            subscribers = not known.of_subscribers.isdisjoint({name, *policy.names})
            if kind in ("sap-egress", "network-queue") and policy.parts and not subscribers:
                sap = "network" if kind == "network-queue" else name
                place = Place(policy.line, saps={sap: {"qos": Value(name, line=policy.line)}})
                ports.append(PortBuilder(known, name, place, facts).port())
    if last := unclosed(text):
        known.notes.not_modelled(last.number, last.text, CUT)
    found, notes = tuple(filter(None, ports)), known.notes
    return Configuration("sros", found, tuple(notes.remarks), tuple(notes.statements))
