"""The words of filters and actions: what is no word of tc is listed as unknown."""

from collections.abc import Callable

from qoslib.config.tc.command import Command

__all__ = ["ACTIONS", "FILTERS", "unknown_of_filter"]

FILTERS = {"u32", "fw", "route", "rsvp", "rsvp6", "basic", "bpf", "cgroup", "flow", "flower"}
FILTERS |= {"matchall", "tcindex"}
ACTIONS = {"police", "drop", "shot", "ok", "pass", "continue", "pipe", "reclassify", "gact"}
ACTIONS |= {"mirred", "skbedit", "skbmod", "pedit", "vlan", "tunnel_key", "csum", "connmark"}
ACTIONS |= {"ctinfo", "ct", "nat", "sample", "ife", "bpf", "simple", "xt", "mpls", "gate"}
ACTIONS |= {"goto", "trap", "jump", "none"}
_FLAGS = {"skip_hw", "skip_sw", "not_in_hw", "in_hw", "verbose"}
#: Words of u32 with one behind them.
_U32 = {"handle", "ht", "divisor", "link", "order", "sample", "offset", "hashkey", "indev", "mark"}
_FLOWER = {
    *("indev", "hw_tc", "eth_type", "src_mac", "dst_mac", "vlan_id", "vlan_prio"),
    *("vlan_ethtype", "cvlan_id", "cvlan_prio", "cvlan_ethtype", "mpls", "mpls_label", "mpls_tc"),
    *("mpls_bos", "mpls_ttl", "ip_proto", "ip_tos", "ip_ttl", "ip_flags", "dst_ip", "src_ip"),
    *("tcp_flags", "dst_port", "src_port", "type", "code", "arp_tip", "arp_sip", "arp_op"),
    *("arp_tha", "arp_sha", "enc_key_id", "enc_dst_ip", "enc_src_ip", "enc_dst_port", "enc_tos"),
    *("enc_ttl", "geneve_opts", "vxlan_opts", "erspan_opts", "gtp_opts", "ct_state", "ct_zone"),
    *("ct_mark", "ct_label", "num_of_vlans", "ppp_proto", "pppoe_sid", "l2_miss", "spi", "cfm"),
    *("l2tpv3_sid", "lse", "depth", "label", "tc", "bos", "ttl", "ip_tos_mask", "enc_flags"),
}
_TARGETS = {"flowid", "classid"}


def unknown_of_filter(command: Command) -> str:
    """The first word of a filter that tc does not have; empty where it has all.

    What is behind an action other than its kind, or belongs to a kind of filter without a model,
    is left out of the models, and not looked at.

    >>> from qoslib.config.tc.command import command
    >>> made = command("filter add dev e parent 1: u32 macth ip dport 22 0xffff".split(), 1, "")
    >>> unknown_of_filter(made)
    'macth'
    """
    if command.kind not in FILTERS:
        return command.kind
    rest = list(command.words)
    if "action" in rest:
        at = rest.index("action")
        kinds = [rest[i + 1] for i in range(at, len(rest) - 1) if rest[i] == "action"]
        if strange := next((each for each in kinds if each not in ACTIONS), ""):
            return strange
        rest = rest[:at]
    if "police" in rest:
        rest = rest[: rest.index("police")]
    reads = {"u32": _of_u32, "flower": _of_flower, "matchall": _of_plain, "fw": _of_plain}
    return reads[command.kind](rest) if command.kind in reads and not command.shown else ""


def _of_u32(rest: list[str]) -> str:
    def known(word: str) -> int:
        if word == "match":
            ends = {"match", *_TARGETS, *_U32}
            # `mark` and its like may be a field of the packet as well.
            behind = range(2, len(rest))
            return next((i for i in behind if rest[i] in ends), len(rest))
        if word in ("offset", "hashkey", "sample"):
            ends = {"match", *_TARGETS, "ht", "link", "divisor", "order", "offset", "hashkey"}
            return next((i for i in range(1, len(rest)) if rest[i] in ends), len(rest))
        return 2 if word in _U32 else 0

    return _first(rest, known)


def _of_flower(rest: list[str]) -> str:
    return _first(rest, lambda word: 2 if word in _FLOWER else 0)


def _of_plain(rest: list[str]) -> str:
    return _first(rest, lambda word: 2 if word == "indev" else 0)


def _first(rest: list[str], known: Callable[[str], int]) -> str:
    """The first word that takes no others behind it."""
    while rest:
        taken = 2 if rest[0] in _TARGETS else 1 if rest[0] in _FLAGS else known(rest[0])
        if not taken:
            return rest[0]
        del rest[:taken]
    return ""
