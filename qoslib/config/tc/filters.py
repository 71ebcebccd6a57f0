"""What a filter selects, in marks that a stream may carry, and the class that it leads to."""

import re
from itertools import chain
from typing import NamedTuple

from qoslib.config.code_points import DSCP, code_of, mark_of
from qoslib.config.source import ConfigurationError
from qoslib.config.tc.amounts import count
from qoslib.config.tc.command import Command
from qoslib.config.tc.options import KINDS, Options, take_options
from qoslib.config.values import Value

__all__ = ["FILTERS", "Selected", "dscps", "matching", "selected", "unknown_of_filter"]

FILTERS = {"u32", "fw", "route", "rsvp", "rsvp6", "basic", "bpf", "cgroup", "flow", "flower"}
FILTERS |= {"matchall", "tcindex"}
_ACTIONS = {"police", "drop", "shot", "ok", "pass", "continue", "pipe", "reclassify", "gact"}
_ACTIONS |= {"mirred", "skbedit", "skbmod", "pedit", "vlan", "tunnel_key", "csum", "connmark"}
_ACTIONS |= {"ctinfo", "ct", "nat", "sample", "ife", "bpf", "simple", "xt", "mpls", "gate"}
_ACTIONS |= {"goto", "trap", "jump", "none"}
_FLAGS = {"skip_hw", "skip_sw", "not_in_hw", "in_hw", "verbose"}
_HASHES = {"ht", "link", "divisor", "hashkey", "offset", "sample", "order"}
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
#: Kinds whose words are known: what none of these is, tc does not have.
_WORDS = {
    "u32": {"match", "handle", "indev", "mark", *_HASHES},
    "flower": _FLOWER,
    "matchall": {"indev"},
    "fw": {"indev"},
}
_TARGETS = {"flowid", "classid"}
#: The bits of the field that are the DSCP, its first three, and all with the two of ECN.
_CODE, _TOP, _BYTE = 0xFC, 0xE0, 0xFF
#: The bits of a port of TCP or UDP.
_PORT = 0xFFFF
#: Where the words of a match end.
_ENDS = {*_WORDS["u32"], *_TARGETS, "action", "police", "skip_hw", "skip_sw"}
_CONTROLS = ("drop", "shot", "continue", "pass", "ok", "pipe", "reclassify")
_CMP = re.compile(
    r"cmp\(\s*u8 at 1 layer (?:network|1) mask (0x[0-9a-f]{1,2}) eq (0x[0-9a-f]{1,2})\s*\)"
)


class Selected(NamedTuple):
    """What a filter says."""

    #: ``"EF"``, ``"DSCP 12"``, ``"IP 5"``, ``"PCP 5"``, ``"fwmark 6"``, or the words of the match
    #: themselves; none of one that takes every packet.
    marks: tuple[str, ...]
    #: The class; empty for none.
    target: str
    #: What it meters.
    police: Options | None
    #: What it says and no port can.
    lost: tuple[str, ...]
    #: The device that its packets go to instead; empty where they stay.
    away: str = ""


def dscps(value: int, mask: int) -> tuple[str, ...]:
    """The marks of a value of the DS field under a mask.

    >>> dscps(0xB8, 0xFC), dscps(0xA0, 0xE0), dscps(0x30, 0xFF), dscps(0x10, 0xFC)
    (('EF',), ('IP 5', 'CS5', 'VA', 'EF'), ('AF12',), ('DSCP 4',))
    """
    if mask in (_CODE, _BYTE) and not value & ~_CODE:
        return (mark_of(value >> 2),)
    named = tuple(name for name, code in DSCP.items() if (code << 2) & mask == value & mask & _CODE)
    return (f"IP {value >> 5}", *named) if mask == _TOP and not value & ~_TOP else named


def matching(mark: str) -> tuple[int, int] | None:
    """Value and mask of the DS field for a mark; None if it is none of that field.

    >>> matching("EF"), matching("IP 5"), matching("DSCP 4"), matching("voice")
    ((184, 252), (160, 224), (16, 252), None)
    """
    kind, code = code_of(mark) or ("", 0)
    # Another spelling of a mark would be read back as its name.
    if kind not in ("DSCP", "IP") or mark != mark_of(code, kind):
        return None
    return (code << 2, _CODE) if kind == "DSCP" else (code << 5, _TOP)


