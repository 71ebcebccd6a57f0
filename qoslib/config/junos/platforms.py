"""Which device a text seems to be of: an ACX7000, or one that is read as an MX all the same."""

import re
from collections.abc import Iterable, Iterator, Sequence

from qoslib.config.facts import Facts
from qoslib.config.junos.grammar import Commands
from qoslib.config.junos.paths import below
from qoslib.config.junos.words import PRIORITIES
from qoslib.config.lines import Line
from qoslib.config.records import Configuration, Remark

__all__ = [
    "as_mx",
    "is_acx7000",
    "is_other",
    "is_srx",
    "is_switch",
    "platform_remarks",
    "several_strict",
]

_AS_MX = "It is read as an MX: its scheduling and its buffers may differ."
_SWITCHED = "ethernet-switching"
_AS_ACX = "It is read as an ACX7000: each priority above low is strict, and its buffers may differ."
#: The fact of an EX switch.
_EX = "ex"
#: What a name of a device begins with; an EX9200 schedules as an MX does.
_MODEL = r"(?:(?:acx|ptx|qfx)\d{3,5}|(?<![a-z])ex(?!92)\d{4})"
#: A name that tells the device: that of the host, of a prompt, or of a warning about a statement.
_NAMED = re.compile(
    rf"^[ \t]*(?:set )?(?:system )?host-name \S*?(?P<host>{_MODEL})"
    rf"|^\S+@\S*?(?P<prompt>{_MODEL})\S*[>#]"
    rf"|unsupported platform \((?P<warned>{_MODEL})",
    re.MULTILINE | re.IGNORECASE,
)
#: What stands in a text outside quality of service -> what to call the statement, and the device.
_OUTSIDE = (
    (
        re.compile(r"^[ \t]*(?:set )?version \"?[\w.-]+-EVO\b", re.MULTILINE | re.IGNORECASE),
        "version",
        f"This is Junos OS Evolved (-EVO), of ACX7000, PTX and QFX. {_AS_MX}"
        " Give the fact platform=acx7000 where it is one.",
    ),
    (
        re.compile(r"\bfamily ethernet-switching\b"),
        _SWITCHED,
        f"`family ethernet-switching` belongs to EX and QFX switches. {_AS_MX}",
    ),
)
#: Zones of a firewall, which only an SRX has.
_ZONES = re.compile(
    r"^[ \t]*(?:set )?(?:(?:security|policies|zones)[ \t]+(?:\{[ \t]*)?)*"
    r"(?P<word>from-zone|security-zone) \S",
    re.MULTILINE,
)
_AS_SRX = (
    "Zones are of a firewall of the SRX series. It is read as an SRX: give the fact"
    " platform=mpc or platform=m120 where it is another device."
)
#: Text outside quality of service that tells a device which is none of these switches.
_NO_SWITCH = re.compile(
    r"\b(?:from-zone|security-zone) \S|host-name \S*ex92\d\d|^\S+@\S*ex92\d\d\S*[>#]",
    re.MULTILINE | re.IGNORECASE,
)
_SWITCH = f"Shared buffers and classes without loss are of QFX and EX switches. {_AS_MX}"
_NO_MX = f"An MX does not have this priority. {_AS_MX}"
#: Statement of class of service -> the device that it is of.
_INSIDE = Commands(
    {
        "forwarding-class-sets **": f"Class sets are of QFX switches. {_AS_MX}",
        "shared-buffer **": _SWITCH,
        "forwarding-classes class * queue-num * no-loss **": _SWITCH,
        f"schedulers * priority {PRIORITIES[0]} **": f"This priority is of ACX7000. {_AS_ACX}",
        "schedulers * priority low-high **": _NO_MX,
        "schedulers * priority low-medium **": _NO_MX,
    }
)
#: Classes without loss that only these switches have without a line that defines them.
_LOSSLESS = frozenset({"fcoe", "no-loss"})


