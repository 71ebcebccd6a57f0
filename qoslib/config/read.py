"""Read a configuration in any dialect: recognise it, and hand it to the dialect's reader."""

import re
from collections.abc import Callable, Mapping, Set
from functools import partial
from typing import NamedTuple

from qoslib.config.eos.reader import is_eos, read_eos
from qoslib.config.facts import Facts
from qoslib.config.interfaces import named
from qoslib.config.junos import is_junos, read_junos
from qoslib.config.mqc.pasted import as_configured, needed, without_lists
from qoslib.config.mqc.platform_defaults import IOS, IOS_XE, IOS_XR, NXOS
from qoslib.config.mqc.reader import SIGNS, read_mqc
from qoslib.config.records import Configuration, Remark
from qoslib.config.sonic import is_sonic, read_sonic
from qoslib.config.source import (
    ConfigurationError,
    TimeIsOverError,
    bounded,
    check_time,
    in_time,
    lines_that_say,
    too_long,
)
from qoslib.config.sqm import is_sqm, read_sqm
from qoslib.config.sros import is_sros, read_sros
from qoslib.config.tc import is_tc, read_tc, tc_lines
from qoslib.record import fail

__all__ = ["DIALECTS", "Dialect", "read", "recognise"]


#: What a device prints in front of its configuration, or of each interface with `all`.
_PRINTED = re.compile(
    r"^(?:! ?Command: show |Building configuration\.\.\.|Current configuration *: \d+ bytes"
    r"|!Running configuration last done at|!! IOS XR Configuration|\S+[>#] ?show run"
    r"|[ \t]+default load-interval[ \t\r]*$)",
    re.MULTILINE,
)
#: What ends the reason of a refusal for a number that is too large or too small.
_RANGE = "allowed: a number from"


class Dialect(NamedTuple):
    """How sure it is that a text is of a dialect, from 0 to 1, and what reads it.

    The reader takes a text that is `bounded`, and facts. `says` gives the numbers of the lines that
    say something: each is understood, listed, or on other things than quality of service. `typed`
    says whether it is read as it comes from a terminal with prompts as well.
    """

    sign: Callable[[str], float]
    read: Callable[[str, Facts], Configuration]
    says: Callable[[str], Set[int]] = lines_that_say
    typed: bool = False


#: The dialects that are read, by their names.
DIALECTS = {
    "ios-xe": Dialect(SIGNS["ios-xe"], partial(read_mqc, platform=IOS_XE), typed=True),
    "ios": Dialect(SIGNS["ios"], partial(read_mqc, platform=IOS), typed=True),
    "ios-xr": Dialect(SIGNS["ios-xr"], partial(read_mqc, platform=IOS_XR), typed=True),
    "nxos": Dialect(SIGNS["nxos"], partial(read_mqc, platform=NXOS), typed=True),
    "eos": Dialect(is_eos, read_eos, typed=True),
    "junos": Dialect(is_junos, read_junos),
    "sonic": Dialect(is_sonic, read_sonic),
    "sqm": Dialect(is_sqm, read_sqm),
    "sros": Dialect(is_sros, read_sros),
    "tc": Dialect(is_tc, read_tc, tc_lines),
}


def recognise(text: str) -> str:
    """The dialect of a configuration.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        A name of `DIALECTS`.

    Raises
    ------
    ConfigurationError
        If it is none of them.

    Examples
    --------
    >>> recognise("interface Gi0/0/1\\n service-policy output WAN")
    'ios-xe'
    """
    # What stands in a text again says no more of its dialect, and a text may have 10 MB of it.
    text = as_configured("\n".join(dict.fromkeys(text.split("\n"))))
    sure: dict[str, float] = {}
    for name, dialect in DIALECTS.items():
        check_time()
        sure[name] = dialect.sign(text)
    best = max(sure, key=lambda name: sure[name], default="")
    if not text.strip():
        raise ConfigurationError("the text is empty; allowed: a configuration")
    if not best or sure[best] <= 0:
        raise ConfigurationError(f"no dialect is recognised; name one: {', '.join(DIALECTS)}")
    return best


@in_time()
def read(
    text: str,
    interface: str | None = None,
    facts: Mapping[str, float | str] | None = None,
    dialect: str | None = None,
) -> Configuration:
    """Read what a configuration says of queues, as ports that every model takes.

    Parameters
    ----------
    text : str
        At most 10 million characters, which are read for at most 5 s. It is data: nothing in it is
        run. Of a long one only what an interface reaches is read, and a remark says so.
    interface : str, optional
        Only this one, as it stands in the text or as the vendor shortens it: ``Gi0/0/1``.
    facts : mapping of str to float or str, optional
        What no configuration holds: ``line_rate_bps``, ``buffer_bytes``, ``platform``, ... for all
        interfaces, or ``"GigabitEthernet0/0/1.line_rate_bps"`` for one.
    dialect : str, optional
        A name of `DIALECTS`; recognised if None.

    Returns
    -------
    Configuration
        Its ports, where each number comes from, which facts are missing, and every line on quality
        of service that the ports do not say.

    Raises
    ------
    ConfigurationError
        If the text cannot be read: its line and what is allowed.
    ValueError
        If a fact or a dialect is not known.

    Examples
    --------
    >>> policy = "policy-map WAN\\n class VOICE\\n  priority 2000\\n"
    >>> interface = "interface GigabitEthernet0/0/1\\n service-policy output WAN\\n"
    >>> edge = read(policy + interface).ports[0]
    >>> edge.port.queues[0].policer
    Policer(rate_bps=2000000.0, burst_bytes=50000, when='congested')
    >>> edge.origin("queues['VOICE'].policer.burst_bytes").default
    'ios-xe.priority_burst'
    """
    text, known = bounded(text), Facts(facts)
    if dialect is not None and dialect not in DIALECTS:
        fail("dialect", dialect, ", ".join(DIALECTS))
    try:
        found = _found(text, interface, known, dialect)
    except TimeIsOverError as error:
        several = interface is None and text.count("\ninterface ") > 1
        raise too_long("reading", text, error.line, several) from None
    if interface is None:
        return found
    name = named(interface, (port.interface for port in found.ports))
    return found.replace(ports=tuple(port for port in found.ports if port.interface == name))


def _found(text: str, interface: str | None, facts: Facts, dialect: str | None) -> Configuration:
    """What is read of a text; of a long one, what interfaces reach, or the one that is meant."""
    printed = _PRINTED.search(text) is not None
    text, listed = without_lists(text)
    text, remarks = needed(text, interface)
    known = DIALECTS[recognise(text) if dialect is None else dialect]
    if known.typed:
        text = as_configured(text)
    found = known.read(text, facts)
    every = (*map(_held, found.remarks), *remarks) if printed else (*found.remarks, *remarks)
    return found.replace(
        lines=text.count("\n") + (text[-1:] not in ("", "\n")),
        elsewhere=listed + len(known.says(text) - found.spoken),
        remarks=tuple(sorted(every, key=lambda each: each.line)),
    )


def _held(remark: Remark) -> Remark:
    """A remark on what a device prints: how far its numbers go is the platform's matter."""
    if remark.kind != "refused" or _RANGE not in remark.lost:
        return remark
    lost = f"The device holds this line; here it has no effect: {remark.lost}"
    return remark.replace(kind="unknown", lost=lost)
