"""Commands of IOS that are written shorter than they are: `int gi0/1`, `service-p o WAN`."""

import re
from collections.abc import Collection, Mapping

from qoslib.config.lines import Line
from qoslib.config.mqc.commands import COMMANDS, VERBS
from qoslib.config.mqc.interfaces import INTERFACE

__all__ = ["OF_BLOCK", "OF_DEVICE", "SHORT", "spelt"]

_OPENING = ("class-map", "policy-map", "interface")
#: What else an interface may say: a shorter word that fits one of these as well is left as it is.
_BESIDE = (
    "arp", "bfd", "bridge-group", "carrier-delay", "cdp", "channel-group", "clock", "crypto",
    "default", "delay", "description", "dialer", "duplex", "encapsulation", "exit", "fair-queue",
    "flowcontrol", "frame-relay", "interface", "ip", "ipv4", "ipv6", "isis", "keepalive", "lacp",
    "lldp", "load-interval", "logging", "mac-address", "media-type", "mpls", "mtu", "negotiation",
    "no", "ntp", "ppp", "pppoe", "pvc", "service", "shutdown", "snmp", "spanning-tree", "standby",
    "storm-control", "switchport", "tunnel", "udld", "vrf", "xconnect", "zone-member",
)  # fmt: skip
#: What begins a command of the device as a whole, which ends a block in a text without indentation.
OF_DEVICE = frozenset((
    "aaa", "access-list", "access-session", "alias", "archive", "arp", "authentication", "banner",
    "bba-group", "boot", "bridge", "bridge-domain", "buffers", "call", "call-home", "card", "cdp",
    "cef", "clns", "clock", "cns", "config-register", "configure", "controller", "cpu", "crypto",
    "cts", "default", "device-sensor", "device-tracking", "diagnostic", "dial-peer", "dialer",
    "dialer-list", "do", "domain", "dot11", "dot1x", "eap", "enable", "end", "environment",
    "errdisable", "ethernet", "event", "evpn", "exception", "fabric", "facility-alarm", "fallback",
    "feature", "file", "firewall", "flow", "frame-relay", "gatekeeper", "gateway", "hardware",
    "hostname", "hw-module", "hw-switch", "identity", "interface", "iox", "ip", "ipc", "ipv4",
    "ipv6", "isdn", "isis", "key", "kron", "l2tp", "l2vpn", "lacp", "ldap", "license", "line",
    "lldp", "location", "logging", "login", "mab", "mac", "mac-address-table", "macro",
    "management", "memory", "metadata", "mgcp", "mls", "monitor", "mpls", "multicast", "multilink",
    "nat", "netconf", "netconf-yang", "network", "network-clock", "no", "ntp", "nv", "object-group",
    "parameter-map", "parser", "partition", "password", "performance", "pfr", "platform",
    "port-channel", "port-security", "power", "prefix-set", "priority-list", "privilege", "process",
    "profile", "pseudowire-class", "qos", "queue-list", "radius", "radius-server",
    "random-detect-group", "redundancy", "regexp", "rmon", "route", "route-map", "route-policy",
    "router", "rsvp", "sampler", "scheduler", "scripting", "security", "service", "sflow", "sip-ua",
    "snmp", "snmp-server", "spanning-tree", "ssh", "stackwise", "standby", "subscriber", "switch",
    "switch-fabric", "switchname", "system", "tacacs", "tacacs-server", "telemetry", "telnet",
    "template", "tftp-server", "time-range", "track", "transport", "tunnel", "udld", "username",
    "vdc", "version", "virtual-template", "vlan", "vpc", "vpdn", "vrf", "vrrp", "vtp", "wireless",
    "wlan", "x25", "xconnect", "zone", "zone-pair",
))  # fmt: skip
#: Block -> the words that a line in it may begin with.
OF_BLOCK: Mapping[str, Collection[str]] = {
    "": (*_OPENING, "class"),
    "class_map": {"match", "description", "exit", "no"},
    "policy_map": {*VERBS, "class", "description", "exit", "no"},
    "interface": {*INTERFACE, *_BESIDE, "group"},
    "service_group": {"service-policy", "description", "exit", "no"},
}
#: Command -> the words that may follow it, one after the other.
_NEXT: Mapping[str, Collection[str]] = {
    **{verb: COMMANDS[verb].behind for verb in VERBS if COMMANDS[verb].behind},
    "class-map": ("match-any", "match-all", "type"),
    "match": ("access-group", "any", "cos", "dscp", "ip", "ipv6", "not", "precedence", "protocol",
              "qos-group", "vlan"),
}  # fmt: skip
_WAYS = ("input", "output")
_NAMING = ("service-policy", "class-map")
#: Words behind which another may follow.
_LEADING = ("ip", "ipv6", "not", "remaining", "average", "peak", "cir")
#: A word that is shorter than this begins too many commands, where no block says which there are.
_LEAST = 3
_RATE = re.compile(r"\d|cir|rate|percent")
#: Two of these tell that a text is of IOS.
SHORT = tuple(
    re.compile(rf"^[ \t]*{pattern}", re.MULTILINE)
    for pattern in (
        r"pol(?:i|ic|icy|icy-|icy-m|icy-ma)? \S+[ \t]*$",
        r"class-m(?:a|ap)? ",
        r"cla?s? [\w-]+[ \t]*$",
        r"service-p(?:o|ol|oli|olic|olicy)? (?:in?|inpu?t?|ou?t?|outpu?t?) \S+",
        r"int(?:e|er|erf|erfa|erfac|erface)? \w+ ?\d",
    )
)


