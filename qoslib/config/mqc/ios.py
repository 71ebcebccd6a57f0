"""The dialects ``ios``, ``ios-xe``, ``ios-xr`` and ``nxos``: Cisco's modular QoS command line."""

import re

from qoslib.config.facts import Facts
from qoslib.config.mqc.blocks import policies_of
from qoslib.config.mqc.port import ports_of
from qoslib.config.mqc.rules import IOS, IOS_XE, IOS_XR, NXOS, Rules
from qoslib.config.reading import Configuration

__all__ = [
    "ios_sign",
    "ios_xe_sign",
    "ios_xr_sign",
    "nxos_sign",
    "read_ios",
    "read_ios_xe",
    "read_ios_xr",
    "read_nxos",
]

_POLICY = re.compile(r"^[ \t]*(policy-map|class-map|service-policy) ", re.MULTILINE)
_CLASSIC = re.compile(r"^version 1[0-5]\.", re.MULTILINE)
_XE = re.compile(r"^version 1[6-9]\.|^interface \D+\d/\d/\d", re.MULTILINE)
_XR = re.compile(
    r"^[ \t]*end-(policy|class)-map|^interface (Ten|Forty|(Four|Eight)?Hundred)GigE\d|^!! IOS XR",
    re.MULTILINE,
)
_NX = re.compile(
    r"^[ \t]*(service-policy|class-map|policy-map|class) type (queuing|network-qos)|^system qos",
    re.MULTILINE,
)
_INTERFACE = re.compile(r"^interface \S+\d", re.MULTILINE)


def _sure(text: str) -> float:
    if _XR.search(text) or _NX.search(text):
        return 0.1 if _POLICY.search(text) else 0.0
    return 0.6 if _POLICY.search(text) else 0.05 if _INTERFACE.search(text) else 0.0


def ios_xe_sign(text: str) -> float:
    """How sure it is that a text is of IOS XE.

    Parameters
    ----------
    text : str

    Returns
    -------
    float
        From 0 to 1.
    """
    return _sure(text) + (0.2 if _XE.search(text) else 0.0)


def ios_sign(text: str) -> float:
    """How sure it is that a text is of classic IOS, up to release 15.

    Parameters
    ----------
    text : str

    Returns
    -------
    float
        From 0 to 1.
    """
    sure = _sure(text)
    return sure + 0.1 if sure and _CLASSIC.search(text) and not _XE.search(text) else sure * 0.9


def ios_xr_sign(text: str) -> float:
    """How sure it is that a text is of IOS XR.

    Parameters
    ----------
    text : str

    Returns
    -------
    float
        From 0 to 1.
    """
    return 0.8 if _XR.search(text) and not _NX.search(text) else 0.0


def nxos_sign(text: str) -> float:
    """How sure it is that a text is of NX-OS.

    Parameters
    ----------
    text : str

    Returns
    -------
    float
        From 0 to 1.
    """
    return 0.8 if _NX.search(text) else 0.0


def _read(text: str, facts: Facts, rules: Rules) -> Configuration:
    found = policies_of(text)
    ports = tuple(ports_of(found, rules, facts))
    return Configuration(
        rules.name,
        ports,
        tuple(sorted(dict.fromkeys(found.remarks), key=lambda each: each.line)),
        tuple(sorted(found.statements, key=lambda each: each.line)),
        len(text.splitlines()),
    )


def read_ios_xe(text: str, facts: Facts) -> Configuration:
    """Read a configuration of Cisco IOS XE.

    Parameters
    ----------
    text : str
    facts : Facts

    Returns
    -------
    Configuration

    Raises
    ------
    ConfigurationError
        If it cannot be read.
    """
    return _read(text, facts, IOS_XE)


def read_ios(text: str, facts: Facts) -> Configuration:
    """Read a configuration of classic Cisco IOS, up to release 15.

    Parameters
    ----------
    text : str
    facts : Facts

    Returns
    -------
    Configuration

    Raises
    ------
    ConfigurationError
        If it cannot be read.
    """
    return _read(text, facts, IOS)


def read_ios_xr(text: str, facts: Facts) -> Configuration:
    """Read a configuration of Cisco IOS XR.

    Parameters
    ----------
    text : str
    facts : Facts

    Returns
    -------
    Configuration

    Raises
    ------
    ConfigurationError
        If it cannot be read.
    """
    return _read(text, facts, IOS_XR)


def read_nxos(text: str, facts: Facts) -> Configuration:
    """Read a configuration of Cisco NX-OS.

    Parameters
    ----------
    text : str
    facts : Facts

    Returns
    -------
    Configuration

    Raises
    ------
    ConfigurationError
        If it cannot be read.
    """
    return _read(text, facts, NXOS)