def selected(command: Command) -> Selected:
    """What a filter selects, and what it does with it.

    >>> from qoslib.config.tc.command import command
    >>> words = "filter add dev e parent 1: protocol ip u32 match ip dsfield 0xb8 0xfc flowid 1:a"
    >>> selected(command(words.split(), 1, ""))[:2]
    (('EF',), '1:a')
    """
    rest, matches, line = list(command.words), list[list[str]](), command.line
    target, police, lost, away = "", None, list[str](), ""
    while rest:
        if rest[0] == "police" or rest[:2] == ["action", "police"]:
            del rest[: rest.index("police") + 1]
            police, more = _police(rest, line)
            lost += more
            continue
        if rest[0] == "action":
            said, to = _action(rest)
            lost.append(said)
            away = away or to
            continue
        word, *words = _take(command.kind, rest)
        if not words and word in ("match", *_TARGETS, *_HASHES):
            raise ConfigurationError(f"nothing follows {word!r}", line)
        if word in _TARGETS:
            target = words[0]
        elif word in _HASHES and command.kind == "u32":
            lost.append("Hash tables of filters are left out.")
        elif word not in _FLAGS:
            matches.append(words if word == "match" else [word, *words])
            lost += _partly(matches[-1])
    return Selected(_marks(command, matches), target, police, tuple(lost), away)


def _take(kind: str, rest: list[str]) -> list[str]:
    """Take the first word of a filter and those that belong to it."""
    word, size = rest[0], 1 if rest[0] in _FLAGS else 2
    if word == "match" or (kind == "u32" and word in ("offset", "hashkey", "sample")):
        # `mark` and its like may be a field of the packet as well.
        behind = range(2 if word == "match" else 1, len(rest))
        size = next((i for i in behind if rest[i] in _ENDS), len(rest))
    words = rest[:size]
    del rest[:size]
    return words


def _marks(command: Command, matches: list[list[str]]) -> tuple[str, ...]:
    if command.kind == "fw":
        mark = command.handle.partition("/")
        if not mark[0]:
            return ("fwmark",)
        number = count(mark[0], command.line)
        return (f"fwmark {number}" + (f"/{mark[2]}" if mark[2].strip("0xXfF") else ""),)
    if command.kind == "flower":
        matches = _flower(matches)
    chosen = [each for each in matches if not _takes_all(each)]
    if command.kind not in ("u32", "flower", "basic", "matchall"):
        return (" ".join([command.kind, *chain.from_iterable(matches)]),)
    if not chosen:
        every = command.protocol in ("all", "ip", "0x0800", "0x0003")
        return () if every else (f"protocol {command.protocol}",)
    if len(chosen) == 1:
        field = _field(chosen[0], command)
        named = dscps(*field) if field else ()
        if not named and chosen[0][0] == "vlan_prio" and len(chosen[0]) > 1:
            named = (f"PCP {count(chosen[0][1], command.line)}",)
        if named:
            return named
    return (" and ".join(" ".join(each) for each in chosen),)


def _flower(matches: list[list[str]]) -> list[list[str]]:
    """With the mask behind its value, where it is a key of its own."""
    keys = {each[0]: each[-1] for each in matches if each}
    mask = keys.get("ip_tos_mask", "")
    return [
        [each[0], f"{each[-1]}/{mask}"] if mask and each[0] == "ip_tos" else each
        for each in matches
        if each[0] not in ("ip_tos_mask", "eth_type")
    ]


def _takes_all(match: list[str]) -> bool:
    """Whether a match lets every packet through: a mask of 0, or every address."""
    if match[:1] == ["u32"] or match[:1] == ["u8"] or match[:1] == ["u16"]:
        return len(match) > 2 and re.fullmatch(r"(0x)?0+", match[2]) is not None
    if match[:1] in (["ip"], ["ip6"]) and len(match) > 3:
        return re.fullmatch(r"(0x)?0+", match[3]) is not None
    return match[-1:] in (["0.0.0.0/0"], ["0/0"], ["::/0"])


