"""Interfaces by their names: which one is meant, and how fast one is."""

import re
from collections.abc import Iterable

from qoslib import units
from qoslib.config.lines import nearest
from qoslib.config.source import ConfigurationError

__all__ = [
    "fast_enough",
    "may_be",
    "meant_interface",
    "named",
    "speed_bps",
    "speed_word",
    "type_rate_bps",
]

#: Family -> how the name of an interface begins, and its rate [Mb/s].
_RATES_MBPS = {
    "cisco": {
        "ethernet": 10, "eth": 10, "fastethernet": 100, "fa": 100, "f": 100,
        "gigabitethernet": 1000, "gi": 1000, "g": 1000, "gige": 1000, "gig": 1000,
        "twogigabitethernet": 2500, "tw": 2500, "fivegigabitethernet": 5000, "fi": 5000,
        "tengigabitethernet": 10_000, "te": 10_000, "tengige": 10_000, "twentyfivegige": 25_000,
        "twentyfivegigabitethernet": 25_000, "fortygigabitethernet": 40_000, "fo": 40_000,
        "fortygige": 40_000, "fiftygige": 50_000, "hundredgige": 100_000, "hu": 100_000,
        "hundredgigabitethernet": 100_000, "twohundredgige": 200_000, "fourhundredgige": 400_000,
        "eighthundredgige": 800_000,
    },
    "junos": {"fe": 100, "ge": 1000, "xe": 10_000},
}  # fmt: skip
#: Types of Cisco's whose rate their name does not say.
_OTHER_TYPES = (
    "appgigabitethernet", "async", "atm", "bdi", "bri", "bundle-ether", "bundle-pos", "bvi",
    "cellular", "cem", "control", "dialer", "embedded-service-engine", "group-async", "hssi",
    "integrated-service-engine", "lisp", "loopback", "management", "mgmt", "mgmteth", "mfr",
    "multilink", "null", "nve", "port-channel", "pos", "pw-ether", "pseudowire", "serial",
    "service-engine", "sm", "ssvi", "tunnel", "tunnel-ip", "tunnel-te", "ucse", "virtual-access",
    "virtual-ppp", "virtual-template", "vlan", "vxlan", "wlan-ap", "wlan-gigabitethernet",
)  # fmt: skip
_CISCO_TYPES = *_RATES_MBPS["cisco"], *_OTHER_TYPES
#: How the longer ones are written.
_SPELT = {
    word.lower(): word
    for word in (
        "FastEthernet", "GigabitEthernet", "TwoGigabitEthernet", "FiveGigabitEthernet",
        "TenGigabitEthernet", "TwentyFiveGigE", "FortyGigabitEthernet", "HundredGigE",
        "Bundle-Ether", "Port-channel", "TenGigE", "FortyGigE",
    )
}  # fmt: skip
#: Family -> a word of `speed`: 100 (Mb/s); 10g, 2.5g, 100m; forced 40gfull or 1000full, 100g-4;
#: 100 (Mb/s).
_SPEEDS = {
    "cisco": re.compile(r"(\d{1,6})()\Z"),
    "junos": re.compile(r"(\d{1,5}(?:\.\d)?)([mg])(?:bps)?\Z", re.IGNORECASE),
    "eos": re.compile(r"([1-9]\d{0,5})(g|full|half)"),
    "sros": re.compile(r"(\d{1,6})()\Z"),
}
#: Cisco's types -> what `speed` may say of them.
_CHOICES = {"GigabitEthernet": ("10", "100", "1000"), "FastEthernet": ("10", "100")}
_XE_NAMES = (
    (1000, "GigabitEthernet0/0/0"), (10_000, "TenGigabitEthernet0/0/0"),
    (40_000, "FortyGigabitEthernet0/0/0"), (100_000, "HundredGigE0/0/0"),
)  # fmt: skip
#: Dialect -> rates [Mb/s], and names that are fast enough for them. Fast Ethernet is on routers of
#: classic IOS alone.
_NAMES = {
    "ios-xe": _XE_NAMES,
    "ios": ((100, "FastEthernet0/0"), *_XE_NAMES),
    "junos": ((100, "fe-0/0/0"), (1000, "ge-0/0/0"), (10_000, "xe-0/0/0"), (100_000, "et-0/0/0")),
}
_TYPE = re.compile(r"[a-z-]+")
_LETTERS = re.compile(r"[^\W\d_]*")
_PARTS = re.compile(r"([a-z-]+?)[ -]*(\d.*)")
#: Abbreviations that do not begin as the name does (IOS XR).
_OTHER = {"be": "bundle-ether"}
#: Names of types that are so close are meant, and so many names are listed.
_NEAR, _MOST = 0.8, 20


