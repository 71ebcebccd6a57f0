"""Names of interfaces as people type them: ``Gi0/0/1`` for ``GigabitEthernet0/0/1``."""

import re
from collections.abc import Iterable

from qoslib.config.source import ConfigurationError

__all__ = ["may_be", "named"]

_PARTS = re.compile(r"([a-z-]+?)[ -]*(\d.*)")
#: Abbreviations that do not begin as the name does (IOS XR).
_OTHER = {"be": "bundle-ether"}
#: So many names are listed.
_MOST = 20


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
