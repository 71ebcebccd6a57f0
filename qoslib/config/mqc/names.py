"""Names in Cisco's configurations: what a platform has by itself, and types of interfaces."""

import re
from difflib import get_close_matches

from qoslib import units

__all__ = [
    "BUILT_IN",
    "OF_DEVICE",
    "OWN_POLICIES",
    "interface_rate_bps",
    "is_own",
    "meant_interface",
]

#: Class maps and policies that a Catalyst 9000 writes by itself.
BUILT_IN = re.compile(r"system-cpp-|(?:non-client-nrt-class|port_child_policy)$")
#: Policies that NX-OS has by itself.
OWN_POLICIES = re.compile(r"(fcoe-)?default-")
#: Classes that NX-OS has by itself, of queues and of the whole switch: with four queues they are
#: c-out-q1 to c-out-q3 and c-out-q-default, with eight c-out-8q-q1 to c-out-8q-q7 (four: Cisco,
#: NX-OS data model, Queuing, "c-out-q1 to c-out-q-default"; eight: `show queuing` of a Nexus 9000).
_OWN_CLASSES = re.compile(
    r"(?!c-(?:in|out)-q[04-9])(?:\w+-)*(?:in|out)-(?:\w+-)*(?:p?q\d|q-default)|c-(?:\w+-)*nq[\w-]*"
    r"|class-(?:fcoe|all-flood|ip-multicast)"
)
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
#: How the name of an interface begins, and its rate [Mb/s]. The longest that fits counts.
RATES_MBPS = {
    "ethernet": 10, "eth": 10, "fastethernet": 100, "fa": 100, "f": 100,
    "gigabitethernet": 1000, "gi": 1000, "g": 1000, "gige": 1000, "gig": 1000,
    "twogigabitethernet": 2500, "tw": 2500,
    "fivegigabitethernet": 5000, "fi": 5000,
    "tengigabitethernet": 10_000, "te": 10_000, "tengige": 10_000, "twentyfivegige": 25_000,
    "twentyfivegigabitethernet": 25_000, "fortygigabitethernet": 40_000, "fo": 40_000,
    "fortygige": 40_000, "fiftygige": 50_000, "hundredgige": 100_000, "hu": 100_000,
    "hundredgigabitethernet": 100_000,
    "twohundredgige": 200_000, "fourhundredgige": 400_000, "eighthundredgige": 800_000,
}  # fmt: skip

#: Types of interfaces whose rate their name does not say.
_OTHER_TYPES = (
    "appgigabitethernet", "async", "atm", "bdi", "bri", "bundle-ether", "bundle-pos", "bvi",
    "cellular", "cem", "control", "dialer", "embedded-service-engine", "group-async", "hssi",
    "integrated-service-engine", "lisp", "loopback", "management", "mgmt", "mgmteth", "mfr",
    "multilink", "null", "nve", "port-channel", "pos", "pw-ether", "pseudowire", "serial",
    "service-engine", "sm", "ssvi", "tunnel", "tunnel-ip", "tunnel-te", "ucse", "virtual-access",
    "virtual-ppp", "virtual-template", "vlan", "vxlan", "wlan-ap", "wlan-gigabitethernet",
)  # fmt: skip
#: How the longer ones are written.
_SPELT = {
    word.lower(): word
    for word in (
        "FastEthernet", "GigabitEthernet", "TwoGigabitEthernet", "FiveGigabitEthernet",
        "TenGigabitEthernet", "TwentyFiveGigE", "FortyGigabitEthernet", "HundredGigE",
        "Bundle-Ether", "TenGigE", "FortyGigE", "Port-channel",
    )
}  # fmt: skip
_TYPE = re.compile(r"[a-z-]+")
#: Names of these types are close enough to be meant.
_NEAR = 0.8


def meant_interface(name: str) -> str:
    """The name of an interface that is nearly one: what its type may be meant to be.

    >>> meant_interface("GigabtEthernet0/0/1"), meant_interface("Gi0/0/1")
    ('GigabitEthernet0/0/1', '')
    """
    found = _TYPE.match(name.lower())
    if not found or any(kind.startswith(found[0]) for kind in (*RATES_MBPS, *_OTHER_TYPES)):
        return ""
    near = get_close_matches(found[0], (*RATES_MBPS, *_OTHER_TYPES), 1, _NEAR)
    if not near:
        return ""
    return _SPELT.get(near[0], near[0].capitalize()) + name[found.end() :]


def is_own(name: str, nxos: bool) -> bool:
    """Whether a platform has a class by itself, which no text defines.

    >>> is_own("c-out-8q-q3", nxos=True), is_own("c-out-8q-q3", nxos=False)
    (True, False)
    """
    known = name == "class-default" or BUILT_IN.match(name)
    return bool(known or (nxos and _OWN_CLASSES.fullmatch(name)))


def interface_rate_bps(name: str) -> float | None:
    """The line rate that the type of an interface has by its name; None if the name does not say.

    >>> interface_rate_bps("GigabitEthernet0/0/1.100"), interface_rate_bps("Serial0/0")
    (1000000000.0, None)
    """
    letters = name.lower()
    kind = letters[: next((i for i, c in enumerate(letters) if not c.isalpha()), len(letters))]
    rate_mbps = RATES_MBPS.get(kind)
    return None if rate_mbps is None else units.mbps(float(rate_mbps))