def may_be(typed: str, name: str) -> bool:
    """Whether a text stands for an interface: its name, or its number behind how its type begins.

    That is what IOS, NX-OS and EOS take as well.

    >>> may_be("Gi0/0/1", "GigabitEthernet0/0/1"), may_be("Gi0/1", "GigabitEthernet0/0/1")
    (True, False)
    """
    if typed == name:
        return True
    short, whole = (_PARTS.fullmatch(each.strip().lower()) for each in (typed, name))
    if not short or not whole or short[2] != whole[2]:
        return False
    return whole[1].startswith(_OTHER.get(short[1], short[1]))


def named(typed: str, names: Iterable[str]) -> str:
    """The interface that a text stands for.

    >>> named("te1/1", ["GigabitEthernet1/1", "TenGigabitEthernet1/1"])
    'TenGigabitEthernet1/1'
    """
    known = list(dict.fromkeys(names))
    found = [typed] if typed in known else [name for name in known if may_be(typed, name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigurationError(f"interface {typed!r} may be {' or '.join(found)}; name one")
    more = f" and {len(known) - _MOST:,} more" if len(known) > _MOST else ""
    listed = f"{', '.join(known[:_MOST]) or 'none'}{more}"
    raise ConfigurationError(f"interface {typed!r} has no queues here; these have: {listed}")


def meant_interface(name: str) -> str:
    """The name of an interface of Cisco's that is nearly one: what its type may be meant to be.

    >>> meant_interface("GigabtEthernet0/0/1"), meant_interface("Gi0/0/1")
    ('GigabitEthernet0/0/1', '')
    """
    found = _TYPE.match(name.lower())
    if not found or any(kind.startswith(found[0]) for kind in _CISCO_TYPES):
        return ""
    near = nearest(found[0], _CISCO_TYPES, _NEAR)
    return _SPELT.get(near, near.capitalize()) + name[found.end() :] if near else ""


def type_rate_bps(name: str, family: str) -> float | None:
    """The line rate that the type of an interface has by its name; None if the name does not say.

    >>> type_rate_bps("GigabitEthernet0/0/1.100", "cisco"), type_rate_bps("xe-0/0/0", "junos")
    (1000000000.0, 10000000000.0)
    >>> type_rate_bps("Serial0/0", "cisco"), type_rate_bps("et-0/0/0", "junos")
    (None, None)
    """
    letters = _LETTERS.match(name.lower())
    rate_mbps = _RATES_MBPS[family].get(letters[0]) if letters else None
    return None if rate_mbps is None else units.mbps(float(rate_mbps))


def speed_bps(word: str, family: str) -> float | None:
    """The rate that a word of `speed` means; None if it means none.

    >>> speed_bps("100g", "junos"), speed_bps("1000full", "eos"), speed_bps("auto", "eos")
    (100000000000.0, 1000000000.0, None)
    """
    found = _SPEEDS[family].match(word)
    if not found or not float(found[1]):
        return None
    unit = "Gbit/s" if found[2].lower() == "g" else "Mbit/s"
    return float(units.convert(float(found[1]), unit, "bit/s"))


def speed_word(name: str, rate_bps: float, family: str) -> str | None:
    """What `speed` is to say of an interface; empty where its type does, None where nothing can.

    >>> speed_word("GigabitEthernet0/1", 1e8, "cisco"), speed_word("et-0/0/0", 1e11, "junos")
    ('100', '100g')
    >>> speed_word("xe-0/0/0", 1e10, "junos"), speed_word("Serial0/0", 2e6, "cisco")
    ('', None)
    """
    if type_rate_bps(name, family) == rate_bps:
        return ""
    words = [word for kind, each in _CHOICES.items() if name.startswith(kind) for word in each]
    if family == "junos":
        scaled = (("g", units.gbps(1.0)), ("m", units.mbps(1.0)))
        whole = [(f"{rate_bps / unit_bps:g}", suffix) for suffix, unit_bps in scaled]
        words = [number + suffix for number, suffix in whole if number.isdecimal()]
    return next((word for word in words if speed_bps(word, family) == rate_bps), None)


def fast_enough(rate_bps: float, dialect: str) -> str:
    """The name of an interface of a type that has a rate, or else of the fastest.

    >>> fast_enough(1e8, "ios"), fast_enough(1e8, "ios-xe"), fast_enough(4e11, "junos")
    ('FastEthernet0/0', 'GigabitEthernet0/0/0', 'et-0/0/0')
    """
    names = _NAMES[dialect]
    fast = [name for most, name in names if rate_bps <= units.mbps(float(most))]
    return fast[0] if fast else names[-1][1]