def _field(match: list[str], command: Command) -> tuple[int, int] | None:
    """Value and mask of the DS field, if that is what a match looks at."""
    line, key = command.line, match[:2]
    if key[:1] == ["ip_tos"] and len(match) > 1:
        value, _, mask = match[1].partition("/")
        base = 10 if value.isdigit() else 16
        return _byte(value, base, line), _byte(mask or "ff", 16, line)
    if command.kind == "basic":
        found = _CMP.fullmatch(" ".join(match).strip())
        return (int(found[2], 16), int(found[1], 16)) if found else None
    fields = ("dsfield", "tos", "precedence", "ds_field", "priority")
    if key[:1] in (["ip"], ["ip6"]) and key[1:] and key[1] in fields and len(match) > 2:
        return _byte(match[2], 0, line), _byte(match[3] if match[3:] else "ff", 16, line)
    if key[:1] in (["u8"], ["u16"], ["u32"]) and len(match) > 2 and command.protocol != "ipv6":
        shift = {"u8": 0, "u16": 0, "u32": 16}[match[0]]
        at = match[4] if match[3:4] == ["at"] and match[4:] else "0"
        word, bits = _whole(match[1], 0, line), _whole(match[2], 16, line)
        inside = at == ("1" if match[0] == "u8" else "0")
        if inside and not bits & ~(_BYTE << shift) and not word & ~(_BYTE << shift):
            return word >> shift, bits >> shift
    return None


def _whole(text: str, base: int, line: int) -> int:
    try:
        octal = base == 0 and re.fullmatch(r"0\d+", text)
        if len(text) > 12 or not text.isascii():
            raise ValueError
        number = int(text, 8 if octal else base)
    except ValueError:
        raise ConfigurationError(f"{text[:40]!r} is no number of a match", line) from None
    if not 0 <= number < 2**32:
        raise ConfigurationError(f"{text[:40]!r} is no number of a match", line)
    return number


def _byte(text: str, base: int, line: int) -> int:
    number = _whole(text, base, line)
    if number > _BYTE:
        raise ConfigurationError(f"{text[:40]!r} does not fit into a byte", line)
    return number


def _partly(match: list[str]) -> list[str]:
    """What a mask of a port says that leaves out some of its first bits: other ports match too."""
    if len(match) < 4 or match[1] not in ("sport", "dport", "src", "dst"):
        return []
    found = re.fullmatch(r"(?:0x)?([0-9a-f]{1,4})", match[3], re.IGNORECASE)
    bits = int(found[1], 16) if found else _PORT
    free = ~bits & _PORT
    # Without its last bits a port is the first of a range, which is meant.
    address = match[0] in ("ip", "ip6") and match[1] in ("src", "dst")
    if address or not free & (free + 1):
        return []
    return [
        f"The mask {match[3]} lets {2 ** free.bit_count():,} ports match, not {match[2]} alone."
    ]


def _action(rest: list[str]) -> tuple[str, str]:
    """Take an action: what is lost with it, and the device that packets go to instead."""
    end = next((i for i, word in enumerate(rest) if word == "action" and i > 1), len(rest))
    words = rest[1:end]
    del rest[:end]
    kind = words[0] if words else "none"
    if kind == "mirred" and "redirect" in words:
        to = words[-1] if "dev" in words[-2:-1] else "another device"
        return f"Packets go to {to[:40]}: give the streams to its port.", to[:40]
    if kind == "mirred":
        return "A copy of the packets goes to another device.", ""
    if kind in ("drop", "shot"):
        return "All that this selects is dropped: give the port no such streams.", ""
    return f"The action {kind[:40]!r} has no effect here.", ""


def _police(rest: list[str], line: int) -> tuple[Options, list[str]]:
    """Take the words of a policer: what it meters, and what of it is lost."""
    police, lost = Options(KINDS["action", "police"]), list[str]()
    while rest:
        if rest[0] in _CONTROLS:
            police["exceed"] = Value(rest.pop(0), line=line)
        elif rest[0] == "shown":
            rest.pop(0)
        elif not take_options(police, rest, line, whole=True):
            break
    both = police.pop("conform-exceed", None)
    if both is not None:
        exceed, _, conform = str(both.value).partition("/")
        police["exceed"] = both._replace(value=exceed)
        if conform not in ("", "pipe", "ok", "pass"):
            lost.append(f"Packets that conform are handled by {conform[:40]!r}: here they pass.")
    return police, [*lost, *police.lost()]


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
        if strange := next((each for each in kinds if each not in _ACTIONS), ""):
            return strange
        rest = rest[:at]
    if "police" in rest:
        rest = rest[: rest.index("police")]
    if command.kind not in _WORDS or command.shown:
        return ""
    known = {*_WORDS[command.kind], *_TARGETS, *_FLAGS}
    while rest and rest[0] in known:
        _take(command.kind, rest)
    return rest[0] if rest else ""