def platform_remarks(text: str, lines: Sequence[Line], facts: Facts) -> Iterator[Remark]:
    """One remark for each sign of a device that is no MX; none where the platform is a fact.

    >>> for each in platform_remarks("set version 23.4R1-EVO", (), Facts()):
    ...     print(each.line, each.text, each.lost[:41])
    1 version This is Junos OS Evolved (-EVO), of ACX70
    """
    given = {value for name, value in facts.given.items() if name.rpartition(".")[2] == "platform"}
    if given:
        if _EX in given:
            yield Remark(
                "not modelled", 1, f"platform={_EX}", f"It is one of the EX switches. {_AS_MX}"
            )
        return
    acx = is_acx7000(text, lines, facts)
    if is_srx(text, lines, facts) and (found := _ZONES.search(text)):
        yield Remark("not modelled", _line_of(found), found["word"], _AS_SRX)
    if found := _NAMED.search(text):
        name = found[found.lastgroup or 0]
        sentence = f"It names a device. {_AS_ACX if acx else _AS_MX}"
        yield Remark("not modelled", _line_of(found), name, sentence)
    for pattern, name, sentence in _OUTSIDE:
        if name == _SWITCHED and _NO_SWITCH.search(text):
            continue
        if not acx and (found := pattern.search(text)):
            yield Remark("not modelled", _line_of(found), name, sentence)
    seen = set()
    defined = below(lines, "class-of-service", "forwarding-classes")
    built_in = _LOSSLESS.difference(*(line.words for line in defined))
    for line in below(lines, "class-of-service"):
        command = _INSIDE.find(line.words)
        sentence = str(command[1]) if command else ""
        if line.words[0] == "scheduler-maps" and built_in.intersection(line.words):
            sentence = _SWITCH
        if sentence and sentence not in seen and not (acx and _AS_MX in sentence):
            seen.add(sentence)
            yield Remark("not modelled", line.number, " ".join(line.words), sentence)


def _line_of(found: re.Match[str]) -> int:
    return found.string.count("\n", 0, found.start()) + 1


def is_acx7000(text: str, lines: Sequence[Line], facts: Facts) -> bool:
    """Whether a text is of an ACX7000: a fact or its name says so, or `low-latency`.

    References
    ----------
    Juniper, Class of Service User Guide, priority (Schedulers), Platform Information.

    >>> is_acx7000("set system host-name ams-acx7100-1", (), Facts())
    True
    >>> is_acx7000("admin@mx480-2>", (), Facts())
    False
    """
    given = {str(value) for name, value in facts.given.items() if name.endswith("platform")}
    found = None if given else _NAMED.search(text)
    named = found is not None and found[found.lastgroup or 0].lower().startswith("acx7")
    schedulers = below(lines, "class-of-service", "schedulers")
    low_latency = any(line.words[-2:] == ("priority", PRIORITIES[0]) for line in schedulers)
    return named or low_latency or given == {"acx7000"}


def is_srx(text: str, lines: Sequence[Line], facts: Facts) -> bool:
    """Whether a text is of an SRX: it has zones, and neither a fact nor a name says otherwise.

    >>> is_srx("set security zones security-zone office description Office", (), Facts())
    True
    >>> is_srx("set security zones security-zone office", (), Facts({"platform": "mpc"}))
    False
    """
    given = any(name.rpartition(".")[2] == "platform" for name in facts.given)
    other = given or _NAMED.search(text) or is_acx7000(text, lines, facts)
    return not other and bool(_ZONES.search(text))


def as_mx(configuration: Configuration) -> bool:
    """Whether a text of another device is read as an MX, whose queues may share in another way."""
    return configuration.dialect == "junos" and is_other(configuration.remarks)


def is_other(remarks: Iterable[Remark]) -> bool:
    """Whether remarks name a device that is read as an MX all the same."""
    return any(_AS_MX in each.lost for each in remarks)


def is_switch(configuration: Configuration) -> bool:
    """Whether a text is of a QFX or EX switch whose strict queues have a shaping rate as a limit.

    A QFX10000 limits them by their transmit rates.

    References
    ----------
    Juniper, CLI Reference, shaping-rate (Schedulers), and Traffic Management User Guide for QFX,
    priority (Schedulers).
    """
    said = [each for each in configuration.remarks if _AS_MX in each.lost]
    names = [each.text.lower() for each in said]
    other = ("qfx10", "ptx", "acx")
    return any(
        each.text.lower().startswith(("qfx", "ex")) or "switches" in each.lost for each in said
    ) and not any(name.startswith(other) for name in names)


def several_strict(configuration: Configuration) -> bool:
    """Whether a text is of a device with several queues of strict-high: ACX, QFX10000, EX.

    An EX4600 is a QFX5100 in this.

    References
    ----------
    Juniper, CLI Reference, priority (Schedulers), Platform Information: on EX4400 switches,
    strict-high is recommended for the queues 4 to 7.

    >>> several_strict(Configuration("junos"))
    False
    """
    said = [each.text.lower() for each in configuration.remarks if _AS_MX in each.lost]
    rows = {of.default for port in configuration.ports for of in port.origins}
    several = ("acx", "qfx10", "ex", f"platform={_EX}")
    named = any(each.startswith(several) and not each.startswith("ex46") for each in said)
    return named or "acx7000.strict" in rows
