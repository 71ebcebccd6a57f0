"""Names in Cisco's configurations: what a platform has by itself."""

import re

__all__ = [
    "BUILT_IN",
    "OF_DEVICE",
    "OWN_POLICIES",
    "is_own",
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


def is_own(name: str, nxos: bool) -> bool:
    """Whether a platform has a class by itself, which no text defines.

    >>> is_own("c-out-8q-q3", nxos=True), is_own("c-out-8q-q3", nxos=False)
    (True, False)
    """
    known = name == "class-default" or BUILT_IN.match(name)
    return bool(known or (nxos and _OWN_CLASSES.fullmatch(name)))