def spelt(line: Line, block: str) -> Line:
    """A line with its commands written out, where only one is meant.

    >>> line = Line(1, "service-p o WAN", ("service-p", "o", "WAN"))
    >>> spelt(line, "interface").text
    'service-policy output WAN'
    """
    words = list(line.words)
    at = 1 if words[0].lower() == "no" and len(words) > 1 else 0
    if words[at + 1 : at + 2] and words[at + 1].endswith(":"):
        # `Policy Name: WAN` is what a device shows.
        return line
    known = OF_BLOCK.get("" if line.top and not block else block, ())
    first = _meant(words[at], known, _LEAST if not block else 2)
    # A policy of another kind has classes as well, which are no class maps.
    if not first and words[at].lower() not in (*known, "class"):
        first = _meant(words[at], _OPENING, _LEAST)
    if block == "policy_map" and first in ("", "police", "policy-map"):
        first = _police_or_policy(words[at:]) or first
    if len(words) > at + 1:
        words[at] = first or words[at]
    verb = words[at].lower()
    following = _NEXT.get(verb, ())
    # The last word of these is a name.
    for place in range(at + 1, min(at + 3, len(words) - (verb in _NAMING))):
        words[place] = _meant(words[place], following, 1) or words[place]
        if words[place].lower() not in _LEADING and not words[place].isdigit():
            break
    if words[at + 1 : at + 2] == ["type"] and len(words) > at + 4:
        words[at + 3] = _meant(words[at + 3], _WAYS, 1) or words[at + 3]
    if words == list(line.words):
        return line
    return line._replace(text=" ".join(words), words=tuple(words))


def _meant(word: str, known: Collection[str], least: int) -> str:
    """The one command that a word begins; empty if it is one itself, or begins several or none."""
    word = word.lower()
    if len(word) < least or word in known:
        return ""
    found = [each for each in known if each.startswith(word)]
    return found[0] if len(found) == 1 else ""


def _police_or_policy(words: list[str]) -> str:
    """`pol` within a policy: `police` in front of a rate, else the next policy."""
    word = words[0].lower()
    if len(word) < _LEAST or not "policy-map".startswith(word) or word == "policy-map":
        return ""
    if len(words) > 1 and "police".startswith(word) and _RATE.match(words[1]):
        return "police"
    return "policy-map"
