"""What a term of a filter compares and does, by the first words of its `from` and its `then`."""

__all__ = ["unknown_in_term"]

#: Match conditions (Juniper, Routing Policies, Firewall Filters, and Traffic Policers User Guide:
#: Firewall Filter Match Conditions for IPv4, IPv6, MPLS, VPLS, CCC and bridging traffic; Firewall
#: Filter Match Conditions and Actions, QFX and EX Series Switches).
_CONDITIONS = {
    "address", "ah-spi", "apply-groups", "apply-groups-except", "apply-path", "arp-type",
    "cfm-opcode", "destination-address", "destination-class", "destination-mac-address",
    "destination-port", "destination-port-range-optimize", "destination-prefix-list",
    "dot1q-tag", "dot1q-user-priority", "dscp", "esp-spi", "ether-type", "ethernet-type", "exp",
    "extension-header", "first-fragment", "flexible-match-mask", "flexible-match-range",
    "forwarding-class", "fragment-flags", "fragment-offset", "gbp-dst-tag", "gbp-src-tag",
    "gre-key", "hop-limit", "icmp-code", "icmp-type", "icmp6-code", "icmp6-type",
    "inner-vlan-id", "inner-vlan-priority", "interface", "interface-group", "interface-set",
    "ip-address", "ip-destination-address", "ip-destination-prefix-list", "ip-options",
    "ip-precedence", "ip-protocol", "ip-source-address", "ip-source-prefix-list", "ip-version",
    "ip6-destination-address", "ip6-source-address", "ipv6-address", "ipv6-destination-address",
    "ipv6-destination-prefix-list", "ipv6-next-header", "ipv6-payload-protocol",
    "ipv6-prefix-list", "ipv6-source-address", "ipv6-source-prefix-list", "ipv6-traffic-class",
    "is-fragment", "isid", "isid-dei", "isid-priority-code-point", "l2-encap-type", "label",
    "last-fragment", "learn-vlan-1p-priority", "learn-vlan-dei", "learn-vlan-id",
    "loss-priority", "mpls-label", "next-header", "packet-length", "payload-protocol",
    "policy-map", "port", "precedence", "prefix-list", "protocol", "rat-type",
    "redirect-reason", "service-filter-hit", "source-address", "source-class",
    "source-mac-address", "source-port", "source-port-range-optimize", "source-prefix-list",
    "tcp-established", "tcp-flags", "tcp-initial", "traffic-class", "traffic-type", "ttl",
    "user-vlan-1p-priority", "user-vlan-id", "vlan", "vlan-ether-type", "vlan-id", "vxlan",
}  # fmt: skip
#: What a term does (the same, Firewall Filter Nonterminating Actions, and Terminating Actions).
_ACTIONS = {
    "accept", "analyzer", "apply-groups", "apply-groups-except", "clear-policy-map", "count",
    "decapsulate", "decapsulate-l2tp", "discard", "dont-fragment", "dscp", "encapsulate",
    "enhanced-hierarchical-policer", "exclude-accounting", "force-premium", "forwarding-class",
    "gbp-tag", "hierarchical-policer", "interface", "ipsec-sa", "load-balance",
    "local-preference", "log", "logical-system", "loss-priority", "next", "next-hop-group",
    "next-interface", "next-ip", "next-ip6", "packet-mode", "policer", "policy-map",
    "port-mirror", "port-mirror-instance", "prefix-action", "redirect", "reject",
    "routing-instance", "sample", "service-accounting", "service-accounting-deferred",
    "service-filter-hit", "syslog", "tcp-reset", "three-color-policer", "topology",
    "traffic-class", "traffic-priority", "vlan",
}  # fmt: skip


def unknown_in_term(words: tuple[str, ...]) -> str:
    """What a statement of a filter's term has from its first unknown word on; empty if all known.

    Its words may begin with the filter, or behind the name of the term.

    >>> unknown_in_term(("from", "flubber", "1")), unknown_in_term(("from", "dscp-except", "ef"))
    ('flubber 1', '')
    >>> term = ("firewall", "family", "inet", "filter", "IN", "term", "voice")
    >>> unknown_in_term((*term, "then", "acept"))
    'acept'
    """
    at = _behind_term(words) if words[:1] == ("firewall",) else 0
    known = {"from": _CONDITIONS, "then": _ACTIONS}.get("".join(words[at : at + 1]))
    word = "".join(words[at + 1 : at + 2])
    if known is None or not word or word in known or word.removesuffix("-except") in known:
        return ""
    return " ".join(words[at + 1 :])


def _behind_term(words: tuple[str, ...]) -> int:
    """The place of what stands behind `term` and its name in a filter of the firewall."""
    at = 3 if words[1:2] == ("family",) else 1
    inside = words[at : at + 1] == ("filter",) and words[at + 2 : at + 3] == ("term",)
    return at + 4 if inside else len(words)
